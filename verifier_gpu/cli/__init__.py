"""The command line `leap-verifier`. One file a command; no logic of its own."""

from __future__ import annotations

import typer

from verifier_gpu.cli.bench import bench
from verifier_gpu.cli.check import check
from verifier_gpu.cli.doctor import doctor
from verifier_gpu.cli.replay import replay
from verifier_gpu.cli.serve import serve

app = typer.Typer(
    name="leap-verifier",
    help="Judge CUDA kernels against PyTorch references, on a GPU or on this CPU.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)
for command in (serve, check, replay, doctor, bench):
    app.command()(command)


def main() -> None:
    """Entry of the console script."""
    app()
