"""The slim torch::Tensor against torch itself."""

from __future__ import annotations

from types import ModuleType

import pytest
import torch

from tests.verifier_gpu.build.conftest import Load, on_device

TEXT = r"""
#include <torch/extension.h>
#include <string>
using torch::Tensor;

std::vector<int64_t> metadata(const Tensor& x) {
  std::vector<int64_t> v = {x.dim(), x.ndimension(), x.numel(), (int64_t)x.nbytes(),
                            (int64_t)x.element_size(), x.is_contiguous(), x.is_cuda(),
                            x.get_device(), x.storage_offset(), x.defined(), x.size(-1),
                            x.stride(0), x.is_floating_point()};
  for (auto s : x.sizes()) v.push_back(s);
  for (auto s : x.strides()) v.push_back(s);
  return v;
}
std::string words(const Tensor& x) {
  return c10::str(x.device(), " ", x.sizes(), " ", x.dtype(), " ", x.scalar_type(), " ",
                  x.dtype() == torch::kFloat32, " ", x.options().dtype(), " ", x.device().str());
}
std::vector<Tensor> views(const Tensor& x) {
  return {x.view({-1}), x.reshape({x.size(1), x.size(0)}), x.flatten(), x.transpose(0, 1),
          x.permute({1, 0}), x.t(), x.unsqueeze(1), x.unsqueeze(0).squeeze(), x.select(0, 1), x[0],
          x.slice(1, 1, 3), x.narrow(0, 1, 1), x.unsqueeze(0).expand({2, -1, -1}),
          x.contiguous(), x.t().contiguous(), x.view_as(x), x.chunk(2, 1)[1]};
}
std::vector<Tensor> arithmetic(const Tensor& x, const Tensor& y) {
  return {x + y, x - 2.0, 2 * x, x / y, -x, 1.0 - x, 1 / y, x.matmul(y.t()), torch::mm(x, y.t()),
          x.pow(2), x.clamp(-0.5, 0.5), x.exp(), x.softmax(-1), torch::relu(x), x.abs().sqrt(),
          torch::where(x > 0, x, y), torch::maximum(x, y), (x == y), x.lt(0.1)};
}
std::vector<Tensor> reductions(const Tensor& x) {
  return {x.sum(), x.sum(1), x.sum({0, 1}, true), x.mean(), x.mean(-1, true), x.max(), x.amax({1}),
          x.argmax(1), std::get<0>(x.max(1)), std::get<1>(x.min(0)), x.norm(), x.cumsum(1),
          x.sum(torch::kFloat64), x.var(1, false), torch::sum(x, {1}), torch::mean(x, 1)};
}
std::vector<Tensor> factories(const Tensor& x) {
  auto cuda = torch::TensorOptions().dtype(torch::kInt64).device(torch::kCUDA);
  return {torch::zeros({2, 3}), torch::ones({2}, torch::kInt32), torch::full({2}, 1.5, x.options()),
          torch::arange(5, cuda), torch::zeros_like(x), torch::ones_like(x, torch::kFloat64),
          torch::full_like(x, 3), torch::zeros({x.size(0)}, x.options().dtype(torch::kBool)),
          torch::cat({x, x}, 1), torch::stack({x, x}), x.new_zeros({1}), torch::eye(2, cuda)};
}
std::vector<Tensor> conversions(const Tensor& x) {
  return {x.to(torch::kFloat16), x.to(torch::kFloat64), x.to(torch::kBFloat16), x.cpu(),
          x.to(torch::kCPU), x.cuda(), x.to(x.options().dtype(torch::kInt)), x.clone(), x.detach(),
          x.cpu().cuda(), x.cpu().to(x.device(), torch::kDouble)};
}
std::vector<int64_t> kinds() {
  Tensor u;
  auto e = torch::empty({0, 3}, torch::kCUDA);
  auto c = torch::empty({2});
  auto d = torch::empty({2}, torch::device("cuda:0").dtype(torch::kHalf));
  return {u.defined(), u.numel(), e.numel(), e.is_cuda(), c.is_cuda(), d.is_cuda(),
          d.scalar_type() == torch::kHalf, d.device().index(), e.size(1)};
}
std::vector<double> items(const Tensor& x) {
  return {x.sum().item<double>(), (double)x.numel(), x[0][0].item().toDouble(),
          (double)x.argmax().item<int64_t>()};
}
Tensor filled(Tensor x) {
  x.fill_(2.0);
  x += 1;
  x.mul_(x).sub_(1.0);
  x.select(0, 0).zero_();
  x.narrow(0, 1, 1).copy_(torch::ones({1, x.size(1)}, x.options()));
  return x;
}
bool same_alias(const Tensor& x) {
  return x.to(torch::kCUDA).data_ptr() == x.data_ptr() && x.to(torch::kFloat).is_same(x) &&
         x.contiguous().data_ptr<float>() == x.data_ptr<float>();
}
void error(const Tensor& x, int kind) {
  if (kind == 0) x.view({7});
  if (kind == 1) x.size(5);
  if (kind == 2) x.data_ptr<double>();
  if (kind == 3) x.matmul(x);
  if (kind == 4) x.accessor<float, 3>();
  if (kind == 5) torch::empty({-1}, x.options());
  if (kind == 6) Tensor().size(0);
  if (kind == 7) torch::Device("tpu");
  if (kind == 8) AT_DISPATCH_FLOATING_TYPES(torch::kInt, "my_op", [&] {});
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("metadata", &metadata); m.def("words", &words); m.def("views", &views);
  m.def("arithmetic", &arithmetic); m.def("reductions", &reductions);
  m.def("factories", &factories); m.def("conversions", &conversions); m.def("kinds", &kinds);
  m.def("items", &items); m.def("filled", &filled); m.def("same_alias", &same_alias);
  m.def("error", &error);
}
"""


