"""The thread team: every chunk runs once, whoever runs it; threads keep off the caller's core; children start anew."""

from __future__ import annotations

import ctypes
import json
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

from anytile.codegen.load import thread_team
from anytile.codegen.load.thread_team import connect, start_threads, table
from anytile.codegen.threads import thread_table
from anytile.codegen.threads.thread_table import BINDING, CLOCK, COUNT, FORK, HOME, LEFT_ALONE, LIMIT, NUMBER
from anytile.schedules.hardware.target import usable_cores

pytestmark = pytest.mark.skipif(platform.machine() not in ("x86_64", "aarch64"), reason="no team for this machine")
CORES = sorted(os.sched_getaffinity(0))
needs_cores = pytest.mark.skipif(len(CORES) < 2, reason="this process may use one core only")
WORK = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


def function(place: int, kind: type) -> ctypes._FuncPointer:
    found = table()
    assert found is not None
    return kind(found[place])


def fork(body: ctypes._FuncPointer, context: int, threads: int) -> None:
    call = function(FORK, ctypes.CFUNCTYPE(None, WORK, ctypes.c_void_p, ctypes.c_int32, ctypes.c_int32))
    call(body, context, threads, 0)


number, count = (function(place, ctypes.CFUNCTYPE(ctypes.c_int32)) for place in (NUMBER, COUNT))


def test_the_table() -> None:
    held = table()
    assert held is not None
    assert held[LIMIT] == usable_cores()
    assert held[HOME] == LEFT_ALONE
    before = function(CLOCK, ctypes.CFUNCTYPE(ctypes.c_double))()
    assert abs(before - time.monotonic()) < 10
    slot = ctypes.c_void_p(None)
    connect(ctypes.addressof(slot))
    assert slot.value == ctypes.addressof(held)


def test_without_a_team_the_slot_is_null(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thread_team, "table", lambda: None)
    slot = ctypes.c_void_p(17)
    connect(ctypes.addressof(slot))
    assert slot.value is None
    start_threads(4)  # nothing to start, and no error


@pytest.mark.parametrize("threads", [0, 1, 2, 3, 9])
def test_every_chunk_runs_once(threads: int) -> None:
    seen: list[tuple[int, int, int]] = []
    body = WORK(lambda context: seen.append((number(), count(), context)))
    for turn in range(1, 30):
        seen.clear()
        fork(body, turn, threads)
        assert sorted(seen) == [(i, max(threads, 1), turn) for i in range(max(threads, 1))]
        assert (number(), count()) == (0, 1)


