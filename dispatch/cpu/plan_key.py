"""Content address of a plan's machine code, of all that its LLVM IR follows from (build provenance).

Lowering a plan and writing its text down takes as long as compiling it. A key of what goes into the text finds the
code without either: what the plan says of kernels (not the figures that spoke for them), the residues asked for, what
the CPU offers, LLVM, and the sources of every room that takes part.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import anytile.codegen
import anytile.core
import anytile.db
import anytile.schedules
from anytile.codegen.artifact import ABI_VERSION
from anytile.codegen.cache import key_of
from anytile.codegen.sources import sources
from anytile.codegen.version import CODEGEN_VERSION, llvm_version
from anytile.schedules.hardware.cpu import facts, features
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import DispatchPlan

_BELOW = (anytile.core, anytile.schedules, anytile.codegen, anytile.db)
ROOMS = (*(room.__path__[0] for room in _BELOW), str(Path(__file__).parents[1]))  # all that may decide what is written


def made_with(target: Target, facts_too: bool) -> tuple[str, ...]:
    """What an artifact follows from beside its text: for which CPU, by which LLVM, and whether facts are in it."""
    versions = str(CODEGEN_VERSION), str(ABI_VERSION), llvm_version()
    return str(target), features(target), *versions, *(("facts",) if facts_too else ())


def key_of_plan(plan: DispatchPlan, sizes: Collection[int] | None, facts_too: bool) -> str:
    """The key of what `compile_plan` makes of a plan. What LLVM says of narrow numbers follows from what is in it."""
    variants = [(v.template, str(v.config), v.tile, v.classes, v.classes_at(sizes)) for v in plan.variants]
    return key_of(
        "kernels of a plan",
        *(str(plan.workload), repr(plan.symbol)),
        repr(variants),
        repr([(r.low, r.high, r.runs) for r in plan.ranges]),
        repr(facts(plan.target)),
        *made_with(plan.target, facts_too),
        sources(*ROOMS),
    )
