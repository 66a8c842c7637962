"""Shape programs: what a shape kernel computes and what a kernel's symbols are, as index expressions with a text form.

A program reads elements of int64 arguments, `a0_1` being element 1 of argument 0, and makes the elements of its
results. Its checks are what type inference could not decide: two sizes that must be equal, or broadcast; each carries
the sentence that says where in the model it is from. Evaluated here in Python; `native` emits the same expressions.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any as AnyType

from anytile.schedules.errors import ArgumentError, SpecError
from anytile.schedules.expr import Expr, const, maximum, minimum, var

RELATIONS = ("==", "broadcast", "<=")
_MAX_TEXT = 1 << 16
_MAX_DEPTH = 200


@dataclass(frozen=True, slots=True)
class Check:
    """`left relation right`, or an error that says `where`. Sizes broadcast where they are equal or one is 1."""

    left: Expr
    relation: str
    right: Expr
    where: str


@dataclass(frozen=True, slots=True)
class ShapeProgram:
    """`reads` is how many elements each argument has; None where the program does not care."""

    reads: tuple[int | None, ...]
    results: tuple[tuple[Expr, ...], ...]
    checks: tuple[Check, ...] = ()

    def __post_init__(self) -> None:
        exprs = [e for r in self.results for e in r] + [e for c in self.checks for e in (c.left, c.right)]
        for name in sorted({name for e in exprs for name in e.names}):
            argument, element = argument_of(name)
            if argument >= len(self.reads):
                raise SpecError(f"shape program: {name} reads argument {argument} of {len(self.reads)}")
            count = self.reads[argument]
            if count is not None and element >= count:
                raise SpecError(f"shape program: {name} reads element {element} of {count}")

    def text(self) -> str:
        """One canonical line."""
        return json.dumps(
            {
                "reads": list(self.reads),
                "results": [[str(e) for e in r] for r in self.results],
                "checks": [[str(c.left), c.relation, str(c.right), c.where] for c in self.checks],
            }
        )

    @classmethod
    def parse(cls, text: str) -> ShapeProgram:
        """Read a text that anybody may have written."""
        try:
            d = json.loads(text)
            reads = tuple(None if n is None else _count(n) for n in d["reads"])
            results = tuple(tuple(parse(str(e)) for e in r) for r in d["results"])
            checks = tuple(
                Check(parse(str(a)), _relation(how), parse(str(b)), str(where)) for a, how, b, where in d["checks"]
            )
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            raise SpecError(f"a shape program cannot be read: {type(error).__name__}: {error}") from None
        return cls(reads, results, checks)

    def evaluate(self, element: Callable[[int, int], int]) -> list[list[int]]:
        """The results, `element(argument, place)` being what the program reads; a failed check is an ArgumentError."""
        seen = _Lazy(element)
        for check in self.checks:
            left, right = check.left.evaluate(seen), check.right.evaluate(seen)
            if not holds(check.relation, left, right):
                raise ArgumentError(sizes_misfit(check.relation, check.where, left, right))
        return [[e.evaluate(seen) for e in result] for result in self.results]


def holds(relation: str, left: int, right: int) -> bool:
    if relation == "<=":
        return left <= right
    return left == right or (relation == "broadcast" and (left == 1 or right == 1))


def sizes_misfit(relation: str, where: str, left: int, right: int) -> str:
    """The error of a check that failed."""
    wanted = {"==": "equal sizes", "broadcast": "sizes that broadcast", "<=": "a size of at most the other"}
    return f"{where}: expected {wanted[relation]}, got {left} and {right}; pass inputs whose shapes agree"


def broadcast(left: Expr, right: Expr) -> Expr:
    """The size that two sizes broadcast to, given that they do."""
    return minimum(left, 1) * minimum(right, 1) * maximum(left, right)


def argument(index: int, element: int) -> Expr:
    """Element or dimension `element` of argument `index`."""
    return var(f"a{index}_{element}")


def argument_of(name: str) -> tuple[int, int]:
    """The argument and element that a name like a0_1 means."""
    index, _, element = name[1:].partition("_")
    if name[:1] != "a" or not (index.isascii() and index.isdigit() and element.isascii() and element.isdigit()):
        raise SpecError(f"shape expression: expected a name like a0_1 (argument 0, element 1), got {name!r}")
    return int(index), int(element)


def parse(text: str) -> Expr:
    """An expression of + - * // % min max, whole numbers and names like a0_1."""
    if len(text) > _MAX_TEXT:
        raise SpecError(f"shape expression: expected at most {_MAX_TEXT} characters, got {len(text)}")
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise SpecError(f"shape expression {text[:80]!r} cannot be read; expected arithmetic, as a0_0*a0_1") from None
    return _expr(tree, text, 0)


def _expr(node: ast.expr, text: str, depth: int) -> Expr:
    if depth > _MAX_DEPTH:
        raise SpecError(f"shape expression {text[:80]!r} is nested more than {_MAX_DEPTH} deep")
    match node:
        case ast.Constant(value=int(n)) if not isinstance(n, bool):
            return const(n)
        case ast.Name(id=name):
            argument_of(name)
            return var(name)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_expr(operand, text, depth + 1)
        case ast.BinOp(left=left, op=op, right=right):
            a, b = _expr(left, text, depth + 1), _expr(right, text, depth + 1)
            match op:
                case ast.Add():
                    return a + b
                case ast.Sub():
                    return a - b
                case ast.Mult():
                    return a * b
                case ast.FloorDiv() | ast.Mod() if b.value is not None and b.value > 0:
                    return a // b.value if isinstance(op, ast.FloorDiv) else a % b.value
        case ast.Call(func=ast.Name(id="min" | "max" as how), args=[left, right], keywords=[]):
            a, b = _expr(left, text, depth + 1), _expr(right, text, depth + 1)
            return minimum(a, b) if how == "min" else maximum(a, b)
    raise SpecError(f"shape expression {text[:80]!r}: expected + - * // % min max of numbers and names like a0_1")


def _count(n: AnyType) -> int:
    if not isinstance(n, int) or isinstance(n, bool) or n < 0:
        raise ValueError(f"{n!r} is no count")
    return n


def _relation(how: AnyType) -> str:
    if how not in RELATIONS:
        raise ValueError(f"{how!r} is none of {', '.join(RELATIONS)}")
    return str(how)


class _Lazy(Mapping[str, int]):
    """The values of names, looked up as they are asked for."""

    def __init__(self, element: Callable[[int, int], int]) -> None:
        self._element = element

    def __getitem__(self, name: str) -> int:
        return self._element(*argument_of(name))

    def __iter__(self) -> AnyType:
        raise TypeError("the names of a shape program's arguments have no end")

    def __len__(self) -> int:
        return 0


def program(
    reads: Sequence[int | None], results: Sequence[Sequence[Expr | int]], checks: Sequence[Check] = ()
) -> ShapeProgram:
    """A program of expressions and numbers."""
    made = tuple(tuple(const(e) if isinstance(e, int) else e for e in r) for r in results)
    return ShapeProgram(tuple(reads), made, tuple(checks))
