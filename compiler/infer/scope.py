"""Symbol table of unknown dimensions in a function: what each is, and one name for each size that occurs.

A size is an expression of base names: those of parameters, which callers choose, and those of dimensions that only the
data know. Everything else is made of them, so equal sizes are equal expressions and get one name: the sequence that
grows by one element is `?d0` wherever it is mentioned, with `d0 = n + 1` among the definitions.
"""

from __future__ import annotations

from collections.abc import Iterable

from anytile.compiler.ir.types import Any, Dim, TensorType
from anytile.compiler.operators.shapes import Recorder, bounded
from anytile.compiler.operators.spec import Mismatch, Shaped
from anytile.schedules.index.expr import Expr, const, var


class Scope:
    """`known` are the names in scope, `definitions` those of sizes made of others. Of invented names, `unseen` are
    those that stand in no type yet, and `replaced` those that gave way to written ones."""

    def __init__(self, taken: Iterable[str]) -> None:
        self.taken = set(taken)
        self.known: dict[str, Expr] = {}
        self.definitions: dict[str, Expr] = {}
        self.names: dict[Expr, str] = {}
        self.unseen: set[str] = set()
        self.replaced: dict[str, Expr] = {}

    def invent(self, hint: str) -> str:
        """A name that stands nowhere else in the function."""
        name, count = hint, 0
        while name in self.taken:
            count += 1
            name = f"{hint.rstrip('0123456789')}{count}"
        self.taken.add(name)
        self.unseen.add(name)
        return name

    def unknown(self, hint: str) -> Expr:
        """A size about which nothing is known."""
        made = self.invent(hint)
        self.known[made] = var(made)
        return self.known[made]

    def is_known(self, name: str) -> bool:
        return name in self.known or name in self.definitions

    def size(self, dim: Dim) -> Expr:
        """What a dimension of a type in scope is."""
        if isinstance(dim, int):
            return const(dim)
        if dim.name in self.known:
            return self.known[dim.name]
        if dim.name not in self.definitions:
            raise Mismatch(f"nothing here says what the dimension {dim} is")
        return self.definitions[dim.name]

    def call_it(self, name: str, size: Expr) -> None:
        """Give a size the name that somebody wrote for it, unless it has one already.

        An invented name that stands in no variable's type, which nobody has seen then, gives way.
        """
        self.known[name] = size
        own = next(iter(size.names)) if len(size.names) == 1 else ""
        if size == var(own) and own in self.unseen and own != name:
            self.replaced[own] = self.known[own] = self.known[name] = var(name)
            for table in (self.known, self.definitions):
                table.update({n: e.substitute(self.replaced) for n, e in table.items() if own in e.names})
            self.names = {e.substitute(self.replaced): n for e, n in self.names.items()}
            self.names[var(name)] = name
        elif size.value is None and (size not in self.names or self.names[size] in self.unseen):
            if size in self.names:
                self.known[self.names[size]] = self.definitions.pop(self.names[size])
            self.names[size] = name
            if size != var(name):
                self.definitions[name] = size

    def dim(self, size: Expr) -> Dim:
        """A size as a dimension of a type: a number, or its one name."""
        size = bounded(size)
        if size.value is not None:
            if size.value < 0:
                raise Mismatch(f"a dimension of {size.value}; expected at least 0")
            return size.value
        if size not in self.names:
            alone = next(iter(size.names)) if len(size.names) == 1 else ""
            if size == var(alone):
                self.names[size] = alone
            else:
                self.names[size] = self.invent("d0")
                self.definitions[self.names[size]] = size
        return Any(self.names[size])

    def shaped(self, t: TensorType) -> Shaped:
        return Shaped(tuple(map(self.size, t.shape)), t.dtype)

    def tensor(self, s: Shaped) -> TensorType:
        return TensorType(tuple(map(self.dim, s.dims)), s.dtype)


class Inventing(Recorder):
    """A recorder whose unknown dimensions are names of a scope."""

    def __init__(self, scope: Scope) -> None:
        super().__init__()
        self.scope = scope

    def unknown(self, name: str) -> Expr:
        made = self.scope.unknown(name)
        self.unknowns.extend(made.names)
        return made
