"""anytile: kernels tuned once, fast at every shape.

The public names, and nothing else. They are looked up when first used, so that `import anytile` is quick and drags
in neither Ray, XGBoost, CuPy nor Alembic; constructors of workloads are those of the operator table. `__init__.pyi`
says the same to type checkers; `scripts/docs` writes it.

    from anytile import Any, build, dense

    kernel = build(dense(m=Any("m"), n=768, k=768), constants={"w": w})
    y = kernel(x)
    print(kernel.why(m=17))
"""

from __future__ import annotations

import importlib

from anytile.core.version import __version__ as __version__

_HOME = {
    "anytile.api": ("build", "load_kernel", "lookup", "open_store", "resume", "tune"),
    "anytile.compiler.builder": ("ModuleBuilder",),
    "anytile.compiler.module": ("Module",),
    "anytile.db.lookup.ladder": ("Answer",),
    "anytile.db.store": ("Store",),
    "anytile.dispatch.cpu.kernel": ("DispatchKernel",),
    "anytile.schedules.plans.plan": ("DispatchPlan",),
    "anytile.model_api": ("Data", "Session", "compile", "load"),
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
    "anytile.schedules.templates.base.space": ("Config",),
    "anytile.schedules.hardware.target": ("Target",),
    "anytile.schedules.workloads.workload": ("Any", "Workload"),
    "anytile.tuner.requests.request": ("CampaignResult",),
}
_WHERE = {name: module for module, names in _HOME.items() for name in names}


def __getattr__(name: str) -> object:
    value = _public_names() if name == "__all__" else _public(name)
    globals()[name] = value
    return value


def _public(name: str) -> object:
    if name in _WHERE:
        return getattr(importlib.import_module(_WHERE[name]), name)
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


def _public_names() -> list[str]:
    return sorted(["__version__", *_WHERE, *_constructors()])


def __dir__() -> list[str]:
    return sorted({*globals(), *_public_names()})
