from __future__ import annotations

import asyncio
import socket
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifier_gpu.runner.channel import Channel, ChannelError, decode, encode, read_frame

json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text()),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)),
    max_leaves=10,
)


@settings(max_examples=30)
@given(st.dictionaries(st.text(max_size=5), json_values, max_size=5))
def test_round_trip(message: dict[str, object]) -> None:
    ours, theirs = socket.socketpair()
    with ours:
        channel = Channel(theirs.detach())
        ours.sendall(encode(message))
        assert channel.receive() == message
        channel._socket.close()


def test_end_of_the_stream() -> None:
    ours, theirs = socket.socketpair()
    channel = Channel(theirs.detach())
    ours.close()
    with pytest.raises(ChannelError, match="closed"):
        channel.receive()
    channel._socket.close()


@pytest.mark.parametrize("body", [b"", b"[]", b"3", b"{", b"\xff", b"[" * 200_000])
def test_nonsense_is_refused(body: bytes) -> None:
    with pytest.raises(ChannelError):
        decode(body)


async def test_the_server_reads_only_what_fits() -> None:
    reader = asyncio.StreamReader()
    reader.feed_data(encode({"a": 1}) + struct.pack("<I", 1 << 31))
    assert await read_frame(reader) == {"a": 1}
    with pytest.raises(ChannelError, match="too long"):
        await read_frame(reader)
    reader.feed_eof()
    with pytest.raises(ChannelError, match="closed"):
        await read_frame(reader)
