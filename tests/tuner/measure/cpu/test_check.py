"""What a worker does around a candidate's code: limits that the user set stay, and memory is given back."""

from __future__ import annotations

import ctypes
import math
import subprocess
import sys
from contextlib import ExitStack, closing
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from anytile.codegen.artifact import Packed
from anytile.codegen.load.loader import Loaded
from anytile.dispatch.cpu.build import compile_plan
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads import streaming
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.measure.cpu import check
from anytile.tuner.measure.cpu.check import Constants, Placed
from anytile.tuner.measure.cpu.guarded_memory import Place, Region
from anytile.tuner.measure.device_api import Failed
from anytile.tuner.measure.oracle import CaseCache


def test_a_ceiling_stays_under_the_users_own() -> None:
    code = """
import resource
from anytile.tuner.protocol.isolate import memory_ceiling
resource.setrlimit(resource.RLIMIT_AS, (16 << 30, 32 << 30))
with memory_ceiling(1 << 40):
    assert resource.getrlimit(resource.RLIMIT_AS) == (16 << 30, 32 << 30)
with memory_ceiling(1 << 20):
    assert resource.getrlimit(resource.RLIMIT_AS)[0] < 16 << 30
assert resource.getrlimit(resource.RLIMIT_AS) == (16 << 30, 32 << 30)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_streamed_constants_take_turns_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """More copies than the last cache holds, each with the right bytes; a repeat goes on where the last one stopped."""
    cache = 1 << 20
    monkeypatch.setattr(streaming, "facts", lambda _: SimpleNamespace(l3_bytes=cache))
    workload = Workload.parse("dense(m=?, n=128, k=256, streamed=w)")
    target = Target.host(1)
    plan = single_plan(workload, target, "dense.cpu", template("dense.cpu").default(workload, target))
    for chosen in (plan, replace(plan, workload=workload.streaming(()))):
        loaded = Loaded(compile_plan(chosen, (5,)))
        constants, point, cases = Constants(loaded), (("m", 5),), CaseCache()
        size = loaded.size(loaded.artifact.packed[0].size, [5])
        copies = math.ceil(3 * cache / size) if chosen.workload.streamed else 1
        with ExitStack() as stack:
            case = cases.get(chosen.workload, point)
            it = stack.enter_context(closing(Placed(constants, chosen.workload, point, case, Place.TIMED)))
            tables = it.turns(0)
            assert len({table[1] for table in tables}) == len(tables) == copies
            packed = [bytes((ctypes.c_char * size).from_address(table[1])) for table in tables]
            assert set(packed) == {packed[0]}
            for table in tables:
                it.data[:] = table
                it.run()
                it.judge()
            assert [it.turns(5)[0][1] for _ in range(3)] == [tables[i % copies][1] for i in (0, 5, 10)]
        constants.close()


def test_packing_that_fails_gives_its_memory_back(monkeypatch: pytest.MonkeyPatch) -> None:
    there: set[int] = set()

    class Counted(Region):
        def __init__(self, *args: object, **more: object) -> None:
            super().__init__(*args, **more)  # type: ignore[arg-type]
            there.add(id(self))

        def close(self) -> None:
            super().close()
            there.discard(id(self))

    monkeypatch.setattr(check, "Region", Counted)
    loaded = SimpleNamespace(size=lambda *_: 64, call=lambda *_: 1)
    constants = Constants(loaded)  # type: ignore[arg-type]
    packed = Packed("w", "pack", "size")
    with pytest.raises(Failed, match="packing w returned 1"):
        constants.get(packed, np.zeros((4, 4), np.float32), (), Place.END, "here", 0)
    constants.close()
    assert not there
