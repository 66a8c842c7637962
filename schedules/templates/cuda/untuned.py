"""What a GPU template uses without any tuning: of a few likely configs the one with the best estimate at a size.

Pure and cheap (some milliseconds), so a template's `default` may ask each time. Sizes that are not known are guessed:
a symbol of rows stands for `ROWS`, others for `OTHER`.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any as AnyType
from typing import Protocol, TypeGuard

from anytile.core.dtypes import BYTES
from anytile.core.errors import UnsupportedError
from anytile.schedules.hardware.gpu import gpu_facts
from anytile.schedules.hardware.gpu_estimate import clocks
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.base.template import Template, symbol_of
from anytile.schedules.workloads.workload import MAX_DIM, Dim, Workload

ROWS = 64
OTHER = 1024


class Estimated(Template, Protocol):
    """A template for GPUs whose configs can be judged without being run; it walks the rows m."""

    operands: tuple[str, str]  # of rows and of columns

    def __hash__(self) -> int:
        return object.__hash__(self)

    @property
    def kind(self) -> str:
        return "cuda"

    @property
    def most_rows(self) -> int | None:
        """Beyond so many it is no choice."""
        return None

    def columns(self, workload: Workload) -> Dim:
        """The columns of the result, that of all its products."""
        return workload.dim("n")

    def asked(self, workload: Workload) -> tuple[str, ...]:
        """What blocks may ask for ahead: a weight, which no kernel before theirs makes, and what belongs to it."""
        return self.operands[1:]

    def stores(self, workload: Workload) -> bool:
        """What is multiplied lies as the operator says; results, and what is read beside them, lie as they may."""
        return not workload.anchor.stored

    def products(self, workload: Workload) -> int:
        """How many products of these sizes there are side by side."""
        return 1

    def symbol(self, workload: Workload) -> str | None:
        return symbol_of(workload.dim("m"))

    def default(self, workload: Workload, target: Target) -> Config:
        return quickest(self, workload, target)

    def likely(self, workload: Workload, target: Target) -> Iterable[Config]:
        """Configs of which one is good at any number of rows; some may lie outside the space."""
        ...

    def tiling(self, workload: Workload, target: Target, config: Config) -> AnyType:
        """What one of its blocks does, for `clocks` to judge."""
        ...

    def element_bytes(self, workload: Workload) -> tuple[float, float]:
        """Of both operands, as they lie in memory."""
        rows, columns = (BYTES[workload.dtype_of(workload.tensor(operand))] for operand in self.operands)
        return rows, columns

    def clocks(self, workload: Workload, target: Target, rows: int, tiling: AnyType) -> float:
        """The estimate at so many rows."""
        sizes = rows * self.products(workload), _known(self.columns(workload)), _known(workload.dim("k"))
        return clocks(gpu_facts(target), sizes, self.element_bytes(workload), tiling)


def estimated(template: Template) -> TypeGuard[Estimated]:
    return hasattr(template, "tiling")


def estimates(template: Estimated, workload: Workload, target: Target, rows: int) -> dict[Config, float]:
    """Clocks (see `gpu_estimate`) of the likely configs at so many rows; none where the target lacks what they need."""
    if template.most_rows is not None and rows > template.most_rows:
        return {}
    return {c: template.clocks(workload, target, rows, t) for c, t in _tilings(template, workload, target)}


def quickest(template: Estimated, workload: Workload, target: Target) -> Config:
    """The config with the best estimate at the rows that the workload has, or at a usual number of them."""
    m = workload.dim("m")
    rows = min(m if isinstance(m, int) else ROWS, template.most_rows or MAX_DIM)
    found = estimates(template, workload, target, rows)
    if not found:
        lacking = "; ".join(_lacking(template, workload, target))
        raise UnsupportedError(f"{workload} on {target}: no config of {template.name} fits this target: {lacking}")
    return min(found, key=found.__getitem__)


def _lacking(template: Estimated, workload: Workload, target: Target) -> list[str]:
    """In words the rules that no likely config follows on its own account, or else those that some break."""
    rules = template.space(workload, target).constraints
    choices = [dict(c.values) for c in template.likely(workload, target)]
    never = [rule.doc for rule in rules if not any(map(rule.holds, choices))]
    return never or [rule.doc for rule in rules if not all(map(rule.holds, choices))]


@functools.lru_cache(64)
def _tilings(template: Estimated, workload: Workload, target: Target) -> tuple[tuple[Config, AnyType], ...]:
    """The likely configs that the target allows."""
    space = template.space(workload, target)
    allowed = {k.name: k.values for k in space.knobs}
    found = []
    for config in template.likely(workload, target):
        given = dict(config.values)
        if all(v in allowed[n] for n, v in given.items()) and all(rule.holds(given) for rule in space.constraints):
            found.append((config, template.tiling(workload, target, config)))
    return tuple(found)


def _known(size: Dim) -> int:
    return size if isinstance(size, int) else OTHER
