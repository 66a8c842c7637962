"""Many processes on one file, and processes that die: nothing is lost, nothing is half there."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from anytile.db.records.records import Trial
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
