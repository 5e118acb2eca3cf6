"""A policy: weights, and what reads and writes their text."""

from __future__ import annotations

from dataclasses import dataclass

from policy_jax.checkpoint import CheckpointStore
from policy_jax.data.tokenizer import Tokenizer
from policy_jax.models import DecoderConfig, Params, abstract_params


@dataclass(frozen=True)
class Policy:
    """`params` is the decoder's tree of fp32 arrays, of the architecture `model`."""

    model: DecoderConfig
    params: Params
    tokenizer: Tokenizer

    @classmethod
    def load(cls, store: CheckpointStore, step: int | None = None) -> Policy:
        """The policy of a checkpoint (default: the newest). Raises CheckpointError."""
        manifest = store.manifest(step)
        _, abstract = abstract_params(manifest.model)
        params = store.restore_params(abstract, manifest.model, manifest.step)
        return cls(manifest.model, params, manifest.tokenizer())
