"""Activations in 16 bits: what of a model's tensors lies so, what stays float32, and what its kernels then are."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from anytile.compiler.compile import lock
from anytile.compiler.evaluate import evaluate
from anytile.compiler.lowering.kernel_table import Planned
from anytile.compiler.module import Module
from anytile.compiler.passes.narrow.narrow_layers import Narrowing, narrow_layers
from anytile.compiler.passes.narrow.narrow_products import MULTIPLIED
from anytile.compiler.passes.narrow.round_products import round_products
from anytile.compiler.passes.narrow.store_activations import Serves, store_activations
from anytile.compiler.passes.verify import verify
from anytile.compiler.pipeline import NARROW_LAYERS, compiled, optimise
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.registry import is_served
from anytile.schedules.workloads.workload import Workload
from anytile.vm.executable import Executable
from anytile.vm.program.executable import KERNEL
from anytile.vm.program.isa import AllocTensor, AllocTensorReg
from tests.support.cases.compiled_modules import TARGET, Compiled
from tests.support.cases.narrow_modules import after, module

GPU, HOST = Target.parse("cuda -arch=sm_90a"), Target.parse("llvm -mcpu=nehalem -threads=1")
X = "x: Tensor[(?t, 50), float32]"
GAMMA = np.linspace(0.5, 1.5, 50, dtype=np.float32)
WIDE = np.ones((50, 50), np.float32)


served = partial(is_served, target=GPU)


def on_gpu(body: str, params: str = X, serves: Serves = served, dtype: str = "bfloat16") -> Executable:
    return stored(module(body, params, gamma=GAMMA, wide=WIDE), serves, dtype)


def stored(given: Module, serves: Serves = served, dtype: str = "bfloat16") -> Executable:
    narrow = partial(narrow_layers, spec=Narrowing(dtype))
    store = partial(store_activations, dtype=dtype, serves=serves)
    return compiled(
        given,
        HOST,
        lambda workload: Planned("", ""),
        ("host", "cuda"),
        lambda name, made: verify(made, anf=name not in ("infer", "inline")),
        narrow,
        lambda workload: Planned("", ""),
        store,
    )


def workloads(exe: Executable) -> list[str]:
    return [entry.workload for entry in exe.kernels if entry.kind == KERNEL]


def test_what_kernels_leave_for_each_other_lies_in_16_bits() -> None:
    """The model's own input and result stay float32, and so do numbers that stand in tails."""
    exe = on_gpu("softmax(rms_norm(dense(gelu(add(dense(x, $w), $b)), $u), $gamma))")
    assert workloads(exe) == [
        "quantised_dense(m=?m, n=37, k=50, x=float32, w=bfloat16, out=float32, products=rounded, dtype=float32, "
        "stored=y:bfloat16, tail=gelu(y + b0[n]))",
        "dense(m=?m, n=50, k=37, dtype=bfloat16)",
        "rms_norm(rows=?rows, n=50, dtype=float32, stored=x:bfloat16+y:bfloat16)",
        "softmax(outer=?outer, n=50, inner=1, dtype=float32, stored=x:bfloat16)",
    ]
    (main,) = exe.functions
    made = [i.dtype for i in main.code if isinstance(i, AllocTensor | AllocTensorReg) and i.dtype != "int64"]
    assert sorted(made) == ["bfloat16", "bfloat16", "bfloat16", "float32"]


def test_float16_lies_as_itself() -> None:
    exe = on_gpu("softmax(relu(dense(x, $wide)))", dtype="float16")
    assert workloads(exe)[1] == "softmax(outer=?outer, n=50, inner=1, dtype=float32, stored=x:float16)"
    (main,) = exe.functions
    assert "float16" in {i.dtype for i in main.code if isinstance(i, AllocTensor | AllocTensorReg)}


def test_a_view_lies_as_what_it_views() -> None:
    exe = on_gpu("softmax(reshape(dense(x, $wide), shape=(-1, 5)))")
    assert [w.partition("stored=")[2] for w in workloads(exe)] == ["y:bfloat16)", "x:bfloat16)"]


@pytest.mark.parametrize(
    "body",
    [
        "let h = dense(x, $wide); (h, softmax(h))",
        "let h = dense(x, $wide); (reshape(h, shape=(-1, 5)), softmax(h))",
        "let h = dense(x, $wide); nonzero(h)",
        "let h = dense(x, $wide); if (equal(sum(h), 0.0)) { softmax(h) } else { h }",
        "let h = dense(x, $wide); unique(reshape(h, shape=(-1)))",
    ],
    ids=["a result", "a view of it that is one", "the host", "a branch", "the host, of a view"],
)
def test_what_others_than_kernels_read_stays_as_it_is(body: str) -> None:
    assert not any("y:bfloat16" in w for w in workloads(on_gpu(body)) if w.startswith("quantised_dense"))


