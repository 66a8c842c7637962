"""A stored cost model comes back as it was, and one that somebody damaged, enlarged or outgrew is refused in a line."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any as Anything

import numpy as np
import pytest

from anytile.codegen.version import CODEGEN_VERSION
from anytile.core.errors import DatabaseError, UnsupportedError
from anytile.db.records.records import StoredModel
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.registry import templates_for
from anytile.schedules.workloads.constructors import softmax
from anytile.schedules.workloads.workload import Any
from anytile.tuner.estimate import document
from anytile.tuner.estimate.document import Kept, from_text, to_text
from anytile.tuner.estimate.learned import Choice
from anytile.tuner.estimate.rank import Ranker, train
from anytile.tuner.estimate.training import Holdout, _reached, answers, grouped
from tests.support.stand_ins.trial_shelf import TARGET, TEMPLATE, Shelf, layer, seconds, trials


@pytest.fixture(scope="module")
def kept() -> Kept:
    return train(Shelf([t for n in (256, 768, 1536, 3072) for t in trials(layer(n), n, 60)]), "llvm")


@pytest.fixture(scope="module")
def text(kept: Kept) -> str:
    return to_text(kept)


@pytest.mark.slow
def test_there_and_back(kept: Kept, text: str) -> None:
    back = from_text(text)
    assert (back.holdout, back.created) == (kept.holdout, kept.created)
    assert to_text(back) == to_text(from_text(to_text(back)))
    for workload in (layer(1024), layer(77)):
        before, after = (k.learned.ranked(workload, TARGET) for k in (kept, back))
        assert [c.config for c in before] == [c.config for c in after]
    assert back.learned.trained_on == 240


def test_what_no_prediction_needs_is_not_kept(kept: Kept, text: str) -> None:
    rows = np.random.default_rng(3).uniform(0, 64, (40, len(kept.learned.columns.names)))
    off = kept.learned.model.predict(rows) - from_text(text).learned.model.predict(rows)
    assert np.ptp(off) < 1e-5  # float32's, added up over trees
    assert len(text) < 0.75 * sum(len(member.to_json()) for member in kept.learned.model.members)


def test_what_it_had_not_seen_is_told(kept: Kept) -> None:
    assert [s.op for s in kept.holdout.shares] == ["dense"] * 4
    assert 0.9 < kept.holdout.worst <= kept.holdout.mean <= 1
    assert Holdout().by_op() == {}


@pytest.mark.slow
def test_what_campaigns_took_further_is_chosen_from() -> None:
    """The fastest of a search at one size may be hopeless at others; what went on to the profile was not."""
    searched = [t for n in (256, 768, 1536, 3072) for t in trials(layer(n), n, 60)]
    further = []
    for n in (256, 768, 1536, 3072):
        second = sorted((t for t in searched if t.workload == layer(n)), key=lambda t: t.corrected)[1]
        further.append(replace(second, id=f"profiled {n}", kind="profile"))
    kept = train(Shelf([*searched, *further]), "llvm")
    assert {*kept.learned.portfolio["dense.cpu"]} == {t.config for t in further}
    assert len(train(Shelf(searched), "llvm").learned.portfolio["dense.cpu"]) > len({t.config for t in further})


@pytest.mark.slow
def test_held_out_it_is_judged_by_the_first_of_its_choices_that_was_measured() -> None:
    """And not by what it says of configs that it would never choose, be they faster."""
    shared = TEMPLATE.space(layer(256), TARGET).sample(random.Random(1), 60)
    fastest, *_, slowest = sorted(seconds(config, 256) for config in shared)
    timed = []
    for n in (256, 768, 1536, 3072):
        for trial, config in zip(trials(layer(n), n, 60), shared, strict=True):
            timed.append(replace(trial, config=config, samples=(seconds(config, 256),), id=f"{n} {config}"))
    further = [replace(t, id=f"further {t.id}", kind="profile") for t in timed if t.corrected == slowest]
    found = train(Shelf([*timed, *further]), "llvm").holdout.shares
    assert [share.share for share in found] == pytest.approx([fastest / slowest] * 4)


def test_held_out_what_it_cannot_tell_apart_is_not_to_its_credit() -> None:
    class Blind:
        def scores(self, workload: Anything, target: Anything, points: Anything, asked: Anything) -> Anything:
            return np.zeros((len(points), len(asked.configs)))

    (group,) = grouped(trials(layer(768), 768, 60))
    assert _reached(Blind(), [], group) == pytest.approx(min(group.seconds) / max(group.seconds))  # type: ignore[arg-type]  # all that it is asked for


def test_held_out_an_operator_that_it_knows_nothing_of_has_its_default(kept: Kept) -> None:
    untried = softmax(outer=Any("n"), n=64)
    (one,) = templates_for(untried, TARGET)
    assert answers(kept.learned, untried, TARGET) == [Choice(0.0, one.name, one.default(untried, TARGET))]


def test_a_stored_model_answers_and_says_how_good_it_is(text: str) -> None:
    shelf = Shelf([], StoredModel("llvm", text))
    rank = Ranker(shelf)
    found = rank(layer(1024), TARGET)
    assert "trained on 240 trials on 20" in found.trust
    assert "on 4 workloads held out its choices reached" in found.trust
    assert rank(layer(77), TARGET).trust == found.trust
    assert (shelf.models_read, shelf.reads) == (1, 0)
    shelf.kept = StoredModel("llvm", text)  # trained again
    rank(layer(1024), TARGET)
    assert shelf.models_read == 2
    with pytest.raises(UnsupportedError, match="learnt nothing of softmax's templates of today"):
        rank(softmax(outer=Any("n"), n=64), TARGET)


@pytest.mark.slow
def test_it_does_not_speak_of_several_threads_where_it_knows_one(text: str) -> None:
    with pytest.raises(UnsupportedError, match="the cost model knows one thread alone, and llvm .* has 3"):
        Ranker(Shelf([], StoredModel("llvm", text)))(layer(768), Target.host(3))


@pytest.mark.slow
def test_too_little_to_train_on() -> None:
    with pytest.raises(UnsupportedError, match="fewer than 16 trials on llvm to learn from; `.*tune` makes some"):
        train(Shelf(trials(layer(768), 768, 8)), "llvm")
    alone = train(Shelf(trials(layer(768), 768, 40)), "llvm")
    assert alone.holdout.shares == ()


def damaged(text: str, change: Callable[[Anything], object]) -> str:
    data = json.loads(text)
    change(data)
    return json.dumps(data)


def trees(data: Anything) -> Anything:
    return data["members"][0]["booster"]["learner"]["gradient_booster"]["model"]["trees"]


FAULTS: dict[str, Callable[[Anything], object]] = {
    "a child before its parent": lambda d: trees(d)[0]["left_children"].__setitem__(2, 0),
    "a child that is not there": lambda d: trees(d)[0]["left_children"].__setitem__(0, 10**6),
    "a parent that is another": lambda d: trees(d)[0]["parents"].__setitem__(1, 1),
    "a split by no column": lambda d: trees(d)[0]["split_indices"].__setitem__(0, 10**6),
    "a split that is infinite": lambda d: trees(d)[0]["split_conditions"].__setitem__(0, 1e39),
    "a list that is shorter": lambda d: trees(d)[0]["base_weights"].pop(),
    "a text among numbers": lambda d: trees(d)[0]["sum_hessian"].__setitem__(0, "1"),
    "no trees": lambda d: trees(d).clear(),
    "too many trees": lambda d: trees(d).extend(trees(d) * 20),
    "columns that it does not have": lambda d: d["columns"].pop(),
    "another booster": lambda d: d["members"][0]["booster"]["learner"]["gradient_booster"].update(name="dart"),
    "no booster at all": lambda d: d["members"][0].update(booster={"learner": []}),
    "no members": lambda d: d["members"].clear(),
    "a scale of nothing": lambda d: d["members"][0].update(scale=0.0),
    "a field that is missing": lambda d: d.pop("sizes"),
    "a field that nobody knows": lambda d: d.update(more=1),
    "an operator without sizes": lambda d: d["sizes"].update(dense=[]),
    "a weight of 400 digits": lambda d: trees(d)[0]["base_weights"].__setitem__(0, 10**400),
    "a day that no calendar has": lambda d: d.update(created=1e300),
    "fewer trials than none": lambda d: d.update(trained_on=-1),
    "a share of nothing": lambda d: d["holdout"][0].update(share=0),
    "a share below nothing": lambda d: d["holdout"][0].update(share=-1.0),
    "a size of 400 digits": lambda d: d["sizes"].update(dense=[10**400]),
    "a word beyond all columns": lambda d: d["words"].update(float32=1e300),
    "thousands of sizes": lambda d: d["sizes"].update(dense=list(range(20_000))),
    "thousands of configs": lambda d: d["portfolio"].update({"dense.cpu": d["portfolio"]["dense.cpu"] * 99}),
    "a scale that rounds to nothing": lambda d: d["members"][0].update(scale=1e-320),
    "a centre far off": lambda d: d["members"][0].update(centre=1e300),
    "a config that is none": lambda d: d["portfolio"].update({"dense.cpu": ["tile_m"]}),
}


@pytest.mark.sampled(10)
@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_damaged_is_refused(text: str, fault: str) -> None:
    with pytest.raises(DatabaseError, match="the cost model cannot be read .*db train` makes it anew"):
        from_text(damaged(text, FAULTS[fault]))


@pytest.mark.parametrize("bad", ["", "{", "[]", "[" * 100_000, '{"format": 9}', '{"format": 1, "created": NaN}'])
def test_what_is_no_model_is_refused(bad: str) -> None:
    with pytest.raises(DatabaseError, match="the cost model cannot be read"):
        from_text(bad)


def test_what_is_too_large_is_refused(text: str, kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "MAX_CHARACTERS", len(text) - 1)
    with pytest.raises(DatabaseError, match="characters; expected"):
        from_text(text)
    with pytest.raises(DatabaseError, match="characters; expected"):
        to_text(kept)


def test_other_versions_are_not_used_and_said(text: str, kept: Kept) -> None:
    other = damaged(text, lambda d: d.update(codegen=CODEGEN_VERSION + 1))
    with pytest.raises(UnsupportedError, match=f"not used: the cost model was made with codegen {CODEGEN_VERSION + 1}"):
        Ranker(Shelf([], StoredModel("llvm", other)))(layer(768), TARGET)
    shelf = Shelf(trials(layer(768), 768, 60), StoredModel("llvm", other))
    assert "not used: the cost model was made with" in Ranker(shelf)(layer(768), TARGET).trust  # one is trained
    older = replace(kept.learned, templates={"dense.cpu": 0})
    with pytest.raises(UnsupportedError, match="learnt nothing of dense's templates of today"):
        older.ranked(layer(768), TARGET)
