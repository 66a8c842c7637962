"""Quantised ONNX models: on kernels of 8 bits, whichever way they say it, and what ONNX's reference makes of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx")
from onnx import TensorProto as Proto
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import anytile
from anytile.compiler.pipeline import optimise
from anytile.importers.onnx.model import import_model
from anytile.vm.program.executable import KERNEL

RNG = np.random.default_rng(7)
node = helper.make_node
U8, I8 = np.uint8, np.int8


def codes(*shape: int, dtype: Any = I8) -> Any:
    ends = np.iinfo(dtype)
    return RNG.integers(ends.min, ends.max, shape, dtype, endpoint=True)


def scales(count: int) -> Any:
    return RNG.uniform(0.001, 0.01, count).astype(np.float32)


def model(nodes: Any, shape: tuple[Any, ...], weights: dict[str, Any], dtype: int = Proto.FLOAT) -> Any:
    graph = helper.make_graph(
        list(nodes),
        "g",
        [helper.make_tensor_value_info("x", dtype, shape)],
        [helper.make_empty_tensor_value_info("y")],
        [numpy_helper.from_array(np.asarray(w), name) for name, w in weights.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)])


def products(exe: anytile.Executable) -> list[str]:
    """The kernels that multiply."""
    found = [entry.workload for entry in exe.kernels if entry.kind == KERNEL]
    return sorted(w for w in found if "dense" in w or "conv2d" in w or "matmul" in w)


def check(proto: Any, *xs: Any, most_off: int = 0) -> list[str]:
    """What ONNX's reference makes of the inputs, integers but for as many steps as are said; the kernels it took."""
    exe = anytile.compile(import_model(proto), target="llvm -threads=1")
    session, reference = anytile.Session(exe), ReferenceEvaluator(proto)
    for x in xs:
        (wanted,) = reference.run(None, {"x": x})
        found = np.asarray(session(x))
        assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
        if wanted.dtype.kind == "f":
            np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)
        else:
            assert np.abs(found.astype(int) - wanted.astype(int)).max(initial=0) <= most_off
    return products(exe)


QUANTISED = [
    node("QuantizeLinear", ["x", "xs", "xz"], ["q"]),
    node("DequantizeLinear", ["q", "xs", "xz"], ["d"]),
]
X = {"xs": np.float32(0.02), "xz": U8(3)}


@pytest.mark.slow
@pytest.mark.parametrize("count", [0, 5])
@pytest.mark.parametrize("turned", [False, True])
def test_a_matmul_of_dequantised_factors(count: int, turned: bool) -> None:
    """With a scale for all or each column, the weight perhaps transposed behind it."""
    w = {"w": codes(19, 5), "ws": scales(5) if count else np.float32(0.01), "wz": np.zeros(5, I8) if count else I8(7)}
    w["w"] //= 2
    behind = [node("Transpose", ["e"], ["f"])] if turned else []
    if turned:
        w["w"] = w["w"].T.copy()
    axis = 0 if turned else 1
    nodes = [
        *(*QUANTISED, node("DequantizeLinear", ["w", "ws", "wz"], ["e"], axis=axis), *behind),
        node("MatMul", ["d", "f" if turned else "e"], ["y"]),
    ]
    xs = [RNG.standard_normal((n, 2, 19), np.float32) for n in (1, 3)]
    (kernel,) = check(model(nodes, ("n", 2, 19), {**X, **w}), *xs)
    assert kernel.startswith("quantised_dense(")
    assert "out=float32" in kernel


@pytest.mark.slow
def test_a_gemm_with_a_bias_and_rounding_is_one_kernel() -> None:
    nodes = [
        *(*QUANTISED, node("DequantizeLinear", ["w", "ws", "wz"], ["e"], axis=0)),
        node("DequantizeLinear", ["b", "bs"], ["f"], axis=0),
        *(node("Gemm", ["d", "e", "f"], ["g"], transB=1), node("Relu", ["g"], ["r"])),
        node("QuantizeLinear", ["r", "ys", "yz"], ["y"]),
    ]
    ws = scales(6)
    w = {"w": codes(6, 19), "ws": ws, "wz": np.zeros(6, I8), "b": RNG.integers(-999, 999, 6).astype(np.int32)}
    w |= {"bs": ws * np.float32(0.02), "ys": np.float32(0.01), "yz": U8(0)}
    proto = model(nodes, ("n", 19), {**X, **w})
    (kernel,) = check(proto, *(RNG.standard_normal((n, 19), np.float32) for n in (1, 8)), most_off=1)
    assert "out=uint8" in kernel
    assert "max(y" in kernel or "round(" in kernel


