# Written by scripts/docs: the public names, as type checkers and editors see them.
from collections.abc import Iterable, Sequence

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
from anytile.core.version import __version__ as __version__
from anytile.db.lookup.ladder import Answer as Answer
from anytile.db.store import Store as Store
from anytile.dispatch.cpu.kernel import DispatchKernel as DispatchKernel
from anytile.model_api import Data as Data
from anytile.model_api import Session as Session
from anytile.model_api import compile as compile
from anytile.model_api import load as load
from anytile.model_api import quantise as quantise
from anytile.schedules.hardware.target import Target as Target
from anytile.schedules.nest.stored_floats import bits_of as bits_of
from anytile.schedules.nest.stored_floats import from_bits as from_bits
from anytile.schedules.plans.plan import DispatchPlan as DispatchPlan
from anytile.schedules.templates.base.space import Config as Config
from anytile.schedules.workloads.constructors import concat as concat
from anytile.schedules.workloads.constructors import elementwise as elementwise
from anytile.schedules.workloads.constructors import lstm_cell as lstm_cell
from anytile.schedules.workloads.constructors import pad as pad
from anytile.schedules.workloads.constructors import reduce as reduce
from anytile.schedules.workloads.constructors import slice_of as slice_of
from anytile.schedules.workloads.constructors import split as split
from anytile.schedules.workloads.workload import Any as Any
from anytile.schedules.workloads.workload import Dim
from anytile.schedules.workloads.workload import Workload as Workload
from anytile.tuner.requests.request import CampaignResult as CampaignResult

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
    "attention",
    "avg_pool2d",
    "batch_matmul",
    "batch_norm",
    "bits_of",
    "build",
    "compile",
    "concat",
    "conv2d",
    "cumsum",
    "dense",
    "dequantise_within",
    "elementwise",
    "from_bits",
    "gated_dense",
    "gather",
    "grouped_dense",
    "interpolate",
    "layer_norm",
    "load",
    "load_kernel",
    "lookup",
    "lstm_cell",
    "max_pool2d",
    "one_hot",
    "open_store",
    "pad",
    "quantise",
    "quantise_rows",
    "quantise_within",
    "quantised_attention",
    "quantised_batch_matmul",
    "quantised_conv2d",
    "quantised_dense",
    "reduce",
    "resume",
    "rms_norm",
    "scatter_rows",
    "slice_of",
    "softmax",
    "split",
    "transpose",
    "tune",
]

def attention(
    b: Dim,
    h: int,
    m: Dim,
    n: Dim,
    d: int,
    e: int,
    q: str = "bhmd",
    k: str = "bgnd",
    v: str = "bgne",
    y: str = "bhme",
    scale: float = 1.0,
    mask: str = "none",
    keeps: bool = False,
    causal: bool = False,
    guard: str = "empty",
    lengths: bool = False,
    shared: int = 1,
    dtype: str = "float32",
) -> Workload:
    """`y[b, h, m] = softmax over n of (scale * q . k + mask), times v`, each tensor in an order of its own.

    `keeps`: the mask is of bools, and says which keys are seen. `causal`: query i sees the keys up to i + n - m.
    `lengths`: an operand `length[b]` says how many keys are there.
    `shared` heads of queries have one head of keys and values.
    """

def avg_pool2d(
    n: Dim,
    c: Dim,
    h: Dim,
    w: Dim,
    kernel: int | tuple[int, ...] = 2,
    stride: int | tuple[int, ...] = 2,
    pad: int | tuple[int, ...] = 0,
    dilation: int | tuple[int, ...] = 1,
    ceil: bool = False,
    layout: str = "nchw",
    count: str = "padding",
) -> Workload:
    """The mean of every window, over its padding too, or with `count="image"` over what lies in the image alone."""

def batch_matmul(
    b: Dim,
    m: Dim,
    n: Dim,
    k: Dim,
    lhs: str = "bmk",
    rhs: str = "bkn",
    y: str = "bmn",
    dtype: str = "float32",
    const: Iterable[str] = (),
    tail: str = "",
) -> Workload:
    """`y[b, m, n] = sum_k lhs[b, m, k] * rhs[b, k, n]`, each tensor in its own order of dimensions."""

def batch_norm(c: Dim, outer: Dim = 1, inner: Dim = 1, eps: float = 1e-05, const: Iterable[str] = ()) -> Workload:
    """`(x - mean[c]) / sqrt(variance[c] + eps) * gamma[c] + beta[c]` on (outer, c, inner), statistics given."""

def conv2d(
    n: Dim,
    ci: int,
    h: Dim,
    w: Dim,
    co: int,
    kh: int,
    kw: int,
    stride: int | tuple[int, ...] = 1,
    pad: int | tuple[int, ...] = 0,
    dilation: int | tuple[int, ...] = 1,
    groups: int = 1,
    layout: str = "nchw",
    filters: str = "oihw",
    dtype: str = "float32",
    const: Iterable[str] = (),
    tail: str = "",
    algorithm: str = "auto",
) -> Workload:
    """A convolution of `n` images with `co` kernels; `pad` is (top, left, bottom, right), one number is all four.

    Minimal filtering (Winograd) may make its sums, whose errors are two to four times those of sums in float32, and go
    by the largest numbers nearby; with `algorithm="direct"` it does not.
    """

