"""Checks of a request before any work is done for it."""

from __future__ import annotations

import grpc

from protos.leap.verifier.v1 import verifier_pb2 as pb
from verifier_gpu.build.request import Target
from verifier_gpu.feedback.render import template_names
from verifier_gpu.service.config import ServiceConfig
from verifier_gpu.service.hardware import Hardware
from verifier_gpu.service.record import Stop
from verifier_gpu.service.work import sha256

_FORMATS = (pb.SUBMISSION_FORMAT_KERNELBENCH, pb.SUBMISSION_FORMAT_CUDA)
_DTYPES = ("", "float32", "float16", "bfloat16")
_TARGETS = {pb.TARGET_CUDA: "cuda", pb.TARGET_CPU: "cpu"}


class RequestError(Exception):
    """The call itself fails, with a gRPC status."""

    def __init__(
        self, status: grpc.StatusCode, message: str, *, retry_after: float | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.retry_after = retry_after  # seconds


def validate(request: pb.VerifyRequest, config: ServiceConfig) -> None:
    """Raises RequestError(INVALID_ARGUMENT) for the first thing that is wrong."""
    problem = _problem(request, config)
    if problem:
        raise RequestError(grpc.StatusCode.INVALID_ARGUMENT, problem)


def _problem(request: pb.VerifyRequest, config: ServiceConfig) -> str:
    task = request.task
    if not task.reference.strip():
        return "the task has no reference source"
    if task.digest and task.digest != sha256(task.reference):
        return f"the task's digest is not that of its reference ({sha256(task.reference)})"
    for input_set in task.input_sets:
        for name in (input_set.inputs_function, input_set.init_inputs_function):
            if name and not name.isidentifier():
                return f"{name!r} is not the name of a function"
    if not request.submissions:
        return "the request holds no submission"
    if len(request.submissions) > config.max_submissions:
        return f"{len(request.submissions)} submissions; the limit is {config.max_submissions}"
    for submission in request.submissions:
        if submission.format not in _FORMATS:
            return f"submission format {submission.format} is unknown to this verifier"
    tolerances = [request.tolerance, task.extra_tolerance]
    if any(not value.absolute >= 0 or not value.relative >= 0 for value in tolerances):
        return "a tolerance must not be negative"
    if request.precision.dtype not in _DTYPES:
        return f"precision {request.precision.dtype!r} is not one of {', '.join(_DTYPES[1:])}"
    if request.HasField("timeout") and request.timeout.ToNanoseconds() <= 0:
        return "the timeout must be positive"
    template = request.feedback.template
    if template and template not in template_names():
        return f"no feedback template {template!r}; there are {', '.join(template_names())}"
    return ""


def resolve_target(
    request: pb.VerifyRequest, targets: tuple[Target, ...], hardware: Hardware
) -> Target:
    """The target that a request runs on. Raises Stop(NO_MATCHING_HARDWARE) if none fits."""
    target = _TARGETS.get(request.target) or (targets[0] if targets else "")
    timing = request.checks == pb.CHECKS_TIMING
    if target not in targets:
        raise Stop("NO_MATCHING_HARDWARE", f"this verifier has no target {target or 'at all'}")
    if timing and target == "cpu":
        raise Stop("NO_MATCHING_HARDWARE", "timing needs a GPU, and the target is cpu")
    wanted = request.hardware
    if target == "cuda":
        for gpu in hardware.gpus:
            if wanted.architecture in ("", gpu.architecture) and wanted.gpu_name in gpu.name:
                return target
        raise Stop("NO_MATCHING_HARDWARE", _mismatch(wanted, hardware))
    if wanted.architecture or wanted.gpu_name:
        raise Stop("NO_MATCHING_HARDWARE", "a GPU is required, and the target is cpu")
    return target


def _mismatch(wanted: pb.HardwareRequirement, hardware: Hardware) -> str:
    have = ", ".join(f"{gpu.name} ({gpu.architecture})" for gpu in hardware.gpus)
    asked = " ".join(filter(None, (wanted.gpu_name, wanted.architecture)))
    return f"no GPU here is {asked}; there is {have or 'none'}"
