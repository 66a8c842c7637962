"""The way from Python into a run: a function written as if in C, which costs a tenth of a call through ctypes.

`entrance(address)` makes `enter(data: bytes, machine: int, returned: int) -> status` for the run at an address. It lets
go of the GIL while the run runs. The code is the same for all runs: the address is the function's self.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from anytile.codegen.loader import Loaded
from anytile.codegen.native import compile_ir
from anytile.dispatch.enter import METH_FASTCALL, Method, python_constants, python_function
from anytile.schedules.target import Target

_NAME = "anytile_run"
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
"""


def entrance(address: int) -> Callable[[bytes, int, int], int]:
    """The Python function for the run at an address, which must stay where it is."""
    return python_function(_method()[1], address)


@functools.cache  # for good: somebody may always hold a function
def _method() -> tuple[Loaded, Method]:
    ir = "\n".join([*python_constants(_PYTHON), _CODE])
    loaded = Loaded(compile_ir(ir, Target.host(), _NAME, facts_too=False))
    return loaded, Method(_NAME.encode(), loaded.entry, METH_FASTCALL, None)
