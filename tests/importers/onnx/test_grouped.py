"""Weights of DequantizeLinear by blocks against onnxruntime: they stay narrow, or are the floats that they mean."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from anytile.core.errors import UnsupportedError
from anytile.importers.core.graph import Dequantised
from anytile.importers.onnx.model import import_model
from tests.importers.onnx.microsoft.models import Feed, agrees, contrib, model, onnx, same

ml_dtypes = pytest.importorskip("ml_dtypes")
RNG = np.random.default_rng(29)
node = onnx.helper.make_node
ENDS = {"int4": (-8, 7), "uint4": (0, 15), "int8": (-128, 127), "uint8": (0, 255), "int16": (-999, 999)}
NARROW = {"grouped_dense"}
COLUMNS = 24


def codes(dtype: str, *shape: int) -> Any:
    low, high = ENDS[dtype]
    return RNG.integers(low, high, shape, endpoint=True).astype(getattr(ml_dtypes, dtype, dtype))


def weights(dtype: str, shape: tuple[int, ...], axis: int, block: int, has_zero: bool, floats: str = "float32") -> Any:
    """A constant, its scales and zero points: of blocks along the axis, or of each index along it."""
    own = tuple(-(-n // block) if i == axis else n for i, n in enumerate(shape)) if block else (shape[axis],)
    made = {"w": codes(dtype, *shape), "s": (RNG.random(own) + 0.1).astype(floats)}
    return made | ({"z": codes(dtype, *own)} if has_zero else {})


def dequantised(given: Feed, axis: int, block: int, **attributes: Any) -> Any:
    blocks = {"block_size": block} if block else {}
    return node("DequantizeLinear", [n for n in "wsz" if n in given], ["d"], axis=axis, **blocks, **attributes)


def products(nodes: Any, inputs: Any, given: Feed, dtypes: Any = None) -> set[str]:
    """The operators that multiply matrices."""
    return operators(model(nodes, inputs, ["y"], given, dtypes, 23))


def operators(proto: Any) -> set[str]:
    text = str(import_model(proto))
    return set(re.findall(r"\b(\w*dense|\w*matmul)\(", text))


def rows(k: int, dtype: str = "float32") -> list[Feed]:
    return [{"x": RNG.standard_normal((1, m, k)).astype(dtype)} for m in (1, 9)]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("dtype", "k", "block", "has_zero"),
    [
        ("uint4", 96, 32, True),
        ("int4", 100, 64, True),
        ("int4", 72, 16, False),
        ("uint4", 96, 96, False),
        ("uint4", 600, 512, True),
        ("int8", 100, 32, True),
        ("uint8", 96, 32, False),
    ],
)
def test_products_by_blocks(dtype: str, k: int, block: int, has_zero: bool) -> None:
    given = weights(dtype, (k, COLUMNS), 0, block, has_zero)
    nodes = [dequantised(given, 0, block), node("MatMul", ["x", "d"], ["y"])]
    agrees(nodes, {"x": ("b", "m", k)}, ["y"], rows(k), given, bound=2e-5, version=23, compiled=False)
    assert products(nodes, {"x": ("b", "m", k)}, given) == NARROW


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("dtype", "has_zero"), [("int4", False), ("uint4", True)])
@pytest.mark.parametrize("size", [40, 300])
def test_products_by_columns(dtype: str, has_zero: bool, size: int) -> None:
    given = weights(dtype, (size, COLUMNS), 1, 0, has_zero)
    nodes = [dequantised(given, 1, 0), node("MatMul", ["x", "d"], ["y"])]
    agrees(nodes, {"x": ("b", "m", size)}, ["y"], rows(size), given, bound=2e-5, version=23, compiled=False)
    assert products(nodes, {"x": ("b", "m", size)}, given) == NARROW


@pytest.mark.parametrize("turned", [False, True])
def test_a_gemm_with_all_that_it_has(turned: bool) -> None:
    shape, axis = ((COLUMNS, 96), 1) if turned else ((96, COLUMNS), 0)
    given = weights("int4", shape, axis, 32, True) | {"c": RNG.standard_normal(COLUMNS).astype(np.float32)}
    gemm = node("Gemm", ["x", "d", "c"], ["y"], alpha=0.5, beta=2.0, transA=1, transB=int(turned))
    feeds = [{"x": RNG.standard_normal((96, m)).astype(np.float32)} for m in (1, 9)]
    nodes = [dequantised(given, axis, 32), gemm]
    agrees(nodes, {"x": (96, "m")}, ["y"], feeds, given, bound=2e-5, version=23, compiled=False)
    assert products(nodes, {"x": (96, "m")}, given) == NARROW


def test_a_transpose_and_casts_between() -> None:
    """A weight of rows in float16, whose product is one of float32."""
    given = weights("uint4", (COLUMNS, 96), 1, 32, True, "float16")
    nodes = [
        dequantised(given, 1, 32),
        node("Transpose", ["d"], ["t"], perm=[1, 0]),
        node("Cast", ["t"], ["f"], to=onnx.TensorProto.FLOAT),
        node("MatMul", ["x", "f"], ["y"]),
    ]
    agrees(nodes, {"x": (1, "m", 96)}, ["y"], rows(96), given, bound=2e-3, version=23, compiled=False)
    assert products(nodes, {"x": (1, "m", 96)}, given) == NARROW


@pytest.mark.parametrize(
    ("dtype", "shape", "axis", "block"),
    [("uint4", (COLUMNS * 3, 32), 0, 0), ("int8", (COLUMNS, 3, 32), 2, 32), ("int4", (3, 32, COLUMNS), 1, 32)],
)
def test_blocks_that_are_rows_of_another_shape(dtype: str, shape: tuple[int, ...], axis: int, block: int) -> None:
    """As tools write them that know no block_size, and a third that has them behind each other."""
    given = weights(dtype, shape, axis, block, True)
    by_columns = axis == 1
    given["to"] = np.asarray([96, -1] if by_columns else [-1, 96])
    nodes = [
        *(dequantised(given, axis, block), node("Reshape", ["d", "to"], ["r"])),
        node("Gemm", ["x", "r"], ["y"], transB=int(not by_columns)),
    ]
    feeds = [{"x": RNG.standard_normal((m, 96)).astype(np.float32)} for m in (1, 9)]
    agrees(nodes, {"x": ("m", 96)}, ["y"], feeds, given, bound=2e-5, version=23, compiled=False)
    assert products(nodes, {"x": ("m", 96)}, given) == NARROW


def test_reshapes_that_tear_blocks_apart_are_of_floats() -> None:
    given = weights("uint4", (96, 32), 0, 0, True) | {"to": np.asarray([192, 16])}
    nodes = [
        *(dequantised(given, 0, 0), node("Reshape", ["d", "to"], ["r"])),
        node("MatMul", ["x", "r"], ["y"]),
    ]
    feeds = [{"x": RNG.standard_normal((3, 192)).astype(np.float32)}]
    agrees(nodes, {"x": ("m", 192)}, ["y"], feeds, given, bound=2e-5, version=23, compiled=False)
    assert products(nodes, {"x": ("m", 192)}, given) == {"dense"}


def test_a_product_in_float16_and_one_of_a_vector() -> None:
    given = weights("int4", (64, COLUMNS), 0, 32, False, "float16")
    nodes = [dequantised(given, 0, 32), node("MatMul", ["x", "d"], ["y"])]
    halves = {"x": "float16", "y": "float16"}
    feed = {"x": RNG.standard_normal(64).astype(np.float16)}
    agrees(nodes, {"x": (64,)}, ["y"], [feed], given, halves, bound=2e-3, version=23)
    assert products(nodes, {"x": (64,)}, given, halves) == NARROW


def test_nobody_makes_floats_of_a_weight(monkeypatch: pytest.MonkeyPatch) -> None:
    def made(_: Dequantised) -> None:
        raise AssertionError("floats were made")

    given = weights("uint4", (64, 64), 1, 32, True, "float16")
    nodes = [
        dequantised(given, 1, 32),
        node("Gather", ["d", "x"], ["h"]),
        *(node("Cast", ["d"], ["f"], to=onnx.TensorProto.FLOAT), node("Cast", ["h"], ["g"], to=onnx.TensorProto.FLOAT)),
        node("Gemm", ["g", "f"], ["i"], alpha=2.0, transB=1),
        *(node("Transpose", ["f"], ["t"]), node("MatMul", ["i", "t"], ["j"])),
        contrib("FusedMatMul", ["j", "f"], ["y"], transB=1),
    ]
    proto = model(nodes, {"x": ("m",)}, ["y"], given, {"x": "int64"}, 23)
    monkeypatch.setattr(Dequantised, "_floats", property(made))
    assert operators(proto) == NARROW


@pytest.mark.parametrize(
    ("dtype", "shape", "axis", "block"),
    [
        ("int4", (5, 7), 0, 3),
        ("uint4", (5, 7), 1, 4),
        ("int4", (3, 5, 7), -2, 2),
        ("uint8", (3, 5, 7), 0, 2),
        ("int16", (5, 7), 1, 3),
        ("int4", (7,), 0, 3),
        ("uint4", (5, 7), 0, 0),
    ],
)
def test_what_is_no_weight_is_the_floats_that_it_means(
    dtype: str, shape: tuple[int, ...], axis: int, block: int
) -> None:
    given = weights(dtype, shape, axis % len(shape), block, True)
    nodes = [dequantised(given, axis, block), node("Add", ["x", "d"], ["y"])]
    feed = {"x": RNG.standard_normal(shape).astype(np.float32)}
    agrees(nodes, {"x": ("a", *shape[1:])}, ["y"], [feed], given, bound=1e-6, version=23, compiled=False)


@pytest.mark.parametrize("most", [2**29, 100])
def test_branches_read_what_was_dequantised_before_them(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """Made ahead of time, and as the model runs where it is too large for that."""
    monkeypatch.setattr("anytile.importers.core.graph.MOST_EACH", most)
    given = weights("int4", (40, 24), 0, 16, True)
    make, info = onnx.helper.make_graph, onnx.helper.make_tensor_value_info
    then, otherwise = (
        make([node(op, ["x", "d"], [name])], name, [], [info(name, onnx.TensorProto.FLOAT, None)])
        for op, name in (("Add", "a"), ("Sub", "b"))
    )
    nodes = [
        *(dequantised(given, 0, 16), node("ReduceSum", ["x"], ["total"], keepdims=0)),
        node("Cast", ["total"], ["k"], to=onnx.TensorProto.BOOL),
        node("If", ["k"], ["i"], then_branch=then, else_branch=otherwise),
        node("Mul", ["i", "d"], ["y"]),
    ]
    x = RNG.standard_normal((40, 24)).astype(np.float32)
    feeds, floats = [{"x": x}, {"x": 0 * x}], {"x": "float32", "y": "float32"}
    agrees(nodes, {"x": (40, 24)}, ["y"], feeds, given, floats, bound=1e-6, version=23, compiled=False)
    text = str(import_model(model(nodes, {"x": (40, 24)}, ["y"], given, floats, version=23)))
    assert ("const $w: Tensor[(40, 24), int8]" in text) == (most == 100)


@pytest.mark.parametrize(("axis", "block"), [(1, 8), (0, 8), (0, 0)])
def test_products_whose_scales_no_group_has_are_of_floats(axis: int, block: int) -> None:
    given = weights("int4", (40, COLUMNS), axis, block, True)
    nodes = [dequantised(given, axis, block), node("MatMul", ["x", "d"], ["y"])]
    agrees(nodes, {"x": ("b", "m", 40)}, ["y"], rows(40), given, bound=2e-5, version=23, compiled=False)
    assert products(nodes, {"x": ("b", "m", 40)}, given) == {"dense"}


def test_a_product_with_bytes_by_columns_is_one_of_bytes() -> None:
    """What was in 4 bits beside what DequantizeLinear made of 8."""
    given = weights("int4", (40, COLUMNS), 1, 0, False) | {"xs": np.float32(0.02), "xz": np.uint8(128)}
    nodes = [
        node("QuantizeLinear", ["x", "xs", "xz"], ["q"]),
        node("DequantizeLinear", ["q", "xs", "xz"], ["e"]),
        *(dequantised(given, 1, 0), node("MatMul", ["e", "d"], ["y"])),
    ]
    agrees(nodes, {"x": ("b", "m", 40)}, ["y"], rows(40), given, version=23)
    assert "(24, 40), int32" in str(import_model(model(nodes, {"x": ("m", 40)}, ["y"], given, version=23)))


@pytest.mark.parametrize(
    ("shape", "said"), [((2, COLUMNS), "expected \\[3, 24\\]"), ((3, 1), "expected"), ((3,), "expected \\[96\\]")]
)
def test_scales_that_are_for_no_blocks(shape: tuple[int, ...], said: str) -> None:
    given = {"w": codes("int4", 96, COLUMNS), "s": np.ones(shape, np.float32)}
    nodes = [dequantised(given, 0, 32), node("MatMul", ["x", "d"], ["y"])]
    with pytest.raises(UnsupportedError, match=said):
        import_model(model(nodes, {"x": ("m", 96)}, ["y"], given, version=23))


def test_constants_of_narrow_floats_are_refused_where_they_stand() -> None:
    given = {"w": np.ones((96, COLUMNS), ml_dtypes.float4_e2m1fn), "s": np.ones((3, COLUMNS), np.float32)}
    nodes = [dequantised(given, 0, 32), node("MatMul", ["x", "d"], ["y"])]
    with pytest.raises(UnsupportedError, match="DequantizeLinear .*: quantised numbers of float4_e2m1fn; supported"):
        import_model(model(nodes, {"x": ("m", 96)}, ["y"], given, version=23))


# -- rows that are looked up -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dtype", "axis", "block", "has_zero"),
    [
        ("int4", 1, 16, True),
        ("uint4", 1, 32, False),
        ("int8", 1, 64, True),
        ("uint4", 0, 0, True),
        ("uint8", 0, 0, False),
    ],
)
def test_rows(dtype: str, axis: int, block: int, has_zero: bool) -> None:
    given = weights(dtype, (30, 40), axis, block, has_zero)
    nodes = [dequantised(given, axis, block), node("Gather", ["d", "x"], ["y"])]
    feeds = [{"x": RNG.integers(-30, 30, shape)} for shape in ((1, 1), (2, 5))]
    whole = {"x": "int64"}
    agrees(nodes, {"x": ("b", "m")}, ["y"], feeds, given, whole, bound=1e-6, version=23, compiled=False)
    text = str(import_model(model(nodes, {"x": ("b", "m")}, ["y"], given, whole, 23)))
    assert "(30, 40), float32" not in text


QUANTISER = """
import sys, onnx
from onnxruntime.quantization import matmul_nbits_quantizer as q
settings = q.DefaultWeightOnlyQuantConfig(block_size=32, is_symmetric=False, quant_format=q.QuantFormat.QDQ)
made = q.MatMulNBitsQuantizer(onnx.load(sys.argv[1]), algo_config=settings)
made.process()
onnx.save(made.model.model, sys.argv[1])
"""


@pytest.mark.slow
def test_a_file_of_onnxruntimes_quantiser(tmp_path: Path) -> None:
    """Two layers in 4 bits. The quantiser's modules have common names, so it is a process of its own."""
    pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx_ir")
    floats = {n: RNG.standard_normal(shape).astype(np.float32) for n, shape in (("a", (96, 64)), ("b", (64, 24)))}
    layers = [
        *(node("MatMul", ["x", "a"], ["h"], "one"), node("Relu", ["h"], ["r"])),
        node("MatMul", ["r", "b"], ["y"], "two"),
    ]
    file = tmp_path / "model.onnx"
    onnx.save(model(layers, {"x": ("n", 96)}, ["y"], floats, version=21), file)
    subprocess.run([sys.executable, "-I", "-c", QUANTISER, file], check=True, capture_output=True)
    proto = onnx.load(file)
    assert [n.op_type for n in proto.graph.node].count("DequantizeLinear") == len(floats)
    same(proto, [{"x": RNG.standard_normal((m, 96)).astype(np.float32)} for m in (1, 9)], 2e-5)
    assert operators(proto) == NARROW


