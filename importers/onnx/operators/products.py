"""ONNX's products: of matrices, and what Einsum writes."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

from anytile.importers.core.graph import Refusal, Value
from anytile.importers.core.small_floats import product_with_small_floats
from anytile.importers.core.symbolic import equal
from anytile.importers.onnx.operators.grouped import product_in_few_bits
from anytile.importers.onnx.operators.scaled import product_of_integers, transposed
from anytile.importers.onnx.proto.call import Call, Row
from anytile.schedules.index.expr import Expr, const, maximum, minimum


def _joined(a: Sequence[Expr], b: Sequence[Expr]) -> list[Expr]:
    """What two shapes of batches make together."""
    count = max(len(a), len(b))
    first = [const(1)] * (count - len(a)) + list(a)
    second = [const(1)] * (count - len(b)) + list(b)
    made = []
    for x, y in zip(first, second, strict=True):
        if x == y or y.value == 1:
            made.append(x)
        elif x.value == 1 or (x.value is None and y.value is not None):
            made.append(y)
        elif y.value is None and x.value is not None:
            made.append(x)
        else:
            made.append(maximum(x, y) * minimum(minimum(x, y), 1))
    return made


def matmul(c: Call, a: Value, b: Value) -> Value:
    """numpy's product of any ranks."""
    if not a.rank or not b.rank:
        raise Refusal(f"MatMul of {a.shaped} and {b.shaped}: expected no scalar")
    if a.rank == 1:
        made = matmul(c, c.reshape(a, (1, *a.dims)), b)
        return c.reshape(
            made, (*made.dims[: made.rank - (2 if b.rank > 1 else 1)], *made.dims[made.rank - (b.rank > 1) :])
        )
    if b.rank == 1:
        made = matmul(c, a, c.reshape(b, (*b.dims, 1)))
        return c.reshape(made, made.dims[:-1])
    if b.rank == 2 and b.number is not None:
        return c.do("dense", a, c.transpose(b, (1, 0)))
    if a.rank == b.rank == 2:
        return c.do("dense", a, c.do("transpose", b, perm=(1, 0)))
    if b.rank == 2:
        return c.do("batch_matmul", a, b, rhs="kn")
    batch = _joined(a.dims[:-2], b.dims[:-2])
    if list(a.dims[:-2]) != batch:
        a = c.broadcast(a, (*batch, *a.dims[-2:]))
    if list(b.dims[:-2]) != batch:
        b = c.broadcast(b, (*batch, *b.dims[-2:]))
    return c.do("batch_matmul", a, b)


def _matmul(c: Call) -> Value:
    return product(c, c.x, c[1])


def product(c: Call, a: Value, b: Value) -> Value:
    """numpy's product, of whole numbers times a scale as one of those, of few bits by blocks as one with these."""
    made = None
    if b.rank == 2:
        made = product_of_integers(c, a, b, functools.partial(matmul, c), 1) or _with_narrow(c, a, b, 1)
    return made or matmul(c, a, b)


def _with_narrow(c: Call, a: Value, b: Value, columns: int) -> Value | None:
    """A product of floats with a dequantised weight as it lies; None where no operator has it so."""
    return product_with_small_floats(c, a, b, columns) or product_in_few_bits(c, a, b, columns)


def gemm(c: Call) -> Value:
    """alpha a b + beta bias, of matrices that may be transposed before."""
    a, b, bias = c.x, c[1], c.maybe(2)
    for matrix in (a, b):
        if matrix.rank != 2:
            raise Refusal(f"{matrix.dtype}{matrix.shaped}; expected a matrix")
    if c.attr("transA"):
        a = c.transpose(a, (1, 0))
    if not c.attr("transB"):
        b = transposed(c, b, (1, 0))
    alpha, beta = c.attr("alpha", 1.0), c.attr("beta", 1.0)
    made = product_of_integers(c, a, b, functools.partial(c.do, "dense"), 0) or _with_narrow(c, a, b, 0)
    if made is None:
        made = c.do("dense", a, b if alpha == 1.0 else c.do("multiply", b, c.number(alpha, b)))
    elif alpha != 1.0:
        made = c.do("multiply", made, c.number(alpha, made))
    if bias is None or beta == 0.0:
        return made
    return c.do("add", made, bias if beta == 1.0 else c.do("multiply", bias, c.number(beta, bias)))


