"""Workloads of cells and of the small operators by name and argument, as `dense(...)` is in `workload`.

`elementwise("gelu(a[d0, d1] + bias[d1])", Any("t"), 768)` is `Workload.of("elementwise", ...)` with less to spell.
Operators along one axis see a tensor as (outer, axis, inner): what lies before the axis, itself, and what lies behind.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from anytile.core.errors import SpecError
from anytile.schedules.operators.slicing import END
from anytile.schedules.operators.spec import MAX_NUMBER, AttributeValue
from anytile.schedules.workloads.workload import Dim, Workload

_Attrs = dict[str, AttributeValue | int]


def lstm_cell(m: Dim, u: Dim, k: Dim, const: Iterable[str] = (), start: str = "bias[g, u]") -> Workload:
    """One step of an LSTM for `m` rows and `u` units: (c2, h2) of x[m, k], the weights w[4, u, k] and c[m, u].

    Gates stand in the order i, f, g, o. `x` holds the input and the hidden state side by side; or the hidden state
    alone, with `start="pre[m, g, u]"` for the input's product, computed for all steps at once.
    """
    cell = "c2 = sigmoid(z1) * c[m, u] + sigmoid(z0) * tanh(z2); h2 = sigmoid(z3) * tanh(c2)"
    return Workload.of("gated_dense", {"m": m, "u": u, "k": k}, const=const, attrs={"cell": cell, "start": start})


def elementwise(
    f: str, *dims: Dim, dtype: str = "float32", types: Mapping[str, str] | None = None, const: Iterable[str] = ()
) -> Workload:
    """`y[d0, d1, ...] = f`, such as `gelu(a[d0, d1] + bias[d1])`; `types` are dtypes of operands other than `dtype`."""
    given = "+".join(f"{name}:{kind}" for name, kind in sorted((types or {}).items()))
    attrs: _Attrs = {"rank": len(dims), "f": f, "types": given}
    return Workload.of("elementwise", _numbered(dims), dtype, const, attrs)


def reduce(kind: str, *dims: Dim, axes: int | Sequence[int], dtype: str = "float32") -> Workload:
    """sum, mean, max, min, prod or argmax of x over some of its dimensions; axes may count from the end."""
    given = (axes,) if isinstance(axes, int) else tuple(axes)
    wrong = [a for a in given if not -len(dims) <= a < len(dims)]
    found = tuple(sorted(a % len(dims) for a in given if a not in wrong))
    if wrong or not found or len(set(found)) < len(found):
        raise SpecError(f"reduce: axes {given} of {len(dims)} dimensions: expected some of them, each once")
    attrs: _Attrs = {"rank": len(dims), "axes": found, "kind": kind}
    return Workload.of("reduce", _numbered(dims), dtype, attrs=attrs)


def softmax(n: Dim, outer: Dim = 1, inner: Dim = 1, log: bool = False) -> Workload:
    """`exp(x) / sum(exp(x))` over the middle dimension of (outer, n, inner), or its logarithm."""
    dims = {"outer": outer, "n": n, "inner": inner}
    return Workload.of("softmax", dims, attrs={"log": _yes(log)})


def layer_norm(rows: Dim, n: Dim, eps: float = 1e-5, pre: str = "x", const: Iterable[str] = ()) -> Workload:
    """Rows of mean 0 and variance 1, times gamma[n], plus beta[n]; `pre="x + r[rows, n]"` normalises that sum."""
    return Workload.of("layer_norm", {"rows": rows, "n": n}, const=const, attrs={"eps": repr(eps), "pre": pre})


def rms_norm(rows: Dim, n: Dim, eps: float = 1e-5, pre: str = "x", const: Iterable[str] = ()) -> Workload:
    """Rows divided by the root of their mean square, times gamma[n]; `pre` as in `layer_norm`."""
    return Workload.of("rms_norm", {"rows": rows, "n": n}, const=const, attrs={"eps": repr(eps), "pre": pre})


def batch_norm(c: Dim, outer: Dim = 1, inner: Dim = 1, eps: float = 1e-5, const: Iterable[str] = ()) -> Workload:
    """`(x - mean[c]) / sqrt(variance[c] + eps) * gamma[c] + beta[c]` on (outer, c, inner), statistics given."""
    dims = {"outer": outer, "c": c, "inner": inner}
    return Workload.of("batch_norm", dims, const=const, attrs={"eps": repr(eps)})


def cumsum(
    n: Dim, outer: Dim = 1, inner: Dim = 1, exclusive: bool = False, reverse: bool = False, dtype: str = "float32"
) -> Workload:
    """Running sums over the middle dimension of (outer, n, inner), without the element itself or from the end."""
    dims = {"outer": outer, "n": n, "inner": inner}
    attrs: _Attrs = {"exclusive": _yes(exclusive), "reverse": _yes(reverse)}
    return Workload.of("cumsum", dims, dtype, attrs=attrs)


def transpose(*dims: Dim, perm: Sequence[int], dtype: str = "float32") -> Workload:
    """y's dimension i is x's dimension perm[i]; `dims` are x's."""
    attrs: _Attrs = {"rank": len(dims), "perm": tuple(perm)}
    return Workload.of("transpose", _numbered(dims), dtype, attrs=attrs)


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
    dims = {"outer": outer, "n": n, "m": m, "inner": inner}
    return Workload.of("gather", dims, dtype, const, {"index": index})


def one_hot(m: Dim, depth: int, index: str = "int64", dtype: str = "float32") -> Workload:
    """Rows of zeros with a one at each of `m` positions below `depth`."""
    return Workload.of("one_hot", {"m": m}, dtype, attrs={"index": index, "depth": depth})


