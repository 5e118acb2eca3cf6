"""The service across the wire: idempotency, joining, cancellation, overload, stream, drain."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator

import grpc
import psutil
import pytest
from google.rpc import error_details_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from grpc_status import rpc_status

from protos.leap.verifier.v1 import verifier_pb2 as pb
from protos.leap.verifier.v1.client import VerifierClient, VerifierRefused, VerifierUnavailable
from protos.leap.verifier.v1.verifier_pb2_grpc import VerifierStub
from tests.verifying import Verifier, code, good, request, running_verifier, unique
from verifier_gpu.service.config import ServiceConfig
from verifier_gpu.service.engine import Engine
from verifier_gpu.service.server import SERVICE_NAME, Server

SLOW = good("if (i < n) o[i]", "for (int r = 0; r < 20000; r++) if (i < n) o[i]")
HANGS = good("if (i < n) o[i]", "while (true) if (i < n) o[i]")


@pytest.fixture
async def client(verifier: Verifier) -> AsyncIterator[VerifierClient]:
    async with VerifierClient(verifier.address, client_id="tester", max_retries=0) as client:
        yield client


def candidates(verifier: Verifier) -> int:
    """Processes that execute submissions just now."""
    found = psutil.Process(verifier.process.pid).children(recursive=True)
    with contextlib.suppress(psutil.NoSuchProcess):
        return sum(process.name() == "leap-candidate" for process in found)
    return -1  # one ended while it was counted


async def wait_for_candidates(verifier: Verifier, count: int) -> None:
    for _ in range(200):
        if candidates(verifier) == count:
            return
        await asyncio.sleep(0.1)
    raise AssertionError(f"{candidates(verifier)} candidates, expected {count}")


async def test_repeat_of_a_request_gets_the_stored_verdict(client: VerifierClient) -> None:
    sent = request(unique(good()), request_id="repeat-1")
    first, second = await client.verify(sent), await client.verify(sent)
    assert code(first.verdicts[0]) == "PASSED"
    assert first == second


async def test_an_id_with_other_content_is_refused(client: VerifierClient) -> None:
    await client.verify(request(good(), request_id="taken"))
    with pytest.raises(VerifierRefused, match="used before with other content"):
        await client.verify(request(unique(good()), request_id="taken"))


async def test_identical_content_is_verified_once(client: VerifierClient) -> None:
    sent = request(unique(good()))
    await client.verify(sent)
    start = time.perf_counter()
    again = await client.verify(sent)
    assert time.perf_counter() - start < 0.1
    assert again.verdicts[0].verdict_reused
    assert code(again.verdicts[0]) == "PASSED"


async def test_feedback_is_made_for_each_request(client: VerifierClient) -> None:
    source = good("x[i] + y[i]", "x[i] - y[i]")
    long, short = [
        (await client.verify(request(source, feedback=options))).verdicts[0]
        for options in (
            pb.FeedbackOptions(template="default"),
            pb.FeedbackOptions(template="compact", max_bytes=60),
        )
    ]
    assert len(short.feedback.encode()) <= 60 < len(long.feedback.encode())
    assert long.feedback_template_digest != short.feedback_template_digest


async def test_several_submissions_in_order(client: VerifierClient) -> None:
    sent = request(good())
    sent.submissions.add(format=pb.SUBMISSION_FORMAT_CUDA, source="nothing")
    sent.submissions.add().CopyFrom(sent.submissions[0])
    response = await client.verify(sent)
    assert [code(verdict) for verdict in response.verdicts] == ["PASSED", "NO_CODE", "PASSED"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda r: r.ClearField("submissions"), "no submission"),
        (lambda r: r.ClearField("task"), "no reference"),
        (lambda r: setattr(r.task, "digest", "sha256:0"), "digest"),
        (lambda r: setattr(r.feedback, "template", "nope"), "no feedback template"),
        (lambda r: setattr(r.submissions[0], "format", 99), "format 99"),
        (lambda r: setattr(r.precision, "dtype", "int8"), "int8"),
        (lambda r: setattr(r.tolerance, "absolute", -1.0), "negative"),
    ],
)
async def test_malformed_requests(client: VerifierClient, change, reason: str) -> None:  # type: ignore[no-untyped-def]
    sent = request(good())
    change(sent)
    with pytest.raises(VerifierRefused, match=reason):
        await client.verify(sent)


async def test_too_long_a_submission_is_a_verdict(client: VerifierClient) -> None:
    response = await client.verify(request(good() + "//" + "x" * 5_000_000))
    assert code(response.verdicts[0]) == "FORBIDDEN"


async def test_deadline_and_cancellation_kill_the_candidate(
    verifier: Verifier, client: VerifierClient
) -> None:
    task = asyncio.ensure_future(client.verify(request(unique(HANGS))))
    await wait_for_candidates(verifier, 1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await wait_for_candidates(verifier, 0)


async def test_one_waiters_cancellation_leaves_the_other(client: VerifierClient) -> None:
    source = unique(SLOW)
    first = asyncio.ensure_future(client.verify(request(source, request_id="a")))
    second = asyncio.ensure_future(client.verify(request(source, request_id="b")))
    await asyncio.sleep(0.4)
    first.cancel()
    assert code((await second).verdicts[0]) == "PASSED"
    assert first.cancelled() or first.cancelling()


async def test_stream_answers_in_any_order_with_stages_and_cancel(verifier: Verifier) -> None:
    async with grpc.aio.insecure_channel(verifier.address) as channel:
        call = VerifierStub(channel).VerifyStream()  # type: ignore[no-untyped-call]
        hanging = request(unique(HANGS), request_id="hangs")
        await call.write(pb.StreamRequest(verify=hanging))
        await call.write(pb.StreamRequest(verify=request(unique(good()), request_id="good")))
        await call.write(pb.StreamRequest(verify=request(good())))  # no id
        stages, answers, rejected = [], {}, {}
        while len(answers) + len(rejected) < 3:
            event = await call.read()
            kind = event.WhichOneof("event")
            if kind == "stage" and event.request_id == "good":
                stages.append(event.stage.stage)
            elif kind == "response":
                answers[event.request_id] = event.response
                await call.write(pb.StreamRequest(cancel=pb.Cancel(request_id="hangs")))
            elif kind == "rejected":
                rejected[event.request_id] = event.rejected
        await call.done_writing()
        assert await call.read() is grpc.aio.EOF
    assert code(answers["good"].verdicts[0]) == "PASSED"
    assert stages[:3] == [pb.STAGE_PARSE, pb.STAGE_POLICY, pb.STAGE_COMPILE]
    assert rejected["hangs"].status_code == grpc.StatusCode.CANCELLED.value[0]
    assert rejected[""].status_code == grpc.StatusCode.INVALID_ARGUMENT.value[0]


async def test_capabilities(client: VerifierClient) -> None:
    answer = await client.capabilities()
    assert list(answer.targets) == [pb.TARGET_CPU]
    assert not answer.timing_targets
    assert set(answer.feedback_templates) >= {"default", "compact"}
    assert answer.limits.max_message_bytes > answer.limits.max_submission_bytes > 0
    assert answer.verifier_version


async def test_health_and_reflection(verifier: Verifier) -> None:
    async with grpc.aio.insecure_channel(verifier.address) as channel:
        health = health_pb2_grpc.HealthStub(channel)
        answer = await health.Check(health_pb2.HealthCheckRequest(service=SERVICE_NAME))
        assert answer.status == health_pb2.HealthCheckResponse.SERVING
        reflection = reflection_pb2_grpc.ServerReflectionStub(channel)
        query = reflection_pb2.ServerReflectionRequest(list_services="")
        listed = [each async for each in reflection.ServerReflectionInfo(iter([query]))]
        names = {entry.name for entry in listed[0].list_services_response.service}
        assert {SERVICE_NAME, "grpc.health.v1.Health"} <= names


async def test_a_full_queue_says_when_to_come_back() -> None:
    config = ServiceConfig(max_queued=1, jobs=1, targets=("cpu",))
    async with Engine(config) as engine:
        server = Server(engine, "127.0.0.1:0")
        await server.start()
        try:
            address = f"127.0.0.1:{server.port}"
            async with VerifierClient(address, max_retries=0) as client:
                running = asyncio.ensure_future(client.verify(request(unique(HANGS), timeout=2)))
                await asyncio.sleep(0.3)
                with pytest.raises(VerifierUnavailable, match="queue"):
                    await client.verify(request(unique(good())))
                async with grpc.aio.insecure_channel(address) as channel:
                    stub = VerifierStub(channel)  # type: ignore[no-untyped-call]
                    with pytest.raises(grpc.aio.AioRpcError) as raised:
                        await stub.Verify(request(unique(good())))
                status = rpc_status.from_call(raised.value)  # type: ignore[arg-type]
                info = error_details_pb2.RetryInfo()
                assert raised.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
                assert status is not None and status.details[0].Unpack(info)
                assert info.retry_delay.ToMilliseconds() > 0
                assert code((await running).verdicts[0]) == "TIMEOUT"
            async with VerifierClient(address, max_retries=8) as patient:
                both = await asyncio.gather(
                    *(patient.verify(request(unique(good()))) for _ in range(2))
                )
                assert {code(response.verdicts[0]) for response in both} == {"PASSED"}
        finally:
            await server.drain(0)


def test_token() -> None:
    with running_verifier("--token", "secret") as verifier:
        with pytest.raises(VerifierRefused, match="token"):
            VerifierClient(verifier.address, max_retries=0).capabilities_sync()
        right = VerifierClient(verifier.address, token="secret", max_retries=0)
        assert right.capabilities_sync().verifier_version


def test_sigterm_drains() -> None:
    with running_verifier() as verifier:
        started = subprocess.Popen(
            [sys.executable, "-c", _ASK, verifier.address, unique(SLOW)],
            stdout=subprocess.PIPE,
            text=True,
        )
        time.sleep(1.5)
        verifier.process.send_signal(signal.SIGTERM)
        output, _ = started.communicate(timeout=60)
        assert output.strip() == "PASSED"
        assert verifier.process.wait(30) == 0
        with pytest.raises(VerifierUnavailable):
            VerifierClient(verifier.address, max_retries=0).capabilities_sync()


_ASK = """
import sys
from protos.leap.verifier.v1.client import VerifierClient
from tests.verifying import code, request
client = VerifierClient(sys.argv[1], max_retries=0)
print(code(client.verify_sync(request(sys.argv[2])).verdicts[0]))
"""


def test_it_ends_with_its_parent() -> None:
    parent = subprocess.Popen([sys.executable, "-c", _PARENT], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    assert parent.wait(60) == 0
    parent.stdout.close()
    psutil.wait_procs([psutil.Process(pid)] if psutil.pid_exists(pid) else [], timeout=10)
    assert not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


_PARENT = """
import subprocess, sys
command = [sys.executable, "-m", "verifier_gpu.cli", "serve", "--port", "0", "--target", "cpu"]
child = subprocess.Popen([*command, "--with-parent"], stdout=subprocess.PIPE)
child.stdout.readline()
print(child.pid, flush=True)
"""


def test_a_port_in_use_is_one_sentence() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        command = [sys.executable, "-m", "verifier_gpu.cli", "serve", "--target", "cpu"]
        done = subprocess.run(
            [*command, "--port", port], capture_output=True, text=True, timeout=120, check=False
        )
    assert done.returncode == 2
    assert "in use" in done.stderr and "Traceback" not in done.stderr


def test_the_operator_chooses_the_headers() -> None:
    with running_verifier("--with-parent", "--builder", "torch") as verifier:
        verdict = verifier.verdict(good())
    assert code(verdict) == "UNSUPPORTED"
    assert "torch's own headers" in verdict.message
