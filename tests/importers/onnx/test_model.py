"""ONNX models as modules: right against numpy at every size, sizes by name, and everything unsupported in one error."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx")
from onnx import TensorProto as Proto
from onnx import helper, load, numpy_helper, save

import anytile
from anytile.core.errors import AnytileError, ArgumentError, SpecError, UnsupportedError
from anytile.importers.onnx.model import import_model
from anytile.schedules.operators.movement.joining import MOST_PARTS
from anytile.vm.program import isa

RNG = np.random.default_rng(7)


def model(
    nodes: Sequence[Any],
    inputs: dict[str, tuple[Any, ...]],
    outputs: Sequence[str],
    weights: dict[str, Any] | None = None,
    opset: int = 20,
    functions: Sequence[Any] = (),
    dtype: int = Proto.FLOAT,
) -> Any:
    graph = helper.make_graph(
        list(nodes),
        "g",
        [helper.make_tensor_value_info(name, dtype, shape) for name, shape in inputs.items()],
        [helper.make_empty_tensor_value_info(name) for name in outputs],
        [numpy_helper.from_array(np.asarray(w), name) for name, w in (weights or {}).items()],
    )
    imports = [helper.make_opsetid("", opset), *(helper.make_opsetid(f.domain, 1) for f in functions)]
    return helper.make_model(graph, opset_imports=imports, functions=list(functions))


def ran(proto: Any, *inputs: Any, **dims: int) -> Any:
    return anytile.Session(anytile.compile(import_model(proto, dims=dims)))(*inputs)


node = helper.make_node


@pytest.fixture
def mlp(tmp_path: Path) -> tuple[Path, dict[str, Any]]:
    w = {"w1": RNG.standard_normal((8, 16), np.float32), "b1": RNG.standard_normal(16, np.float32)}
    w["w2"] = RNG.standard_normal((16, 4), np.float32)
    nodes = [
        *(node("MatMul", ["x", "w1"], ["a"]), node("Add", ["a", "b1"], ["b"]), node("Relu", ["b"], ["c"])),
        node("Gemm", ["c", "w2"], ["y"], name="last"),
    ]
    path = tmp_path / "mlp.onnx"
    save(model(nodes, {"x": ("batch", 8)}, ["y"], w), path)
    return path, w


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "model.onnx")
    with pytest.raises(SpecError, match="model.onnx: the model cannot be read"):
        anytile.compile(tmp_path / "model.onnx")


@pytest.mark.slow
def test_a_file_compiles_in_one_line_for_every_batch(mlp: tuple[Path, dict[str, Any]]) -> None:
    path, w = mlp
    exe = anytile.compile(path)
    assert [f"{name}: {port}" for name, port in exe.inputs] == ["x: Tensor[(?batch, 8), float32]"]
    session = anytile.Session(exe)
    for rows in (0, 1, 3, 17):
        x = RNG.standard_normal((rows, 8), np.float32)
        assert np.allclose(session(x), np.maximum(x @ w["w1"] + w["b1"], 0) @ w["w2"], atol=1e-4)


def test_what_onnx_loads_is_a_model_as_its_file_is(mlp: tuple[Path, dict[str, Any]]) -> None:
    path, _ = mlp
    loaded, x = load(path), RNG.standard_normal((3, 8), np.float32)
    y = anytile.Session(anytile.compile(loaded, dims={"batch": 3}))(x)
    assert y.tobytes() == anytile.Session(anytile.compile(path, dims={"batch": 3}))(x).tobytes()
    assert anytile.quantise(loaded, "bfloat16").layers
    with pytest.raises(SpecError, match="no dimension 'bath'; expected one of batch"):
        anytile.compile(loaded, dims={"bath": 3})


def test_a_dimension_is_pinned_by_its_name(mlp: tuple[Path, dict[str, Any]]) -> None:
    assert str(anytile.compile(mlp[0], dims={"batch": 3}).inputs[0][1]) == "Tensor[(3, 8), float32]"
    with pytest.raises(SpecError, match="no dimension 'bath'; expected one of batch"):
        anytile.compile(mlp[0], dims={"bath": 3})


def test_a_dimension_has_bounds_that_are_looked_at_as_it_runs(mlp: tuple[Path, dict[str, Any]]) -> None:
    exe = anytile.compile(mlp[0], dims={"batch": (1, 3)})
    assert str(exe.inputs[0][1]) == "Tensor[(?batch, 8), float32]"
    session = anytile.Session(exe)
    for rows in (1, 2, 3):
        assert session(np.ones((rows, 8), np.float32)).shape == (rows, 4)
    for rows, said in ((0, "from 1: expected at least 1, got 0"), (4, "3 less dimension 0, to 3: expected at least 0")):
        with pytest.raises(ArgumentError, match=said):
            session(np.ones((rows, 8), np.float32))
    assert str(anytile.compile(mlp[0], dims={"batch": (2, 2)}).inputs[0][1]) == "Tensor[(2, 8), float32]"
    for wrong in ((3, 1), (1, 2, 3), -1, "4", (1, 2**31)):
        with pytest.raises(SpecError, match="expected a size, or the least and the most"):
            anytile.compile(mlp[0], dims={"batch": wrong})  # type: ignore[dict-item]  # on purpose


@pytest.mark.parametrize(
    ("one", "other"),
    [("a-b", "a_b"), ("a_b", "a-b"), ("p + 1", "p+1"), (None, "x_0"), ("n" * 600 + "1", "n" * 600 + "2")],
    ids=lambda name: str(name)[:9],
)
def test_dimensions_of_two_names_are_two(one: str | None, other: str) -> None:
    """Whatever is in a name, and however long it is: both are some name of the module, and no other's."""
    exe = anytile.compile(import_model(model([node("Add", ["x", "y"], ["z"])], {"x": (one,), "y": (other, 1)}, ["z"])))
    x, y = np.ones(3, np.float32), np.ones((2, 1), np.float32)
    assert np.array_equal(anytile.Session(exe)(x, y), np.full((2, 3), 2, np.float32))
    if other == "a_b":
        assert str(exe.inputs[1][1]) == "Tensor[(?a_b, 1), float32]"


