"""From a call's tensor types to a workload: dimensions bound, ranks collapsed, symbols named as in the database.

A workload is a key of the database, so equal work must give equal text whatever a model calls its dimensions: a symbol
is named after the first dimension of the workload that it is, just as `?` alone is when a workload is read. Where types
leave open how a call works (whether an unknown dimension is 1 and broadcast), it has no workload.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from types import MappingProxyType

from anytile.compiler.ir.types import Any, Dim, TensorType
from anytile.compiler.operators.spec import Axis, Scheduled
from anytile.core.dtypes import COMPUTED, MOVED, STORED_FLOATS
from anytile.core.errors import SpecError
from anytile.schedules.nest.elementwise_text import LONGEST, PART, operands, parse
from anytile.schedules.operators import operator
from anytile.schedules.operators.ranked import MOST_DIMS
from anytile.schedules.operators.spec import AttributeValue
from anytile.schedules.workloads.workload import Workload

Sizes = Mapping[str, Sequence[Axis]]
Walked = Sequence[tuple[str, Sequence[int]]]
_FLOAT = "float32"


def schedule_as(
    op: str,
    args: Sequence[TensorType],
    sizes: Sizes,
    axes: Walked,
    attrs: Mapping[str, AttributeValue] | None = None,
    order: Sequence[int] | None = None,
    dtype: str | None = None,
    moves: bool = False,
) -> Scheduled | None:
    """The workload whose dimensions are products of axes of arguments, or None where it cannot be one.

    `axes` says which axes of the result each dimension of the first output walks, `order` in which order the workload
    takes the arguments; `moves` that it computes nothing, as of an operator of all that can be moved is known.
    """
    given = dict(attrs or {})
    spec = operator(op)
    form = spec.form(spec.complete(given))
    taken = {t.name for t in form.tensors}
    names: dict[tuple[int, tuple[str, ...]], Any] = {}
    dims: dict[str, Dim] = {}
    for name in form.dims:
        factors = [args[arg].shape[axis] for arg, axis in sizes[name]]
        known = math.prod(d for d in factors if isinstance(d, int))
        symbols = tuple(sorted(d.name for d in factors if isinstance(d, Any)))
        if "" in symbols:  # nobody knows what a dimension without a name equals
            return None
        symbol = Any(f"{name}_size" if name in taken else name)
        dims[name] = names.setdefault((known, symbols), symbol) if symbols and known else known
    passed = tuple(range(len(args))) if order is None else tuple(order)
    kind = dtype or args[passed[0]].dtype
    moves = moves or spec.dtypes == MOVED
    lying = kind if kind in STORED_FLOATS and moves else ""  # widened and rounded again it is the same
    kind = _FLOAT if lying else kind
    if kind not in spec.dtypes or kind not in MOVED:
        return None
    bound = {name: tuple(sizes[name]) for name in form.dims}
    walked = tuple((name, tuple(over)) for name, over in axes)
    try:
        workload = Workload.of(op, dims, kind, attrs=given)
        if lying:
            workload = workload.storing({t.name: lying for t in workload.tensors if workload.dtype_of(t) == kind})
        return Scheduled(workload, passed, bound, walked)
    except SpecError:  # a limit of the workload alone, as on the parts of a concat
        return None


@dataclass(frozen=True, slots=True)
class InParts:
    """What is read by part: so many along an axis, as which a type of one part stands."""

    axis: int
    count: int


WHOLE: Mapping[int, InParts] = MappingProxyType({})  # nothing is read by part


def elementwise_as(
    write: Callable[[Sequence[str]], str],
    args: Sequence[TensorType],
    result: TensorType,
    in_parts: Mapping[int, InParts] = WHOLE,
) -> Scheduled | None:
    """An elementwise workload of a result and what it is made of, axes that all operands walk alike made one.

    `write` is told how the element of each argument is read, as `a0[d0, d1]`, or `a0[d0, part, d1]` of those that are
    read by part, whose type is that of a part. Arguments are broadcast to the result.
    """
    groups = _walked_alike(args, result, frozenset(), in_parts)
    if groups is None:
        return None
    if not groups:  # a scalar: one element
        groups = [_Group(tuple(True for _ in args), False)]
    counts = {each.count for each in in_parts.values()}
    if len(counts) > 1:
        return None
    if len(groups) > MOST_DIMS:
        return None
    begins = _begins(args, result, in_parts)
    dims = [_dims_in_parts(i, groups, begins[i]) if i in begins else _dims_of(i, groups) for i in range(len(args))]
    text = write([_element(f"a{i}", over) for i, over in enumerate(dims)])
    if len(text) > LONGEST:
        return None
    order = [int(name[1:]) for name in operands(parse(text), text)]
    dtype = next((args[i].dtype for i in order if args[i].dtype in COMPUTED), _FLOAT)
    types = "+".join(f"a{i}:{args[i].dtype}" for i in order if args[i].dtype != dtype)
    sizes = {f"d{j}": tuple(group.sources) for j, group in enumerate(groups)}
    walked = tuple((f"d{j}", tuple(group.axes)) for j, group in enumerate(groups))
    attrs: dict[str, AttributeValue] = {"rank": len(groups), "f": text, "types": types, "parts": max(counts, default=1)}
    return schedule_as("elementwise", args, sizes, walked, attrs, order, dtype)


def reduction_as(
    kind: str,
    gone: Set[int],
    write: Callable[[Sequence[str]], str],
    args: Sequence[TensorType],
    x: TensorType,
) -> Scheduled | None:
    """The workload that reduces these axes of x, which is made of arguments as elementwise steps make it.

    `write` is told how the element of each argument is read; the first that is over all axes is read as `x`.
    """
    groups = _walked_alike(args, x, gone)
    if not groups or len(groups) > MOST_DIMS or not any(group.gone for group in groups):
        return None
    every = [f"d{j}" for j in range(len(groups))]
    dims = [_dims_of(i, groups) for i in range(len(args))]
    lead = next((i for i, arg in enumerate(args) if dims[i] == every and arg.dtype == x.dtype), None)
    text = write(["x" if i == lead else _element(f"a{i}", dims[i]) for i in range(len(args))])
    if len(text) > LONGEST:
        return None
    named = {"x" if i == lead else f"a{i}": i for i in range(len(args))}
    order = [named[name] for name in operands(parse(text), text)]
    attrs: dict[str, AttributeValue] = {
        "rank": len(groups),
        "axes": tuple(j for j, group in enumerate(groups) if group.gone),
        "kind": kind,
        "pre": text,
        "types": "+".join(f"a{i}:{args[i].dtype}" for i in order if args[i].dtype != x.dtype),
    }
    sizes = {d: tuple(group.sources) for d, group in zip(every, groups, strict=True)}
    return schedule_as("reduce", args, sizes, (), attrs, order, x.dtype)


@dataclass
class _Group:
    """Neighbouring axes of a tensor that the same of its arguments have, and which go or stay."""

    pattern: tuple[bool, ...]
    gone: bool
    axes: list[int] = field(default_factory=list)
    sources: list[Axis] = field(default_factory=list)  # of whose arguments they are


def _walked_alike(
    args: Sequence[TensorType], whole: TensorType, gone: Set[int], in_parts: Mapping[int, InParts] = WHOLE
) -> list[_Group] | None:
    """The axes that are not 1 of what arguments are broadcast to, apart where parts of some lie one behind the other;
    None where types leave open which have them."""
    groups: list[_Group] = []
    begins = _begins(args, whole, in_parts)
    for axis, dim in enumerate(whole.shape):
        reads = [_reads(arg, axis - whole.rank, dim) for arg in args]
        if None in reads:
            return None
        if dim == 1:
            continue
        if not any(reads):
            return None  # made larger than every argument
        pattern = tuple(bool(r) for r in reads)
        first = next((i for i, has in enumerate(pattern) if has and begins.get(i) != axis), pattern.index(True))
        last = groups[-1] if groups else None
        if (
            last is None
            or axis in begins.values()
            or (last.pattern, last.gone, last.axes[-1]) != (pattern, axis in gone, axis - 1)
        ):
            groups.append(last := _Group(pattern, axis in gone))
        last.axes.append(axis)
        last.sources.append((first, axis - whole.rank + args[first].rank))
    return groups


def _begins(args: Sequence[TensorType], whole: TensorType, in_parts: Mapping[int, InParts]) -> dict[int, int]:
    """The axis of the whole along which parts of arguments lie."""
    return {i: each.axis - args[i].rank + whole.rank for i, each in in_parts.items()}


def _dims_of(arg: int, groups: Sequence[_Group]) -> list[str]:
    return [f"d{j}" for j, group in enumerate(groups) if group.pattern[arg]]


def _dims_in_parts(arg: int, groups: Sequence[_Group], begin: int) -> list[str]:
    """The same of an argument whose parts lie one behind the other from this axis of the whole on."""
    dims = _dims_of(arg, groups)
    before = sum(group.pattern[arg] and bool(group.axes) and group.axes[0] < begin for group in groups)
    return [*dims[:before], PART, *dims[before:]]


def _element(name: str, dims: Sequence[str]) -> str:
    return f"{name}[{', '.join(dims)}]" if dims else name


def _reads(arg: TensorType, axis: int, dim: Dim) -> bool | None:
    """Whether an argument has this axis of the result, counted from the end; None where that is not known."""
    if -axis > arg.rank:
        return False
    own = arg.shape[axis]
    if own == dim:
        return True
    return False if own == 1 else None
