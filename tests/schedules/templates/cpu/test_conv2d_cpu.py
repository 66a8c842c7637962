"""The conv2d templates: their spaces, their nests as golden texts, and what these compute against numpy."""

from __future__ import annotations

import itertools
import typing
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anytile.schedules.hardware.cpu import facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.nest.nodes import Alloc, Guard, Loop, LoopKind, Scope, Store, Update
from anytile.schedules.nest.traverse import walk
from anytile.schedules.nest.verify import verify
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.base.template import Scheduled, Template
from anytile.schedules.templates.cpu import conv2d_direct
from anytile.schedules.templates.registry import template, templates, templates_for
from anytile.schedules.workloads.constructors import conv2d
from anytile.schedules.workloads.workload import Any, Workload
from tests.support.cases.convolution_nests import check_nest, convolutions, symbolic

AVX512 = Target.parse("llvm -mcpu=znver4 -threads=1")
AVX2 = Target.parse("llvm -mcpu=haswell -threads=1")
SSE = Target.parse("llvm -mcpu=nehalem -threads=1")  # 4 lanes: small enough to interpret
NEON = Target.parse("llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72 -threads=1")
CONV2D = tuple(t for t in templates() if t.op == "conv2d")


def _at(name: str, workload: Workload, target: Target = SSE, **knobs: int | str) -> Scheduled:
    """Any choice of knobs, even one that the space leaves out because it cannot be fast."""
    chosen = template(name)
    return chosen.schedule(workload, target, chosen.default(workload, target).with_(**knobs))


