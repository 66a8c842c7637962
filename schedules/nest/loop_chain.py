"""Chains of loops, one right inside another: taken off a statement, put around another, one statement for another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from anytile.schedules.nest.nodes import Loop, Stmt, rebuild


def chain_of(s: Stmt) -> tuple[list[Loop], Stmt]:
    """The loops that stand outermost in a statement, from outside in, and what they are around."""
    found = []
    while isinstance(s, Loop):
        found.append(s)
        s = s.body
    return found, s


def around(loops: Sequence[Loop], body: Stmt) -> Stmt:
    """The loops, from outside in, around a body."""
    for loop in reversed(loops):
        body = replace(loop, body=body)
    return body


def exchanged(s: Stmt, old: Stmt, new: Stmt) -> Stmt:
    """The same with one statement, this very object, in place of another."""
    return new if s is old else rebuild(s, lambda c: exchanged(c, old, new))
