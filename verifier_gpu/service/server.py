"""The gRPC face of the engine: Verify, VerifyStream, GetCapabilities, health, reflection."""

from __future__ import annotations

import hmac
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import grpc
from google.protobuf import any_pb2
from google.rpc import error_details_pb2, status_pb2
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from protos.leap.verifier.v1 import verifier_pb2 as pb
from protos.leap.verifier.v1 import verifier_pb2_grpc
from verifier_gpu.service.engine import Engine
from verifier_gpu.service.stream import serve_stream
from verifier_gpu.service.validation import RequestError

SERVICE_NAME = pb.DESCRIPTOR.services_by_name["Verifier"].full_name
_STREAM = socket.SOCK_STREAM
_STATUS_DETAILS = "grpc-status-details-bin"


class VerifierServicer(verifier_pb2_grpc.VerifierServicer):
    """Adapts calls to the engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def Verify(
        self, request: pb.VerifyRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> pb.VerifyResponse:
        try:
            return await self._engine.verify(request, context.peer())
        except RequestError as error:
            await abort(context, error)
            raise AssertionError("abort returned") from None

    async def VerifyStream(
        self,
        request_iterator: AsyncIterator[pb.StreamRequest],
        context: grpc.aio.ServicerContext[Any, Any],
    ) -> AsyncIterator[pb.StreamResponse]:
        async for response in serve_stream(self._engine, request_iterator, context.peer()):
            yield response

    async def GetCapabilities(
        self, request: pb.GetCapabilitiesRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> pb.GetCapabilitiesResponse:
        return self._engine.capabilities()


async def abort(context: grpc.aio.ServicerContext[Any, Any], error: RequestError) -> None:
    """Ends a call with a status, and google.rpc.RetryInfo where the caller should come back."""
    trailing: tuple[tuple[str, bytes], ...] = ()
    if error.retry_after is not None:
        info = error_details_pb2.RetryInfo()
        info.retry_delay.FromNanoseconds(int(error.retry_after * 1e9))
        detail = any_pb2.Any()
        detail.Pack(info)
        status = status_pb2.Status(
            code=error.status.value[0], message=error.message, details=[detail]
        )
        trailing = ((_STATUS_DETAILS, status.SerializeToString()),)
    await context.abort(error.status, error.message, trailing)


class TokenInterceptor(grpc.aio.ServerInterceptor):
    """Lets in only calls with the token; health checks need none."""

    def __init__(self, token: str) -> None:
        self._expected = f"Bearer {token}"

    async def intercept_service(
        self,
        continuation: Callable[
            [grpc.HandlerCallDetails], Awaitable[grpc.RpcMethodHandler[Any, Any]]
        ],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> grpc.RpcMethodHandler[Any, Any]:
        given = dict(handler_call_details.invocation_metadata or ()).get("authorization", "")
        allowed = hmac.compare_digest(str(given).encode(), self._expected.encode())
        handler = await continuation(handler_call_details)
        if allowed or handler_call_details.method.startswith("/grpc.health."):
            return handler
        return _refuse_like(handler)


def _refuse_like(handler: Any) -> Any:
    """A handler of the same kind that answers UNAUTHENTICATED."""

    async def refuse(_: object, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        await context.abort(grpc.StatusCode.UNAUTHENTICATED, "this verifier wants a token")

    async def refuse_stream(
        _: object, context: grpc.aio.ServicerContext[Any, Any]
    ) -> AsyncIterator[None]:
        await context.abort(grpc.StatusCode.UNAUTHENTICATED, "this verifier wants a token")
        yield

    if handler is None:
        return None
    if handler.request_streaming and handler.response_streaming:
        return grpc.stream_stream_rpc_method_handler(refuse_stream)
    if handler.response_streaming:
        return grpc.unary_stream_rpc_method_handler(refuse_stream)
    return grpc.unary_unary_rpc_method_handler(refuse)


def _check_free(address: str) -> None:
    """Raises OSError, with the reason that gRPC only logs, if nobody can listen on an address."""
    host, _, port = address.rpartition(":")
    host = host.strip("[]")
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(host, int(port), type=_STREAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(place)
    except OSError as error:
        raise OSError(f"cannot listen on {address}: {error.strerror}") from None


class Server:
    """A listening server around an engine."""

    def __init__(
        self,
        engine: Engine,
        address: str,
        *,
        token: str | None = None,
        credentials: grpc.ServerCredentials | None = None,
    ) -> None:
        limit = engine.config.max_message_bytes
        self._server = grpc.aio.server(
            interceptors=[TokenInterceptor(token)] if token else [],
            options=[
                ("grpc.max_send_message_length", limit),
                ("grpc.max_receive_message_length", limit),
                ("grpc.so_reuseport", 0),  # a second server on the port must fail
            ],
        )
        self._engine = engine
        self._address = address
        self._credentials = credentials
        self._health = health.aio.HealthServicer()  # type: ignore[attr-defined]
        self.port = 0

    async def start(self) -> None:
        """Listens. Raises OSError if the address cannot be had."""
        verifier_pb2_grpc.add_VerifierServicer_to_server(
            VerifierServicer(self._engine), self._server
        )
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        names = (SERVICE_NAME, health.SERVICE_NAME, reflection.SERVICE_NAME)
        reflection.enable_server_reflection(names, self._server)
        _check_free(self._address)
        try:
            if self._credentials is None:
                self.port = self._server.add_insecure_port(self._address)
            else:
                self.port = self._server.add_secure_port(self._address, self._credentials)
        except RuntimeError:
            raise OSError(f"cannot listen on {self._address}") from None
        await self._server.start()
        for name in ("", SERVICE_NAME):
            await self._health.set(name, health_pb2.HealthCheckResponse.SERVING)

    async def drain(self, grace_seconds: float) -> None:
        """Takes no new calls, lets running ones end for up to `grace_seconds`, then stops."""
        await self._health.enter_graceful_shutdown()
        await self._server.stop(grace_seconds)

    async def wait(self) -> None:
        await self._server.wait_for_termination()
