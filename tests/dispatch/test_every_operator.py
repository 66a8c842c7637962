"""What holds for every operator: sizes at the corners, nothing at all, overlaps, absurd sizes, special values, views.

The cases are the examples of the operators' rows: a new operator is tested by being in the table.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from anytile.codegen.artifact import Artifact
from anytile.codegen.cache import CodeCache
from anytile.codegen.load.loader import Loaded
from anytile.core.dtypes import BY_NAME, BYTES, FLOAT8
from anytile.core.errors import ArgumentError, ResourceError, SpecError
from anytile.dispatch.cpu.build import compile_plan
from anytile.dispatch.cpu.kernel import DispatchKernel
from anytile.schedules.hardware.cpu import facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.nest.stored_floats import bits_of, from_bits
from anytile.schedules.nest.verify import verify
from anytile.schedules.operators import OPERATORS, TensorSpec
from anytile.schedules.plans.plan import DispatchPlan
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.base.template import Template
from anytile.schedules.templates.registry import templates_for
from anytile.schedules.workloads.reference import evaluate
from anytile.schedules.workloads.workload import MAX_BYTES, MAX_DIM, Workload
from tests.support.cases.small_operators import SSE, TEAM, Array, check, inputs_of, interpreted, walled

HOST = Target.host(1)
LANES = facts(HOST).lanes
PRIME = 1009
CASES = tuple(text for row in OPERATORS.values() for text in row.examples)


FEW_REGISTERS = (
    "llvm -mtriple=armv7-linux-gnueabihf -mcpu=cortex-a15 -threads=1",
    "llvm -mtriple=riscv64-linux-gnu -mattr=+m,+a,+f,+d -threads=1",
    "llvm -mtriple=i686-linux-gnu -mcpu=haswell -threads=1",
)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("target", [*map(Target.parse, FEW_REGISTERS)], ids=lambda t: str(t.get("mtriple")))
def test_every_default_is_a_config_where_registers_are_few(target: Target) -> None:
    for workload in map(Workload.parse, CASES):
        for template in templates_for(workload.anchor, target):
            template.space(workload.anchor, target).check(template.default(workload.anchor, target))


def test_no_operator_is_left_out() -> None:
    """Every row has examples, and they are of that row, but for what only models have."""
    for name, row in OPERATORS.items():
        assert {Workload.parse(text).op for text in row.examples} == (set() if row.over else {name})


@pytest.mark.sampled(12)
@pytest.mark.parametrize("text", CASES)
def test_every_template_means_what_numpy_says(text: str) -> None:
    """As a nest, interpreted: the schedule is right before code is made of it, on one thread and on several."""
    workload = replace(Workload.parse(text), const=())
    for target in (SSE, TEAM):
        for template in templates_for(workload, target):
            nest = template.schedule(workload, target, template.default(workload, target)).nest
            verify(nest)
            for size in (0, 1, 3):
                symbols = dict.fromkeys(workload.symbols, size)
                if legal(workload, symbols) and min(e.evaluate(symbols) for e in workload.extents.values()) >= 0:
                    inputs = inputs_of(workload, symbols)
                    check(workload, interpreted(nest, inputs, symbols), inputs, f"{template.name} {size}", 4e-6)


def of_nest(workload: Workload, inputs: dict[str, Array], symbols: dict[str, int]) -> dict[str, Array]:
    """The outputs as the operator's nest makes them, step by step, in the dtypes that it has."""
    plain = replace(workload, const=())
    template = templates_for(plain, SSE)[0]
    nest = template.schedule(plain, SSE, template.default(plain, SSE)).nest
    with np.errstate(all="ignore"):
        found = interpreted(nest, inputs, symbols)
    return {name: from_bits(a, workload.dtype_of(workload.tensor(name))).reshape(workload.shape(name, symbols))
            for name, a in found.items()}  # fmt: skip


@functools.cache
def compiled(workload: Workload, template: Template) -> tuple[DispatchPlan, Artifact]:
    """Its residues in two classes: fewer kernels to compile than one for each, and every size is served. What another
    worker has compiled is in the cache."""
    plan = single_plan(workload, HOST, template.name, template.default(workload, HOST), classes=2)
    return plan, compile_plan(plan, cache=CodeCache())


@functools.cache
def kernel_of(workload: Workload) -> DispatchKernel:
    plan, artifact = compiled(workload, templates_for(workload, HOST)[0])
    constants = {n: a for n, a in inputs_of(workload, small(workload)).items() if n in workload.const}
    return DispatchKernel(plan, artifact, constants)


