"""LEAP's reinforcement learning: rollouts, verdicts, rank advantages, updates.

What it does, exactly: on-policy batches of `prompts_per_step` groups, pruned
by DCP while they run; rank advantages with turn credit; `epochs × minibatches`
clipped updates a batch (the later ones see a policy that has moved, which the
clip bounds); a warm-up, a constant rate and, where `learner.decay` is set, a
linear fall to zero. No value function, no length normalisation beyond the
token-mean over the batch, no KL penalty unless asked for.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from policy_jax import assembly
from policy_jax.data.tasks import Task
from policy_jax.errors import LeapError
from policy_jax.learner.pace import Pace
from policy_jax.learner.rows import advantage_metrics, rows_of
from policy_jax.learner.step import Learner, LearnerState
from policy_jax.rollout.scheduler import Scheduler, Snapshot
from policy_jax.rollout.trajectories import Group
from policy_jax.rollout.verifying import VerifierSession
from policy_jax.run.context import RunContext
from policy_jax.run.policy import Policy
from policy_jax.run.recording import rollout_metrics, status, stored_rollouts
from policy_jax.sampling import Engine
from policy_jax.telemetry import write_rollouts

ROLLOUTS, LEARNING, SAVING = "rollouts", "learning", "checkpoints"  # phases of the clock


class TaskOrder:
    """Tasks in shuffled epochs; a pure function of (seed, position).

    So the position in the data is the step: a resumed run sees exactly the
    tasks that it would have seen.
    """

    def __init__(self, tasks: list[Task], seed: int) -> None:
        self._tasks = tasks
        self._seed = seed

    def batch(self, step: int, size: int) -> list[Task]:
        """The tasks at positions step·size to (step + 1)·size."""
        return [self._at(position) for position in range(step * size, (step + 1) * size)]

    def _at(self, position: int) -> Task:
        epoch, index = divmod(position, len(self._tasks))
        order = np.random.default_rng([self._seed, epoch]).permutation(len(self._tasks))
        return self._tasks[order[index]]


@dataclass
class _Progress:
    """Where the stage stands; with the learner's state, all that it needs to go on."""

    step: int = 0  # steps done, hence the position in the data
    dcp: Counter[str] = field(default_factory=Counter)
    sampled_tokens: int = 0
    finished: bool = False

    def as_json(self) -> dict[str, Any]:
        return {**vars(self), "dcp": dict(self.dcp)}

    @classmethod
    def from_json(cls, saved: dict[str, Any]) -> _Progress:
        return cls(**{**saved, "dcp": Counter(saved["dcp"])})


@dataclass(frozen=True)
class Reinforced:
    """What the stage made: the policy, and numbers for the summary."""

    policy: Policy
    steps: int
    dcp: dict[str, int]
    sampled_tokens: int


def reinforce(
    context: RunContext,
    cold_start: Policy,
    tasks: list[Task],
    engine: Engine,
    verifier: VerifierSession,
    reserve: float = 0.0,
) -> Reinforced:
    """Train until `learner.steps` or out of time, from where the run stands.

    The time is `learner.max_seconds`, or else what `run.time_budget_seconds`
    leaves beside the other stages and `reserve`, the seconds of what follows.
    Raises Interrupted when asked to stop, and LeapError; what was earned is
    in a checkpoint in either case.
    """
    stage = _Stage(context, cold_start, tasks, engine, verifier, reserve)
    stage.restore()
    if not stage.progress.finished:
        stage.train()
    return stage.result()


