"""Cache blocking: some rounds of a loop for all rounds of a loop around it, before the next ones come.

What the inner loop reads is read again in every round of the one around it. Blocks of rounds are so few that it still
lies in a cache then. This is strip mining and interchange of loops whose remainders were peeled before.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from anytile.core.errors import ScheduleError
from anytile.schedules.index.expr import Expr, const, maximum, minimum, var
from anytile.schedules.nest.nodes import Alloc, Guard, Loop, LoopKind, Stmt
from anytile.schedules.nest.traverse import loops, map_exprs, rebuild, unused
from anytile.schedules.primitives.schedule import Schedule


@dataclass(frozen=True, slots=True)
class Blocks:
    """So many `rounds` of a loop at a time for all rounds of the loop `around` it."""

    around: str
    rounds: int


def in_blocks(s: Schedule, name: str, blocks: Blocks) -> None:
    """Cache blocking: a few rounds of the loop `name` for all rounds of one around it, then the next few.

    What else stands there, as a partial tile that was peeled off does, is done beside the last block. Where all rounds
    are one block, or there is no such loop since one round was all, the nest stays as it is. No round of either loop
    may need what another one computes.

    >>> s = product()
    >>> split(s, "j", 4, "jo", "ji")
    >>> reorder(s, "i", "jo", "ji", "k")
    >>> partition(s, "jo")
    >>> in_blocks(s, "jo", Blocks("i", 8))
    for i in 0..4:
      for jo in 0..(n // 4):
        for ji in 0..4:
          for k in 0..8:
            y[i, ji + 4*jo] += (a[i, k] * b[k, ji + 4*jo])
      if -4*(n // 4) + n - 1 >= 0:
        for ji in 0..3:
          if -4*(n // 4) - ji + n - 1 >= 0:
            for k in 0..8:
              y[i, 4*(n // 4) + ji] += (a[i, k] * b[k, 4*(n // 4) + ji])
    =>
    for b_jo in 0..(max((n // 4) - 1, 0) // 8) + 1:
      for i in 0..4:
        for jo in 0..min((n // 4) - 8*b_jo, 8):
          for ji in 0..4:
            for k in 0..8:
              y[i, 32*b_jo + ji + 4*jo] += (a[i, k] * b[k, 32*b_jo + ji + 4*jo])
        if -(max((n // 4) - 1, 0) // 8) + b_jo >= 0 and -4*(n // 4) + n - 1 >= 0:
          for ji in 0..3:
            if -4*(n // 4) - ji + n - 1 >= 0:
              for k in 0..8:
                y[i, 4*(n // 4) + ji] += (a[i, k] * b[k, 4*(n // 4) + ji])
    """
    if blocks.rounds < 1:
        raise ScheduleError(f"blocks of {blocks.rounds} rounds of {name}: expected at least 1")
    s.simplify()
    counts = {x.extent for around in loops(s.nest.body, blocks.around) for x in loops(around.body, name)}
    if all(s.nest.bounds.proves_nonnegative(blocks.rounds - count) for count in counts):
        return
    if len(counts) > 1:
        raise ScheduleError(
            f"blocks of {name}: expected as many rounds wherever it stands, found {len(counts)} numbers"
        )
    (count,) = counts
    outer = unused(s.nest, f"b_{name}")
    last = maximum(count - 1, 0) // blocks.rounds

    def change(loop: Loop) -> Stmt:
        body = _block(loop.body, name, blocks.rounds, outer, last)
        return Loop(outer, last + 1, LoopKind.SERIAL, replace(loop, body=body))

    s.each(blocks.around, change)
    s.simplify()


def _block(s: Stmt, name: str, rounds: int, outer: str, last: Expr) -> Stmt:
    """What a block does of a statement that stands in the loop around."""
    if not any(loops(s, name)):
        return Guard((var(outer) - last,), s)
    if isinstance(s, Alloc):
        raise ScheduleError(f"blocks of {name}: it runs on {s.buffer.name}, which would be made anew for each of them")
    if not isinstance(s, Loop):
        return rebuild(s, lambda c: _block(c, name, rounds, outer, last))
    if s.var != name or s.kind is not LoopKind.SERIAL:
        raise ScheduleError(
            f"blocks of {name}: expected it serial, right inside the other loop, found {s.kind} {s.var}"
        )
    begin = var(outer) * rounds
    body = map_exprs(s.body, lambda e: e.substitute({name: var(name) + begin}))
    return replace(s, extent=minimum(const(rounds), s.extent - begin), body=body)
