"""The ways from Python into native code: functions written as if in C, which cost a tenth of a call through ctypes.

`entrance(address)` makes `enter(machine: int, number: int) -> status` for what is at an address. It lets go of the GIL
while that runs. `handing(spec)` makes `hand(machine: int, *objects) -> status` for the code whose address
is the first word of a spec; it gets the spec, the machine and the objects as they are, and the GIL stays held. The code
is the same for all: the address is the function's self.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence

from anytile.codegen.cache import CodeCache
from anytile.codegen.llvm.compile import compiled
from anytile.codegen.load.loader import Loaded
from anytile.core.once import once
from anytile.dispatch.cpu.fast_call import METH_FASTCALL, Method, python_function
from anytile.schedules.hardware.target import Target

_NAME, _HAND = "anytile_run", "anytile_hand"
_SLOTS = "anytile_python"
_PYTHON = ("PyLong_AsSsize_t", "PyLong_FromLong", "PyEval_SaveThread", "PyEval_RestoreThread")


def slots(names: Sequence[str]) -> str:
    """IR with room for the addresses of functions of Python, filled on loading: the same text in every process, so that
    the local cache keeps its code."""
    return f"@{_SLOTS} = global [{len(names)} x ptr] zeroinitializer\n"


def slot(names: Sequence[str], name: str) -> str:
    """IR that reads the address of one of them."""
    at = f"%{name}.at = getelementptr ptr, ptr @{_SLOTS}, i64 {names.index(name)}"
    return f"{at}\n  %{name} = load ptr, ptr %{name}.at"


def with_python(code: str, entry: str, names: Sequence[str]) -> Loaded:
    """Code that has `slots`, loaded for good: what it made may go when the process ends, after all modules."""
    loaded = Loaded(compiled(code, Target.host(), entry, CodeCache()))
    addresses = (ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value for name in names)
    (ctypes.c_void_p * len(names)).from_address(loaded.address(_SLOTS))[:] = list(addresses)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(loaded))
    return loaded


def _code() -> str:
    python = "\n".join(f"  {slot(_PYTHON, name)}" for name in _PYTHON)
    return f"""
{slots(_PYTHON)}
define ptr @{_NAME}(ptr %self, ptr %args, i64 %count) {{
{python}
  %machine = load ptr, ptr %args
  %number.at = getelementptr ptr, ptr %args, i64 1
  %number = load ptr, ptr %number.at
  %place = call i64 %PyLong_AsSsize_t(ptr %machine)
  %passed = call i64 %PyLong_AsSsize_t(ptr %number)
  %address = call i64 %PyLong_AsSsize_t(ptr %self)
  %run = inttoptr i64 %address to ptr
  %where = inttoptr i64 %place to ptr
  %state = call ptr %PyEval_SaveThread()
  %status = call i32 %run(ptr %where, i64 %passed)
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


def entrance(address: int) -> Callable[[int, int], int]:
    """The Python function for the code at an address, which must stay where it is."""
    return python_function(_methods()[1], address)


def handing(spec: int) -> Callable[..., int]:
    """The Python function for the spec at an address, which must stay where it is."""
    return python_function(_methods()[2], spec)


@once  # for good: somebody may always hold a function
def _methods() -> tuple[Loaded, Method, Method]:
    loaded = with_python(_code(), _NAME, _PYTHON)
    run, hand = (Method(name.encode(), loaded.address(name), METH_FASTCALL, None) for name in (_NAME, _HAND))
    return loaded, run, hand
