"""The device programs of the sampler: prefill, copy, decode.

The KV cache is one buffer a layer and kind, [slots + 1, kv_heads, capacity,
head_dim], donated from call to call; the last slot takes what padding writes.
A slot holds the keys and values of its context without the last token, which
decode feeds first: so prefill needs no logits, and a context that several
rollouts share is prefilled once and copied.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from policy_jax.models.config import DecoderConfig
from policy_jax.models.decoder import Decoder
from policy_jax.models.layers import causal_attention, rotary_tables
from policy_jax.models.logprobs import logprobs_and_entropy


class Cache(NamedTuple):
    """Keys and values, a buffer a layer: [slots + 1, kv_heads, capacity, head_dim]."""

    keys: tuple[Array, ...]
    values: tuple[Array, ...]


class Live(NamedTuple):
    """The rollouts that one decode call advances; all arrays have B rows.

    `position` is where `token`, the last token known, stands in its context.
    """

    slot: Array  # int32 [B]
    token: Array  # int32 [B]
    position: Array  # int32 [B]
    key: Array  # int32 [B, 4]: step, group, member, turn


def empty_cache(config: DecoderConfig, slots: int, capacity: int) -> Cache:
    """A zeroed cache for `slots` rollouts and the padding slot."""
    shape = (slots + 1, config.num_kv_heads, capacity, config.head_dim)
    buffers = [jnp.zeros(shape, config.compute_dtype) for _ in range(2 * config.num_layers)]
    return Cache(tuple(buffers[: config.num_layers]), tuple(buffers[config.num_layers :]))


def prefill(model: Decoder, cache: Cache, tokens: Array, slots: Array) -> Cache:
    """Writes the keys and values of tokens [P, L] into the cache's rows slots [P]."""
    rotary = rotary_tables(model.config, jnp.arange(tokens.shape[1]))
    x = model.embed(tokens)
    written: list[tuple[Array, Array]] = []

    def attention(q: Array, k: Array, v: Array) -> Array:
        written.append((k, v))
        return causal_attention(q, k, v)

    for layer in model.layer_list():
        x = layer(x, rotary, attention)
    return Cache(
        tuple(_write_rows(c, k, slots) for c, (k, _) in zip(cache.keys, written, strict=True)),
        tuple(_write_rows(c, v, slots) for c, (_, v) in zip(cache.values, written, strict=True)),
    )


def copy_slot(cache: Cache, source: Array, target: Array) -> Cache:
    """Makes slot `target` hold what slot `source` holds."""

    def copy(buffer: Array) -> Array:
        row = jax.lax.dynamic_index_in_dim(buffer, source, keepdims=True)
        return jax.lax.dynamic_update_index_in_dim(buffer, row, target, 0)

    return jax.tree.map(copy, cache)


def decode(
    model: Decoder,
    cache: Cache,
    live: Live,
    root: Array,
    temperature: Array,
    *,
    steps: int,
    context: int,
    every_slot: bool,
) -> tuple[Cache, Array, Array]:
    """Samples `steps` tokens for every live row.

    Args:
        model: the decoder.
        cache: holds position `live.position` tokens a slot.
        live: B rows; with `every_slot` row i is slot i and nothing is gathered.
        root: the sampler's PRNG key.
        temperature: fp32 scalar.
        steps: tokens to sample, static.
        context: attend over this many cached positions, static; at least the
            largest `live.position`.
        every_slot: static.

    Returns:
        The cache with the new positions written, and tokens int32 and
        logprobs fp32, both [B, steps].
    """
    layers = model.layer_list()
    rows = live.token.shape[0]
    past = jax.tree.map(lambda c: (c[:rows] if every_slot else c[live.slot])[:, :, :context], cache)
    keys = _request_keys(root, live.key)
    seen = jnp.arange(context) < live.position[:, None]
    config = model.config
    recent_shape = (rows, config.num_kv_heads, steps, config.head_dim)
    recent = jax.tree.map(lambda c: jnp.zeros(recent_shape, c.dtype), cache)

    def one_token(carry: tuple[Array, Cache], index: Array) -> tuple:
        token, recent = carry
        position = live.position + index
        rotary = rotary_tables(config, position)
        mask = jnp.concatenate(
            [seen, jnp.broadcast_to(jnp.arange(steps) <= index, (rows, steps))], axis=1
        )
        x = model.embed(token)
        new_keys: list[Array] = []
        new_values: list[Array] = []

        def attention(q: Array, k: Array, v: Array) -> Array:
            number = len(new_keys)
            k_recent = _put(recent.keys[number], k, index)
            v_recent = _put(recent.values[number], v, index)
            new_keys.append(k_recent)
            new_values.append(v_recent)
            return _attend_two(q, past.keys[number], past.values[number], k_recent, v_recent, mask)

        for layer in layers:
            x = layer(x, rotary, attention)
        logits = model.logits(model.final_norm(x))
        noise = jax.vmap(lambda key, at: _gumbel(key, at, config.vocab_size))(keys, position + 1)
        # Without the barrier XLA's CPU backend makes the noise again, unvectorised, in argmax.
        logits, noise = jax.lax.optimization_barrier((logits, noise))
        sampled = jnp.argmax(logits / temperature + noise, axis=-1).astype(jnp.int32)
        logprob, _ = logprobs_and_entropy(logits, sampled, temperature)
        return (sampled, Cache(tuple(new_keys), tuple(new_values))), (sampled, logprob)

    tokens: Array
    logprobs: Array
    (_, recent), (tokens, logprobs) = jax.lax.scan(
        one_token, (live.token, recent), jnp.arange(steps)
    )
    cache = jax.tree.map(
        lambda c, r: _write_positions(c, r, live.slot, live.position), cache, recent
    )
    return cache, tokens.T, logprobs.T


