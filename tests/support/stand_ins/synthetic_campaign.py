"""Synthetic campaigns for tests: a template with a known landscape, and a runner that answers from it at once.

Run as a program it is a campaign in a process of its own, to be killed: it acknowledges each row once that is durable.
"""

from __future__ import annotations

import functools
import hashlib
import math
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any as Anything
from unittest.mock import patch

from anytile.core.errors import MeasureError
from anytile.db.records.records import Status, Trial
from anytile.db.store import Store
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import DispatchPlan
from anytile.schedules.templates import registry
from anytile.schedules.templates.base.space import Config, ConfigSpace, Constraint, Knob
from anytile.schedules.templates.base.template import Scheduled, Template
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any, Workload
from anytile.tuner.campaign import join_campaign, resume_campaign, run_campaign
from anytile.tuner.ledger.events import CampaignStarted, Event, Listener, TrialDone
from anytile.tuner.ledger.interrupts import Stop
from anytile.tuner.ledger.owner import worker_name
from anytile.tuner.protocol.candidate import Candidate, Duel, Outcome, Point, Timing, TimingPolicy
from anytile.tuner.requests.request import TuneRequest

NAME = "dense.landscape"
STREAMS = "dense.streams"
TARGET = Target.host()


@functools.cache
def _some_nest(workload: Workload, target: Target) -> Scheduled:
    """Nothing here is ever built, but the model looks at loop nests."""
    real = template("dense.cpu")
    return real.schedule(workload, target, real.default(workload, target))


class Landscape:
    """240 configs; time falls with large tiles at large m and with small tiles at small m."""

    name, op, kind, version = NAME, "dense", "llvm", 7

    def suits(self, workload: Workload) -> int:
        return 1

    def leads(self, workload: Workload, target: Target) -> bool:
        return False

    def stores(self, workload: Workload) -> bool:
        return True

    def symbol(self, workload: Workload) -> str | None:
        m = workload.dim("m")
        return m.name if isinstance(m, Any) else None

    def tile(self, config: Config) -> int:
        return config.int("tile")

    def space(self, workload: Workload, target: Target) -> ConfigSpace:
        return ConfigSpace(
            NAME,
            (
                Knob("tile", (2, 4, 8, 12), "rows at once"),
                Knob("width", (1, 2, 3, 4, 5, 6), "vectors at once"),
                Knob("unroll", (1, 2, 4, 8), "steps at once"),
                Knob("order", ("mn", "nm", "blocked"), "which loop is outside"),
            ),
            (Constraint("fits", "tile * width fits the registers", lambda c: int(c["tile"]) * int(c["width"]) <= 48),),
        )

    def default(self, workload: Workload, target: Target) -> Config:
        return Config.of(tile=4, width=2, unroll=1, order="mn")

    def schedule(self, workload: Workload, target: Target, config: Config) -> Scheduled:
        return _some_nest(workload, target)


class Streams(Landscape):
    """Another way to do the same: row by row, so the fastest for a few rows and hopeless for many."""

    name, version = STREAMS, 3

    def tile(self, config: Config) -> int:
        return 1

    def space(self, workload: Workload, target: Target) -> ConfigSpace:
        knobs = (Knob("depth", tuple(range(1, 17)), "steps ahead"), Knob("lanes", (1, 2, 4), "vectors at once"))
        return ConfigSpace(STREAMS, knobs)

    def default(self, workload: Workload, target: Target) -> Config:
        return Config.of(depth=1, lanes=1)


@contextmanager
def registered(*made: Template) -> Iterator[None]:
    """Templates of a test's own, while it runs: other tests' campaigns would search them too."""
    with patch.dict(registry._REGISTRY, {t.name: t for t in made}):
        yield


def dice(*of: object) -> float:
    """A number from 0 to 1 that depends on nothing but its arguments."""
    return int.from_bytes(hashlib.sha256(repr(of).encode()).digest()[:6], "big") / 2**48


