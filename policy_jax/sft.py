"""The cold start: supervised training on dialogues whose last kernel is right.

What it does, exactly: next-token loss at temperature 1 on the tokens that the
dialogues mark as trained (right kernels and the end of their turn), as a mean
over those tokens in a batch; AdamW; a linear warm-up, a constant rate, and a
linear decay to zero over the last part of the updates or of the time,
whichever ends first; the loss on held-out tasks of the corpus is measured
regularly, and training ends early when it no longer falls. The weights with
the lowest held-out loss are what it returns.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

import jax
import jax.numpy as jnp
import optax
from flax import nnx

from policy_jax import assembly
from policy_jax.checkpoint import CheckpointStore
from policy_jax.config import RunConfig, SftSection
from policy_jax.data.batches import Batch, Example, encode, training_batches, validation_batches
from policy_jax.data.corpus import load_corpus
from policy_jax.data.dialogues import Dialogue, load_chats, split_by_task
from policy_jax.data.tokenizer import Tokenizer, train_tokenizer
from policy_jax.errors import LeapError
from policy_jax.learner.pace import Pace
from policy_jax.models import (
    DecoderConfig,
    Params,
    abstract_params,
    init_params,
    keep_freed_memory,
    token_logprobs,
)
from policy_jax.rollout.scheduler import Interrupted
from policy_jax.run.context import RunContext
from policy_jax.run.folder import RunFolder
from policy_jax.run.policy import Policy
from policy_jax.run.stopping import StopSignal
from policy_jax.telemetry import MetricsWriter, PhaseTimer, Progress

DECAY = 0.4  # the share of the training over which the learning rate falls to zero
_LOG_EVERY = 50  # updates between two lines of metrics.jsonl


def run(config: RunConfig, stop: StopSignal) -> None:
    """`leap sft`: only the cold start of a run.

    Returns early, with a checkpoint, when `stop` says so. Raises LeapError.
    """
    folder = RunFolder.claim(config)
    timer = PhaseTimer(folder.progress().get("seconds"))
    display = Progress(f"LEAP · {config.run.name}", config.run.time_budget_seconds, timer.total)
    with display, MetricsWriter(folder.path) as metrics:
        context = RunContext(config, folder, timer, display, metrics, stop.should_stop)
        try:
            with timer.phase("cold start"):
                cold_start(context)
        except Interrupted:
            display.say(f"stopped; {folder.path} has all of it, the same command goes on")
            return
        finally:
            context.save_seconds()
        display.say(f"trained: {folder.path}/checkpoints/sft")


def cold_start(context: RunContext) -> Policy:
    """The policy that supervised training gives, from where the run stands.

    Raises Interrupted when asked to stop, and LeapError.
    """
    config = context.config
    keep_freed_memory()  # here, since every run that trains comes by
    if (done := _finished(context.folder.checkpoints("sft"))) is not None:
        return done
    dialogues = load_dialogues(config.sft.corpus)
    training, _ = split_by_task(dialogues)
    texts = [message["content"] for dialogue in training for message in dialogue.messages]
    tokenizer = train_tokenizer(texts, config.tokenizer.vocab_size)
    model = assembly.decoder_config(config, tokenizer.vocab_size)
    _, params = init_params(model, jax.random.key(config.run.seed))
    return supervise(context, "sft", config.sft, Policy(model, params, tokenizer), dialogues)


def load_dialogues(corpus: str) -> list[Dialogue]:
    """The verified corpus by name or file, or a person's chats (.jsonl). Raises LeapError."""
    return load_chats(corpus) if corpus.endswith(".jsonl") else load_corpus(corpus).dialogues()


@dataclass
class _Standing:
    """Where training stands; with weights and optimizer, all that it needs to go on."""

    update: int = 0  # updates done, hence the position in the data
    seconds: float = 0.0
    best_loss: float = math.inf
    best_update: int = 0
    looks_without_gain: int = 0
    finished: bool = False


