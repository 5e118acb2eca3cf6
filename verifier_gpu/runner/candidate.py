"""The untrusted side: one process that executes one submission with inputs only.

It never sees expected values or tolerances, and nothing that it reports decides
a verdict in its favour: what it says of launches, faults and inputs can only
make things worse, and the judge compares the values that it leaves.

    server -> here   where it shall run (`Place`), and when there is a submission, the job
                     (`Job`) with two files, then {"op": "call", "draw", "order", "seed"}
                     or {"op": "time", "draw", "calls"} ...
    here -> server   {"event": "ready"}              (its device is ready for the job)
                     {"event": "build", "request"}   (answered by {"artifact": path})
                     {"event": "loaded", "notes"}
                     {"event": "outputs", "header", "launched", "mutated", "printed",
                      "launch_error", "unwritten", "operations", "library_calls"}
                     {"event": "times", "milliseconds"}
                     {"event": "failed", "code", "message", "diagnostics", "fault"}

Format `cuda` calls `forward(*inputs, *state)`: the inputs of `Model.forward`,
then, where the reference has any, its parameters and buffers in the order of
`state_dict()`. Format `kernelbench` constructs `ModelNew(*init_inputs)` under
the seed under which the judge constructed `Model`.
"""

from __future__ import annotations

import copy
import linecache
import os
import random
import socket
import sys
import traceback
import types
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from verifier_gpu.build import loading
from verifier_gpu.runner import extension
from verifier_gpu.runner.channel import Channel, ChannelError, Message
from verifier_gpu.runner.device import CpuDevice, CudaDevice, Device, Failure
from verifier_gpu.runner.limits import limit_memory
from verifier_gpu.runner.operations import OperationLog
from verifier_gpu.runner.sandbox import confine
from verifier_gpu.runner.tensors import BundleError, Writer, flatten, read_lazily, same, tensor_map
from verifier_gpu.runner.timer import Timer

_FILE = "submission.py"


@dataclass(frozen=True)
class Place:
    """Where this process runs; fields as the server sends them."""

    device: str  # "cpu" or "cuda"
    gpu: int  # its index on this machine, target cuda
    libraries: dict[str, str]  # that every submission is linked against: their paths, by name


@dataclass(frozen=True)
class Job:
    """One submission to execute; fields as the server sends them."""

    format: str  # "cuda" or "kernelbench"
    source: str  # the Python text; empty for format `cuda`
    artifact: str  # path of the built module; empty for format `kernelbench`
    init: Any  # headers of what the judge left in the public file
    state: Any
    inputs: list[Any]
    model_seed: int
    dtype: str
    memory_bytes: int  # that the submission may map; 0: not limited
    scratch: str  # its working folder, the only one that it can write


def main(channel_fd: int, files: list[int]) -> int:
    """Entry of the child: loads the submission, then calls it as often as the server asks."""
    channel = Channel(channel_fd)
    _call_process("leap-ready")
    with socket.socket(fileno=files[0]) as lane:
        try:
            device = _device(Place(**channel.receive()))
        except Exception as error:
            channel.send({"event": "failed", "message": str(error)[:1000]})
            return 1
        channel.send({"event": "ready"})
        try:
            job = Job(**channel.receive())
        except ChannelError:
            return 0  # there was no submission for it
        _, (public, outputs), _, _ = socket.recv_fds(lane, 1, 2)
    _call_process("leap-candidate")
    _confine(job)
    try:
        session = _Session(job, channel, device, public, outputs)
        channel.send({"event": "loaded", "notes": session.notes})
        while True:
            request = channel.receive()
            if request["op"] == "time":
                channel.send(session.time(request["draw"], request["calls"]))
            else:
                channel.send(session.call(request["draw"], request["order"], request["seed"]))
    except Failure as failure:
        channel.send({"event": "failed", **failure.to_json()})
    except ChannelError:
        pass
    return 0


def _call_process(name: str) -> None:
    Path("/proc/self/comm").write_text(name)  # for ps and top


def _device(place: Place) -> Device:
    libraries = {name: Path(path) for name, path in place.libraries.items()}
    device = (
        CpuDevice(libraries.pop("emulator")) if place.device == "cpu" else CudaDevice(place.gpu)
    )
    loading.prepare(list(libraries.values()))
    return device


def _confine(job: Job) -> None:
    """From here on, foreign code may run."""
    os.chdir(job.scratch)
    if job.memory_bytes:
        limit_memory(job.memory_bytes)
    confine(Path(job.scratch))


