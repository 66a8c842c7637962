"""Regular files: what is none is refused at once, wherever a file is read as a whole."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import anytile
from anytile.codegen.cache import CodeCache
from anytile.compiler.text.file import read_module
from anytile.core.errors import AnytileError
from anytile.core.regular_file import open_regular, read_regular
from anytile.models_io.values import read_npy, read_value
from anytile.vm.executable import Executable
from anytile.vm.program.executable import TensorPort
from tests.support.cases.vm_executables import loop

READERS: dict[str, Callable[[Path], Any]] = {
    "executable": anytile.load,
    "kernel": anytile.load_kernel,
    "model": read_module,
    "array": lambda path: read_npy(path, "--input x"),
    "value": lambda path: read_value(Executable.of(loop()), TensorPort((), "int64"), path, "--input x"),
}


def odd(kind: str, folder: Path) -> Path:
    path = folder / "odd"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        socket.socket(socket.AF_UNIX).bind(str(path))
    return {"device": Path("/dev/zero"), "folder": folder, "null": Path("a\0b")}.get(kind, path)


@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "socket", "null", "missing"])
def test_what_is_no_regular_file_is_refused_at_once(kind: str, tmp_path: Path) -> None:
    path = odd(kind, tmp_path)
    with pytest.raises(OSError, match="."):
        open_regular(path)
    for read in READERS.values():
        with pytest.raises(AnytileError) as caught:
            read(path)
        assert "\n" not in str(caught.value)


def test_a_file_is_read_whole(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 100_000)
    (tmp_path / "b").symlink_to("a")
    assert read_regular(tmp_path / "b") == b"x" * 100_000
    before = os.listdir("/proc/self/fd")
    for _ in range(20):
        with pytest.raises(OSError, match="."):
            open_regular(tmp_path)
    assert len(os.listdir("/proc/self/fd")) == len(before)


def test_a_pipe_in_the_code_cache_is_as_good_as_nothing(tmp_path: Path) -> None:
    cache = CodeCache(tmp_path)
    (tmp_path / "ab").mkdir()
    os.mkfifo(tmp_path / "ab" / "abcd")
    assert cache.get("abcd") is None


@pytest.mark.parametrize("load", [anytile.load, anytile.load_kernel])
def test_a_large_file_of_another_kind_takes_no_time_and_no_memory(load: Callable[[Path], Any], tmp_path: Path) -> None:
    """One of holes only, which takes no room on the disk."""
    with open(tmp_path / "sparse", "wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(AnytileError, match="expected"):
        load(tmp_path / "sparse")


def test_a_kernel_file_larger_than_memory_is_refused(tmp_path: Path) -> None:
    with open(tmp_path / "sparse", "wb") as file:
        file.write(b"\x93ANYTILE")
        file.truncate(1 << 43)
    with pytest.raises(AnytileError, match="larger than memory"):
        anytile.load_kernel(tmp_path / "sparse")