def test_rows_and_products_of_one_table() -> None:
    """Compiled, as a decoder has them whose last layer is its first."""
    given = weights("int4", (30, 64), 1, 32, True)
    nodes = [
        dequantised(given, 1, 32),
        node("Gather", ["d", "x"], ["h"]),
        node("Transpose", ["d"], ["t"], perm=[1, 0]),
        node("MatMul", ["h", "t"], ["y"]),
    ]
    feeds = [{"x": RNG.integers(0, 30, shape)} for shape in ((1, 1), (2, 5))]
    agrees(nodes, {"x": ("b", "m")}, ["y"], feeds, given, {"x": "int64"}, bound=2e-5, version=23)
    assert products(nodes, {"x": ("b", "m")}, given, {"x": "int64"}) == NARROW


@pytest.mark.parametrize(("axis", "at"), [(1, 1), (0, 1), (1, 0)])
def test_other_parts_of_a_table_are_of_floats(axis: int, at: int) -> None:
    """Columns, and rows whose scales are for columns or for blocks of them."""
    given = weights("uint4", (30, 40), axis, 16 if at else 0, True)
    nodes = [dequantised(given, axis, 16 if at else 0), node("Gather", ["d", "x"], ["y"], axis=at)]
    feed = {"x": RNG.integers(0, 30, (2, 3))}
    agrees(nodes, {"x": ("b", "m")}, ["y"], [feed], given, {"x": "int64"}, bound=1e-6, version=23, compiled=False)