def true_seconds(config: Config, m: int) -> float:
    """What a config takes, without noise. The tail of a tile costs as much as its rows do."""
    if "name" in dict(config.values):
        return 2e-6 + 1.6e-6 * m  # a library: worse everywhere but far out
    if "depth" in dict(config.values):
        return 1e-6 * m * (1.0 + 0.02 * abs(config.int("depth") - 11) + 0.1 * (4 - config.int("lanes")))
    tile, width, unroll = config.int("tile"), config.int("width"), config.int("unroll")
    full, rest = divmod(m, tile)
    work = full * tile / min(tile, 10) + (rest / min(max(rest, 1), 10) * 1.3 if rest else 0)
    shape = 1 + 0.12 * abs(width - 4) + 0.05 * abs(math.log2(unroll) - 1)
    order = {"mn": 1.06, "nm": 1.0, "blocked": 1.03}[str(config["order"])]
    return 1e-6 * (0.4 + 0.08 * tile) + 5e-6 * work * shape * order


def fate(config: Config, m: int) -> Status:
    """About one in eight fails, always in the same way, at every size."""
    if "name" in dict(config.values):
        return Status.OK
    roll = dice("fate", config)
    failures = (Status.WRONG, Status.CRASHED, Status.TIMEOUT, Status.COMPILE_ERROR)
    return failures[int(roll * 32) % 4] if roll < 0.125 else Status.OK


def facts(candidate: Candidate) -> dict[str, float]:
    """What a compiler would say of it: a hint at what nothing else tells."""
    return {"object_bytes": 1000.0 * len(candidate.points), "spills": float(int(8 * dice("fate", candidate.config)))}


@dataclass
class LandscapeRunner:
    """Answers at once. `before(candidate)` is called with each; it may raise, stop, wait."""

    noise: float = 0.01
    before: Callable[[Candidate], None] = lambda candidate: None
    drift: Callable[[int], float] = lambda number: 1.0
    fate: Callable[[Config, int], Status] = fate
    name: str = "landscape"
    unfit: str = ""  # why there is nothing to measure with
    ran: list[Candidate] = field(default_factory=list)
    dropped: int = 0

    def prepare(self, target: Target) -> None:
        if self.unfit:
            raise MeasureError(self.unfit)

    def run(self, candidates: Sequence[Candidate], policy: TimingPolicy) -> Iterator[Outcome]:
        done = 0
        try:
            for candidate in candidates:
                self.before(candidate)
                self.ran.append(candidate)
                done += 1
                yield self.outcome(candidate)
        finally:
            self.dropped += len(candidates) - done

    def outcome(self, candidate: Candidate) -> Outcome:
        drift = self.drift(candidate.number)
        timings = []
        for point in candidate.points:
            status = self.fate(candidate.config, dict(point).get("m", 64))
            if status is Status.OK:
                timings.append(Timing(point, status, self.samples(candidate, point, "run", 3, drift)))
            else:
                timings.append(Timing(point, status, (), f"as {status.value} as can be"))
        return Outcome(candidate, tuple(timings), 0.001, drift, "landscape", facts(candidate))

    def samples(self, candidate: Candidate, point: Point, kind: str, count: int, drift: float) -> tuple[float, ...]:
        m = dict(point).get("m", 64)
        seconds = true_seconds(candidate.config, m) * drift
        return tuple(seconds * (1 + self.noise * dice(kind, candidate.config, m, i)) for i in range(count))

    def inspect(self, candidates: Sequence[Candidate], policy: TimingPolicy) -> list[Mapping[str, float] | None]:
        def compiles(c: Candidate) -> bool:
            return all(self.fate(c.config, dict(p).get("m", 64)) is not Status.COMPILE_ERROR for p in c.points)

        return [facts(c) if compiles(c) else None for c in candidates]

    def duel(self, candidates: Sequence[Candidate], rounds: int, policy: TimingPolicy) -> list[Duel]:
        """As the real ones do: who fails at one point drops out of the whole duel, and nobody says why."""
        for candidate in candidates:
            self.before(candidate)
        points = candidates[0].points
        fit = [c for c in candidates if all(self.fate(c.config, dict(p).get("m", 64)) is Status.OK for p in points)]
        return [
            Duel(p, tuple(self.samples(c, p, "duel", rounds, 1.0) if c in fit else () for c in candidates))
            for p in points
        ]

    def thinking(self) -> AbstractContextManager[None]:
        return nullcontext()

    def close(self) -> None:
        pass


