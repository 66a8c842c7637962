"""Challengers: who is fast at other sizes than the searched one is found, at a price, and the same by every replay."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any as Anything

import pytest

from anytile.db.records.records import Status, Trial
from anytile.db.store import Store
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any
from anytile.tuner.campaign import resume_campaign, run_campaign
from anytile.tuner.ledger import events
from anytile.tuner.ledger.budget import Budget, Deadline
from anytile.tuner.ledger.interrupts import Stop
from anytile.tuner.protocol.candidate import Candidate, Contender, Point, contender_of
from anytile.tuner.runners.replay import ReplayRunner
from anytile.tuner.settle import challengers
from anytile.tuner.settle.challengers import ROUND, ROUNDS, challenged
from tests.support.stand_ins import synthetic_campaign as world

pytestmark = pytest.mark.usefixtures("landscape")

W = dense(Any("m"), 768, 768)


def two_faced(config: Config, m: int) -> float:
    """At many rows wide tiles and long steps win; at few, narrow ones with short steps, by far."""
    if "name" in dict(config.values):
        return 1.0
    tile, width, unroll = config.int("tile"), config.int("width"), config.int("unroll")
    order = {"mn": 1.0, "nm": 1.02, "blocked": 1.04}[str(config["order"])]
    large = 1 + 0.2 * abs(width - 4) + 0.2 * abs(math.log2(unroll) - 3) + 0.1 * abs(tile - 12)
    few = 1 + 0.3 * abs(width - 1) + 0.2 * abs(math.log2(unroll)) + 0.1 * abs(tile - 2)
    share = min(1.0, math.log2(max(m, 1)) / 6)
    return 1e-6 * m * order * (share * large + (1 - share) * few)


class TwoFaced(world.LandscapeRunner):  # type: ignore[misc]  # the world is loaded by hand
    """Times by the law above; nothing fails."""

    def samples(self, candidate: Candidate, point: Point, kind: str, count: int, drift: float) -> tuple[float, ...]:
        m = dict(point).get("m", 64)
        seconds = two_faced(candidate.config, m) * drift
        return tuple(seconds * (1 + 0.002 * world.dice(kind, candidate.config, m, i)) for i in range(count))


def runner() -> Anything:
    return TwoFaced(fate=lambda config, m: Status.OK)


def asked(**changes: object) -> Anything:
    chosen = {"strategy": "evolve", "trials": 48, "top_k": 12, "cross_sizes": (1, 4, 16, 64, 256), "cold": True}
    return world.request(**{**chosen, **changes})


def loss(store: Store, m: int) -> float:
    """By how much the fastest cross-evaluated config misses the fastest there is."""
    space = world.Landscape().space(W, world.TARGET)
    found = min(two_faced(t.config, m) for t in store.trials(kind="cross") if t.point == {"m": m})
    return found / min(two_faced(config, m) for config in space) - 1


def what(store: Store) -> list[tuple[Anything, ...]]:
    ordered = sorted(store.trials(), key=lambda t: t.seed_order)
    return [(t.seed_order, t.kind, str(contender_of(t)), t.point, t.samples) for t in ordered]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, landscape: None) -> Iterator[Store]:
    with Store.open(str(tmp_path_factory.mktemp("whole") / "tuning.db")) as store:
        run_campaign(store, runner(), asked())
        yield store


def added(store: Store) -> set[Contender]:
    """Who was cross-evaluated and neither searched nor what runs untuned."""
    untuned = Contender(world.NAME, world.Landscape().default(W, world.TARGET))
    return (
        {contender_of(t) for t in store.trials(kind="cross")}
        - {contender_of(t) for t in store.trials(kind="search")}
        - {untuned}
    )


@pytest.mark.slow
def test_what_wins_at_few_rows_is_found(whole: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The search looks at 64 rows, and none of its finalists is near the best at one."""
    assert loss(whole, 1) < 0.05
    assert 0 < len(added(whole)) <= ROUND * ROUNDS * 3
    monkeypatch.setattr(challengers, "ROUNDS", 0)
    with Store.open(str(tmp_path / "without.db")) as store:
        run_campaign(store, runner(), asked())
        assert loss(store, 1) > 0.2


@pytest.mark.slow
def test_a_search_by_chance_has_no_challengers(tmp_path: Path) -> None:
    with Store.open(str(tmp_path / "random.db")) as store:
        run_campaign(store, runner(), asked(strategy="random"))
        assert not added(store)


@pytest.mark.slow
@pytest.mark.parametrize("trials", [2, 17])
def test_few_trials_have_few_challengers(tmp_path: Path, trials: int) -> None:
    """Who asks for two configs on a toy shape is not to wait for hundreds."""
    with Store.open(str(tmp_path / "few.db")) as store:
        run_campaign(store, runner(), asked(trials=trials))
        assert len(added(store)) <= 3 * trials
        assert (
            len({contender_of(t) for t in store.trials()}) <= 4 * trials + 2
        )  # and what runs untuned, and the library


@pytest.mark.slow
def test_sizes_that_never_occur_are_not_worth_a_challenge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    challenged_at: list[Sequence[int]] = []

    def listen(contenders: Sequence[Contender], sizes: Sequence[int], *rest: object) -> list[Contender]:
        challenged_at.append(sizes)
        return list(contenders)

    monkeypatch.setattr(challengers, "challenged", listen)
    with Store.open(str(tmp_path / "weighted.db")) as store:
        run_campaign(store, runner(), asked(weights={15: 1.0, 300: 2.0}))
    assert challenged_at == [[16]]


