"""What a measuring process tells the one that started it: lines of JSON in a file, so that nothing is lost with it.

A process that breaks the GPU's context, hangs or dies has told every row that it measured before.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.measure.harness import Claim, Report, Row


@dataclass
class Teller:
    """Writes down what a report has that was not told before."""

    path: Path
    report: Report
    _told: dict[str, int] = field(default_factory=dict)
    _machine: Mapping[str, Any] = field(default_factory=dict)

    def write(self, **event: Any) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(event) + "\n")

    def begin(self, unit: str, within: float) -> None:
        self.write(begin=unit, within=within)

    def end(self, unit: str) -> None:
        self.news()
        self.write(end=unit)

    def news(self) -> None:
        report = self.report
        if report.machine != self._machine:
            self._machine = dict(report.machine)
            self.write(machine=self._machine)
        lists: Mapping[str, list[Any]] = {
            "row": [{**asdict(r), "case": dict(r.case)} for r in report.rows],
            "claim": [asdict(c) for c in report.claims],
            "unmeasured": report.unmeasured,
        }
        for kind, all_of_them in lists.items():
            for one in all_of_them[self._told.get(kind, 0) :]:
                self.write(**{kind: one})
            self._told[kind] = len(all_of_them)


@dataclass
class Listener:
    """Reads what was written so far into a report, and knows which unit is at work and which are over."""

    path: Path
    report: Report
    at_work: str | None = None
    within: float = 0.0
    over: list[str] = field(default_factory=list)
    _read: int = 0

    def turn_to(self, path: Path) -> None:
        """Another process's file: the one before may have died within a line."""
        self.path, self._read = path, 0

    def listen(self) -> bool:
        """Whether there was anything new; a line that is not whole yet is left for the next time."""
        if not self.path.exists():
            return False
        with self.path.open("rb") as file:
            file.seek(self._read)
            data = file.read()
        whole = data[: data.rfind(b"\n") + 1]
        self._read += len(whole)
        for line in whole.splitlines():
            self._take(json.loads(line))
        return bool(whole)

    def _take(self, event: Mapping[str, Any]) -> None:
        report = self.report
        match event:
            case {"begin": unit, "within": within}:
                self.at_work, self.within = unit, within
            case {"end": unit}:
                self.at_work = None
                self.over.append(unit)
            case {"machine": facts}:
                report.machine = {**report.machine, **facts}
            case {"row": row}:
                report.rows.append(Row(**row))
            case {"claim": claim}:
                report.claims.append(Claim(**claim))
            case {"unmeasured": what}:
                report.unmeasured.append(what)
