"""The calls behind `import anytile`: tune, resume, open_store, lookup, build, load_kernel.

They open what they need, close what they opened, and take specs in either form: `Target` or its text, a `Store` or
its URL. Everything else is the rooms below.
"""

from __future__ import annotations

import importlib.util
import sys
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING
from typing import Any as AnyType
from weakref import WeakKeyDictionary

from anytile.core.errors import DatabaseError, SpecError
from anytile.core.installation.lacking import LOOKING_UP, packages_for
from anytile.core.printable import say
from anytile.schedules.hardware.target import Target
from anytile.schedules.workloads.workload import Workload

if TYPE_CHECKING:
    from anytile.db.lookup.ladder import Answer
    from anytile.db.lookup.suggestions import Suggestion
    from anytile.db.overview.coverage import Coverage
    from anytile.db.record_keeper import Keeping
    from anytile.db.records.records import Campaign
    from anytile.db.store import Store
    from anytile.dispatch.backends import AnyKernel
    from anytile.schedules.plans.plan import DispatchPlan
    from anytile.tuner.estimate.rank import Ranker
    from anytile.tuner.ledger.events import Event
    from anytile.tuner.ledger.interrupts import Stop
    from anytile.tuner.requests.request import CampaignResult, TuneRequest
    from anytile.tuner.second_look import Finding
    from anytile.vm.profile import ShapeHistogram


def tune(
    workloads: Workload | Iterable[Workload] | None = None,
    target: Target | str | None = None,
    *,
    preset: str | None = None,
    db: str | Path | Store | None = None,
    trials: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    search: str | None = None,
    runner: str = "ray",
    ray_address: str | None = None,
    weights: Mapping[int, float] | None = None,
    weights_from: str | Path | ShapeHistogram | None = None,
    objective: str = "geomean",
    portfolio: int = 3,
    on_event: Callable[[Event], None] | None = None,
    stop: Stop | None = None,
    **options: AnyType,
) -> CampaignResult:
    """Search, measure, choose a plan for each workload, and remember all of it.

    Instead of workloads a `preset` names a model, such as "bert-base": all its distinct workloads are tuned, weighted
    by how often the model runs each. Without a target it is this machine. `trials` and `seconds` bound the whole
    campaign; with neither it takes a minute per workload and at most three. `weights` maps sizes to how much they
    count; `weights_from` weighs sizes and workloads as they were met: what `Session.record_shapes` gave, or its file;
    a workload that it lacks is named on stderr, and tuned without weights. A plan's configs keep the mean loss small
    against the best config of each size, or with `objective="regret"` the loss at the worst size. `search` is "evolve"
    where xgboost is installed, else "random", unless you say which. `on_event` is told everything as it happens
    (see `tuner.events`). Ctrl-C, or `stop.ask(...)` of a `tuner.interrupts.Stop`, ends the campaign after the current
    trial; `resume` goes on with it. Other keywords are fields of `tuner.request.TuneRequest`, such as `top_k`,
    `code_budget`, `template`, `counts` or `cold`.
    """
    from anytile.tuner.presets.requests import model
    from anytile.tuner.requests.make_request import make_request

    if (workloads is None) == (preset is None):
        raise SpecError("tune: expected either workloads or a preset, as in tune(preset='bert-base')")
    wanted, what, usual = _target(target), {}, None
    if preset is not None:
        named = model(preset)
        what, usual = named.options(wanted), named.seconds
    elif workloads is not None:
        what = {"workloads": (workloads,) if isinstance(workloads, Workload) else tuple(workloads)}
    request = make_request(
        wanted,
        what,
        _say,
        usual_seconds=usual,
        search=search,
        trials=trials,
        seconds=seconds,
        weights_from=weights_from,
        seed=seed,
        weights=weights,
        objective=objective,
        portfolio=portfolio,
        **options,
    )
    with _store(db) as store:
        return campaign(store, request, runner, ray_address, on_event, stop)


def resume(
    campaign_id: str = "last",
    *,
    db: str | Path | Store | None = None,
    runner: str = "ray",
    ray_address: str | None = None,
    on_event: Callable[[Event], None] | None = None,
    stop: Stop | None = None,
    join: bool = False,
) -> CampaignResult:
    """Go on with an interrupted campaign exactly where it ended. `last` is the newest one.

    With `join` whoever is at work on it already goes on too: batches are shared out, and one of you makes its end.
    """
    with _store(db) as store:
        return campaign(store, campaign_id, runner, ray_address, on_event, stop, join)


def open_store(db: str | Path | None = None, readonly: bool = False) -> Store:
    """An open tuning database for many calls: `with open_store() as db: lookup(..., db=db); build(..., db=db)`.

    A path or an SQLAlchemy URL, else $ANYTILE_DB, else your own; a new one gets its tables, unless it is opened
    `readonly`. Several with `;` between are layers: lookups go through them in order, writes to the first writable.
    Opening takes milliseconds, a lookup in an open one far less than one; it is safe to share between threads, and
    sees what other processes store meanwhile.
    """
    from anytile.db.store import Store

    return Store.open(None if db is None else str(db), readonly)


def lookup(
    workload: Workload | str, target: Target | str | None = None, db: str | Path | Store | None = None
) -> Answer:
    """The best that is known for a workload: never fails for a supported operator, and says why by `.why()`.

    The rungs, in order: this workload and target; the same on a compatible target; the nearest workload; the cost
    model; the template's default. A database that is not there yet is no error, the last rung answers then. Many
    lookups are best given one database that is open: `open_store`.
    """
    from anytile.dispatch.service import look_up

    if isinstance(workload, str):
        workload = Workload.parse(workload)
    with reading(db) as store:
        return look_up(workload, _target(target), store, ranker(store))


