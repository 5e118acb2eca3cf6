"""CUDA C++ text becomes C++ text that g++ compiles against include/.

Only what g++ cannot parse or what needs storage per block is replaced; the head
comment of ``include/leap_kernel.h`` shows each form. No line is added, removed
or moved, so that diagnostics keep the submission's line numbers.
"""

from __future__ import annotations

import json

from verifier_gpu.emulator.constructs import Unsupported, refuse_unsupported
from verifier_gpu.emulator.declarations import refuse_declarations
from verifier_gpu.emulator.device_code import refuse_in_device_code
from verifier_gpu.emulator.edits import Edits
from verifier_gpu.emulator.functions import find_functions, refuse_crossing_calls
from verifier_gpu.emulator.host_code import (
    has_lambdas,
    refuse_annotated_lambdas,
    refuse_device_names_on_host,
)
from verifier_gpu.emulator.kernels import rewrite_kernels
from verifier_gpu.emulator.launches import rewrite_launches
from verifier_gpu.emulator.members import guard_host_members
from verifier_gpu.emulator.shared_memory import rewrite_shared
from verifier_gpu.emulator.tokens import Tokens
from verifier_gpu.emulator.two_sides import split_sides

__all__ = ["Unsupported", "rewrite"]


def rewrite(text: str, file_name: str, *, extended_lambda: bool = False) -> str:
    """Rewrites one CUDA source for the host compiler.

    Args:
        text: the submission's source.
        file_name: the name that diagnostics shall show.
        extended_lambda: nvcc's flag of that name is given: kernels may take lambdas.

    Returns:
        The text for g++, one ``#line`` directive before it, so that line n of
        the submission is reported as ``file_name:n``.

    Raises:
        Unsupported: the text uses what the cpu target cannot emulate.
    """
    tokens = Tokens(text)
    functions = find_functions(tokens)
    refuse_unsupported(tokens)
    refuse_device_names_on_host(tokens, functions)
    edits = Edits()
    bodies = rewrite_kernels(tokens, edits, not extended_lambda and has_lambdas(tokens))
    bodies += [f.body for f in functions if f.body is not None and f.is_device_only()]
    rewrite_launches(tokens, edits, bodies)
    split_sides(tokens, edits)
    rewrite_shared(tokens, edits)
    guard_host_members(tokens, edits)
    refuse_declarations(tokens, functions, edits)
    refuse_crossing_calls(tokens, functions, edits)
    refuse_in_device_code(tokens, functions, edits)
    if not extended_lambda:
        refuse_annotated_lambdas(tokens, edits)
    for i, token in enumerate(tokens.items):
        if token.text == "__noinline__":  # a macro of this name would break system headers
            edits.replace(token.start, token.end, "LEAP_NOINLINE")
        elif token.text == "clock" and tokens.is_text(i + 1, "(") and tokens.is_text(i + 2, ")"):
            if tokens.items[i - 1].text not in (".", "->", "::"):
                edits.replace(token.start, token.end, "leap_clock")
        elif token.text == "cudaLaunchKernel" and tokens.is_text(i + 1, "("):
            _uncast_kernel(tokens, i + 2, edits)
    return f"#line 1 {json.dumps(file_name)}\n{edits.apply(text)}"


def _uncast_kernel(tokens: Tokens, index: int, edits: Edits) -> None:
    """cudaLaunchKernel((void*)k, ...) keeps the kernel's type: it is called through it."""
    texts = [t.text for t in tokens.items[index : index + 5]]
    for cast in (["(", "void", "*", ")"], ["(", "const", "void", "*", ")"]):
        if texts[: len(cast)] == cast:
            last = tokens.items[index + len(cast) - 1]
            edits.delete(tokens.items[index].start, last.end, tokens.text)
