"""leap-micro: small tasks in KernelBench form, made by code, each with a solution."""

from policy_jax.data.micro.suite import FAMILIES, MicroTask, export, practice, suite

__all__ = ["FAMILIES", "MicroTask", "export", "practice", "suite"]
