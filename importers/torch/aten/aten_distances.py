"""ATen's distances between vectors."""

from __future__ import annotations

from dataclasses import replace

from anytile.importers.core.graph import Graph, Value
from anytile.importers.torch.aten.aten_elementwise import cast_to
from anytile.importers.torch.aten.aten_products import matmul
from anytile.importers.torch.aten.aten_reductions import length_of
from anytile.importers.torch.graph.aten_call import Call, Row

_MOST_APART = 25  # rows, beyond which torch multiplies: that is faster, and not as close for those that are near
_BY_PRODUCTS, _APART = 1, 2  # torch's numbers of the ways, one of which a program may ask for


def _all_pairs(c: Call) -> Value:
    """How far each row is from each of other rows, in each batch."""
    a, b, order = c["x1"], c["x2"], float(c.arg("p", 2.0))
    mode = c.arg("compute_mode") or 0
    if order != 2 or mode == _APART:
        return _pairs_apart(c, a, b, order)
    if mode == _BY_PRODUCTS:
        return _by_products(c, a, b)
    sizes = [a.dims[-2], b.dims[-2]]
    if any((size.value or 0) > _MOST_APART for size in sizes):
        return _by_products(c, a, b)
    unknown = [c.do("greater", c.scalar(size), _MOST_APART) for size in sizes if size.value is None]
    if not unknown:
        return _pairs_apart(c, a, b, order)
    many = c.do("logical_or", *unknown) if len(unknown) == 2 else unknown[0]

    def by_products(graph: Graph) -> list[Value]:
        return [_by_products(replace(c, graph=graph), a, b)]

    def apart(graph: Graph) -> list[Value]:
        return [_pairs_apart(replace(c, graph=graph), a, b, order)]

    (made,) = c.graph.if_(many, by_products, apart)
    return made


def _pairs_apart(c: Call, a: Value, b: Value, order: float) -> Value:
    rows = c.reshape(a, (*a.dims[:-1], 1, a.dims[-1]))
    others = c.reshape(b, (*b.dims[:-2], 1, *b.dims[-2:]))
    apart = c.do("subtract", rows, others)
    return length_of(c, apart, order, (apart.rank - 1,))


def _by_products(c: Call, a: Value, b: Value) -> Value:
    """The root of |a|^2 + |b|^2 - 2 a b."""
    own, other = (c.do("sum", c.do("square", v), axis=(v.rank - 1,), keepdims=True) for v in (a, b))
    swapped = [*range(b.rank - 2), b.rank - 1, b.rank - 2]
    both = c.do("add", own, c.transpose(other, swapped))
    twice = c.do("multiply", matmul(c, a, c.transpose(b, swapped)), c.number(2, a))
    return c.do("sqrt", c.do("maximum", c.do("subtract", both, twice), c.number(0, a)))


def _distance(c: Call) -> Value:
    """The length of the difference of two tensors."""
    apart = c.do("subtract", *(cast_to(c, c[name], c.dtype) for name in ("self", "other")))
    return length_of(c, apart, float(c.arg("p", 2)), range(apart.rank))


ROWS = (
    *(Row(name, _all_pairs) for name in ("_cdist_forward", "cdist")),
    Row("dist", _distance),
)
