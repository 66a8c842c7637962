"""Nodes in any order of a file, which are computed each behind those whose results it reads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anytile
from anytile.importers.onnx.proto.node_order import in_order
from tests.importers.onnx.microsoft.models import model, onnx

helper = onnx.helper
node = helper.make_node
CHAIN = [
    node("Neg", ["x"], ["a"]),
    node("Exp", ["a"], ["b"]),
    node("Add", ["a", "b"], ["c"]),
    node("Abs", ["c"], ["y"]),
]


def branch(*nodes: Any) -> Any:
    return helper.make_graph(nodes, "branch", [], [helper.make_empty_tensor_value_info(nodes[-1].output[0])])


def test_nodes_that_are_in_order_stay_as_they_are() -> None:
    assert in_order(CHAIN, {"x"}) is CHAIN


@given(st.permutations(range(len(CHAIN))))
@settings(max_examples=24, deadline=None)
def test_each_node_is_behind_those_that_it_reads(order: list[int]) -> None:
    assert [n.output[0] for n in in_order([CHAIN[i] for i in order], {"x"})] == ["a", "b", "c", "y"]


def test_a_cycle_is_left_behind_the_others() -> None:
    turned = [node("Add", ["x", "q"], ["p"]), node("Neg", ["p"], ["q"]), node("Exp", ["b"], ["y"]), CHAIN[0], CHAIN[1]]
    assert [n.output[0] for n in in_order(turned, {"x"})] == ["a", "b", "y", "p", "q"]


def test_what_a_branch_reads_is_made_before_it_and_what_it_makes_is_its_own() -> None:
    both = {"then_branch": branch(node("Neg", ["a"], ["r"])), "else_branch": branch(node("Exp", ["x"], ["c"]))}
    chosen = node("If", ["k"], ["z"], **both)
    turned = [chosen, node("Neg", ["z"], ["c"]), CHAIN[0]]
    assert [n.output[0] for n in in_order(turned, {"x", "k"})] == ["a", "z", "c"]


@pytest.mark.parametrize("order", [(3, 2, 1, 0), (2, 0, 3, 1)])
def test_a_model_out_of_order_is_one(order: tuple[int, ...]) -> None:
    x = np.linspace(-1, 1, 5, dtype=np.float32)
    made = anytile.Session(anytile.compile(model([CHAIN[i] for i in order], {"x": ("n",)}, ["y"])))(x)
    np.testing.assert_allclose(made, np.abs(-x + np.exp(-x)), rtol=1e-5)
