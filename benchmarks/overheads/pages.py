"""Pages over a tuning database of a million trials: what each takes, from a file and from a server.

`anytile db serve` runs as a process of its own, and each page is asked for twice, one after the other: the slower visit
counts. From a server no lookup is remembered from one page to the next. The database is invented (`large_database`).
SQLite's file lies in --folder, and beside `scripts/postgres` the same is done on that server:

    scripts/postgres scripts/bench pages --check --json pages.json
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import anytile
from anytile.core.errors import MeasureError
from benchmarks.measure.harness import Claim, Report, Row
from benchmarks.measure.program import program
from benchmarks.overheads.store import POSTGRESQL, SERVER, SQLITE, on_server
from benchmarks.subjects.large_database import fill

TRIALS = 1_000_000
MOST_S = 1.0
REPORT = f"/campaigns/{uuid.UUID(int=5, version=4)}"
PAGES = ("/", "/campaigns", REPORT, "/best", "/regressions", "/coverage", "/coverage/bert-base", "/missed")
_PATIENCE_S = 120.0


@contextmanager
def serving(url: str) -> Iterator[str]:
    """The address of a server of the database's pages."""
    words = [sys.executable, "-P", "-m", "anytile", "db", "serve", "--port", "0"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env={**os.environ, "ANYTILE_DB": url})
    assert process.stdout is not None
    try:
        said = process.stdout.readline()  # which comes, or the process ends
        found = re.match(r"(http://\S+?)/ ", said)
        if found is None:
            raise MeasureError(f"`anytile db serve` does not serve: {said.strip() or 'it ended'}; see above")
        yield found[1]
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


def visit(address: str) -> float:
    begin = time.perf_counter()
    with urllib.request.urlopen(address, timeout=_PATIENCE_S) as answer:
        answer.read()
    return time.perf_counter() - begin


def pages(report: Report, kind: str, url: str, trials: int) -> None:
    begin = time.perf_counter()
    with anytile.open_store(url) as store:
        fill(store, trials)
    report.say(f"{kind}: {trials} trials in {time.perf_counter() - begin:.0f} s")
    with serving(url) as address:
        for page in PAGES:
            seconds = max(visit(address + page) for _ in range(2))
            name = "a campaign's report" if page == REPORT else page
            report.rows.append(Row({"page": name, "trials": trials}, kind, seconds, 0.0, 0.0, 2))
            report.claims.append(Claim(f"{kind}, {trials} trials, {name}: s", seconds, MOST_S, at_most=True))
            report.say(f"{kind}: {seconds * 1e3:.0f} ms for {name}")


def measure(report: Report, options: argparse.Namespace) -> None:
    trials = options.trials // (50 if options.quick else 1)
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        pages(report, SQLITE, str(Path(folder) / "large.db"), trials)
    if not os.environ.get(SERVER):
        report.unmeasured.append(f"{POSTGRESQL}, of which ${SERVER} names none (scripts/postgres starts one)")
        return
    with on_server() as url:
        pages(report, POSTGRESQL, url, trials)


def _more_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--trials", type=int, default=TRIALS, metavar="N", help=f"how many are stored ({TRIALS})")
    parser.add_argument("--folder", type=Path, metavar="DIR", help="where SQLite's file lies (the temporary folder)")


main = program(__doc__, measure, extra=_more_options)


if __name__ == "__main__":
    sys.exit(main())
