"""The stopwatch: warm-up, calibration, repeats, and rounds between rivals. Runs inside the worker process only.

A sample is seconds per call over one repeat, a native loop of at least `min_repeat_ms`, on a machine that is whole
(`quiet_machine`); no Python runs inside it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

from anytile.codegen.load.loader import time_calls
from anytile.core.errors import CodegenError
from anytile.db.records.records import Status
from anytile.tuner.measure.cpu.check import MEMORY_ALLOWANCE, Placed
from anytile.tuner.measure.device_api import Failed, turns
from anytile.tuner.measure.quiet_machine import Steady
from anytile.tuner.protocol.candidate import TimingPolicy
from anytile.tuner.protocol.isolate import memory_ceiling

_SHORTEST = 1e-9  # an empty shape takes no time, and a clock has a grain
_MOST_CALLS = 50_000_000


def _repeat(it: Placed, calls: int) -> float:
    try:
        seconds = time_calls(it.loaded.entry, it.turns(calls), it.dims, it.workspace, calls)
    except CodegenError as error:
        raise Failed(Status.RUNTIME_ERROR, f"{error}, after it had returned 0") from None
    return max(seconds / calls, _SHORTEST)


def _calibrate(it: Placed, policy: TimingPolicy) -> int:
    """Warm up, then say how many calls make one repeat."""
    calls, spent, each = 1, 0.0, 0.0
    while True:
        each = _repeat(it, calls)
        spent += each * calls
        if spent >= policy.warmup_ms / 1e3 or calls >= _MOST_CALLS:
            return max(1, min(_MOST_CALLS, math.ceil(policy.min_repeat_ms / 1e3 / each)))
        calls = min(_MOST_CALLS, max(2 * calls, math.ceil(policy.warmup_ms / 2e3 / each)))


def time_alone(it: Placed, policy: TimingPolicy, steady: Steady) -> list[float]:
    """The samples of one kernel; a hopelessly slow one is stopped after its first."""
    with memory_ceiling(MEMORY_ALLOWANCE):
        calls = _calibrate(it, policy)
        samples: list[float] = []
        for _ in range(max(1, policy.repeats)):
            samples.append(steady.sample(partial(_repeat, it, calls)))
            if policy.best_seconds is not None and samples[0] > policy.slow_factor * policy.best_seconds:
                break
    return samples


def time_together(those: Sequence[Placed], rounds: int, policy: TimingPolicy, steady: Steady) -> list[list[float]]:
    """Rounds of one repeat of each."""
    samples: list[list[float]] = [[] for _ in those]
    with memory_ceiling(MEMORY_ALLOWANCE):
        calls = [_calibrate(it, policy) for it in those]
        for r in range(rounds):
            for i in turns(len(those), r):
                samples[i].append(steady.sample(partial(_repeat, those[i], calls[i])))
    return samples
