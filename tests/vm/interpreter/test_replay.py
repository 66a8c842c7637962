"""Stretches that are replayed: they compute what the interpreter does, at sizes, numbers and addresses that change."""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Callable

import numpy as np
import pytest

from anytile.compiler.evaluate import evaluate
from anytile.compiler.lowering.host_functions import host_functions
from anytile.compiler.module import Module
from anytile.core.errors import ArgumentError, CodegenError
from anytile.dispatch.cuda.device import DeviceLost, OutOfDeviceMemory, RecordingEnded
from anytile.vm.interpreter import replay
from anytile.vm.interpreter.loop import STRETCH, Interpreter
from anytile.vm.interpreter.replay import Stretch, _shared
from anytile.vm.interpreter.steps import Machine, Registers
from anytile.vm.session import Session
from anytile.vm.values import stream_device
from anytile.vm.values.memory import Pool, Storage
from anytile.vm.values.stream_device import StreamDevice, _Together
from anytile.vm.values.values import Tensor
from tests.support.cases.compiled_modules import random, same
from tests.support.cases.gpu_models import compiled_for_gpu
from tests.support.cuda_cpu.compiler import missing
from tests.support.stand_ins.queued_gpu import QueuedGpu
from tests.support.stand_ins.simulated_gpu import SimGraph

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "-")
Sizes = tuple[object, ...]

CHAIN = """
const $w: Tensor[(8, 8), float32];
def main(x: Tensor[(?n, 8), float32]) -> Tensor[(?n, 8), float32] {
  softmax(tanh(dense(softmax(dense(softmax(dense(x, $w)), $w)), $w)))
}
"""


def chain() -> Module:
    return Module.parse(CHAIN, {"w": random(1, 8, 8)})


def session_of(module: Module, gpu: QueuedGpu, **options: bool) -> Session:
    exe = compiled_for_gpu(module)
    return Session(exe, functions=host_functions(), devices={"cuda": StreamDevice(gpu)}, **options)  # type: ignore[arg-type]


def stretches(session: Session) -> list[Stretch]:
    engine = session._engine
    assert isinstance(engine, Interpreter)
    return [step.act[0] for table in engine.tables for step in table if step.kind == STRETCH]


@pytest.mark.slow
@pytest.mark.parametrize("chance", [0.0, 0.5])
def test_a_stretch_is_interpreted_then_launched_then_a_graph(chance: float) -> None:
    module, gpu = chain(), QueuedGpu(chance)
    session = session_of(module, gpu)
    graphs = []
    for call in range(6):
        x = random(call, 5, 8)
        same(session(x), evaluate(module, (x,)))
        graphs.append(gpu.graphs)
    assert graphs == [0, 0, 1, 2, 3, 4]
    sizes = (1, 5, 0, 7)
    for turn in range(6):
        before = gpu.graphs
        for n in sizes:
            x = random(n + turn, n, 8)
            same(session(x), evaluate(module, (x,)))
    assert gpu.graphs - before == 3  # where there are no rows, nothing runs


@pytest.mark.slow
def test_models_that_come_and_go_leave_no_code_on_the_gpu_but_that_of_graphs() -> None:
    gpu, exe, x = QueuedGpu(), compiled_for_gpu(chain()), random(5, 9, 8)
    device, wanted = StreamDevice(gpu, graphs=1), evaluate(chain(), (x,))
    for turn, calls in enumerate((4, 2, 4, 4), 1):  # interpreted, launched natively, recorded, replayed
        session = Session(exe, functions=host_functions(), devices={"cuda": device})
        for _ in range(calls):
            same(session(x), wanted)
        del session
        gc.collect()
        assert 0 < len(gpu.modules) <= len(gpu._kernels) // turn  # those of one model, whose graph is kept
    assert gpu.graphs
    device._graphs.clear()
    gpu.synchronise()
    assert not gpu.modules


