"""The shape of a decoder: one frozen record, validated when it is made."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal

ComputeDtype = Literal["float32", "bfloat16", "float16"]


@dataclass(frozen=True)
class DecoderConfig:
    """Everything that decides the weights' tree and the mathematics of one decoder.

    `hidden_size` is the width of the residual stream, `intermediate_size` that
    of the gated MLP. `attention_bias` puts a bias on q, k and v (Qwen2);
    `qk_norm` normalises q and k per head (Qwen3). Weights are always fp32;
    `compute_dtype` is what activations and matrix products use. `scan_layers`
    stacks the layers' weights and scans over them (compile time independent of
    depth), `remat_layers` recomputes each layer in the backward pass.

    Raises:
        ValueError: a size is not positive, the heads do not divide, or the
            head dimension is odd.
    """

    vocab_size: int
    hidden_size: int = 128
    intermediate_size: int = 512
    num_layers: int = 4
    num_heads: int = 4
    num_kv_heads: int = 4
    head_dim: int = 32
    rope_theta: float = 10_000.0
    norm_eps: float = 1e-6
    qk_norm: bool = False
    attention_bias: bool = False
    tied_embeddings: bool = True
    compute_dtype: ComputeDtype = "float32"
    scan_layers: bool = False
    remat_layers: bool = False

    def __post_init__(self) -> None:
        for name in (
            "vocab_size",
            "hidden_size",
            "intermediate_size",
            "num_layers",
            "num_heads",
            "num_kv_heads",
            "head_dim",
        ):
            if getattr(self, name) < 1:
                raise ValueError(f"model.{name} must be at least 1, not {getattr(self, name)}")
        if self.num_heads % self.num_kv_heads:
            raise ValueError(
                f"model.num_heads ({self.num_heads}) must be a multiple of "
                f"model.num_kv_heads ({self.num_kv_heads})"
            )
        if self.head_dim % 2:
            raise ValueError(f"model.head_dim must be even for rotary positions: {self.head_dim}")
        if self.compute_dtype not in ("float32", "bfloat16", "float16"):
            raise ValueError(f"model.compute_dtype is unknown: {self.compute_dtype!r}")

    def differences(self, other: DecoderConfig) -> dict[str, tuple[Any, Any]]:
        """The fields in which two configurations differ, as name -> (self's, other's)."""
        return {
            field.name: (getattr(self, field.name), getattr(other, field.name))
            for field in fields(self)
            if getattr(self, field.name) != getattr(other, field.name)
        }
