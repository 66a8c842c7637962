"""Two processes on one campaign against one: how many more trials they make in the same time, and none twice.

Each process has one core to build on, as a machine of its own would; they share the device, on which one at a time
measures. So this is for searches that are bound by compiling. What counts is trials of the search a second, over the
time in which every process had begun to measure. Campaigns of one and of two take turns, each on a new database.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness import Claim, Report, Row
from program import program

import anytile
from anytile.core.errors import MeasureError
from anytile.schedules.workloads.workload import Workload

TIMES = 1.6
ROUNDS, SECONDS = 2, 60.0
WORKLOAD = "conv2d(n=1, ci=64, h=28, w=28, co=64, kh=3, kw=3, pad=1, const=w)"
_PATIENCE_S = 120.0
# Begins a campaign, or joins the one that is named, and says what it measured itself, and when.
_WORKER = """
import sys, time
import anytile
from anytile.tuner.ledger.events import CampaignStarted, TrialDone
from anytile.tuner.ledger.owner import worker_name

def tell(event):
    if isinstance(event, CampaignStarted):
        print("campaign", event.campaign_id, flush=True)
    elif isinstance(event, TrialDone) and event.phase == "search" and event.worker == worker_name():
        print("trial", time.monotonic(), event.template, event.config, flush=True)

workload, db, campaign, search = sys.argv[1:]
if campaign:
    anytile.resume(campaign, db=db, runner="inline", on_event=tell, join=True)
else:
    target = anytile.Target.host(1)
    anytile.tune(anytile.Workload.parse(workload), target, db=db, runner="inline", on_event=tell, seconds=3600.0,
                 search=search or None, cold=True, early_stop=None)
"""


@dataclass(frozen=True)
class Worker:
    """One process of a campaign, held to one core, and where its words go."""

    process: subprocess.Popen[bytes]
    log: Path

    @classmethod
    def start(cls, core: int, log: Path, words: Sequence[str], cache: Path) -> Worker:
        with log.open("wb") as out:
            settings = {**os.environ, "XDG_CACHE_HOME": str(cache)}
            process = subprocess.Popen([sys.executable, "-c", _WORKER, *words], stdout=out, env=settings)
        os.sched_setaffinity(process.pid, {core})  # before it has other threads
        return cls(process, log)

    def said(self, word: str) -> list[list[str]]:
        """The words of each of its lines that begin so."""
        lines = self.log.read_text().splitlines(keepends=True)
        return [line.split()[1:] for line in lines if line.endswith("\n") and line.startswith(f"{word} ")]

    def wait_for(self, word: str) -> list[str]:
        deadline = time.monotonic() + _PATIENCE_S
        while not (said := self.said(word)):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise MeasureError(f"a process of the campaign said no {word!r}; what it said is above")
            time.sleep(0.05)
        return said[0]

    def stop(self) -> None:
        self.process.send_signal(signal.SIGINT)
        self.process.wait()


def searched(workload: Workload, cores: Sequence[int], search: str, seconds: float) -> tuple[int, int]:
    """How many trials a process on each core made of one campaign, and how many configs were measured twice."""
    with tempfile.TemporaryDirectory() as folder:
        workers: list[Worker] = []
        try:
            for core in cores:
                campaign = workers[0].wait_for("campaign")[0] if workers else ""
                words = (str(workload), str(Path(folder) / "tuning.db"), campaign, search)
                workers.append(Worker.start(core, Path(folder) / f"{len(workers)}.log", words, Path(folder) / "cache"))
            begin = max(float(worker.wait_for("trial")[0]) for worker in workers)
            time.sleep(max(0.0, begin + seconds - time.monotonic()))
        finally:
            for worker in workers:
                worker.stop()
        trials = [line for worker in workers for line in worker.said("trial")]
    configs = Counter(" ".join(config) for _, *config in trials)
    return sum(begin < float(at) <= begin + seconds for at, *_ in trials), len(trials) - len(configs)


def measure(report: Report, options: argparse.Namespace) -> None:
    os.sched_setaffinity(0, range(os.cpu_count() or 1))
    cores = sorted(os.sched_getaffinity(0))[-2:]
    if len(cores) < 2:
        report.unmeasured.append("two processes on a core each, of which there is one")
        return
    workload = anytile.Workload.parse(options.workload)
    seconds = options.seconds / (6 if options.quick else 1)
    made: dict[int, int] = {1: 0, 2: 0}
    twice = 0
    for _ in range(1 if options.quick else ROUNDS):
        for count in made:
            trials, doubled = searched(workload, cores[:count], options.search, seconds)
            made[count] += trials
            twice += doubled
            report.say(f"{count} at work: {trials / seconds:.1f} trials/s, {doubled} configs measured twice")
    for count, trials in made.items():
        case = {"workload": str(workload), "processes": count, "seconds": seconds, "trials": trials}
        report.rows.append(Row(case, "anytile", seconds / max(trials, 1), 0.0, 0.0, ROUNDS))
    report.claims.append(Claim(f"trials of two processes over those of one, {workload}", made[2] / made[1], TIMES))
    report.claims.append(Claim("configs that were measured twice", float(twice), 0.0, at_most=True))


def _more_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--workload", default=WORKLOAD, metavar="W", help=f"what is searched ({WORKLOAD})")
    parser.add_argument("--search", default="", metavar="S", help="how (as `anytile tune` does)")
    parser.add_argument("--seconds", type=float, default=SECONDS, metavar="S", help="of each campaign (60)")


main = program(__doc__, measure, extra=_more_options)


if __name__ == "__main__":
    sys.exit(main())
