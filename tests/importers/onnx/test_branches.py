"""Branches whose results have different ranks, as scripted models have them, against onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import anytile
from anytile.core.errors import AnytileError, UnsupportedError
from anytile.importers.onnx.model import import_model
from tests.importers.onnx.microsoft.models import model, onnx, same

RNG = np.random.default_rng(41)
node = onnx.helper.make_node
CONSTANTS = {
    "last": np.int64(2), "one": np.int64(1), "axis": np.int64([2]),
    "w": RNG.standard_normal((5, 3), np.float32), "k": RNG.standard_normal((4, 5, 1), np.float32),
}  # fmt: skip
X = ("n", 5, "d")


def branch(made: str, *nodes: Any) -> Any:
    """A body without inputs whose result is of a rank that nobody says."""
    info = onnx.helper.make_value_info(made, onnx.helper.make_tensor_type_proto(1, None))
    return onnx.helper.make_graph(list(nodes), made, [], [info])


def squeezed(x: str, y: str, condition: str = "is_one") -> list[Any]:
    """`x.squeeze(2)` as a script says it: without the dimension where it is 1."""
    then = branch(f"{y}_then", node("Squeeze", [x, "axis"], [f"{y}_then"]))
    otherwise = branch(f"{y}_else", node("Identity", [x], [f"{y}_else"]))
    asked = [node("Shape", [x], [f"{y}_shape"]), node("Gather", [f"{y}_shape", "last"], [f"{y}_size"])]
    asked.append(node("Equal", [f"{y}_size", "one"], [condition]))
    return [*asked, node("If", [condition], [y], name=f"squeeze_{y}", then_branch=then, else_branch=otherwise)]


def images(n: int, d: int) -> dict[str, Any]:
    return {"x": RNG.standard_normal((n, 5, d)).astype(np.float32)}


def test_what_can_stand_behind_one_branch_alone_is_what_the_model_is() -> None:
    proto = model([*squeezed("x", "s"), node("Gemm", ["s", "w"], ["y"])], {"x": X}, ["y"], CONSTANTS)
    same(proto, [images(3, 1), images(1, 1)])
    assert "if" not in str(import_model(proto))
    session = anytile.Session(anytile.compile(proto))
    with pytest.raises(AnytileError, match=r"1"):
        session(images(3, 2)["x"])


def test_a_size_that_is_known_decides() -> None:
    nodes = [*squeezed("x", "s"), node("Conv", ["s", "k"], ["y"])]
    proto = model(nodes, {"x": X}, ["y"], CONSTANTS)
    exe = anytile.compile(proto, dims={"d": 3})
    x = images(2, 3)["x"]
    wanted = np.einsum("oc,ncd->nod", CONSTANTS["k"][..., 0], x)
    np.testing.assert_allclose(anytile.Session(exe)(x), wanted, rtol=1e-5, atol=1e-5)


def test_both_that_come_to_the_end_are_branches_to_there() -> None:
    nodes = [*squeezed("x", "s"), node("Mul", ["s", "s"], ["q"]), node("ReduceSum", ["q"], ["y"], keepdims=0)]
    same(model(nodes, {"x": X}, ["y"], CONSTANTS), [images(3, 1), images(2, 4), images(0, 2)])


def test_one_behind_the_other_and_within_a_branch() -> None:
    inner = branch("t", *squeezed("x", "s"), *squeezed("x", "r", "again"), node("Add", ["s", "r"], ["a"]),
                   node("Gemm", ["a", "w"], ["t"]))  # fmt: skip
    other = branch("e", node("Constant", [], ["e"], value=onnx.numpy_helper.from_array(np.zeros((1, 3), np.float32))))
    nodes = [node("ReduceMax", ["x"], ["m"], keepdims=0), node("Greater", ["m", "zero"], ["is"])]
    nodes.append(node("If", ["is"], ["y"], then_branch=inner, else_branch=other))
    proto = model(nodes, {"x": X}, ["y"], {**CONSTANTS, "zero": np.float32(0)})
    same(proto, [images(3, 1), {"x": -np.ones((3, 5, 1), np.float32)}])


@pytest.mark.parametrize(
    ("behind", "said"),
    [
        (node("Gemm", ["s", "narrow"], ["y"]), "with the first comes to Gemm.*; with the second comes to Gemm"),
        (node("Conv", ["s", "k"], ["y"]), "with the first comes to Conv.*; with the second it goes on"),
        (node("Relu", ["s"], ["y"]), "expected one rank"),
    ],
)
def test_what_neither_says_is_refused(behind: Any, said: str) -> None:
    constants = {**CONSTANTS, "narrow": np.ones((4, 3), np.float32)}
    with pytest.raises(UnsupportedError, match=said):
        import_model(model([*squeezed("x", "s"), behind], {"x": X}, ["y"], constants))


def test_a_condition_that_nothing_behind_looks_at_is_refused() -> None:
    """Which branch is taken is data: the first may not stand for both."""
    nodes = [*squeezed("x", "s", "unread"), node("ReduceMax", ["x"], ["m"], keepdims=0)][:-1]
    (made,) = [n for n in nodes if n.op_type == "If"]
    made.input[0] = "given"
    proto = model([*nodes, node("Gemm", ["s", "w"], ["y"])], {"x": X, "given": ()}, ["y"], CONSTANTS, {"given": "bool"})
    with pytest.raises(UnsupportedError, match="with the first it goes on; with the second comes to Gemm"):
        import_model(proto)
