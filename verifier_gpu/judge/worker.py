"""The judge's long-lived worker: reads submissions and compares outputs.

It executes no task and no submission; what a candidate wrote it only reads, as
raw bytes under checked headers. The server replaces it when it dies or stalls.
"""

from __future__ import annotations

import os
import socket
from typing import Any

import torch

from verifier_gpu.judge import static
from verifier_gpu.judge.compare import Comparison, Expected, check_form, check_values
from verifier_gpu.judge.tolerance import Tolerance
from verifier_gpu.runner import limits
from verifier_gpu.runner.channel import Channel, ChannelError, Message
from verifier_gpu.runner.tensors import BundleError, describe, dtype_name, flatten, read

_MAX_OUTPUT_BYTES = 32 << 30


def main(channel_fd: int, files: list[int]) -> int:
    """Entry of the child: answers requests until the server closes the channel."""
    limits.hide_memory()
    channel = Channel(channel_fd)
    lane = socket.socket(fileno=files[0])
    try:
        while True:
            request = channel.receive()
            if request["op"] == "parse":
                channel.send(static.check(request["format"], request["source"]).to_json())
            elif request["op"] == "compare":
                channel.send(_compare(request, lane))
    except ChannelError:
        return 0


def _compare(request: Message, lane: socket.socket) -> Message:
    _, (secret, outputs), _, _ = socket.recv_fds(lane, 1, 2)
    try:
        expected = [_expected(secret, entry) for entry in request["expected"]]
        comparison = _judge(expected, outputs, request["outputs"])
    finally:
        os.close(secret)
        os.close(outputs)
    mismatch = comparison.mismatch.to_json() if comparison.mismatch is not None else None
    return {"code": comparison.code, "message": comparison.message, "mismatch": mismatch}


def _expected(secret: int, entry: dict[str, Any]) -> Expected:
    values = read(secret, entry["values"])
    return Expected(values, entry["dtype"], Tolerance(entry["absolute"], entry["relative"]))


def _judge(expected: list[Expected], outputs: int, header: object) -> Comparison:
    """Judges what a candidate's process left in `outputs`; believes nothing about it."""
    try:
        described = list(describe(header, _MAX_OUTPUT_BYTES))
        shapes = [shape for _, shape, _, _ in described]
        dtypes = [dtype_name(dtype) for dtype, _, _, _ in described]
        form = check_form(expected, shapes, dtypes)
        if form.code is not None:
            return form
        actual = flatten(read(outputs, header, _MAX_OUTPUT_BYTES))
    except BundleError as error:
        return Comparison("RUNTIME_ERROR", f"the outputs cannot be read: {error}")
    tensors = [leaf for leaf in actual if isinstance(leaf, torch.Tensor)]
    if len(tensors) != len(actual) or len(tensors) != len(expected):
        return Comparison("WRONG_SHAPE", "forward returned something that is not a tensor")
    # The tree decides the order of tensors, so their form is checked again.
    form = check_form(
        expected, [list(t.shape) for t in tensors], [dtype_name(t.dtype) for t in tensors]
    )
    return form if form.code is not None else check_values(expected, tensors)
