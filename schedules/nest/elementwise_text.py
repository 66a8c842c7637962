"""Elementwise expressions as text: `gelu(y + bias[n])` is what runs on every element of an operator's output.

A name alone is a scalar operand, a name with dimensions (`bias[n]`, `r[m, n]`) an operand that is broadcast over the
dimensions it lacks. One of which a part is read has the part's number among its dimensions: of `h[m, 1, n]` every row
is some parts of n elements, and the second is read. The grammar is Python's, cut down to numbers, arithmetic,
comparisons and the functions of the operation table, and is never evaluated as Python. `write(parse(text))` is the one
canonical spelling.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache

import numpy as np

from anytile.core.dtypes import COMPUTED, FLOAT8, MODEL, MODEL_FLOATS, STORED_INTEGERS
from anytile.core.errors import SpecError
from anytile.core.plurals import counted
from anytile.schedules.index.expr import Expr, Var, const, var
from anytile.schedules.nest.nodes import Cast, Literal, Load, Op, Value
from anytile.schedules.nest.operations import OPERATIONS, apply
from anytile.schedules.nest.stored_floats import rounded
from anytile.schedules.nest.traverse import loads, map_value, walk_value

PART = "part"  # the dimension in whose place an expression has the number of a part
LONGEST = 2000
MOST_EXACT = 1 << 53  # up to which every whole number is a number of an expression, which are floats
DEEPEST = 200  # operations inside each other; the text of more cannot be read again
_INFIX = {"add": ("+", 1), "sub": ("-", 1), "mul": ("*", 2), "div": ("/", 2)}
_COMPARED = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}
_AST_OPS: dict[type[ast.AST], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div",
    ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne",
}  # fmt: skip
_NUMBERS = {"inf": math.inf, "nan": math.nan}


def _relu(x: Value) -> Value:
    return Op("max", (x, Literal(0.0)))


def _clip(x: Value, low: Value, high: Value) -> Value:
    return Op("min", (Op("max", (x, low)), high))


def _silu(x: Value) -> Value:
    return Op("mul", (x, Op("sigmoid", (x,))))


# Names for what the table's operations make together.
_MADE: dict[str, tuple[int, Callable[..., Value]]] = {"relu": (1, _relu), "clip": (3, _clip), "silu": (1, _silu)}


@lru_cache(1024)
def parse(text: str) -> Value:
    """The value that a text means; its loads are indexed by dimension names as variables."""
    if len(text) > LONGEST:
        raise SpecError(f"expression of {len(text)} characters: expected at most {LONGEST}")
    try:
        tree = ast.parse(text.strip() if text.isascii() else "", mode="eval")
        made = _value(tree.body, text)
        if depth(made) <= DEEPEST:
            return made
    except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError):
        raise SpecError(f"expression {text!r}: cannot be read; expected one like gelu(y + bias[n])") from None
    raise SpecError(f"expression {text!r}: operations more than {DEEPEST} deep in each other; split it")


def depth(v: Value) -> int:
    """How deep operations stand inside each other."""
    match v:
        case Op(_, args):
            return 1 + max(map(depth, args))
        case Cast(_, value):
            return 1 + depth(value)
        case _:
            return 0


def _value(node: ast.expr, text: str) -> Value:
    match node:
        case ast.Constant(value=bool()):
            pass
        case ast.Constant(value=int() as number) if number > MOST_EXACT and float(number) != number:
            raise SpecError(f"expression {text!r}: no float is {number}; make it an operand, as i in x[d0] + i")
        case ast.Constant(value=int() | float() as number):
            return Literal(float(number))
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return Literal(-float(number))
        case ast.UnaryOp(op=ast.USub(), operand=ast.Name(id=name)) if name in _NUMBERS:
            return Literal(-_NUMBERS[name])
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return Op("neg", (_value(operand, text),))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _AST_OPS:
            return Op(_AST_OPS[type(op)], (_value(left, text), _value(right, text)))
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _AST_OPS:
            return Op(_AST_OPS[type(op)], (_value(left, text), _value(right, text)))
        case ast.Name(id=name):
            return Literal(_NUMBERS[name]) if name in _NUMBERS else Load(name, ())
        case ast.Subscript(value=ast.Name(id=name), slice=index):
            at = [_place(d) for d in (index.elts if isinstance(index, ast.Tuple) else [index])]
            places = tuple(e for e in at if e is not None)
            if len(places) == len(at) and sum(e.value is not None for e in places) < min(2, len(at)):
                return Load(name, places)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
            return _call(name, args, text)
        case _:
            pass
    piece = ast.unparse(node)
    raise SpecError(f"expression {text!r}: {piece!r} is not arithmetic on elements; expected e.g. gelu(y + bias[n])")


def _place(node: ast.expr) -> Expr | None:
    """A dimension of an operand, or the number of a part."""
    match node:
        case ast.Name(id=name) if name != PART:
            return var(name)
        case ast.Constant(value=int() as number) if not isinstance(number, bool):
            return const(number)
        case _:
            return None


def _call(name: str, args: list[ast.expr], text: str) -> Value:
    name = {"and_": "and", "or_": "or", "not_": "not", "where": "select"}.get(name, name)
    arity: int
    make: Callable[..., Value]
    if name in MODEL:
        arity, make = 1, lambda x: Cast(name, x)
    elif name in _MADE:
        arity, make = _MADE[name]
    elif name in OPERATIONS:
        arity, make = OPERATIONS[name].arity, lambda *given: Op(name, given)
    else:
        known = ", ".join(sorted({*_MADE, *OPERATIONS, *MODEL}))
        raise SpecError(f"expression {text!r}: unknown function {name!r}; expected one of {known}")
    if len(args) != arity:
        raise SpecError(f"expression {text!r}: {name} takes {counted(arity, 'argument')}, not {len(args)}")
    return make(*(_value(a, text) for a in args))


def operations(v: Value) -> int:
    """How many operations a value is made of."""
    match v:
        case Op(_, args):
            return 1 + sum(map(operations, args))
        case Cast(_, value):
            return 1 + operations(value)
        case _:
            return 0


def write(v: Value, tightness: int = 0) -> str:
    """The canonical text of a value."""
    match v:
        case Literal(number):
            plain = repr(float(number))
            return plain.removesuffix(".0")
        case Load(name, index):
            return f"{name}[{', '.join(map(str, index))}]" if index else name
        case Op(name, (a, b)) if name in _INFIX:
            sign, level = _INFIX[name]
            body = f"{write(a, level)} {sign} {write(b, level + 1)}"
            return f"({body})" if level < tightness else body
        case Op(name, (a, b)) if name in _COMPARED:
            body = f"{write(a, 1)} {_COMPARED[name]} {write(b, 1)}"
            return f"({body})" if tightness else body
        case Op(name, args):
            spelled = f"{name}_" if name in ("and", "or", "not") else name
            return f"{spelled}({', '.join(map(write, args))})"
        case Cast(dtype, value):
            return f"{dtype}({write(value)})"
        case _:
            raise SpecError(f"{type(v).__name__} has no place in an expression")


def operands(v: Value, text: str) -> dict[str, tuple[str, ...]]:
    """Name and dimensions of everything that is read, in the order of first appearance; `PART` is one of them where
    parts are read."""
    found: dict[str, tuple[str, ...]] = {}
    for load in loads(v):
        dims = tuple(PART if d.isdigit() else d for d in _dims(load))
        if found.setdefault(load.buffer, dims) != dims:
            raise SpecError(f"expression {text!r}: {load.buffer} is read in two ways; give it one list of dimensions")
    return found


def _dims(load: Load) -> Iterator[str]:
    for e in load.index:
        if e.value is not None:
            yield str(e.value)
            continue
        (((atom,), _),) = e.terms
        assert isinstance(atom, Var)
        yield atom.name


def parts_read(v: Value, text: str, parts: int) -> None:
    """Refuse numbers of parts that are not below `parts`."""
    for load in loads(v):
        for e in load.index:
            if e.value is not None and e.value >= parts:
                raise SpecError(
                    f"expression {text!r}: {write(load)} is read where operands have {counted(parts, 'part')}, counted "
                    f"from 0"
                )


def without_parts(v: Value) -> tuple[Value, dict[str, tuple[str, int, int]]]:
    """The value with every part as an operand of its own, and of each such whose part it is, along which axis, and
    which one."""
    found: dict[str, tuple[str, int, int]] = {}

    def load(of: Load) -> Value:
        for axis, e in enumerate(of.index):
            if e.value is not None:
                name = f"{of.buffer}.{e.value}"
                found[name] = of.buffer, axis, e.value
                return Load(name, (*of.index[:axis], *of.index[axis + 1 :]))
        return of

    return map_value(v, load), found


def for_kernels(v: Value, text: str, types: Mapping[str, str] | None = None) -> None:
    """Refuse dtypes that no kernel computes with: in casts, and of operands that are computed with as they lie. A cast
    to 8-bit floats is a rounding.

    With `types`, the dtypes of operands, the whole may be cast to an integer of memory.
    """
    known = ", ".join(COMPUTED)
    inner = v.value if types is not None and isinstance(v, Cast) and v.dtype in STORED_INTEGERS else v
    for part in walk_value(inner):
        if isinstance(part, Cast) and part.dtype not in (*COMPUTED, *FLOAT8):
            raise SpecError(f"expression {text!r}: a cast to {part.dtype}; kernels compute with {known}")
    stored = {name for name, dtype in (types or {}).items() if dtype in STORED_INTEGERS}
    for name in stored & _uncast(inner):
        raise SpecError(
            f"expression {text!r}: {name} is of {(types or {})[name]}, and kernels compute with {known}; write a cast, "
            f"as in int32({name}[...])"
        )


def _uncast(v: Value) -> set[str]:
    """The operands that are read outside of a cast."""
    match v:
        case Load(name, _):
            return {name}
        case Op(_, args):
            return set().union(*map(_uncast, args))
        case Cast(_, value):
            return set() if isinstance(value, Load) else _uncast(value)
        case _:
            return set()


def place(v: Value, load: Callable[[str, tuple[str, ...]], Value]) -> Value:
    """The value with every read of an operand replaced; `load` is told of dimensions, and of a part's number."""
    return map_value(v, lambda found: load(found.buffer, tuple(_dims(found))))


def placed(dims: Iterable[str], at: Callable[[str], Expr]) -> tuple[Expr, ...]:
    """Where an operand is read that `place` tells of."""
    return tuple(const(int(d)) if d.isdigit() else at(d) for d in dims)


def evaluate(v: Value, read: Mapping[str, object]) -> object:
    """The value over whole arrays: `read` has each operand, already broadcastable."""
    match v:
        case Literal(number):
            return number
        case Cast(dtype, value):
            whole = np.asarray(evaluate(value, read))
            made = whole if dtype == "float32" else rounded(whole, dtype)
            return made.astype("float64") if dtype in (*MODEL_FLOATS, *FLOAT8) else made
        case Load(name):
            return read[name]
        case Op(name, args):
            found = apply(name, *(evaluate(a, read) for a in args))
            return np.asarray(found, "float64") if OPERATIONS[name].makes in MODEL_FLOATS else found
        case _:
            raise SpecError(f"{type(v).__name__} has no place in an expression")
