"""Batches: every example in its turn, padded with what no loss counts."""

from __future__ import annotations

from itertools import islice

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from policy_jax.data.batches import Example, padded_length, training_batches, validation_batches


def examples(lengths: list[int]) -> list[Example]:
    """Example n holds the number n + 1 only; the second half of it is trained."""
    return [
        Example(
            np.full(length, number + 1, np.int32),
            (np.arange(length) >= length // 2).astype(np.float32),
        )
        for number, length in enumerate(lengths)
    ]


LENGTHS = st.lists(st.integers(1, 300), min_size=1, max_size=30)


@settings(deadline=None, max_examples=50)
@given(LENGTHS, st.integers(1, 5), st.integers(0, 3), st.integers(0, 9))
def test_position_is_all_that_resume_needs(
    lengths: list[int], size: int, seed: int, start: int
) -> None:
    data = examples(lengths)
    whole = list(islice(training_batches(data, size, 300, seed), start + 4))
    resumed = list(islice(training_batches(data, size, 300, seed, start), 4))
    for a, b in zip(whole[start:], resumed, strict=True):
        np.testing.assert_array_equal(a.tokens, b.tokens)
        np.testing.assert_array_equal(a.mask, b.mask)


@settings(deadline=None, max_examples=50)
@given(LENGTHS, st.integers(1, 5))
def test_no_example_is_preferred(lengths: list[int], size: int) -> None:
    data = examples(lengths)
    seen = np.zeros(len(data), int)
    for batch in islice(training_batches(data, size, 300, seed=1), 8 * len(data)):
        seen += np.bincount(batch.tokens[:, 0] - 1, minlength=len(data))
    assert seen.max() - seen.min() <= size + 1  # at most the examples that wait in a bucket


@settings(deadline=None, max_examples=50)
@given(LENGTHS, st.integers(1, 5))
def test_validation_counts_every_trained_token_once(lengths: list[int], size: int) -> None:
    data = examples(lengths)
    batches = list(validation_batches(data, size, 300))
    assert sum(batch.mask.sum() for batch in batches) == sum(each.mask.sum() for each in data)
    for batch in batches:
        assert batch.tokens.shape == batch.mask.shape
        assert batch.tokens.shape[0] == size
        assert (batch.tokens[batch.mask == 1] > 0).all()  # padding is never trained


def test_few_lengths() -> None:
    lengths = (1, 48, 49, 64, 65, 96, 97, 192, 193, 256, 257, 300)
    assert [padded_length(n, 300) for n in lengths] == [
        48, 48, 64, 64, 96, 96, 128, 192, 256, 256, 300, 300,
    ]  # fmt: skip