def cumsum(
    n: Dim,
    outer: Dim = 1,
    inner: Dim = 1,
    exclusive: bool = False,
    reverse: bool = False,
    dtype: str = "float32",
) -> Workload:
    """Running sums over the middle dimension of (outer, n, inner), without the element itself or from the end."""

def dense(
    m: Dim,
    n: Dim,
    k: Dim,
    dtype: str = "float32",
    const: Iterable[str] = (),
    tail: str = "",
    products: str = "exact",
) -> Workload:
    """`y[m, n] = sum_k x[m, k] * w[n, k]`: a fully connected layer. `const=("w",)`: w is known ahead of time.

    `tail="gelu(y + bias[n])"` computes that on every element before it is stored; `bias` becomes an operand.
    `products="tf32x3"` allows a GPU's matrix units for float32: a factor is two of TF32, and three products make one.
    What is lost is in the last bits of a sum, but that infinite factors give NaN; elsewhere it changes nothing.
    """

def dequantise_within(n: Dim) -> Workload:
    """What integers of `quantise_within` stand for: of its `by` and `zero` scale is `1 / by`, plus `-zero / by`."""

def gated_dense(
    m: Dim,
    u: Dim,
    k: Dim,
    cell: str,
    gates: int = 4,
    start: str = "",
    parts: int = 1,
    const: Iterable[str] = (),
) -> Workload:
    """A cell of `u` units: gates z0, z1, ... are one product of x[m, k] with w[gates, u, k], `cell` what is made.

    A node of a tree of such cells is `cell="c2 = sigmoid(z0) * tanh(z2) + fc[m, u]; h2 = sigmoid(z1) * tanh(c2)"`;
    `start` is an operand that the gates begin with, as `bias[g, u]`. See also `lstm_cell`.
    """

def gather(
    n: Dim,
    m: Dim,
    outer: Dim = 1,
    inner: Dim = 1,
    index: str = "int64",
    dtype: str = "float32",
    const: Iterable[str] = (),
) -> Workload:
    """`m` of the `n` places along the middle dimension of x(outer, n, inner), by their positions; -1 is the last.

    An embedding of `tokens` words is `gather(n=words, m=tokens, inner=size, const=("x",))`.
    """

def grouped_dense(
    m: Dim,
    n: Dim,
    k: Dim,
    bits: int = 4,
    group: int = 32,
    zeros: bool = False,
    scales: str = "float32",
    accuracy: str = "float32",
    dtype: str = "float32",
    const: Iterable[str] = (),
    tail: str = "",
) -> Workload:
    """`y[m, n] = sum_k x[m, k] * (w[n, k] - zero[n, k // group]) * scale[n, k // group]`, x and y of float32.

    w has 4 bits, two in a byte and the lower half first, or 8. Without `zeros`, w stands for w - 8 or w - 128.
    With `accuracy="float16"` x may be taken less closely: in 16 bits beside the largest of its group, with "int8" in 8.
    """

def interpolate(n: Dim, m: Dim, taps: int, outer: Dim = 1, inner: Dim = 1) -> Workload:
    """Sums of `taps` of the `n` places along the middle dimension of x(outer, n, inner), `m` of them.

    Positions are counted from the end where they are negative, as those of `gather` are.
    """

def layer_norm(rows: Dim, n: Dim, eps: float = 1e-05, pre: str = "x", const: Iterable[str] = ()) -> Workload:
    """Rows of mean 0 and variance 1, times gamma[n], plus beta[n]; `pre="x + r[rows, n]"` normalises that sum."""

def max_pool2d(
    n: Dim,
    c: Dim,
    h: Dim,
    w: Dim,
    kernel: int | tuple[int, ...] = 2,
    stride: int | tuple[int, ...] = 2,
    pad: int | tuple[int, ...] = 0,
    dilation: int | tuple[int, ...] = 1,
    ceil: bool = False,
    layout: str = "nchw",
    dtype: str = "float32",
) -> Workload:
    """The largest element of every window; `pad` as in `conv2d`, `ceil` for a last window that reaches beyond it."""

def one_hot(m: Dim, depth: int, index: str = "int64", dtype: str = "float32") -> Workload:
    """Rows of zeros with a one at each of `m` positions below `depth`."""

def quantise_rows(m: Dim, k: Dim) -> Workload:
    """`x[m, k]` is about `(y[m, k] - zero[m]) * scale[m]`: every row as uint8, by its own range with 0 in it."""

def quantise_within(n: Dim) -> Workload:
    """`x[n]` is about `(y[n] - zero) / by`: all of it as uint8, by a range that is known ahead of time."""

