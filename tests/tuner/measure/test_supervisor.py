"""Containment: whatever a candidate does, it is named, it costs one trial, and the next candidate is measured.

The candidates are hand-written LLVM IR for a small dense workload: a correct kernel with something done to it.
"""

from __future__ import annotations

import functools
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from anytile.codegen.llvm.compile import compile_ir
from anytile.core.errors import MeasureError
from anytile.db.records.records import Status
from anytile.schedules.hardware.target import Target, usable_cores
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any
from anytile.tuner.measure.device_lock import DeviceLock
from anytile.tuner.measure.supervisor import Supervisor
from anytile.tuner.protocol.candidate import Candidate, Outcome, TimingPolicy, point_of
from anytile.tuner.protocol.child import Child
from anytile.tuner.protocol.messages import CANDIDATE, Built, built_json
from anytile.tuner.runners.timing_setups import CPU
from tests.support.duel_rounds import rounds_of
from tests.support.process_ends import gone

N, K = 8, 5
WORKLOAD = dense(Any("m"), N, K)
POLICY = TimingPolicy(repeats=2, min_repeat_ms=0.2, warmup_ms=0.1, timeout_s=1.0)
PATIENT = replace(POLICY, timeout_s=20.0)

IR = """
declare ptr @malloc(i64)
declare void @exit(i32)
declare void @abort()
declare i32 @puts(ptr)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
@calls = internal global i32 0
@text = internal constant [6 x i8] c"hello\\00"
define i64 @workspace(ptr %dims) {{
  ret i64 64
}}
define i32 @kernel(ptr %data, ptr %dims, ptr %ws) {{
entry:
  %m = load i64, ptr %dims
  %wat = getelementptr ptr, ptr %data, i64 1
  %yat = getelementptr ptr, ptr %data, i64 2
  %x = load ptr, ptr %data
  %w = load ptr, ptr %wat
  %y = load ptr, ptr %yat
  %mk = mul i64 %m, {k}
  %mn = mul i64 %m, {n}
  {before}
  br label %rows
rows:
  %i = phi i64 [ 0, %{before_ends} ], [ %i1, %row_done ]
  br label %columns
columns:
  %j = phi i64 [ 0, %rows ], [ %j1, %column_done ]
  br label %sum
sum:
  %l = phi i64 [ 0, %columns ], [ %l1, %sum ]
  %s = phi float [ 0.0, %columns ], [ %s1, %sum ]
  %xi = mul i64 %i, {k}
  %xl = add i64 %xi, %l
  %xp = getelementptr float, ptr %x, i64 %xl
  %wj = mul i64 %j, {k}
  %wl = add i64 %wj, %l
  %wp = getelementptr float, ptr %w, i64 %wl
  %a = load float, ptr %xp
  %b = load float, ptr %wp
  %p = fmul float %a, %b
  %s1 = fadd float %s, %p
  %l1 = add i64 %l, 1
  %more_l = icmp slt i64 %l1, {terms}
  br i1 %more_l, label %sum, label %column_done
column_done:
  %yi = mul i64 %i, {n}
  %yj = add i64 %yi, %j
  %yp = getelementptr float, ptr %y, i64 %yj
  store float %s1, ptr %yp
  %j1 = add i64 %j, 1
  %more_j = icmp slt i64 %j1, {columns}
  br i1 %more_j, label %columns, label %row_done
row_done:
  %i1 = add i64 %i, 1
  %more_i = icmp slt i64 %i1, %m
  br i1 %more_i, label %rows, label %done
done:
  {after}
  ret i32 {code}
}}
"""

AT = "  %p0 = getelementptr float, ptr %{tensor}, i64 {at}\n"
LOOP = "  br label %spin\nspin:\n  {body}\n  br label %spin\nnever:\n"
DEVOUR = """%block = call ptr @malloc(i64 16777216)
  call void @llvm.memset.p0.i64(ptr %block, i8 1, i64 16777216, i1 true)"""
LATER = """  %seen = load i32, ptr @calls
  %now = add i32 %seen, 1
  store i32 %now, ptr @calls
  %late = icmp sgt i32 %now, 4
  %code = select i1 %late, i32 9, i32 0"""


