"""Shape programs: what a shape kernel computes and what a kernel's symbols are, as index expressions with a text form.

A program reads elements of int64 arguments, `a0_1` being element 1 of argument 0, and makes the elements of its
results. Its checks are what type inference could not decide: two sizes that must be equal, or broadcast; each carries
the sentence that says where in the model it is from. Evaluated here in Python; the native engine
takes the same steps (see `sizes`).
"""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any as AnyType

from anytile.core.errors import ArgumentError, SpecError
from anytile.schedules.index.expr import Atom, Expr, Extreme, FloorDiv, Mod, const, maximum, minimum, var
from anytile.vm.program.sizes import WHOLE

RELATIONS = ("==", "broadcast", "<=")
_MAX_TEXT = 1 << 16
_MAX_DEPTH = 200
MAX_WORK = 1 << 17  # atoms and terms that reading one expression may handle: products of sums grow without it
ALL_WORK = 1 << 20  # the same of all expressions of an executable
_MAX_BITS = 256  # of a number; that a size has too many is said when it is computed
_WANTED = {"==": "equal sizes", "broadcast": "sizes that broadcast", "<=": "a size of at most the other"}
_MAX_DIGITS = 9  # of an argument or an element


@dataclass(frozen=True, slots=True)
class Check:
    """`left relation right`, or an error that says `where` and what `shapes` are, those that the operator was given.

    Sizes broadcast where they are equal or one is 1.
    """

    left: Expr
    relation: str
    right: Expr
    where: str
    shapes: tuple[tuple[Expr, ...], ...] = ()

    @property
    def exprs(self) -> tuple[Expr, ...]:
        return (self.left, self.right, *(d for shape in self.shapes for d in shape))

    def rewritten(self, change: Callable[[Expr], Expr]) -> Check:
        """The check of other names."""
        shapes = tuple(tuple(map(change, shape)) for shape in self.shapes)
        return replace(self, left=change(self.left), right=change(self.right), shapes=shapes)

    def failed(self, left: int, right: int, values: Mapping[str, int]) -> ArgumentError:
        """The error of a check that does not hold, at the values of names."""
        try:
            met = " and ".join(str(tuple([WHOLE.total(d, values) for d in shape])) for shape in self.shapes)
        except ArgumentError:
            met = ""  # sizes that are none; the two numbers say enough
        wanted, got = _WANTED[self.relation], f"{left} and {right}"
        if self.relation == "<=" and self.left.value is not None:
            wanted, got = f"at least {left}", str(right)
        elif self.relation == "<=" and self.right.value is not None:
            wanted, got = f"at most {right}", str(left)
        said = f"expected {wanted}, got {got}{met and f' of the shapes {met}'}"
        return ArgumentError(f"{self.where}: {said}; pass {'inputs whose shapes agree' if met else 'other numbers'}")


@dataclass(frozen=True, slots=True)
class ShapeProgram:
    """`reads` is how many elements each argument has; None where the program does not care."""

    reads: tuple[int | None, ...]
    results: tuple[tuple[Expr, ...], ...]
    checks: tuple[Check, ...] = ()

    @property
    def exprs(self) -> list[Expr]:
        """All that it computes, and what errors say of shapes."""
        return [e for r in self.results for e in r] + [e for c in self.checks for e in c.exprs]

    def __post_init__(self) -> None:
        for name in sorted({name for e in self.exprs for name in e.names}):
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
                "checks": [
                    [str(c.left), c.relation, str(c.right), c.where, [[str(d) for d in shape] for shape in c.shapes]]
                    for c in self.checks
                ],
            }
        )

    @classmethod
    def parse(cls, text: str, work: Work | None = None) -> ShapeProgram:
        """Read a text that anybody may have written."""
        work = Work(ALL_WORK) if work is None else work
        try:
            d = json.loads(text)
            reads = tuple(None if n is None else _count(n) for n in d["reads"])
            results = tuple(tuple(parse(str(e), work) for e in r) for r in d["results"])
            checks = tuple(
                Check(parse(str(a), work), _relation(how), parse(str(b), work), str(where), _shapes(shapes, work))
                for a, how, b, where, shapes in d["checks"]
            )
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            raise SpecError(f"a shape program cannot be read: {type(error).__name__}: {error}") from None
        return cls(reads, results, checks)

    def evaluate(self, element: Callable[[int, int], int]) -> list[list[int]]:
        """The results, `element(argument, place)` being what the program reads; a failed check is an ArgumentError, as
        is a size that 64 bits do not hold."""
        seen = _Lazy(element)
        for check in self.checks:
            left, right = WHOLE.total(check.left, seen), WHOLE.total(check.right, seen)
            if not holds(check.relation, left, right):
                raise check.failed(left, right, seen)
        return [[WHOLE.total(e, seen) for e in result] for result in self.results]


def holds(relation: str, left: int, right: int) -> bool:
    if relation == "<=":
        return left <= right
    return left == right or (relation == "broadcast" and (left == 1 or right == 1))


def broadcast(left: Expr, right: Expr) -> Expr:
    """The size that two sizes broadcast to, given that they do."""
    return minimum(left, 1) * minimum(right, 1) * maximum(left, right)


