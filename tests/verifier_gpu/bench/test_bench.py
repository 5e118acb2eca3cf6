"""The workload is right and as varied as it says; the bench measures it and says what failed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from protos.leap.verifier.v1 import verifier_pb2 as pb
from tests.verifying import Verifier, code
from verifier_gpu.bench.measure import Bench, BenchFailed
from verifier_gpu.bench.workload import KERNELS, Kernel


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_every_variant_passes(kernel: Kernel, verifier: Verifier) -> None:
    for number in range(len(kernel.blocks)):
        submission = kernel.submission(number, "test")
        found = verifier.verdict(submission.source, task=kernel.task(), format_=submission.format)
        assert code(found) == "PASSED", found
        assert found.build_road == "slim"


def test_texts_differ() -> None:
    texts = {
        kernel.submission(n, mark).source for kernel in KERNELS for n in range(9) for mark in "ab"
    }
    assert len(texts) == len(KERNELS) * 18


@pytest.mark.slow
def test_figures(tmp_path: Path) -> None:
    out = tmp_path / "bench.json"
    command = [sys.executable, "-m", "verifier_gpu.cli", "bench", "--target", "cpu"]
    done = subprocess.run(
        [*command, "--seconds", "2", "--json", str(out)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "| one cold verdict |" in done.stdout
    figures = json.loads(out.read_text())
    assert figures["repeat_seconds"] < figures["cold_verdict_seconds"]
    assert figures["distinct_per_minute"] > 0 and figures["fast_road_share"] == 1
    assert figures["machine"]["cores"] >= 1 and figures["machine"]["versions"]["torch"]


def test_a_folder_that_is_not_there_is_told_at_once() -> None:
    command = [sys.executable, "-m", "verifier_gpu.cli", "bench", "--target", "cpu"]
    done = subprocess.run(
        [*command, "--json", "/nowhere/b.json"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2 and "there is no folder /nowhere" in done.stderr


async def test_a_failed_verdict_stops_it() -> None:
    async def verify(request: pb.VerifyRequest) -> pb.VerifyResponse:
        verdict = pb.Verdict(outcome=pb.OUTCOME_PASSED)
        if "checked 1003" in request.submissions[0].source:
            verdict = pb.Verdict(
                outcome=pb.OUTCOME_FAILED, code=pb.CODE_WRONG_VALUES, message="wrong"
            )
        return pb.VerifyResponse(verdicts=[verdict])

    bench = Bench(verify, pb.TARGET_CPU, 2, 0.2, lambda what, share: None)
    with pytest.raises(BenchFailed, match="softmax got WRONG_VALUES: wrong"):
        await bench.run()
