"""How a campaign is shown while it runs: a live table in a terminal, plain lines in a pipe, JSON lines for programs.

All of them are listeners of `tuner.events`. What has happened so far is kept in one `Board`, which draws nothing.
"""

from __future__ import annotations

import json
import time
from collections import Counter, deque
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, TextIO

from anytile.db.records import Status
from anytile.figures import duration_text, rate_text, time_text
from anytile.schedules.workload import Workload
from anytile.tuner.events import (
    Best,
    CampaignEnded,
    CampaignStarted,
    Event,
    ModelTrained,
    PhaseStarted,
    PlanChosen,
    TrialDone,
)

if TYPE_CHECKING:
    from rich.console import Console, Group
    from rich.table import Table

PHASE_WORDS = {"search": "search", "cross": "cross-evaluate", "pair": "pair off", "profile": "profile"}
HEARTBEAT = 10.0  # seconds between plain lines when nothing new is found
_RATE_WINDOW = 64  # trials over which the rate is taken


@dataclass
class Lane:
    """One workload of the campaign."""

    workload: Workload
    phase: str = ""
    total: int | None = None
    in_phase: int = 0
    trials: int = 0
    best: Best | None = None
    planned: bool = False


@dataclass
class Board:
    """What has happened so far."""

    start: CampaignStarted | None = None
    end: CampaignEnded | None = None
    lanes: dict[Workload, Lane] = field(default_factory=dict)
    statuses: Counter[Status] = field(default_factory=Counter)
    elapsed: float = 0.0
    left: float | None = None
    model: float | None = None
    recent: deque[float] = field(default_factory=lambda: deque(maxlen=_RATE_WINDOW))

    def see(self, event: Event) -> None:
        match event:
            case CampaignStarted():
                self.start = event
                self.left = event.seconds
                self.lanes = {w: Lane(w) for w in event.workloads}
            case PhaseStarted():
                lane = self.lane(event.workload)
                lane.phase, lane.total, lane.in_phase = event.phase, event.total, 0
            case TrialDone():
                lane = self.lane(event.workload)
                lane.in_phase += 1
                lane.trials += 1
                lane.best = event.best or lane.best
                self.statuses[event.status] += 1
                self.elapsed, self.left = event.elapsed, event.left
                self.recent.append(event.elapsed)
            case ModelTrained():
                self.model = event.quality
            case PlanChosen():
                self.lane(event.workload).planned = not event.provisional
            case CampaignEnded():
                self.end, self.elapsed = event, event.elapsed

    def lane(self, workload: Workload) -> Lane:
        return self.lanes.setdefault(workload, Lane(workload))

    @property
    def trials(self) -> int:
        return sum(self.statuses.values())

    @property
    def failed(self) -> int:
        return self.trials - self.statuses[Status.OK]

    @property
    def rate(self) -> float:
        """Trials per second, lately."""
        if len(self.recent) < 2 or self.recent[-1] <= self.recent[0]:
            return 0.0
        return (len(self.recent) - 1) / (self.recent[-1] - self.recent[0])

    def failures_text(self) -> str:
        parts = [
            f"{status} {self.statuses[status]}"
            for status in Status
            if status is not Status.OK and self.statuses[status]
        ]
        return ", ".join(parts)


Display = AbstractContextManager[Callable[[Event], None]]


class Quiet:
    """Shows nothing."""

    def __enter__(self) -> Callable[[Event], None]:
        return lambda event: None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        return None


