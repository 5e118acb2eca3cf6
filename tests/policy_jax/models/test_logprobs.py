"""Log-probs and entropies: by hand, in slices, and within their memory."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx
from hypothesis import given, settings
from hypothesis import strategies as st

from policy_jax.models import init_params, token_logprobs
from policy_jax.models.logprobs import logprobs_and_entropy
from tests.policy_jax.models.test_decoder import SMALL, decoder, logits_of, tokens


def test_by_hand_at_a_temperature() -> None:
    # Logits ln 1, ln 4 at T = 0.5 are ln 1, ln 16: probabilities 1/17 and 16/17.
    logits = jnp.log(jnp.array([[1.0, 4.0], [1.0, 4.0]]))
    logprobs, entropy = logprobs_and_entropy(logits, jnp.array([0, 1]), 0.5)
    np.testing.assert_allclose(np.exp(logprobs), [1 / 17, 16 / 17], rtol=1e-6)
    expected = -(np.log(1 / 17) / 17 + 16 * np.log(16 / 17) / 17)
    np.testing.assert_allclose(entropy, [expected, expected], rtol=1e-5)


@settings(deadline=None, max_examples=50)
@given(
    st.lists(st.floats(-30, 30, width=32), min_size=5, max_size=5),
    st.floats(0.25, 4, width=32),
    st.floats(-20, 20, width=32),
)
def test_distribution_properties(values: list[float], temperature: float, shift: float) -> None:
    count = len(values)
    logits = jnp.broadcast_to(jnp.array(values, jnp.float32), (count, count))
    logprobs, entropy = logprobs_and_entropy(logits, jnp.arange(count), temperature)
    np.testing.assert_allclose(np.exp(logprobs).sum(), 1, rtol=1e-4)
    assert -1e-4 <= float(entropy[0]) <= np.log(count) + 1e-4
    shifted, _ = logprobs_and_entropy(logits + shift, jnp.arange(count), temperature)
    np.testing.assert_allclose(shifted, logprobs, atol=1e-3)


def test_index_says_which_token_is_predicted() -> None:
    model, ids = decoder(SMALL), tokens(2, 7)
    logprobs, entropy = nnx.jit(token_logprobs)(model, ids, 0.7)
    assert logprobs.shape == entropy.shape == (2, 7)
    np.testing.assert_array_equal(logprobs[:, 0], 0)
    np.testing.assert_array_equal(entropy[:, 0], 0)
    logits = np.asarray(logits_of(model, ids), np.float64) / 0.7
    expected = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
    for row in range(2):
        for t in range(1, 7):
            wanted = expected[row, t - 1, int(ids[row, t])]
            np.testing.assert_allclose(logprobs[row, t], wanted, rtol=1e-4)
            plogp = np.exp(expected[row, t - 1]) * expected[row, t - 1]
            np.testing.assert_allclose(entropy[row, t], -plogp.sum(), rtol=1e-4)


@pytest.mark.parametrize("at_once", [1, 6])
def test_slices_change_neither_values_nor_gradients(at_once: int) -> None:
    graph, params = init_params(SMALL, jax.random.key(0))
    ids = tokens(2, 13)
    weights = jax.random.normal(jax.random.key(3), (2, 2, 13))

    @partial(jax.jit, static_argnums=1)
    @partial(jax.value_and_grad, argnums=0)
    def objective(params: Any, steps: int) -> jax.Array:
        logprobs, entropy = token_logprobs(
            nnx.merge(graph, params), ids, 0.7, logits_in_flight=2 * SMALL.vocab_size * steps
        )
        return (weights * jnp.stack([logprobs, entropy])).sum()

    value, grads = objective(params, at_once)
    expected, expected_grads = objective(params, 13)
    np.testing.assert_allclose(value, expected, rtol=1e-5)
    for a, b in zip(jax.tree.leaves(grads), jax.tree.leaves(expected_grads), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-5)


def test_all_logits_never_exist_at_once() -> None:
    config = replace(SMALL, vocab_size=30_000)
    graph, params = init_params(config, jax.random.key(0))
    ids = jnp.zeros((2, 128), jnp.int32)

    def loss(params: Any) -> jax.Array:
        return token_logprobs(nnx.merge(graph, params), ids, logits_in_flight=2**19)[0].sum()

    memory = jax.jit(jax.value_and_grad(loss)).lower(params).compile().memory_analysis()
    all_logits = 2 * 128 * 30_000 * 4
    assert memory.temp_size_in_bytes < all_logits
