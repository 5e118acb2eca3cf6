"""`leap-verifier check`: verdicts in the terminal."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Annotated

import typer
from google.protobuf import json_format
from rich.console import Console

from protos.leap.verifier.v1 import verifier_pb2 as pb
from protos.leap.verifier.v1.client import VerifierRefused, VerifierUnavailable
from verifier_gpu.cli import display
from verifier_gpu.cli.common import Target, exit_code, fail, hardware_for, settings
from verifier_gpu.cli.verifying import Verify, in_process, server
from verifier_gpu.emulator.toolchain import ToolchainError
from verifier_gpu.service import saving
from verifier_gpu.service.processes import WorkerLost
from verifier_gpu.service.validation import RequestError
from verifier_gpu.tasks.files import FileError, Named, load_submissions, load_task


def check(
    task: Annotated[
        Path, typer.Argument(help="Python file with Model, get_inputs, get_init_inputs.")
    ],
    submission: Annotated[
        str, typer.Argument(help="A .cu or .py file, '-', a folder, or a JSONL file.")
    ],
    target: Annotated[Target, typer.Option(help="Where to run.")] = Target.auto,
    format_: Annotated[
        str | None, typer.Option("--format", help="cuda or kernelbench [by the file's name].")
    ] = None,
    timing: Annotated[bool, typer.Option("--timing", help="Time what is correct (GPU).")] = False,
    json: Annotated[
        bool, typer.Option("--json", help="Print the response as JSON, one line a submission.")
    ] = False,
    save: Annotated[Path | None, typer.Option(help="Keep what `replay` needs here.")] = None,
    seed: Annotated[int, typer.Option(help="0: a secret one.", min=0)] = 0,
    timeout: Annotated[float, typer.Option(help="Seconds for one submission.", min=0.1)] = 60.0,
    address: Annotated[str | None, typer.Option(help="Ask this server, host:port.")] = None,
    token: Annotated[str | None, typer.Option(envvar="LEAP_VERIFIER_TOKEN")] = None,
    jobs: Annotated[int | None, typer.Option(help="Submissions at once [cores].", min=1)] = None,
    cache_dir: Annotated[Path | None, typer.Option(help="Where builds are kept.")] = None,
) -> None:
    """Judge submissions for a task.

    Exit code 0: all passed; 1: some failed; 2: some could not be judged.

    Examples:

        leap-verifier check softmax.py kernel.cu

        leap-verifier check softmax.py - < kernel.cu

        leap-verifier check softmax.py submissions/ --target cpu --save verdicts/

        leap-verifier check softmax.py kernel.cu --json | jq .verdicts[0].code
    """
    if format_ not in (None, "cuda", "kernelbench"):
        fail(f"--format is cuda or kernelbench, not {format_}")
    try:
        loaded_task = load_task(task)
        text = sys.stdin.read() if submission == "-" else None
        submissions = load_submissions(submission, format_, text)
    except FileError as error:
        fail(str(error))
    request = pb.VerifyRequest(
        task=loaded_task,
        checks=pb.CHECKS_TIMING if timing else pb.CHECKS_CORRECTNESS,
        seed=seed,
        target=target.to_proto(),
    )
    request.timeout.FromNanoseconds(int(timeout * 1e9))
    try:
        if address is not None:
            source = server(address, token)
        else:
            source = in_process(settings(target, jobs, cache_dir), hardware_for(target))
        verdicts = asyncio.run(_check(source, request, submissions, json, save))
    except (VerifierUnavailable, VerifierRefused) as error:
        fail(f"no verdict from the verifier at {address}: {error}")
    except RequestError as error:
        fail(error.message)
    except (WorkerLost, ToolchainError, OSError) as error:
        fail(str(error))
    raise typer.Exit(exit_code(verdicts))


async def _check(
    source: object,
    request: pb.VerifyRequest,
    submissions: list[Named],
    json: bool,
    save: Path | None,
) -> list[pb.Verdict]:
    """Asks for every submission at once and prints each verdict as soon as it may."""
    console = Console(soft_wrap=True, highlight=False)
    verdicts: list[pb.Verdict] = []
    async with source as verify:  # type: ignore[attr-defined]
        requests = [_with(request, named.submission) for named in submissions]
        running = [asyncio.ensure_future(_ask(verify, sent)) for sent in requests]
        try:
            for named, sent, task in zip(submissions, requests, running, strict=True):
                response = await task
                verdict = response.verdicts[0]
                verdicts.append(verdict)
                if save is not None:
                    saving.save(save, named.name, sent, 0, verdict)
                if json:
                    print(json_format.MessageToJson(response, indent=None), flush=True)
                elif len(submissions) == 1 or verdict.outcome != pb.OUTCOME_PASSED:
                    display.show(console, named.name, named.submission, verdict)
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)
    if not json and len(submissions) > 1:
        console.rule()
        display.summary(console, [named.name for named in submissions], verdicts)
    return verdicts


async def _ask(verify: Verify, request: pb.VerifyRequest) -> pb.VerifyResponse:
    return await verify(request)


def _with(request: pb.VerifyRequest, submission: pb.Submission) -> pb.VerifyRequest:
    sent = pb.VerifyRequest()
    sent.CopyFrom(request)
    sent.submissions.append(submission)
    return sent
