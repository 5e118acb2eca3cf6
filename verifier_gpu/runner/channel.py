"""Frames between the server and its children: four bytes of length, then JSON.

The other end may be a process that runs hostile code. So a frame has a size
limit, JSON is the only encoding (never pickle), and every failure to read is a
`ChannelError`. Tensors do not travel here: they lie as raw bytes in files
without a name (`runner.tensors`).
"""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from typing import Any

_LENGTH = struct.Struct("<I")

#: Largest frame that a trusted side accepts from a candidate's process, bytes.
MAX_UNTRUSTED_FRAME = 4 << 20
#: Largest frame that a child accepts from the server, bytes.
MAX_TRUSTED_FRAME = 64 << 20

Message = dict[str, Any]


class ChannelError(Exception):
    """The other end closed, or wrote something that is not a frame."""


def encode(message: Message) -> bytes:
    """One frame, ready to be sent."""
    body = json.dumps(message, separators=(",", ":")).encode()
    return _LENGTH.pack(len(body)) + body


def decode(body: bytes) -> Message:
    """The message in a frame's body. Raises ChannelError unless it is a JSON object."""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ChannelError(f"not a JSON frame: {error}") from None
    if not isinstance(message, dict):
        raise ChannelError("a frame must hold a JSON object")
    return message


class Channel:
    """The blocking end, for children."""

    def __init__(self, fd: int) -> None:
        self._socket = socket.socket(fileno=fd)
        self._socket.setblocking(True)

    def send(self, message: Message) -> None:
        self._socket.sendall(encode(message))

    def receive(self) -> Message:
        """The next message. Raises ChannelError at the end of the stream."""
        (length,) = _LENGTH.unpack(self._exactly(_LENGTH.size))
        if length > MAX_TRUSTED_FRAME:
            raise ChannelError(f"a frame of {length} bytes is too long")
        return decode(self._exactly(length))

    def _exactly(self, count: int) -> bytes:
        parts = []
        while count:
            part = self._socket.recv(min(count, 1 << 20))
            if not part:
                raise ChannelError("the server closed the channel")
            parts.append(part)
            count -= len(part)
        return b"".join(parts)


async def read_frame(reader: asyncio.StreamReader, limit: int = MAX_UNTRUSTED_FRAME) -> Message:
    """The next message from a child. Raises ChannelError on end, excess or nonsense."""
    try:
        (length,) = _LENGTH.unpack(await reader.readexactly(_LENGTH.size))
        if length > limit:
            raise ChannelError(f"a frame of {length} bytes is too long")
        return decode(await reader.readexactly(length))
    except (asyncio.IncompleteReadError, ConnectionError):
        raise ChannelError("the process closed its channel") from None
