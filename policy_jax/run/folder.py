"""The folder of a run: what it was asked for, and how far it came."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from policy_jax.checkpoint import CheckpointStore
from policy_jax.config import RunConfig
from policy_jax.errors import LeapError
from policy_jax.telemetry import write_json

CONFIG, PROGRESS = "config.json", "progress.json"

# What may change between two parts of one run: who judges, and what is kept.
_MAY_CHANGE = ("run.time_budget_seconds", "verifier.", "checkpoint.")


@dataclass(frozen=True)
class RunFolder:
    """Paths and small JSON files under runs/NAME."""

    path: Path

    @classmethod
    def claim(cls, config: RunConfig) -> RunFolder:
        """The folder of `config`'s run, made if it is new.

        Raises LeapError if it holds a run with another config.
        """
        folder = cls(config.directory)
        folder.path.mkdir(parents=True, exist_ok=True)
        if (folder.path / CONFIG).exists():
            folder._refuse_another(config)
        write_json(folder.path / CONFIG, config.as_dict())
        return folder

    def config(self) -> RunConfig:
        """The config that the run was last started with; raises LeapError."""
        path = self.path / CONFIG
        try:
            return RunConfig.model_validate_json(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise LeapError(f"{self.path} is not the folder of a run: it has no {CONFIG}") from None
        except ValueError:
            raise LeapError(
                f"{path} is from another version of LEAP and cannot be read; start a new run"
            ) from None

    def _refuse_another(self, config: RunConfig) -> None:
        different = {
            key: values
            for key, values in self.config().differences(config).items()
            if not key.startswith(_MAY_CHANGE)
        }
        if different:
            key, (there, here) = next(iter(different.items()))
            raise LeapError(
                f"{self.path} holds a run with {key} = {there}, and now it is {here}: "
                "choose another run.name, or remove the folder to start over"
            )

    def checkpoints(self, stage: str, keep: int = 1) -> CheckpointStore:
        """The checkpoints of a stage, "sft", "rl" or "control"."""
        return CheckpointStore(self.path / "checkpoints" / stage, keep)

    @property
    def verifier_log(self) -> Path:
        """Where a verifier started by the run writes."""
        return self.path / "verifier.log"

    def progress(self) -> dict[str, Any]:
        """What `save_progress` last wrote, or {}."""
        try:
            return json.loads((self.path / PROGRESS).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}

    def save_progress(self, **values: Any) -> None:
        """Merge values into progress.json."""
        write_json(self.path / PROGRESS, self.progress() | values)
