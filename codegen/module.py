"""LLVM modules out of functions: declarations of the intrinsics they use, and the wrappers of the kernel ABI."""

from __future__ import annotations

import re
from collections.abc import Sequence

from anytile.codegen.native import ATTRIBUTES
from anytile.codegen.text import Writer
from anytile.schedules.errors import CodegenError
from anytile.schedules.expr import Expr
from anytile.schedules.nest import LoopNest

_USED = re.compile(r"@(llvm\.[a-z]+[a-zA-Z0-9_.]*)")
_VECTOR = re.compile(r"v(\d+)f32")


def module(functions: Sequence[str]) -> str:
    """Function texts as one module."""
    used = sorted({name for text in functions for name in _USED.findall(text)})
    return "\n".join([*functions, *(_declaration(name) for name in used), ATTRIBUTES])


def _declaration(name: str) -> str:
    lanes = _VECTOR.search(name)
    kind = f"<{lanes.group(1)} x float>" if lanes else "float"
    mask = f"<{lanes.group(1)} x i1>" if lanes else "i1"
    match name.split(".")[1]:
        case "fmuladd":
            return f"declare {kind} @{name}({kind}, {kind}, {kind})"
        case "maximum" | "minimum":
            return f"declare {kind} @{name}({kind}, {kind})"
        case "smax" | "smin":
            return f"declare i64 @{name}(i64, i64)"
        case "prefetch":
            return f"declare void @{name}(ptr, i32 immarg, i32 immarg, i32 immarg)"
        case "memcpy":
            return f"declare void @{name}(ptr, ptr, i64, i1 immarg)"
        case "vector":
            return f"declare float @{name}(float, {kind})"
        case "masked" if ".load." in name:
            return f"declare {kind} @{name}(ptr, {mask}, {kind})"
        case "masked":
            return f"declare void @{name}({kind}, ptr, {mask})"
        case _:
            raise CodegenError(f"intrinsic {name} has no declaration")


def size_function(name: str, size: Expr, symbols: Sequence[str]) -> str:
    """`int64 name(int64* dims)`: an expression of the symbols."""
    w = Writer()
    load_dims(w, symbols)
    return f"define i64 @{name}(ptr %dims) #0 {{\nstart:\n" + finish(w, f"ret i64 {w.index(size)}")


def kernel_function(name: str, function: str, nest: LoopNest, symbols: Sequence[str]) -> str:
    """`int32 name(void** data, int64* dims, void* workspace)` around one emitted function."""
    w = Writer()
    load_dims(w, symbols)
    pointers = load_data(w, len(nest.params))
    w.put(call(function, nest, pointers, "%workspace"))
    return f"define i32 @{name}(ptr %data, ptr %dims, ptr %workspace) #0 {{\nstart:\n" + finish(w, "ret i32 0")


def call(function: str, nest: LoopNest, pointers: Sequence[str], workspace: str) -> str:
    """A call of an emitted function; the symbols must have been loaded."""
    args = [f"ptr {p}" for p in pointers] + [f"i64 %{s}" for s in nest.given]
    return f"call void @{function}({', '.join([*args, f'ptr {workspace}'])})"


def load_dims(w: Writer, symbols: Sequence[str]) -> None:
    """Load every symbol's value under its own name."""
    for i, s in enumerate(symbols):
        w.put(f"%{s}.at = getelementptr i64, ptr %dims, i64 {i}")
        w.put(f"%{s} = load i64, ptr %{s}.at, align 8")
        w.bind(s, f"%{s}")


def load_data(w: Writer, count: int) -> list[str]:
    """Load every tensor's pointer."""
    pointers = []
    for i in range(count):
        at = w.value(f"getelementptr ptr, ptr %data, i64 {i}", "d")
        pointers.append(w.value(f"load ptr, ptr {at}, align 8", "t"))
    return pointers


def finish(w: Writer, last: str) -> str:
    return "\n".join([*w.entry, *w.lines, f"  {last}", "}", ""])
