"""Index expressions as Python functions, for whoever evaluates the same ones again and again.

`evaluator(exprs, env)()` is what `Expr.evaluate(env)` says of each, at whatever `env` holds by then. The text that is
evaluated has nothing but whole numbers, operators and quoted names that `env` is asked for: no text of anybody's runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from types import CodeType

from anytile.schedules.index.expr import Atom, Expr, Extreme, FloorDiv, Mod, Var


def evaluator(exprs: tuple[Expr, ...], env: Mapping[str, int]) -> Callable[[], tuple[int, ...]]:
    found: Callable[[], tuple[int, ...]] = eval(_code(exprs), {"env": env, "min": min, "max": max})
    return found


@lru_cache(maxsize=1 << 14)
def _code(exprs: tuple[Expr, ...]) -> CodeType:
    return compile(f"lambda: ({''.join(f'{_python(e)}, ' for e in exprs)})", "<index>", "eval")


def _python(e: Expr) -> str:
    return " + ".join("*".join([str(c), *map(_atom, m)]) for m, c in e.terms) or "0"


def _atom(a: Atom) -> str:
    match a:
        case Var(name):
            return f"env[{name!r}]"
        case FloorDiv(of, by):
            return f"(({_python(of)}) // {by})"
        case Mod(of, by):
            return f"(({_python(of)}) % {by})"
        case Extreme(kind, x, y):
            return f"{kind}({_python(x)}, {_python(y)})"