def quantised_attention(
    b: Dim,
    h: int,
    m: Dim,
    n: Dim,
    d: int,
    e: int,
    q: str = "bhmd",
    k: str = "bgnd",
    v: str = "bgne",
    y: str = "bhme",
    mask: str = "none",
    keeps: bool = False,
    causal: bool = False,
    lengths: bool = False,
    shared: int = 1,
    out: str = "float32",
) -> Workload:
    """`attention` of uint8: queries and values with the zero point 128, keys with any.

    `by` is what a query times a key is multiplied by, `factor` and `summand` make y of the mean of the values.
    With `out="uint8"` y is the nearest such integer.
    """

def quantised_batch_matmul(
    b: Dim,
    m: Dim,
    n: Dim,
    k: Dim,
    lhs: str = "bmk",
    rhs: str = "bkn",
    y: str = "bmn",
    x: str = "uint8",
    out: str = "int32",
    dtype: str = "float32",
    const: Iterable[str] = (),
    tail: str = "",
) -> Workload:
    """`y[b, m, n] = sum_k lhs[b, m, k] * rhs[b, k, n]` of 8-bit integers, added up exactly in int32; rhs is int8.

    `x` is the dtype of lhs, `out` that of y. With `out="float32", tail="y * by[b, n]"` the tail has scales.
    """

def quantised_conv2d(
    n: Dim,
    ci: int,
    h: Dim,
    w: Dim,
    co: int,
    kh: int,
    kw: int,
    stride: int | tuple[int, ...] = 1,
    pad: int | tuple[int, ...] = 0,
    dilation: int | tuple[int, ...] = 1,
    groups: int = 1,
    layout: str = "nchw",
    filters: str = "oihw",
    x: str = "uint8",
    out: str = "int32",
    codes: str = "",
    weight: str = "int8",
    dtype: str = "float32",
    const: Iterable[str] = (),
    tail: str = "",
    algorithm: str = "auto",
    products: str = "exact",
    pairs: str = "int32",
) -> Workload:
    """A convolution of 8-bit integers, added up exactly in int32; w is int8, and outside the image x is 0.

    `out="uint8", tail="y * by[co] + bias[co]"` has a scale for each channel, and quantises again: the result is the
    nearest such integer. With `out="float32"` it is what the tail makes. What a tail reads is float32; with `codes="r"`
    its operand r is uint8, as in `tail="y * by[co] + r[n, oh, ow, co] * scale"`.

    With `x="float32", weight="bfloat16", out="float32"` (or another float of 16 or 8 bits) the weight alone is narrow;
    sums are float32's. With `products="rounded"` x is rounded to a weight's 16 bits, too.

    `pairs="int16"` promises of a constant w that pairs of a group's input channels (0 and 1, 2 and 3, and so on) add up
    to -128 to 128 at every tap. Then 16 bits hold their products by a uint8 x, which AVX2 adds up in one instruction.
    Another constant is refused.
    """

def quantised_dense(
    m: Dim,
    n: Dim,
    k: Dim,
    x: str = "uint8",
    w: str = "int8",
    out: str = "int32",
    dtype: str = "float32",
    const: Iterable[str] = (),
    tail: str = "",
    products: str = "exact",
    pairs: str = "int32",
) -> Workload:
    """`y[m, n] = sum_k x[m, k] * w[n, k]` of 8-bit integers, added up exactly in int32; w is int8.

    `out="float32", tail="(y - zero[m] * total[n]) * (scale[m] * by[n])"` takes zero points and scales into account: the
    tail and its operands are float32. `out="uint8"` and "int8" are the nearest such integers to what the tail makes.

    With `x="float32", out="float32"` the weight alone is narrow: int8, or floats of 16 or 8 bits. Sums are float32's.
    With `products="rounded"` x is rounded to a weight's 16 bits, too, beside 8 bits to float16, for the matrix units of
    GPUs.

    `pairs="int16"` promises of a constant w that pairs along k (0 and 1, 2 and 3, and so on) add up to -128 to 128.
    Then 16 bits hold their products by a uint8 x, which AVX2 adds up in one instruction. Another constant is refused.
    """

def rms_norm(rows: Dim, n: Dim, eps: float = 1e-05, pre: str = "x", const: Iterable[str] = ()) -> Workload:
    """Rows divided by the root of their mean square, times gamma[n]; `pre` as in `layer_norm`."""

def scatter_rows(n: Dim, m: Dim, inner: Dim = 1, mode: str = "set", dtype: str = "float32") -> Workload:
    """x(n, inner) with `m` updates set in its rows or joined with them, several of one row in their order.

    The key of update `j` is `row * 2**32 + j`, and keys are sorted.
    """

def softmax(n: Dim, outer: Dim = 1, inner: Dim = 1, log: bool = False, guard: str = "none") -> Workload:
    """`exp(x) / sum(exp(x))` over the middle dimension of (outer, n, inner), or its logarithm."""

def transpose(*dims: Dim, perm: Sequence[int], dtype: str = "float32") -> Workload:
    """y's dimension i is x's dimension perm[i]; `dims` are x's."""
