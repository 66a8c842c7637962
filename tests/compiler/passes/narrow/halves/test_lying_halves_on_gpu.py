"""What lies in 16 bits stays so on a GPU: caches are joined, written and read as they lie, and none is widened."""

from __future__ import annotations

from typing import Any as AnyType

import numpy as np
import pytest

from anytile.compiler.evaluate import evaluate
from anytile.compiler.lowering.host_functions import host_functions
from anytile.compiler.module import Module
from anytile.core.dtypes import HALVES
from anytile.schedules.nest.stored_floats import array_dtype
from anytile.schedules.workloads.workload import Workload
from anytile.vm.executable import Executable
from anytile.vm.session import Session
from anytile.vm.values.stream_device import StreamDevice
from tests.support.cases.compiled_modules import random
from tests.support.cases.gpu_models import compiled_for_gpu
from tests.support.cuda_cpu.compiler import missing
from tests.support.stand_ins.queued_gpu import QueuedGpu

RUNS = pytest.mark.skipif(bool(missing()), reason=missing() or "-")
HEADS = "Tensor[(1, 4, ?m, 8), DTYPE]"
JOINED = """
def main(q: HEADS, k: Tensor[(1, 4, ?n, 8), DTYPE], v: Tensor[(1, 4, ?n, 8), DTYPE], rows: HEADS) {
  let keys = concat(k, negative(rows), axis=2); let values = concat(v, square(rows), axis=2);
  let soft = softmax(multiply(batch_matmul(q, keys, rhs="bnk"), cast(0.25, dtype="DTYPE")));
  (batch_matmul(soft, values), keys, values)
}
"""
PUT = """
def main(q: HEADS, k: Tensor[(1, 4, 9, 8), DTYPE], v: Tensor[(1, 4, 9, 8), DTYPE], at: Tensor[(?m), int64],
    rows: HEADS) {
  let keys = put_rows(k, at, negative(rows), axis=2); let values = put_rows(v, at, square(rows), axis=-2);
  let soft = softmax(multiply(batch_matmul(exp(q), keys, rhs="bnk"), cast(0.25, dtype="DTYPE")));
  (batch_matmul(soft, values), keys, values)
}
"""
PRODUCTS = """
def main(x: Tensor[(2, ?m, 6), float32], k: Tensor[(2, ?n, 6), DTYPE], y: Tensor[(2, ?m, 6), DTYPE]) {
  let wide = cast(k, dtype="float32");
  gelu(batch_matmul(add(x, cast(y, dtype="float32")), wide, rhs="bnk"))
}
"""


def module(text: str, dtype: str) -> Module:
    return Module.parse(text.replace("HEADS", HEADS).replace("DTYPE", dtype))


def halves(dtype: str, seed: int, *shape: int) -> AnyType:
    return random(seed, *shape).astype(array_dtype(dtype))


def kernels(exe: Executable) -> list[str]:
    return [k.workload for k in exe.kernels if k.kind == "kernel" and k.device]


def on_gpu(exe: Executable, chance: float = 0.3) -> Session:
    return Session(exe, functions=host_functions(), devices={"cuda": StreamDevice(QueuedGpu(chance))})


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize(("text", "joining"), [(JOINED, "concat"), (PUT, "scatter_rows")], ids=["joined", "put"])
def test_no_kernel_makes_a_cache_of_float32(text: str, joining: str, dtype: str) -> None:
    """One for each joins, one attends: what else there is has no more elements than a token."""
    found = [Workload.parse(w) for w in kernels(compiled_for_gpu(module(text, dtype)))]
    assert {w.op for w in found} == {"elementwise", joining, "attention"}
    for w in found:
        lying = {t.name: w.dtype_of(t) for t in w.tensors}
        wide = {"concat": {"x1"}, "scatter_rows": {"keys", "updates"}, "attention": {"q", "y"}}.get(w.op, {*lying})
        assert all(lying[name] == dtype for name in lying.keys() - wide), str(w)
        assert w.op != "elementwise" or "9" not in {str(n) for _, n in w.dims}