def exhaustive(sizes: Sequence[int]) -> list[Trial]:
    """The whole landscape as stored trials."""
    workload, runner = dense(Any("m"), 768, 768), LandscapeRunner()
    configs = list(Landscape().space(workload, TARGET))
    found = []
    for number, config in enumerate(configs):
        candidate = Candidate(workload, TARGET, NAME, config, tuple((("m", m),) for m in sizes), number)
        outcome = runner.outcome(candidate)
        for t in outcome.timings:
            row = Trial(workload, TARGET, NAME, config, dict(t.point), t.status, t.samples, t.reason, seed_order=number)
            found.append(row)
    return found


def request(**changes: object) -> TuneRequest:
    """A campaign of some hundred rows without a time limit: what it measures follows from the seed alone."""
    chosen: dict[str, object] = {
        "workloads": (dense(Any("m"), 768, 768),),
        "target": TARGET,
        "strategy": "random",
        "trials": 40,
        "top_k": 8,
        "template": NAME,
        "early_stop": None,
    }
    return TuneRequest(**{**chosen, **changes})  # type: ignore[arg-type]


def what(trials: list[Trial]) -> list[tuple[Anything, ...]]:
    """What was measured, in order, without what differs between any two runs."""
    ordered = sorted(trials, key=lambda t: t.seed_order)
    return [
        (t.seed_order, t.kind, str(t.workload), str(t.config), tuple(t.point.items()), t.status, t.samples)
        for t in ordered
    ]


def essence(plan: DispatchPlan) -> str:
    """The plan without the campaign's name."""
    return replace(plan, notes={k: v for k, v in plan.notes.items() if k != "campaign"}).to_json()


def stop_after(rows: int, stop: Stop) -> Listener:
    """Ctrl-C after so many rows of this sitting."""
    seen: list[int] = []

    def listen(event: Event) -> None:
        if isinstance(event, TrialDone):
            seen.append(event.number)
            if len(seen) == rows:
                stop.ask("enough seen")

    return listen


def main(
    database: str, campaign: str, acknowledged: str, each: str = "0.002", trials: str = "40", gate: str = "/"
) -> None:
    """`new`, the id of a campaign to go on with, or `join` and one to work on with others; each trial takes so many
    seconds, and none begins before `gate` exists. Every durable row is acknowledged by a line, others' rows as such."""

    def work(candidate: Candidate) -> None:
        while not Path(gate).exists():
            time.sleep(0.005)
        time.sleep(float(each))

    with Store.open(database) as store, open(acknowledged, "a", buffering=1) as out:

        def acknowledge(event: Event) -> None:
            if isinstance(event, CampaignStarted):
                out.write(f"campaign {event.campaign_id}\n")
            elif isinstance(event, TrialDone):
                whose = "row" if event.worker == worker_name() else "other"
                out.write(f"{whose} {event.number} {event.phase} {event.config}\n")

        runner = LandscapeRunner(before=work)
        if campaign == "new":
            run_campaign(store, runner, request(trials=int(trials)), acknowledge)
        elif campaign.startswith("join "):
            join_campaign(store, runner, campaign.removeprefix("join "), acknowledge)
        else:
            resume_campaign(store, runner, campaign, acknowledge)


if __name__ == "__main__":
    with registered(Landscape()):
        main(*sys.argv[1:])