@functools.cache
def kernel(
    before: str = "", after: str = "", terms: int = K, columns: int = N, code: str = "0", number: int = 0
) -> Built:
    text = IR.format(
        n=N, k=K, before=before, before_ends="never" if "never:" in before else "entry", after=after, terms=terms,
        columns=columns, code=code,
    )  # fmt: skip
    artifact = compile_ir(text, Target.host(), "kernel", "workspace", facts_too=False)
    points = (point_of({"m": 3}), point_of({"m": 4}))
    candidate = Candidate(WORKLOAD, Target.host(1), "by hand", Config.of(number=number), points, number)
    return Built(candidate, artifact, (point_of({"m": 1}),))


HOSTILE = {
    "segfault": (kernel(before="store volatile i32 1, ptr null"), Status.CRASHED, "SIGSEGV while checking m=3"),
    "trap": (kernel(before="call void @abort()"), Status.CRASHED, "SIGABRT while checking m=3"),
    "exit": (kernel(after="call void @exit(i32 0)"), Status.CRASHED, "exited with status 0 while checking m=3"),
    "endless loop": (kernel(before=LOOP.format(body="")), Status.TIMEOUT, "no answer within 1 s while checking m=3"),
    "endless allocation": (kernel(before=LOOP.format(body=DEVOUR)), Status.CRASHED, "SIGSEGV while checking m=3"),
    "write past the end": (
        kernel(after=AT.format(tensor="y", at="%mn") + "store float 0.0, ptr %p0"),
        Status.CRASHED,
        "SIGSEGV while checking",
    ),
    "write before the start": (
        kernel(after=AT.format(tensor="y", at=-1) + "store float 0.0, ptr %p0"),
        Status.WRONG,
        "wrote out of bounds of y, 1 bytes before its start, at m=3",
    ),
    "write into an input": (kernel(after="store float 0.0, ptr %x"), Status.CRASHED, "SIGSEGV while checking"),
    "write past the workspace": (
        kernel(after=AT.format(tensor="ws", at=16) + "store float 0.0, ptr %p0"),
        Status.CRASHED,
        "SIGSEGV while checking",
    ),
    "read past the end": (
        kernel(after=AT.format(tensor="x", at="%mk") + "%v = load volatile float, ptr %p0"), Status.CRASHED, "SIGSEGV"
    ),
    "read before the start": (
        kernel(after=AT.format(tensor="w", at=-1) + "%v = load float, ptr %p0\n  store float %v, ptr %y"),
        Status.WRONG,
        "y[0, 0] is nan",
    ),
    "wrong result": (kernel(terms=K - 1), Status.WRONG, "y[0, 0] is "),
    "unwritten column": (kernel(columns=N - 1), Status.WRONG, "y[0, 7] is nan (never written?)"),
    "status": (kernel(code="7"), Status.RUNTIME_ERROR, "returned 7 at m=3, expected 0"),
    "status, later": (kernel(after=LATER, code="%code"), Status.RUNTIME_ERROR, "returned "),
}  # fmt: skip


@pytest.fixture(scope="module")
def supervisor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Supervisor]:
    made = CPU.supervisor(tmp_path_factory.mktemp("locks"))
    yield made
    made.close()


def is_sound(outcome: Outcome) -> bool:
    return all(
        t.status is Status.OK and 0 < len(t.samples) <= POLICY.repeats and min(t.samples) > 0 for t in outcome.timings
    )


def once_it_checks(supervisor: Supervisor, do: Callable[[], None]) -> None:
    """To be done while the candidate that is measured next is being checked."""

    def wait() -> None:
        while not supervisor._doing.startswith("checking"):
            time.sleep(0.005)
        do()

    threading.Thread(target=wait, daemon=True).start()