def agree(text: str, dtype: str, caches: list[AnyType], tokens: list[list[AnyType]]) -> None:
    """Queries, where their rows go, and these, one call after the other on the caches of the one before: old rows keep
    every bit, new ones are rounded once."""
    given = module(text, dtype)
    session, old = on_gpu(compiled_for_gpu(given)), caches
    for q, *rows in tokens:
        made, *old = evaluate(given, [q, *old, *rows])
        got, *caches = session(q, *caches, *rows)
        for cache, wanted in zip(caches, old, strict=True):
            np.testing.assert_array_equal(np.asarray(cache), wanted)
        np.testing.assert_allclose(np.float64(got), np.float64(made), rtol=2.0**-6, atol=2.0**-6)


@RUNS
@pytest.mark.slow
@pytest.mark.parametrize("dtype", HALVES)
def test_a_cache_grows_on_the_device(dtype: str) -> None:
    tokens = [[halves(dtype, 2 * i + n, 1, 4, m, 8) for n in (0, 1)] for i, m in enumerate((5, 1, 1, 3))]
    agree(JOINED, dtype, [halves(dtype, 1, 1, 4, 0, 8)] * 2, tokens)


@RUNS
@pytest.mark.slow
@pytest.mark.parametrize("dtype", HALVES)
def test_rows_are_put_into_a_cache_on_the_device(dtype: str) -> None:
    """Behind a dimension of heads, too; of two rows at one place the last stays."""
    tokens = []
    for i, at in enumerate(([0, 1, 2, 3, 4], [5], [-3], [8, 0, 8])):
        q, rows = (halves(dtype, 2 * i + n, 1, 4, len(at), 8) for n in (0, 1))
        tokens.append([q, np.array(at, np.int64), rows])
    agree(PUT, dtype, [halves(dtype, seed, 1, 4, 9, 8) for seed in (1, 2)], tokens)


@RUNS
@pytest.mark.slow
@pytest.mark.parametrize("dtype", HALVES)
def test_a_product_reads_one_factor_in_16_bits(dtype: str) -> None:
    given = module(PRODUCTS, dtype)
    exe = compiled_for_gpu(given)
    assert f"batch_matmul(b=2, m=?m, n=?n, k=6, rhs=bnk, dtype=float32, stored=rhs:{dtype}, tail=gelu(y))" in kernels(
        exe
    )
    session = on_gpu(exe)
    for m, n in ((1, 1), (5, 33), (17, 64), (1, 131)):
        args = random(0, 2, m, 6), halves(dtype, 1, 2, n, 6), halves(dtype, 2, 2, m, 6)
        np.testing.assert_allclose(session(*args), evaluate(given, args), rtol=2e-5, atol=2e-5)


def test_queries_in_16_bits_are_multiplied_by_matrix_units() -> None:
    """With a precision of 16 bits: what a layer makes of queries lies as keys and values do."""
    layer = """
    const $w: Tensor[(32, 32), bfloat16];
    def main(x: Tensor[(?m, 32), bfloat16], k: Tensor[(1, 4, ?n, 8), bfloat16], v: Tensor[(1, 4, ?n, 8), bfloat16]) {
      let q = transpose(reshape(dense(x, $w), shape=(1, -1, 4, 8)), perm=(0, 2, 1, 3));
      let scale = cast(0.25, dtype="bfloat16");
      batch_matmul(softmax(multiply(batch_matmul(q, k, rhs="bnk"), scale)), v)
    }
    """
    given = Module.parse(layer, {"w": halves("bfloat16", 0, 32, 32)})
    for precision, dtype in (("bfloat16", "bfloat16"), ("float32", "float32")):
        (found,) = (w for w in kernels(compiled_for_gpu(given, precision)) if w.startswith("attention"))
        assert Workload.parse(found).dtype == dtype
