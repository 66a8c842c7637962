"""What a plan's configs keep small: the mean loss over the sizes, or the loss at the worst of them."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from anytile.core.errors import SpecError
from anytile.db.records.records import Status
from anytile.db.store import Store
from anytile.dispatch.plans.matrix import Matrix, Row
from anytile.dispatch.plans.why import why
from anytile.schedules.plans.plan import DispatchPlan
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any
from anytile.tuner.campaign import run_campaign
from anytile.tuner.protocol.candidate import Candidate, Point
from anytile.tuner.requests.request import TuneRequest
from anytile.tuner.settle.duels import contestants, losses_by
from tests.support.stand_ins import synthetic_campaign as world

pytestmark = pytest.mark.usefixtures("landscape")

W = dense(Any("m"), 768, 768)
SIZES = (1, 4, 16, 64, 256)


class Runner(world.LandscapeRunner):
    """One order of loops is the best but for one row, where it is hopeless; another is good everywhere."""

    def samples(self, candidate: Candidate, point: Point, kind: str, count: int, drift: float) -> tuple[float, ...]:
        m, values = dict(point).get("m", 64), dict(candidate.config.values)
        order = values.get("order", "a library")
        factor = {"nm": 3.0 if m == 1 else 1.0, "blocked": 1.3}.get(str(order), 9.0)
        return (1e-6 * (m + 9) * factor,) * count


def plan_by(objective: str, folder: Path) -> DispatchPlan:
    asked = world.request(
        strategy="random", trials=60, top_k=60, cross_sizes=SIZES, portfolio=1, objective=objective, cold=True
    )
    with Store.open(str(folder / f"{objective}.db")) as store:
        plan = run_campaign(store, Runner(fate=lambda config, m: Status.OK), asked).plans[W]
        (campaign,) = store.campaigns()
        assert TuneRequest.of(campaign) == asked
        return plan


@pytest.mark.slow
def test_a_campaign_chooses_by_what_it_was_asked_for(tmp_path: Path) -> None:
    mean, worst = plan_by("geomean", tmp_path), plan_by("regret", tmp_path)
    assert [v.config["order"] for v in mean.variants] == ["nm"]
    assert [v.config["order"] for v in worst.variants] == ["blocked"]
    assert worst.notes["chosen_by"] == "regret"
    assert worst.notes["regret"]["worst"] == pytest.approx(1.3, abs=0.01)
    said = r"chosen by its worst cross-evaluated size: at m=\d+ the plan is 30.0% from the best there\.$"
    assert re.search(said, why(worst, 64))
    assert "minimax regret" in " ".join(worst.notes["decisions"])
    assert "chosen by its worst" not in why(mean, 64)


def test_who_loses_least_at_worst_is_among_those_who_meet() -> None:
    """Neither the best on average nor the best anywhere."""
    seconds = ((1.0, 1.0, 3.0), (3.0, 1.0, 1.0), (1.5, 1.5, 1.5))
    rows = tuple(Row("t", Config.of(knob=i), 8) for i in range(3))
    matrix = Matrix((1, 16, 256), rows, tuple(tuple((s,) for s in row) for row in seconds))
    assert set(contestants(matrix)) == {0, 1}
    assert contestants(matrix, "regret")[0] == 2
    hole = Matrix((1, 16), rows[:2], (((1.0,), ()), ((2.0,), (2.0,))))
    assert losses_by("regret", hole).tolist() == [math.inf, pytest.approx(math.log(2))]


def test_an_objective_has_a_name() -> None:
    with pytest.raises(SpecError, match="no objective 'luck'; expected geomean, regret"):
        world.request(objective="luck")
