"""Channels normalised in groups are sums over images as they lie; what only looks like it stays as it is."""

from __future__ import annotations

from typing import Any as AnyType

import numpy as np
import pytest

from anytile.compiler.ir.nodes import is_operator_call
from anytile.compiler.ir.traverse import nodes
from tests.support.cases.compiled_modules import Compiled, check, compile_text, random

MEAN = "mean({}, axis=(2,), keepdims=true)"
UNIT = f"let d = subtract(r, {MEAN.format('r')}); let u = multiply(d, rsqrt(add({MEAN.format('square(d)')}, 0.001)))"


def module(
    images: str, groups: int, weighed: str = "u", unit: str = UNIT, back: str = "", **constants: AnyType
) -> Compiled:
    """Images whose channels are normalised in groups, flattened as exporters do it."""
    rank = images.count(",") + 1
    channels = int(images.split(",")[1])
    rest = "*".join((str(channels // groups), *(f"d{i}" for i in range(rank + 2, 2 * rank))))
    back = back or ", ".join(f"d{i}" for i in range(3, rank + 3))
    used = {name: array for name, array in constants.items() if f"${name}" in weighed}
    return compile_text(
        f"""def main(x: Tensor[({images}), float32]) {{
            let r = reshape_sized(x, x, sizes="d{rank}, {groups}, {rest}"); {unit};
            let w = {weighed}; reshape_sized(w, x, sizes="{back}") }}""",
        **used,
    )


def flattened(made: Compiled) -> bool:
    """Whether something is flattened still where groups were matched."""
    main = dict(made.stages)["match_group_norms"].main
    return any(
        is_operator_call(e, "reshape", "reshape_sized") and e.args[0] == main.params[0] for e in nodes(main.body)
    )


SHAPES = [
    ("?n, 8, 5, 7", 4, [(0, 8, 5, 7), (1, 8, 5, 7), (3, 8, 5, 7)]),
    ("?n, 8, 5, 7", 8, [(2, 8, 5, 7)]),  # a channel each
    ("2, 4, 3, 3", 1, [(2, 4, 3, 3)]),  # all of them
    ("?n, 8, ?h, ?w", 2, [(1, 8, 3, 4), (2, 8, 1, 9)]),
    ("?n, 6, 10", 3, [(4, 6, 10)]),  # rows
    ("1, 4, 2, 3, ?t", 2, [(1, 4, 2, 3, 1), (1, 4, 2, 3, 5)]),  # volumes
]


@pytest.mark.parametrize(("images", "groups", "sizes"), SHAPES, ids=[f"{s[0]} in {s[1]}" for s in SHAPES])
@pytest.mark.parametrize("weighed", ["u", "multiply(u, $g)", "add(multiply($g, u), $b)", "add(u, $b)", "add(u, 0.0)"])
def test_groups_are_sums_of_images(images: str, groups: int, sizes: list[tuple[int, ...]], weighed: str) -> None:
    made = module(images, groups, weighed, g=random(1, groups, 1), b=random(2, groups, 1))
    assert not flattened(made)
    for shape in sizes:
        check(made, random(7, *shape), tolerance=1e-4)


def test_channels_far_from_0_and_from_each_other() -> None:
    """Whose variance a difference of squares would lose."""
    made = module("?n, 8, 6, 6", 2)
    x = random(3, 2, 8, 6, 6) * 0.01 + np.float32([1e3, 1e3, 1e3, 1e3, -5, -5, -5, -5])[:, None, None]
    (rows,) = (x.astype(np.float64).reshape(2, 2, -1),)
    wanted = (rows - rows.mean(2, keepdims=True)) / np.sqrt(rows.var(2, keepdims=True) + 0.001)
    found = made.session(True)(x)
    # What float32 has of a mean of 1,000 is 3e-5 of the root of the variance and 0.001.
    np.testing.assert_allclose(found, wanted.reshape(x.shape), atol=4e-3)


OTHER_UNIT = UNIT.replace("rsqrt", "sqrt")
UNCENTRED = f"let u = multiply(r, rsqrt(add({MEAN.format('square(r)')}, 0.001)))"


@pytest.mark.parametrize(
    ("more", "constants"),
    [
        ({"unit": OTHER_UNIT}, {}),
        ({"unit": UNCENTRED}, {}),
        ({"weighed": "multiply(u, $g)"}, {"g": random(1, 1, 70)}),  # of elements
        ({"weighed": "add(u, $g)"}, {"g": random(1, 3, 1, 1)}),  # of images
        ({"back": "d3, d4, d6, d5"}, {}),  # not the images again
    ],
    ids=["no root below", "no mean", "weights of elements", "weights of images", "turned"],
)
def test_what_looks_like_it_stays(more: dict[str, str], constants: dict[str, AnyType]) -> None:
    images = "3, 8, 5, 7"
    made = module(images, 4, **more, **constants)
    assert flattened(made)
    check(made, random(5, *map(int, images.split(", "))), tolerance=1e-4)


def test_as_many_elements_as_groups_are_no_groups() -> None:
    made = module("3, 8, 2, 1", 4, "multiply(u, $g)", g=random(1, 4))
    assert flattened(made)
    check(made, random(5, 3, 8, 2, 1), tolerance=1e-4)


def test_rows_that_somebody_else_reads_stay() -> None:
    made = compile_text(
        f"""def main(x: Tensor[(2, 4, 3, 3), float32]) {{
            let r = reshape(x, shape=(2, 2, 18)); {UNIT}; let y = reshape(u, shape=(2, 4, 3, 3)); (y, exp(u)) }}"""
    )
    assert flattened(made)
    check(made, random(5, 2, 4, 3, 3), tolerance=1e-4)


@pytest.mark.slow
def test_a_network_that_normalises_groups_is_computed_with_channels_last() -> None:
    """The image that comes in and the one that leaves are all that is turned."""
    rng, layers, weights = np.random.default_rng(0), [], {}
    for i in range(6):
        weights[f"w{i}"] = (rng.standard_normal((32, 32, 3, 3)) / 17).astype(np.float32)
        weights |= {f"g{i}": random(i, 32, 1, 1), f"b{i}": random(9 + i, 32, 1, 1)}
        unit = UNIT.replace("let d", f"let d{i}").replace("(d", f"(d{i}").replace("let u", f"let u{i}")
        layers.append(
            f"let c{i} = conv2d(x{i}, $w{i}, pad=(1, 1, 1, 1)); "
            f'let r{i} = reshape_sized(c{i}, x0, sizes="d4, 4, {8 * 6 * 5}"); {unit.replace("(r", f"(r{i}")}; '
            f'let y{i} = reshape_sized(u{i}, x0, sizes="d3, d4, d5, d6"); '
            f"let x{i + 1} = silu(add(multiply(y{i}, $g{i}), $b{i})); "
        )
    made = compile_text(f"def main(x0: Tensor[(?n, 32, 6, 5), float32]) {{ {''.join(layers)} x6 }}", **weights)
    turned = [e for e in nodes(dict(made.stages)["channels_last"].main.body) if is_operator_call(e, "transpose")]
    assert len(turned) == 2
    for n in (1, 3):
        check(made, random(n, n, 32, 6, 5), tolerance=1e-3, stages=False)
