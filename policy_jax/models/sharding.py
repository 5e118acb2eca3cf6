"""One table from the logical axes of arrays to the axes of the mesh.

The mesh has two axes: `data` (the batch is split over it, and weights too,
FSDP-style) and `tensor` (heads, MLP columns and the vocabulary).
"""

from __future__ import annotations

from collections.abc import Sequence

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

MESH_AXES = ("data", "tensor")

LOGICAL_AXES: dict[str, str | None] = {
    "batch": "data",
    "embed": "data",
    "vocab": "tensor",
    "heads": "tensor",
    "kv_heads": "tensor",
    "mlp": "tensor",
    "head_dim": None,
    "layers": None,
    "norm": None,
    "time": None,
}


def make_mesh(data: int = 1, tensor: int = 1, devices: Sequence[jax.Device] | None = None) -> Mesh:
    """A mesh [data, tensor] of the first `data * tensor` devices.

    Raises:
        ValueError: there are fewer devices than the mesh needs.
    """
    found = list(jax.devices() if devices is None else devices)
    if len(found) < data * tensor:
        raise ValueError(f"a mesh of {data} x {tensor} needs more than {len(found)} devices")
    return Mesh(np.asarray(found[: data * tensor]).reshape(data, tensor), MESH_AXES)


def sharding(mesh: Mesh, axes: Sequence[str | None], shape: Sequence[int]) -> NamedSharding:
    """Where an array with these logical axes lives; an axis that does not divide is replicated.

    Each mesh axis is used once: the first logical axis that asks for it has it.
    """
    used: set[str] = set()
    spec: list[str | None] = []
    for axis, size in zip(axes, shape, strict=True):
        physical = None if axis is None else LOGICAL_AXES[axis]
        if physical is None or physical in used or size % mesh.shape[physical]:
            spec.append(None)
        else:
            used.add(physical)
            spec.append(physical)
    return NamedSharding(mesh, PartitionSpec(*spec))
