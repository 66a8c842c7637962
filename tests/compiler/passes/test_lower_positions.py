"""Lowering of positions: kernels make what gathers and scatters mean, and nothing of a device is waited for."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import anytile
from anytile.compiler.evaluate import evaluate
from anytile.compiler.ir.nodes import Array
from anytile.compiler.lowering.host_functions import host_functions
from anytile.compiler.module import Module
from anytile.compiler.passes.lower_positions import join_rows, lower_positions
from anytile.compiler.passes.to_anf import to_anf
from anytile.compiler.passes.verify import verify
from anytile.compiler.pipeline import typed
from anytile.core.errors import ArgumentError
from anytile.vm.program.executable import KERNEL, PACKED
from anytile.vm.session import Session
from anytile.vm.values.stream_device import StreamDevice
from tests.support.cases.gpu_models import compiled_for_gpu
from tests.support.cuda_cpu.compiler import missing
from tests.support.stand_ins.queued_gpu import QueuedGpu

MODES = ("set", "add", "mul", "min", "max")
# Of a call: the shapes of x, the index and updates at b rows and t updates, what positions are of, and attributes.
Shapes = Callable[[int, int], tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]]
CASES: dict[str, tuple[str, tuple[str, str, str], Shapes, int]] = {
    "columns": ("scatter", ("(?b, 7)", "(?b, ?t)", "(?b, ?t)"), lambda b, t: ((b, 7), (b, t), (b, t)), 7),
    "rows": ("scatter", ("(7, ?b)", "(?t, ?b)", "(?t, ?b)"), lambda b, t: ((7, b), (t, b), (t, b)), 7),
    "fewer": ("scatter", ("(5, 7, 3)", "(4, ?t, 2)", "(4, ?t, 2)"), lambda b, t: ((5, 7, 3), (4, t, 2), (4, t, 2)), 7),
    "slices": ("scatter_nd", ("(7, ?b)", "(?t, 1)", "(?t, ?b)"), lambda b, t: ((7, b), (t, 1), (t, b)), 7),
    "pairs": ("scatter_nd", ("(7, 8, ?b)", "(?t, 2)", "(?t, ?b)"), lambda b, t: ((7, 8, b), (t, 2), (t, b)), 7),
    "elements": ("scatter_nd", ("(7, 8)", "(2, ?t, 2)", "(2, ?t)"), lambda b, t: ((7, 8), (2, t, 2), (2, t)), 7),
    "all": ("scatter_nd", ("(?b, 3)", "(?t, 0)", "(?t, ?b, 3)"), lambda b, t: ((b, 3), (t, 0), (t, b, 3)), 7),
}
AXES = {"columns": 1, "fewer": -2}
SIZES = ((1, 1), (2, 5), (3, 40), (4, 0), (0, 3))


def module_of(case: str, mode: str, dtype: str = "float32", index: str = "int64") -> Module:
    op, (x, at, updates), _, _ = CASES[case]
    axis = f", axis={AXES[case]}" if case in AXES else ""
    params = f"x: Tensor[{x}, {dtype}], i: Tensor[{at}, {index}], u: Tensor[{updates}, {dtype}]"
    return Module.parse(f'def main({params}) {{ {op}(x, i, u, mode="{mode}"{axis}) }}')


def arrays_of(case: str, b: int, t: int, dtype: str = "float32", index: str = "int64") -> tuple[Array, Array, Array]:
    """Positions from both ends, many of them twice."""
    rng, (_, _, shapes, size) = np.random.default_rng(b + 10 * t), CASES[case]
    x, at, updates = shapes(b, t)
    made = [rng.integers(-4, 5, s).astype(dtype) for s in (x, updates)]
    return made[0], rng.integers(-size, size, at).astype(index), made[1]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("case", CASES)
def test_a_lowered_module_means_the_same(case: str, mode: str) -> None:
    module = typed(to_anf(typed(module_of(case, mode))))
    lowered = lower_positions(module)
    verify(lowered)
    assert "scatter_rows" in str(lowered)
    for b, t in SIZES:
        arrays = arrays_of(case, b, t)
        np.testing.assert_array_equal(evaluate(lowered, arrays), evaluate(module, arrays))


def test_keys_of_constant_positions_are_constants() -> None:
    text = "const $i: Tensor[(3, 1), int64]; def main(x: Tensor[(7, ?b), float32], u: Tensor[(3, ?b), float32]) "
    given = {"i": np.asarray([[2], [-1], [2]])}
    lowered = lower_positions(typed(to_anf(typed(Module.parse(text + "{ scatter_nd(x, $i, u) }", given)))))
    assert "scatter_nd_keys" not in str(lowered)
    assert "scatter_rows" in str(lowered)
    x, u = (np.random.default_rng(i).standard_normal((n, 4)).astype(np.float32) for i, n in enumerate((7, 3)))
    expected = x.copy()
    expected[2], expected[6] = u[2], u[1]
    np.testing.assert_array_equal(evaluate(lowered, (x, u)), expected)


def test_a_constant_position_that_is_not_there_is_said_where_it_is_used() -> None:
    text = "const $i: Tensor[(1, 1), int64]; def main(x: Tensor[(7), float32], u: Tensor[(1), float32]) "
    module = typed(to_anf(typed(Module.parse(text + "{ scatter_nd(x, $i, u) }", {"i": np.asarray([[7]])}))))
    assert str(lower_positions(module)) == str(module)


def test_numbers_that_no_kernel_computes_with_stay_the_hosts() -> None:
    module = typed(to_anf(typed(module_of("rows", "add", "float64"))))
    assert str(lower_positions(module)) == str(module)


_GRAPH = """def main(x: Tensor[(?n, 5), float32], i: Tensor[(?e, 1), int64], u: Tensor[(?e, 5), float32]) {
  let a = scatter_nd(x, i, u, mode="MODE");
  let b = max(a, axis=(1));
  (scatter_nd(a, i, u, mode="MODE"), scatter_nd(b, i, max(u, axis=(1)), mode="MODE"))
}"""


@pytest.mark.parametrize("mode", MODES)
def test_a_cpu_joins_rows_by_keys_that_are_made_once(mode: str) -> None:
    """Messages of a graph's layers go along the same edges. Single elements, and rows that are set, stay the host's."""
    module = typed(to_anf(typed(Module.parse(_GRAPH.replace("MODE", mode)))))
    lowered = str(join_rows(module))
    assert [lowered.count(f"{name}(") for name in ("scatter_nd_keys", "scatter_rows", "scatter_nd")] == (
        [0, 0, 3] if mode == "set" else [1, 2, 1]
    )
    session, rng = anytile.Session(anytile.compile(module)), np.random.default_rng(0)
    for n, e in ((1, 1), (7, 60), (50, 3), (6, 0)):
        x, u = (rng.standard_normal((rows, 5)).astype(np.float32) for rows in (n, e))
        i = rng.integers(-n, n, (e, 1))
        for got, wanted in zip(session(x, i, u), evaluate(module, (x, i, u)), strict=True):
            np.testing.assert_allclose(got, wanted, 1e-5, 1e-6)
    with pytest.raises(ArgumentError, match="positions from -1 to 7; expected -7 to 6"):
        session(np.zeros((7, 5), "f"), np.int64([[7], [-1]]), np.zeros((2, 5), "f"))


@pytest.mark.parametrize("rest", ["5", "2, 3", "1"])
@pytest.mark.parametrize("mode", MODES)
def test_positions_that_are_repeated_for_elements_are_those_of_rows(mode: str, rest: str) -> None:
    """As messages of graph networks are mostly written; where elements differ, nothing changes."""
    ones = ", ".join("1" for _ in rest.split(","))
    given = f"x: Tensor[(?n, {rest}), float32], i: Tensor[(?e, {ones}), int64], u: Tensor[(?e, {rest}), float32]"
    text = f"""def main({given}) {{
      let own = broadcast_sized(i, u, sizes="d{rest.count(",") + 2}, {rest}");
      (scatter(x, own, u, mode="{mode}"), scatter(x, own, negative(u), mode="{mode}", axis=0))
    }}"""
    module = typed(to_anf(typed(Module.parse(text))))
    lowered = str(join_rows(module))
    assert lowered.count(" scatter(") == 0
    assert lowered.count("put_rows(" if mode == "set" else "scatter_nd_keys(" if rest != "1" else "scatter_nd(") > 0
    session, rng = anytile.Session(anytile.compile(module)), np.random.default_rng(0)
    own = tuple(map(int, rest.split(",")))
    for n, e in ((1, 1), (7, 60), (50, 3), (6, 0)):
        x, u = (rng.standard_normal((rows, *own)).astype(np.float32) for rows in (n, e))
        i = rng.integers(-n, n, (e, *[1] * len(own)))
        for got, wanted in zip(session(x, i, u), evaluate(module, (x, i, u)), strict=True):
            np.testing.assert_allclose(got, wanted, 1e-5, 1e-6)


def test_positions_of_some_elements_of_a_row_stay_as_they_are() -> None:
    text = """def main(x: Tensor[(?n, 5), float32], i: Tensor[(?e, 1), int64], u: Tensor[(?e, 4), float32]) {
      scatter(x, broadcast_sized(i, u, sizes="d2, 4"), u, mode="add")
    }"""
    module = typed(to_anf(typed(Module.parse(text))))
    assert str(join_rows(module)) == str(module)


needs_compiler = pytest.mark.skipif(bool(missing()), reason=missing() or "-")


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize(
    ("case", "mode", "dtype", "index"),
    [
        ("columns", "set", "float32", "int64"),
        ("rows", "add", "float32", "int32"),
        ("fewer", "max", "int64", "int64"),
        ("slices", "mul", "float32", "int64"),
        ("pairs", "set", "bool", "int32"),
        ("elements", "min", "int32", "int64"),
        ("all", "add", "float32", "int64"),
    ],
)
def test_on_a_device_x_and_updates_stay_there(case: str, mode: str, dtype: str, index: str) -> None:
    """Nothing is waited for but the result, though a function of the host looks at the positions."""
    module, gpu = module_of(case, mode, dtype, index), QueuedGpu(0.3)
    exe = compiled_for_gpu(module)
    assert [k.workload.partition("(")[0] for k in exe.kernels if k.kind == KERNEL] == ["scatter_rows"]
    assert [k.workload for k in exe.kernels if k.kind == PACKED and "keys" not in k.workload] == []
    session = Session(exe, functions=host_functions(), devices={"cuda": StreamDevice(gpu)})
    for calls, (b, t) in enumerate(SIZES):
        arrays = arrays_of(case, b, t, dtype, index)
        np.testing.assert_array_equal(session(*arrays), evaluate(module, arrays))
        assert gpu.waits <= calls + 1


@needs_compiler
@pytest.mark.slow
def test_a_position_that_is_not_there_is_an_error_before_anything_runs() -> None:
    gpu = QueuedGpu()
    session = Session(
        compiled_for_gpu(module_of("rows", "add")), functions=host_functions(), devices={"cuda": StreamDevice(gpu)}
    )
    x, index, updates = arrays_of("rows", 2, 3)
    index[1, 1] = 7
    with pytest.raises(ArgumentError, match=r"scatter_keys: positions from .* to 7; expected -7 to 6"):
        session(x, index, updates)
    index[1, 1] = -7
    assert session(x, index, updates).shape == x.shape


TAKE = "def main(x: Tensor[(?n, 6), float32], i: Tensor[{at}, {dtype}]) {{ exp(take(tanh(x), {of}, axis={axis})) }}"


def take(at: str = "(?t)", dtype: str = "int64", of: str = "i", axis: int = 0, **given: Array) -> Module:
    constants = "".join(f"const ${n}: Tensor[{a.shape}, {a.dtype}]; " for n, a in given.items())
    return Module.parse(constants + TAKE.format(at=at, dtype=dtype, of=of, axis=axis), given)


def test_positions_of_what_a_kernel_made_are_looked_at_alone() -> None:
    module = typed(to_anf(typed(take("(2, ?t)", "int32", axis=-1))))
    lowered = lower_positions(module)
    verify(lowered)
    assert "positions_in" in str(lowered)
    assert "take_inside" in str(lowered)
    x = np.random.default_rng(0).standard_normal((3, 6)).astype(np.float32)
    for t in (0, 1, 5):
        index = np.random.default_rng(t).integers(-6, 6, (2, t)).astype(np.int32)
        np.testing.assert_array_equal(evaluate(lowered, (x, index)), evaluate(module, (x, index)))


def test_constant_positions_along_a_known_dimension_are_constants() -> None:
    lowered = lower_positions(typed(to_anf(typed(take(of="$p", axis=1, p=np.asarray([-1, 0]))))))
    assert "take_inside" in str(lowered)
    assert "positions_in" not in str(lowered)
    away = typed(to_anf(typed(take(of="$p", axis=1, p=np.asarray([6])))))
    assert str(lower_positions(away)) == str(away)  # who runs it is told


def test_rows_of_what_lies_on_the_host_are_taken_there() -> None:
    text = "def main(x: Tensor[(?n, 6), float32], i: Tensor[(?t), int64]) { exp(take(reshape(x, shape=(-1, 3)), i)) }"
    module = typed(to_anf(typed(Module.parse(text))))
    assert str(lower_positions(module)) == str(module)


@needs_compiler
@pytest.mark.slow
def test_rows_that_a_device_made_stay_there() -> None:
    module, gpu = take(), QueuedGpu(0.3)
    exe = compiled_for_gpu(module)
    assert {k.device for k in exe.kernels if k.kind == KERNEL} == {1}
    assert [k.workload.partition("(")[0] for k in exe.kernels if k.kind == PACKED] == ["op_positions_in"]
    session = Session(exe, functions=host_functions(), devices={"cuda": StreamDevice(gpu)})
    x = np.random.default_rng(0).standard_normal((9, 6)).astype(np.float32)
    for calls, t in enumerate((4, 1, 0, 70, 4)):
        index = np.random.default_rng(t).integers(-9, 9, t)
        np.testing.assert_allclose(session(x, index), evaluate(module, (x, index)), rtol=1e-5)
        assert gpu.waits <= calls + 1
    with pytest.raises(ArgumentError, match=r"positions_in: positions from 0 to 9; expected -9 to 8"):
        session(x, np.asarray([0, 9]))


# Of what a kernel made: a call, the shapes of its operands at t positions, and what positions are of.
PICKED: dict[str, tuple[str, tuple[str, ...], Callable[[int], tuple[tuple[int, ...], ...]], int]] = {
    "take_along columns": ("take_along(tanh(x), i, axis=1)", ("(?b, 7)", "(?b, ?t)"), lambda t: ((3, 7), (3, t)), 7),
    "take_along fewer": ("take_along(tanh(x), i)", ("(7, 4, 3)", "(?t, 4, 2)"), lambda t: ((7, 4, 3), (t, 4, 2)), 7),
    "gather_nd rows": ("gather_nd(tanh(x), i)", ("(7, ?b)", "(?t, 1)"), lambda t: ((7, 3), (t, 1)), 7),
    "gather_nd pairs": ("gather_nd(tanh(x), i)", ("(7, 8, ?b)", "(?t, 2)"), lambda t: ((7, 8, 3), (t, 2)), 7),
    "gather_nd all": ("gather_nd(tanh(x), i)", ("(?b, 7)", "(?t, 0)"), lambda t: ((3, 7), (t, 0)), 7),
    "gather_nd batches": (
        "gather_nd(tanh(x), i, batches=1)", ("(?b, 7, 2)", "(?b, ?t, 1)"), lambda t: ((3, 7, 2), (3, t, 1)), 7
    ),
    "put_rows": (
        "put_rows(tanh(x), i, u)", ("(?b, 6)", "(?t)", "(?t, 6)"), lambda t: ((7, 6), (t,), (t, 6)), 7
    ),
    "put_rows inner": (
        "put_rows(tanh(x), i, u, axis=-2)",
        ("(2, 3, ?b, 4)", "(?t)", "(2, 3, ?t, 4)"), lambda t: ((2, 3, 7, 4), (t,), (2, 3, t, 4)), 7
    ),
    "put_rows into an input": (
        "put_rows(x, i, tanh(u), axis=1)", ("(4, 7)", "(?t)", "(4, ?t)"), lambda t: ((4, 7), (t,), (4, t)), 7
    ),
}  # fmt: skip


def picked(case: str, index: str = "int64") -> Module:
    call, (x, at, *updates), _, _ = PICKED[case]
    given = "".join(f", u: Tensor[{shape}, float32]" for shape in updates)
    return Module.parse(f"def main(x: Tensor[{x}, float32], i: Tensor[{at}, {index}]{given}) {{ exp({call}) }}")


def picked_arrays(case: str, t: int, index: str = "int64") -> tuple[Array, ...]:
    """Positions from both ends, many of them twice."""
    rng, (_, _, shapes, size) = np.random.default_rng(t), PICKED[case]
    x, at, *updates = shapes(t)
    floats = [rng.standard_normal(shape).astype(np.float32) for shape in (x, *updates)]
    return floats[0], rng.integers(-size, size, at).astype(index), *floats[1:]


@pytest.mark.parametrize("index", ["int64", "int32"])
@pytest.mark.parametrize("case", PICKED)
def test_elements_and_tuples_of_what_a_kernel_made(case: str, index: str) -> None:
    module = typed(to_anf(typed(picked(case, index))))
    lowered = lower_positions(module)
    verify(lowered)
    assert PICKED[case][0].partition("(")[0] + "(" not in str(lowered)
    assert ("scatter_rows" if "put_rows" in case else "gather_rows") in str(lowered)
    for t in (0, 1, 9):
        arrays = picked_arrays(case, t, index)
        np.testing.assert_array_equal(evaluate(lowered, arrays), evaluate(module, arrays))


def test_what_is_picked_on_the_host_stays_there() -> None:
    """Of what lies there, and rows behind dimensions that nobody knows."""
    for call, at in (("take_along(x, i)", "(4, 3)"), ("gather_nd(x, i)", "(?t, 1)"), ("put_rows(x, i, x)", "(5)")):
        text = f"def main(x: Tensor[(5, 3), float32], i: Tensor[{at}, int64]) {{ exp({call}) }}"
        module = typed(to_anf(typed(Module.parse(text))))
        assert str(lower_positions(module)) == str(module)
    inner = "def main(x: Tensor[(?b, 3), float32], i: Tensor[(3), int64]) { put_rows(tanh(x), i, x, axis=1) }"
    module = typed(to_anf(typed(Module.parse(inner))))
    assert str(lower_positions(module)) == str(module)


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize("case", ["take_along fewer", "gather_nd batches", "put_rows", "put_rows inner"])
def test_what_is_picked_on_a_device_stays_there(case: str) -> None:
    gpu = QueuedGpu(0.3)
    exe = compiled_for_gpu(picked(case))
    assert {k.device for k in exe.kernels if k.kind == KERNEL} == {1}
    session = Session(exe, functions=host_functions(), devices={"cuda": StreamDevice(gpu)})
    for calls, t in enumerate((4, 1, 0, 70, 4)):
        arrays = picked_arrays(case, t)
        np.testing.assert_allclose(session(*arrays), evaluate(picked(case), arrays), rtol=1e-5)
        assert gpu.waits <= calls + 1
    x, index, *more = picked_arrays(case, 3)
    index.reshape(-1)[2] = 8
    with pytest.raises(ArgumentError, match=r"positions from .* to 8; expected -7 to 6"):
        session(x, index, *more)
