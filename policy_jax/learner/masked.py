"""Reductions under a mask.

Where the mask is 0 a value may be anything, infinities and NaN included: it
touches neither the result nor the gradient.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

Array = jax.Array


def keep(values: Array, mask: Array) -> Array:
    """`values` where `mask` is not 0, else 0; same shape."""
    return jnp.where(mask != 0, values, jnp.zeros_like(values))


def total(values: Array, mask: Array) -> Array:
    """Scalar sum of `values * mask`."""
    return jnp.sum(keep(values, mask) * mask)
