"""Frames: what is sent arrives, and what is not a frame is refused before it is believed."""

from __future__ import annotations

import contextlib
import os
import struct
import threading
import time
from collections.abc import Iterator

import pytest

from anytile.tuner.protocol import wire

Pipe = tuple[int, int]


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    ends = os.pipe()
    yield ends
    for fd in ends:
        with contextlib.suppress(OSError):
            os.close(fd)


def test_what_is_sent_arrives(pipe: Pipe) -> None:
    blobs = [b"", os.urandom(3_000_000), b"x"]
    sender = threading.Thread(target=wire.send, args=(pipe[1], {"a": [1, "ß"]}, blobs))
    sender.start()
    header, got = wire.receive(pipe[0], time.monotonic() + 10)
    sender.join()
    assert header == {"a": [1, "ß"]}
    assert got == blobs


@pytest.mark.parametrize(
    ("frame", "complaint"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", "expected a frame"),
        (struct.pack("<4sII", wire.MAGIC, wire.MAX_HEADER + 1, 0), "expected a frame"),
        (struct.pack("<4sII", wire.MAGIC, 2, wire.MAX_BLOBS + 1), "expected a frame"),
        (struct.pack("<4sIIQ", wire.MAGIC, 2, 1, wire.MAX_BLOB + 1) + b"{}", "over the wire's limit"),
        (struct.pack("<4sII", wire.MAGIC, 3, 0) + b"{a}", "not JSON"),
        (struct.pack("<4sII", wire.MAGIC, 2, 0) + b"\xff\xfe", "not JSON"),
        (struct.pack("<4sII", wire.MAGIC, 2, 0) + b"[]", "expected an object"),
        (struct.pack("<4sII", wire.MAGIC, 50_000, 0) + 50_000 * b"[", "not JSON"),
    ],
)
def test_what_is_not_a_frame_is_refused(pipe: Pipe, frame: bytes, complaint: str) -> None:
    os.write(pipe[1], frame)
    with pytest.raises(wire.WireError, match=complaint):
        wire.receive(pipe[0], time.monotonic() + 1)


def test_half_a_frame_ends_as_closed_or_late(pipe: Pipe) -> None:
    os.write(pipe[1], struct.pack("<4sII", wire.MAGIC, 100, 0) + b"{")
    with pytest.raises(wire.WireTimeout):
        wire.receive(pipe[0], time.monotonic() + 0.05)
    os.write(pipe[1], struct.pack("<4sII", wire.MAGIC, 100, 0) + b"{")
    os.close(pipe[1])
    with pytest.raises(wire.WireClosed):
        wire.receive(pipe[0], time.monotonic() + 1)


def test_sending_to_nobody_ends(pipe: Pipe) -> None:
    os.set_blocking(pipe[1], False)
    with pytest.raises(wire.WireTimeout):
        wire.send(pipe[1], {}, [bytes(2_000_000)], time.monotonic() + 0.05)
    os.close(pipe[0])
    with pytest.raises(wire.WireClosed):
        wire.send(pipe[1], {}, [], time.monotonic() + 1)