class JsonLines(Quiet):
    """One JSON object per event."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __enter__(self) -> Callable[[Event], None]:
        return self._see

    def _see(self, event: Event) -> None:
        print(json.dumps(event_json(event)), file=self._stream, flush=True)


class Lines(Quiet):
    """A line for whatever is new, and one now and then to say that it is alive."""

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self.board = Board()
        self._stream = stream
        self._clock = clock
        self._spoke = clock()

    def __enter__(self) -> Callable[[Event], None]:
        return self._see

    def _see(self, event: Event) -> None:
        before = self.board.lanes.get(event.workload) if isinstance(event, TrialDone) else None
        known = before.best.seconds if before and before.best else float("inf")
        self.board.see(event)
        match event:
            case CampaignStarted():
                for line in heading(event):
                    self._say(line)
            case PhaseStarted():
                upto = f", at most {event.total} trials" if event.total is not None else ""
                space = f" of {event.space} configs" if event.space else ""
                self._say(f"{event.workload}: {PHASE_WORDS.get(event.phase, event.phase)}{space}{upto}")
            case TrialDone():
                if event.best and event.best.seconds < known:
                    self._say(
                        f"{self._trial(event)}: {rate_text(event.best.gflops)} GFLOP/s, {time_text(event.best.seconds)}"
                        f" at {point_text(event.best)} with {event.best.config}"
                    )
                elif self._clock() - self._spoke >= HEARTBEAT:
                    failures = self.board.failures_text()
                    self._say(
                        f"{self._trial(event)}: {self.board.rate:.1f} trials/s, {duration_text(event.left)} left"
                        + (f"; {failures}" if failures else "")
                    )
            case PlanChosen():
                variants, ranges = len(event.plan.variants), len(event.plan.ranges)
                kind = "provisional plan" if event.provisional else "plan"
                self._say(f"{event.workload}: {kind} of {variants} config(s) over {ranges} range(s)")
            case CampaignEnded():
                self._say(f"{event.state} after {duration_text(event.elapsed)}, {event.trials} trials: {event.reason}")
            case ModelTrained():
                pass

    def _trial(self, event: TrialDone) -> str:
        return f"[{duration_text(event.elapsed)}] trial {event.number + 1}"

    def _say(self, line: str) -> None:
        self._spoke = self._clock()
        print(line, file=self._stream, flush=True)


class Live(Quiet):
    """A table that is drawn anew a few times a second."""

    def __init__(self, console: Console) -> None:
        from rich.live import Live as RichLive

        self.board = Board()
        self._seen = time.monotonic()
        self._live = RichLive(
            console=console,
            get_renderable=lambda: draw(self.board, time.monotonic() - self._seen),
            refresh_per_second=5,
            transient=True,
        )

    def __enter__(self) -> Callable[[Event], None]:
        self._live.start()
        return self._see

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._live.stop()

    def _see(self, event: Event) -> None:
        self._seen = time.monotonic()
        self.board.see(event)


def draw(board: Board, idle: float = 0.0) -> Group:
    """The live view of a board; `idle` seconds have passed since its last event."""
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.text import Text

    parts: list[Text | Table | ProgressBar] = []
    if board.start:
        parts.extend(
            Text(line, style="bold" if i == 0 else "dim", overflow="ellipsis", no_wrap=True)
            for i, line in enumerate(heading(board.start))
        )
        budget = board.start.seconds
        if budget:
            parts.append(ProgressBar(total=budget, completed=min(budget, board.elapsed + idle)))
    parts.append(_lanes(board))
    line = Text()
    line.append(f"{board.trials} trials", style="bold")
    line.append(f"   {board.rate:.1f}/s")
    if board.left is not None:
        line.append(f"   {duration_text(max(0.0, board.left - idle))} left")
    line.append(f"   ok {board.statuses[Status.OK]}", style="green")
    if board.failed:
        line.append(f"   {board.failures_text()}", style="yellow")
    if board.model is not None:
        line.append(f"   model {board.model:.2f}", style="dim")
    parts.append(line)
    parts.append(Text("Ctrl-C ends after the current trial; nothing measured is lost", style="dim"))
    return Group(*parts)


def _lanes(board: Board) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, expand=False)
    table.add_column("workload", overflow="ellipsis", no_wrap=True, max_width=44)
    table.add_column("phase", no_wrap=True)
    table.add_column("trials", justify="right", no_wrap=True)
    table.add_column("GFLOP/s", justify="right", style="bold cyan", no_wrap=True)
    table.add_column("best", justify="right", no_wrap=True)
    table.add_column("config", overflow="ellipsis", no_wrap=True, style="dim")
    for lane in board.lanes.values():
        phase = "done" if lane.planned else PHASE_WORDS.get(lane.phase, lane.phase) or "waiting"
        here = f"{lane.in_phase}/{lane.total}" if lane.total and not lane.planned else str(lane.trials)
        best = lane.best
        table.add_row(
            str(lane.workload),
            phase,
            here,
            rate_text(best.gflops) if best else "-",
            f"{time_text(best.seconds)} at {point_text(best)}" if best else "-",
            str(best.config) if best else "",
        )
    return table


def heading(start: CampaignStarted) -> list[str]:
    budget = [f"{start.trials} trials"] if start.trials is not None else []
    budget += [duration_text(start.seconds)] if start.seconds is not None else []
    what = "resumes" if start.resumed else "starts"
    done = f", {start.trials_done} trials stored before" if start.resumed else ""
    return [
        f"campaign {start.campaign_id[:8]} {what}: {len(start.workloads)} workload{'s' * (len(start.workloads) != 1)}"
        f" on {start.target}{done}",
        f"{start.strategy} search, {start.runner} runner, seed {start.seed}, budget {' or '.join(budget) or 'none'}",
    ]


def point_text(best: Best) -> str:
    return ", ".join(f"{name}={value}" for name, value in best.point) or "its shape"


def event_json(event: Event) -> dict[str, object]:
    """An event as JSON-able data; times that are not finite become null."""
    from anytile.jsonable import jsonable

    return {"event": type(event).__name__, **jsonable(event)}
