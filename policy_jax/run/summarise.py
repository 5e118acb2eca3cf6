"""What a run's folder has to say: the summary, its tables and its plot.

Everything is read back from what the stages left, so it can be written again
whenever something is added (the control).
"""

from __future__ import annotations

from rich.console import Console

from policy_jax.models import count_params
from policy_jax.run.folder import RunFolder
from policy_jax.run.policy import Policy
from policy_jax.telemetry import (
    Measure,
    Summary,
    measure,
    plot_run,
    read_metrics,
    read_rollouts,
    result_table,
    time_table,
    write_summary,
)


def summarise(folder: RunFolder) -> Summary:
    """Write summary.json and result.png of a finished run and return the summary.

    Raises LeapError if the run is not finished.
    """
    config = folder.config()
    store = folder.checkpoints("rl")
    policy = Policy.load(store)
    stage = store.manifest().state
    progress = folder.progress()

    def read(name: str) -> Measure:
        return measure(list(read_rollouts(folder.path, name)), config.rollout.max_turns)

    summary = Summary(
        run=config.run.name,
        seed=config.run.seed,
        before=read("before"),
        after=read("after"),
        control=read("control") if any(read_rollouts(folder.path, "control")) else None,
        dcp=stage["dcp"],
        seconds=progress["seconds"],
        budget_seconds=config.run.time_budget_seconds,
        verifier=progress.get("verifier", {}),
        facts={
            "parameters": count_params(policy.params),
            "vocabulary": policy.tokenizer.vocab_size,
            "steps": stage["step"],
            "sampled_tokens": stage["sampled_tokens"],
            "evaluation": config.evaluation.model_dump(mode="json"),
        },
    )
    write_summary(folder.path, summary)
    plot_run(folder.path, measures(summary), read_metrics(folder.path, "train"))
    return summary


def measures(summary: Summary) -> dict[str, Measure]:
    """The evaluations of a run in the order of a table's columns."""
    control = {"more SFT": summary.control} if summary.control is not None else {}
    return {"before": summary.before, **control, "after": summary.after}


def print_result(folder: RunFolder, summary: Summary) -> None:
    """The tables at the end of a run."""
    console = Console()
    console.print(result_table(measures(summary)))
    console.print(time_table(summary.seconds, summary.budget_seconds))
    gain = summary.after.gain(summary.before, 1)
    console.print(
        f"Acc@1 {gain.value * 100:+.1f} points [{gain.low * 100:+.1f}, {gain.high * 100:+.1f}] · "
        f"{folder.path}/summary.json"
    )
