"""Published families as configurations of the one decoder.

A family fixes what its members share (bias, QK-norm, rotary base); a preset
fixes the sizes as well. Sizes are those of the models' published configs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from policy_jax.models.config import DecoderConfig

FAMILIES: dict[str, dict[str, Any]] = {
    "llama": {"rope_theta": 500_000.0, "norm_eps": 1e-5},
    "qwen2": {"rope_theta": 1_000_000.0, "norm_eps": 1e-6, "attention_bias": True},
    "qwen3": {"rope_theta": 1_000_000.0, "norm_eps": 1e-6, "qk_norm": True},
}


def _preset(
    family: str,
    *,
    vocab: int,
    hidden: int,
    mlp: int,
    layers: int,
    heads: int,
    kv_heads: int,
    head_dim: int,
    tied: bool,
) -> DecoderConfig:
    return DecoderConfig(
        vocab_size=vocab,
        hidden_size=hidden,
        intermediate_size=mlp,
        num_layers=layers,
        num_heads=heads,
        num_kv_heads=kv_heads,
        head_dim=head_dim,
        tied_embeddings=tied,
        compute_dtype="bfloat16",
        scan_layers=True,
        remat_layers=True,
        **FAMILIES[family],
    )


PRESETS: dict[str, DecoderConfig] = {
    "llama-3-8b": _preset(
        "llama",
        vocab=128_256,
        hidden=4096,
        mlp=14_336,
        layers=32,
        heads=32,
        kv_heads=8,
        head_dim=128,
        tied=False,
    ),
    "qwen2.5-0.5b": _preset(
        "qwen2",
        vocab=151_936,
        hidden=896,
        mlp=4864,
        layers=24,
        heads=14,
        kv_heads=2,
        head_dim=64,
        tied=True,
    ),
    "qwen2.5-7b": _preset(
        "qwen2",
        vocab=152_064,
        hidden=3584,
        mlp=18_944,
        layers=28,
        heads=28,
        kv_heads=4,
        head_dim=128,
        tied=False,
    ),
    "qwen3-0.6b": _preset(
        "qwen3",
        vocab=151_936,
        hidden=1024,
        mlp=3072,
        layers=28,
        heads=16,
        kv_heads=8,
        head_dim=128,
        tied=True,
    ),
    "qwen3-8b": _preset(
        "qwen3",
        vocab=151_936,
        hidden=4096,
        mlp=12_288,
        layers=36,
        heads=32,
        kv_heads=8,
        head_dim=128,
        tied=False,
    ),
}


def preset(name: str, **overrides: Any) -> DecoderConfig:
    """The named preset with some fields replaced.

    Raises:
        ValueError: no preset has this name.
    """
    if name not in PRESETS:
        raise ValueError(f"no model preset {name!r}; there are: {', '.join(sorted(PRESETS))}")
    return replace(PRESETS[name], **overrides)


def family(name: str, **fields: Any) -> DecoderConfig:
    """A decoder of a family with sizes of one's own; `fields` win over the family's.

    Raises:
        ValueError: no family has this name, or the sizes do not fit together.
    """
    if name not in FAMILIES:
        raise ValueError(f"no model family {name!r}; there are: {', '.join(sorted(FAMILIES))}")
    return DecoderConfig(**{**FAMILIES[name], **fields})