def test_inputs_of_long_names_have_free_dimensions() -> None:
    name = "x" * 600
    assert ran(model([node("Relu", [name], ["y"])], {name: (None, None)}, ["y"]), np.ones((2, 3), np.float32)).shape


def attention_shapes() -> list[Any]:
    """Heads split and joined by shapes that a model computes, as exporters write them."""
    ints = {"i0": [0], "i1": [1], "heads": [3], "rest": [-1]}
    return [
        *(node("Constant", [], [name], value_ints=value) for name, value in ints.items()),
        node("Shape", ["x"], ["s"]),
        node("Gather", ["s", "i0"], ["b"], axis=0),
        node("Slice", ["s", "i1", "two"], ["t"]),
        node("Constant", [], ["two"], value_ints=[2]),
        node("Concat", ["b", "t", "heads", "rest"], ["wide"], axis=0),
        node("Reshape", ["x", "wide"], ["r"]),
        node("Transpose", ["r"], ["h"], perm=[0, 2, 1, 3]),
        node("Transpose", ["h"], ["g"], perm=[0, 2, 1, 3]),
        node("Constant", [], ["twelve"], value_ints=[12]),
        node("Concat", ["b", "t", "twelve"], ["narrow"], axis=0),
        node("Reshape", ["g", "narrow"], ["back"]),
        node("Add", ["back", "x"], ["y"]),
    ]


def test_shapes_that_a_model_computes_are_views_with_the_names_of_the_file() -> None:
    nodes = attention_shapes()
    nodes = [n for n in nodes if n.op_type == "Constant"] + [n for n in nodes if n.op_type != "Constant"]
    exe = anytile.compile(import_model(model(nodes, {"x": ("batch", "seq", 12)}, ["y"])))
    assert "host function" not in exe.why()
    session = anytile.Session(exe)
    for shape in ((1, 1, 12), (2, 5, 12), (3, 0, 12)):
        x = RNG.standard_normal(shape, np.float32)
        assert np.allclose(session(x), 2 * x)


def test_sizes_are_read_as_data_where_a_model_does_so() -> None:
    nodes = [
        node("Shape", ["x"], ["s"]),
        node("Cast", ["s"], ["f"], to=Proto.FLOAT),
        node("ReduceProd", ["f"], ["p"], keepdims=0),
        node("Div", ["x", "p"], ["y"]),
    ]
    proto = model(nodes, {"x": ("b", 3)}, ["y", "s"])
    x = RNG.standard_normal((5, 3), np.float32)
    y, s = ran(proto, x)
    assert np.allclose(y, x / 15)
    assert s.tolist() == [5, 3]


def test_branches_on_sizes_fold_and_those_on_data_stay() -> None:
    def branch(op: str) -> Any:
        return helper.make_graph(
            [node(op, ["x"], [f"{op}_y"])], op, [], [helper.make_empty_tensor_value_info(f"{op}_y")]
        )

    both = {"then_branch": branch("Neg"), "else_branch": branch("Abs")}
    by_size = [
        *(node("Shape", ["x"], ["s"]), node("Size", ["s"], ["rank"])),
        *(node("Equal", ["rank", "one"], ["c"]), node("If", ["c"], ["y"], **both)),
    ]
    module = import_model(model(by_size, {"x": ("n",)}, ["y"], {"one": np.int64(1)}))
    assert "if" not in str(module)
    by_data = [node("ReduceSum", ["x"], ["p"], keepdims=0), node("Greater", ["p", "zero"], ["c"])]
    proto = model([*by_data, node("If", ["c"], ["y"], **both)], {"x": ("n",)}, ["y"], {"zero": np.float32(0)})
    for x in (np.float32([1, 2]), np.float32([-1, -5, 2])):
        assert np.array_equal(ran(proto, x), -x if x.sum() > 0 else abs(x))


def test_functions_of_the_model_are_walked_with_their_attributes() -> None:
    body = [
        helper.make_node("Elu", ["a"], ["b"]),
        helper.make_node("Add", ["b", "a"], ["c"]),
    ]
    alpha = body[0].attribute.add()
    alpha.name, alpha.ref_attr_name, alpha.type = "alpha", "slope", 1
    f = helper.make_function("own", "twice", ["a"], ["c"], body, [helper.make_opsetid("", 20)], ["slope"])
    proto = model([node("twice", ["x"], ["y"], domain="own", slope=3.0)], {"x": ("n",)}, ["y"], functions=[f])
    x = np.float32([-1, 0, 2])
    assert np.allclose(ran(proto, x), np.where(x < 0, 3 * (np.exp(x) - 1), x) + x)


