"""The judge's child that executes a task's reference, once for many submissions.

It makes weights and inputs under seeds, computes the expected outputs, their
float64 oracle and tolerances, and leaves two files: what a candidate may see
(constructor arguments, weights, inputs) and what it never sees (expected
values). Tasks are trusted to be honest, not to be right: whatever they raise
becomes TASK_INVALID with the reason.
"""

from __future__ import annotations

import contextlib
import copy
import linecache
import random
import sys
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch

from verifier_gpu.judge import tolerance as tolerances
from verifier_gpu.judge.rounding import RoundingNoise
from verifier_gpu.judge.seeds import derive
from verifier_gpu.judge.tolerance import Tolerance
from verifier_gpu.runner.channel import Channel, ChannelError, Message
from verifier_gpu.runner.device import see_only
from verifier_gpu.runner.tensors import (
    BundleError,
    Writer,
    dtype_name,
    flatten,
    read_lazily,
    same,
    tensor_map,
)
from verifier_gpu.runner.timer import Timer

#: Runs of the error model: at least so many, and for small outputs so many that the
#: largest deviation of an output is the largest of that many draws.
_NOISY_RUNS = 3
_NOISY_DRAWS = 48
_FILE = "task.py"


class TaskError(Exception):
    """The task is broken; the message says how, in one sentence."""


class DeviceError(Exception):
    """The GPU failed the reference; the task is not to blame."""


@dataclass(frozen=True)
class Job:
    """One reference to prepare; fields as the server sends them."""

    reference: str
    inputs_function: str
    init_inputs_function: str
    seed: int
    draws: int  # sets of inputs
    device: str  # "cpu" or "cuda"
    gpu: int = 0  # its index on this machine, target cuda
    dtype: str = ""  # cast of inputs and parameters
    allow_tf32: bool = False
    tolerance: tuple[float, float] | None = None  # None: derive it
    extra_tolerance: tuple[float, float] = (0.0, 0.0)
    timed_inputs: Any = None  # header in the public file: time the model on it instead


def main(channel_fd: int, files: list[int]) -> int:
    """Entry of the child: one job in, one answer out."""
    channel = Channel(channel_fd)
    public, secret = files
    job = Job(**channel.receive())
    if job.device == "cuda":
        see_only(job.gpu)
    try:
        if job.timed_inputs is not None:
            serve_times(job, channel, public)
        else:
            channel.send(prepare(job, Writer(public), Writer(secret)))
    except (TaskError, BundleError) as error:
        channel.send({"error": str(error)})
    except DeviceError as error:
        channel.send({"device_error": str(error)})
    except ChannelError:
        pass
    return 0


def serve_times(job: Job, channel: Channel, public: int) -> None:
    """Times the reference on inputs that an earlier child has made, as often as asked.

    Raises ChannelError when the server has what it wants.
    """
    model = _model(job, _execute(job.reference))[1]
    header = job.timed_inputs

    def make_inputs() -> list[Any]:
        return tensor_map(lambda t: t.to(job.device, copy=True), read_lazily(public, header))

    timer = Timer(model, make_inputs)
    channel.send({"ready": True})
    while True:
        channel.send({"milliseconds": timer.batch(channel.receive()["calls"])})


def prepare(job: Job, public: Writer, secret: Writer) -> Message:
    """Executes the reference and writes both files; returns their headers.

    Raises TaskError if the task is broken.
    """
    notes: list[str] = []
    namespace = _execute(job.reference)
    init_args, model = _model(job, namespace)
    cast = _caster(job.dtype, job.device)
    answer: Message = {
        "init": public.write(init_args),
        "state": public.write(dict(model.state_dict())),
        "model_seed": derive(job.seed, "model"),
        "inputs": [],
        "expected": [],
        "mutates_inputs": False,
    }
    get_inputs = _defined(namespace, job.inputs_function)
    for draw in range(job.draws):
        seed_everything(derive(job.seed, f"inputs:{draw}"))
        inputs = _call(get_inputs, job.inputs_function)
        if not isinstance(inputs, (list, tuple)):
            raise TaskError(f"{job.inputs_function} must return a list of inputs")
        inputs = tensor_map(cast, list(inputs))
        answer["inputs"].append(public.write(inputs))
        expected, mutated = _expect(job, model, inputs, notes if draw == 0 else [])
        answer["expected"].append([_write_expected(secret, *entry) for entry in expected])
        answer["mutates_inputs"] |= mutated
    answer["notes"] = notes
    return answer


