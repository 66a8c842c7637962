"""The phases that measure between a finished search and the plan: cross-evaluation, duels of those too close to call,
the dense profile and a second look at what is odd in it.

Every phase asks the evidence what is known, and measures what it lacks; so it can be taken up again after any
interruption.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from anytile.db.records.records import Trial
from anytile.dispatch.plans.choose import losses
from anytile.dispatch.plans.matrix import Row, best_rows, nearest_weights
from anytile.dispatch.plans.profile import doubtful, library_sizes
from anytile.tuner.builders.library_candidates import library_candidates
from anytile.tuner.ledger.budget import Deadline
from anytile.tuner.ledger.measurer import SCAN, Measurer
from anytile.tuner.protocol.candidate import Contender, Point, TimingPolicy, contender_of
from anytile.tuner.requests.request import TuneRequest
from anytile.tuner.requests.size_weights import heaviest
from anytile.tuner.search.strategies import STRATEGIES
from anytile.tuner.settle import challengers
from anytile.tuner.settle.crosseval import Job, following, measured, opening, opening_sizes, spoiled
from anytile.tuner.settle.disturbance import disturbed
from anytile.tuner.settle.duels import contestants
from anytile.tuner.settle.evidence import MOMENTS, Evidence
from anytile.tuner.settle.profile_sizes import MOST_FLOPS, chunks, profile_sizes, refining
from anytile.tuner.tasks.search_task import SearchTask

BATCH = 12
DUEL_ROUNDS = 7
PROFILE_ROUNDS = 5
PROFILE = TimingPolicy(min_repeat_ms=1.5, warmup_ms=0.5)
BETWEEN = (3, 5, 7, 11, 13, 23, 37, 47, 61, 97, 131, 197)  # near ties meet at sizes with every kind of rest as well
BEYOND = (1024, 4096)  # near ties are settled past the cross-evaluated sizes too,
MOST_BEYOND_FLOPS = 5e9  # as far as that costs no more than the other duels
FAR = 0.05  # a plan so much slower at a size than what was measured there is measured again before it is stored
MOST_FAR = 8  # sizes
RIVALS = 2  # the fastest there, each of whom meets the plan again
MOST_CONFIRMED = 12  # sizes of each range of a library
DUEL_SIZES = 3  # at once: what is lost when a duel is cut off
MOST_CROSS_FLOPS = 2e10  # of one call: a size that was asked for is left out only where it would take all the time
MOST_REPLACED = 4  # chosen configs that fail in the profile before we give up


@dataclass(frozen=True)
class PlanPhases:
    """One workload's phases. `search` makes a search of a template at a point, for challengers."""

    known: Evidence
    request: TuneRequest
    measurer: Measurer
    search: Callable[[str, Point], SearchTask]

    def cross_sizes(self) -> tuple[int, ...]:
        return self.known.affordable(self.request.cross_sizes, MOST_CROSS_FLOPS)

    def _begin(self, phase: str, total: int, deadline: Deadline) -> None:
        self.measurer.begin(self.known.workload, phase, total, deadline)

    def cross(self, deadline: Deadline) -> None:
        """The finalists at a few sizes, challengers there, then whole rows as long as there is time."""
        known = self.known
        if known.symbol is None:
            return
        sizes, contenders = self.cross_sizes(), known.finalists()
        self._begin("cross", len(contenders) * len(sizes), deadline)
        if not self._measured(opening(contenders, sizes), deadline):
            return
        weights = nearest_weights(known.weights or {}, sizes)
        contenders = self._challenged(contenders, sizes, weights, deadline)
        opened = [t for t in known.rows("cross") if t.point[known.symbol] in opening_sizes(sizes)]
        cells = measured(opened, known.symbol)
        self._measured(following(contenders, sizes, cells, weights, first=known.untuned), deadline)

    def _challenged(
        self, contenders: list[Contender], sizes: Sequence[int], weights: Mapping[int, float], deadline: Deadline
    ) -> list[Contender]:
        """The finalists and those that a search at the opening sizes adds to them; chance alone adds nobody."""
        known = self.known
        if not STRATEGIES[self.request.strategy].learns:
            return contenders
        time = deadline.sooner(challengers.TIME)
        searches: dict[tuple[str, int], SearchTask] = {}  # each remembers what it knows of configs

        def opened() -> challengers.Opening:
            return {(contender_of(t), t.point[known.column]): t for t in known.rows("cross")}

        def propose(name: str, size: int, there: Sequence[Trial], count: int) -> Sequence[Contender]:
            # What the search found out at its own size would mislead: there, other things win.
            if (name, size) not in searches:
                searches[name, size] = self.search(name, known.point(size))
            with self.measurer.runner.thinking():
                configs = searches[name, size].propose({known.workload: there}, count)
            return [Contender(name, config) for config in configs]

        def measure(some: Sequence[Contender]) -> bool:
            return self._measured(opening(some, sizes), time)

        counted = [size for size in opening_sizes(sizes) if known.weights is None or weights[size] > 0]
        # Whoever asked for few configs is not to get hundreds.
        most = self.request.trials or challengers.ROUND * challengers.ROUNDS
        return challengers.challenged(contenders, counted, opened, propose, measure, most)

    def _measured(self, jobs: Sequence[Job], deadline: Deadline) -> bool:
        for start in range(0, len(jobs), BATCH):
            batch = [self.known.candidate(job.contender, job.sizes) for job in jobs[start : start + BATCH]]
            if not self.measurer.measure("cross", batch, SCAN, deadline):
                return False
        return True

    def pair(self, deadline: Deadline) -> None:
        """Time those too close to call against each other."""
        matrix = self.known.matrix(duels=False)
        if matrix is None:
            return
        runs_untuned = set(self.known.untuned)
        untuned = [i for i, row in enumerate(matrix.rows) if contender_of(row) in runs_untuned]
        close = contestants(matrix, self.request.objective, also=untuned)
        if not close:
            return
        contenders = [contender_of(matrix.rows[i]) for i in close]
        sizes = matrix.sizes
        if self.known.symbol is not None:
            beyond = self.known.affordable({*sizes, *BETWEEN, *BEYOND}, MOST_BEYOND_FLOPS)
            sizes = (*sizes, *sorted({*beyond} - {*sizes}))  # what was cross-evaluated first, should the time run out
        self._begin("pair", len(contenders) * len(sizes), deadline)
        for start in range(0, len(sizes), DUEL_SIZES):
            candidates = [self.known.candidate(c, sizes[start : start + DUEL_SIZES]) for c in contenders]
            if not self.measurer.duel("pair", candidates, DUEL_ROUNDS, TimingPolicy(), deadline):
                return

    def profile(self, deadline: Deadline) -> None:
        """The chosen variants and the libraries at many sizes; a variant that fails is replaced by the next choice."""
        for _ in range(MOST_REPLACED):
            matrix = self.known.matrix()
            if matrix is None:
                return
            chosen = [matrix.rows[i] for i in self.known.choice(matrix).rows]
            if not self._profiled(chosen, deadline):
                return
            if not spoiled(self.known.rows("profile")) & set(map(contender_of, chosen)):
                return

    def confirm(self, deadline: Deadline) -> None:
        """At another moment, all who profiled: where a library won, what was measured on a disturbed machine, and what
        looks like a moment's noise. Then what is still far from the best that is known of a size."""
        sizes = self._doubts()
        if sizes and not self._again("confirm", sizes, (), deadline):
            return
        far = self._far()
        if far:
            rivals = dict.fromkeys(c for several in far.values() for c in several)
            if self._again("again", list(far), list(rivals), deadline):
                self.profile(deadline)  # the choice may be another one now

    def _doubts(self) -> list[int]:
        """The most doubtful sizes first: wherever the time runs out, what matters was confirmed."""
        found = self.known.chosen(MOMENTS[:1])
        if found is None or found[2] is None:
            return []
        matrix, choice, profile = found[0], found[1], found[2]
        contenders = {contender_of(matrix.rows[i]) for i in choice.rows}
        rows, column = self.known.rows("profile"), self.known.column
        slow = {t.point[column] for t in rows if contender_of(t) in contenders and disturbed(t)}
        won = library_sizes(profile, MOST_CONFIRMED) if self.known.symbol is not None else tuple(profile.sizes)
        noisy = doubtful(profile) if self.known.symbol is not None else ()
        return list(dict.fromkeys([*refining(won), *refining(slow), *refining(noisy)]))

    def _far(self) -> dict[int, list[Contender]]:
        """Sizes at which the plan is far from the best that was measured there, and who that was."""
        known, found = self.known, self.known.chosen(MOMENTS[:2])
        if known.symbol is None or found is None or found[2] is None:
            return {}
        matrix, choice, profile = found[0], found[1], found[2]
        behind = losses(matrix, choice.rows, profile)
        worst_first = sorted((s for s in behind if behind[s] > 1 + FAR), key=lambda s: (-behind[s], s))[:MOST_FAR]
        return {s: [contender_of(matrix.rows[i]) for i in best_rows(matrix, s, RIVALS)] for s in worst_first}

    def _again(self, kind: str, sizes: Sequence[int], also: Sequence[Contender], deadline: Deadline) -> bool:
        """The chosen, the libraries and others at some sizes, side by side; False when the time ran out."""
        known, found = self.known, self.known.chosen(MOMENTS[:1])
        if found is None:
            return False
        matrix, choice, _ = found
        profiled = {contender_of(t) for t in known.rows("profile")}
        chosen = [contender_of(matrix.rows[i]) for i in choice.rows]
        contenders = dict.fromkeys([*chosen, *(c for c in known.libraries() if c in profiled), *also])
        lasting = [c for c in contenders if c not in spoiled(known.profile_rows())]
        self._begin(kind, len(lasting) * len(sizes), deadline)
        for chunk in chunks(sizes, heavy=2 * max(sizes)):
            candidates = [known.candidate(c, chunk) for c in lasting]
            if not self.measurer.duel(kind, candidates, PROFILE_ROUNDS, PROFILE, deadline):
                return False
        return True

    def _profiled(self, chosen: Sequence[Row], deadline: Deadline) -> bool:
        if self.known.symbol is None:
            sizes = [1]
        else:
            first = {*self.cross_sizes(), *heaviest(self.known.weights or {})}
            wanted = profile_sizes((row.tile for row in chosen), first)
            sizes = refining(self.known.affordable(wanted, MOST_FLOPS), first)
        rivals = library_candidates(self.known.workload, self.request.target)
        self._begin("profile", (len(chosen) + len(rivals)) * len(sizes), deadline)
        for chunk in chunks(sizes, heavy=2 * max(sizes)):
            points = tuple(map(self.known.point, chunk))
            ours = [self.known.candidate(contender_of(row), chunk) for row in chosen]
            theirs = [replace(rival, points=points) for rival in rivals]
            if not self.measurer.duel("profile", [*ours, *theirs], PROFILE_ROUNDS, PROFILE, deadline):
                return False
            failed = spoiled(self.known.rows("profile"))
            if failed & set(map(contender_of, chosen)):
                return True
            rivals = [rival for rival in rivals if rival.contender not in failed]
        return True
