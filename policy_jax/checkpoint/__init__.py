"""Checkpoints through Orbax: a step is everything."""

from policy_jax.checkpoint.store import CheckpointError, CheckpointStore, Manifest
from policy_jax.checkpoint.trees import abstract_optimizer

__all__ = ["CheckpointError", "CheckpointStore", "Manifest", "abstract_optimizer"]