def test_what_no_kernel_reads_so_stays_float32() -> None:
    """Beside it others lie in 16 bits: each kernel is asked for as much as it can be had with."""
    body = "softmax(rms_norm(dense(gelu(dense(x, $w)), $u), $gamma))"

    def never(workload: Workload) -> bool:
        return served(workload) and not (workload.op == "rms_norm" and workload.stored)

    found = {Workload.parse(w).op: Workload.parse(w).stored for w in workloads(on_gpu(body, serves=never))}
    assert found["rms_norm"] == found["softmax"] == ()
    assert found["quantised_dense"] == (("y", "bfloat16"),)
    assert found["dense"] == (("y", "float32"),)
    assert not any("stored=" in w for w in workloads(on_gpu(body, serves=lambda workload: not workload.stored)))


def test_attention_is_multiplied_in_16_bits_where_all_of_it_is_so() -> None:
    """Of float32 beside 16 bits no units multiply, lanes widen these; what units make is no more exact than 16 bits."""
    params = "x: Tensor[(?b, ?t, 4, 8), float32], m: Tensor[(?b, ?t), float32]"
    orders = 'q="bmhd", k="bngd", v="bnge", mask="bn"'

    def found(body: str) -> str:
        (only,) = (w for w in workloads(on_gpu(body, params)) if w.startswith("attention"))
        return only

    every = found(f"softmax(attention(tanh(x), sqrt(x), exp(x), m, {orders}))")
    assert every.endswith("dtype=bfloat16, stored=mask:float32)")
    assert found(f"attention(tanh(x), sqrt(x), exp(x), m, {orders})").endswith("dtype=float32)")
    beside = found(f"softmax(attention(x, sqrt(x), exp(x), m, {orders}))")
    assert beside.endswith("dtype=float32, stored=k:bfloat16+v:bfloat16+y:bfloat16)")


LOOP = """
const $w: Tensor[(50, 50), float32];
const $none: Tensor[(0, 50), float32];
def grow(n: Tensor[(), int64], row: Tensor[(1, 50), float32], rows: Tensor[(?r, 50), float32])
    -> Tensor[(?, 50), float32] {
  if (less(n, 1)) { STOP } else {
    let made = tanh(dense(row, $w));
    grow(subtract(n, 1), made, concat(rows, made, axis=0))
  }
}
def main(x: Tensor[(1, 50), float32], n: Tensor[(), int64]) { sum(grow(n, x, $none), axis=0) }
"""


def loop(stop: str) -> list[Workload]:
    arrays = {"w": WIDE, "none": np.zeros((0, 50), np.float32)}
    return list(map(Workload.parse, workloads(stored(Module.parse(LOOP.replace("STOP", stop), arrays)))))


def test_what_a_loop_passes_on_is_converted_where_it_begins() -> None:
    """The input and the constant that it begins with are; rows that were made are never converted."""
    found = loop("rows")
    begun = [w for w in found if w.op == "elementwise" and w.stored]
    assert [(str(w.attributes["f"]), w.stored) for w in begun] == [("float32(a0[d0])", (("y", "bfloat16"),))] * 2
    rest = {w.op: dict(w.stored) for w in found if w.op != "elementwise"}
    assert rest == {
        "dense": {},
        "concat": {"x0": "bfloat16", "x1": "bfloat16", "y": "bfloat16"},
        "reduce": {"x": "bfloat16"},
    }
    (layer,) = (w for w in found if w.op == "dense")
    assert layer.dtype == "bfloat16"


def test_what_a_loop_passes_on_stays_float32_where_the_host_reads_it() -> None:
    found = loop("reshape(unique(reshape(rows, shape=(-1))).0, shape=(-1, 50))")
    assert {w.op: dict(w.stored) for w in found if w.op == "concat"} == {"concat": {"x1": "bfloat16"}}
    assert len([w for w in found if w.op == "elementwise" and w.stored]) == 1, "the row that the loop begins with"


def on_cpu(body: str, multiplies: bool = True, params: str = X) -> Compiled:
    """Whatever this CPU multiplies in hardware: kernels mean the same on every one."""
    narrow = partial(narrow_layers, spec=Narrowing("bfloat16"))
    serves = partial(is_served, target=TARGET)
    store = partial(round_products, multiplies=MULTIPLIED if multiplies else (), serves=serves)
    return Compiled(module(body, params, gamma=GAMMA, wide=WIDE), narrow=narrow, store=store)


