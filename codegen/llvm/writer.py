"""Writing LLVM IR as text: fresh names, basic blocks, and reuse of what was already computed where it dominates.

`Writer` knows nothing of loop nests. Its cache forgets what a scope added when that ends, and scopes follow the nesting
of the code, so a value is reused only where its definition dominates the use. No text leaves it with a number that 64
bits do not hold: LLVM would cut it without a word, and with it the check that it stands in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from anytile.core.errors import CodegenError
from anytile.schedules.index.expr import Atom, Expr, Extreme, FloorDiv, Mod, Monomial, Var

_DIGITS, _LONG = str.maketrans("123456789", "0" * 9), "0" * 19  # so many digits: there may be a number too wide
_NUMBER = re.compile(r"(?<![\w.%])-?[0-9]+")  # and part of no name


def number(n: int) -> str:
    """A whole number, as code has it."""
    if not -(2**63) <= n < 2**63:
        raise CodegenError(f"expected numbers that 64 bits hold in code, got {n}")
    return str(n)


def checked(text: str) -> str:
    """The text, whose numbers are all such. To look at a whole function takes a small part of what each line did."""
    if _LONG in text.translate(_DIGITS):
        for found in _NUMBER.findall(text):
            number(int(found))
    return text


def symbol(name: str) -> str:
    """What the value of a symbol is called: nothing else, neither a label nor a tensor, can have this name."""
    return f"%{name}.n"


def tensor(name: str) -> str:
    """What the pointer of a parameter is called: a tensor may be named as a label or another argument is."""
    return f"%{name}.t"


class Writer:
    """The body of one LLVM function."""

    def __init__(self) -> None:
        self.entry: list[str] = []  # allocas: they must stand in the entry block to be promoted
        self.lines: list[str] = []
        self.block = "start"
        self._count = 0
        self._known: dict[str, str] = {}
        self._indices: dict[Expr, str] = {}  # what follows from those and from what variables are called
        self._several: list[dict[str, list[str]]] = [{}]
        self._vars: dict[str, str] = {}

    def fresh(self, hint: str = "v") -> str:
        """A name that no symbol, tensor or loop can have: theirs end in no number after a dot."""
        self._count += 1
        return f"%{hint}.{self._count}"

    def text(self) -> str:
        """All that was written, the allocas first."""
        return checked("\n".join([*self.entry, *self.lines]))

    def put(self, code: str) -> None:
        self.lines.append("  " + code)

    def value(self, code: str, hint: str = "v") -> str:
        """One instruction with a result, computed once per scope."""
        name = self._known.get(code)
        if name is None:
            name = self._known[code] = self.always(code, hint)
        return name

    def always(self, code: str, hint: str = "v") -> str:
        """One instruction with a result, computed anew, as where it reads memory that may have changed."""
        self._count += 1
        name = f"%{hint}.{self._count}"
        self.lines.append(f"  {name} = {code}")
        return name

    def recall(self, key: str) -> list[str] | None:
        """Values that were remembered where they are still known."""
        return next((scope[key] for scope in reversed(self._several) if key in scope), None)

    def remember(self, key: str, values: list[str]) -> None:
        """Keep what several instructions made together, for as long as it dominates what follows."""
        self._several[-1][key] = values

    def label(self, name: str) -> None:
        self.lines.append(f"{name}:")
        self.block = name

    @contextmanager
    def scope(self) -> Iterator[None]:
        outside, indices = len(self._known), self._indices
        self._indices = dict(indices)
        self._several.append({})
        try:
            yield
        finally:
            while len(self._known) > outside:  # the last come first
                self._known.popitem()
            self._indices = indices
            self._several.pop()

    def bind(self, name: str, ssa: str) -> None:
        """What a variable of index expressions is called in the code."""
        if name in self._vars:
            self._indices = {e: value for e, value in self._indices.items() if name not in e.names}
        self._vars[name] = ssa

    def bound(self, names: frozenset[str]) -> str:
        """What these variables are here: one may be bound anew, and text that names it then says something else."""
        return ", ".join(f"{n} = {self._vars[n]}" for n in sorted(names) if n in self._vars)

    def index(self, e: Expr) -> str:
        """The i64 value of an index expression: a number or an SSA name."""
        found = self._indices.get(e)
        if found is None:
            found = self._indices[e] = self._sum(e)
        return found

    def _sum(self, e: Expr) -> str:
        total: str | None = None
        for monomial, c in e.terms:
            if not monomial:
                continue
            term = self._product(monomial, c)
            total = term if total is None else self.value(f"add nsw i64 {total}, {term}", "i")
        offset = e.offset
        if total is None:
            return number(offset)
        return self.value(f"add nsw i64 {total}, {offset}", "i") if offset else total

    def _product(self, monomial: Monomial, c: int) -> str:
        value = self._atom(monomial[0])
        for a in monomial[1:]:
            value = self.value(f"mul nsw i64 {value}, {self._atom(a)}", "i")
        return value if c == 1 else self.value(f"mul nsw i64 {value}, {c}", "i")

    def _atom(self, a: Atom) -> str:
        match a:
            case Var(name):
                try:
                    return self._vars[name]
                except KeyError:
                    raise CodegenError(f"index variable {name} is not bound here") from None
            case FloorDiv(of, by):
                return self._floor(self.index(of), by)
            case Mod(of, by):
                value = self.index(of)
                back = self.value(f"mul nsw i64 {self._floor(value, by)}, {by}", "i")
                return self.value(f"sub nsw i64 {value}, {back}", "i")
            case Extreme(kind, x, y):
                call = f"call i64 @llvm.s{kind}.i64(i64 {self.index(x)}, i64 {self.index(y)})"
                return self.value(call, "i")

    def _floor(self, value: str, by: int) -> str:
        number(by)
        if by & (by - 1) == 0:
            return self.value(f"ashr i64 {value}, {by.bit_length() - 1}", "i")
        # Rounding down for negative values too: (of - (by - 1)) / by where of < 0.
        low = self.value(f"sub nsw i64 {value}, {by - 1}", "i")
        negative = self.value(f"icmp slt i64 {value}, 0", "c")
        picked = self.value(f"select i1 {negative}, i64 {low}, i64 {value}", "i")
        return self.value(f"sdiv i64 {picked}, {by}", "i")
