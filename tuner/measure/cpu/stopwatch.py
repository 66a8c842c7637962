"""The stopwatch of CPUs: warm-up, calibration, repeats. Runs inside the worker process only.

A sample is seconds per call over one repeat, a native loop of at least `min_repeat_ms`, on a machine that is whole
(`quiet_machine`); no Python runs inside it.
"""

from __future__ import annotations

import math
import time
from contextlib import ExitStack
from functools import partial

from anytile.codegen.load.loader import time_calls
from anytile.core.errors import CodegenError
from anytile.db.records.records import Status
from anytile.tuner.measure.cpu.check import MEMORY_ALLOWANCE, Placed
from anytile.tuner.measure.device_api import Failed
from anytile.tuner.measure.quiet_machine import Look, Steady
from anytile.tuner.measure.sampling import Stopwatch
from anytile.tuner.protocol.candidate import TimingPolicy
from anytile.tuner.protocol.isolate import memory_ceiling

REST = 1.5e-3  # seconds until threads without work are asleep: five times what they were seen to take
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


def stopwatch(stack: ExitStack, it: Placed, policy: TimingPolicy, steady: Steady, look: Look) -> Stopwatch:
    """Calibrated; each call of the result is one repeat. `stack` holds the kernel to its memory meanwhile."""
    stack.enter_context(memory_ceiling(MEMORY_ALLOWANCE))
    calls = _calibrate(it, policy)
    return partial(steady.sample, partial(_apart if it.foreign else _repeat, it, calls), look)


def _apart(it: Placed, calls: int) -> float:
    """A repeat on threads that are not our pool's. Either kind spins for a while when it has nothing to do, and takes
    the other's cores: our pool has just been looked at."""
    time.sleep(REST)
    try:
        return _repeat(it, calls)
    finally:
        time.sleep(REST)
