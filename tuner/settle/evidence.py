"""The evidence on one workload: what was measured of it, made into the matrix, the profile and the plan.

Everything is read from the ledger's rows, so it is the same after any interruption. A config that fails at any size in
any phase is out of the choice: correct before fast.

Templates compete up to the plan, whose ranges may run variants of several. Ranges speak of one symbol, so only
templates whose plans range over the same one meet: over that of the fastest searched config's.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from anytile.db.records.records import Status, Trial
from anytile.dispatch.backends import backend
from anytile.dispatch.blas.in_plans import MEASURED
from anytile.dispatch.plans.built_size import held
from anytile.dispatch.plans.choose import choose_plan
from anytile.dispatch.plans.matrix import Matrix, Row, nearest_weights
from anytile.dispatch.plans.portfolio import Choice, choose_portfolio
from anytile.dispatch.plans.profile import Profile
from anytile.dispatch.plans.why import BUDGET, MACHINE
from anytile.dispatch.service import built_bytes
from anytile.schedules.plans.plan import FOOTING, MET, UNTUNED, DispatchPlan
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.base.symbol_names import scheduled
from anytile.schedules.templates.base.template import ranged_symbol, ranged_tile
from anytile.schedules.templates.registry import template, templates_for
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.builders.library_candidates import LIBRARY, NAME, build_of, library_candidates
from anytile.tuner.ledger.ledger import Ledger
from anytile.tuner.protocol.candidate import Candidate, Contender, Point, contender_of, point_of
from anytile.tuner.requests.request import TuneRequest
from anytile.tuner.settle.crosseval import finalists, spoiled
from anytile.tuner.settle.disturbance import (
    Disturbance,
    Moments,
    as_measured,
    believed,
    calmest,
    comparable,
    side_by_side,
)
from anytile.tuner.settle.duels import normalised_row, settled
from anytile.tuner.settle.profile_sizes import affordable

MOMENTS = ("profile", "confirm", "again")  # the phases that time a plan's runners side by side, each at another time
ALONE = ""  # the one column of a workload without a ranged symbol


@dataclass(frozen=True)
class Evidence:
    """One workload on its way from searched configs to a plan."""

    workload: Workload
    request: TuneRequest
    ledger: Ledger

    @cached_property
    def symbol(self) -> str | None:
        """The symbol that the plan ranges over: the one that the fastest searched config's template does.

        Only asked once the search is over, so it stays the same.
        """
        best = self.ledger.best(self.workload)
        leader = template(best.template) if best is not None else self.request.templates(self.workload)[0]
        return ranged_symbol(leader, self.workload)

    @cached_property
    def others(self) -> dict[str, int]:
        """What the remaining symbols stand for."""
        point = self.request.representative_point(self.workload)
        return {name: size for name, size in point if name != self.symbol}

    @cached_property
    def weights(self) -> Mapping[int, float] | None:
        """How much the symbol's sizes count; None where all count alike."""
        return self.request.weights_of(self.workload, self.symbol)

    def point(self, size: int) -> Point:
        return point_of(self.others if self.symbol is None else {**self.others, self.symbol: size})

    def rows(self, kind: str) -> list[Trial]:
        """Ready for a matrix: the rows of one kind, normalised, of one column where there is no ranged symbol."""
        rows = map(normalised_row, self.ledger.of(self.workload, kind))
        return [replace(t, point={ALONE: 1}) for t in rows] if self.symbol is None else list(rows)

    def finalists(self) -> list[Contender]:
        """The fastest searched, of the templates that range over the plan's symbol, and what runs untuned."""
        contenders = finalists((t for t in self.rows("search") if t.template in self._fit), self.request.top_k)
        return list(dict.fromkeys([*self.untuned, *contenders]))  # should the time run out

    @property
    def _fit(self) -> set[str]:
        """The searched templates whose plans range over the same symbol."""
        names = {t.template for t in self.rows("search")}
        return {name for name in names if ranged_symbol(template(name), self.workload) == self.symbol}

    @property
    def untuned(self) -> list[Contender]:
        """All that runs where nothing is tuned: it meets the best at sizes of every kind; no plan falls behind it."""
        plan, fit, default = self._untuned_plan, self._fit, self._default
        several = [] if plan is None else [contender_of(v) for v in plan.variants if v.template in fit]
        return list(dict.fromkeys([*([] if default is None else [default]), *several]))

    @cached_property
    def _untuned_plan(self) -> DispatchPlan | None:
        """What runs untuned where one config for every size will not do."""
        return backend(self.request.target).untuned(self.workload, self.request.target)

    @property
    def _default(self) -> Contender | None:
        target, fit = self.request.target, self._fit
        first = next((t for t in templates_for(self.workload, target) if t.name in fit), None)
        return None if first is None else Contender(first.name, first.default(self.workload, target))

    def over_untuned(self, plan: DispatchPlan, matrix: Matrix) -> dict[str, float]:
        """The time of what runs untuned as a multiple of the plan's, at each size at which both were measured; of those
        that were to be cross-evaluated it is 1 wherever the plan runs the same."""
        seconds: dict[tuple[Contender | None, int], float] = {
            (contender_of(row), size): float(median)
            for row, medians in zip(matrix.rows, matrix.medians, strict=True)
            for size, median in zip(matrix.sizes, medians, strict=True)
        }
        default, found = self._default, dict[str, float]()
        for size in sorted({*matrix.sizes, *(self.request.cross_sizes if self.symbol is not None else ())}):
            before, runs = default, plan.range_at(size).runs
            if self._untuned_plan is not None and isinstance(at := self._untuned_plan.range_at(size).runs, int):
                before = contender_of(self._untuned_plan.variants[at])
            after = contender_of(plan.variants[runs]) if isinstance(runs, int) else None
            ratio = seconds.get((before, size), math.nan) / seconds.get((after, size), math.nan)
            if before == after or math.isfinite(ratio):
                found[str(size)] = 1.0 if before == after else round(ratio, 4)
        return found

    def candidate(self, contender: Contender, sizes: Iterable[int]) -> Candidate:
        points = tuple(map(self.point, sizes))
        return Candidate(self.workload, self.request.target, contender.template, contender.config, points)

    @property
    def column(self) -> str:
        return ALONE if self.symbol is None else self.symbol

    def affordable(self, sizes: Iterable[int], flops: float) -> tuple[int, ...]:
        """Those at which a call takes no more than so many operations."""
        return affordable(self.workload, self.column, self.others, sizes, flops)

    def matrix(self, duels: bool = True, twice: bool = True) -> Matrix | None:
        """Everything known of the configs that may be chosen; None where nothing is. Without `twice`, as it was before
        anything was measured again."""
        crossed = self.rows("cross")
        rows = crossed if any(t.status is Status.OK for t in crossed) else self._searched()
        profiled = [t for t in self.profile_rows() if t.template != LIBRARY]
        again = [t for t in self.rows("again") if t.template != LIBRARY] if duels and twice else []
        out = spoiled([*crossed, *profiled, *(self.rows("pair") if duels else ())])
        kept = comparable(t for t in rows if contender_of(t) not in out)
        if not any(t.status is Status.OK for t in kept):
            return None
        matrix = Matrix.from_trials(kept, self.column, self._tile)
        if duels:
            matrix = settled(matrix, self.rows("pair"), self.column)
            matrix = settled(matrix, again, self.column)
        return replace(matrix, weights=nearest_weights(self.weights, matrix.sizes)) if self.weights else matrix

    def _tile(self, name: str, config: Config) -> int:
        return ranged_tile(template(name), self.workload, config)

    def choice(self, matrix: Matrix) -> Choice:
        """The portfolio, out of those who met in duels if any did.

        Of many rows measured once some are fast by luck at some size; only who was measured again is free of that.
        """
        met = {contender_of(t) for t in self.rows("pair") if t.status is Status.OK}
        rows = [i for i, row in enumerate(matrix.rows) if contender_of(row) in met] or list(range(len(matrix.rows)))
        met_there = matrix.subset(rows)
        met_there = replace(met_there, rows=tuple(replace(row, layouts=self._layouts(row)) for row in met_there.rows))
        choice = choose_portfolio(met_there, self.request.portfolio, self.request.objective)
        return replace(choice, rows=tuple(rows[i] for i in choice.rows))

    def _layouts(self, row: Row) -> str:
        """The layouts in which a config reads constants."""
        made = scheduled(template(row.template), self.workload, self.request.target, row.config)
        return "\n".join(sorted(pack.key for pack in made.packs))

    def _searched(self) -> list[Trial]:
        contenders = set(self.finalists())
        return [t for t in self.rows("search") if contender_of(t) in contenders]

    def profile_rows(self) -> list[Trial]:
        return [t for kind in MOMENTS for t in self.rows(kind)]

    def plan(self, provisional: bool = False) -> DispatchPlan | None:
        """The choice, from everything measured; None where no config worked."""
        found = self.chosen()
        if found is None:
            return None
        matrix, choice, profile = found
        request = self.request

        def choose(code_budget: int) -> DispatchPlan:
            return choose_plan(
                self.workload, request.target, matrix, profile=profile, code_budget=code_budget, choice=choice
            )

        # Who waits for an interrupted campaign to end does not wait for a build as well.
        plan = choose(request.code_budget) if provisional else held(request.code_budget, choose, built_bytes)
        notes = {**plan.notes, "campaign": self.ledger.campaign.id, "searched": len(self.rows("search"))}
        notes[BUDGET] = request.code_budget
        notes["templates"] = {v.template: template(v.template).version for v in plan.variants}
        notes[MET] = sorted({t.template for t in (*self.rows("search"), *self.rows("cross"))} - {LIBRARY})
        measured = [
            w.config for w in self.libraries() if profile is not None and profile.of_runner(str(w.config[NAME]))
        ]
        notes[MEASURED] = {str(config[NAME]): build for config in measured if (build := build_of(config))}
        notes[UNTUNED] = self.over_untuned(plan, matrix)
        rests_on = self.rests_on([matrix.rows[i] for i in choice.rows])
        if rests_on:
            notes[FOOTING] = footing(rests_on)
        disturbance = Disturbance.of(rests_on)
        if disturbance.share:
            notes[MACHINE] = disturbance.note()
        if provisional:
            notes["provisional"] = True
        return replace(plan, notes=notes)

    def libraries(self) -> list[Contender]:
        """Those that are here: what another build of one measured, before, is not believed."""
        return [rival.contender for rival in library_candidates(self.workload, self.request.target)]

    def chosen(self, moments: Sequence[str] = MOMENTS) -> tuple[Matrix, Choice, Profile | None] | None:
        """The matrix, the portfolio out of it and its profile, as they are after these moments. A choice that changed
        when something was measured again stands only where there was time to profile it."""
        before = None
        for twice in (True, False)[MOMENTS[-1] not in moments :]:
            matrix = self.matrix(twice=twice)
            if matrix is None:
                return None
            choice = self.choice(matrix)
            profile = self.profile_of([matrix.rows[i] for i in choice.rows], moments)
            before = before or (matrix, choice, profile)
            if profile is not None:
                return matrix, choice, profile
        return before

    def rests_on(self, chosen: Sequence[Row]) -> list[Trial]:
        """The rows that a plan of these rests on: of each size the calmest moment."""
        contenders = {*map(contender_of, chosen), *self.libraries()}
        moments: dict[tuple[Contender, int], list[Trial]] = {}
        for t in self.profile_rows() or self.rows("cross"):
            if contender_of(t) in contenders and t.status is Status.OK:
                moments.setdefault((contender_of(t), t.point[self.column]), []).append(t)
        return [calmest(several) for several in moments.values()]

    def profile_of(self, chosen: Sequence[Row], moments: Sequence[str] = MOMENTS) -> Profile | None:
        """The dense profile of the chosen rows, in their order, and of the libraries; None if any row has none.

        What was measured at several moments counts as at the calmest of them, side by side. A library is believed to be
        faster where it was so at two, once there were two.
        """
        rows = [t for kind in moments for t in self.rows(kind)]
        failed = spoiled(self.profile_rows())
        times: Moments = {}
        for t in rows:
            if contender_of(t) not in failed and t.status is Status.OK:
                times.setdefault(contender_of(t), {}).setdefault(t.point[self.column], []).append(t)
        ours = [times.get(contender_of(row), {}) for row in chosen]
        if not all(ours):
            return None
        variants = side_by_side(ours)
        here = [contender for contender in self.libraries() if contender in times]
        seen = believed if len(moments) > 1 else as_measured
        libraries = {str(contender.config[NAME]): seen(times[contender], ours) for contender in here}
        return Profile.of(variants, [row.tile for row in chosen], libraries)


def footing(trials: Sequence[Trial]) -> dict[str, float]:
    """How often was measured what a plan rests on, and how far apart the samples of a trial typically are."""
    spreads = [max(t.samples) / min(t.samples) - 1 for t in trials]
    samples = sum(len(t.samples) for t in trials)
    return {"trials": len(trials), "samples": samples, "spread": round(statistics.median(spreads), 4)}


def summary(plan: DispatchPlan) -> tuple[str, ...]:
    """The plan in sentences."""
    mixed = len({v.template for v in plan.variants}) > 1
    lines = [
        f"variant {i}: {v.template + ' ' if mixed else ''}{v.config} ({v.mode})" for i, v in enumerate(plan.variants)
    ]
    for r in plan.ranges:
        span = f"{r.low}.." if r.high is None else f"{r.low}..{r.high}"
        runs = f"variant {r.runs}" if isinstance(r.runs, int) else r.runs
        lines.append(f"{plan.symbol} {span}: {runs}; {r.because}" if plan.symbol else f"{runs}; {r.because}")
    return (*lines, *map(str, plan.notes.get("decisions", ())))
