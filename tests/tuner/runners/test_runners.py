"""The inline and replay runners, and how runners are chosen."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from anytile.core.errors import SpecError, UnsupportedError
from anytile.db.records.records import Status, Trial
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any
from anytile.tuner.measure.device_lock import DeviceLock
from anytile.tuner.protocol.candidate import Candidate, Outcome, Runner, TimingPolicy, point_of
from anytile.tuner.runners.inline import InlineRunner
from anytile.tuner.runners.make_runner import make_runner
from anytile.tuner.runners.replay import MISSING
from tests.support.duel_rounds import rounds_of

WORKLOAD = dense(Any("m"), 32, 24, const=("w",))
HOST = Target.host()
DEFAULT = template("dense.cpu").default(WORKLOAD, HOST)
POLICY = TimingPolicy(repeats=2, min_repeat_ms=0.2, warmup_ms=0.1)
POINTS = (point_of({"m": 1}), point_of({"m": 17}))


def candidates(count: int) -> list[Candidate]:
    space = template("dense.cpu").space(WORKLOAD, HOST)
    configs = [DEFAULT, *(c for c in space if c != DEFAULT)][:count]
    return [Candidate(WORKLOAD, HOST, "dense.cpu", c, POINTS, i) for i, c in enumerate(configs)]


@pytest.fixture(scope="module")
def locks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("locks")


@pytest.fixture(scope="module")
def inline(locks: Path) -> Iterator[InlineRunner]:
    runner = InlineRunner(locks)
    yield runner
    runner.close()


def test_a_target_that_cannot_be_timed_here_is_refused_beforehand(inline: InlineRunner) -> None:
    inline.prepare(HOST)
    with pytest.raises(UnsupportedError, match="timing 9999 threads takes as many cores"):
        inline.prepare(Target.host(9999))


@pytest.mark.slow
def test_outcomes_come_in_order_failures_among_them(inline: InlineRunner) -> None:
    asked = candidates(4)
    asked[2] = replace(asked[2], config=Config.of(tile_m=-1))
    outcomes = list(inline.run(asked, POLICY))
    assert [o.candidate for o in outcomes] == asked
    assert [o.timings[0].status for o in outcomes] == [Status.OK, Status.OK, Status.CONSTRAINT, Status.OK]
    for outcome in (outcomes[0], outcomes[3]):
        assert [t.point for t in outcome.timings] == list(POINTS)
        assert all(len(t.samples) in (1, 2) for t in outcome.timings)  # of one state of the machine
        assert outcome.facts["instructions"] > 0
        assert outcome.build_seconds > 0


@pytest.mark.parametrize("workload", [
    dense(17, 32, 24, const=("w",)),
    dense(Any("m"), Any("n"), Any("k")),
    dense(Any("s"), 32, Any("k")),
])  # fmt: skip
def test_other_workloads_are_checked_and_timed(inline: InlineRunner, workload: object) -> None:
    assert isinstance(workload, type(WORKLOAD))
    point = point_of(dict(zip(workload.symbols, (21, 13, 37), strict=False)))
    config = template("dense.cpu").default(workload, HOST)
    (outcome,) = inline.run([Candidate(workload, HOST, "dense.cpu", config, (point,))], POLICY)
    assert outcome.timings[0].status is Status.OK, outcome.timings[0].reason


@pytest.mark.slow
def test_code_is_looked_at_without_running_it_and_not_built_again(locks: Path) -> None:
    runner = InlineRunner(locks)
    try:
        asked = candidates(3)
        asked[1] = replace(asked[1], config=Config.of(tile_m=-1))
        first, broken, third = runner.inspect(asked, POLICY)
        assert broken is None
        assert runner.worker_pid is None
        no_time = replace(POLICY, build_timeout_s=0.0)
        assert [dict(o.facts) for o in runner.run(asked, no_time)] == [first, {}, third]
    finally:
        runner.close()


def test_a_duel_through_the_whole_path(inline: InlineRunner) -> None:
    duels = inline.duel(candidates(2), 3, POLICY)
    assert [d.point for d in duels] == list(POINTS)
    assert all(rounds_of(d, rivals=(0, 1)) in range(1, 4) for d in duels)


def test_another_cpus_code_is_refused_at_once(inline: InlineRunner) -> None:
    far = replace(candidates(1)[0], target=Target.parse("llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72"))
    with pytest.raises(UnsupportedError, match="emitted, not run"):
        list(inline.run([far], POLICY))


@pytest.mark.slow
def test_nothing_is_timed_while_another_campaign_times(inline: InlineRunner, locks: Path) -> None:
    asked = candidates(2)
    list(inline.run(asked, POLICY))  # warm: what remains is timing alone
    arrived: list[Outcome] = []
    thread = threading.Thread(target=lambda: arrived.extend(inline.run(asked, POLICY)))
    with DeviceLock("cpu", locks).timing():
        thread.start()
        time.sleep(0.4)
        assert not arrived
    thread.join(30)
    assert len(arrived) == 2


@pytest.mark.slow
def test_closing_ends_every_child_and_starting_again_works(locks: Path) -> None:
    runner = InlineRunner(locks, builders=1)
    assert next(runner.run(candidates(2), POLICY)).timings[0].status is Status.OK
    children = [runner.worker_pid, *(c.pid for c in runner._builders._idle)]
    began = time.monotonic()
    runner.close()
    assert time.monotonic() - began < 20  # they are killed, and not waited for
    for pid in children:
        assert pid is not None
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
    assert len(list(runner.run(candidates(1), POLICY))) == 1
    runner.close()


@pytest.mark.slow
def test_inline_imports_neither_ray_nor_xgboost() -> None:
    code = (
        "import sys; from anytile.tuner.runners.make_runner import make_runner; make_runner('inline'); "
        "import anytile.tuner.measure.cpu.worker, anytile.tuner.builders.builder; "
        "print([m for m in ('ray', 'xgboost', 'sqlalchemy', 'cupy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def stored(**changes: object) -> Trial:
    samples = (3e-6, 1e-6, 2e-6)
    base = Trial(WORKLOAD, HOST, "dense.cpu", DEFAULT, {"m": 1}, Status.OK, samples, drift=1.1, device="cpu x")
    return replace(base, **changes)  # type: ignore[arg-type]


def replayed(*trials: Trial) -> Runner:
    return make_runner("replay", trials=trials)


def test_replay_answers_what_was_stored_and_says_what_was_not() -> None:
    failed = stored(point={"m": 17}, status=Status.CRASHED, samples=(), reason="died of SIGSEGV")
    runner = replayed(stored(), failed)
    known, unknown = runner.run(candidates(2), POLICY)
    assert [(t.status, t.reason) for t in known.timings] == [(Status.OK, ""), (Status.CRASHED, "died of SIGSEGV")]
    assert known.timings[0].samples == (3e-6, 1e-6, 2e-6)
    assert (known.drift, known.device) == (1.1, "cpu x")
    assert {(t.status, t.reason) for t in unknown.timings} == {(Status.CONSTRAINT, MISSING)}


def test_replay_takes_the_same_trial_whatever_the_order() -> None:
    other = Target.parse("llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72")
    trials = [
        stored(target=other, samples=(9e-6,), created=0.0),
        stored(kind="pair", samples=(8e-6,), created=1.0),
        stored(samples=(7e-6,), created=3.0),
        stored(samples=(6e-6,), created=2.0),
    ]
    for order in (trials, trials[::-1]):
        (outcome,) = replayed(*order).run(candidates(1), POLICY)
        assert outcome.timings[0].samples == (6e-6,)


@pytest.mark.slow
def test_replay_knows_the_facts_that_were_stored_and_finds_out_the_others() -> None:
    """Code that a campaign looked at and did not measure is nowhere stored."""
    asked = [*candidates(3), replace(candidates(1)[0], config=Config.of(tile_m=-1))]
    failed = stored(config=asked[1].config, status=Status.COMPILE_ERROR, samples=())
    runner = replayed(stored(facts={"spills": 3.0}), failed)
    known, broken, unknown, another_compilers = runner.inspect(asked, POLICY)
    assert known == {"spills": 3.0}
    assert broken is None
    assert unknown is not None
    assert unknown["instructions"] > 0
    assert another_compilers == {}  # had it failed then, that would be stored
    runner.close()
    assert replayed(stored(), failed).inspect(asked, POLICY) == [{}, None, {}, {}]


def test_replayed_duels_repeat_the_pairs_that_were_stored() -> None:
    runner = replayed(stored(), stored(kind="pair", samples=(5e-6, 4e-6)))
    first, second = runner.duel(candidates(2), 3, POLICY)
    assert first.samples == ((5e-6, 4e-6, 5e-6), ())
    assert second.samples == ((), ())


@pytest.mark.slow
def test_runners_by_name() -> None:
    assert make_runner("ray").name == "ray"  # and nothing is started by that
    with pytest.raises(SpecError, match="expected one of ray, inline, replay"):
        make_runner("abacus")
    with pytest.raises(SpecError, match="nothing to replay"):
        make_runner("replay")
    with pytest.raises(SpecError, match="a cluster needs --runner ray"):
        make_runner("inline", ray_address="127.0.0.1:6379")
