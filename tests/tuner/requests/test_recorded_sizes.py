"""What a recording of runs does to a campaign: sizes and workloads weigh as they were met, and nothing else changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any as Anything

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anytile.core.errors import DatabaseError, SpecError
from anytile.db.store import Store
from anytile.schedules.workloads.constructors import dense, transpose
from anytile.schedules.workloads.workload import MAX_DIM, Any, Workload
from anytile.tuner.campaign import run_campaign
from anytile.tuner.protocol.candidate import contender_of
from anytile.tuner.requests.recorded_sizes import Recorded, calls_by_workload, recorded, work
from anytile.tuner.requests.request import TuneRequest
from anytile.tuner.requests.size_weights import heaviest, typical_size
from anytile.vm.profile import ShapeHistogram
from tests.support.stand_ins import synthetic_campaign as world

W = dense(Any("m"), 768, 768)
OTHER = dense(Any("m"), 3072, 768)
CONV = Workload.parse("conv2d(n=?n, ci=8, h=?hh, w=?ww, co=8, kh=3, kw=3, pad=1, layout=nhwc)")
PRODUCT = Workload.parse("batch_matmul(b=?b, m=?t, n=?t, k=64, rhs=bnk)")
FIXED = dense(1, 768, 768)


def said(*workloads: Workload, **changes: Anything) -> TuneRequest:
    return TuneRequest(workloads, world.TARGET, **changes)


def histogram(counts: dict[str | Workload, dict[tuple[int, ...], int]]) -> ShapeHistogram:
    return ShapeHistogram({str(w): c for w, c in counts.items()})


@pytest.fixture
def landscape(no_challengers: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    made = (world.Landscape(),)
    with world.registered(*made):
        monkeypatch.setattr("anytile.tuner.requests.request.templates_for", lambda workload, target: made)
        yield


COUNTS = st.dictionaries(st.tuples(*[st.integers(0, 300)] * 3), st.integers(0, 9), max_size=8)


@pytest.mark.slow
@given(COUNTS, COUNTS)
def test_sizes_weigh_as_often_as_they_were_met(plain: dict[Anything, int], tailed: dict[Anything, int]) -> None:
    """Of every symbol, whatever the others were; calls with a tail and under other names are calls of the same."""
    again = "conv2d(n=?z, ci=8, h=?bb, w=?aa, co=8, kh=3, kw=3, pad=1, layout=nhwc, const=bias, tail=y + bias[co])"
    made = histogram({CONV: plain, again: tailed})
    names, others = Workload.parse(str(CONV)).symbols, Workload.parse(again).symbols
    same = {"n": "z", "hh": "bb", "ww": "aa"}
    met = [(dict(zip(names, p, strict=True)), n) for p, n in plain.items()]
    met += [({s: dict(zip(others, p, strict=True))[same[s]] for s in names}, n) for p, n in tailed.items()]
    met = [(sizes, n) for sizes, n in met if n and all(sizes.values())]
    request = said(CONV, PRODUCT, counts=(7.0, 3.0))
    if not met:
        with pytest.raises(SpecError, match="the recording has no run of conv2d.* and the others; record the model"):
            recorded(request, made)
        return
    found = recorded(request, made)
    assert found.lacking == (PRODUCT,)
    for symbol in names:
        wanted: Counter[int] = Counter()
        for sizes, n in met:
            wanted[sizes[symbol]] += n
        assert found.request.weights_of(CONV, symbol) == wanted
    assert found.request.weights_of(PRODUCT, "t") is None
    at = dict(found.request.representative_point(CONV))
    calls = sum(n * CONV.flops(sizes) for sizes, n in met) / CONV.flops(at)
    assert found.request.count_of(CONV) == pytest.approx(calls)
    assert found.request.count_of(PRODUCT) == 3.0
    assert recorded(request, made + made).request.count_of(CONV) == pytest.approx(2 * calls)


@pytest.mark.slow
@given(st.dictionaries(st.integers(1, 400), st.integers(1, 50), min_size=1), st.integers(1, 500))
def test_what_is_typical_has_half_of_the_work(weights: dict[int, int], most: int) -> None:
    rows = sorted(size for size, n in weights.items() for _ in range(n * size))
    assert typical_size(weights, most) == min(rows[(len(rows) - 1) // 2], most)
    best = heaviest(weights, 5)
    assert list(best) == sorted(best)
    assert sorted(weights[b] for b in best) == sorted(weights.values())[-5:]


def test_other_symbols_stand_where_they_were_met() -> None:
    made = histogram({CONV: {(1, 56, 112): 3, (8, 14, 14): 1}, FIXED: {(): 6}})
    found = recorded(said(CONV, FIXED, W), made)
    assert found.lacking == (W,)
    order = dict(zip(CONV.symbols, (1, 56, 112), strict=True))
    assert dict(found.request.representative_point(CONV)) == {**order, CONV.symbols[0]: 8}
    assert found.request.count_of(FIXED) == 6.0
    assert found.request.weights_of(FIXED, None) is None
    assert dict(found.request.representative_point(W)) == {"m": 64}
    fixed = recorded(said(CONV, at={CONV.symbols[0]: 2}), made).request
    assert dict(fixed.representative_point(CONV))[CONV.symbols[0]] == 2  # what was asked for goes first


def test_one_symbol_in_two_places_is_one() -> None:
    made = histogram({"batch_matmul(b=?b, m=?m, n=?m, k=64, rhs=bnk)": {(12, 17): 4}})
    assert calls_by_workload(made, [PRODUCT]) == {PRODUCT: {(12, 17): 4}}
    two = histogram({"batch_matmul(b=?b, m=?m, n=?n, k=64, rhs=bnk)": {(12, 17, 17): 4}})
    assert calls_by_workload(two, [PRODUCT]) == {}


def test_what_only_moves_data_has_work_too() -> None:
    moved = transpose(Any("a"), Any("b"), perm=(1, 0))
    assert work(moved, {"a": 3, "b": 5}) == 30
    assert work(W, {"m": 2}) == W.flops({"m": 2})


@pytest.mark.parametrize(
    ("counts", "says"),
    [
        ({"dense(m=?m, n=1": {(3,): 1}}, "workload"),
        ({str(W): {(3, 4): 1}}, r"recording of dense\(.*expected sizes of m, got \[3, 4\]"),
        ({str(W): {(MAX_DIM + 1,): 1}}, "expected sizes of m"),
        ({str(W): {(0,): 3}}, "the recording has no run of"),
        ({}, "the recording has no run of"),
    ],
)
def test_recordings_that_say_nothing(counts: dict[str, dict[tuple[int, ...], int]], says: str) -> None:
    with pytest.raises(SpecError, match=says):
        recorded(said(W), ShapeHistogram(counts))


def test_a_request_holds_its_recording_together() -> None:
    good = recorded(said(W, OTHER), histogram({W: {(3,): 2}})).request
    for changes, says in (
        ({"weights": {1: 1.0}}, "weights for all workloads and recorded ones"),
        ({"met": ({"m": {3: 1.0}},)}, "recorded sizes of 1 of 2 workloads"),
        ({"met": (None, {"n": {3: 1.0}})}, "recorded sizes of n; expected those of"),
        ({"met": (None, {"m": {3: -1.0}})}, "the weight of 3 is -1.0"),
    ):
        with pytest.raises(SpecError, match=says):
            TuneRequest(**{**vars(good), **changes})  # type: ignore[arg-type]


def what(store: Store) -> list[tuple[Anything, ...]]:
    ordered = sorted(store.trials(), key=lambda t: t.seed_order)
    return [(t.seed_order, t.kind, str(contender_of(t)), t.point, t.samples) for t in ordered]


@pytest.mark.slow
def test_a_campaign_does_with_them_what_it_does_with_weights(landscape: None, tmp_path: Path) -> None:
    """The same trials and the same plan as of a campaign that is told the weights, and where to search."""
    made = histogram({f"{str(W)[:-1]}, tail=max(y, 0))": {(3,): 60, (40,): 2}, W: {(3,): 30}})
    found: Recorded = recorded(world.request(portfolio=1), made)
    assert dict(found.request.representative_point(W)) == {"m": 3}
    told = world.request(portfolio=1, weights={3: 90.0, 40: 2.0}, at={"m": 3})
    plain = world.request(portfolio=1)
    plans, rows = [], []
    for number, request in enumerate((found.request, told, plain)):
        with Store.open(str(tmp_path / f"{number}.db")) as store:
            result = run_campaign(store, world.LandscapeRunner(), request)
            assert TuneRequest.of(store.campaign(result.campaign_id)) == request
            rows.append(what(store))
            plans.append(result.plans[W])
    assert rows[0] == rows[1] != rows[2]
    assert plans[0].variants == plans[1].variants != plans[2].variants
    took = [world.true_seconds(plan.variants[0].config, 3) for plan in plans]
    assert took[0] < 0.95 * took[2]
    assert {t[3]["m"] for t in rows[0] if t[1] == "profile"} >= {3, 40}


@pytest.mark.slow
def test_trials_go_to_the_workload_that_works_most(landscape: None, tmp_path: Path) -> None:
    """Both ran as often, one of them on far more rows."""
    made = histogram({W: {(2,): 100}, OTHER: {(200,): 100}})
    request = recorded(world.request(workloads=(W, OTHER), trials=160), made).request
    assert request.count_of(OTHER) == request.count_of(W) == 100  # of calls where each is searched: 200 rows, and 2
    with Store.open(str(tmp_path / "tuning.db")) as store:
        run_campaign(store, world.LandscapeRunner(), request)
        searched = {w: store.trials(workload=w, kind="search") for w in (W, OTHER)}
    assert {t.point["m"] for t in searched[W]} == {2}
    assert {t.point["m"] for t in searched[OTHER]} == {200}
    assert len(searched[W]) < 0.6 * len(searched[OTHER])


def test_campaigns_of_before_there_were_recordings_go_on(landscape: None, tmp_path: Path) -> None:
    request = recorded(world.request(), histogram({W: {(3,): 2}})).request
    with Store.open(str(tmp_path / "tuning.db")) as store:
        campaign = store.campaign(run_campaign(store, world.LandscapeRunner(), request).campaign_id)
    options = dict(campaign.options["request"])
    for met, expected in ((None, ()), ([None], (None,)), ([{"m": [[3, 2]]}], ({"m": {3: 2.0}},))):
        stored = {k: v for k, v in options.items() if k != "met"} | ({} if met is None else {"met": met})
        old = type(campaign)(campaign.workloads, campaign.target, {"request": stored})
        assert TuneRequest.of(old).met == expected
    for met in (3, [3], [{"m": 3}], [{"m": [[1]]}], [{"m": [[1, "x"]]}]):
        old = type(campaign)(campaign.workloads, campaign.target, {"request": {**options, "met": met}})
        with pytest.raises(DatabaseError, match="its stored request cannot be read"):
            TuneRequest.of(old)
