"""What lies in 16 bits is moved, joined and read as it lies, by the very kernels that do it, and nothing is lost."""

from __future__ import annotations

from typing import Any as AnyType

import numpy as np
import pytest

import anytile
from anytile.compiler.evaluate import evaluate
from anytile.compiler.ir.traverse import steps
from anytile.compiler.module import Module
from anytile.compiler.pipeline import optimise
from anytile.core.dtypes import HALVES
from anytile.importers.torch.graph.in_place import writing
from anytile.schedules.nest.stored_floats import array_dtype, in_numpy
from tests.support.cases.compiled_modules import Compiled, random

X = "x: Tensor[(?b, ?t, 6), DTYPE]"
CACHE = """q: Tensor[(1, 4, ?m, 8), DTYPE], k: Tensor[(1, 4, ?n, 8), DTYPE], v: Tensor[(1, 4, ?n, 8), DTYPE],
    rows: Tensor[(1, 4, ?m, 8), DTYPE]"""
JOINED = """
  let keys = concat(k, negative(rows), axis=2); let values = concat(v, square(rows), axis=2);
  let soft = softmax(multiply(batch_matmul(q, keys, rhs="bnk"), 0.25));
  (batch_matmul(soft, values), keys, values)
"""


def module(body: str, params: str, dtype: str) -> Module:
    body = body.replace("0.25", 'cast(0.25, dtype="DTYPE")')
    return Module.parse(f"def main({params}) {{ {body} }}".replace("DTYPE", dtype))


def halves(dtype: str, seed: int, *shape: int) -> AnyType:
    return random(seed, *shape).astype(array_dtype(dtype))


def kernels(made: Compiled) -> list[str]:
    return [k.workload for k in made.exe.kernels if k.kind != "shape"]


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize(
    ("body", "op"),
    [
        ("transpose(x, perm=(2, 0, 1))", "transpose"),
        ("slice(x, axes=(1, 2), start=(1, 4), step=(1, -2))", "slice"),
        ("pad(x, before=(0, 1, 0), after=(0, 0, 2), value=1.5)", "pad"),
        ("concat(x, x, axis=1)", "concat"),
        ("take(x, arange(2, -3, -1), axis=2)", "gather"),
        ("let y = transpose(x, perm=(1, 0, 2)); (y, exp(y))", "transpose"),
    ],
)
def test_what_moves_is_one_kernel_that_changes_no_bit(body: str, op: str, dtype: str) -> None:
    given = module(body, X, dtype)
    made = Compiled(given)
    first = next(k for k in kernels(made) if k.startswith(op))
    assert f"x:{dtype}+y:{dtype}" in first or f"x0:{dtype}" in first or f"x:{dtype}+y0:{dtype}" in first
    x = halves(dtype, 0, 2, 3, 6)
    wanted = evaluate(given, [x])
    for is_native in (False, True):
        got = made.session(is_native)(x)
        pairs = zip(got, wanted, strict=True) if isinstance(wanted, tuple) else [(got, wanted)]
        for one, other in pairs:
            assert one.dtype == other.dtype == dtype
            np.testing.assert_allclose(np.float64(one), np.float64(other), rtol=2.0**-7)
        if not isinstance(wanted, tuple):
            np.testing.assert_array_equal(np.asarray(got).view(np.uint16), wanted.view(np.uint16))


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("grows", [False, True])
def test_a_cache_is_joined_and_read_as_it_lies(grows: bool, dtype: str) -> None:
    """Old rows keep every bit, new ones are rounded once, and nobody makes a copy of the cache in float32."""
    given = module(JOINED, CACHE, dtype)
    exe = anytile.compile(given, growing=grows)
    workloads = [k.workload for k in exe.kernels if k.kind != "shape"]
    (attention,) = (w for w in workloads if w.startswith("attention"))
    assert f"stored=k:{dtype}+q:{dtype}+v:{dtype}" in attention
    cached = [w for w in workloads if w.startswith("concat")]
    assert len(cached) == (0 if grows else 1)  # one kernel for both
    assert all(w.count(dtype) == 3 for w in cached)
    session = anytile.Session(exe)
    old = [halves(dtype, 1, 1, 4, 0, 8)] * 2
    caches = [c.transpose(2, 0, 1, 3) for c in old] if grows else old
    for step, m in enumerate((5, 1, 3)):
        q, rows = halves(dtype, 2 * step, 1, 4, m, 8), halves(dtype, 2 * step + 1, 1, 4, m, 8)
        made, *seen = evaluate(module(JOINED, CACHE, dtype), [q, *old, rows])
        exact, *_ = evaluate(module(JOINED, CACHE, "float32"), [a.astype(np.float32) for a in (q, *old, rows)])
        got, *caches = session(q, *caches, rows)
        for cache, wanted in zip(caches, seen, strict=True):
            np.testing.assert_array_equal(np.asarray(cache.transpose(1, 2, 0, 3) if grows else cache), wanted)
        old = seen
        assert got.dtype == made.dtype == dtype
        np.testing.assert_allclose(np.float64(got), exact, rtol=2.0**-7, atol=2.0**-8)


