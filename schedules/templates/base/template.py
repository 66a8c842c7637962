"""The template protocol: what a human-written schedule for one operator on one kind of target answers.

A template is pure: the same workload, target and config always give the same loop nest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from anytile.schedules.hardware.target import Target
from anytile.schedules.nest.nodes import LoopNest
from anytile.schedules.primitives.residue import Walk
from anytile.schedules.primitives.schedule import Schedule, finish
from anytile.schedules.templates.base.space import Config, ConfigSpace
from anytile.schedules.workloads.workload import Any, Dim, Workload


@dataclass(frozen=True, slots=True)
class Pack:
    """The layout a config wants for a constant operand, and the nest that fills it from the raw one."""

    operand: str
    nest: LoopNest

    @property
    def key(self) -> str:
        """Two configs with equal keys share one packed copy."""
        return str(self.nest)


@dataclass(frozen=True, slots=True)
class Scheduled:
    """What a template makes: the nest with its symbols still symbolic, and the packed layouts it reads."""

    nest: LoopNest
    packs: tuple[Pack, ...] = ()
    walk: Walk | None = None  # the loop whose residues can be specialised

    @classmethod
    def of(cls, s: Schedule, walk: Walk | None = None) -> Scheduled:
        """What a schedule has come to."""
        return cls(finish(s), tuple(Pack(operand, nest) for operand, nest in s.packs), walk)


class Template(Protocol):
    """What the tuner, dispatch and lookup need of a template; one that inherits from it says only what is its own."""

    @property
    def name(self) -> str: ...
    @property
    def op(self) -> str: ...

    @property
    def kind(self) -> str:
        """The kind of targets it is for."""
        return "llvm"

    @property
    def version(self) -> int:
        """Counted up whenever an old config would now mean different code, or lack a knob that says something else."""
        return 1

    def suits(self, workload: Workload) -> int:
        """How well it serves a workload of its operator, untuned: 0 is not at all, and more is better."""
        return 1

    def leads(self, workload: Workload, target: Target) -> bool:
        """Whether, untuned, an estimate puts it before all others that serve the workload on the target."""
        return False

    def stores(self, workload: Workload) -> bool:
        """Whether it serves what of a workload's floats lies in memory in another dtype than the operator says."""
        return not workload.stored

    def symbol(self, workload: Workload) -> str | None:
        """The symbol whose residues are specialised, if the workload has it."""
        return None

    def tile(self, config: Config) -> int:
        """The tile of that symbol's dimension."""
        return 1

    def space(self, workload: Workload, target: Target) -> ConfigSpace: ...

    def default(self, workload: Workload, target: Target) -> Config:
        """A config that is good without any tuning."""
        ...

    def schedule(self, workload: Workload, target: Target, config: Config) -> Scheduled: ...


def ranged_symbol(template: Template, workload: Workload) -> str | None:
    """The symbol that ranges of a plan speak of: the one whose residues the template specialises, else that of the
    outermost dimension that is unknown. None where every size is known."""
    return template.symbol(workload) or next(filter(None, (symbol_of(dim) for _, dim in workload.dims)), None)


def ranged_tile(template: Template, workload: Workload, config: Config) -> int:
    """The tile of that symbol's dimension; 1, and so no residues, where the template specialises none."""
    return 1 if template.symbol(workload) is None else template.tile(config)


def symbol_of(dim: Dim) -> str | None:
    """The symbol that a dimension is, if it is one."""
    return dim.name if isinstance(dim, Any) else None
