"""Type inference over a call graph: callees before callers, and again where a check taught about parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from anytile.compiler.infer.record import Check, Refinement
from anytile.compiler.infer.relate import all_symbols, nameless_inside, outer_symbols
from anytile.compiler.infer.scope import Scope
from anytile.compiler.infer.walk import Signature, Walk
from anytile.compiler.ir.nodes import Function, Module
from anytile.compiler.ir.traverse import globals_named, written_types
from anytile.compiler.ir.types import Any, Dim, Oversized
from anytile.core.errors import SpecError
from anytile.schedules.index.expr import Expr as Size
from anytile.schedules.index.expr import const, var


@dataclass(frozen=True)
class Inferred:
    """`chosen` are, for each function, the names of sizes that its callers choose, and `definitions` those that were
    given to sizes made of others: `d0` is `n + 1`."""

    module: Module
    checks: tuple[Check, ...] = ()
    refinements: tuple[Refinement, ...] = ()
    definitions: Mapping[str, Mapping[str, Size]] = field(default_factory=dict)
    chosen: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def infer(module: Module) -> Inferred:
    """The module with every type filled in, or one line that says where types contradict each other."""
    refined: dict[tuple[str, str], Refinement] = {}
    while True:
        try:
            found = _Round(module, refined).run()
        except RecursionError:
            raise SpecError("a module's expressions are nested too deeply; bind their parts in a let") from None
        if not _learn(found, refined):
            return replace(found, refinements=tuple(refined.values()))


def _learn(found: Inferred, refined: dict[tuple[str, str], Refinement]) -> bool:
    """Adds what the checks that always run say about parameters alone; whether that was anything new."""
    before = len(refined)
    for check in found.checks:
        if check.conditional or check.condition.kind != "equal":
            continue
        own = set(found.chosen[check.function])
        dims = [_dim(e) for e in (check.condition.a, check.condition.b)]
        if any(d is None or (isinstance(d, Any) and d.name not in own) for d in dims):
            continue
        a, b = (_became(check.function, d, refined) for d in dims if d is not None)
        if isinstance(a, int):
            a, b = b, a
        if isinstance(a, Any) and a != b:  # two numbers: the next round says what is wrong
            refined[check.function, a.name] = Refinement(check.function, a.name, b, check)
    return len(refined) > before


def _dim(e: Size) -> Dim | None:
    """The dimension that a size is, if it is a number or one name."""
    if e.value is not None:
        return e.value
    name = next(iter(e.names))
    return Any(name) if e == var(name) else None


def _became(function: str, dim: Dim, refined: Mapping[tuple[str, str], Refinement]) -> Dim:
    while isinstance(dim, Any) and (function, dim.name) in refined:
        dim = refined[function, dim.name].became
    return dim


class _Round:
    """One pass over all functions, with what is known about their parameters."""

    def __init__(self, module: Module, refined: Mapping[tuple[str, str], Refinement]) -> None:
        self.module, self.refined = module, refined
        self.done: dict[str, Signature] = {}
        self.functions: dict[str, Function] = {}
        self.checks: list[Check] = []
        self.definitions: dict[str, dict[str, Size]] = {}
        self.chosen: dict[str, tuple[str, ...]] = {}

    def run(self) -> Inferred:
        for name, recursive in call_order(self.module):
            try:
                self._function(name, recursive)
            except Oversized as error:
                raise SpecError(f"{name}: {error}") from None
        made = replace(self.module, functions={name: self.functions[name] for name in self.module.functions})
        return Inferred(made, tuple(self.checks), (), self.definitions, self.chosen)

    def _function(self, name: str, recursive: bool) -> None:
        f = self.module.functions[name]
        scope = Scope(all_symbols(written_types(f)))
        chosen = {}
        for owner, symbol in self.refined:
            if owner == name:
                dim = _became(name, Any(symbol), self.refined)
                chosen[symbol] = const(dim) if isinstance(dim, int) else var(dim.name)
        walk = Walk(self.module, name, scope, lambda callee: self._signature(name, callee))
        made, t = walk.function(f, [None] * len(f.params), chosen)
        own = tuple(dict.fromkeys(s for p in t.params for s in outer_symbols(p)))
        result = f.result if recursive and f.result is not None else t.result
        self.functions[name] = replace(made, result=result)
        self.done[name] = Signature(t.params, result, own, {} if recursive else scope.definitions)
        self.definitions[name], self.chosen[name] = scope.definitions, own
        self.checks += (_renamed(check, scope.replaced) for check in walk.checks)

    def _signature(self, caller: str, name: str) -> Signature:
        """A callee's signature; one that is not done yet calls its caller, and must say what it is."""
        if name in self.done:
            return self.done[name]
        f = self.module.function(name)
        params = tuple(p.type for p in f.params if p.type is not None)
        if f.result is None or len(params) < len(f.params):
            raise SpecError(
                f"{caller}: call of {name}, which is recursive: write the types of its parameters and result"
            )
        own = tuple(dict.fromkeys(s for p in params for s in outer_symbols(p)))
        return Signature(tuple(nameless_inside(p, own) for p in params), f.result, own)


def _renamed(check: Check, names: Mapping[str, Size]) -> Check:
    """The check by the names that sizes got after it was recorded."""
    if names.keys().isdisjoint(check.condition.a.names | check.condition.b.names):
        return check
    a, b = (e.substitute(names) for e in (check.condition.a, check.condition.b))
    return replace(check, condition=replace(check.condition, a=a, b=b))


def call_order(module: Module) -> Iterator[tuple[str, bool]]:
    """Every function after those it calls, as far as recursion allows, and whether it is recursive.

    Functions that call each other in a circle are found on the way back from them, as Tarjan did: all behind the one
    that was entered first, and a circle has no end before that one's.
    """
    calls = {
        name: [g for g in dict.fromkeys(globals_named(f.body)) if g in module.functions]
        for name, f in module.functions.items()
    }
    order: list[str] = []
    recursive: set[str] = {name for name, called in calls.items() if name in called}
    entered: dict[str, int] = {}
    lowest: dict[str, int] = {}  # of those that are entered and not in a circle that is closed
    open_: list[str] = []
    for root in calls:
        stack: list[tuple[str, Iterator[str]]] = []

        def enter(name: str, stack: list[tuple[str, Iterator[str]]] = stack) -> None:
            entered[name] = lowest[name] = len(entered)
            open_.append(name)
            stack.append((name, iter(calls[name])))

        if root not in entered:
            enter(root)
        while stack:
            name, left = stack[-1]
            for callee in left:
                if callee not in entered:
                    enter(callee)
                    break
                if callee in lowest:
                    lowest[name] = min(lowest[name], entered[callee])
            else:
                order.append(name)
                stack.pop()
                if stack:
                    lowest[stack[-1][0]] = min(lowest[stack[-1][0]], lowest[name])
                if lowest[name] == entered[name]:
                    alone = open_[-1] == name
                    while name in lowest:
                        member = open_.pop()
                        del lowest[member]
                        if not alone:
                            recursive.add(member)
    for name in order:
        yield name, name in recursive
