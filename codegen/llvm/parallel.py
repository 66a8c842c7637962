"""Parallel loops -> a function for a chunk of iterations, and the code that starts threads for it.

A region is the outermost statement that does nothing but run one parallel loop, perhaps in several rounds and copies;
it starts threads once, and only where its work is worth them: threads that sleep must have more of it than those that
still wait for some. A region that was left to the caller for that is their last work all the same, so that of several
in a row the second wakes them. In every round a thread runs the same contiguous chunk, so what an iteration left for
later rounds is found by the thread that left it. The body becomes a function of its own, `body(buffers, numbers, begin,
end, workspace)`: called directly for one thread, and by `body.run(context)` in each of several. `body.share`
decides which, and holds the context on its stack until all are done.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anytile.codegen.llvm.writer import Writer
from anytile.codegen.threads.thread_table import AWAKE, CLOCK, COUNT, DONE, FORK, LIMIT, NUMBER, SLOT
from anytile.schedules.index.expr import Expr
from anytile.schedules.nest.nodes import Alloc, Block, Guard, Load, Loop, LoopKind, Prefetch, Stmt, Store, Update
from anytile.schedules.nest.traverse import map_exprs, reads, walk

SLOT_TEXT = f"@{SLOT} = global ptr null\n"


def shared_loop(s: Stmt) -> Loop | None:
    """The parallel loop that a region runs; None where the statement is no region."""
    found: list[Loop] = []
    if not _collect(s, frozenset(), found) or not found:
        return None
    first = found[0]
    alike = all((loop.var, loop.extent, loop.grain) == (first.var, first.extent, first.grain) for loop in found)
    return first if alike and (len(found) == 1 or _apart(found, first.var)) else None


def _collect(s: Stmt, bound: frozenset[str], found: list[Loop]) -> bool:
    match s:
        case Loop(kind=LoopKind.PARALLEL):
            found.append(s)
            work = frozenset() if s.grain is None else s.grain.work.names
            return bound.isdisjoint(s.extent.names | work)
        case Loop(kind=LoopKind.SERIAL | LoopKind.UNROLLED):
            return _collect(s.body, bound | {s.var}, found)
        case Guard(_, body, otherwise):
            return _collect(body, bound, found) and (otherwise is None or _collect(otherwise, bound, found))
        case Block(body=statements):
            return all(_collect(c, bound, found) for c in statements)
        case _:
            return False


def _apart(copies: Sequence[Loop], var: str) -> bool:
    """Whether no iteration reads what another one of any copy writes, as far as the verifier looks into one copy."""
    statements = [s for loop in copies for s in walk(loop.body)]
    inside = {s.buffer.name for s in statements if isinstance(s, Alloc)}
    stores = [s for s in statements if isinstance(s, Store | Update)]
    written = {s.buffer for s in stores} - inside
    used = [*(Load(s.buffer, s.index) for s in stores), *(access for s in statements for access in reads(s))]
    return all(any(var in e.names for e in access.index) for access in used if access.buffer in written)


def names_used(s: Stmt) -> frozenset[str]:
    """Every variable of the statement's index expressions."""
    found: set[str] = set()

    def note(e: Expr) -> Expr:
        found.update(e.names)
        return e

    map_exprs(s, note)
    return frozenset(found)


def buffers_used(s: Stmt) -> frozenset[str]:
    """Every buffer that the statement's statements name."""
    found: set[str] = set()
    for c in walk(s):
        found.update(load.buffer for load in reads(c))
        if isinstance(c, Store | Update | Prefetch):
            found.add(c.buffer)
    return frozenset(found)


@dataclass(frozen=True, slots=True)
class Region:
    """A region at its place in the caller: the body's name, and the values that it is called with."""

    body: str
    buffers: tuple[str, ...]
    numbers: tuple[str, ...]
    extent: str
    workspace: str  # of the first thread; each has `private` bytes
    private: str

    @property
    def context(self) -> list[tuple[str, str]]:
        return [
            *(("ptr", b) for b in self.buffers),
            *(("i64", n) for n in self.numbers),
            ("i64", self.extent),
            ("ptr", self.workspace),
            ("i64", self.private),
        ]


def start_threads(w: Writer, region: Region, threads: Expr, woken: Expr | None) -> None:
    """Run a region on the caller's own thread, or have `share_function` look whether it may have several.

    That is a function apart, so that a small call pays for no more than the test: no registers are saved for the rest.
    """
    stamp = w.fresh("")[1:]
    share, alone, after = (f"{name}{stamp}" for name in ("share", "alone", "joined"))
    wanted = w.index(threads)
    w.put(f"br i1 {w.always(f'icmp sgt i64 {wanted}, 1', 'c')}, label %{share}, label %{alone}")
    w.label(share)
    with w.scope():
        counts = [wanted] if woken is None else [wanted, w.index(woken)]
        args = [f"{kind} {value}" for kind, value in (*region.context, *(("i64", c) for c in counts))]
        w.put(f"call void @{region.body}.share({', '.join(args)})")
    w.put(f"br label %{after}")
    w.label(alone)
    w.put(_call(region.body, region.buffers, region.numbers, "0", region.extent, region.workspace))
    w.put(f"br label %{after}")
    w.label(after)


