"""On the cpu target, torch's Python functions see a CUDA device.

A tensor is "on cuda" exactly if its storage lies in the emulated device memory.
`device="cuda"`, `.cuda()` and `.to("cuda")` allocate there, results of
operations on such tensors go there too, and mixing devices is refused, as on a
GPU: a submission that passes here must not need luck there.
"""

from __future__ import annotations

import contextlib
import time
import types
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

_CUDA = torch.device("cuda", 0)
_CPU = torch.device("cpu")

#: Functions that may take tensors of both devices, as on a GPU.
_MIXED = frozenset(
    {
        "copy_",
        "__set__",
        "set_",
        "__getitem__",
        "__setitem__",
        "index_put_",
        "index_put",
        "to",
        "result_type",
        "_has_compatible_shallow_copy_type",
        "is_same_size",
        "type_as",
        "load_state_dict",
    }
)

Place = Callable[[torch.Tensor], torch.Tensor]  # a copy in device memory
OnDevice = Callable[[torch.Tensor], bool]


class CudaView(TorchFunctionMode):
    """The mode; `place` copies to the emulated device, `on_device` tells where a tensor is."""

    def __init__(self, place: Place, on_device: OnDevice) -> None:
        super().__init__()
        self._place = place
        self._on_device = on_device

    def __torch_function__(
        self,
        func: Any,
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        kwargs = dict(kwargs or {})
        special = _SPECIAL.get(func)
        if special is not None:
            return special(self, args, kwargs)
        name = getattr(func, "__name__", "")
        if name == "_parse_to":  # reads the arguments of Module.to
            return func(*args, **kwargs)
        wanted = _pop_device(kwargs)
        tensors = _tensors((args, kwargs))
        located = [self._on_device(tensor) for tensor in tensors]
        if any(located) and name not in _MIXED:
            self._refuse_mixture(tensors, located)
        result = func(*args, **kwargs)
        to_device = wanted.type == "cuda" if wanted is not None else any(located)
        return _map_results(self._located, result) if to_device else result

    def _located(self, tensor: torch.Tensor) -> torch.Tensor:
        return tensor if self._on_device(tensor) else self._place(tensor)

    def _refuse_mixture(self, tensors: list[torch.Tensor], located: list[bool]) -> None:
        for tensor, inside in zip(tensors, located, strict=True):
            if not inside and tensor.dim() > 0:
                raise RuntimeError(
                    "Expected all tensors to be on the same device, "
                    "but found at least two devices, cuda:0 and cpu!"
                )

    # What a GPU's torch answers for single functions.

    def _get_is_cuda(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        return self._on_device(args[0])

    def _get_is_cpu(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        return not self._on_device(args[0])

    def _get_device(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> torch.device:
        return _CUDA if self._on_device(args[0]) else _CPU

    def _get_device_index(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> int:
        return 0 if self._on_device(args[0]) else -1

    def _cuda(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> torch.Tensor:
        return self._located(args[0])

    def _cpu(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> torch.Tensor:
        tensor = args[0]
        return torch.Tensor.clone(tensor) if self._on_device(tensor) else tensor

    def _to(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> torch.Tensor:
        tensor, *rest = args
        device = _pop_device(kwargs)
        other = rest[0] if rest and isinstance(rest[0], torch.Tensor) else kwargs.pop("other", None)
        if isinstance(other, torch.Tensor):
            device = _CUDA if self._on_device(other) else _CPU
            kwargs["dtype"] = other.dtype
            rest = rest[1:]
        elif rest and (found := _as_device(rest[0])) is not None:
            device, rest = found, rest[1:]
        for value in rest:  # dtype, then non_blocking and copy, which change no value
            if isinstance(value, torch.dtype):
                kwargs["dtype"] = value
        wanted = {key: value for key, value in kwargs.items() if key in _CONVERSIONS and value}
        moved = torch.Tensor.to(tensor, **wanted) if wanted else tensor
        if device is None:
            device = _CUDA if self._on_device(tensor) else _CPU
        if device.type == "cuda":
            return self._located(moved)
        return torch.Tensor.clone(moved) if self._on_device(moved) else moved


_CONVERSIONS = ("dtype", "memory_format")

_TENSOR: Any = torch.Tensor
_SPECIAL: dict[Any, Callable[[CudaView, tuple[Any, ...], dict[str, Any]], Any]] = {
    _TENSOR.is_cuda.__get__: CudaView._get_is_cuda,
    _TENSOR.is_cpu.__get__: CudaView._get_is_cpu,
    _TENSOR.device.__get__: CudaView._get_device,
    torch.Tensor.get_device: CudaView._get_device_index,
    torch.Tensor.cuda: CudaView._cuda,
    torch.Tensor.cpu: CudaView._cpu,
    torch.Tensor.to: CudaView._to,
}


def _as_device(value: object) -> torch.device | None:
    """The device that an argument names; None if it names none."""
    if isinstance(value, torch.device):
        return value
    if isinstance(value, str):
        return torch.device(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return torch.device("cuda", value)
    return None


def _pop_device(kwargs: dict[str, Any]) -> torch.device | None:
    return _as_device(kwargs.pop("device", None))


def _tensors(value: object) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [tensor for item in value for tensor in _tensors(item)]
    if isinstance(value, dict):
        return [tensor for item in value.values() for tensor in _tensors(item)]
    return []


def _map_results(function: Place, result: Any) -> Any:
    if isinstance(result, torch.Tensor):
        return function(result)
    if type(result) in (list, tuple):
        return type(result)(_map_results(function, item) for item in result)
    if isinstance(result, tuple) and hasattr(result, "_fields"):  # torch.return_types
        return type(result)([_map_results(function, item) for item in result])
    return result


class _Stream:
    """A stream: the emulated device runs everything in order."""

    cuda_stream = 0

    def __init__(self, *args: object, **kwargs: object) -> None: ...

    def synchronize(self) -> None: ...

    def wait_stream(self, stream: object) -> None: ...

    def wait_event(self, event: object) -> None: ...

    def record_event(self, event: Any = None) -> Any:
        event = event or _Event()
        event.record()
        return event

    def query(self) -> bool:
        return True


class _Event:
    """An event; elapsed times are the host's, for the cpu target times nothing."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        self._time = 0.0

    def record(self, stream: object = None) -> None:
        self._time = time.perf_counter()

    def elapsed_time(self, end: _Event) -> float:
        return 1000.0 * (end._time - self._time)

    def synchronize(self) -> None: ...

    def wait(self, stream: object = None) -> None: ...

    def query(self) -> bool:
        return True


@contextlib.contextmanager
def _nothing(*args: object, **kwargs: object) -> Iterator[None]:
    yield


def install_cuda_module() -> None:
    """Replaces the functions of `torch.cuda` that submissions call, in this process."""
    properties = types.SimpleNamespace(
        name="LEAP emulated GPU",
        major=9,
        minor=0,
        total_memory=80 << 30,
        multi_processor_count=132,
        warp_size=32,
        max_threads_per_multi_processor=2048,
        shared_memory_per_block=48 << 10,
    )
    stream = _Stream()
    replacements: dict[str, Any] = {
        "is_available": lambda: True,
        "is_initialized": lambda: True,
        "init": lambda: None,
        "device_count": lambda: 1,
        "current_device": lambda: 0,
        "set_device": lambda device: None,
        "synchronize": lambda device=None: None,
        "empty_cache": lambda: None,
        "memory_allocated": lambda device=None: 0,
        "max_memory_allocated": lambda device=None: 0,
        "reset_peak_memory_stats": lambda device=None: None,
        "manual_seed": lambda seed: None,  # torch.manual_seed calls these
        "manual_seed_all": lambda seed: None,
        "get_device_name": lambda device=None: properties.name,
        "get_device_capability": lambda device=None: (properties.major, properties.minor),
        "get_device_properties": lambda device=None: properties,
        "current_stream": lambda device=None: stream,
        "default_stream": lambda device=None: stream,
        "Stream": _Stream,
        "Event": _Event,
        "stream": _nothing,
        "device": _nothing,
    }
    for name, value in replacements.items():
        setattr(torch.cuda, name, value)
