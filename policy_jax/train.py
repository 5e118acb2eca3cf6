"""One run of LEAP, from nothing to its result.

    verifier up → corpus checked → cold start → evaluate → LEAP → evaluate → summary

Each stage leaves what it earned in the run's folder and, run again, goes on
from there: the same command resumes a run that was stopped, killed or cut off
from its verifier, in any stage.
"""

from __future__ import annotations

from google.protobuf.json_format import MessageToDict

from policy_jax import assembly, sft
from policy_jax.config import RunConfig
from policy_jax.data.corpus import load_corpus, reverify
from policy_jax.data.tasks import Task, load_tasks
from policy_jax.errors import LeapError
from policy_jax.evaluate import Evaluator, evaluation_tasks
from policy_jax.reinforce import reinforce
from policy_jax.rollout.scheduler import Interrupted
from policy_jax.rollout.verifying import VerifierSession
from policy_jax.run.context import RunContext
from policy_jax.run.folder import RunFolder
from policy_jax.run.stopping import StopSignal
from policy_jax.run.summarise import print_result, summarise
from policy_jax.telemetry import (
    MetricsWriter,
    PhaseTimer,
    Progress,
    Summary,
)
from protos.leap.verifier.v1 import verifier_pb2 as pb

EVALUATION_BEFORE = "evaluation before"  # a phase of the clock


def run(config: RunConfig, stop: StopSignal) -> None:
    """`leap train`: everything, or what is still missing of it.

    Returns early, with a checkpoint, when `stop` says so. Raises LeapError.
    """
    folder = RunFolder.claim(config)
    if (folder.path / "summary.json").exists():
        print(f"{folder.path} is finished; another run.name, or no such folder, starts a new run")
        print_result(folder, summarise(folder))
        return
    timer = PhaseTimer(folder.progress().get("seconds"))
    display = Progress(f"LEAP · {config.run.name}", config.run.time_budget_seconds, timer.total)
    with display, MetricsWriter(folder.path) as metrics:
        context = RunContext(config, folder, timer, display, metrics, stop.should_stop)
        try:
            summary = run_training(context)
        except Interrupted:
            display.say(f"stopped; {folder.path} has all of it, the same command goes on")
            return
        finally:
            context.save_seconds()
    print_result(folder, summary)


def run_training(context: RunContext) -> Summary:
    """All stages of a run; writes its summary and plot. Raises Interrupted and LeapError."""
    config, folder, timer = context.config, context.folder, context.timer
    tasks = training_tasks(config)
    evaluation_tasks(config)  # bad input is found before anything costly starts

    context.display.stage("verifier")
    with timer.phase("verifier start"):
        verifier = assembly.verifier_session(config, folder.verifier_log)
        verifier.__enter__()
    try:
        with timer.phase("corpus check"):
            check_corpus(context, verifier)
        with timer.phase("cold start"):
            cold_start = sft.cold_start(context)

        engine = assembly.build_engine(config, cold_start.model, cold_start.tokenizer.end_id)
        evaluator = Evaluator(
            config, engine, verifier, cold_start.tokenizer, folder.path, context.display,
            context.should_stop,
        )  # fmt: skip
        with timer.phase(EVALUATION_BEFORE):
            engine.set_weights(cold_start.params, version=-1)
            evaluator.measure("before")

        # The last evaluation takes no longer than the first, which compiles as well.
        reserve = timer.seconds[EVALUATION_BEFORE]
        trained = reinforce(context, cold_start, tasks, engine, verifier, reserve)

        with timer.phase("evaluation after"):
            engine.set_weights(trained.policy.params, version=trained.steps)
            evaluator.measure("after")
    finally:
        verifier.__exit__(None, None, None)

    folder.save_progress(verifier=_provenance(verifier), seconds=timer.seconds)
    return summarise(folder)


def training_tasks(config: RunConfig) -> list[Task]:
    """The tasks that LEAP trains on. Raises LeapError if there are none."""
    tasks = [task for task in load_tasks(config.tasks.source) if task.split == "train"]
    if not tasks:
        raise LeapError(f"{config.tasks.source} has no tasks of the split train")
    return tasks


def check_corpus(context: RunContext, verifier: VerifierSession) -> None:
    """Have the verifier judge random rows of the cold start's corpus again, once a run."""
    knobs = context.config.sft
    if knobs.corpus.endswith(".jsonl") or "verified_rows" in context.folder.progress():
        return  # a person's own chats claim no verdicts
    context.display.stage("corpus check")
    corpus = load_corpus(knobs.corpus)
    target = pb.Target.Value(f"TARGET_{context.config.verifier.target.upper()}")
    rows = verifier.run(
        lambda client: reverify(
            corpus,
            client.verify,
            sample=knobs.verify_rows,
            seed=context.config.run.seed,
            target=target,
        )
    )
    context.folder.save_progress(verified_rows=rows)
    context.display.say(f"corpus: {rows} of {len(corpus.rows)} dialogues verified again")


def _provenance(verifier: VerifierSession) -> dict[str, str]:
    """What the verifier says of itself, for the summary."""
    fields = MessageToDict(verifier.capabilities.provenance, preserving_proto_field_name=True)
    return {name: str(value) for name, value in fields.items()}
