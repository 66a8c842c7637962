"""Shrinking of fuzzed models: one result, then fewer nodes, each value of which what it is may be an input instead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from tests.support.generators.graphs.growth import Dim, Grown, Value, read_by
from tests.support.model_fuzz.case import Case


def smaller(case: Case) -> Iterator[Case]:
    """One result of several, the first ones first; a result that is made earlier; inputs in place of what is made.
    Where inputs grow, one that does stays a result."""
    kept = tuple(case.grown.caches().values())[:1] if case.grows else ()
    made = [name for node in case.grown.nodes for name in node.output if name]
    results = {name: tuple(dict.fromkeys((*kept, name))) for name in made}
    other = [name for name in made if results[name] != case.results]
    for name in other:
        yield from _cut(case, results[name], ())
    if len(other) == len(made):  # several others, that is
        return
    for name in reversed(other):
        if name not in case.results:
            yield from _cut(case, case.results, (name,))


def _cut(case: Case, results: tuple[str, ...], given: Sequence[str]) -> Iterator[Case]:
    """What is needed for these results, where these values are given; nothing if that is no less than it was."""
    grown = case.grown
    wanted, nodes = set(results), list[Any]()
    for node in reversed(grown.nodes):
        if wanted & set(node.output) and not set(given) & set(node.output):
            nodes.insert(0, node)
            wanted |= set(read_by(node))
    made = {name for node in nodes for name in node.output}
    names = _names(grown)
    inputs = {
        name: grown.inputs.get(name) or _dims(grown.values[name], names)
        for name in (*grown.inputs, *given)
        if name in wanted and name not in made
    }
    kept = {name: v for name, v in grown.values.items() if name in wanted or name in made}
    if nodes and inputs and len(nodes) < len(grown.nodes):
        yield replace(case, grown=Grown(inputs, tuple(nodes), kept), results=results)


def _names(grown: Grown) -> dict[tuple[int, ...], str]:
    """The symbols of inputs, by what they are at all sizes."""
    found: dict[tuple[int, ...], str] = {}
    for name, dims in grown.inputs.items():
        for axis, d in enumerate(dims):
            if isinstance(d, str):
                found.setdefault(_along(grown.values[name], axis), d)
    return found


def _along(value: Value, axis: int) -> tuple[int, ...]:
    return tuple(a.shape[axis] for a in value.at)


def _dims(value: Value, names: dict[tuple[int, ...], str]) -> tuple[Dim, ...]:
    dims: list[Dim] = []
    for axis in range(value.rank):
        known = value.dim(axis)
        dims.append(known if known is not None else names.setdefault(_along(value, axis), f"s{len(names)}"))
    return tuple(dims)


__all__ = ["smaller"]
