"""Random ONNX graphs of a few inputs and steps, with the sizes that they are known at."""

from __future__ import annotations

import random
from collections.abc import Sequence

from tests.support.generators.graphs import arithmetic, branches, images, layers, views
from tests.support.generators.graphs.growth import Dim, Grown, Growth

ROOMS = (arithmetic, layers, views, images, branches)
STEPS = {step.__name__.rstrip("_"): (step, weight) for room in ROOMS for step, weight in room.STEPS.items()}
INPUTS: tuple[tuple[Dim, ...], ...] = (
    ("n", 8), ("n", 16), ("b", "n", 8), ("b", "n", 12), (1, "n", 16), ("b", 4, "n", "m"), (1, 3, "n", "m"),
    ("b", 8, "n"), ("n", "m"), ("n",), ("b", "n", "m"), (2, "n", 6), ("b", 4, 7, 7), ("n", "n"), ("m", 8),
    ("b", 1, "n"),
)  # fmt: skip
SIZES = (1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 23, 31, 32, 33)
WAYS = 3  # sizes of a case
TRIES = 12  # of steps, for each that is asked for


def any_sizes(rng: random.Random) -> list[dict[str, int]]:
    """Of the three symbols, in so many ways: never all the same, as such a dimension would look constant."""
    found: dict[str, list[int]] = {}
    for name in "bnm":
        most = 4 if name == "b" else 33
        while len(set(drawn := [rng.choice([s for s in SIZES if s <= most]) for _ in range(WAYS)])) == 1:
            pass
        found[name] = drawn
    return [{name: sizes[i] for name, sizes in found.items()} for i in range(WAYS)]


def any_graph(
    rng: random.Random, steps: int, names: Sequence[str] = (), precision: str = "float32", first: str | None = None
) -> Grown:
    """A graph of about so many steps, each at what was made last or anything before. `names` are the steps it has,
    `first` is the one that it begins with, `precision` what is computed of float32."""
    g = Growth(rng, any_sizes(rng), precision)
    for _ in range(rng.choice((1, 1, 2, 2, 3))):
        g.input(rng.choice(INPUTS), "float16" if g.chance(0.06) else "int64" if g.chance(0.04) else "float32")
    known, weights = zip(*(STEPS[name] for name in names or STEPS), strict=True)
    for i in range(steps):
        for _ in range(TRIES):
            (step,) = [STEPS[first][0]] if first and not i else rng.choices(known, weights)
            before = len(g.nodes)
            shown = [v for v in g.values.values() if not v.is_const]
            x = shown[-1] if g.chance(0.5) else rng.choice(shown)
            with g.whole():
                step(g, x)
            if len(g.nodes) > before:
                break
    return g.grown()
