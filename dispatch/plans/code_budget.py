"""Code size budget: which residues of a plan's variants share a kernel, for each kind of target.

What a residue's own kernel is worth hangs on the target: on a CPU it saves rows that nobody needs; on a GPU the rest is
one block of many, and only classes of residues are told apart at all. A fitting decides, says why, and says what the
variant takes then.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from anytile.dispatch.plans.guard_cost import crowding
from anytile.dispatch.plans.matrix import Row, code_share, kernel_share
from anytile.dispatch.plans.profile import Series
from anytile.dispatch.plans.residue_classes import Classes, Losses, as_run, losses, merged, partitions
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import default_classes, mode
from anytile.schedules.workloads.workload import Workload

ALIKE = 0.02  # on a GPU: rests that measure as near as this share a kernel
MERGE_LIMIT = 0.25  # under a code budget, merge or guard up to this loss before giving a variant up


class Fitting(Protocol):
    """How one kind of target decides which residues share a kernel."""

    def fit(self, rows: Sequence[Row], series: Sequence[Series], decisions: list[str]) -> tuple[list[Classes], bool]:
        """Residue classes for each row, and whether the code fits the budget; reasons go to `decisions`."""
        ...

    def as_run(self, series: Series, row: Row, classes: Classes) -> Series:
        """What the series would measure in these classes."""
        ...


def fitting_for(workload: Workload, target: Target, budget: int | None, tolerance: float) -> Fitting:
    return CudaFitting(budget) if target.kind == "cuda" else CpuFitting(workload, target, budget, tolerance)


@dataclass
class CpuFitting:
    """One kernel per residue; under a budget neighbours share one, or every row is guarded."""

    workload: Workload
    target: Target
    budget: int | None
    tolerance: float
    _crowded: dict[Row, float] = field(default_factory=dict)

    def fit(self, rows: Sequence[Row], series: Sequence[Series], decisions: list[str]) -> tuple[list[Classes], bool]:
        tables = [losses(s, self._crowding(row)) for s, row in zip(series, rows, strict=True)]
        return _fit(rows, tables, self.budget, self.tolerance, decisions)

    def as_run(self, series: Series, row: Row, classes: Classes) -> Series:
        return as_run(series, classes, self._crowding(row))

    def _crowding(self, row: Row) -> float:
        if self.budget is None:
            return 0.0
        if row not in self._crowded:
            self._crowded[row] = crowding(self.workload, self.target, row.template, row.config)
        return self._crowded[row]


@dataclass(frozen=True, slots=True)
class _Form:
    """One way to treat a variant's residues, its worst loss, and its code size."""

    classes: Classes
    loss: float
    code: float


def _forms(row: Row, table: Losses, classes: Classes) -> list[_Form]:
    """From `classes` on, each form smaller than the one before, that no other beats in both loss and size."""
    others = (*partitions(table), ())
    start, *rest = (_Form(c, table.of(c), row.code_bytes * code_share(row.tile, c)) for c in (classes, *others))
    kept = [start]
    for form in sorted(rest, key=lambda f: (f.loss, f.code)):
        if form.code < kept[-1].code and form.loss >= start.loss:
            kept.append(form)
    return kept


