"""Whole models from ONNX after the passes: which kernels a residual network, an attention layer and BERT become."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx")
from onnx import TensorProto as Proto
from onnx import helper, numpy_helper

import anytile
from anytile.compiler.evaluate import evaluate
from anytile.compiler.ir.memory_dialect import INVOKE_MUT
from anytile.compiler.ir.nodes import GlobalRef, Module, is_operator_call
from anytile.compiler.ir.traverse import nodes as expressions
from anytile.compiler.kernels.kernel_of import kernel_of
from anytile.compiler.pipeline import optimise
from anytile.importers.onnx.model import import_model
from anytile.importers.onnx.proto.load import read_model
from examples import bert

node = helper.make_node
RNG = np.random.default_rng(3)


class _Net:
    """A residual network, node by node; with `last` as exporters write one whose images have their channels last."""

    def __init__(self, last: bool) -> None:
        self.last = last
        self.nodes: list[Any] = []
        self.weights: dict[str, Any] = {}

    def add(self, op: str, *inputs: str, **attrs: Any) -> str:
        made = f"v{len(self.nodes)}"
        self.nodes.append(node(op, list(inputs), [made], **attrs))
        return made

    def weight(self, array: Any) -> str:
        name = f"w{len(self.weights)}"
        self.weights[name] = np.asarray(array, np.float32)
        return name

    def framed(self, op: str, x: str, *more: str, **attrs: Any) -> str:
        """A step on images whose channels come second."""
        if not self.last:
            return self.add(op, x, *more, **attrs)
        turned = self.add("Transpose", x, perm=[0, 3, 1, 2])
        return self.add("Transpose", self.add(op, turned, *more, **attrs), perm=[0, 2, 3, 1])

    def conv(self, x: str, ci: int, co: int, size: int, stride: int = 1) -> str:
        """With its normalisation."""
        w = self.weight(RNG.standard_normal((co, ci, size, size)) / np.sqrt(ci * size * size))
        made = self.framed("Conv", x, w, strides=[stride] * 2, pads=[size // 2] * 4)
        stats = [self.weight(RNG.standard_normal(co)) for _ in range(3)]
        return self.framed("BatchNormalization", made, *stats, self.weight(RNG.random(co) + 0.5))

    def block(self, x: str, ci: int, co: int, stride: int) -> str:
        main = self.add("Relu", self.conv(x, ci, co, 1))
        main = self.add("Relu", self.conv(main, co, co, 3, stride))
        main = self.conv(main, co, 4 * co, 1)
        side = x if ci == 4 * co and stride == 1 else self.conv(x, ci, 4 * co, 1, stride)
        return self.add("Relu", self.add("Add", main, side))

    def model(self, blocks: Sequence[tuple[int, int]] = ((4, 1), (4, 1), (8, 2))) -> Any:
        """The shape of a ResNet-50, with fewer channels and blocks."""
        x = self.add("Relu", self.conv("x", 3, 8, 7, 2))
        x = self.framed("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
        ci = 8
        for co, stride in blocks:
            x, ci = self.block(x, ci, co, stride), 4 * co
        if self.last:
            x = self.add("GlobalAveragePool", self.add("Transpose", x, perm=[0, 3, 1, 2]))
        else:
            x = self.add("GlobalAveragePool", x)
        y = self.add("Gemm", self.add("Flatten", x), self.weight(RNG.standard_normal((5, ci))), transB=1)
        shape = ("batch", "height", "width", 3) if self.last else ("batch", 3, "height", "width")
        return _proto(self.nodes, {"x": shape}, y, self.weights)


def _proto(nodes: list[Any], inputs: dict[str, tuple[Any, ...]], output: str, weights: dict[str, Any]) -> Any:
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info(name, Proto.FLOAT, shape) for name, shape in inputs.items()],
        [helper.make_empty_tensor_value_info(output)],
        [numpy_helper.from_array(array, name) for name, array in weights.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)])


def _workloads(exe: Any) -> list[str]:
    """Of the kernels, and whatever the host would do; not the programs that compute sizes."""
    return [k.workload for k in exe.kernels if k.kind != "shape"]


@pytest.mark.slow
@pytest.mark.parametrize("last", [False, True])
def test_a_residual_network_is_its_convolutions(last: bool) -> None:
    """No normalisation, sum or activation has a kernel of its own. Images have their channels last inside: where they
    have not outside, one transposition turns them."""
    module = import_model(_Net(last).model())
    exe = anytile.compile(module)
    found = _workloads(exe)
    turned = set() if last else {"transpose"}
    assert {w.partition("(")[0] for w in found} == {"conv2d", "max_pool2d", "reduce", "dense"} | turned, found
    assert sum(w.startswith("transpose") for w in found) == len(turned)
    assert all("layout=nhwc" in w for w in found if w.startswith(("conv2d", "max_pool2d")))
    for batch, height, width in ((1, 16, 9), (3, 33, 16)):
        shape = (batch, height, width, 3) if last else (batch, 3, height, width)
        x = RNG.standard_normal(shape, np.float32)
        got = anytile.Session(exe)(x)
        np.testing.assert_allclose(got, evaluate(module, (x,)), rtol=2e-3, atol=2e-3)


@pytest.mark.slow
def test_a_residual_network_in_8_bits_is_its_convolutions() -> None:
    """All but the first, whose image has numbers below 0 and no known size, with zeros around; near float32, too."""
    module = import_model(_Net(last=False).model(((4, 1), (4, 1))))
    run = {"x": RNG.standard_normal((3, 3, 18, 15), np.float32)}
    wanted = evaluate(module, run)
    assert isinstance(wanted, np.ndarray)
    found = anytile.quantise(module, inputs=run, ranges="extremes")
    first, *others = found.layers
    assert (first.dtype, first.kept) == ("float32", "zeros stand around numbers below 0, in images of no known size")
    assert [layer.dtype for layer in others] == ["int8"] * 8
    ahead, at_once = anytile.compile(found.module), anytile.compile(module, precision="int8")
    for name, exe in {"quantise_within": ahead, "quantise_rows": at_once}.items():
        ops = {w.partition("(")[0] for w in _workloads(exe)}
        assert ops == {
            *("transpose", "conv2d", "max_pool2d", "quantised_conv2d", "reduce", "quantised_dense", name),
        }
        off = np.linalg.norm(anytile.Session(exe)(run["x"]) - wanted) / np.linalg.norm(wanted)
        assert 0 < off < 0.05
    # What the first two convolutions of a block make is for the next one alone; the first block's sum is for the next
    # block, whose own sum reads its integers.
    assert sum("out=uint8" in k.workload for k in ahead.kernels) == 4
    assert sum("codes=" in k.workload for k in ahead.kernels) == 1
    assert not [w for w in _workloads(at_once) if "out=uint8" in w]


@pytest.mark.slow
@pytest.mark.parametrize("guarded", [True, False])
def test_the_guard_of_attention_is_its_softmaxs(guarded: bool) -> None:
    """As exporters write it, with a mask that may hide everything from a row."""
    nodes = [
        node("Transpose", ["k"], ["kt"], perm=[0, 1, 3, 2]),
        *(node("MatMul", ["q", "kt"], ["s"]), node("Mul", ["s", "scale"], ["scaled"])),
        *(node("Add", ["scaled", "mask"], ["masked"]), node("Softmax", ["masked"], ["p"], axis=-1)),
        *(node("IsNaN", ["p"], ["isnan"]), node("Where", ["isnan", "zero", "p"], ["guarded"])),
        node("MatMul", ["guarded" if guarded else "p", "v"], ["y"]),
    ]
    nodes = nodes if guarded else [n for n in nodes if n.op_type not in ("IsNaN", "Where")]
    shape = ("b", 2, "t", 8)
    inputs = {"q": shape, "k": shape, "v": shape, "mask": ("b", 1, "t", "t")}
    weights = {"scale": np.asarray(8**-0.5, np.float32), "zero": np.asarray(0, np.float32)}
    module = import_model(_proto(nodes, inputs, "y", weights))
    exe = anytile.compile(module)
    found = _workloads(exe)
    assert ["guard=nan" in w for w in found if w.startswith(("attention", "softmax"))] == [guarded]
    assert {w.partition("(")[0] for w in found} <= {"attention", "batch_matmul", "transpose", "elementwise", "softmax"}
    assert not [w for w in found if "isnan" in w]
    for b, t in ((1, 1), (2, 7), (1, 33)):
        q, k, v = (RNG.standard_normal((b, 2, t, 8), np.float32) for _ in range(3))
        mask = np.where(RNG.random((b, 1, t, t)) < 0.5, np.float32(0), np.float32(-np.inf))
        mask[:, :, 0] = -np.inf  # sees nothing
        got = anytile.Session(exe)(q, k, v, mask)
        np.testing.assert_allclose(got, evaluate(module, (q, k, v, mask)), rtol=1e-4, atol=1e-5)
        assert np.isnan(got[:, :, 0]).all() != guarded


HIDDEN, HEADS, INNER, LAYERS = 24, 3, 48, 2


def _bert() -> Any:
    """The encoder as torch's exporter writes it, for one sequence: heads turned, GELU written out."""
    net = _Net(last=False)

    def dense(x: str, n: int, k: int) -> str:
        w, b = net.weight(RNG.standard_normal((k, n)) / np.sqrt(k)), net.weight(RNG.standard_normal(n))
        return net.add("Add", net.add("MatMul", x, w), b)

    def shaped(x: str, *shape: int) -> str:
        name = net.weight(0)
        net.weights[name] = np.asarray(shape, np.int64)
        return net.add("Reshape", x, name)

    def heads(x: str) -> str:
        made = shaped(dense(x, HIDDEN, HIDDEN), 0, -1, HEADS, HIDDEN // HEADS)
        return net.add("Transpose", made, perm=[0, 2, 1, 3])

    def normalised(x: str) -> str:
        gamma, beta = (net.weight(RNG.standard_normal(HIDDEN)) for _ in range(2))
        return net.add("LayerNormalization", x, gamma, beta, epsilon=1e-12, axis=-1)

    x = "x"
    for _ in range(LAYERS):
        q, k, v = (heads(x) for _ in range(3))
        scores = net.add("MatMul", q, net.add("Transpose", k, perm=[0, 1, 3, 2]))
        scores = net.add("Mul", scores, net.weight((HIDDEN // HEADS) ** -0.5))
        mixed = net.add("MatMul", net.add("Softmax", scores, axis=-1), v)
        mixed = shaped(net.add("Transpose", mixed, perm=[0, 2, 1, 3]), 0, -1, HIDDEN)
        x = normalised(net.add("Add", x, dense(mixed, HIDDEN, HIDDEN)))
        inner = dense(x, INNER, HIDDEN)
        once = net.add("Add", net.add("Erf", net.add("Div", inner, net.weight(2**0.5))), net.weight(1))
        inner = net.add("Mul", net.add("Mul", inner, once), net.weight(0.5))
        x = normalised(net.add("Add", x, dense(inner, HIDDEN, INNER)))
    return _proto(net.nodes, {"x": (1, "tokens", HIDDEN)}, x, net.weights)


def _called(module: Module) -> Counter[str]:
    """The workloads of all kernels that run, each as often as it does."""
    explicit = optimise(module)
    calls = [e for e in expressions(explicit.main.body) if is_operator_call(e, INVOKE_MUT)]
    names = [c.args[0].name for c in calls if isinstance(c.args[0], GlobalRef)]
    kernels = [kernel_of(explicit.function(n)) for n in names]
    return Counter(str(k.workload) for k in kernels if k is not None)


def test_berts_kernels_are_those_of_the_example(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, size in (("HIDDEN", HIDDEN), ("HEADS", HEADS), ("INNER", INNER)):
        monkeypatch.setattr(bert, name, size)
    module = import_model(_bert())
    assert _called(module) == _called(bert.bert(LAYERS))


@pytest.mark.parametrize("level", ["BASIC", "EXTENDED", "ALL"])
def test_bert_by_onnxruntimes_optimiser_has_the_same_kernels(level: str, tmp_path: Path) -> None:
    runtime = pytest.importorskip("onnxruntime")
    proto, path = _bert(), tmp_path / "optimised.onnx"
    proto.ir_version = 10  # which any onnxruntime reads
    options = runtime.SessionOptions()
    options.optimized_model_filepath = str(path)
    options.graph_optimization_level = getattr(runtime.GraphOptimizationLevel, f"ORT_ENABLE_{level}")
    options.log_severity_level = 4
    runtime.InferenceSession(proto.SerializeToString(), options, providers=["CPUExecutionProvider"])
    optimised = read_model(path)
    assert any(n.domain == "com.microsoft" for n in optimised.graph.node) == (level != "BASIC")
    assert _called(import_model(optimised)) == _called(import_model(proto))


@pytest.mark.slow
def test_bert_means_what_it_meant() -> None:
    module = import_model(_bert())
    run = anytile.Session(anytile.compile(module))
    for tokens in (1, 7, 33):
        x = RNG.standard_normal((1, tokens, HIDDEN), np.float32)
        np.testing.assert_allclose(run(x), evaluate(module, (x,)), rtol=1e-3, atol=1e-4)


def test_a_decoders_cache_grows_in_place() -> None:
    """Any number of sequences, heads and tokens side by side in one weight, as exporters write them."""
    weights = {"qkv": RNG.standard_normal((8, 24), np.float32), "cut": np.array([8, 8, 8])}
    weights["heads"] = np.array([0, 0, 2, 4])
    nodes = [node("MatMul", ["x", "qkv"], ["all"]), node("Split", ["all", "cut"], ["q0", "k0", "v0"], axis=-1)]
    for name in "qkv":
        nodes.append(node("Reshape", [f"{name}0", "heads"], [f"{name}1"]))
        nodes.append(node("Transpose", [f"{name}1"], [f"{name}2"], perm=[0, 2, 1, 3]))
    nodes += [
        node("Concat", ["past.key", "k2"], ["present.key"], axis=-2),
        node("Concat", ["past.value", "v2"], ["present.value"], axis=2),
        node("Transpose", ["present.key"], ["kt"], perm=[0, 1, 3, 2]),
        node("MatMul", ["q2", "kt"], ["scores"]),
        node("Softmax", ["scores"], ["share"]),
        node("MatMul", ["share", "present.value"], ["mixed"]),
    ]
    kinds = {"x": ["batch", "tokens", 8], "past.key": ["batch", 2, "past", 4], "past.value": ["batch", 2, "past", 4]}
    made = {"mixed": ["batch", 2, "tokens", 4], **{f"present.{n}": ["batch", 2, "all", 4] for n in ("key", "value")}}
    inputs, outputs = ([helper.make_tensor_value_info(n, Proto.FLOAT, s) for n, s in k.items()] for k in (kinds, made))
    arrays = [numpy_helper.from_array(array, name) for name, array in weights.items()]
    module = import_model(helper.make_model(helper.make_graph(nodes, "decoder", inputs, outputs, arrays)))
    plain, growing = (anytile.Session(anytile.compile(module, growing=g)) for g in (False, True))
    assert growing.inputs[1][0] == "past_key"
    assert str(growing.inputs[1][1]) == "Tensor[(?past, ?batch, 2, 4), float32]"
    for batch in (1, 3):
        caches = [np.zeros((batch, 2, 0, 4), np.float32)] * 2
        grown, places = [np.zeros((0, batch, 2, 4), np.float32)] * 2, set()
        for tokens in (4, *[1] * 30):
            x = RNG.standard_normal((batch, tokens, 8), np.float32)
            wanted, *caches = plain(x, *caches)
            found, *grown = growing(x, *grown)
            np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)
            places.add(grown[0].ctypes.data)
        for own, cache in zip(grown, caches, strict=True):
            np.testing.assert_allclose(own.transpose(1, 2, 0, 3), cache, rtol=1e-5, atol=1e-5)
        assert len(places) < 10  # of 31
