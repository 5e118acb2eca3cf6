"""VerifyStream: many requests over one call, answered in any order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import grpc

from protos.leap.verifier.v1 import verifier_pb2 as pb
from verifier_gpu.service.engine import Engine
from verifier_gpu.service.validation import RequestError


async def serve_stream(
    engine: Engine, requests: AsyncIterator[pb.StreamRequest], peer: str
) -> AsyncIterator[pb.StreamResponse]:
    """Stage events and answers of the stream's requests.

    Ends when the caller has sent everything and all of it is answered. When the
    call is cancelled, so is every request of it.
    """
    stream = _Stream(engine, peer)
    reading = asyncio.ensure_future(stream.read(requests))
    try:
        while (response := await stream.outgoing.get()) is not None:
            yield response
    finally:
        reading.cancel()
        for task in list(stream.running.values()):
            task.cancel()
        await asyncio.gather(reading, *stream.running.values(), return_exceptions=True)


class _Stream:
    def __init__(self, engine: Engine, peer: str) -> None:
        self._engine = engine
        self._peer = peer
        self.outgoing: asyncio.Queue[pb.StreamResponse | None] = asyncio.Queue()
        self.running: dict[str, asyncio.Task[None]] = {}

    async def read(self, requests: AsyncIterator[pb.StreamRequest]) -> None:
        """Starts and cancels requests until the caller has sent everything."""
        try:
            async for message in requests:
                if message.WhichOneof("message") == "cancel":
                    task = self.running.get(message.cancel.request_id)
                    if task is not None:
                        task.cancel()
                elif message.WhichOneof("message") == "verify":
                    self._start(message.verify)
            while self.running:
                await asyncio.wait(list(self.running.values()))
        finally:
            self.outgoing.put_nowait(None)

    def _start(self, request: pb.VerifyRequest) -> None:
        request_id = request.request_id
        if not request_id or request_id in self.running:
            problem = "a request on the stream needs an id, and each its own"
            self._reject(request_id, grpc.StatusCode.INVALID_ARGUMENT, problem)
            return
        task = asyncio.ensure_future(self._verify(request))
        self.running[request_id] = task
        task.add_done_callback(lambda _: self.running.pop(request_id, None))

    async def _verify(self, request: pb.VerifyRequest) -> None:
        def on_stage(index: int, stage: pb.Stage.ValueType) -> None:
            event = pb.StageEvent(submission_index=index, stage=stage)
            self.outgoing.put_nowait(pb.StreamResponse(request_id=request.request_id, stage=event))

        try:
            answer = await self._engine.verify(request, self._peer, on_stage)
        except RequestError as error:
            self._reject(request.request_id, error.status, error.message, error.retry_after)
        except asyncio.CancelledError:
            self._reject(request.request_id, grpc.StatusCode.CANCELLED, "cancelled")
        else:
            self.outgoing.put_nowait(
                pb.StreamResponse(request_id=request.request_id, response=answer)
            )

    def _reject(
        self,
        request_id: str,
        status: grpc.StatusCode,
        message: str,
        retry_after: float | None = None,
    ) -> None:
        rejected = pb.Rejected(status_code=status.value[0], message=message)
        if retry_after is not None:
            rejected.retry_after.FromNanoseconds(int(retry_after * 1e9))
        self.outgoing.put_nowait(pb.StreamResponse(request_id=request_id, rejected=rejected))
