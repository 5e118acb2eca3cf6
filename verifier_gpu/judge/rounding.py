"""An error model of floating-point evaluation in a different order, by injected noise.

A kernel may sum in sequence where torch sums in a tree. What that costs is
modelled operation by operation on the float64 reference: after each operation,
random noise of the size that rounding in the working precision would leave is
added to its result, and carried through the rest of the model by the model
itself (Monte Carlo arithmetic: Parker, "Monte Carlo Arithmetic", 1997).

For a sum of n terms t_i taken one after the other, every partial sum s_k is
rounded with an error uniform in ±u|s_k|. With s_k drifting to the result y
while fluctuating as a bridge, sum s_k² ≈ n·y²/3 + n·Q²/6 with Q² = sum t_i², and
the error's standard deviation is u·sqrt(n/9 · (y² + Q²/2)). Q² costs one more
reduction of the squared operands.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Operations whose result is exact: they only move or select values.
_EXACT = _names(
    """
    clone copy _to_copy cat stack index index_select gather scatter where relu relu_ neg abs
    maximum minimum max min amax amin clamp clamp_min clamp_max clamp_ sort topk argmax
    argmin max_pool2d_with_indices max_pool3d_with_indices constant_pad_nd masked_fill tril
    triu flip roll repeat embedding sign floor ceil round threshold hardtanh leaky_relu_
    fill zero new_zeros new_ones zeros_like ones_like full_like empty_like eq ne lt le gt ge
    cummax cummin unique_consecutive pixel_shuffle upsample_nearest2d one_hot bernoulli
    dropout native_dropout rand_like randn_like
    """
)

#: Operations that a GPU's math library computes to a few units in the last place.
_TRANSCENDENTAL = _names(
    """
    exp exp2 expm1 log log2 log10 log1p tanh sigmoid gelu silu softplus elu celu selu mish
    erf erfc erfinv pow sin cos tan asin acos atan atan2 sinh cosh rsqrt hardswish
    log_sigmoid log_sigmoid_forward logit logaddexp
    """
)

#: Operations that normalise over some extent of their operands.
_NORMALISATIONS = _names(
    """
    _softmax _log_softmax native_layer_norm native_group_norm native_batch_norm
    _native_batch_norm_legit cudnn_batch_norm _fused_rms_norm _safe_softmax
    _scaled_dot_product_flash_attention_for_cpu _scaled_dot_product_flash_attention
    _scaled_dot_product_efficient_attention _scaled_dot_product_attention_math
    """
)

_TRANSCENDENTAL_ULPS = 8.0


class RoundingNoise(TorchDispatchMode):
    """Adds to every operation's floating result the noise of computing it with rounding unit `u`.

    Args:
        unit: rounding unit of the modelled precision (2**-24 for float32).
        generator: source of the noise, on the device of the operands.
    """

    def __init__(self, unit: float, generator: torch.Generator) -> None:
        super().__init__()
        self._unit = unit
        self._generator = generator

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # True, the default, imports all of torch's compiler at the first use

    def __torch_dispatch__(
        self,
        func: Any,
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        kwargs = kwargs or {}
        name = func.overloadpacket.__name__
        aliases = [result.alias_info for result in func._schema.returns]
        if any(alias is not None and not alias.is_write for alias in aliases):
            return func(*args, **kwargs)  # a view
        operands = [value for value in args if _is_float(value)]
        if name.rstrip("_") in _EXACT or not operands:
            return func(*args, **kwargs)
        # An in-place operation overwrites what the model of its error reads.
        if any(alias is not None for alias in aliases):
            operands = [value.clone() for value in operands]
        deviation = _MODELS.get(name)
        square = deviation(args, kwargs) if deviation is not None else None
        result = func(*args, **kwargs)
        outputs = result if isinstance(result, (tuple, list)) else (result,)
        for output in outputs:
            if _is_float(output) and output.numel():
                self._perturb(name, output, operands, square)
        return result

    def _perturb(
        self,
        name: str,
        output: torch.Tensor,
        operands: list[torch.Tensor],
        summation: tuple[int, torch.Tensor, float] | None,
    ) -> None:
        size = output.abs()
        largest = max(value.numel() for value in operands)
        if summation is not None and summation[1].shape == output.shape:
            count, squares, divisor = summation
            total = size * divisor
            scale = (count / 9 * (total.square() + squares / 2)).sqrt() / divisor
        elif name in _NORMALISATIONS:
            extent = max(1, max(value.shape[-1] if value.dim() else 1 for value in operands))
            if "norm" in name:
                extent = max(1, largest // max(1, _rows(operands[0])))
            scale = (math.sqrt(extent) / 3 + 4) * (size + size.square().mean().sqrt())
        elif largest > output.numel():
            scale = (math.sqrt(largest / output.numel()) / 3 + 2) * size
        else:
            scale = (_TRANSCENDENTAL_ULPS if name in _TRANSCENDENTAL else 1.0) * size
        noise = torch.randn(
            output.shape, dtype=output.dtype, device=output.device, generator=self._generator
        )
        output.add_(noise * scale.nan_to_num(0.0, 0.0, 0.0), alpha=self._unit)


def _is_float(value: object) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point()


def _rows(value: torch.Tensor) -> int:
    return value.shape[0] if value.dim() else 1


_Summation = tuple[int, torch.Tensor, float]  # terms, sum of their squares, divisor of the result


def _matmul(left: int, right: int) -> Callable[..., _Summation]:
    def model(args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Summation:
        a, b = args[left], args[right]
        return a.shape[-1], a.square() @ b.square(), 1.0

    return model


def _dot(args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Summation:
    return args[0].numel(), (args[0] * args[1]).square().sum(), 1.0


def _sum(args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Summation:
    squares = args[0].square().sum(*args[1:], **{k: v for k, v in kwargs.items() if k != "dtype"})
    return max(1, args[0].numel() // max(1, squares.numel())), squares, 1.0


def _mean(args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Summation:
    count, squares, _ = _sum(args, kwargs)
    return count, squares, float(count)


def _cumsum(args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Summation:
    return args[0].shape[args[1]] if args[0].dim() else 1, args[0].square().cumsum(args[1]), 1.0


def _convolution(args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Summation:
    x, weight, _bias, *rest = args
    squares = torch.ops.aten.convolution.default(x.square(), weight.square(), None, *rest)
    transposed = rest[3]
    count = weight.numel() // max(1, weight.shape[1] if transposed else weight.shape[0])
    return max(1, count), squares, 1.0


_MODELS: dict[str, Callable[..., _Summation]] = {
    "mm": _matmul(0, 1),
    "bmm": _matmul(0, 1),
    "mv": _matmul(0, 1),
    "addmm": _matmul(1, 2),
    "baddbmm": _matmul(1, 2),
    "addmv": _matmul(1, 2),
    "dot": _dot,
    "sum": _sum,
    "mean": _mean,
    "cumsum": _cumsum,
    "convolution": _convolution,
}