def test_a_correct_kernel_is_timed(supervisor: Supervisor) -> None:
    outcome = supervisor.measure(kernel(), POLICY)
    assert is_sound(outcome)
    assert [dict(t.point)["m"] for t in outcome.timings] == [3, 4]
    assert outcome.device
    assert 0.2 < outcome.drift < 5


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_whatever_it_does_costs_one_trial(supervisor: Supervisor, name: str, capfd: pytest.CaptureFixture[str]) -> None:
    built, status, reason = HOSTILE[name]
    policy = PATIENT if name == "endless allocation" else POLICY  # filling its allowance takes a while
    outcome = supervisor.measure(built, policy)
    assert {t.status for t in outcome.timings} == {status}
    assert reason in outcome.timings[0].reason
    assert all("\n" not in t.reason and not t.samples for t in outcome.timings)
    assert is_sound(supervisor.measure(kernel(), POLICY))
    assert capfd.readouterr() == ("", "")


def test_what_it_prints_goes_nowhere(supervisor: Supervisor, capfd: pytest.CaptureFixture[str]) -> None:
    assert is_sound(supervisor.measure(kernel(before="%r = call i32 @puts(ptr @text)"), POLICY))
    assert capfd.readouterr() == ("", "")


def test_a_point_that_fails_alone_spoils_the_candidate_before_anything_is_timed(supervisor: Supervisor) -> None:
    only_at_four = "%q = sub i64 4, %m\n  %d = udiv i64 1, %q"  # a division by zero at m=4
    outcome = supervisor.measure(kernel(before=only_at_four, after="store volatile i64 %d, ptr %ws"), POLICY)
    assert [t.status for t in outcome.timings] == [Status.CRASHED, Status.CRASHED]
    assert outcome.timings[0].reason == "died of SIGFPE while checking m=4"


def test_a_failed_build_is_not_run(supervisor: Supervisor) -> None:
    built = Built(kernel().candidate, None, (), Status.COMPILE_ERROR, "no such instruction", 0.5)
    outcome = supervisor.measure(built, POLICY)
    assert {(t.status, t.reason) for t in outcome.timings} == {(Status.COMPILE_ERROR, "no such instruction")}
    assert outcome.build_seconds == 0.5


def test_a_slow_one_is_stopped_after_its_first_repeat(supervisor: Supervisor) -> None:
    policy = TimingPolicy(repeats=5, min_repeat_ms=0.2, best_seconds=1e-12)
    outcome = supervisor.measure(kernel(), policy)
    assert [len(t.samples) for t in outcome.timings] == [1, 1]


@pytest.mark.slow
def test_an_endless_one_is_given_up_sooner_once_there_is_a_best(supervisor: Supervisor) -> None:
    policy = TimingPolicy(timeout_s=60, min_repeat_ms=0.2, best_seconds=1e-6)
    began = time.monotonic()
    outcome = supervisor.measure(HOSTILE["endless loop"][0], policy)
    assert outcome.timings[0].status is Status.TIMEOUT
    assert time.monotonic() - began < 10


def test_an_absurd_shape_is_refused_before_memory_is_touched(supervisor: Supervisor) -> None:
    huge = dense(Any("m"), 10**6, 10**6)
    candidate = Candidate(huge, Target.host(), "by hand", Config(()), (point_of({"m": 1}),))
    outcome = supervisor.measure(Built(candidate, kernel().artifact), POLICY)
    assert outcome.timings[0].status is Status.CONSTRAINT
    assert "MiB, this machine has" in outcome.timings[0].reason


@pytest.mark.slow
def test_killing_the_worker_in_mid_flight_costs_one_trial(supervisor: Supervisor) -> None:
    supervisor.measure(kernel(), POLICY)
    pid = supervisor.worker_pid
    assert pid is not None
    once_it_checks(supervisor, lambda: os.kill(pid, signal.SIGKILL))
    outcome = supervisor.measure(HOSTILE["endless loop"][0], PATIENT)
    assert {t.status for t in outcome.timings} == {Status.CRASHED}
    assert "died of SIGKILL while checking m=3" in outcome.timings[0].reason
    assert is_sound(supervisor.measure(kernel(), POLICY))
    assert supervisor.worker_pid != pid


