"""Inlining: the steps of a function stand where it was called, if that is at one place or the function is small.

What is called need not enter and leave then, its types are those of the arguments, and passes see both sides: functions
that call each other become one that calls itself. A function that calls itself stays, and so does one that is a value
somewhere or makes closures; `main` is never called away.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace

from anytile.compiler.infer import infer
from anytile.compiler.ir.nodes import Call, Expr, Function, GlobalRef, Module, Var
from anytile.compiler.ir.traverse import Binding, Names, copied, is_call_of, nodes, rewrite, steps

_SMALL = 24  # steps of a function that is put in several places
_MOST = 96  # steps that it may become in all of them together


def inline(module: Module) -> Module:
    """One function goes at a time, the first that may as things then stand. What is known of a function is found again
    only where its body changed, so a chain of calls costs what its steps do."""
    bodies = {name: f for name, f in module.functions.items() if not f.is_primitive}
    place = {name: i for i, name in enumerate(module.functions)}
    seen = {name: _Seen.of(f.body) for name, f in module.functions.items()}
    named, calls, callers = Counter[str](), Counter[str](), defaultdict[str, set[str]](set)

    def count(name: str, sign: int) -> None:
        for totals, own in ((named, seen[name].named), (calls, seen[name].calls)):
            for other, times in own.items():
                totals[other] += sign * times
        for other in seen[name].named:
            (callers[other].add if sign > 0 else callers[other].discard)(name)

    for name in seen:
        count(name, 1)
    waiting = [(place[name], name) for name in bodies]
    heapq.heapify(waiting)
    while waiting:
        _, name = heapq.heappop(waiting)
        if name not in bodies or not _goes(name, bodies[name], named[name], calls[name]):
            continue
        called = bodies.pop(name)
        changed = [other for other in callers[name] if other in bodies]
        count(name, -1)
        for other in changed:
            count(other, -1)
            bodies[other] = replace(bodies[other], body=_put(name, called, bodies[other].body))
            seen[other] = _Seen.of(bodies[other].body)
            count(other, 1)
        for other in {*changed, *seen[name].named}:
            if other in place:
                heapq.heappush(waiting, (place[other], other))
    kept = {name: bodies.get(name, f) for name, f in module.functions.items() if name in bodies or f.is_primitive}
    return module if len(kept) == len(module.functions) else infer(replace(module, functions=kept)).module


@dataclass(frozen=True)
class _Seen:
    """The functions that a body names, and of these the calls; each with how often."""

    named: Mapping[str, int]
    calls: Mapping[str, int]

    @classmethod
    def of(cls, body: Expr) -> _Seen:
        everything = list(nodes(body))
        called = (e.callee.name for e in everything if isinstance(e, Call) and isinstance(e.callee, GlobalRef))
        return cls(Counter(e.name for e in everything if isinstance(e, GlobalRef)), Counter(called))


def _goes(name: str, f: Function, named: int, calls: int) -> bool:
    """Whether a function is called away; one that is a value somewhere stays."""
    if name == "main" or named > calls or not calls or _is_fixed(name, f):
        return False
    size = sum(1 for _ in steps(f.body))
    return calls == 1 or (size <= _SMALL and size * calls <= _MOST)


def _is_fixed(name: str, f: Function) -> bool:
    """Whether a function calls itself, or has closures in it: their types are written for where they stand."""
    return any(isinstance(v, Function) or is_call_of(v, name) for _, v in steps(f.body))


def _put(name: str, called: Function, body: Expr) -> Expr:
    """A block with calls of a function replaced by its steps, under new names for each call."""
    names: Names = {}

    def change(var: Var, step: Expr) -> list[Binding] | None:
        if not is_call_of(step, name):
            return None
        bindings, names[var] = copied(called.body, dict(zip(called.params, step.args, strict=True)))
        return bindings

    return rewrite(body, change, names)
