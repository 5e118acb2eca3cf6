"""The parts of a decoder layer: norm, rotary attention, gated MLP.

`Attention` is cut at the point where a KV cache enters: `project` gives
rotated queries, keys and values, `output` takes what was attended. Training
puts `causal_attention` between them; the sampler puts its cache there.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import jax
import jax.numpy as jnp
from flax import nnx
from jax import Array

from policy_jax.models.config import DecoderConfig

Rotary = tuple[Array, Array]
Initializer = Callable[[Array, tuple[int, ...], jnp.dtype], Array]


def parameter(
    rngs: nnx.Rngs, shape: tuple[int, ...], axes: tuple[str, ...], scale: float | None
) -> nnx.Param:
    """An fp32 weight with its logical axes: normal of deviation `scale`, or ones when None."""
    if scale is None:
        return nnx.Param(jnp.ones(shape, jnp.float32), logical_axes=axes)
    value = scale * jax.random.normal(rngs.params(), shape, jnp.float32)
    return nnx.Param(value, logical_axes=axes)


def rms_norm(x: Array, weight: Array, eps: float) -> Array:
    """x * weight / rms(x) over the last axis, in fp32, returned in x's dtype."""
    x32 = x.astype(jnp.float32)
    scale = jax.lax.rsqrt(jnp.mean(x32 * x32, axis=-1, keepdims=True) + eps)
    return (x32 * scale * weight).astype(x.dtype)


def rotary_tables(config: DecoderConfig, positions: Array) -> Rotary:
    """cos and sin [..., 1, head_dim/2] in fp32 for absolute positions [...]."""
    half = config.head_dim // 2
    frequencies = config.rope_theta ** (-jnp.arange(half, dtype=jnp.float32) / half)
    angles = positions.astype(jnp.float32)[..., None, None] * frequencies
    return jnp.cos(angles), jnp.sin(angles)


def rotate(x: Array, rotary: Rotary) -> Array:
    """Rotary position embedding (RoFormer, arXiv 2104.09864), halves paired as in Llama.

    x: [..., heads, head_dim].
    """
    cos, sin = rotary
    first, second = jnp.split(x.astype(jnp.float32), 2, axis=-1)
    rotated = (first * cos - second * sin, second * cos + first * sin)
    return jnp.concatenate(rotated, axis=-1).astype(x.dtype)


@jax.custom_vjp
def _matmul(x: Array, weight: Array) -> Array:
    return x @ weight


def _matmul_forward(x: Array, weight: Array) -> tuple[Array, tuple[Array, Array]]:
    return x @ weight, (x, weight)


def _matmul_backward(residuals: tuple[Array, Array], gradient: Array) -> tuple[Array, Array]:
    # jax's own rule transposes the gradient instead of x. XLA's CPU backend fuses that
    # with what made the gradient into strided loops: a training step took 1.7 times as long.
    x, weight = residuals
    return gradient @ weight.T, jnp.einsum("nd,nf->df", x, gradient)


_matmul.defvjp(_matmul_forward, _matmul_backward)


def linear(x: Array, weight: nnx.Param, inputs: int = 1) -> Array:
    """Contracts the last `inputs` axes of x with the first of weight, in x's dtype."""
    lead, contracted = x.shape[: x.ndim - inputs], math.prod(x.shape[x.ndim - inputs :])
    matrix = weight[...].astype(x.dtype).reshape(contracted, -1)
    return _matmul(x.reshape(-1, contracted), matrix).reshape(*lead, *weight.shape[inputs:])


