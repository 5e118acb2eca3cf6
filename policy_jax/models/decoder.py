"""The decoder, and the three things one definition of it gives.

`abstract_params` (shapes, dtypes and shardings without memory), the shardings
inside it, and `init_params` (the weights themselves, made where they live).
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from flax import nnx
from jax import Array
from jax.sharding import Mesh

from policy_jax.models.config import DecoderConfig
from policy_jax.models.layers import (
    DecoderLayer,
    causal_attention,
    parameter,
    rms_norm,
    rotary_tables,
)
from policy_jax.models.sharding import sharding

Params = Any  # an nnx.State of the decoder's weights: a pytree of fp32 arrays


class Decoder(nnx.Module):
    """A causal language model: token ids in, hidden states or logits out."""

    def __init__(self, config: DecoderConfig, rngs: nnx.Rngs) -> None:
        self.config = config
        vocab, width = config.vocab_size, config.hidden_size
        self.embedding = parameter(rngs, (vocab, width), ("vocab", "embed"), width**-0.5)
        # A list of layers, or with `scan_layers` one layer of stacked weights.
        self.layers: Any = (
            _stacked_layers(config, rngs)
            if config.scan_layers
            else nnx.List([DecoderLayer(config, rngs) for _ in range(config.num_layers)])
        )
        self.norm = parameter(rngs, (width,), ("norm",), None)
        if not config.tied_embeddings:
            self.head = parameter(rngs, (vocab, width), ("vocab", "embed"), width**-0.5)

    def embed(self, tokens: Array) -> Array:
        """int32 ids [...] -> [..., hidden] in the compute dtype."""
        return self.embedding[...][tokens].astype(self.config.compute_dtype)

    def logits(self, hidden: Array) -> Array:
        """Final hidden states [..., hidden] -> fp32 logits [..., vocab]."""
        head = self.embedding if self.config.tied_embeddings else self.head
        weight = head[...].astype(hidden.dtype)
        return jnp.einsum("...d,vd->...v", hidden, weight, preferred_element_type=jnp.float32)

    def layer_list(self) -> list[DecoderLayer]:
        """One module a layer, also where the weights are stacked."""
        if not self.config.scan_layers:
            return list(self.layers)
        graph, state = nnx.split(self.layers)
        return [
            nnx.merge(graph, jax.tree.map(lambda leaf, i=i: leaf[i], state))
            for i in range(self.config.num_layers)
        ]

    def __call__(self, tokens: Array) -> Array:
        """int32 ids [B, L], padded on the right -> final hidden states [B, L, hidden].

        What stands at padded positions is meaningless and must be masked by the caller.
        """
        rotary = rotary_tables(self.config, jnp.arange(tokens.shape[1]))

        def one_layer(layer: DecoderLayer, x: Array) -> Array:
            return layer(x, rotary, causal_attention)

        if self.config.remat_layers:
            one_layer = nnx.remat(one_layer)
        x = self.embed(tokens)
        if self.config.scan_layers:
            graph, state = nnx.split(self.layers)
            x, _ = jax.lax.scan(lambda h, s: (one_layer(nnx.merge(graph, s), h), None), x, state)
        else:
            for layer in self.layers:
                x = one_layer(layer, x)
        return self.final_norm(x)

    def final_norm(self, x: Array) -> Array:
        """The norm between the last layer and the head; [..., hidden] -> same."""
        return rms_norm(x, self.norm[...], self.config.norm_eps)


def _stacked_layers(config: DecoderConfig, rngs: nnx.Rngs) -> DecoderLayer:
    """One layer whose every weight has a leading axis `layers`."""

    @nnx.vmap(in_axes=0, out_axes=0)
    def make(key: Array) -> DecoderLayer:
        return DecoderLayer(config, nnx.Rngs(params=key))

    layers = make(jax.random.split(rngs.params(), config.num_layers))
    for _, variable in nnx.iter_graph(layers):
        if isinstance(variable, nnx.Param):
            variable.set_metadata(logical_axes=("layers", *variable.get_metadata("logical_axes")))
    return layers


def build(config: DecoderConfig, key: Array) -> tuple[nnx.GraphDef, Params]:
    """The decoder's structure and fresh weights, on the default device."""
    return nnx.split(Decoder(config, nnx.Rngs(params=key)), nnx.Param)


def abstract_params(config: DecoderConfig, mesh: Mesh | None = None) -> tuple[nnx.GraphDef, Params]:
    """Structure, and a tree of `jax.ShapeDtypeStruct`, with shardings when a mesh is given."""
    abstract = nnx.eval_shape(lambda: Decoder(config, nnx.Rngs(params=jax.random.key(0))))
    graph, params = nnx.split(abstract, nnx.Param)
    if mesh is None:
        return graph, params

    def placed(param: nnx.Variable) -> nnx.Variable:
        value = param.get_value()
        where = sharding(mesh, param.get_metadata("logical_axes"), value.shape)
        return param.replace(jax.ShapeDtypeStruct(value.shape, value.dtype, sharding=where))

    is_param = lambda node: isinstance(node, nnx.Variable)  # noqa: E731
    return graph, jax.tree.map(placed, params, is_leaf=is_param)


def init_params(
    config: DecoderConfig, key: Array, mesh: Mesh | None = None
) -> tuple[nnx.GraphDef, Params]:
    """Structure and fresh fp32 weights; with a mesh every shard is made where it lives."""
    if mesh is None:  # op by op: layers share what is compiled
        return build(config, key)
    graph, abstract = abstract_params(config, mesh)
    placement = jax.tree.map(lambda leaf: leaf.sharding, abstract)
    make = jax.jit(lambda k: build(config, k)[1], out_shardings=placement)
    return graph, make(key)


def count_params(params: Params) -> int:
    """How many weights a tree has."""
    return sum(leaf.size for leaf in jax.tree.leaves(params))
