"""The committed stubs are what the contract generates."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER = Path("protos/leap/verifier/v1")


def test_regenerating_the_stubs_changes_nothing(tmp_path: Path) -> None:
    """The command of `make protos`, writing elsewhere."""
    outputs = [
        f"--{kind}_out={tmp_path}" for kind in ("python", "grpc_python", "mypy", "mypy_grpc")
    ]
    bin_folder = Path(sys.executable).parent
    subprocess.run(
        [sys.executable, "-m", "grpc_tools.protoc", "-I.", *outputs, f"{FOLDER}/verifier.proto"],
        cwd=ROOT,
        env={**os.environ, "PATH": f"{bin_folder}:{os.environ['PATH']}"},
        check=True,
    )
    generated = sorted((tmp_path / FOLDER).iterdir())
    assert len(generated) == 4
    for path in generated:
        assert path.read_text() == (ROOT / FOLDER / path.name).read_text(), path.name
