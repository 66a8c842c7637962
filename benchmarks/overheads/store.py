"""The tuning database as a team uses it: many writers at once, the first lookup of a process, merging.

Trials are invented; what is timed is what keeping them, finding the best of them and moving them costs. Writers are
processes of their own on all cores, each with a campaign, and store as campaigns do: each counts what it was told is
stored, and afterwards the database must hold just that. One who sees an error tells it. SQLite's files lie in --folder;
beside `scripts/postgres` the same is done on that server.

    scripts/postgres scripts/bench store --check --json store.json
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import secrets
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from threading import Barrier

from sqlalchemy import make_url, select, text

import anytile
from anytile.core.errors import AnytileError
from anytile.db.exchange import merge
from anytile.db.records.records import Campaign, new_id
from anytile.db.sql.engine import locate, make_engine
from anytile.db.sql.models import TrialRow
from anytile.db.store import Store
from benchmarks.measure.harness import Claim, Report, Row
from benchmarks.measure.program import program
from benchmarks.overheads.overhead import fill, layers, trials

SERVER = "ANYTILE_TEST_POSTGRES"
SQLITE, POSTGRESQL = "SQLite", "PostgreSQL"
WRITERS = 8
BATCHES = (1, 16)  # trials in a transaction: one as it is measured; a batch of a search
FEW, MANY = 10_000, 1_000_000
TOLD = {SQLITE: 2000.0, POSTGRESQL: 4000.0}  # trials a second
FIRST_MS = {SQLITE: 2.0, POSTGRESQL: 4.0}

FIRST = """
import json, sys, time
import anytile, anytile.api, anytile.db.lookup.layers, anytile.dispatch.service, anytile.tuner.estimate.rank
from anytile.schedules.hardware.cpu import facts
workload, target = anytile.Workload.parse(sys.argv[2]), anytile.Target.parse(sys.argv[3])
facts(target)  # what LLVM knows of the CPU: whoever compiles asks for it, and no database has it
with anytile.open_store(sys.argv[1], readonly=True) as store:
    start = time.perf_counter()
    answer = anytile.lookup(workload, target, db=store)
    seconds = time.perf_counter() - start
