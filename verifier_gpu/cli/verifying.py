"""Requests answered in this process or by a server, the same way for every command."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable

from protos.leap.verifier.v1 import verifier_pb2 as pb
from protos.leap.verifier.v1.client import VerifierClient
from verifier_gpu.service.config import ServiceConfig
from verifier_gpu.service.engine import Engine
from verifier_gpu.service.hardware import Hardware

Verify = Callable[[pb.VerifyRequest], Awaitable[pb.VerifyResponse]]


@contextlib.asynccontextmanager
async def server(address: str, token: str | None) -> AsyncIterator[Verify]:
    """Asks a running server. The call raises VerifierUnavailable or VerifierRefused."""
    async with VerifierClient(address, token=token, max_retries=2) as client:
        yield client.verify


@contextlib.asynccontextmanager
async def in_process(config: ServiceConfig, hardware: Hardware) -> AsyncIterator[Verify]:
    """Runs the server's own engine here. The call raises RequestError."""
    async with Engine(config, hardware) as engine:
        yield lambda request: engine.verify(request, "command line")
