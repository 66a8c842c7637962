"""Torch's control flow: `cond` is a branch of the model language; operators of numbers that torch has as functions."""

from __future__ import annotations

from collections.abc import Sequence

from anytile.importers.core.graph import Refusal, Value
from anytile.importers.torch.aten.aten_elementwise import truth
from anytile.importers.torch.graph.aten_call import Call, Held, Row


def _values(made: Sequence[Held]) -> list[Value]:
    found = [m for m in made if isinstance(m, Value)]
    if len(found) != len(made):
        raise Refusal("a branch that gives what is no tensor")
    return found


def _cond(c: Call) -> tuple[Value, ...]:
    which, then, otherwise, *rest = c.args.values()
    operands = list(rest[0]) if rest else []
    condition = c.reshape(truth(c, c.valued(which)), ())
    known = condition.number
    if known is not None:
        return tuple(_values(c.run(then if known else otherwise, c.graph, operands)))

    return c.graph.if_(
        condition,
        lambda graph: _values(c.run(then, graph, operands)),
        lambda graph: _values(c.run(otherwise, graph, operands)),
    )


ROWS = (Row("cond", _cond),)
