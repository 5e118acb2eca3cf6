"""The train step on a bigram model, small enough to reason about."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from policy_jax.learner.batching import Ladder, pack
from policy_jax.learner.losses import LossConfig
from policy_jax.learner.rows import Row
from policy_jax.learner.step import (
    Learner,
    LearnerDiverged,
    OptimizerConfig,
    UpdateConfig,
    deal_groups,
)

VOCAB = 11


def bigram(params: jax.Array, tokens: jax.Array) -> tuple[jax.Array, jax.Array]:
    """log p(tokens[t] | tokens[t−1]) from a [V, V] table of logits."""
    log_p = jax.nn.log_softmax(params)[tokens[:, :-1]]
    chosen = jnp.take_along_axis(log_p, tokens[:, 1:, None], axis=-1)[..., 0]
    entropy = -jnp.sum(jnp.exp(log_p) * log_p, axis=-1)
    pad = lambda values: jnp.pad(values, ((0, 0), (1, 0)))  # noqa: E731
    return pad(chosen), pad(entropy)


def _params() -> jax.Array:
    return jax.random.normal(jax.random.key(0), (VOCAB, VOCAB))


def _logprobs(params: jax.Array, tokens: np.ndarray) -> np.ndarray:
    """The bigram's log-probs of one row, in numpy: no shape is compiled for it."""
    logits = np.asarray(params)
    log_p = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))
    return np.concatenate([[0], log_p[tokens[:-1], tokens[1:]]]).astype(np.float32)


def _rows(count: int = 12, groups: int = 4, longest: int = 40) -> list[Row]:
    """Random rows whose sampler log-probs are the model's own."""
    random = np.random.default_rng(1)
    rows = []
    for i in range(count):
        length = int(random.integers(5, longest))
        tokens = random.integers(0, VOCAB, length).astype(np.int32)
        mask = (random.random(length) < 0.6).astype(np.float32)
        mask[0] = 0
        logprobs = _logprobs(_params(), tokens)
        advantage = np.full(length, random.normal(), np.float32)
        rows.append(Row(i % groups, tokens, mask, advantage, logprobs, logprobs))
    return rows


def _learner(
    ladder: Ladder | None = None,
    loss: LossConfig | None = None,
    rate: float = 0.05,
    update: UpdateConfig | None = None,
) -> Learner:
    return Learner(
        bigram,
        OptimizerConfig(learning_rate=rate, warmup_updates=1),
        loss or LossConfig(),
        update or UpdateConfig(),
        ladder or Ladder((64,), 256),
    )


@pytest.mark.parametrize("ladder", [Ladder((64,), 64), Ladder((16, 32, 64), 128)])
def test_gradients_do_not_depend_on_the_micro_batch_split(ladder: Ladder) -> None:
    rows = _rows()
    whole = _learner(Ladder((64,), 64 * len(rows)))
    assert len(list(pack(rows, Ladder((64,), 64 * len(rows))))) == 1
    assert len(list(pack(rows, ladder))) >= 3
    want, want_sums, want_entropy = whole.gradients(_params(), rows, 77.0)
    got, got_sums, got_entropy = _learner(ladder).gradients(_params(), rows, 77.0)
    np.testing.assert_allclose(got, want, atol=1e-6)
    np.testing.assert_allclose(got_sums, want_sums, atol=1e-5)
    assert float(got_entropy) == pytest.approx(float(want_entropy), rel=1e-5)


def test_first_gradient_is_the_policy_gradient() -> None:
    """Against −Σ A·∇log p / N written down directly."""
    rows = _rows(count=2)

    def direct(params: jax.Array) -> jax.Array:
        terms = [
            jnp.sum(bigram(params, row.tokens[None])[0][0] * row.advantages * row.loss_mask)
            for row in rows
        ]
        return -sum(terms) / 50.0

    got, _, _ = _learner().gradients(_params(), rows, 50.0)
    np.testing.assert_allclose(got, jax.grad(direct)(_params()), atol=1e-6)


def test_zero_advantage_rows_cost_nothing_and_count() -> None:
    """Their compute changes no gradient; their tokens are in the denominator."""
    rows = _rows()
    silent = [replace(row, group=9, advantages=np.zeros_like(row.advantages)) for row in rows]
    with_them, _, _ = _learner().gradients(_params(), rows + silent, 9.0)
    without, _, _ = _learner().gradients(_params(), rows, 9.0)
    np.testing.assert_allclose(with_them, without, atol=1e-7)

    one_update = UpdateConfig(minibatches=1)
    learner = _learner(update=one_update)
    _, alone = learner.learn(learner.init(_params()), rows, (0,))
    learner = _learner(update=one_update)
    _, together = learner.learn(learner.init(_params()), rows + silent, (0,))
    assert together["trained_tokens"] == 2 * alone["trained_tokens"]
    assert together["loss"] == pytest.approx(alone["loss"] / 2, rel=1e-5)
    assert together["grad_norm"] == pytest.approx(alone["grad_norm"] / 2, rel=1e-5)


