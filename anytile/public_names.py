"""Table of the public names of `import anytile`: each with the module that it comes from.

Constructors of workloads are those of the operator table, which is asked for no other name.
"""

from __future__ import annotations

import importlib

_HOME = {
    "anytile.api": ("build", "load_kernel", "lookup", "open_store", "resume", "tune"),
    "anytile.compiler.builder": ("ModuleBuilder",),
    "anytile.compiler.module": ("Module",),
    "anytile.db.lookup.ladder": ("Answer",),
    "anytile.db.store": ("Store",),
    "anytile.dispatch.cpu.kernel": ("DispatchKernel",),
    "anytile.schedules.plans.plan": ("DispatchPlan",),
    "anytile.model_api": ("Data", "Session", "compile", "load", "quantise"),
    "anytile.core.errors": (
        "AnytileError",
        "ArgumentError",
        "CodegenError",
        "DatabaseError",
        "MeasureError",
        "ResourceError",
        "ScheduleError",
        "SpecError",
        "UnsupportedError",
    ),
    "anytile.schedules.nest.stored_floats": ("bits_of", "from_bits"),
    "anytile.schedules.templates.base.space": ("Config",),
    "anytile.schedules.hardware.target": ("Target",),
    "anytile.schedules.workloads.workload": ("Any", "Workload"),
    "anytile.tuner.requests.request": ("CampaignResult",),
}
WHERE = {name: module for module, names in _HOME.items() for name in names}


def find(name: str) -> object:
    """What a public name is."""
    if name in WHERE:
        return getattr(importlib.import_module(WHERE[name]), name)
    if not name.startswith("_") and not _is_module(name) and name in _constructors():
        return getattr(importlib.import_module("anytile.schedules.workloads.constructors"), name)
    raise AttributeError(f"module 'anytile' has no attribute {name!r}")


def _is_module(name: str) -> bool:
    """Imports of modules ask here first, and should not bring the operator table in."""
    from importlib.util import find_spec

    return find_spec(f"anytile.{name}") is not None


def _constructors() -> tuple[str, ...]:
    from anytile.schedules.workloads.constructors import BY_HAND, BY_ROW

    return (*BY_HAND, *BY_ROW)


def public_names() -> list[str]:
    return sorted(["__version__", *WHERE, *_constructors()])
