from __future__ import annotations

import torch

from verifier_gpu.runner.operations import OperationLog


def test_what_computes_is_named_once() -> None:
    x = torch.randn(3, 4)
    with OperationLog() as log, torch.no_grad():
        torch.relu(x + x)
        torch.relu(x)
    assert log.names == ["add", "relu"]


def test_plumbing_is_not_counted() -> None:
    x = torch.randn(3, 4)
    with OperationLog() as log, torch.no_grad():
        y = torch.empty_like(x).copy_(x).view(-1).unsqueeze(0).transpose(0, 1).contiguous()
        torch.zeros(3).to(torch.float64)
        y[0].item()
        torch.cat([x, x]).clone().reshape(-1)
    assert log.names == []
