"""Threads keep off the caller's core, and the caller stays as free as it was."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

from anytile.codegen.llvm.compile import compile_ir
from anytile.codegen.llvm.emit import emit_function
from anytile.codegen.llvm.module import kernel_function, module
from anytile.codegen.load.loader import Loaded
from anytile.codegen.threads import openmp
from anytile.codegen.threads.openmp import HOME, LEFT_ALONE, OWNER, table
from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import const, var
from anytile.schedules.nest.nodes import Buffer, Literal, Load, Loop, LoopKind, LoopNest, Op, Store, Symbol
from tests.support.stand_ins.openmp_team import Team

m, i = var("m"), var("i")
X, Y = Buffer("x", (m,)), Buffer("y", (m,), output=True)
ADD = Store("y", (i,), Op("add", (Load("x", (i,)), Literal(1.0))))
NEST = LoopNest("n", (X, Y), (Symbol("m", 0),), Loop("i", m + const(0), LoopKind.PARALLEL, ADD))
SEVERAL = len(os.sched_getaffinity(0)) > 1
needs_cores = pytest.mark.skipif(not SEVERAL, reason="this process may use one core only")


def build() -> Loaded:
    texts = [emit_function(NEST, "body", 2), kernel_function("kernel", "body", NEST, NEST.given)]
    return Loaded(compile_ir(module(texts), Target.host(), "kernel", facts_too=False))


def run(loaded: Loaded) -> None:
    x, y = np.arange(4, dtype=np.float32), np.zeros(4, np.float32)
    assert loaded.call("kernel", [x.ctypes.data, y.ctypes.data], [4]) == 0
    np.testing.assert_array_equal(y, x + 1)


@needs_cores
def test_they_are_moved_once_and_the_caller_is_free_again() -> None:
    loaded, cores = build(), os.sched_getaffinity(0)
    team = Team(home=-1).serve(loaded)
    run(loaded)
    assert team.asked == [2, 2], "once to move, once to work"
    assert team.table[HOME] in cores
    assert team.table[OWNER] == threading.get_ident()
    assert os.sched_getaffinity(0) == cores


@needs_cores
def test_who_keeps_off_the_callers_core_is_not_moved() -> None:
    loaded, core_of = build(), ctypes.CDLL(None).sched_getcpu
    team = Team().serve(loaded)
    team.table[OWNER] = threading.get_ident()
    found = set()
    for _ in range(200):  # the system may move the caller within one of them, but not within each
        before, team.table[HOME] = len(team.asked), core_of()
        run(loaded)
        found.add(len(team.asked) - before)
    assert 1 in found


@needs_cores
def test_another_caller_has_a_team_of_its_own() -> None:
    """Also on the core that the team of the last one keeps off."""
    loaded = build()
    team = Team(home=-1).serve(loaded)
    run(loaded)
    team.table[OWNER] = 1
    run(loaded)
    assert team.table[OWNER] == threading.get_ident()
    other = threading.Thread(target=run, args=(loaded,))
    other.start()
    other.join()
    assert team.asked == [2] * 6
    assert team.table[OWNER] == other.ident


def test_where_there_is_one_core_nobody_moves() -> None:
    loaded, cores = build(), os.sched_getaffinity(0)
    team = Team(home=-1).serve(loaded)
    os.sched_setaffinity(0, {min(cores)})
    try:
        run(loaded)
        assert os.sched_getaffinity(0) == {min(cores)}
    finally:
        os.sched_setaffinity(0, cores)
    assert team.asked == [2]
    assert team.table[HOME] == -1


def test_threads_that_the_user_bound_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    if openmp.runtime() is None:
        pytest.skip("this machine has no OpenMP runtime")
    for name in openmp.BINDING:
        monkeypatch.delenv(name, raising=False)
    free = table.__wrapped__()
    assert free is not None
    assert free[HOME] == -1
    monkeypatch.setenv("OMP_PROC_BIND", "false")
    bound = table.__wrapped__()
    assert bound is not None
    assert bound[HOME] == LEFT_ALONE
    loaded = build()
    team = Team().serve(loaded)
    run(loaded)
    assert team.asked == [2]


_REAL = """
import json, os, re, sys, time
os.sched_setaffinity(0, {cores})
sys.path[:0] = [{folder!r}, {support!r}]
from test_core_affinity import build, run
from anytile.codegen.threads.openmp import HOME, table
loaded = build()
main = set(os.listdir("/proc/self/task"))
run(loaded)
time.sleep(0.05)
run(loaded)
def cores(task):
    return re.search(r"Cpus_allowed_list:\\s*(\\S+)", open(f"/proc/self/task/{{task}}/status").read())[1]
others = sorted(cores(t) for t in set(os.listdir("/proc/self/task")) - main)
print(json.dumps([table()[HOME], others, sorted(os.sched_getaffinity(0))]))
"""


@pytest.mark.sampled(0)
@needs_cores
def test_the_threads_of_a_runtime_keep_off_the_callers_core() -> None:
    """Here with two cores, so that the list of those left is one number."""
    if openmp.runtime() is None:
        pytest.skip("this machine has no OpenMP runtime")
    here = os.path.dirname(__file__)
    two = sorted(os.sched_getaffinity(0))[:2]
    program = _REAL.format(cores=two, folder=here, support=os.path.join(here, "..", "support"))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    home, others, mine = json.loads(done.stdout)
    assert mine == two
    assert others == [str(sum(two) - home)]
