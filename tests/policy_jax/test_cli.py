"""The command line: help, errors as sentences, and clean stops."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from policy_jax import runtime
from policy_jax.cli import app

COMMANDS = [
    ("train",),
    ("sft",),
    ("eval",),
    ("control",),
    ("show",),
    ("sample",),
    ("corpus",),
    ("tasks", "list"),
    ("tasks", "export"),
]

# A stage that waits for its signal; "deaf", it never looks.
STAGE = """
import sys, time
from policy_jax import cli

deaf = "deaf" in sys.argv

def stage(stop):
    print("ready", flush=True)
    while deaf or not stop.should_stop():
        time.sleep(0.01)
    print("saved", flush=True)

cli.app.command("wait")(lambda: cli._stoppable(stage))
sys.argv[1:] = ["wait"]
cli.main()
"""


def leap(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "policy_jax.cli", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def one_sentence(result: subprocess.CompletedProcess[str]) -> str:
    assert result.returncode == 2
    assert result.stderr.startswith("leap: ")
    assert result.stderr.count("\n") == 1
    assert "Traceback" not in result.stderr
    return result.stderr.removeprefix("leap: ").strip()


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_has_an_example(command: tuple[str, ...]) -> None:
    result = CliRunner(env={"COLUMNS": "200"}).invoke(app, [*command, "--help"])
    assert result.exit_code == 0
    assert f"Example: leap {' '.join(command)} " in result.output


def test_help_loads_no_accelerator_library() -> None:
    code = (
        "import sys; from policy_jax.cli import main; sys.argv = ['leap', '--help']\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'jax', 'torch', 'flax', 'orbax', 'numpy', 'matplotlib', 'grpc'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert "Training" in result.stdout


def test_mistakes_are_one_sentence_and_exit_2(tmp_path: Path) -> None:
    assert "no such config file" in one_sentence(leap("train", "configs/nowhere.yaml"))
    assert "did you mean sft.updates?" in one_sentence(
        leap("sft", "configs/quickstart.yaml", "sft.update=3")
    )
    assert "no such run" in one_sentence(leap("show", str(tmp_path / "none")))
    assert "no rollout is stored yet" in one_sentence(leap("show", str(tmp_path)))
    assert "leap-micro" in one_sentence(leap("tasks", "list", "--source", str(tmp_path / "x")))


def test_a_task_without_model_is_named(tmp_path: Path) -> None:
    (tmp_path / "tasks.jsonl").write_text('{"id": "t", "reference": "x = 1"}\n')
    result = leap("tasks", "list", "--source", str(tmp_path / "tasks.jsonl"))
    assert "task t: it defines no class Model" in one_sentence(result)


def test_an_unwritable_place_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = leap("tasks", "export", str(tmp_path / "file" / "out"))
    assert "file" in one_sentence(result)


def test_tasks_are_exported_and_read_back(tmp_path: Path) -> None:
    for out in (tmp_path / "folder", tmp_path / "tasks.jsonl"):
        assert leap("tasks", "export", str(out)).returncode == 0
    listings = [
        leap("tasks", "list", "--source", str(source)).stdout.splitlines()
        for source in ("leap-micro", tmp_path / "tasks.jsonl")
    ]
    assert len(listings[0]) >= 80
    assert listings[0] == listings[1]
    folder = leap("tasks", "list", "--source", str(tmp_path / "folder")).stdout.splitlines()
    assert len(folder) == len(listings[0])
    held_out = [sum(line.endswith("heldout") for line in rows) for rows in (listings[0], folder)]
    assert held_out[0] == held_out[1] >= 16


def start(*arguments: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", STAGE, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_lets_the_stage_save(number: int, code: int) -> None:
    process = start()
    process.send_signal(number)
    out, err = process.communicate(timeout=20)
    assert out == "saved\n"
    assert "stopping with a checkpoint" in err
    assert "Traceback" not in err
    assert process.returncode == code


def test_a_second_signal_ends_at_once() -> None:
    process = start("deaf")
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert out == ""
    assert "Traceback" not in err
    assert process.returncode == 130


def test_a_reader_that_leaves_is_no_error(tmp_path: Path) -> None:
    command = f"{sys.executable} -m policy_jax.cli tasks list | head -1"
    result = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=60)
    assert result.stderr == ""
    assert result.stdout.count("\n") == 1


def test_the_environment_of_jax_keeps_what_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    environment = {"XLA_FLAGS": "--xla_dump_to=/x", "TF_CPP_MIN_LOG_LEVEL": "0"}
    monkeypatch.setattr(os, "environ", environment)
    runtime.prepare()
    runtime.prepare()
    assert environment["XLA_FLAGS"].split() == ["--xla_dump_to=/x", *runtime._XLA_FLAGS]
    assert environment["TF_CPP_MIN_LOG_LEVEL"] == "0"
    assert environment["XLA_PYTHON_CLIENT_PREALLOCATE"] == "false"
