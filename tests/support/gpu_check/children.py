"""Watched children: a group of checks in processes that are killed when one check takes too long, and started again.

Each check has a limit of its own, so a kernel that waits for ever costs that limit and no more: it goes with its
process, and the next process goes on behind it. So it is where a process dies, or its context is broken.
Invariant: every check that was collected has one result, or is said not to have been run.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from anytile.core.installation.clone import with_rooms
from tests.support.gpu_check.journal import DONE, JOURNAL, PARENT

OK, FAILED, SKIPPED, TIMED_OUT, DIED, NOT_RUN = "ok", "FAILED", "skipped", "TIMED OUT", "DIED", "not run"
BAD = (FAILED, TIMED_OUT, DIED, NOT_RUN)
_OUTCOMES = {"passed": OK, "failed": FAILED, "skipped": SKIPPED}
_POLL_S = 0.05
_REAPED_S = 20.0
_MOST_STARTS = 12  # of one group: where nearly everything breaks the device nothing more is learnt


@dataclass
class Deadline:
    """When everything must be over, by `time.monotonic`, and why; it may come sooner than was thought."""

    at: float
    why: str = "time was up"

    @classmethod
    def within(cls, seconds: float) -> Deadline:
        return cls(time.monotonic() + seconds)

    @property
    def over(self) -> bool:
        return time.monotonic() >= self.at

    def stop(self) -> None:
        self.at, self.why = min(self.at, time.monotonic()), "it was stopped"


@dataclass(frozen=True, slots=True)
class Group:
    """Checks one after another in a process: a command, how long one may take, and how long until the first."""

    name: str
    command: Sequence[str]
    limit_s: float = 60.0
    start_s: float = 120.0
    env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Result:
    group: str
    name: str
    outcome: str
    why: str
    seconds: float


@dataclass
class _Watched:
    """What a group's journal says so far."""

    collected: dict[str, None] = field(default_factory=dict)
    results: dict[str, Result] = field(default_factory=dict)
    running: tuple[str, float] | None = None  # and since when, by our clock
    broken: str = ""

    def in_a_new_process(self) -> None:
        self.running, self.broken = None, ""


def run_group(
    group: Group, root: Path, log: IO[bytes], until: Deadline, tell: Callable[[Result], None]
) -> list[Result]:
    """All results of a group."""
    seen = _Watched()

    def settle(name: str, outcome: str, why: str, seconds: float) -> None:
        if name not in seen.results:
            seen.results[name] = Result(group.name, name, outcome, why, seconds)
            tell(seen.results[name])

    with tempfile.TemporaryDirectory(prefix="gpu-check-") as folder:
        for start in range(_MOST_STARTS):
            before = len(seen.results)
            end = _once(group, root, log, until, seen, settle, Path(folder), start)
            left = [name for name in seen.collected if name not in seen.results]
            if seen.collected and not left:
                break
            if end and len(seen.results) == before:  # no check is to blame, so the next would end so, too
                settle(f"({group.name})", NOT_RUN if until.over else DIED, end, 0.0)
                break
            if until.over:
                break
        for name in seen.collected:
            settle(name, NOT_RUN, until.why if until.over else "too many processes ended", 0.0)
    return list(seen.results.values())


def _once(
    group: Group, root: Path, log: IO[bytes], until: Deadline, seen: _Watched,
    settle: Callable[[str, str, str, float], None], folder: Path, start: int,
) -> str:  # fmt: skip
    """One process, until it ends or is ended: why it did before its time, or nothing."""
    journal, done = folder / f"journal-{start}", folder / f"done-{start}"
    journal.touch()
    done.write_text("".join(f"{name}\n" for name in seen.results), encoding="utf-8")
    env = with_rooms({**os.environ, **group.env, JOURNAL: str(journal), DONE: str(done), PARENT: str(os.getpid())})
    began = time.monotonic()
    seen.in_a_new_process()
    log.write(f"\n==== {group.name}: {' '.join(group.command)}\n".encode())
    log.flush()
    process = subprocess.Popen(
        group.command, cwd=root, env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
    )
    at = 0
    try:
        while True:
            over = process.poll() is not None
            at = _read(journal, at, seen, settle)
            now = time.monotonic()
            if over:
                break
            if seen.running is not None and now - seen.running[1] > group.limit_s:
                settle(seen.running[0], TIMED_OUT, f"not over after {group.limit_s:g} s", now - seen.running[1])
                return "killed"
            if not seen.collected and now - began > group.start_s:
                return f"it did not begin within {group.start_s:g} s"
            if until.over:
                return until.why
            time.sleep(_POLL_S)
    finally:
        _end(process)
    if seen.broken:
        return seen.broken
    if seen.running is not None:
        settle(seen.running[0], DIED, _how(process.returncode), time.monotonic() - seen.running[1])
        return "died"
    return "" if seen.collected else f"{_how(process.returncode)} before it began; see the log"


def _read(journal: Path, at: int, seen: _Watched, settle: Callable[[str, str, str, float], None]) -> int:
    """What is new since a position; the last line may be half written."""
    data = journal.read_bytes()
    whole = data.rfind(b"\n") + 1
    for line in data[at:whole].splitlines():
        said: dict[str, Any] = json.loads(line)
        if "collected" in said:
            seen.collected |= dict.fromkeys(said["collected"])
        elif "begins" in said:
            seen.running = said["begins"], time.monotonic()
        elif "ended" in said:
            seen.running = None
            settle(said["ended"], _OUTCOMES[said["outcome"]], said["why"], said["seconds"])
        elif "broken" in said:
            seen.broken = f"the device's context is broken: {said['broken']}"
    return whole


def _how(code: int) -> str:
    return f"exit status {code}" if code >= 0 else f"died of {signal.Signals(-code).name}"


def _end(process: subprocess.Popen[bytes]) -> None:
    """With all that it started; what a driver does not let go of is left behind."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_REAPED_S)
