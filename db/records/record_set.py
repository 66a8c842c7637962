"""In-memory repository of records, by id: what a journal or an outbox answers from, where no database can."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from anytile.core.errors import DatabaseError
from anytile.db.records import physics
from anytile.db.records.records import Campaign, Miss, Selection, Status, StoredModel, Trial, Verdict
from anytile.schedules.hardware.target import Target
from anytile.schedules.workloads.workload import Workload


class RecordSet:
    """Campaigns, trials and selections; of several campaigns with one id the last one counts."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._campaigns: dict[str, Campaign] = {}
        self._trials: dict[str, Trial] = {}
        self._selections: dict[str, Selection] = {}

    @property
    def name(self) -> str:
        return self._name

    def remember(self, records: Iterable[Campaign | Trial | Selection | Verdict | Miss]) -> None:
        for record in records:
            match record:
                case Campaign():
                    self._campaigns[record.id] = record
                case Trial():
                    self._trials[record.id] = record
                case Selection():
                    self._selections[record.id] = record
                case Verdict() | Miss():
                    pass

    def holds(self, record: Campaign | Trial | Selection) -> bool:
        return record.id in self._campaigns or record.id in self._trials or record.id in self._selections

    def changed(
        self, campaign_id: str, state: str | None, finished: float | None, options: Mapping[str, Any] | None
    ) -> Campaign:
        """The campaign with what is given changed, and finished if it was; it is not remembered yet."""
        if campaign_id not in self._campaigns:
            raise DatabaseError(f"{self.name}: no campaign {campaign_id}")
        known = self._campaigns[campaign_id]
        state = known.state if known.state == "finished" else state
        given = {"state": state, "finished": finished, "options": None if options is None else dict(options)}
        return replace(known, **{k: v for k, v in given.items() if v is not None})  # type: ignore[arg-type]  # each value is of its field

    def with_option(self, campaign_id: str, name: str, value: object) -> Campaign:
        """The campaign with one of its options changed; it is not remembered yet."""
        known = self._campaigns.get(campaign_id)
        return self.changed(campaign_id, None, None, {**(known.options if known else {}), name: value})

    def leases(self, campaign_id: str) -> None:
        """One process has it at a time, so none are needed."""
        return

    def campaign(self, id_or_prefix: str) -> Campaign:
        """The campaign with this id, or the only one whose id begins so."""
        found = [c for id_, c in self._campaigns.items() if id_.startswith(id_or_prefix.lower())]
        if len(found) != 1:
            what = "no campaign" if not found else f"{len(found)} campaigns"
            raise DatabaseError(f"{self.name}: {what} {id_or_prefix!r}; give more of an id, or `last`")
        return found[0]

    def campaigns(self) -> list[Campaign]:
        return sorted(self._campaigns.values(), key=lambda c: c.created)

    def trials(
        self,
        campaign_id: str | None = None,
        workload: Workload | None = None,
        target: Target | None = None,
        status: Status | None = None,
        kind: str | None = None,
        limit: int | None = None,
        since: int | None = None,
        sound: bool = False,
    ) -> list[Trial]:
        wanted = {"campaign_id": campaign_id, "workload": workload, "target": target, "status": status, "kind": kind}
        given = {name: value for name, value in wanted.items() if value is not None}
        found = [t for t in self._trials.values() if all(getattr(t, name) == value for name, value in given.items())]
        found = [t for t in found if since is None or t.seed_order >= since]
        found = [t for t in found if not (sound and physics.contradiction(t))]
        return sorted(found, key=lambda t: (t.created, t.seed_order))[:limit]

    def selections(self, workload: Workload | None = None, target: Target | None = None) -> list[Selection]:
        found = [s for s in self._selections.values() if workload in (None, s.workload) and target in (None, s.target)]
        return sorted(found, key=lambda s: s.created, reverse=True)

    def selection(self, workload: Workload, target: Target) -> Selection | None:
        return next(iter(self.selections(workload, target)), None)

    def model(self, kind: str) -> StoredModel | None:
        """None: one is trained from a database, and kept there."""
        return None

    def known_pairs(self, op: str) -> list[tuple[Workload, Target]]:
        pairs = {(t.workload, t.target) for t in self._trials.values() if t.workload.op == op}
        return sorted(pairs, key=lambda pair: (str(pair[0]), str(pair[1])))
