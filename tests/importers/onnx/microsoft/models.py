"""Models of com.microsoft's operators, and whether anytile computes what onnxruntime does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

import anytile
from anytile.compiler.evaluate import evaluate
from anytile.importers.onnx.model import import_model

onnx = pytest.importorskip("onnx")
Feed = Mapping[str, np.ndarray[Any, Any]]


def contrib(name: str, inputs: Sequence[str], outputs: Sequence[str], **attributes: Any) -> Any:
    """A node of com.microsoft."""
    return onnx.helper.make_node(name, inputs, outputs, domain="com.microsoft", **attributes)


def model(
    nodes: Sequence[Any],
    inputs: Mapping[str, tuple[int | str, ...]],
    outputs: Sequence[str],
    weights: Feed | None = None,
    dtypes: Mapping[str, str] | None = None,
    version: int = 20,
) -> Any:
    """A model; inputs are float32 where `dtypes` says nothing else, and results what nodes make of them. `version` is
    that of ONNX's own operators."""
    helper, said = onnx.helper, dtypes or {}
    kinds = {n: helper.np_dtype_to_tensor_dtype(np.dtype(said.get(n, "float32"))) for n in (*inputs, *outputs)}
    graph = helper.make_graph(
        list(nodes),
        "g",
        [helper.make_tensor_value_info(name, kinds[name], shape) for name, shape in inputs.items()],
        [
            helper.make_tensor_value_info(n, kinds[n], None) if n in said else helper.make_empty_tensor_value_info(n)
            for n in outputs
        ],
        [onnx.numpy_helper.from_array(np.asarray(w), name) for name, w in (weights or {}).items()],
    )
    imports = [helper.make_opsetid("", version), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=imports, ir_version=10)


def imported(
    nodes: Sequence[Any],
    inputs: Mapping[str, tuple[int | str, ...]],
    outputs: Sequence[str],
    dtypes: Mapping[str, str] | None = None,
) -> Any:
    return import_model(model(nodes, inputs, outputs, dtypes=dtypes))


def agrees(
    nodes: Sequence[Any],
    inputs: Mapping[str, tuple[int | str, ...]],
    outputs: Sequence[str],
    feeds: Sequence[Feed],
    weights: Feed | None = None,
    dtypes: Mapping[str, str] | None = None,
    bound: float = 1e-5,
    version: int = 20,
    compiled: bool = True,
    beside: int = 0,
) -> None:
    """Whether nodes compute what onnxruntime does (see `same`)."""
    same(model(nodes, inputs, outputs, weights, dtypes, version), feeds, bound, compiled, beside)


def same(proto: Any, feeds: Sequence[Feed], bound: float = 1e-5, compiled: bool = True, beside: int = 0) -> None:
    """One executable for all sizes, or the evaluator where nothing is asked of kernels; each result within `bound` of
    onnxruntime's, as a share of the largest number, or, of quantised ones, at most `beside` integers away."""
    runtime = pytest.importorskip("onnxruntime")
    inputs, outputs = ([info.name for info in infos] for infos in (proto.graph.input, proto.graph.output))
    options = runtime.SessionOptions()
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
    theirs = runtime.InferenceSession(proto.SerializeToString(), options, providers=["CPUExecutionProvider"])
    module = import_model(proto)
    session = anytile.Session(anytile.compile(module)) if compiled else None
    for feed in feeds:
        given = [feed[name] for name in inputs]
        found = evaluate(module, given) if session is None else session(*given)
        made = found if isinstance(found, tuple | list) else (found,)
        wanted = theirs.run(outputs, dict(feed))
        assert len(made) == len(wanted)
        for name, a, b in zip(outputs, made, wanted, strict=True):
            assert (np.shape(a), np.asarray(a).dtype) == (b.shape, b.dtype), name
            apart = np.abs(np.asarray(a, np.float64) - np.asarray(b, np.float64)).max(initial=0)
            most = max(beside, bound * np.abs(np.asarray(b, np.float64)).max(initial=1e-30))
            assert apart <= most, (name, feed, apart)
