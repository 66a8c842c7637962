"""Shapes that follow from sizes nobody knows before the model runs, against onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import anytile
from anytile.core.errors import AnytileError
from anytile.importers.onnx.model import import_model
from tests.importers.onnx.microsoft.models import model, onnx, same

RNG = np.random.default_rng(47)
node = onnx.helper.make_node


def numbers(*shape: int) -> dict[str, Any]:
    return {"x": RNG.standard_normal(shape, np.float32)}


def test_squeeze_without_axes_leaves_dimensions_of_unknown_size() -> None:
    proto = model([node("Squeeze", ["x"], ["y"])], {"x": ("n", 1, 3, "m", 1)}, ["y"])
    same(proto, [numbers(2, 1, 3, 4, 1), numbers(5, 1, 3, 2, 1)])
    with pytest.raises(AnytileError, match=r"Squeeze.*at least 2, got 1"):
        anytile.Session(anytile.compile(proto))(numbers(2, 1, 3, 1, 1)["x"])
    pinned = anytile.Session(anytile.compile(proto, dims={"m": 1}))
    assert pinned(numbers(2, 1, 3, 1, 1)["x"]).shape == (2, 3)


def test_what_is_left_of_a_shape_is_looked_at() -> None:
    weights = {"shape": np.int64([-1, 12])}
    proto = model([node("Reshape", ["x", "shape"], ["y"])], {"x": ("n", "m", 3)}, ["y"], weights)
    same(proto, [numbers(2, 4, 3), numbers(4, 3, 3), numbers(0, 5, 3)])
    with pytest.raises(AnytileError, match="expected equal sizes, got 9 and 8"):
        anytile.Session(anytile.compile(proto))(numbers(3, 3, 3)["x"])


def test_what_is_left_of_a_shape_is_data_where_no_expression_says_it() -> None:
    """Heads of a layer whose rows may be as many as those of another input, as in MobileBERT."""
    nodes = [
        node("Add", ["x", "z"], ["sum"]),
        node("Shape", ["x"], ["rows"], start=0, end=1),
        node("Concat", ["rows", "rest"], ["shape"], axis=0),
        node("Reshape", ["sum", "shape"], ["heads"]),
        node("Transpose", ["heads"], ["y"], perm=[1, 0, 2]),
    ]
    proto = model(nodes, {"x": ("n", 12), "z": ("m", 12)}, ["y"], {"rest": np.int64([-1, 4])})
    same(proto, [{"x": numbers(n, 12)["x"], "z": numbers(m, 12)["x"]} for n, m in ((5, 5), (1, 1), (7, 1), (1, 3))])


@pytest.mark.parametrize("written", ["?", "-1", "*"])
def test_signs_are_no_names_of_dimensions(written: str) -> None:
    proto = model([node("Relu", ["x"], ["y"])], {"x": (written, 3, written)}, ["y"])
    same(proto, [numbers(2, 3, 4), numbers(3, 3, 3)])


def test_a_slice_from_as_far_behind_the_end_as_there_are_rows_is_all_of_them() -> None:
    """So T5 takes the positions of the rows that it is given."""
    nodes = [
        node("Shape", ["x"], ["s"]),
        node("Gather", ["s", "zero"], ["n"]),
        node("Neg", ["n"], ["back"]),
        node("Unsqueeze", ["back", "axes"], ["starts"]),
        node("Slice", ["x", "starts", "far"], ["all"]),
        node("Add", ["all", "x"], ["y"]),
    ]
    weights = {"zero": np.int64(0), "axes": np.int64([0]), "far": np.int64([2**63 - 1])}
    proto = model(nodes, {"x": ("n", 3)}, ["y"], weights)
    same(proto, [numbers(4, 3), numbers(9, 3), numbers(0, 3)])
    assert str(anytile.compile(proto).output) == "Tensor[(?n, 3), float32]"


def test_rows_that_are_filled_up_by_what_follows_from_their_number() -> None:
    """TensorFlow's SAME as torch's exporter writes it: ceil(n / 2) by divisions towards zero of what is below it."""
    ints = {"minus": -1, "two": 2, "less": -2, "zero": 0}
    nodes = [
        node("Shape", ["x"], ["s"], start=0, end=1),
        node("Squeeze", ["s"], ["n"]),
        node("Add", ["n", "minus"], ["before"]),
        node("Div", ["before", "two"], ["half"]),  # (n - 1) / 2, which is 0 where there are no rows
        node("Mul", ["half", "minus"], ["back"]),
        node("Add", ["back", "minus"], ["further"]),
        node("Div", ["further", "two"], ["quarter"]),
        node("Mul", ["quarter", "less"], ["twice"]),
        node("Add", ["twice", "back"], ["rest"]),
        node("Max", ["rest", "zero"], ["missing"]),
        node("Div", ["missing", "two"], ["first"]),
        node("Sub", ["missing", "first"], ["last"]),
        *(node("Reshape", [name, "flat"], [f"{name}_1"]) for name in ("first", "last")),
        node("Concat", ["first_1", "none", "last_1", "none"], ["pads"], axis=0),
        node("Pad", ["x", "pads", "value"], ["y"]),
    ]
    weights = {name: np.int64(number) for name, number in ints.items()}
    weights |= {"flat": np.int64([-1]), "none": np.int64([0]), "value": np.float32(0.5)}
    proto = model(nodes, {"x": ("n", 3)}, ["y"], weights)
    same(proto, [numbers(n, 3) for n in (0, 1, 2, 3, 4, 5, 6, 7, 17)])
    assert "pad_by" not in str(import_model(proto))


def rows_within(tensor: str, limits: range) -> list[Any]:
    """The first rows of a tensor, as many as each limit says, one behind the other."""
    parts = [f"{tensor}_{limit}" for limit in limits]
    cuts = [node("Slice", [tensor, "zero", f"to_{limit}"], [p]) for limit, p in zip(limits, parts, strict=True)]
    return [*cuts, node("Concat", parts, [f"{tensor}_rows"], axis=0)]


@pytest.mark.slow
def test_sums_of_tensors_whose_sizes_take_long_to_write() -> None:
    """That two sums of limited sizes are the same is seen as the model runs, as of CANINE's blocks of characters."""
    limits = range(16, 28)
    nodes = [*rows_within("x", limits), *rows_within("z", limits), node("Add", ["x_rows", "z_rows"], ["s0"])]
    for i in range(2):  # each is of the last one's rows, which are in turn of both
        nodes += [node("Mul", [f"s{i}", "z_rows"], [f"p{i}"]), node("Add", [f"p{i}", "x_rows"], [f"s{i + 1}"])]
    weights = {"zero": np.int64([0]), **{f"to_{n}": np.int64([n]) for n in limits}}
    proto = model(nodes, {"x": ("n", 3), "z": ("m", 3)}, ["s2"], weights)
    given = [{"x": numbers(n, 3)["x"], "z": numbers(m, 3)["x"]} for n, m in ((9, 9), (20, 20), (40, 31), (1, 1))]
    same(proto, given)
    with pytest.raises(AnytileError, match="expected"):
        anytile.Session(anytile.compile(proto))(numbers(9, 3)["x"], numbers(8, 3)["x"])
