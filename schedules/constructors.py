"""Workloads of the small operators by name and argument, as `dense(...)` is in `workload`.

`elementwise("gelu(a[d0, d1] + bias[d1])", Any("t"), 768)` is `Workload.of("elementwise", ...)` with less to spell.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from anytile.schedules.errors import SpecError
from anytile.schedules.operators.spec import AttributeValue
from anytile.schedules.workload import Dim, Workload

_Attrs = dict[str, AttributeValue | int]


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


def _numbered(dims: Sequence[Dim]) -> dict[str, Dim]:
    return {f"d{i}": dim for i, dim in enumerate(dims)}


def _yes(flag: bool) -> str:
    return "yes" if flag else "no"


__all__ = ["batch_norm", "cumsum", "elementwise", "layer_norm", "reduce", "rms_norm", "softmax"]
