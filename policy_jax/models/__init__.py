"""One Flax NNX decoder, configured into families."""

from policy_jax.models.config import DecoderConfig
from policy_jax.models.decoder import (
    Decoder,
    Params,
    abstract_params,
    count_params,
    init_params,
)
from policy_jax.models.families import family, preset
from policy_jax.models.host_memory import keep_freed_memory
from policy_jax.models.logprobs import token_logprobs
from policy_jax.models.sharding import make_mesh, sharding

__all__ = [
    "Decoder",
    "DecoderConfig",
    "Params",
    "abstract_params",
    "count_params",
    "family",
    "init_params",
    "keep_freed_memory",
    "make_mesh",
    "preset",
    "sharding",
    "token_logprobs",
]
