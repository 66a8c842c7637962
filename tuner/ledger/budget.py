"""The budget of a campaign: seconds split over workloads and phases, however often it is resumed.

Time is spent first come, first served, with a share set aside for what comes later: a phase that ends early
leaves its rest to the phases after it, one that runs over takes from them. The clock is injected.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

# What part of a workload's time each phase may take, in the order in which a workload goes through them.
SHARES: dict[str, float] = {"search": 0.42, "cross": 0.25, "pair": 0.12, "profile": 0.14, "confirm": 0.07}
CONCRETE_SHARES: dict[str, float] = {"search": 0.83, "pair": 0.10, "profile": 0.05, "confirm": 0.02}
PER_WORKLOAD = 60.0  # the default budget, in seconds
AT_MOST = 174.0  # with starting and stopping, under three minutes
RESERVE = 1.5  # for the trial in flight when the time is up, and for making the plan
RESERVE_SHARE = 0.05
ALIKE = 0.5  # of the time for plans that workloads share alike, whatever each is worth: a plan takes its time
OVERTIME = 0.5  # of the time of the phases that follow


def default_seconds(workloads: int) -> float:
    return min(PER_WORKLOAD * workloads, AT_MOST)


def parts(values: Sequence[float]) -> list[float]:
    """What part of the time each of several workloads has: some alike, the rest by what they are worth."""
    total = sum(values)
    worth = [v / total if total > 0 else 1 / len(values) for v in values]
    return [ALIKE / len(values) + (1 - ALIKE) * w for w in worth]


@dataclass
class Budget:
    """Seconds allowed in total (None: as long as it takes) and seconds spent, earlier sittings included."""

    seconds: float | None
    spent_before: float = 0.0
    clock: Callable[[], float] = time.monotonic
    _start: float = field(init=False)

    def __post_init__(self) -> None:
        self._start = self.clock()

    @property
    def spent(self) -> float:
        return self.spent_before + self.clock() - self._start

    @property
    def left(self) -> float | None:
        return None if self.seconds is None else max(0.0, self.seconds - self.spent)

    def share(self, part: float = 1.0) -> Share:
        """This part of what is left, as one workload's."""
        if self.seconds is None or self.left is None:
            return Share(self, None)
        reserve = min(RESERVE, self.seconds * RESERVE_SHARE)
        return Share(self, self.spent + max(0.0, self.left - reserve) * part)


@dataclass(frozen=True)
class Share:
    """One workload's part: it ends when the campaign's spent seconds reach `until`."""

    budget: Budget
    until: float | None

    def phase(self, name: str, shares: dict[str, float]) -> Deadline:
        """Time for one phase: its part of what is left, measured against it and all the phases after it."""
        names = list(shares)
        return self.part(shares[name] / sum(shares[n] for n in names[names.index(name) :]))

    def part(self, of: float) -> Deadline:
        """Time for this part of what is left."""
        if self.until is None:
            return Deadline(self.budget, None, None)
        left = max(0.0, self.until - self.budget.spent)
        at = self.budget.spent + left * of
        return Deadline(self.budget, at, at + OVERTIME * (self.until - at))


@dataclass(frozen=True)
class Deadline:
    """The moment, in spent seconds, at which a phase must be over; `latest` if it has nothing to show for it yet."""

    budget: Budget
    at: float | None
    latest: float | None

    @property
    def left(self) -> float | None:
        return None if self.at is None else max(0.0, self.at - self.budget.spent)

    def sooner(self, part: float) -> Deadline:
        """The moment at which this part of the time that is left is over."""
        if self.at is None:
            return self
        at = self.budget.spent + max(0.0, self.at - self.budget.spent) * part
        return Deadline(self.budget, at, at)

    def passed(self) -> bool:
        return self.at is not None and self.budget.spent >= self.at

    def extended(self) -> Deadline:
        """The same with overtime: starting a cluster may have eaten the time, and without a start nothing follows."""
        return replace(self, at=self.latest)
