"""The learner: from rows to new weights.

One batch of rollouts gives `epochs × minibatches` updates of AdamW. Each
update sums gradients over micro-batches that share one denominator, so the
way a batch is cut changes nothing but memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax

from policy_jax.errors import LeapError
from policy_jax.learner import masked
from policy_jax.learner.batching import Ladder, pack
from policy_jax.learner.losses import LossConfig, LossSums, clipped_loss
from policy_jax.learner.rows import Row

Params = Any  # a pytree of fp32 arrays
Apply = Callable[[Params, jax.Array], tuple[jax.Array, jax.Array]]
"""(params, int32 tokens [B, L]) -> log-prob of tokens[t] given tokens[<t] and the
entropy it was drawn from, both float32 [B, L], at the sampling temperature."""


@dataclass(frozen=True)
class OptimizerConfig:
    """AdamW with a short linear warm-up to a constant rate."""

    learning_rate: float
    warmup_updates: int = 4
    weight_decay: float = 0.0
    b1: float = 0.9
    b2: float = 0.95
    max_grad_norm: float = 1.0


@dataclass(frozen=True)
class UpdateConfig:
    """How one batch of rollouts is used.

    `minibatches`: updates in one pass over the batch; groups are dealt out
    anew in each pass. `epochs`: passes. `max_skipped`: how many updates in a
    row may be skipped for gradients that are not finite.
    """

    minibatches: int = 2
    epochs: int = 1
    max_skipped: int = 3


class LearnerState(NamedTuple):
    """Everything that learning changes."""

    params: Params
    opt_state: optax.OptState
    updates: jax.Array  # int32, updates applied
    skipped: jax.Array  # int32, updates skipped in a row


class LearnerDiverged(LeapError):
    """Too many updates in a row had gradients that are not finite."""


class Learner:
    """Applies the clipped loss to batches of rows."""

    def __init__(
        self,
        apply: Apply,
        optimizer: OptimizerConfig,
        loss: LossConfig,
        update: UpdateConfig,
        ladder: Ladder,
    ) -> None:
        self._loss = loss
        self._update = update
        self._ladder = ladder
        self._optimizer = make_optimizer(optimizer)
        self._logprobs = jax.jit(lambda params, tokens: apply(params, tokens)[0])
        self._accumulate = jax.jit(partial(_accumulate, apply, loss), donate_argnums=1)
        self._nothing = jax.jit(_nothing)
        self._apply_update = jax.jit(partial(_apply_update, self._optimizer), donate_argnums=(1, 3))

    def init(self, params: Params) -> LearnerState:
        """A fresh optimizer for `params`."""
        zero = jnp.zeros((), jnp.int32)
        # Under jit every leaf has a buffer of its own, which can be donated.
        return LearnerState(params, jax.jit(self._optimizer.init)(params), zero, zero)

    def learn(
        self,
        state: LearnerState,
        rows: Sequence[Row],
        seed: Sequence[int],
        reference_params: Params | None = None,
        rate: float = 1.0,
    ) -> tuple[LearnerState, dict[str, float]]:
        """All updates on one batch; the optimizer state is donated, `state.params` is not.

        `rows`: every valid trajectory, those of zero advantage included: they
        count in the denominators, and their compute is skipped. `seed` deals
        groups out to minibatches. `reference_params`: needed where the loss
        has a KL weight. `rate`: the share of the learning rate that these
        updates take. Raises LearnerDiverged.
        """
        trained = sum(row.trained_tokens for row in rows)
        # The global token-mean, for updates that each see a part of the batch.
        denominator = max(trained, 1) / self._update.minibatches
        counted = [row for row in rows if self._contributes(row)]
        counted = self.with_logprobs(state.params, counted, reference_params)
        metrics = {"trained_tokens": float(trained), "rows": float(len(rows))}
        metrics |= _gap_metrics(counted)
        updates = []
        for epoch in range(self._update.epochs):
            shares = deal_groups(
                sorted({row.group for row in rows}), self._update.minibatches, (*seed, epoch)
            )
            for share in shares:
                chosen = [row for row in counted if row.group in share]
                if chosen:  # without any signal there is no update
                    state, update = self._one_update(state, chosen, denominator, rate)
                    updates.append(update)
        return state, metrics | _update_metrics(updates)

    def gradients(
        self, params: Params, rows: Sequence[Row], denominator: float
    ) -> tuple[Params, LossSums, jax.Array]:
        """Gradients, loss sums and Σ entropy of rows whose log-probs are filled in."""
        total = self._nothing(params)
        for micro in pack(rows, self._ladder):
            total = self._accumulate(params, total, micro[1:], denominator)
        return total

    def with_logprobs(
        self, params: Params, rows: Sequence[Row], reference_params: Params | None = None
    ) -> list[Row]:
        """The rows with π_old of `params` filled in, and π_ref where the loss needs it."""
        filled = list(rows)
        if self._loss.mismatch_cap is not None:
            filled = self._fill(filled, "old_logprobs", params)
        if self._loss.kl_weight > 0:
            filled = self._fill(filled, "reference_logprobs", reference_params)
        return filled

    def _contributes(self, row: Row) -> bool:
        return row.has_signal or self._loss.kl_weight > 0

    def _fill(
        self, rows: list[Row], name: Literal["old_logprobs", "reference_logprobs"], params: Params
    ) -> list[Row]:
        filled = list(rows)
        for micro in pack(rows, self._ladder):
            logprobs = np.asarray(self._logprobs(params, micro.batch.tokens))
            for line, index in enumerate(micro.indices):
                values = logprobs[line, : len(rows[index].tokens)]
                filled[index] = replace(rows[index], **{name: values})  # type: ignore[arg-type]
        return filled

    def _one_update(
        self, state: LearnerState, rows: list[Row], denominator: float, rate: float
    ) -> tuple[LearnerState, dict[str, float]]:
        grads, sums, entropy = self.gradients(state.params, rows, denominator)
        state, norm = self._apply_update(state.params, state.opt_state, state[2:], grads, rate)
        if int(state.skipped) > self._update.max_skipped:
            raise LearnerDiverged(
                f"{int(state.skipped)} updates in a row had gradients that are not finite; "
                "go on from the last checkpoint with a lower learning rate"
            )
        tokens = max(float(sums.tokens), 1.0)
        return state, {
            "loss": float(sums.loss),
            "grad_norm": float(norm),
            "clip_fraction": float(sums.clipped) / tokens,
            "kl_old": float(sums.kl_old) / tokens,
            "kl_reference": float(sums.kl_reference) / tokens,
            "mismatch_weight": float(sums.weight) / tokens,
            "entropy": float(entropy) / tokens,
            "skipped": float(state.skipped > 0),
        }


def make_optimizer(config: OptimizerConfig) -> optax.GradientTransformation:
    """Clip by global norm, then AdamW."""
    rate = optax.linear_schedule(0.0, config.learning_rate, max(config.warmup_updates, 1))
    return optax.chain(
        optax.clip_by_global_norm(config.max_grad_norm),
        optax.adamw(
            lambda count: rate(count + 1),  # the first update moves too
            b1=config.b1,
            b2=config.b2,
            weight_decay=config.weight_decay,
        ),
    )


def deal_groups(groups: Sequence[int], shares: int, seed: Sequence[int]) -> list[set[int]]:
    """Deal whole groups into `shares` sets as even as can be, shuffled by `seed`."""
    shuffled = np.random.default_rng(list(seed)).permutation(np.array(groups, dtype=np.int64))
    return [set(shuffled[start::shares].tolist()) for start in range(shares)]


def _accumulate(
    apply: Apply,
    config: LossConfig,
    params: Params,
    total: tuple[Params, LossSums, jax.Array],
    micro: tuple[Any, jax.Array, jax.Array],
    denominator: float,
) -> tuple[Params, LossSums, jax.Array]:
    """Add one micro-batch's gradients and sums to the total."""
    batch, old, reference = micro

    def loss(params: Params) -> tuple[jax.Array, tuple[LossSums, jax.Array]]:
        logprobs, entropy = apply(params, batch.tokens)
        value, sums = clipped_loss(
            logprobs, old, batch, denominator, config, reference if config.kl_weight > 0 else None
        )
        return value, (sums, masked.total(entropy, batch.loss_mask))

    grads, (sums, entropy) = jax.grad(loss, has_aux=True)(params)
    return jax.tree.map(jnp.add, total, (grads, sums, entropy))