def _model(job: Job, namespace: dict[str, Any]) -> tuple[Any, torch.nn.Module]:
    """The constructor's arguments, and the model on its device."""
    torch.backends.cuda.matmul.allow_tf32 = job.allow_tf32
    torch.backends.cudnn.allow_tf32 = job.allow_tf32
    model_class = _defined(namespace, "Model")
    init_args = _call(_defined(namespace, job.init_inputs_function), job.init_inputs_function)
    if not isinstance(init_args, (list, tuple, dict)):
        raise TaskError(f"{job.init_inputs_function} must return a list of arguments")
    model = construct(model_class, init_args, derive(job.seed, "model"))
    return init_args, model.to(device=job.device, dtype=_dtype(job.dtype))


_Expectation = tuple[torch.Tensor, str, Tolerance]  # values, dtype of the output, tolerance


def _expect(
    job: Job, model: torch.nn.Module, inputs: list[Any], notes: list[str]
) -> tuple[list[_Expectation], bool]:
    """Expected outputs of one set of inputs, and whether the reference changes its inputs."""
    given = tensor_map(torch.clone, inputs)
    native = _outputs(_run(model, given, "Model.forward"))
    mutated = not all(map(same, flatten(inputs), flatten(given)))
    oracle = _oracle(model, inputs, notes)
    noisy: list[list[torch.Tensor]] = []
    if oracle is not None and job.tolerance is None:
        unit = tolerances.rounding_unit(_working_dtype(model, inputs))
        for run in range(_noisy_runs(native)):
            noisy.append(_noisy(model, inputs, unit, derive(job.seed, f"noise:{run}")))
    expected = []
    for index, output in enumerate(native):
        truth = _truth(output, oracle[index] if oracle is not None else None)
        if job.tolerance is not None:
            allowed = Tolerance(*job.tolerance)
        elif oracle is None:
            allowed = tolerances.fallback(output)
        else:
            allowed = tolerances.derive(truth, output, [run[index] for run in noisy])
        allowed = allowed.plus(Tolerance(*job.extra_tolerance))
        expected.append((truth, dtype_name(output.dtype), allowed))
    _lint(model, inputs, native, expected, notes)
    return expected, mutated


def _truth(native: torch.Tensor, oracle: torch.Tensor | None) -> torch.Tensor:
    """The oracle where torch's own result is finite, torch's own result elsewhere."""
    if not native.is_floating_point():
        return native
    if oracle is None or oracle.shape != native.shape:
        return native.double()
    return torch.where(native.isfinite() & oracle.isfinite(), oracle, native.double())


def _oracle(
    model: torch.nn.Module, inputs: list[Any], notes: list[str]
) -> list[torch.Tensor] | None:
    try:
        return _in_double(model, inputs)
    except TaskError as error:
        notes.append(f"no float64 oracle, fixed tolerance used: {error}")
        return None


def _in_double(model: torch.nn.Module, inputs: list[Any]) -> list[torch.Tensor]:
    wide = copy.deepcopy(model).double()
    with _default_dtype(torch.float64):
        given = tensor_map(lambda t: t.double() if t.is_floating_point() else t.clone(), inputs)
        return _outputs(_run(wide, given, "Model.forward in float64"))


