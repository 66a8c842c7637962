"""Operators that move elements, and pooling, as machine code: between walls, called with views, and what is refused."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pytest

from anytile.core.errors import ArgumentError, ResourceError, SpecError
from anytile.dispatch.cpu.build import compile_plan
from anytile.dispatch.cpu.kernel import DispatchKernel
from anytile.schedules.hardware.cpu import facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.workloads.reference import evaluate
from anytile.schedules.workloads.workload import Workload
from tests.support.cases.small_operators import Array, check, compiled, inputs_of, only_template, walled

HOST = Target.host(1)
LANES = facts(HOST).lanes
PRIME = 1009
SIZES = (0, 1, LANES - 1, LANES, LANES + 1, PRIME)
DTYPES = ("float32", "int32", "int64", "bool")
CASES = (
    "transpose(d0=?a, d1=?b)",
    "transpose(d0=?a, d1=?b, perm=0x1)",
    "transpose(d0=2, d1=?a, d2=3, d3=?b, rank=4, perm=0x3x1x2)",
    "transpose(d0=2, d1=?a, d2=?b, d3=3, rank=4, perm=0x2x1x3)",
    "transpose(d0=?a, d1=2, d2=?b, rank=3, perm=0x2x1)",
    "transpose(d0=3, d1=?a, d2=2, d3=?b, rank=4, perm=1x2x3x0)",
    "gather(outer=2, n=?a, m=?b, inner=3)",
    "gather(outer=1, n=7, m=?a, inner=?b, index=int32)",
    "gather(outer=1, n=?a, m=?b, inner=1)",
    "one_hot(m=?a, depth=37)",
    "concat(outer=?a, n0=?b, n1=3, inner=1)",
    "concat(outer=1, n0=?a, n1=?b, inner=2)",
    "concat(outer=?a, n0=1, n1=1, inner=1)",
    "concat(outer=?a, n0=1, n1=1, n2=1, inner=1, count=3)",
    "concat(outer=?a, n0=1, n1=1, n2=1, n3=1, inner=1, count=4)",
    "concat(outer=67, n0=1, n1=1, n2=1, n3=1, n4=1, inner=1, count=5)",
    "split(outer=?a, n=?b, inner=2, count=3)",
    "split(outer=1, n=?b, inner=?a, count=3, at=1x20)",
    "slice(d0=?a, d1=?b, rank=2, start=1x-20, stop=-1x2147483647)",
    "slice(d0=?a, d1=?b, rank=2, start=-1x2, stop=-2147483648x900, step=-2x3)",
    "slice(d0=?a, d1=?b, rank=2, step=1x2)",
    "pad(d0=?a, d1=?b, rank=2, before=1x2, after=0x3, value=1)",
    "pad(d0=?a, d1=?b, rank=2, before=1x2, after=2x3, mode=edge)",
    "pad(d0=?a, d1=2, d2=?b, rank=3, before=1x0x4, after=2x0x3, mode=reflect)",
)
POOLS = tuple(
    f"{op}(n=1, c=?a, h=5, w=?b, kernel=3x2, stride=2x{step}, pad=1x0x2x1, layout={layout}{more})"
    for op, more in (("max_pool2d", ""), ("avg_pool2d", ""), ("avg_pool2d", ", count=image, ceil=yes"))
    for step, layout in ((1, "nchw"), (2, "nchw"), (5, "nchw"), (2, "nhwc"))
) + tuple(
    f"{op}(n=1, c=?a, h=5, w=?b, {how}, layout=nchw)"
    for op in ("max_pool2d", "avg_pool2d")
    for how in ("kernel=2, stride=2", "kernel=2, dilation=2", "kernel=1x4, stride=1x3", "kernel=3x1, stride=1x4")
)


def sizes_of(workload: Workload) -> Iterator[dict[str, int]]:
    """Each symbol at each size, the others small; from nothing, nothing is gathered."""
    for varied in workload.symbols:
        for size in SIZES:
            symbols = {s: size if s == varied else 3 for s in workload.symbols}
            sizes = workload.sizes(symbols)
            if workload.op not in ("gather", "interpolate") or sizes["n"] or not sizes["m"]:
                yield symbols


def kernel_of(workload: Workload, target: Target = HOST) -> DispatchKernel:
    template = only_template(workload, target)
    plan = single_plan(workload, target, template.name, template.default(workload, target))
    return DispatchKernel(plan, compile_plan(plan))


@pytest.mark.slow
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("text", CASES)
def test_machine_code_stays_between_the_walls(text: str, dtype: str) -> None:
    workload = Workload.parse(f"{text[:-1]}, dtype={dtype})")
    loaded = compiled(workload, HOST)
    for symbols in sizes_of(workload):
        inputs = inputs_of(workload, symbols)
        check(workload, walled(loaded, workload, inputs, symbols), inputs, symbols)


@pytest.mark.slow
@pytest.mark.parametrize("text", POOLS)
def test_pooling_stays_between_the_walls(text: str) -> None:
    for dtype in ("float32",) if text.startswith("avg") else ("float32", "int32", "int64"):
        workload = Workload.parse(f"{text[:-1]}, dtype={dtype})")
        loaded = compiled(workload, HOST)
        for symbols in sizes_of(workload):
            inputs = inputs_of(workload, symbols)
            check(workload, walled(loaded, workload, inputs, symbols), inputs, symbols)


@pytest.mark.slow
@pytest.mark.parametrize(
    "how",
    [
        "kernel=3, stride=2, pad=1",
        "kernel=9x4, stride=1x3, pad=4x1x0x2",
        "kernel=2x10, dilation=3x1",
        "kernel=2, stride=2",
        "kernel=1x4, stride=1x3",
    ],
)
@pytest.mark.parametrize("op", ["max_pool2d", "avg_pool2d"])
def test_pools_of_rows_pass_on_what_is_no_number(op: str, how: str) -> None:
    """Images of any height, with their channels first: NaN and infinities go into the windows that see them alone."""
    workload = Workload.parse(f"{op}(n=?n, c=2, h=?h, w=?w, {how})")
    loaded, rng, seen = compiled(workload, HOST), np.random.default_rng(5), set[bool]()
    for h, w in [(9, 12), (11, LANES), (12, LANES + 1), (25, 2 * LANES + 3), (40, 4 * LANES + 5), (16, 101)]:
        symbols = {"n": 1 + h % 3, "h": h, "w": w}
        inputs = inputs_of(workload, symbols)
        places = rng.choice(inputs["x"].size, inputs["x"].size // 40, replace=False)
        inputs["x"].flat[places] = rng.choice([np.nan, np.inf, -np.inf], len(places))
        wanted = evaluate(workload, inputs)["y"]
        np.testing.assert_allclose(walled(loaded, workload, inputs, symbols)["y"], wanted, rtol=1e-5, atol=1e-5)
        seen |= {bool(isnan) for isnan in np.isnan(wanted).flat}
    assert seen == {True, False}


@pytest.mark.slow
def test_every_config_of_transpose_and_pooling_means_the_same() -> None:
    for text in ("transpose(d0=?a, d1=?b)", "max_pool2d(n=1, c=?a, h=5, w=?b, layout=nhwc)"):
        workload = Workload.parse(text)
        for config in only_template(workload, HOST).space(workload, HOST):
            loaded = compiled(workload, HOST, config)
            for symbols in ({"a": 150, "b": 77}, {"a": 3, "b": 200}):
                inputs = inputs_of(workload, symbols)
                check(workload, walled(loaded, workload, inputs, symbols), inputs, config)


@pytest.mark.slow
@pytest.mark.parametrize("text", [*CASES, *POOLS[::4]])
def test_threads_move_the_same_elements(text: str) -> None:
    workload = Workload.parse(text)
    kernel = kernel_of(workload, Target.host(2))
    symbols = dict.fromkeys(workload.symbols, 401)
    inputs = inputs_of(workload, symbols)
    got = kernel(*inputs.values())
    results = got if isinstance(got, tuple) else (got,)
    check(workload, {t.name: y for t, y in zip(workload.outputs, results, strict=True)}, inputs, "two threads")


def strided(array: Array) -> Array:
    """The same elements, every second one of a larger array, backwards."""
    spread = np.zeros(tuple(2 * n for n in array.shape), array.dtype)
    view = spread[tuple(slice(None, None, 2) for _ in array.shape)][tuple(slice(None, None, -1) for _ in array.shape)]
    view[...] = array
    return view


@pytest.mark.slow
@pytest.mark.parametrize("text", [*CASES, *POOLS[::4]])
def test_views_are_inputs_and_results_too(text: str) -> None:
    workload = Workload.parse(text)
    kernel = kernel_of(workload)
    symbols = dict.fromkeys(workload.symbols, 21)
    inputs = inputs_of(workload, symbols)
    out = tuple(strided(np.zeros(workload.shape(t.name, symbols), workload.dtype_of(t))) for t in workload.outputs)
    single = len(out) == 1
    assert kernel(*(strided(a) for a in inputs.values()), out=out[0] if single else out) is (out[0] if single else out)
    check(workload, {t.name: y for t, y in zip(workload.outputs, out, strict=True)}, inputs, "views")


@pytest.mark.parametrize("index", ["int64", "int32"])
def test_a_position_outside_is_an_error_before_anything_is_read(index: str) -> None:
    kernel = kernel_of(Workload.parse(f"gather(outer=?, n=?, m=?, inner=?, index={index})"))
    x = np.arange(24, dtype=np.float32).reshape(2, 4, 3)
    for given in ([0, 3, -4, -1], [], [0, 4], [-5], [2] * 40 + [np.iinfo(index).max], [np.iinfo(index).min] * 9):
        positions = np.array(given, index)
        for out in (None, np.full((2, len(given), 3), 7, np.float32)):
            for _ in range(2):  # the first call goes the slow way, the second the quick one
                if all(-4 <= i < 4 for i in given):
                    np.testing.assert_array_equal(kernel(x, positions, out=out), np.take(x, positions, axis=1))
                    continue
                with pytest.raises(
                    ArgumentError, match=r"gather: index: expected positions from -4 to 3, .*got"
                ) as caught:
                    kernel(x, positions, out=out)
                assert "\n" not in str(caught.value)
                assert out is None or (out == 7).all()


def test_every_place_of_a_wrong_position_is_seen() -> None:
    kernel = kernel_of(Workload.parse("one_hot(m=?, depth=9)"))
    for count in range(1, 40):
        for wrong in {0, count // 2, count - 1}:
            positions = np.zeros(count, np.int64)
            assert kernel(positions)[:, 0].all()
            positions[wrong] = 9
            with pytest.raises(ArgumentError, match="one_hot: index: .* depth is 9; got 9"):
                kernel(positions)


def test_a_native_caller_reads_the_nearest_position() -> None:
    workload = Workload.parse("gather(outer=1, n=?a, m=?b, inner=5)")
    symbols = {"a": 6, "b": 4}
    inputs = inputs_of(workload, symbols)
    inputs["index"][...] = (99, -99, 2**62, -(2**62))
    found = walled(compiled(workload, HOST), workload, inputs, symbols)["y"]
    np.testing.assert_array_equal(found[0], inputs["x"][0, [5, 0, 5, 0]])


def test_results_that_overlap_anything_are_refused() -> None:
    kernel = kernel_of(Workload.parse("split(outer=?, n=?, inner=?, count=2)"))
    room = np.zeros(60, np.float32)
    x = room[:24].reshape(2, 4, 3)
    for _ in range(2):
        one, two = room[24:36].reshape(2, 2, 3), room[36:48].reshape(2, 2, 3)
        assert kernel(x, out=(one, two))[0] is one
        with pytest.raises(ArgumentError, match="split: out y0 overlaps x in memory; pass separate arrays"):
            kernel(x, out=(room[20:32].reshape(2, 2, 3), two))
        with pytest.raises(ArgumentError, match="split: out y1 overlaps y0 in memory; pass separate arrays"):
            kernel(x, out=(one, room[30:42].reshape(2, 2, 3)))
        with pytest.raises(ArgumentError, match="out: expected a tuple of 2: y0, y1"):
            kernel(x, out=one)


def test_what_64_bits_cannot_count_is_refused_before_anything_is_allocated() -> None:
    concat = kernel_of(Workload.parse("concat(outer=?, n0=?, n1=?, n2=?, inner=?, count=3)"))
    x = np.broadcast_to(np.float32(0), (2**31 - 1, 2**29, 1))  # 2**62 bytes that are all one number
    for out in (None, np.zeros(1, np.float32)):
        with pytest.raises(ResourceError, match="concat: y: .* takes more bytes than 64 bits count; split the work"):
            concat(x, x, x, out=out)
    pad = kernel_of(
        Workload.parse("pad(d0=?, d1=?, rank=2, before=2147483647x2147483647, after=2147483647x0, dtype=int64)")
    )
    with pytest.raises(ResourceError, match="takes more bytes than 64 bits count; split the work"):
        pad(np.zeros((1, 1), np.int64))


def test_results_without_elements_are_answered() -> None:
    for text, shape, wanted in (
        ("transpose(d0=?, d1=?)", (0, 5), (5, 0)),
        ("slice(d0=?, d1=?, start=7x0)", (3, 4), (0, 4)),
        ("max_pool2d(n=?, c=?, h=?, w=?)", (0, 3, 4, 4), (0, 3, 2, 2)),
    ):
        assert kernel_of(Workload.parse(text))(np.zeros(shape, np.float32)).shape == wanted


def test_nan_and_infinity_are_moved_and_win() -> None:
    x = np.zeros((1, 1, 4, 40), np.float32)
    x[0, 0, 0, ::3], x[0, 0, 2, ::5] = np.nan, -np.inf
    for op in ("max_pool2d", "avg_pool2d"):
        workload = Workload.parse(f"{op}(n=?, c=?, h=?, w=?)")
        np.testing.assert_array_equal(kernel_of(workload)(x), evaluate(workload, {"x": x})["y"])


def test_what_one_hot_says_to_do_where_the_depth_is_not_known_before_does_the_same() -> None:
    with pytest.raises(SpecError) as error:
        Workload.parse("one_hot(m=?, depth=?)")
    (text,) = re.findall(r"elementwise\(.*\)", str(error.value))
    kernel = kernel_of(Workload.parse(text))
    index = np.array([2, 0, 4])
    for depth in (5, 9):
        wanted = np.eye(depth, dtype=np.float32)[index]
        np.testing.assert_array_equal(kernel(index, np.arange(depth)), wanted)
