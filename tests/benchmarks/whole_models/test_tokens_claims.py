"""The floors of the benchmark of decoding, from invented rows; and that rivals compute what our decoder does."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial

import llama
import numpy as np
import pytest
from numpy.typing import NDArray

import anytile
from benchmarks.kernels.decode import PLAIN
from benchmarks.measure.harness import Row
from benchmarks.rivals.dense_rivals import Way
from benchmarks.rivals.token_rivals import RIVALS, Given, absent, rivals_of
from benchmarks.subjects.token_weights import Grouped, Weights
from benchmarks.whole_models import tokens

TINY = llama.SIZES["tiny"]


def rows(read: int, count: int, **seconds: float) -> Iterator[Row]:
    case = {"model": "llama", "size": "1.1b", "read": read, "tokens": count, "plans": "1 exact"}
    for system, taken in seconds.items():
        yield Row(case, PLAIN if system == "reads" else system, taken, 0.0, 0.0, 5)


@pytest.mark.parametrize(("ours", "ok"), [(0.9, True), (0.92, False)])
def test_decoding_is_held_against_the_best_rival(ours: float, ok: bool) -> None:
    given = [*rows(128, 1, anytile=ours, torch=2.0, onnxruntime=1.0, reads=0.5), *rows(0, 16, anytile=9, torch=1.0)]
    (claim,) = tokens.claims(given)
    assert claim.claim.startswith("decode of 1.1b, 128 read")
    assert claim.value == pytest.approx(1 / ours)
    assert claim.ok is ok


def test_nothing_is_claimed_without_rivals() -> None:
    assert tokens.claims(rows(128, 1, anytile=1.0, reads=0.5)) == []


def test_what_a_token_reads_of_weights() -> None:
    """Half a byte for each weight and a scale for 32, of all but the words' vectors."""
    weights = Weights.of(TINY, llama.llama(TINY, context=32))
    made = [w for part in (*weights.layers, weights.outer) for w in part.values() if isinstance(w, Grouped)]
    assert len(made) == 1 + 7 * TINY.layers
    assert tokens.weight_bytes(TINY) == sum(w.packed.nbytes + w.scales.nbytes for w in made)


class Stand:
    """A rival whose ways all make the right scores, one of them slowly."""

    name = "a stand-in"

    def __init__(self, scores: NDArray[np.float32]) -> None:
        self.scores, self.called = scores, dict.fromkeys(("quick", "slow"), 0)

    def ways(self, given: Given) -> list[Way]:
        return [Way(label, partial(self.call, label), lambda: self.scores) for label in self.called]

    def call(self, label: str) -> None:
        self.called[label] += 1
        time.sleep(0.3 if label == "slow" else 0.001)


@pytest.mark.slow
def test_a_way_that_takes_many_times_as_long_is_called_once() -> None:
    run = anytile.Session(anytile.compile(llama.llama(TINY, context=32)))
    given, hopeless = tokens.given(run, TINY, 3, 1), set[tuple[str, str]]()
    stand = Stand(run(given.tokens, np.arange(3, 4), *given.cache)[0])
    for _ in range(2):
        _, chosen = tokens.contenders({"size": "tiny"}, given, run, [stand], hopeless)
        chosen.run(1)
    assert stand.called["slow"] == 1
    assert stand.called["quick"] > 2


@pytest.mark.slow
def test_rivals_compute_what_it_does() -> None:
    expected = set(RIVALS) - set(absent())
    if not expected:
        pytest.skip("no rival is installed")
    module = llama.llama(TINY, context=32)
    run = anytile.Session(anytile.compile(module))
    rivals = rivals_of(TINY, module, 32, 1)
    assert {rival.name for rival in rivals} == expected
    for read, count in ((0, 5), (7, 1), (7, 4)):
        given = tokens.given(run, TINY, read, count)
        wanted = run(given.tokens, np.arange(read, read + count), *given.cache)[0]
        for rival in rivals:
            for way in rival.ways(given):
                for _ in range(2):  # what it wrote into its cache is no other the second time
                    way.call()
                off = np.linalg.norm(np.ravel(way.result()) - wanted) / np.linalg.norm(wanted)
                limit = 1e-4 if "float32" in way.label else tokens.NEAR
                assert off < limit, f"{rival.name} {way.label} behind {read}"
