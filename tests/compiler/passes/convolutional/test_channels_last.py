"""Networks with channels second are computed with channels last, where few transpositions are left of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import anytile
from anytile.compiler.ir.nodes import Expr, is_operator_call
from anytile.compiler.ir.traverse import nodes
from anytile.vm.session import Session
from anytile.vm.storage.file import load
from anytile.vm.storage.packed_constants import raw
from tests.support.cases.compiled_modules import Compiled, check, compile_text, random, run_by

CONSTANTS = {
    "stem": random(0, 8, 3, 3, 3),
    "w": random(1, 8, 8, 3, 3),
    "wide": random(2, 16, 8, 1, 1),
    "narrow": random(3, 8, 16, 1, 1),
    "b": random(4, 8, 1, 1),
    "each": random(5, 8, 1, 3, 3),
    "d": random(6, 5, 8),
    **{name: random(7 + i, 8) for i, name in enumerate(("gamma", "beta", "mean"))},
    "variance": np.abs(random(11, 8)) + 0.5,
}
BLOCK = """
  let a{i} = relu(batch_norm(conv2d({x}, $w, pad=1), $gamma, $beta, $mean, $variance));
  let b{i} = relu(add(conv2d(a{i}, $each, pad=1, groups=8), $b));
  let c{i} = relu(add({x}, conv2d(relu(conv2d(b{i}, $wide)), $narrow)));
"""
NETWORK = (
    """
  let s = max_pool2d(relu(conv2d(x, $stem, stride=2, pad=1)), kernel=3, stride=2, pad=1);
"""
    + BLOCK.format(i=1, x="s")
    + BLOCK.format(i=2, x="c1")
)


def made(body: str) -> Compiled:
    used = {k: v for k, v in CONSTANTS.items() if f"${k}" in body}
    found = compile_text(f"def main(x: Tensor[(?n, 3, ?h, 14), float32]) {{ {body} }}", **used)
    for n, h in ((0, 9), (1, 9), (2, 13)):
        check(found, random(20, n, 3, h, 14), tolerance=1e-3)
    return found


def layouts(found: Compiled) -> tuple[int, int, int]:
    """Windows with channels last, those with channels second, and transpositions, before kernels are chosen."""
    body = dict(found.stages)["sink_views"].main.body

    def count(wanted: str) -> int:
        return sum(_layout(e) == wanted for e in nodes(body))

    return count("nhwc"), count("nchw"), sum(is_operator_call(e, "transpose") for e in nodes(body))


def _layout(e: Expr) -> str:
    if not is_operator_call(e, "conv2d", "max_pool2d", "avg_pool2d"):
        return ""
    return str(dict(e.attrs).get("layout", "nchw"))


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("tail", "left"),
    [
        ("dense(mean(c2, axis=(2, 3)), $d)", 1),  # the images that come in
        ("dense(squeeze(mean(c2, axis=(2, 3), keepdims=true), axis=(2, 3)), $d)", 1),
        ("c2", 2),  # and those that go out
    ],
)
def test_a_network_has_its_channels_last_inside(tail: str, left: int) -> None:
    assert layouts(made(NETWORK + tail)) == (10, 0, left)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "body",
    [
        "relu(conv2d(x, $stem, pad=1))",  # two transpositions for one convolution
        "relu(conv2d(softmax(conv2d(x, $stem), axis=1), $w))",  # and four for two
    ],
)
def test_where_too_much_is_turned_nothing_is(body: str) -> None:
    last, second, left = layouts(made(body))
    assert (last, left) == (0, 0)
    assert second == body.count("conv2d")


@pytest.mark.parametrize(
    ("width", "channels", "attrs", "left"),
    [
        ("9", 32, "", 2),
        ("?w", 32, "", 2),
        ("9", 16, "", 0),
        ("9", 32, ", stride=2", 0),
        ("9", 32, ', algorithm="direct"', 0),
    ],
)
def test_one_convolution_is_turned_where_it_is_filtered(width: str, channels: int, attrs: str, left: int) -> None:
    found = compile_text(
        f"def main(x: Tensor[(?n, {channels}, 9, {width}), float32]) {{ relu(conv2d(x, $w, pad=1{attrs})) }}",
        w=random(0, 32, channels, 3, 3),
    )
    check(found, random(1, 2, channels, 9, 9), tolerance=1e-3)
    assert layouts(found) == ((1, 0, 2) if left else (0, 1, 0))


@pytest.mark.parametrize(("groups", "left"), [(1, 0), (2, 2), (4, 2), (8, 2), (16, 0)])
def test_one_convolution_is_turned_where_it_is_of_groups(groups: int, left: int) -> None:
    """But for groups of one channel, whose kernel moves rows as they lie."""
    found = compile_text(
        f"def main(x: Tensor[(?n, 16, ?h, ?w), float32]) {{ relu(conv2d(x, $w, pad=1, groups={groups})) }}",
        w=random(0, 16, 16 // groups, 3, 3),
    )
    for h, w in ((9, 7), (1, 1), (3, 20)):
        check(found, random(1, 2, 16, h, w), tolerance=1e-3)
    assert layouts(found) == ((1, 0, 2) if left else (0, 1, 0))


def test_what_has_channels_last_stays() -> None:
    found = compile_text(
        'def main(x: Tensor[(?n, 6, 6, 8), float32]) { relu(conv2d(x, $w, pad=1, layout="nhwc")) }', w=CONSTANTS["w"]
    )
    check(found, random(0, 2, 6, 6, 8), tolerance=1e-3)
    assert layouts(found) == (1, 0, 0)


@pytest.mark.parametrize(("channels", "count"), [(16, 2), (8, 0)])
def test_rows_of_many_channels_are_computed_with_channels_last(channels: int, count: int) -> None:
    """One convolution is worth two transpositions; what follows each element alone, and what is added, lies so too."""
    w = random(0, channels, channels, 3)
    found = compile_text(
        f"def main(x: Tensor[(?n, {channels}, ?t), float32]) "
        "{ let y = relu(add(conv1d(x, $w, pad=3, dilation=3), $b)); add(y, conv1d(y, $w, pad=1)) }",
        w=w,
        b=random(1, channels, 1),
    )
    assert run_by(found).count("transpose") == count
    assert "elementwise" not in run_by(found)
    for n, t in ((2, 9), (0, 4), (1, 1)):
        check(found, random(2, n, channels, t), tolerance=1e-4)


@pytest.mark.parametrize("taps", [1, 3])
@pytest.mark.parametrize("groups", [1, 16])
def test_a_saved_network_of_rows_is_loaded(taps: int, groups: int, tmp_path: Path) -> None:
    """Weights have one dimension fewer than those of images, as which they are packed."""
    w = random(0, 16, 16 // groups, taps)
    declared = f"const $w: Tensor[(16, {16 // groups}, {taps}), float32];\n"
    text = declared + f"def main(x: Tensor[(1, 16, ?t), float32]) {{ conv1d(x, $w, groups={groups}) }}"
    made = anytile.compile(anytile.Module.parse(text, {"w": w}), "llvm -threads=1", db=tmp_path / "none.db")
    made.save(tmp_path / "rows.exe")
    x = random(1, 1, 16, 40)
    found = load(tmp_path / "rows.exe")
    np.testing.assert_array_equal(Session(found)(x), anytile.Session(made)(x))
    (weight,) = (c for c in found.constants if c.laid is not None)
    np.testing.assert_array_equal(raw(weight), w)
