"""The sandbox, in a process that takes it upon itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

_PROGRAM = """
import os, socket, sys, threading
from pathlib import Path
from verifier_gpu.runner.limits import prctl
from verifier_gpu.runner.sandbox import confine
prctl(38, 1)
missing = confine(Path(sys.argv[1]))
if missing:
    print("missing", missing)
    sys.exit(0)

def refused(action):
    try:
        action()
    except OSError:
        return
    raise AssertionError("allowed")

refused(os.fork)
refused(lambda: os.execv("/bin/true", ["true"]))
refused(socket.socket)
refused(lambda: os.kill(os.getppid(), 0))
refused(lambda: os.kill(-1, 0))
refused(lambda: open(sys.argv[2], "w"))
refused(lambda: os.unlink(sys.argv[2]))
refused(lambda: os.chmod(sys.argv[2], 0o777))
refused(lambda: open(f"/proc/{os.getppid()}/mem", "rb"))
os.kill(os.getpid(), 0)
(Path(sys.argv[1]) / "mine").write_text("allowed")
thread = threading.Thread(target=lambda: print("thread"))
thread.start()
thread.join()
print("confined")
"""


def test_confined(tmp_path: Path) -> None:
    scratch, other = tmp_path / "scratch", tmp_path / "other"
    scratch.mkdir()
    other.write_text("theirs")
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, str(scratch), str(other)],
        capture_output=True,
        text=True,
        check=False,
    )
    if "missing" in done.stdout:
        pytest.skip(f"this kernel lacks {done.stdout}")
    assert done.stdout == "thread\nconfined\n", done.stderr
    assert other.read_text() == "theirs"
