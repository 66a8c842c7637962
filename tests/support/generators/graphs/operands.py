"""What steps ask of a graph: other operands that fit, axes, and that they fit themselves."""

from __future__ import annotations

import numpy as np

from tests.support.generators.graphs.growth import FLOATS, Dropped, Growth, Value


def need(holds: bool) -> None:
    if not holds:
        raise Dropped


def any_axis(g: Growth, x: Value) -> int:
    need(x.rank > 0)
    return g.rng.randrange(x.rank)


def signed(g: Growth, x: Value, axis: int) -> int:
    return axis - x.rank if g.chance(0.4) else axis


def other_of(g: Growth, x: Value) -> Value:
    """Another operand that may broadcast with this one: a value of before, or a constant."""
    alike = [v for v in g.values.values() if v.dtype == x.dtype and v is not x and not v.is_const and fits(v, x)]
    if alike and g.chance(0.6):
        return g.rng.choice(alike)
    shapes: list[tuple[int, ...]] = [()]
    if x.rank and x.dim(-1) is not None:
        shapes.append((x.dim(-1) or 0,))
    if x.rank >= 2 and x.dim(1) is not None:
        shapes.append((x.dim(1) or 0, *(1,) * (x.rank - 2)))
    shape = g.rng.choice(shapes)
    if x.dtype in FLOATS:
        return g.floats(*shape, like=x)
    return g.const(g.numbers(shape, x.dtype))


def fits(a: Value, b: Value) -> bool:
    try:
        for one, other in zip(a.at, b.at, strict=True):
            np.broadcast_shapes(one.shape, other.shape)
    except ValueError:
        return False
    return True