def test_second_update_clips() -> None:
    """The first update is on-policy, the second sees ratios that have moved."""
    learner = _learner(rate=0.3, update=UpdateConfig(minibatches=1, epochs=2))
    _, metrics = learner.learn(learner.init(_params()), _rows(), (0,))
    assert metrics["updates"] == 2
    assert metrics["clip_fraction_last"] > 0
    assert metrics["clip_fraction"] == pytest.approx(metrics["clip_fraction_last"] / 2)
    assert metrics["kl_old"] > 0
    assert metrics["logprob_gap_max"] < 1e-5
    assert metrics["mismatch_weight"] == pytest.approx(1, abs=1e-5)


def test_learning_raises_what_was_good() -> None:
    rows = [
        replace(row, advantages=np.full_like(row.advantages, 1 if i % 2 else -1))
        for i, row in enumerate(_rows())
    ]
    learner = _learner()
    state = learner.init(_params())
    for step in range(5):
        state, _ = learner.learn(state, rows, (step,))
    for i, row in enumerate(rows):
        now = _logprobs(state.params, row.tokens)
        gain = np.sum((now - row.sampler_logprobs) * row.loss_mask)
        assert gain * (1 if i % 2 else -1) > 0


def test_no_signal_is_no_update() -> None:
    rows = [replace(row, advantages=np.zeros_like(row.advantages)) for row in _rows()]
    learner = _learner()
    state, metrics = learner.learn(learner.init(_params()), rows, (0,))
    assert metrics["updates"] == 0
    np.testing.assert_array_equal(state.params, _params())
    assert learner.learn(state, [], (1,))[1]["updates"] == 0


def test_gradients_that_are_not_finite_are_skipped_then_stop() -> None:
    broken = replace(_rows()[1], advantages=np.full_like(_rows()[1].advantages, np.inf))
    learner = _learner(update=UpdateConfig(minibatches=1, max_skipped=1))
    state, metrics = learner.learn(learner.init(_params()), [broken], (0,))
    assert metrics["skipped"] == 1
    assert state.updates == 0
    np.testing.assert_array_equal(state.params, _params())
    with pytest.raises(LearnerDiverged, match="lower learning rate"):
        learner.learn(state, [broken], (1,))


def test_kl_to_a_reference_pulls_towards_it() -> None:
    """With advantages of 0 the KL penalty alone moves the policy, to the reference."""
    rows = [replace(row, advantages=np.zeros_like(row.advantages)) for row in _rows()]
    reference = _params() + jax.random.normal(jax.random.key(5), (VOCAB, VOCAB)) * 0.3
    learner = _learner(loss=LossConfig(kl_weight=1.0))
    state = learner.init(_params())
    first = last = 0.0
    for step in range(30):
        state, metrics = learner.learn(state, rows, (step,), reference)
        first = first or metrics["kl_reference"]
        last = metrics["kl_reference"]
    assert 0 <= last < first / 2


def test_small_updates_are_not_lost() -> None:
    """A thousand updates of 1e-6 really move fp32 weights near 1."""
    learner = _learner(rate=1e-6, update=UpdateConfig(minibatches=1))
    start = jnp.ones((VOCAB, VOCAB))
    state = learner.init(jnp.copy(start))
    rows = _rows(count=1)
    for step in range(1000):
        state, _ = learner.learn(state, rows, (step,))
    assert float(jnp.max(jnp.abs(state.params - start))) > 2e-4


def test_groups_are_dealt_whole_and_evenly() -> None:
    shares = deal_groups(range(10), 3, (1, 2))
    assert sorted(g for share in shares for g in share) == list(range(10))
    assert sorted(map(len, shares)) == [3, 3, 4]
    assert shares == deal_groups(range(10), 3, (1, 2))
    assert shares != deal_groups(range(10), 3, (1, 3))


def test_ladder_shapes() -> None:
    ladder = Ladder.up_to(500, 2048)
    assert ladder.lengths == (64, 128, 256, 500)
    assert ladder.shape(129) == (8, 256)
    assert Ladder.up_to(100, 10).shape(65) == (1, 100)
    with pytest.raises(ValueError, match="exceeds"):
        ladder.shape(501)
