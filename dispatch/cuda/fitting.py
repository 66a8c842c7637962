"""Residue classes on a GPU: those whose sizes measure alike share a kernel, and under a budget all do.

A class runs as its largest residue, so a smaller one takes at most as long as that. Where the profile says that it
takes no less on its own either, telling the two apart is code for nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from anytile.dispatch.plans.matrix import Row, kernel_share
from anytile.dispatch.plans.profile import Series
from anytile.dispatch.plans.residue_classes import Classes
from anytile.schedules.plans.plan import default_classes, mode

ALIKE = 0.02


@dataclass(frozen=True)
class CudaFitting:
    """See `Fitting`."""

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