def causal_attention(q: Array, k: Array, v: Array) -> Array:
    """Grouped-query attention of each position to itself and what is before it.

    q: [B, L, heads, head_dim]; k, v: [B, L, kv_heads, head_dim]. Returns q's shape
    and dtype; the softmax is in fp32. Padding is on the right, so that causality
    alone hides it from real tokens.
    """
    batch, length, heads, head_dim = q.shape
    kv_heads = k.shape[2]
    # A query group shares its key head's matrix product: [B·kv_heads, group·L, head_dim].
    grouped = q.reshape(batch, length, kv_heads, -1, head_dim).transpose(0, 2, 3, 1, 4)
    grouped = grouped.reshape(batch, kv_heads, -1, head_dim)
    k, v = k.swapaxes(1, 2), v.swapaxes(1, 2)
    scores = jnp.einsum("bhqd,bhkd->bhqk", grouped, k, preferred_element_type=jnp.float32)
    causal = jnp.arange(length)[:, None] >= jnp.arange(length)[None, :]
    mask = jnp.tile(causal, (heads // kv_heads, 1))
    weights = jax.nn.softmax(jnp.where(mask, scores * head_dim**-0.5, -1e30), axis=-1)
    attended = jnp.einsum("bhqk,bhkd->bhqd", weights.astype(q.dtype), v)
    attended = attended.reshape(batch, kv_heads, -1, length, head_dim)
    return attended.transpose(0, 3, 1, 2, 4).reshape(q.shape)


class Attention(nnx.Module):
    """Projections of grouped-query attention with rotary positions."""

    def __init__(self, config: DecoderConfig, rngs: nnx.Rngs) -> None:
        self.config = config
        width, heads, kv_heads, head_dim = (
            config.hidden_size,
            config.num_heads,
            config.num_kv_heads,
            config.head_dim,
        )
        scale = width**-0.5
        kv_axes = ("embed", "kv_heads", "head_dim")
        self.q = parameter(rngs, (width, heads, head_dim), ("embed", "heads", "head_dim"), scale)
        self.k = parameter(rngs, (width, kv_heads, head_dim), kv_axes, scale)
        self.v = parameter(rngs, (width, kv_heads, head_dim), kv_axes, scale)
        out_scale = (heads * head_dim * 2 * config.num_layers) ** -0.5
        self.o = parameter(
            rngs, (heads, head_dim, width), ("heads", "head_dim", "embed"), out_scale
        )
        if config.attention_bias:
            self.q_bias = parameter(rngs, (heads, head_dim), ("heads", "head_dim"), 0.0)
            self.k_bias = parameter(rngs, (kv_heads, head_dim), ("kv_heads", "head_dim"), 0.0)
            self.v_bias = parameter(rngs, (kv_heads, head_dim), ("kv_heads", "head_dim"), 0.0)
        if config.qk_norm:
            self.q_norm = parameter(rngs, (head_dim,), ("norm",), None)
            self.k_norm = parameter(rngs, (head_dim,), ("norm",), None)

    def project(self, x: Array, rotary: Rotary) -> tuple[Array, Array, Array]:
        """x [..., hidden] -> q [..., heads, head_dim], k and v [..., kv_heads, head_dim].

        q and k are rotated.
        """
        dtype, eps = x.dtype, self.config.norm_eps
        q, k, v = linear(x, self.q), linear(x, self.k), linear(x, self.v)
        if self.config.attention_bias:
            q = q + self.q_bias[...].astype(dtype)
            k = k + self.k_bias[...].astype(dtype)
            v = v + self.v_bias[...].astype(dtype)
        if self.config.qk_norm:
            q = rms_norm(q, self.q_norm[...], eps)
            k = rms_norm(k, self.k_norm[...], eps)
        return rotate(q, rotary), rotate(k, rotary), v

    def output(self, attended: Array) -> Array:
        """attended [..., heads, head_dim] -> [..., hidden]."""
        return linear(attended, self.o, inputs=2)


class GatedMLP(nnx.Module):
    """SwiGLU (arXiv 2002.05202): down(silu(gate(x)) * up(x))."""

    def __init__(self, config: DecoderConfig, rngs: nnx.Rngs) -> None:
        width, inner = config.hidden_size, config.intermediate_size
        self.gate = parameter(rngs, (width, inner), ("embed", "mlp"), width**-0.5)
        self.up = parameter(rngs, (width, inner), ("embed", "mlp"), width**-0.5)
        down_scale = (inner * 2 * config.num_layers) ** -0.5
        self.down = parameter(rngs, (inner, width), ("mlp", "embed"), down_scale)

    def __call__(self, x: Array) -> Array:
        """[..., hidden] -> [..., hidden]."""
        return linear(jax.nn.silu(linear(x, self.gate)) * linear(x, self.up), self.down)


class DecoderLayer(nnx.Module):
    """Pre-norm residual layer: attention, then the gated MLP."""

    def __init__(self, config: DecoderConfig, rngs: nnx.Rngs) -> None:
        self.config = config
        self.attention_norm = parameter(rngs, (config.hidden_size,), ("norm",), None)
        self.attention = Attention(config, rngs)
        self.mlp_norm = parameter(rngs, (config.hidden_size,), ("norm",), None)
        self.mlp = GatedMLP(config, rngs)

    def __call__(
        self, x: Array, rotary: Rotary, attention: Callable[[Array, Array, Array], Array]
    ) -> Array:
        """x [..., hidden] -> same; `attention(q, k, v)` decides what is attended to."""
        eps = self.config.norm_eps
        normed = rms_norm(x, self.attention_norm[...], eps)
        attended = attention(*self.attention.project(normed, rotary))
        x = x + self.attention.output(attended)
        return x + self.mlp(rms_norm(x, self.mlp_norm[...], eps))
