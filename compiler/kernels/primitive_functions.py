"""Primitive functions: the steps of one kernel as a function of the module, one for all calls that do the same.

A primitive function has parameters of its own for what its steps read, and its result is what the last step makes. Two
are the same where they are written alike: symbols count by where they first stand, not by their names.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from anytile.compiler.ir.equality import constant_key
from anytile.compiler.ir.nodes import Call, Constant, Expr, Function, GlobalRef, Var, operator_of, type_of
from anytile.compiler.ir.traverse import Binding, bindings_of, make_block, map_atoms
from anytile.compiler.ir.types import Type, symbols, tensors
from anytile.compiler.kernels.kernel_of import literal
from anytile.compiler.operators import operator

PRIMITIVE = (("kind", "primitive"),)


def primitive(steps: Sequence[Binding]) -> tuple[Function, tuple[Expr, ...]]:
    """The function of some steps with parameters of its own, and the arguments it is called with."""
    own = {var for var, _ in steps}
    params: dict[Expr, Var] = {}
    names: dict[Var, Expr] = {}
    renamed: list[Binding] = []
    for var, value in steps:
        single = len(steps) == 1 and operator(operator_of(value)).element is None

        def local(atom: Expr, single: bool = single) -> Expr:
            if isinstance(atom, Var) and atom in own:
                return names[atom]
            if isinstance(atom, Constant) and not single and literal(atom) is not None:
                return atom
            if atom not in params:
                params[atom] = Var(f"p{len(params)}", type_of(atom))
            return params[atom]

        fresh = Var(f"t{len(renamed)}", var.type)
        renamed.append((fresh, map_atoms(value, local)))
        names[var] = fresh
    result = renamed[-1][0]
    function = Function(tuple(params.values()), result.type, make_block(renamed, result), PRIMITIVE)
    return function, tuple(params)


class Primitives:
    """The primitive functions that a pass makes; equal ones are one."""

    def __init__(self, taken: set[str]) -> None:
        self.taken = taken
        self.functions: dict[str, Function] = {}
        self.known: dict[object, str] = {}

    def call(self, steps: Sequence[Binding], hint: str = "") -> Call:
        """The call that does the steps; a new function is named after them, or as the hint says."""
        function, args = primitive(steps)
        name = self.named(function, hint or "_".join(operator_of(value) for _, value in steps))
        return Call(GlobalRef(name), args, where=joined_where([value for _, value in steps]))

    def named(self, function: Function, hint: str) -> str:
        """The name of a function, or of one like it; a new one is called as the hint says."""
        key = key_of(function, lambda constant, _: constant_key(constant)), function.attrs
        name = self.known.get(key)
        if name is None:
            name = self.known[key] = self._fresh(hint)
            self.functions[name] = function
        return name

    def _fresh(self, hint: str) -> str:
        hint = hint[:48].rstrip("_")
        name, count = hint, 1
        while name in self.taken:
            name, count = f"{hint}_{count}", count + 1
        self.taken.add(name)
        return name


def joined_where(steps: Sequence[Expr]) -> str:
    """The places of a model that some steps are from."""
    return "; ".join(dict.fromkeys(value.where for value in steps if isinstance(value, Call) and value.where))


def key_of(function: Function, constant: Callable[[Constant, Call], object]) -> object:
    """Equal for functions that are written alike: symbols count by where they first stand, not by their names, and
    constants of a step by what they are said to be."""
    steps = bindings_of(function.body)
    types = [v.type for v in (*function.params, *(var for var, _ in steps))]
    order = {s: f"s{i}" for i, s in enumerate(dict.fromkeys(s for t in types if t is not None for s in symbols(t)))}
    numbers: dict[Expr, int] = {p: i for i, p in enumerate(function.params)}

    calls = []
    for var, value in steps:
        assert isinstance(value, Call)
        args = (constant(a, value) if isinstance(a, Constant) else numbers[a] for a in value.args)
        calls.append((value.callee, tuple(args), value.attrs))
        numbers[var] = len(numbers)
    return tuple(_spelled(t, order) for t in types), tuple(calls)


def _spelled(t: Type | None, order: dict[str, str]) -> object:
    """A type with symbols by their order; one dimension without a name equals no other, but is spelled like it."""
    assert t is not None
    return tuple((x.dtype, *(d if isinstance(d, int) else order.get(d.name, "?") for d in x.shape)) for x in tensors(t))
