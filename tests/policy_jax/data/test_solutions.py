"""Every solution of the suite against a real verifier, and what must never pass."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator

import pytest

from policy_jax.data.corpus import code_name, verify_request
from policy_jax.data.micro import MicroTask, suite
from policy_jax.rollout.local_verifier import LocalVerifier
from protos.leap.verifier.v1 import verifier_pb2 as pb
from protos.leap.verifier.v1.client import VerifierClient

COPY = """\
#include <torch/extension.h>

__global__ void kernel(const float* x, float* y, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] = x[i];
}

torch::Tensor forward(torch::Tensor x) {
  torch::Tensor y = torch::empty_like(x);
  int n = x.numel();
  kernel<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
}
"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    verifier = LocalVerifier("cpu", None, tmp_path_factory.mktemp("verifier") / "log.txt")
    verifier.start()
    yield verifier.address
    verifier.stop()


def judge(address: str, asked: list[tuple[MicroTask, list[str]]]) -> list[list[pb.Verdict]]:
    """Verdicts on several sources for each task, four requests at a time."""

    async def ask() -> list[list[pb.Verdict]]:
        slots = asyncio.Semaphore(4)
        async with VerifierClient(address, client_id="suite") as client:

            async def one(micro: MicroTask, sources: list[str]) -> list[pb.Verdict]:
                async with slots:
                    request = verify_request(micro.task, sources, target=pb.TARGET_CPU)
                    return list((await client.verify(request)).verdicts)

            return await asyncio.gather(*(one(micro, sources) for micro, sources in asked))

    return asyncio.run(ask())


def zeros(source: str) -> str:
    """The same kernel, storing zeros: right shape, right launch, no answer."""
    stored = re.sub(r"((?:y|q)\[[^\]=]*\] = )[^;]*;", r"\g<1>0.f;", source)
    return re.sub(r"(atomicAdd\([^,]*, )[^;]*;", r"\g<1>0.f);", stored)


def one_of_each_structure() -> list[MicroTask]:
    first: dict[tuple[str, str], MicroTask] = {}
    for micro in suite():
        first.setdefault((micro.task.family, micro.combo.kind), micro)
    return list(first.values())


@pytest.mark.slow
def test_every_solution_passes(address: str) -> None:
    verdicts = judge(address, [(micro, [micro.solution()]) for micro in suite()])
    fates = {
        micro.task.id: f"{code_name(verdict)}: {verdict.message}"
        for micro, (verdict,) in zip(suite(), verdicts, strict=True)
        if verdict.outcome != pb.OUTCOME_PASSED
    }
    assert fates == {}


@pytest.mark.slow
def test_zeros_copies_and_neighbours_fail(address: str) -> None:
    chosen = one_of_each_structure()[::5]
    neighbour = {one.task.id: other for one, other in zip(suite(), suite()[1:], strict=False)}
    neighbour[suite()[-1].task.id] = suite()[0]
    asked = [
        (micro, [zeros(micro.solution()), COPY, neighbour[micro.task.id].solution()])
        for micro in chosen
    ]
    for (micro, sources), verdicts in zip(asked, judge(address, asked), strict=True):
        assert sources[0] != micro.solution()
        for name, verdict in zip(("zeros", "copy", "neighbour"), verdicts, strict=True):
            assert verdict.outcome == pb.OUTCOME_FAILED, (micro.task.id, name, verdict)