THREE = conv2d(1, 64, 56, 56, 64, 3, 3, pad=1, layout="nhwc", const=("w",))
ONE = conv2d(Any("b"), 64, 14, Any("v"), 128, 1, 1, layout="nhwc", const=("w",))
DEEP = conv2d(1, 32, 14, 14, 32, 3, 3, stride=2, pad=1, groups=32, layout="nhwc", const=("w",))
ROWS = conv2d(1, 32, 14, 14, 32, 3, 3, pad=1, groups=32, const=("w",))
HALVED = conv2d(1, 32, 14, 14, 32, 3, 3, stride=2, pad=1, groups=32, const=("w",))
GROUPS = conv2d(1, 16, 14, 14, 24, 3, 3, pad=1, groups=2, const=("w",))
STEM = conv2d(1, 3, 15, 15, 4, 3, 3, stride=2, pad=1, const=("w",))
FEW = conv2d(1, 32, 14, 14, 3, 3, 3, pad=1, layout="nhwc", const=("w",))
TILE = {"tile_h": 1, "tile_w": 6, "tile_c": 4, "unroll": 2, "order": "row"}
GOLDEN: dict[str, Callable[[], Scheduled]] = {
    "direct_guard": lambda: _at("conv2d.direct", THREE, AVX512, **TILE, border="guard"),
    "direct_copy": lambda: _at("conv2d.direct", THREE, AVX512, **TILE, border="copy"),
    "direct_wide": lambda: _at("conv2d.direct", symbolic(THREE, "w"), AVX2, **{**TILE, "tile_w": 3, "tile_c": 2}),
    "direct_planes": lambda: _at("conv2d.direct", STEM, AVX2, tile_h=1, tile_w=4, tile_c=1, border="guard"),
    "direct_planes_copy": lambda: _at("conv2d.direct", STEM, AVX2, tile_h=1, tile_w=4, tile_c=1, border="copy"),
    "direct_depth": lambda: _at("conv2d.direct", FEW, AVX512, tile_w=4, tile_c=2, border="copy"),
    "matmul_pixels": lambda: _at("conv2d.matmul", ONE, AVX512, tile_p=3, tile_c=4, unroll=1, order="co"),
    "matmul_gather": lambda: _at("conv2d.matmul", THREE, AVX512, tile_p=6, tile_c=4, unroll=1),
    "matmul_nchw": lambda: _at("conv2d.matmul", conv2d(2, 8, 14, 14, 12, 1, 1), AVX512, tile_p=4, tile_c=6, unroll=1),
    "matmul_rows": lambda: _at("conv2d.matmul", symbolic(THREE, "w"), AVX512, tile_p=2, tile_c=4, unroll=1),
    "matmul_groups": lambda: _at("conv2d.matmul", GROUPS, AVX512, tile_p=2, tile_c=6, unroll=1),
    "depthwise": lambda: _at("conv2d.depthwise", DEEP, AVX512, tile_h=1, tile_w=3, tile_c=1, kernel="rows"),
    "depthwise_rows": lambda: _at("conv2d.depthwise", ROWS, AVX512, tile_h=2, kernel="rows"),
    "depthwise_halved": lambda: _at("conv2d.depthwise", HALVED, AVX2, tile_h=2, kernel="rows"),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_golden(name: str, golden: Callable[[str, str], None]) -> None:
    nest = GOLDEN[name]().nest
    verify(nest)
    golden(f"conv2d_{name}.txt", str(nest))


def test_inner_tiles_check_nothing() -> None:
    """Of the tiles of a row only the first and the last look at columns; a row of the kernel is checked once."""
    text = str(_at("conv2d.direct", THREE, AVX512, **TILE, border="guard").nest)
    inner = text[text.index("for wo in") :].split("register acc")[1]
    assert " if ho + i_kh - 1 >= 0" in inner
    assert inner.count(" if ") == 1
    copied = str(_at("conv2d.direct", THREE, AVX512, **TILE, border="copy").nest).split("register acc")[1:]
    assert all(tile.count(" if ") == tile.count(" if ho + i_kh - 1 >= 0") == 1 for tile in copied)


@pytest.mark.parametrize("groups", [1, 32])
@pytest.mark.parametrize("attrs", [{"kw": 33, "pad": (0, 16, 0, 16)}, {"kw": 3, "pad": (0, 20, 0, 0), "dilation": 10}])
def test_tiles_between_borders_that_are_wider_check_nothing(groups: int, attrs: dict[str, typing.Any]) -> None:
    """All tiles that see a border, and no others, look at columns."""
    layer = conv2d(1, 32, 1, 300, 32, 1, groups=groups, layout="nhwc", const=("w",), **attrs)
    name, knobs = ("conv2d.depthwise", {"kernel": "rows"}) if groups > 1 else ("conv2d.direct", {"unroll": 1})
    text = str(_at(name, layer, AVX512, tile_h=1, tile_w=6, tile_c=1, border="guard", **knobs).nest)
    first, inner, *_ = text.split("for wo in")[1:]
    assert first.startswith(f" 0..{-(-attrs['pad'][1] // 6)}:")
    assert " if " in first
    assert " if " not in inner[: inner.index("y[")]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("layout", ["nhwc", "nchw"])
@pytest.mark.parametrize("groups", [1, 4])
@pytest.mark.parametrize("width", [1, 4, 9, 17, 26])
def test_borders_that_are_wider_than_tiles(width: int, groups: int, layout: str) -> None:
    """Where there are tiles between them, and where each tile sees one or both."""
    for taps, pad, dilation in ((9, (1, 4, 0, 7), 1), (2, (0, 11, 2, 0), 6), (65, (0, 32, 0, 32), 1)):
        a = {"pad": pad, "stride": (1, 2 if dilation > 1 else 1), "dilation": (1, dilation), "layout": layout}
        layer = conv2d(1, 4, 3, width, 4, 2, taps, groups=groups, const=("w",), **a)
        chosen = template("conv2d.depthwise" if groups > 1 else "conv2d.direct")
        for knobs in ({"tile_w": 1}, {"tile_w": 2, **({"kernel": "rows"} if groups > 1 else {})}, {}):
            scheduled = _at(chosen.name, layer, **knobs)
            verify(scheduled.nest)
            check_nest(layer, scheduled, {})


@pytest.mark.sampled(2)
@pytest.mark.parametrize("groups", [1, 4])
@pytest.mark.parametrize("unknown", ["h", "w", "hw", "row"])
def test_borders_of_images_of_unknown_size(unknown: str, groups: int) -> None:
    """Checked or copied, at sizes around those of tiles."""
    h, w = (Any(d) if d in unknown else n for d, n in (("h", 1 if unknown == "row" else 5), ("w", 4)))
    if unknown == "row":
        w = Any("w")
    rows = 1 if unknown == "row" else 3
    pad = (rows // 2, 2, rows // 2, 2)
    layer = conv2d(1, 4, h, w, 4, rows, 5, pad=pad, groups=groups, layout="nhwc", const=("w",))
    chosen = template("conv2d.depthwise" if groups > 1 else "conv2d.direct")
    is_copied = groups == 1 and unknown in ("hw", "w")
    assert chosen.default(layer, SSE)["border"] == ("copy" if is_copied else "guard")
    for border in ("guard", "copy"):
        scheduled = _at(chosen.name, layer, tile_w=2, border=border)
        verify(scheduled.nest)
        for size in (0, 1, 2, 3, 4, 5, 13):
            check_nest(layer, scheduled, dict.fromkeys(layer.symbols, size))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("border", ["guard", "copy"])
@pytest.mark.parametrize("unknown", ["", "h", "v", "hv"])
@pytest.mark.parametrize("pad", [0, 1, (1, 0, 0, 2)])
@pytest.mark.parametrize("stride", [1, 2])
def test_planes_of_channels_are_read_as_they_lie(
    stride: int, pad: int | tuple[int, ...], unknown: str, border: str
) -> None:
    """Where these are few; their copy has whole vectors of each row."""
    h, w = (Any(d) if d in unknown else n for d, n in (("h", 5), ("v", 6)))
    layer = conv2d(1, 3, h, w, 4, 3, 3, stride=stride, pad=pad, const=("w",))
    if border not in conv2d_direct.Shape(layer, facts(SSE)).borders:
        return
    scheduled = _at("conv2d.direct", layer, tile_w=2, border=border)
    verify(scheduled.nest)
    copies = [s.buffer.shape for s in walk(scheduled.nest.body) if isinstance(s, Alloc) and len(s.buffer.shape) == 3]
    assert len(copies) == (border == "copy")
    assert all(shape[0].value == 3 and shape[2] // 4 * 4 == shape[2] for shape in copies)
    for size in (*((0, 1) if pad == 1 else ()), 2, 3, 4, 5, 13):
        check_nest(layer, scheduled, dict.fromkeys(layer.symbols, size))


def test_many_planes_of_channels_are_copied_with_channels_last() -> None:
    def copied(channels: int, target: Target) -> list[int | None]:
        layer = conv2d(1, channels, 20, 20, 64, 3, 3, stride=2, pad=1, const=("w",))
        nest = _at("conv2d.direct", layer, target).nest
        return [s.buffer.shape[-1].value for s in walk(nest.body) if isinstance(s, Alloc) and len(s.buffer.shape) == 3]

    for target in (AVX512, AVX2):
        assert [copied(n, target) for n in (3, 16, 2048)] == [[], [], [2048]]


def test_channels_that_are_read_together_lie_side_by_side() -> None:
    """Where they are lanes, or several are one term, planes are copied with channels last."""
    lanes = conv2d(1, 64, 20, 20, 3, 3, 3, pad=1, const=("w",))
    pairs = conv2d(1, 4, 20, 20, 64, 3, 3, pad=1, const=("w",), dtype="bfloat16")
    for layer, channels in ((lanes, 64), (pairs, 4)):
        nest = _at("conv2d.direct", layer, Target.parse("llvm -mcpu=cooperlake -threads=1")).nest
        copies = [s.buffer.shape for s in walk(nest.body) if isinstance(s, Alloc) and len(s.buffer.shape) == 3]
        assert [shape[-1].value for shape in copies] == [channels]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(("taps", "stride"), list(itertools.product((3, 5, 7), (1, 2))))
def test_any_width_of_single_channels_is_checked_where_a_row_ends(taps: int, stride: int, threads: int) -> None:
    """Untuned, what a tile sees of the sides is decided ahead; a stride alone leaves open what a last window reads."""
    a: dict[str, typing.Any] = {"pad": taps // 2, "stride": stride, "groups": 32, "layout": "nhwc", "const": ("w",)}
    target = Target.parse(f"llvm -mcpu=znver4 -threads={threads}")
    nest = _at("conv2d.depthwise", conv2d(1, 32, Any("h"), Any("v"), 32, taps, taps, **a), target).nest
    assert isinstance(nest.body, Guard)
    assert nest.body.otherwise is not None
    tiles = [s for s in walk(nest.body.body) if isinstance(s, Alloc)]
    asked = [{n for s in walk(tile) if isinstance(s, Guard) for e in s.condition for n in e.names} for tile in tiles]
    assert all(tile.buffer.scope is Scope.REGISTER for tile in tiles)  # no copy
    assert not any("v" in names for names in asked[:2])  # the first of a row, and those between
    assert any("v" in names for names in asked) == (stride > 1)


@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("target", [AVX512, AVX2])
def test_every_vector_of_a_row_of_any_width_lies_in_its_copy(target: Target, stride: int) -> None:
    """Or else lanes would be told one by one to stay inside; where masks are dear, nothing that fills a vector is."""
    layer = conv2d(1, 32, Any("h"), Any("v"), 32, 3, 3, stride=stride, pad=1, groups=32, const=("w",))
    nest = _at("conv2d.depthwise", layer, target, border="copy").nest
    assert "x_staged" in str(nest)
    for loop in (s for s in walk(nest.body) if isinstance(s, Loop) and s.kind is LoopKind.VECTOR):
        places = [e for s in walk(loop) if isinstance(s, Store | Update) for e in s.index]
        assert all(e.coefficient(loop.var) is not None for e in places)
    full = next(s for s in walk(nest.body) if isinstance(s, Loop) and s.var == "wo")
    masks = [s for s in walk(full) if isinstance(s, Guard) and any("wv" in e.names for e in s.condition)]
    assert bool(masks) == (target is AVX512)


@pytest.mark.parametrize(("taps", "copied"), [((3, 3), False), ((5, 5), True), ((1, 3), False), ((1, 9), True)])
def test_an_image_of_any_size_is_copied_for_large_windows(taps: tuple[int, int], copied: bool) -> None:
    """Where masks cost nothing: what large ones mask is too much to be kept at hand."""
    h: Any | int = Any("h") if taps[0] > 1 else 1
    pad = (taps[0] // 2, taps[1] // 2) * 2
    layer = conv2d(1, 32, h, Any("v"), 32, *taps, pad=pad, groups=32, const=("w",))
    nest = _at("conv2d.depthwise", layer, AVX512).nest
    assert ("x_staged" in str(nest)) == copied


@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", [AVX512, AVX2, SSE])
@pytest.mark.parametrize("knobs", [{}, {"border": "copy", "order": "channel"}, {"kernel": "rows", "tile_w": 3}])
@pytest.mark.parametrize("pad", [(1, 1, 1, 1), (0, 2, 3, 1), (2, 0, 0, 70)])
@pytest.mark.parametrize("stride", [1, 2])
def test_rows_of_any_height_and_width(
    stride: int, pad: tuple[int, int, int, int], knobs: dict[str, int | str], target: Target
) -> None:
    """Around a vector of half as many lanes, a vector, a tile and a strip."""
    layer = conv2d(1, 2, Any("h"), Any("v"), 2, 3, 3, stride=stride, pad=pad, groups=2, const=("w",))
    scheduled = _at("conv2d.depthwise", layer, target, **knobs)
    verify(scheduled.nest)
    ends = [lanes * stride + more for lanes in (8, 16, 32, 64) for more in (-1, 0, 1, 2)]
    for h, v in [(h, v) for h in (1, 3, 4) for v in (1, 2, 3)] + [(5, v) for v in ends]:
        check_nest(layer, scheduled, {"h": h, "v": v})


@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", [AVX512, AVX2, SSE])
@pytest.mark.parametrize(("taps", "pad"), [(3, 1), (9, 4), (9, 0), (150, 75)])
def test_lines_of_any_length(taps: int, pad: int, target: Target) -> None:
    layer = conv2d(1, 2, 1, Any("v"), 2, 1, taps, pad=(0, pad, 0, pad), groups=2, const=("w",))
    scheduled = _at("conv2d.depthwise", layer, target)
    verify(scheduled.nest)
    for v in (1, 2, 3, 4, 5, 8, 9, 15, 16, 17, 31, 63, 64, 65, 66, 129):
        if v + 2 * pad >= taps:
            check_nest(layer, scheduled, {"v": v})


@pytest.mark.sampled(2)
@pytest.mark.parametrize("knobs", [{}, {"tile_h": 2, "tile_w": 2}, {"tile_h": 1, "tile_w": 1}, {"kernel": "rows"}])
@pytest.mark.parametrize("pad", [(1, 1, 1, 1), (0, 2, 3, 1), (2, 0, 0, 2)])
@pytest.mark.parametrize("stride", [1, 2])
def test_any_height_and_width_of_single_channels(
    stride: int, pad: tuple[int, int, int, int], knobs: dict[str, int | str]
) -> None:
    layer = conv2d(1, 4, Any("h"), Any("v"), 4, 3, 3, stride=stride, pad=pad, groups=4, layout="nhwc", const=("w",))
    scheduled = _at("conv2d.depthwise", layer, order="row", border="guard", **knobs)
    verify(scheduled.nest)
    for h, v in itertools.product((1, 3, 4, 7), (1, 2, 5, 6, 7, 8, 11)):
        check_nest(layer, scheduled, {"h": h, "v": v})


def test_rows_of_many_taps_are_not_written_out() -> None:
    """Not where a tile of a single sum were left, whose additions wait for each other."""
    for taps, groups, written in ((31, 32, "whole"), (101, 32, "tap"), (101, 1, None)):
        layer = conv2d(1, 32, 1, 300, 32, 1, taps, pad=(0, taps // 2, 0, taps // 2), groups=groups, layout="nhwc")
        config = templates_for(layer, AVX512)[0].default(layer, AVX512)
        assert dict(config.values).get("kernel") == written
        assert config.int("tile_w") >= 3


@pytest.mark.parametrize(
    ("co", "ci", "kernel", "lanes"),
    [(1, 64, 1, "ci"), (1, 32, 7, "ci"), (4, 64, 3, "ci"), (8, 16, 1, "co"), (1, 5, 3, None), (9, 64, 3, None)],
)
def test_few_outputs_leave_lanes_to_the_inputs_channels(co: int, ci: int, kernel: int, lanes: str | None) -> None:
    """Where adding up lanes at last costs less than idle lanes do; the best untuned are these, of those whose sums are
    as they are defined."""
    attrs = {"pad": kernel // 2, "layout": "nhwc", "algorithm": "direct"}
    workload = conv2d(1, ci, Any("h"), Any("v"), co, kernel, kernel, const=("w",), **attrs)
    chosen = template("conv2d.direct")
    config = chosen.default(workload, AVX512)
    assert dict(config.values).get("lanes") == lanes
    assert (templates_for(workload, AVX512)[0] is chosen) == (lanes == "ci" or kernel > 1)
    assert config in chosen.space(workload, AVX512)


def test_widths_that_are_not_known_have_narrow_tiles() -> None:
    """Each size of a remainder is code of its own, and as many sums as keep a CPU busy are enough."""
    for channels, known, unknown in ((16, 28, 14), (32, 14, 6), (64, 6, 6)):
        image = conv2d(1, 64, 56, 56, channels, 3, 3, pad=1, layout="nhwc", const=("w",))
        widths = (template("conv2d.direct").default(w, AVX512).int("tile_w") for w in (image, symbolic(image, "w")))
        assert tuple(widths) == (known, unknown)


# What the nests compute


def _configs(chosen: Template, workload: Workload, draw: st.DrawFn | Callable[..., int]) -> list[Config]:
    space = chosen.space(workload, SSE)
    default = chosen.default(workload, SSE)
    space.check(default)
    return [default, space[draw(st.integers(0, len(space) - 1), "config")]]


def _check_all(workload: Workload, symbols: dict[str, int], data: st.DataObject) -> None:
    for chosen in templates_for(workload, SSE):
        for config in _configs(chosen, workload, data.draw):
            scheduled = chosen.schedule(workload, SSE, config)
            verify(scheduled.nest)
            for pack in scheduled.packs:
                verify(pack.nest)
            check_nest(workload, scheduled, symbols)


@pytest.mark.slow
@settings(max_examples=14)
@given(convolutions(most=9), st.data())
def test_random_geometry(case: tuple[Workload, dict[str, int]], data: st.DataObject) -> None:
    """Every template that serves a workload equals numpy and is provably in bounds, tail included."""
    _check_all(*case, data)


@pytest.mark.parametrize("layout", ["nchw", "nhwc"])
@pytest.mark.parametrize("taps", [3, 5, 7, 11, 31])
@pytest.mark.parametrize("target", [AVX512, AVX2])
def test_the_default_of_large_depthwise_kernels_is_in_the_space(layout: str, taps: int, target: Target) -> None:
    workload = conv2d(Any("n"), 96, 56, 56, 96, taps, taps, pad=taps // 2, groups=96, layout=layout)
    one = template("conv2d.depthwise")
    one.space(workload, target).check(one.default(workload, target))


@pytest.mark.slow
@settings(max_examples=14)
@given(convolutions(depthwise=True, most=9), st.data())
def test_random_depthwise(case: tuple[Workload, dict[str, int]], data: st.DataObject) -> None:
    _check_all(*case, data)


@pytest.mark.slow
@pytest.mark.parametrize("height", [1, 2, 3, 7])
@pytest.mark.parametrize("width", [1, 2, 3, 4, 5, 16, 17, 33])
def test_rows_read_as_they_are(height: int, width: int) -> None:
    """Wide vectors along rows of images around their width; where masks are not free they read a copy instead."""
    for kernel, pad in ((3, 1), (2, (0, 1, 0, 0)), (3, (1, 0, 1, 4))):
        workload = conv2d(1, 3, height + 2, width + 2, 3, kernel, kernel, pad=pad, groups=3)
        for tile_h, tile_w in ((1, 1), (3, 2)):
            scheduled = _at("conv2d.depthwise", workload, AVX512, tile_h=tile_h, tile_w=tile_w)
            assert "workspace" not in str(scheduled.nest)
            verify(scheduled.nest)
            check_nest(workload, scheduled, {})
    assert "workspace" in str(_at("conv2d.depthwise", workload, AVX2).nest)


@pytest.mark.parametrize("layout", ["nhwc", "nchw"])
def test_every_width_of_one_kernel(layout: str) -> None:
    """Around the tile's width, with tails that stand alone and tails that share the last full tile."""
    workload = conv2d(1, 2, 2, Any("v"), 3, 1, 3, pad=(0, 1, 0, 1), layout=layout)
    for tile in (1, 3, 4):
        scheduled = _at("conv2d.direct", workload, tile_h=1, tile_w=tile, tile_c=1, unroll=1)
        verify(scheduled.nest)
        for width in (0, 1, 2, 3, 4, 5, 7, 13):
            check_nest(workload, scheduled, {"v": width})


PRODUCTS = {
    "rows of no known width": ("n=1, ci=3, h=5, w=?, co=5, kh=3, kw=3, pad=1, layout=nhwc", (1, 2, 3, 4, 7, 13)),
    "no known height": ("n=2, ci=2, h=?, w=5, co=5, kh=3, kw=2, pad=1, stride=2, layout=nhwc", (1, 2, 5)),
    "a width that leaves nothing": ("n=1, ci=3, h=4, w=?, co=5, kh=3, kw=3", (2, 3, 6)),
    "vectors of gathered pixels": ("n=1, ci=3, h=5, w=6, co=5, kh=3, kw=3, pad=1", ()),
    "groups of taps": ("n=?, ci=6, h=4, w=5, co=9, kh=3, kw=3, dilation=2, pad=2, groups=3, layout=nhwc", (0, 1, 2)),
    "groups of pixels": ("n=2, ci=6, h=4, w=5, co=9, kh=1, kw=1, groups=3, layout=nhwc", ()),
    "groups, vectors of pixels": ("n=2, ci=6, h=4, w=5, co=9, kh=1, kw=1, groups=3", ()),
    "all of it": ("n=1, ci=4, h=?h, w=?h, co=6, kh=3, kw=3, pad=1, groups=2, tail=y + r[oh] * s[ow]", (1, 5)),
}


@pytest.mark.slow
@pytest.mark.parametrize("which", PRODUCTS)
def test_a_product_serves_any_layer(which: str) -> None:
    """Also where the width is not known, pixels are vectors, or channels stand in groups."""
    text, sizes = PRODUCTS[which]
    workload, chosen = Workload.parse(f"conv2d({text})"), template("conv2d.matmul")
    assert chosen in templates_for(workload, SSE)
    space = chosen.space(workload, SSE)
    assert list(space) == list(chosen.space(workload.anchor, SSE))
    for config in {chosen.default(workload, SSE), space[0], space[len(space) // 2]}:
        scheduled = chosen.schedule(workload, SSE, config)
        for nest in (scheduled.nest, *(pack.nest for pack in scheduled.packs)):
            verify(nest)
        for size in sizes or (0,):
            check_nest(workload, scheduled, dict.fromkeys(workload.symbols, size))


TAILS = ("y * scale[n, co]", "y + r[oh]", "y + r[oh, ow]", "y * r[ow, oh] + s[n, oh, ow]")
LAYERS = ("n=?b, h=5, w=6", "n=2, h=3, w=3", "n=?b, h=?h, w=5")
KERNELS = ("kh=1, kw=1", "kh=3, kw=2, pad=1, stride=2")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tail", "sizes", "kernel"),  # every tail with every layer and with every kernel, and these with each other
    [(t, s, KERNELS[(i + j) % 2]) for i, t in enumerate(TAILS) for j, s in enumerate(LAYERS)],
)
def test_tails_that_tell_images_rows_or_columns_apart(tail: str, sizes: str, kernel: str) -> None:
    """Every template has the configs that its anchor has, so that what was tuned without the tail serves with it."""
    workload = Workload.parse(f"conv2d({sizes}, ci=4, co=9, {kernel}, layout=nhwc, tail={tail})")
    symbols = {"b": 2, "h": 4}
    for chosen in templates_for(workload, SSE):
        space = chosen.space(workload, SSE)
        assert list(space) == list(chosen.space(workload.anchor, SSE))
        for config in (chosen.default(workload, SSE), space[0], space[len(space) // 2], space[len(space) - 1]):
            scheduled = chosen.schedule(workload, SSE, config)
            verify(scheduled.nest)
            check_nest(workload, scheduled, {s: symbols[s] for s in workload.symbols})


# Which template serves what, and how


def test_who_serves() -> None:
    def names(workload: Workload) -> list[str]:
        return [t.name for t in templates_for(workload, AVX512)]

    assert names(THREE) == ["conv2d.winograd", "conv2d.direct", "conv2d.matmul"]
    assert names(ONE) == ["conv2d.matmul", "conv2d.direct"]
    assert names(DEEP) == ["conv2d.depthwise"]
    assert names(conv2d(1, 8, 7, 7, 8, 3, 3)) == ["conv2d.direct", "conv2d.matmul"]
    assert names(symbolic(THREE, "w")) == names(symbolic(THREE, "hw")) == names(THREE)
    assert names(conv2d(1, 8, 7, 7, 8, 1, 1)) == ["conv2d.direct", "conv2d.matmul"]  # few pixels to make vectors of
    assert names(conv2d(1, 8, 7, 7, 16, 3, 3, groups=8)) == ["conv2d.matmul", "conv2d.direct"]
    assert names(conv2d(1, 8, 14, 14, 8, 1, 1, tail="y + r[oh]")) == ["conv2d.direct"]  # vectors of pixels: no rows


@pytest.mark.parametrize(
    ("layer", "first"),  # measured on AVX-512, untuned: microseconds of the direct kernel and of the product
    [
        (conv2d(1, 1, 22, 500, 40, 1, 25, const=("w",)), "matmul"),  # 377, 238
        (conv2d(1, 40, 22, 476, 40, 22, 1, const=("w",)), "matmul"),  # 563, 369: a pixel for 22 elements
        (conv2d(1, 3, 48, 48, 3, 3, 3, pad=1, const=("w",)), "matmul"),  # 56, 16
        (conv2d(1, 1, Any("h"), Any("v"), 8, 1, 9, const=("w",)), "matmul"),  # 22, 5
        (conv2d(1, 16, 3, 750, 32, 1, 33, pad=(0, 16, 0, 16), const=("w",)), "direct"),  # 702, 868: many terms
        (conv2d(1, 6, 14, 14, 16, 5, 5, const=("w",)), "direct"),  # 6, 15: rows of 10
        (conv2d(1, 4, 84, 84, 32, 8, 8, stride=4, const=("w",)), "direct"),  # 83, 235: every fourth pixel
        (conv2d(1, 24, 1, 1000, 1, 1, 7, const=("w",)), "direct"),  # 12, 23: lanes are the input's channels
    ],
)
def test_pixels_are_gathered_where_that_is_less_than_storing_lanes_apart(layer: Workload, first: str) -> None:
    assert templates_for(layer, AVX512)[0].name == f"conv2d.{first}"


@pytest.mark.parametrize(("kibibytes", "channels"), [(512, (64, 112, 128)), (1024, (128, 160, 192))])
def test_a_large_weight_is_passed_once(
    kibibytes: int, channels: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the second cache keeps it from row to row, what is read again is the weight."""
    chosen, known = template("conv2d.direct"), replace(facts(AVX512), l2_bytes=kibibytes << 10)
    monkeypatch.setattr(conv2d_direct, "facts", lambda target: known)

    def order(channels: int, groups: int = 1) -> object:
        workload = conv2d(1, channels, 14, 14, channels, 3, 3, pad=1, groups=groups, layout="nhwc", const=("w",))
        return chosen.default(workload, AVX512)["order"]

    assert [order(n) for n in channels] == ["row", "row", "co"]
    assert [order(2 * channels[0], 4), order(4 * channels[-1], 4)] == ["row", "co"]


TARGETS = (AVX512, AVX2, SSE, NEON)


@pytest.mark.sampled(12)
@pytest.mark.parametrize(
    ("co", "width", "target"),  # each with each of the others
    [
        pytest.param(co, width, target := TARGETS[(i + j) % 4], id=f"{co}-{width}-{target.get('mcpu')}")
        for i, co in enumerate((1, 3, 24, 64, 1000))
        for j, width in enumerate((1, 7, 56, Any("v")))
    ],
)
@pytest.mark.parametrize("layout", ["nhwc", "nchw"])
def test_the_default_is_valid(target: Target, co: int, width: int | Any, layout: str) -> None:
    for kernel, groups in ((1, 1), (3, 1), (3, 8)):
        workload = conv2d(1, 8 if groups == 1 else co * 8, 9, width, co * 8, kernel, kernel, pad=kernel // 2,
                          groups=1 if groups == 1 else co * 8, layout=layout)  # fmt: skip
        for chosen in templates_for(workload, target):
            space = chosen.space(workload, target)
            space.check(chosen.default(workload, target))
            assert len(set(space)) == len(space) > 0


def test_tiles_of_few_registers_are_tall_and_leave_weights_that_no_cache_keeps() -> None:
    """Pixels by vectors of channels; without multiply-adds in one instruction products need registers, too."""
    tiles, orders = {}, {}
    for target in (AVX2, SSE, AVX512):
        pointwise, deep = (
            templates_for(conv2d(1, c, 14, 14, c, t, t, pad=t // 2, stride=2 if t > 1 else 1, layout="nhwc"), target)[0]
            for c, t in ((256, 1), (256, 3))
        )
        for chosen, taps, wide in ((pointwise, 1, "tile_p"), (deep, 3, "tile_w")):
            workload = conv2d(1, 256, 14, 14, 256, taps, taps, pad=taps // 2, stride=1 + taps // 2, layout="nhwc")
            config = chosen.default(workload, target)
            tiles[str(target.get("mcpu")), taps] = config.int(wide), config.int("tile_c")
        for channels in (128, 8192):
            layer = conv2d(8, channels, 7, 7, channels, 1, 1, layout="nhwc", const=("w",))
            orders[str(target.get("mcpu")), channels] = pointwise.default(layer, target)["order"]
    assert tiles == {
        ("haswell", 1): (6, 2), ("haswell", 3): (6, 2),
        ("nehalem", 1): (2, 4), ("nehalem", 3): (2, 4),
        ("znver4", 1): (6, 4), ("znver4", 3): (6, 4),
    }  # fmt: skip
    assert {name for name, order in orders.items() if order == "co"} == {("haswell", 8192), ("nehalem", 8192)}


@pytest.mark.parametrize("target", TARGETS, ids=lambda t: str(t.get("mcpu")))
@pytest.mark.parametrize("layout", ["nhwc", "nchw"])
def test_few_pixels_and_any_channels_have_configs(target: Target, layout: str) -> None:
    """No tile may have eight vectors there, and the default's is then as busy as one gets."""
    for size, co, kernel in itertools.product(((1, 1), (1, 2), (6, 17)), (1, 28, 56, 80, 136, 208), (1, 3)):
        h, w = (n + kernel - 1 for n in size)
        workload = conv2d(1, 3, h, w, co, kernel, kernel, layout=layout)
        for chosen in templates_for(workload, target):
            chosen.space(workload, target).check(chosen.default(workload, target))
