"""Dense layers of the same rows as one kernel on a GPU: what is merged, what must not be, and that it is the same."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from anytile.compiler.evaluate import evaluate
from anytile.compiler.kernels.kernel_of import kernel_of
from anytile.compiler.lowering.host_functions import host_functions
from anytile.compiler.module import Module
from anytile.compiler.passes.verify import verify
from anytile.compiler.pipeline import passes
from anytile.schedules.nest.stored_floats import array_dtype
from anytile.vm.executable import Executable
from anytile.vm.session import Session
from anytile.vm.values.stream_device import StreamDevice
from tests.support.cases.compiled_modules import random
from tests.support.cases.gpu_models import compiled_for_gpu
from tests.support.cuda_cpu.compiler import missing
from tests.support.references.explicit_memory import Run
from tests.support.stand_ins.queued_gpu import QueuedGpu

GPU = 1
X = "x: Tensor[(?t, 24), float32]"
CONSTANTS = {
    **{f"w{i}": random(i, 32, 24) for i in range(4)},
    **{f"b{i}": random(10 + i, 32) for i in range(4)},
    "wide": random(20, 64, 24),
    "odd": random(21, 20, 24),
    "odder": random(22, 20, 24),
    "back": random(23, 24, 32),
}
THREE = "(add(dense(x, $w0), $b0), add(dense(x, $w1), $b1), add(dense(x, $w2), $b2))"


def module_of(body: str, params: str = X) -> Module:
    used = {name: array for name, array in CONSTANTS.items() if f"${name}" in body}
    declared = "".join(
        f"const ${n}: Tensor[{a.shape if a.ndim > 1 else f'({len(a)})'}, float32];" for n, a in used.items()
    )
    return Module.parse(f"{declared} def main({params}) {{ {body} }}", used)


def stages(module: Module) -> tuple[Module, Module, Module]:
    """Before layers are stacked, after that, and with memory planned."""
    found = []
    for name, run in passes(GPU):
        if name == "stack_products":
            found = [module, run(module)]
        module = run(module)
    return found[0], found[1], module


def workloads(module: Module) -> list[str]:
    kernels = [kernel_of(f) for f in module.functions.values() if f.is_primitive]
    return sorted(str(k.workload) for k in kernels if k is not None)


def same(found: object, wanted: object, tolerance: float = 1e-4) -> None:
    a, b = (x if isinstance(x, tuple) else (x,) for x in (found, wanted))
    assert len(a) == len(b)
    for one, other in zip(a, b, strict=True):
        assert one.shape == other.shape
        np.testing.assert_allclose(np.asarray(one, np.float64), other, rtol=tolerance, atol=tolerance)


def stacked(body: str, params: str = X, shape: Sequence[int] = (24,)) -> list[str]:
    """The workloads after stacking; what they compute, in memory too, is checked at some sizes."""
    before, after, planned = stages(module_of(body, params))
    verify(after)
    verify(planned)
    assert "op_slice" not in str(planned)  # parts are not copied
    for t in (0, 1, 5, 17):
        args = [random(30 + i, t, *(shape if i == 0 else (32,))) for i in range(params.count(":"))]
        wanted = evaluate(before, args)
        same(evaluate(after, args), wanted)
        same(Run(planned).main(*args), wanted)
    return workloads(after)


def test_three_layers_are_one_kernel() -> None:
    assert stacked(THREE) == ["batch_matmul(b=3, m=?m, n=32, k=24, lhs=mk, rhs=bnk, dtype=float32, tail=y + b0[b, n])"]


@pytest.mark.parametrize(
    ("body", "params", "tail"),
    [
        ("(gelu(add(dense(x, $w0), $b0)), gelu(add(dense(x, $w1), $b1)))", X, "gelu(y + b0[b, n])"),
        ("(add(dense(x, $w0), $b0), add(dense(x, $w1), $b0))", X, "y + b0[n]"),  # what is the same stays one
        (
            "(add(add(dense(x, $w0), $b0), r), add(add(dense(x, $w1), $b1), r))",
            f"{X}, r: Tensor[(?t, 32), float32]",
            "y + b0[b, n] + b1[m, n]",
        ),
        ("(multiply(tanh($b0), dense(x, $w0)), multiply(tanh($b1), dense(x, $w1)))", X, "b0[b, n] * y"),
    ],
)
def test_tails_go_with_their_layers(body: str, params: str, tail: str) -> None:
    (found,) = [w for w in stacked(body, params) if w.startswith("batch_matmul")]
    assert found.endswith(f"tail={tail})")


def test_rows_may_have_any_number_of_dimensions() -> None:
    (found,) = stacked(THREE, "x: Tensor[(?t, 3, 24), float32]", (3, 24))
    assert found.startswith("batch_matmul(b=3, m=?m, n=32")
    _, after, _ = stages(module_of("(dense(y, $w0), dense(y, $w1))", "y: Tensor[(?, ?, 24), float32]"))
    assert workloads(after) == ["batch_matmul(b=2, m=?m, n=32, k=24, lhs=mk, rhs=bnk, dtype=float32)"]


@pytest.mark.parametrize(
    "body",
    [
        "(dense(x, $w0), dense(x, $wide))",  # another width
        "(dense(x, $w0), dense(tanh(x), $w1))",  # other rows
        "(dense(x, $w0), gelu(dense(x, $w1)))",  # another tail
        "(dense(x, $odd), dense(x, $odder))",  # the second would begin where nothing is aligned
        "let a = dense(x, $w0); dense(dense(tanh(a), $back), $w1)",  # one after the other
        "add(dense(x, $w0), dense(x, $w1))",  # the second ends in what the first makes
        "let a = dense(x, $w0); (a, if (less(sum(x), 0.0)) { dense(x, $w1) } else { a })",  # made where it is asked
    ],
)
def test_what_is_not_one(body: str) -> None:
    before, after, _ = stages(module_of(body))
    assert str(after) == str(before)


def test_no_more_than_eight_are_one() -> None:
    many = ", ".join(f"dense(x, $w{i % 4})" if i < 4 else f"dense(x, $v{i})" for i in range(10))
    weights = {f"v{i}": random(40 + i, 32, 24) for i in range(4, 10)} | {f"w{i}": CONSTANTS[f"w{i}"] for i in range(4)}
    declared = "".join(f"const ${n}: Tensor[(32, 24), float32];" for n in weights)
    _, after, _ = stages(Module.parse(f"{declared} def main({X}) {{ ({many}) }}", weights))
    assert [w.partition(",")[0] for w in workloads(after)] == ["batch_matmul(b=2", "batch_matmul(b=8"]


def test_parts_lie_in_the_storage_of_the_whole() -> None:
    """One piece of memory for all that is made on the way, nothing that cuts, and parts in branches."""
    body = "let a = add(dense(x, $w0), $b0); let c = add(dense(x, $w1), $b1); "
    _, _, planned = stages(module_of(body + "dense(tanh(softmax(a)), softmax(c))"))
    text = str(planned)
    assert text.count("memory.part(products, arena") == 2
    assert "vm.invoke_packed" not in text
    assert stacked(body + "if (less(sum(x), 0.0)) { softmax(a) } else { softmax(c) }")
    assert stacked(body + "let d = if (less(sum(x), 0.0)) { a } else { c }; (softmax(d), add(d, a))")


# -- on a simulated GPU ------------------------------------------------------------------------------------------------

on_gpu = pytest.mark.skipif(bool(missing()), reason=missing() or "-")
ATTENDED = """
let h = tanh(add(dense(x, $w3), $b3));
let y = dense(h, $back);
let q = multiply(add(dense(y, $w0), $b0), 0.02);
let k = multiply(add(dense(y, $w1), $b1), 0.02);
let v = multiply(add(dense(y, $w2), $b2), 0.02);
add(softmax(q), add(softmax(k), softmax(v)))
"""


def kernels(exe: Executable) -> list[str]:
    return [k.workload for k in exe.kernels if k.device]


@on_gpu
@pytest.mark.slow
@pytest.mark.parametrize("body", [THREE, ATTENDED])
@pytest.mark.parametrize("precision", ["float32", "bfloat16", "float16"])
def test_a_gpu_makes_what_the_evaluator_says(precision: str, body: str) -> None:
    module = module_of(body)
    exe = compiled_for_gpu(module, precision)
    (found,) = [w for w in kernels(exe) if w.startswith("batch_matmul")]
    assert f"b=3, m=?m, n=32, k=24, lhs=mk, rhs=bnk, dtype={precision}" in found
    session = Session(exe, functions=host_functions(), devices={"cuda": StreamDevice(QueuedGpu(0.1))})
    for t in (1, 17, 0, 17, 17, 5, 17):  # interpreted, recorded and replayed
        x = random(50 + t, t, 24)
        same(session(x), evaluate(module, [x]), 1e-4 if precision == "float32" else 0.05)


@pytest.mark.parametrize(("count", "rounds"), [(2, False), (3, True)])
def test_rows_in_float32_are_rounded_once_for_three(count: int, rounds: bool) -> None:
    parts = THREE.strip("()").split("), add(")[:count]
    body = "(" + ", ".join("add(" + p.removeprefix("add(").rstrip(")") + ")" for p in parts) + ")"
    found = kernels(compiled_for_gpu(module_of(body), "bfloat16"))
    assert len(found) == 1 + rounds
    assert any(w.startswith("batch_matmul(b=3") for w in found) == rounds
    assert any(w.startswith("elementwise(") and "stored=y:bfloat16" in w for w in found) == rounds


def test_a_constant_weight_is_stacked_once_for_all_blocks() -> None:
    body = f"if (less(sum(x), 0.0)) {{ {THREE} }} else {{ {THREE} }}"
    _, after, _ = stages(module_of(body))
    assert len([w for w in workloads(after) if w.startswith("batch_matmul")]) == 1


@pytest.mark.slow
@pytest.mark.skipif(bool(missing()), reason=missing() or "-")
@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_weights_in_16_bits_are_stacked_beside_rows_that_stay_exact(dtype: str) -> None:
    """Of a model in 16 bits, whose layers multiply rows as they are: no rounding of theirs, and one kernel."""
    weights = {f"w{i}": random(i, 256, 72).astype(array_dtype(dtype)) for i in range(3)}
    declared = "".join(f"const ${name}: Tensor[(256, 72), {dtype}];" for name in weights)
    body = "let y = exp(x); (dense(y, $w0), dense(y, $w1), dense(y, $w2))"
    module = Module.parse(f"{declared} def main(x: Tensor[(?t, 72), {dtype}]) {{ {body} }}", weights)
    exe = compiled_for_gpu(module)
    found = [w for w in kernels(exe) if "k=72" in w]
    assert found == [f"batch_matmul(b=3, m=?m, n=256, k=72, lhs=mk, rhs=bnk, dtype=float32, stored=rhs:{dtype})"]
    session = Session(exe, functions=host_functions(), devices={"cuda": StreamDevice(QueuedGpu(0.3))})
    for t in (0, 1, 17):
        x = random(9, t, 72).astype(array_dtype(dtype))
        wanted = [np.exp(np.float64(x)) @ np.float64(w).T for w in weights.values()]
        for got, one in zip(session(x), wanted, strict=True):
            rtol = 2.0**-8 if dtype == "bfloat16" else 2.0**-11
            np.testing.assert_allclose(np.float64(got), one, rtol=rtol, atol=1e-3)
