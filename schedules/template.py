"""Templates: a human-written schedule for one operator on one kind of target, and the registry of them.

Adding a template is one file under `templates/` plus its line in `templates/__init__.py`. A template is pure: the same
workload, target and config always give the same loop nest.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

from anytile.core.errors import UnsupportedError
from anytile.schedules.nest import LoopNest
from anytile.schedules.residue import Walk
from anytile.schedules.space import Config, ConfigSpace
from anytile.schedules.target import Target
from anytile.schedules.workload import Workload


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


class Template(Protocol):
    """What the tuner, dispatch and lookup need of a template."""

    @property
    def name(self) -> str: ...
    @property
    def op(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def version(self) -> int:
        """Counted up whenever an old config would now mean different code."""
        ...

    def suits(self, workload: Workload) -> int:
        """How well it serves a workload of its operator, untuned: 0 is not at all, and more is better."""
        ...

    def symbol(self, workload: Workload) -> str | None:
        """The symbol whose residues are specialised, if the workload has it."""
        ...

    def tile(self, config: Config) -> int:
        """The tile of that symbol's dimension."""
        ...

    def space(self, workload: Workload, target: Target) -> ConfigSpace: ...

    def default(self, workload: Workload, target: Target) -> Config:
        """A config that is good without any tuning."""
        ...

    def schedule(self, workload: Workload, target: Target, config: Config) -> Scheduled: ...


_REGISTRY: dict[str, Template] = {}


def register(template: Template) -> None:
    _REGISTRY[template.name] = template


def templates() -> tuple[Template, ...]:
    from anytile.schedules import templates as _  # noqa: F401  (importing the package registers every template)

    return tuple(_REGISTRY[name] for name in sorted(_REGISTRY))


def template(name: str) -> Template:
    for found in templates():
        if found.name == name:
            return found
    raise UnsupportedError(f"no template {name!r}; expected one of {', '.join(t.name for t in templates())}")


def templates_for(workload: Workload, target: Target) -> tuple[Template, ...]:
    """Every template that can serve the workload on the target, the best untuned first; none at all is an error."""
    found = [t for t in templates() if t.op == workload.op and t.kind == target.kind]
    if not found:
        served = ", ".join(sorted({t.op for t in templates() if t.kind == target.kind}))
        raise UnsupportedError(
            f"{workload.op} has no template for target kind {target.kind!r}; expected one of {served}"
        )
    able = [t for t in found if t.suits(workload) > 0]
    if not able:
        dtypes = [d for d in workload.spec.dtypes if any(t.suits(replace(workload, dtype=d)) for t in found)]
        what = f"; expected dtype {' or '.join(dtypes)}" if dtypes else ""
        raise UnsupportedError(
            f"no template for target kind {target.kind!r} serves {workload}{what}, or another target"
        )
    return tuple(sorted(able, key=lambda t: -t.suits(workload)))