def small(workload: Workload, **larger: int) -> dict[str, int]:
    return {**dict.fromkeys(workload.symbols, 3), **larger}


def passed(workload: Workload, symbols: dict[str, int], seed: int = 0) -> tuple[dict[str, Array], list[Array]]:
    """All inputs, and those of a call; constants are the same at every size."""
    inputs = inputs_of(workload, symbols, seed)
    inputs |= {n: a for n, a in inputs_of(workload, small(workload)).items() if n in workload.const}
    assert all(inputs[n].shape == workload.shape(n, symbols) for n in workload.const)
    return inputs, [a for n, a in inputs.items() if n not in workload.const]


def called(workload: Workload, given: list[Array], out: object = None) -> dict[str, Array]:
    got = kernel_of(workload)(*given, out=out)
    return dict(zip((t.name for t in workload.outputs), got if isinstance(got, tuple) else (got,), strict=True))


def legal(workload: Workload, symbols: dict[str, int]) -> bool:
    """Whether there is something to gather from."""
    sizes = workload.sizes(symbols)
    return workload.op not in ("gather", "interpolate") or sizes["n"] > 0 or sizes["m"] == 0


def corners(workload: Workload, tile: int) -> Iterator[dict[str, int]]:
    for varied in workload.symbols:
        for size in dict.fromkeys((0, 1, tile - 1, tile, tile + 1, LANES - 1, LANES, LANES + 1, PRIME)):
            symbols = small(workload, **{varied: size})
            if legal(workload, symbols):
                yield symbols


@pytest.mark.slow
@pytest.mark.parametrize("text", CASES)
def test_every_dimension_at_its_corners(text: str) -> None:
    """0, 1, around the tile and around the lanes, and a large prime, of each symbol, by every template that serves."""
    workload = Workload.parse(text)
    for template in templates_for(workload, HOST):
        config = dict(template.default(workload, HOST).values)
        loaded = Loaded(compiled(workload, template)[1])
        tile = max(2, *(int(config.get(name, 0)) for name in ("tile_m", "tile_p", "tile_w", "tile_h")))
        for symbols in corners(workload, tile):
            inputs, given = passed(workload, symbols)
            got = called(workload, given) if workload.const else walled(loaded, workload, inputs, symbols)
            check(workload, got, inputs, f"{template.name} {symbols}", 4e-6)


@pytest.mark.slow
@pytest.mark.parametrize("text", CASES)
def test_nothing_gives_nothing(text: str) -> None:
    """Whatever is empty: the result has the shape that numpy's has, and the values, too, where there are any."""
    workload = Workload.parse(text)
    for varied in workload.symbols:
        symbols = small(workload, **{varied: 0})
        if not legal(workload, symbols):
            continue
        inputs, given = passed(workload, symbols)
        wanted = evaluate(workload, inputs)
        for name, y in called(workload, given).items():
            assert y.shape == wanted[name].shape == workload.shape(name, symbols)
        check(workload, called(workload, given), inputs, symbols)


@pytest.mark.sampled(12)
@pytest.mark.parametrize("text", CASES)
def test_results_over_inputs_are_refused_by_name(text: str) -> None:
    workload = Workload.parse(text)
    symbols = dict.fromkeys(workload.symbols, 6)
    _, given = passed(workload, symbols)
    names = [t.name for t in workload.inputs if t.name not in workload.const]
    shapes = [workload.shape(t.name, symbols) for t in workload.outputs]
    dtypes = [np.dtype(BY_NAME[workload.dtype_of(t)].numpy) for t in workload.outputs]
    for _ in range(2):  # the first call goes the slow way, the second the quick one
        for place, name in enumerate(names):
            for which, (output, shape, dtype) in enumerate(zip(workload.outputs, shapes, dtypes, strict=True)):
                room = np.zeros(given[place].nbytes + dtype.itemsize * math.prod(shape), np.uint8)
                over = room[: given[place].nbytes].view(given[place].dtype).reshape(given[place].shape)
                over[...] = given[place]
                begin = max(given[place].nbytes - 8, 0)
                target = room[begin : begin + dtype.itemsize * math.prod(shape)].view(dtype).reshape(shape)
                outs = [np.zeros(s, d) for s, d in zip(shapes, dtypes, strict=True)]
                outs[which] = target
                where = "out" if len(outs) == 1 else f"out {output.name}"
                arrays = [over if i == place else a for i, a in enumerate(given)]
                with pytest.raises(ArgumentError, match=f"{workload.op}: {where} overlaps {name} in memory") as error:
                    called(workload, arrays, outs[0] if len(outs) == 1 else tuple(outs))
                assert "\n" not in str(error.value)
                np.testing.assert_array_equal(over, given[place])
        called(workload, given)


