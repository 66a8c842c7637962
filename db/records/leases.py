"""Lease records: who works on a campaign, and what each has in hand, as frozen data."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from anytile.core.errors import SpecError
from anytile.core.record_codec import TEXT, WHOLE, Codec, tuple_of

SEARCH, SETTLE, LEFT, LOST = "search", "settle", "left", "lost"
LIVE = (SEARCH, SETTLE)


@dataclass(frozen=True, slots=True)
class Batch:
    """Configs that one process is to measure, by what identifies them; their trials are numbered from `first` on."""

    workload: str
    template: str
    configs: tuple[str, ...]
    ids: tuple[str, ...]  # of their trials
    first: int = 0

    def only(self, ids: Collection[str], first: int) -> Batch:
        kept = [place for place, one in enumerate(self.ids) if one in ids]
        configs, left = tuple(self.configs[i] for i in kept), tuple(self.ids[i] for i in kept)
        return replace(self, configs=configs, ids=left, first=first)


@dataclass(frozen=True, slots=True)
class Lease:
    """One process' hold on a campaign. `process` identifies it to others on its machine."""

    id: str
    worker: str
    process: Mapping[str, Any]
    state: str
    batch: Batch | None
    beat: int


@dataclass(frozen=True, slots=True)
class Grant:
    """What became of a wish for a batch; `trials` are those of the campaign that are stored."""

    batch: Batch
    trials: int


@dataclass(frozen=True, slots=True)
class Standing:
    """Whether this process makes the campaign's end; if not, who is in its way, or that it is over. `trials` are those
    of the campaign that are stored."""

    settling: bool
    finished: bool
    trials: int
    others: tuple[Lease, ...] = ()


_TEXTS = tuple_of(TEXT)
_BATCH = Codec(Batch, workload=TEXT, template=TEXT, configs=_TEXTS, ids=_TEXTS, first=WHOLE)


def batch_json(batch: Batch | None) -> dict[str, Any]:
    return {} if batch is None or not batch.ids else _BATCH.dump(batch)


def read_batch(data: Any) -> Batch | None:
    """One that cannot be read keeps nobody from anything: what is measured twice is stored once."""
    try:
        return _BATCH.load(data) if data else None
    except SpecError:
        return None
