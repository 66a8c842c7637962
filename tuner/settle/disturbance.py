"""Disturbed measurements (outliers of a known cause) of a campaign: which rows are compared, what is said of them.

A row's state is among its facts. Rows of before states were kept are taken for undisturbed, as they were then.

Invariant: pure. A choice never rests on a comparison of a disturbed time with one that is not, where there is another.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from anytile.db.records.records import Status, Trial
from anytile.tuner.ledger.ledger import normalised
from anytile.tuner.protocol.candidate import Contender, contender_of
from anytile.tuner.protocol.machine_state import UNDISTURBED, MachineState, of_facts, worst

TWO_MOMENTS = 2
Moments = dict[Contender, dict[int, list[Trial]]]  # what was measured of a contender at a size, each time
BySize = Mapping[int, Sequence[Trial]]
Samples = dict[int, tuple[float, ...]]
_ENOUGH = 0.5  # of a column undisturbed: the others of it are left out


def state_of(trial: Trial) -> MachineState:
    return of_facts(trial.facts)


def disturbed(trial: Trial) -> bool:
    return trial.status is Status.OK and state_of(trial).disturbed


def ranked(trials: Iterable[Trial]) -> list[Trial]:
    """The fastest first; those of a disturbed machine among each other, and by their place there among the others."""
    ok = sorted(trials, key=lambda t: (disturbed(t), normalised(t), str(contender_of(t))))
    placed = []
    for _, group in groupby(ok, disturbed):
        alike = list(group)
        placed += [((i + 0.5) / len(alike), disturbed(t), i, t) for i, t in enumerate(alike)]
    return [t for *_, t in sorted(placed, key=lambda p: p[:3])]


def comparable(trials: Iterable[Trial]) -> list[Trial]:
    """Without the disturbed times at sizes where at least as many are not."""
    rows = list(trials)
    times: dict[tuple[tuple[str, int], ...], list[bool]] = {}
    for t in rows:
        if t.status is Status.OK:
            times.setdefault(tuple(sorted(t.point.items())), []).append(disturbed(t))
    calm = {point for point, slow in times.items() if slow.count(False) >= _ENOUGH * len(slow)}
    return [t for t in rows if not (disturbed(t) and tuple(sorted(t.point.items())) in calm)]


def calmest(moments: Sequence[Trial]) -> Trial:
    """Of several times of one thing the one to believe: undisturbed, then the fastest, for what disturbs only slows."""
    return min(moments, key=lambda t: (disturbed(t), _median(t)))


@dataclass(frozen=True)
class Disturbance:
    """How much of some measurements was disturbed, and how much slower the machine was then at the most."""

    share: float = 0.0
    state: MachineState = UNDISTURBED

    @classmethod
    def of(cls, trials: Iterable[Trial]) -> Disturbance:
        ok = [t for t in trials if t.status is Status.OK]
        slow = [state_of(t) for t in ok if disturbed(t)]
        return cls(round(len(slow) / len(ok), 4), worst(slow)) if slow else cls()

    def note(self) -> dict[str, object]:
        state = self.state
        slow = {"arithmetic": state.arithmetic, "cache": state.cache, "memory": state.memory}
        return {"share": self.share, "slow": {name: round(value, 3) for name, value in slow.items()}}

    def in_words(self) -> str:
        """As `3.1% of the times, arithmetic 1.3x as slow`; nothing where nothing was."""
        return f"{self.share:.1%} of the times, {self.state.in_words()} at most" if self.share else ""


def side_by_side(ours: Sequence[BySize]) -> list[Samples]:
    """Everybody's samples by size, at each those of one moment: the calmest, of several the one with the fastest time.

    Who was not measured at that moment counts as at his own calmest.
    """
    found: list[Samples] = [{} for _ in ours]
    for size in sorted({size for of in ours for size in of}):
        there = {t.kind: t for of in ours for t in of.get(size, ())}
        times = {kind: [t for of in ours for t in of.get(size, ()) if t.kind == kind] for kind in there}
        most = max(map(len, times.values()))
        kinds = [kind for kind in times if len(times[kind]) == most]
        kind = min(kinds, key=lambda k: (any(map(disturbed, times[k])), min(map(_median, times[k]))))
        for samples, of in zip(found, ours, strict=True):
            if size in of:
                samples[size] = next((t for t in of[size] if t.kind == kind), calmest(of[size])).samples
    return found


def as_measured(library: BySize, ours: Sequence[BySize]) -> Samples:
    """A library's samples by size, whatever ours took."""
    return {size: calmest(moments).samples for size, moments in library.items()}


def believed(library: BySize, ours: Sequence[BySize]) -> Samples:
    """A library's samples by size, as they count beside ours: at the moment of two that was the worse for it.

    Where there was one moment alone it counts as no faster than ours: a neighbour may have been the reason.
    """
    counted = side_by_side(ours)
    found: Samples = {}
    for size, moments in library.items():
        base = min((statistics.median(samples[size]) for samples in counted if size in samples), default=None)
        pairs = [(t, best) for t in moments if (best := _best(t.kind, size, ours)) is not None]
        pairs = [pair for pair in pairs if not disturbed(pair[0])] or pairs
        if base is None or not pairs:
            found[size] = calmest(moments).samples
            continue
        ratio = max(_median(t) / best for t, best in pairs)
        ratio = max(ratio, 1.0) if len(pairs) < TWO_MOMENTS else ratio
        samples = pairs[0][0].samples
        found[size] = tuple(s * ratio * base / statistics.median(samples) for s in samples)
    return found


def _best(kind: str, size: int, ours: Sequence[BySize]) -> float | None:
    """The fastest of ours at one moment."""
    return min((_median(t) for of in ours for t in of.get(size, ()) if t.kind == kind), default=None)


def _median(trial: Trial) -> float:
    return statistics.median(trial.samples)
