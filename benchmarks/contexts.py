"""How many CUDA contexts a second the driver gives: the physical limit of verdicts on a GPU.

    python benchmarks/contexts.py [--seconds 10] [--json FILE]

Every verdict of target cuda runs in a process of its own with a context of its own. This
forks such processes with nothing to run, 1, 4 and 16 at a time, and counts. Needs an
NVIDIA GPU.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from verifier_gpu.build import toolchain
from verifier_gpu.runner.limits import Limits
from verifier_gpu.service.config import default_cache_dir
from verifier_gpu.service.processes import Zygote
from verifier_gpu.service.runners import Place, make_ready


async def measure(zygote: Zygote, place: Place, forks: int, seconds: float) -> dict[str, float]:
    """`forks` processes at a time, each made ready and closed, for so many seconds."""
    opened: list[float] = []
    closed: list[float] = []
    end = time.perf_counter() + seconds

    async def one_after_another() -> None:
        while time.perf_counter() < end:
            start = time.perf_counter()
            child = await zygote.spawn("candidate", Limits(), lane=True)
            await make_ready(child, place)
            ready = time.perf_counter()
            await child.close()
            opened.append(ready - start)
            closed.append(time.perf_counter() - ready)

    start = time.perf_counter()
    await asyncio.gather(*(one_after_another() for _ in range(forks)))
    taken = time.perf_counter() - start
    return {
        "forks": forks,
        "a_second": len(opened) / taken,
        "ready_seconds": median(opened),
        "close_seconds": median(closed),
    }


async def run(place: Place, seconds: float) -> list[dict[str, float]]:
    zygote = Zygote()
    await zygote.start()
    try:
        await measure(zygote, place, 1, 1.0)  # the first loads the driver
        return [await measure(zygote, place, forks, seconds) for forks in (1, 4, 16)]
    finally:
        await zygote.stop()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=10.0, help="for each number of forks")
    parser.add_argument("--json", type=Path, help="write the figures here too")
    arguments = parser.parse_args()
    libraries = toolchain.libraries(default_cache_dir() / "libraries", "cuda")
    rows = asyncio.run(run(Place("cuda", 0, libraries), arguments.seconds))
    print("| forks at a time | contexts a second | seconds to be ready | seconds to end |")
    print("|---|---|---|---|")
    for row in rows:
        print(
            f"| {row['forks']} | {row['a_second']:.1f} | {row['ready_seconds']:.2f} "
            f"| {row['close_seconds']:.2f} |"
        )
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