def test_initializers_may_be_inputs_as_well() -> None:
    proto = model([node("Add", ["x", "w"], ["y"])], {"x": ("n",), "w": (1,)}, ["y"], {"w": np.float32([2])})
    assert np.array_equal(ran(proto, np.float32([1, 5])), np.float32([3, 7]))


def test_everything_unsupported_is_said_at_once_with_its_node() -> None:
    nodes = [
        node("Bernoulli", ["x"], ["a"], name="coin"),
        node("Relu", ["a"], ["b"]),
        node("RandomUniformLike", ["b"], ["c"], name="behind it"),
        node("Foo", ["c"], ["y"], name="made up"),
    ]
    with pytest.raises(UnsupportedError) as caught:
        import_model(model(nodes, {"x": ("n", 3, 4, 4)}, ["y"]))
    said = str(caught.value)
    assert "\n" not in said
    assert said.startswith("3 things of this model are not supported: ")
    for part in ("Bernoulli 'coin'", "RandomUniformLike 'behind it'", "Foo 'made up'"):
        assert part in said


@pytest.mark.parametrize(
    ("nodes", "said"),
    [
        ([node("Neg", ["y"], ["y"])], "reads 'y', which no node makes that could come"),
        ([node("Add", ["x", "b"], ["a"]), node("Neg", ["a"], ["b"]), node("Neg", ["b"], ["y"])], "a cycle"),
        ([node("Neg", ["x"], ["y"]), node("Neg", ["x"], ["y"])], "'y' is made twice"),
        ([node("Neg", ["x"], ["z"])], "output 'y' is made by no node"),
        ([node("Neg", ["x"], ["y"], zzz=1)], "no attribute 'zzz'"),
        ([node("Reshape", ["x", "five"], ["y"])], "5"),
        ([node("Concat", ["x", "five"], ["y"], axis=0)], "expected float32"),
    ],
)
def test_graphs_that_cannot_be_are_one_line(nodes: Sequence[Any], said: str) -> None:
    with pytest.raises((SpecError, UnsupportedError), match=said) as caught:
        import_model(model(nodes, {"x": (2, 3)}, ["y"], {"five": np.int64([5])}))
    assert "\n" not in str(caught.value)


def test_a_function_that_calls_itself_ends() -> None:
    f = helper.make_function(
        "own", "f", ["a"], ["b"], [node("f", ["a"], ["b"], domain="own")], [helper.make_opsetid("own", 1)]
    )
    with pytest.raises(SpecError, match="deep"):
        import_model(model([node("f", ["x"], ["y"], domain="own")], {"x": (1,)}, ["y"], functions=[f]))


@pytest.mark.parametrize(
    ("nodes", "weights", "x", "expected"),
    [
        ([node("Softmax", ["x"], ["y"], axis=0)], {}, [[0.0, 0.0]], [[0.5, 0.5]]),  # version 11: rows of everything
        ([node("Squeeze", ["x"], ["y"])], {}, [[1.0], [2.0]], [1.0, 2.0]),
        ([node("Slice", ["x", "a", "b", "c", "d"], ["y"])],
         {"a": [-1], "b": [-(2**63)], "c": [0], "d": [-1]}, [[1.0], [2.0]], [[2.0], [1.0]]),
        ([node("Slice", ["x", "a", "b", "c", "d"], ["y"])],
         {"a": [1], "b": [2**63 - 1], "c": [0], "d": [2**63 - 1]}, [[1.0], [2.0], [3.0]], [[2.0]]),
        ([node("Slice", ["x", "a", "b", "c", "d"], ["y"])],
         {"a": [-1], "b": [-(2**63)], "c": [0], "d": [-(2**63)]}, [[1.0], [2.0]], [[2.0]]),
        ([node("Gather", ["x", "a"], ["y"])], {"a": [-1]}, [[1.0], [2.0]], [[2.0]]),
        ([node("Pad", ["x", "a"], ["y"])], {"a": [-1, 1, 0, 0]}, [[1.0], [2.0]], [[0.0, 2.0]]),
        ([node("Pad", ["x", "a"], ["y"])], {"a": [2, 0, -2, 0]}, [[1.0]], [[0.0]]),  # of three rows the first
        ([node("Pad", ["x", "a"], ["y"])], {"a": [-3, 0, 4, 0]}, [[1.0], [2.0]], [[0.0], [0.0], [0.0]]),
        ([node("Reshape", ["x", "a"], ["y"])], {"a": [0, 1, -1]}, [[1.0], [2.0]], [[[1.0]], [[2.0]]]),
        ([node("ArgMax", ["x"], ["y"], axis=0, keepdims=0, select_last_index=1)], {}, [[2.0], [2.0]], [1]),
        # of what is known ahead of time, too, a 0 stays as it is
        ([node("Shape", ["x"], ["s"]), node("Gather", ["s", "b"], ["t"]), node("Reshape", ["t", "a"], ["y"])],
         {"a": [0, 1], "b": [1, 1]}, [[1.0]], [[1], [1]]),
    ],
)  # fmt: skip
def test_traps(nodes: Sequence[Any], weights: dict[str, list[int]], x: Any, expected: Any) -> None:
    opset = 11 if nodes[0].op_type == "Softmax" else 12
    given = {name: np.asarray(w, np.int64) for name, w in weights.items()}
    x = np.asarray(x, np.float32)
    shape = x.shape if nodes[0].op_type == "Squeeze" else ("n", x.shape[1])
    made = ran(model(nodes, {"x": shape}, ["y"], given, opset), x)
    assert made.tolist() == expected


