"""Index expressions and conditions as C++ of type int. What is divided is never negative, as positions never are."""

from __future__ import annotations

from collections.abc import Iterable

from anytile.schedules.index.expr import Atom, Expr, Extreme, FloorDiv, Mod, Monomial, Var

_WORDS = """
alignas alignof and asm auto bitand bitor bool break case catch char class compl const constexpr continue decltype
default delete do double else enum explicit export extern false float for friend goto if inline int long mutable
namespace new noexcept not nullptr operator or private protected public register reinterpret_cast return short signed
sizeof static struct switch template this thread throw true try typedef typename union unsigned using virtual void
volatile wchar_t while xor threadIdx blockIdx blockDim gridDim warpSize workspace meeting lane sum piece
"""
_TAKEN = frozenset(_WORDS.split())  # by the language, or by the text of every kernel
LANE = "%lane"  # the lane of a thread in its warp; no name of a nest is like it


def name_text(name: str) -> str:
    """A name of the nest as one of C++."""
    if name == LANE:
        return "lane"
    return f"{name}_" if name in _TAKEN or name.startswith(("at_", "__")) else name


def index_text(e: Expr) -> str:
    """As a sum, large steps first and the constant last, as people write it."""
    if len(e.terms) == 1 and e.terms[0][1] == 1 and len(e.terms[0][0]) == 1:
        return _atom(e.terms[0][0][0])
    return _sum(e.terms) if e.terms else "0"


def operand_text(e: Expr) -> str:
    """The same, in brackets where a product of it needs them."""
    text = index_text(e)
    return text if text.isidentifier() or text.isdigit() else f"({text})"


def condition_text(e: Expr) -> str:
    """`e >= 0` with what is subtracted on the other side: `row < m` for m - 1 - row."""
    if e.value is not None:
        return "true" if e.value >= 0 else "false"
    plus = [(m, c) for m, c in e.terms if m and c > 0]
    minus = [(m, -c) for m, c in e.terms if m and c < 0]
    if e.offset < 0 and minus:
        strict, rest = "<", e.offset + 1
    else:
        strict, rest = "<=", e.offset
    left, right = (minus, plus) if rest >= 0 else ([*minus, ((), -rest)], plus)
    if rest > 0:
        right = [*right, ((), rest)]
    if not minus:  # nothing but a bound from below
        return f"{_sum(plus)} >= {-e.offset}"
    return f"{_sum(left) or '0'} {strict} {_sum(right) or '0'}"


def all_text(conditions: Iterable[Expr]) -> str:
    return " && ".join(condition_text(e) for e in conditions) or "true"


def _sum(terms: Iterable[tuple[Monomial, int]]) -> str:
    text = ""
    for m, c in sorted(terms, key=lambda t: (not t[0], -abs(t[1]))):
        body = " * ".join(_atom(a) if i == 0 else _factor(a) for i, a in enumerate(m))
        piece = str(abs(c)) if not m else body if abs(c) == 1 else f"{body} * {abs(c)}"
        text += (" - " if c < 0 else " + ") + piece if text else ("-" if c < 0 else "") + piece
    return text


def _divided(e: Expr) -> str:
    """What stands before a division; another one needs no brackets there."""
    match e.terms:
        case ((((FloorDiv() | Mod()) as a,), 1),):
            return _atom(a)
        case _:
            return operand_text(e)


def _factor(a: Atom) -> str:
    return f"({_atom(a)})" if isinstance(a, FloorDiv | Mod) else _atom(a)


def _atom(a: Atom) -> str:
    match a:
        case Var(name):
            return name_text(name)
        case FloorDiv(of, by):
            return f"{_divided(of)} / {by}"
        case Mod(of, by):
            return f"{_divided(of)} % {by}"
        case Extreme(kind, x, y):
            return f"at_{kind}({index_text(x)}, {index_text(y)})"


def halves(args: str) -> tuple[str, str]:
    """Two arguments, at the comma that stands in no brackets."""
    depth = 0
    for i, letter in enumerate(args):
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            return args[:i], args[i + 2 :]
    return args, ""


def divisible(e: Expr, by: int) -> bool:
    """Whether a position is a multiple, whatever the variables are."""
    return all(c % by == 0 for _, c in e.terms)
