"""A typed client of the verifier, with retries, for any trainer.

    async with VerifierClient("127.0.0.1:50051", client_id="me") as client:
        response = await client.verify(request)

    response = VerifierClient("127.0.0.1:50051").verify_sync(request)

It needs only grpc and the generated stubs.
"""

from __future__ import annotations

import asyncio
import random
import uuid
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any, Self, TypeVar

import grpc
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from protos.leap.verifier.v1 import verifier_pb2 as pb
from protos.leap.verifier.v1.verifier_pb2_grpc import VerifierStub

#: gRPC message limit of the client, bytes. The server advertises its own.
MAX_MESSAGE_BYTES = 64 << 20

_FIRST_BACKOFF_SECONDS = 0.2
_LONGEST_BACKOFF_SECONDS = 10.0
_RETRIED = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.RESOURCE_EXHAUSTED)

T = TypeVar("T")


class VerifierUnavailable(Exception):
    """The verifier did not answer, after all retries. One sentence."""


class VerifierRefused(Exception):
    """The verifier refuses this call (malformed, unauthenticated). One sentence; do not retry."""


class VerifierClient:
    """Asks one verifier.

    Args:
        address: "host:port", or any gRPC target.
        token: sent as "authorization: Bearer <token>".
        credentials: TLS; None is a plain connection.
        client_id: for fair sharing and idempotency, where a request names none.
        max_retries: further tries after UNAVAILABLE, RESOURCE_EXHAUSTED or a
            retryable INFRA_ERROR.
    """

    def __init__(
        self,
        address: str,
        *,
        token: str | None = None,
        credentials: grpc.ChannelCredentials | None = None,
        client_id: str = "",
        max_retries: int = 5,
    ) -> None:
        self.address = address
        self._token = token
        self._credentials = credentials
        self._client_id = client_id
        self._max_retries = max_retries
        self._channel: grpc.aio.Channel | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def verify(self, request: pb.VerifyRequest) -> pb.VerifyResponse:
        """The verdicts of a request, in the order of its submissions.

        A request without id gets one, so that a retry joins the running job.
        After the last retry, verdicts that are still a retryable INFRA_ERROR
        are returned as they are.

        Raises:
            VerifierUnavailable: nobody answers.
            VerifierRefused: the request is malformed or not allowed.
        """
        sent = pb.VerifyRequest()
        sent.CopyFrom(request)
        sent.client_id = sent.client_id or self._client_id
        sent.request_id = sent.request_id or uuid.uuid4().hex
        for attempt in range(self._max_retries + 1):
            response = await self._retrying(lambda: self._stub().Verify(sent, **self._metadata()))
            hints = [_retry_after(verdict) for verdict in response.verdicts]
            waits = [hint for hint in hints if hint is not None]
            if not waits or attempt == self._max_retries:
                break
            await asyncio.sleep(_backoff(attempt, max(waits)))
        response.request_id = request.request_id
        return response

    async def capabilities(self) -> pb.GetCapabilitiesResponse:
        """What the verifier can do. Raises as `verify`."""
        return await self._retrying(
            lambda: self._stub().GetCapabilities(pb.GetCapabilitiesRequest(), **self._metadata())
        )

    async def close(self) -> None:
        """Closes the connection; calls under way fail."""
        if self._channel is not None:
            await self._channel.close(None)
            self._channel = None

    def verify_sync(self, request: pb.VerifyRequest) -> pb.VerifyResponse:
        """`verify`, for code without an event loop."""
        return asyncio.run(self._once(lambda client: client.verify(request)))

    def capabilities_sync(self) -> pb.GetCapabilitiesResponse:
        """`capabilities`, for code without an event loop."""
        return asyncio.run(self._once(lambda client: client.capabilities()))

    async def _once(self, call: Callable[[VerifierClient], Awaitable[T]]) -> T:
        # A connection belongs to an event loop, and each sync call has its own.
        async with VerifierClient(
            self.address,
            token=self._token,
            credentials=self._credentials,
            client_id=self._client_id,
            max_retries=self._max_retries,
        ) as client:
            return await call(client)

    def _stub(self) -> Any:
        if self._channel is None:
            options = [
                ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
                ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
            ]
            if self._credentials is None:
                self._channel = grpc.aio.insecure_channel(self.address, options)
            else:
                self._channel = grpc.aio.secure_channel(self.address, self._credentials, options)
        return VerifierStub(self._channel)

    def _metadata(self) -> dict[str, Any]:
        return {"metadata": (("authorization", f"Bearer {self._token}"),) if self._token else ()}

    async def _retrying(self, call: Callable[[], Awaitable[T]]) -> T:
        for attempt in range(self._max_retries + 1):
            try:
                return await call()
            except grpc.aio.AioRpcError as error:
                if error.code() not in _RETRIED:
                    raise VerifierRefused(_sentence(error)) from None
                if attempt == self._max_retries:
                    raise VerifierUnavailable(f"{self.address}: {_sentence(error)}") from None
                await asyncio.sleep(_backoff(attempt, retry_info(error)))
        raise AssertionError("unreachable")


def retry_info(error: grpc.aio.AioRpcError) -> float:
    """Seconds that google.rpc.RetryInfo in a status asks to wait; 0 without one."""
    try:
        status = rpc_status.from_call(error)  # type: ignore[arg-type]
    except ValueError:
        return 0.0
    for detail in status.details if status is not None else ():
        info = error_details_pb2.RetryInfo()
        if detail.Unpack(info):
            return info.retry_delay.ToTimedelta().total_seconds()
    return 0.0


def _retry_after(verdict: pb.Verdict) -> float | None:
    """Seconds to wait before the same request may succeed; None: it is final."""
    if verdict.outcome != pb.OUTCOME_INFRA_ERROR or not verdict.retryable:
        return None
    return verdict.retry_after.ToTimedelta().total_seconds()


def _backoff(attempt: int, asked: float) -> float:
    """Seconds to wait: what the server asks, or longer with each attempt; jittered."""
    growing = min(_FIRST_BACKOFF_SECONDS * 2**attempt, _LONGEST_BACKOFF_SECONDS)
    return max(asked, growing) * random.uniform(1.0, 1.25)


def _sentence(error: grpc.aio.AioRpcError) -> str:
    details = (error.details() or "no details").strip().splitlines()[0]
    return f"{details} ({error.code().name})"
