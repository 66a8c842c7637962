"""The floors of imported models, from invented rows; who computes something else is left out; a network in small."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import imported
import numpy as np
import pytest
from harness import Report, Row
from rivals import Way, missing


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


@pytest.mark.slow
@pytest.mark.usefixtures("torch")
def test_a_network_comes_in_and_meets_its_rivals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imported, "no_compiler", lambda: "against torch.compile: not here")
    asked = {"model": ["whisper-tiny"], "rival": None, "front_end": None}
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