def concat(*parts: Dim, outer: Dim = 1, inner: Dim = 1, dtype: str = "float32") -> Workload:
    """Parts (outer, part, inner) one behind the other along the middle dimension."""
    dims: dict[str, Dim] = {"outer": outer, **{f"n{i}": part for i, part in enumerate(parts)}, "inner": inner}
    return Workload.of("concat", dims, dtype, attrs={"count": len(parts)})


def split(n: Dim, parts: int | Sequence[int], outer: Dim = 1, inner: Dim = 1, dtype: str = "float32") -> Workload:
    """(outer, n, inner) in so many parts of one size, the first larger by 1 if need be; or cut at these positions."""
    attrs: _Attrs
    if isinstance(parts, int):
        attrs = {"count": parts}
    elif any(parts):
        attrs = {"count": len(parts) + 1, "at": tuple(parts)}
    else:
        raise SpecError(f"split: cuts at {tuple(parts)}: expected one behind the first element; give a number")
    return Workload.of("split", {"outer": outer, "n": n, "inner": inner}, dtype, attrs=attrs)


def slice_of(*dims: Dim, at: Sequence[slice], dtype: str = "float32") -> Workload:
    """What x[at] is in numpy: a slice for each dimension, as in `slice_of(Any("t"), 8, at=np.s_[1:, ::-1])`."""
    if len(at) != len(dims):
        raise SpecError(f"slice_of: {len(at)} slices of {len(dims)} dimensions; expected one for each")
    steps = tuple(1 if s.step is None else s.step for s in at)
    starts = tuple(s.start if s.start is not None else 0 if d > 0 else END for s, d in zip(at, steps, strict=True))
    stops = tuple(
        s.stop if s.stop is not None else END if d > 0 else -MAX_NUMBER for s, d in zip(at, steps, strict=True)
    )
    attrs: _Attrs = {"rank": len(dims), "start": starts, "stop": stops, "step": steps}
    return Workload.of("slice", _numbered(dims), dtype, attrs=attrs)


def pad(
    *dims: Dim, around: Sequence[tuple[int, int]], mode: str = "constant", value: float = 0, dtype: str = "float32"
) -> Workload:
    """Elements before and after each dimension: a value, the nearest one (`edge`), or what it reflects (`reflect`)."""
    if len(around) != len(dims):
        raise SpecError(f"pad: {len(around)} pairs for {len(dims)} dimensions; expected one for each")
    text = f"{value:.9g}" if isinstance(value, float) else str(value)
    before, after = zip(*around, strict=True) if around else ((), ())
    attrs: _Attrs = {"rank": len(dims), "before": before, "after": after, "mode": mode, "value": text}
    return Workload.of("pad", _numbered(dims), dtype, attrs=attrs)


_Two = int | tuple[int, ...]  # for rows and columns


def max_pool2d(
    n: Dim,
    c: Dim,
    h: Dim,
    w: Dim,
    kernel: _Two = 2,
    stride: _Two = 2,
    pad: _Two = 0,
    dilation: _Two = 1,
    ceil: bool = False,
    layout: str = "nchw",
    dtype: str = "float32",
) -> Workload:
    """The largest element of every window; `pad` as in `conv2d`, `ceil` for a last window that reaches beyond it."""
    attrs = _pooling(kernel, stride, pad, dilation, ceil, layout)
    return Workload.of("max_pool2d", {"n": n, "c": c, "h": h, "w": w}, dtype, attrs=attrs)


def avg_pool2d(
    n: Dim,
    c: Dim,
    h: Dim,
    w: Dim,
    kernel: _Two = 2,
    stride: _Two = 2,
    pad: _Two = 0,
    dilation: _Two = 1,
    ceil: bool = False,
    layout: str = "nchw",
    count: str = "padding",
) -> Workload:
    """The mean of every window, over its padding too, or with `count="image"` over what lies in the image alone."""
    attrs = {**_pooling(kernel, stride, pad, dilation, ceil, layout), "count": count}
    return Workload.of("avg_pool2d", {"n": n, "c": c, "h": h, "w": w}, attrs=attrs)


def gated_dense(
    m: Dim, u: Dim, k: Dim, cell: str, gates: int = 4, start: str = "", const: Iterable[str] = ()
) -> Workload:
    """A cell of `u` units: gates z0, z1, ... are one product of x[m, k] with w[gates, u, k], and `cell` what is made.

    A node of a tree of such cells is `cell="c2 = sigmoid(z0) * tanh(z2) + fc[m, u]; h2 = sigmoid(z1) * tanh(c2)"`;
    `start` is an operand that the gates begin with, as `bias[g, u]`. See also `lstm_cell`.
    """
    attrs: _Attrs = {"gates": gates, "start": start, "cell": cell}
    return Workload.of("gated_dense", {"m": m, "u": u, "k": k}, const=const, attrs=attrs)


def _pooling(kernel: _Two, stride: _Two, pad: _Two, dilation: _Two, ceil: bool, layout: str) -> _Attrs:
    attrs: _Attrs = {"kernel": kernel, "stride": stride, "pad": pad, "dilation": dilation}
    return {**attrs, "ceil": _yes(ceil), "layout": layout}


def _numbered(dims: Sequence[Dim]) -> dict[str, Dim]:
    return {f"d{i}": dim for i, dim in enumerate(dims)}


def _yes(flag: bool) -> str:
    return "yes" if flag else "no"


__all__ = [
    "avg_pool2d",
    "batch_norm",
    "concat",
    "cumsum",
    "elementwise",
    "gated_dense",
    "gather",
    "layer_norm",
    "max_pool2d",
    "one_hot",
    "pad",
    "reduce",
    "rms_norm",
    "slice_of",
    "softmax",
    "split",
    "transpose",
]
