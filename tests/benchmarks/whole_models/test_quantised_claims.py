"""The floors of the benchmark of BERT in 8 bits, from invented rows; and that rivals compute what the model means."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import bert
import numpy as np
import pytest

from anytile.compiler.evaluate import evaluate
from benchmarks.measure.harness import Claim, Row
from benchmarks.rivals import quantised_rivals
from benchmarks.rivals.quantised_rivals import ONNXRUNTIME, TORCH
from benchmarks.whole_models import quantised
from benchmarks.whole_models.quantised import AHEAD, FLOAT, ROWS
from tests.support.cases.compiled_modules import random


def point(t: int, seconds: dict[str, float], products: bool = True, **errors: float) -> Iterator[Row]:
    lost = {f"error of {name}": value for name, value in zip((ROWS, ONNXRUNTIME), errors.values(), strict=False)}
    for system, value in seconds.items():
        yield Row({"model": "bert", "t": t, "products": products, **lost}, system, value, 0.0, 0.0, 7)


def claimed(*found: Iterator[Row]) -> dict[str, Claim]:
    return {claim.claim: claim for claim in quantised.claims([row for some in found for row in some])}


def test_few_and_many_tokens_are_held_against_float32_apart() -> None:
    ours = {FLOAT: 12.0, ROWS: 4.0, AHEAD: 4.0}
    made = claimed(point(1, ours), point(8, {**ours, FLOAT: 1.0}), point(32, {FLOAT: 8.0, ROWS: 4.0, AHEAD: 3.2}))
    assert made["int8 against float32, one token"].value == pytest.approx(3)
    assert made["int8 against float32, one token"].ok
    assert made["int8 against float32, T >= 32"].value == pytest.approx(2)
    assert not made["int8 against float32, T >= 32"].ok
    assert made["ranges ahead of time against those of each row, T >= 32"].value == pytest.approx(1.25)
    assert claimed(point(32, {FLOAT: 8.0, ROWS: 4.0, AHEAD: 3.2}, products=False))["int8 against float32, T >= 32"].ok


def test_the_best_rival_counts_at_each_size_and_onnxruntime_for_errors() -> None:
    ours = {FLOAT: 4.0, ROWS: 1.0, AHEAD: 1.0}
    made = claimed(
        point(1, {**ours, ONNXRUNTIME: 2.0, TORCH: 3.0}, mine=0.02, theirs=0.03),
        point(32, {**ours, ONNXRUNTIME: 9.0, TORCH: 0.5}, mine=0.03, theirs=0.02),
    )
    assert made["int8 against the best rival's: geometric mean over T"].value == pytest.approx(1)
    assert made["int8 against the best rival's: worst T"].value == pytest.approx(0.5)
    worst = made["error of int8 over onnxruntime's: worst T"]
    assert worst.value == pytest.approx(1.5)
    assert not worst.ok
    assert not [name for name in claimed(point(1, ours)) if "rival" in name or "onnxruntime" in name]


def test_the_file_and_the_first_result_have_bounds() -> None:
    def rows(size: float, seconds: float, held: bool = False) -> Iterator[Row]:
        yield Row({"model": "bert", "step": "opened", "megabytes": size, "held": held}, ROWS, seconds, 0.0, 0.0, 3)

    assert all(claim.ok for claim in claimed(rows(87.0, 0.1)).values())
    assert [claim.ok for claim in claimed(rows(93.0, 0.13)).values()] == [False, False]
    assert [claim.ok for claim in claimed(rows(93.0, 0.13, held=True)).values()] == [False]  # a process more is in that


def test_who_cannot_be_held_to_less_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def found(*without: str) -> list[str]:
        layers, run = bert.weights(1), random(2, 4, bert.HIDDEN)
        return [r.name for r in quantised_rivals.bert_rivals(layers, bert.HEADS, 1e-12, 1, [run], without)]

    monkeypatch.setattr(quantised_rivals, "missing", lambda: ["openvino", "torch"])
    monkeypatch.setattr(quantised_rivals, "_OnnxRuntime", lambda *_: SimpleNamespace(name=ONNXRUNTIME))
    monkeypatch.setattr(quantised_rivals, "ranges_of_rows", lambda *_: b"")
    assert found() == [ONNXRUNTIME]
    assert not found(ONNXRUNTIME)


@pytest.mark.slow
def test_rivals_compute_the_model_to_what_8_bits_lose() -> None:
    weights, x = bert.weights(1), random(1, 5, bert.HIDDEN)
    wanted = evaluate(bert.bert(1), [x])
    assert isinstance(wanted, np.ndarray)
    runs = [random(2, 4, bert.HIDDEN), random(3, 16, bert.HIDDEN)]
    found = quantised_rivals.bert_rivals(weights, bert.HEADS, 1e-12, 1, runs)
    assert len(found) == len(quantised_rivals.RIVALS) - len(quantised_rivals.missing())
    for rival in found:
        for way in rival.ways(x):
            way.call()
            off = np.linalg.norm(np.ravel(way.result()) - np.ravel(wanted)) / np.linalg.norm(wanted)
            assert 1e-4 < off < 0.05, way.label