def test_callers_side_by_side_have_each_their_own() -> None:
    wrong: list[Counter[int]] = []

    def call(context: int) -> None:
        for _ in range(50):
            seen: Counter[int] = Counter()
            body = WORK(lambda got, seen=seen: seen.update([got * 100 + number()]))
            fork(body, context, 3)
            if seen != Counter({context * 100 + i: 1 for i in range(3)}):
                wrong.append(seen)

    callers = [threading.Thread(target=call, args=(i,)) for i in range(1, 9)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert not wrong


def _python(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=120,
        env={**{k: v for k, v in os.environ.items() if k not in BINDING}, **environment},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


_CORES = """
import json, os, re, sys, time
os.sched_setaffinity(0, {cores})
from anytile.codegen.load.thread_team import start_threads
main = set(os.listdir("/proc/self/task"))
for _ in range(3):
    start_threads(2)
    time.sleep(0.01)
home = int(open(f"/proc/self/task/{{os.getpid()}}/stat").read().rsplit(")")[1].split()[36])
def allowed(task):
    return re.search(r"Cpus_allowed_list:\\s*(\\S+)", open(f"/proc/self/task/{{task}}/status").read())[1]
others = sorted(allowed(t) for t in set(os.listdir("/proc/self/task")) - main)
print(json.dumps([others, sorted(os.sched_getaffinity(0))]))
"""


@needs_cores
def test_threads_keep_off_the_callers_core() -> None:
    """Here with two cores, so that the list of those left is one number; the caller stays as free as it was."""
    others, mine = json.loads(_python(_CORES.format(cores=CORES[:2])))
    assert mine == CORES[:2]
    assert others in [[str(core)] for core in CORES[:2]]


@needs_cores
def test_threads_that_the_user_bound_are_left_alone() -> None:
    others, _ = json.loads(_python(_CORES.format(cores=CORES[:2]), OMP_PROC_BIND="false"))
    assert len(others) == 1
    assert others != [str(CORES[0])]
    assert others != [str(CORES[1])]


def test_a_thread_that_the_system_does_not_run_is_not_waited_for() -> None:
    """On one core, where it comes last: what it would have done is the caller's. A barrier would wait for it."""
    code = f"""
import ctypes, os, threading
os.sched_setaffinity(0, {{{CORES[0]}}})
from anytile.codegen.load.thread_team import start_threads, table
from anytile.codegen.threads.thread_table import FORK
main = set(os.listdir("/proc/self/task"))
start_threads(2)
(made,) = set(os.listdir("/proc/self/task")) - main
os.sched_setscheduler(int(made), os.SCHED_IDLE, os.sched_param(0))
me, own = threading.get_ident(), 0
def body(context):
    global own
    own += threading.get_ident() == me
work = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(body)
fork = ctypes.CFUNCTYPE(None, type(work), ctypes.c_void_p, ctypes.c_int32, ctypes.c_int32)(table()[FORK])
for _ in range(300):
    fork(work, None, 2, 0)
print(own)
"""
    assert int(_python(code)) > 500, "of 600 chunks, of which 300 are the caller's in any case"


def test_where_there_is_one_core_nobody_moves() -> None:
    others, mine = json.loads(_python(_CORES.format(cores=CORES[:1])))
    assert others == [str(CORES[0])]
    assert mine == CORES[:1]


def test_signals_are_for_the_threads_that_were_there_before() -> None:
    code = """
import os, time
from anytile.codegen.load.thread_team import start_threads
main = set(os.listdir("/proc/self/task"))
start_threads(2)
(made,) = set(os.listdir("/proc/self/task")) - main
def blocked():
    line = next(line for line in open(f"/proc/self/task/{made}/status") if line.startswith("SigBlk"))
    return int(line.split()[1], 16)
for _ in range(1000):
    if not blocked() & 1 << 10:  # all are, until the thread has begun
        break
    time.sleep(0.01)
print(blocked())
"""
    blocked = int(_python(code))
    for name in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD, signal.SIGALRM, signal.SIGUSR1):
        assert blocked >> (name - 1) & 1, name
    for name in (signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGFPE):
        assert not blocked >> (name - 1) & 1, name


def test_a_child_after_a_fork_starts_threads_of_its_own() -> None:
    code = """
import os
from anytile.codegen.load.thread_team import start_threads
start_threads(2)
child = os.fork()
if child == 0:
    before = len(os.listdir("/proc/self/task"))
    start_threads(2)
    os._exit(0 if (before, len(os.listdir("/proc/self/task"))) == (1, 2) else 1)
print(os.waitpid(child, 0)[1])
"""
    assert _python(code) == "0"


def test_where_no_thread_can_be_made_the_caller_does_it_all() -> None:
    code = """
import ctypes, resource
from anytile.codegen.load.thread_team import table
from anytile.codegen.threads.thread_table import FORK, NUMBER
made = table()
number = ctypes.CFUNCTYPE(ctypes.c_int32)(made[NUMBER])
seen = []
body = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda context: seen.append(number()))
fork = ctypes.CFUNCTYPE(None, type(body), ctypes.c_void_p, ctypes.c_int32, ctypes.c_int32)(made[FORK])
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 20), resource.RLIM_INFINITY))
fork(body, None, 4, 0)
print(seen)
"""
    assert _python(code) == "[0, 1, 2, 3]"


@pytest.mark.sampled(0)
def test_under_a_thread_sanitizer_nobody_races(tmp_path: Path) -> None:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("this machine has no C compiler")
    room = Path(thread_table.__file__).parent
    source, program = Path(__file__).with_name("raced.c"), tmp_path / "raced"
    command = [compiler, "-std=c11", "-g", "-O1", "-fsanitize=thread", "-pthread", "-I", str(room), "-o", str(program)]
    built = subprocess.run([*command, str(source)], capture_output=True, text=True, check=False)
    if built.returncode and re.search(r"-fsanitize|lib\w*san", built.stderr):
        pytest.skip("this machine's C compiler has no sanitizers")
    assert built.returncode == 0, built.stderr
    done = subprocess.run([program], capture_output=True, text=True, check=False, timeout=120)
    if "unexpected memory mapping" in done.stderr:
        pytest.skip("this system's memory is laid out in a way that the sanitizer does not know")
    assert done.returncode == 0, done.stdout + done.stderr
