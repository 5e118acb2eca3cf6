"""Checkpoints through Orbax: a step is everything that a run needs to go on.

    FOLDER/STEP/params      the fp32 weights
    FOLDER/STEP/optimizer   the optimizer's state
    FOLDER/STEP/state       JSON: model, run configuration, tokenizer, position in
                            the data, random state, work in flight

Orbax writes a step under a temporary name and renames it when it is whole, so
a step that has its final name is finished; nothing else is ever read.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import jax
import orbax.checkpoint as ocp

from policy_jax.checkpoint.trees import flatten, placed, unflatten
from policy_jax.data.tokenizer import Tokenizer
from policy_jax.errors import LeapError
from policy_jax.models import DecoderConfig, Params

FORMAT = 1
_FINISHED = "_CHECKPOINT_METADATA"


class CheckpointError(LeapError):
    """A checkpoint that cannot be written or used; the message is one sentence."""


@dataclass(frozen=True)
class Manifest:
    """What a step says of itself, without its arrays.

    `config` is the run's configuration, `state` whatever JSON the run saved:
    random state, data position, work in flight.
    """

    step: int
    model: DecoderConfig
    config: dict[str, Any]
    state: dict[str, Any]
    tokenizer_files: dict[str, str]

    def tokenizer(self) -> Tokenizer:
        """The tokenizer that the weights were trained with."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in self.tokenizer_files.items():
                Path(folder, name).write_text(text, encoding="utf-8")
            return Tokenizer.load(folder)