def body_function(name: str, buffers: int, numbers: int, text: str) -> str:
    """The body as a function; its arguments are called %.0, %.1 and so on, in the order of the context."""
    kinds = [*["ptr noalias nocapture"] * buffers, *["i64"] * numbers]
    args = ", ".join(f"{kind} %.{i}" for i, kind in enumerate(kinds))
    args += ", " if kinds else ""
    return (
        f"define internal void @{name}({args}i64 %begin, i64 %end, ptr noalias %workspace) #0 {{\n"
        f"start:\n{text}\n  ret void\n}}\n"
    )


def share_function(region: Region, may_sleep: bool) -> str:
    """`void body.share(..., wanted)`: the region on as many threads as are wanted and allowed.

    With `may_sleep` it is told too how many are wanted of threads that sleep.
    """
    w = Writer()
    kinds = [kind for kind, _ in region.context]
    values = [f"%.{i}" for i in range(len(kinds))]
    several = len(region.buffers)
    buffers, numbers, (extent, workspace, _) = values[:several], values[several:-3], values[-3:]
    everything = _call(region.body, buffers, numbers, "0", extent, workspace)
    w.put(f"%context = alloca [{len(values)} x i64], align 8")
    table = w.value(f"load ptr, ptr @{SLOT}, align 8", "table")
    w.put(f"br i1 {w.value(f'icmp eq ptr {table}, null', 'c')}, label %alone, label %ask")
    w.label("ask")
    count = w.value(f"call i64 @llvm.smin.i64(i64 {_word(w, table, LIMIT, 'i64')}, i64 %wanted)", "i")
    w.put(f"br i1 {w.value(f'icmp sgt i64 {count}, 1', 'c')}, label %{'wake' if may_sleep else 'fork'}, label %alone")
    if may_sleep:
        w.label("wake")
        passed = w.value(f"fsub double {_time(w, table)}, {_word(w, table, DONE, 'double')}", "f")
        awake = w.value(f"fcmp ole double {passed}, {AWAKE:e}", "c")
        enough = w.value("icmp sgt i64 %woken, 1", "c")
        w.put(f"br i1 {w.value(f'or i1 {awake}, {enough}', 'c')}, label %fork, label %sleep")
        w.label("sleep")
        w.put(everything)
        w.put("br label %done")
    w.label("fork")
    team = w.value(f"trunc i64 {count} to i32", "i")
    for i, (kind, value) in enumerate(zip(kinds, values, strict=True)):
        at = w.value(f"getelementptr i64, ptr %context, i64 {i}", "p")
        w.put(f"store {kind} {value}, ptr {at}, align 8")
    fork = _word(w, table, FORK, "ptr")
    w.put(f"call void {fork}(ptr @{region.body}.run, ptr %context, i32 {team}, i32 0)")
    w.put("br label %done")
    w.label("done")
    now = _time(w, table)
    at = w.always(f"getelementptr i64, ptr {table}, i64 {DONE}", "p")
    w.put(f"store double {now}, ptr {at}, align 8")
    w.put("ret void")
    w.label("alone")
    w.put(everything)
    w.put("ret void")
    args = [*(f"{kind} {value}" for kind, value in zip(kinds, values, strict=True)), "i64 %wanted"]
    args += ["i64 %woken"] if may_sleep else []
    body = "\n".join(w.lines)
    return f"define internal void @{region.body}.share({', '.join(args)}) noinline #0 {{\nstart:\n{body}\n}}\n"


def run_function(region: Region) -> str:
    """`void body.run(ptr context)`: what each thread runs, a chunk of the iterations by its number."""
    w = Writer()
    found = [_word(w, "%context", i, kind) for i, (kind, _) in enumerate(region.context)]
    several = len(region.buffers)
    buffers, numbers, (extent, workspace, private) = found[:several], found[several:-3], found[-3:]
    table = w.value(f"load ptr, ptr @{SLOT}, align 8", "table")
    mine, all_ = (_asked(w, table, which) for which in (NUMBER, COUNT))
    next_one = w.value(f"add i64 {mine}, 1", "i")
    ends = []
    for at in (mine, next_one):
        product = w.value(f"mul i64 {extent}, {at}", "i")
        ends.append(w.value(f"sdiv i64 {product}, {all_}", "i"))
    offset = w.value(f"mul i64 {private}, {mine}", "i")
    own = w.value(f"getelementptr i8, ptr {workspace}, i64 {offset}", "p")
    w.put(_call(region.body, buffers, numbers, ends[0], ends[1], own))
    body = "\n".join(w.lines)
    return f"define internal void @{region.body}.run(ptr %context) #0 {{\nstart:\n{body}\n  ret void\n}}\n"


def _call(body: str, buffers: Sequence[str], numbers: Sequence[str], begin: str, end: str, workspace: str) -> str:
    args = [*(f"ptr {b}" for b in buffers), *(f"i64 {n}" for n in numbers), f"i64 {begin}", f"i64 {end}"]
    return f"call void @{body}({', '.join([*args, f'ptr {workspace}'])})"


def _word(w: Writer, base: str, place: int, kind: str) -> str:
    at = w.always(f"getelementptr i64, ptr {base}, i64 {place}", "p")
    return w.always(f"load {kind}, ptr {at}, align 8", "l")


def _time(w: Writer, table: str) -> str:
    return w.always(f"call double {_word(w, table, CLOCK, 'ptr')}()", "now")


def _asked(w: Writer, table: str, which: int) -> str:
    function = _word(w, table, which, "ptr")
    return w.value(f"sext i32 {w.always(f'call i32 {function}()', 'n')} to i64", "i")
