"""GELU and SiLU matching: the products that exporters write for them are the operators again.

`x * 0.5 * (1 + erf(x / sqrt(2)))`, its factors in any order and grouping, and `x * sigmoid(x)` read x twice, so that
fusion could not take them behind the product that made x; `gelu(x)` and `silu(x)` read it once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from anytile.compiler.ir.nodes import Call, Constant, Expr, Module, OperatorRef, Var, operator_of
from anytile.compiler.ir.traverse import replace_calls

_NEAR = 1e-6  # how far constants may be from what they stand for, by that: float32 rounds them


def match_gelu(module: Module) -> Module:
    return replace_calls(module, _matched)


def _matched(var: Var, step: Call, known: Mapping[Var, Call], reads: Mapping[Var, int]) -> Call | None:
    for name, found in (("gelu", _of_gelu), ("silu", _of_silu)):
        x = found(step, known, reads)
        if x is not None:
            return Call(OperatorRef(name), (x,), where=step.where)
    return None


def _of_gelu(step: Call, known: Mapping[Var, Call], reads: Mapping[Var, int]) -> Var | None:
    """What a product is the gelu of."""
    if operator_of(step) != "multiply":
        return None
    factors = list(_factors(step, known, reads))
    for x in factors:
        rest = [f for f in factors if f is not x]
        if isinstance(x, Var) and len(factors) == 3 and len(rest) == 2:
            for half, other in (rest, rest[::-1]):
                if _is_near(half, 0.5) and _is_twice_probability(other, x, known):
                    return x
    return None


def _of_silu(step: Call, known: Mapping[Var, Call], reads: Mapping[Var, int]) -> Var | None:
    """What a product is the silu of; a sigmoid that somebody else reads is there anyhow."""
    if operator_of(step) != "multiply":
        return None
    for x, other in (step.args, step.args[::-1]):
        made = known.get(other) if isinstance(other, Var) and reads[other] == 1 else None
        if isinstance(x, Var) and made is not None and operator_of(made) == "sigmoid" and made.args[0] is x:
            return x
    return None


def _factors(step: Call, known: Mapping[Var, Call], reads: Mapping[Var, int]) -> Iterator[Expr]:
    """The factors of a product, and of those that nobody else reads, three at most."""
    for a in step.args:
        inner = known.get(a) if isinstance(a, Var) and reads[a] == 1 else None
        if inner is not None and operator_of(inner) == "multiply":
            yield from inner.args
        else:
            yield a


def _is_twice_probability(e: Expr, x: Var, known: Mapping[Var, Call]) -> bool:
    """Whether something is 1 + erf(x / sqrt(2))."""
    total = known.get(e) if isinstance(e, Var) else None
    if total is None or operator_of(total) != "add":
        return False
    for one, erf in (total.args, total.args[::-1]):
        made = known.get(erf) if isinstance(erf, Var) else None
        if _is_near(one, 1.0) and made is not None and operator_of(made) == "erf":
            scaled = known.get(made.args[0]) if isinstance(made.args[0], Var) else None
            if scaled is None:
                return False
            a, b = (*scaled.args, None, None)[:2]
            if operator_of(scaled) == "divide":
                return a is x and _is_near(b, math.sqrt(2))
            by = operator_of(scaled) == "multiply"
            return by and any(v is x and _is_near(n, math.sqrt(0.5)) for v, n in ((a, b), (b, a)))
    return False


def _is_near(e: Expr | None, number: float) -> bool:
    """Whether something is a scalar of about that value, so that no shape depends on it."""
    return isinstance(e, Constant) and e.array.ndim == 0 and abs(float(e.array) - number) <= _NEAR * number
