"""Tails: an elementwise chain fused into the store of an anchor gives what the chain gives after it, at every size."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from anytile.core.errors import SpecError
from anytile.db.store import Store
from anytile.dispatch.service import build, with_tail
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import DispatchPlan, Range
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.reference import evaluate
from anytile.schedules.workloads.workload import Any, Workload

TARGET = Target.parse("llvm -threads=1").resolved()
PANELS = Config.parse("block_k=0,block_n=1,locality=near,prefetch=0,tile_m=4,tile_n=2,unroll_k=2,w=panels")
CONFIGS = {
    "panels": PANELS,
    "k in blocks": PANELS.with_(block_k=256),
    "rows": PANELS.with_(w="rows", tile_n=3),
    "rows side by side": PANELS.with_(w="rows", tile_m=8, tile_n=1, block_n=0),
}
TAILS = (
    "max(y + bias[n], 0)",
    "gelu(y + bias[n]) * scale + r[m, n]",
    "select(y > row[m], tanh(y), y * 0.5)",
    "y * sigmoid(y) - r[n, m]",
)


def operands(workload: Workload, m: int) -> dict[str, NDArray[np.float32]]:
    rng = np.random.default_rng(m)
    shapes = {t.name: workload.shape(t.name, {"m": m}) for t in workload.inputs}
    return {name: rng.uniform(-1, 1, shape).astype(np.float32) for name, shape in shapes.items()}


@pytest.mark.slow
@pytest.mark.parametrize("tail", TAILS)
@pytest.mark.parametrize("which", CONFIGS)
def test_a_tail_is_what_the_chain_gives_afterwards(tail: str, which: str) -> None:
    k = 300 if which == "k in blocks" else 37
    workload = Workload.parse(f"dense(m=?, n=45, k={k}, tail={tail})")
    anchor = workload.anchor
    plan = with_tail(single_plan(anchor, TARGET, "dense.cpu", CONFIGS[which]), workload)
    kernel = build(workload, TARGET, plan=plan)
    for m in (0, 1, 3, 4, 5, 9, 31):
        given = operands(workload, m)
        got = kernel(*given.values())
        np.testing.assert_allclose(got, evaluate(workload, given)["y"], rtol=2e-5, atol=2e-5 * np.sqrt(k))


# What a tail means, in numpy and in float32 throughout.
CASTS = {
    "float32(int32(y) + 1)": lambda y: (y.astype(np.int32) + np.int32(1)).astype(np.float32),
    "float32(floordiv(int64(y), 3)) * 0.5": lambda y: np.floor_divide(y.astype(np.int64), 3).astype(np.float32) / 2,
    "float32(mod(int32(y), 5)) - y": lambda y: np.mod(y.astype(np.int32), np.int32(5)).astype(np.float32) - y,
    "float32(int32(y) * 1000000000)": lambda y: (y.astype(np.int32) * np.int32(10**9)).astype(np.float32),
    "float32(select(y > 3, int32(y), 7))": lambda y: np.where(y > 3, y, 7).astype(np.float32),
    "float32(y > 0) + y": lambda y: (y > 0).astype(np.float32) + y,
    "y * float32(and_(y > -9, not_(bool(int32(y)) == 1)))": lambda y: y * 0,
}


DENSE = "dense(m=?m, n=13, k=5)"
OTHERS = ("batch_matmul(b=?m, m=4, n=13, k=5)", "conv2d(n=?m, ci=5, h=4, w=13, co=3, kh=1, kw=1)")


@pytest.mark.slow
@pytest.mark.parametrize(("text", "tail"), [*((DENSE, t) for t in CASTS), *((o, next(iter(CASTS))) for o in OTHERS)])
def test_casts_in_a_tail(text: str, tail: str) -> None:
    """Whole numbers, so that every sum is exact and a cast has one answer."""
    plain = Workload.parse(text)
    workload = Workload.parse(f"{text[:-1]}, tail={tail})")
    assert Workload.parse(str(workload)) == workload
    kernel = build(workload, TARGET)
    for m in (1, 4, 11):
        rng = np.random.default_rng(m)
        shapes = [plain.shape(t.name, {"m": m}) for t in plain.inputs]
        given = [rng.integers(-3, 4, shape).astype(np.float32) for shape in shapes]
        named = dict(zip([t.name for t in plain.inputs], given, strict=True))
        expected = CASTS[tail](evaluate(plain, named)["y"])
        np.testing.assert_array_equal(kernel(*given), expected)
        np.testing.assert_array_equal(evaluate(workload, named)["y"], expected)


@pytest.mark.slow
@pytest.mark.parametrize("out", ["float32", "int32"])
def test_functions_of_sums_that_are_integers(out: str) -> None:
    """The tail's values are floats; as what means it in numpy they were cut off, so that sigmoid(3) was 0."""
    workload = Workload.parse(f"quantised_dense(m=?m, n=1, k=1, out={out}, tail=y * sigmoid(y) + 3 * tanh(y))")
    inputs = {"x": np.arange(40, dtype=np.uint8).reshape(-1, 1), "w": np.array([[-1]], np.int8)}
    y = -np.arange(40.0)
    expected = (y / (1 + np.exp(-y)) + 3 * np.tanh(y)).reshape(-1, 1)
    (meant,) = evaluate(workload, inputs).values()
    np.testing.assert_allclose(meant, np.rint(expected) if out == "int32" else expected, rtol=1e-6)
    np.testing.assert_allclose(build(workload, TARGET)(*inputs.values()), meant, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", ["start", "workspace", "data", "dims", "begin", "w_packed", "acc", "lhs_packed"])
def test_an_operand_may_have_a_name_of_the_code(name: str) -> None:
    for text in (f"dense(m=?, n=45, k=9, const=w, tail=y + {name}[n])", f"dense(m=?, n=45, k=9, tail=y + {name}[n])"):
        workload = Workload.parse(text)
        given = operands(workload, 5)
        kernel = build(workload, TARGET, constants={c: given[c] for c in workload.const})
        got = kernel(*(given[t.name] for t in workload.inputs if t.name not in workload.const))
        np.testing.assert_allclose(got, evaluate(workload, given)["y"], rtol=1e-5, atol=1e-5)


def test_constant_operands_of_a_tail_are_bound_once() -> None:
    workload = dense(m=7, n=20, k=5, const=("w",), tail="y + bias[n]").with_const(("bias",))
    given = operands(Workload.parse("dense(m=?, n=20, k=5, tail=y + bias[n])"), 7)
    constants = {"w": given["w"], "bias": given["bias"]}
    kernel = build(workload, TARGET, constants=constants)
    np.testing.assert_allclose(kernel(given["x"]), evaluate(workload, given)["y"], rtol=1e-5, atol=1e-5)


@pytest.mark.slow
def test_a_tail_rides_along_with_its_anchors_plan(tmp_path: object) -> None:
    store = Store.open(f"{tmp_path}/t.db")
    workload = dense(m=8, n=20, k=5, tail="max(y, 0)")
    kernel = build(workload, TARGET, db=store)
    assert kernel.plan.workload == workload
    assert kernel.answer is not None
    assert kernel.answer.workload == workload.anchor
    store.close()


def test_no_library_is_left_in_a_plan_with_a_tail() -> None:
    anchor = Workload.parse("dense(m=?, n=20, k=5)")
    single = single_plan(anchor, TARGET, "dense.cpu", PANELS)
    mixed = DispatchPlan(anchor, TARGET, "m", single.variants, (Range(0, 9, 0), Range(10, None, "blas")), {})
    plan = with_tail(mixed, Workload.parse("dense(m=?, n=20, k=5, tail=max(y, 0))"))
    assert {r.runs for r in plan.ranges} == {0}
    assert "a library cannot compute the tail" in str(plan.notes)


def test_a_template_that_cannot_see_a_tails_operand_leaves_it_to_another() -> None:
    """Vectors of pixels do not know which row they are in; the default of a template that knows takes over."""
    anchor = Workload.parse("conv2d(n=?b, ci=3, h=12, w=11, co=5, kh=1, kw=1)")
    matmul = template("conv2d.matmul")
    plan = single_plan(anchor, TARGET, matmul.name, matmul.default(anchor, TARGET))
    seen = Workload.parse("conv2d(n=?b, ci=3, h=12, w=11, co=5, kh=1, kw=1, tail=y * scale[n, co])")
    assert with_tail(plan, seen).variants == plan.variants
    hidden = Workload.parse("conv2d(n=?b, ci=3, h=12, w=11, co=5, kh=1, kw=1, tail=y + row[oh])")
    other = with_tail(plan, hidden)
    assert [v.template for v in other.variants] == ["conv2d.direct"]
    assert "conv2d.matmul cannot compute the tail, so the default config of conv2d.direct is used" in str(other.notes)
    for workload in (seen, hidden):
        kernel = build(workload, TARGET, plan=with_tail(plan, workload))
        rng = np.random.default_rng(3)
        shapes = {t.name: workload.shape(t.name, {"b": 2}) for t in workload.inputs}
        given = {name: rng.uniform(-1, 1, shape).astype(np.float32) for name, shape in shapes.items()}
        np.testing.assert_allclose(kernel(*given.values()), evaluate(workload, given)["y"], rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize(
    ("tail", "message"),
    [
        ("bias[n] + 1", "must read the result as plain y"),
        ("y[m, n] + 1", "must read the result as plain y"),
        ("y + x[m]", "calls an operand x, which is another tensor's name"),
        ("y + bias[k]", r"bias\[k\] should have some of the dimensions m, n"),
        ("y + bias[n, n]", r"bias\[n, n\] should have some"),
        ("y > 0", r"'y > 0' makes bool where float32 is stored; write float32\(y > 0\)$"),
        ("int32(y) + 1", r"makes int32 where float32 is stored; write float32\(int32\(y\) \+ 1\)$"),
        ("float32(int32(y) * 2.5)", "mul of int32, float32; expected 2 of one dtype of .*; write a cast"),
        (
            "gelu(int32(y))",
            "gelu of int32; expected 1 of one dtype of float32, bfloat16, float16, float64; write a cast",
        ),
        ("select(y, y, 1)", "expected one bool, then 2 of one dtype"),
    ],
)
def test_a_tail_that_does_not_fit_is_refused(tail: str, message: str) -> None:
    for dtype in ("float32", "float16"):  # halves are float32 inside a tail
        with pytest.raises(SpecError, match=message) as error:
            dense(m=Any("m"), n=2, k=3, dtype=dtype, tail=tail)
        assert "\n" not in str(error.value)
