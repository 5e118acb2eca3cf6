"""The command line `leap`. It parses, dispatches and turns errors into sentences.

Commands import what they need when they run, so that `leap --help` is instant.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from policy_jax import runtime
from policy_jax.errors import LeapError
from policy_jax.run.stopping import StopSignal

ERROR, INTERRUPTED = 2, 130

app = typer.Typer(
    name="leap",
    help="Teach a language model to write CUDA kernels: cold start, LEAP, evaluation.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
tasks_app = typer.Typer(help="The tasks that a policy is trained and measured on.")
app.add_typer(tasks_app, name="tasks", no_args_is_help=True, rich_help_panel="Data")

ConfigFile = Annotated[Path, typer.Argument(metavar="CONFIG", help="A YAML file, see configs/.")]
Overrides = Annotated[
    list[str] | None,
    typer.Argument(metavar="SECTION.KEY=VALUE", help="Override knobs of the config."),
]
RunFolder = Annotated[Path, typer.Argument(metavar="RUN", help="A run's folder, runs/NAME.")]
Source = Annotated[
    str, typer.Option(help="leap-micro, leap-micro+practice, a folder of .py files, or JSONL.")
]
Address = Annotated[
    str | None, typer.Option(metavar="HOST:PORT", help="A running verifier; default: start one.")
]


@app.command(rich_help_panel="Training")
def train(config: ConfigFile, overrides: Overrides = None) -> None:
    """Cold start, LEAP reinforcement learning, evaluation before and after.

    The same command goes on where an interrupted run stopped.

    Example: leap train configs/quickstart.yaml run.name=seed1 run.seed=1
    """
    from policy_jax.config_loading import load_config

    loaded = load_config(config, overrides or ())
    from policy_jax.train import run

    _stoppable(lambda stop: run(loaded, stop))


@app.command(rich_help_panel="Training")
def sft(config: ConfigFile, overrides: Overrides = None) -> None:
    """Only the cold start: supervised training on verified dialogues, or on your chat JSONL.

    Example: leap sft configs/quickstart.yaml run.name=chat sft.corpus=chats.jsonl
    """
    from policy_jax.config_loading import load_config

    loaded = load_config(config, overrides or ())
    from policy_jax.sft import run

    _stoppable(lambda stop: run(loaded, stop))


@app.command("eval", rich_help_panel="Measuring")
def evaluate(
    path: Annotated[Path, typer.Argument(metavar="RUN|CHECKPOINT", help="What to measure.")],
    overrides: Overrides = None,
) -> None:
    """Acc@1/2/3, turns per pass and intervals on held-out tasks; nothing is pruned.

    Example: leap eval runs/quickstart evaluation.samples_per_task=32
    """
    from policy_jax.evaluate import run

    _stoppable(lambda stop: run(path, overrides or (), stop))


@app.command(rich_help_panel="Measuring")
def control(run: RunFolder) -> None:
    """What the seconds that LEAP took give if they go into more supervised training.

    Example: leap control runs/quickstart
    """
    from policy_jax.control import run as run_control

    _stoppable(lambda stop: run_control(run, stop))


@app.command(rich_help_panel="Looking")
def show(
    run: RunFolder,
    stage: Annotated[str | None, typer.Option(help="train, before, after or control.")] = None,
    step: Annotated[int | None, typer.Option(help="Only this step.")] = None,
    task: Annotated[str | None, typer.Option(help="Only tasks whose id holds this text.")] = None,
    outcome: Annotated[
        str | None, typer.Option(help="passed, failed, lost, or a code such as DATA_RACE.")
    ] = None,
    turns: Annotated[int | None, typer.Option(help="Only rollouts of this many turns.")] = None,
    limit: Annotated[int | None, typer.Option(help="Stop after this many.")] = None,
) -> None:
    """Page through the stored rollouts of a run, turn by turn.

    Example: leap show runs/quickstart --stage train --outcome passed --turns 2
    """
    from policy_jax.commands.show import Filter
    from policy_jax.commands.show import show as show_rollouts

    wanted = Filter(stage=stage, step=step, task=task, outcome=outcome, turns=turns, limit=limit)
    show_rollouts(run, wanted)


@app.command(rich_help_panel="Looking")
def sample(
    checkpoint: Annotated[
        Path, typer.Argument(metavar="RUN|CHECKPOINT", help="The policy that plays.")
    ],
    task: Annotated[str, typer.Argument(metavar="TASK", help="A task's id, or a .py file.")],
    temperature: Annotated[float | None, typer.Option(help="Default: the run's.")] = None,
    seed: Annotated[int, typer.Option(help="Another seed, another rollout.")] = 0,
    verifier: Address = None,
) -> None:
    """Play one rollout live: prompt, answer, verdict, feedback, next turn.

    Example: leap sample runs/quickstart my_task.py --seed 3
    """
    from policy_jax.commands.play import play

    play(checkpoint, task, temperature, seed, verifier)


@app.command(rich_help_panel="Data")
def corpus(
    out: Annotated[Path, typer.Option(help="The file to write, .jsonl.gz.")],
    verifier: Address = None,
    target: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
    rows: Annotated[int | None, typer.Option(help="Dialogues to draft.")] = None,
    seed: Annotated[int, typer.Option(help="Of the drafts.")] = 0,
) -> None:
    """Write the cold start's corpus: solutions and debugging dialogues, each verified.

    Example: leap corpus --out corpus.jsonl.gz --verifier localhost:50051
    """
    from policy_jax.data.corpus_command import run

    run(out, verifier, target, rows, seed)


@tasks_app.command("list")
def tasks_list(source: Source = "leap-micro") -> None:
    """One line a task: id, level, family, split.

    Example: leap tasks list --source KernelBench/KernelBench/level1
    """
    from policy_jax.commands.tasks import print_tasks

    print_tasks(source)


@tasks_app.command("export")
def tasks_export(
    out: Annotated[Path, typer.Argument(help="A folder for .py files, or a .jsonl file.")],
    source: Source = "leap-micro",
) -> None:
    """Write the tasks as files in KernelBench form, or as JSONL.

    Example: leap tasks export leap-micro.jsonl
    """
    from policy_jax.commands.tasks import export_tasks

    export_tasks(source, out)


def _stoppable(stage: Callable[[StopSignal], None]) -> None:
    """Run a stage that saves and returns when it is asked to stop."""
    runtime.quiet_orbax()
    stop = StopSignal()
    try:
        with stop.listening():
            stage(stop)
    except KeyboardInterrupt:  # asked twice
        raise typer.Exit(INTERRUPTED) from None
    if stop.should_stop():
        raise typer.Exit(stop.exit_code)


def main() -> None:
    """Entry point of `leap`: exit code 0, 2 for an error, 130 or 143 when stopped."""
    runtime.prepare()
    try:
        app()
    except LeapError as error:
        _fail(str(error))
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:
        _fail(_os_sentence(error))


def _os_sentence(error: OSError) -> str:
    where = f"{error.filename}: " if error.filename else ""
    if error.errno == errno.ENOSPC:
        return (
            f"{where}the disk is full; free some space and give the same command again: "
            "it goes on from what is saved"
        )
    return f"{where}{error.strerror or error}"


def _fail(sentence: str) -> None:
    print(f"leap: {sentence}", file=sys.stderr)
    sys.exit(ERROR)


if __name__ == "__main__":
    main()
