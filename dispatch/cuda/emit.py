"""A variant's kernel as text and launch: the template's nest for what is known of the rest, printed. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from anytile.codegen.cuda.build import build, scheduled_nest
from anytile.codegen.cuda.launch import Launch
from anytile.core.errors import CodegenError
from anytile.schedules.hardware.target import Target
from anytile.schedules.nest.nodes import LoopNest
from anytile.schedules.plans.plan import Variant
from anytile.schedules.templates.base.template import Template
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.workload import Workload


@dataclass(frozen=True, slots=True)
class Emitted:
    """`text` is what the compiler gets, `readable` the kernel alone; addresses must be multiples of `align`."""

    text: str
    readable: str
    launch: Launch
    align: int


def nest_of(workload: Workload, target: Target, variant: Variant, residues: tuple[int, int] | None) -> LoopNest:
    """The loop nest of one kernel of a variant."""
    of = template(variant.template)
    return scheduled_nest(workload, variant.config, target, of, _rests(of, workload, residues))


def emit(workload: Workload, target: Target, variant: Variant, residues: tuple[int, int] | None) -> Emitted:
    """The kernel of a variant that serves these residues; None is all of them."""
    of = template(variant.template)
    found = build(workload, variant.config, target, of, _rests(of, workload, residues))
    if len(found.launches) != 1:
        raise CodegenError(f"{variant.template}: {len(found.launches)} launches, and a kernel of a plan is one")
    return Emitted(found.full, found.text, found.launches[0], max((b.align for b in found.params), default=1))


def _rests(of: Template, workload: Workload, residues: tuple[int, int] | None) -> tuple[int, int] | None:
    """What is known of the rest; nothing where the template walks no symbol, whatever one its plan ranges over."""
    return None if of.symbol(workload) is None else residues
