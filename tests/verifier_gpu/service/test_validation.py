from __future__ import annotations

import pytest

from protos.leap.verifier.v1 import verifier_pb2 as pb
from verifier_gpu.service.hardware import Hardware
from verifier_gpu.service.record import Stop
from verifier_gpu.service.validation import resolve_target

H200 = pb.Gpu(index=0, name="NVIDIA H200", architecture="sm_90")
BOTH = Hardware(gpus=(H200,), driver="570", cuda="13.0", compiler="g++ 12")
NO_GPU = Hardware(compiler="g++ 12")


def resolve(machine: Hardware = BOTH, **fields: object) -> str:
    return resolve_target(pb.VerifyRequest(**fields), machine.targets, machine)  # type: ignore[arg-type]


def test_auto_takes_the_gpu_where_there_is_one() -> None:
    assert resolve() == "cuda"
    assert resolve(NO_GPU) == "cpu"
    assert resolve(target=pb.TARGET_CPU) == "cpu"


@pytest.mark.parametrize(
    ("machine", "fields"),
    [
        (NO_GPU, {"target": pb.TARGET_CUDA}),
        (NO_GPU, {"checks": pb.CHECKS_TIMING}),
        (BOTH, {"target": pb.TARGET_CPU, "checks": pb.CHECKS_TIMING}),
        (BOTH, {"hardware": pb.HardwareRequirement(architecture="sm_100")}),
        (BOTH, {"hardware": pb.HardwareRequirement(gpu_name="B200")}),
        (NO_GPU, {"hardware": pb.HardwareRequirement(gpu_name="H200")}),
        (Hardware(), {}),
    ],
)
def test_no_matching_hardware(machine: Hardware, fields: dict[str, object]) -> None:
    with pytest.raises(Stop) as raised:
        resolve(machine, **fields)
    assert raised.value.code == "NO_MATCHING_HARDWARE"


def test_matching_hardware() -> None:
    wanted = pb.HardwareRequirement(architecture="sm_90", gpu_name="H200")
    assert resolve_target(pb.VerifyRequest(hardware=wanted), BOTH.targets, BOTH) == "cuda"
