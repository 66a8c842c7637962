"""The registry of templates. A new one is its file and its line here.

An operator that is defined by a nest needs none: the plain schedule serves it until it has a template of its own.
"""

from __future__ import annotations

from dataclasses import replace

from anytile.core.errors import UnsupportedError
from anytile.schedules.hardware.target import Target
from anytile.schedules.operators import OPERATORS
from anytile.schedules.operators.products.quantised_conv2d import QUANTISED_CONV2D
from anytile.schedules.templates.base.plain_nest import nest_templates
from anytile.schedules.templates.base.template import Template
from anytile.schedules.templates.cpu.batch_matmul_cpu import BatchMatmulCpu
from anytile.schedules.templates.cpu.concat_cpu import CONCAT_CPU, SPLIT_CPU
from anytile.schedules.templates.cpu.conv2d_depthwise import Conv2dDepthwise
from anytile.schedules.templates.cpu.conv2d_direct import Conv2dDirect
from anytile.schedules.templates.cpu.conv2d_matmul import Conv2dMatmul
from anytile.schedules.templates.cpu.cumsum_cpu import CUMSUM_CPU
from anytile.schedules.templates.cpu.dense_cpu import DenseCpu
from anytile.schedules.templates.cpu.elementwise_cpu import ELEMENTWISE_CPU
from anytile.schedules.templates.cpu.fused.attention_cpu import ATTENTION_CPU
from anytile.schedules.templates.cpu.fused.attention_tiles import ATTENTION_TILES
from anytile.schedules.templates.cpu.fused.quantised_attention_cpu import QUANTISED_ATTENTION_CPU
from anytile.schedules.templates.cpu.gather_cpu import (
    GATHER_CPU,
    INTERPOLATE_CPU,
    ONE_HOT_CPU,
    PUT_ROWS_CPU,
    SCATTER_ROWS_CPU,
)
from anytile.schedules.templates.cpu.narrow.grouped_dense_cpu import GroupedDenseCpu
from anytile.schedules.templates.cpu.narrow.quantise_within_cpu import DEQUANTISE_WITHIN_CPU, QUANTISE_WITHIN_CPU
from anytile.schedules.templates.cpu.narrow.quantised_batch_matmul_cpu import QuantisedBatchMatmulCpu
from anytile.schedules.templates.cpu.norm_cpu import BATCH_NORM_CPU, LAYER_NORM_CPU, QUANTISE_ROWS_CPU, RMS_NORM_CPU
from anytile.schedules.templates.cpu.pool_cpu import AVG_POOL2D_CPU, MAX_POOL2D_CPU
from anytile.schedules.templates.cpu.reduce_cpu import REDUCE_CPU
from anytile.schedules.templates.cpu.slice_pad_cpu import PAD_CPU, SLICE_CPU
from anytile.schedules.templates.cpu.softmax_cpu import SOFTMAX_CPU
from anytile.schedules.templates.cpu.transpose_cpu import TRANSPOSE_CPU
from anytile.schedules.templates.cpu.winograd.conv2d_winograd import Conv2dWinograd
from anytile.schedules.templates.cuda.attention_cuda import ATTENTION_CUDA
from anytile.schedules.templates.cuda.conv2d_mma import Conv2dCudaMma
from anytile.schedules.templates.cuda.conv2d_simt import Conv2dCudaSimt, QuantisedConv2dCudaSimt
from anytile.schedules.templates.cuda.dense_mma import (
    BatchMatmulCudaMma,
    DenseCudaMma,
    DenseCudaTf32,
    QuantisedDenseCudaMma,
    QuantisedDenseCudaMma8,
)
from anytile.schedules.templates.cuda.dense_narrow import BatchMatmulCudaNarrow, DenseCudaNarrow
from anytile.schedules.templates.cuda.dense_simt import BatchMatmulCudaSimt, DenseCudaSimt, GatedDenseCudaSimt
from anytile.schedules.templates.cuda.dense_skinny import BatchMatmulCudaSkinny, DenseCudaSkinny
from anytile.schedules.templates.cuda.hopper.conv2d_relay import Conv2dCudaRelay
from anytile.schedules.templates.cuda.hopper.dense_relay import BatchMatmulCudaRelay, DenseCudaRelay
from anytile.schedules.templates.cuda.hopper.dense_wgmma import DenseCudaWgmma
from anytile.schedules.templates.cuda.nest_cuda import NESTS_CUDA
from anytile.schedules.templates.cuda.points_cuda import POINTS_CUDA
from anytile.schedules.templates.cuda.rows_cuda import ROWS_CUDA
from anytile.schedules.templates.cuda.weights.grouped_dense_cuda import GroupedDenseCudaNarrow
from anytile.schedules.templates.cuda.weights.grouped_tiles import (
    GroupedDenseCudaMma,
    GroupedDenseCudaSimt,
    GroupedDenseCudaTf32,
)
from anytile.schedules.templates.cuda.weights.quantised_dense_cuda import (
    QuantisedDenseCudaNarrow,
    QuantisedDenseCudaSimt,
)
from anytile.schedules.workloads.workload import Workload