@pytest.fixture(scope="module")
def m(module: Load) -> ModuleType:
    return module(TEXT)


@pytest.fixture
def x() -> torch.Tensor:
    torch.manual_seed(1)
    return on_device(torch.randn(2, 6))


def same(actual: list[torch.Tensor], expected: list[torch.Tensor]) -> None:
    assert len(actual) == len(expected)
    for index, (a, e) in enumerate(zip(actual, expected, strict=True)):
        assert a.shape == e.shape, index
        assert a.dtype == e.dtype, index
        assert a.stride() == e.stride(), index
        torch.testing.assert_close(a, e, msg=lambda text, i=index: f"result {i}: {text}")


def test_metadata(m: ModuleType, x: torch.Tensor) -> None:
    t = x.t()
    assert m.metadata(x) == [2, 2, 12, 48, 4, 1, 1, 0, 0, 1, 6, 6, 1, 2, 6, 6, 1]
    assert m.metadata(t) == [2, 2, 12, 48, 4, 0, 1, 0, 0, 1, 2, 1, 1, 6, 2, 1, 6]
    assert m.metadata(torch.ones(3))[6:8] == [0, -1]  # a host tensor


def test_words(m: ModuleType, x: torch.Tensor) -> None:
    assert m.words(x) == "cuda:0 [2, 6] float Float 1 float cuda:0"
    assert m.words(torch.ones(1)) == "cpu [1] float Float 1 float cpu"


def test_views_alias(m: ModuleType, x: torch.Tensor) -> None:
    actual = m.views(x)
    e = [x.view(-1), x.reshape(6, 2), x.flatten(), x.t(), x.t(), x.t(), x.unsqueeze(1), x, x[1],
         x[0], x[:, 1:3], x[1:], x.expand(2, -1, -1), x, x.t().contiguous(), x,
         x.chunk(2, 1)[1]]  # fmt: skip
    same(actual, e)
    copied = 14
    for index, (a, v) in enumerate(zip(actual, e, strict=True)):
        assert (a.data_ptr() == v.data_ptr()) == (index != copied)


