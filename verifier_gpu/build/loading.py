"""Loads a built artifact in the runner: its functions as Python callables.

The only file of this room that imports torch.
"""

from __future__ import annotations

import ctypes
import importlib.machinery
import importlib.util
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from verifier_gpu.emulator import runtime as emulator

MANIFEST = "manifest.json"


def prepare(libraries: Sequence[Path]) -> None:
    """Loads libraries that artifacts are linked against, before there is an artifact.

    Raises:
        ImportError: one cannot be loaded, which is no submission's fault.
    """
    _publish_torch()
    for library in libraries:
        _open(library, ctypes.RTLD_GLOBAL)


def load(artifact: Path) -> ModuleType:
    """Loads an artifact of the builder.

    Args:
        artifact: the shared object; its manifest lies beside it.

    Returns:
        A module whose attributes are the bound functions. They take and return
        torch tensors, Python numbers, strings, None, and lists and tuples of these.

    Raises:
        ImportError: the object cannot be loaded (an undefined symbol), or its
            module body raised.
    """
    _publish_torch()
    manifest = _manifest(artifact)
    if manifest["launches"]:
        _open(Path(manifest["launches"]), ctypes.RTLD_GLOBAL)
    if manifest["road"] == "torch":
        return _load_extension(artifact, manifest["module"])
    if manifest["emulator"]:
        emulator.load(Path(manifest["emulator"]))
    _open(Path(manifest["runtime"]), ctypes.RTLD_GLOBAL)
    library = _open(artifact, ctypes.RTLD_LOCAL)
    module = ModuleType(manifest["module"])
    initialise = library.leap_module_init
    initialise.argtypes = [ctypes.py_object]
    if initialise(module) != 0:
        raise ImportError(f"the extension's module body raised: {_last_error(manifest)}")
    return module


def launch_counter(artifact: Path) -> Callable[[], int]:
    """What tells how many kernels the process's artifacts have launched so far, target cuda."""
    count = ctypes.CDLL(_manifest(artifact)["launches"]).leap_launches
    count.restype = ctypes.c_longlong
    return cast("Callable[[], int]", count)


def uses_libraries(artifact: Path) -> bool:
    """Whether the artifact calls CUDA's libraries, whose launches nobody counts."""
    return bool(_manifest(artifact)["libraries"])


def _manifest(artifact: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((artifact.parent / MANIFEST).read_text())
    return content


def _publish_torch() -> None:
    """Makes the C symbols of torch's libraries visible to the runtime library.

    Python loads extension modules with local symbols; opening a library that is
    there already with RTLD_GLOBAL publishes them.
    """
    import torch

    libraries = Path(torch.__file__).parent / "lib"
    for name in ("libtorch_cpu.so", "libtorch_cuda.so"):
        if (libraries / name).exists():
            ctypes.CDLL(str(libraries / name), mode=ctypes.RTLD_GLOBAL)


def _open(path: Path, mode: int) -> Any:
    try:
        return ctypes.PyDLL(str(path), mode=mode)
    except OSError as error:
        # "PATH: undefined symbol: NAME" - the path means nothing to a reader.
        raise ImportError(str(error).replace(f"{path}: ", "")) from None


def _last_error(manifest: dict[str, Any]) -> str:
    runtime = ctypes.PyDLL(manifest["runtime"], mode=ctypes.RTLD_GLOBAL)
    runtime.leap_error.restype = ctypes.c_char_p
    return str(runtime.leap_error().decode(errors="replace"))


def _load_extension(artifact: Path, name: str) -> ModuleType:
    """Imports an ordinary PyTorch extension."""
    loader = importlib.machinery.ExtensionFileLoader(name, str(artifact))
    spec = importlib.util.spec_from_file_location(name, artifact, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module