def _einsum(c: Call) -> Value:
    """One or two tensors at a time, each index at most once in a tensor."""
    text = str(c.attr("equation")).replace(" ", "")
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    if len(terms) != len(c.inputs):
        raise Refusal(f"Einsum {text!r} of {len(c.inputs)} tensors")
    spread = max(
        (t.rank - len(s.replace("...", "")) for t, s in zip(c.tensors, terms, strict=True) if "..." in s), default=0
    )
    extra = "".join(chr(ord("0") + i) for i in range(spread))

    def letters(term: str, rank: int | None) -> str:
        own = spread if rank is None else rank - len(term.replace("...", ""))
        return term.replace("...", extra[len(extra) - own :] if own else "")

    names = [letters(s, t.rank) for s, t in zip(terms, c.tensors, strict=True)]
    if not arrow:
        plain = "".join(names)
        right = extra + "".join(sorted(n for n in set(plain) - set(extra) if plain.count(n) == 1))
    else:
        right = letters(right, None)
    if any(len(n) != t.rank for n, t in zip(names, c.tensors, strict=True)):
        raise Refusal(f"Einsum {text!r} of {', '.join(str(t.shaped) for t in c.tensors)}")
    (made, own), *others = (_of_diagonals(c, t, n) for t, n in zip(c.tensors, names, strict=True))
    for i, (other, its) in enumerate(others):
        later = "".join(names[i + 2 :]) + right
        made, own = _contracted(c, made, own, other, its, later)
    gone = tuple(i for i, n in enumerate(own) if n not in right)
    if gone:
        made = c.do("sum", made, axis=gone)
        own = "".join(n for n in own if n in right)
    if sorted(own) != sorted(right):
        raise Refusal(f"Einsum {text!r}: the result has an index that no tensor has")
    return c.transpose(made, [own.index(n) for n in right])


def _of_diagonals(c: Call, x: Value, names: str) -> tuple[Value, str]:
    """Dimensions of one name as one: what is beside the diagonal is dropped, and the rest summed."""
    twice = next((n for n in names if names.count(n) > 1), None)
    if twice is None:
        return x, names
    first = names.index(twice)
    second = names.index(twice, first + 1)
    size, other = x.dims[first], x.dims[second]
    if equal(size, other) is False:
        raise Refusal(f"Einsum of the diagonal of {x.shaped}; expected that dimensions {first} and {second} are equal")
    if size != other:  # as many elements, so that a tensor whose sizes differ is refused when it runs
        x = c.reshape(x, (*x.dims[:second], size, *x.dims[second + 1 :]))
    places = [c.positions(x.dims[i]) for i in (first, second)]
    a, b = (c.reshape(p, (*p.dims, *[1] * (x.rank - i - 1))) for p, i in zip(places, (first, second), strict=True))
    kept = c.do("where", c.do("equal", a, b), x, c.number(0, x))
    return _of_diagonals(c, c.do("sum", kept, axis=(second,)), names[:second] + names[second + 1 :])


def _contracted(c: Call, a: Value, own: str, b: Value, its: str, later: str) -> tuple[Value, str]:
    """Two tensors as a product of batches; what neither the other nor anybody later has is summed before."""

    def summed(x: Value, names: str, others: str) -> tuple[Value, str]:
        gone = tuple(i for i, n in enumerate(names) if n not in others and n not in later)
        return (
            (c.do("sum", x, axis=gone), "".join(n for i, n in enumerate(names) if i not in gone))
            if gone
            else (x, names)
        )

    (a, own), (b, its) = summed(a, own, its), summed(b, its, own)
    batch = [n for n in own if n in its and n in later]
    inner = [n for n in own if n in its and n not in later]
    rows, columns = [n for n in own if n not in its], [n for n in its if n not in own]

    def of(x: Value, names: str, group: Sequence[str]) -> Expr:
        return math.prod((x.dims[names.index(n)] for n in group), start=const(1))

    def sizes(x: Value, names: str, group: Sequence[str]) -> list[Expr]:
        return [x.dims[names.index(n)] for n in group]

    left = c.transpose(a, [own.index(n) for n in (*batch, *rows, *inner)])
    right = c.transpose(b, [its.index(n) for n in (*batch, *inner, *columns)])
    lead, k = of(a, own, batch), of(a, own, inner)
    left = c.reshape(left, (lead, of(a, own, rows), k))
    right = c.reshape(right, (lead, of(b, its, inner), of(b, its, columns)))
    made = c.do("batch_matmul", left, right)
    whole = (*sizes(a, own, batch), *sizes(a, own, rows), *sizes(b, its, columns))
    return c.reshape(made, whole), "".join((*batch, *rows, *columns))


MOST_ROWS = 4  # of matrices whose determinants are written out


def _determinant(c: Call) -> Value:
    return determinant(c, c.x)


def determinant(c: Call, x: Value) -> Value:
    """By the first row: its elements times the determinants of what is left, by turns added and subtracted."""
    if x.rank < 2:
        raise Refusal(f"{c.op} of {x.shaped}: expected matrices")
    size = c.size(x, x.rank - 1)
    if c.size(x, x.rank - 2) != size or not 0 < size <= MOST_ROWS:
        raise Refusal(f"{c.op} of {x.shaped}: expected square matrices of 1 to {MOST_ROWS} rows")

    def element(row: int, column: int) -> Value:
        cut = c.cut(c.cut(x, x.rank - 2, row, row + 1), x.rank - 1, column, column + 1)
        return c.reshape(cut, x.dims[:-2])

    def of(row: int, columns: tuple[int, ...]) -> Value:
        if len(columns) == 1:
            return element(row, columns[0])
        total: Value | None = None
        for at, column in enumerate(columns):
            part = c.do("multiply", element(row, column), of(row + 1, columns[:at] + columns[at + 1 :]))
            total = part if total is None else c.do("subtract" if at % 2 else "add", total, part)
        assert total is not None
        return total

    return of(0, tuple(range(size)))


ROWS = (
    Row("Det", _determinant),
    Row("MatMul", _matmul),
    Row("Gemm", gemm),
    Row("Einsum", _einsum),
)
