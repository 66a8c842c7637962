"""Every strategy: deterministic, nothing twice, done when the space is; what evolve makes of what it is given."""

from __future__ import annotations

import itertools
import math
import random
import statistics
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anytile.db.records.records import Status
from anytile.schedules.templates.base.space import Config, ConfigSpace, Constraint, Knob
from anytile.tuner.search import evolve as evolve_module
from anytile.tuner.search.encoding import encode, spread
from anytile.tuner.search.evolve import assess
from anytile.tuner.search.state import Observation, SearchState
from anytile.tuner.search.strategies import STRATEGIES

SPACE = ConfigSpace(
    "toy",
    (
        Knob("rows", tuple(range(1, 13)), ""),
        Knob("columns", (1, 2, 3, 4, 6), ""),
        Knob("block", (0, 64, 256), ""),
        Knob("order", ("mn", "nm", "kn"), ""),
    ),
    (Constraint("registers", "", lambda c: int(c["rows"]) * int(c["columns"]) <= 30),),
)


def seconds(config: Config) -> float:
    """Smooth, with one optimum: rows=8, columns=3, block=64, order=nm."""
    off = (config.int("rows") - 8) ** 2 / 20 + (config.int("columns") - 3) ** 2 / 5
    return 1e-5 * (1.0 + off + 0.1 * (config["block"] != 64) + 0.2 * (config["order"] != "nm"))


def observed(configs: list[Config], fails: frozenset[str] = frozenset(), group: str = "") -> tuple[Observation, ...]:
    return tuple(
        Observation(c, math.inf, Status.CRASHED, group=group)
        if c["order"] in fails
        else Observation(c, seconds(c), group=group)
        for c in configs
    )


def campaign(name: str, trials: int, seed: int = 0, batch: int = 16) -> list[Config]:
    history: tuple[Observation, ...] = ()
    while len(history) < trials:
        proposed = STRATEGIES[name](SearchState(SPACE, history, seed), batch)
        if not proposed:
            break
        history += observed(proposed)
    return [o.config for o in history]


@pytest.mark.parametrize("name", STRATEGIES)
def test_the_same_state_gives_the_same_proposals(name: str) -> None:
    assert campaign(name, 48, seed=3) == campaign(name, 48, seed=3)


@pytest.mark.parametrize("name", ["random", "evolve"])
def test_another_seed_gives_other_proposals(name: str) -> None:
    assert campaign(name, 48, seed=3) != campaign(name, 48, seed=4)


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_space_is_used_up_without_repetition(name: str) -> None:
    tried = campaign(name, 10_000, batch=64)
    assert len(tried) == len(SPACE)
    assert set(tried) == set(SPACE)


@pytest.mark.parametrize("name", STRATEGIES)
def test_an_empty_space_and_a_count_of_nothing(name: str) -> None:
    nothing = ConfigSpace("none", SPACE.knobs, (Constraint("never", "", lambda c: False),))
    assert STRATEGIES[name](SearchState(nothing), 8) == []
    assert STRATEGIES[name](SearchState(SPACE), 0) == []
    one = ConfigSpace("one", (Knob("rows", (4,), ""),))
    assert STRATEGIES[name](SearchState(one), 8) == [Config.of(rows=4)]


@pytest.mark.parametrize("name", ["random", "grid"])
def test_batches_do_not_change_the_order(name: str) -> None:
    assert campaign(name, 64, batch=7)[:60] == campaign(name, 64, batch=20)[:60]


def test_the_beginning_of_a_grid_is_spread_over_the_space() -> None:
    places = sorted(SPACE.index(c) for c in campaign("grid", 32, batch=32))
    gaps = [b - a for a, b in itertools.pairwise(places)]
    assert max(gaps) <= 2.1 * len(SPACE) / 32


@settings(max_examples=25)
@given(st.integers(0, 5), st.integers(1, 40), st.integers(0, 30), st.sets(st.sampled_from(["mn", "nm", "kn"])))
def test_proposals_are_new_distinct_and_valid(seed: int, count: int, known: int, fails: set[str]) -> None:
    history = observed(campaign("random", known, seed=9, batch=max(1, known)) if known else [], frozenset(fails))
    for strategy in STRATEGIES.values():
        proposed = strategy(SearchState(SPACE, history, seed), count)
        assert len(proposed) == len(set(proposed)) == min(count, len(SPACE) - len(history))
        assert all(c in SPACE for c in proposed)
        assert not {o.config for o in history} & set(proposed)


