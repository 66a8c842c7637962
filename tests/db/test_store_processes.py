"""Many processes on one file, and processes that die: nothing is lost, nothing is half there."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import random
import resource
import signal
import sqlite3
import time
from collections.abc import Callable
from multiprocessing import connection
from pathlib import Path

import pytest

from anytile.core.errors import DatabaseError
from anytile.db.exchange import export_lines, import_lines, read_lines
from anytile.db.records.records import Trial, new_id
from anytile.db.store import Store

FORK = multiprocessing.get_context("fork")
WRITERS = 8
ROUNDS = 25


def start(work: Callable[..., None], *arguments: object) -> multiprocessing.process.BaseProcess:
    process = FORK.Process(target=work, args=arguments, daemon=True)
    process.start()
    return process


def is_sound(path: Path) -> bool:
    with sqlite3.connect(path) as raw:
        sound = raw.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        broken = raw.execute("PRAGMA foreign_key_check").fetchall()
    raw.close()
    return sound and not broken


@pytest.mark.slow
def test_eight_processes_make_and_fill_one_new_file(tmp_path, samples):
    """All of them find no file, all create it, all write at once; every trial of every one is there."""
    path = tmp_path / "team.db"
    barrier = FORK.Barrier(WRITERS)
    made: list[list[Trial]] = [[samples.trial() for _ in range(ROUNDS)] for _ in range(WRITERS)]

    def work(trials: list[Trial]) -> None:
        barrier.wait()
        with Store.open(str(path)) as store:
            store.add_campaign(samples.campaign)
            for t in trials:
                store.add_trials([t])
                store.record_miss(t.workload, t.target)

    processes = [start(work, trials) for trials in made]
    for p in processes:
        p.join(120)
    assert [p.exitcode for p in processes] == [0] * WRITERS
    with Store.open(str(path)) as store:
        assert {t.id for t in store.trials()} == {t.id for trials in made for t in trials}
        assert store.campaigns() == [samples.campaign]
        assert store.misses()[0].count == WRITERS * ROUNDS
    assert is_sound(path)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(4))
def test_a_killed_writer_leaves_whole_batches_only(tmp_path, samples, seed):
    """Killed at a random moment: every batch that `add_trials` returned from is there, the last one whole or not."""
    path = tmp_path / "tuning.db"
    with Store.open(str(path)) as store:
        store.add_campaign(samples.campaign)
    receive, send = FORK.Pipe(duplex=False)

    def work() -> None:
        with Store.open(str(path)) as store:
            while True:
                batch = [samples.trial(seed_order=0) for _ in range(50)]
                store.add_trials(batch)
                send.send([t.id for t in batch])

    process = start(work)
    acknowledged: list[list[str]] = [receive.recv()]
    deadline = time.monotonic() + random.Random(seed).uniform(0.0, 0.3)
    while (left := deadline - time.monotonic()) > 0:
        if receive.poll(left):
            acknowledged.append(receive.recv())
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    while receive.poll(0):
        acknowledged.append(receive.recv())
    with Store.open(str(path)) as store:
        there = {t.id for t in store.trials()}
        assert {id_ for batch in acknowledged for id_ in batch} <= there
        assert len(there) % 50 == 0
        assert len(there) - 50 * len(acknowledged) in (0, 50)
        store.add_trials([samples.trial()])
    assert is_sound(path)


def kill_after(process: multiprocessing.process.BaseProcess, seconds: float) -> None:
    time.sleep(seconds)
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()


@pytest.mark.parametrize("moments", [4, pytest.param(100, marks=pytest.mark.slow)])
def test_killed_at_random_moments_whatever_it_writes(database, samples, moments):
    """One database, many writers that die one after another; what any of them was told is stored is there, once."""
    url = database("tuning.db")
    rng = random.Random(moments)
    with Store.open(url) as store:
        store.add_campaign(samples.campaign)
    told: set[str] = set()

    def work(send: connection.Connection) -> None:
        with Store.open(url) as store:
            while True:
                trials = [samples.trial(id=new_id()) for _ in range(20)]
                store.add_trials(trials)
                send.send([t.id for t in trials])
                chosen = samples.selection(id=new_id())
                store.add_selection(chosen)
                send.send([chosen.id])
                verdict = samples.verdict(chosen.id, id=new_id())
                store.add_verdicts([verdict])
                send.send([verdict.id])
                store.record_miss(samples.workload, samples.target)
                store.update_campaign(samples.campaign.id, options={"at": time.time()})

    for number in range(moments):
        receive, send = FORK.Pipe(duplex=False)
        process = start(work, send)
        send.close()
        if number % 2:  # every other one has begun by then
            receive.poll(30)
        kill_after(process, rng.uniform(0.0, 0.1))
        with contextlib.suppress(EOFError, OSError):  # the last one may be half said
            while receive.poll(0):
                told.update(receive.recv())
        receive.close()
    with Store.open(url) as store:
        there = [r.id for r in (*store.trials(), *store.selections(), *store.verdicts())]
        assert len(there) == len(set(there))
        assert told
        assert told <= set(there)
        assert len(store.trials()) % 20 == 0
    if Path(url).is_file():
        assert is_sound(Path(url))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_a_half_written_import_is_simply_done_again(tmp_path, samples, seed):
    """Killed in the middle of it; then everything is there, exactly once."""
    source, path, lines = tmp_path / "source.db", tmp_path / "tuning.db", tmp_path / "all.jsonl"
    with Store.open(str(source)) as store:
        store.add_campaign(samples.campaign)
        store.add_trials([samples.trial() for _ in range(3000)])
        store.add_selection(samples.selection())
        with lines.open("w") as file:
            export_lines(store, file)
        everything = sorted(store.trials(), key=lambda t: t.id)

    def work() -> None:
        with Store.open(str(path)) as store:
            import_lines(store, read_lines(lines))

    kill_after(start(work), random.Random(seed).uniform(0.05, 0.6))
    with Store.open(str(path)) as store:
        assert {t.id for t in store.trials()} <= {t.id for t in everything}
        import_lines(store, read_lines(lines))
        assert sorted(store.trials(), key=lambda t: t.id) == everything
        assert (len(store.selections()), store.campaigns()) == (1, [samples.campaign])
    assert is_sound(path)


def test_a_file_that_may_not_grow_loses_nothing_that_was_stored(tmp_path, samples):
    """What a quota does, and with it a full disk: a write in the middle of a transaction fails."""
    path = tmp_path / "tuning.db"
    with Store.open(str(path)) as store:
        store.add_campaign(samples.campaign)
    receive, send = FORK.Pipe(duplex=False)

    def work() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
        with Store.open(str(path), patience_s=1) as store:
            try:
                while True:
                    batch = [samples.trial(id=new_id()) for _ in range(50)]
                    store.add_trials(batch)
                    send.send([t.id for t in batch])
            except DatabaseError as error:
                send.send(str(error))
        send.send(None)

    process = start(work)
    stored, said = [], ""
    while (got := receive.recv()) is not None:
        if isinstance(got, str):
            said = got
        else:
            stored += got
    process.join(60)
    assert process.exitcode == 0
    assert "the disk" in said
    assert "\n" not in said
    assert len(stored) >= 50
    with Store.open(str(path)) as store:
        assert [t.id for t in store.trials()] == stored
        store.add_trials([samples.trial()])
    assert is_sound(path)


@pytest.mark.parametrize("seed", range(6))
def test_killed_while_making_the_tables(tmp_path, samples, seed):
    path = tmp_path / "tuning.db"
    process = start(lambda: Store.open(str(path)).close())
    time.sleep(random.Random(seed).uniform(0.0, 0.05))
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    with Store.open(str(path)) as store:
        store.add_campaign(samples.campaign)
        assert store.campaigns() == [samples.campaign]
    assert is_sound(path)


def test_a_store_that_is_taken_through_a_fork_still_works(store, samples):
    """A Ray or multiprocessing worker may inherit an open store; the child must not use its parent's connections."""
    store.add_campaign(samples.campaign)
    assert store.memo("n", lambda: len(store.trials())) == 0
    theirs = samples.trial()

    def work() -> None:
        store.add_trials([theirs])
        if store.memo("n", lambda: len(store.trials())) != 1:
            os._exit(1)

    child = start(work)
    child.join(60)
    assert child.exitcode == 0
    assert store.memo("n", store.trials) == [theirs]
    store.add_trials([samples.trial()])
    assert len(store.trials()) == 2
