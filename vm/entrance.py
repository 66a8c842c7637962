"""The ways from Python into native code: functions written as if in C, which cost a tenth of a call through ctypes.

`entrance(address)` makes `enter(data: bytes, machine: int, number: int) -> status` for what is at an address. It lets
go of the GIL while that runs. `handing(spec)` makes `hand(machine: int, *objects) -> status` for the code whose address
is the first word of a spec; it gets the spec, the machine and the objects as they are, and the GIL stays held. The code
is the same for all: the address is the function's self.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable

from anytile.codegen.cache import CodeCache
from anytile.codegen.loader import Loaded
from anytile.codegen.native import compiled
from anytile.codegen.once import once
from anytile.dispatch.enter import METH_FASTCALL, Method, python_function
from anytile.schedules.target import Target

_NAME, _HAND = "anytile_run", "anytile_hand"
_PYTHON = ("PyBytes_AsString", "PyLong_AsSsize_t", "PyLong_FromLong", "PyEval_SaveThread", "PyEval_RestoreThread")
_SLOTS = "anytile_python"  # the addresses of Python's functions, filled on loading


def _code() -> str:
    """The same in every process, so that the local cache keeps it."""
    python = "\n".join(
        f"  %{name}.at = getelementptr ptr, ptr @{_SLOTS}, i64 {i}\n  %{name} = load ptr, ptr %{name}.at"
        for i, name in enumerate(_PYTHON)
    )
    return f"""
@{_SLOTS} = global [{len(_PYTHON)} x ptr] zeroinitializer

define ptr @{_NAME}(ptr %self, ptr %args, i64 %count) {{
{python}
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
{python}
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


@once  # for good: somebody may always hold a function
def _methods() -> tuple[Loaded, Method, Method]:
    loaded = Loaded(compiled(_code(), Target.host(), _NAME, CodeCache()))
    addresses = (ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value for name in _PYTHON)
    (ctypes.c_void_p * len(_PYTHON)).from_address(loaded.address(_SLOTS))[:] = list(addresses)
    run, hand = (Method(name.encode(), loaded.address(name), METH_FASTCALL, None) for name in (_NAME, _HAND))
    return loaded, run, hand
