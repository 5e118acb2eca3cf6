"""Bugs that people and models write, as edits of a right kernel.

Whether an edit really is a bug is for the verifier to say: the corpus keeps only those
that it fails.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from policy_jax.data.micro.operators import BINARY, UNARY

Edit = Callable[[str, random.Random], str]

CHAIN_LINES = {operator.cuda for operator in (*UNARY.values(), *BINARY.values())}


def _replace_one(source: str, pattern: str, new: str, rng: random.Random) -> str:
    """One occurrence of ``pattern`` (a regular expression), chosen by ``rng``, replaced."""
    matches = list(re.finditer(pattern, source, re.MULTILINE))
    if not matches:
        return source
    match = rng.choice(matches)
    return source[: match.start()] + match.expand(new) + source[match.end() :]


def _first_of(*edits: tuple[str, str]) -> Edit:
    """An edit that applies one of several replacements that change the source."""

    def edit(source: str, rng: random.Random) -> str:
        changed = [_replace_one(source, pattern, new, rng) for pattern, new in edits]
        changed = [each for each in changed if each != source]
        return rng.choice(changed) if changed else source

    return edit


def _chain_lines(lines: list[str]) -> list[int]:
    return [k for k, line in enumerate(lines) if line.strip() in CHAIN_LINES]


def missed_operation(source: str, rng: random.Random) -> str:
    """One operator of a chain is left out."""
    lines = source.splitlines(keepends=True)
    chain = _chain_lines(lines)
    if len(chain) > 0:
        del lines[rng.choice(chain)]
    return "".join(lines)


def wrong_operation(source: str, rng: random.Random) -> str:
    """One operator of a chain is another one."""
    lines = source.splitlines(keepends=True)
    if chain := _chain_lines(lines):
        k = rng.choice(chain)
        table = BINARY if "w" in lines[k] else UNARY
        lines[k] = f"  {rng.choice(list(table.values())).cuda}\n"
    return "".join(lines)


def swapped_operations(source: str, rng: random.Random) -> str:
    """Two neighbouring operators change places."""
    lines = source.splitlines(keepends=True)
    chain = _chain_lines(lines)
    neighbours = [k for k in chain if k + 1 in chain]
    if neighbours:
        k = rng.choice(neighbours)
        lines[k], lines[k + 1] = lines[k + 1], lines[k]
    return "".join(lines)


def missing_bounds_check(source: str, rng: random.Random) -> str:
    """Threads beyond the data go on."""
    early = re.sub(r"^  if \(\w+ >= .*\) return;\n", "", source, flags=re.MULTILINE)
    if early != source:
        return early
    return re.sub(
        r"^  if \(\w+ < [^&{]+\) \{\n((?:    .*\n)+)  \}\n(?=\}\n)",
        lambda match: re.sub(r"^  ", "", match[1], flags=re.MULTILINE),
        source,
        flags=re.MULTILINE,
    )


def missing_barrier(source: str, rng: random.Random) -> str:
    """One barrier is left out."""
    return _replace_one(source, r"^ *__syncthreads\(\);\n", "", rng)


wrong_bounds_check = _first_of(
    (r"if \((\w+) < (n|cols|rows|rows \* cols|rows \* wide)\) ", r"if (\1 <= \2) "),
    (r"if \((\w+) >= (n|cols|rows|rows \* cols|rows \* wide)\) return", r"if (\1 > \2) return"),
    (r"r < rows && c < cols", "r < rows"),
    (r"r < rows && c < cols", "c < cols"),
)

wrong_index = _first_of(
    (r"r \* cols \+ c\b", "c * cols + r"),
    (r"r \* cols \+ c\b", "r * rows + c"),
    (r"blockIdx\.x \* (256|32) \+", "blockIdx.x +"),
    (r"c \* rows \+ r", "r * cols + c"),
    (r"z\[i % cols\]", "z[i / cols]"),
    (r"z\[i / cols\]", "z[i % cols]"),
    (r"x\[i \+ j\]", "x[i]"),
    (r"x\[k\[i\]\]", "x[i]"),
)

wrong_launch = _first_of(
    (r"\((\w+) \+ (255|31)\) / (256|32)", r"\1 / \3"),
    (r"\((cols|rows) \+ 15\) / 16", r"\1 / 16"),
    (r"<<<rows, 128>>>", "<<<rows, 64>>>"),
    (r"<<<rows, 128>>>", "<<<cols, 128>>>"),
    (r"<<<rows, 32>>>", "<<<1, 32>>>"),
)

wrong_identity = _first_of(
    (r"float a = -INFINITY;", "float a = 0.f;"),
    (r"float m = -INFINITY;", "float m = 0.f;"),
    (r"float a = INFINITY;", "float a = 0.f;"),
    (r"float a = 0\.f;", "float a = 1.f;"),
    (r"float a = 0\.f;", "float a;"),
    (r"torch::zeros", "torch::empty"),
)

wrong_reduction = _first_of(
    (r"s\[t\] \+ s\[t \+ k\]", "s[t + k]"),
    (r"int k = 64;", "int k = 32;"),
    (r"int k = 16;", "int k = 8;"),
    (r"^ *v = v / (cols|rows);\n", ""),
    (r"^ *v = sqrtf\(v\);\n", ""),
    (r"expf\(v - m\) / a", "expf(v - m)"),
    (r"a = fmaxf\(a, v\);", "a = a + v;"),
    (r"a = a \+ v \* v;", "a = a + v;"),
    (r"atomicAdd\(y, v\)", "y[0] = y[0] + v"),
)

missed_epilogue = _first_of((r"= g\(v\);", "= v;"), (r"= f\(x\[i\]\);", "= x[i];"))

syntax_slip = _first_of(
    (r";\n  return v;", "\n  return v;"),
    (r"(float v = .*);\n", r"\1\n"),
    (r"(y\[\w+\] = .*);\n", r"\1\n"),
    (r"__device__ float (f|g)\(float v", r"__device__ float \1(v"),
    (r"v = fmaxf\(v, 0\.f\);", "v = max(v);"),
    (r"v = tanhf\(v\);", "v = tanhf(x);"),
    (r"  int n = x\.numel\(\);\n", ""),
    (r"  return y;\n", "  return out;\n"),
    (r"^  \}\n\}\n", "}\n"),
)

wrong_host = _first_of(
    (r"y\.data_ptr<float>\(\)", "y.data_ptr<double>()"),
    (r"torch::empty\(\{rows\}", "torch::empty({cols}"),
    (r"torch::empty\(\{cols\}", "torch::empty({rows}"),
    (r"torch::empty\(\{cols, rows\}", "torch::empty({rows, cols}"),
    (r"cols = x\.size\(1\)", "cols = x.size(0)"),
    (r"x\.data_ptr<float>\(\), y\.data_ptr<float>\(\)", "y.data_ptr<float>(), x.data_ptr<float>()"),
)

# How often each is tried: what a policy gets wrong most often is the chain.
BUGS: dict[str, tuple[Edit, int]] = {
    "missed_operation": (missed_operation, 4),
    "wrong_operation": (wrong_operation, 6),
    "swapped_operations": (swapped_operations, 4),
    "missed_epilogue": (missed_epilogue, 1),
    "missing_bounds_check": (missing_bounds_check, 2),
    "wrong_bounds_check": (wrong_bounds_check, 2),
    "wrong_index": (wrong_index, 2),
    "wrong_launch": (wrong_launch, 2),
    "missing_barrier": (missing_barrier, 2),
    "wrong_identity": (wrong_identity, 2),
    "wrong_reduction": (wrong_reduction, 2),
    "syntax_slip": (syntax_slip, 3),
    "wrong_host": (wrong_host, 2),
}


def plant(source: str, rng: random.Random) -> tuple[str, str]:
    """A name of a bug and the source with it; the two sources differ."""
    names = list(BUGS)
    weights = [BUGS[name][1] for name in names]
    while True:
        name = rng.choices(names, weights)[0]
        wrong = BUGS[name][0](source, rng)
        if wrong != source:
            return name, wrong
