"""What a run did: one event for each kernel, a table by operator, and a trace that Chrome's viewer reads.

`Event`s come out of the machine, with times of one clock; a `Profile` adds how long the whole run took. What is not
kernel time is the difference, and nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any as AnyType

from anytile.core.errors import SpecError
from anytile.core.plurals import counted
from anytile.schedules.workloads.workload import Workload
from anytile.vm.program.executable import KERNEL, Executable
from anytile.vm.values.events import Event

HISTOGRAM_FORMAT = 1
SHAPES_APART = 4  # a kernel of more shapes is one line of the table


@dataclass(frozen=True, slots=True)
class Row:
    """All calls of one kernel at one combination of shapes."""

    name: str
    kernel: str
    shapes: tuple[tuple[int, ...], ...]
    calls: int
    seconds: float
    nbytes: int
    share: float


@dataclass(frozen=True)
class Profile:
    """A run, from arrays to arrays: when it began and ended, its events, what memory it took, and how long of it the
    inputs took to be looked at."""

    exe: Executable
    start: int
    end: int
    events: tuple[Event, ...]
    peak_bytes: int
    allocations: int
    inputs_ns: int = 0

    @property
    def seconds(self) -> float:
        return (self.end - self.start) * 1e-9

    @property
    def kernel_seconds(self) -> float:
        return sum(e.end - e.start for e in self.events) * 1e-9

    @property
    def overhead(self) -> float:
        """The share of the time that is not kernel time."""
        return max(1 - self.kernel_seconds / self.seconds, 0.0) if self.seconds else 0.0

    @property
    def rows(self) -> list[Row]:
        """By kernel and shapes, the longest first."""
        groups: dict[tuple[int, tuple[tuple[int, ...], ...]], list[Event]] = {}
        for e in self.events:
            groups.setdefault((e.kernel, e.shapes), []).append(e)
        found = []
        for (kernel, shapes), events in groups.items():
            entry = self.exe.kernels[kernel]
            seconds = sum(e.end - e.start for e in events) * 1e-9
            share = seconds / self.seconds if self.seconds else 0.0
            nbytes = sum(e.nbytes for e in events)
            found.append(Row(entry.name, entry.workload, shapes, len(events), seconds, nbytes, share))
        return sorted(found, key=lambda row: -row.seconds)

    def __str__(self) -> str:
        lines = [f"{'time':>10} {'share':>6} {'calls':>6} {'MB':>8}  operator, shapes"]
        for seconds, share, calls, nbytes, words in self._lines():
            lines.append(f"{seconds * 1e6:>8.1f}us {share:>6.1%} {calls:>6} {nbytes / 1e6:>8.2f}  {words}")
        rest = self.seconds - self.kernel_seconds
        lines.append(f"{max(rest, 0) * 1e6:>8.1f}us {self.overhead:>6.1%} {'':>6} {'':>8}  not in kernels")
        lines.append(
            f"{self.seconds * 1e6:>8.1f}us in all; "
            f"peak {self.peak_bytes / 1e6:.2f} MB in {counted(self.allocations, 'allocation')}"
        )
        return "\n".join(lines)

    def _lines(self) -> list[tuple[float, float, int, int, str]]:
        """The table's rows, the longest first; a kernel of many shapes, as in a loop that grows a tensor, has one."""
        groups: dict[str, list[Row]] = {}
        for row in self.rows:
            groups.setdefault(row.name, []).append(row)
        found = []
        for name, rows in groups.items():
            for together in [rows] if len(rows) > SHAPES_APART else [[row] for row in rows]:
                seconds, share = sum(r.seconds for r in together), sum(r.share for r in together)
                words = f"{name}  {' '.join(map(_span, zip(*(r.shapes for r in together), strict=True)))}"
                found.append((seconds, share, sum(r.calls for r in together), sum(r.nbytes for r in together), words))
        return sorted(found, key=lambda line: -line[0])

    def chrome_trace(self) -> str:
        """JSON for chrome://tracing and Perfetto: kernels and, between them, the time that is not kernel time."""
        events = [_complete("run", "vm", self.start, self.start, self.end, {"peak_bytes": self.peak_bytes})]
        events += [_complete(name, "vm", self.start, start, end, {}) for name, start, end in self._between()]
        for e in self.events:
            entry = self.exe.kernels[e.kernel]
            notes = {"kernel": entry.workload, "shapes": [list(s) for s in e.shapes], "bytes": e.nbytes}
            events.append(_complete(entry.name, entry.kind, self.start, e.start, e.end, notes))
        return json.dumps({"traceEvents": events, "displayTimeUnit": "ns"})

    def _between(self) -> Iterator[tuple[str, int, int]]:
        """The stretches of the run in which no kernel ran, the first of which looks at the inputs."""
        at = self.start + self.inputs_ns
        if self.inputs_ns:
            yield "inputs", self.start, at
        for e in self.events:
            if e.start > at:
                yield "not in kernels", at, e.start
            at = max(at, e.end)
        if self.end > at:
            yield "not in kernels", at, self.end


