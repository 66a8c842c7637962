"""Real campaigns as processes of their own: killed at any moment, and two at once on one database file."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any as Anything

import pytest

from anytile.db.records.records import Status, Trial
from anytile.db.store import Store
from anytile.schedules.hardware.target import Target
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.measure.device_lock import DeviceLock

KILLS = 3
SEARCHED = 18
FEW = 6
WAITING = "waiting for another campaign that is timing on cpu\n"
TARGET = Target.host(1)  # a team of threads would take the cores from the other campaign
SMALL, OTHER = dense(8, 40, 24, const=("w",)), dense(5, 33, 17, const=("w",))
MARK = "ANYTILE_TEST_CAMPAIGN"  # in the environment, which all that a campaign starts inherits
PATIENCE_S = 120.0


class Campaign:
    """`anytile tune` in a process, and the rows that it said were stored."""

    def __init__(self, folder: Path, name: str, *words: str) -> None:
        self.mark, self._said = f"{MARK}={folder.name} {name}", folder / f"{name}.events"
        command = [sys.executable, "-m", "anytile", "tune", "--runner", "inline", "--json-events"]
        key, _, value = self.mark.partition("=")
        self.errors = folder / f"{name}.errors"
        with self._said.open("w") as out, self.errors.open("w") as errors:
            self.process = subprocess.Popen(
                [*command, "--db", str(folder / "tuning.db"), *words],
                stdout=out,
                stderr=errors,
                env={**os.environ, key: value, "XDG_RUNTIME_DIR": str(folder)},  # locks of its own
                start_new_session=True,
            )

    def said(self) -> list[dict[str, Anything]]:
        """Its rows. A half-written last line was never said."""
        lines = self._said.read_text().splitlines(keepends=True)
        events = [json.loads(line) for line in lines if line.endswith("\n")]
        return [e for e in events if e["event"] == "TrialDone"]

    def alive(self) -> list[int]:
        """Every process that the campaign started, itself included, wherever in the tree it is by now."""
        found = []
        for folder in Path("/proc").iterdir():
            if folder.name.isdigit() and int(folder.name) != os.getpid():
                try:
                    environment = (folder / "environ").read_bytes().split(b"\0")  # empty for those that only remain
                except OSError:
                    continue
                if self.mark.encode() in environment:
                    found.append(int(folder.name))
        return found


Begin = Callable[..., Campaign]


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Begin]:
    """Campaigns in the folder of the test; none outlives it, however it ends."""
    begun: list[Campaign] = []

    def start(name: str, *words: str) -> Campaign:
        begun.append(Campaign(tmp_path, name, *words))
        return begun[-1]

    yield start
    for campaign in begun:
        campaign.process.kill()
        campaign.process.wait()


def wait(until: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + PATIENCE_S
    while not (done := until()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return done


def shape(workload: Workload) -> str:
    return ",".join(f"{name}={size}" for name, size in workload.sizes().items())


def request(workload: Workload, trials: int = SEARCHED) -> tuple[str, ...]:
    words = (
        "--shape",
        shape(workload),
        "--target",
        str(TARGET),
        "--search",
        "random",
        "--trials",
        str(trials),
        "--top-k",
        "2",
    )
    return (*words, "--seed", "7")


def is_as_said(row: Trial, said: dict[str, Anything]) -> bool:
    return (row.seed_order, str(row.config), row.status, row.kind) == (
        said["number"],
        said["config"],
        said["status"],
        said["phase"],
    )


@pytest.mark.slow
def test_killed_again_and_again_it_leaves_nobody_behind_and_loses_nothing(tmp_path: Path, begin: Begin) -> None:
    rng = random.Random(20261)
    said: list[dict[str, Anything]] = []
    for sitting in range(KILLS):
        begins = request(SMALL) if sitting == 0 else ("--resume", "last")
        child = begin(f"sitting {sitting}", *begins)
        wanted = rng.randint(1, SEARCHED // KILLS - 3)
        assert wait(lambda child=child, wanted=wanted: len(child.said()) >= wanted or child.process.poll() is not None)
        time.sleep(rng.random() * 0.1)  # anywhere: while it builds, while it times, in a transaction
        started = child.alive()
        assert child.process.pid in started
        assert len(started) > 1, "a campaign has workers"
        child.process.kill()
        assert child.process.wait() == -9, "the campaign ended before it was to be killed"
        assert wait(lambda child=child: not child.alive()), f"left behind: {child.alive()} of {started}"
        said += child.said()
        with Store.open(str(tmp_path / "tuning.db")) as store:
            (begun,) = store.campaigns()
            assert begun.state == "running"
            stored = {t.seed_order: t for t in store.trials()}
            assert len(stored) == len(store.trials()), "two rows share a number"
            assert all(is_as_said(stored[e["number"]], e) for e in said)
    last = begin("last", "--resume", "last")
    assert last.process.wait(PATIENCE_S) == 0
    said += last.said()
    with Store.open(str(tmp_path / "tuning.db")) as store:
        (done,) = store.campaigns()
        rows = sorted(store.trials(), key=lambda t: t.seed_order)
        selection = store.selection(SMALL, TARGET)
    assert done.state == "finished"
    assert [t.seed_order for t in rows] == list(range(len(rows)))
    assert all(is_as_said(rows[e["number"]], e) for e in said)
    assert len(rows) - len(said) <= KILLS  # a row was stored and not yet said, at each kill
    assert {t.status for t in rows} == {Status.OK}
    searched = [t.config for t in rows if t.kind == "search" and t.template == "dense.cpu"]
    assert len(searched) == len(set(searched)) == SEARCHED  # none was measured twice, none left out
    assert selection is not None


@pytest.mark.slow
def test_two_at_once_on_one_file_both_end_with_plans(tmp_path: Path, begin: Begin) -> None:
    """They begin together, when the device is free, until which both wait; and they say so on stderr."""
    with DeviceLock("cpu", tmp_path / "anytile").timing():
        both = {w: begin(shape(w), *request(w, FEW)) for w in (SMALL, OTHER)}
        assert wait(lambda: all(WAITING in c.errors.read_text() for c in both.values()))
        assert not any(c.said() for c in both.values())
    assert [c.process.wait(PATIENCE_S) for c in both.values()] == [0, 0]
    with Store.open(str(tmp_path / "tuning.db")) as store:
        assert {c.state for c in store.campaigns()} == {"finished"}
        for workload, campaign in both.items():
            (begun,) = (c for c in store.campaigns() if c.workloads == (workload,))
            rows = sorted(store.trials(campaign_id=begun.id), key=lambda t: t.seed_order)
            said = campaign.said()
            assert [t.seed_order for t in rows] == [e["number"] for e in said] == list(range(len(rows)))
            assert all(is_as_said(row, e) for row, e in zip(rows, said, strict=True))
            assert sum(t.kind == "search" for t in rows) >= FEW
            assert store.selection(workload, TARGET) is not None
    assert not any(c.alive() for c in both.values())
