"""Campaigns as a user starts them: the command itself, as a process of its own, timed from its start to its end.

Nothing is warm unless it is asked to be: a timed campaign gets a new database and a new cache of machine code.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

from anytile.core.errors import MeasureError, SpecError
from anytile.db.store import Store
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import DispatchPlan
from anytile.schedules.templates.registry import templates_for
from anytile.schedules.workloads.workload import Workload


def tune_words(shape: str) -> list[str]:
    """The command that is promised to take no longer than so long."""
    return ["tune", "--op", "dense", "--target", "llvm", "--shape", shape]


def exhaustive_words(shape: str, limit: str) -> list[str]:
    """A search of every config, which ends when all are measured or the time is over."""
    return [*tune_words(shape), "--search", "grid", "--early-stop", "0", "--time", limit]


def run(
    words: Sequence[str],
    db: str,
    cache: Path | None = None,
    cores: Iterable[int] | None = None,
    may_fall_short: bool = False,
) -> float:
    """The seconds that `anytile WORDS` takes, on these cores, or those of this process. What it says goes to stderr.

    A campaign that `may_fall_short` has plans for what it came to; it is the command's to say what that leaves out.
    """
    settings = {"ANYTILE_DB": db} | ({} if cache is None else {"XDG_CACHE_HOME": str(cache)})
    start = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "anytile", *words],
        stdout=sys.stderr,
        env={**os.environ, **settings},
        preexec_fn=None if cores is None else partial(os.sched_setaffinity, 0, cores),
        check=False,
    )
    seconds = time.monotonic() - start
    if done.returncode and not (may_fall_short and done.returncode == MeasureError.exit_code):
        raise MeasureError(f"`anytile {shlex.join(words)}` ended with {done.returncode}; what it said is above")
    return seconds


def left_out(db: str, workload: Workload, target: Target) -> str:
    """What the exhaustive campaign of the stored plan has not searched, in words; nothing where that is nothing.

    A plan that another search chose is refused: it is not the best of all configs by anything but luck.
    """
    with Store.open(db, readonly=True) as store:
        chosen = store.selection(workload, target)
        campaigns = {c.id: c for c in store.campaigns()}
    if chosen is None or chosen.campaign_id not in campaigns:
        raise SpecError(f"{db}: it has no campaign's plan for {workload} on {target}; --make makes one")
    request = campaigns[chosen.campaign_id].options.get("request", {})
    said = {name: request.get(name) for name in ("strategy", "trials", "early_stop")}
    if said != {"strategy": "grid", "trials": None, "early_stop": None}:
        asked = ", ".join(f"{name} {value}" for name, value in said.items())
        raise SpecError(f"{db}: its plan for {workload} was searched for with {asked}; expected every config of a grid")
    every = sum(len(t.space(workload, target)) for t in templates_for(workload, target))
    searched = DispatchPlan.from_json(chosen.plan).notes.get("searched")
    if isinstance(searched, int) and searched >= every:
        return ""
    return f"{db} searched {searched} of {every} configs of {workload}; --make with more time, on a new database"
