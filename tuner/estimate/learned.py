"""A trained cost model over many workloads, and its choice of a config for one that nobody tuned.

It chooses among configs that were among the best somewhere, with what does not fit taken from the template's default.
That is a few dozen, so an answer takes milliseconds. The one config has to do at every size, so a score is the mean
over the sizes that the operator was measured at. Of a template that was never measured it says nothing: whoever wrote
its default knew more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from anytile.core.errors import SpecError, UnsupportedError
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Config, ConfigSpace
from anytile.schedules.templates.base.template import Template
from anytile.schedules.templates.registry import templates_for
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.estimate.columns import Asked, Columns
from anytile.tuner.search.model import CostModel

SYMBOL_SIZES = (17, 64, 256)  # what a symbol stands for where its operator was never measured
KEPT = 32  # configs that are remembered of a template


@dataclass(frozen=True, slots=True)
class Choice:
    """A config, and how it stands: higher is faster, and says nothing but that."""

    score: float
    template: str
    config: Config


@dataclass(frozen=True, eq=False)
class Learned:
    """The model, what its columns mean, what it chooses among, and what it was made with."""

    kind: str
    model: CostModel
    columns: Columns
    portfolio: Mapping[str, tuple[Config, ...]]  # by template, the most useful first
    sizes: Mapping[str, tuple[int, ...]]  # by operator, what its symbols were measured at
    threads: tuple[int, ...]  # of the targets that it knows
    templates: Mapping[str, int]  # their versions then
    codegen: int
    trained_on: int

    def ranked(self, workload: Workload, target: Target) -> list[Choice]:
        """The candidates of all templates that serve the workload, the best first; one of them is a default."""
        if target.threads > 1 and max(self.threads, default=1) == 1:  # how work is shared out was never measured
            raise UnsupportedError(f"the cost model knows one thread alone, and {target} has {target.threads}")
        mine = [t for t in templates_for(workload, target) if self.templates.get(t.name) == t.version]
        if not mine:
            raise UnsupportedError(f"the cost model learnt nothing of {workload.op}'s templates of today")
        sizes = self.sizes.get(workload.op, SYMBOL_SIZES) if workload.symbols else (0,)
        points = [dict.fromkeys(workload.symbols, size) for size in sizes]
        found: list[Choice] = []
        for template in mine:
            asked = self._candidates(template, workload, target)
            scores = self.scores(workload, target, points, asked).mean(axis=0)
            found += [Choice(float(s), template.name, c) for s, c in zip(scores, asked.configs, strict=True)]
        return sorted(found, key=lambda choice: -choice.score)

    def scores(
        self, workload: Workload, target: Target, points: Sequence[Mapping[str, int]], asked: Asked
    ) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        """A row for each point, a column for each config."""
        rows = self.columns.rows(workload, target, points, asked)
        return self.model.predict(rows).reshape(len(points), len(asked.configs))

    def _candidates(self, template: Template, workload: Workload, target: Target) -> Asked:
        space, default = template.space(workload, target), template.default(workload, target)
        known = [fitting(config, space, default) for config in self.portfolio.get(template.name, ())]
        configs = dict.fromkeys([default, *(c for c in known if c is not None)])
        return Asked(template.name, tuple(k.name for k in space.knobs), tuple(configs))


def fitting(config: Config, space: ConfigSpace, default: Config) -> Config | None:
    """The config in another space: what is not allowed there is the default's. None where even that does not fit."""
    given = dict(config.values)
    made = Config(
        tuple((k.name, given[k.name] if given.get(k.name) in k.values else default[k.name]) for k in space.knobs)
    )
    return made if _is_valid(made, space) else None


def _is_valid(config: Config, space: ConfigSpace) -> bool:
    try:
        space.check(config)
    except SpecError:
        return False
    return True
