"""Rejection of noisy samples, by probes: before and after each, what the kernel waits for is seen to be there.

A host may put two cores of a virtual machine onto one of its own for a tenth of a second or for some seconds; a
neighbour may take the last cache or the memory's bandwidth for as long. What is timed meanwhile says nothing about a
kernel. So a moment of fixed work on each part that matters is timed beside each sample, and where one took longer than
it lately did, the sample is taken again when it no longer does. What waiting may cost is bounded, by a share of all
time; and a state that lasts is the machine: then it is waited for no more, but said, in every sample.
"""

from __future__ import annotations

import statistics
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from anytile.tuner.protocol.machine_state import SLACK, UNDISTURBED, MachineState, Part, Sample

SHARE = 0.5  # of all time may be spent waiting
SAVED = 3.0  # seconds of it at once: a burst of two seconds passes
LASTING = 8.0  # seconds without a quiet moment, after which a state is the machine's
_AT_FIRST = 0.1
_REMEMBERED = 60.0  # seconds for which a moment is what others are held against
_FRESH = 3e-4  # seconds for which the look after a sample is also the one before the next
_TYPICAL = 5  # looks whose median is believed: one alone may be lucky, and would make all others slow

Look = Callable[[], Mapping[Part, float]]  # seconds of each part's work, now


@dataclass
class _Level:
    """What one part's work takes when nothing disturbs it: lately, and ever."""

    ever: float
    lately: deque[tuple[float, float]]  # times and seconds, the fastest of the last minute and what may follow it
    slack: float
    last: deque[float] = field(default_factory=lambda: deque(maxlen=_TYPICAL))
    slow_since: float | None = None

    def see(self, seconds: float, now: float) -> bool:
        """Whether it is as fast as it lately was; who has been slow for long is not any more."""
        self.last.append(seconds)
        typical = max(seconds, statistics.median(self.last))
        self.ever = min(self.ever, typical)
        while self.lately and self.lately[-1][1] >= typical:
            self.lately.pop()
        self.lately.append((now, typical))
        while self.lately[0][0] < now - _REMEMBERED:
            self.lately.popleft()
        if seconds <= self.slack * self.lately[0][1]:
            self.slow_since = None
            return True
        self.slow_since = now if self.slow_since is None else self.slow_since
        if now - self.slow_since >= LASTING:
            self.lately = deque([(now, statistics.median(self.last))])
        return False


class _Seen(NamedTuple):
    state: MachineState
    whole: bool


class Steady:
    """The policy over a sequence of samples: when to wait, what to take again, which state a sample was in.

    `look` is at what every sample waits for. Arithmetic on one thread `alone` takes so many seconds: all cores at once
    may be a fifth slower than one by itself without being fewer than they should.
    """

    def __init__(self, look: Look, alone: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._look = look
        self._clock = clock
        self._levels = {Part.ARITHMETIC: _level(Part.ARITHMETIC, clock(), 1.2 * alone)}
        self._left, self._filled = _AT_FIRST, clock()
        self._last = _Seen(UNDISTURBED, False)
        self._whole_at = float("-inf")  # when it was last seen to be

    def sample(self, work: Callable[[], float], look: Look | None = None) -> Sample:
        """What `work` says, at its last try; `look` is at what this one waits for."""
        look = look or self._look
        before = self._last if self._clock() - self._whole_at <= _FRESH else self._wait(look)
        while True:
            begin = self._clock()
            found = work()
            after = self._seen(look)
            sample = Sample(found, before.state.worse(after.state))
            if before.whole and after.whole:
                return sample
            self._left -= self._clock() - begin  # for it is taken again
            before = self._wait(look)
            if not before.whole or self._left <= 0:
                return sample

    def _wait(self, look: Look) -> _Seen:
        """Until the machine is whole, or the time for that is spent: what was seen last."""
        begin = self._clock()
        self._left, self._filled = min(SAVED, self._left + SHARE * (begin - self._filled)), begin
        seen = self._seen(look)
        while not seen.whole and self._clock() - begin < self._left:
            seen = self._seen(look)
        self._left -= self._clock() - begin
        return seen

    def _seen(self, look: Look) -> _Seen:
        """The state now, against the best ever; and whether it is as good as lately."""
        seconds, now = look(), self._clock()
        levels = {part: self._levels.setdefault(part, _level(part, now, took)) for part, took in seconds.items()}
        as_lately = [levels[part].see(took, now) for part, took in seconds.items()]
        whole = all(as_lately)
        if whole:
            self._whole_at = now
        ratios = {part: took / levels[part].ever for part, took in seconds.items()}
        self._last = _Seen(MachineState.of(ratios), whole)
        return self._last


def _level(part: Part, now: float, seconds: float) -> _Level:
    return _Level(seconds, deque([(now, seconds)]), SLACK[part])
