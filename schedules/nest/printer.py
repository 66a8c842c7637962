"""Loop nests as text: one statement a line, indentation for nesting. Golden tests compare it; nothing parses it."""

from __future__ import annotations

from collections.abc import Iterator

from anytile.schedules.nest.nodes import (
    Ahead,
    Alloc,
    Barrier,
    Block,
    Buffer,
    BulkCopy,
    Cast,
    Commit,
    Copy,
    Deliver,
    Guard,
    Last,
    Let,
    Literal,
    Load,
    Loop,
    LoopNest,
    Number,
    Op,
    Prefetch,
    Reduce,
    Relay,
    Stmt,
    Store,
    Symbol,
    Tile,
    Update,
    Value,
    Wait,
)

_INFIX = {
    **{"add": "+", "sub": "-", "mul": "*", "div": "/", "floordiv": "//", "mod": "%"},
    **{"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!=", "and": "and", "or": "or"},
}
_UPDATES = {"add": "+=", "mul": "*="}
_REDUCTIONS = {"add": "sum", "mul": "product"}


def print_nest(nest: LoopNest) -> str:
    params = ", ".join(_buffer(b) for b in nest.params)
    lines = [f"nest {nest.name}({params})"]
    lines += [f"  {_symbol(s)}" for s in nest.symbols]
    return "\n".join([*lines, *_stmt(nest.body, "  ")]) + "\n"


def print_stmt(s: Stmt) -> str:
    """A statement without what stands inside it, for messages."""
    return next(_stmt(s, ""), "an empty block")


def print_value(v: Value) -> str:
    match v:
        case Literal(number, "float32"):
            return repr(float(number))
        case Literal(number, "bool"):
            return "true" if number else "false"
        case Literal(number, dtype):
            return f"{int(number)}" if dtype == "int64" else f"{dtype}({int(number)})"
        case Load(buffer, index):
            return f"{buffer}[{', '.join(map(str, index))}]"
        case Op(name, args) if name in _INFIX:
            return f"({f' {_INFIX[name]} '.join(print_value(a) for a in args)})"
        case Op(name, args):
            return f"{name}({', '.join(print_value(a) for a in args)})"
        case Cast(dtype, value):
            return f"{dtype}({print_value(value)})"
        case Number(expr, dtype):
            return f"{dtype}{{{expr}}}"
        case Reduce(op, var, lanes, value):
            return f"{_REDUCTIONS.get(op, op)}({print_value(value)} for {var} in 0..{lanes})"


def _box(box: tuple[int, ...], steps: tuple[int, ...] = ()) -> str:
    """What is copied in bulk, where that is more than a tile of a matrix."""
    apart = f" apart {', '.join(map(str, steps))}" if any(step > 1 for step in steps) else ""
    return f" of {' x '.join(map(str, box))}{apart}" if len(box) > 2 else ""


def _buffer(b: Buffer) -> str:
    out = "out " if b.output else ""
    align = f" align {b.align}" if b.align > 4 else ""
    streamed = " streamed" if b.streamed else ""
    swizzle = f" swizzle {b.swizzle}" if b.swizzle > 1 else ""
    return f"{out}{b.name}: {b.dtype}[{', '.join(map(str, b.shape))}]{align}{swizzle}{streamed}"


def _symbol(s: Symbol) -> str:
    high = "" if s.high is None else s.high
    value = "" if s.derived is None else f" = {s.derived}"
    return f"symbol {s.name}{value} in {s.low}..{high}"


def _stmt(s: Stmt, pad: str) -> Iterator[str]:
    match s:
        case Loop(var, extent, kind, body, grain, turns):
            threads = "" if grain is None else f", a thread for every {grain.least} of {grain.work}"
            order = ", to and fro" if turns else ""
            yield f"{pad}{kind} {var} in 0..{extent}{threads}{order}:"
            yield from _stmt(body, pad + "  ")
        case Store(buffer, index, value):
            yield f"{pad}{buffer}[{', '.join(map(str, index))}] = {print_value(value)}"
        case Update(buffer, index, value, op):
            yield f"{pad}{buffer}[{', '.join(map(str, index))}] {_UPDATES.get(op, f'{op}=')} {print_value(value)}"
        case Let(var, value, extent, body):
            yield f"{pad}let {var} = {print_value(value)} in 0..{extent}:"
            yield from _stmt(body, pad + "  ")
        case Guard(condition, body, otherwise):
            yield f"{pad}if {' and '.join(f'{e} >= 0' for e in condition)}:"
            yield from _stmt(body, pad + "  ")
            if otherwise is not None:
                yield f"{pad}else:"
                yield from _stmt(otherwise, pad + "  ")
        case Alloc(buffer, body):
            yield f"{pad}{buffer.scope} {_buffer(buffer)}"
            yield from _stmt(body, pad)
        case Prefetch(buffer, index, locality, box):
            how = f"...{_box(box)}" if box else f" locality {locality}"
            yield f"{pad}prefetch {buffer}[{', '.join(map(str, index))}]{how}"
        case Ahead(body):
            yield f"{pad}ahead:"
            yield from _stmt(body, pad + "  ")
        case Barrier():
            yield f"{pad}barrier"
        case Copy(buffer, index, source, count, where, later):
            word = "copy later" if later else "copy"
            inside = f" where {' and '.join(f'{e} >= 0' for e in where)}" if where else ""
            yield f"{pad}{word} {count}: {buffer}[{', '.join(map(str, index))}] = {print_value(source)}{inside}"
        case Commit():
            yield f"{pad}commit"
        case Wait(pending):
            yield f"{pad}wait for all but {pending}"
        case BulkCopy(buffer, index, source, box, steps, shared):
            whose = " for all" if shared else ""
            what = f"{print_value(source)}...{_box(box, steps)}"
            yield f"{pad}copy in bulk{whose}: {buffer}[{', '.join(map(str, index))}] = {what}"
        case Relay(round_, stages, fill, work, behind, cluster):
            late = ", products one behind" if behind else ""
            late += f", in clusters of {cluster}" if cluster > 1 else ""
            yield f"{pad}relay round {round_} through {stages} stages{late}:"
            yield from _stmt(fill, pad + "  ")
            yield f"{pad}to:"
            yield from _stmt(work, pad + "  ")
        case Deliver(round_, stages, work, buffer, index, source, box, where):
            there = f" where {' and '.join(f'{e} >= 0' for e in where)}" if where else ""
            yield f"{pad}deliver round {round_} through {stages} stages{there}:"
            yield from _stmt(work, pad + "  ")
            yield f"{pad}to: {buffer}[{', '.join(map(str, index))}]...{_box(box)} = {print_value(source)}"
        case Last(var, rounds, body, along):
            how = ", in a cluster along " + " and ".join(f"{name} by {by}" for name, by in along) if along else ""
            yield f"{pad}last {var} of {rounds}{how}:"
            yield from _stmt(body, pad + "  ")
        case Tile(name, args):
            yield f"{pad}{name}({', '.join(print_value(a) for a in args)})"
        case Block(body):
            for child in body:
                yield from _stmt(child, pad)
