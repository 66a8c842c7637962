"""Operators that move elements, and pooling: what they mean, what is refused, and their nests, interpreted."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anytile.core.errors import SpecError
from anytile.schedules.index.expr import const, var
from anytile.schedules.operators.movement.slicing import filling
from anytile.schedules.operators.reductions.pool import MOST_TAPS
from anytile.schedules.templates.cpu.transpose_cpu import Turn
from anytile.schedules.workloads.reference import evaluate
from anytile.schedules.workloads.workload import Workload
from tests.support.cases.small_operators import SSE, check, inputs_of, interpreted, nest_of

DTYPES = ("float32", "int32", "int64", "bool")
SIZES = (0, 1, 3, 4, 5, 9)  # around the 4 lanes of the target that is interpreted


def interpret_at(workload: Workload, *several: dict[str, int]) -> None:
    nest = nest_of(workload, SSE)
    for symbols in several:
        inputs = inputs_of(workload, symbols)
        check(workload, interpreted(nest, inputs, symbols), inputs, symbols)


MOVES = (
    "transpose(d0=?a, d1=?b)",
    "transpose(d0=?a, d1=?b, rank=2, perm=0x1)",
    "transpose(d0=?a, d1=1, d2=?b, rank=3, perm=2x1x0)",
    "transpose(d0=2, d1=?a, d2=?b, d3=3, rank=4, perm=0x2x1x3)",
    "transpose(d0=2, d1=?a, d2=3, d3=?b, rank=4, perm=0x3x1x2)",
    "transpose(d0=3, d1=?a, d2=2, d3=?b, rank=4, perm=3x1x2x0)",
    "transpose(d0=?a, d1=2, d2=?b, rank=3, perm=0x2x1)",
    "transpose(d0=3, d1=?a, d2=2, d3=?b, rank=4, perm=1x2x3x0)",
    "gather(outer=2, n=?a, m=?b, inner=3)",
    "gather(outer=1, n=7, m=?a, inner=?b, index=int32)",
    "one_hot(m=?a, depth=6)",
    "one_hot(m=?a, depth=3, index=int32)",
    "concat(outer=?a, n0=?b, n1=3, n2=?a, inner=2, count=3)",
    "concat(outer=1, n0=?a, n1=?b, inner=1)",
    "concat(outer=?a, n0=1, n1=1, inner=1)",
    "concat(outer=?a, n0=1, n1=1, n2=1, inner=1, count=3)",
    "split(outer=?a, n=?b, inner=2, count=3)",
    "split(outer=1, n=?b, inner=?a, count=4, at=1x3x5)",
    "slice(d0=?a, d1=?b, rank=2, start=1x-3, stop=-1x2147483647)",
    "slice(d0=?a, d1=?b, rank=2, start=-1x2, stop=-2147483648x40, step=-2x3)",
    "slice(d0=?a, d1=2, d2=?b, rank=3, start=1x0x0)",
    "pad(d0=?a, d1=?b, rank=2, before=1x2, after=0x3, value=1)",
    "pad(d0=2, d1=?a, d2=?b, rank=3, before=0x1x0, after=0x2x0)",
    "pad(d0=?a, d1=?b, rank=2, before=1x2, after=2x3, mode=edge)",
    "pad(d0=?a, d1=2, d2=?b, rank=3, before=1x0x4, after=2x0x3, mode=reflect)",
)

SUMS = (
    "interpolate(outer=2, n=?a, m=?b, taps=2, inner=5)",
    "interpolate(outer=?a, n=3, m=?b, taps=6, inner=1)",
)


def legal(workload: Workload, symbols: dict[str, int]) -> bool:
    """Whether there is something to gather from."""
    sizes = workload.sizes(symbols)
    return workload.op not in ("gather", "interpolate") or sizes["n"] > 0 or sizes["m"] == 0


@pytest.mark.slow
@pytest.mark.parametrize("text", [*MOVES, *SUMS])
def test_a_nest_moves_what_numpy_moves_at_every_size(text: str) -> None:
    workload = Workload.parse(text)
    pairs = [(a, SIZES[(i + shift) % len(SIZES)]) for i, a in enumerate(SIZES) for shift in (0, 1)]
    every = [dict(zip(workload.symbols, pair, strict=False)) for pair in pairs]
    interpret_at(workload, *(s for s in every if legal(workload, s)))


@pytest.mark.sampled(8)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("text", MOVES[::3])
def test_every_dtype_is_moved(text: str, dtype: str) -> None:
    workload = Workload.parse(f"{text[:-1]}, dtype={dtype})")
    interpret_at(workload, dict.fromkeys(workload.symbols, 5))


@pytest.mark.sampled(8)
@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16"])
@pytest.mark.parametrize("op", ["transpose", "gather", "concat", "slice", "pad"])
def test_stored_integers_are_moved(op: str, dtype: str) -> None:
    for text in (text for text in MOVES if text.startswith(op)):
        workload = Workload.parse(f"{text[:-1]}, dtype={dtype})")
        interpret_at(workload, dict.fromkeys(workload.symbols, 9))


@pytest.mark.slow
@given(st.data())
@settings(max_examples=25, deadline=None)
def test_any_transposition_is_one(data: st.DataObject) -> None:
    rank = data.draw(st.integers(1, 5))
    perm = data.draw(st.permutations(range(rank)))
    sizes = [data.draw(st.sampled_from((1, 2, 3, 5))) for _ in range(rank)]
    known = [data.draw(st.booleans()) for _ in range(rank)]
    dims = ", ".join(f"d{i}={size if fixed else '?'}" for i, (size, fixed) in enumerate(zip(sizes, known, strict=True)))
    workload = Workload.parse(f"transpose({dims}, rank={rank}, perm={'x'.join(map(str, perm))})")
    interpret_at(workload, {f"d{i}": n for i, (n, fixed) in enumerate(zip(sizes, known, strict=True)) if not fixed})


@given(st.data())
@settings(max_examples=25, deadline=None)
def test_any_slice_is_numpys(data: st.DataObject) -> None:
    position, step = st.integers(-9, 9), st.sampled_from((1, 2, 5, -1, -3))
    starts, stops = ([data.draw(position) for _ in range(2)] for _ in range(2))
    steps = [data.draw(step) for _ in range(2)]
    numbers = (f"{name}={'x'.join(map(str, v))}" for name, v in (("start", starts), ("stop", stops), ("step", steps)))
    workload = Workload.parse(f"slice(d0=?, d1=?, rank=2, {', '.join(numbers)})")
    for symbols in ({"d0": 4, "d1": 7}, {"d0": 0, "d1": 3}, {"d0": 1, "d1": 1}):
        x = np.arange(symbols["d0"] * symbols["d1"], dtype=np.float32).reshape(symbols["d0"], symbols["d1"])
        a, b = (slice(*at) for at in zip(starts, stops, steps, strict=True))
        np.testing.assert_array_equal(evaluate(workload, {"x": x})["y"], x[a, b])
        interpret_at(workload, symbols)


@pytest.mark.slow
@given(st.data())
@settings(max_examples=25, deadline=None)
def test_any_pooling_is_the_windows_that_it_says(data: st.DataObject) -> None:
    def two(low: int, high: int) -> tuple[int, int]:
        return data.draw(st.integers(low, high)), data.draw(st.integers(low, high))

    kernel, stride, dilation = two(1, 3), two(1, 3), two(1, 2)
    (top, bottom), (left, right) = (two(0, d * (k - 1)) for k, d in zip(kernel, dilation, strict=True))
    sizes = two(5, 8)
    ceil, layout = data.draw(st.sampled_from(("no", "yes"))), data.draw(st.sampled_from(("nchw", "nhwc")))
    how = f"kernel={kernel[0]}x{kernel[1]}, stride={stride[0]}x{stride[1]}, dilation={dilation[0]}x{dilation[1]}"
    how += f", pad={top}x{left}x{bottom}x{right}, ceil={ceil}, layout={layout}"
    symbols = {"n": 1, "c": 5, "h": sizes[0], "w": sizes[1]}
    for op, more in (("max_pool2d", ""), ("avg_pool2d", ""), ("avg_pool2d", ", count=image")):
        workload = Workload.parse(f"{op}(n=?, c=?, h=?, w=?, {how}{more})")
        inputs = inputs_of(workload, symbols)
        check(workload, interpreted(nest_of(workload, SSE), inputs, symbols), inputs, symbols)
        x = inputs["x"] if layout == "nchw" else inputs["x"].transpose(0, 3, 1, 2)
        y = evaluate(workload, inputs)["y"]
        y = y if layout == "nchw" else y.transpose(0, 3, 1, 2)
        for i, j in np.ndindex(*y.shape[2:]):
            rows = [i * stride[0] + k * dilation[0] - top for k in range(kernel[0])]
            columns = [j * stride[1] + k * dilation[1] - left for k in range(kernel[1])]
            seen = [x[0, :, r, c] for r in rows for c in columns if 0 <= r < sizes[0] and 0 <= c < sizes[1]]
            if op == "max_pool2d":
                wanted = np.max([*seen, np.full(5, -np.inf, np.float32)], axis=0)
            else:
                around = (0, 0, 0, 0) if more else (top, left, bottom, right)
                count = sum(-around[0] <= r < sizes[0] + around[2] for r in rows)
                count *= sum(-around[1] <= c < sizes[1] + around[3] for c in columns)
                with np.errstate(all="ignore"):
                    wanted = np.sum([np.zeros(5), *seen], axis=0) / np.float64(count)
            np.testing.assert_allclose(y[0, :, i, j], wanted, rtol=1e-6, atol=1e-6)


def test_what_stays_together_is_one_dimension() -> None:
    a, b, c, d, one = var("a"), var("b"), var("c"), const(4), const(1)
    assert Turn.of((a, b, c, d), (0, 2, 3, 1)) == Turn((a, b, c * d), (0, 2, 1))
    assert Turn.of((a, one, b), (2, 1, 0)) == Turn((a, b), (1, 0))
    assert Turn.of((a, one, b), (1, 0, 2)) == Turn((a * b,), (0,))
    assert Turn.of((one, one), (1, 0)) == Turn((), ())


def test_an_open_attribute_is_kept_short_and_read_back() -> None:
    workload = Workload.parse("pad(d0=?, d1=?, d2=3, rank=3, before=2x2x2, after=0x1x0)")
    assert "before=2, after=0x1x0" in str(workload)
    assert Workload.parse(str(workload)) == workload
    assert workload.shape("y", {"d0": 1, "d1": 1}) == (3, 4, 5)


REFUSED = {
    "transpose(d0=1, d1=1, perm=0x0)": "perm=0: expected every number from 0 to 1 once",
    "transpose(d0=1, d1=1, rank=3, perm=0x2x1)": "d2 is missing",
    "transpose(d0=1, rank=9)": "rank=9: expected at most 8",
    "one_hot(m=?, depth=0)": "depth=0: 0 is less than 1",
    "gather(outer=1, n=1, m=1, inner=1, index=int8)": "index=int8: expected int64, int32",
    "concat(outer=1, n0=1, n1=1, inner=1, count=65)": "count=65: expected at most 64",
    "split(outer=1, n=9, inner=1, count=3, at=5x2)": "at=5x2: expected positions in their order",
    "split(outer=1, n=9, inner=1, count=4, at=5x6)": "at=5x6: expected 3 numbers, got 2",
    "slice(d0=?, d1=?, rank=2, step=1x0)": "step=0: expected a step that is not 0",
    "slice(d0=?, d1=?, rank=2, start=9999999999)": "9999999999 is out of range",
    "pad(d0=?, rank=1, value=x)": "value=x: expected a number",
    "pad(d0=?, rank=1, before=-1)": "before=-1: -1 is less than 0",
    "pad(d0=0, rank=1, before=1, mode=edge)": "d0 is 0; there is no edge to pad it with",
    "max_pool2d(n=1, c=1, h=2, w=9, kernel=3)": "a window reaches over 3 elements, but h with its padding has 2",
    "max_pool2d(n=1, c=1, h=9, w=9, kernel=2, pad=2)": "padding of 2 along h leaves windows of 2 without an element",
    "avg_pool2d(n=1, c=1, h=9, w=9, kernel=99)": f"a window of 99x99 elements; expected at most {MOST_TAPS}",
    "transpose(d0=2147483647, d1=2147483647, d2=?, rank=3, perm=0x2x1)": "x cannot be counted in 64 bits",
    "pad(d0=2147483647, d1=1073741824, rank=2, before=2147483647)": "y cannot be counted in 64 bits",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_cannot_be_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(SpecError) as caught:
        Workload.parse(text)
    assert REFUSED[text] in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("value", [2**63 - 1, -(2**63), 2**53 + 1, -7])
def test_a_tensor_is_padded_with_exactly_this_number(value: int) -> None:
    """No float between holds it: an int64 has more digits."""
    workload = Workload.parse(f"pad(d0=3, rank=1, before=1, after=2, value={value}, dtype=int64)")
    inputs = inputs_of(workload, {})
    y = evaluate(workload, inputs)["y"]
    assert y.tolist() == [value, *inputs["x"].tolist(), value, value]
    check(workload, interpreted(nest_of(workload, SSE), inputs, {}), inputs, {})


@pytest.mark.parametrize(
    ("value", "dtype"),
    [("9223372036854775808", "int64"), ("-2147483649", "int32"), ("0.5", "int32"), ("inf", "int64"), ("nan", "int32"),
     ("2", "bool"), ("1e999999999", "int64"), ("snan", "int64")],
)  # fmt: skip
def test_a_number_that_is_no_element_is_refused(value: str, dtype: str) -> None:
    with pytest.raises(SpecError, match=f"value={value}: (is no {dtype}|expected a number)"):
        filling({"value": value}, dtype)