@pytest.mark.parametrize("name", STRATEGIES)
@pytest.mark.parametrize("known", [0, 40])
def test_what_others_are_to_propose_is_left_to_them(name: str, known: int) -> None:
    """Before there is a model and with one; what is left to others is not as if it were tried."""
    history = observed(campaign("random", known, seed=9, batch=max(1, known)) if known else [])
    aside = frozenset(c for i, c in enumerate(SPACE) if i % 3)
    state = SearchState(SPACE, history, aside=aside, seeds=(SPACE[1],))
    proposed = STRATEGIES[name](state, 16)
    assert len(set(proposed)) == 16
    assert not aside & set(proposed)
    assert state.tried == {o.config for o in history}
    assert len(STRATEGIES[name](state, 10_000)) == state.left == len(set(SPACE) - aside - state.tried)


def test_evolve_starts_from_the_seeds_in_their_order() -> None:
    seeds = (SPACE[100], SPACE[5], Config.of(unknown=1))
    assert STRATEGIES["evolve"](SearchState(SPACE, seeds=seeds), 16)[:2] == [SPACE[100], SPACE[5]]


def test_evolve_tries_early_what_was_best_elsewhere() -> None:
    others = observed(SPACE.sample(random.Random(1), 40), group="a related workload")
    best = min(others, key=lambda o: o.seconds).config
    assert best in STRATEGIES["evolve"](SearchState(SPACE, warm=others), 4)


def test_evolve_looks_near_the_best_while_there_is_no_model() -> None:
    history = observed([SPACE[0], SPACE[200], Config.of(rows=8, columns=3, block=0, order="mn")])
    proposed = STRATEGIES["evolve"](SearchState(SPACE, history), 8)
    near = set(SPACE.neighbours(history[2].config))
    assert len(near & set(proposed)) >= 2


def test_evolve_avoids_what_fails() -> None:
    history = observed(campaign("random", 60, batch=60), frozenset({"nm"}))
    proposed = STRATEGIES["evolve"](SearchState(SPACE, history), 16)
    assert sum(c["order"] == "nm" for c in proposed) <= 1


@pytest.mark.slow
def test_a_share_of_every_batch_is_chance_whatever_the_model_believes() -> None:
    """Ranked by their true times, which a model knows well here, what it chose is in front, and the last anywhere."""
    tried = campaign("random", 60, batch=60)
    order = sorted((c for c in SPACE if c not in tried), key=seconds)
    chosen: list[float] = []
    last: list[float] = []
    for seed in range(12):
        places = [
            order.index(c) / len(order) for c in STRATEGIES["evolve"](SearchState(SPACE, observed(tried), seed), 24)
        ]
        chosen += places[:12]
        last += places[-2:]
    assert statistics.mean(chosen) < 0.15
    assert 0.3 < statistics.mean(last) < 0.7


@pytest.mark.slow
def test_what_the_model_chooses_is_no_bunch_of_twins(monkeypatch: pytest.MonkeyPatch) -> None:
    """How near each is to another of its batch, beside a choice by predicted speed alone."""
    states = [SearchState(SPACE, observed(campaign("random", 60, seed, batch=60)), seed) for seed in range(6)]
    encoding = encode(SPACE)

    def apart() -> list[float]:
        batches = [[SPACE.index(c) for c in STRATEGIES["evolve"](state, 24)[:12]] for state in states]
        return [min(encoding.distances(i, [j for j in batch if j != i])) for batch in batches for i in batch]

    varied = statistics.mean(apart())
    monkeypatch.setattr(evolve_module, "VARIETY", 0.0)
    assert varied > 1.05 * statistics.mean(apart())


def test_evolve_goes_on_when_everything_failed() -> None:
    history = observed(campaign("random", 60, batch=60), frozenset({"mn", "nm", "kn"}))
    assert len(STRATEGIES["evolve"](SearchState(SPACE, history), 16)) == 16


