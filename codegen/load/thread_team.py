"""The thread team of this process: native code that shares loops out to threads, and the table that leads to it.

It is made when the first code with parallel loops is loaded, for all that is; `codegen/threads/team.c` says how it
works. Threads of other libraries, OpenMP's among them, are not used: their barriers wait for every thread, and beside a
process that is busy too each of those waits is a turn of that process. After a fork the child starts threads of its
own.
"""

from __future__ import annotations

import ctypes
import os
import platform
from collections.abc import Callable

from anytile.codegen.cache import CodeCache
from anytile.codegen.kept import kept_ir
from anytile.codegen.llvm.compile import ATTRIBUTES, compiled
from anytile.codegen.load.placement import place
from anytile.codegen.threads import thread_table
from anytile.codegen.threads.thread_table import (
    CLOCK,
    COUNT,
    FORK,
    HOME,
    LEFT_ALONE,
    LIMIT,
    MOST_THREADS,
    NUMBER,
    Table,
    bound,
)
from anytile.core.once import once
from anytile.schedules.hardware.target import Target, usable_cores

_FUNCTIONS = {FORK: "anytile_fork", NUMBER: "anytile_number", COUNT: "anytile_count", CLOCK: "anytile_clock"}
_DECLARED = "declare void @relax() nonlazybind"
_RELAX = {"x86_64": "@llvm.x86.sse2.pause()", "aarch64": "@llvm.aarch64.hint(i32 1)"}  # of a thread that spins
_FUTEX = {"x86_64": 202, "aarch64": 98}  # the system call
_FORK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int32, ctypes.c_int32)


@once
def table() -> Table | None:
    """The table of this process; None on machines for which the team is not written."""
    find = _native()
    if find is None:
        return None
    made = (ctypes.c_int64 * (HOME + 1))()  # threads were done long ago
    for at, name in _FUNCTIONS.items():
        made[at] = find(name)
    made[LIMIT], made[HOME] = min(usable_cores(), MOST_THREADS), LEFT_ALONE
    return made


@once
def _native() -> Callable[[str], int] | None:
    """The team's code, by name. It stays for good: its threads may look for work while the process ends."""
    if platform.machine() not in _FUTEX:
        return None
    find = place(compiled(team_text(), Target.host(), "anytile_fork", CodeCache()).code)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(find))
    begin = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int64, ctypes.c_int64)(find("anytile_begin"))
    if begin(_FUTEX[platform.machine()], int(bound())):
        return None
    os.register_at_fork(after_in_child=ctypes.CFUNCTYPE(None)(find("anytile_forget")))
    return find


def team_text() -> str:
    """The team's code for this machine."""
    relax = f"define internal void @relax() #0 {{\n  call void {_RELAX[platform.machine()]}\n  ret void\n}}"
    declared = "declare void @llvm.x86.sse2.pause()\ndeclare void @llvm.aarch64.hint(i32)\n"
    return kept_ir(thread_table.__file__, "team").replace(_DECLARED, relax) + declared + ATTRIBUTES


def connect(slot: int) -> None:
    """Give a module's slot, at this address, the table of this process."""
    found = table()
    ctypes.c_void_p.from_address(slot).value = None if found is None else ctypes.addressof(found)


def start_threads(threads: int) -> None:
    """Have the threads started now: later their stacks may be more memory than is allowed."""
    found = table()
    if found is not None and threads > 1:
        nothing = ctypes.c_void_p(found[NUMBER])  # a function that changes nothing, as each chunk's work
        _FORK(found[FORK])(nothing, None, threads, 0)
