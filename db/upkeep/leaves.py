"""B-tree walk of a SQLite table: which numbers of rows each leaf page has, as the bytes of the file say it.

SQLite looks a row up from the root and stops at the first page that is damaged, so one dead page hides a range of
numbers, which its parents know. Whoever knows the ranges asks for no number in vain. Nothing here trusts the file: a
page that is no page of a table is dead, and a page that was met before ends the walk there.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

_INTERIOR, _LEAF = 5, 13  # the first byte of a page of a table
LARGEST = (1 << 63) - 1  # of all numbers that a row can have
_FIRST_HEADER = 100  # bytes of the file's own before the header of its first page


@dataclass(frozen=True, slots=True)
class Leaf:
    """Rows that lie on one page, in order; of a dead page none, and all between `low` and `high` are out of reach."""

    numbers: tuple[int, ...]
    low: int  # the largest number before it
    high: int | None  # its own largest, where a page says it
    dead: bool = False


class Pages:
    """The pages of one file."""

    def __init__(self, file: int) -> None:
        self._file = file
        size = int.from_bytes(os.pread(file, 2, 16), "big")
        self._size = 65536 if size == 1 else size

    def leaves(self, root: int) -> Iterator[Leaf]:
        """Of the table whose root is this page, in the order of their numbers."""
        met = set[int]()
        waiting: list[tuple[int, int, int | None]] = [(root, 0, None)]
        while waiting:
            page, low, high = waiting.pop()
            data, start = self._read(page)
            kind = data[start] if len(data) > start and page not in met else 0
            met.add(page)
            if kind == _INTERIOR:
                waiting += reversed(list(_children(data, start, low, high)))
            elif kind == _LEAF:
                most = LARGEST if high is None else high
                yield Leaf(tuple(sorted(n for n in _numbers(data, start) if low < n <= most)), low, high)
            else:
                yield Leaf((), low, high, dead=True)

    def _read(self, page: int) -> tuple[bytes, int]:
        """A page, and where its header begins; nothing beyond the end of the file."""
        if page < 1:
            return b"", 0
        try:
            data = os.pread(self._file, self._size, (page - 1) * self._size)
        except (OSError, OverflowError):
            return b"", 0
        return data, _FIRST_HEADER if page == 1 else 0


def _children(data: bytes, start: int, low: int, high: int | None) -> Iterator[tuple[int, int, int | None]]:
    """The pages below an interior one, each with what its numbers lie between."""
    for place in _cells(data, start, 12):
        with suppress(IndexError):
            key, _ = _varint(data, place + 4)
            yield int.from_bytes(data[place : place + 4], "big"), low, key
            low = key
    yield int.from_bytes(data[start + 8 : start + 12], "big"), low, high


def _numbers(data: bytes, start: int) -> Iterator[int]:
    for place in _cells(data, start, 8):
        with suppress(IndexError):
            _, after = _varint(data, place)
            yield _varint(data, after)[0]


def _cells(data: bytes, start: int, header: int) -> Iterator[int]:
    """Where the cells of a page begin."""
    count = int.from_bytes(data[start + 3 : start + 5], "big")
    places = data[start + header : start + header + 2 * count]
    for at in range(0, len(places) - 1, 2):
        yield int.from_bytes(places[at : at + 2], "big")


def _varint(data: bytes, place: int) -> tuple[int, int]:
    """A number of up to nine bytes, and where it ends."""
    value = 0
    for at in range(place, place + 8):
        value = value << 7 | data[at] & 0x7F
        if data[at] < 0x80:
            return value, at + 1
    return value << 8 | data[place + 8], place + 9
