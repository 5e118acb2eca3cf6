"""Both roads, one text: torch's own headers are the oracle for the slim ones.

Host code only, on CPU tensors, so that it needs no GPU.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.verifier_gpu.build.conftest import Compile

TEXT = r"""
std::string words(const torch::Tensor& x) {
  return c10::str(x.device(), " ", x.sizes(), " ", x.dtype(), " ", x.scalar_type(), " ", 1.5, " ",
                  x.is_contiguous(), " ", x.options().dtype() == torch::kFloat32, " ", x.stride(-1),
                  " ", x.strides(), " ", (int)x.get_device(), " ", torch::kInt, 'c', 1e-9);
}
std::vector<torch::Tensor> some(const torch::Tensor& x, double a, c10::optional<int64_t> n) {
  auto y = x.transpose(0, 1).contiguous().view({-1}) * a;
  auto z = torch::zeros({2, n.value_or(3)}, x.options().dtype(torch::kInt32));
  auto w = torch::empty_like(x).fill_(2).to(torch::kFloat64).sum(1, true);
  return {y, z, w, x.mean(), x.amax({0}), torch::cat({x, x}, 1).slice(1, 1, 3), x.softmax(1)};
}
std::vector<torch::Tensor> more(const torch::Tensor& x) {
  auto s = x.split({1, 2}, 1);
  auto y = x.clone();
  y.clamp_max_(3).masked_fill_(x > 3, -1).neg_().addmm_(x, torch::eye(3), 1, 2).sub_(x, 2);
  auto out = torch::empty({2, 2});
  torch::mm_out(out, x, x.t());
  return {s[0], s[1], y, out, x.flip({1}), x.roll({1}, {0}), x.tril(), x.diagonal(),
          x.unfold(1, 2, 1), x.nonzero(), x.masked_select(x > 2), x.std(1, true), x.var(1),
          x.var(), x.var({0}, 1), x.norm(1), x.softmax(0, torch::kFloat64), x.all(1), x.erf(),
          x.log1p(), x.remainder(2), (x > 1) & (x < 4), x.add(x, 3), x.mv(x[0]),
          x[0].outer(x[1]), x.new_ones({2}), x.new_full({2}, 1.5), torch::tensor({1.0, 2.0}),
          torch::tensor({1, 2}), torch::tensor({true}), torch::tensor(2.5, torch::kFloat64),
          torch::tensor(std::vector<int64_t>{3}), torch::arange(1, 2, 0.25),
          torch::linspace(0, 1, 3), torch::max(x, x.flip({0})), std::get<1>(torch::max(x, 1)),
          std::get<0>(torch::sort(x, 1, true)), torch::gelu(x), torch::silu(x),
          torch::leaky_relu(-x, 0.1), torch::argmin(x, 1), torch::baddbmm(x.unsqueeze(0),
          x.unsqueeze(0), torch::eye(3).unsqueeze(0), 2), torch::triu(x, 1),
          torch::tensor(torch::equal(x, x) && !torch::allclose(x, x + 1))};
}
void error(const torch::Tensor& x, int64_t kind) {
  if (kind == 0) x.view({7});
  if (kind == 1) x.size(5);
  if (kind == 2) x.data_ptr<double>();
  if (kind == 3) x.matmul(x);
  if (kind == 4) TORCH_CHECK(x.dim() == 3, "expected 3 dims, got ", x.dim(), " of ", x.sizes());
  if (kind == 5) TORCH_CHECK(x.dim() == 3);
  if (kind == 6) throw std::runtime_error("plain");
  if (kind == 7) AT_DISPATCH_FLOATING_TYPES(torch::kInt, "my_op", [&] {});
  if (kind == 8) x.accessor<float, 3>();
}
"""

# Run in a process of its own: a pytest process has loaded the emulated runtime.
PROGRAM = """
import sys
from pathlib import Path
import torch
from verifier_gpu.build.loading import load

m = load(Path(sys.argv[1]))
x = torch.arange(6.0).reshape(2, 3)
print(m.words(x), m.words(x.t().half()))
print([(t.dtype, t.tolist()) for t in m.some(x, 0.5, None) + m.some(x, 1, 4) + m.more(x)])
for kind in range(9):
    try:
        m.error(x, kind)
    except Exception as error:
        print(kind, type(error).__name__, str(error).splitlines()[0])
for wrong in (lambda: m.words(1), lambda: m.some(x, "a", None), lambda: m.error(x, 1.5)):
    try:
        wrong()
    except TypeError as error:
        print(str(error).splitlines()[0])
"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="needs the CUDA toolkit")
def test_both_roads_agree(compile_text: Compile, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    outputs = {}
    for road in ("slim", "torch"):
        result = compile_text(
            cpp=TEXT,
            target="cuda",
            functions=("words", "some", "more", "error"),
            builder=road,
            timeout_seconds=250,
        )
        assert result.code is None, result.diagnostics
        assert result.road == road
        done = subprocess.run(
            [sys.executable, program, str(result.artifact)],
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        outputs[road] = done.stdout
    assert outputs["slim"] == outputs["torch"]
