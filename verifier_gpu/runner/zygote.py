"""The zygote: a process that has imported torch once and forks children from then on.

    python -m verifier_gpu.runner.zygote --control FD

The server execs it (never forks itself). It runs no torch operation, starts no
thread and makes no CUDA call: a child forked after one operation of the parent
hangs at its own first one. It speaks JSON datagrams over a Unix socket:

    server -> zygote   {"spawn": id, "role": "candidate" | "reference" | "judge",
                        "limits": {...}}  with the descriptors [channel, output, files...]
                       {"kill": id}
    zygote -> server   {"spawned": id, "pid": n} | {"failed": id, "reason": text}
                       {"exited": id, "code": n, "signal": n, "cpu_seconds": s, "rss_bytes": n}

Each child leads a session of its own. When it ends, its whole group is killed,
and so are descendants that left the group: the zygote is their subreaper.
When the server dies, the control socket closes, and every child is killed.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import importlib
import json
import os
import random
import select
import signal
import socket
import sys
import traceback
from pathlib import Path
from typing import Any

import torch

from verifier_gpu.runner import limits as process_limits

_ROLES = {
    "candidate": "verifier_gpu.runner.candidate",
    "reference": "verifier_gpu.judge.reference",
    "judge": "verifier_gpu.judge.worker",
}
_PR_SET_CHILD_SUBREAPER = 36
_MAX_DATAGRAM = 1 << 16
_MAX_DESCRIPTORS = 16


class Zygote:
    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._pid = os.getpid()
        self._children: dict[int, int] = {}  # pid -> id of the spawn request

    def serve(self) -> None:
        """Forks on request until the server closes the control socket."""
        wake_read, wake_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the server's to handle
        signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
        poll = select.poll()
        poll.register(self._control, select.POLLIN)
        poll.register(wake_read, select.POLLIN)
        while True:
            ready = {fd for fd, _ in poll.poll()}
            if wake_read in ready:
                os.read(wake_read, 4096)
                self._reap()
            if self._control.fileno() in ready and not self._handle_datagram():
                break
        for pid in self._children:
            _kill_group(pid)
        self._reap_strays()

    def _handle_datagram(self) -> bool:
        data, fds, _, _ = socket.recv_fds(self._control, _MAX_DATAGRAM, _MAX_DESCRIPTORS)
        if not data:
            return False
        message = json.loads(data)
        if "kill" in message:
            for pid, spawn_id in self._children.items():
                if spawn_id == message["kill"]:
                    _kill_group(pid)
        elif "spawn" in message:
            self._spawn(message, fds)
        return True

    def _spawn(self, message: dict[str, Any], fds: list[int]) -> None:
        try:
            pid = os.fork()
        except OSError as error:
            self._send({"failed": message["spawn"], "reason": str(error)})
            return
        finally:
            if os.getpid() == self._pid:
                for fd in fds:
                    os.close(fd)
        if pid == 0:
            self._control.close()
            _child(message, fds, self._pid)
        self._children[pid] = message["spawn"]
        self._send({"spawned": message["spawn"], "pid": pid})

    def _reap(self) -> None:
        ended = False
        while True:
            try:
                info = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:
                break
            if info is None:
                break
            pid = info.si_pid
            if pid in self._children:
                # Before it is reaped its number cannot belong to anybody else.
                _kill_group(pid)
            _, status, usage = os.wait4(pid, 0)
            if pid in self._children:
                ended = True
                self._send(
                    {
                        "exited": self._children.pop(pid),
                        "code": os.WEXITSTATUS(status) if os.WIFEXITED(status) else 0,
                        "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0,
                        "cpu_seconds": usage.ru_utime + usage.ru_stime,
                        "rss_bytes": usage.ru_maxrss * 1024,
                    }
                )
        if ended:
            self._reap_strays()

    def _reap_strays(self) -> None:
        """Kills descendants of ended children that had left their group."""
        try:
            listed = Path(f"/proc/self/task/{self._pid}/children").read_text().split()
        except OSError:
            return
        for pid in map(int, listed):
            if pid not in self._children:
                os.kill(pid, signal.SIGKILL)

    def _send(self, message: dict[str, Any]) -> None:
        # Without a server there is nobody to tell; poll() finds that out next.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self._control.send(json.dumps(message).encode())


def _kill_group(pid: int) -> None:
    try:
        os.killpg(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        # Not a group leader yet: it was forked a moment ago.
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _child(message: dict[str, Any], fds: list[int], zygote: int) -> None:
    """Becomes the child of one role; never returns."""
    code = 1
    try:
        process_limits.die_with(zygote)
        os.setsid()
        Path("/proc/self/comm").write_text(f"leap-{message['role']}")  # for ps and top
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        channel_fd, output_fd, *files = fds
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.dup2(output_fd, 1)
        os.dup2(output_fd, 2)
        _close_others({0, 1, 2, channel_fd, *files})
        random.seed(os.urandom(16))
        torch.manual_seed(int.from_bytes(os.urandom(7), "little"))
        torch.set_num_threads(1)
        process_limits.apply(process_limits.Limits(**message["limits"]))
        code = importlib.import_module(_ROLES[message["role"]]).main(channel_fd, files)
    except BaseException:
        traceback.print_exc()
    finally:
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(code)


def _close_others(kept: set[int]) -> None:
    for fd in [int(name) for name in os.listdir("/proc/self/fd")]:  # noqa: PTH208
        if fd not in kept:
            with contextlib.suppress(OSError):  # the listing's own is closed already
                os.close(fd)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--control", type=int, required=True)
    control = socket.socket(fileno=parser.parse_args().control)
    for module in _ROLES.values():
        importlib.import_module(module)
    process_limits.prctl(_PR_SET_CHILD_SUBREAPER, 1)
    process_limits.hide_memory()
    gc.collect()
    gc.freeze()  # children share these pages; a collection would copy them
    control.send(b'{"ready": true}')
    Zygote(control).serve()


if __name__ == "__main__":
    main()