def _noisy_runs(native: list[torch.Tensor]) -> int:
    """One element's deviation may by chance be tiny; the largest of many is not."""
    sizes = [t.numel() for t in native if t.is_floating_point() and t.numel()]
    return max(_NOISY_RUNS, min(_NOISY_DRAWS, -(-_NOISY_DRAWS // min(sizes)) if sizes else 0))


def _noisy(model: torch.nn.Module, inputs: list[Any], unit: float, seed: int) -> list[torch.Tensor]:
    device = next((t.device for t in flatten(inputs) if isinstance(t, torch.Tensor)), "cpu")
    generator = torch.Generator(device=device).manual_seed(seed)
    with RoundingNoise(unit, generator):
        return _in_double(model, inputs)


def _lint(
    model: torch.nn.Module,
    inputs: list[Any],
    native: list[torch.Tensor],
    expected: list[_Expectation],
    notes: list[str],
) -> None:
    """Notes what makes the task a weak judge."""
    floating = [
        (output, values, allowed)
        for output, (values, _, allowed) in zip(native, expected, strict=True)
        if output.is_floating_point() and output.numel()
    ]
    if floating and all(
        tolerances.accepts(allowed, values, torch.zeros_like(values))
        for _, values, allowed in floating
    ):
        notes.append("weak task: an output of zeros is within the tolerance")
    if not floating or any(output.dtype != torch.float32 for output, _, _ in floating):
        return
    try:
        narrow = copy.deepcopy(model).bfloat16()
        with _default_dtype(torch.bfloat16):
            given = tensor_map(
                lambda t: t.bfloat16() if t.is_floating_point() else t.clone(), inputs
            )
            coarse = _outputs(_run(narrow, given, "Model.forward in bfloat16"))
    except TaskError:
        return
    coarse = [output for output in coarse if output.is_floating_point()]
    if len(coarse) == len(floating) and all(
        tolerances.accepts(allowed, values, output)
        for output, (_, values, allowed) in zip(coarse, floating, strict=True)
    ):
        notes.append("weak task: computing in bfloat16 is within the tolerance")


def _write_expected(
    writer: Writer, values: torch.Tensor, dtype: str, allowed: Tolerance
) -> Message:
    return {
        "values": writer.write(values),
        "dtype": dtype,
        "absolute": allowed.absolute,
        "relative": allowed.relative,
    }


def construct(model_class: Any, init_args: Any, seed: int) -> torch.nn.Module:
    """The reference's model under a seed. Raises TaskError if its constructor raises."""
    seed_everything(seed)
    arguments, keywords = ([], init_args) if isinstance(init_args, dict) else (init_args, {})
    try:
        model = model_class(*copy.deepcopy(list(arguments)), **copy.deepcopy(keywords))
    except Exception as error:
        raise TaskError(f"Model(...) raised {_describe(error)}") from None
    if not isinstance(model, torch.nn.Module):
        raise TaskError("Model is not a torch.nn.Module")
    return model


def seed_everything(seed: int) -> None:
    """Seeds Python's, torch's and, where it is imported, numpy's global generators."""
    random.seed(seed)
    torch.manual_seed(seed)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(seed % (1 << 32))


def _run(model: torch.nn.Module, inputs: list[Any], what: str) -> Any:
    with torch.no_grad():
        return _call(lambda: model(*inputs), what)


def _outputs(value: object) -> list[torch.Tensor]:
    leaves = flatten(value)
    if not leaves or not all(isinstance(leaf, torch.Tensor) for leaf in leaves):
        raise TaskError("Model.forward must return tensors")
    return [leaf.detach() for leaf in leaves if isinstance(leaf, torch.Tensor)]


def _execute(source: str) -> dict[str, Any]:
    module = types.ModuleType("task")
    sys.modules["task"] = module
    linecache.cache[_FILE] = (len(source), None, source.splitlines(keepends=True), _FILE)
    try:
        code = compile(source, _FILE, "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise TaskError(f"its reference is not valid Python: {error}") from None
    _call(lambda: exec(code, module.__dict__), "its reference")
    return module.__dict__


def _defined(namespace: dict[str, Any], name: str) -> Callable[..., Any]:
    value = namespace.get(name)
    if not callable(value):
        kind = "class" if name == "Model" else "function"
        raise TaskError(f"its reference defines no {kind} {name}")
    return value


def _call(function: Callable[[], Any], what: str) -> Any:
    try:
        return function()
    except (Exception, SystemExit) as error:
        if isinstance(error, torch.cuda.OutOfMemoryError) or "CUDA error" in str(error):
            raise DeviceError(f"{what} raised {_describe(error)}") from None
        raise TaskError(f"{what} raised {_describe(error)}") from None


def _describe(error: BaseException) -> str:
    first_line = (str(error).strip().splitlines() or [""])[0]
    return f"{type(error).__name__}: {first_line}"[:500]


def _working_dtype(model: torch.nn.Module, inputs: list[Any]) -> torch.dtype:
    """The widest floating dtype that the task computes in."""
    tensors = [*model.parameters(), *(t for t in flatten(inputs) if isinstance(t, torch.Tensor))]
    dtypes = [t.dtype for t in tensors if t.is_floating_point()]
    return max(dtypes, key=lambda dtype: -torch.finfo(dtype).eps, default=torch.float32)


def _dtype(name: str) -> torch.dtype | None:
    if not name:
        return None
    dtype = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}
    return dtype[name]


def _caster(dtype: str, device: str) -> Callable[[torch.Tensor], torch.Tensor]:
    wanted = _dtype(dtype)

    def cast(tensor: torch.Tensor) -> torch.Tensor:
        return tensor.to(device=device, dtype=wanted if tensor.is_floating_point() else None)

    return cast


@contextlib.contextmanager
def _default_dtype(dtype: torch.dtype) -> Iterator[None]:
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(before)
