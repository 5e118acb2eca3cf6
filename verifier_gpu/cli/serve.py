"""`leap-verifier serve`: the service, until SIGTERM or Ctrl-C."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path
from typing import Annotated

import grpc
import typer

from verifier_gpu.cli.common import Builder, Target, fail, hardware_for, settings
from verifier_gpu.emulator.toolchain import ToolchainError
from verifier_gpu.service.config import ServiceConfig
from verifier_gpu.service.engine import Engine
from verifier_gpu.service.hardware import Hardware
from verifier_gpu.service.processes import WorkerLost
from verifier_gpu.service.server import Server

_PARENT_POLL_SECONDS = 0.5


def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="0: any free port.", min=0, max=65535)] = 50051,
    target: Annotated[Target, typer.Option(help="Serve only this target.")] = Target.auto,
    jobs: Annotated[int | None, typer.Option(help="Submissions at once [cores].", min=1)] = None,
    cache_dir: Annotated[Path | None, typer.Option(help="Where builds are kept.")] = None,
    builder: Annotated[
        Builder, typer.Option(help="Headers to build with: ours, torch's, or what fits [auto].")
    ] = Builder.auto,
    token: Annotated[
        str | None, typer.Option(envvar="LEAP_VERIFIER_TOKEN", help="Token that calls must carry.")
    ] = None,
    tls_cert: Annotated[
        Path | None, typer.Option(help="PEM certificate chain; needs --tls-key.")
    ] = None,
    tls_key: Annotated[Path | None, typer.Option(help="PEM private key.")] = None,
    drain: Annotated[
        float, typer.Option(help="Seconds for running calls at SIGTERM.", min=0)
    ] = 30.0,
    with_parent: Annotated[
        bool, typer.Option("--with-parent", help="End when the process that started this ends.")
    ] = False,
) -> None:
    """Serve verdicts over gRPC.

    Prints one line with the address when it is ready; SIGTERM drains.

    Examples:

        leap-verifier serve

        leap-verifier serve --port 0 --target cpu

        leap-verifier serve --host 0.0.0.0 --token "$(cat token)" --tls-cert c.pem --tls-key k.pem
    """
    hardware = hardware_for(target)
    config = settings(target, jobs, cache_dir, builder)
    credentials = _credentials(tls_cert, tls_key)
    address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    try:
        asyncio.run(_serve(config, hardware, host, address, token, credentials, drain, with_parent))
    except (WorkerLost, ToolchainError, OSError) as error:
        fail(str(error))


async def _serve(
    config: ServiceConfig,
    hardware: Hardware,
    host: str,
    address: str,
    token: str | None,
    credentials: grpc.ServerCredentials | None,
    drain: float,
    with_parent: bool,
) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    watching = asyncio.ensure_future(_watch_parent(stop)) if with_parent else None
    async with Engine(config, hardware) as engine:
        server = Server(engine, address, token=token, credentials=credentials)
        await server.start()
        print(f"leap-verifier listening on {host}:{server.port}", flush=True)
        await stop.wait()
        await server.drain(drain)
    if watching is not None:
        watching.cancel()


async def _watch_parent(stop: asyncio.Event) -> None:
    parent = os.getppid()
    while os.getppid() == parent:
        await asyncio.sleep(_PARENT_POLL_SECONDS)
    stop.set()


def _credentials(cert: Path | None, key: Path | None) -> grpc.ServerCredentials | None:
    if cert is None and key is None:
        return None
    if cert is None or key is None:
        fail("--tls-cert and --tls-key go together")
    try:
        return grpc.ssl_server_credentials([(key.read_bytes(), cert.read_bytes())])
    except OSError as error:
        fail(f"cannot read {error.filename}: {error.strerror}")