class _Session:
    """A loaded submission."""

    def __init__(
        self, job: Job, channel: Channel, device: Device, public: int, outputs: int
    ) -> None:
        self._job = job
        self._channel = channel
        self._device = device
        self._public = public
        self._outputs = outputs
        self._timer: Timer | None = None
        self.notes: list[str] = []
        with device.view():
            if job.format == "cuda":
                module = _attempt("IMPORT_ERROR", device, lambda: device.load(Path(job.artifact)))
                self._forward = self._bind(module)
            else:
                self._forward = self._construct()

    def call(self, draw: int, order: str, seed: int) -> Message:
        """One forward on fresh copies of one set of inputs; its outputs go to the file."""
        inputs = self._on_device(read_lazily(self._public, self._job.inputs[draw]))
        before = tensor_map(torch.clone, inputs)
        device = self._device
        device.begin_call(order, seed)

        log = OperationLog()

        def forward() -> Any:
            with torch.no_grad(), log, device.view():
                result = self._forward(*inputs)
            device.synchronize()
            return result

        result = _attempt("RUNTIME_ERROR", device, forward)
        report = device.end_call()
        mutated = not all(map(same, flatten(before), flatten(inputs)))
        return {
            "event": "outputs",
            "header": self._write(result),
            "launched": report.kernels_launched,
            "mutated": mutated,
            "printed": report.printed[:2000],
            "launch_error": report.launch_error[:2000],
            "unwritten": report.unwritten,
            "operations": log.names[:50],
            "library_calls": report.library_calls,
        }

    def time(self, draw: int, calls: int) -> Message:
        """Milliseconds of each of `calls` calls on one set of inputs, target cuda."""
        if self._timer is None:
            header = self._job.inputs[draw]
            self._timer = Timer(
                self._forward, lambda: self._on_device(read_lazily(self._public, header))
            )
        timer = self._timer
        times = _attempt("RUNTIME_ERROR", self._device, lambda: timer.batch(calls))
        return {"event": "times", "milliseconds": times}

    def _write(self, result: object) -> Message:
        os.ftruncate(self._outputs, 0)
        try:
            return Writer(self._outputs).write(_as_list(result))
        except BundleError as error:
            raise Failure("RUNTIME_ERROR", f"forward's result: {error}") from None
        except OSError as error:
            raise Failure("OUT_OF_MEMORY", f"forward's result: {error.strerror}") from None

    def _bind(self, module: Any) -> Callable[..., Any]:
        forward = getattr(module, "forward", None)
        if forward is None:
            raise Failure("IMPORT_ERROR", "the extension binds no function 'forward'")
        state = self._on_device(list(read_lazily(self._public, self._job.state).values()))
        return lambda *inputs: forward(*inputs, *state)

    def _construct(self) -> Callable[..., Any]:
        extension.install(self._build)
        namespace = _attempt("IMPORT_ERROR", self._device, self._execute)
        model_class = namespace.get("ModelNew")
        if not callable(model_class):
            raise Failure("IMPORT_ERROR", "the submission defines no class ModelNew")
        init_args = read_lazily(self._public, self._job.init)
        positional, keywords = ([], init_args) if isinstance(init_args, dict) else (init_args, {})
        _seed(self._job.model_seed)
        model = _attempt(
            "INIT_ERROR",
            self._device,
            lambda: model_class(*copy.deepcopy(positional), **copy.deepcopy(keywords)),
        )
        if isinstance(model, torch.nn.Module):
            _attempt("INIT_ERROR", self._device, lambda: self._adopt(model))
        return model

    def _adopt(self, model: torch.nn.Module) -> None:
        """Gives the model the reference's weights where all names and shapes match."""
        dtype = getattr(torch, self._job.dtype) if self._job.dtype else None
        model.to(device=self._device.name, dtype=dtype)
        state = read_lazily(self._public, self._job.state)
        difference = _difference(state, model.state_dict())
        if difference:
            self.notes.append(f"ModelNew keeps its own weights: {difference}")
        else:
            model.load_state_dict(state)

    def _execute(self) -> dict[str, Any]:
        source = self._job.source
        module = types.ModuleType("submission")
        module.__file__ = _FILE
        sys.modules["submission"] = module
        linecache.cache[_FILE] = (len(source), None, source.splitlines(keepends=True), _FILE)
        exec(compile(source, _FILE, "exec"), module.__dict__)
        return module.__dict__

    def _build(self, request: dict[str, Any]) -> Any:
        self._channel.send({"event": "build", "request": request})
        return self._device.load(Path(self._channel.receive()["artifact"]))

    def _on_device(self, value: Any) -> Any:
        return tensor_map(self._device.place, value)


def _attempt(code: str, device: Device, action: Callable[[], Any]) -> Any:
    """Runs the submission's code; whatever it raises becomes a Failure."""
    try:
        return action()
    except (Failure, ChannelError):
        raise
    except BaseException as error:
        # BaseException: sys.exit() and KeyboardInterrupt are a candidate's failures too.
        raise device.classify(error) or _failure(code, error) from None


def _failure(code: str, error: BaseException) -> Failure:
    if isinstance(error, SystemExit):
        return Failure(code, "the submission called exit()")
    if isinstance(error, MemoryError):
        code = "OUT_OF_MEMORY"
    text = str(error).strip() or type(error).__name__
    diagnostics = [
        {"file": _FILE, "line": frame.lineno, "message": f"in {frame.name}: {frame.line}"}
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == _FILE
    ]
    return Failure(code, f"{type(error).__name__}: {text}"[:4000], diagnostics[-3:])


def _difference(reference: dict[str, Any], candidate: dict[str, Any]) -> str:
    """What keeps a state from being loaded; empty if nothing does."""
    missing = sorted(set(reference) - set(candidate))
    extra = sorted(set(candidate) - set(reference))
    if missing or extra:
        return f"Model has {missing}, ModelNew has {extra}"[:500]
    for name, tensor in reference.items():
        if tensor.shape != candidate[name].shape:
            return f"{name} is {list(candidate[name].shape)}, Model's is {list(tensor.shape)}"
    return ""


def _seed(seed: int) -> None:
    random.seed(seed)
    torch.manual_seed(seed)


def _as_list(result: object) -> list[object]:
    return [leaf for leaf in flatten(result) if leaf is not None]
