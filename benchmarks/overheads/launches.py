"""What a model on a GPU costs the host: a stretch of kernels interpreted, launched natively, and as one CUDA graph.

The GPU does nothing: it takes every launch and copy at once, so what is left is the host's time, that of the CUDA
driver itself not counted. The model is BERT's encoder, a hundred kernels in a row, none of them larger than its launch.
Ways take turns on one thread; runs of a way are those of a session, stretches those of its one straight stretch. Each
run is given another array, as callers do.

    scripts/bench launches --check --json launches.json
"""

from __future__ import annotations

import argparse
import ctypes
import functools
import itertools
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import bert
import numpy as np
from numpy.typing import NDArray

from anytile.codegen.cuda.launch import MAP_BYTES
from anytile.codegen.cuda.nvrtc import Cubin
from anytile.compiler.lowering.host_functions import host_functions
from anytile.compiler.lowering.kernel_table import Planned
from anytile.compiler.pipeline import compiled
from anytile.dispatch.cuda.arrays import Family
from anytile.dispatch.cuda.build import Compiler, compile_plan
from anytile.dispatch.cuda.code import Kernel
from anytile.dispatch.cuda.device import Function, Queue
from anytile.schedules.hardware.nvidia_driver import Device
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import DispatchPlan
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.registry import templates_for
from anytile.schedules.workloads.workload import Workload
from anytile.vm.executable import Executable
from anytile.vm.interpreter.loop import STRETCH, Interpreter
from anytile.vm.interpreter.replay import Stretch
from anytile.vm.program.isa import InvokePacked
from anytile.vm.session import Session
from anytile.vm.values.stream_device import StreamDevice
from benchmarks.measure.harness import Claim, Report, Row, System, Timing, interleave
from benchmarks.measure.program import program

GPU = Target.parse("cuda -arch=sm_90a")
TOKENS = 17
INTERPRETED, LAUNCHED, CAPTURED = "interpreted", "launched natively", "one graph"
STRETCH_US, KERNEL_US = 15.0, 1.0
Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Memory:
    address: int
    nbytes: int


class IdleGraph:
    def launch(self, stream: int) -> None:
        """Nothing is done."""


class IdleGpu:
    """A device that takes all that it is asked at once, and does nothing."""

    facts = Device("Idle", "sm_90a", 132, 232448, 50 << 20, 80 << 30, (13, 0), "idle")
    index, native_type = 0, np.ndarray

    def __init__(self) -> None:
        self._end = 1 << 40
        self._driver = (
            ctypes.cast(ctypes.CDLL(None).abs, ctypes.c_void_p).value or 0
        )  # of a kernel's handle, which is 0

    @property
    def native(self) -> Family:
        raise AssertionError("models take numpy's arrays")

    def load(self, kernel: Kernel) -> Function:
        return Function(0, kernel.launch.block, kernel.launch.shared)

    def allocate(self, nbytes: int) -> Memory:
        self._end += nbytes + 255 & -256
        return Memory(self._end - (nbytes + 255 & -256), nbytes)

    def free_bytes(self) -> int:
        return 80 << 30

    def write(self, address: int, data: Array) -> None: ...

    def read(self, address: int, nbytes: int) -> Array:
        return np.zeros(nbytes, np.uint8)

    def upload(self, address: int, source: int, nbytes: int, stream: int) -> None: ...

    def download(self, address: int, into: int, nbytes: int, stream: int) -> None: ...

    def move(self, address: int, source: int, nbytes: int, stream: int) -> None: ...

    def fill(self, address: int, nbytes: int, byte: int, stream: int) -> None: ...

    def launch(
        self, function: Function, grid: tuple[int, int, int], stream: int, arguments: int, early: bool = False
    ) -> None: ...

    def tensor_map(
        self, address: int, dtype: str, sizes: tuple[int, ...], box: tuple[int, ...], steps: tuple[int, ...]
    ) -> bytes:
        return bytes(MAP_BYTES)

    def launch_by(self, onward: Callable[[int, int, int], tuple[int, int]]) -> None:
        onward(self._driver, 0, 0)

    def multiply(self, dtype: str, sizes: tuple[int, int, int], x: int, w: int, y: int, stream: int) -> None: ...

    def library(self) -> str | None:
        return None

    def synchronise(self) -> None: ...

    def wait(self, stream: int) -> None: ...

    def new_stream(self) -> int:
        return 1

    def queue(self, stream: int) -> Queue:
        return Queue(stream)

    def record(self, stream: int, work: Callable[[], None], replayed_on: int | None = None) -> IdleGraph:
        work()
        return IdleGraph()

    def seconds(self, stream: int, work: Callable[[], None]) -> float:
        work()
        return 0.0


