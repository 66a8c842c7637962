"""A simulated machine whose speed changes over time, with a clock of its own, and a runner that measures on it.

The stopwatch, the policy of waiting and the sampling are the real ones; kernels and probes are figures. Nothing waits,
and what comes out depends on nothing but the arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial

from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Config
from anytile.tuner.measure import sampling
from anytile.tuner.measure.quiet_machine import Steady
from anytile.tuner.protocol.candidate import Candidate, Duel, Facts, Outcome, Point, TimingPolicy
from anytile.tuner.protocol.machine_state import Part, Sample
from tests.support.stand_ins.synthetic_campaign import dice, true_seconds

Slow = Callable[[float], Mapping[Part, float]]  # at a time, how many times as long each part takes
PROBE = {Part.ARITHMETIC: 6e-5, Part.CACHE: 1e-5, Part.MEMORY: 2e-5}
BUILD = 0.01  # seconds for each candidate
NOISE = 0.01
# What of a kernel's time is spent waiting for memory: in quiet the greediest order is the fastest.
MEMORY_SHARE = {"nm": 0.7, "blocked": 0.35, "mn": 0.05}


def quiet(now: float) -> Mapping[Part, float]:
    return {}


def bursts(now: float) -> Mapping[Part, float]:
    """A neighbour streams memory for two seconds, and rests for two."""
    return {Part.MEMORY: 2.4, Part.CACHE: 2.0} if now % 4 >= 2 else {}


def lasting_neighbour(now: float) -> Mapping[Part, float]:
    """One who comes after five seconds, and stays for a minute."""
    return {Part.MEMORY: 2.4, Part.CACHE: 2.0} if 5 <= now < 65 else {}


def sinking_frequency(now: float) -> Mapping[Part, float]:
    return dict.fromkeys(Part, 1 + 0.3 * min(now, 60) / 60)


def seconds_of(config: Config, m: int) -> float:
    """What a call takes on the quiet machine. The library is a tenth behind the best of ours, everywhere."""
    if "name" in dict(config.values):
        return 1.1 * true_seconds(Config.of(tile=12 if m >= 12 else 2, width=4, unroll=2, order="nm"), m)
    return true_seconds(config, m)


def memory_share(config: Config) -> float:
    values = dict(config.values)
    return 0.1 if "name" in values else MEMORY_SHARE[str(values["order"])]


@dataclass
class SimulatedMachine:
    slow: Slow
    now: float = 0.0
    waited: float = 0.0

    def clock(self) -> float:
        return self.now

    def look(self, parts: Collection[Part]) -> Mapping[Part, float]:
        found = {part: PROBE[part] * self.slow(self.now).get(part, 1.0) for part in parts}
        self.now += sum(found.values())
        self.waited += sum(found.values())
        return found

    def call(self, config: Config, m: int, for_at_least: float, number: int) -> float:
        """Seconds per call, of as many calls as take so long."""
        slow, share = self.slow(self.now), memory_share(config)
        factor = (1 - share) * slow.get(Part.ARITHMETIC, 1.0) + share * slow.get(Part.MEMORY, 1.0)
        seconds = seconds_of(config, m) * factor * (1 + NOISE * dice(config, m, number))
        self.now += max(seconds, for_at_least)
        return seconds


@dataclass
class SimulatedRunner:
    """Measures on it; `parts` are those that the probes look at."""

    machine: SimulatedMachine
    parts: Collection[Part] = tuple(Part)
    name: str = "simulated"
    steady: Steady = field(init=False)
    calls: int = 0

    def __post_init__(self) -> None:
        look = partial(self.machine.look, self.parts)
        self.steady = Steady(look, PROBE[Part.ARITHMETIC], self.machine.clock)

    def prepare(self, target: Target) -> None:
        return None

    def run(self, candidates: Sequence[Candidate], policy: TimingPolicy) -> Iterator[Outcome]:
        for candidate in candidates:
            self.machine.now += BUILD
            timings = [
                sampling.alone(point, self._repeat(candidate, point, policy), policy) for point in candidate.points
            ]
            yield Outcome(candidate, tuple(timings), BUILD, self._drift(), "simulated", {"object_bytes": 1000.0})

    def inspect(self, candidates: Sequence[Candidate], policy: TimingPolicy) -> list[Facts]:
        return [{"object_bytes": 1000.0} for _ in candidates]

    def duel(self, candidates: Sequence[Candidate], rounds: int, policy: TimingPolicy) -> list[Duel]:
        self.machine.now += BUILD * len(candidates)
        return [
            sampling.in_turn(point, [self._repeat(c, point, policy) for c in candidates], rounds)
            for point in candidates[0].points
        ]

    def thinking(self) -> AbstractContextManager[None]:
        return nullcontext()

    def close(self) -> None:
        return None

    def _repeat(self, candidate: Candidate, point: Point, policy: TimingPolicy) -> Callable[[], Sample]:
        m = dict(point)["m"]

        def work() -> float:
            self.calls += 1
            return self.machine.call(candidate.config, m, policy.min_repeat_ms / 1e3, self.calls)

        return lambda: self.steady.sample(work)

    def _drift(self) -> float:
        return self.machine.slow(self.machine.now).get(Part.ARITHMETIC, 1.0)
