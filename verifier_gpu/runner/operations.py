"""Which of torch's own operations computed something in a call, for the notes.

A submission may use torch around its kernels; a person wants to know when torch
did the work. Allocation, copies, views and casts are not counted.
"""

from __future__ import annotations

from typing import Any

from torch.utils._python_dispatch import TorchDispatchMode

#: Operations that only make, move or name memory.
_PLUMBING = frozenset(
    {
        "_local_scalar_dense",
        "_to_copy",
        "alias",
        "as_strided",
        "cat",
        "clone",
        "contiguous",
        "copy_",
        "detach",
        "empty",
        "empty_like",
        "empty_strided",
        "expand",
        "fill_",
        "full",
        "full_like",
        "narrow",
        "new_empty",
        "new_empty_strided",
        "new_full",
        "new_ones",
        "new_zeros",
        "ones",
        "ones_like",
        "permute",
        "resize_",
        "scalar_tensor",
        "select",
        "set_",
        "slice",
        "split",
        "squeeze",
        "stack",
        "t",
        "transpose",
        "unsafe_view",
        "_unsafe_view",
        "unsqueeze",
        "view",
        "_reshape_alias",
        "zero_",
        "zeros",
        "zeros_like",
    }
)


class OperationLog(TorchDispatchMode):
    """Collects the names of operations that compute, in the order of their first use."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

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
        name = func.overloadpacket.__name__
        if name not in _PLUMBING and name not in self.names and func.namespace == "aten":
            self.names.append(name)
        return func(*args, **(kwargs or {}))
