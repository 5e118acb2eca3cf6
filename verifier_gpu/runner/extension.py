"""`torch.utils.cpp_extension` as a submission sees it: the builds go to the server.

Signatures and meaning are torch's. Nothing is compiled in this process: the
sources are sent to the server, whose builder answers with a shared object. The
real module is never imported, for its import looks for a GPU.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

#: Sends a build request to the server and returns the built module.
Build = Callable[[dict[str, Any]], Any]

_CPP_HEADERS = "#include <torch/extension.h>\n"
_CUDA_HEADERS = "#include <torch/types.h>\n#include <cuda.h>\n#include <cuda_runtime.h>\n"


def install(build: Build) -> None:
    """Puts the replacement into `sys.modules`, where submissions import it from."""
    import torch.utils

    module = types.ModuleType("torch.utils.cpp_extension")
    extension = _Extension(build)
    module.load_inline = extension.load_inline  # type: ignore[attr-defined]
    module.load = extension.load  # type: ignore[attr-defined]
    module.include_paths = lambda *args, **kwargs: []  # type: ignore[attr-defined]
    module.CUDA_HOME = None  # type: ignore[attr-defined]
    sys.modules["torch.utils.cpp_extension"] = module
    torch.utils.cpp_extension = module  # type: ignore[attr-defined]


class _Extension:
    def __init__(self, build: Build) -> None:
        self._build = build

    def load_inline(
        self,
        name: str,
        cpp_sources: str | Sequence[str] | None = None,
        cuda_sources: str | Sequence[str] | None = None,
        sycl_sources: object = None,
        functions: str | Sequence[str] | Mapping[str, str] | None = None,
        extra_cflags: Sequence[str] | None = None,
        extra_cuda_cflags: Sequence[str] | None = None,
        extra_sycl_cflags: object = None,
        extra_ldflags: Sequence[str] | None = None,
        extra_include_paths: object = None,
        build_directory: str | None = None,
        verbose: bool = False,
        with_cuda: bool | None = None,
        with_sycl: bool | None = None,
        is_python_module: bool = True,
        with_pytorch_error_handling: bool = True,
        keep_intermediates: bool = True,
        use_pch: bool = False,
        no_implicit_headers: bool = False,
    ) -> Any:
        """Builds source strings into a module, as `torch.utils.cpp_extension.load_inline`."""
        if not is_python_module:
            raise NotImplementedError("load_inline(is_python_module=False)")
        cpp_header = "" if no_implicit_headers else _CPP_HEADERS
        cuda_header = "" if no_implicit_headers else _CUDA_HEADERS
        sources = []
        if _texts(cpp_sources) or functions:
            sources.append(_source("main.cpp", cpp_header, _texts(cpp_sources), "cpp"))
        if _texts(cuda_sources):
            sources.append(_source("cuda.cu", cuda_header, _texts(cuda_sources), "cuda"))
        return self._build(
            {
                "sources": sources,
                "functions": _texts(functions),
                "extra_cflags": _texts(extra_cflags),
                "extra_cuda_cflags": _texts(extra_cuda_cflags),
                "extra_ldflags": _texts(extra_ldflags),
            }
        )

    def load(
        self,
        name: str,
        sources: str | Sequence[str],
        extra_cflags: Sequence[str] | None = None,
        extra_cuda_cflags: Sequence[str] | None = None,
        extra_sycl_cflags: object = None,
        extra_ldflags: Sequence[str] | None = None,
        extra_include_paths: object = None,
        build_directory: str | None = None,
        verbose: bool = False,
        with_cuda: bool | None = None,
        with_sycl: bool | None = None,
        is_python_module: bool = True,
        is_standalone: bool = False,
        keep_intermediates: bool = True,
    ) -> Any:
        """Builds source files into a module, as `torch.utils.cpp_extension.load`."""
        if not is_python_module or is_standalone:
            raise NotImplementedError("load() of anything but a Python module")
        files = []
        for path in map(Path, _texts(sources)):
            language = "cuda" if path.suffix == ".cu" else "cpp"
            files.append({"name": path.name, "text": path.read_text(), "language": language})
        return self._build(
            {
                "sources": files,
                "functions": [],
                "extra_cflags": _texts(extra_cflags),
                "extra_cuda_cflags": _texts(extra_cuda_cflags),
                "extra_ldflags": _texts(extra_ldflags),
            }
        )


def _source(name: str, header: str, texts: list[str], language: str) -> dict[str, str]:
    # The implicit headers must not move the lines that diagnostics name.
    lead = f'{header}#line 1 "{name}"\n' if header else ""
    return {"name": name, "text": lead + "\n".join(texts), "language": language}


def _texts(value: object) -> list[str]:
    """A string, a sequence of strings, the keys of a mapping, or None, as a list."""
    if value is None:
        return []
    if isinstance(value, (str, Path)):
        return [str(value)]
    return [str(item) for item in value]  # type: ignore[attr-defined]