def test_killing_an_idle_worker_costs_nothing(supervisor: Supervisor) -> None:
    supervisor.measure(kernel(), POLICY)
    assert supervisor.worker_pid is not None
    os.kill(supervisor.worker_pid, signal.SIGKILL)
    assert gone(supervisor.worker_pid)
    assert is_sound(supervisor.measure(kernel(), POLICY))


def test_a_worker_that_ends_as_it_is_asked_costs_nothing(
    supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    supervisor.measure(kernel(), POLICY)
    pid = supervisor.worker_pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    assert gone(pid)
    monkeypatch.setattr(Child, "alive", True)  # as it is while one of its threads is still ending
    assert is_sound(supervisor.measure(kernel(), POLICY))
    assert supervisor.worker_pid != pid


def test_the_worker_leaves_ctrl_c_to_its_parent(supervisor: Supervisor) -> None:
    supervisor.measure(kernel(), POLICY)
    pid = supervisor.worker_pid
    assert pid is not None
    os.kill(pid, signal.SIGINT)
    assert is_sound(supervisor.measure(kernel(), POLICY))
    assert supervisor.worker_pid == pid
    assert os.getsid(pid) != os.getsid(0)


def test_the_worker_stays_on_its_core(supervisor: Supervisor) -> None:
    supervisor.measure(kernel(), POLICY)
    assert supervisor.worker_pid is not None
    assert len(os.sched_getaffinity(supervisor.worker_pid)) == 1


@pytest.mark.slow
def test_the_worker_has_a_core_and_a_thread_for_each_of_the_target(supervisor: Supervisor) -> None:
    cores, made = usable_cores(), kernel()
    everywhere = replace(made, candidate=replace(made.candidate, target=Target.host(cores)))
    assert is_sound(supervisor.measure(everywhere, POLICY))
    pid = supervisor.worker_pid
    assert pid is not None
    assert len(os.sched_getaffinity(pid)) == cores
    assert len(os.listdir(f"/proc/{pid}/task")) >= 2 + cores - 1  # its own, its lifeline, and the team's
    too_many = replace(made, candidate=replace(made.candidate, target=Target.host(cores + 1)))
    with pytest.raises(MeasureError, match=f"timing {cores + 1} threads takes as many cores, and .* may use {cores}"):
        supervisor.measure(too_many, POLICY)


@pytest.mark.slow
def test_a_duel_takes_turns_and_drops_who_fails(supervisor: Supervisor) -> None:
    rivals = [kernel(), HOSTILE["segfault"][0], kernel(terms=K - 1), kernel(number=1)]
    unbuilt = Built(rivals[0].candidate, None, (), Status.COMPILE_ERROR, "no")
    duels = supervisor.duel([*rivals, unbuilt], 5, POLICY)
    assert [dict(d.point)["m"] for d in duels] == [3, 4]
    for duel in duels:
        assert rounds_of(duel, rivals=(0, 3)) in range(1, 6)


def test_a_duel_that_nobody_survives_has_no_samples(supervisor: Supervisor) -> None:
    duels = supervisor.duel([HOSTILE["segfault"][0], HOSTILE["exit"][0]], 3, POLICY)
    assert [d.samples for d in duels] == [((), ()), ((), ())]


_PARENT = """
import json, sys, threading, time
from pathlib import Path
from anytile.tuner.protocol.candidate import TimingPolicy
from anytile.tuner.measure.device_lock import DeviceLock
from anytile.tuner.protocol.child import Child
from anytile.tuner.protocol.messages import CANDIDATE, read_built
from anytile.tuner.measure.supervisor import Supervisor
from anytile.tuner.runners.timing_setups import CPU
folder, doing = Path(sys.argv[1]), sys.argv[2]
supervisor = CPU.supervisor(folder)
candidate, header = json.loads((folder / "endless.json").read_text())
built = read_built(CANDIDATE.load(candidate), header, (folder / "endless.o").read_bytes())
def work():
    if doing == "busy":
        supervisor.measure(built, TimingPolicy(timeout_s=60))
    else:
        supervisor._worker(1)
thread = threading.Thread(target=work, daemon=True)
thread.start()
while not (doing == "busy" and supervisor._doing.startswith("checking") or not thread.is_alive()):
    time.sleep(0.02)
time.sleep(0.2)
print(supervisor.worker_pid, supervisor._child.alive, flush=True)
time.sleep(60)
"""


@pytest.mark.sampled(1)
@pytest.mark.parametrize("doing", ["busy", "idle, and the thread that started it is gone"])
def test_killing_the_parent_leaves_no_orphan(tmp_path: Path, doing: str) -> None:
    endless = HOSTILE["endless loop"][0]
    header, code = built_json(endless)
    (tmp_path / "endless.json").write_text(json.dumps([CANDIDATE.dump(endless.candidate), header]))
    (tmp_path / "endless.o").write_bytes(code)
    parent = subprocess.Popen([sys.executable, "-c", _PARENT, tmp_path, doing], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    pid, alive = parent.stdout.readline().split()
    assert alive == "True"
    parent.kill()
    parent.communicate()
    assert gone(int(pid))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ('{"timing": {"point": [["m", 3]], "status": "ok", "samples": [-1.0], "reason": ""}}', "sent garbage"),
        ('{"timing": {"point": [["m", 3]], "status": "ok", "samples": [NaN], "reason": ""}}', "sent garbage"),
        ('{"timing": {"point": [["m", 3]], "status": "splendid", "samples": [1.0], "reason": ""}}', "sent garbage"),
        ('{"timing": {"point": [["m", Infinity]], "status": "ok", "samples": [1.0], "reason": ""}}', "sent garbage"),
        (
            '{"timing": {"point": [["m", 3]], "status": "ok", "samples": [1' + 400 * "0" + '], "reason": ""}}',
            "sent garbage",
        ),
        ('{"failed": "ok", "reason": "", "corrupt": false}', "sent garbage"),
        ('{"a": ' + 100_000 * "[", "sent garbage"),
        ('{"stage": "x"}', "sent garbage"),
        ("[1, 2]", "sent garbage"),
        ('{"done": true}', "the worker left this point out"),
    ],
)
def test_a_worker_that_talks_nonsense_is_not_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, reason: str
) -> None:
    module = tmp_path / "liar.py"
    module.write_text(
        "import os, struct\n"
        "from anytile.tuner.protocol import wire\n"
        'wire.send(1, {"hello": "worker"})\n'
        'wire.receive(0); wire.send(1, {"done": True, "reference": 1.0})\n'
        f"wire.receive(0); text = {answer!r}.encode()\n"
        "os.write(1, struct.pack('<4sII', wire.MAGIC, len(text), 0) + text)\n"
        "wire.receive(0)\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    made = Supervisor(DeviceLock("cpu", tmp_path / "locks"), "a CPU", "liar")
    outcome = made.measure(kernel(), POLICY)
    made.close()
    assert outcome.timings[0].status is Status.CRASHED
    assert reason in outcome.timings[0].reason


def test_a_worker_that_cannot_start_ends_measuring_in_one_line(tmp_path: Path) -> None:
    made = Supervisor(DeviceLock("cpu", tmp_path), "a CPU", "anytile.tuner.no_such_module")
    with pytest.raises(MeasureError, match="does not start: exited with status 1: .*No module named"):
        made.measure(kernel(), POLICY)


@pytest.mark.slow
def test_an_interrupted_measurement_leaves_no_worker_and_no_lock(tmp_path: Path) -> None:
    folder = tmp_path / "locks"
    made = CPU.supervisor(folder)
    made.measure(kernel(), POLICY)
    pid = made.worker_pid
    assert pid is not None

    main = threading.main_thread().ident
    assert main is not None
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
    once_it_checks(made, lambda: signal.pthread_kill(main, signal.SIGINT))
    try:
        with pytest.raises(KeyboardInterrupt):
            made.measure(HOSTILE["endless loop"][0], PATIENT)
    finally:
        signal.signal(signal.SIGINT, before)
    assert gone(pid)
    with DeviceLock("cpu", folder).timing(timeout=1):
        pass
    assert is_sound(made.measure(kernel(), POLICY))
    made.close()
