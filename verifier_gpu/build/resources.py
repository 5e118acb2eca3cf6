"""What this process may use of its machine: cores and memory, its cgroup's limits included."""

from __future__ import annotations

import os
from pathlib import Path

CGROUP = Path("/sys/fs/cgroup")


def usable_cores(cgroup: Path = CGROUP) -> int:
    """Cores that this process may keep busy: its affinity, or a container's quota if less."""
    cores = len(os.sched_getaffinity(0))
    quota, _, period = _read(cgroup / "cpu.max").partition(" ")
    if quota.isdecimal() and period.isdecimal() and int(period):
        cores = min(cores, -(-int(quota) // int(period)))
    return max(1, cores)


def usable_memory_bytes(cgroup: Path = CGROUP) -> int:
    """The machine's memory, or a container's limit if less."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    limit = _read(cgroup / "memory.max")
    return min(memory, int(limit)) if limit.isdecimal() else memory


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""  # no cgroup v2 here