def test_on_a_cpu_factors_of_narrow_layers_alone_lie_in_16_bits() -> None:
    made = on_cpu("softmax(rms_norm(dense(gelu(add(dense(rms_norm(x, $gamma), $w), $b)), $u), $gamma))")
    assert workloads(made.exe) == [
        "rms_norm(rows=?rows, n=50, dtype=float32, stored=y:bfloat16)",
        "dense(m=?m, n=37, k=50, dtype=bfloat16, const=w, stored=b0:float32, tail=gelu(y + b0[n]))",
        "dense(m=?m, n=50, k=37, dtype=bfloat16, const=w, stored=y:float32)",
        "rms_norm(rows=?rows, n=50, dtype=float32)",
        "softmax(outer=?outer, n=50, inner=1, dtype=float32)",
    ]


@pytest.mark.parametrize(
    ("body", "multiplies"),
    [("dense(x, $wide)", True), ("softmax(dense(x, $wide))", False)],
    ids=["the model is given it", "a CPU without such products"],
)
def test_elsewhere_it_is_multiplied_as_it_comes(body: str, multiplies: bool) -> None:
    assert workloads(on_cpu(body, multiplies).exe)[0] == (
        "quantised_dense(m=?m, n=50, k=50, x=float32, w=bfloat16, out=float32, dtype=float32, const=w)"
    )


def test_a_product_whose_sums_may_wait_in_its_result_stores_them_as_they_are() -> None:
    """A plan that was made for it may take k in blocks, whatever reads the result."""
    made = on_cpu("dense(dense(tanh(x), v), $w)", params=f"{X}, v: Tensor[(50, 50), float32]")
    assert workloads(made.exe)[1:] == [
        "dense(m=?m, n=50, k=50, dtype=float32)",
        "quantised_dense(m=?m, n=37, k=50, x=float32, w=bfloat16, out=float32, dtype=float32, const=w)",
    ]
    block = "dense(m=?m, n=96, k=512, dtype=float32, const=w"
    assert is_served(Workload.parse(f"{block})"), TARGET)
    assert not is_served(Workload.parse(f"{block}, stored=y:bfloat16)"), TARGET)
    assert not is_served(Workload.parse(f"{block}, stored=b:bfloat16, tail=y + b[m, n])"), TARGET)


HEADS = {"scores": 'lhs="mbk", rhs="nbk"', "mixed": 'rhs="kbn", y="mbn"'}
ATTENTION = (
    f"let q = reshape(dense(tanh(x), $wide), shape=(-1, 5, 10)); let k = reshape(dense(tanh(x), $wide), "
    f"shape=(-1, 5, 10)); let s = softmax(multiply(batch_matmul(q, k, {HEADS['scores']}), 0.3)); "
)


def test_products_of_what_kernels_make_are_of_16_bits() -> None:
    body = f"{ATTENTION} batch_matmul(s, q, {HEADS['mixed']})"
    found = [w for w in workloads(on_cpu(body).exe) if w.startswith(("batch_matmul", "softmax"))]
    assert found == [
        "batch_matmul(b=5, m=?m, n=?m, k=10, lhs=mbk, rhs=nbk, dtype=bfloat16, stored=y:float32, tail=y * 0.3)",
        "softmax(outer=?outer, n=?n, inner=1, dtype=float32, stored=y:bfloat16)",
        "batch_matmul(b=5, m=?m, n=10, k=?m, rhs=kbn, y=mbn, dtype=bfloat16, stored=y:float32)",
    ]
    assert not any("bfloat16" in w for w in workloads(on_cpu(body, multiplies=False).exe) if "quantised" not in w)


def test_a_product_of_what_somebody_gives_is_exact() -> None:
    """Nothing of it is rounded then: a factor alone in 16 bits has no product in hardware."""
    body = f"{ATTENTION} batch_matmul(s, reshape(x, shape=(-1, 5, 10)), {HEADS['mixed']})"
    *_, scores, soft, mixed = workloads(on_cpu(body).exe)
    assert "dtype=bfloat16" in scores
    assert soft == "softmax(outer=?outer, n=?n, inner=1, dtype=float32)"
    assert mixed == "batch_matmul(b=5, m=?m, n=10, k=?m, rhs=kbn, y=mbn, dtype=float32)"


