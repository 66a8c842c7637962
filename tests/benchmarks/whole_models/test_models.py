"""The floors of the benchmark of models, from invented rows; and that rivals compute what the models mean."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import bert
import decoder
import lstm
import numpy as np
import pytest
import tree_lstm

import anytile
from anytile.compiler.evaluate import evaluate
from anytile.compiler.module import Module
from anytile.vm.executable import Executable
from anytile.vm.program.executable import KERNEL, SHAPE, KernelEntry
from benchmarks.measure.harness import Claim, Row
from benchmarks.rivals import model_rivals
from benchmarks.rivals.dense_rivals import Way, missing
from benchmarks.rivals.model_rivals import Field, bert_field, decoder_field, lstm_field, tree_lstm_field
from benchmarks.whole_models import models
from tests.support.cases.compiled_modules import node, random


def _rows(case: dict[str, Any], **seconds: float) -> Iterator[Row]:
    for name, value in seconds.items():
        yield Row(case, name.replace("_", "."), value, 0.0, 0.0, 7)


def _bert(t: int, **seconds: float) -> Iterator[Row]:
    return _rows({"model": "bert", "layers": 12, "t": t}, **seconds)


def _lstm(layers: int, **seconds: float) -> Iterator[Row]:
    return _rows({"model": "lstm", "layers": layers, "sequences": 4, "tokens": 200}, **seconds)


def _tree(**seconds: float) -> Iterator[Row]:
    return _rows({"model": "tree-lstm", "trees": 4, "tokens": 80}, **seconds)


def test_every_length_of_bert_counts_once_against_its_best_rival() -> None:
    stream = _rows({"model": "bert", "layers": 12, "sequences": 4, "tokens": 200}, anytile=9, torch=1)
    rows = [*_bert(1, anytile=1, torch=8, torch_compile=2), *_bert(8, anytile=1, torch=4.5, onnxruntime=4.5), *stream]
    mean, worst = models.claims(rows)
    assert (mean.value, worst.value) == (pytest.approx(3.0), pytest.approx(2.0))
    assert mean.ok
    assert worst.ok
    mean, worst = models.claims([*_bert(1, anytile=1, torch=1.2), *_bert(8, anytile=1, torch=1.2, onnxruntime=1.09)])
    assert not mean.ok
    assert not worst.ok


def test_an_lstm_is_held_against_all_but_the_hand_made_kernel_of_torch() -> None:
    def rows(best: float) -> list[Row]:
        one = _rows({"model": "lstm", "layers": 1}, anytile=1, torch=3, onnxruntime=best)
        other = [Row({"model": "lstm", "layers": 1}, model_rivals.NN_LSTM, 0.1, 0.0, 0.0, 7)]
        return [*one, *other, *_lstm(2, anytile=1, torch=9, torch_compile=best)]

    assert [(c.value, c.ok) for c in models.claims(rows(1.7))] == [(1.7, True), (1.7, True)]
    assert [c.ok for c in models.claims(rows(1.5))] == [False, False]


@pytest.mark.parametrize(("seconds", "ok"), [(12.1, True), (11.9, False)])
def test_a_tree_lstm_is_held_against_torch(seconds: float, ok: bool) -> None:
    (claim,) = models.claims(_tree(anytile=1, torch=seconds))
    assert claim == Claim(claim.claim, seconds, 12.0)
    assert claim.ok is ok


def test_nothing_is_claimed_without_rivals() -> None:
    assert models.claims([*_bert(1, anytile=1), *_lstm(1, anytile=1), *_tree(anytile=1)]) == []


def test_drawn_lengths_are_as_promised() -> None:
    for count, bounds in ((12, models.SEQUENCE), (16, models.SEQUENCE), (24, models.TREE)):
        lengths = models.drawn(count, *bounds)
        shortest, longest, mean = bounds
        assert len(lengths) == count
        assert shortest <= min(lengths) < mean < max(lengths) <= longest
        assert np.mean(lengths) == pytest.approx(mean, abs=1)
        assert lengths == models.drawn(count, *bounds) != sorted(lengths)


def _check(field: Field, module: Module, given: list[Any], meant: list[Any] | None = None) -> set[str]:
    """Every way of every rival computes what the evaluator says; the names of the rivals that there are."""
    for x, args in zip(given, meant or given, strict=True):
        wanted = np.ravel(evaluate(module, (args,)))
        for rival in field.rivals:
            for way in rival.ways(x):
                way.call()
                got = np.ravel(way.result())
                np.testing.assert_allclose(got, wanted, atol=2e-5, rtol=1e-4, err_msg=f"{rival.name} {way.label}")
    return {rival.name for rival in field.rivals}


@pytest.fixture
def uncompiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """torch.compile takes a C++ compiler and a minute; the benchmark itself checks what it computes."""
    monkeypatch.setattr(model_rivals, "no_compiler", lambda: "against torch.compile: not here")


def _expected(*names: str) -> set[str]:
    needed = {name for name in names if name.partition(" ")[0] not in missing()}
    if not needed:
        pytest.skip("no rival is installed")
    return needed


@pytest.mark.slow
@pytest.mark.usefixtures("uncompiled")
def test_rivals_of_bert_compute_what_it_means() -> None:
    expected = _expected("torch", "onnxruntime", "openvino")
    field = bert_field(bert.weights(1), bert.HEADS, models.EPS, 1)
    given = [random(tokens, tokens, bert.HIDDEN) for tokens in (1, 5)]
    assert _check(field, bert.bert(1), given) == expected
    assert field.unmeasured == (["against torch.compile: not here"] if "torch" in expected else [])


@pytest.mark.slow
@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize("layers", [1, 2])
def test_rivals_of_the_lstm_compute_what_it_means(layers: int) -> None:
    expected = _expected("torch", "torch nn.LSTM", "onnxruntime", "openvino")
    field = lstm_field(lstm.weights(layers), 1)
    assert _check(field, lstm.lstm(layers), [random(steps, steps, lstm.INPUT) for steps in (1, 4)]) == expected


def test_the_rival_of_the_tree_lstm_computes_what_it_means() -> None:
    expected = _expected("torch")

    def meant(name: str, *fields: Any) -> Any:
        return node("Trees" if name in ("Nil", "Cons") else "Tree", name, *fields)

    trees = [
        [tree_lstm.random_tree(leaves, np.random.default_rng(leaves), make) for leaves in (1, 2, 6)]
        for make in (anytile.Data, meant)
    ]
    assert _check(tree_lstm_field(tree_lstm.weights(), 1), tree_lstm.tree_lstm(), *trees) == expected


def test_the_rival_of_the_decoder_computes_what_it_means() -> None:
    expected = _expected("torch")
    field = decoder_field(*decoder.weights(1), decoder.HEADS, 1)
    assert len(field.rivals[0].ways((1, 2))) == 2
    module = decoder.decoder(1)
    for given in ((np.int64(3), np.int64(1)), (np.int64(7), np.int64(9))):
        wanted = evaluate(module, given)
        for rival in field.rivals:
            for way in rival.ways(given):
                way.call()
                np.testing.assert_array_equal(way.result(), wanted, err_msg=way.label)
    assert {rival.name for rival in field.rivals} == expected


def test_inputs_of_several_values_are_given_as_such() -> None:
    point = models.Point({"model": "decoder"}, [(2, 3)], 3)
    (ours,) = models.contenders(point, lambda a, b: np.full(b, a), [])  # type: ignore[arg-type]  # stands in for a session
    assert ours.name == "anytile"


def test_a_decoder_has_no_floor() -> None:
    rows = _rows({"model": "decoder", "layers": 2, "sequences": 2, "tokens": 30}, anytile=2, torch=1)
    assert models.claims(rows) == []


def test_nobody_is_timed_who_is_wrong() -> None:
    point = models.Point({"model": "lstm"}, [np.ones(3), np.ones(2)], 5)

    def rival(off: float) -> Any:
        ways = lambda x: [Way("way", lambda: x, lambda: x + off)]  # noqa: E731
        return SimpleNamespace(name="rival", ways=ways)

    def session(x: Any) -> Any:
        return x

    assert [s.name for s in models.contenders(point, session, [rival(1e-5)])] == ["anytile", "rival"]  # type: ignore[arg-type]
    with pytest.raises(SystemExit, match=r"anytile and rival \(way\) differ by 0.5 at model=lstm"):
        models.contenders(point, session, [rival(0.5)])  # type: ignore[arg-type]


def test_rows_say_how_well_their_plans_are_known() -> None:
    kernels = [
        KernelEntry(name, kind, "", rung=rung)
        for name, kind, rung in (
            ("a", KERNEL, "exact"),
            ("b", KERNEL, "default"),
            ("c", KERNEL, "exact"),
            ("d", SHAPE, ""),
        )
    ]
    assert models.rungs(Executable("llvm", (), kernels=tuple(kernels))) == "2 exact, 1 default"
