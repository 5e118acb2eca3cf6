"""The engine: prefill and decode over a KV cache, slots refilled from a queue."""

from policy_jax.sampling.engine import Engine
from policy_jax.sampling.types import SampledTurn, SamplerConfig, SampleRequest

__all__ = ["Engine", "SampleRequest", "SampledTurn", "SamplerConfig"]