def argument(index: int, element: int) -> Expr:
    """Element or dimension `element` of argument `index`."""
    return var(f"a{index}_{element}")


def argument_of(name: str) -> tuple[int, int]:
    """The argument and element that a name like a0_1 means."""
    index, _, element = name[1:].partition("_")
    if name[:1] != "a" or not all(n.isascii() and n.isdigit() and len(n) <= _MAX_DIGITS for n in (index, element)):
        raise SpecError(f"shape expression: expected a name like a0_1 (argument 0, element 1), got {name[:80]!r}")
    return int(index), int(element)


class Work:
    """How much reading expressions may still handle."""

    def __init__(self, most: int) -> None:
        self.left = most

    def pay(self, work: int, text: str) -> None:
        self.left -= work
        if self.left < 0:
            said = "has too many terms, or those before it have"
            raise SpecError(f"shape expression {text[:80]!r} {said}; write it with fewer products of sums")


def parse(text: str, all_work: Work | None = None) -> Expr:
    """An expression of + - * // % min max, whole numbers and names like a0_1; anybody may have written it. `all_work`
    is that of others, too, which are read with it."""
    if len(text) > _MAX_TEXT:
        raise SpecError(f"shape expression: expected at most {_MAX_TEXT} characters, got {len(text)}")
    if all_work is not None:
        all_work.pay(1 + len(text) // 8, text)  # what Python's parser does
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise SpecError(f"shape expression {text[:80]!r} cannot be read; expected arithmetic, as a0_0*a0_1") from None
    return _Reading(text, all_work).expr(tree, 0)


class _Reading:
    """One text on its way to an expression: every step is paid for before it is done."""

    def __init__(self, text: str, all_work: Work | None) -> None:
        self.text, self.work, self.all_work = text, Work(MAX_WORK), all_work

    def expr(self, node: ast.expr, depth: int) -> Expr:
        if depth > _MAX_DEPTH:
            raise SpecError(f"shape expression {self.text[:80]!r} is nested more than {_MAX_DEPTH} deep")
        found = self._made(node, depth + 1)
        if any(abs(c) >> _MAX_BITS for _, c in found.terms):
            raise SpecError(f"shape expression {self.text[:80]!r}: expected numbers of at most {_MAX_BITS} bits")
        return found

    def _made(self, node: ast.expr, depth: int) -> Expr:
        match node:
            case ast.Constant(value=int(n)) if not isinstance(n, bool):
                return const(n)
            case ast.Name(id=name):
                argument_of(name)
                return var(name)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self.expr(operand, depth)
            case ast.BinOp(left=left, op=op, right=right):
                a, b = self.expr(left, depth), self.expr(right, depth)
                match op:
                    case ast.Add():
                        self._pay(weight(a) + weight(b))
                        return a + b
                    case ast.Sub():
                        self._pay(weight(a) + weight(b))
                        return a - b
                    case ast.Mult():
                        self._pay(len(a.terms) * weight(b) + len(b.terms) * weight(a))
                        return a * b
                    case ast.FloorDiv() | ast.Mod() if b.value is not None and b.value > 0:
                        self._pay(2 * weight(a))
                        return a // b.value if isinstance(op, ast.FloorDiv) else a % b.value
            case ast.Call(func=ast.Name(id="min" | "max" as how), args=[left, right], keywords=[]):
                a, b = self.expr(left, depth), self.expr(right, depth)
                self._pay(2 * (weight(a) + weight(b)))
                return minimum(a, b) if how == "min" else maximum(a, b)
        text = self.text[:80]
        raise SpecError(f"shape expression {text!r}: expected + - * // % min max of numbers and names like a0_1")

    def _pay(self, work: int) -> None:
        self.work.pay(work, self.text)
        if self.all_work is not None:
            self.all_work.pay(work, self.text)


def weight(e: Expr) -> int:
    """How much there is to an expression: its terms and atoms, those inside of atoms too."""
    return sum(1 + len(m) + sum(weight(x) for atom in m for x in _inside(atom)) for m, _ in e.terms)


def joint_weight(exprs: Iterable[Expr]) -> int:
    """How much there is to computing expressions together: what several hold is computed once, and to round takes as
    long as four sums."""
    total, seen, waiting = 0, set[Expr | Atom](), list(exprs)
    while waiting:
        e = waiting.pop()
        if e in seen:
            continue
        seen.add(e)
        for monomial, _ in e.terms:
            total += 1 + len(monomial)
            new = set(monomial) - seen
            seen |= new
            total += 3 * sum(isinstance(atom, FloorDiv | Mod) for atom in new)
            waiting += [x for atom in new for x in _inside(atom)]
    return total


def _inside(atom: Atom) -> tuple[Expr, ...]:
    match atom:
        case FloorDiv(of, _) | Mod(of, _):
            return (of,)
        case Extreme(_, a, b):
            return a, b
    return ()


def _count(n: AnyType) -> int:
    if not isinstance(n, int) or isinstance(n, bool) or n < 0:
        raise ValueError(f"{n!r} is no count")
    return n


def _shapes(said: AnyType, work: Work) -> tuple[tuple[Expr, ...], ...]:
    return tuple(tuple(parse(str(d), work) for d in shape) for shape in said)


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
