"""Whether two kernels are the same but for names and numbers.

The corpus may hold no held-out solution in that sense, wrong kernels included.
"""

from __future__ import annotations

import re
from functools import cache

from policy_jax.data.micro import suite
from policy_jax.data.micro.styles import STYLES

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
TOKEN = re.compile(
    r"#include[^\n]*|(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[fFuUlL]*)"
    r"|(?P<name>[A-Za-z_]\w*)|<<<|>>>|::|\S"
)
# Names that the language and CUDA give their meaning; the rest are the author's.
LANGUAGE = (
    "auto blockDim blockIdx bool break const continue dim3 double else extern false float for "
    "forward gridDim half if inline int int64_t long return sizeof size_t static std "
    "template threadIdx torch true typename unsigned using void while "
    "INFINITY __device__ __forceinline__ __global__ __restrict__ __shared__"
)
MEANT = frozenset(LANGUAGE.split())
MEMBERS = ("::", ".")


def normalised(source: str) -> str:
    """The source with its author's names numbered by first use and its numbers blank.

    Comments and spacing go. What a library or the language names stays: a called
    function that the source does not define, a member, a type.
    """
    text = COMMENT.sub(" ", source)
    defined = set(re.findall(r"([A-Za-z_]\w*)\s*\([^;{}]*\)\s*\{", text)) - {"if", "for", "while"}
    names: dict[str, str] = {}
    out: list[str] = []
    previous = ""
    for match in TOKEN.finditer(text):
        token = match[0]
        rest = text[match.end() : match.end() + 1]
        if match["number"]:
            token = "0"
        elif match["name"] and token not in MEANT and previous not in MEMBERS:
            is_library_call = rest == "(" and token not in defined and token not in names
            if not is_library_call:
                token = names.setdefault(token, f"n{len(names)}")
        out.append(token)
        previous = match[0]
    return " ".join(out)


@cache
def heldout_solutions() -> frozenset[str]:
    """Every held-out task's solution in every style, normalised."""
    heldout = (each for each in suite() if each.task.split == "heldout")
    return frozenset(
        normalised(style(each.solution())) for each in heldout for style in STYLES.values()
    )


def gives_away(source: str) -> bool:
    """Whether a source is a held-out solution but for names, numbers and layout."""
    return normalised(source) in heldout_solutions()
