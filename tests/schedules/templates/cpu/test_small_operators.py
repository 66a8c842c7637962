"""The small operators: what workloads they are, that every config of theirs is in bounds, and what nests compute."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anytile.core.errors import ScheduleError, SpecError, UnsupportedError
from anytile.schedules.nest.interpret import interpret
from anytile.schedules.workloads.constructors import (
    batch_norm,
    cumsum,
    elementwise,
    layer_norm,
    reduce,
    rms_norm,
    softmax,
)
from anytile.schedules.workloads.reference import evaluate
from anytile.schedules.workloads.workload import Any, Dim, Workload
from tests.support.cases.small_operators import SSE, TEAM, check, inputs_of, interpreted, nest_of, only_template

SIZES = (0, 1, 3, 4, 5, 17)  # of 4 lanes
A, B, C = Any("a"), Any("b"), Any("c")
CASES = (
    elementwise("gelu(x[d0, d1] + bias[d1])", A, B),
    elementwise("x[d0, d1] * x[d0, d1] + s", A, B),
    elementwise("x[d0, d1, d2] * scale[d1] + u[d0, d2]", 2, A, B),
    elementwise("x[d0, d1] < z[d1, d0]", A, B),
    elementwise("where(m[d0, d1], float32(i[d1] + 1), x[d0, d1] / 2)", A, 5, types={"m": "bool", "i": "int64"}),
    elementwise("max(i[d0], j[d0]) - 3", A, dtype="int32"),
    elementwise("and_(not_(p[d0]), q[d0])", A, dtype="bool"),
    elementwise("h[d0, 0, d1] * sigmoid(h[d0, 1, d1]) + s[2, d1]", A, B, parts=3),
    elementwise("h[1, d0, d1] - h[0, d0, d1]", A, B, parts=2),
    elementwise("int64(x[d0])", A),
    softmax(A, outer=B),
    softmax(A, outer=B, log=True),
    softmax(A, inner=B),
    softmax(A, outer=2, inner=B, log=True),
    softmax(A, outer=B).storing({"x": "bfloat16", "y": "bfloat16"}),
    layer_norm(A, B),
    layer_norm(A, 19, pre="x + r[rows, n] * s[n]"),
    rms_norm(A, B, eps=0.1),
    rms_norm(3, B, pre="x * t[n, rows]"),
    batch_norm(A, outer=B),
    batch_norm(A, outer=2, inner=B),
    batch_norm(3, inner=A),
    cumsum(A, outer=B),
    cumsum(A, outer=2, inner=B),
    cumsum(A, inner=B, exclusive=True, reverse=True),
    cumsum(A, outer=B, exclusive=True, dtype="int64"),
    *(reduce(kind, A, B, axes=axis) for kind in ("sum", "mean", "max", "min", "prod", "argmax") for axis in (0, 1)),
    reduce("sum", A, B, axes=(0, 1)),
    reduce("max", A, 3, B, axes=(0, 2), dtype="int32"),
    reduce("sum", 2, A, 3, B, axes=(0, 2)),
    reduce("argmax", 2, A, B, axes=(1, 2), dtype="int64"),
    reduce("argmax", A, 3, B, axes=0, dtype="int32"),
    reduce("mean", A, B, axes=1, pre="(x - m[d0]) * (x - m[d0])"),
    reduce("sum", A, B, axes=0, pre="abs(x) * s[d0] + c[d1]"),
    reduce("max", A, 3, B, axes=(0, 2), pre="x * t[d2, d0]"),
    reduce("mean", A, 3, B, axes=(1, 2), pre="x * r[d1]"),
    reduce("sum", A, 3, B, axes=(0, 1), pre="exp(-x) * r[d1] * q"),
    reduce("min", A, 2, 3, B, axes=(1, 2), pre="x - a0[d0, d2]"),
    reduce("sum", A, 3, B, axes=2, pre="(a0[d0, d2] - a1[d1, d2]) * (a0[d0, d2] - a1[d1, d2])"),
    reduce("sum", A, B, axes=1, pre="x * float32(m[d0, d1])", types={"m": "bool"}),
    reduce("sum", A, B, axes=0, pre="int64(p[d0, d1] < q[d1])", dtype="int64", types={"p": "float32", "q": "float32"}),
    reduce("mean", A, B, axes=1, pre="x * r[d1]").storing({"x": "bfloat16", "y": "bfloat16"}),
    reduce("argmax", A, B, axes=1).storing({"x": "float16"}),
)


@pytest.mark.slow
@pytest.mark.parametrize("workload", CASES, ids=str)
def test_nests_mean_the_reference_at_every_size(workload: Workload) -> None:
    nest = nest_of(workload, SSE)
    for values in itertools.product(SIZES, repeat=len(workload.symbols)):
        symbols = dict(zip(workload.symbols, values, strict=True))
        inputs = inputs_of(workload, symbols)
        check(workload, interpreted(nest, inputs, symbols), inputs, f"{symbols}\n{nest}")


@pytest.mark.slow
@pytest.mark.parametrize("workload", CASES, ids=str)
def test_every_config_is_in_bounds_and_right(workload: Workload) -> None:
    symbols = dict.fromkeys(workload.symbols, 9)
    inputs = inputs_of(workload, symbols)
    space = only_template(workload, TEAM).space(workload, TEAM)
    grains = sorted({config.int("grain") for config in space})[:2]  # none and one: another is another number
    for config in (c for c in space if c.int("grain") in grains):
        nest = nest_of(workload, TEAM, config)
        check(workload, interpreted(nest, inputs, symbols), inputs, f"{config}\n{nest}")


@pytest.mark.parametrize("workload", CASES, ids=str)
def test_the_text_says_all(workload: Workload) -> None:
    assert Workload.parse(str(workload)) == workload
    assert only_template(workload, TEAM).default(workload, TEAM) in only_template(workload, TEAM).space(workload, TEAM)


# Attributes at random

_DIM = st.sampled_from((0, 1, 2, 4, 5, 9))


@pytest.mark.sampled(0)
@settings(max_examples=40)
@given(st.data())
def test_any_reduction(data: st.DataObject) -> None:
    rank = data.draw(st.integers(1, 4), "rank")
    sizes = [data.draw(_DIM) for _ in range(rank)]
    dims: list[Dim] = [Any(f"s{i}") if data.draw(st.booleans()) else n for i, n in enumerate(sizes)]
    kind = data.draw(st.sampled_from(("sum", "mean", "max", "min", "prod", "argmax")))
    axes = data.draw(st.sets(st.integers(0, rank - 1), min_size=1))
    if kind == "argmax":
        axes = set(range(min(axes), max(axes) + 1))
    dtype = "float32" if kind == "mean" else data.draw(st.sampled_from(("float32", "int32", "int64")))
    workload = reduce(kind, *dims, axes=tuple(axes), dtype=dtype)
    symbols = {f"s{i}": n for i, n in enumerate(sizes) if isinstance(dims[i], Any)}
    inputs = inputs_of(workload, symbols)
    nest = nest_of(workload, SSE)
    check(workload, interpreted(nest, inputs, symbols), inputs, f"{symbols}\n{nest}")


@pytest.mark.sampled(0)
@settings(max_examples=40)
@given(st.data())
def test_any_broadcast(data: st.DataObject) -> None:
    rank = data.draw(st.integers(1, 4), "rank")
    names = [f"d{i}" for i in range(rank)]
    sizes = [data.draw(_DIM) for _ in range(rank)]
    dims: list[Dim] = [Any(f"s{i}") if data.draw(st.booleans()) else n for i, n in enumerate(sizes)]
    reads = [f"x[{', '.join(names)}]"]
    for name in "pqr"[: data.draw(st.integers(0, 3))]:
        over = data.draw(st.lists(st.sampled_from(names), unique=True))
        reads.append(f"{name}[{', '.join(over)}]" if over else name)
    workload = elementwise(" * ".join(reads), *dims)
    symbols = {f"s{i}": n for i, n in enumerate(sizes) if isinstance(dims[i], Any)}
    inputs = inputs_of(workload, symbols)
    nest = nest_of(workload, SSE)
    check(workload, interpreted(nest, inputs, symbols), inputs, f"{symbols}\n{nest}")


def test_dimensions_that_lie_together_are_one_loop() -> None:
    nest = nest_of(elementwise("relu(x[d0, d1, d2] + z[d0, d1, d2])", A, B, 8), SSE)
    assert [b.shape for b in nest.params] == [nest.params[0].shape] * 3
    assert len(nest.params[0].shape) == 1


# References are numpy's


def test_reductions_are_numpys() -> None:
    x = np.random.default_rng(1).standard_normal((3, 4, 5)).astype(np.float32)
    for kind, wanted in (
        ("sum", x.astype(np.float64).sum(axis=(0, 2))),
        ("mean", x.astype(np.float64).mean(axis=(0, 2))),
        ("max", x.max(axis=(0, 2))),
        ("prod", x.astype(np.float64).prod(axis=(0, 2))),
    ):
        (got,) = evaluate(reduce(kind, 3, 4, 5, axes=(0, 2)), {"x": x}).values()
        np.testing.assert_array_equal(got, wanted.astype(np.float32))
    (got,) = evaluate(reduce("argmax", 3, 4, 5, axes=1), {"x": x}).values()
    np.testing.assert_array_equal(got, x.argmax(axis=1))


@pytest.mark.parametrize("log", [False, True])
def test_softmax_is_scipys(log: bool) -> None:
    special = pytest.importorskip("scipy.special")
    x = np.array([[1, 2, 3], [-np.inf, 0, 1], [-np.inf] * 3, [np.inf, 0, 1], [np.nan, 0, 1], [1e30, 0, -1e30]])
    x = x.astype(np.float32)
    (got,) = evaluate(softmax(3, outer=6, log=log), {"x": x[:, :, None]}).values()
    with np.errstate(all="ignore"):
        wanted = (special.log_softmax if log else special.softmax)(x.astype(np.float64), axis=1)
    np.testing.assert_array_equal(got[:, :, 0], wanted.astype(np.float32))


# What is refused


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("elementwise(d0=3)", "f is missing"),
        ("elementwise(d0=3, rank=1, f=x[d1])", "should have some of the dimensions d0"),
        ("elementwise(d0=3, d1=4, f=x[d0])", "has the dimension d1"),
        ("elementwise(d0=3, rank=1, f=y[d0])", "cannot be called y"),
        ("elementwise(d0=3, rank=1, f=x[d0], types=z:bool)", "reads no z"),
        ("elementwise(d0=3, rank=1, f=x[d0], types=x:uint16)", "is not operand:dtype"),
        ("elementwise(d0=3, rank=1, f=x[d0], types=x:int8)", "write a cast"),
        ("elementwise(d0=3, rank=1, f=spam(x[d0]))", "unknown function 'spam'"),
        ("reduce(d0=3, d1=4, axes=2)", "rising numbers below 2"),
        ("reduce(d0=3, d1=4, axes=1x0)", "rising numbers below 2"),
        ("reduce(d0=3, d1=4, d2=5, rank=3, axes=0x2, kind=argmax)", "expected neighbours"),
        ("reduce(d0=3, d1=4, kind=argmax, pre=-x)", "argmax takes no pre"),
        ("reduce(d0=3, d1=4, pre=x[d0, d1] * 2)", "expected x alone"),
        ("reduce(d0=3, d1=4, pre=r[d0] * 2)", "has the dimension d1"),
        ("reduce(d0=3, d1=4, pre=x * r[c])", "should have some of the dimensions d0, d1"),
        ("reduce(d0=3, d1=4, pre=x < r[d0])", "makes bool; write a cast"),
        ("reduce(d0=3, d1=4, pre=x, types=z:bool)", "reads no z"),
        ("layer_norm(rows=3, n=4, eps=-1)", "expected a number of at least 0"),
        ("layer_norm(rows=3, n=4, pre=r[rows])", "expected x in it"),
        ("layer_norm(rows=3, n=4, pre=x * gamma[n])", "another tensor's name"),
        ("rms_norm(rows=3, n=4, pre=x * g[c])", "some of the dimensions"),
    ],
)
def test_refused(text: str, complaint: str) -> None:
    with pytest.raises(SpecError, match=complaint.replace("(", r"\(")):
        Workload.parse(text)


def test_dtypes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(SpecError, match="write a cast"):
        nest_of(elementwise("x[d0] + i[d0]", 3, types={"i": "int32"}), SSE)
    with pytest.raises(UnsupportedError, match="cast to float32"):
        nest_of(reduce("mean", 3, axes=0, dtype="int32"), SSE)
    with pytest.raises(SpecError, match="write a cast"):
        nest_of(reduce("sum", 3, axes=0, pre="x + i[d0]", types={"i": "int32"}), SSE)
    with pytest.raises(SpecError, match="each once"):
        reduce("sum", 3, 4, axes=(1, -1))


def test_the_walls_of_the_interpreter_stand() -> None:
    """The harness sees a nest that reads too far."""
    workload = softmax(A, outer=B)
    nest = nest_of(workload, SSE)
    inputs = inputs_of(workload, {"a": 5, "b": 2})
    held = {"x": inputs["x"][:, :4], "y": np.zeros((2, 5, 1), np.float32)}
    with pytest.raises(ScheduleError, match="x has shape"):
        interpret(nest, held, {"a": 5, "b": 2})
