"""Content-addressed results on disk: atomic, checked, bounded.

An entry is a directory named by its key. It is written aside and renamed, so
that a reader sees all of it or nothing; processes share it without locks. An
entry whose files are not what was written is removed and built again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from verifier_gpu.build.request import BuildResult, Diagnostic, KernelResources

_RESULT = "result.json"
_MODULE = "module.so"
_ABANDONED_SECONDS = 3600


class Cache:
    """Build results below ``directory``, the least recently used removed beyond ``max_bytes``."""

    def __init__(self, directory: Path, max_bytes: int = 4 << 30) -> None:
        self._entries = directory / "entries"
        self._scratch = directory / "scratch"
        self._max_bytes = max_bytes
        self._bytes = max_bytes + 1  # what the entries take, or more: the first put looks
        self._entries.mkdir(parents=True, exist_ok=True)
        self._scratch.mkdir(parents=True, exist_ok=True)
        self._remove_abandoned()

    def scratch(self) -> tempfile.TemporaryDirectory[str]:
        """A private directory for one build, removed by its context."""
        return tempfile.TemporaryDirectory(dir=self._scratch, ignore_cleanup_errors=True)

    def get(self, key: str) -> BuildResult | None:
        """The result stored under ``key``, or None."""
        entry = self._entries / key
        try:
            record = json.loads((entry / _RESULT).read_text())
            result = _result(record["result"])
            if record["digest"] is not None:
                artifact = entry / _MODULE
                if _digest(artifact) != record["digest"]:
                    raise ValueError("the artifact is not what was stored")
                result = replace(result, artifact=artifact)
        except FileNotFoundError:
            if entry.exists():
                shutil.rmtree(entry, ignore_errors=True)
            return None
        except (ValueError, KeyError, TypeError, OSError):
            shutil.rmtree(entry, ignore_errors=True)
            return None
        with contextlib.suppress(OSError):
            os.utime(entry)
        return replace(result, cache_hit=True)

    def put(self, key: str, result: BuildResult, directory: Path) -> BuildResult:
        """Stores a result and the files of ``directory``; returns it with its final artifact."""
        artifact = result.artifact
        record = {
            "result": asdict(replace(result, artifact=None)),
            "digest": None if artifact is None else _digest(artifact),
        }
        (directory / _RESULT).write_text(json.dumps(record))
        size = _size(directory)
        entry = self._entries / key
        try:
            directory.rename(entry)
        except OSError:
            # Another process stored the same key first. Its entry is as good.
            stored = self.get(key)
            if stored is None:
                shutil.rmtree(entry, ignore_errors=True)
                directory.rename(entry)
        self._bytes += size
        if self._bytes > self._max_bytes:
            self._trim()
        return replace(result, artifact=None if artifact is None else entry / _MODULE)

    def _trim(self) -> None:
        entries = []
        for entry in self._entries.iterdir():
            with contextlib.suppress(OSError):
                entries.append((entry.stat().st_mtime, _size(entry), entry))
        total = sum(size for _, size, _ in entries)
        for _, size, entry in sorted(entries, key=lambda e: e[0]):
            if total <= self._max_bytes:
                break
            shutil.rmtree(entry, ignore_errors=True)
            total -= size
        self._bytes = total

    def _remove_abandoned(self) -> None:
        """Private directories of builds whose process died."""
        for directory in self._scratch.iterdir():
            with contextlib.suppress(OSError):
                if time.time() - directory.stat().st_mtime > _ABANDONED_SECONDS:
                    shutil.rmtree(directory, ignore_errors=True)


def _size(directory: Path) -> int:
    return sum(file.stat().st_size for file in directory.iterdir())


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _result(record: dict[str, Any]) -> BuildResult:
    return BuildResult(
        artifact=None,
        road=record["road"],
        code=record["code"],
        message=record["message"],
        diagnostics=tuple(Diagnostic(**d) for d in record["diagnostics"]),
        kernels=tuple(KernelResources(**k) for k in record["kernels"]),
        seconds=record["seconds"],
    )
