"""Models in 8-bit floats against onnxruntime: QDQ around products, casts, and tensors that come and go as such."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import anytile
from anytile.core.dtypes import FLOAT8
from anytile.importers.onnx.model import import_model
from anytile.schedules.nest.stored_floats import LAYOUTS, array_dtype, as_tensor
from tests.importers.onnx.microsoft.models import Feed, agrees, model, onnx

pytest.importorskip("ml_dtypes")
RNG = np.random.default_rng(31)
node = onnx.helper.make_node
K, N = 40, 24
ROWS = {"x": ("m", K)}


def small(dtype: str, *shape: int, spread: float = 30.0) -> Any:
    return as_tensor(RNG.standard_normal(shape).astype(np.float32) * np.float32(spread), dtype)


def nothing(dtype: str) -> Any:
    return as_tensor(np.zeros((), np.float32), dtype)


def rows(dtype: str = "float32") -> list[Feed]:
    return [{"x": RNG.standard_normal((m, K)).astype(dtype)} for m in (1, 9)]


def products(nodes: Any, given: Feed, dtypes: Any = None, inputs: Any = ROWS) -> set[str]:
    text = str(import_model(model(nodes, inputs, ["y"], given, dtypes, 23)))
    return set(re.findall(r"\b(\w*dense|\w*matmul|\w*conv2d)\(", text))


def quantised(given: Feed, *, to: str = "e") -> list[Any]:
    """x as 8-bit floats, and what they stand for."""
    zero = [n for n in ("xz",) if n in given]
    return [node("QuantizeLinear", ["x", "xs", *zero], ["q"]), node("DequantizeLinear", ["q", "xs", *zero], [to])]


@pytest.mark.parametrize("by", ["all", "column"])
@pytest.mark.parametrize("dtype", FLOAT8)
def test_a_product_of_both_reads_the_weight_as_it_lies(dtype: str, by: str) -> None:
    scale = np.float32(0.01) if by == "all" else RNG.random(N).astype(np.float32) + np.float32(0.1)
    given = {"w": small(dtype, K, N), "s": scale, "xs": np.float32(0.02), "xz": nothing(dtype)}
    nodes = [*quantised(given), node("DequantizeLinear", ["w", "s"], ["d"], axis=1)]
    nodes += [node("MatMul", ["e", "d"], ["h"]), node("Relu", ["h"], ["y"])]
    agrees(nodes, ROWS, ["y"], rows(), given, version=23)
    assert products(nodes, given) == {"quantised_dense"}
    proto = model(nodes, ROWS, ["y"], given, version=23)
    kernels = [line for line in anytile.compile(import_model(proto)).why().splitlines() if "elementwise" in line]
    (rounding,) = kernels  # one: no tensor of 8 bits is written between
    assert f"float32({dtype}(" in rounding


@pytest.mark.parametrize("turned", [0, 1])
def test_gemm_and_a_weight_alone(turned: int) -> None:
    given = {"w": small(FLOAT8[0], *((N, K) if turned else (K, N))), "s": RNG.random(N).astype(np.float32)}
    given["b"] = RNG.standard_normal(N).astype(np.float32)
    nodes = [node("DequantizeLinear", ["w", "s"], ["d"], axis=1 - turned)]
    nodes += [node("Gemm", ["x", "d", "b"], ["y"], alpha=0.5, transB=turned)]
    agrees(nodes, ROWS, ["y"], rows(), given, version=23)
    assert products(nodes, given) == {"quantised_dense"}


def test_scales_in_16_bits() -> None:
    given = {"w": small(FLOAT8[0], K, N), "s": (RNG.random(N) * 0.1).astype(np.float16), "xs": np.float16(0.02)}
    given["xz"] = nothing(FLOAT8[0])
    nodes = [*quantised(given), node("DequantizeLinear", ["w", "s"], ["d"], axis=1), node("MatMul", ["e", "d"], ["y"])]
    dtypes = {"x": "float16", "y": "float16"}
    agrees(nodes, ROWS, ["y"], rows("float16"), given, dtypes, bound=1e-2, version=23)
    assert products(nodes, given, dtypes) == {"quantised_dense"}


@pytest.mark.parametrize(
    ("axis", "block"), [(0, 0), (0, 8), (1, 0)], ids=["each index of what is added up", "blocks", "stored transposed"]
)
def test_other_scales_are_floats_of_the_constant(axis: int, block: int) -> None:
    """A scale for each index of what is added up belongs to no column."""
    shape = (K // block, N) if block else (K,) if axis == 0 else (N,)
    given = {"w": small(FLOAT8[1], K, N), "s": RNG.random(shape).astype(np.float32)}
    blocks = {"block_size": block} if block else {}
    nodes = [node("DequantizeLinear", ["w", "s"], ["d"], axis=axis, **blocks)]
    if axis:
        nodes += [node("Mul", ["d", "two"], ["g"]), node("MatMul", ["x", "g"], ["y"])]
        given["two"] = np.float32(2)
    else:
        nodes += [node("MatMul", ["x", "d"], ["y"])]
    agrees(nodes, ROWS, ["y"], rows(), given, version=23)
    assert products(nodes, given) == {"dense"}


def test_a_convolution() -> None:
    given = {"w": small(FLOAT8[0], 5, 4, 3, 3, spread=1.0), "s": RNG.random(5).astype(np.float32)}
    given |= {"xs": np.float32(0.02), "xz": nothing(FLOAT8[0])}
    nodes = [*quantised(given), node("DequantizeLinear", ["w", "s"], ["d"], axis=0)]
    nodes += [node("Conv", ["e", "d"], ["y"], pads=[1, 1, 1, 1])]
    feeds = [{"x": RNG.standard_normal((b, 4, 9, 8)).astype(np.float32)} for b in (1, 3)]
    agrees(nodes, {"x": ("b", 4, 9, 8)}, ["y"], feeds, given, version=23)


@pytest.mark.parametrize("saturate", [1, 0])
@pytest.mark.parametrize("dtype", FLOAT8)
def test_a_cast_of_what_is_beyond(dtype: str, saturate: int) -> None:
    """Its largest number or, unless it is to saturate, infinity, of e4m3 NaN; what lies so is moved so."""
    to = getattr(onnx.TensorProto, dtype.upper().replace("_", ""))
    there = node("Cast", ["x"], ["a"], to=to, saturate=saturate)
    back = node("Cast", ["a"], ["y"], to=onnx.TensorProto.FLOAT)
    most = np.float32(LAYOUTS[dtype].largest)
    near = np.array([most, most * 1.03, most * 1.2, np.inf, np.nan, 0.3, 1e-3, 3e38], np.float32)
    x = np.stack([near, -near])
    runtime = pytest.importorskip("onnxruntime")
    session = runtime.InferenceSession(model([there, back], {"x": ("m", 8)}, ["y"], version=19).SerializeToString())
    (wanted,) = session.run(["y"], {"x": x})
    nodes = [there, back, node("Transpose", ["a"], ["t"], perm=[1, 0]), node("Cast", ["t"], ["z"], to=1)]
    proto = model(nodes, {"x": ("m", 8)}, ["y", "a", "z"], None, {"a": dtype}, 19)
    y, narrow, z = anytile.Session(anytile.compile(import_model(proto)))(x)
    np.testing.assert_array_equal(y, wanted)
    np.testing.assert_array_equal(z, wanted.T)
    assert narrow.dtype == array_dtype(dtype)
    np.testing.assert_array_equal(narrow.astype(np.float32), wanted)


@pytest.mark.parametrize("dtype", FLOAT8)
def test_tensors_that_come_and_go_as_such(dtype: str) -> None:
    """Arrays of the dtype that ml_dtypes adds to numpy, and their bits are refused."""
    nodes = [
        node("Concat", ["x", "k"], ["c"], axis=0),
        node("Slice", ["c", "from", "to"], ["s"]),
        node("Transpose", ["s"], ["y"], perm=[1, 0]),
        node("DequantizeLinear", ["s", "scale"], ["d"]),
    ]
    given = {"k": small(dtype, 2, 3), "from": np.array([1]), "to": np.array([99]), "scale": np.float32(0.5)}
    proto = model(nodes, {"x": ("m", 3)}, ["y", "d"], given, {"x": dtype, "y": dtype}, 23)
    session = anytile.Session(anytile.compile(import_model(proto)))
    for m in (1, 5):
        x = small(dtype, m, 3)
        y, d = session(x)
        whole = np.concatenate([x.view(np.uint8), given["k"].view(np.uint8)])[1:]
        np.testing.assert_array_equal(y.view(np.uint8), whole.T)
        np.testing.assert_array_equal(d, whole.view(x.dtype).astype(np.float32) / 2)
        with pytest.raises(anytile.ArgumentError, match=f"expected .*{dtype}.* got uint8"):
            session(x.view(np.uint8))


@pytest.mark.parametrize("dtype", FLOAT8)
def test_a_file_keeps_a_weight_in_a_byte_each(dtype: str, tmp_path: Any) -> None:
    given = {"w": small(dtype, 512, 512), "s": np.float32(0.01)}
    nodes = [node("DequantizeLinear", ["w", "s"], ["d"]), node("MatMul", ["x", "d"], ["y"])]
    proto = model(nodes, {"x": ("m", 512)}, ["y"], given, version=23)
    exe = anytile.compile(import_model(proto))
    exe.save(tmp_path / "m.anytile")
    assert (tmp_path / "m.anytile").stat().st_size < 2 * 512 * 512
    x = RNG.standard_normal((3, 512)).astype(np.float32)
    again = anytile.Session(anytile.load(tmp_path / "m.anytile"))(x)
    np.testing.assert_array_equal(again, anytile.Session(exe)(x))
    np.testing.assert_allclose(again, x @ given["w"].astype(np.float32) * np.float32(0.01), rtol=1e-3, atol=1e-3)


def test_what_is_refused_names_the_dtype() -> None:
    nodes = [node("Cast", ["x"], ["y"], to=onnx.TensorProto.FLOAT8E4M3FNUZ)]
    with pytest.raises(anytile.UnsupportedError, match="float8e4m3fnuz"):
        import_model(model(nodes, {"x": ("m", 8)}, ["y"], None, None, 19))
