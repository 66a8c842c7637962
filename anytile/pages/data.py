"""What each page shows, as data: the functions behind the pages, the JSON beneath them and the commands' `--json`."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from anytile.api import covered, suggested
from anytile.core.errors import SpecError
from anytile.db.lookup.suggestions import Suggestion
from anytile.db.overview.campaigns import campaigns, is_live
from anytile.db.overview.coverage import Coverage
from anytile.db.overview.standings import Regression, regressions
from anytile.db.store import Store
from anytile.db.summary import CampaignLine
from anytile.pages.shown_models import Model
from anytile.schedules.hardware.target import Target

LATEST = 50  # campaigns on a page
PAGE = 100  # lines of the leaderboard on a page
AMONG = 25  # of the misses most often asked for, these are ranked
FIRST = 5  # of each kind on the overview
STANDS_S = 60.0  # so long the overview says again what takes long to find out


@dataclass(frozen=True, slots=True)
class Standing:
    """What changes slowly and takes long to find out; `made` is when it was."""

    made: float
    regressions: tuple[Regression, ...]
    coverage: tuple[Coverage, ...]
    missed: tuple[Suggestion, ...]


@dataclass(eq=False)
class _Kept:
    """The last that was found out, by one asker at a time."""

    last: Standing | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)


@dataclass(frozen=True, slots=True)
class Overview:
    """What is at work, what became worse, and what is wanted."""

    live: tuple[CampaignLine, ...]
    latest: tuple[CampaignLine, ...]
    regressions: tuple[Regression, ...]
    coverage: tuple[Coverage, ...]
    missed: tuple[Suggestion, ...]


@dataclass(frozen=True)
class Shown:
    """What a server shows: a database, models, and the target that models are looked up for unless a page says so."""

    store: Store
    models: Sequence[Model]
    target: Target
    now: Callable[[], float] = time.time
    _kept: _Kept = field(default_factory=_Kept, repr=False)

    def overview(self) -> Overview:
        """Campaigns as they are; the rest as it was at most a minute ago: an open page asks every few seconds."""
        lines = campaigns(self.store, LATEST)
        now = self.now()
        standing = self._standing(now)
        return Overview(
            live=tuple(line for line in lines if is_live(line, now)),
            latest=tuple(line for line in lines if not is_live(line, now)),
            regressions=standing.regressions,
            coverage=standing.coverage,
            missed=standing.missed,
        )

    def _standing(self, now: float) -> Standing:
        with self._kept.lock:
            last = self._kept.last
            if last is None or not 0 <= now - last.made < STANDS_S:  # below 0 where somebody set the clock
                with self.store.at_one_moment():
                    last = self._kept.last = Standing(
                        made=now,
                        regressions=tuple(regressions(self.store)),
                        coverage=tuple(self._covered(m, self.target) for m in self.models if m.is_asked_for),
                        missed=tuple(suggested(self.store, among=AMONG)),
                    )
            return last

    def coverage(self, target: Target | None = None) -> list[Coverage]:
        with self.store.at_one_moment():
            return [self._covered(model, target or self.target) for model in self.models]

    def coverage_of(self, name: str, target: Target | None = None) -> Coverage | None:
        found = (model for model in self.models if model.name == name)
        return next((self._covered(model, target or self.target) for model in found), None)

    def targets(self) -> list[Target]:
        """What models can be looked up for: our own, and those that the database knows."""
        return sorted({self.target, *(t for layer in self.store.layers for t in layer.targets())}, key=str)

    def target_named(self, text: str) -> Target | None:
        """One of `targets`; nothing where none is named."""
        if not text:
            return None
        found = next((target for target in self.targets() if str(target) == text), None)
        if found is None:
            raise SpecError("target: expected one that the database knows, as the page lists them")
        return found

    def _covered(self, model: Model, target: Target) -> Coverage:
        return covered(model.name, model.on(target), target, self.store)
