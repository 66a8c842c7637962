"""Storage interface of campaigns: what they need of a database, or of a journal where there is none.

Types only, so that a tuner on a borrowed machine needs no SQLAlchemy. Whatever keeps records keeps them for good by the
time an `add` or `update` returns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from anytile.db.records.records import Campaign, Selection, Status, StoredModel, Trial
from anytile.schedules.hardware.target import Target
from anytile.schedules.workloads.workload import Workload

if TYPE_CHECKING:
    from anytile.db.leases import Leases


class Keeping(Protocol):
    """The repository of a campaign's records, whatever it is kept in."""

    @property
    def name(self) -> str:
        """Where it is, for messages."""
        ...

    def add_campaign(self, campaign: Campaign) -> None: ...

    def update_campaign(
        self,
        campaign_id: str,
        state: str | None = None,
        finished: float | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None: ...

    def set_option(self, campaign_id: str, name: str, value: object) -> None:
        """One of a campaign's options; the others stay."""
        ...

    def leases(self, campaign_id: str) -> Leases | None:
        """Who has what of a campaign in hand; None where only one process at a time can have it."""
        ...

    def append_trials(self, trials: Iterable[Trial]) -> list[Trial]:
        """As they are kept: one whose number another trial of its campaign has gets the next."""
        ...

    def add_selection(self, selection: Selection) -> None: ...

    def campaign(self, id_or_prefix: str) -> Campaign: ...

    def campaigns(self) -> list[Campaign]:
        """Oldest first."""
        ...

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
        """In the order they were made; numbered from `since` on; only `sound` ones, which nothing sets aside."""
        ...

    def selections(self, workload: Workload | None = None, target: Target | None = None) -> list[Selection]:
        """Newest first."""
        ...

    def selection(self, workload: Workload, target: Target) -> Selection | None: ...

    def known_pairs(self, op: str) -> list[tuple[Workload, Target]]:
        """Every workload of an operator, and the targets that it was measured on."""
        ...

    def model(self, kind: str) -> StoredModel | None:
        """The cost model that is kept for a kind of target."""
        ...

    def close(self) -> None: ...
