"""leap-micro: small tasks in KernelBench form, made by code, each with a solution."""

from policy_jax.data.micro.suite import (
    FAMILIES,
    SHOWN_PRACTICE,
    MicroTask,
    export,
    open_practice,
    practice,
    suite,
)

__all__ = [
    "FAMILIES",
    "SHOWN_PRACTICE",
    "MicroTask",
    "export",
    "open_practice",
    "practice",
    "suite",
]