def _span(shapes: tuple[tuple[int, ...], ...]) -> str:
    """What one argument was at several calls: `1x0..52x512`."""
    if len({len(shape) for shape in shapes}) > 1:
        return "..."
    dims = [(min(sizes), max(sizes)) for sizes in zip(*shapes, strict=True)]
    return "x".join(f"{low}" if low == high else f"{low}..{high}" for low, high in dims) or "()"


def _complete(name: str, kind: str, origin: int, start: int, end: int, notes: dict[str, object]) -> dict[str, object]:
    return {
        "name": name,
        "cat": kind,
        "ph": "X",
        "ts": (start - origin) / 1000,
        "dur": (end - start) / 1000,
        "pid": 1,
        "tid": 1,
        "args": notes,
    }


@dataclass(frozen=True)
class ShapeHistogram:
    """How often each workload was run at which values of its symbols, over any number of runs."""

    counts: Mapping[str, Mapping[tuple[int, ...], int]]

    @classmethod
    def of(cls, events: Iterable[Event], exe: Executable) -> ShapeHistogram:
        found: dict[str, dict[tuple[int, ...], int]] = {}
        for e in events:
            entry = exe.kernels[e.kernel]
            if entry.kind == KERNEL:
                counts = found.setdefault(entry.workload, {})
                counts[e.dims] = counts.get(e.dims, 0) + 1
        return cls(found)

    def __add__(self, other: ShapeHistogram) -> ShapeHistogram:
        merged = {workload: dict(counts) for workload, counts in self.counts.items()}
        for workload, counts in other.counts.items():
            into = merged.setdefault(workload, {})
            for dims, n in counts.items():
                into[dims] = into.get(dims, 0) + n
        return ShapeHistogram(merged)

    def since(self, older: ShapeHistogram) -> ShapeHistogram:
        """What came to an older state of the same histogram."""
        found = {}
        for workload, counts in self.counts.items():
            known = older.counts.get(workload, {})
            fresh = {dims: n - known.get(dims, 0) for dims, n in counts.items() if n > known.get(dims, 0)}
            if fresh:
                found[workload] = fresh
        return ShapeHistogram(found)

    def weights(self, workload: str, symbol: str) -> dict[int, int]:
        """How often a workload met each size of one of its symbols: what tuning weighs sizes by."""
        place = Workload.parse(workload).symbols.index(symbol)
        found: dict[int, int] = {}
        for dims, n in self.counts.get(workload, {}).items():
            found[dims[place]] = found.get(dims[place], 0) + n
        return dict(sorted(found.items()))

    def to_json(self) -> str:
        """One canonical line."""
        rows = {w: sorted([list(dims), n] for dims, n in counts.items()) for w, counts in self.counts.items()}
        return json.dumps({"format": HISTOGRAM_FORMAT, "workloads": rows}, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> ShapeHistogram:
        """Read a file that anybody may have written."""
        try:
            d = json.loads(text)
            if not isinstance(d, dict) or "format" not in d:
                raise SpecError("a shape histogram cannot be read: expected what record_shapes wrote, got other JSON")
            if d["format"] != HISTOGRAM_FORMAT:
                raise SpecError(
                    f"shape histogram: expected format {HISTOGRAM_FORMAT}, got {d['format']}; record it again"
                )
            return cls({w: _counts(rows) for w, rows in d["workloads"].items()})
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
            raise SpecError(f"a shape histogram cannot be read: {type(error).__name__}: {error}") from None


def _counts(rows: AnyType) -> dict[tuple[int, ...], int]:
    """The counts of one workload, each of its sizes once."""
    found: dict[tuple[int, ...], int] = {}
    for dims, n in rows:
        point = tuple(map(_whole, dims))
        if point in found:
            raise ValueError(f"{list(point)} is counted twice")
        found[point] = _whole(n)
    return found


def _whole(n: AnyType) -> int:
    if type(n) is not int or not 0 <= n < 2**63:
        raise ValueError(f"{n!r} is no whole number from 0")
    return n
