"""Values that cross between processes: tensors as raw bytes under a checked header.

A bundle is a file (an anonymous one, `memfd`) that holds the bytes of tensors,
and a header in JSON: `tensors` lists dtype, shape and place of each, `value` is
a tree of tagged nodes that puts them back into lists, tuples, dicts and scalars.
Nothing is ever unpickled. `read` trusts neither the header nor the file.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator
from typing import Any

import torch

_ALIGNMENT = 64
_MAX_DEPTH = 16
_MAX_NODES = 10_000

DTYPES: dict[str, torch.dtype] = {
    str(dtype).removeprefix("torch."): dtype
    for dtype in (
        torch.float64,
        torch.float32,
        torch.float16,
        torch.bfloat16,
        torch.int64,
        torch.int32,
        torch.int16,
        torch.int8,
        torch.uint8,
        torch.bool,
        torch.complex64,
        torch.complex128,
    )
}

Header = dict[str, Any]


class BundleError(Exception):
    """A value that cannot be carried, or a header that does not fit its file."""


def dtype_name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


class Writer:
    """Appends values to a file; several may share one file."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._end = os.fstat(fd).st_size

    def write(self, value: object) -> Header:
        """Appends the tensors of `value`; returns the header that `read` needs.

        Raises BundleError for a type or dtype that cannot be carried.
        """
        tensors: list[Header] = []
        tree = self._encode(value, tensors, 0)
        return {"value": tree, "tensors": tensors}

    def _encode(self, value: object, tensors: list[Header], depth: int) -> list[Any]:
        if depth > _MAX_DEPTH:
            raise BundleError("a value is nested too deeply")
        if isinstance(value, torch.Tensor):
            tensors.append(self._append(value))
            return ["tensor", len(tensors) - 1]
        if value is None or isinstance(value, (bool, str)):
            return ["plain", value]
        if isinstance(value, int):
            return ["int", str(value)]
        if isinstance(value, float):
            return ["float", value.hex()]
        if isinstance(value, (list, tuple)):
            kind = "list" if isinstance(value, list) else "tuple"
            return [kind, [self._encode(item, tensors, depth + 1) for item in value]]
        if isinstance(value, dict) and all(isinstance(key, str) for key in value):
            items = [[key, self._encode(item, tensors, depth + 1)] for key, item in value.items()]
            return ["dict", items]
        if isinstance(value, torch.dtype) and dtype_name(value) in DTYPES:
            return ["dtype", dtype_name(value)]
        raise BundleError(f"a value of type {type(value).__name__} cannot cross between processes")

    def _append(self, tensor: torch.Tensor) -> Header:
        name = dtype_name(tensor.dtype)
        if name not in DTYPES or tensor.layout != torch.strided or tensor.is_quantized:
            raise BundleError(f"a tensor of dtype {name} cannot cross between processes")
        flat = tensor.detach().cpu().resolve_conj().resolve_neg().contiguous().reshape(-1)
        offset = -(-self._end // _ALIGNMENT) * _ALIGNMENT
        nbytes = flat.numel() * flat.element_size()
        if nbytes:
            _write_all(self._fd, flat.view(torch.uint8).numpy().data, offset)
            self._end = offset + nbytes
        return {"dtype": name, "shape": list(tensor.shape), "offset": offset, "nbytes": nbytes}


def _write_all(fd: int, data: memoryview, offset: int) -> None:
    while data:
        written = os.pwrite(fd, data[: 1 << 28], offset)
        data, offset = data[written:], offset + written


def read(fd: int, header: object, max_bytes: int = 1 << 40) -> Any:
    """The value that `header` describes, every tensor a private, writable copy.

    Bytes come by `pread`, so that a file which its writer shortens meanwhile
    gives an error, not a signal. Raises BundleError for a header that is
    malformed, too large or does not fit the file.
    """
    tensors = [_read_tensor(fd, *described) for described in describe(header, max_bytes)]
    return _decode(_field(header, "value", list), tensors, 0, _Budget(_MAX_NODES))


def read_lazily(fd: int, header: object) -> Any:
    """As `read`, but pages of a private mapping: copied where written, read on demand.

    For files that only a trusted side can write.
    """
    tensors = []
    size = os.fstat(fd).st_size
    mapping = mmap.mmap(fd, size, flags=mmap.MAP_PRIVATE) if size else None
    for dtype, shape, offset, nbytes in describe(header, 1 << 40):
        if nbytes == 0 or mapping is None:
            tensors.append(torch.empty(shape, dtype=dtype))
        else:
            count = nbytes // dtype.itemsize
            flat = torch.frombuffer(mapping, dtype=dtype, count=count, offset=offset)
            tensors.append(flat.reshape(shape))
    return _decode(_field(header, "value", list), tensors, 0, _Budget(_MAX_NODES))


def describe(header: object, max_bytes: int) -> Iterator[tuple[torch.dtype, list[int], int, int]]:
    """Dtype, shape, offset and size in bytes of each tensor of a checked header."""
    entries = _field(header, "tensors", list)
    if len(entries) > _MAX_NODES:
        raise BundleError("a header lists too many tensors")
    total = 0
    for entry in entries:
        dtype = DTYPES.get(_field(entry, "dtype", str))
        if dtype is None:
            raise BundleError("a header names an unknown dtype")
        shape = _field(entry, "shape", list)
        if len(shape) > 64:
            raise BundleError("a tensor has too many dimensions")
        count = 1
        for extent in shape:
            if type(extent) is not int or not 0 <= extent < 1 << 48:
                raise BundleError("a header holds a bad shape")
            count *= extent
        offset, nbytes = _field(entry, "offset", int), _field(entry, "nbytes", int)
        if offset < 0 or offset % _ALIGNMENT or nbytes != count * dtype.itemsize:
            raise BundleError("a header does not fit its shape")
        total += nbytes
        if total > max_bytes:
            raise BundleError(f"tensors of more than {max_bytes} bytes")
        yield dtype, shape, offset, nbytes


def _read_tensor(
    fd: int, dtype: torch.dtype, shape: list[int], offset: int, nbytes: int
) -> torch.Tensor:
    if nbytes and offset + nbytes > os.fstat(fd).st_size:
        raise BundleError("a file is shorter than its header says")
    flat = torch.empty(nbytes, dtype=torch.uint8)
    view = flat.numpy().data
    done = 0
    while done < nbytes:
        got = os.preadv(fd, [view[done : done + (1 << 28)]], offset + done)
        if got == 0:
            raise BundleError("a file is shorter than its header says")
        done += got
    return flat.view(dtype).reshape(shape)


class _Budget:
    def __init__(self, nodes: int) -> None:
        self._left = nodes

    def spend(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise BundleError("a value has too many parts")


def _decode(node: object, tensors: list[torch.Tensor], depth: int, budget: _Budget) -> Any:
    budget.spend()
    if depth > _MAX_DEPTH or not isinstance(node, list) or len(node) != 2:
        raise BundleError("a header holds a malformed value")
    kind, content = node
    if kind == "tensor" and type(content) is int and 0 <= content < len(tensors):
        return tensors[content]
    if kind == "plain" and (content is None or isinstance(content, (bool, str))):
        return content
    if kind == "int" and isinstance(content, str) and len(content) < 1000:
        return _number(int, content)
    if kind == "float" and isinstance(content, str) and len(content) < 100:
        return _number(float.fromhex, content)
    if kind in ("list", "tuple") and isinstance(content, list):
        items = [_decode(item, tensors, depth + 1, budget) for item in content]
        return items if kind == "list" else tuple(items)
    if kind == "dict" and isinstance(content, list):
        return {_key(pair): _decode(pair[1], tensors, depth + 1, budget) for pair in content}
    if kind == "dtype" and isinstance(content, str) and content in DTYPES:
        return DTYPES[content]
    raise BundleError("a header holds a malformed value")


def _number(parse: Any, text: str) -> Any:
    try:
        return parse(text)
    except ValueError:
        raise BundleError("a header holds a malformed number") from None


def _key(pair: object) -> str:
    if isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str):
        return pair[0]
    raise BundleError("a header holds a malformed dict")


def _field(mapping: object, name: str, kind: type) -> Any:
    if isinstance(mapping, dict) and type(mapping.get(name)) is kind:
        return mapping[name]
    raise BundleError(f"a header lacks '{name}'")


def flatten(value: object) -> list[object]:
    """The leaves of nested lists, tuples and dicts, in order."""
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in flatten(item)]
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in flatten(item)]
    return [value]


def same(before: object, after: object) -> bool:
    """Whether two leaves are equal bit for bit, NaN included; True for what is no tensor."""
    if not isinstance(before, torch.Tensor) or not isinstance(after, torch.Tensor):
        return True
    if before.shape != after.shape or before.dtype != after.dtype:
        return False
    differ = before != after
    if before.is_floating_point() or before.is_complex():
        differ &= ~(before.isnan() & after.isnan())
    return not bool(differ.any())


def tensor_map(function: Any, value: Any) -> Any:
    """`value` with `function` applied to each tensor in it."""
    if isinstance(value, torch.Tensor):
        return function(value)
    if isinstance(value, list):
        return [tensor_map(function, item) for item in value]
    if isinstance(value, tuple):
        return tuple(tensor_map(function, item) for item in value)
    if isinstance(value, dict):
        return {key: tensor_map(function, item) for key, item in value.items()}
    return value
