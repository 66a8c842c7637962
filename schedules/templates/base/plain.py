"""Templates of operators with little to choose: a few knobs, seldom a rule between them, no residues, no packing.

A row of data like an operator's: what the knobs are, which value of each is the default, and the statement that a
config makes. Helpers for writing such statements are in `schedules/templates/base/moving_loops.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from anytile.schedules.hardware.target import Target
from anytile.schedules.nest.nodes import LoopNest
from anytile.schedules.nest.simplify import simplify
from anytile.schedules.templates.base.definition import signature
from anytile.schedules.templates.base.space import Config, ConfigSpace, Constraint, Knob, Value
from anytile.schedules.templates.base.template import Scheduled, symbol_of
from anytile.schedules.workloads.workload import Workload


@dataclass(frozen=True)
class Choice:
    """A knob and its default."""

    knob: Knob
    default: Value


def no_choice(workload: Workload, target: Target) -> tuple[Choice, ...]:
    return ()


def as_it_says(workload: Workload) -> bool:
    """Whether every tensor lies in memory as its operator says."""
    return not workload.stored


def however_they_lie(workload: Workload) -> bool:
    return True


def no_rules(workload: Workload, target: Target) -> tuple[Constraint, ...]:
    return ()


@dataclass(frozen=True)
class PlainTemplate:
    """`write` fills the nest that it is given: the parameters and symbols of the workload around nothing."""

    name: str
    op: str
    write: Callable[[LoopNest, Workload, Target, Config], LoopNest]
    choices: Callable[[Workload, Target], tuple[Choice, ...]] = field(default=no_choice)
    kind: str = "llvm"
    version: int = 1
    rules: Callable[[Workload, Target], tuple[Constraint, ...]] = field(default=no_rules)
    served: Callable[[Workload], bool] = field(default=as_it_says)
    walked: str | None = None  # the dimension that plans range over, where unknown, rather than the outermost unknown

    def suits(self, workload: Workload) -> int:
        return 1

    def leads(self, workload: Workload, target: Target) -> bool:
        return False

    def stores(self, workload: Workload) -> bool:
        return self.served(workload)

    def symbol(self, workload: Workload) -> str | None:
        return None if self.walked is None else symbol_of(workload.dim(self.walked))

    def tile(self, config: Config) -> int:
        return 1

    def space(self, workload: Workload, target: Target) -> ConfigSpace:
        knobs = tuple(c.knob for c in self.choices(workload, target))
        return ConfigSpace(self.name, knobs, self.rules(workload, target))

    def default(self, workload: Workload, target: Target) -> Config:
        return Config(tuple((c.knob.name, c.default) for c in self.choices(workload, target)))

    def schedule(self, workload: Workload, target: Target, config: Config) -> Scheduled:
        return Scheduled(simplify(self.write(signature(workload), workload, target, config)))