def default_plan(workload: Workload, target: Target) -> Planned:
    chosen = templates_for(workload, target)[0]
    return Planned(single_plan(workload, target, chosen.name, chosen.default(workload, target)).to_json(), "default")


def model(layers: int) -> Executable:
    """The encoder, small in all but its number of kernels, without machine code that nobody would run."""
    bert.HIDDEN, bert.HEADS, bert.INNER = 48, 12, 96
    host = Target.host()
    made = compiled(
        bert.bert(layers),
        host,
        lambda w: default_plan(w, host),
        ("host", "cuda"),
        beside=lambda w: default_plan(w, GPU),
    )
    facts = {"registers": 32.0, "stack": 0.0, "spills": 0.0, "static_shared": 0.0}
    nothing = Compiler(lambda text, arch: Cubin(b"", facts=facts), lambda: "0")
    plans = [DispatchPlan.from_json(k.plan) if k.device else None for k in made.kernels]
    codes = [
        k.artifact if p is None else compile_plan(p, compiler=nothing) for k, p in zip(made.kernels, plans, strict=True)
    ]
    return replace(made, kernels=tuple(replace(k, artifact=a) for k, a in zip(made.kernels, codes, strict=True)))


class Timed:
    """A stretch that says how long it was played."""

    def __init__(self, stretch: Stretch) -> None:
        self._stretch, self.end, self.spent = stretch, stretch.end, 0.0

    def play(self, *given: Any) -> bool:
        begin = time.perf_counter()
        done = self._stretch.play(*given)
        self.spent += time.perf_counter() - begin
        return done


def ways(exe: Executable) -> Iterable[System]:
    """Whole runs of a session, and of those the stretch alone."""
    for name, graphs in ((INTERPRETED, 0), (LAUNCHED, 0), (CAPTURED, 1)):
        device = StreamDevice(IdleGpu(), graphs)
        session = Session(exe, functions=host_functions(), devices={"cuda": device}, compiled=name != INTERPRETED)
        inputs = itertools.cycle([np.zeros((TOKENS, bert.HIDDEN), np.float32) for _ in range(3)])
        for x in itertools.islice(inputs, 6):
            session(x)
        yield System.of(f"{name}, a run", functools.partial(_called, session, inputs))
        if name != INTERPRETED:
            yield System(f"{name}, the stretch", stretch_of(session, inputs))


def _called(session: Session, inputs: Iterator[Array]) -> None:
    session(next(inputs))


def stretch_of(session: Session, inputs: Iterator[Array]) -> Callable[[int], float]:
    engine = session._engine
    assert isinstance(engine, Interpreter)
    table = engine.tables[session.exe.main]
    ((at, step),) = [(at, step) for at, step in enumerate(table) if step.kind == STRETCH]
    timed = Timed(step.act[0])
    table[at] = step._replace(act=(timed, step.act[1]))

    def run(calls: int) -> float:
        before = timed.spent
        for _ in range(calls):
            session(next(inputs))
        return timed.spent - before

    return run


def measure(report: Report, options: argparse.Namespace) -> None:
    timing = Timing(rounds=5, slot_ms=5.0, most_rounds=5) if options.quick else Timing(slot_ms=20.0)
    exe = model(2 if options.quick else 12)
    calls = [
        i.kernel for f in exe.functions for i in f.code if isinstance(i, InvokePacked) and exe.kernels[i.kernel].device
    ]
    count = len(calls)
    report.say(f"{count} launches of {len(set(calls))} kernels")
    report.rows += interleave({"model": "bert", "launches": count}, list(ways(exe)), timing)
    lines = [[r.system, f"{r.seconds * 1e6:.1f}", f"{r.seconds * 1e6 / count:.2f}"] for r in report.rows]
    report.table("the host's time", ["way", "us", "us a kernel"], lines)


def claims(rows: Iterable[Row]) -> list[Claim]:
    found = {row.system: row for row in rows}
    graph, native = found[f"{CAPTURED}, the stretch"], found[f"{LAUNCHED}, the stretch"]
    each = native.seconds * 1e6 / native.case["launches"]
    return [
        Claim("microseconds of a captured stretch", graph.seconds * 1e6, STRETCH_US, at_most=True),
        Claim("microseconds a kernel of one launched natively", each, KERNEL_US, at_most=True),
    ]


main = program(__doc__, measure, claims)


if __name__ == "__main__":
    sys.exit(main())
