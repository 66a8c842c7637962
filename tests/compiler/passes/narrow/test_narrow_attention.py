"""Attention in integers: what is written by whom, what stays float and why, and that executables compute it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import anytile
from anytile.compiler.compile import compile_module
from anytile.compiler.evaluate import evaluate
from anytile.compiler.ir.nodes import Array
from anytile.compiler.passes.narrow.histograms import Range
from anytile.compiler.passes.narrow.narrow_attention import ranges_of
from anytile.compiler.passes.narrow.narrow_layers import Layer
from anytile.compiler.quantise import Quantised, narrowing, quantise_module
from anytile.schedules.hardware.target import Target
from anytile.schedules.operators.attribute import AttributeValue
from anytile.show.report.quantised import render
from tests.support.cases.compiled_modules import random

WIDTH, HEADS = 24, 3


def attending(mask: str = "", *, heads_of_keys: int = HEADS, turned: bool = False) -> anytile.Module:
    """One layer of attention between dense layers: `mask` is "", "added" or "kept"."""
    m = anytile.ModuleBuilder()
    given = {"x": f"Tensor[(?t, {WIDTH}), float32]"}
    if mask:
        given["mask"] = f"Tensor[(?t, ?t), {'bool' if mask == 'kept' else 'float32'}]"
    each = WIDTH // HEADS
    with m.function("main", **given) as (f, x, *masks), f.at("layer"):
        q, k, v = (
            f.reshape(
                f.dense(x, f.constant(random(i, n * each, WIDTH) * np.float32(0.3), f"w_{name}")), shape=(-1, n, each)
            )
            for i, (name, n) in enumerate(zip("qkv", (HEADS, heads_of_keys, heads_of_keys), strict=True))
        )
        q, k, v = (f.expand_dims(y, axis=(0,)) for y in ((f.tanh(q), k, v) if turned else (q, k, v)))
        orders: Mapping[str, AttributeValue] = {"q": "bmhd", "k": "bngd", "v": "bnge", "y": "bmhe"}
        more = {"mask": "mn", "keeps": mask == "kept"} if mask else {"causal": True}
        y = f.attention(q, k, v, *masks, scale=0.3, shared=HEADS // heads_of_keys, **orders, **more)
        f.result(f.dense(f.reshape(y, shape=(-1, WIDTH)), f.constant(random(3, 10, WIDTH), "w_out")))
    return m.build()


def inputs(t: int, mask: str = "", seed: int = 5) -> dict[str, Array]:
    x = {"x": random(seed, t, WIDTH)}
    if mask == "added":
        return x | {"mask": random(seed + 1, t, t)}
    return x | {"mask": np.tril(np.ones((t, t), bool), -1)} if mask else x  # the first query sees nothing


def narrowed(
    module: anytile.Module,
    runs: Sequence[Mapping[str, Array]],
    only: str = "*",
    error: float | None = None,
    attends: bool = True,
) -> Quantised:
    """As on a CPU that multiplies bytes, or as on one that does not."""
    spec = narrowing("int8", (only,), error, "extremes", Target.host())
    return quantise_module(module, replace(spec, attends=attends), runs)


@cache
def quantised(mask: str = "", heads_of_keys: int = HEADS) -> Quantised:
    runs = [inputs(t, mask, seed) for t, seed in ((9, 1), (30, 2))]
    return narrowed(attending(mask, heads_of_keys=heads_of_keys), runs)


def attention_of(found: Quantised) -> Layer:
    return next(layer for layer in found.layers if layer.weight == "attention")


@pytest.mark.parametrize(("mask", "heads_of_keys"), [("", 1), ("added", HEADS), ("kept", HEADS)])
def test_it_is_near_and_executables_compute_what_its_module_says(mask: str, heads_of_keys: int) -> None:
    found = quantised(mask, heads_of_keys)
    layer = attention_of(found)
    assert (layer.name, layer.dtype, layer.kept) == ("layer attention", "int8", "")
    assert str(layer).startswith(f"layer attention: int8, queries {layer.ranges[0]}, keys ")
    assert layer.attended in render(found, "model")
    assert 1e-4 < layer.error < 0.03
    assert found.error < 0.05
    session = anytile.Session(compile_module(found.module, Target.host(1)))
    for t in (0, 1, 17):
        given = inputs(t, mask, 9 + t)
        wanted = evaluate(found.module, given)
        got = session.run(given)
        assert isinstance(got, np.ndarray)
        assert isinstance(wanted, np.ndarray)
        assert np.linalg.norm(got - wanted) <= 1e-2 * np.linalg.norm(wanted)
        exact = evaluate(attending(mask, heads_of_keys=heads_of_keys), given)
        assert isinstance(exact, np.ndarray)
        assert np.linalg.norm(got - exact) <= 0.06 * np.linalg.norm(exact)


def test_who_makes_its_operands_writes_integers_and_it_does_for_who_reads_it() -> None:
    exe = compile_module(quantised().module, Target.host(1))
    whole = [k.workload for k in exe.kernels if k.workload]
    made = [w for w in whole if w.startswith("quantised_dense") and "out=uint8" in w]
    (attention,) = (w for w in whole if w.startswith("quantised_attention"))
    assert len(made) == 1  # of queries, keys and values, whose numbers are operands
    assert "out=uint8" in attention
    assert sum(w.startswith("quantise_within") for w in whole) == 1  # of x


def test_what_is_not_a_dense_layers_stays_float_and_is_named() -> None:
    found = narrowed(attending(turned=True), [inputs(9)])
    said = "its queries are not what a dense layer makes for it alone, which could write them as integers"
    assert str(attention_of(found)) == f"layer attention: float32; {said}"
    assert "quantised_attention" not in str(found.module)


def test_a_limit_and_patterns_keep_it_float() -> None:
    found = narrowed(attending(), [inputs(9)], "*attention", 1e-3)
    layer = attention_of(found)
    assert (layer.dtype, layer.ranges) == ("float32", ())
    assert layer.kept == "more than 0.001, so it stays float32"
    found = narrowed(attending(), [inputs(9)], "w_*")
    assert attention_of(found).kept == "not asked for"
    assert sum(layer.dtype == "int8" for layer in found.layers) == 4


def test_infinity_keeps_it_float() -> None:
    once = {"x": inputs(9)["x"] * np.float32(1e38)}  # of which some products are none
    found = narrowed(attending(), [inputs(9), once], "attention")
    assert attention_of(found).kept == "NaN or infinity came to it, which has no range"


def test_where_bytes_have_no_products_it_stays_float() -> None:
    said = "products of bytes are no instruction of this CPU, so it stays float32"
    assert attention_of(narrowed(attending(), [inputs(9)], attends=False)).kept == said


def test_queries_and_values_have_0_in_the_middle() -> None:
    for low, high in ((-3.0, 1.0), (-1.0, 3.0), (0.0, 0.0), (-1e-3, 2e20)):
        q, k, v = ranges_of([Range(low, high)] * 3)
        assert q == v
        assert q.zero == 128
        assert q.low <= low
        assert high <= q.high
        assert k == Range(low, high)
