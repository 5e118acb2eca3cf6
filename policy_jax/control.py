"""The control: what the seconds that LEAP took give if they go into more SFT.

It continues from the same cold start, on the same corpus, for as long as the
reinforcement learning took, and is measured on the same tasks with the same
seeds. The learning rate warms up again and decays, as a stage of its own.
"""

from __future__ import annotations

from pathlib import Path

from policy_jax import assembly, sft
from policy_jax.errors import LeapError
from policy_jax.evaluate import Evaluator
from policy_jax.reinforce import reinforcement_seconds
from policy_jax.rollout.scheduler import Interrupted
from policy_jax.run.context import RunContext
from policy_jax.run.folder import RunFolder
from policy_jax.run.policy import Policy
from policy_jax.run.stopping import StopSignal
from policy_jax.run.summarise import print_result, summarise
from policy_jax.telemetry import MetricsWriter, PhaseTimer, Progress

_NO_LIMIT = 10**9


def run(path: Path, stop: StopSignal) -> None:
    """`leap control`: train and measure the control of a finished run, and add it to the summary.

    Returns early, with a checkpoint, when `stop` says so. Raises LeapError.
    """
    folder = RunFolder(path)
    config = folder.config()
    seconds = reinforcement_seconds(folder.progress().get("seconds", {}))
    finished = (folder.path / "summary.json").exists()
    if not finished or not seconds:
        raise LeapError(f"{path} is not finished: `leap train` it first, then its control")
    cold_start = Policy.load(folder.checkpoints("sft"))
    knobs = config.sft.model_copy(
        update={"max_seconds": seconds, "updates": _NO_LIMIT, "patience": _NO_LIMIT}
    )
    own = RunFolder(path / "control")  # its checkpoints and its clock
    own.path.mkdir(exist_ok=True)
    timer = PhaseTimer(own.progress().get("seconds"))
    display = Progress(f"LEAP · control of {config.run.name}", spent_seconds=timer.total)
    try:
        with display, MetricsWriter(own.path) as metrics:
            context = RunContext(config, own, timer, display, metrics, stop.should_stop)
            dialogues = sft.load_dialogues(config.sft.corpus)
            policy = sft.supervise(context, "control", knobs, cold_start, dialogues)
            _measure(context, folder, policy)
    except Interrupted:
        return
    print_result(folder, summarise(folder))


def _measure(context: RunContext, folder: RunFolder, policy: Policy) -> None:
    config = context.config
    engine = assembly.build_engine(config, policy.model, policy.tokenizer.end_id)
    engine.set_weights(policy.params, version=0)
    with assembly.verifier_session(config, folder.verifier_log) as verifier:
        Evaluator(
            config,
            engine,
            verifier,
            policy.tokenizer,
            folder.path,
            context.display,
            context.should_stop,
        ).measure("control")
