"""Blocks of a pool that Python owns: capsules, made and ended by native code.

A signal may raise an exception between any two bytecodes of Python, a finalizer's too. So a block changes hands within
one native call, with the GIL held: before it the pair of words that holds its address and size is the owner (of a
storage's cell, of a machine's result), after it the pair is empty and a capsule is. When the capsule goes, in whatever
thread, the block is pushed on a list that the pool takes in when it is next used. Nobody is left out, nobody is twice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from anytile.codegen.llvm.compile import ATTRIBUTES
from anytile.core.once import once
from anytile.dispatch.cpu.fast_call import METH_FASTCALL, Method, python_function
from anytile.vm.runtime.gates import slot, slots, with_python
from anytile.vm.runtime.pool import BLOCK_ADDRESS, BLOCK_BYTES, BLOCK_NEXT, HELPERS
from anytile.vm.runtime.pool_words import RETURNED

_PYTHON = (
    *("PyLong_AsSsize_t", "PyLong_FromLong", "PyByteArray_AsString", "PyErr_NoMemory"),
    *("PyCapsule_New", "PyCapsule_GetPointer", "Py_IncRef", "Py_DecRef"),
)
_WORDS, _POOL, _RECORD = range(BLOCK_BYTES + 1, BLOCK_BYTES + 4)  # of a block: its pool's words and object
_NAMES = ("anytile_own", "anytile_allocate", "anytile_settle", "anytile_drain")


def _at(name: str, base: str, index: int) -> str:
    return f"%{name}.at = getelementptr i64, ptr {base}, i64 {index}"


def _passed(name: str, index: int) -> str:
    """An argument that is a number."""
    return f"""%{name}.arg = getelementptr ptr, ptr %args, i64 {index}
  %{name}.object = load ptr, ptr %{name}.arg
  %{name} = call i64 %PyLong_AsSsize_t(ptr %{name}.object)"""


def _code() -> str:
    read = {name: slot(_PYTHON, name) for name in _PYTHON}
    return f"""
{HELPERS}
{slots(_PYTHON)}
declare ptr @malloc(i64)

define internal void @dropped(ptr %capsule) {{
start:
  {read["PyCapsule_GetPointer"]}
  {read["Py_DecRef"]}
  %record = call ptr %PyCapsule_GetPointer(ptr %capsule, ptr null)
  {_at("words", "%record", _WORDS)}
  %words = load ptr, ptr %words.at
  {_at("pool", "%record", _POOL)}
  %pool = load ptr, ptr %pool.at
  {_at("next", "%record", BLOCK_NEXT)}
  {_at("returned", "%words", RETURNED)}
  %new = ptrtoint ptr %record to i64
  br label %again
again:
  %head = load atomic i64, ptr %returned.at monotonic, align 8
  store i64 %head, ptr %next.at
  %tried = cmpxchg ptr %returned.at, i64 %head, i64 %new release monotonic
  %pushed = extractvalue {{ i64, i1 }} %tried, 1
  br i1 %pushed, label %done, label %again
done:
  call void %Py_DecRef(ptr %pool)
  ret void
}}

define internal ptr @owner(ptr %pool, i64 %words, i64 %address, i64 %nbytes) {{
start:
  {read["PyErr_NoMemory"]}
  {read["PyCapsule_New"]}
  {read["Py_IncRef"]}
  %record = call ptr @malloc(i64 {8 * _RECORD})
  %none = icmp eq ptr %record, null
  br i1 %none, label %refused, label %fill
refused:
  %error = call ptr %PyErr_NoMemory()
  ret ptr null
fill:
  {_at("address", "%record", BLOCK_ADDRESS)}
  store i64 %address, ptr %address.at
  {_at("nbytes", "%record", BLOCK_BYTES)}
  store i64 %nbytes, ptr %nbytes.at
  {_at("words", "%record", _WORDS)}
  store i64 %words, ptr %words.at
  {_at("pool", "%record", _POOL)}
  store ptr %pool, ptr %pool.at
  %capsule = call ptr %PyCapsule_New(ptr %record, ptr null, ptr @dropped)
  %failed = icmp eq ptr %capsule, null
  br i1 %failed, label %undo, label %made
undo:
  call void @free(ptr %record)
  ret ptr null
made:
  call void %Py_IncRef(ptr %pool)
  ret ptr %capsule
}}

