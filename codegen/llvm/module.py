"""LLVM modules out of functions: declarations of the intrinsics they use, and the wrappers of the kernel ABI."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from anytile.codegen.llvm.alternating_loops import BYTE, BYTE_TEXT
from anytile.codegen.llvm.compile import ATTRIBUTES
from anytile.codegen.llvm.lanewise import PLAIN, Instructions
from anytile.codegen.llvm.narrow.narrow_functions import narrow_functions
from anytile.codegen.llvm.parallel import SLOT_TEXT
from anytile.codegen.llvm.vectormath import needed
from anytile.codegen.llvm.writer import Writer, symbol
from anytile.codegen.threads.thread_table import SLOT
from anytile.schedules.hardware.narrow import PLAIN as PLAIN_NARROW
from anytile.schedules.hardware.narrow import NarrowFacts
from anytile.schedules.index.expr import Expr
from anytile.schedules.nest.nodes import LoopNest

_CALL = re.compile(r"(<[^<>]*>|\{[^{}]*\}|\w+) @(llvm\.[\w.]+)\(")
_INTRINSIC = re.compile(r"@(llvm\.[\w.]+)\(")
_TYPE = re.compile(r"\s*(<[^<>]*>|\w+)")
_SHARED = {SLOT: SLOT_TEXT, BYTE: BYTE_TEXT}  # what functions share, by the name they use


def module(
    functions: Sequence[str],
    instructions: Instructions = PLAIN,
    narrow: Callable[[], NarrowFacts] = lambda: PLAIN_NARROW,
) -> str:
    """Function texts as one module, with the functions that they call, made of these instructions.

    Those for narrow numbers are asked for only where there are any.
    """
    called = "\n".join(functions)
    texts = [*functions, *needed(called, instructions), *narrow_functions(called, narrow)]
    declared: dict[str, str] = {}
    for text in texts:
        for named in _INTRINSIC.finditer(text):
            if named[1] not in declared:
                line = text[text.rfind("\n", 0, named.start()) + 1 : text.find("\n", named.end())]
                call_of = next(m for m in _CALL.finditer(line) if m[2] == named[1])
                declared[named[1]] = _declaration(line, call_of)
    shared = [text for name, text in _SHARED.items() if any(f"@{name}" in function for function in functions)]
    return "\n".join([*shared, *texts, *(declared[name] for name in sorted(declared)), ATTRIBUTES])


def _declaration(text: str, match: re.Match[str]) -> str:
    """What a call of an intrinsic says of the types that it takes and returns."""
    types, depth = [], 0
    start = at = match.end()
    while depth >= 0:
        c = text[at]
        depth += (c in "<([{") - (c in ">)]}")
        if (c == "," and depth == 0) or depth < 0:
            found = _TYPE.match(text, start)
            types += [found[1]] if found is not None and found.end() <= at else []
            start = at + 1
        at += 1
    return f"declare {match[1]} @{match[2]}({', '.join(types)})"


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
    args = [f"ptr {p}" for p in pointers] + [f"i64 {symbol(s)}" for s in nest.given]
    return f"call void @{function}({', '.join([*args, f'ptr {workspace}'])})"


def load_dims(w: Writer, symbols: Sequence[str]) -> None:
    """Load every symbol's value under its own name."""
    for i, s in enumerate(symbols):
        w.put(f"%{s}.at = getelementptr i64, ptr %dims, i64 {i}")
        w.put(f"{symbol(s)} = load i64, ptr %{s}.at, align 8")
        w.bind(s, symbol(s))


def load_data(w: Writer, count: int) -> list[str]:
    """Load every tensor's pointer."""
    pointers = []
    for i in range(count):
        at = w.value(f"getelementptr ptr, ptr %data, i64 {i}", "d")
        pointers.append(w.value(f"load ptr, ptr {at}, align 8", "t"))
    return pointers


def finish(w: Writer, last: str) -> str:
    return "\n".join([w.text(), f"  {last}", "}", ""])
