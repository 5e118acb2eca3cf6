"""Log-probabilities of given tokens, without ever holding all logits.

With a vocabulary of 152,064 the fp32 logits of 8,192 tokens take 4.6 GiB, so
they are made for a slice of time at once and made again in the backward pass.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array

from policy_jax.models.decoder import Decoder

LOGITS_IN_FLIGHT = 2**26  # fp32 logits held at once: 256 MiB


def token_logprobs(
    model: Decoder,
    tokens: Array,
    temperature: float | Array = 1.0,
    *,
    logits_in_flight: int = LOGITS_IN_FLIGHT,
) -> tuple[Array, Array]:
    """Log-prob of each token given those before it, and the entropy it was drawn from.

    Args:
        model: the decoder.
        tokens: int32 [B, L], padded on the right; padding has a meaningless
            result, which the caller's mask must hide.
        temperature: divides the logits, as it did in the sampler.
        logits_in_flight: how many fp32 logits may exist at once.

    Returns:
        `logprobs` and `entropy`, fp32 [B, L]; at index t both belong to the
        distribution of tokens[:, t] given tokens[:, :t], and are 0 at t = 0.
    """
    batch, length = tokens.shape
    hidden = model(tokens)
    targets = jnp.roll(tokens, -1, axis=1)

    def one_slice(inputs: tuple[Array, Array]) -> tuple[Array, Array]:
        return logprobs_and_entropy(model.logits(inputs[0]), inputs[1], temperature)

    steps = max(1, min(length, logits_in_flight // (batch * model.config.vocab_size)))
    slices = -(-length // steps)
    if slices == 1:
        logprobs, entropy = one_slice((hidden, targets))
    else:
        padding = slices * steps - length
        hidden = jnp.pad(hidden, ((0, 0), (0, padding), (0, 0)))
        targets = jnp.pad(targets, ((0, 0), (0, padding)))
        # Time is cut, not the batch: the batch stays sharded over the mesh.
        by_slice = (
            hidden.reshape(batch, slices, steps, -1).swapaxes(0, 1),
            targets.reshape(batch, slices, steps).swapaxes(0, 1),
        )
        results = jax.lax.map(jax.checkpoint(one_slice), by_slice)
        logprobs, entropy = (r.swapaxes(0, 1).reshape(batch, -1)[:, :length] for r in results)
    return _shifted(logprobs), _shifted(entropy)


def logprobs_and_entropy(
    logits: Array, targets: Array, temperature: float | Array
) -> tuple[Array, Array]:
    """log softmax(logits/T)[target] and the entropy of softmax(logits/T).

    logits: fp32 [..., V]; targets: int [...]; returns two fp32 [...].
    """
    scaled = logits / temperature
    normaliser = jax.nn.logsumexp(scaled, axis=-1)
    chosen = jnp.take_along_axis(scaled, targets[..., None], axis=-1)[..., 0]
    probabilities = jnp.exp(scaled - normaliser[..., None])
    entropy = normaliser - jnp.sum(probabilities * scaled, axis=-1)
    return chosen - normaliser, entropy


def _shifted(values: Array) -> Array:
    """Index t of the result is what index t-1 predicted; index 0 is 0."""
    return jnp.pad(values[:, :-1], ((0, 0), (1, 0)))