class _Stage:
    def __init__(
        self,
        context: RunContext,
        cold_start: Policy,
        tasks: list[Task],
        engine: Engine,
        verifier: VerifierSession,
        reserve: float,
    ) -> None:
        self.context = context
        self.reserve = reserve
        self.config = context.config
        self.cold_start = cold_start
        self.tasks = TaskOrder(tasks, context.config.run.seed)
        self.engine = engine
        self.credit = assembly.credit_config(context.config)
        self.learner: Learner = assembly.build_learner(context.config, cold_start.model)
        self.scheduler = Scheduler(
            engine, verifier, cold_start.tokenizer, assembly.training_rollouts(context.config)
        )
        self.store = context.folder.checkpoints("rl", context.config.checkpoint.keep)
        self.state: LearnerState = self.learner.init(cold_start.params)
        self.progress = _Progress()
        self.saved_step = 0  # of nothing, the cold start is the checkpoint

    def restore(self) -> None:
        if self.store.latest() is None:
            return
        params, (opt_state, updates, skipped) = self.store.restore(
            self.state.params, tuple(self.state[1:]), self.cold_start.model
        )
        self.state = LearnerState(params, opt_state, updates, skipped)
        self.progress = _Progress.from_json(self.store.manifest().state)
        self.saved_step = self.progress.step

    def train(self) -> None:
        knobs = self.config.learner
        self.context.display.stage("LEAP", knobs.steps, self.progress.step)
        while (pace := self._pace()).done(self.progress.step, spent := self._spent()) < 1:
            self._one_step(pace.rate(self.progress.step, spent))
            if self.progress.step % self.config.checkpoint.every_steps == 0:
                self._save()
        self._refuse_no_time()
        self.progress.finished = True
        self._save()

    def _spent(self) -> float:
        return reinforcement_seconds(self.context.timer.seconds)

    def _pace(self) -> Pace:
        """Where the stage ends, by what the other stages have taken so far."""
        knobs, limit = self.config.learner, self.config.learner.max_seconds
        budget = self.config.run.time_budget_seconds
        if limit is None and budget is not None:
            limit = budget - self.reserve - (self.context.timer.total - self._spent())
        return Pace(knobs.steps, limit, knobs.decay)

    def _refuse_no_time(self) -> None:
        if self.progress.step == 0:
            raise LeapError(
                f"run.time_budget_seconds = {self.config.run.time_budget_seconds:.0f} leaves no "
                f"time for LEAP: {self.context.timer.total:.0f} s went into the stages before, and "
                f"the last evaluation takes about {self.reserve:.0f} s; raise it, and the "
                "same command goes on"
            )

    def _one_step(self, rate: float) -> None:
        step = self.progress.step
        began = time.monotonic()
        try:
            with self.context.timer.phase(ROLLOUTS):
                groups = self._rollouts(step)
        except Exception:  # asked to stop, or the verifier is gone: keep the steps before
            if self.saved_step != step:
                self._save()
            raise
        sampled = time.monotonic()
        with self.context.timer.phase(LEARNING):
            rows = [row for group in groups for row in rows_of(group, self.credit)]
            self.state, numbers = self.learner.learn(
                self.state, rows, (self.config.run.seed, step), self.cold_start.params, rate
            )
        learned = time.monotonic()
        self.progress.step += 1
        self.progress.dcp.update(group.decision.value for group in groups)
        tokens = sum(len(t.tokens) for g in groups for r in g.trajectories for t in r.turns)
        self.progress.sampled_tokens += tokens
        self._record(
            step,
            groups,
            rollout_metrics(groups)
            | advantage_metrics(groups, self.credit)
            | numbers
            | {
                "learning_rate": rate * self.config.learner.learning_rate,
                "tokens_per_second": tokens / (sampled - began),
                "seconds": {ROLLOUTS: sampled - began, LEARNING: learned - sampled},
            },
        )

    def _rollouts(self, step: int) -> list[Group]:
        began = time.monotonic()

        def show(snapshot: Snapshot) -> None:
            self.context.display.update(rollouts=status(snapshot, time.monotonic() - began))

        self.engine.set_weights(self.state.params, version=step)
        tasks = self.tasks.batch(step, self.config.rollout.prompts_per_step)
        groups = self.scheduler.run(tasks, step, show, self.context.should_stop)
        _refuse_a_broken_verifier(groups)
        return groups

    def _record(self, step: int, groups: list[Group], numbers: dict[str, Any]) -> None:
        tokenizer = self.cold_start.tokenizer
        write_rollouts(
            self.context.folder.path,
            stored_rollouts(groups, "train", step, tokenizer, self.credit),
        )
        self.context.metrics.write("train", step, numbers)
        shown = ("passed@1", "passed", "clip_fraction", "entropy", "grad_norm", "kl_old", "dcp")
        self.context.display.step(
            self.progress.step, {name: numbers[name] for name in shown if name in numbers}
        )

    def _save(self) -> None:
        with self.context.timer.phase(SAVING):
            self.store.save(
                self.progress.step,
                params=self.state.params,
                optimizer_state=tuple(self.state[1:]),
                model=self.cold_start.model,
                tokenizer=self.cold_start.tokenizer,
                config=self.config.as_dict(),
                state=self.progress.as_json(),
            )
        self.saved_step = self.progress.step
        self.context.save_seconds()

    def result(self) -> Reinforced:
        return Reinforced(
            Policy(self.cold_start.model, self.state.params, self.cold_start.tokenizer),
            self.progress.step,
            dict(self.progress.dcp),
            self.progress.sampled_tokens,
        )


def _refuse_a_broken_verifier(groups: list[Group]) -> None:
    """Losing some members is a matter of course; losing all of them is not training."""
    last_turns = [t.turns[-1] for group in groups for t in group.trajectories if t.lost]
    if len(last_turns) == sum(len(group.trajectories) for group in groups):
        verdict = last_turns[0].verdict
        raise LeapError(
            f"the verifier judged none of {len(last_turns)} rollouts "
            f"({verdict.code}: {verdict.message}): mend it, and the same command goes on"
        )


def reinforcement_seconds(seconds: dict[str, float]) -> float:
    """What the stage took, of the seconds by phase: what a control may spend instead."""
    return sum(seconds.get(phase, 0.0) for phase in (ROLLOUTS, LEARNING, SAVING))