@pytest.mark.slow
def test_replays_have_the_same_challengers(tmp_path: Path) -> None:
    space, sizes = world.Landscape().space(W, world.TARGET), (1, 4, 16, 64, 256)
    points = tuple((("m", m),) for m in sizes)
    trials = []
    for number, config in enumerate(space):
        outcome = runner().outcome(Candidate(W, world.TARGET, world.NAME, config, points, number))
        trials += [
            Trial(W, world.TARGET, world.NAME, config, dict(t.point), t.status, t.samples, seed_order=number)
            for t in outcome.timings
        ]
    found = []
    for number in range(2):
        with Store.open(str(tmp_path / f"replay{number}.db")) as store:
            run_campaign(store, ReplayRunner(reversed(trials) if number else trials), asked())
            assert added(store)
            assert loss(store, 1) < 0.05
            found.append(what(store))
    assert found[0] == found[1]


@pytest.mark.slow
@pytest.mark.parametrize("part", [0.3, 0.6])
def test_a_resumed_campaign_has_the_same_challengers(whole: Store, tmp_path: Path, part: float) -> None:
    expected = what(whole)
    crossed = [row[0] for row in expected if row[1] == "cross"]
    last = crossed[int(len(crossed) * part)]
    stop = Stop()

    def listen(event: events.Event) -> None:
        if isinstance(event, events.TrialDone) and event.number == last:
            stop.ask("enough seen")

    with Store.open(str(tmp_path / "parts.db")) as store:
        first = run_campaign(store, runner(), asked(), listen, stop)
        assert first.state == "interrupted"
        assert resume_campaign(store, runner(), first.campaign_id).state == "finished"
        assert what(store) == expected


# The rounds alone


class Field:
    """Ways numbered by their config; `seconds(number, size)` is the law."""

    def __init__(self, moves: dict[tuple[str, int], list[int]], time_for: int = 10_000) -> None:
        self.rows: dict[tuple[Contender, int], Trial] = {}
        self.moves, self.time_for = moves, time_for
        self.asked: list[tuple[str, int, int, int]] = []

    def measure(self, contenders: Sequence[Contender]) -> bool:
        for contender in contenders:
            if self.time_for == 0:
                return False
            self.time_for -= 1
            for size in (1, 8):
                number = contender.config.int("n")
                status = Status.CRASHED if number == 13 else Status.OK
                seconds = 1.0 / number if size == 1 else float(number)
                row = Trial(W, world.TARGET, contender.template, contender.config, {"m": size}, status, (seconds,))
                self.rows[contender, size] = row
        return True

    def propose(self, name: str, size: int, there: Sequence[Trial], count: int) -> Sequence[Contender]:
        self.asked.append((name, size, len(there), count))
        line = self.moves.get((name, size), [])
        return [contender(name, line.pop(0)) for _ in range(min(2, len(line)))]


def contender(name: str, number: int) -> Contender:
    return Contender(name, Config.of(n=number))


def rounds(field: Field, contenders: Sequence[Contender], most: int = ROUND * ROUNDS) -> list[str]:
    field.measure(contenders)
    found = challenged(contenders, (1, 8), lambda: field.rows, field.propose, field.measure, most)
    assert found[: len(contenders)] == list(contenders)
    return [f"{w.template}{w.config.int('n')}" for w in found[len(contenders) :]]


def test_a_size_goes_on_as_long_as_it_gains() -> None:
    field = Field({("a", 1): [5, 6, 7, 8, 3, 4, 99, 98], ("a", 8): [13]})
    assert rounds(field, [contender("a", 4), contender("a", 13)]) == ["a5", "a6", "a7", "a8", "a3"]
    assert field.asked == [("a", 1, 2, ROUND), ("a", 8, 4, ROUND), ("a", 1, 4, ROUND), ("a", 1, 6, ROUND)]


def test_templates_share_a_round_and_nobody_comes_twice() -> None:
    field = Field({("a", 1): [5, 4], ("b", 1): [6, 7]})
    assert rounds(field, [contender("a", 4), contender("b", 4)]) == ["a5", "b6", "b7"]
    assert {count for _, _, _, count in field.asked} == {ROUND // 2}


@pytest.mark.parametrize("most", range(1, 6))
def test_no_more_challenge_than_may(most: int) -> None:
    field = Field({("a", 1): [5, 6, 7, 8, 3, 4]})
    assert rounds(field, [contender("a", 4)], most) == ["a5", "a6", "a7", "a8", "a3"][:most]
    assert len(field.asked) <= most + 1


def test_when_the_time_is_up_it_is() -> None:
    field = Field({("a", 1): [5, 6, 7, 8], ("a", 8): [1, 2]}, time_for=3)
    assert rounds(field, [contender("a", 4)]) == ["a5", "a6", "a1", "a2"]
    assert len({w for w, _ in field.rows}) == 3
    assert [size for _, size, _, _ in field.asked] == [1, 8]


def test_a_part_of_the_time() -> None:
    now = [0.0]
    budget = Budget(100.0, clock=lambda: now[0])
    deadline = Deadline(budget, 40.0, 60.0)
    now[0] = 10.0
    assert deadline.sooner(1 / 3) == Deadline(budget, 20.0, 20.0)
    now[0] = 50.0
    assert deadline.sooner(1 / 3).passed()
    assert Deadline(budget, None, None).sooner(0.5).at is None


def test_without_contenders_nobody_is_asked() -> None:
    def asked_of(*given: object) -> Anything:
        raise AssertionError(f"asked for {given}")

    assert challenged([], (1, 16), asked_of, asked_of, asked_of) == []