def suggested(store: Store, target: Target | None = None, among: int | None = None) -> list[Suggestion]:
    """What to tune next, for one target or all: the lookups that no record answered, the most worthwhile first; of
    very many `among` of those most often asked for."""
    from anytile.db.lookup.suggestions import suggestions
    from anytile.dispatch.service import foresee, look_up

    with store.at_one_moment():
        return suggestions(
            store, lambda workload, on: look_up(workload, on, store), target, among, lambda asked: foresee(asked, store)
        )


def covered(model: str, needed: Mapping[Workload, float], target: Target, store: Store) -> Coverage:
    """Which of a model's workloads the database answers, and from which rung; it is told of no miss.

    What the cost model would choose for counts as a default: it is not asked, as it may have to be trained first.
    """
    from anytile.db.overview.coverage import coverage
    from anytile.dispatch.service import foresee, look_up

    with store.at_one_moment():
        foresee([(workload, target) for workload in needed], store)
        return coverage(model, needed, target, lambda workload, on: look_up(workload, on, store))


def verify(
    store: Store,
    target: Target | str | None = None,
    runner: str = "inline",
    sample: int | None = None,
    tell: Callable[[Finding], None] | None = None,
) -> list[Finding]:
    """Measure the stored winners of a target again, here, and have lookups pass over what no longer holds.

    Of them `sample`: those that were never looked at again, then those that were so the longest ago.
    """
    from anytile.tuner.runners.make_runner import make_runner
    from anytile.tuner.second_look import verify as look_again

    trials = store.trials() if runner == "replay" else None
    with closing(make_runner(runner, trials=trials, log=_say)) as made:
        return look_again(store, made, _target(target), sample, tell or (lambda finding: None))


def build(
    workload: Workload | str,
    target: Target | str | None = None,
    db: str | Path | Store | None = None,
    constants: Mapping[str, AnyType] | None = None,
    plan: DispatchPlan | str | None = None,
) -> AnyKernel:
    """Compile the one callable that serves a workload at every size.

    The plan is looked up in the database unless given. `constants` are the operands known now, packed once:
    `k = build(dense(m=Any("m"), n=768, k=768), constants={"w": w}); y = k(x)`.
    """
    from anytile.dispatch import service

    if plan is not None:
        return service.build(workload, target, db, constants, plan)
    with reading(db) as store:
        return service.build(workload, target, db, constants, rank=ranker(store))


def load_kernel(path: str | Path) -> AnyKernel:
    """Read back what `DispatchKernel.save(path)` wrote."""
    from anytile.dispatch.service import load_kernel as load

    return load(Path(path))


def campaign(
    store: Keeping,
    what: TuneRequest | str,
    runner: str = "ray",
    ray_address: str | None = None,
    on_event: Callable[[Event], None] | None = None,
    stop: Stop | None = None,
    join: bool = False,
) -> CampaignResult:
    """Run a request, or resume or join the campaign of that id, with a runner made for it and closed after it.

    What the runner has to say on the way, such as that a node was lost, goes to stderr.
    """
    from anytile.tuner.campaign import join_campaign, resume_campaign, run_campaign
    from anytile.tuner.ledger.events import ignore
    from anytile.tuner.runners.make_runner import make_runner

    if isinstance(what, str):
        what = find_campaign(store, what).id
    trials = store.trials() if runner == "replay" else None
    with closing(make_runner(runner, ray_address=ray_address, trials=trials, log=_say)) as made:
        if isinstance(what, str):
            go_on = join_campaign if join else resume_campaign
            return go_on(store, made, what, on_event or ignore, stop, say=_say)
        return run_campaign(store, made, what, on_event or ignore, stop, say=_say)


def _say(line: str) -> None:
    say(line, file=sys.stderr, flush=True)


def find_campaign(store: Keeping, name: str) -> Campaign:
    """By its id, the beginning of it, or `last`, which is the newest."""
    if name != "last":
        return store.campaign(name)
    there = store.campaigns()
    if not there:
        raise DatabaseError(f"database {store.name}: holds no campaign yet; `tune` makes one")
    return there[-1]


@contextmanager
def _store(db: str | Path | Keeping | None) -> Iterator[Keeping]:
    """A database, or a journal, to write to. An open one is used and left open; one opened here is closed again."""
    from anytile.db.open import open_keeping

    if db is not None and not isinstance(db, str | Path):
        yield db
        return
    with closing(open_keeping(None if db is None else str(db))) as store:
        yield store


@contextmanager
def reading(db: str | Path | Store | None) -> Iterator[Store | None]:
    """A database to read; None where there is none yet."""
    with packages_for(*LOOKING_UP):
        from anytile.db.open import open_reading
        from anytile.db.store import Store

    if isinstance(db, Store):
        yield db
        return
    store = open_reading(None if db is None else str(db))
    with nullcontext() if store is None else store:
        yield store


_rankers: WeakKeyDictionary[Store, Ranker] = WeakKeyDictionary()


def ranker(store: Store | None) -> Ranker | None:
    """The cost model over a store's trials; one per store, since an answer is remembered with who ranked it."""
    if store is None or store.is_packaged:
        return None
    if store not in _rankers:
        if importlib.util.find_spec("xgboost") is None:
            return None
        from anytile.tuner.estimate.rank import Ranker

        _rankers[store] = Ranker(weakref.proxy(store))  # a proxy: the model must not keep the store alive
    return _rankers[store]


def _target(target: Target | str | None) -> Target:
    if target is None:
        return Target.host()
    return Target.parse(target) if isinstance(target, str) else target.resolved()
