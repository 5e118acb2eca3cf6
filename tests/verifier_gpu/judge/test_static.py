from __future__ import annotations

import pytest

from verifier_gpu.judge.static import check

MODEL = "class ModelNew: pass\n"


@pytest.mark.parametrize(
    ("format_", "source", "code"),
    [
        ("cuda", "torch::Tensor forward(torch::Tensor x) { return x; }", None),
        ("cuda", "PYBIND11_MODULE(name, m) {}", None),
        ("cuda", "", "NO_CODE"),
        ("cuda", "  \n", "NO_CODE"),
        ("cuda", "Sorry, I cannot.", "NO_CODE"),
        ("cuda", "forward \0", "SYNTAX_ERROR"),
        ("kernelbench", MODEL, None),
        ("kernelbench", "ModelNew = make()", None),
        ("kernelbench", "import torch", "NO_CODE"),
        ("kernelbench", "class ModelNew(:", "SYNTAX_ERROR"),
        ("kernelbench", "(" * 5000 + MODEL, "SYNTAX_ERROR"),
        ("kernelbench", MODEL + "import subprocess", "FORBIDDEN"),
        ("kernelbench", MODEL + "from multiprocessing.pool import Pool", "FORBIDDEN"),
        ("kernelbench", MODEL + "import os\nos.system('true')", "FORBIDDEN"),
        ("kernelbench", MODEL + "# import subprocess\ns = 'os.system()'", None),
    ],
)
def test_rules(format_: str, source: str, code: str | None) -> None:
    assert check(format_, source).code == code


def test_places() -> None:
    assert check("kernelbench", "x = 1\ny = = 2\n").line == 2
    assert check("kernelbench", MODEL + "\nimport socket").line == 3
