"""Staging of a panel: what a round of a loop reads of an operand, in the order in which it is read.

The panel is small enough to stay in the first-level cache. Where it is a transposition, a few elements of a row are
read together.
"""

from __future__ import annotations

from anytile.core.errors import ScheduleError
from anytile.schedules.index.expr import Expr, const, minimum, var
from anytile.schedules.nest.nodes import Buffer, Guard, Load, Loop, LoopKind, Scope, Stmt, Store, block
from anytile.schedules.nest.traverse import free_buffer
from anytile.schedules.primitives.schedule import Schedule, Staged

RUN = 4  # elements of a row read together where a panel is a transposition: see codegen.llvm.transpositions


def stage_panel(
    s: Schedule, operand: str, inside: str, home: str | None, depth: int, vectors: str, lanes: str, along: str
) -> str:
    """Copy what a round of the loop `inside` reads of an operand into a workspace that lives in the loop `home`
    (None: around all loops).

    `depth` is the operand's dimension that is staged whole, `along` the split loop that moves along the other one:
    `vectors` and `lanes` are the loops that walk its panel. Elements outside are the last one's again, or undefined.

    >>> s = product()
    >>> split(s, "j", 8, "jo", "jj")
    >>> split(s, "jj", 4, "ji", "jv")
    >>> reorder(s, "jo", "i", "k", "ji", "jv")
    >>> stage_panel(s, "b", "jo", None, 0, "ji", "jv", "jo")
    for jo in 0..((n + 7) // 8):
      for i in 0..4:
        for k in 0..8:
          for ji in 0..2:
            for jv in 0..4:
              if -4*ji - 8*jo - jv + n - 1 >= 0:
                y[i, 4*ji + 8*jo + jv] += (a[i, k] * b[k, 4*ji + 8*jo + jv])
    =>
    workspace b_packed: float32[8, 2, 4]
    for jo in 0..((n + 7) // 8):
      for p_k in 0..8:
        for p_ji in 0..2:
          vector p_jv in 0..4:
            if -8*jo + n - 4*p_ji - p_jv - 1 >= 0:
              b_packed[p_k, p_ji, p_jv] = b[p_k, 8*jo + 4*p_ji + p_jv]
      for i in 0..4:
        for k in 0..8:
          for ji in 0..2:
            for jv in 0..4:
              if -4*ji - 8*jo - jv + n - 1 >= 0:
                y[i, 4*ji + 8*jo + jv] += (a[i, k] * b_packed[k, ji, jv])
    """
    raw, read, total = s.nest.param(operand), s.one_read(operand, "stage"), s.tiles(along, "stage along").total
    moving = [d for d, e in enumerate(read.index) if {vectors, lanes} <= e.names]
    if len(moving) != 1 or read.index[depth].names & {vectors, lanes}:
        raise ScheduleError(f"stage {operand}: expected one dimension along {vectors} and {lanes}, and {depth} apart")
    count, width, size = s.loop(vectors).extent, s.loop(lanes).extent, raw.shape[depth]
    name = free_buffer(s.nest, f"{operand}_packed")
    held = Buffer(name, (size, count, width), Scope.WORKSPACE, raw.dtype)
    v, lane = f"p_{vectors}", f"p_{lanes}"
    at = read.index[moving[0]].substitute({vectors: var(v), lanes: var(lane)})
    contiguous = moving[0] == len(raw.shape) - 1

    def copied(k: Expr) -> Stmt:
        index = list(read.index)
        index[depth], index[moving[0]] = k, at if contiguous else minimum(at, total - 1)
        body: Stmt = Store(name, (k, var(v), var(lane)), Load(operand, tuple(index)))
        if contiguous:
            body = Guard((total - 1 - at,), body)
        return Loop(lane, width, LoopKind.VECTOR, body)

    if contiguous:
        fill: Stmt = Loop("p_k", size, LoopKind.SERIAL, Loop(v, count, LoopKind.SERIAL, copied(var("p_k"))))
    else:
        whole = size // RUN
        inner = Loop("p_ki", const(RUN), LoopKind.UNROLLED, copied(var("p_ko") * RUN + var("p_ki")))
        rest = Loop("p_kr", size - whole * RUN, LoopKind.SERIAL, copied(whole * RUN + var("p_kr")))
        runs = block(Loop("p_ko", whole, LoopKind.SERIAL, inner), rest)
        fill = Loop(v, count, LoopKind.SERIAL, runs)
    s.stage(Staged(held, home, inside, fill))
    s.read_instead(read, Load(name, (read.index[depth], var(vectors), var(lanes))))
    return name
