"""The wire protocol: frames of a JSON header and raw byte blobs, the only thing parents and children tell each other.

Nothing that arrives is believed before it is checked: the magic, every length against its limit, the header's type.
No frame can make the reader run code or allocate more than has actually been sent.
"""

from __future__ import annotations

import json
import os
import select
import struct
import time
from collections.abc import Mapping, Sequence
from typing import Any

from anytile.core.errors import MeasureError

MAGIC = b"ATW1"
MAX_HEADER = 8 << 20
MAX_BLOBS = 1024
MAX_BLOB = 1 << 30
_PREFIX = struct.Struct("<4sII")  # magic, bytes of header, number of blobs
_LENGTH = struct.Struct("<Q")
_CHUNK = 1 << 20

Frame = tuple[dict[str, Any], list[bytes]]


class WireError(MeasureError):
    """What came is not a frame."""


class WireClosed(WireError):
    """The other side is gone."""


class WireTimeout(WireError):
    """The other side did not say, or take, a whole frame in time."""


def send(fd: int, header: Mapping[str, Any], blobs: Sequence[bytes] = (), deadline: float | None = None) -> None:
    """Write one frame; `deadline` is on the clock of `time.monotonic`."""
    text = json.dumps(header).encode()
    if len(text) > MAX_HEADER or len(blobs) > MAX_BLOBS or any(len(b) > MAX_BLOB for b in blobs):
        raise WireError(f"a frame of {len(text)} header bytes and {len(blobs)} blobs is over the wire's limits")
    lengths = b"".join(_LENGTH.pack(len(b)) for b in blobs)
    for part in (_PREFIX.pack(MAGIC, len(text), len(blobs)) + lengths + text, *blobs):
        _write(fd, part, deadline)


def receive(fd: int, deadline: float | None = None) -> Frame:
    """Read one frame; `deadline` is on the clock of `time.monotonic`."""
    magic, header_length, count = _PREFIX.unpack(_read(fd, _PREFIX.size, deadline))
    if magic != MAGIC or header_length > MAX_HEADER or count > MAX_BLOBS:
        raise WireError(f"expected a frame, got {magic!r} with a header of {header_length} bytes and {count} blobs")
    lengths = [length for (length,) in _LENGTH.iter_unpack(_read(fd, _LENGTH.size * count, deadline))]
    if any(length > MAX_BLOB for length in lengths):
        raise WireError(f"a blob of {max(lengths)} bytes is over the wire's limit of {MAX_BLOB}")
    try:
        header = json.loads(_read(fd, header_length, deadline))
    except (ValueError, RecursionError) as error:
        raise WireError(f"the header of a frame is not JSON: {error}") from None
    if not isinstance(header, dict):
        raise WireError(f"the header of a frame is a {type(header).__name__}, expected an object")
    return header, [_read(fd, length, deadline) for length in lengths]


def _write(fd: int, data: bytes, deadline: float | None) -> None:
    view = memoryview(data)
    while view:
        _wait(fd, select.POLLOUT, deadline)
        try:
            view = view[os.write(fd, view[:_CHUNK]) :]
        except BlockingIOError:
            continue
        except BrokenPipeError:
            raise WireClosed("the other side closed its pipe") from None


def _read(fd: int, size: int, deadline: float | None) -> bytes:
    parts = []
    while size:
        _wait(fd, select.POLLIN, deadline)
        part = os.read(fd, min(size, _CHUNK))
        if not part:
            raise WireClosed("the other side closed its pipe")
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _wait(fd: int, event: int, deadline: float | None) -> None:
    poll = select.poll()
    poll.register(fd, event)
    left = None if deadline is None else max(0.0, deadline - time.monotonic()) * 1000
    if not poll.poll(left):
        raise WireTimeout("the other side did not answer in time")
