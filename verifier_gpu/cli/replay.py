"""`leap-verifier replay`: the same verdicts again from what `check --save` kept."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from protos.leap.verifier.v1 import verifier_pb2 as pb
from verifier_gpu.cli import display
from verifier_gpu.cli.common import EXIT_FAILED, EXIT_PASSED, Target, fail, hardware_for, settings
from verifier_gpu.cli.verifying import in_process
from verifier_gpu.emulator.toolchain import ToolchainError
from verifier_gpu.service import saving
from verifier_gpu.service.config import ServiceConfig
from verifier_gpu.service.hardware import Hardware
from verifier_gpu.service.processes import WorkerLost
from verifier_gpu.service.validation import RequestError


def replay(
    folder: Annotated[Path, typer.Argument(help="What `check --save` wrote.")],
    cache_dir: Annotated[Path | None, typer.Option(help="Where builds are kept.")] = None,
) -> None:
    """Verify again what was saved, and say whether any verdict differs.

    Exit code 0: the same verdicts; 1: some differ; 2: it could not be judged.

    Example:

        leap-verifier check softmax.py kernel.cu --save verdicts/

        leap-verifier replay verdicts/
    """
    try:
        saved = saving.load(folder)
    except saving.SaveError as error:
        fail(str(error))
    config = settings(Target.auto, None, cache_dir)
    try:
        same = asyncio.run(_replay(config, hardware_for(Target.auto), saved))
    except (RequestError, WorkerLost, ToolchainError, OSError) as error:
        fail(str(error))
    raise typer.Exit(EXIT_PASSED if same else EXIT_FAILED)


async def _replay(config: ServiceConfig, hardware: Hardware, saved: list[saving.Saved]) -> bool:
    console = Console(soft_wrap=True, highlight=False)
    same = True
    async with in_process(config, hardware) as verify:
        for entry in saved:
            response = await verify(entry.request)
            verdict: pb.Verdict = response.verdicts[0]
            console.print(Text(f"{entry.name}: ").append_text(display.headline(verdict)))
            found = saving.differences(entry.verdict, verdict)
            if found and entry.verdict.content_digest != verdict.content_digest:
                found.append("this machine, or this verifier, is not the one of the saved verdict")
            for difference in found:
                console.print(Text(f"  differs: {difference}", style="yellow"))
            same = same and not found
    console.print("every verdict is the same" if same else "some verdicts differ")
    return same
