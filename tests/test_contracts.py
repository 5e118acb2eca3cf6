"""Who may import whom, and that each half lives without the other's library."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

# Imports every module of the packages named in argv[2] while those of argv[1] are absent.
IMPORT_ALL = """
import importlib, pkgutil, sys

blocked, packages = (set(names.split(",")) for names in sys.argv[1:3])

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in blocked:
            raise ModuleNotFoundError(f"{name} is blocked", name=name)

sys.meta_path.insert(0, Absent())
count = 0
for package in sorted(packages):
    root = importlib.import_module(package)
    for module in pkgutil.walk_packages(root.__path__, package + "."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
            count += 1
assert count, "nothing was imported"
assert not blocked & {name.partition(".")[0] for name in sys.modules}
"""


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=200
    )


@pytest.mark.parametrize(
    ("absent", "present"),
    [
        ("torch,torchvision,verifier_gpu", "policy_jax,protos"),
        ("jax,jaxlib,flax,optax,orbax,policy_jax", "verifier_gpu,protos"),
        ("jax,torch,policy_jax,verifier_gpu", "protos"),
    ],
    ids=["policy without torch", "verifier without jax", "contract without either"],
)
def test_a_half_imports_without_the_other(absent: str, present: str) -> None:
    result = run("-c", IMPORT_ALL, absent, present)
    assert result.returncode == 0, result.stderr


def test_the_block_blocks() -> None:
    result = run("-c", IMPORT_ALL, "google", "protos")
    assert "google.protobuf is blocked" in result.stderr or "google is blocked" in result.stderr


def test_import_contracts_hold() -> None:
    result = run("-c", "from importlinter.cli import lint_imports_command as check; check()")
    assert result.returncode == 0, result.stdout + result.stderr
