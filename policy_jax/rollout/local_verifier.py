"""A verifier of our own, started as a process beside the policy."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from pathlib import Path
from queue import Empty, Queue

from policy_jax.errors import LeapError

_LISTENING = re.compile(r"listening on (\S+:\d+)")
_START_SECONDS = 120.0  # the first start may build the emulator's library
_DRAIN_SECONDS = 20.0


class LocalVerifier:
    """`leap-verifier serve` on a free local port, ended with this process.

    Its output goes to `log_path`. Raises LeapError (one sentence) if it does
    not come up.
    """

    def __init__(self, target: str, jobs: int | None, log_path: Path) -> None:
        self._target = target
        self._jobs = jobs
        self._log_path = log_path
        self._process: subprocess.Popen[str] | None = None
        self.address = ""

    def start(self) -> None:
        """Start it, again on the same port after it died, and wait for its address."""
        port = self.address.rpartition(":")[2] or "0"
        command = [sys.executable, "-m", "verifier_gpu.cli", "serve", "--with-parent"]
        command += ["--port", port, "--target", self._target]
        if self._jobs is not None:
            command += ["--jobs", str(self._jobs)]
        self._log_path.parent.mkdir(parents=True, exist_ok=True)
        with self._log_path.open("a", encoding="utf-8") as log:
            # In a session of its own, a Ctrl-C meant for us does not reach it.
            self._process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=log, text=True, start_new_session=True
            )
        self.address = self._wait_for_address(self._process)

    def _wait_for_address(self, process: subprocess.Popen[str]) -> str:
        lines: Queue[str] = Queue()

        def read() -> None:
            assert process.stdout is not None
            with process.stdout:
                for line in process.stdout:  # for as long as it lives: the pipe must not fill
                    lines.put(line)
            lines.put("")

        self._reader = threading.Thread(target=read, daemon=True, name="verifier-stdout")
        self._reader.start()
        try:
            while line := lines.get(timeout=_START_SECONDS):
                if match := _LISTENING.search(line):
                    return match[1]
        except Empty:
            self.stop()
            raise LeapError(
                f"the verifier did not come up within {_START_SECONDS:.0f} s; see {self._log_path}"
            ) from None
        self.stop()
        raise LeapError(
            f"the verifier ended at once ({self._last_words()}); "
            "`leap-verifier doctor` says what this machine lacks"
        )

    def _last_words(self) -> str:
        lines = self._log_path.read_text(encoding="utf-8", errors="replace").split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "no message")

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process is not None and self._process.poll() is None

    def stop(self) -> None:
        """Let it drain, then end it."""
        if self._process is None:
            return
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(_DRAIN_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
        self._process.wait()
        self._reader.join()
        self._process = None
