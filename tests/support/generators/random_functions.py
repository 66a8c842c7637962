"""Random functions of torch, of a few inputs and steps, with the sizes that they are known at."""

from __future__ import annotations

import random
from collections.abc import Sequence

from tests.support.generators.functions import arithmetic, control, images, layers, order, views, writes
from tests.support.generators.functions.function import Dim, Function
from tests.support.generators.functions.growth import Growth

ROOMS = (arithmetic, views, layers, images, order, writes, control)
STEPS = {step.__name__: (step, weight) for room in ROOMS for step, weight in room.STEPS.items()}
INPUTS: tuple[tuple[Dim, ...], ...] = (
    ("n", 8), ("n", 16), ("b", "n", 8), ("b", "n", 12), ("b", 4, "n", "m"), (2, 3, "n", "m"), ("n", "m"), ("n",),
    ("b", "n", "m"), ("b", 8, "n"), (1, "n", 16), ("b", 4, 7, 7), ("n", "n"), ("m", 8), ("b", 1, "n"), (3, 4),
)  # fmt: skip
SIZES = (1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 23, 31)
WAYS = 3  # sizes of a case
TRIES = 12  # of steps, for each that is asked for
LAID = (
    "base.transpose(0, -1)", "base.mT", "base[..., ::2]", "base[..., :1].expand(base.shape)", "base.flip(0)[1:]",
    "base[0].expand(base.shape)", "base.mT.contiguous().mT", "torch.as_strided(base, base.shape, base.stride())",
)  # fmt: skip
DTYPES = ("int64", "int64", "float64", "bool", "float16", "int32")


def any_sizes(rng: random.Random) -> list[dict[str, int]]:
    """Of the three symbols, in so many ways, which may be the same twice, but not always."""
    found: dict[str, list[int]] = {}
    for name in "bnm":
        known = [s for s in SIZES if s <= {"b": 4, "n": 31, "m": 16}[name]]
        while len(set(drawn := [rng.choice(known) for _ in range(WAYS)])) == 1:
            pass
        found[name] = drawn
    return [{name: sizes[i] for name, sizes in found.items()} for i in range(WAYS)]


def any_input(g: Growth) -> None:
    """Mostly floats as they lie; else other dtypes, a number, or a view of what lies otherwise."""
    by_name = g.chance(0.08)
    if g.inputs and g.chance(0.12):
        dtype = g.pick("float32", "int64")
        g.input((), dtype, "base" if g.chance(0.5) else "base.item()", by_name)
        return
    dtype = g.rng.choice(DTYPES) if g.inputs and g.chance(0.3) else "float32"
    g.input(g.rng.choice(INPUTS), dtype, g.rng.choice(LAID) if g.chance(0.2) else "base", by_name)


def any_function(rng: random.Random, steps: int, names: Sequence[str] = ()) -> Function:
    """One of about so many steps, each at what was made last or anything before. `names` are the steps it has."""
    g = Growth(rng, any_sizes(rng))
    count = rng.choice((1, 1, 2, 2, 3))
    while len(g.inputs) < count or not g.values:
        any_input(g)
    known = {name: STEPS[name] for name in names or STEPS}
    for _ in range(steps):
        for _ in range(TRIES):
            (g.kind,) = rng.choices(list(known), [weight for _, weight in known.values()])
            before, shown = len(g.statements), list(g.values.values())
            x = shown[-1] if g.chance(0.5) else rng.choice(shown)
            with g.whole():
                known[g.kind][0](g, x)
            if len(g.statements) > before:
                break
    return g.grown()