@pytest.mark.parametrize("dtype", HALVES)
def test_rows_are_put_into_what_lies_and_is_given_back(dtype: str) -> None:
    """In place, where it may be written; and products read it so."""
    params = f"k: Tensor[(9, 8), {dtype}], at: Tensor[(?m), int64], rows: Tensor[(?m, 8), {dtype}]"
    body = 'let seen = put_rows(k, at, negative(rows)); (batch_matmul(rows, seen, lhs="mk", rhs="nk", y="mn"), seen)'
    given = module(body, params, dtype)
    exe = anytile.compile(writing(given, {"k"}))
    workloads = [k.workload for k in exe.kernels]
    assert not any("stored=a0" in w and "d0=72" in w for w in workloads)
    assert any(w.startswith("batch_matmul") and "rhs:" in w for w in workloads)
    session = anytile.Session(exe)
    kept = halves(dtype, 0, 9, 8)
    old, where = kept.copy(), kept.ctypes.data
    for at in ([8, 0], [4]):
        rows = halves(dtype, len(at), len(at), 8)
        wanted, old = evaluate(given, [old, np.array(at), rows])
        got, seen = session(kept, np.array(at), rows)
        np.testing.assert_array_equal(in_numpy(np.asarray(seen)), in_numpy(old))
        np.testing.assert_array_equal(in_numpy(kept), in_numpy(old))
        assert seen.ctypes.data == where
        np.testing.assert_allclose(np.float64(got), np.float64(wanted), rtol=2.0**-6, atol=2.0**-5)


def test_what_does_not_leave_keeps_its_digits() -> None:
    """Joined with what is computed, and only read within: as before, nothing is rounded."""
    text = str(optimise(module("sum(concat(x, exp(x), axis=1), axis=(1,))", X, "bfloat16"), upto="widen_halves"))
    (line,) = (line for line in text.splitlines() if "concat(" in line)
    assert "float32] = concat(" in line


def test_what_several_read_is_widened_once() -> None:
    """A product takes in a cast that it alone reads."""
    body = """
      let wide = cast(x, dtype="float32");
      (batch_matmul(reshape(wide, shape=(0, 0, 6)), reshape(wide, shape=(0, 0, 6)), rhs="bnk"), wide)
    """
    made = Compiled(module(body, X, "float16"))
    assert [w for w in kernels(made) if "batch_matmul" in w and "stored" in w] == []
    x = halves("float16", 0, 2, 3, 6)
    wanted = evaluate(made.module, [x])
    for got, expected in zip(made.session(True)(x), wanted, strict=True):
        np.testing.assert_allclose(got, expected, rtol=2e-5, atol=2e-5)


def test_a_tail_may_follow_what_is_widened() -> None:
    body = """
      let a = cast(x, dtype="float32"); let b = cast(y, dtype="float32");
      gelu(multiply(batch_matmul(a, b, rhs="bnk"), 0.5))
    """
    params = "x: Tensor[(2, ?t, 6), bfloat16], y: Tensor[(2, ?s, 6), bfloat16]"
    made = Compiled(Module.parse(f"def main({params}) {{ {body} }}"))
    assert kernels(made) == [
        "batch_matmul(b=2, m=?m, n=?n, k=6, rhs=bnk, dtype=float32, stored=lhs:bfloat16+rhs:bfloat16, "
        "tail=gelu(y * 0.5))"
    ]
    x, y = halves("bfloat16", 0, 2, 3, 6), halves("bfloat16", 1, 2, 5, 6)
    for is_native in (False, True):
        got = made.session(is_native)(x, y)
        np.testing.assert_allclose(got, evaluate(made.module, [x, y]), rtol=2e-5, atol=2e-5)


def test_both_factors_may_be_one() -> None:
    body = 'let a = cast(x, dtype="float32"); batch_matmul(a, a, rhs="bnk")'
    made = Compiled(module(body, X, "bfloat16"))
    x = halves("bfloat16", 0, 2, 3, 6)
    for is_native in (False, True):
        np.testing.assert_allclose(made.session(is_native)(x), evaluate(made.module, [x]), rtol=2e-5, atol=2e-5)


def test_a_table_in_16_bits_is_read_in_16_bits() -> None:
    table = halves("bfloat16", 0, 9, 6)
    text = "const $w: Tensor[(9, 6), bfloat16]; def main(i: Tensor[(?n), int64]) { take($w, i) }"
    exe = anytile.compile(Module.parse(text, {"w": table}))
    assert [c.dtype for c in exe.constants if c.name == "w"] == ["bfloat16"]
    got = anytile.Session(exe)(np.array([8, 0, -1]))
    np.testing.assert_array_equal(got, table[[8, 0, -1]])


def test_steps_are_in_order_behind_every_pass() -> None:
    """What is bound is bound before it is read."""
    made = Compiled(module(JOINED, CACHE, "bfloat16"))
    for name, stage in made.stages:
        bound = {p for f in stage.functions.values() for p in f.params}
        for f in stage.functions.values():
            for var, _ in steps(f.body):
                assert var not in bound, name
                bound.add(var)