print(json.dumps([seconds, answer.rung.value]))
"""


def write(url: str, batch: int, together: Barrier, seconds: float) -> tuple[list[str], list[str]]:
    """One writer: the ids that it was told are stored, and what went wrong."""
    os.sched_setaffinity(0, range(os.cpu_count() or 1))
    target = anytile.Target.host(1)
    pattern = list(trials(4096, target))
    stored: list[str] = []
    complaints: list[str] = []
    with anytile.open_store(url) as store:
        campaign = Campaign(tuple(layers()), target, {})
        store.add_campaign(campaign)
        ready, numbers = itertools.cycle(pattern), itertools.count()
        together.wait()
        begin = time.monotonic()
        while time.monotonic() < begin + seconds:
            made = [
                replace(one, id=new_id(), campaign_id=campaign.id, seed_order=number)
                for one, number in zip(itertools.islice(ready, batch), numbers, strict=False)
            ]
            try:
                store.append_trials(made)
            except AnytileError as error:
                complaints.append(str(error))
            else:
                stored += [one.id for one in made]
    return stored, complaints


def writing(report: Report, kind: str, url: str, batch: int, seconds: float) -> None:
    """All writers at once, and whether what they stored is there, no more and no less."""
    fresh = get_context("spawn")
    with fresh.Manager() as shared, ProcessPoolExecutor(WRITERS, mp_context=fresh) as pool:
        together = shared.Barrier(WRITERS)
        each = [pool.submit(write, url, batch, together, seconds) for _ in range(WRITERS)]
        done = [one.result() for one in each]
    stored = [id_ for ids, _ in done for id_ in ids]
    complaints = [line for _, lines in done for line in lines]
    with anytile.open_store(url, readonly=True) as store:
        there = store.read(lambda connection: connection.scalars(select(TrialRow.id)).all())
    lost, more = len(set(stored) - set(there)), len(there) - len(set(stored))
    rate = len(stored) / seconds
    case = {"what": "writing", "writers": WRITERS, "batch": batch, "seconds": seconds, "trials": len(stored)}
    report.rows.append(Row(case, kind, seconds / max(len(stored), 1), 0.0, 0.0, 1))
    report.say(f"{kind}, {batch} at a time: {rate:.0f} trials/s, {lost} lost, {more} more, {len(complaints)} errors")
    for line in sorted(set(complaints)):
        report.say(line)
    name = f"{kind}, {WRITERS} writers, {batch} trials in a transaction"
    if batch == max(BATCHES):
        report.claims.append(Claim(f"{name}: trials a second", rate, TOLD[kind]))
    wrong = float(lost + more + len(complaints))
    report.claims.append(Claim(f"{name}: lost, doubled, and errors shown", wrong, 0.0, at_most=True))


def first_lookup(report: Report, kind: str, url: str, count: int, runs: int) -> float:
    """Seconds of the first lookup of a process; the median of fresh processes, the first of which only warms disks."""
    words = [sys.executable, "-c", FIRST, url, str(layers()[0]), str(anytile.Target.host(1))]
    samples = []
    for _ in range(runs + 1):
        seconds, rung = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
        assert rung == "exact", rung
        samples.append(float(seconds))
    median = statistics.median(samples[1:])
    report.rows.append(Row({"what": "first lookup", "trials": count}, kind, median, 0.0, 0.0, runs))
    report.say(f"{kind}: the first lookup among {count} trials took {median * 1e3:.2f} ms")
    return median


def lookups(report: Report, kind: str, few: tuple[str, int], many: tuple[str, int], runs: int) -> None:
    """Exact lookups in a small database and a large one."""
    small, large = (first_lookup(report, kind, url, count, runs) for url, count in (few, many))
    name = f"{kind}, exact lookup, first in a process"
    report.claims.append(Claim(f"{name}, {many[1]} trials: ms", large * 1e3, FIRST_MS[kind], at_most=True))
    report.claims.append(Claim(f"{name}, from {few[1]} to {many[1]} trials: times", large / small, 1.5, at_most=True))


def merging(report: Report, into: str, source: str, count: int) -> None:
    """One database into another, and again, with nothing to do."""
    for what, most in (("merging", 60.0), ("merging again", 10.0)):
        with anytile.open_store(source, readonly=True) as other, anytile.open_store(into) as store:
            start = time.perf_counter()
            merge(store, other)
            seconds = time.perf_counter() - start
        report.rows.append(Row({"what": what, "trials": count}, SQLITE, seconds, 0.0, 0.0, 1))
        report.say(f"{what} {count} trials: {seconds:.1f} s")
        name = f"{what} databases of {count} trials each: s"
        report.claims.append(Claim(name, seconds, most, at_most=True))


@contextmanager
def on_server() -> Iterator[str]:
    """An empty database on the server, for as long as it is needed."""
    given, name = os.environ[SERVER], f"bench_{secrets.token_hex(8)}"
    engine = make_engine(locate(given)).execution_options(isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    try:
        yield make_url(given).set(database=name).render_as_string(hide_password=False)
    finally:
        with engine.connect() as connection:
            connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
        engine.dispose()


def measure(report: Report, options: argparse.Namespace) -> None:
    share = 50 if options.quick else 1
    few, many, runs = FEW // share, MANY // share, 3 if options.quick else 9
    seconds = options.seconds / (20 if options.quick else 1)
    target, planned = anytile.Target.host(1), layers()[0]
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        small, one, other = (Path(folder) / f"{name}.db" for name in ("small", "one", "other"))
        for batch in BATCHES:
            writing(report, SQLITE, str(Path(folder) / f"written-{batch}.db"), batch, seconds)
        for path, count in ((small, few), (one, many // 2), (other, many // 2)):
            fill(path, count, planned, target)
            report.say(f"{count} trials in {path.name}")
        merging(report, str(one), str(other), many // 2)
        lookups(report, SQLITE, (str(small), few), (str(one), many), runs)
        if not os.environ.get(SERVER):
            report.unmeasured.append(f"{POSTGRESQL}, of which ${SERVER} names none (scripts/postgres starts one)")
            return
        for batch in BATCHES:
            with on_server() as url:
                writing(report, POSTGRESQL, url, batch, seconds)
        with on_server() as url, on_server() as larger:
            for place, path in ((url, small), (larger, one)):
                with anytile.open_store(place) as store, Store.open(str(path), readonly=True) as source:
                    merge(store, source)
                report.say(f"{path.name} on the server")
            lookups(report, POSTGRESQL, (url, few), (larger, many), runs)


def _more_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seconds", type=float, default=60.0, metavar="S", help="how long writers write (60)")
    parser.add_argument("--folder", type=Path, metavar="DIR", help="where SQLite's files lie (the temporary folder)")


main = program(__doc__, measure, extra=_more_options)


if __name__ == "__main__":
    sys.exit(main())
