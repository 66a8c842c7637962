"""A-normal form: every step gets a name, nested lets become flat, and what is shared in the source is computed once.

Order of evaluation is kept, and nothing moves out of a branch. Arguments nested in arguments are walked with a stack of
our own, however deep they go.
"""

from __future__ import annotations

from collections.abc import Iterator

from anytile.compiler.ir.nodes import Expr, Let, Module, Var, operator_of
from anytile.compiler.ir.traverse import Binding, atoms_of, each_block, is_atom, make_block, map_atoms, map_blocks


def to_anf(module: Module) -> Module:
    return each_block(module, lambda body: _Block(None).whole(body))


class _Block:
    """The bindings of one block while they are made."""

    def __init__(self, outer: _Block | None) -> None:
        self.outer = outer
        self.bindings: list[Binding] = []
        self.known: dict[int, Expr] = {}  # the atom of an expression, by its identity
        self.alive: list[Expr] = []  # so that identities stay what they are
        self.named: set[Var] = set()  # variables of ours

    def whole(self, e: Expr) -> Expr:
        """The block that an expression becomes."""
        return make_block(self.bindings, self.atom(e)) if not is_atom(e) else e

    def find(self, e: Expr) -> Expr | None:
        scope: _Block | None = self
        while scope is not None:
            found = scope.known.get(id(e))
            if found is not None:
                return found
            scope = scope.outer
        return None

    def name_of(self, e: Expr) -> Expr:
        """The atom of an expression that is one, or was computed before."""
        known = e if is_atom(e) else self.find(e)
        assert known is not None
        while (found := self.find(known)) is not None:  # a variable of ours may have got the source's name since
            known = found
        return known

    def atom(self, e: Expr) -> Expr:
        """Bind everything that an expression needs, and the expression."""
        pending: list[Iterator[Expr]] = [iter((e,))]
        waiting: list[Expr] = [e]
        while pending:
            inner = next(pending[-1], None)
            if inner is None:
                pending.pop()
                self.bind(waiting.pop())
            elif not is_atom(inner) and self.find(inner) is None:
                pending.append(self.needed(inner))
                waiting.append(inner)
        return self.name_of(e)

    def needed(self, e: Expr) -> Iterator[Expr]:
        """What is computed before an expression; a Let's bindings get their own names on the way."""
        if not isinstance(e, Let):
            yield from atoms_of(e)
            return
        for var, value in e.bindings:
            yield value
            self.called(var, value)
        yield e.body

    def called(self, var: Var, value: Expr) -> None:
        """`var` is the value: give what was just bound under a name of ours the name of the source."""
        atom = self.name_of(value)
        if isinstance(atom, Var) and self.bindings and self.bindings[-1][0] is atom and atom in self.named:
            self.bindings[-1] = (var, self.bindings[-1][1])
            self.known[id(atom)] = var
            self.alive.append(atom)
            self.known[id(value)] = var
            self.alive.append(value)
        else:
            self.known[id(var)] = atom
            self.alive.append(var)

    def bind(self, e: Expr) -> None:
        """Name an expression whose parts have names."""
        if is_atom(e) or self.find(e) is not None:
            return
        if isinstance(e, Let):
            self.known[id(e)] = self.name_of(e.body)
            self.alive.append(e)
            return
        step = map_blocks(map_atoms(e, self.name_of), self.inside)
        var = Var(operator_of(e) or "v")
        self.named.add(var)
        self.bindings.append((var, step))
        self.known[id(e)] = var
        self.alive.append(e)

    def inside(self, e: Expr) -> Expr:
        if is_atom(e):
            return self.name_of(e)
        return _Block(self).whole(e)
