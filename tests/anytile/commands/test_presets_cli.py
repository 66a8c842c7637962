"""`--preset` and `preset=`: what reaches the tuner, on the command line and in Python. Nothing is measured."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import anytile
from anytile import api
from anytile.cli.main import run, tune_alone
from anytile.commands.tune_options import rows
from anytile.core.errors import MeasureError, SpecError
from anytile.tuner.presets.requests import model
from anytile.tuner.presets.workloads import PRESETS
from anytile.tuner.requests.request import TuneRequest


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[TuneRequest]:
    """The requests that would have been run."""
    monkeypatch.setenv("ANYTILE_DB", str(tmp_path / "tuning.db"))
    found: list[TuneRequest] = []

    def campaign(store: Any, what: TuneRequest, *rest: Any, **more: Any) -> None:
        found.append(what)
        raise MeasureError("far enough")

    monkeypatch.setattr(api, "campaign", campaign)
    return found


def test_the_help_names_every_preset() -> None:
    (help,) = (row.option.help for row in rows() if row.name == "preset")
    assert help == f"All distinct workloads of a model: {', '.join(PRESETS)}."


def test_a_preset_is_tuned_whole_in_its_own_time(asked: list[TuneRequest]) -> None:
    assert run(tune_alone(), ["--preset", "bert-base", "--quiet"], "tune") != 0
    (request,) = asked
    assert request.workloads == model("bert-base").options(request.target)["workloads"]
    assert request.counts == (12.0,) * 5 + (24.0,)
    assert request.seconds == 285.0
    assert not request.cold


def test_a_budget_that_is_given_is_kept(asked: list[TuneRequest]) -> None:
    for words in (["--time", "20s"], ["--trials", "50"], ["--no-const", "--cold"]):
        run(tune_alone(), ["--preset", "resnet50", *words, "--quiet"], "tune")
    time, trials, cold = asked
    assert (time.seconds, time.trials) == (20.0, None)
    assert (trials.seconds, trials.trials) == (None, 50)
    assert cold.cold
    assert not any(w.const for w in cold.workloads)
    assert cold.representative_point(cold.workloads[0]) == (("n", 1),)


def test_sizes_of_the_search_are_given(asked: list[TuneRequest]) -> None:
    conv = ["--op", "conv2d", "--shape", "n=?,ci=8,h=?h,w=?ww,co=8,kh=3,kw=3"]
    run(tune_alone(), [*conv, "--quiet"], "tune")
    run(tune_alone(), [*conv, "--at", "h=56, ww=48", "--quiet"], "tune")
    run(tune_alone(), ["--preset", "resnet50", "--at", "n=2", "--quiet"], "tune")
    points = [dict(request.representative_point(request.workloads[0])) for request in asked]
    assert points == [{"n": 1, "h": 64, "ww": 64}, {"n": 1, "h": 56, "ww": 48}, {"n": 2}]


def test_without_preset_and_shape_it_is_the_three_dense_of_bert(asked: list[TuneRequest]) -> None:
    run(tune_alone(), ["--quiet"], "tune")
    assert [(w.dim("n"), w.dim("k")) for w in asked[0].workloads] == [(768, 768), (3072, 768), (768, 3072)]
    assert asked[0].counts == ()


def test_in_python(asked: list[TuneRequest]) -> None:
    with pytest.raises(MeasureError):
        anytile.tune(preset="lstm", top_k=7)
    assert asked[0].workloads == model("lstm").options(asked[0].target)["workloads"]
    assert (asked[0].top_k, asked[0].seconds) == (7, 285.0)
    for words in ({}, {"preset": "lstm", "workloads": anytile.dense(m=1, n=2, k=3)}):
        with pytest.raises(SpecError, match="expected either workloads or a preset"):
            anytile.tune(**words)
    with pytest.raises(SpecError, match="preset 'gpt': expected one of"):
        anytile.tune(preset="gpt")
