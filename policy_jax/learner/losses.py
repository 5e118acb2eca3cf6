"""The clipped policy-gradient loss of LEAP (DESIGN section 3).

One loss mask serves every term and every metric. Sums are divided by a
denominator that the caller gives, the token count of the *global* batch, so
that a loss over micro-batches is the loss over the batch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp

from policy_jax.learner import masked

Array = jax.Array

_LOG_RATIO_LIMIT = 20.0  # exp(20) is finite in fp32; beyond it nothing is learnt


@dataclass(frozen=True)
class LossConfig:
    """Knobs of the loss.

    `clip_low`, `clip_high`: the ratio is clipped to [1 − low, 1 + high].
    `mismatch_cap`: C of the mismatch weight; None is bypass mode, in which
    π_old is the sampler's own and the weight is 1.
    `kl_weight`: β of the k3 penalty to the reference policy; 0 is none.
    """

    clip_low: float = 0.2
    clip_high: float = 0.28
    mismatch_cap: float | None = 2.0
    kl_weight: float = 0.0


class TokenBatch(NamedTuple):
    """Trajectories as rows, padded on the right; position t is the token itself."""

    tokens: Array  # [B, L] int32
    loss_mask: Array  # [B, L] float32, 1 where tokens[t] is a trained token of the model
    advantages: Array  # [B, L] float32, the advantage of the turn that token t belongs to
    sampler_logprobs: Array  # [B, L] float32, log π_sampler(tokens[t] | tokens[<t])


class LossSums(NamedTuple):
    """Sums over mask-1 tokens, scalars."""

    loss: Array  # with the denominator already in it
    tokens: Array
    clipped: Array  # tokens whose clipped term was the active one
    kl_old: Array  # Σ k3 of KL(π_old ‖ π_θ): how far the updates on this batch have moved
    kl_reference: Array
    weight: Array  # Σ w


def clipped_loss(
    logprobs: Array,
    old_logprobs: Array,
    batch: TokenBatch,
    denominator: Array | float,
    config: LossConfig,
    reference_logprobs: Array | None = None,
) -> tuple[Array, LossSums]:
    """−Σ m·w·min(ρA, clip(ρ, 1−ε_low, 1+ε_high)·A) / N + β·Σ m·k3 / N.

    `logprobs`, `old_logprobs`, `reference_logprobs`: [B, L] float32 at the
    sampler's temperature. ρ = π_θ/π_old and w = stop_gradient(min(π_old /
    π_sampler, C)). `denominator` is N, the number of mask-1 tokens of all
    valid trajectories of the global batch, groups of zero advantage included.
    Returns the scalar loss and the sums for metrics.
    """
    mask = batch.loss_mask
    if config.mismatch_cap is None:
        old_logprobs = batch.sampler_logprobs
    old_logprobs = jax.lax.stop_gradient(old_logprobs)
    gap = masked.keep(old_logprobs - batch.sampler_logprobs, mask)
    weight = mismatch_weight(gap, config.mismatch_cap)

    ratio = jnp.exp(_log_ratio(logprobs, old_logprobs, mask))
    plain = ratio * batch.advantages
    clipped = jnp.clip(ratio, 1 - config.clip_low, 1 + config.clip_high) * batch.advantages
    loss = -masked.total(weight * jnp.minimum(plain, clipped), mask) / denominator

    kl_reference = jnp.zeros(())
    if reference_logprobs is not None:
        kl_reference = masked.total(k3(logprobs, reference_logprobs, mask), mask)
        loss = loss + config.kl_weight * kl_reference / denominator
    return loss, LossSums(
        loss=loss,
        tokens=jnp.sum(mask),
        clipped=masked.total((clipped < plain).astype(jnp.float32), mask),
        kl_old=masked.total(k3(old_logprobs, logprobs, mask), mask),
        kl_reference=kl_reference,
        weight=masked.total(weight, mask),
    )


def mismatch_weight(gap: Array, cap: float | None) -> Array:
    """w = stop_gradient(min(π_old/π_sampler, C)) from `gap` = log π_old − log π_sampler."""
    if cap is None:
        return jnp.ones_like(gap)
    return jax.lax.stop_gradient(jnp.minimum(jnp.exp(jnp.minimum(gap, _LOG_RATIO_LIMIT)), cap))


def k3(logprobs: Array, other_logprobs: Array, mask: Array) -> Array:
    """exp(d) − d − 1 with d = log π_other − log π, never negative.

    On tokens that π sampled it estimates KL(π ‖ π_other).
    """
    d = _log_ratio(other_logprobs, logprobs, mask)
    return jnp.expm1(d) - d


def _log_ratio(logprobs: Array, other: Array, mask: Array) -> Array:
    return jnp.clip(masked.keep(logprobs - other, mask), -_LOG_RATIO_LIMIT, _LOG_RATIO_LIMIT)