def test_arithmetic(m: ModuleType, x: torch.Tensor) -> None:
    y = on_device(torch.rand(2, 6) + 0.5)
    e = [x + y, x - 2, 2 * x, x / y, -x, 1 - x, 1 / y, x @ y.t(), x @ y.t(), x**2,
         x.clamp(-0.5, 0.5), x.exp(), x.softmax(-1), x.relu(), x.abs().sqrt(),
         torch.where(x > 0, x, y), torch.maximum(x, y), x == y, x < 0.1]  # fmt: skip
    same(m.arithmetic(x, y), e)


def test_reductions(m: ModuleType, x: torch.Tensor) -> None:
    e = [x.sum(), x.sum(1), x.sum((0, 1), keepdim=True), x.mean(), x.mean(-1, keepdim=True),
         x.max(), x.amax(1), x.argmax(1), x.max(1).values, x.min(0).indices, x.norm(), x.cumsum(1),
         x.sum(dtype=torch.float64), x.var(1, unbiased=False), x.sum(1), x.mean(1)]  # fmt: skip
    same(m.reductions(x), e)


def test_factories(m: ModuleType, x: torch.Tensor) -> None:
    e = [torch.zeros(2, 3), torch.ones(2, dtype=torch.int32), torch.full((2,), 1.5),
         torch.arange(5), torch.zeros(2, 6), torch.ones(2, 6, dtype=torch.float64),
         torch.full((2, 6), 3.0), torch.zeros(2, dtype=torch.bool), torch.cat([x, x], 1),
         torch.stack([x, x]), torch.zeros(1), torch.eye(2, dtype=torch.int64)]  # fmt: skip
    same(m.factories(x), e)


def test_conversions(m: ModuleType, x: torch.Tensor) -> None:
    e = [x.half(), x.double(), x.bfloat16(), x, x, x, x.int(), x, x, x, x.double()]
    actual = m.conversions(x)
    same(actual, e)
    where = [m.metadata(a)[6] for a in actual]
    assert where == [1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1]


def test_kinds(m: ModuleType) -> None:
    assert m.kinds() == [0, 0, 0, 1, 0, 1, 1, 0, 3]


def test_items(m: ModuleType, x: torch.Tensor) -> None:
    expected = [x.sum().item(), 12.0, x[0, 0].item(), float(x.argmax())]
    assert m.items(x) == pytest.approx(expected)


def test_in_place(m: ModuleType, x: torch.Tensor) -> None:
    result = m.filled(x)
    assert result is x
    assert x.tolist() == [[0.0] * 6, [1.0] * 6]


def test_conversion_to_the_same_aliases(m: ModuleType, x: torch.Tensor) -> None:
    assert m.same_alias(x)


def test_new_memory_is_guarded_and_poisoned(module: Load) -> None:
    text = "#include <torch/extension.h>\ntorch::Tensor forward(torch::Tensor x)"
    fresh = module(text + "{ return torch::empty_like(x); }").forward(on_device(torch.ones(64)))
    assert bool((fresh != fresh).all()) or bool((fresh.abs() > 1e30).all())


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (0, r"shape '\[7\]' is invalid for input of size 12"),
        (1, r"Dimension out of range \(expected to be in range of \[-2, 1\], but got 5\)"),
        (2, "expected scalar type Double but found Float"),
        (3, r"mat1 and mat2 shapes cannot be multiplied \(2x6 and 2x6\)"),
        (4, "TensorAccessor expected 3 dims but tensor has 2"),
        (5, "negative dimension"),
        (6, "undefined Tensor"),
        (7, "Invalid device string: 'tpu'"),
        (8, "\"my_op\" not implemented for 'Int'"),
    ],
)
def test_errors_have_torchs_text(m: ModuleType, x: torch.Tensor, kind: int, text: str) -> None:
    with pytest.raises((RuntimeError, IndexError), match=text):
        m.error(x, kind)
