"""Writing a file as a whole: what stood there stays what it was, and what fails leaves it as it was."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from anytile.core.atomic_write import write_atomically
from anytile.core.errors import ResourceError


def write(path: Path, data: bytes = b"new") -> None:
    write_atomically(path, [data[:1], memoryview(data[1:])], "thing")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize(("umask", "expected"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_a_new_file_has_what_the_umask_leaves(tmp_path: Path, umask: int, expected: int) -> None:
    before = os.umask(umask)
    try:
        write(tmp_path / "x")
    finally:
        os.umask(before)
    assert mode(tmp_path / "x") == expected
    assert [p.name for p in tmp_path.iterdir()] == ["x"]


@pytest.mark.parametrize("kept", [0o600, 0o640, 0o444, 0o755])
def test_a_file_keeps_its_mode(tmp_path: Path, kept: int) -> None:
    (tmp_path / "x").write_bytes(b"old")
    (tmp_path / "x").chmod(kept)
    write(tmp_path / "x")
    assert (mode(tmp_path / "x"), (tmp_path / "x").read_bytes()) == (kept, b"new")


def test_it_is_never_more_open_than_it_will_be(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"old")
    (tmp_path / "x").chmod(0o600)

    def parts() -> Iterator[bytes]:
        (aside,) = (p for p in tmp_path.iterdir() if p.name != "x")
        assert mode(aside) == 0o600
        yield b"new"

    write_atomically(tmp_path / "x", parts(), "thing")


def test_a_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    write(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"
    (tmp_path / "dangling").symlink_to("made")
    write(tmp_path / "dangling")
    assert (tmp_path / "made").read_bytes() == b"new"


def test_a_device_stays_one() -> None:
    write(Path("/dev/null"))
    assert Path("/dev/null").is_char_device()
    with pytest.raises(ResourceError, match="/dev/full: the thing cannot be saved: No space left"):
        write(Path("/dev/full"), b"x" * 100_000)
    assert Path("/dev/full").is_char_device()


def test_a_pipe_takes_it_as_it_comes(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit((tmp_path / "pipe").read_bytes)
        write(tmp_path / "pipe")
        assert read.result(30) == b"new"
    assert (tmp_path / "pipe").is_fifo()


@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_what_fails_leaves_what_was_there(tmp_path: Path, failure: BaseException) -> None:
    (tmp_path / "x").write_bytes(b"old")

    def parts() -> Iterator[bytes]:
        yield b"half"
        raise failure

    with pytest.raises((ResourceError, KeyboardInterrupt)):
        write_atomically(tmp_path / "x", parts(), "thing")
    assert [(p.name, p.read_bytes()) for p in tmp_path.iterdir()] == [("x", b"old")]


def test_places_that_none_is(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    for place in (tmp_path, tmp_path / "none" / "x", tmp_path / ("x" * 300), tmp_path / "loop"):
        with pytest.raises(ResourceError, match="the thing cannot be saved"):
            write(place)