@pytest.mark.sampled(12)
@pytest.mark.parametrize("text", CASES)
def test_views_are_inputs_and_results(text: str) -> None:
    """Every second element, backwards, and in another order of dimensions."""
    workload = Workload.parse(text)
    symbols = small(workload, **{workload.symbols[-1]: LANES + 3})
    inputs, given = passed(workload, symbols)
    for lay in (_spread, _turned):
        outs = tuple(lay(_zeros(workload, t, symbols)) for t in workload.outputs)
        got = called(workload, [lay(a) for a in given], outs[0] if len(outs) == 1 else outs)
        assert all(a is b for a, b in zip(got.values(), outs, strict=True))
        check(workload, got, inputs, lay.__name__, 4e-6)


def _zeros(workload: Workload, t: TensorSpec, symbols: dict[str, int]) -> Array:
    return np.zeros(workload.shape(t.name, symbols), BY_NAME[workload.dtype_of(t)].numpy)


def _spread(array: Array) -> Array:
    wide = np.zeros(tuple(2 * n for n in array.shape), array.dtype)
    view = wide[..., *(slice(None, None, 2) for _ in array.shape)][..., *(slice(None, None, -1) for _ in array.shape)]
    view[...] = array
    return view


def _turned(array: Array) -> Array:
    return np.array(array.T, order="C").T


# Sizes that nothing can count


@pytest.mark.parametrize("text", CASES)
def test_sizes_that_64_bits_cannot_count_are_refused_where_they_are_known(text: str) -> None:
    """All of them as large as a dimension may be, or some: refused exactly where the bytes of a tensor are too many."""
    workload = Workload.parse(text)
    for sizes in ((MAX_DIM, MAX_DIM), (MAX_DIM, 9), (9, MAX_DIM), (9, 9)):
        symbols = dict(zip(workload.symbols, itertools.cycle(sizes), strict=False))
        bytes_of = [BYTES[workload.dtype_of(t)] * math.prod(workload.shape(t.name, symbols)) for t in workload.tensors]
        if max(bytes_of) <= MAX_BYTES:
            assert workload.bind(symbols).is_concrete
            continue
        with pytest.raises(SpecError, match="cannot be counted in 64 bits; split the work") as error:
            workload.bind(symbols)
        assert "\n" not in str(error.value)


OVERFLOWS = {  # operators that make more than they are given, and what they are given
    "dense(m=?, n=?, k=?)": ((MAX_DIM, 1), (MAX_DIM, 1)),
    "gated_dense(m=?, u=?, k=?, gates=2, cell=h2 = z0 * z1)": ((MAX_DIM, 1), (2, MAX_DIM, 1)),
    "batch_matmul(b=?, m=?, n=?, k=?)": ((3, MAX_DIM, 1), (3, 1, MAX_DIM)),
    "conv2d(n=?, ci=1, h=?, w=?, co=64, kh=1, kw=1)": ((MAX_DIM, 1, 2**15, 2**13), (64, 1, 1, 1)),
    "elementwise(d0=?, d1=?, rank=2, f=r[d0] + c[d1])": ((MAX_DIM,), (MAX_DIM,)),
    "gather(outer=?, n=?, m=?, inner=?)": ((MAX_DIM, 1, 2**28), (MAX_DIM,)),
}


@pytest.mark.slow
@pytest.mark.parametrize("text", OVERFLOWS)
def test_results_that_64_bits_cannot_count_are_refused_before_anything_is_allocated(text: str) -> None:
    workload = Workload.parse(text)
    given = [
        np.broadcast_to(np.zeros((), BY_NAME[workload.dtype_of(t)].numpy), shape)
        for t, shape in zip(workload.inputs, OVERFLOWS[text], strict=True)
    ]
    for _ in range(2):
        with pytest.raises(ResourceError, match="takes more bytes than 64 bits count; split the work"):
            kernel_of(workload)(*given)


# Values that are no ordinary numbers

SPECIAL = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-40, -1e-45, 1.5e-38, 1.0, -2.5, 3e30)
FLOATS = tuple(t for t in CASES if not any(given.indexes for given in Workload.parse(t).inputs))


