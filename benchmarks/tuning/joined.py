"""Two processes on one campaign against one: how many more trials they make in the same time, and none twice.

Each process has one core to build on, as a machine of its own would; they share the device, on which one at a time
measures while nobody builds. So this is for searches that are bound by compiling: of a trial that takes b seconds to
propose and build and t to time, two can make 2 (b + t) / (b + 2 t) times as many, which is 1.6 where t is a third of b.
What counts is trials of the search a second, over the time in which every process had begun to measure. Campaigns of
one and of two take turns, each on a new database. A campaign that comes near to the end of its spaces has no figure:
there is nothing to share any more, and one process makes as many trials as two.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import anytile
from anytile.core.errors import MeasureError
from anytile.schedules.templates.registry import templates_for
from anytile.schedules.workloads.workload import Workload
from benchmarks.measure.harness import Claim, Report, Row
from benchmarks.measure.program import program

TIMES = 1.6
ROUNDS, SECONDS = 2, 60.0
# The convolutions of ResNet-18 that keep an image's size, of images of 112 x 112, 160 x 160 and 224 x 224, by the
# template whose code takes the longest to build. On CPUs of 16 registers its spaces are smaller than on those of 32.
WORKLOADS = tuple(
    f"conv2d(n=1, ci={channels}, h={size}, w={size}, co={channels}, kh=3, kw=3, pad=1, const=w)"
    for large in (28, 40, 56)
    for channels, size in ((64, large), (128, large // 2), (256, large // 4), (512, -(-large // 8)))
)
TEMPLATE = "conv2d.direct"
MOST = 0.75  # of all configs may be measured; then searches begin to end
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
        print("trial", time.monotonic(), event.workload, event.template, event.config, flush=True)

db, campaign, search, template, *workloads = sys.argv[1:]
if campaign:
    anytile.resume(campaign, db=db, runner="inline", on_event=tell, join=True)
else:
    target = anytile.Target.host(1)
    anytile.tune(map(anytile.Workload.parse, workloads), target, db=db, runner="inline", on_event=tell, seconds=3600.0,
                 search=search or None, template=template or None, cold=True, early_stop=None)
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


@dataclass(frozen=True)
class Search:
    """What a campaign searches, and how; without a template it is all that serve a workload."""

    workloads: tuple[Workload, ...]
    template: str = ""
    strategy: str = ""

    @property
    def configs(self) -> int:
        """How many there are to be measured."""
        here = anytile.Target.host(1)
        served = [(w, one) for w in self.workloads for one in templates_for(w, here)]
        return sum(len(one.space(w, here)) for w, one in served if self.template in ("", one.name))

    def require_more(self, measured: int) -> None:
        """A figure is of processes that always had something to share."""
        if measured > MOST * self.configs:
            raise MeasureError(
                f"a campaign measured {measured} of {self.configs} configs, so that its processes had ever less to "
                "share; give it more workloads (--workload) or less time (--seconds)"
            )


def searched(search: Search, cores: Sequence[int], seconds: float) -> tuple[int, int]:
    """How many trials a process on each core made of one campaign, and how many configs were measured twice."""
    with tempfile.TemporaryDirectory() as folder:
        workers: list[Worker] = []
        try:
            for core in cores:
                campaign = workers[0].wait_for("campaign")[0] if workers else ""
                asked = (search.strategy, search.template, *map(str, search.workloads))
                words = (str(Path(folder) / "tuning.db"), campaign, *asked)
                workers.append(Worker.start(core, Path(folder) / f"{len(workers)}.log", words, Path(folder) / "cache"))
            begin = max(float(worker.wait_for("trial")[0]) for worker in workers)
            time.sleep(max(0.0, begin + seconds - time.monotonic()))
        finally:
            for worker in workers:
                worker.stop()
        trials = [line for worker in workers for line in worker.said("trial")]
    different = len({" ".join(config) for _, *config in trials})
    search.require_more(different)
    return sum(begin < float(at) <= begin + seconds for at, *_ in trials), len(trials) - different


def measure(report: Report, options: argparse.Namespace) -> None:
    os.sched_setaffinity(0, range(os.cpu_count() or 1))
    cores = sorted(os.sched_getaffinity(0))[-2:]
    if len(cores) < 2:
        report.unmeasured.append("two processes on a core each, of which there is one")
        return
    workloads = tuple(anytile.Workload.parse(text) for text in options.workload or WORKLOADS)
    search = Search(workloads, options.template or ("" if options.workload else TEMPLATE), options.search)
    named = "; ".join(map(str, workloads))
    seconds = options.seconds / (6 if options.quick else 1)
    made: dict[int, int] = {1: 0, 2: 0}
    twice = 0
    for _ in range(1 if options.quick else ROUNDS):
        for count in made:
            trials, doubled = searched(search, cores[:count], seconds)
            made[count] += trials
            twice += doubled
            report.say(f"{count} at work: {trials / seconds:.1f} trials/s, {doubled} configs measured twice")
    for count, trials in made.items():
        case = {"workloads": named, "processes": count, "seconds": seconds, "trials": trials}
        report.rows.append(Row(case, "anytile", seconds / max(trials, 1), 0.0, 0.0, ROUNDS))
    what = f"{workloads[0]}" + (f" and {len(workloads) - 1} more" if len(workloads) > 1 else "")
    report.claims.append(Claim(f"trials of two processes over those of one, {what}", made[2] / made[1], TIMES))
    report.claims.append(Claim("configs that were measured twice", float(twice), 0.0, at_most=True))


def _more_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--workload", action="append", metavar="W", help="what is searched, perhaps several times")
    parser.add_argument("--template", default="", metavar="T", help="by which template alone")
    parser.add_argument("--search", default="", metavar="S", help="how (as `anytile tune` does)")
    parser.add_argument("--seconds", type=float, default=SECONDS, metavar="S", help="of each campaign (60)")


main = program(__doc__, measure, extra=_more_options)


if __name__ == "__main__":
    sys.exit(main())
