"""Pytrees as flat dictionaries of named arrays, and their abstract shapes."""

from __future__ import annotations

from typing import Any

import jax
import optax
from jax.sharding import NamedSharding, PartitionSpec, SingleDeviceSharding
from jax.tree_util import DictKey, FlattenedIndexKey, GetAttrKey, KeyPath, SequenceKey

from policy_jax.models import Params


def flatten(tree: Any) -> dict[str, Any]:
    """The leaves of a tree by name, such as `layers.0.attention.q`."""
    leaves, _ = jax.tree_util.tree_flatten_with_path(tree)
    return {_name(path): leaf for path, leaf in leaves}


def unflatten(like: Any, named: dict[str, Any]) -> Any:
    """The tree of `like`'s structure with the leaves of `named`; inverse of `flatten`."""
    leaves, structure = jax.tree_util.tree_flatten_with_path(like)
    return jax.tree_util.tree_unflatten(structure, [named[_name(path)] for path, _ in leaves])


def abstract_optimizer(optimizer: optax.GradientTransformation, params: Params) -> Any:
    """Shapes of the optimizer's state for abstract `params`; moments are placed as the weights.

    `params` holds `jax.ShapeDtypeStruct`; where they carry shardings, so do the
    moments, and counters are replicated over the same mesh.
    """
    abstract = jax.eval_shape(optimizer.init, params)
    shardings = [leaf.sharding for leaf in jax.tree.leaves(params)]
    if any(sharding is None for sharding in shardings):
        return abstract
    replicated = NamedSharding(shardings[0].mesh, PartitionSpec())
    return optax.tree_utils.tree_map_params(
        optimizer,
        lambda leaf, weight: _placed(leaf, weight.sharding),
        abstract,
        params,
        transform_non_params=lambda leaf: _placed(leaf, replicated),
    )


def placed(tree: dict[str, Any]) -> dict[str, jax.ShapeDtypeStruct]:
    """Abstract leaves that all have a place: without a sharding, the first device."""
    default = SingleDeviceSharding(jax.devices()[0])
    return {
        name: _placed(leaf, getattr(leaf, "sharding", None) or default)
        for name, leaf in tree.items()
    }


def _placed(leaf: Any, sharding: Any) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, sharding=sharding)


def _name(path: KeyPath) -> str:
    return ".".join(str(part) for key in path if (part := _part(key)) is not None)


def _part(key: Any) -> Any:
    match key:
        case DictKey(key=name):
            return name
        case GetAttrKey(name="value"):
            return None  # the array inside a flax variable
        case GetAttrKey(name=name):
            return name
        case SequenceKey(idx=index):
            return index
        case FlattenedIndexKey(key=index):
            return index
    raise TypeError(f"a tree with keys of {type(key)} has no names")
