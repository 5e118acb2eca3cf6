"""Measuring a policy: held-out tasks, samples of each, nothing pruned.

Every failure gets all its turns, whatever DCP would say (which is counted).
Sampling is keyed by (evaluation seed, task, sample, turn), so two evaluations
differ by their weights alone.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from policy_jax import assembly
from policy_jax.config import RunConfig
from policy_jax.config_loading import with_overrides
from policy_jax.data.tasks import Task, load_tasks
from policy_jax.data.tokenizer import Tokenizer
from policy_jax.errors import LeapError
from policy_jax.rollout.scheduler import Interrupted, Scheduler, Snapshot
from policy_jax.rollout.verifying import VerifierSession
from policy_jax.run.locating import locate
from policy_jax.run.policy import Policy
from policy_jax.run.recording import rollout_metrics, status, stored_rollouts
from policy_jax.run.stopping import StopSignal
from policy_jax.sampling import Engine
from policy_jax.telemetry import (
    Measure,
    Progress,
    measure,
    read_rollouts,
    result_table,
    write_json,
    write_rollouts,
)

_TASKS_AT_ONCE = 8  # what is stored, hence not lost to an interruption


@dataclass(frozen=True)
class Evaluator:
    """What every evaluation of a run shares."""

    config: RunConfig
    engine: Engine
    verifier: VerifierSession
    tokenizer: Tokenizer
    directory: Path
    display: Progress
    should_stop: Callable[[], bool]

    def measure(self, name: str) -> Measure:
        """Evaluate the engine's weights, or go on with an evaluation of this `name`.

        Rollouts are stored under `name` in `directory`; what is stored there
        already is not sampled again. Raises Interrupted when asked to stop.
        """
        tasks = evaluation_tasks(self.config)
        scheduler = Scheduler(
            self.engine, self.verifier, self.tokenizer, assembly.evaluation_rollouts(self.config)
        )
        self.display.stage(f"evaluate {name}", len(tasks))
        knobs = self.config.evaluation
        with self.engine.sampling(seed=knobs.seed, temperature=knobs.temperature):
            for start in range(0, len(tasks), _TASKS_AT_ONCE):
                chunk = tasks[start : start + _TASKS_AT_ONCE]
                if not any(read_rollouts(self.directory, name, start)):
                    self._play(scheduler, chunk, name, start)
                self.display.update(start + len(chunk))
        return self.result(name)

    def result(self, name: str) -> Measure:
        """The measure of the rollouts stored under `name`."""
        try:
            return measure(list(read_rollouts(self.directory, name)), self.config.rollout.max_turns)
        except ValueError as error:
            raise LeapError(str(error)) from None

    def _play(self, scheduler: Scheduler, tasks: Sequence[Task], name: str, start: int) -> None:
        began = time.monotonic()

        def show(snapshot: Snapshot) -> None:
            self.display.update(rollouts=status(snapshot, time.monotonic() - began))

        groups = scheduler.run(tasks, start, show, self.should_stop)
        write_rollouts(self.directory, stored_rollouts(groups, name, start, self.tokenizer))
        numbers = rollout_metrics(groups)
        self.display.step(
            start + len(tasks), {"passed@1": numbers["passed@1"], "passed": numbers["passed"]}
        )


def evaluation_tasks(config: RunConfig) -> list[Task]:
    """The tasks of the split that is measured, in a fixed order.

    Raises LeapError if there are none.
    """
    split = config.evaluation.split
    tasks = [task for task in load_tasks(config.tasks.source) if task.split == split]
    if not tasks:
        raise LeapError(
            f"{config.tasks.source} has no {split} tasks to evaluate on: "
            f'mark some as "{split}", or set evaluation.split'
        )
    return tasks


def run(path: Path, overrides: Sequence[str], stop: StopSignal) -> None:
    """`leap eval`: measure the policy of a run or of a checkpoint, and print the table.

    The rollouts and the result are kept beside the checkpoints, under
    evaluations/. The same evaluation, asked for again, goes on where it was
    stopped. Raises LeapError.
    """
    store, step = locate(path)
    config = with_overrides(store.manifest(step).config, str(path), overrides)
    policy = Policy.load(store, step)
    asked = json.dumps([config.as_dict(), str(store.folder), step], sort_keys=True)
    name = hashlib.sha256(asked.encode()).hexdigest()[:12]
    directory = store.folder.parent.parent / "evaluations" / f"{store.folder.name}-{step}-{name}"
    directory.mkdir(parents=True, exist_ok=True)
    engine = assembly.build_engine(config, policy.model, policy.tokenizer.end_id)
    engine.set_weights(policy.params, version=step)
    title = f"LEAP · {path}, step {step} of {store.folder.name}"
    try:
        with (
            Progress(title) as display,
            assembly.verifier_session(config, directory / "verifier.log") as verifier,
        ):
            measured = Evaluator(
                config, engine, verifier, policy.tokenizer, directory, display, stop.should_stop
            ).measure("eval")
    except Interrupted:
        return
    write_json(directory / "result.json", measured.as_dict())
    Console().print(result_table({f"step {step}": measured}))
