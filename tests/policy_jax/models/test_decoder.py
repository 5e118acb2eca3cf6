"""The decoder against a plain reference, its padding, its layouts and its shardings."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from policy_jax.models import (
    Decoder,
    DecoderConfig,
    abstract_params,
    count_params,
    family,
    init_params,
    make_mesh,
    preset,
    sharding,
)

SMALL = DecoderConfig(
    vocab_size=40,
    hidden_size=16,
    intermediate_size=24,
    num_layers=2,
    num_heads=4,
    num_kv_heads=2,
    head_dim=6,
)
VARIANTS = {
    "llama": SMALL,
    "qwen2": replace(SMALL, attention_bias=True, tied_embeddings=False),
    "qwen3": replace(SMALL, qk_norm=True, num_kv_heads=4, rope_theta=1e6),
}


def decoder(config: DecoderConfig, seed: int = 0) -> Decoder:
    """A decoder whose every weight is random, norms and biases included."""
    graph, params = init_params(config, jax.random.key(seed))
    leaves, structure = jax.tree.flatten(params)
    keys = jax.random.split(jax.random.key(seed + 1), len(leaves))
    noisy = [
        leaf + 0.1 * jax.random.normal(key, leaf.shape)
        for leaf, key in zip(leaves, keys, strict=True)
    ]
    return nnx.merge(graph, jax.tree.unflatten(structure, noisy))


@nnx.jit
def forward(model: Decoder, ids: jax.Array) -> jax.Array:
    """Hidden states."""
    return model(ids)


@nnx.jit
def logits_of(model: Decoder, ids: jax.Array) -> jax.Array:
    return model.logits(model(ids))


def tokens(batch: int, length: int, seed: int = 0) -> jax.Array:
    return jax.random.randint(jax.random.key(seed), (batch, length), 0, SMALL.vocab_size)


def reference_logits(model: Decoder, ids: np.ndarray) -> np.ndarray:
    """One sequence [L] -> logits [L, V]: a loop over positions and heads, in float64."""
    config = model.config

    def get(parameter: nnx.Param) -> np.ndarray:
        return np.asarray(parameter[...], np.float64)

    def norm(x: np.ndarray, weight: np.ndarray) -> np.ndarray:
        return x / np.sqrt(np.mean(x**2, -1, keepdims=True) + config.norm_eps) * weight

    def rotate(x: np.ndarray, position: int) -> np.ndarray:
        half = config.head_dim // 2
        turned = x.copy()
        for i in range(half):
            angle = position * config.rope_theta ** (-i / half)
            c, s = np.cos(angle), np.sin(angle)
            turned[i] = x[i] * c - x[i + half] * s
            turned[i + half] = x[i + half] * c + x[i] * s
        return turned

    x = get(model.embedding)[ids]
    for layer in model.layer_list():
        a = layer.attention
        normed = norm(x, get(layer.attention_norm))
        q, k, v = (np.einsum("ld,dhk->lhk", normed, get(w)) for w in (a.q, a.k, a.v))
        if config.attention_bias:
            q, k, v = q + get(a.q_bias), k + get(a.k_bias), v + get(a.v_bias)
        if config.qk_norm:
            q, k = norm(q, get(a.q_norm)), norm(k, get(a.k_norm))
        attended = np.zeros_like(q)
        for t in range(len(ids)):
            for head in range(config.num_heads):
                group = head // (config.num_heads // config.num_kv_heads)
                query = rotate(q[t, head], t)
                scores = np.array([query @ rotate(k[s, group], s) for s in range(t + 1)])
                weights = np.exp(scores / np.sqrt(config.head_dim))
                attended[t, head] = (weights / weights.sum()) @ v[: t + 1, group]
        x = x + np.einsum("lhk,hkd->ld", attended, get(a.o))
        normed = norm(x, get(layer.mlp_norm))
        gate = normed @ get(layer.mlp.gate)
        x = x + (gate / (1 + np.exp(-gate)) * (normed @ get(layer.mlp.up))) @ get(layer.mlp.down)
    head = model.embedding if config.tied_embeddings else model.head
    return norm(x, get(model.norm)) @ get(head).T


@pytest.mark.parametrize("name", VARIANTS)
def test_logits_equal_the_plain_reference(name: str) -> None:
    model = decoder(VARIANTS[name])
    ids = tokens(2, 9)
    logits = logits_of(model, ids)
    expected = np.stack([reference_logits(model, np.asarray(row)) for row in ids])
    np.testing.assert_allclose(logits, expected, rtol=2e-4, atol=2e-4)


def test_scanned_and_rematerialised_layers_compute_the_same() -> None:
    plain = decoder(SMALL)
    model = _with(replace(SMALL, scan_layers=True, remat_layers=True), plain)
    ids = tokens(2, 9)
    np.testing.assert_allclose(forward(model, ids), forward(plain, ids), rtol=1e-5, atol=1e-5)
    for ours, theirs in zip(model.layer_list(), plain.layer_list(), strict=True):
        np.testing.assert_array_equal(ours.mlp.up[...], theirs.mlp.up[...])


def _with(config: DecoderConfig, plain: Decoder) -> Decoder:
    """A stacked decoder with the weights of an unstacked one."""
    model = Decoder(config, nnx.Rngs(params=jax.random.key(5)))
    states = [nnx.state(layer) for layer in plain.layers]
    nnx.update(model.layers, jax.tree.map(lambda *leaves: jnp.stack(leaves), *states))
    model.embedding[...] = plain.embedding[...]
    model.norm[...] = plain.norm[...]
    return model


def test_later_tokens_and_padding_change_nothing_before_them() -> None:
    model = decoder(SMALL)
    ids = tokens(2, 12)
    changed = ids.at[:, 8:].set(0)
    expected = forward(model, ids[:, :8])
    for longer in (ids, changed):
        np.testing.assert_allclose(forward(model, longer)[:, :8], expected, rtol=1e-5, atol=1e-5)


def test_bfloat16_compute_keeps_fp32_weights_and_logits() -> None:
    model = decoder(replace(SMALL, compute_dtype="bfloat16"))
    assert forward(model, tokens(1, 5)).dtype == jnp.bfloat16
    logits = logits_of(model, tokens(1, 5))
    assert logits.dtype == jnp.float32
    assert {leaf.dtype for leaf in jax.tree.leaves(nnx.state(model))} == {jnp.dtype("float32")}
    full = logits_of(decoder(SMALL), tokens(1, 5))
    np.testing.assert_allclose(logits, full, atol=0.5, rtol=0.1)


@pytest.mark.parametrize(
    ("name", "count"),
    [  # as published with each model
        ("llama-3-8b", 8_030_261_248),
        ("qwen2.5-0.5b", 494_032_768),
        ("qwen2.5-7b", 7_615_616_512),
        ("qwen3-0.6b", 596_049_920),
        ("qwen3-8b", 8_190_735_360),
    ],
)
def test_presets_have_the_published_number_of_weights(name: str, count: int) -> None:
    assert count_params(abstract_params(preset(name))[1]) == count


def test_families_and_presets_by_name() -> None:
    assert family("qwen3", vocab_size=9, num_layers=1).qk_norm
    assert preset("qwen3-8b", num_layers=2).num_layers == 2
    with pytest.raises(ValueError, match="no model preset 'gpt'; there are: llama-3-8b"):
        preset("gpt")
    with pytest.raises(ValueError, match="no model family 'gpt'; there are: llama"):
        family("gpt")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"num_heads": 3}, r"model.num_heads \(3\) must be a multiple"),
        ({"num_layers": 0}, "model.num_layers must be at least 1"),
        ({"head_dim": 5}, "model.head_dim must be even"),
        ({"compute_dtype": "int8"}, "model.compute_dtype is unknown"),
    ],
)
def test_impossible_configurations_are_refused(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        replace(SMALL, **change)


def test_differences_name_fields() -> None:
    assert SMALL.differences(SMALL) == {}
    assert SMALL.differences(replace(SMALL, head_dim=8)) == {"head_dim": (6, 8)}


def test_one_definition_gives_abstract_tree_and_weights() -> None:
    for config in (SMALL, replace(SMALL, scan_layers=True, remat_layers=True)):
        _, abstract = abstract_params(config, make_mesh())
        _, params = init_params(config, jax.random.key(0))
        assert jax.tree.structure(abstract) == jax.tree.structure(params)
        shapes = jax.tree.map(
            lambda a, p: (a.shape, a.dtype) == (p.shape, p.dtype), abstract, params
        )
        assert all(jax.tree.leaves(shapes))


def test_mesh_needs_its_devices() -> None:
    with pytest.raises(ValueError, match="a mesh of 64 x 2 needs more than"):
        make_mesh(64, 2)


def test_axis_that_does_not_divide_is_replicated() -> None:
    mesh = jax.sharding.AbstractMesh((4, 2), ("data", "tensor"))
    spec = sharding(mesh, ("vocab", "embed"), (10, 8)).spec
    assert tuple(spec) == ("tensor", "data")
    assert tuple(sharding(mesh, ("vocab", "embed"), (9, 6)).spec) == (None, None)


EIGHT_DEVICES = """
import jax, numpy as np
from flax import nnx
from policy_jax.models import init_params, make_mesh, sharding, token_logprobs
from tests.policy_jax.models.test_decoder import SMALL, tokens

mesh = make_mesh(4, 2)
graph, params = init_params(SMALL, jax.random.key(0), mesh)
_, alone = init_params(SMALL, jax.random.key(0))
shards = {str(leaf.sharding.spec) for leaf in jax.tree.leaves(params)}
assert any("data" in s and "tensor" in s for s in shards), shards

@jax.jit
def loss_and_gradients(params, ids):
    return jax.value_and_grad(
        lambda p: token_logprobs(nnx.merge(graph, p), ids)[0].mean()
    )(params)

ids = tokens(8, 11)
placed = jax.device_put(ids, sharding(mesh, ("batch", "time"), ids.shape))
results = loss_and_gradients(params, placed), loss_and_gradients(alone, ids)
for a, b in zip(*map(jax.tree.leaves, results), strict=True):
    np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-6)
print("same")
"""


def test_eight_devices_compute_what_one_does() -> None:
    done = subprocess.run(
        [sys.executable, "-c", EIGHT_DEVICES],
        env={
            "PATH": "",
            "JAX_PLATFORMS": "cpu",
            "XLA_FLAGS": "--xla_force_host_platform_device_count=8",
        },
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip() == "same", done.stderr
