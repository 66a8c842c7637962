"""Operator fusion: operator calls become calls of primitive functions, each of which is one kernel.

A step joins the steps before it where nothing but it reads what they make and `kernel_of` finds a kernel for all of
them: elementwise steps join the product that made their input, or each other, and normalisations take the elementwise
steps before them. A step stays where it was, so its inputs are there when it runs. Primitive functions are functions of
the module, one for all calls that do the same; constants are arguments unless they are numbers that stand in an
expression. What has no kernel stays an operator call: views, what depends on data, what the host computes.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from anytile.compiler.ir import Call, Constant, Expr, Function, GlobalRef, Let, Module, OperatorRef, Var
from anytile.compiler.kernels import kernel_of, literal
from anytile.compiler.operators import operator
from anytile.compiler.passes.blocks import Binding, make_block, map_blocks, map_parts, read_by
from anytile.compiler.types import TensorType, Type, symbols, tensors

PRIMITIVE = (("kind", "primitive"),)
_MOST_STEPS = 64


def fuse(module: Module) -> Module:
    made = _Primitives(set(module.functions))
    functions = {
        name: f if f.is_primitive else replace(f, body=_block(f.body, Counter(read_by(f.body)), made))
        for name, f in module.functions.items()
    }
    return Module({**functions, **made.functions}, module.data)


@dataclass(frozen=True, slots=True)
class _Group:
    """Steps that are one kernel, in their order; the last makes what others read."""

    steps: tuple[Binding, ...]
    has_anchor: bool

    @property
    def result(self) -> Var:
        return self.steps[-1][0]


def _block(block: Expr, reads: Counter[Var], made: _Primitives) -> Expr:
    """The block with its groups called. `reads` counts how often each variable is read, in the whole function."""
    if not isinstance(block, Let):
        return block
    groups: dict[Var, _Group] = {}
    others: list[Var | _Group] = []
    values = dict(block.bindings)
    for var, value in block.bindings:
        group = _joined(var, value, groups, reads)
        if group is None:
            others.append(var)
            continue
        for inner, _ in group.steps[:-1]:
            groups.pop(inner, None)
        groups[var] = group
        others.append(group)
    kept: list[Binding] = []
    for entry in others:
        if isinstance(entry, Var):
            kept.append((entry, map_blocks(values[entry], lambda inner: _block(inner, reads, made))))
        elif groups.get(entry.result) is entry:
            kept.append((entry.result, made.call(entry)))
    return make_block(kept, block.body)


def _joined(var: Var, value: Expr, groups: dict[Var, _Group], reads: Counter[Var]) -> _Group | None:
    """The group that ends in a step; None for one without a kernel."""
    if not isinstance(value, Call) or not isinstance(value.callee, OperatorRef):
        return None
    row = operator(value.callee.name)
    if row.mode != "independent" or (row.schedule is None and row.element is None):
        return None
    best = _Group(((var, value),), row.pattern == "anchor")
    if not _has_kernel(best):
        return None
    if best.has_anchor:  # nothing is computed while a product reads its operands
        return best
    sources = list(dict.fromkeys(a for a in value.args if isinstance(a, Var) and a in groups))
    sources = [a for a in sources if reads[a] == value.args.count(a)]
    for source in sorted(sources, key=lambda a: not groups[a].has_anchor):
        joined = _Group(_in_order(groups[source].steps + best.steps), groups[source].has_anchor or best.has_anchor)
        if len(joined.steps) <= _MOST_STEPS and _has_kernel(joined):
            best = joined
    return best


def _in_order(steps: tuple[Binding, ...]) -> tuple[Binding, ...]:
    """Products first, then what is made of them; others keep their order, which computes each before it is read."""
    head = tuple(s for s in steps if _is_anchor(s[1]))
    return head + tuple(s for s in steps if not _is_anchor(s[1]))


def _is_anchor(value: Expr) -> bool:
    return (
        isinstance(value, Call)
        and isinstance(value.callee, OperatorRef)
        and operator(value.callee.name).pattern == "anchor"
    )


def _has_kernel(group: _Group) -> bool:
    return kernel_of(primitive(group.steps)[0]) is not None


def primitive(steps: tuple[Binding, ...]) -> tuple[Function, tuple[Expr, ...]]:
    """The function of some steps with parameters of its own, and the arguments it is called with."""
    own = {var for var, _ in steps}
    params: dict[Expr, Var] = {}
    names: dict[Var, Expr] = {}
    renamed: list[Binding] = []
    for var, value in steps:
        single = len(steps) == 1 and operator(value.callee.name).element is None  # type: ignore[union-attr]  # an operator's call

        def local(atom: Expr, single: bool = single) -> Expr:
            if isinstance(atom, Var) and atom in own:
                return names[atom]
            if isinstance(atom, Constant) and not single and literal(atom) is not None:
                return atom
            if atom not in params:
                params[atom] = Var(f"p{len(params)}", _type_of(atom))
            return params[atom]

        fresh = Var(f"t{len(renamed)}", var.type)
        renamed.append((fresh, map_parts(value, local)))
        names[var] = fresh
    result = renamed[-1][0]
    function = Function(tuple(params.values()), result.type, make_block(renamed, result), PRIMITIVE)
    return function, tuple(params)


def _type_of(atom: Expr) -> Type | None:
    return atom.type if isinstance(atom, Var | Constant) else None


class _Primitives:
    """The primitive functions of a module while it is fused; equal ones are one."""

    def __init__(self, taken: set[str]) -> None:
        self.taken = taken
        self.functions: dict[str, Function] = {}
        self.known: dict[object, str] = {}

    def call(self, group: _Group) -> Call:
        function, args = primitive(group.steps)
        key = _key(function)
        name = self.known.get(key)
        if name is None:
            name = self.known[key] = self.fresh("_".join(_short(value) for _, value in group.steps))
            self.functions[name] = function
        return Call(GlobalRef(name), args, where=_where(group))

    def fresh(self, hint: str) -> str:
        hint = hint[:48].rstrip("_")
        name, count = hint, 1
        while name in self.taken:
            name, count = f"{hint}_{count}", count + 1
        self.taken.add(name)
        return name


def _short(value: Expr) -> str:
    assert isinstance(value, Call)
    assert isinstance(value.callee, OperatorRef)
    return value.callee.name


def _where(group: _Group) -> str:
    places = [value.where for _, value in group.steps if isinstance(value, Call) and value.where]
    return "; ".join(dict.fromkeys(places))


def _key(function: Function) -> object:
    """Equal for functions that are written alike: symbols count by where they first stand, not by their names."""
    types = [*(p.type for p in function.params), *(var.type for var, _ in function.body.bindings)]  # type: ignore[union-attr]  # a Let
    order = {s: f"s{i}" for i, s in enumerate(dict.fromkeys(s for t in types if t is not None for s in symbols(t)))}
    numbers = {p: i for i, p in enumerate(function.params)}

    def atom(a: Expr) -> object:
        if isinstance(a, Constant):
            return a.array.dtype.str, a.array.shape, a.array.tobytes()
        return numbers[a]  # type: ignore[index]  # a Var

    calls = []
    for var, value in function.body.bindings:  # type: ignore[union-attr]  # a Let
        assert isinstance(value, Call)
        calls.append((value.callee, tuple(map(atom, value.args)), value.attrs))
        numbers[var] = len(numbers)
    return tuple(_spelled(t, order) for t in types), tuple(calls)


def _spelled(t: Type | None, order: dict[str, str]) -> object:
    """A type with symbols by their order; one dimension without a name equals no other, but is spelled like it."""
    assert t is not None
    return tuple(_tensor_spelled(x, order) for x in tensors(t))


def _tensor_spelled(t: TensorType, order: dict[str, str]) -> object:
    return t.dtype, tuple(d if isinstance(d, int) else order.get(d.name, "?") for d in t.shape)
