"""One OpenMP runtime per process: what is in use already, else the system's, else a wheel's, else none."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import pytest

from anytile.codegen.threads import openmp
from anytile.codegen.threads.openmp import (
    CLOCK,
    COUNT,
    FORK,
    LIMIT,
    NUMBER,
    Runtime,
    candidates,
    connect,
    runtime,
    start_pool,
    table,
)
from anytile.schedules.hardware.target import usable_cores

MAPS = """\
7f00-7f01 r--p 00000000 00:01 17 /usr/lib/libm.so.6
7f01-7f02 r-xp 00000000 00:01 18 /place with a space/xgboost.libs/libgomp-e985bcbb.so.1.0.0
7f02-7f03 r-xp 00000000 00:01 19 /venv/torch/lib/libgomp.so.1
7f03-7f04 r-xp 00000000 00:01 20 /venv/torch/lib/libgompish.so
7f04-7f05 r-xp 00000000 00:01 21 /venv/mkl/libiomp5.so
7f05-7f06 rw-p 00000000 00:00 0 [heap]
7f06-7f07 rw-p 00000000 00:00 0
"""


@pytest.fixture
def has_runtime() -> Runtime:
    found = runtime()
    if found is None:
        pytest.skip("this machine has no OpenMP runtime")
    return found


def test_what_is_mapped_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    maps = tmp_path / "maps"
    maps.write_text(MAPS)
    monkeypatch.setattr(openmp, "_MAPS", maps)
    found = list(candidates())
    assert [r.library for r in found if r.origin == "mapped"] == [
        "/place with a space/xgboost.libs/libgomp-e985bcbb.so.1.0.0",
        "/venv/mkl/libiomp5.so",
        "/venv/torch/lib/libgomp.so.1",
    ]
    origins = [r.origin for r in found]
    assert origins == sorted(origins, key=("mapped", "system", "wheel").index)
    assert "system" in origins


def test_what_cannot_be_loaded_or_lacks_a_function_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    poor = [Runtime("libnosuch.so.1", "mapped"), Runtime("libc.so.6", "system")]
    monkeypatch.setattr(openmp, "candidates", lambda: iter(poor))
    assert runtime.__wrapped__() is None
    good = Runtime(ctypes.util.find_library("gomp") or "libgomp.so.1", "system")
    monkeypatch.setattr(openmp, "candidates", lambda: iter([*poor, good]))
    assert runtime.__wrapped__() in (good, None)


def test_without_a_runtime_the_slot_is_null(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openmp, "runtime", lambda: None)
    monkeypatch.setattr(openmp, "table", table.__wrapped__)
    slot = ctypes.c_void_p(17)
    connect(ctypes.addressof(slot))
    assert slot.value is None
    start_pool(4)  # nothing to start, and no error


def test_the_table(has_runtime: Runtime) -> None:
    held = table()
    assert held is not None
    assert [held[place] for place in (FORK, NUMBER, COUNT, CLOCK)] == has_runtime.addresses()
    assert all(has_runtime.addresses())
    assert held[LIMIT] == usable_cores()
    slot = ctypes.c_void_p(None)
    connect(ctypes.addressof(slot))
    assert slot.value == ctypes.addressof(held)


@pytest.mark.parametrize(
    ("library", "origin", "text", "survives"),
    [
        ("/a/torch/lib/libgomp.so.1", "mapped", "libgomp.so.1 (in use already)", False),
        ("libgomp.so.1", "system", "libgomp.so.1 (of the system)", False),
        ("/a/xgboost.libs/libgomp-1f.so.1", "wheel", "libgomp-1f.so.1 (of xgboost.libs)", False),
        ("/a/lib/libomp.so", "mapped", "libomp.so (in use already)", True),
    ],
)
def test_what_is_said_of_a_runtime(library: str, origin: str, text: str, survives: bool) -> None:
    found = Runtime(library, origin)
    assert str(found) == text
    assert found.survives_fork is survives


def _python(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, env={**os.environ, **environment}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


_MAPPED = """
def mapped():
    lines = open("/proc/self/maps").read().splitlines()
    return {line.split()[-1] for line in lines if "libgomp" in line or "libiomp" in line or "libomp" in line}
"""


@pytest.mark.slow
@pytest.mark.parametrize("first", ["torch", "xgboost"])
def test_a_library_that_was_imported_before_shares_its_runtime(first: str, has_runtime: Runtime) -> None:
    pytest.importorskip(first)
    code = f"""{_MAPPED}
import {first}
before = mapped()
from anytile.codegen.threads.openmp import runtime, start_pool
start_pool(2)
assert mapped() == before, mapped()
assert not before or runtime().library in before
print(runtime().origin if before else "mapped")
"""
    assert _python(code) == "mapped"


@pytest.mark.sampled(0)
def test_a_library_that_is_imported_later_shares_ours(has_runtime: Runtime) -> None:
    pytest.importorskip("torch")
    code = f"""{_MAPPED}
from anytile.codegen.threads.openmp import start_pool
start_pool(2)
import torch
a = torch.ones(512, 512) @ torch.ones(512, 512)
assert float(a[3, 3]) == 512
print(len(mapped()))
"""
    if Path(has_runtime.library).name == "libgomp.so.1":  # the name under which wheels look for it
        assert _python(code) == "1"


def test_the_environment_does_not_forbid_threads(has_runtime: Runtime) -> None:
    """A parent such as a tuner or Ray may have set one thread; what the code asks for is what it gets."""
    code = """
import os
from anytile.codegen.threads.openmp import start_pool
before = len(os.listdir("/proc/self/task"))
start_pool(2)
print(len(os.listdir("/proc/self/task")) - before)
"""
    assert _python(code, OMP_NUM_THREADS="1") == "1"


def test_a_child_after_a_fork_keeps_to_one_thread(has_runtime: Runtime) -> None:
    code = """
import os
from anytile.codegen.threads.openmp import LIMIT, runtime, start_pool, table
made = table()
start_pool(2)
child = os.fork()
if child == 0:
    os._exit(0 if made[LIMIT] == (made[LIMIT] if runtime().survives_fork else 1) else 1)
print(os.waitpid(child, 0)[1], made[LIMIT] > 0)
"""
    assert _python(code) == "0 True"
