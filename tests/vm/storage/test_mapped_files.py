"""Mapped files: one that is cut off while a session reads it is an error of a line, and no end of the process."""

from __future__ import annotations

import gc
import mmap
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from anytile.core.errors import AnytileError, SpecError
from anytile.vm.program.executable import constant
from anytile.vm.session import Session
from anytile.vm.storage.file import load, save
from anytile.vm.storage.mapped_files import _watch
from tests.support.cases.vm_executables import ADD, executable, kernel, tensor

N = 100_000
TEXT = f"""
function main(tensor) -> tensor, registers 6:
  LoadConst r1, c0
  LoadConsti r2, {4 * N}
  LoadConsti r3, 0
  AllocStorage r4, r2, 64, d0
  AllocTensor r5, r4, r3, [{N}], float32
  InvokePacked k0, 1, [r0, r1, r5]
  Ret r5
"""
X = np.ones(N, np.float32)


def saved(path: Path) -> None:
    weights = constant(np.arange(N, dtype=np.float32))
    save(executable(TEXT, [kernel(ADD, ("a0_0",))], [("x", tensor((N,)))], tensor((N,)), [weights]), path)


@pytest.mark.parametrize("compiled", [False, True], ids=["interpreted", "compiled"])
def test_a_file_that_is_cut_off_is_an_error(compiled: bool, tmp_path: Path) -> None:
    saved(tmp_path / "e")
    saved(tmp_path / "other")
    other = Session(load(tmp_path / "other"), compiled=compiled)
    session = Session(load(tmp_path / "e"), compiled=compiled)
    np.testing.assert_array_equal(session(X), np.arange(N) + 1)
    os.truncate(tmp_path / "e", 4096)
    for _ in range(3):
        with pytest.raises(SpecError, match="the executable's file was cut off") as caught:
            session(X)
        assert "\n" not in str(caught.value)
        np.testing.assert_array_equal(other(X), np.arange(N) + 1)
    saved(tmp_path / "e")
    np.testing.assert_array_equal(Session(load(tmp_path / "e"), compiled=compiled)(X), np.arange(N) + 1)


def test_whole_numbers_are_those_that_were_read(tmp_path: Path) -> None:
    """Positions are looked at before a kernel reads them: nobody may change them in between."""
    text = "function main() -> tensor, registers 1:\nLoadConst r0, c0\nRet r0"
    numbers = np.arange(N, dtype=np.int64)
    save(executable(text, (), (), tensor((N,), "int64"), [constant(numbers)]), tmp_path / "e")
    session = Session(load(tmp_path / "e"))
    with open(tmp_path / "e", "r+b") as file:
        file.seek(-8 * N // 2, os.SEEK_END)
        file.write(b"\x7f" * 1000)
    np.testing.assert_array_equal(session(), numbers)


def test_a_file_that_is_cut_off_amid_runs(tmp_path: Path) -> None:
    """Of several threads: each run gives what it should or says why not."""
    saved(tmp_path / "e")
    session, failed = Session(load(tmp_path / "e")), []

    def run() -> None:
        try:
            for _ in range(2000):
                np.testing.assert_array_equal(session(X), np.arange(N) + 1)
        except (AnytileError, AssertionError) as error:
            failed.append(error)

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    os.truncate(tmp_path / "e", 8192)
    for thread in threads:
        thread.join()
    assert [type(error) for error in failed] == [SpecError] * 3


@pytest.mark.sampled(0)
@pytest.mark.usefixtures("small_heap")
def test_files_are_watched_as_long_as_they_are_mapped(tmp_path: Path) -> None:
    saved(tmp_path / "e")
    before = len(_watch()._free)
    sessions: Any = [Session(load(tmp_path / "e")) for _ in range(3)]
    assert len(_watch()._free) == before - 3
    del sessions
    gc.collect()
    assert len(_watch()._free) == before


@pytest.mark.slow
def test_what_is_not_ours_ends_as_before(tmp_path: Path) -> None:
    """A mapping that nobody watches, with and without a handler of Python's."""
    saved(tmp_path / "e")
    (tmp_path / "mine").write_bytes(bytes(1 << 16))
    text = f"""
import mmap, os, sys
from anytile.vm.session import Session
from anytile.vm.storage.file import load
{{}}
session = Session(load({str(tmp_path / "e")!r}))
with open({str(tmp_path / "mine")!r}, "r+b") as file:
    mine = mmap.mmap(file.fileno(), 0)
    os.truncate({str(tmp_path / "mine")!r}, 0)
    print(mine[5000])
"""
    for first in ("", "import faulthandler; faulthandler.enable()"):
        (tmp_path / "mine").write_bytes(bytes(1 << 16))
        done = subprocess.run([sys.executable, "-c", text.format(first)], capture_output=True, text=True, check=False)
        assert done.returncode == -7
        assert ("Bus error" in done.stderr) == bool(first)
    assert mmap.PAGESIZE <= 1 << 16