@pytest.mark.parametrize(
    "nodes",
    [[node("TopK", ["x", "three"], ["y", "i"], axis=0)], [node("Pad", ["x", "pads"], ["y"])]],
    ids=["TopK", "Pad"],
)
def test_what_takes_more_than_there_is_says_so(nodes: Sequence[Any]) -> None:
    weights = {"three": np.int64([3]), "pads": np.int64([-4, 0, 1, 0])}
    session = anytile.Session(anytile.compile(import_model(model(nodes, {"x": ("n", 1)}, ["y"], weights))))
    assert session(np.ones((3, 1), np.float32)).shape[0] in (0, 3)
    with pytest.raises(ArgumentError, match="expected at least"):
        session(np.ones((2, 1), np.float32))
    with pytest.raises(UnsupportedError, match=r"dimension 0 of .*; expected at least 3"):
        import_model(model(nodes, {"x": (2, 1)}, ["y"], weights))


def test_a_number_that_is_data_takes_no_more_than_there_are() -> None:
    nodes = [
        *(node("Cast", ["x"], ["i"], to=Proto.INT64), node("Gather", ["i", "zero"], ["k"])),
        node("TopK", ["x", "k"], ["y", "at"], axis=0),
    ]
    weights = {"zero": np.int64([0])}
    session = anytile.Session(anytile.compile(import_model(model(nodes, {"x": ("n",)}, ["y", "at"], weights))))
    values, at = session(np.float32([2, 7, 5]))
    assert (values.tolist(), at.tolist()) == ([7, 5], [1, 2])
    with pytest.raises(ArgumentError, match=r"TopK.*k is 4; expected 0 to 3, as many as there are"):
        session(np.float32([4, 7, 5]))


def test_old_slopes_are_of_channels() -> None:
    x, slope = RNG.standard_normal((2, 3, 4), np.float32), np.float32([1, 2, 3])
    proto = model([node("PRelu", ["x", "s"], ["y"])], {"x": ("n", 3, 4)}, ["y"], {"s": slope}, 6)
    assert np.allclose(ran(proto, x), np.where(x < 0, slope[:, None] * x, x))


def test_one_hot_out_of_range_is_all_off() -> None:
    nodes = [node("OneHot", ["x", "depth", "values"], ["y"])]
    proto = model(nodes, {"x": ("n",)}, ["y"], {"depth": np.int64(3), "values": np.float32([5, 9])}, dtype=Proto.INT64)
    assert ran(proto, np.int64([1, -1, 3, -4])).tolist() == [[5, 9, 5], [5, 5, 9], [5, 5, 5], [5, 5, 5]]


def test_reductions_of_scalars_and_over_no_axes() -> None:
    nodes = [
        node("ReduceSum", ["x"], ["y"], keepdims=0),
        node("ReduceSumSquare", ["y"], ["z"]),
        node("ReduceSum", ["x", "none"], ["w"], noop_with_empty_axes=1),
    ]
    x = np.float32([1, 2])
    y, z, w = ran(model(nodes, {"x": ("n",)}, ["y", "z", "w"], {"none": np.zeros(0, np.int64)}), x)
    assert (y, z, w.tolist()) == (3, 9, [1, 2])


@pytest.mark.slow
def test_a_sequence_ends_at_its_length_and_its_state_stays() -> None:
    w, r = (RNG.standard_normal((1, 3, n), np.float32) for n in (2, 3))
    nodes = [node("RNN", ["x", "w", "r", "", "lengths"], ["y", "h"], hidden_size=3)]
    proto = model(nodes, {"x": (4, "batch", 2)}, ["y", "h"], {"w": w, "r": r})
    proto.graph.input.append(helper.make_tensor_value_info("lengths", Proto.INT32, ["batch"]))
    x, lengths = RNG.standard_normal((4, 3, 2), np.float32), np.int32([4, 0, 2])
    y, h = ran(proto, x, lengths)
    state = np.zeros((3, 3), np.float32)
    for t in range(4):
        inside = (t < lengths)[:, None]
        made = np.tanh(x[t] @ w[0].T + state @ r[0].T)
        assert np.allclose(y[t, 0], np.where(inside, made, 0), atol=1e-5)
        state = np.where(inside, made, state)
    assert np.allclose(h[0], state, atol=1e-5)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("nodes", "weights", "x", "expected"),
    [
        ([node("Resize", ["x", "", "a"], ["y"])], {"a": np.float32([1, 2])}, [[1, 2]], [[1, 1, 2, 2]]),
        ([node("Pad", ["x", "a"], ["y"], mode="wrap")], {"a": np.int64([0, 1, 0, 1])}, [[1, 2]], [[2, 1, 2, 1]]),
        ([node("Unique", ["x"], ["v", "y", "i", "n"], sorted=0)], {}, [[3, 1, 3, 2]], [0, 1, 3]),
        ([node("ScatterElements", ["x", "a", "b"], ["y"], axis=1, reduction="add")],
         {"a": np.int64([[0, 0]]), "b": np.float32([[5, 6]])}, [[1, 2]], [[12, 2]]),
        ([node("Det", ["x"], ["y"])], {}, [[2, 0, 1], [1, 3, 0], [0, 1, 4]], 25),
        ([node("GatherND", ["x", "a"], ["y"])], {"a": np.int64([[[-1]]])}, [[1, 2], [3, 4]], [[[3, 4]]]),
        ([node("DequantizeLinear", ["q", "s", "z"], ["d"], axis=1), node("Add", ["x", "d"], ["y"])],
         {"q": np.uint8([[255, 0]]), "s": np.float32([2, 4]), "z": np.uint8([128, 255])}, [[0, 0]], [[254, -1020]]),
    ],
)  # fmt: skip
def test_small_operators_at_sizes_that_are_not_known(
    nodes: Sequence[Any], weights: dict[str, Any], x: Any, expected: Any
) -> None:
    x = np.asarray(x, np.float32)
    shape = x.shape if nodes[0].op_type == "Det" else ("n", x.shape[1])
    assert ran(model(nodes, {"x": shape}, ["y"], weights), x).tolist() == expected


