"""The floors of imported models, from invented rows; who computes something else is left out; a network in small."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from anytile.core.errors import SpecError
from benchmarks.measure.harness import Report, Row
from benchmarks.rivals.dense_rivals import Way, missing
from benchmarks.whole_models import imported


def _rows(model: str, size: int, **seconds: float) -> Iterator[Row]:
    for name, value in seconds.items():
        yield Row({"model": model, "tokens": size, "plans": "1 exact"}, name.replace("_", "."), value, 0.0, 0.0, 7)


def test_every_model_counts_once_however_many_points_it_has() -> None:
    rows = [*_rows("gpt2", 1, anytile=1, torch=9, torch_compile=2), *_rows("gpt2", 7, anytile=1, onnxruntime=2)]
    rows += [*_rows("gpt2", 50, anytile=1, openvino=2), *_rows("vit-b", 1, anytile=1, torch=3, openvino=0.95)]
    mean, worst = imported.claims(rows)
    assert mean.value == pytest.approx((2 * 0.95) ** 0.5)
    assert worst.value == pytest.approx(0.95)
    assert mean.ok
    assert worst.ok
    rows += _rows("bert", 1, anytile=1, torch=0.89)
    assert [claim.ok for claim in imported.claims(rows)] == [True, False]
    assert imported.claims(_rows("gpt2", 1, anytile=1)) == []


def test_each_way_in_has_floors_of_its_own() -> None:
    rows = [*_rows("gpt2", 1, anytile=1, torch=2, **{"anytile, torch.export": 4})]
    found = {claim.claim: claim.value for claim in imported.claims(rows)}
    assert found["imported models against the best rival: worst model"] == pytest.approx(2)
    assert found["imported models by torch.export against the best rival: worst model"] == pytest.approx(0.5)
    assert len(found) == 4


def test_how_far_results_are_is_said_of_the_worst_of_them() -> None:
    wanted = [np.array([[100.0, 1.0]], np.float32), np.array([0.01, 0.0], np.float32)]
    assert imported.apart(np.array([100.0, 1.0, 0.01, 0.0], np.float32), wanted) == 0
    assert imported.apart(np.array([100.0, 1.0, 0.01, 0.002], np.float32), wanted) == pytest.approx(0.2)
    assert not imported.apart(np.array([np.nan, 1.0, 0.01, 0.0], np.float32), wanted) <= imported.TOLERANCE


def test_only_what_was_asked_for_and_is_installed_takes_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imported, "missing", lambda: ["openvino"])
    monkeypatch.setattr(imported, "no_compiler", lambda: "against torch.compile: not here")
    report, network = Report({}), SimpleNamespace(name="gpt2")
    asked = imported.asked(report, SimpleNamespace(rival=None), network)  # type: ignore[arg-type]  # stand-ins
    assert list(asked) == ["torch", "onnxruntime"]
    assert report.unmeasured == ["gpt2 against torch.compile: not here"]
    only = imported.asked(report, SimpleNamespace(rival=["onnxruntime"]), network)  # type: ignore[arg-type]
    assert list(only) == ["onnxruntime"]


@pytest.fixture
def torch() -> Any:
    if lacking := [name for name in imported.WRITERS if imported.find_spec(name) is None]:
        pytest.skip(f"not installed: {', '.join(lacking)}")
    return imported.fresh(1)


def _rival(off: float) -> imported.Contender:
    way = Way("way", lambda: None, lambda: np.full((1, 2), 4 + off, np.float32))
    return imported.Contender(f"off by {off:g}", lambda given, results: [way])


def test_nobody_is_timed_who_is_wrong(torch: Any) -> None:
    report, x = Report({}), torch.ones(1, 2)

    def systems(ours: float) -> list[str]:
        own = [imported.Contender("anytile", imported.by_session(torch, lambda array: array * ours))]  # type: ignore[arg-type]
        field = [_rival(1e-5), _rival(0.5)]
        case = {"model": "gpt2", "tokens": 1, "plans": ""}
        made = imported.contenders(report, torch, lambda x: x * 4, case, (x,), own, field)
        return [system.name for system in made]

    assert systems(4) == ["anytile", "off by 1e-05"]
    (line,) = report.unmeasured
    assert line.startswith("model gpt2, tokens 1 against off by 0.5 (way, which computes something else: 0.125")
    with pytest.raises(SystemExit, match="model gpt2, tokens 1: anytile and torch differ by 0.25"):
        systems(3)


def test_what_is_kept_is_neither_measured_nor_tuned_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same command, given again, goes on where time was over; on another machine nothing of it counts."""
    monkeypatch.setattr(imported, "WRITERS", ())
    networks = {name: SimpleNamespace(name=name, what="tokens", sizes=(1, 7, 50)) for name in imported.NAMES}
    monkeypatch.setitem(
        sys.modules, "benchmarks.subjects.imported_models", SimpleNamespace(networks=lambda quick: networks)
    )
    done: list[tuple[str, object]] = []

    def network(report: Report, options: Any, network: Any, sizes: Any, folder: Path, before: Any) -> None:
        if network.name not in before.tuned:
            done.append((network.name, "tuned"))
            before.add_tuned(network.name)
        for size in sizes:
            if size != sizes[0] and before.is_over(f"{network.name} at {size}"):
                return
            done.append((network.name, size))
            report.rows += (rows := list(_rows(network.name, size, anytile=1, torch=2)))
            before.add(rows, [f"{network.name} {size} against another"])
            report.started -= 200

    monkeypatch.setattr(imported, "measure_network", network)
    asked = {"model": ["gpt2", "bert"], "rival": None, "front_end": None, "keep": tmp_path / "kept", "within": "5m"}
    options: Any = SimpleNamespace(quick=False, tune="5m", db="d", threads=1, **asked)

    slow = 0

    def piece(cpu: str = "one") -> tuple[list[tuple[str, object]], Report]:
        done.clear()
        report = Report({"cpu": cpu})
        report.started -= slow
        imported.measure(report, options)
        return list(done), report

    first, report = piece()
    assert first == [("gpt2", "tuned"), ("gpt2", 1), ("gpt2", 7)]
    assert any(what.startswith("gpt2 at 50") for what in report.unmeasured)
    assert any(what.startswith("bert at 1, 7, 50 tokens: --within was over") for what in report.unmeasured)
    assert piece()[0] == [("gpt2", 50), ("bert", "tuned"), ("bert", 1)]
    slow = 400  # more than all of the time, before anything is begun
    assert piece()[0] == [("bert", 7)]
    slow = 0
    assert piece()[0] == [("bert", 50)]
    last, report = piece()
    assert last == []
    found = [(row.case["model"], row.case["tokens"], row.system) for row in report.rows]
    assert found == [(m, n, s) for m in ("gpt2", "bert") for n in (1, 7, 50) for s in ("anytile", "torch")]
    assert report.unmeasured == [f"{m} {n} against another" for m in ("gpt2", "bert") for n in (1, 7, 50)]
    assert len(piece("another")[0]) == 3
    options.db = None
    with pytest.raises(SpecError, match="--keep with --tune: what one run tunes another needs; name a database"):
        piece()
    capsys.readouterr()


@pytest.mark.slow
@pytest.mark.usefixtures("torch")
def test_a_network_comes_in_and_meets_its_rivals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imported, "no_compiler", lambda: "against torch.compile: not here")
    asked = {"model": ["whisper-tiny"], "rival": None, "front_end": None, "keep": None, "within": None}
    options = SimpleNamespace(quick=True, tune=None, db=None, threads=1, **asked)
    report = Report({})
    imported.measure(report, options)  # type: ignore[arg-type]  # stands in for what argparse reads
    names = {
        *imported.WAYS_IN.values(),
        *(name for name in ("torch", "onnxruntime", "openvino") if name not in missing()),
    }
    assert {row.system for row in report.rows} == names
    assert [row.case["sounds"] for row in report.rows if row.system == "anytile"] == [1, 3]
    assert all(row.gflops > 0 for row in report.rows)
