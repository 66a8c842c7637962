"""Sizes of torch's programs (sympy expressions over symbols) as expressions over a module's named dimensions.

A size that cannot be written, as the `s // (s // 8)` that torch has for the 8 of a view, is known by its text, as a
symbol is by its name, once a tensor shows what it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from anytile.importers.core.symbolic import at_least_zero, quotient, remainder
from anytile.schedules.index.expr import Expr, const, maximum, minimum, var

_MOST_EXACT = 2**20  # above or below in a fraction


def symbols_of(size: Any) -> tuple[str, ...]:
    """The symbols in a size, which is a number or a SymInt."""
    if isinstance(size, int):
        return ()
    return tuple(sorted(str(s) for s in size.node.expr.free_symbols))


def plain_symbol(size: Any) -> str | None:
    """The symbol that a size is, if it is nothing but one."""
    if isinstance(size, int):
        return None
    found = size.node.expr
    return str(found) if found.is_symbol else None


def name_of_size(size: Any) -> str:
    """What a SymInt is known by among symbols."""
    return str(size.node.expr)


def size_of(size: Any, symbols: Mapping[str, Expr]) -> Expr | None:
    """A number or SymInt as an expression; None where a symbol is not known, or it cannot be written."""
    return const(int(size)) if isinstance(size, int) else _written(size.node.expr, symbols)


def _folded(two: Callable[[Expr, Expr], Expr | None]) -> Callable[[list[Expr]], Expr | None]:
    def made(args: list[Expr]) -> Expr | None:
        total: Expr | None = args[0]
        for other in args[1:]:
            total = None if total is None else two(total, other)
        return total

    return made


_HEADS: dict[str, Callable[[list[Expr]], Expr | None]] = {
    "Add": lambda args: sum(args, const(0)),
    "Mul": lambda args: math.prod(args, start=const(1)),
    "Max": _folded(maximum),
    "Min": _folded(minimum),
    "FloorDiv": lambda args: _over(*args),
    "CleanDiv": lambda args: _over(*args),
    "Mod": lambda args: remainder(*args),
    "PythonMod": lambda args: remainder(*args),
    "ModularIndexing": lambda args: None if (q := _over(*args[:2])) is None else remainder(q, args[2]),
}


def _over(a: Expr, b: Expr) -> Expr | None:
    """a // b; by a number also of what may be below 0, which is rounded down here as there."""
    if b.value is not None:
        return a // b.value if b.value > 0 else None
    return quotient(a, b)


def _written(e: Any, symbols: Mapping[str, Expr]) -> Expr | None:
    if e.is_symbol:
        return symbols.get(str(e))
    if e.is_Integer:
        return const(int(e))
    found = _by_rule(e, symbols)
    if found is None:
        found = _number(e, symbols)
    return symbols.get(str(e)) if found is None else found


def _number(e: Any, symbols: Mapping[str, Expr]) -> Expr | None:
    """What sympy computes, of anything, where all symbols are numbers: the side of a square of so many patches."""
    values = {s: known.value for s in e.free_symbols if (known := symbols.get(str(s))) is not None}
    if len(values) < len(e.free_symbols) or None in values.values():
        return None
    found = e.subs(values)
    return const(int(found)) if getattr(found, "is_Integer", False) else None


def _by_rule(e: Any, symbols: Mapping[str, Expr]) -> Expr | None:
    head = type(e).__name__
    if head == "Pow" and e.args[1].is_Integer and 0 <= int(e.args[1]) <= 8:
        base = _written(e.args[0], symbols)
        return None if base is None else math.prod([base] * int(e.args[1]), start=const(1))
    if head in ("CeilToInt", "FloorToInt", "TruncToInt"):
        share = _ratio(e.args[0], symbols)
        if share is None:
            return None
        above, below = share
        if head == "TruncToInt" and below > 1 and not at_least_zero(above):
            return None  # what is below 0 would be rounded up
        return (above + (below - 1 if head == "CeilToInt" else 0)) // below
    rule = _HEADS.get(head)
    if rule is None:
        return None
    args = [_written(a, symbols) for a in e.args]
    return None if any(a is None for a in args) else rule([a for a in args if a is not None])


def _ratio(e: Any, symbols: Mapping[str, Expr]) -> tuple[Expr, int] | None:
    """What torch computes in floats, as a size over a power of 2: floats hold that as it is, and nothing is rounded."""
    head = type(e).__name__
    if e.is_Float or e.is_Integer:
        above, below = float(e).as_integer_ratio()
        return (const(above), below) if max(abs(above), below) <= _MOST_EXACT else None
    if head == "ToFloat":
        whole = _written(e.args[0], symbols)
        return None if whole is None else (whole, 1)
    if head not in ("Add", "Mul", "FloatTrueDiv", "IntTrueDiv"):
        return (whole, 1) if e.is_integer and (whole := _written(e, symbols)) is not None else None
    shares = [_ratio(a, symbols) for a in e.args]
    total = shares[0]
    for share in shares[1:]:
        if total is None or share is None:
            return None
        (a, b), (c, d) = total, share
        if head == "Add":
            total = (a * d + c * b, b * d)
        elif head == "Mul":
            total = (a * c, b * d)
        else:
            by = c.value
            if by is None or by <= 0 or by & (by - 1):
                return None
            total = (a * d, b * by)
    return None if total is None or total[1] > _MOST_EXACT else total


def solved(size: Any, own: Expr, symbols: Mapping[str, Expr]) -> tuple[str, Expr] | None:
    """The one symbol of a size `a*s + b` that is not known yet, and what it is where the size is `own`."""
    missing = [s for s in symbols_of(size) if s not in symbols]
    if len(missing) != 1:
        return None
    unknown = var("?")
    found = _written(size.node.expr, {**symbols, missing[0]: unknown})
    slope = None if found is None else found.coefficient("?")
    if found is None or slope is None or slope <= 0:
        return None
    rest = found - unknown * slope
    return None if "?" in rest.names else (missing[0], (own - rest) // slope)
