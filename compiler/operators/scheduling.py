"""From a call's tensor types to a workload: dimensions bound, ranks collapsed, symbols named as in the database.

A workload is a key of the database, so equal work must give equal text whatever a model calls its dimensions: a symbol
is named after the first dimension of the workload that it is, just as `?` alone is when a workload is read. Where types
leave open how a call works (whether an unknown dimension is 1 and broadcast), it has no workload.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from anytile.compiler.ir.types import Any, Dim, TensorType
from anytile.compiler.operators.spec import Axis, Scheduled
from anytile.core.dtypes import COMPUTED, MOVED
from anytile.core.errors import SpecError
from anytile.schedules.nest.elementwise_text import LONGEST, operands, parse
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
) -> Scheduled | None:
    """The workload whose dimensions are products of axes of arguments, or None where it cannot be one.

    `axes` says which axes of the result each dimension of the first output walks, `order` in which order the workload
    takes the arguments.
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
    if kind not in spec.dtypes or kind not in MOVED:
        return None
    bound = {name: tuple(sizes[name]) for name in form.dims}
    walked = tuple((name, tuple(over)) for name, over in axes)
    try:
        return Scheduled(Workload.of(op, dims, kind, attrs=given), passed, bound, walked)
    except SpecError:  # a limit of the workload alone, as on the parts of a concat
        return None


def elementwise_as(
    write: Callable[[Sequence[str]], str], args: Sequence[TensorType], result: TensorType
) -> Scheduled | None:
    """An elementwise workload of a result and what it is made of, axes that all operands walk alike made one.

    `write` is told how the element of each argument is read, as `a0[d0, d1]`. Arguments are broadcast to the result.
    """
    sources: list[list[Axis]] = []
    seen: list[tuple[tuple[bool, ...], list[int]]] = []  # which arguments walk these axes of the result
    for axis, dim in enumerate(result.shape):
        reads = [_reads(arg, axis - result.rank, dim) for arg in args]
        if None in reads:
            return None
        if dim == 1:
            continue
        if not any(reads):
            return None  # made larger than every argument
        pattern = tuple(bool(r) for r in reads)
        first = pattern.index(True)
        source = (first, axis - result.rank + args[first].rank)
        if seen and seen[-1][0] == pattern and seen[-1][1][-1] == axis - 1:
            seen[-1][1].append(axis)
            sources[-1].append(source)
        else:
            seen.append((pattern, [axis]))
            sources.append([source])
    if not seen:  # a scalar: one element
        seen, sources = [(tuple(True for _ in args), [])], [[]]
    if len(seen) > MOST_DIMS:
        return None
    texts = []
    for i in range(len(args)):
        dims = [f"d{j}" for j, (pattern, _) in enumerate(seen) if pattern[i]]
        texts.append(f"a{i}[{', '.join(dims)}]" if dims else f"a{i}")
    text = write(texts)
    if len(text) > LONGEST:
        return None
    order = [int(name[1:]) for name in operands(parse(text), text)]
    dtype = next((args[i].dtype for i in order if args[i].dtype in COMPUTED), _FLOAT)
    types = "+".join(f"a{i}:{args[i].dtype}" for i in order if args[i].dtype != dtype)
    sizes = {f"d{j}": tuple(axes) for j, axes in enumerate(sources)}
    walked = tuple((f"d{j}", tuple(axes)) for j, (_, axes) in enumerate(seen))
    attrs: dict[str, AttributeValue] = {"rank": len(seen), "f": text, "types": types}
    return schedule_as("elementwise", args, sizes, walked, attrs, order, dtype)


def _reads(arg: TensorType, axis: int, dim: Dim) -> bool | None:
    """Whether an argument has this axis of the result, counted from the end; None where that is not known."""
    if -axis > arg.rank:
        return False
    own = arg.shape[axis]
    if own == dim:
        return True
    return False if own == 1 else None