@pytest.mark.parametrize("parts", [2, 3, 4])
def test_parts_of_a_dimension_that_is_not_known(parts: int) -> None:
    """The last is shorter where it must be."""
    names = [f"y{i}" for i in range(parts)]
    session = anytile.Session(
        anytile.compile(import_model(model([node("Split", ["x"], names, num_outputs=parts)], {"x": ("n", 3)}, names)))
    )
    for n in (2 * parts, 3 * parts - 1, 5 * parts - (parts - 1), 40):
        x = RNG.standard_normal((n, 3), np.float32)
        each = -(-n // parts)
        for i, y in enumerate(session(x)):
            np.testing.assert_array_equal(y, x[i * each : (i + 1) * each])


def test_positions_of_one_number_are_taken_by_a_kernel() -> None:
    nodes = [node("Unsqueeze", ["i", "last"], ["a"]), node("GatherND", ["t", "a"], ["y"])]
    table = RNG.standard_normal((9, 4)).astype(np.float32)
    proto = model(nodes, {"i": ("b", "n")}, ["y"], {"t": table, "last": np.int64([-1])}, dtype=Proto.INT64)
    exe = anytile.compile(import_model(proto))
    assert not [k for k in exe.kernels if k.kind == "packed"]
    for shape in ((0, 3), (1, 1), (3, 5)):
        i = RNG.integers(-9, 9, shape)
        assert np.array_equal(anytile.Session(exe)(i), table[i])


def test_as_many_rows_of_a_table_as_there_are() -> None:
    """Embeddings of positions: what a table of eight rows gives for n rows has n, or is refused as the model runs."""
    nodes = [
        *(node("Shape", ["x"], ["n"], start=1, end=2), node("Slice", ["table", "zero", "n", "one"], ["rows"])),
        *(node("Shape", ["x"], ["all"], end=2), node("Expand", ["ones", "all"], ["wide"])),
        *(node("Slice", ["ones8", "zero", "n", "one"], ["some"]), node("Expand", ["some", "all"], ["same"])),
        *(node("Unsqueeze", ["wide", "two"], ["a"]), node("Unsqueeze", ["same", "two"], ["b"])),
        *(node("Add", ["x", "rows"], ["y"]), node("Mul", ["y", "a"], ["z"]), node("Mul", ["z", "b"], ["w"])),
        *(node("Concat", ["all", "minus"], ["shape"], axis=0), node("Reshape", ["w", "shape"], ["v"])),
    ]
    table = np.random.default_rng(0).standard_normal((1, 8, 3)).astype(np.float32)
    weights = {"table": table, "ones": np.ones((1, 1), np.float32), "ones8": np.ones((1, 8), np.float32)}
    weights |= {"zero": np.int64([0]), "one": np.int64([1]), "two": np.int64([2]), "minus": np.int64([-1])}
    session = anytile.Session(anytile.compile(import_model(model(nodes, {"x": ("b", "n", 3)}, ["v"], weights))))
    for b, n in ((1, 1), (2, 8), (3, 5), (2, 0)):
        x = np.ones((b, n, 3), np.float32)
        assert np.array_equal(session(x), x + table[:, :n])
    with pytest.raises(ArgumentError, match="8 and 9"):
        session(np.ones((2, 9, 3), np.float32))


def test_an_image_as_large_as_another_one_has_its_dimensions() -> None:
    """As decoders of segmentation networks ask for it: images and channels of the one, sizes of the other."""
    nodes = [
        *(node("Shape", ["x"], ["own"], end=2), node("Shape", ["like"], ["other"], start=2)),
        *(
            node("Concat", ["own", "other"], ["sizes"], axis=0),
            node("Resize", ["x", "", "", "sizes"], ["r"], mode="linear"),
        ),
        *(node("Concat", ["r", "like"], ["c"], axis=1), node("Conv", ["c", "w"], ["y"])),
    ]
    made = model(nodes, {"x": ("n", 2, "h", "w"), "like": ("n", 2, "u", "v")}, ["y"], {"w": np.ones((1, 4, 1, 1), "f")})
    x, like = np.float32([[[[1, 3]], [[0, 0]]]]), np.zeros((1, 2, 2, 4), np.float32)
    assert ran(made, x, like).tolist() == [[[[1, 1.5, 2.5, 3]] * 2]]


def test_what_a_cut_leaves_beside_as_many() -> None:
    """Convolutions of positions in speech: n of n + 1 elements are max(n, 0), and meet n."""
    nodes = [
        *(node("Conv", ["x", "w"], ["a"], strides=[2]), node("Conv", ["a", "v"], ["b"], pads=[1, 1])),
        *(node("Slice", ["b", "zero", "minus", "two"], ["c"]), node("Add", ["c", "a"], ["d"])),
        *(node("Mul", ["a", "c"], ["e"]), node("Add", ["d", "e"], ["f"])),
        *(node("Shape", ["a"], ["s"], end=1), node("Shape", ["a"], ["n"], start=2)),
        node("Concat", ["s", "n", "minus"], ["t"], axis=0),
        *(node("Transpose", ["f"], ["g"], perm=[0, 2, 1]), node("Reshape", ["g", "t"], ["y"])),
    ]
    w, v = RNG.standard_normal((3, 1, 4), np.float32), np.zeros((3, 3, 2), np.float32)
    weights = {"w": w, "v": v, "zero": np.int64([0]), "minus": np.int64([-1]), "two": np.int64([2])}
    proto = model(nodes, {"x": ("b", 1, "n")}, ["y"], weights)
    session = anytile.Session(anytile.compile(import_model(proto)))
    for b, n in ((1, 4), (2, 7), (3, 8)):
        x = RNG.standard_normal((b, 1, n)).astype(np.float32)
        wanted = np.lib.stride_tricks.sliding_window_view(x[:, 0], 4, 1)[:, ::2] @ w[:, 0].T
        assert np.allclose(session(x), wanted, atol=1e-5)


def test_an_image_resized_to_computed_sizes_keeps_what_is_known_of_them() -> None:
    """Channels that a shape is read for stay a number, so that a convolution can follow; sizes stay expressions."""
    how = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    nodes = [
        *(node("Shape", ["x"], ["head"], end=2), node("Shape", ["x"], ["tail"], start=2)),
        *(node("Concat", ["head", "four"], ["s"], axis=0), node("Resize", ["x", "", "", "s"], ["y"], **how)),
        *(node("Mul", ["tail", "two"], ["twice"]), node("Concat", ["head", "twice"], ["t"], axis=0)),
        *(node("Resize", ["x", "", "", "t"], ["z"], **how), node("Conv", ["y", "w"], ["v"])),
        *(node("Shape", ["x"], ["all"]), node("Resize", ["v", "", "", "all"], ["u"], **how)),
        *(node("Conv", ["z", "w"], ["r"]), node("Add", ["u", "x"], ["q"])),
    ]
    weights = {"four": np.int64([4, 4]), "two": np.int64([2]), "w": np.float32([[[[1]], [[2]]], [[[3]], [[4]]]])}
    session = anytile.Session(anytile.compile(import_model(model(nodes, {"x": ("b", 2, 2, "n")}, ["r", "q"], weights))))
    for b, n in ((1, 1), (2, 2), (3, 5)):
        x = RNG.standard_normal((b, 2, 2, n)).astype(np.float32)
        r, q = session(x)
        mixed = np.einsum("oi,bihw->bohw", weights["w"][:, :, 0, 0], x)
        assert np.allclose(r, mixed.repeat(2, 2).repeat(2, 3), atol=1e-5)
        at = (np.arange(n) * 4 // n) * n // 4
        assert np.allclose(q, x + mixed[..., at], atol=1e-5)


@pytest.mark.slow
def test_sizes_that_are_data_cut_pad_and_repeat() -> None:
    """What no file can be asked for ahead of time is read as the model runs."""
    nodes = [
        *(node("Cast", ["x"], ["i"], to=Proto.INT64), node("Gather", ["i", "zero"], ["one"])),
        *(node("Slice", ["x", "one", "far"], ["a"]), node("Expand", ["a", "many"], ["b"])),
        *(node("Concat", ["one", "one"], ["pads"], axis=0), node("Pad", ["b", "both"], ["c"], mode="edge")),
        node("Tile", ["c", "two"], ["y"]),
        node("Pad", ["x", "pads"], ["z"]),
    ]
    weights = {"zero": [0], "far": [2**63 - 1], "many": [2, 1], "both": [1, 0, 0, 1], "two": [1, 2]}
    x = np.asarray([1, 5, 6], np.float32)
    y, z = ran(model(nodes, {"x": ("n",)}, ["y", "z"], {k: np.int64(v) for k, v in weights.items()}), x)
    assert y.tolist() == [[5, 6, 6, 5, 6, 6]] * 3
    assert z.tolist() == [0, 1, 5, 6, 0]


def body(nodes: Sequence[Any], inputs: Sequence[str], outputs: Sequence[str]) -> Any:
    infos = [helper.make_tensor_value_info(name, Proto.FLOAT, None) for name in inputs]
    return helper.make_graph(list(nodes), "body", infos, [helper.make_empty_tensor_value_info(o) for o in outputs])


def appends(session: anytile.Session) -> int:
    """How often rows are written in place."""
    return sum(isinstance(i, isa.AppendTensor) for f in session.exe.functions for i in f.code)


def test_a_loop_runs_as_often_as_the_data_say() -> None:
    """What it carries may grow, and its rows are there for none, too."""
    nodes = [
        *(node("Concat", ["a", "x"], ["b"], axis=0), node("Identity", ["go"], ["on"])),
        *(node("Cast", ["i"], ["f"], to=Proto.FLOAT), node("Mul", ["x", "f"], ["row"])),
    ]
    loop = node("Loop", ["trips", "", "x"], ["last", "rows"], body=body(nodes, ["i", "go", "a"], ["on", "b", "row"]))
    proto = model([loop], {"x": ("n",)}, ["last", "rows"])
    proto.graph.input.append(helper.make_tensor_value_info("trips", Proto.INT64, []))
    x = np.float32([1, 2])
    session = anytile.Session(anytile.compile(import_model(proto)))
    assert appends(session) == 2  # what is carried and the rows
    for trips in (0, 1, 3):
        last, rows = session(x, np.int64(trips))
        assert last.tolist() == [1, 2] * (trips + 1)
        assert rows.tolist() == [[t, 2 * t] for t in range(trips)]


def test_a_scan_over_any_number_of_steps() -> None:
    nodes = [node("Add", ["state", "part"], ["next"]), node("Mul", ["next", "by"], ["out"])]
    scan = node(
        *("Scan", ["begin", "x"], ["end", "rows"]),
        num_scan_inputs=1,
        scan_input_directions=[1],
        scan_output_directions=[1],
        body=body(nodes, ["state", "part"], ["next", "out"]),
    )
    weights = {"begin": np.zeros(2, np.float32), "by": np.float32(3)}
    session = anytile.Session(anytile.compile(import_model(model([scan], {"x": ("t", 2)}, ["end", "rows"], weights))))
    assert appends(session) == 1
    for steps in (0, 1, 4):
        x = RNG.standard_normal((steps, 2), np.float32)
        end, rows = session(x)
        assert np.allclose(end, x.sum(0), atol=1e-5)
        assert np.allclose(rows, 3 * x[::-1].cumsum(0)[::-1], atol=1e-5)


@pytest.mark.slow
def test_a_layer_over_any_number_of_steps_is_that_over_the_number() -> None:
    w, r = (RNG.standard_normal((2, 12, n), np.float32) for n in (2, 3))
    nodes = [node("LSTM", ["x", "w", "r"], ["y", "h"], hidden_size=3, direction="bidirectional", clip=0.5)]

    def of(steps: str | int) -> Any:
        proto = model(nodes, {"x": (steps, "batch", 2)}, ["y", "h"], {"w": w, "r": r})
        return anytile.Session(anytile.compile(import_model(proto)))

    x = RNG.standard_normal((4, 3, 2), np.float32)
    looped = of("time")
    for found, expected in zip(looped(x), of(4)(x), strict=True):
        assert np.allclose(found, expected, atol=1e-5)
    assert looped(x[:0])[0].shape == (0, 2, 3, 3)


@pytest.mark.slow
@pytest.mark.parametrize(("op", "gates"), [("GRU", 3), ("LSTM", 4)])
def test_steps_share_kernels_and_weights(op: str, gates: int) -> None:
    """However many there are: nothing of a step is its own but numbers, and the host joins none of their rows."""
    w, r = (RNG.standard_normal((1, gates * 40, n), np.float32) for n in (3, 40))
    b = RNG.standard_normal((1, 2 * gates * 40), np.float32)
    nodes = [node(op, ["x", "w", "r", "b"], ["y"], hidden_size=40)]
    few, many = (
        anytile.compile(import_model(model(nodes, {"x": (steps, 2, 3)}, ["y"], {"w": w, "r": r, "b": b})))
        for steps in (3, MOST_PARTS + 6)
    )
    assert {k.kind for k in (*few.kernels, *many.kernels)} <= {"kernel", "shape"}
    assert len(many.kernels) <= len(few.kernels) + 2  # rows are joined in groups
    large_few, large_many = (sum(c.array.nbytes > 4096 for c in exe.constants) for exe in (few, many))
    assert large_many == large_few
    x = RNG.standard_normal((MOST_PARTS + 6, 2, 3), np.float32)
    y = np.asarray(anytile.Session(many)(x))
    assert np.allclose(y[:3], anytile.Session(few)(x[:3]), atol=1e-5)


@pytest.mark.parametrize("dtype", [np.float32, np.int64])
def test_a_whole_number_is_above_a_threshold_between_two(dtype: Any) -> None:
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    proto = model(
        [node("Binarizer", ["x"], ["y"], domain="ai.onnx.ml", threshold=-0.5)], {"x": (3,)}, ["y"], dtype=kind
    )
    proto.opset_import.append(helper.make_opsetid("ai.onnx.ml", 1))
    assert ran(proto, np.asarray([-1, 0, 1], dtype)).tolist() == [0, 1, 1]


def test_a_diagonal_is_of_as_many_rows_as_columns() -> None:
    diagonal = node("Einsum", ["x"], ["y"], equation="ii->i")
    with pytest.raises(UnsupportedError, match="dimensions 0 and 1 are equal"):
        import_model(model([diagonal], {"x": (3, 4)}, ["y"]))
    x = RNG.standard_normal((3, 4), np.float32)
    session = anytile.Session(anytile.compile(import_model(model([diagonal], {"x": ("n", "m")}, ["y"]))))
    assert session(x[:, :3]).tolist() == np.diagonal(x[:, :3]).tolist()
    with pytest.raises(AnytileError):
        session(x)


def test_numbers_that_no_float_holds_are_padded_with() -> None:
    far = 2**53 + 1
    pad = model(
        [node("Pad", ["x", "pads", "far"], ["y"])],
        *({"x": (1,)}, ["y"], {"pads": np.int64([0, 1]), "far": np.int64(far)}),
        dtype=Proto.INT64,
    )
    assert ran(pad, np.int64([5])).tolist() == [5, far]


def test_a_depth_may_be_a_float() -> None:
    hot = node("OneHot", ["x", "depth", "values"], ["y"])
    weights = {"depth": np.float32([2]), "values": np.float32([0, 1])}
    assert ran(model([hot], {"x": (2,)}, ["y"], weights), np.float32([1, 0])).tolist() == [[0, 1], [1, 0]]


@pytest.mark.slow
def test_a_pool_is_the_same_where_its_indices_are_read() -> None:
    x = np.float32([[[[1, np.nan, 3, 0], [2, 2, 2, 2], [0, 0, np.nan, 5], [1, 1, 7, 7]]]])
    pool = {"kernel_shape": [2, 2], "strides": [1, 1]}
    alone = ran(model([node("MaxPool", ["x"], ["y"], **pool)], {"x": x.shape}, ["y"]), x)
    both, index = ran(model([node("MaxPool", ["x"], ["y", "i"], **pool)], {"x": x.shape}, ["y", "i"]), x)
    assert np.array_equal(alone, both, equal_nan=True)
    assert np.array_equal(x.reshape(-1)[index], both, equal_nan=True)


@pytest.mark.parametrize(
    ("made", "x", "weights", "said"),
    [
        (node("MaxPool", ["x"], ["y", "i"], kernel_shape=[64, 64]), (1, 1, 64, 64), {}, "at most 1024 taps"),
        (node("Split", ["x"], ["y"], num_outputs=2**40), (4,), {}, "num_outputs=1099511627776 of 1 results"),
        (node("SplitToSequence", ["x"], ["y"], keepdims=0), (2**30,), {}, "a sequence of 1073741824 tensors"),
        (node("SplitToSequence", ["x", "s"], ["y"]), (2**30,), {"s": 1}, "in parts of 1;"),
        (node("DeformConv", ["x", "w", "o"], ["y"], group=2**40), (1, 1, 3, 3),
         {"w": np.zeros((1, 1, 2, 2), np.float32), "o": np.zeros((1, 8, 2, 2), np.float32)}, "1099511627776 groups"),
        (node("ConvTranspose", ["x", "w"], ["y"], kernel_shape=[3, 3]), (1, 1, 3, 3),
         {"w": np.zeros((1, 1, 2, 2), np.float32)}, r"kernel_shape=\(3, 3\) of weights"),
    ],
)  # fmt: skip
def test_what_an_attribute_makes_long_or_contradicts_is_refused(
    made: Any, x: tuple[int, ...], weights: dict[str, Any], said: str
) -> None:
    with pytest.raises(UnsupportedError, match=said):
        import_model(model([made], {"x": x}, ["y"], weights))


def test_a_loop_without_a_condition_ignores_what_its_body_says_of_one() -> None:
    nodes = [node("Add", ["a", "one"], ["b"]), node("Less", ["i", "one_more"], ["on"])]
    loop = node("Loop", ["trips", "", "x"], ["y"], body=body(nodes, ["i", "go", "a"], ["on", "b"]))
    weights = {"one": np.float32(1), "one_more": np.int64(1)}
    for trips in (5, 70):
        made = model([loop], {"x": (2,)}, ["y"], {**weights, "trips": np.int64(trips)})
        assert ran(made, np.zeros(2, np.float32)).tolist() == [trips, trips]


def test_a_loop_that_never_runs_has_no_rows() -> None:
    nodes = [node("Identity", ["go"], ["on"]), node("Add", ["a", "a"], ["b"]), node("Identity", ["b"], ["row"])]
    loop = node("Loop", ["trips", "", "x"], ["last", "rows"], body=body(nodes, ["i", "go", "a"], ["on", "b", "row"]))
    x = np.ones(2, np.float32)
    last, rows = ran(model([loop], {"x": (2,)}, ["last", "rows"], {"trips": np.int64(0)}), x)
    assert last.tolist() == [1, 1]
    assert rows.shape == (0, 2)


def test_a_missing_package_is_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "onnx", None)
    (tmp_path / "m.onnx").write_bytes(b"")
    with pytest.raises(UnsupportedError, match="pip install 'anytile\\[onnx\\]'"):
        anytile.compile(tmp_path / "m.onnx")
