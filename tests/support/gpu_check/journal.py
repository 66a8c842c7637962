"""Journal of a child: what began and how it ended, a line each, so that whoever watches knows where it hangs or died.

A plugin of pytest (`-p tests.support.gpu_check.journal`), and what other children write the same lines by. What is done
already is left out when a child is started again. A kernel that broke the context ends the process here: every test
after it would fail for the same reason, and the next child has a context of its own.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

JOURNAL, DONE = "ANYTILE_GPU_JOURNAL", "ANYTILE_GPU_DONE"  # files: lines of JSON, and a name a line
PARENT = "ANYTILE_GPU_PARENT"  # the process that watches
BROKEN = 3  # exit status of a child whose context is gone
_WORDS = 300
_LOOK_S = 0.5


def follow() -> None:
    """End with who watches, should that be killed: a GPU still at work would slow down whatever comes next."""

    def look(parent: int) -> None:
        with suppress(ProcessLookupError):
            while True:
                os.kill(parent, 0)
                time.sleep(_LOOK_S)
        os._exit(BROKEN)

    threading.Thread(target=look, args=(int(os.environ[PARENT]),), daemon=True).start()


def note(**words: Any) -> None:
    """One line, on disk when this returns."""
    with open(os.environ[JOURNAL], "a", encoding="utf-8") as file:
        file.write(json.dumps({**words, "at": time.time()}) + "\n")


def done_before() -> frozenset[str]:
    place = os.environ.get(DONE)
    return frozenset(Path(place).read_text(encoding="utf-8").splitlines() if place else ())


def ended(name: str, outcome: str, why: str, seconds: float) -> None:
    note(ended=name, outcome=outcome, why=" ".join(why.split())[:_WORDS], seconds=round(seconds, 3))


def leave_if_broken() -> None:
    """What breaks a context shows when it is next waited for, and then every time."""
    cupy = sys.modules.get("cupy")
    if cupy is None:
        return
    try:
        cupy.cuda.runtime.deviceSynchronize()
    except RuntimeError as error:
        note(broken=" ".join(str(error).split())[:_WORDS])
        sys.stdout.flush()
        os._exit(BROKEN)


class Plugin:
    """Of each test the worst that a phase of it said."""

    def __init__(self) -> None:
        self._worst: tuple[str, str] = ("passed", "")
        self._seconds = 0.0

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        before = done_before()
        items[:] = [item for item in items if item.nodeid not in before]

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        note(collected=[item.nodeid for item in session.items])

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            ended(report.nodeid, "failed", f"not collected: {str(report.longrepr).strip().splitlines()[-1]}", 0.0)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._worst, self._seconds = ("passed", ""), 0.0
        note(begins=nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._seconds += report.duration
        if report.outcome != "passed" and self._worst[0] != "failed":
            self._worst = report.outcome, _why(report)
        if report.when == "teardown":
            ended(report.nodeid, *self._worst, self._seconds)
            if self._worst[0] == "failed":
                leave_if_broken()


def _why(report: pytest.TestReport) -> str:
    if report.skipped and isinstance(report.longrepr, tuple):
        return str(report.longrepr[2])
    crash = getattr(report.longrepr, "reprcrash", None)
    return str(getattr(crash, "message", None) or report.longrepr)


def pytest_configure(config: pytest.Config) -> None:
    if JOURNAL in os.environ:
        follow()
        config.pluginmanager.register(Plugin(), "gpu-journal")