def test_a_view_of_sizes_has_them_after_a_replay_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a shape function writes in a stretch is not written again when that is replayed, nor is what views it."""
    text = """def main(x: Tensor[(3, ?n, ?n), float32]) {
      let product = prod(x, axis=(1,));
      let size = squeeze(sizes_of(x, sizes="d1"), axis=(0,));
      let places = cast(reshape_sized(arange(0, size, 1), x, sizes="d2"), dtype="float32");
      add(product, places)
    }"""

    def allocate(pool: Pool, nbytes: int) -> Storage:
        made = real(pool, nbytes)
        ctypes.memset(made.address, 0x55, made.nbytes)  # what comes out of a pool holds anything
        return made

    real = Pool.allocate
    monkeypatch.setattr(Pool, "allocate", allocate)
    module = Module.parse(text, {})
    session = session_of(module, QueuedGpu())
    for call in range(4):
        x = random(call, 3, 8, 8)
        same(session(x), evaluate(module, (x,)))
    assert any(known for s in stretches(session) for known in s._known.values())


@pytest.mark.slow
def test_where_inputs_of_the_host_lie_does_not_matter() -> None:
    module, gpu = chain(), QueuedGpu()
    session = session_of(module, gpu)
    alive = [random(call, 5, 8) for call in range(7)]
    for x in alive:
        same(session(x), evaluate(module, (x,)))
    assert gpu.graphs == len(alive) - 2


@pytest.mark.slow
def test_interpreted_it_is_interpreted() -> None:
    gpu = QueuedGpu()
    session = session_of(chain(), gpu, compiled=False)
    assert not stretches(session)
    for _ in range(4):
        session(random(1, 5, 8))
    assert gpu.graphs == 0


@pytest.mark.slow
def test_profiles_see_every_kernel() -> None:
    gpu = QueuedGpu()
    session = session_of(chain(), gpu)
    for _ in range(4):
        session(random(1, 5, 8))
    assert gpu.graphs
    before = gpu.launches
    found = session.profile({"x": random(1, 5, 8)}, warm_up=0)
    assert len([e for e in found.events if session.exe.kernels[e.kernel].device]) == gpu.launches - before == 6


@pytest.mark.slow
def test_inputs_of_the_gpu_at_other_addresses_are_launched_natively() -> None:
    module, gpu = chain(), QueuedGpu()
    session = session_of(module, gpu)
    there = [gpu.array(random(i, 5, 8)) for i in range(3)]
    for turn in range(4):
        for i, x in enumerate(there):
            same(session(x), evaluate(module, (random(i, 5, 8),)))
        assert gpu.graphs == (0, 2, 5, 8)[turn]  # each address has a graph of its own, from the second replay on


class Unrecordable(QueuedGpu):
    """Its driver refuses to record."""

    tries = 0

    def record(self, stream: int, work: Callable[[], None], replayed_on: int | None = None) -> SimGraph:
        self.tries += 1
        raise CodegenError("recording a graph: operation not permitted")


@pytest.mark.slow
def test_where_no_graph_can_be_recorded_that_is_said_once_and_kernels_are_launched() -> None:
    module, gpu, said = chain(), Unrecordable(), list[str]()
    exe = compiled_for_gpu(module)
    session = Session(exe, functions=host_functions(), devices={"cuda": StreamDevice(gpu, tell=said.append)})
    for n in (5, 3):
        for call in range(5):
            x = random(call, n, 8)
            same(session(x), evaluate(module, (x,)))
    assert gpu.tries == 1
    assert said == [
        "note: CUDA graphs cannot be recorded here, and kernels are launched one by one: recording a graph: "
        "operation not permitted"
    ]
    assert all(stretch._follows for stretch in stretches(session))


class Disturbed(QueuedGpu):
    """Another thread waits for the whole GPU while the first graphs are recorded."""

    left = 2

    def record(self, stream: int, work: Callable[[], None], replayed_on: int | None = None) -> SimGraph:
        self.left -= 1
        if self.left >= 0:
            raise RecordingEnded("recording a graph: an error during the capture")
        return super().record(stream, work, replayed_on)


@pytest.mark.slow
def test_a_recording_that_another_thread_ended_is_tried_again_and_not_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    exe = compiled_for_gpu(chain())

    def run(gpu: Disturbed) -> list[str]:
        said = list[str]()
        device = StreamDevice(gpu, tell=said.append)
        session = Session(exe, functions=host_functions(), devices={"cuda": device})
        for call in range(8):
            x = random(call, 5, 8)
            same(session(x), evaluate(chain(), (x,)))
        return said

    gpu = Disturbed()
    assert run(gpu) == []
    assert gpu.graphs == 4
    monkeypatch.setattr(stream_device, "TRIES", 2)
    gpu = Disturbed()
    (said,) = run(gpu)
    assert "launched one by one: recording a graph: an error during the capture" in said
    assert (gpu.graphs, gpu.left) == (0, 0)


GROWS = """
const $w: Tensor[(8, 8), float32];
def main(x: Tensor[(1, 8), float32], times: Tensor[(), int64]) -> Tensor[(?, 8), float32] { grown(x, x, times) }
def grown(rows: Tensor[(?m, 8), float32], x: Tensor[(1, 8), float32], times: Tensor[(), int64])
    -> Tensor[(?, 8), float32] {
  if (less_equal(times, 0)) { rows } else {
    let y = tanh(dense(softmax(dense(softmax(dense(softmax(dense(x, $w)), $w)), $w)), $w));
    grown(concat(rows, add(y, max(rows, axis=0))), y, subtract(times, 1))
  }
}
"""


def grows() -> Module:
    return Module.parse(GROWS, {"w": random(1, 8, 8)})


def _said(recording: replay._Recording) -> tuple[object, ...]:
    """What a recording does, in things that can be compared."""
    fixed = [(r, v.shape, v.array().tolist()) for r, v in recording.fixed if isinstance(v, Tensor) and not v.device]
    there = (
        recording.room.nbytes,
        recording.room.behind,
        recording.memory,
        recording.copies,
        recording.hosted,
        recording.moved,
        recording.kept,
        recording.placed,
    )
    kernels = recording.kernels
    assert kernels is None or isinstance(kernels, _Together)
    return recording.count, *there, fixed, None if kernels is None else kernels.batch._given


@pytest.mark.slow
@pytest.mark.parametrize("chance", [0.0, 0.4])
def test_sizes_that_grow_are_replayed_at_once(chance: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """All but the first two; and what is worked out of others is what a recorder finds at these sizes."""
    derive, derived = Stretch._derived, list[int]()

    def watched(self: Stretch, sizes: Sizes, regs: Registers, machine: Machine) -> replay._Recording | None:
        found = derive(self, sizes, regs, machine)
        if found is not None:
            assert _said(found) == _said(self._recorded(sizes, regs, machine))
            derived.append(len(self._known))
        return found

    monkeypatch.setattr(Stretch, "_derived", watched)
    module, gpu = grows(), QueuedGpu(chance)
    session = session_of(module, gpu)
    for times in (9, 12):
        args = random(times, 1, 8), np.asarray(times)
        same(session(*args), evaluate(module, args))
    assert derived == list(range(2, 12))  # sizes known before


@pytest.mark.slow
def test_where_all_sizes_are_others_they_are_interpreted_first() -> None:
    module, gpu = chain(), QueuedGpu()
    session = session_of(module, gpu)
    (stretch,) = stretches(session)
    for n in (3, 4, 5, 6):
        x = random(n, n, 8)
        same(session(x), evaluate(module, (x,)))
    assert [known is None for known in stretch._known.values()] == [True, False, True, True]


@pytest.mark.slow
def test_an_input_that_is_on_the_gpu_already_is_not_copied_as_one_of_the_host_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(replay, "MOST_DERIVED", 1.0)
    module, gpu = chain(), QueuedGpu()
    session = session_of(module, gpu)
    for call, n in enumerate((3, 4, 5, 5)):
        x = random(call, n, 8)
        same(session(x), evaluate(module, (x,)))
        same(session(gpu.array(x)), evaluate(module, (x,)))


MANY = """
const $w: Tensor[(8, 8), float32];
def main(x: Tensor[(?n, 8), float32], times: Tensor[(), int64])
    -> (Tensor[(?, 8), float32], Tensor[(?, 8), float32]) {
  let y = twice(dense(x, $w), times);
  (concat(y, x), softmax(y))
}
def twice(x: Tensor[(?m, 8), float32], times: Tensor[(), int64]) -> Tensor[(?, 8), float32] {
  if (less_equal(times, 0)) { x } else { twice(concat(softmax(dense(x, $w)), x), subtract(times, 1)) }
}
"""


@pytest.mark.slow
@pytest.mark.parametrize("chance", [0.0, 0.4])
def test_results_of_many_turns_live_side_by_side(chance: float) -> None:
    module, gpu = Module.parse(MANY, {"w": random(1, 8, 8)}), QueuedGpu(chance)
    session = session_of(module, gpu)
    for call in range(5):
        for n, times in ((1, 3), (3, 0), (2, 2)):
            args = random(call, n, 8), np.asarray(times)
            same(session(*args), evaluate(module, args))


@pytest.mark.slow
def test_a_replay_that_fails_is_interpreted_to_say_where() -> None:
    gpu = QueuedGpu()
    session = session_of(chain(), gpu)
    x = random(3, 5, 8)
    for _ in range(3):
        session(x)
    with pytest.raises(
        ArgumentError, match=r"^function main, instruction \d+: dense: x begins 4 bytes after a multiple of 16"
    ):
        session(gpu.array(x, offset=4))
    gpu.lost = True
    with pytest.raises(DeviceLost, match=r"^function main, instruction \d+: the GPU is gone"):
        session(x)


@pytest.mark.slow
def test_memory_that_ends_is_said_and_nothing_is_kept_of_it() -> None:
    gpu = QueuedGpu(memory=1 << 17)
    session = session_of(chain(), gpu)
    small, large = random(1, 5, 8), random(1, 5000, 8)
    for _ in range(3):
        session(small)
    for _ in range(3):
        with pytest.raises(OutOfDeviceMemory):
            session(large)
    same(session(small), evaluate(chain(), (small,)))


@pytest.mark.slow
def test_sizes_that_are_met_are_remembered_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "REMEMBERED", 3)
    module, gpu = chain(), QueuedGpu()
    session = session_of(module, gpu)
    (stretch,) = stretches(session)
    for n in (1, 2, 3, 4, 5, 1, 2):
        x = random(n, n, 8)
        for _ in range(2):
            same(session(x), evaluate(module, (x,)))
        assert len(stretch._known) <= 3


@pytest.mark.slow
def test_a_replay_takes_no_more_memory_than_the_interpreter() -> None:
    gpu = QueuedGpu()
    session = session_of(chain(), gpu)
    x = random(3, 64, 8)
    session(x)
    free = gpu.free_bytes()
    for _ in range(2):
        session(x)
    taken = gpu.allocated
    for _ in range(3):
        session(x)
    assert gpu.free_bytes() >= free
    assert gpu.allocated == taken


@pytest.mark.slow
def test_kernels_that_run_together_work_in_one_room_at_all_sizes() -> None:
    module, gpu = chain(), QueuedGpu(0.3)
    exe, device = compiled_for_gpu(module), StreamDevice(gpu)
    session = Session(exe, functions=host_functions(), devices={"cuda": device})
    rooms = []
    for n in (50, 50, 50, 10, 10, 10, 60, 60, 60, 70, 70, 70, 200, 200, 200, 50, 50):
        x = random(n, n, 8)
        same(session(x), evaluate(module, (x,)))
        if device._room is not None and device._room.nbytes not in rooms:
            rooms.append(device._room.nbytes)
    assert len(rooms) == 3  # of 50 rows, which do for 10, of 75, and of 200
    assert rooms[1] == rooms[0] * 3 // 2
    graphs = gpu.graphs
    for n in (10, 50, 70, 200):  # what was recorded works in the room that it was recorded with
        x = random(n + 1, n, 8)
        same(session(x), evaluate(module, (x,)))
    assert gpu.graphs > graphs


def test_memory_let_go_serves_what_comes_later_but_never_a_copy() -> None:
    gone = replay._GONE
    asked = ((3, 1000), (4, 1001), (3, gone), (5, 1000), (5, gone), (4, gone), (6, 1010), (7, 1000), (8, 1000))
    assert _shared(asked, {7}) == ((1024, (3, 5, 8)), (1024, (4, 6)), (1024, (7,)))
    assert _shared(asked[:3], ()) == ((1024, (3,)), (1024, (4,)))
