"""Single operators of ONNX as models of one node: all sizes of activations are unknown until run time, two are tried.

A case is what the field calls a microbenchmark: one node, weights as initializers, operands that are drawn once. Sizes
are written by name in the shapes of a case (`"n c h w"`), and each of its two sizes says what the names are then: a
small one, where what is around a kernel decides, and a large one, where the kernel does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Draw = Callable[[np.random.Generator, tuple[int, ...]], Array]
Sizes = Mapping[str, int]
IR = 11


def floats(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    return rng.standard_normal(shape, np.float32)


def positive(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    return np.abs(floats(rng, shape)) + np.float32(0.5)


def halves(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    return floats(rng, shape).astype(np.float16)


def truths(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    return rng.random(shape) < 0.5


def bytes_(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    return rng.integers(0, 256, shape).astype(np.uint8)


def corners(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Boxes between 0 and 50, of 4 to 16 a side."""
    first = rng.random((*shape[:-1], 2)) * 34
    return np.concatenate([first, first + 4 + 12 * rng.random(first.shape)], axis=-1).astype(np.float32)


def shares(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    return rng.random(shape, np.float32)


def below(limit: int) -> Draw:
    """Integers from zero to below a limit."""
    return lambda rng, shape: rng.integers(0, limit, shape)


def rows_of(limit: int) -> Draw:
    """Different integers in a column, as places that are written once are."""
    return lambda rng, shape: rng.permutation(limit)[: shape[0], None]


@dataclass(frozen=True, slots=True)
class Case:
    """One node, its operands by name in order, and the sizes at which it is tried.

    An operand is the text of its shape, or a pair of that and how it is drawn; `weights` are constants of the file.
    """

    name: str
    op: str
    operands: Mapping[str, str | tuple[str, Draw]]
    small: Sizes
    large: Sizes
    weights: Mapping[str, Array] = field(default_factory=dict)
    attributes: Mapping[str, Any] = field(default_factory=dict)
    results: int = 1
    domain: str = ""
    order: Sequence[str] | None = None  # of operands and weights, where weights do not come last
    opset: int = 23  # onnxruntime lacks the newest of some

    @property
    def sizes(self) -> dict[str, Sizes]:
        return {"small": self.small, "large": self.large}

    def drawn(self, sizes: Sizes) -> dict[str, Array]:
        rng = np.random.default_rng(7)
        made = {}
        for name, given in self.operands.items():
            text, draw = (given, floats) if isinstance(given, str) else given
            made[name] = draw(rng, tuple(_size(part, sizes) for part in text.split()))
        return made

    def model(self, known: Sizes | None = None) -> Any:
        """The file, which says of sizes of weights and of written numbers what they are, and of all that are known."""
        from onnx import helper, numpy_helper

        kinds = {name: helper.np_dtype_to_tensor_dtype(a.dtype) for name, a in self.drawn(self.small).items()}
        inputs = []
        for name, given in self.operands.items():
            parts = (given if isinstance(given, str) else given[0]).split()
            shape = [_size(part, known) if known or part.isdigit() else part for part in parts]
            inputs.append(helper.make_tensor_value_info(name, kinds[name], shape))
        names = list(self.order or (*self.operands, *self.weights))
        results = [f"y{i}" for i in range(self.results)]
        node = helper.make_node(self.op, names, results, domain=self.domain, **self.attributes)
        outputs = [helper.make_empty_tensor_value_info(name) for name in results]
        constants = [numpy_helper.from_array(a, name) for name, a in self.weights.items()]
        graph = helper.make_graph([node], "one", inputs, outputs, constants)
        sets = [helper.make_opsetid("", self.opset), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(graph, opset_imports=sets, ir_version=IR)


def _size(part: str, sizes: Sizes | None) -> int:
    return int(part) if part.isdigit() or sizes is None else sizes[part]


def cases() -> list[Case]:
    return [*_products(), *_windows(), *_along(), *_elementwise(), *_moves(), *_by_data(), *_recurrent()]


def _weights(*shape: int) -> Array:
    return np.random.default_rng(sum(shape)).standard_normal(shape, np.float32) * np.float32(0.05)


def _ints(*values: int) -> Array:
    return np.array(values, np.int64)


def _products() -> Iterator[Case]:
    small, large = {"m": 7}, {"m": 130}
    yield Case("MatMul by weights", "MatMul", {"x": "m 768"}, small, large, {"w": _weights(768, 768)})
    yield Case("MatMul by half weights", "MatMul", {"x": ("m 768", halves)}, small, large,
               {"w": _weights(768, 768).astype(np.float16)})  # fmt: skip
    yield Case("Gemm by a row of weights", "Gemm", {"x": "m 512"}, small, large,
               {"w": _weights(1000, 512), "b": _weights(1000)}, {"transB": 1})  # fmt: skip
    both = {"m": 17, "k": 33, "n": 65}, {"m": 200, "k": 300, "n": 250}
    yield Case("MatMul", "MatMul", {"x": "m k", "w": "k n"}, *both)
    heads = {"b": 2, "t": 9}, {"b": 12, "t": 130}
    yield Case("MatMul of batches", "MatMul", {"x": "b t 64", "w": "b 64 t"}, *heads)
    yield Case("Einsum of heads", "Einsum", {"q": "1 t b 64", "k": "1 t b 64"}, *heads,
               attributes={"equation": "bihd,bjhd->bhij"})  # fmt: skip
    yield Case("Attention", "Attention", {"q": "1 b t 64", "k": "1 b t 64", "v": "1 b t 64"}, *heads)
    yield Case("MatMulInteger", "MatMulInteger", {"x": ("m 768", bytes_)}, small, large,
               {"w": np.random.default_rng(1).integers(-128, 128, (768, 768)).astype(np.int8)})  # fmt: skip
    rng = np.random.default_rng(2)
    packed = rng.integers(0, 256, (768, 24, 16)).astype(np.uint8)
    scales = rng.random(768 * 24).astype(np.float32)
    yield Case("MatMulNBits, 4 bits by 32", "MatMulNBits", {"x": "m 768"}, {"m": 1}, large,
               {"w": packed, "s": scales}, {"K": 768, "N": 768, "bits": 4, "block_size": 32},
               domain="com.microsoft")  # fmt: skip


def _windows() -> Iterator[Case]:
    images = {"n": 1, "h": 14, "w": 15}, {"n": 2, "h": 57, "w": 56}
    x = {"x": "n 64 h w"}
    pads = {"pads": [1, 1, 1, 1]}
    yield Case("Conv 3x3", "Conv", x, *images, {"k": _weights(64, 64, 3, 3)}, pads)
    yield Case("Conv 3x3 by two", "Conv", x, *images, {"k": _weights(128, 64, 3, 3)}, {**pads, "strides": [2, 2]})
    yield Case("Conv 1x1", "Conv", x, *images, {"k": _weights(128, 64, 1, 1), "b": _weights(128)})
    yield Case("Conv depthwise", "Conv", x, *images, {"k": _weights(64, 1, 3, 3)}, {**pads, "group": 64})
    yield Case("Conv in groups", "Conv", x, *images, {"k": _weights(64, 16, 3, 3)}, {**pads, "group": 4})
    yield Case("Conv of three channels", "Conv", {"x": "n 3 h w"}, *images, {"k": _weights(64, 3, 7, 7)},
               {"strides": [2, 2], "pads": [3, 3, 3, 3]})  # fmt: skip
    yield Case("ConvTranspose", "ConvTranspose", x, *images, {"k": _weights(64, 32, 2, 2)}, {"strides": [2, 2]})
    yield Case("ConvTranspose 4x4", "ConvTranspose", x, *images, {"k": _weights(64, 32, 4, 4)},
               {**pads, "strides": [2, 2]})  # fmt: skip
    lines = {"n": 1, "t": 50}, {"n": 2, "t": 1500}
    yield Case("Conv of lines", "Conv", {"x": "n 80 t"}, *lines, {"k": _weights(128, 80, 3)}, {"pads": [1, 1]})
    yield Case("Conv of lines, depthwise", "Conv", {"x": "n 80 t"}, *lines, {"k": _weights(80, 1, 9)},
               {"pads": [4, 4], "group": 80})  # fmt: skip
    boxes = {"n": 1, "t": 4}, {"n": 1, "t": 16}
    yield Case("Conv of boxes", "Conv", {"x": "n 16 t 28 28"}, *boxes, {"k": _weights(32, 16, 3, 3, 3)},
               {"pads": [1] * 6})  # fmt: skip
    yield Case("MaxPool", "MaxPool", x, *images, attributes={**pads, "kernel_shape": [3, 3], "strides": [2, 2]})
    yield Case("AveragePool", "AveragePool", x, *images, attributes={"kernel_shape": [2, 2], "strides": [2, 2]})
    yield Case("GlobalAveragePool", "GlobalAveragePool", x, *images)
    twice = np.array([1, 1, 2, 2], np.float32)
    order = ("x", "", "s")
    yield Case("Resize nearest", "Resize", x, *images, {"s": twice}, {"mode": "nearest"}, order=order)
    yield Case("Resize linear", "Resize", x, *images, {"s": twice}, {"mode": "linear"}, order=order)
    yield Case("Resize cubic", "Resize", x, *images, {"s": twice}, {"mode": "cubic"}, order=order)
    yield Case("GridSample", "GridSample", x | {"g": "n h w 2"}, *images)
    yield Case("DepthToSpace", "DepthToSpace", x, *images, attributes={"blocksize": 2})
    yield Case("SpaceToDepth", "SpaceToDepth", {"x": "n 16 h w"}, {"n": 1, "h": 14, "w": 16},
               {"n": 2, "h": 56, "w": 58}, attributes={"blocksize": 2})  # fmt: skip


def _along() -> Iterator[Case]:
    rows = {"m": 9, "n": 70}, {"m": 300, "n": 1000}
    x = {"x": "m n"}
    for op in ("Sum", "Mean", "Max", "L2"):
        yield Case(f"Reduce{op} along rows", f"Reduce{op}", x, *rows, {"a": _ints(1)})
    yield Case("ReduceSum along columns", "ReduceSum", x, *rows, {"a": _ints(0)})
    yield Case("ReduceMean of all", "ReduceMean", x, *rows)
    yield Case("ReduceMax of the middle", "ReduceMax", {"x": "b m n"}, {"b": 2, "m": 9, "n": 20},
               {"b": 20, "m": 100, "n": 120}, {"a": _ints(1)})  # fmt: skip
    yield Case("ArgMax along rows", "ArgMax", x, *rows, attributes={"axis": 1})
    yield Case("ArgMax along columns", "ArgMax", x, *rows, attributes={"axis": 0})
    yield Case("TopK, 5 of rows", "TopK", x, *rows, {"k": _ints(5)}, results=2)
    yield Case("TopK, 60 of rows", "TopK", x, *rows, {"k": _ints(60)}, results=2)
    yield Case("CumSum along rows", "CumSum", x, *rows, {"a": np.array(1, np.int64)})
    yield Case("CumSum along columns", "CumSum", x, *rows, {"a": np.array(0, np.int64)})
    yield Case("Softmax", "Softmax", x, *rows)
    yield Case("Softmax of columns", "Softmax", x, *rows, attributes={"axis": 0})
    yield Case("LogSoftmax", "LogSoftmax", x, *rows)
    wide = {"m": 9}, {"m": 300}
    yield Case("LayerNormalization", "LayerNormalization", {"x": "m 768"}, *wide,
               {"g": _weights(768), "b": _weights(768)})  # fmt: skip
    yield Case("RMSNormalization", "RMSNormalization", {"x": "m 768"}, *wide, {"g": _weights(768)})
    yield Case("LpNormalization", "LpNormalization", x, *rows)
    images = {"n": 1, "h": 14, "w": 15}, {"n": 2, "h": 57, "w": 56}
    scale, shift = _weights(64), _weights(64)
    of = {"x": "n 64 h w"}
    yield Case("InstanceNormalization", "InstanceNormalization", of, *images, {"g": scale, "b": shift})
    yield Case("GroupNormalization", "GroupNormalization", of, *images, {"g": scale, "b": shift}, {"num_groups": 8})
    yield Case("BatchNormalization", "BatchNormalization", of, *images,
               {"g": scale, "b": shift, "mean": shift, "var": np.abs(scale) + 1})  # fmt: skip


def _elementwise() -> Iterator[Case]:
    rows = {"m": 9, "n": 70}, {"m": 300, "n": 1000}
    x, two = {"x": "m n"}, {"x": "m n", "z": "m n"}
    for op in ("Exp", "Tanh", "Erf", "Sigmoid", "Gelu", "HardSwish", "Softplus", "Sin", "Round", "Relu", "Not"):
        yield Case(op, op, {"x": ("m n", truths)} if op == "Not" else x, *rows)
    yield Case("Log", "Log", {"x": ("m n", positive)}, *rows)
    yield Case("Sqrt", "Sqrt", {"x": ("m n", positive)}, *rows)
    for op in ("Add", "Mul", "Div", "Max", "Greater"):
        yield Case(op, op, two, *rows)
    yield Case("Add of a row", "Add", {"x": "m n", "z": "n"}, *rows)
    yield Case("Mul by a column", "Mul", {"x": "m n", "z": "m 1"}, *rows)
    yield Case("Add of all pairs", "Add", {"x": "m 1", "z": "1 n"}, *rows)
    yield Case("Pow", "Pow", {"x": ("m n", positive), "z": "m n"}, *rows)
    yield Case("Pow by a constant", "Pow", x, *rows, {"z": np.array(3, np.float32)})
    yield Case("Where", "Where", {"c": ("m n", truths), **two}, *rows)
    yield Case("Clip", "Clip", x, *rows, {"low": np.full((), -1, np.float32), "high": np.full((), 1, np.float32)})
    yield Case("Div of integers", "Div", {"x": ("m n", below(1000)), "z": ("m n", lambda r, s: r.integers(1, 9, s))},
               *rows)  # fmt: skip
    yield Case("Mod of integers", "Mod", {"x": ("m n", below(1000)), "z": ("m n", lambda r, s: r.integers(1, 9, s))},
               *rows)  # fmt: skip
    yield Case("Add of halves", "Add", {"x": ("m n", halves), "z": ("m n", halves)}, *rows)
    yield Case("Cast to integers", "Cast", x, *rows, attributes={"to": 7})
    yield Case("Cast to halves", "Cast", x, *rows, attributes={"to": 10})
    yield Case("Cast from halves", "Cast", {"x": ("m n", halves)}, *rows, attributes={"to": 1})
    yield Case("Cast from integers", "Cast", {"x": ("m n", below(99))}, *rows, attributes={"to": 1})
    yield Case("IsNaN", "IsNaN", x, *rows)


def _moves() -> Iterator[Case]:
    rows = {"m": 9, "n": 70}, {"m": 300, "n": 1000}
    x, two = {"x": "m n"}, {"x": "m n", "z": "m n"}
    heads = {"b": 1, "t": 9}, {"b": 4, "t": 130}
    yield Case("Transpose", "Transpose", x, *rows)
    yield Case("Transpose of heads", "Transpose", {"x": "b t 12 64"}, *heads, attributes={"perm": [0, 2, 1, 3]})
    yield Case("Transpose of images", "Transpose", {"x": "b t 16 64"}, *heads, attributes={"perm": [0, 3, 1, 2]})
    yield Case("Concat of rows", "Concat", two, *rows, attributes={"axis": 0})
    yield Case("Concat of columns", "Concat", two, *rows, attributes={"axis": 1})
    yield Case("Slice of columns", "Slice", x, *rows, {"a": _ints(3), "e": _ints(60), "d": _ints(1)})
    yield Case("Slice, every second", "Slice", x, *rows,
               {"a": _ints(0), "e": _ints(1 << 40), "d": _ints(1), "s": _ints(2)})  # fmt: skip
    yield Case("Slice backwards", "Slice", x, *rows,
               {"a": _ints(-1), "e": _ints(-(1 << 40)), "d": _ints(1), "s": _ints(-1)})  # fmt: skip
    yield Case("Split of columns", "Split", {"x": "m 768"}, {"m": 9}, {"m": 300},
               attributes={"axis": 1, "num_outputs": 3}, results=3)  # fmt: skip
    yield Case("Pad", "Pad", x, *rows, {"p": _ints(1, 2, 3, 4)})
    yield Case("Pad by reflection", "Pad", x, *rows, {"p": _ints(1, 2, 3, 4)}, {"mode": "reflect"})
    yield Case("Tile", "Tile", x, *rows, {"r": _ints(3, 2)})
    yield Case("Expand", "Expand", {"x": "m 1 n"}, {"m": 3, "n": 70}, {"m": 100, "n": 1000}, {"s": _ints(1, 4, 1)})
    yield Case("Trilu", "Trilu", x, *rows)
    yield Case("Reshape", "Reshape", {"x": "m n 12"}, *rows, {"s": _ints(0, -1)})


def _by_data() -> Iterator[Case]:
    rows = {"m": 9, "n": 70}, {"m": 300, "n": 1000}
    many = {"i": 9}, {"i": 3000}
    yield Case("Gather of rows", "Gather", {"i": ("i", below(5000))}, *many, {"x": _weights(5000, 128)},
               order=("x", "i"))  # fmt: skip
    yield Case("Gather of columns", "Gather", {"x": "m n", "i": ("5", below(70))}, *rows, attributes={"axis": 1})
    yield Case("GatherElements", "GatherElements", {"x": "m n", "i": ("m n", below(9))}, *rows)
    yield Case("GatherND", "GatherND", {"x": "40 50 16", "i": ("i 2", below(40))}, *many)
    yield Case("ScatterElements", "ScatterElements", {"x": "m n", "i": ("m n", below(9)), "u": "m n"}, *rows,
               attributes={"reduction": "add"})  # fmt: skip
    yield Case("ScatterND of rows", "ScatterND", {"x": "4000 64", "i": ("i 1", rows_of(4000)), "u": "i 64"}, *many)
    yield Case("OneHot", "OneHot", {"i": ("i", below(128))}, *many,
               {"d": np.array(128, np.int64), "v": np.array([0, 1], np.float32)})  # fmt: skip
    yield Case("NonZero", "NonZero", {"x": ("m n", truths)}, *rows)
    yield Case("Compress", "Compress", {"x": "i 64", "c": ("i", truths)}, *many, attributes={"axis": 0})
    yield Case("Unique", "Unique", {"x": ("i", below(500))}, *many, results=4)
    few, lots = {"i": 20}, {"i": 2000}
    limits = {"most": _ints(50), "iou": np.array([0.5], np.float32), "score": np.array([0.3], np.float32)}
    yield Case("NonMaxSuppression", "NonMaxSuppression", {"x": ("1 i 4", corners), "s": ("1 2 i", shares)}, few, lots,
               limits)  # fmt: skip
    yield Case("RoiAlign", "RoiAlign", {"x": "1 64 50 60", "r": ("i 4", corners), "b": ("i", below(1))}, {"i": 3},
               {"i": 100}, attributes={"output_height": 7, "output_width": 7, "sampling_ratio": 2},
               opset=16)  # fmt: skip
    yield Case("ReverseSequence", "ReverseSequence", {"x": "t b 64", "l": ("b", below(9))}, {"t": 9, "b": 4},
               {"t": 100, "b": 32})  # fmt: skip


def _recurrent() -> Iterator[Case]:
    steps = {"t": 3}, {"t": 60}
    for op, gates in (("LSTM", 4), ("GRU", 3), ("RNN", 1)):
        weights = {"w": _weights(1, gates * 128, 64), "r": _weights(1, gates * 128, 128), "b": _weights(1, gates * 256)}
        yield Case(op, op, {"x": "t 1 64"}, *steps, weights, {"hidden_size": 128})
