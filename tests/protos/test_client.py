"""The client's retries, against a server whose answers the test chooses."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import grpc
import pytest
from google.protobuf import any_pb2
from google.rpc import error_details_pb2, status_pb2

from protos.leap.verifier.v1 import verifier_pb2 as pb
from protos.leap.verifier.v1 import verifier_pb2_grpc
from protos.leap.verifier.v1.client import VerifierClient, VerifierRefused, VerifierUnavailable

PASSED = pb.Verdict(outcome=pb.OUTCOME_PASSED)
LOST = pb.Verdict(outcome=pb.OUTCOME_INFRA_ERROR, code=pb.CODE_WORKER_LOST, retryable=True)
FINAL = pb.Verdict(outcome=pb.OUTCOME_INFRA_ERROR, code=pb.CODE_UNSUPPORTED)

Answer = pb.Verdict | grpc.StatusCode


class Scripted(verifier_pb2_grpc.VerifierServicer):
    """Answers from a list, in order; keeps what it was asked."""

    def __init__(self, answers: list[Answer]) -> None:
        self.answers = answers
        self.asked: list[pb.VerifyRequest] = []
        self.metadata: list[dict[str, Any]] = []

    async def Verify(self, request: pb.VerifyRequest, context: Any) -> pb.VerifyResponse:
        self.asked.append(request)
        self.metadata.append(dict(context.invocation_metadata()))
        answer = self.answers.pop(0)
        if isinstance(answer, pb.Verdict):
            return pb.VerifyResponse(request_id=request.request_id, verdicts=[answer])
        info = error_details_pb2.RetryInfo()
        info.retry_delay.FromMilliseconds(10)
        detail = any_pb2.Any()
        detail.Pack(info)
        status = status_pb2.Status(code=answer.value[0], message="scripted", details=[detail])
        trailing = (("grpc-status-details-bin", status.SerializeToString()),)
        await context.abort(answer, "scripted", trailing)
        raise AssertionError


Serve = Callable[[list[Answer]], Any]


@pytest.fixture
async def serve(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Serve]:
    monkeypatch.setattr("protos.leap.verifier.v1.client._FIRST_BACKOFF_SECONDS", 0.01)
    servers = []

    async def start(answers: list[Answer]) -> tuple[Scripted, str]:
        scripted = Scripted(answers)
        server = grpc.aio.server()
        verifier_pb2_grpc.add_VerifierServicer_to_server(scripted, server)  # type: ignore[no-untyped-call]
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        servers.append(server)
        return scripted, f"127.0.0.1:{port}"

    yield start
    for server in servers:
        await server.stop(None)


async def test_retries_keep_the_request_id(serve: Serve) -> None:
    scripted, address = await serve(
        [grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.RESOURCE_EXHAUSTED, LOST, PASSED]
    )
    async with VerifierClient(address, client_id="me", token="t") as client:
        response = await client.verify(pb.VerifyRequest())
    assert response.verdicts[0] == PASSED
    assert len({request.request_id for request in scripted.asked}) == 1
    assert all(request.client_id == "me" for request in scripted.asked)
    assert scripted.metadata[0]["authorization"] == "Bearer t"


async def test_a_final_infra_error_is_returned_at_once(serve: Serve) -> None:
    scripted, address = await serve([FINAL, PASSED])
    async with VerifierClient(address) as client:
        response = await client.verify(pb.VerifyRequest(request_id="mine"))
    assert response.verdicts[0] == FINAL and response.request_id == "mine"
    assert len(scripted.asked) == 1


async def test_the_last_answer_counts_when_retries_end(serve: Serve) -> None:
    scripted, address = await serve([LOST] * 3)
    async with VerifierClient(address, max_retries=2) as client:
        response = await client.verify(pb.VerifyRequest())
    assert response.verdicts[0] == LOST and len(scripted.asked) == 3


async def test_refusals_are_not_retried(serve: Serve) -> None:
    scripted, address = await serve([grpc.StatusCode.INVALID_ARGUMENT])
    async with VerifierClient(address) as client:
        with pytest.raises(VerifierRefused, match="scripted"):
            await client.verify(pb.VerifyRequest())
    assert len(scripted.asked) == 1


async def test_nobody_there_is_one_sentence() -> None:
    async with VerifierClient("127.0.0.1:1", max_retries=0) as client:
        with pytest.raises(VerifierUnavailable) as raised:
            await client.capabilities()
    assert "127.0.0.1:1" in str(raised.value) and "\n" not in str(raised.value)


def test_sync(serve: Serve) -> None:
    with pytest.raises(VerifierUnavailable):
        VerifierClient("127.0.0.1:1", max_retries=0).verify_sync(pb.VerifyRequest())
