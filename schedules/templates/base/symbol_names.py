"""Symbols that are called like a template's loops: one door through which nests are made, free of such clashes.

Templates write loops by plain names (`mo`, `ki`, `i_n`), and a user may call a symbol so too. Then the template gets
the workload with its symbols under other names; in the nest that it makes they are given back, and loops make way.
Invariant: the symbols of a nest are those of its workload, in order, and what a nest computes hangs on no name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from anytile.core.errors import ScheduleError
from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import Expr, var
from anytile.schedules.nest.nodes import Last, Let, Loop, LoopNest, Reduce, Stmt, Store, Update, Value
from anytile.schedules.nest.traverse import bound, map_exprs, rebuild, rebuild_value
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.base.template import Pack, Scheduled, Template
from anytile.schedules.workloads.workload import Workload

_LOOPS = re.compile(r"[ip]_\w*|[a-z][a-z]")  # what templates may call a loop


def may_be_loop(name: str) -> bool:
    return _LOOPS.fullmatch(name) is not None


def scheduled(template: Template, workload: Workload, target: Target, config: Config) -> Scheduled:
    """What the template makes of the workload, whatever its symbols are called."""
    if not any(map(may_be_loop, workload.symbols)):
        return template.schedule(workload, target, config)
    prefix = "s_"
    while any(t.name.startswith(prefix) for t in workload.tensors):
        prefix = f"s{prefix}"
    hidden = {s: f"{prefix}{s}" for s in workload.symbols}  # in the same order, which is that of the kernel ABI
    made = template.schedule(workload.renamed(hidden), target, config)
    return _given_back(made, {h: s for s, h in hidden.items()})


def _given_back(made: Scheduled, names: Mapping[str, str]) -> Scheduled:
    nest, chosen = _freed(made.nest, names)
    packs = tuple(Pack(p.operand, _freed(p.nest, names)[0]) for p in made.packs)
    w = made.walk
    if w is None:
        return Scheduled(nest, packs)
    outer, inner = (chosen.get(loop, loop) for loop in (w.outer, w.inner))
    return Scheduled(nest, packs, replace(w, symbol=chosen[w.symbol], outer=outer, inner=inner))


def _freed(nest: LoopNest, names: Mapping[str, str]) -> tuple[LoopNest, Mapping[str, str]]:
    """The nest with its symbols renamed, and everything else that is called so moved away; and who is called what."""
    variables = set(bound(nest))
    taken = variables | set(names.values())
    chosen = dict(names)
    for name in sorted(variables & set(names.values())):
        fresh = f"{name}_"
        while fresh in taken:
            fresh += "_"
        taken.add(fresh)
        chosen[name] = fresh
    return renamed(nest, chosen), chosen


def renamed(nest: LoopNest, names: Mapping[str, str]) -> LoopNest:
    """The same nest with other names for variables; two that were different stay different."""
    variables = set(bound(nest))
    if len({names.get(name, name) for name in variables}) < len(variables):
        raise ScheduleError(f"{nest.name}: two variables would share a name; expected one name each")

    def put(e: Expr) -> Expr:
        return e.substitute({old: var(new) for old, new in names.items()})

    def lanes(v: Value) -> Value:
        v = rebuild_value(v, lanes)
        return replace(v, var=names.get(v.var, v.var)) if isinstance(v, Reduce) else v

    def visit(s: Stmt) -> Stmt:
        s = rebuild(s, visit)
        if isinstance(s, Let | Store | Update):
            s = replace(s, value=lanes(s.value))
        if isinstance(s, Last):
            return replace(s, var=names.get(s.var, s.var), along=tuple((names.get(n, n), by) for n, by in s.along))
        return replace(s, var=names.get(s.var, s.var)) if isinstance(s, Loop | Let) else s

    params = tuple(replace(b, shape=tuple(map(put, b.shape))) for b in nest.params)
    symbols = tuple(
        replace(s, name=names.get(s.name, s.name), derived=None if s.derived is None else put(s.derived))
        for s in nest.symbols
    )
    return LoopNest(nest.name, params, symbols, map_exprs(visit(nest.body), put))
