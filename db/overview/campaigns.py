"""Campaign list over the layers of a database: what was asked, how far each is, and which are at work now.

Invariant: a campaign that a merge copied into several layers is listed once, as the layer knows it that has most of it.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from anytile.core.errors import UnknownRecord
from anytile.db.records.records import RUNNING, Campaign
from anytile.db.store import Store
from anytile.db.summary import CampaignLine, campaign_lines

LAST = "last"
SILENT_S = 600.0  # a campaign that measured nothing for so long is probably dead


def campaigns(store: Store, newest: int | None = None) -> list[CampaignLine]:
    """Newest first; `newest` at most, and those that are running, however old."""
    lines: dict[str, CampaignLine] = {}
    for layer in store.layers:
        listed = layer.campaigns(newest)
        for line in campaign_lines(listed, layer.counts(None if newest is None else [c.id for c in listed])):
            known = lines.get(line.id)
            if known is None or line.trials > known.trials:
                is_running = line.state == RUNNING
                lines[line.id] = replace(line, last=layer.last_trial(line.id)) if is_running else line
    ordered = sorted(lines.values(), key=lambda line: (-line.created, line.id))
    return [line for at, line in enumerate(ordered) if newest is None or at < newest or line.state == RUNNING]


def is_live(line: CampaignLine, now: float) -> bool:
    """Whether it is running and measured something lately."""
    return line.state == RUNNING and now - (line.last or line.created) < SILENT_S


def holding(store: Store, name: str) -> tuple[Store, Campaign]:
    """A campaign by its id, the beginning of it or `last`, and the first layer that has it."""
    if name == LAST:
        return _last(store)
    *others, last = store.layers
    for layer in others:
        with suppress(UnknownRecord):
            return layer, layer.campaign(name)
    return last, last.campaign(name)


def _last(store: Store) -> tuple[Store, Campaign]:
    found = [(layer, campaign) for layer in store.layers for campaign in layer.campaigns(newest=1)]
    if not found:
        raise UnknownRecord(f"database {store.name}: holds no campaign yet; `tune` makes one")
    return max(found, key=lambda one: (one[1].created, one[1].id))