class CheckpointStore:
    """The steps in one folder; the newest `keep` are kept."""

    def __init__(self, folder: str | Path, keep: int = 2) -> None:
        self.folder = Path(folder).absolute()
        self._keep = keep

    def steps(self) -> list[int]:
        """The finished steps, ascending."""
        if not self.folder.is_dir():
            return []
        found = [entry for entry in self.folder.iterdir() if entry.name.isdecimal()]
        return sorted(int(entry.name) for entry in found if (entry / _FINISHED).is_file())

    def latest(self) -> int | None:
        """The newest finished step, or None."""
        return max(self.steps(), default=None)

    def save(
        self,
        step: int,
        *,
        params: Params,
        optimizer_state: Any,
        model: DecoderConfig,
        tokenizer: Tokenizer,
        config: Mapping[str, Any],
        state: Mapping[str, Any],
    ) -> None:
        """Writes a step, then removes the oldest beyond `keep`.

        `config` and `state` must be JSON. A step that is there already is
        replaced.

        Raises:
            CheckpointError: the step could not be written, for example because
                the disk is full; the steps written before are untouched.
        """
        try:
            document = {
                "format": FORMAT,
                "model": asdict(model),
                "config": dict(config),
                "state": dict(state),
                "tokenizer": _tokenizer_files(tokenizer),
            }
            self.folder.mkdir(parents=True, exist_ok=True)
            with _checkpointer() as checkpointer:
                checkpointer.save(
                    self.folder / str(step),
                    ocp.args.Composite(
                        params=ocp.args.StandardSave(flatten(params)),
                        optimizer=ocp.args.StandardSave(flatten(optimizer_state)),
                        state=ocp.args.JsonSave(document),
                    ),
                    force=True,
                )
        except Exception as error:  # tensorstore and tokenizers raise what they like
            self._remove_unfinished()
            raise CheckpointError(self._not_saved(step, error)) from error
        for old in self.steps()[: -self._keep]:
            shutil.rmtree(self.folder / str(old), ignore_errors=True)

    def manifest(self, step: int | None = None) -> Manifest:
        """What a step (default: the newest) says of itself.

        Raises:
            CheckpointError: there is no such step, or it cannot be read.
        """
        step = self._existing(step)
        try:
            with _checkpointer() as checkpointer:
                document = checkpointer.restore(
                    self.folder / str(step), ocp.args.Composite(state=ocp.args.JsonRestore())
                )["state"]
            return Manifest(
                step,
                DecoderConfig(**document["model"]),
                document["config"],
                document["state"],
                document["tokenizer"],
            )
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise CheckpointError(self._unreadable(step, error)) from error

    def restore_params(
        self, params: Params, model: DecoderConfig, step: int | None = None
    ) -> Params:
        """The weights of a step (default: the newest), as `restore` without the optimizer."""
        return self.restore(params, None, model, step)[0]

    def restore(
        self, params: Params, optimizer_state: Any, model: DecoderConfig, step: int | None = None
    ) -> tuple[Params, Any]:
        """Weights and optimizer state of a step (default: the newest).

        Args:
            params: abstract or real tree that says shapes, dtypes and, where it
                has them, shardings to restore onto; they need not be those that
                the step was saved with.
            optimizer_state: likewise; None: not read, and None is returned.
            model: the architecture that the caller has.
            step: which.

        Raises:
            CheckpointError: there is no such step, it holds another
                architecture or optimizer, or it cannot be read.
        """
        manifest = self.manifest(step)
        if different := manifest.model.differences(model):
            fields = ", ".join(
                f"model.{name} is {theirs} there and {ours} here"
                for name, (theirs, ours) in different.items()
            )
            raise CheckpointError(
                f"the checkpoint {self.folder / str(manifest.step)} holds another architecture: "
                f"{fields}"
            )
        wanted = {"params": flatten(params)}
        if optimizer_state is not None:
            wanted["optimizer"] = flatten(optimizer_state)
        try:
            with _checkpointer() as checkpointer:
                found = checkpointer.restore(
                    self.folder / str(manifest.step),
                    ocp.args.Composite(
                        **{n: ocp.args.StandardRestore(placed(t)) for n, t in wanted.items()}
                    ),
                )
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise CheckpointError(self._unreadable(manifest.step, error)) from error
        if optimizer_state is None:
            return unflatten(params, found["params"]), None
        return (
            unflatten(params, found["params"]),
            unflatten(optimizer_state, found["optimizer"]),
        )

    def _existing(self, step: int | None) -> int:
        steps = self.steps()
        if not steps:
            raise CheckpointError(f"there is no finished checkpoint in {self.folder}")
        if step is not None and step not in steps:
            there = ", ".join(map(str, steps))
            raise CheckpointError(
                f"there is no finished checkpoint of step {step} in {self.folder}; "
                f"there are: {there}"
            )
        return steps[-1] if step is None else step

    def _not_saved(self, step: int, error: Exception) -> str:
        earlier = self.latest()
        kept = "nothing was saved before" if earlier is None else f"step {earlier} is kept"
        return f"step {step} could not be saved in {self.folder}: {_reason(error)}; {kept}"

    def _unreadable(self, step: int, error: Exception) -> str:
        return f"the checkpoint {self.folder / str(step)} cannot be read: {_reason(error)}"

    def _remove_unfinished(self) -> None:
        """Frees what a failed save left behind under a temporary name."""
        if jax.process_index() == 0 and self.folder.is_dir():
            for entry in self.folder.iterdir():
                if ocp.utils.is_tmp_checkpoint(entry):
                    shutil.rmtree(entry, ignore_errors=True)


def _checkpointer() -> ocp.Checkpointer:
    return ocp.Checkpointer(
        ocp.CompositeCheckpointHandler(
            params=ocp.StandardCheckpointHandler(),
            optimizer=ocp.StandardCheckpointHandler(),
            state=ocp.JsonCheckpointHandler(),
        )
    )


def _tokenizer_files(tokenizer: Tokenizer) -> dict[str, str]:
    with tempfile.TemporaryDirectory() as folder:
        tokenizer.save(folder)
        return {f.name: f.read_text(encoding="utf-8") for f in sorted(Path(folder).iterdir())}


def _reason(error: Exception) -> str:
    """One line for a person; a full disk is called so, whichever library met it."""
    text = str(error)
    if "No space left" in text or "RESOURCE_EXHAUSTED" in text:
        return "the disk is full"
    if "quota" in text.lower():
        return "the disk quota is used up"
    if "Permission denied" in text:
        return "the folder may not be written"
    return text.strip().splitlines()[0][:300] if text.strip() else type(error).__name__
