"""Storage types of a written nest: 16-bit floats in memory become float32 where they are read, and come back rounded.

A schedule whose values are float32 is written as if memory were, too, around parameters that are not; this is the pass
behind it. What is moved from memory of a 16-bit type to memory of the same type stays as it is.
"""

from __future__ import annotations

from dataclasses import replace

from anytile.core.dtypes import STORED_FLOATS
from anytile.core.errors import ScheduleError
from anytile.schedules.nest.nodes import Alloc, Cast, Let, Load, LoopNest, Stmt, Store, Update, Value
from anytile.schedules.nest.traverse import map_value, rewrite, walk


def widened(nest: LoopNest) -> LoopNest:
    """The nest with its floats of 16 bits widened and rounded; without any it is the nest itself."""
    dtypes = {b.name: b.dtype for b in nest.params}
    dtypes |= {s.buffer.name: s.buffer.dtype for s in walk(nest.body) if isinstance(s, Alloc)}
    if not any(dtype in STORED_FLOATS for dtype in dtypes.values()):
        return nest

    def wide(v: Value) -> Value:
        return map_value(v, lambda load: Cast("float32", load) if dtypes[load.buffer] in STORED_FLOATS else load)

    def change(s: Stmt) -> Stmt | None:
        match s:
            case Store(buffer, _, Load(source, _)) if dtypes[source] == dtypes[buffer]:
                return s
            case Store(buffer, _, value) if dtypes[buffer] in STORED_FLOATS:
                return replace(s, value=Cast(dtypes[buffer], wide(value)))
            case Update(buffer, _, _) if dtypes[buffer] in STORED_FLOATS:
                raise ScheduleError(f"{nest.name}: {buffer} is added up in {dtypes[buffer]}; expected float32")
            case Store() | Update():
                return replace(s, value=wide(s.value))
            case Let() if wide(s.value) != s.value:
                raise ScheduleError(f"{nest.name}: {s.var} is an index that a float gives; expected a whole number")
            case _:
                return None

    return nest.with_body(rewrite(nest.body, change))
