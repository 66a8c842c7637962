"""The shortest way from a call in Python to a kernel: a native function that expects the shapes of the call before.

`shortcut` makes `call(*inputs, out=None)` around an entrance. It looks at a list that the kernel owns: what is expected
next, or None, and the function in Python that takes every call which is otherwise. What is expected is a tuple: the
address of a frame, the arguments of `numpy.empty` that make the result where no `out` is given, and whatever must live
as long as the frame is used. The call holds on to that tuple, so the kernel may expect something else meanwhile.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from anytile.codegen.llvm.compile import compile_ir
from anytile.codegen.load.loader import Loaded
from anytile.core.once import once
from anytile.dispatch.cpu.fast_call import Layout, Method, entrance, entrance_address, python_constants, python_function
from anytile.schedules.hardware.target import Target

EXPECTED, OTHERWISE = range(2)  # the list
_ADDRESS, _EMPTY_ARGUMENTS = range(2)  # what is expected
_OUT, _EMPTY, _ZERO = sys.intern("out"), np.empty, 0  # objects that the code compares with or calls: they must live
_NAME = "anytile_call"
_FLAGS = 0x3  # METH_VARARGS | METH_KEYWORDS: f(self, args, kwargs)
_PYTHON = (
    "PyDict_GetItem",
    "PyDict_Size",
    "PyErr_Clear",
    "PyList_GetItem",
    "PyObject_Call",
    "PyObject_CallObject",
    "PyTuple_GetItem",
    "PyTuple_Size",
    "Py_DecRef",
    "Py_IncRef",
)


def shortcut(layout: Layout, state: list[Any]) -> Callable[..., Any]:
    """The function for kernels of this layout with one result; where there is no entrance, the one in Python."""
    otherwise: Callable[..., Any] = state[OTHERWISE]
    if len(layout.results) != 1 or entrance(layout) is None:
        return otherwise
    return python_function(_code(layout)[1], state)


@once  # for good, as the entrance
def _code(layout: Layout) -> tuple[Loaded, Method]:
    text = _text(len(layout.inputs), entrance_address(layout))
    loaded = Loaded(compile_ir(text, Target.host(), _NAME, facts_too=False))
    return loaded, Method(_NAME.encode(), loaded.entry, _FLAGS, None)


def _text(count: int, enter: int) -> str:
    inputs = []
    for i in range(count):
        inputs += [
            f"  %in{i} = call ptr %PyTuple_GetItem(ptr %args, i64 {i})",
            f"  %in{i}.at = getelementptr ptr, ptr %passed, i64 {1 + i}",
            f"  store ptr %in{i}, ptr %in{i}.at",
        ]
    lines = [
        *python_constants(_PYTHON),
        f"define ptr @{_NAME}(ptr %self, ptr %args, ptr %kwargs) {{",
        "start:",
        f"  %passed = alloca [{count + 2} x ptr], align 16",
        *(f"  %{name} = load ptr, ptr @{name}" for name in _PYTHON),
        f"  %expected = call ptr %PyList_GetItem(ptr %self, i64 {EXPECTED})",
        f"  %nothing = icmp eq ptr %expected, {_address(None)}",
        "  br i1 %nothing, label %otherwise, label %counting",
        "counting:",
        "  %count = call i64 %PyTuple_Size(ptr %args)",
        f"  %complete = icmp eq i64 %count, {count}",
        "  br i1 %complete, label %looking, label %otherwise",
        "looking:",
        "  %bare = icmp eq ptr %kwargs, null",
        "  br i1 %bare, label %making, label %named",
        "named:",
        "  %names = call i64 %PyDict_Size(ptr %kwargs)",
        "  %single = icmp eq i64 %names, 1",
        "  br i1 %single, label %known, label %otherwise",
        "known:",
        f"  %out = call ptr %PyDict_GetItem(ptr %kwargs, ptr {_address(_OUT)})",
        "  %strange = icmp eq ptr %out, null",
        f"  %none = icmp eq ptr %out, {_address(None)}",
        "  %useless = or i1 %strange, %none",
        "  br i1 %useless, label %otherwise, label %given",
        "given:",
        "  call void %Py_IncRef(ptr %out)",
        "  call void %Py_IncRef(ptr %expected)",
        "  br label %running",
        "making:",
        "  call void %Py_IncRef(ptr %expected)",
        f"  %arguments = call ptr %PyTuple_GetItem(ptr %expected, i64 {_EMPTY_ARGUMENTS})",
        f"  %made = call ptr %PyObject_CallObject(ptr {_address(_EMPTY)}, ptr %arguments)",
        "  %failed = icmp eq ptr %made, null",
        "  br i1 %failed, label %unmade, label %running",
        "unmade:",  # what this call makes may be smaller
        "  call void %PyErr_Clear()",
        "  call void %Py_DecRef(ptr %expected)",
        "  br label %otherwise",
        "running:",
        "  %result = phi ptr [ %out, %given ], [ %made, %making ]",
        f"  %address = call ptr %PyTuple_GetItem(ptr %expected, i64 {_ADDRESS})",
        "  store ptr %address, ptr %passed",
        *inputs,
        f"  %result.at = getelementptr ptr, ptr %passed, i64 {1 + count}",
        "  store ptr %result, ptr %result.at",
        f"  %status = call ptr inttoptr (i64 {enter} to ptr)(ptr null, ptr %passed, i64 {count + 2})",
        "  call void %Py_DecRef(ptr %expected)",
        "  %absent = icmp eq ptr %status, null",
        "  br i1 %absent, label %raised, label %compared",
        "raised:",
        "  call void %Py_DecRef(ptr %result)",
        "  ret ptr null",
        "compared:",
        f"  %fine = icmp eq ptr %status, {_address(_ZERO)}",
        "  call void %Py_DecRef(ptr %status)",
        "  br i1 %fine, label %done, label %refused",
        "done:",
        "  ret ptr %result",
        "refused:",
        "  call void %Py_DecRef(ptr %result)",
        "  br label %otherwise",
        "otherwise:",
        f"  %python = call ptr %PyList_GetItem(ptr %self, i64 {OTHERWISE})",
        "  %answer = call ptr %PyObject_Call(ptr %python, ptr %args, ptr %kwargs)",
        "  ret ptr %answer",
        "}",
    ]
    return "\n".join(lines) + "\n"


def _address(it: object) -> str:
    """A Python object that outlives the code, as an operand."""
    return f"inttoptr (i64 {id(it)} to ptr)"
