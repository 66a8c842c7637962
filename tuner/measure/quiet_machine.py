"""Rejection of noisy samples, by a probe: before and after each, all cores are seen to be there.

A host may put two cores of a virtual machine onto one of its own for a tenth of a second or for some seconds, most
often when one of them had nothing to do; everything on two threads then takes twice as long, which says nothing about
a kernel. A neighbour may do the same to one core. So a moment of fixed work on all threads is timed beside each sample,
and where it took longer than it lately did, the sample is taken again when it no longer does. What waiting may cost is
bounded, by a share of all time: a machine that stays slow is measured as it is, and after a minute that is its pace.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

SHARE = 0.25  # of all time may be spent waiting
SAVED = 1.0  # seconds of it at once
_AT_FIRST = 0.1
_SLACK = 1.15
_REMEMBERED = 60.0  # seconds for which a moment is what others are held against


class Steady:
    """`moment` times the work now, on all threads; on a thread `alone` it takes so many seconds.

    All cores at once may be a fifth slower than one by itself without being fewer than they should.
    """

    def __init__(self, moment: Callable[[], float], alone: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._moment = moment
        self._clock = clock
        self._seen = deque([(clock(), 1.2 * alone)])  # the fastest of the last minute, and what may follow it
        self._left, self._filled = _AT_FIRST, clock()

    def sample(self, work: Callable[[], float]) -> float:
        """What `work` says, at its last try."""
        self._wait()
        found = work()
        while not self._whole():
            begin = self._clock()
            if not self._wait():
                break
            found = work()
            self._left -= self._clock() - begin
        return found

    def _wait(self) -> bool:
        """Until the machine is whole, or the time for that is spent: which of the two."""
        begin = self._clock()
        self._left, self._filled = min(SAVED, self._left + SHARE * (begin - self._filled)), begin
        whole = self._whole()
        while not whole and self._clock() - begin < self._left:
            whole = self._whole()
        self._left -= self._clock() - begin
        return whole

    def _whole(self) -> bool:
        seconds, now = self._moment(), self._clock()
        while self._seen and self._seen[-1][1] >= seconds:
            self._seen.pop()
        self._seen.append((now, seconds))
        while self._seen[0][0] < now - _REMEMBERED:
            self._seen.popleft()
        return seconds <= _SLACK * self._seen[0][1]