define ptr @anytile_own(ptr %self, ptr %args, i64 %count) {{
start:
  {read["PyLong_AsSsize_t"]}
  %pool = load ptr, ptr %args
  {_passed("words", 1)}
  {_passed("place", 2)}
  %pair = inttoptr i64 %place to ptr
  %address = load i64, ptr %pair
  {_at("nbytes", "%pair", 1)}
  %nbytes = load i64, ptr %nbytes.at
  %owner = call ptr @owner(ptr %pool, i64 %words, i64 %address, i64 %nbytes)
  %none = icmp eq ptr %owner, null
  br i1 %none, label %done, label %moved
moved:
  store i64 0, ptr %pair
  br label %done
done:
  ret ptr %owner
}}

define ptr @anytile_allocate(ptr %self, ptr %args, i64 %count) {{
start:
  {read["PyLong_AsSsize_t"]}
  {read["PyLong_FromLong"]}
  {read["PyByteArray_AsString"]}
  %pool = load ptr, ptr %args
  {_passed("words", 1)}
  {_passed("nbytes", 2)}
  %pair.arg = getelementptr ptr, ptr %args, i64 3
  %pair.object = load ptr, ptr %pair.arg
  %pair = call ptr %PyByteArray_AsString(ptr %pair.object)
  %state = inttoptr i64 %words to ptr
  call void @settle(ptr %state)
  %address = call i64 @take(ptr %state, i64 %nbytes)
  %none = icmp eq i64 %address, 0
  br i1 %none, label %refused, label %taken
refused:
  %nothing = call ptr %PyLong_FromLong(i64 0)
  ret ptr %nothing
taken:
  %owner = call ptr @owner(ptr %pool, i64 %words, i64 %address, i64 %nbytes)
  %failed = icmp eq ptr %owner, null
  br i1 %failed, label %undo, label %said
undo:
  call void @put(ptr %state, i64 %address, i64 %nbytes)
  ret ptr null
said:
  store i64 %address, ptr %pair, align 1
  {_at("nbytes", "%pair", 1)}
  store i64 %nbytes, ptr %nbytes.at, align 1
  ret ptr %owner
}}

define ptr @anytile_settle(ptr %self, ptr %args, i64 %count) {{
  {read["PyLong_AsSsize_t"]}
  {read["PyLong_FromLong"]}
  {_passed("words", 0)}
  %state = inttoptr i64 %words to ptr
  call void @settle(ptr %state)
  %nothing = call ptr %PyLong_FromLong(i64 0)
  ret ptr %nothing
}}

define ptr @anytile_drain(ptr %self, ptr %args, i64 %count) {{
  {read["PyLong_AsSsize_t"]}
  {read["PyLong_FromLong"]}
  {_passed("words", 0)}
  %state = inttoptr i64 %words to ptr
  call void @settle(ptr %state)
  call void @trim(ptr %state)
  %nothing = call ptr %PyLong_FromLong(i64 0)
  ret ptr %nothing
}}
{ATTRIBUTES}
"""


class Blocks(NamedTuple):
    """The native calls. `pool` is the object that a block keeps, `words` the address of its words."""

    own: Callable[[object, int, int], object]  # (pool, words, pair): the block of the pair at an address
    allocate: Callable[[object, int, int, bytearray], object]  # (pool, words, nbytes, pair to fill): 0 if refused
    settle: Callable[[int], int]  # (words): takes in what was dropped
    drain: Callable[[int], int]  # (words): the same, then gives the system all that is free


@once  # for good: capsules may be the last to go
def _methods() -> list[Method]:
    loaded = with_python(_code(), _NAMES[0], _PYTHON)
    return [Method(name.encode(), loaded.address(name), METH_FASTCALL, None) for name in _NAMES]


def blocks() -> Blocks:
    return Blocks(*map(python_function, _methods()))
