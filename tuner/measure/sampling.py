"""Sampling: candidates timed alone or in alternation (paired samples), whatever the device; effects are injected.

A stopwatch is a function whose every call is one repeat, and says in which state the machine was. Rivals meet in rounds
of one repeat each, side by side; rounds of another state than the rest are left out, for all of them alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from anytile.db.records.records import Status
from anytile.tuner.protocol.candidate import Duel, Point, Timing, TimingPolicy
from anytile.tuner.protocol.machine_state import Sample, kept, worst

Stopwatch = Callable[[], Sample]
LEAST_ROUNDS = 3


def alone(point: Point, repeat: Stopwatch, policy: TimingPolicy) -> Timing:
    """Repeats of one candidate. A hopelessly slow one is stopped after its first sample."""
    samples: list[Sample] = []
    for _ in range(max(1, policy.repeats)):
        samples.append(repeat())
        if policy.best_seconds is not None and samples[0].seconds > policy.slow_factor * policy.best_seconds:
            break
    those = [s for (s,) in kept([[s] for s in samples])]
    return Timing(point, Status.OK, tuple(s.seconds for s in those), state=worst(s.state for s in those))


def in_turn(point: Point, repeats: Sequence[Stopwatch], rounds: int) -> Duel:
    """Rounds of one repeat of each."""
    taken = []
    for r in range(rounds):
        found = {i: repeats[i]() for i in turns(len(repeats), r)}
        taken.append([found[i] for i in range(len(repeats))])
    those = kept(taken, LEAST_ROUNDS)
    samples = tuple(tuple(r[i].seconds for r in those) for i in range(len(repeats)))
    return Duel(point, samples, worst(s.state for r in those for s in r))


def turns(count: int, r: int) -> list[int]:
    """The order of round r between so many rivals: rotated and turned round, so that none profits from its place."""
    order = [(i + r) % count for i in range(count)]
    return order[::-1] if r % 2 else order
