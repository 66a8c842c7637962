"""Container files: what was written is read back, and nothing of a file that was changed or cut is believed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from anytile.core.container import Bytes, Container, sha256_of
from anytile.core.errors import SpecError

FILE = Container("thing", b"\x93ATTHING", 3, "no thing", "make it again", 1 << 10, "sha256", "hash", alignment=16)
SECTIONS: dict[str, bytes] = {"a": b"some bytes", "empty": b"", "b": bytes(range(40))}


def hashes(sections: Mapping[str, Bytes]) -> dict[str, str]:
    return {name: sha256_of(data) for name, data in sections.items()}


def written(kind: Container = FILE) -> bytes:
    return b"".join(kind.parts({"x": 1}, {name: (data, sha256_of(data)) for name, data in SECTIONS.items()}))


def read(data: bytes, kind: Container = FILE) -> tuple[dict[str, object], dict[str, bytes]]:
    header, start = kind.header(data)
    said = header.pop("sections")
    return header, {name: bytes(found) for name, found in kind.sections(data, start, said, hashes).items()}


@pytest.mark.parametrize("alignment", [1, 16, 64])
def test_what_was_written_is_read(alignment: int) -> None:
    kind = replace(FILE, alignment=alignment)
    assert read(written(kind), kind) == ({"x": 1}, SECTIONS)
    header, start = kind.header(written(kind))
    assert start % alignment == 0
    assert all(place["offset"] % alignment == 0 for place in header["sections"].values())


def test_a_change_of_any_byte_is_found() -> None:
    data = bytearray(written(replace(FILE, alignment=1)))  # no byte between sections, which nobody reads
    for i in range(len(data)):
        data[i] ^= 1
        with pytest.raises((SpecError, ValueError)):
            read(bytes(data), replace(FILE, alignment=1))
        data[i] ^= 1


def test_a_file_that_is_cut_off_is_refused() -> None:
    data = written(replace(FILE, alignment=1))
    for length in range(len(data)):
        with pytest.raises((SpecError, ValueError)):
            read(data[:length], replace(FILE, alignment=1))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"something else" * 9, "no thing"),
        (written(replace(FILE, version=4)), "thing format 4, expected 3; upgrade anytile or make it again"),
    ],
)
def test_other_files_are_refused_in_a_line(data: bytes, said: str) -> None:
    with pytest.raises(SpecError, match=f"^{said}$"):
        read(data)


@pytest.mark.parametrize("place", [{"offset": 8}, {"offset": -16}, {"offset": True}, {"length": 1 << 62}])
def test_places_are_held_against_the_file(place: dict[str, int]) -> None:
    header, start = FILE.header(written())
    said = {**header["sections"], "b": {**header["sections"]["b"], **place}}
    with pytest.raises(ValueError, match="section b (has no sane place|is cut off)"):
        FILE.sections(written(), start, said, hashes)
