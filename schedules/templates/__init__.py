"""Every template, one file each. A new one is its file plus its line here."""

from __future__ import annotations

from anytile.schedules.template import register
from anytile.schedules.templates.batch_matmul_cpu import BatchMatmulCpu
from anytile.schedules.templates.conv2d_depthwise import Conv2dDepthwise
from anytile.schedules.templates.conv2d_direct import Conv2dDirect
from anytile.schedules.templates.conv2d_matmul import Conv2dMatmul
from anytile.schedules.templates.cumsum_cpu import CUMSUM_CPU
from anytile.schedules.templates.dense_cpu import DenseCpu
from anytile.schedules.templates.dense_cuda_mma import DenseCudaMma
from anytile.schedules.templates.dense_cuda_narrow import DenseCudaNarrow
from anytile.schedules.templates.dense_cuda_simt import DenseCudaSimt
from anytile.schedules.templates.elementwise_cpu import ELEMENTWISE_CPU
from anytile.schedules.templates.gather_cpu import GATHER_CPU, ONE_HOT_CPU
from anytile.schedules.templates.joining_cpu import CONCAT_CPU, SPLIT_CPU
from anytile.schedules.templates.norm_cpu import BATCH_NORM_CPU, LAYER_NORM_CPU, RMS_NORM_CPU
from anytile.schedules.templates.pool_cpu import AVG_POOL2D_CPU, MAX_POOL2D_CPU
from anytile.schedules.templates.reduce_cpu import REDUCE_CPU
from anytile.schedules.templates.slicing_cpu import PAD_CPU, SLICE_CPU
from anytile.schedules.templates.softmax_cpu import SOFTMAX_CPU
from anytile.schedules.templates.transpose_cpu import TRANSPOSE_CPU

register(DenseCpu())
register(DenseCpu("gated_dense", columns="u"))
register(DenseCudaSimt())
register(DenseCudaNarrow())
register(DenseCudaMma())
register(BatchMatmulCpu())
register(Conv2dDepthwise())
register(Conv2dDirect())
register(Conv2dMatmul())
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
register(CONCAT_CPU)
register(SPLIT_CPU)
register(SLICE_CPU)
register(PAD_CPU)
register(MAX_POOL2D_CPU)
register(AVG_POOL2D_CPU)
