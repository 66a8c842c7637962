"""What steps ask of a function: other operands that fit, axes, and texts of shapes."""

from __future__ import annotations

import torch

from tests.support.generators.functions.growth import Growth, Value, need


def any_axis(g: Growth, x: Value) -> int:
    """From the front, or from the back, as a text of torch may have it."""
    need(x.rank > 0)
    axis = g.rng.randrange(x.rank)
    return axis - x.rank if g.chance(0.5) else axis


def last(x: Value) -> int:
    """The last dimension, where it is known."""
    need(x.rank > 0 and x.dim(-1) > 0)
    return x.dim(-1)


def before(x: Value, axis: int) -> str:
    """What stands before an axis in brackets."""
    return ":, " * (axis % x.rank)


def shape(x: Value) -> list[str]:
    return [f"{x}.shape[{i}]" for i in range(x.rank)]


def any_value(g: Growth) -> Value:
    return g.rng.choice(list(g.values.values()))


def alike(g: Growth, x: Value) -> Value:
    """One of the same dtype and shape, which may be the same."""
    return g.rng.choice(
        [
            v
            for v in g.values.values()
            if v.dtype == x.dtype and all(a.shape == b.shape for a, b in zip(v.at, x.at, strict=True))
        ]
    )


def ranked(g: Growth, x: Value) -> Value:
    """One of the same dtype and rank, which may be the same."""
    return g.rng.choice([v for v in g.values.values() if (v.dtype, v.rank) == (x.dtype, x.rank)])


def other_of(g: Growth, x: Value) -> str:
    """Another operand that may broadcast with this one: a value, a constant, a number."""
    fitting = [v for v in g.values.values() if fits(v, x)]
    if fitting and g.chance(0.6):
        return str(g.rng.choice(fitting))
    if x.is_float and x.dim(-1) and g.chance(0.4):
        return g.floats(x.dim(-1), like=x)
    if x.is_float and x.rank >= 3 and x.dim(1) and g.chance(0.4):
        return g.floats(x.dim(1), *(1,) * (x.rank - 2), like=x)
    return str(g.pick("2", "0.5", "1.5", "-1", "3"))


def fits(a: Value, b: Value) -> bool:
    try:
        for one, other in zip(a.at, b.at, strict=True):
            torch.broadcast_shapes(one.shape, other.shape)
    except RuntimeError:
        return False
    return True
