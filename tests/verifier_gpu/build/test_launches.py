"""What an extension launches on a real GPU is counted, also where there is none."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.verifier_gpu.build.conftest import Compile

TEXT = """
#include <torch/extension.h>
__global__ void k(float* x) { x[0] = 1; }
void launch(int64_t n) { for (int i = 0; i < n; ++i) k<<<1, 1>>>(nullptr); }
void launch_by_address(int64_t n) {
  float* x = nullptr;
  void* arguments[] = {&x};
  for (int i = 0; i < n; ++i) {
    cudaLaunchKernel((const void*)k, dim3(1), dim3(1), arguments, 0, 0);
    cudaLaunchCooperativeKernel((const void*)k, dim3(1), dim3(1), arguments, 0, 0);
  }
}
void nothing() { cudaGetLastError(); }
"""

# Without a GPU every launch fails, and is one.
PROGRAM = """
import sys
from pathlib import Path
from verifier_gpu.build.loading import launch_counter, load, uses_libraries

artifact = Path(sys.argv[1])
module, count = load(artifact), launch_counter(artifact)
module.nothing()
print(count(), uses_libraries(artifact))
module.launch(3)
print(count())
module.launch_by_address(2)
print(count())
"""


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="needs nvcc")
@pytest.mark.parametrize("road", ["slim", pytest.param("torch", marks=pytest.mark.slow)])
def test_launches_are_counted(road: str, compile_text: Compile, tmp_path: Path) -> None:
    result = compile_text(
        TEXT,
        target="cuda",
        functions=("launch", "launch_by_address", "nothing"),
        builder=road,
        timeout_seconds=250,
    )
    assert result.code is None, result.diagnostics
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, program, str(result.artifact)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["0", "False", "3", "7"]