@pytest.mark.slow
@pytest.mark.parametrize("is_native", [False, True], ids=["bytecode", "native"])
def test_attention_means_what_its_module_says(is_native: bool) -> None:
    """Every factor is rounded once; what else is off are sums, by which few of them round the other way."""
    made = on_cpu(f"{ATTENTION} dense(reshape(batch_matmul(s, q, {HEADS['mixed']}), shape=(-1, 50)), $w)")
    for rows in (1, 7, 33):
        x = np.random.default_rng(rows).standard_normal((rows, 50), dtype=np.float32) / 8
        found, told, exact = made.session(is_native)(x), evaluate(after(made), [x]), evaluate(made.module, [x])
        size = np.linalg.norm(exact)
        assert np.linalg.norm(found - told) < 1e-3 * size
        assert 1e-3 * size < np.linalg.norm(found - exact) < 2e-2 * size


@pytest.mark.parametrize(
    ("spec", "is_rounded"),
    [
        (Narrowing("bfloat16"), True),
        (Narrowing("bfloat16", only=("*",)), True),
        (Narrowing("bfloat16", only=("wide",)), False),
        (Narrowing("bfloat16", error=1.0), False),
        (Narrowing("float16"), False),
        (Narrowing("int8"), False),
    ],
    ids=str,
)
def test_who_asks_for_bfloat16_without_a_limit_allows_it(spec: Narrowing, is_rounded: bool) -> None:
    """The text says so, and the evaluator rounds."""
    given = module(f"{ATTENTION} batch_matmul(s, q, {HEADS['mixed']})", X, gamma=GAMMA, wide=WIDE)
    made = optimise(given, narrow=partial(narrow_layers, spec=spec), upto=NARROW_LAYERS)
    assert str(Module.of(made)).count('products="bfloat16"') == (2 if is_rounded else 0)
    text = 'def main(a: Tensor[(1, 2, 3), float32]) { batch_matmul(a, a, rhs="bnk", products="bfloat16") }'
    a = np.array([[[1 + 2**-9, 0, 0], [0, 1, 0]]], np.float32)
    np.testing.assert_array_equal(evaluate(Module.parse(text), [a]), np.eye(2, dtype=np.float32)[None])


@pytest.mark.parametrize(
    ("arch", "precision", "multiplied"),
    [
        ("sm_80", "bfloat16", "dtype=bfloat16, stored=y:float32)"),
        ("sm_90a", "bfloat16", "dtype=bfloat16, stored=y:float32)"),
        ("sm_80", "float16", "dtype=float32, stored=lhs:float16+rhs:float16)"),  # the model allows bfloat16
        ("sm_80", "float32", "dtype=float32)"),
        ("sm_75", "bfloat16", "dtype=float32)"),  # which has no units for it
    ],
)
def test_a_gpu_has_such_products_of_what_lies_in_16_bits(arch: str, precision: str, multiplied: str) -> None:
    given = module('batch_matmul(tanh(x), exp(x), rhs="bnk", products="bfloat16")', "x: Tensor[(2, ?t, 8), float32]")
    made = lock(given, Target.parse(f"cuda -arch={arch}"), precision=precision).plans
    (found,) = (str(p.workload) for p in made if "batch" in p.workload.op)
    assert found.endswith(multiplied)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("is_native", [False, True], ids=["bytecode", "native"])
@pytest.mark.parametrize(
    "body",
    [
        "dense(rms_norm(x, $gamma), $w)",
        "let h = tanh(x); add(dense(h, $wide), h)",
        "dense(reshape(tanh(x), shape=(-1, 50)), $w)",
        "dense(gelu(add(dense(layer_norm(x, $gamma, $gamma), $w), $b)), $u)",
        "let h = reshape(tanh(x), shape=(-1, 5, 10)); "
        'dense(reshape(batch_matmul(h, h, lhs="bkm"), shape=(-1, 50)), $w)',
    ],
    ids=["a norm", "a sum", "a view", "two layers", "a product"],
)
def test_factors_are_rounded_once_and_nothing_else_is(body: str, is_native: bool) -> None:
    made = on_cpu(body)
    assert any(w.startswith("dense(") and "dtype=bfloat16" in w for w in workloads(made.exe))
    for rows in (1, 7, 33):
        x = np.random.default_rng(rows).standard_normal((rows, 50), dtype=np.float32)
        found, exact = made.session(is_native)(x), evaluate(made.module, [x])
        assert isinstance(exact, np.ndarray)
        off = np.linalg.norm(found - exact) / np.linalg.norm(exact)
        assert 2e-4 < off < 5e-3
