"""Every template, one file each. A new one is its file plus its line here."""

from __future__ import annotations

from anytile.schedules.template import register
from anytile.schedules.templates.batch_matmul_cpu import BatchMatmulCpu
from anytile.schedules.templates.dense_cpu import DenseCpu
from anytile.schedules.templates.cumsum_cpu import CUMSUM_CPU
from anytile.schedules.templates.elementwise_cpu import ELEMENTWISE_CPU
from anytile.schedules.templates.gather_cpu import GATHER_CPU, ONE_HOT_CPU
from anytile.schedules.templates.norm_cpu import BATCH_NORM_CPU, LAYER_NORM_CPU, RMS_NORM_CPU
from anytile.schedules.templates.reduce_cpu import REDUCE_CPU
from anytile.schedules.templates.softmax_cpu import SOFTMAX_CPU
from anytile.schedules.templates.transpose_cpu import TRANSPOSE_CPU

register(DenseCpu())
register(BatchMatmulCpu())
register(TRANSPOSE_CPU)
register(ELEMENTWISE_CPU)
register(SOFTMAX_CPU)
register(LAYER_NORM_CPU)
register(RMS_NORM_CPU)
register(BATCH_NORM_CPU)
register(REDUCE_CPU)
register(CUMSUM_CPU)
register(GATHER_CPU)
register(ONE_HOT_CPU)
