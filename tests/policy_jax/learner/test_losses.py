"""The loss by hand, and what must not change it."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from policy_jax.learner import masked
from policy_jax.learner.losses import LossConfig, TokenBatch, clipped_loss


def _batch(mask, advantages, sampler) -> TokenBatch:
    as_rows = lambda values: jnp.asarray([values], jnp.float32)  # noqa: E731
    return TokenBatch(
        jnp.zeros((1, len(mask)), jnp.int32), as_rows(mask), as_rows(advantages), as_rows(sampler)
    )


def test_hand_computed() -> None:
    """Five tokens, the first a prompt's.

    ratio      1.5       1.5        0.5        1
    A          2        −1         −1          0.5
    clipped    1.28      1.5 kept   0.8        1
    min term   2.56     −1.5       −0.8        0.5
    w          1         2 (of 4)   1          0.5
    """
    old = np.log([0.1, 0.2, 0.2, 0.4, 0.3])
    sampler = old - np.log([1, 1, 4, 1, 0.5])
    now = old + np.log([7, 1.5, 1.5, 0.5, 1])
    batch = _batch([0, 1, 1, 1, 1], [9, 2, -1, -1, 0.5], sampler)
    loss, sums = clipped_loss(
        jnp.asarray([now]), jnp.asarray([old]), batch, denominator=8.0, config=LossConfig()
    )
    assert loss == pytest.approx(-(2.56 - 3.0 - 0.8 + 0.25) / 8, rel=1e-5)
    assert sums.tokens == 4
    assert sums.clipped == 2
    assert sums.weight == pytest.approx(4.5, rel=1e-5)
    expected_kl = sum(r - 1 - np.log(r) for r in (1.5, 1.5, 0.5, 1))
    assert sums.kl_old == pytest.approx(expected_kl, rel=1e-4)


def test_bypass_takes_the_sampler_for_old() -> None:
    sampler = np.log([0.5, 0.25])
    now = sampler + np.log([1.1, 0.9])
    batch = _batch([1, 1], [1, 1], sampler)
    loss, sums = clipped_loss(
        jnp.asarray([now]), jnp.zeros((1, 2)), batch, 2.0, LossConfig(mismatch_cap=None)
    )
    assert loss == pytest.approx(-1.0, rel=1e-5)
    assert sums.weight == 2


def test_kl_penalty_by_hand() -> None:
    now, reference = np.log([0.5]), np.log([0.25])
    batch = _batch([1], [0], now)
    loss, _ = clipped_loss(
        jnp.asarray([now]),
        jnp.asarray([now]),
        batch,
        1.0,
        LossConfig(kl_weight=0.1),
        jnp.asarray([reference]),
    )
    assert loss == pytest.approx(0.1 * (0.5 - np.log(0.5) - 1), rel=1e-5)


def test_first_update_is_the_policy_gradient() -> None:
    """At ρ = 1 the gradient by log-prob is −w·A/N, and the weight passes none."""
    old = jnp.log(jnp.asarray([[0.3, 0.6]]))
    batch = _batch([1, 1], [0.5, -2], old[0] - jnp.log(1.5))
    gradient = jax.grad(lambda x: clipped_loss(x, old, batch, 4.0, LossConfig())[0])(old)
    np.testing.assert_allclose(gradient, [[-1.5 * 0.5 / 4, 1.5 * 2 / 4]], rtol=1e-5)


def test_masked_positions_may_hold_anything() -> None:
    old = jnp.asarray([[jnp.nan, -1.0, -jnp.inf]])
    batch = _batch([0, 1, 0], [jnp.nan, 1, jnp.inf], [jnp.inf, -1, jnp.nan])
    run = jax.value_and_grad(lambda x: clipped_loss(x, old, batch, 1.0, LossConfig())[0])
    loss, gradient = run(jnp.asarray([[jnp.inf, -1.0, jnp.nan]]))
    assert loss == -1
    np.testing.assert_array_equal(gradient, [[0, -1, 0]])


def test_clipping_stops_the_gradient() -> None:
    old = jnp.zeros((1, 2))
    batch = _batch([1, 1], [1, -1], [0, 0])
    moved = jnp.log(jnp.asarray([[1.5, 0.5]]))
    gradient = jax.grad(lambda x: clipped_loss(x, old, batch, 1.0, LossConfig())[0])(moved)
    np.testing.assert_array_equal(gradient, [[0, 0]])


def test_masked_reductions() -> None:
    values, mask = jnp.asarray([1.0, jnp.nan, 3.0]), jnp.asarray([1.0, 0.0, 1.0])
    assert masked.total(values, mask) == 4
