"""anytile: kernels tuned once, fast at every shape.

The public names, and nothing else. They are looked up when first used, so that `import anytile` is quick and drags
in neither Ray, XGBoost, CuPy nor Alembic.

    from anytile import Any, build, dense

    kernel = build(dense(m=Any("m"), n=768, k=768), constants={"w": w})
    y = kernel(x)
    print(kernel.why(m=17))
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from anytile.core.version import __version__ as __version__

if TYPE_CHECKING:
    from anytile.api import build as build
    from anytile.api import load_kernel as load_kernel
    from anytile.api import lookup as lookup
    from anytile.api import open_store as open_store
    from anytile.api import resume as resume
    from anytile.api import tune as tune
    from anytile.compiler.builder import ModuleBuilder as ModuleBuilder
    from anytile.compiler.module import Module as Module
    from anytile.core.errors import AnytileError as AnytileError
    from anytile.core.errors import ArgumentError as ArgumentError
    from anytile.core.errors import CodegenError as CodegenError
    from anytile.core.errors import DatabaseError as DatabaseError
    from anytile.core.errors import MeasureError as MeasureError
    from anytile.core.errors import ResourceError as ResourceError
    from anytile.core.errors import ScheduleError as ScheduleError
    from anytile.core.errors import SpecError as SpecError
    from anytile.core.errors import UnsupportedError as UnsupportedError
    from anytile.db.ladder import Answer as Answer
    from anytile.db.store import Store as Store
    from anytile.dispatch.cpu.kernel import DispatchKernel as DispatchKernel
    from anytile.model_api import Data as Data
    from anytile.model_api import Session as Session
    from anytile.model_api import compile as compile
    from anytile.model_api import load as load
    from anytile.schedules.hardware.target import Target as Target
    from anytile.schedules.plans.plan import DispatchPlan as DispatchPlan
    from anytile.schedules.templates.base.space import Config as Config
    from anytile.schedules.workloads.constructors import avg_pool2d as avg_pool2d
    from anytile.schedules.workloads.constructors import batch_norm as batch_norm
    from anytile.schedules.workloads.constructors import concat as concat
    from anytile.schedules.workloads.constructors import cumsum as cumsum
    from anytile.schedules.workloads.constructors import elementwise as elementwise
    from anytile.schedules.workloads.constructors import gated_dense as gated_dense
    from anytile.schedules.workloads.constructors import gather as gather
    from anytile.schedules.workloads.constructors import layer_norm as layer_norm
    from anytile.schedules.workloads.constructors import lstm_cell as lstm_cell
    from anytile.schedules.workloads.constructors import max_pool2d as max_pool2d
    from anytile.schedules.workloads.constructors import one_hot as one_hot
    from anytile.schedules.workloads.constructors import pad as pad
    from anytile.schedules.workloads.constructors import reduce as reduce
    from anytile.schedules.workloads.constructors import rms_norm as rms_norm
    from anytile.schedules.workloads.constructors import slice_of as slice_of
    from anytile.schedules.workloads.constructors import softmax as softmax
    from anytile.schedules.workloads.constructors import split as split
    from anytile.schedules.workloads.constructors import transpose as transpose
    from anytile.schedules.workloads.workload import Any as Any
    from anytile.schedules.workloads.workload import Workload as Workload
    from anytile.schedules.workloads.workload import batch_matmul as batch_matmul
    from anytile.schedules.workloads.workload import conv2d as conv2d
    from anytile.schedules.workloads.workload import dense as dense
    from anytile.tuner.requests.request import CampaignResult as CampaignResult

_HOME = {
    "anytile.api": ("build", "load_kernel", "lookup", "open_store", "resume", "tune"),
    "anytile.compiler.builder": ("ModuleBuilder",),
    "anytile.compiler.module": ("Module",),
    "anytile.db.ladder": ("Answer",),
    "anytile.db.store": ("Store",),
    "anytile.dispatch.cpu.kernel": ("DispatchKernel",),
    "anytile.schedules.plans.plan": ("DispatchPlan",),
    "anytile.model_api": ("Data", "Session", "compile", "load"),
    "anytile.schedules.workloads.constructors": (
        "avg_pool2d",
        "batch_norm",
        "concat",
        "cumsum",
        "elementwise",
        "gated_dense",
        "gather",
        "layer_norm",
        "lstm_cell",
        "max_pool2d",
        "one_hot",
        "pad",
        "reduce",
        "rms_norm",
        "slice_of",
        "softmax",
        "split",
        "transpose",
    ),
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
    "anytile.schedules.workloads.workload": ("Any", "Workload", "batch_matmul", "conv2d", "dense"),
    "anytile.tuner.requests.request": ("CampaignResult",),
}
_WHERE = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "Answer",
    "Any",
    "AnytileError",
    "ArgumentError",
    "CampaignResult",
    "CodegenError",
    "Config",
    "Data",
    "DatabaseError",
    "DispatchKernel",
    "DispatchPlan",
    "MeasureError",
    "Module",
    "ModuleBuilder",
    "ResourceError",
    "ScheduleError",
    "Session",
    "SpecError",
    "Store",
    "Target",
    "UnsupportedError",
    "Workload",
    "__version__",
    "avg_pool2d",
    "batch_matmul",
    "batch_norm",
    "build",
    "compile",
    "concat",
    "conv2d",
    "cumsum",
    "dense",
    "elementwise",
    "gated_dense",
    "gather",
    "layer_norm",
    "load",
    "load_kernel",
    "lookup",
    "lstm_cell",
    "max_pool2d",
    "one_hot",
    "open_store",
    "pad",
    "reduce",
    "resume",
    "rms_norm",
    "slice_of",
    "softmax",
    "split",
    "transpose",
    "tune",
]


def __getattr__(name: str) -> object:
    if name not in _WHERE:
        raise AttributeError(f"module 'anytile' has no attribute {name!r}")
    value = getattr(importlib.import_module(_WHERE[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