def _fit(
    rows: Sequence[Row],
    tables: Sequence[Losses],
    budget: int | None,
    tolerance: float,
    decisions: list[str],
) -> tuple[list[Classes], bool]:
    """Residue classes for each row: those that measure alike merged, then what loses least until the code fits."""
    forms = []
    for row, table in zip(rows, tables, strict=True):
        classes = merged(table, tolerance)
        forms.append(_forms(row, table, classes))
        if len(classes) < table.tile:
            decisions.append(
                f"{row.config}: residues that measure within {tolerance:.0%} merged, {table.tile} to {len(classes)}"
            )
    chosen = [f[0] for f in forms]
    before, size = chosen, sum(f.code for f in chosen)
    limit = MERGE_LIMIT if len(rows) > 1 else math.inf
    while budget is not None and size > budget:
        # What is next for each: the smaller form that loses least.
        nexts = [next((f for f in forms[v] if f.code < now.code), None) for v, now in enumerate(chosen)]
        moves = [(f.loss, f.code - chosen[v].code, v, f) for v, f in enumerate(nexts) if f and f.loss <= limit]
        if not moves:
            break
        _, _, v, form = min(moves, key=lambda move: move[:3])
        chosen = [*chosen[:v], form, *chosen[v + 1 :]]
        size = sum(f.code for f in chosen)
    fits = budget is None or size <= budget
    if chosen != before and (fits or len(rows) == 1):
        decisions.append(
            f"code budget of {budget} bytes: {_modes(before)} to {_modes(chosen)}, "
            f"about {sum(f.code for f in before):.0f} to {size:.0f} bytes, worst loss {max(f.loss for f in chosen):.0%}"
        )
        decisions += [
            f"{row.config}: guarding every row should lose at most {form.loss:.0%}, and no classes as small less"
            for row, form in zip(rows, chosen, strict=True)
            if not form.classes
        ]
    if not fits and len(rows) == 1:
        decisions.append(f"code budget of {budget} bytes cannot be met: the smallest plan takes about {size:.0f}")
    return [f.classes for f in chosen], fits


def _modes(forms: Sequence[_Form]) -> str:
    return "+".join(mode(f.classes) for f in forms)


@dataclass(frozen=True)
class CudaFitting:
    """Classes whose sizes measure alike share a kernel; under a budget all of a variant's do.

    A class runs as its largest residue, so a smaller one takes at most as long as that. Where the profile says that it
    takes no less on its own either, telling the two apart is code for nothing.
    """

    budget: int | None

    def fit(self, rows: Sequence[Row], series: Sequence[Series], decisions: list[str]) -> tuple[list[Classes], bool]:
        chosen = []
        for row, one in zip(rows, series, strict=True):
            before = default_classes("cuda", row.tile)
            classes = alike(one, before)
            if len(classes) < len(before):
                decisions.append(
                    f"{row.config}: rests that measure within {ALIKE:.0%} share a kernel, "
                    f"{len(before)} to {len(classes)} classes"
                )
            chosen.append(classes)
        size = self._bytes(rows, chosen)
        if self.budget is not None and size > self.budget:
            whole: Classes = ()
            least = self._bytes(rows, [whole] * len(rows))
            modes = "+".join(map(mode, chosen))
            decisions.append(
                f"code budget of {self.budget} bytes: {modes} to one kernel each, about {size:.0f} to {least:.0f} bytes"
            )
            return [whole] * len(rows), least <= self.budget
        return chosen, True

    def as_run(self, series: Series, row: Row, classes: Classes) -> Series:
        """A measured size keeps its time, or takes that of its class' largest rest if that is more."""
        top = {r: hi for lo, hi in classes or ((0, row.tile - 1),) for r in range(lo, hi + 1)}
        known = {r: hi for lo, hi in default_classes("cuda", row.tile) for r in range(lo, hi + 1)}
        seconds = {}
        for m, measured in series.seconds.items():
            rest = m % row.tile
            apart = top[rest] > known[rest] and rest > 0
            seconds[m] = max(measured, float(series.at([m - rest + top[rest]])[0])) if apart else measured
        return replace(series, seconds=seconds)

    def _bytes(self, rows: Sequence[Row], classes: Sequence[Classes]) -> float:
        return sum(row.code_bytes * kernel_share(row.tile, c) for row, c in zip(rows, classes, strict=True))


def alike(series: Series, classes: Classes) -> Classes:
    """Neighbouring classes joined as long as no rest in them loses more than `ALIKE`; no rest at all stays apart."""
    joined: list[tuple[int, int]] = []
    for low, high in classes:
        if joined and joined[-1][0] > 0 and _loss(series, joined[-1][0], high) <= ALIKE:
            joined[-1] = (joined[-1][0], high)
        else:
            joined.append((low, high))
    return tuple(joined)


def _loss(series: Series, low: int, high: int) -> float:
    """What the rests `low..high` lose by running as `high`, alone and after one full tile."""
    tile, worst = series.tile, 0.0
    for whole in (0, tile):
        (top,) = series.at([whole + high])
        worst = max(worst, max(float(top / own) for own in series.at(range(whole + low, whole + high + 1))) - 1.0)
    return worst
