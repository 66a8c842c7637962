"""Branches whose results have different ranks: what stands behind them is walked once for each.

A scripted `x.squeeze(1)` is exported as a branch: without the dimension where it is 1, else as it is. Behind it stands
what can be on one of the two ways alone, as a product of matrices, and the other is an error of whoever takes it. A way
ends where a node cannot be. Both that come to the end of the graph become branches that reach to there; one alone is
what the model is, where the sizes that lead to it are looked at as it runs, as `squeeze` does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from anytile.importers.core.graph import Branch, Disagreement, Graph, Refusal, Value


class Ended(Exception):
    """A node that cannot be on the way that is walked, and why."""


def behind(
    graph: Graph,
    met: Disagreement,
    then: Callable[[Graph], Sequence[Value]],
    otherwise: Callable[[Graph], Sequence[Value]],
) -> tuple[Value, ...]:
    """What stands at the end of a graph, by what makes it on either way from where its branches part."""
    first, second = _walked(graph, then), _walked(graph, otherwise)
    if isinstance(first, Branch) and isinstance(second, Branch):
        return graph.chosen(met.condition, first, second)
    if isinstance(first, Branch) and met.condition.equal in first.graph.equal:
        return graph.take(first)
    ends = "; ".join(
        f"with the {name} {'it goes on' if isinstance(way, Branch) else way}"
        for name, way in (("first", first), ("second", second))
    )
    raise Refusal(f"{met}; {ends}")


def _walked(graph: Graph, fill: Callable[[Graph], Sequence[Value]]) -> Branch | str:
    """A way to its end, or where it ended."""
    try:
        return graph.branch(fill)
    except Ended as end:
        return f"comes {end}"