_ROWS: tuple[Template, ...] = (
    DenseCpu(),
    DenseCpu("gated_dense", columns="u"),
    DenseCpu("quantised_dense"),
    GroupedDenseCpu(),
    QuantisedBatchMatmulCpu(),
    DenseCudaSimt(),
    DenseCudaNarrow(),
    DenseCudaMma(),
    DenseCudaTf32(),
    DenseCudaSkinny(),
    DenseCudaWgmma(),
    DenseCudaRelay(),
    BatchMatmulCudaRelay(),
    Conv2dCudaRelay(),
    BatchMatmulCudaSimt(),
    BatchMatmulCudaMma(),
    BatchMatmulCudaNarrow(),
    BatchMatmulCudaSkinny(),
    GatedDenseCudaSimt(),
    QuantisedDenseCudaMma(),
    QuantisedDenseCudaMma8(),
    QuantisedDenseCudaSimt(),
    Conv2dCudaMma(),
    Conv2dCudaSimt(),
    QuantisedConv2dCudaSimt(),
    QuantisedDenseCudaNarrow(),
    GroupedDenseCudaNarrow(),
    GroupedDenseCudaSimt(),
    GroupedDenseCudaTf32(),
    GroupedDenseCudaMma(),
    ATTENTION_CUDA,
    *NESTS_CUDA,
    *POINTS_CUDA,
    *ROWS_CUDA,
    BatchMatmulCpu(),
    ATTENTION_CPU,
    ATTENTION_TILES,
    QUANTISED_ATTENTION_CPU,
    Conv2dDepthwise(),
    Conv2dDirect(),
    Conv2dMatmul(),
    Conv2dWinograd(),
    Conv2dWinograd(QUANTISED_CONV2D.name),
    Conv2dDepthwise(QUANTISED_CONV2D.name),
    Conv2dDirect(QUANTISED_CONV2D.name),
    Conv2dMatmul(QUANTISED_CONV2D.name),
    TRANSPOSE_CPU,
    ELEMENTWISE_CPU,
    QUANTISE_WITHIN_CPU,
    DEQUANTISE_WITHIN_CPU,
    SOFTMAX_CPU,
    LAYER_NORM_CPU,
    RMS_NORM_CPU,
    BATCH_NORM_CPU,
    REDUCE_CPU,
    CUMSUM_CPU,
    QUANTISE_ROWS_CPU,
    GATHER_CPU,
    INTERPOLATE_CPU,
    ONE_HOT_CPU,
    SCATTER_ROWS_CPU,
    PUT_ROWS_CPU,
    CONCAT_CPU,
    SPLIT_CPU,
    SLICE_CPU,
    PAD_CPU,
    MAX_POOL2D_CPU,
    AVG_POOL2D_CPU,
)
_SERVED = frozenset(row.op for row in _ROWS if row.kind == "llvm")
_REGISTRY = {row.name: row for row in (*_ROWS, *nest_templates(OPERATORS, _SERVED))}


def templates() -> tuple[Template, ...]:
    return tuple(_REGISTRY[name] for name in sorted(_REGISTRY))


def template(name: str) -> Template:
    for found in templates():
        if found.name == name:
            return found
    raise UnsupportedError(f"no template {name!r}; expected one of {', '.join(t.name for t in templates())}")


def is_served(workload: Workload, target: Target) -> bool:
    """Whether some template can serve the workload on the target."""
    return any(t.op == workload.op and t.kind == target.kind and _serves(t, workload) for t in templates())


def is_led(workload: Workload, target: Target) -> bool:
    """Whether a template that serves the workload is estimated to beat all that have no such estimate."""
    found = (t for t in templates() if t.op == workload.op and t.kind == target.kind)
    return any(_serves(t, workload) and t.leads(workload, target) for t in found)


def _serves(t: Template, workload: Workload) -> bool:
    return t.suits(workload) > 0 and t.stores(workload)


def templates_for(workload: Workload, target: Target) -> tuple[Template, ...]:
    """Every template that can serve the workload on the target, the best untuned first; none at all is an error."""
    found = [t for t in templates() if t.op == workload.op and t.kind == target.kind]
    if not found:
        served = ", ".join(sorted({t.op for t in templates() if t.kind == target.kind}))
        raise UnsupportedError(
            f"{workload.op} has no template for target kind {target.kind!r}; expected one of {served}"
        )
    able = [t for t in found if _serves(t, workload)]
    if not able:
        plain = workload.storing({})
        if workload.stored and any(t.suits(plain) for t in found):
            lie = ", ".join(f"{name} in {dtype}" for name, dtype in workload.stored)
            raise UnsupportedError(
                f"no template for target kind {target.kind!r} serves {plain} with {lie}; expected what its dtype says"
            )
        dtypes = [d for d in workload.spec.dtypes if any(t.suits(replace(plain, dtype=d)) for t in found)]
        what = f"expected dtype {' or '.join(dtypes)}, or another target" if dtypes else "use another target"
        raise UnsupportedError(f"no template for target kind {target.kind!r} serves {workload}; {what}")
    return tuple(sorted(able, key=lambda t: (not t.leads(workload, target), -t.suits(workload))))
