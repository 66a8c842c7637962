"""The decoder of examples/llama.py: what it computes by parts is what numpy computes of the whole text, in float64."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import llama
import numpy as np
import pytest
from numpy.typing import NDArray

import anytile
from anytile.compiler.passes.narrow.grouped_weights import grouped_weight, weight_of
from tests.support.cases.compiled_modules import Compiled

Array = NDArray[Any]
TINY = llama.SIZES["tiny"]
TEXT = np.random.default_rng(7).integers(0, TINY.words, 9)


def rounded(weight: Array) -> Array:
    made = grouped_weight(weight)
    assert made is not None
    return weight_of(*made, weight.shape[1])


def scores(tokens: Array, taken: Callable[[Array], Array] = lambda weight: weight) -> Array:
    """The scores behind a text: attention of every token to those up to it, without a cache. `taken` says what a matrix
    is taken for."""
    size, t = TINY, len(tokens)
    outer = llama.outer_weights(size)
    angles = np.arange(t)[:, None, None] * 10000.0 ** (-np.arange(size.per_head // 2) / (size.per_head // 2))

    def normalised(x: Array, by: Array) -> Array:
        return x / np.sqrt((x * x).mean(axis=1, keepdims=True) + 1e-5) * by

    def turned(x: Array) -> Array:
        low, high = np.split(x, 2, axis=2)
        turns = np.cos(angles), np.sin(angles)
        return np.concatenate([low * turns[0] - high * turns[1], high * turns[0] + low * turns[1]], axis=2)

    x = outer["words"][tokens].astype(np.float64)
    for number in range(size.layers):
        w = llama.layer_weights(size, number)
        w |= {name: taken(array) for name, array in w.items() if array.ndim > 1}
        y = normalised(x, w["before"])
        q, k, v = ((y @ w[f"w_{name}"].T).reshape(t, -1, size.per_head) for name in "qkv")
        q, k = turned(q), turned(k)
        mixed = np.empty((t, size.heads, size.per_head))
        for head in range(size.heads):
            own = head % size.shared
            weights = q[:, head] @ k[:, own].T / np.sqrt(size.per_head)
            weights = np.exp(weights) * np.tri(t)
            mixed[:, head] = weights / weights.sum(axis=1, keepdims=True) @ v[:, own]
        x = x + mixed.reshape(t, -1) @ w["w_out"].T
        y = normalised(x, w["behind"])
        gate = y @ w["w_gate"].T
        x = x + (gate / (1 + np.exp(-gate)) * (y @ w["w_up"].T)) @ w["w_down"].T
    return np.asarray(normalised(x[-1:], outer["norm"])[0] @ taken(outer["head"]).T)


@cache
def session(precision: str) -> llama.Run:
    run: llama.Run = Compiled(llama.llama(TINY, precision, context=16)).session(True)
    return run


def off(found: Array, wanted: Array) -> float:
    return float(np.linalg.norm(found - wanted) / np.linalg.norm(wanted))


@pytest.mark.slow
@pytest.mark.parametrize("parts", [(9,), (1,) * 9, (4, 1, 3, 1)])
def test_a_text_in_parts_is_the_text(parts: tuple[int, ...]) -> None:
    cache, end = llama.Cache(TINY, context=16), 0
    for count in parts:
        found = cache.read(session(llama.FLOAT), TEXT[end : end + count])
        end += count
        assert off(found, scores(TEXT[:end])) < 1e-4
    assert cache.length == 9


@pytest.mark.slow
def test_in_four_bits_it_is_what_the_rounded_weights_make() -> None:
    cache = llama.Cache(TINY, context=16)
    for end in range(1, 10):
        found = cache.read(session(llama.INT4), TEXT[end - 1 : end])
        assert off(found, scores(TEXT[:end], rounded)) < 1e-4
    assert 0.01 < off(found, scores(TEXT)) < 0.35  # what 4 bits cost random weights


@pytest.mark.slow
def test_tokens_are_the_likeliest_and_are_read_in_turn() -> None:
    tokens = llama.written(session(llama.FLOAT), llama.Cache(TINY, context=16), TEXT[:3])
    text = list(TEXT[:3])
    for _ in range(4):
        text.append(next(tokens))
        assert text[-1] == scores(np.array(text[:-1])).argmax()


@pytest.mark.slow
def test_the_compiler_narrows_a_model_to_the_same() -> None:
    """Not to the same order of heads of anything: the very layers."""
    narrow = anytile.Session(anytile.compile(llama.llama(TINY, llama.FLOAT, context=16), precision="int4"))
    rows = [np.zeros((0, TINY.shared, TINY.per_head), np.float32)] * (2 * TINY.layers)
    given = (TEXT, np.arange(9), *rows)
    for found, wanted in zip(narrow(*given), session(llama.INT4)(*given), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


def test_what_it_costs_to_read() -> None:
    made = {name: size.weights for name, size in llama.SIZES.items()}
    assert made["0.3b"] == pytest.approx(0.33e9, rel=0.02)
    assert made["1.1b"] == pytest.approx(1.1e9, rel=0.01)
    matrices = [*llama.layer_weights(TINY, 0).values(), *llama.layer_weights(TINY, 1).values()]
    matrices += llama.outer_weights(TINY).values()
    assert made["tiny"] == sum(a.size for a in matrices if a.ndim > 1)