@pytest.mark.parametrize(("zero", "image"), [(0, (8, 7)), (9, (8, 7)), (9, (8,))])
def test_a_convolution_of_dequantised_factors(zero: int, image: tuple[int, ...]) -> None:
    count = len(image)
    nodes = [
        *(*QUANTISED, node("DequantizeLinear", ["w", "ws", "wz"], ["e"], axis=0)),
        node("Conv", ["d", "e", "b"], ["y"], pads=[1] * 2 * count, strides=[2] * count),
    ]
    bias = RNG.standard_normal(6).astype(np.float32)
    w = {"w": codes(6, 4, *[3] * count), "ws": scales(6), "wz": np.zeros(6, I8), "b": bias}
    proto = model(nodes, ("n", 4, *image), {**X, **w, "xz": U8(zero)})
    (kernel,) = check(proto, RNG.standard_normal((2, 4, *image), np.float32))
    assert kernel.startswith("quantised_conv2d(")


@pytest.mark.slow
@pytest.mark.parametrize("weight", [I8, U8])
def test_integers_of_ranges_at_run_time(weight: Any) -> None:
    """As dynamic quantisation writes it: integers, their product in int32, and scales behind a cast."""
    nodes = [
        node("DynamicQuantizeLinear", ["x"], ["q", "s", "z"]),
        node("MatMulInteger", ["q", "w", "z", "wz"], ["i"]),
        *(
            node("Cast", ["i"], ["f"], to=Proto.FLOAT),
            node("Mul", ["s", "ws"], ["by"]),
            node("Mul", ["f", "by"], ["y"]),
        ),
    ]
    w = {"w": codes(19, 5, dtype=weight), "wz": weight(99), "ws": np.float32(0.01)}
    kernels = check(model(nodes, ("n", 19), w), *(RNG.standard_normal((n, 19), np.float32) for n in (1, 3)))
    assert all(k.startswith("quantised_dense(") for k in kernels)


@pytest.mark.slow
def test_quantised_linear_operators() -> None:
    ends = {
        "xs": np.float32(0.02),
        "xz": U8(3),
        "ws": np.float32(0.01),
        "wz": I8(0),
        "ys": np.float32(0.5),
        "yz": U8(128),
    }
    names = ["x", "xs", "xz", "w", "ws", "wz", "ys", "yz"]
    product = model([node("QLinearMatMul", names, ["y"])], ("n", 19), {"w": codes(19, 5), **ends}, Proto.UINT8)
    (kernel,) = check(product, codes(3, 19, dtype=U8), most_off=1)
    assert "quantised_dense" in kernel
    assert "out=uint8" in kernel
    images = model(
        [node("QLinearConv", [*names, "b"], ["y"], pads=[1, 0, 1, 0])],
        ("n", 4, 5, 6),
        {"w": codes(5, 4, 3, 3), **ends, "b": RNG.integers(-99, 99, 5).astype(np.int32)},
        Proto.UINT8,
    )
    (kernel,) = check(images, codes(2, 4, 5, 6, dtype=U8), most_off=1)
    assert "out=uint8" in kernel


@pytest.mark.slow
def test_what_is_no_product_of_bytes_stays_one_of_floats() -> None:
    """Of 16 bits, or with a scale for each row of what is added up."""
    wide = [
        node("QuantizeLinear", ["x", "xs", "xz"], ["q"]),
        node("DequantizeLinear", ["q", "xs", "xz"], ["d"]),
        node("DequantizeLinear", ["w", "ws"], ["e"], axis=0),
        node("MatMul", ["d", "e"], ["y"]),
    ]
    given = {**X, "w": codes(19, 5), "ws": scales(19)}
    x = RNG.standard_normal((3, 19), np.float32)
    assert all(k.startswith("dense(") for k in check(model(wide, ("n", 19), given), x))


@pytest.mark.parametrize(("shape", "zero"), [((6, 4, 3), 3), ((6, 4, 3, 3), 3)])
def test_convolutions_that_integers_have_no_kernel_for_stay_floats(shape: tuple[int, ...], zero: int) -> None:
    """Of a weight that no int8 holds."""
    nodes = [*QUANTISED, node("DequantizeLinear", ["w", "ws", "wz"], ["e"]), node("Conv", ["d", "e"], ["y"])]
    w = {"w": codes(*shape, dtype=U8), "ws": np.float32(0.01), "wz": U8(zero)}
    image = ("n", 4, *[7] * (len(shape) - 2))
    kernels = check(model(nodes, image, {**X, **w}), RNG.standard_normal((2, *image[1:]), np.float32))
    assert not any("quantised" in kernel for kernel in kernels)
    assert any("conv2d" in kernel for kernel in kernels)


def test_on_a_gpu_they_are_products_of_floats() -> None:
    """Which has kernels of no int32."""
    w = {"w": codes(19, 5), "ws": np.float32(0.01), "wz": I8(7)}
    nodes = [*QUANTISED, node("DequantizeLinear", ["w", "ws", "wz"], ["e"]), node("MatMul", ["d", "e"], ["y"])]
    text = str(optimise(import_model(model(nodes, ("n", 19), {**X, **w})), device=1, upto="widen_integers"))
    assert "float32" in text[text.index("dense(") - 60 :]
    assert "quantised" not in text
