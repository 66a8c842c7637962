"""Record, tune, compile again: from `run --record-shapes` by `tune --weights-from` to the plan that a model gets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import anytile
from anytile.cli import main
from anytile.compiler.compile import DatabasePlanner
from anytile.compiler.pipeline import compiled
from anytile.compiler.text.file import read_module
from anytile.core.errors import SpecError
from anytile.db.records.records import Trial
from anytile.db.store import Store
from anytile.schedules.plans.plan import DispatchPlan
from anytile.schedules.workloads.workload import Workload, parse_shape
from anytile.tuner.protocol.candidate import Candidate
from anytile.tuner.requests.request import CROSS_SIZES, TuneRequest
from anytile.vm.profile import ShapeHistogram
from tests.support.stand_ins import synthetic_campaign as world

TEXT = """
const $w: Tensor[(8, 16), float32];
def main(x: Tensor[(?t, 16), float32]) -> Tensor[(?t, 8), float32] { relu(dense(x, $w)) }
"""
DENSE, OTHER = "m=?,n=8,k=16", "m=?,n=8,k=17"
ANCHOR, NEVER_MET = (parse_shape("dense", text).with_const(["w"]) for text in (DENSE, OTHER))
REPLAY = ("--runner", "replay", "--search", "random", "--template", world.NAME, "--trials", "24", "--quiet")
Say = Callable[..., tuple[int, str, str]]


def measured(workload: Workload) -> list[Trial]:
    """A known landscape at the sizes that a campaign looks at, as if it had been measured."""
    points = tuple((("m", m),) for m in (5, 75, *CROSS_SIZES))
    found = []
    for number, config in enumerate(world.Landscape().space(workload, world.TARGET)):
        candidate = Candidate(workload, world.TARGET, world.NAME, config, points, number)
        found += [
            Trial(workload, world.TARGET, world.NAME, config, dict(t.point), t.status, t.samples, seed_order=number)
            for t in world.LandscapeRunner().outcome(candidate).timings
        ]
    return found


@pytest.fixture
def landscape() -> Iterator[None]:
    with world.registered(world.Landscape()):
        yield


@pytest.fixture
def say(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Say:
    monkeypatch.setenv("ANYTILE_DB", str(tmp_path / "tuning.db"))

    def said(*words: object) -> tuple[int, str, str]:
        code = main.run(main.umbrella(), list(map(str, words)), "anytile")
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return said


def recording(path: Path, **counts: dict[tuple[int, ...], int]) -> Path:
    path.write_text(ShapeHistogram(counts).to_json())
    return path


@pytest.mark.slow
def test_record_tune_compile_again(say: Say, tmp_path: Path, landscape: None) -> None:
    model, shapes = tmp_path / "model.txt", tmp_path / "shapes.json"
    model.write_text(TEXT)
    np.savez(tmp_path / "model.npz", w=np.ones((8, 16), np.float32))
    assert say("compile", model, "-o", tmp_path / "model.exe")[0] == 0
    for t in (5, 75, 5):
        words = ("--input", f"x=random:{t}x16", "--record-shapes", shapes)
        assert say("run", tmp_path / "model.exe", *words)[0] == 0
    with Store.open() as store:
        store.add_trials(measured(ANCHOR) + measured(NEVER_MET))
    code, _, err = say("tune", "--shape", OTHER, "--shape", DENSE, "--weights-from", shapes, *REPLAY)
    assert (code, err) == (0, f"{shapes} has no run of {NEVER_MET}, which is tuned without weights\n")
    with Store.open(readonly=True) as store:
        (campaign,) = store.campaigns()
        request = TuneRequest.of(campaign)
        assert request.weights_of(ANCHOR, "m") == {5: 2.0, 75: 1.0}
        assert request.weights_of(NEVER_MET, "m") is None
        assert request.counts == (1.0, (2 * 5 + 75) / 75)
        trials = store.trials(campaign_id=campaign.id)
    searched = {w: {t.point["m"] for t in trials if t.workload == w and t.kind == "search"} for w in request.workloads}
    assert searched == {NEVER_MET: {64}, ANCHOR: {75}}
    profiled = {w: {t.point["m"] for t in trials if t.workload == w and t.kind == "profile"} for w in request.workloads}
    assert 75 in profiled[ANCHOR]
    assert say("tune", "--model", tmp_path / "model.exe", "--weights-from", shapes, *REPLAY)[0] == 0
    exe = compiled(read_module(model), world.TARGET, DatabasePlanner(world.TARGET))  # the landscape's code is none
    (tuned,) = (k for k in exe.kernels if k.workload.startswith("dense"))
    with Store.open(readonly=True) as store:
        assert DispatchPlan.from_json(tuned.plan).notes["campaign"] in {c.id for c in store.campaigns()}
    assert (tuned.rung, Workload.parse(tuned.workload).anchor) == ("exact", ANCHOR)


@pytest.mark.slow
def test_python_weighs_as_the_command_does(
    tmp_path: Path, landscape: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    histogram = ShapeHistogram({str(ANCHOR): {(5,): 2, (75,): 1}})
    path = recording(tmp_path / "shapes.json", **{str(ANCHOR): {(5,): 2, (75,): 1}})
    options = {"target": world.TARGET, "runner": "replay", "search": "random", "template": world.NAME, "trials": 24}
    for source, name in ((histogram, "the recording"), (path, str(path))):
        with Store.open(str(tmp_path / f"{name[-4:]}.db")) as store:
            store.add_trials(measured(ANCHOR) + measured(NEVER_MET))
            result = anytile.tune([NEVER_MET, ANCHOR], db=store, weights_from=source, **options)  # type: ignore[arg-type]
            request = TuneRequest.of(store.campaign(result.campaign_id))
        assert request.weights_of(ANCHOR, "m") == {5: 2.0, 75: 1.0}
        assert request.weights_of(NEVER_MET, "m") is None
        assert capsys.readouterr().err == f"{name} has no run of {NEVER_MET}, which is tuned without weights\n"
    with pytest.raises(SpecError, match=r"^weights_from=\.\.\.: given together with weights; give one"):
        anytile.tune(ANCHOR, weights={3: 1.0}, weights_from=histogram, **options)  # type: ignore[arg-type]
    with pytest.raises(SpecError, match=r"^weights_from=\.\.\.: the recording has no run of"):
        anytile.tune(NEVER_MET, weights_from=histogram, **options)  # type: ignore[arg-type]
    with pytest.raises(SpecError, match="none: the recorded shapes cannot be read"):
        anytile.tune(ANCHOR, weights_from=tmp_path / "none", **options)  # type: ignore[arg-type]


def test_what_cannot_weigh_is_said_in_a_line(say: Say, tmp_path: Path, landscape: None) -> None:
    shapes = recording(tmp_path / "shapes.json", **{str(ANCHOR): {(3,): 2}})
    other = recording(tmp_path / "other.json", **{"softmax(outer=?o, n=3, inner=1)": {(3,): 2}})
    broken = recording(tmp_path / "broken.json", **{str(ANCHOR): {(3, 3): 2}, "dense(": {}})
    (tmp_path / "csv").write_text("m,weight\n1,1\n")
    for words, says in (
        ((shapes, "--weights", tmp_path / "csv"), "csv: given together with --weights-from"),
        ((tmp_path / "none.json",), "none.json: the recorded shapes cannot be read: No such file"),
        ((tmp_path / "csv",), "csv: a shape histogram cannot be read"),
        ((other,), f"other.json: the recording has no run of {ANCHOR}; record the model that is tuned"),
        ((broken,), "broken.json: workload 'dense('"),
    ):
        code, out, err = say("tune", "--shape", DENSE, *REPLAY, "--weights-from", *words)
        assert (code, out) == (2, ""), says
        assert says in err
        assert err.startswith("error: ")
        assert err.count("\n") == 1
    code, _, err = say("tune", "--resume", "last", "--weights-from", shapes)
    assert (code, "goes on as it was started; leave --weights-from out" in err) == (2, True)
    assert not (tmp_path / "tuning.db").exists()