def supervise(
    context: RunContext,
    stage: str,
    knobs: SftSection,
    initial: Policy,
    dialogues: list[Dialogue],
) -> Policy:
    """Trains `initial` on dialogues until an end that `knobs` names; resumes `stage`.

    `stage` names the checkpoints and the metrics: "sft" or "control". Raises
    Interrupted when asked to stop, and LeapError; what was earned is in a
    checkpoint in either case.
    """
    config, model, tokenizer = context.config, initial.model, initial.tokenizer
    newest, best = context.folder.checkpoints(stage), context.folder.checkpoints(f"{stage}_best")
    if (done := _finished(newest)) is not None:
        return done

    # Data.
    max_length = config.sampler.max_context
    training, validation, left_out = _examples(dialogues, tokenizer, max_length)
    if left_out:
        context.display.say(f"{left_out} dialogues are longer than {max_length} tokens: left out")

    # Weights, optimizer and position: fresh, or as saved.
    optimizer = _optimizer(knobs)
    params = jax.tree.map(jnp.copy, initial.params)  # the updates are done in place
    optimizer_state = jax.jit(optimizer.init)(params)
    standing = _Standing()
    if newest.latest() is not None:
        params, optimizer_state = newest.restore(params, optimizer_state, model)
        standing = _Standing(**newest.manifest().state)

    train_step, loss_sums = _programs(model, optimizer)

    def save(store: CheckpointStore, params: Params) -> None:
        store.save(
            standing.update,
            params=params,
            optimizer_state=optimizer_state,
            model=model,
            tokenizer=tokenizer,
            config=config.as_dict(),
            state=asdict(standing),
        )
        context.save_seconds()

    def look() -> None:
        """Measures the held-out loss and keeps the weights if they are the best."""
        loss = _mean_loss(loss_sums, params, validation, knobs.batch_size, max_length)
        better = loss < standing.best_loss
        standing.looks_without_gain = 0 if better else standing.looks_without_gain + 1
        if better:
            standing.best_loss, standing.best_update = loss, standing.update
            save(best, params)
        context.metrics.write(stage, standing.update, {"heldout_loss": loss})
        context.display.step(standing.update, {"held-out loss": loss, "best": standing.best_loss})

    # The loop.
    name = "cold start" if stage == "sft" else stage
    context.display.stage(name, knobs.updates, standing.update)
    batches = training_batches(
        training, knobs.batch_size, max_length, config.run.seed, standing.update
    )
    clock = _Clock(standing.seconds)
    window = _Window()
    while standing.update < knobs.updates and not _out_of_time(knobs, clock.seconds):
        if context.should_stop():
            standing.seconds = clock.seconds
            save(newest, params)
            raise Interrupted
        rate = learning_rate(knobs, standing.update, clock.seconds)
        batch = next(batches)
        params, optimizer_state, loss, norm = train_step(params, optimizer_state, batch, rate)
        standing.update += 1
        window.add(loss, norm, batch)
        if standing.update % _LOG_EVERY == 0:
            facts = {**window.close(), "learning_rate": float(rate)}
            context.metrics.write(stage, standing.update, facts)
            context.display.update(standing.update, facts)
        if validation and standing.update % knobs.eval_every == 0:
            standing.seconds = clock.seconds
            look()
            if standing.looks_without_gain >= knobs.patience:
                break
            save(newest, params)

    # The end: the newest checkpoint holds the best weights.
    standing.seconds = clock.seconds
    if validation and standing.update % knobs.eval_every:
        look()
    if validation and standing.best_update < standing.update:
        params = best.restore_params(params, model, standing.best_update)
    standing.finished = True
    save(newest, params)
    return replace(initial, params=params)


def learning_rate(knobs: SftSection, update: int, seconds: float) -> jax.Array:
    """Warm-up, constant, then linearly to zero at the last update or second."""
    pace = Pace(knobs.updates, knobs.max_seconds, DECAY)
    warm = min(1.0, (update + 1) / max(knobs.warmup_updates, 1))
    return jnp.float32(knobs.learning_rate * warm * pace.rate(update, seconds))


def _finished(store: CheckpointStore) -> Policy | None:
    """What an earlier part of the run has already made."""
    if store.latest() is not None and store.manifest().state["finished"]:
        return Policy.load(store)
    return None