def test_timeouts_are_slow_configs_and_not_unknown_ones() -> None:
    """A search whose slow half runs into the timeout still learns from it."""
    tried = campaign("random", 60, batch=60)
    limit = sorted(map(seconds, tried))[20]
    history = tuple(
        Observation(c, seconds(c)) if seconds(c) <= limit else Observation(c, math.inf, Status.TIMEOUT) for c in tried
    )
    proposed = STRATEGIES["evolve"](SearchState(SPACE, history), 16)
    assert sum(seconds(c) <= limit for c in proposed) >= 12
    assert assess(SearchState(SPACE, history)).trained_on == len(history)


@pytest.mark.slow
def test_evolve_finds_the_optimum_of_a_smooth_space() -> None:
    best = min(SPACE, key=seconds)
    assert sum(best in campaign("evolve", 64, seed=s) for s in range(3)) >= 2


@pytest.mark.slow
def test_a_space_too_large_to_score_whole_is_bred_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evolve_module, "WHOLE", 100)
    monkeypatch.setattr(evolve_module, "BREED", 240)
    best = min(SPACE, key=seconds)
    tried = [campaign("evolve", 64, seed=s) for s in range(3)]
    assert all(len(set(t)) == 64 for t in tried)
    assert sum(seconds(best) * 1.05 > min(map(seconds, t)) for t in tried) >= 2


def test_the_loop_nests_of_few_configs_are_looked_at() -> None:
    """Features may take milliseconds each."""
    asked: set[Config] = set()

    def features(config: Config) -> tuple[float, ...]:
        asked.add(config)
        return (float(config.int("rows") * config.int("columns")),)

    history = observed(campaign("random", 40, batch=40))
    STRATEGIES["evolve"](SearchState(SPACE, history, features=features), 16)
    assert {o.config for o in history} <= asked
    assert len(asked) <= 40 + evolve_module.SHORTLIST


def test_a_feature_that_tells_the_time_is_made_use_of() -> None:
    """Noise over the knobs, and a feature that knows: the shortlist must be ordered by it."""
    history = observed(campaign("random", 40, batch=40))
    told = SearchState(SPACE, history, features=lambda c: (seconds(c),))
    best = sorted((c for c in SPACE if c not in told.seen), key=seconds)[:16]
    assert len(set(STRATEGIES["evolve"](told, 16)) & set(best)) >= 8


def test_a_model_is_judged_only_when_there_is_something_to_judge_by() -> None:
    few = assess(SearchState(SPACE, observed(campaign("random", 10, batch=10))))
    assert few.rank_correlation is None
    many = assess(SearchState(SPACE, observed(campaign("random", 80, batch=80))))
    assert many.rank_correlation is not None
    assert many.rank_correlation > 0.8


def test_rows_are_within_0_and_1_and_different_configs_differ() -> None:
    rows = encode(SPACE).matrix
    assert rows.min() >= 0
    assert rows.max() <= 1
    assert len({tuple(r) for r in rows}) == len(SPACE)


def test_sizes_tell_how_knobs_divide_them() -> None:
    plain, rows = encode(SPACE).matrix, encode(SPACE).with_sizes((64,))
    assert rows.shape[1] > plain.shape[1]
    exact = [i for i, c in enumerate(SPACE) if 64 % c.int("rows") == 0]
    assert any(set(column[exact]) == {1.0} and column.max() > 1.0 for column in rows.T)


def test_spread_takes_the_far_ones_first() -> None:
    encoding = encode(SPACE)
    start = SPACE.index(Config.of(rows=1, columns=1, block=0, order="mn"))
    first = SPACE[spread(encoding, range(len(SPACE)), [start], 1)[0]]
    assert first["block"] == 256
    assert first["order"] != "mn"


@pytest.mark.slow
def test_a_search_at_random_imports_no_xgboost() -> None:
    code = (
        "import sys; from anytile.schedules.templates.base.space import *\n"
        "from anytile.tuner.search.state import SearchState\n"
        "from anytile.tuner.search.strategies import STRATEGIES\n"
        "s = SearchState(ConfigSpace('t', (Knob('a', tuple(range(9)), ''),)))\n"
        "assert [len(propose(s, 4)) for propose in STRATEGIES.values()] == [4] * len(STRATEGIES)\n"
        "assert 'xgboost' not in sys.modules and 'ray' not in sys.modules"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