def _request_keys(root: Array, identity: Array) -> Array:
    """A PRNG key a row from (step, group, member, turn) [B, 4]."""

    def fold(parts: Array) -> Array:
        key = root
        for part in parts:
            key = jax.random.fold_in(key, part)
        return key

    return jax.vmap(fold)(identity)


def _gumbel(key: Array, position: Array, vocab: int) -> Array:
    """The noise that decides which token comes to stand at `position`."""
    return jax.random.gumbel(jax.random.fold_in(key, position), (vocab,), jnp.float32)


def _put(recent: Array, new: Array, index: Array) -> Array:
    """new [B, kv_heads, head_dim] into recent [B, kv_heads, steps, head_dim] at `index`."""
    return jax.lax.dynamic_update_slice_in_dim(recent, new[:, :, None], index, axis=2)


def _attend_two(
    q: Array, k_past: Array, v_past: Array, k_recent: Array, v_recent: Array, mask: Array
) -> Array:
    """One query a row over the cached and the recent keys.

    q: [B, heads, head_dim]; k, v: [B, kv_heads, ·, head_dim]; mask: bool
    [B, context + steps]. Returns [B, heads, head_dim].
    """
    rows, heads, head_dim = q.shape
    context = k_past.shape[2]
    grouped = q.reshape(rows, k_past.shape[1], -1, head_dim)
    scores = jnp.concatenate(
        [
            jnp.einsum("bhgd,bhkd->bhgk", grouped, k, preferred_element_type=jnp.float32)
            for k in (k_past, k_recent)
        ],
        axis=-1,
    )
    scores = jnp.where(mask[:, None, None], scores * head_dim**-0.5, -1e30)
    weights = jax.nn.softmax(scores, axis=-1).astype(q.dtype)
    attended = jnp.einsum("bhgk,bhkd->bhgd", weights[..., :context], v_past)
    attended += jnp.einsum("bhgk,bhkd->bhgd", weights[..., context:], v_recent)
    return attended.reshape(rows, heads, head_dim)


def _write_rows(buffer: Array, new: Array, slots: Array) -> Array:
    """new [P, L, kv_heads, head_dim] to the start of rows slots [P] of one cache buffer."""
    new = new.swapaxes(1, 2).astype(buffer.dtype)
    for row in range(new.shape[0]):
        buffer = jax.lax.dynamic_update_slice(buffer, new[row : row + 1], (slots[row], 0, 0, 0))
    return buffer


def _write_positions(buffer: Array, recent: Array, slots: Array, positions: Array) -> Array:
    """recent [B, kv_heads, steps, head_dim] to slots [B] of a buffer, from positions [B] on."""

    def write(row: Array, buffer: Array) -> Array:
        block = jax.lax.dynamic_slice_in_dim(recent, row, 1)
        return jax.lax.dynamic_update_slice(buffer, block, (slots[row], 0, positions[row], 0))

    return jax.lax.fori_loop(0, recent.shape[0], write, buffer)
