"""`leap-verifier bench`: how fast this machine judges."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from protos.leap.verifier.v1.client import VerifierClient, VerifierRefused, VerifierUnavailable
from verifier_gpu.bench import report
from verifier_gpu.bench.measure import Bench, BenchFailed
from verifier_gpu.cli.common import Target, fail, hardware_for, settings
from verifier_gpu.emulator.toolchain import ToolchainError
from verifier_gpu.service.config import ServiceConfig
from verifier_gpu.service.engine import Engine
from verifier_gpu.service.hardware import Hardware
from verifier_gpu.service.processes import WorkerLost
from verifier_gpu.service.server import Server


def bench(
    target: Annotated[Target, typer.Option(help="Where to run.")] = Target.auto,
    seconds: Annotated[
        float, typer.Option(help="How long a throughput is sustained.", min=1.0)
    ] = 60.0,
    jobs: Annotated[int | None, typer.Option(help="Submissions at once [cores].", min=1)] = None,
    json: Annotated[Path | None, typer.Option(help="Also write the figures there.")] = None,
) -> None:
    """Measure verdicts: cold, with a warm build cache, repeated, and a minute.

    Starts a server of its own with an empty cache, and asks it over gRPC as a trainer
    would. Prints a Markdown table.

    Examples:

        leap-verifier bench

        leap-verifier bench --target cpu --seconds 180 --json bench.json
    """
    hardware = hardware_for(target)
    if target is Target.auto:
        target = Target(hardware.targets[0])
    if json is not None and not json.parent.is_dir():
        fail(f"--json {json}: there is no folder {json.parent}")
    try:
        with tempfile.TemporaryDirectory(prefix="leap-bench-", ignore_cleanup_errors=True) as cache:
            config = settings(target, jobs, Path(cache))
            markdown, text = asyncio.run(_bench(config, hardware, target, seconds))
    except (BenchFailed, VerifierRefused, VerifierUnavailable) as error:
        fail(f"the bench stopped: {error}")
    except (WorkerLost, ToolchainError, OSError) as error:
        fail(str(error))
    if json is not None:
        json.write_text(text + "\n")
    print(markdown)


async def _bench(
    config: ServiceConfig, hardware: Hardware, target: Target, seconds: float
) -> tuple[str, str]:
    """The figures as Markdown and as JSON."""
    async with _client(config, hardware) as client:
        about = report.machine(await client.capabilities(), target.value, config.jobs)
        with Progress(console=Console(stderr=True), transient=True) as progress:
            bar = progress.add_task("start", total=1.0)

            def on_progress(what: str, share: float) -> None:
                progress.update(bar, description=what, completed=share)

            # A few more than the server works on, so that none of its places is idle.
            measures = Bench(
                client.verify, target.to_proto(), config.jobs + 2, seconds, on_progress
            )
            figures = await measures.run()
    return report.to_markdown(figures, about), report.to_json(figures, about)


@contextlib.asynccontextmanager
async def _client(config: ServiceConfig, hardware: Hardware) -> AsyncIterator[VerifierClient]:
    """A client of a server of our own, which ends with it."""
    async with Engine(config, hardware) as engine:
        server = Server(engine, "127.0.0.1:0")
        await server.start()
        try:
            async with VerifierClient(f"127.0.0.1:{server.port}", max_retries=0) as client:
                yield client
        finally:
            await server.drain(0)
