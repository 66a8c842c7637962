"""Trials of a landscape whose best is known, and a stand-in for the store that holds them."""

from __future__ import annotations

import random

from anytile.db.records.records import Status, StoredModel, Trial
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any, Workload

TARGET = Target.host(1)
TEMPLATE = template("dense.cpu")


def seconds(config: Config, n: int) -> float:
    """Tiles of about 24 vectors are best, on every shape; larger shapes take longer."""
    return n * 1e-8 * (1 + abs(config.int("tile_m") * config.int("tile_n") - 24) / 8 + 0.2 * (config["block_n"] == 0))


def trials(workload: Workload, n: int, count: int, campaign: str = "c") -> list[Trial]:
    configs = TEMPLATE.space(workload, TARGET).sample(random.Random(n), count)
    return [
        Trial(workload, TARGET, TEMPLATE.name, c, {"m": 64}, Status.OK, (seconds(c, n),), campaign_id=campaign)
        for c in configs
    ]


class Shelf:
    """A store that counts how often it is read; the models it keeps are texts."""

    def __init__(self, held: list[Trial], kept: StoredModel | None = None) -> None:
        self.held, self.kept, self.reads, self.models_read = held, kept, 0, 0

    def known_pairs(self, op: str) -> list[tuple[Workload, Target]]:
        self.reads += 1
        return list(dict.fromkeys((t.workload, t.target) for t in self.held if t.workload.op == op))

    def trials(
        self,
        *,
        workload: Workload | None = None,
        target: Target | None = None,
        status: Status | None = None,
        sound: bool = False,
    ) -> list[Trial]:
        assert workload is not None  # what is of no use is not read
        assert target is not None
        here = [t for t in self.held if (t.workload, t.target) == (workload, target)]
        return [t for t in here if status is None or t.status is status]

    def model_id(self, kind: str) -> str | None:
        return self.kept.id if self.kept is not None and self.kept.kind == kind else None

    def model(self, kind: str) -> StoredModel | None:
        self.models_read += 1
        return self.kept


def layer(n: int) -> Workload:
    return dense(Any("m"), n, 768, const=("w",))
