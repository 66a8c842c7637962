"""Operators that are one of `schedules` dimension by dimension: relation, meaning and workload follow from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anytile.compiler.ir.nodes import Array
from anytile.compiler.ir.types import TensorType
from anytile.compiler.operators.scheduling import schedule_as
from anytile.compiler.operators.spec import (
    Attribute,
    Attributes,
    Axis,
    Facts,
    Mismatch,
    Operator,
    Pattern,
    Scheduled,
    Shaped,
    of_dtype,
    of_rank,
)
from anytile.core.plurals import counted
from anytile.schedules.index.expr import Expr, const
from anytile.schedules.operators import OPERATORS
from anytile.schedules.operators.spec import ONE, AttributeValue, Form


def translated(attrs: Attributes) -> dict[str, AttributeValue]:
    """Attributes as `schedules` spells them."""
    made: dict[str, AttributeValue] = {}
    for name, value in attrs.items():
        if isinstance(value, bool):
            made[name] = "yes" if value else "no"
        elif isinstance(value, int):
            made[name] = (value,)
        elif isinstance(value, tuple):
            made[name] = tuple(n for n in value if isinstance(n, int))
        else:
            made[name] = repr(value) if isinstance(value, float) else value
    return made


def _form(op: str, attrs: Attributes) -> Form:
    spec = OPERATORS[op]
    given = translated(attrs)
    return spec.form(spec.complete({name: spec.attribute(name).check(value) for name, value in given.items()}))


def _relate(op: str, args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    form = _form(op, attrs)
    inputs = [t for t in form.tensors if not t.output]
    if len(inputs) != len(args):
        raise Mismatch(f"{counted(len(args), 'argument')}; expected {len(inputs)}: {', '.join(t.name for t in inputs)}")
    sizes: dict[str, Expr] = {ONE: const(1)}
    dtype = args[0].dtype
    of_dtype(args[0], OPERATORS[op].dtypes, inputs[0].name)
    for tensor, arg in zip(inputs, args, strict=True):
        of_rank(arg, len(tensor.dims), tensor.name)
        of_dtype(arg, (tensor.dtype or dtype,), tensor.name)
        for dim, size in zip(tensor.dims, arg.dims, strict=True):
            if dim not in form.derived:
                sizes[dim] = facts.equal(sizes[dim], size) if dim in sizes else size
    objection = OPERATORS[op].objection
    if objection is not None:
        said = objection({d: facts.number(sizes[d]) for d in form.dims}, translated(attrs))
        if said is not None:
            raise Mismatch(said)
    for dim, derive in form.derived.items():
        sizes[dim] = derive(sizes)
    for tensor, arg in zip(inputs, args, strict=True):
        for dim, size in zip(tensor.dims, arg.dims, strict=True):
            if dim in form.derived:
                facts.equal(sizes[dim], size)
    outputs = [t for t in form.tensors if t.output]
    # Windows run over images: one must lie in its image, whatever the last one with `ceil` reaches beyond.
    windows = _form(op, {name: value for name, value in attrs.items() if name != "ceil"}).derived
    for dim in {d: None for t in outputs for d in t.dims if d in windows}:
        facts.at_least(windows[dim](sizes), 1, f"windows along {dim.removeprefix('o')}")
    return tuple(Shaped(tuple(sizes[d] for d in t.dims), t.dtype or dtype) for t in outputs)


def _schedule(op: str, args: Sequence[TensorType], attrs: Attributes) -> Scheduled | None:
    form = _form(op, attrs)
    inputs = [t for t in form.tensors if not t.output]
    output = next(t for t in form.tensors if t.output)
    sizes: dict[str, tuple[Axis, ...]] = {}
    for i, (tensor, arg) in enumerate(zip(inputs, args, strict=True)):
        for axis, dim in enumerate(tensor.dims):
            if dim in form.dims and (dim not in sizes or isinstance(arg.shape[axis], int)):
                sizes[dim] = ((i, axis),)
    objection = OPERATORS[op].objection
    if objection is not None:
        known = {d: s if isinstance(s := args[a].shape[i], int) else None for d, ((a, i),) in sizes.items()}
        if objection(known, translated(attrs)) is not None:
            return None
    return schedule_as(op, args, sizes, tuple((d, (i,)) for i, d in enumerate(output.dims)), translated(attrs))


def mirrored_meaning(op: str, arrays: Sequence[Array], attrs: Attributes) -> tuple[Array, ...]:
    names = [t.name for t in _form(op, attrs).tensors if not t.output]
    given: Mapping[str, Array] = dict(zip(names, arrays, strict=True))
    spec = OPERATORS[op]
    return spec.reference(given, spec.complete(translated(attrs)))


def mirrored(
    name: str,
    inputs: tuple[str, ...],
    pattern: Pattern,
    attributes: tuple[Attribute, ...] = (),
    variadic: bool = False,
    optional: int = 0,
    many: bool = False,
    by_row: bool = False,
) -> Operator:
    return Operator(
        name=name,
        summary=OPERATORS[name].summary,
        inputs=inputs,
        relation=lambda args, attrs, facts: _relate(name, args, attrs, facts),
        numpy=lambda arrays, attrs: mirrored_meaning(name, arrays, attrs),
        pattern=pattern,
        attributes=attributes,
        variadic=variadic,
        optional=optional,
        many=many,
        by_row=by_row,
        schedule=lambda args, results, attrs: _schedule(name, args, attrs),
    )