def _examples(
    dialogues: list[Dialogue], tokenizer: Tokenizer, max_length: int
) -> tuple[list[Example], list[Example], int]:
    """Training and held-out examples, and how many dialogues were left out."""
    training, validation = split_by_task(dialogues)
    if not training:  # a handful of chats
        training, validation = dialogues, []
    (training_examples, out), (validation_examples, more_out) = (
        encode(part, tokenizer, max_length) for part in (training, validation)
    )
    if not training_examples:
        raise LeapError(
            f"no dialogue fits into sampler.max_context = {max_length} tokens; raise it"
        )
    return training_examples, validation_examples, out + more_out


def _optimizer(knobs: SftSection) -> optax.GradientTransformation:
    """Clipped AdamW without its learning rate, which the loop multiplies in."""
    return optax.chain(
        optax.clip_by_global_norm(knobs.max_grad_norm),
        optax.scale_by_adam(b1=0.9, b2=0.95),
        optax.add_decayed_weights(knobs.weight_decay),
    )


def _programs(
    model: DecoderConfig, optimizer: optax.GradientTransformation
) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The compiled update, and the compiled (Σ loss, Σ trained tokens) of a batch."""
    graph, _ = abstract_params(model)

    def sums(params: Params, batch: Batch) -> tuple[jax.Array, jax.Array]:
        logprobs, _ = token_logprobs(nnx.merge(graph, params), jnp.asarray(batch.tokens))
        return -jnp.sum(logprobs * batch.mask), jnp.sum(batch.mask)

    def mean_loss(params: Params, batch: Batch) -> jax.Array:
        total, tokens = sums(params, batch)
        return total / tokens

    def update(
        params: Params, optimizer_state: Any, batch: Batch, rate: jax.Array
    ) -> tuple[Params, Any, jax.Array, jax.Array]:
        loss, gradients = jax.value_and_grad(mean_loss)(params, batch)
        steps, optimizer_state = optimizer.update(gradients, optimizer_state, params)
        params = jax.tree.map(lambda weight, step: weight - rate * step, params, steps)
        return params, optimizer_state, loss, optax.tree.norm(gradients)

    return jax.jit(update, donate_argnums=(0, 1)), jax.jit(sums)


def _mean_loss(
    loss_sums: Callable[..., Any],
    params: Params,
    examples: list[Example],
    batch_size: int,
    max_length: int,
) -> float:
    """Loss a trained token over all examples."""
    sums = [
        loss_sums(params, batch) for batch in validation_batches(examples, batch_size, max_length)
    ]
    return float(sum(loss for loss, _ in sums) / sum(tokens for _, tokens in sums))


def _out_of_time(knobs: SftSection, seconds: float) -> bool:
    return knobs.max_seconds is not None and seconds >= knobs.max_seconds


class _Clock:
    """Seconds of training, earlier parts included."""

    def __init__(self, spent: float) -> None:
        self._start = time.monotonic() - spent

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._start


class _Window:
    """What happened since the last line of metrics; reading it waits for the device."""

    def __init__(self) -> None:
        self._losses: list[jax.Array] = []
        self._norms: list[jax.Array] = []
        self._tokens = 0
        self._start = time.monotonic()

    def add(self, loss: jax.Array, norm: jax.Array, batch: Batch) -> None:
        # One update may be under way while the next is prepared, not more:
        # the clock that ends training would run ahead of it.
        if self._losses:
            self._losses[-1].block_until_ready()
        self._losses.append(loss)
        self._norms.append(norm)
        self._tokens += batch.tokens.size

    def close(self) -> dict[str, float]:
        losses, norms = jax.device_get((self._losses, self._norms))
        seconds = time.monotonic() - self._start
        facts = {
            "loss": float(sum(losses) / len(losses)),
            "grad_norm": float(sum(norms) / len(norms)),
            "tokens_per_second": self._tokens / seconds,
            "updates_per_second": len(losses) / seconds,
        }
        self._losses, self._norms, self._tokens = [], [], 0
        self._start = time.monotonic()
        return facts
