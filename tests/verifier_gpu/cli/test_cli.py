"""The command line as a person uses it: exit codes, JSON, save and replay, one-sentence errors."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.verifying import TASK, good, running_verifier


def run(*arguments: object, text: str | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "verifier_gpu.cli", *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, input=text, timeout=120, check=False
    )


@pytest.fixture
def task(tmp_path: Path) -> Path:
    path = tmp_path / "add_relu.py"
    path.write_text(TASK)
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "submissions"
    path.mkdir()
    (path / "good.cu").write_text(good())
    (path / "wrong.cu").write_text(good("x[i] + y[i]", "x[i] * y[i]"))
    (path / "broken.cu").write_text(good("int i =", "int i :="))
    return path


def test_check_passes(task: Path) -> None:
    done = run("check", task, "-", "--target", "cpu", text=good())
    assert done.returncode == 0, done.stderr
    assert "PASSED" in done.stdout


def test_check_shows_the_line_of_a_compile_error(task: Path, folder: Path) -> None:
    done = run("check", task, folder / "broken.cu", "--target", "cpu")
    assert done.returncode == 1
    assert "COMPILE_ERROR" in done.stdout and "int i :=" in done.stdout
    assert "Traceback" not in done.stderr


def test_save_and_replay(task: Path, folder: Path, tmp_path: Path) -> None:
    saved = tmp_path / "saved"
    done = run("check", task, folder, "--target", "cpu", "--save", saved, "--json")
    assert done.returncode == 1
    responses = [json.loads(line) for line in done.stdout.splitlines()]
    codes = [response["verdicts"][0].get("code") for response in responses]
    assert codes == ["CODE_COMPILE_ERROR", None, "CODE_WRONG_VALUES"]
    assert responses[1]["verdicts"][0]["outcome"] == "OUTCOME_PASSED"
    same = run("replay", saved)
    assert same.returncode == 0, same.stdout
    assert "every verdict is the same" in same.stdout
    verdict = saved / "good.cu" / "verdict.json"
    verdict.write_text(verdict.read_text().replace("OUTCOME_PASSED", "OUTCOME_FAILED"))
    differs = run("replay", saved)
    assert differs.returncode == 1
    assert "OUTCOME_FAILED before, OUTCOME_PASSED now" in differs.stdout


def test_check_with_a_server(task: Path, folder: Path) -> None:
    with running_verifier() as verifier:
        done = run("check", task, folder, "--address", verifier.address)
    assert done.returncode == 1, done.stderr
    assert "1 passed, 2 failed, 0 infra errors" in done.stdout


def test_a_task_that_is_broken_is_exit_code_2(tmp_path: Path) -> None:
    task = tmp_path / "task.py"
    task.write_text(TASK.replace("torch.relu(x + y)", "undefined_name"))
    done = run("check", task, "-", "--target", "cpu", text=good())
    assert done.returncode == 2 and "TASK_INVALID" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("check", "{task}", "{missing}"), "cannot read"),
        (("check", "{missing}", "{good}"), "cannot read"),
        (("check", "{good}", "{good}"), "not valid Python"),
        (("check", "{empty}", "{good}"), "defines no Model"),
        (("check", "{task}", "{good}", "--target", "cuda"), "cannot serve target cuda"),
        (("check", "{task}", "{good}", "--format", "ptx"), "cuda or kernelbench"),
        (("check", "{task}", "{good}", "--address", "127.0.0.1:1"), "no verdict"),
        (("replay", "{missing}"), "holds nothing"),
        (("serve", "--target", "cpu", "--tls-cert", "{good}"), "go together"),
    ],
)
def test_bad_input_is_one_sentence(
    task: Path, folder: Path, tmp_path: Path, arguments: tuple[str, ...], reason: str
) -> None:
    (tmp_path / "empty.py").write_text("")
    places = {
        "task": task,
        "good": folder / "good.cu",
        "missing": tmp_path / "missing.cu",
        "empty": tmp_path / "empty.py",
    }
    if "cuda" in arguments and Path("/dev/nvidiactl").exists():
        pytest.skip("this machine has a GPU")
    done = run(*(argument.format(**places) for argument in arguments))
    assert done.returncode == 2
    assert reason in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr


def test_doctor() -> None:
    done = run("doctor")
    assert done.returncode == 0
    assert "target cpu: works" in done.stdout


def test_help_has_examples() -> None:
    for command in ("serve", "check", "replay", "doctor"):
        done = run(command, "--help")
        assert done.returncode == 0 and "leap-verifier " + command in done.stdout