def _nothing(params: Params) -> tuple[Params, LossSums, jax.Array]:
    sums = LossSums(*(jnp.zeros(()) for _ in LossSums._fields))
    return jax.tree.map(jnp.zeros_like, params), sums, jnp.zeros(())


def _apply_update(
    optimizer: optax.GradientTransformation,
    params: Params,
    opt_state: optax.OptState,
    counts: tuple[jax.Array, jax.Array],
    grads: Params,
    rate: float | jax.Array,
) -> tuple[LearnerState, jax.Array]:
    """One optimizer step and the gradient's norm before clipping; none where that is not finite."""
    updates, skipped = counts
    norm = optax.tree.norm(grads)
    finite = jnp.isfinite(norm)
    changes, moments = optimizer.update(grads, opt_state, params)
    changes = jax.tree.map(lambda change: rate * change, changes)
    moved = (optax.apply_updates(params, changes), moments)
    keep = lambda new, old: jnp.where(finite, new, old)  # noqa: E731
    params, opt_state = jax.tree.map(keep, moved, (params, opt_state))
    applied = finite.astype(jnp.int32)
    return LearnerState(params, opt_state, updates + applied, (skipped + 1) * (1 - applied)), norm


def _gap_metrics(rows: Sequence[Row]) -> dict[str, float]:
    """Sampler–learner gap |log π_old − log π_sampler| over trained tokens."""
    gaps = [
        np.abs(row.old_logprobs - row.sampler_logprobs)[row.loss_mask > 0]
        for row in rows
        if row.old_logprobs is not None
    ]
    flat = np.concatenate([*gaps, np.zeros(0, np.float32)])
    return {
        "logprob_gap_mean": float(flat.mean()) if flat.size else 0.0,
        "logprob_gap_max": float(flat.max()) if flat.size else 0.0,
    }


def _update_metrics(updates: Sequence[dict[str, float]]) -> dict[str, float]:
    """Means over the batch's updates; `kl_old` and `clip_fraction_last` of the last one."""
    if not updates:
        return {"updates": 0.0, "skipped": 0.0}
    means = {name: float(np.mean([u[name] for u in updates])) for name in updates[0]}
    return means | {
        "updates": float(len(updates)),
        "skipped": sum(u["skipped"] for u in updates),
        "kl_old": updates[-1]["kl_old"],
        "clip_fraction_last": updates[-1]["clip_fraction"],
    }
