"""Parser of index expressions: the text that `str` of an `Expr` writes, and any other of the same signs, read back."""

from __future__ import annotations

import ast
from functools import lru_cache

from anytile.core.errors import ScheduleError
from anytile.schedules.index.expr import Expr, const, maximum, minimum, var

LONGEST = 4000  # characters; what is longer says nothing to a person and costs who parses it
_EXTREMES = {"min": minimum, "max": maximum}


@lru_cache(4096)
def parse_exprs(text: str) -> tuple[Expr, ...]:
    """The expressions of a text, with commas between them: `n, 2*t + 1, max(n, t) // 4`."""
    try:
        if len(text) > LONGEST:
            raise ScheduleError(f"it has {len(text)} characters; expected at most {LONGEST}")
        tree = ast.parse(f"({text},)" if text.strip() else "()", mode="eval").body
        assert isinstance(tree, ast.Tuple)
        return tuple(map(_read, tree.elts))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ScheduleError(f"{text!r}: expected expressions of whole numbers and names with commas between") from None
    except ScheduleError as error:
        raise ScheduleError(f"{text[:80]!r}: {error}") from None


def _read(node: ast.expr) -> Expr:
    match node:
        case ast.Constant(int() as value) if not isinstance(value, bool):
            return const(value)
        case ast.Name(name):
            return var(name)
        case ast.UnaryOp(ast.USub(), of):
            return -_read(of)
        case ast.BinOp(a, ast.Add(), b):
            return _read(a) + _read(b)
        case ast.BinOp(a, ast.Sub(), b):
            return _read(a) - _read(b)
        case ast.BinOp(a, ast.Mult(), b):
            return _read(a) * _read(b)
        case ast.BinOp(a, ast.FloorDiv(), ast.Constant(int() as by)):
            return _read(a) // by
        case ast.BinOp(a, ast.Mod(), ast.Constant(int() as by)):
            return _read(a) % by
        case ast.Call(ast.Name("min" | "max" as name), [a, b], []):
            return _EXTREMES[name](_read(a), _read(b))
    raise ScheduleError(
        f"{ast.unparse(node)} is none of n, 2, a + b, a - b, a * b, a // 2, a % 2, min(a, b), max(a, b)"
    )
