"""Constructors of workloads by name and argument: `dense(m=Any("m"), n=768, k=768)`, `softmax(n=768)`.

Most derive from their operators' rows and are looked up here when they are first asked for. Such a one takes the row's
dimensions, those that are 1 unless said last; its attributes; and dtype, constant operands and a tail where the
operator has them. Where others are more comfortable, a function here takes them, and the row says so (`made_by`).
Operators along one axis see a tensor as (outer, axis, inner): what lies before the axis, itself, and what lies behind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from inspect import Parameter, Signature
from typing import Any as AnyType

from anytile.core.errors import SpecError
from anytile.schedules.operators import OPERATORS
from anytile.schedules.operators.attribute import MAX_NUMBER, Attribute, AttributeValue
from anytile.schedules.operators.movement.slicing import END
from anytile.schedules.operators.spec import Operator
from anytile.schedules.workloads.workload import Dim, Workload

BY_ROW = tuple(sorted(name for name, row in OPERATORS.items() if not (row.made_by or row.over)))
BY_HAND = ("lstm_cell", *(row.made_by for row in OPERATORS.values() if row.made_by))
_ONE = ("outer", "inner")  # dimensions around another one, which are 1 where a tensor has no others
_OPTIONS = ("dtype", "const", "tail")
_Attrs = dict[str, AttributeValue]


def lstm_cell(m: Dim, u: Dim, k: Dim, const: Iterable[str] = (), start: str = "bias[g, u]") -> Workload:
    """One step of an LSTM for `m` rows and `u` units: (c2, h2) of x[m, k], the weights w[4, u, k] and c[m, u].

    Gates stand in the order i, f, g, o. `x` holds the input and the hidden state side by side; or the hidden state
    alone, with `start="pre[m, g, u]"` for the input's product, computed for all steps at once.
    """
    cell = "c2 = sigmoid(z1) * c[m, u] + sigmoid(z0) * tanh(z2); h2 = sigmoid(z3) * tanh(c2)"
    return Workload.of("gated_dense", {"m": m, "u": u, "k": k}, const=const, attrs={"cell": cell, "start": start})


def elementwise(
    f: str,
    *dims: Dim,
    dtype: str = "float32",
    types: Mapping[str, str] | None = None,
    parts: int = 1,
    const: Iterable[str] = (),
) -> Workload:
    """`y[d0, d1, ...] = f`, such as `gelu(a[d0, d1] + bias[d1])`; `types` are dtypes of operands other than `dtype`.

    Operands of which one part is read, as `h[d0, 1, d1]`, have so many `parts`.
    """
    attrs: _Attrs = {"rank": len(dims), "f": f, "types": _types(types), "parts": parts}
    return Workload.of("elementwise", _numbered(dims), dtype, const, attrs)


def reduce(
    kind: str,
    *dims: Dim,
    axes: int | Sequence[int],
    dtype: str = "float32",
    pre: str = "x",
    types: Mapping[str, str] | None = None,
) -> Workload:
    """sum, mean, max, min, prod or argmax of x over some of its dimensions; axes may count from the end.

    `pre`, such as `(x - m[d0]) * (x - m[d0])`, is reduced in the place of x; `types` are dtypes of its operands other
    than `dtype`.
    """
    given = (axes,) if isinstance(axes, int) else tuple(axes)
    wrong = [a for a in given if not -len(dims) <= a < len(dims)]
    found = tuple(sorted(a % len(dims) for a in given if a not in wrong))
    if wrong or not found or len(set(found)) < len(found):
        raise SpecError(f"reduce: axes {given} of {len(dims)} dimensions: expected some of them, each once")
    attrs: _Attrs = {"rank": len(dims), "axes": found, "kind": kind, "pre": pre, "types": _types(types)}
    return Workload.of("reduce", _numbered(dims), dtype, attrs=attrs)


def _types(types: Mapping[str, str] | None) -> str:
    return "+".join(f"{name}:{kind}" for name, kind in sorted((types or {}).items()))


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


def _numbered(dims: Sequence[Dim]) -> dict[str, Dim]:
    return {f"d{i}": dim for i, dim in enumerate(dims)}


def __getattr__(name: str) -> Callable[..., Workload]:
    if name in BY_ROW:
        return constructor(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@cache
def constructor(name: str) -> Callable[..., Workload]:
    """The function that makes workloads of an operator."""
    row = OPERATORS[name]
    signature = Signature(list(_parameters(row)), return_annotation="Workload")
    defaults = {p.name: p.default for p in signature.parameters.values() if p.default is not Parameter.empty}
    names = [p.name for p in signature.parameters.values()] if "dims" not in signature.parameters else []

    def make(*args: AnyType, **named: AnyType) -> Workload:
        taken = dict(zip(names, args, strict=False)) if names else {"dims": args}
        given = {**defaults, **taken, **named}
        fits = given.keys() == signature.parameters.keys() and named.keys().isdisjoint(taken)
        if not fits or (names and len(args) > len(names)):
            try:
                signature.bind(*args, **named)
            except TypeError as error:
                raise TypeError(f"{name}(): {error}") from None
        options = {key: given.pop(key) for key in _OPTIONS if key in given}
        attrs = {a.name: _value(a, given.pop(a.name)) for a in row.attributes if a.name in given}
        if "dims" in given:
            given = {f"d{i}": dim for i, dim in enumerate(given["dims"])}
            attrs["rank"] = len(given)
        return Workload.of(name, given, attrs=attrs, **options)

    make.__name__ = make.__qualname__ = name
    make.__doc__ = row.about or row.summary
    make.__signature__ = signature  # type: ignore[attr-defined]  # what `inspect` looks for
    return make


def _value(attribute: Attribute, value: AnyType) -> AnyType:
    """As many numbers as there happen to be may come in any sequence."""
    return tuple(value) if attribute.open and not isinstance(value, int) else value


def _parameters(row: Operator) -> Iterator[Parameter]:
    form = row.form(row.complete({}))
    ranked = any(a.name == "rank" for a in row.attributes)
    kind = Parameter.KEYWORD_ONLY if ranked else Parameter.POSITIONAL_OR_KEYWORD

    def one(name: str, annotation: str, default: AnyType = Parameter.empty) -> Parameter:
        return Parameter(name, kind, default=default, annotation=annotation)

    if ranked:
        yield Parameter("dims", Parameter.VAR_POSITIONAL, annotation="Dim")
    else:
        yield from (one(d, "int" if d in row.static else "Dim") for d in form.dims if d not in _ONE)
    told = [a for a in row.attributes if a.name in row.required]
    more = [a for a in row.attributes if a not in told and a.name != "rank"]
    yield from (one(a.name, _type(a)) for a in told)
    yield from (one(d, "Dim", 1) for d in form.dims if d in _ONE)
    yield from (one(a.name, _type(a), _default(a)) for a in more if a.name not in row.last)
    if len(row.dtypes) > 1 or row.takes_tail:
        yield one("dtype", "str", "float32")
    if any(t.may_be_constant for t in form.tensors):
        yield one("const", "Iterable[str]", ())
    if row.takes_tail:
        yield one("tail", "str", "")
    yield from (one(a.name, _type(a), _default(a)) for a in more if a.name in row.last)


def _type(attribute: Attribute) -> str:
    if attribute.kind == "ints":
        return "Sequence[int]" if attribute.open else "int | tuple[int, ...]"
    return attribute.kind


def _default(attribute: Attribute) -> AttributeValue:
    """One number for several that are alike."""
    value = attribute.default
    return value[0] if isinstance(value, tuple) and len(set(value)) == 1 else value
