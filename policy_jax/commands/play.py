"""`leap sample`: one rollout, played live with the verifier."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from policy_jax import assembly
from policy_jax.commands.show import in_words
from policy_jax.commands.watching import watch
from policy_jax.config import RunConfig
from policy_jax.config_loading import from_mapping
from policy_jax.data.tasks import Task, load_tasks, parse_reference
from policy_jax.errors import LeapError
from policy_jax.run.locating import load_policy


def play(
    path: Path, task_name: str, temperature: float | None, seed: int, address: str | None
) -> None:
    """Sample one rollout of a task turn by turn and print it as it happens.

    `path`: a run or a checkpoint. `task_name`: an id of the run's tasks, or a
    .py file in KernelBench form. `temperature`: None is that of the run's
    evaluation. `address`: a running verifier; None starts one. Raises LeapError.
    """
    console = Console()
    policy, saved = load_policy(path)
    config = from_mapping(saved, str(path))
    if address is not None:
        verifier = config.verifier.model_copy(update={"address": address})
        config = config.model_copy(update={"verifier": verifier})
    task = find_task(task_name, config)
    rules = replace(assembly.evaluation_rollouts(config), group_size=1)
    engine = assembly.build_engine(config, policy.model, policy.tokenizer.end_id)
    engine.set_weights(policy.params, version=0)
    heat = config.evaluation.temperature if temperature is None else temperature
    log = Path(tempfile.mkdtemp(prefix="leap-")) / "verifier.log"  # kept: errors point at it
    with (
        assembly.verifier_session(config, log) as verdicts,
        engine.sampling(seed=seed, temperature=heat),
    ):
        rollout = watch(engine, verdicts, policy.tokenizer, rules, task, console)
    console.print(
        in_words(rollout.solved_at, rollout.lost, rollout.out_of_room, len(rollout.turns))
    )


def find_task(name: str, config: RunConfig) -> Task:
    """The task of a .py file, or of the run's tasks by its id. Raises LeapError."""
    path = Path(name)
    if path.suffix == ".py":
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise LeapError(f"{path} cannot be read: {error}") from None
        parse_reference(text, path.stem)
        return Task(id=path.stem, reference=text)
    tasks = {task.id: task for task in load_tasks(config.tasks.source)}
    if name not in tasks:
        raise LeapError(
            f"{config.tasks.source} has no task {name!r}; `leap tasks list "
            f"--source {config.tasks.source}` names them"
        )
    return tasks[name]
