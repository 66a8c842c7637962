"""Steps with graphs of their own: a choice of two, a number of rounds, a walk along a dimension."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx

from tests.support.generators.graphs.growth import FLOATS, Growth, Step, Value, type_of
from tests.support.generators.graphs.operands import need

helper = onnx.helper
_ROUND = ("Tanh", "Sigmoid", "Relu", "Neg", "Softsign")


def _info(name: str, like: Value) -> Any:
    return helper.make_tensor_value_info(name, type_of(like), None)


def choice(g: Growth, x: Value) -> None:
    """Of two graphs that read what is outside, by a size or by data."""
    need(x.dtype in FLOATS and x.rank > 0)
    if g.chance(0.5):
        size = g.one("Gather", g.one("Shape", x), g.const(g.rng.randrange(x.rank), "int64"), axis=0)
        asked = g.one("Less", size, g.const(g.rng.choice((2, 4, 8, 16)), "int64"))
    else:
        mean = g.one("ReduceMean", x, keepdims=0)
        asked = g.one("Less", mean, g.const(g.rng.choice((-0.3, 0.0, 0.3)), x.dtype))
    others = [v for v in g.values.values() if v.dtype == x.dtype and v.rank == x.rank and not v.is_const]
    read = {"then": x, "else": g.rng.choice(others) if g.chance(0.5) else x}
    graphs = {}
    for name, of in read.items():
        made = g.fresh()
        nodes = [helper.make_node(g.rng.choice(_ROUND), [of.name], [made])]
        if g.chance(0.4):
            nodes.append(helper.make_node("Add", [made, of.name], [then := g.fresh()]))
            made = then
        graphs[f"{name}_branch"] = helper.make_graph(nodes, name, [], [_info(made, of)])
    g.inner(helper.make_node("If", [asked.name], [g.fresh()], **graphs), [asked, *read.values()])


def rounds(g: Growth, x: Value) -> None:
    """The same again and again: so often as a number says, or a size."""
    need(x.dtype == "float32")
    names = {n: g.fresh() for n in ("round", "go", "state", "goes", "made", "whole", "kept")}
    nodes = [helper.make_node(g.rng.choice(_ROUND), [names["state"]], [names["whole"]])]
    if g.chance(0.5):
        nodes.append(helper.make_node("Add", [names["whole"], x.name], [names["made"]]))
    else:
        nodes.append(helper.make_node("Identity", [names["whole"]], [names["made"]]))
    nodes.append(helper.make_node("Identity", [names["go"]], [names["goes"]]))
    outputs = [names["goes"], names["made"]]
    kept = g.chance(0.4)
    if kept:
        nodes.append(helper.make_node("ReduceSum", [names["made"]], [names["kept"]], keepdims=0))
        outputs.append(names["kept"])
    yes = g.const(np.array(True))
    state = _info(names["state"], x)
    inputs = [helper.make_tensor_value_info(names["round"], onnx.TensorProto.INT64, []),
              helper.make_tensor_value_info(names["go"], onnx.TensorProto.BOOL, []), state]  # fmt: skip
    body = helper.make_graph(nodes, "body", inputs, [helper.make_empty_tensor_value_info(n) for n in outputs])
    if x.rank and g.chance(0.4):
        count = g.one("Gather", g.one("Shape", x), g.const(g.rng.randrange(x.rank), "int64"), axis=0)
    else:
        count = g.const(g.rng.randint(1, 4), "int64")
    results = [g.fresh() for _ in range(1 + kept)]
    g.inner(helper.make_node("Loop", [count.name, yes.name, x.name], results, body=body), [count, yes, x])


def walk(g: Growth, x: Value) -> None:
    """Along the first dimension with a state, as a cell that is written out."""
    need(x.dtype == "float32" and x.rank == 2 and x.dim(1) is not None)
    k, n = x.dim(1) or 0, g.rng.choice((2, 4, 8))
    w, r, h = g.floats(k, n, scale=0.5), g.floats(n, n, scale=0.5), g.const(np.zeros((1, n), np.float32))
    names = {name: g.fresh() for name in ("h", "row", "flat", "a", "b", "sum", "next", "out")}
    at = g.ints(0)
    nodes = [
        helper.make_node("Unsqueeze", [names["row"], at.name], [names["flat"]]),
        helper.make_node("MatMul", [names["flat"], w.name], [names["a"]]),
        helper.make_node("MatMul", [names["h"], r.name], [names["b"]]),
        helper.make_node("Add", [names["a"], names["b"]], [names["sum"]]),
        helper.make_node("Tanh", [names["sum"]], [names["next"]]),
        helper.make_node("Squeeze", [names["next"], at.name], [names["out"]]),
    ]
    body = helper.make_graph(
        nodes,
        "body",
        [helper.make_tensor_value_info(names["h"], 1, [1, n]), helper.make_tensor_value_info(names["row"], 1, [k])],
        [helper.make_empty_tensor_value_info(names[name]) for name in ("next", "out")],
    )
    node = helper.make_node("Scan", [h.name, x.name], [g.fresh(), g.fresh()], num_scan_inputs=1, body=body)
    g.inner(node, [h, x, w, r, at])


STEPS: dict[Step, int] = {choice: 2, rounds: 1, walk: 1}
