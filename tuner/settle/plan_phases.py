"""From a finished search to a plan: cross-evaluation, duels of those too close to call, the dense profile and a second
look at what is odd in it, the choice.

Every phase reads what it needs from the ledger's rows, so it can be taken up again after any interruption. A config
that fails at any size in any phase is out of the choice: correct before fast.

Templates compete up to the plan, whose ranges may run variants of several. Ranges speak of one symbol, so only the
templates that walk the same one meet: those of the fastest searched config's.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from anytile.db.records.records import Status, Trial
from anytile.dispatch.blas.in_plans import MEASURED
from anytile.dispatch.plans.built_size import held
from anytile.dispatch.plans.choose import choose_plan
from anytile.dispatch.plans.matrix import Matrix, Row, nearest_weights
from anytile.dispatch.plans.portfolio import Choice, choose_portfolio
from anytile.dispatch.plans.profile import Profile, doubtful
from anytile.dispatch.plans.why import BUDGET
from anytile.dispatch.service import built_bytes
from anytile.schedules.plans.plan import DispatchPlan
from anytile.schedules.templates.registry import template, templates_for
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.builders.library_candidates import LIBRARY, NAME, build_of, library_candidates
from anytile.tuner.ledger.budget import Deadline
from anytile.tuner.protocol.candidate import Candidate, Point, TimingPolicy, Way, point_of, way_of
from anytile.tuner.requests.size_weights import heaviest
from anytile.tuner.settle import challengers, crosseval
from anytile.tuner.settle import duels as winners
from anytile.tuner.settle import profile_sizes as profile_plan
from anytile.tuner.tasks.context import SCAN, Sitting
from anytile.tuner.tasks.search_task import Exploration

ALONE = ""  # the one column of a workload without a ranged symbol
BATCH = 12
DUEL_ROUNDS = 7
PROFILE_ROUNDS = 5
PROFILE = TimingPolicy(min_repeat_ms=1.5, warmup_ms=0.5)
BETWEEN = (3, 5, 7, 11, 13, 23, 37, 47, 61, 97, 131, 197)  # near ties meet at sizes with every kind of rest as well
BEYOND = (1024, 4096)  # near ties are settled past the cross-evaluated sizes too,
MOST_BEYOND_FLOPS = 5e9  # as far as that costs no more than the other duels
DUEL_SIZES = 3  # at once: what is lost when a duel is cut off
MOST_CROSS_FLOPS = 2e10  # of one call: a size that was asked for is left out only where it would take all the time
MOST_REPLACED = 4  # chosen configs that fail in the profile before we give up


@dataclass(frozen=True)
class Settling:
    """One workload on its way from searched configs to a plan."""

    sitting: Sitting
    workload: Workload

    @cached_property
    def symbol(self) -> str | None:
        """The symbol that ranges and residues speak of: the one that the fastest searched config's template walks.

        Only asked once the search is over, so it stays the same.
        """
        ledger, request = self.sitting.ledger, self.sitting.request
        best = ledger.best(self.workload)
        leader = template(best.template) if best is not None else request.templates(self.workload)[0]
        return leader.symbol(self.workload)

    @cached_property
    def others(self) -> dict[str, int]:
        """What the remaining symbols stand for."""
        point = self.sitting.request.representative_point(self.workload)
        return {name: size for name, size in point if name != self.symbol}

    @cached_property
    def weights(self) -> Mapping[int, float] | None:
        """How much the symbol's sizes count; None where all count alike."""
        return self.sitting.request.weights_of(self.workload, self.symbol)

    def point(self, size: int) -> Point:
        return point_of(self.others if self.symbol is None else {**self.others, self.symbol: size})

    def rows(self, kind: str) -> list[Trial]:
        """Ready for a matrix: the rows of one kind, normalised, of one column where there is no ranged symbol."""
        rows = map(winners.normalised_row, self.sitting.ledger.of(self.workload, kind))
        return [replace(t, point={ALONE: 1}) for t in rows] if self.symbol is None else list(rows)

    def finalists(self) -> list[Way]:
        """The fastest searched, of the templates that walk the plan's symbol, and what runs untuned."""
        ways = crosseval.finalists(
            (t for t in self.rows("search") if t.template in self._fit), self.sitting.request.top_k
        )
        return list(dict.fromkeys([*ways, *self._untuned]))

    @property
    def _fit(self) -> set[str]:
        """The searched templates that walk the plan's symbol."""
        names = {t.template for t in self.rows("search")}
        return {name for name in names if template(name).symbol(self.workload) == self.symbol}

    @property
    def _untuned(self) -> list[Way]:
        """What runs where nothing is tuned: it meets the best at sizes of every kind; no plan falls behind it."""
        target, fit = self.sitting.request.target, self._fit
        first = next((t for t in templates_for(self.workload, target) if t.name in fit), None)
        return [] if first is None else [Way(first.name, first.default(self.workload, target))]

    def candidate(self, way: Way, sizes: Iterable[int]) -> Candidate:
        return self.sitting.candidate(self.workload, way, map(self.point, sizes))

    @property
    def column(self) -> str:
        return ALONE if self.symbol is None else self.symbol

    def cross_sizes(self) -> tuple[int, ...]:
        request = self.sitting.request
        return profile_plan.affordable(self.workload, self.column, self.others, request.cross_sizes, MOST_CROSS_FLOPS)

    def cross(self, deadline: Deadline) -> None:
        """The finalists at a few sizes, challengers there, then whole rows as long as there is time."""
        if self.symbol is None:
            return
        sizes = self.cross_sizes()
        ways = self.finalists()
        self.sitting.begin(self.workload, "cross", len(ways) * len(sizes), deadline)
        if not self._measured(crosseval.opening(ways, sizes), deadline):
            return
        weights = nearest_weights(self.weights or {}, sizes)
        ways = self._challenged(ways, sizes, weights, deadline)
        opened = [t for t in self.rows("cross") if t.point[self.symbol] in crosseval.opening_sizes(sizes)]
        cells = crosseval.measured(opened, self.symbol)
        self._measured(crosseval.following(ways, sizes, cells, weights, first=self._untuned), deadline)

    def _challenged(
        self, ways: list[Way], sizes: Sequence[int], weights: Mapping[int, float], deadline: Deadline
    ) -> list[Way]:
        """The finalists and those that a search at the opening sizes adds to them; chance alone adds nobody."""
        request = self.sitting.request
        if request.strategy != "evolve" or self.symbol is None:
            return ways
        time = deadline.sooner(challengers.TIME)
        searches: dict[tuple[str, int], Exploration] = {}  # each remembers what it knows of configs

        def opening() -> challengers.Opening:
            return {(way_of(t), t.point[self.column]): t for t in self.rows("cross")}

        def propose(name: str, size: int, there: Sequence[Trial], count: int) -> Sequence[Way]:
            # What the search found out at its own size would mislead: there, other things win.
            if (name, size) not in searches:
                searches[name, size] = Exploration(self.sitting, self.workload, template(name), at=self.point(size))
            return [Way(name, config) for config in searches[name, size].propose({self.workload: there}, count)]

        def measure(some: Sequence[Way]) -> bool:
            return self._measured(crosseval.opening(some, sizes), time)

        counted = [size for size in crosseval.opening_sizes(sizes) if self.weights is None or weights[size] > 0]
        # Whoever asked for few configs is not to get hundreds.
        most = request.trials or challengers.ROUND * challengers.ROUNDS
        return challengers.challenged(ways, counted, opening, propose, measure, most)

    def _measured(self, jobs: Sequence[crosseval.Job], deadline: Deadline) -> bool:
        for start in range(0, len(jobs), BATCH):
            batch = [self.candidate(job.way, job.sizes) for job in jobs[start : start + BATCH]]
            if not self.sitting.measure("cross", batch, SCAN, deadline):
                return False
        return True

    def matrix(self, duels: bool = True) -> Matrix | None:
        """Everything known of the configs that may be chosen; None where nothing is."""
        crossed = self.rows("cross")
        rows = crossed if any(t.status is Status.OK for t in crossed) else self._searched()
        profiled = [t for t in self._profile_rows() if t.template != LIBRARY]
        out = crosseval.spoiled([*crossed, *profiled, *(self.rows("pair") if duels else ())])
        kept = [t for t in rows if way_of(t) not in out]
        if not any(t.status is Status.OK for t in kept):
            return None
        matrix = Matrix.from_trials(kept, self.column, lambda name, config: template(name).tile(config))
        if duels:
            matrix = winners.settled(matrix, self.rows("pair"), self.column)
        return replace(matrix, weights=nearest_weights(self.weights, matrix.sizes)) if self.weights else matrix

    def choice(self, matrix: Matrix) -> Choice:
        """The portfolio, out of those who met in duels if any did.

        Of many rows measured once some are fast by luck at some size; only who was measured again is free of that.
        """
        met = {way_of(t) for t in self.rows("pair") if t.status is Status.OK}
        rows = [i for i, row in enumerate(matrix.rows) if _way(row) in met] or list(range(len(matrix.rows)))
        choice = choose_portfolio(matrix.subset(rows), self.sitting.request.portfolio)
        return replace(choice, rows=tuple(rows[i] for i in choice.rows))

    def _searched(self) -> list[Trial]:
        finalists = set(self.finalists())
        return [t for t in self.rows("search") if way_of(t) in finalists]

    def pair(self, deadline: Deadline) -> None:
        """Time those too close to call against each other."""
        matrix = self.matrix(duels=False)
        if matrix is None:
            return
        untuned = self._untuned
        close = winners.contestants(matrix, also=[i for i, row in enumerate(matrix.rows) if _way(row) in untuned])
        if not close:
            return
        ways = [_way(matrix.rows[i]) for i in close]
        sizes = matrix.sizes
        if self.symbol is not None:
            extended = {*sizes, *BETWEEN, *BEYOND}
            beyond = profile_plan.affordable(self.workload, self.symbol, self.others, extended, MOST_BEYOND_FLOPS)
            sizes = (*sizes, *sorted({*beyond} - {*sizes}))  # what was cross-evaluated first, should the time run out
        self.sitting.begin(self.workload, "pair", len(ways) * len(sizes), deadline)
        for start in range(0, len(sizes), DUEL_SIZES):
            candidates = [self.candidate(way, sizes[start : start + DUEL_SIZES]) for way in ways]
            if not self.sitting.duel("pair", candidates, DUEL_ROUNDS, TimingPolicy(), deadline):
                return

    def profile(self, deadline: Deadline) -> None:
        """The chosen variants and the libraries at many sizes; a variant that fails is replaced by the next choice."""
        for _ in range(MOST_REPLACED):
            matrix = self.matrix()
            if matrix is None:
                return
            chosen = [matrix.rows[i] for i in self.choice(matrix).rows]
            if not self._profiled(chosen, deadline):
                return
            if not crosseval.spoiled(self.rows("profile")) & set(map(_way, chosen)):
                return

    def confirm(self, deadline: Deadline) -> None:
        """Ranges that look like a moment's noise are measured again, at another moment, for all who profiled."""
        matrix = self.matrix()
        if self.symbol is None or matrix is None:
            return
        chosen = [matrix.rows[i] for i in self.choice(matrix).rows]
        profile = self._profile_of(chosen)
        sizes = doubtful(profile) if profile is not None else ()
        if not sizes:
            return
        profiled = {way_of(t) for t in self.rows("profile")}
        ways = dict.fromkeys([*map(_way, chosen), *(way for way in self._libraries() if way in profiled)])
        lasting = [way for way in ways if way not in crosseval.spoiled(self._profile_rows())]
        self.sitting.begin(self.workload, "confirm", len(lasting) * len(sizes), deadline)
        for chunk in profile_plan.chunks(profile_plan.refining(sizes), heavy=2 * max(sizes)):
            candidates = [self.candidate(way, chunk) for way in lasting]
            if not self.sitting.duel("confirm", candidates, PROFILE_ROUNDS, PROFILE, deadline):
                return

    def _profile_rows(self) -> list[Trial]:
        return [*self.rows("profile"), *self.rows("confirm")]

    def _profiled(self, chosen: Sequence[Row], deadline: Deadline) -> bool:
        if self.symbol is None:
            sizes = [1]
        else:
            first = {*self.cross_sizes(), *heaviest(self.weights or {})}
            wanted = profile_plan.profile_sizes((row.tile for row in chosen), first)
            kept = profile_plan.affordable(self.workload, self.symbol, self.others, wanted)
            sizes = profile_plan.refining(kept, first)
        rivals = library_candidates(self.workload, self.sitting.request.target)
        self.sitting.begin(self.workload, "profile", (len(chosen) + len(rivals)) * len(sizes), deadline)
        for chunk in profile_plan.chunks(sizes, heavy=2 * max(sizes)):
            points = tuple(map(self.point, chunk))
            ours = [self.candidate(_way(row), chunk) for row in chosen]
            theirs = [replace(rival, points=points) for rival in rivals]
            if not self.sitting.duel("profile", [*ours, *theirs], PROFILE_ROUNDS, PROFILE, deadline):
                return False
            failed = crosseval.spoiled(self.rows("profile"))
            if failed & set(map(_way, chosen)):
                return True
            rivals = [rival for rival in rivals if rival.way not in failed]
        return True

    def plan(self, provisional: bool = False) -> DispatchPlan | None:
        """The choice, from everything measured; None where no config worked."""
        matrix = self.matrix()
        if matrix is None:
            return None
        choice = self.choice(matrix)
        profile = self._profile_of([matrix.rows[i] for i in choice.rows])
        request = self.sitting.request

        def choose(code_budget: int) -> DispatchPlan:
            return choose_plan(
                self.workload,
                request.target,
                matrix,
                profile=profile,
                portfolio=request.portfolio,
                code_budget=code_budget,
                choice=choice,
            )

        # Who waits for an interrupted campaign to end does not wait for a build as well.
        plan = choose(request.code_budget) if provisional else held(request.code_budget, choose, built_bytes)
        notes = {**plan.notes, "campaign": self.sitting.ledger.campaign.id, "searched": len(self.rows("search"))}
        notes[BUDGET] = request.code_budget
        notes["templates"] = {v.template: template(v.template).version for v in plan.variants}
        measured = [
            w.config for w in self._libraries() if profile is not None and profile.of_runner(str(w.config[NAME]))
        ]
        notes[MEASURED] = {str(config[NAME]): build for config in measured if (build := build_of(config))}
        if provisional:
            notes["provisional"] = True
        return replace(plan, notes=notes)

    def _libraries(self) -> list[Way]:
        """Those that are here: what another build of one measured, before this sitting, is not believed."""
        return [rival.way for rival in library_candidates(self.workload, self.sitting.request.target)]

    def _profile_of(self, chosen: Sequence[Row]) -> Profile | None:
        """The dense profile of the chosen rows, in their order, and of the libraries; None if any row has none.

        What was measured twice counts as the faster time: what disturbs a measurement only ever makes it slower.
        """
        rows = self._profile_rows()
        failed = crosseval.spoiled(rows)
        times: dict[Way, dict[int, tuple[float, ...]]] = {}
        for t in rows:
            if way_of(t) not in failed and t.status is Status.OK:
                known, size = times.setdefault(way_of(t), {}), t.point[self.column]
                known[size] = min(known.get(size, t.samples), t.samples, key=statistics.median)
        variants = [times.get(_way(row), {}) for row in chosen]
        if not all(variants):
            return None
        libraries = {str(way.config[NAME]): times[way] for way in self._libraries() if way in times}
        return Profile.of(variants, [row.tile for row in chosen], libraries)


def _way(row: Row) -> Way:
    return Way(row.template, row.config)


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