@pytest.mark.sampled(12)
@pytest.mark.parametrize("text", FLOATS)
def test_special_values_come_out_where_numpy_has_them(text: str) -> None:
    """NaN, infinities and denormals in the first operand: nothing else is spoilt, and nothing is flushed to zero."""
    workload = Workload.parse(text)
    require_special(workload, SPECIAL)
    if {workload.dtype_of(t) for t in workload.tensors} & set(FLOAT8):
        require_special(workload, SPECIAL[:-1])


def require_special(workload: Workload, special: tuple[float, ...]) -> None:
    symbols = small(workload, **dict.fromkeys(workload.symbols[-2:], LANES + 3))
    inputs, given = passed(workload, symbols)
    rng = np.random.default_rng(1)
    spoilt = rng.random(given[0].shape) < 0.1
    dtypes = {t.name: workload.dtype_of(t) for t in workload.tensors}
    with np.errstate(all="ignore"):
        given[0][spoilt] = bits_of(rng.choice(np.float32(special), int(spoilt.sum())), dtypes[workload.inputs[0].name])
        wanted = evaluate(workload, {n: from_bits(a, dtypes[n]) for n, a in inputs.items()})
    # Numbers of 8 bits are few: 3e30 by one of them and by its negative leaves nothing but what was rounded beside it.
    cancels = 3e30 in special and bool(set(dtypes.values()) & set(FLOAT8))
    for name, found in called(workload, given).items():
        y, expected = (a.astype(np.float64) for a in (from_bits(found, dtypes[name]), wanted[name]))
        near = {"bfloat16": 2.0**-7, "float16": 2.0**-9}.get(dtypes[name], 1e-4)
        rough = 0.0 if workload.spec.near is None else workload.spec.near(workload.attributes)
        np.testing.assert_array_equal(np.isnan(y), np.isnan(expected), err_msg=name)
        infinite = np.isinf(expected)
        np.testing.assert_array_equal(y[infinite], expected[infinite], err_msg=name)
        finite = np.isfinite(expected)
        if (overflowed := finite & np.isinf(y)).any():  # a float32 on the way did, as in a sum of squares
            np.testing.assert_array_equal(y[overflowed], of_nest(workload, inputs, symbols)[name][overflowed])
            finite &= ~overflowed
        np.testing.assert_allclose(y[finite], expected[finite], rtol=near, atol=1e24, err_msg=name)
        modest = (np.abs(expected) < 1e6) & (not cancels)
        atol = near + rough * np.abs(expected[modest]).max(initial=0.0)
        np.testing.assert_allclose(y[modest], expected[modest], rtol=near, atol=atol, err_msg=name)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("layout", ["nhwc", "nchw"])
