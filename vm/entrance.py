"""The ways from Python into native code: functions written as if in C, which cost a tenth of a call through ctypes.

`entrance(address)` makes `enter(data: bytes, machine: int, number: int) -> status` for what is at an address. It lets
go of the GIL while that runs. `handing(spec)` makes `hand(machine: int, *objects) -> status` for the code whose address
is the first word of a spec; it gets the spec, the machine and the objects as they are, and the GIL stays held. The code
is the same for all: the address is the function's self.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from anytile.codegen.loader import Loaded
from anytile.codegen.native import compile_ir
from anytile.dispatch.enter import METH_FASTCALL, Method, python_constants, python_function
from anytile.schedules.target import Target

_NAME, _HAND = "anytile_run", "anytile_hand"
_PYTHON = (*("PyBytes_AsString", "PyLong_AsSsize_t", "PyLong_FromLong", "PyEval_SaveThread", "PyEval_RestoreThread"),)
_CODE = f"""
define ptr @{_NAME}(ptr %self, ptr %args, i64 %count) {{
  %PyBytes_AsString = load ptr, ptr @PyBytes_AsString
  %PyLong_AsSsize_t = load ptr, ptr @PyLong_AsSsize_t
  %PyLong_FromLong = load ptr, ptr @PyLong_FromLong
  %PyEval_SaveThread = load ptr, ptr @PyEval_SaveThread
  %PyEval_RestoreThread = load ptr, ptr @PyEval_RestoreThread
  %data = load ptr, ptr %args
  %machine.at = getelementptr ptr, ptr %args, i64 1
  %machine = load ptr, ptr %machine.at
  %returned.at = getelementptr ptr, ptr %args, i64 2
  %returned = load ptr, ptr %returned.at
  %words = call ptr %PyBytes_AsString(ptr %data)
  %place = call i64 %PyLong_AsSsize_t(ptr %machine)
  %blocks = call i64 %PyLong_AsSsize_t(ptr %returned)
  %address = call i64 %PyLong_AsSsize_t(ptr %self)
  %run = inttoptr i64 %address to ptr
  %where = inttoptr i64 %place to ptr
  %state = call ptr %PyEval_SaveThread()
  %status = call i32 %run(ptr %words, ptr %where, i64 %blocks)
  call void %PyEval_RestoreThread(ptr %state)
  %long = sext i32 %status to i64
  %done = call ptr %PyLong_FromLong(i64 %long)
  ret ptr %done
}}

define ptr @{_HAND}(ptr %self, ptr %args, i64 %count) {{
  %PyLong_AsSsize_t = load ptr, ptr @PyLong_AsSsize_t
  %PyLong_FromLong = load ptr, ptr @PyLong_FromLong
  %address = call i64 %PyLong_AsSsize_t(ptr %self)
  %spec = inttoptr i64 %address to ptr
  %called = load ptr, ptr %spec
  %number = load ptr, ptr %args
  %place = call i64 %PyLong_AsSsize_t(ptr %number)
  %machine = inttoptr i64 %place to ptr
  %objects = getelementptr ptr, ptr %args, i64 1
  %rest = sub i64 %count, 1
  %status = call i64 %called(ptr %spec, ptr %machine, ptr %objects, i64 %rest)
  %done = call ptr %PyLong_FromLong(i64 %status)
  ret ptr %done
}}
"""


def entrance(address: int) -> Callable[[bytes, int, int], int]:
    """The Python function for the code at an address, which must stay where it is."""
    return python_function(_methods()[1], address)


def handing(spec: int) -> Callable[..., int]:
    """The Python function for the spec at an address, which must stay where it is."""
    return python_function(_methods()[2], spec)


@functools.cache  # for good: somebody may always hold a function
def _methods() -> tuple[Loaded, Method, Method]:
    ir = "\n".join([*python_constants(_PYTHON), _CODE])
    loaded = Loaded(compile_ir(ir, Target.host(), _NAME, facts_too=False))
    run, hand = (Method(name.encode(), loaded.address(name), METH_FASTCALL, None) for name in (_NAME, _HAND))
    return loaded, run, hand
