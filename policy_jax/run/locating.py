"""Which policy a path on the command line means."""

from __future__ import annotations

from pathlib import Path

from policy_jax.checkpoint import CheckpointStore
from policy_jax.errors import LeapError
from policy_jax.run.policy import Policy

_STAGES = ("rl", "sft")  # the further trained first


def locate(path: Path) -> tuple[CheckpointStore, int]:
    """The store and step of a run's folder, of a folder of steps, or of one step.

    A run means its newest policy: LEAP's if there is one, else the cold start.
    Raises LeapError.
    """
    stores = [path / "checkpoints" / stage for stage in _STAGES]
    for folder in (*stores, path):
        store = CheckpointStore(folder)
        if (newest := store.latest()) is not None:
            return store, newest
    if path.name.isdecimal() and int(path.name) in (store := CheckpointStore(path.parent)).steps():
        return store, int(path.name)
    if not path.exists():
        raise LeapError(f"{path}: no such run or checkpoint; runs are folders under runs/")
    raise LeapError(f"{path} holds no finished checkpoint")


def load_policy(path: Path) -> tuple[Policy, dict]:
    """The policy that `path` means and the config it was trained with. Raises LeapError."""
    store, step = locate(path)
    return Policy.load(store, step), store.manifest(step).config