def test_infinite_weights_spoil_what_numpy_has_spoilt_inside_the_image(layout: str) -> None:
    """Only where a window leaves the image may a config have left out what another one multiplied by zero."""
    workload = Workload.parse(f"conv2d(n=1, ci=3, h=6, w=7, co=5, kh=3, kw=3, pad=1, layout={layout})")
    inputs = inputs_of(workload, {})
    inputs["w"][0, 0, 0, 0], inputs["w"][1, 2, 1, 2], inputs["w"][3, 1, 2, 2] = np.inf, np.nan, -np.inf
    with np.errstate(all="ignore"):
        wanted = evaluate(workload, inputs)["y"]
    inside = (slice(None), slice(1, -1), slice(1, -1)) if layout == "nhwc" else (..., slice(1, -1), slice(1, -1))
    for template in templates_for(workload, HOST):
        space = template.space(workload, HOST)
        for config in (template.default(workload, HOST), space[0], space[len(space) // 2]):
            plan = single_plan(workload, HOST, template.name, config)
            y = DispatchKernel(plan, compile_plan(plan))(*inputs.values())
            np.testing.assert_allclose(y[inside], wanted[inside], rtol=1e-5, atol=1e-5, err_msg=str(config))
            finite = np.isfinite(wanted)
            np.testing.assert_allclose(y[finite], wanted[finite], rtol=1e-5, atol=1e-5, err_msg=str(config))


DENORMAL = (
    "dense(m=?a, n=?b, k=1)",
    "batch_matmul(b=?a, m=?b, n=?a, k=1)",
    "conv2d(n=1, ci=1, h=?a, w=?b, co=3, kh=1, kw=1)",
    "conv2d(n=1, ci=3, h=?a, w=?b, co=3, kh=1, kw=1, groups=3)",
    "transpose(d0=?a, d1=?b)",
    "max_pool2d(n=1, c=?a, h=6, w=?b)",
    "avg_pool2d(n=1, c=?a, h=6, w=?b)",
    "elementwise(d0=?a, d1=?b, rank=2, f=x[d0, d1] * 0.5)",
    "reduce(d0=?a, d1=?b, rank=2, axes=1)",
    "cumsum(outer=?a, n=?b, inner=1)",
)


@pytest.mark.slow
@pytest.mark.parametrize("text", DENORMAL)
def test_denormals_are_numbers_too(text: str) -> None:
    workload = Workload.parse(text)
    symbols = {"a": 5, "b": 2 * LANES + 3}
    inputs, given = passed(workload, symbols)
    for array in given:
        array[...] = np.sign(array) * np.float32(1)
    given[0] *= np.float32(2.0**-140)
    wanted = evaluate(workload, inputs)["y"]
    assert (np.abs(wanted[wanted != 0]) < np.finfo(np.float32).tiny).any()
    np.testing.assert_allclose(called(workload, given)["y"], wanted, rtol=1e-6, atol=2.0**-149)


# Geometry that cannot be

IMPOSSIBLE = {
    "conv2d(n=1, ci=1, h=2, w=9, co=1, kh=3, kw=1)": "the kernel reaches over 3 elements, but h with its padding has 2",
    "conv2d(n=1, ci=1, h=?, w=3, co=1, kh=9, kw=2, dilation=3, pad=0)": "reaches over 4 elements, but w",
    "conv2d(n=1, ci=6, h=9, w=9, co=8, kh=1, kw=1, groups=4)": "ci=6 is not divisible by groups=4",
    "conv2d(n=1, ci=8, h=9, w=9, co=6, kh=1, kw=1, groups=4)": "co=6 is not divisible by groups=4",
    "conv2d(n=1, ci=8, h=9, w=9, co=8, kh=1, kw=1, groups=0)": "conv2d: groups=0: 0 is less than 1",
    "conv2d(n=1, ci=8, h=9, w=9, co=8, kh=1, kw=1, pad=-1)": "conv2d: pad=-1: -1 is less than 0",
    "conv2d(n=1, ci=8, h=9, w=9, co=8, kh=1, kw=1, stride=0)": "conv2d: stride=0: 0 is less than 1",
    "conv2d(n=1, ci=8, h=9, w=9, co=8, kh=1, kw=1, dilation=0)": "dilation=0: 0 is less than 1",
    "conv2d(n=1, ci=?, h=9, w=9, co=8, kh=1, kw=1)": "ci is symbolic; expected a whole number",
    "conv2d(n=1, ci=8, h=9, w=9, co=8, kh=0, kw=1)": "kh is 0; expected at least 1",
    "conv2d(n=1, ci=8, h=9, w=9, co=8, kh=1, kw=1, layout=chwn)": "conv2d: layout=chwn: expected nchw, nhwc",
    "max_pool2d(n=1, c=1, h=9, w=9, kernel=0)": "max_pool2d: kernel=0: 0 is less than 1",
    "avg_pool2d(n=1, c=1, h=9, w=9, pad=-2)": "avg_pool2d: pad=-2: -2 is less than 0",
    "batch_matmul(b=1, m=1, n=1, k=1, rhs=bk)": "rhs=bk: expected the dimensions bkn in any order",
}


@pytest.mark.parametrize("text", IMPOSSIBLE)
def test_impossible_geometry_is_refused_in_a_line(text: str) -> None:
    with pytest.raises(SpecError) as error:
        Workload.parse(text)
    assert IMPOSSIBLE[text] in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.slow
@pytest.mark.parametrize("op", ["conv2d", "max_pool2d", "avg_pool2d"])
@pytest.mark.parametrize("layout", ["nchw", "nhwc"])
def test_images_smaller_than_the_window_give_nothing(op: str, layout: str) -> None:
    """Known too late for an error: at run time the result is empty."""
    sizes = "ci=3, h=?h, w=?v, co=2, kh=3, kw=2" if op == "conv2d" else "c=3, h=?h, w=?v, kernel=3x2"
    workload = Workload.parse(f"{op}(n=?b, {sizes}, stride=2, layout={layout})")
    for h, v in ((0, 0), (1, 9), (2, 9), (9, 1), (2, 1), (3, 2)):
        inputs, given = passed(workload, {"b": 2, "h": h, "v": v})
        (y,) = called(workload, given).values()
        assert y.shape == evaluate(workload, inputs)["y"].shape
        assert (y.size == 0) == (h < 3 or v < 2)
