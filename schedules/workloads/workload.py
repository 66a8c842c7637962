"""Workloads: an operator with its shapes, dtype and constant operands; frozen, hashable, with one canonical text.

The text `dense(m=?m, n=768, k=768, dtype=float32, const=w)` is the key under which everything is remembered, so it
must never change meaning: `Workload.parse(str(w)) == w` holds for every workload.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import index
from typing import Any as AnyType
from typing import SupportsIndex

from anytile.core.dtypes import BYTES, STORED_FLOATS
from anytile.core.errors import SpecError
from anytile.schedules.index.expr import Expr, const, var
from anytile.schedules.nest.elementwise_text import operands, operations, parse, write
from anytile.schedules.nest.elementwise_types import floats
from anytile.schedules.operators import Operator, operator
from anytile.schedules.operators.spec import ONE, AttributeValue, Form, TensorSpec
from anytile.schedules.workloads.key_values import NAME, pairs

_TEXT = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*)\s*\((.*)\)\s*\Z", re.DOTALL)
MAX_DIM = 2**31 - 1
MAX_BYTES = 2**63 - 1
_IN_MEMORY = ("float32", *STORED_FLOATS)  # what floats may be stored in
_CODES = "codes"  # the attribute that names operands of a tail that are no floats
MAX_TAIL = 64  # operations: each is computed for every vector of a register tile


@dataclass(frozen=True, slots=True, order=True)
class Any:
    """A dimension unknown until run time. Equal names are equal dimensions."""

    name: str

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not NAME.match(self.name):
            raise SpecError(f"Any({self.name!r}): expected a name like 'm' or 'tokens'")

    def __str__(self) -> str:
        return f"?{self.name}"


Dim = int | Any


Attrs = tuple[tuple[str, AttributeValue], ...]


@dataclass(frozen=True, slots=True)
class Workload:
    """One operator at one (possibly symbolic) shape. Build it with `dense(...)`, `Workload.of` or `Workload.parse`.

    `attrs` holds the attributes that differ from the operator's defaults, in the operator's order. `tail` is an
    elementwise expression (see `elementwise_text`) that is computed on every element of the operator's result `y`
    before it is stored, as `gelu(y + bias[n])`; its operands are inputs too. The workload without its tail is its
    `anchor`. `streamed` are constants that come from memory at every call, since the program around has more than
    caches keep: the result is the same, but what is fastest is not. `stored` are floats that lie in memory in another
    dtype than the operator says, by name: they are widened where they are read, and rounded where they are written.
    """

    op: str
    dims: tuple[tuple[str, Dim], ...]
    dtype: str = "float32"
    const: tuple[str, ...] = ()
    attrs: Attrs = ()
    tail: str = ""
    streamed: tuple[str, ...] = ()
    stored: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        spec = operator(self.op)
        form = _form(self.op, self.attrs)
        if self.tail:
            tail = parse(self.tail)
            if (count := operations(tail)) > MAX_TAIL:
                raise SpecError(f"{self.op}: a tail of {count} operations; expected {MAX_TAIL} at most")
            object.__setattr__(self, "tail", write(tail))
            form = _with_tail(self.op, form, self.tail, self.attrs)
        elif dict(self.attrs).get(_CODES):
            raise SpecError(f"{self.op}: {_CODES}={dict(self.attrs)[_CODES]}, and no tail that reads it; leave it out")
        names = tuple(name for name, _ in self.dims)
        if names != form.dims:
            expected, got = ", ".join(form.dims), ", ".join(names) or "none"
            raise SpecError(f"{self.op}: expected the dimensions {expected}, got {got}")
        for name, dim in self.dims:
            if isinstance(dim, Any):
                _require_free(self.op, form, dim)
                continue
            if not isinstance(dim, int) or isinstance(dim, bool):
                raise SpecError(f"{self.op}: {name}={dim!r} is neither a whole number nor Any('{name}')")
            if not 0 <= dim <= MAX_DIM:
                raise SpecError(f"{self.op}: {name}={dim} is out of range; expected 0 to {MAX_DIM}")
        if self.dtype not in spec.dtypes:
            known = ", ".join(spec.dtypes)
            raise SpecError(f"{self.op}: dtype {self.dtype!r} is not supported; expected one of {known}")
        allowed = [t.name for t in form.tensors if t.may_be_constant]
        for name in self.const:
            if name not in allowed:
                raise SpecError(f"{self.op}: operand {name!r} cannot be constant; expected one of {', '.join(allowed)}")
        for field in ("const", "streamed"):
            object.__setattr__(self, field, tuple(sorted(set(getattr(self, field)))))
        for name in self.streamed:
            if name not in self.const:
                constants = ", ".join(self.const) or "none, as no operand is constant"
                raise SpecError(f"{self.op}: operand {name!r} cannot be streamed; expected one of {constants}")
        self._require_floats(form)
        if spec.objection is not None:
            known_sizes = {name: dim if isinstance(dim, int) else None for name, dim in self.dims}
            objection = spec.objection(known_sizes, spec.complete(dict(self.attrs)))
            if objection is not None:
                raise SpecError(f"{self.op}: {objection}")
        self._require_countable(_in_memory(form, self.stored))

    def _require_floats(self, form: Form) -> None:
        """What is stored otherwise are floats, and in such; what lies as the operator says need not be told."""
        own = {t.name: t.dtype or self.dtype for t in form.tensors}
        for name, dtype in self.stored:
            if own.get(name) not in _IN_MEMORY:
                known = ", ".join(n for n, d in own.items() if d in _IN_MEMORY) or "none, as it has no floats"
                raise SpecError(f"{self.op}: {name!r} cannot be stored otherwise; expected one of {known}")
            if dtype not in _IN_MEMORY:
                raise SpecError(f"{self.op}: {name} stored as {dtype!r}; expected one of {', '.join(_IN_MEMORY)}")
        kept = {name: dtype for name, dtype in self.stored if own[name] != dtype}
        object.__setattr__(self, "stored", tuple(sorted(kept.items())))

    def _require_countable(self, form: Form) -> None:
        """The sizes that are known must leave every position within 64 bits, whatever the symbols are."""
        extents = _extents(self)
        for tensor in form.tensors:
            sizes = [max(extents[d].value or 1, 1) for d in tensor.dims]
            if BYTES[self.dtype_of(tensor)] * math.prod(sizes) > MAX_BYTES:
                raise SpecError(f"{self.op}: the bytes of {tensor.name} cannot be counted in 64 bits; split the work")

    @classmethod
    def of(
        cls,
        op: str,
        dims: Mapping[str, Dim],
        dtype: str = "float32",
        const: Iterable[str] = (),
        attrs: Mapping[str, AttributeValue] | None = None,
        tail: str = "",
        streamed: Iterable[str] = (),
        stored: Mapping[str, str] | None = None,
    ) -> Workload:
        """Make a workload from dimensions in any order; missing and unknown ones are reported at once.

        What is streamed is constant. A symbol that is called like a tensor, as a convolution's width `Any("w")` like
        its weight, becomes `w_size`.
        """
        spec, chosen = operator(op), []
        for name in attrs or {}:
            spec.attribute(name)
        for attribute in spec.attributes:
            if attribute.name in (attrs or {}):
                value = spec.checked(attribute.name, (attrs or {})[attribute.name])
                if value != attribute.default:
                    chosen.append((attribute.name, value))
        form = _form(op, tuple(chosen))
        wanted = form.dims
        missing = [d for d in wanted if d not in dims]
        unknown = [d for d in dims if d not in wanted]
        if missing or unknown:
            wrong = [f"{d} is missing" for d in missing] + [f"{d} is not a dimension of {op}" for d in unknown]
            expected = ", ".join(f"{d}=..." for d in wanted)
            if unknown and spec.attributes:
                expected += f", and perhaps {', '.join(a.name for a in spec.attributes)}"
            raise SpecError(f"{op}: {'; '.join(wrong)}; expected {expected}")
        form = _with_tail(op, form, write(parse(tail)), tuple(chosen)) if tail else form
        named = _named_apart(form, {d: _plain(dims[d]) for d in wanted})
        streams = tuple(sorted(set(streamed)))
        constants = tuple(sorted({*const, *streams}))
        return cls(op, named, dtype, constants, tuple(chosen), tail, streams, tuple((stored or {}).items()))

    @classmethod
    def parse(cls, text: str) -> Workload:
        """Read the canonical text, or any spelling of it (`?` alone is named after its dimension)."""
        return _parsed(text)

    def __str__(self) -> str:
        words = [f"{name}={dim}" for name, dim in self.dims]
        words += [f"{name}={self.spec.attribute(name).text(value)}" for name, value in self.attrs]
        words.append(f"dtype={self.dtype}")
        if self.const:
            words.append(f"const={'+'.join(self.const)}")
        if self.streamed:
            words.append(f"streamed={'+'.join(self.streamed)}")
        if self.stored:
            words.append(f"stored={'+'.join(f'{name}:{dtype}' for name, dtype in self.stored)}")
        if self.tail:
            words.append(f"tail={self.tail}")
        return f"{self.op}({', '.join(words)})"

    @property
    def spec(self) -> Operator:
        return operator(self.op)

    @property
    def symbols(self) -> tuple[str, ...]:
        """Names of the symbolic dimensions, sorted: the order of the kernel ABI's `dims`."""
        return tuple(sorted({dim.name for _, dim in self.dims if isinstance(dim, Any)}))

    @property
    def is_concrete(self) -> bool:
        return not self.symbols

    def dim(self, name: str) -> Dim:
        """A dimension: its size, or the symbol that stands for it."""
        for key, value in self.dims:
            if key == name:
                return value
        raise SpecError(f"{self.op} has no dimension {name!r}; expected one of {', '.join(self.form.dims)}")

    @property
    def form(self) -> Form:
        """Dimensions and tensors under this workload's attributes and with its tail, tensors as they lie in memory."""
        form = _form(self.op, self.attrs)
        form = _with_tail(self.op, form, self.tail, self.attrs) if self.tail else form
        return _in_memory(form, self.stored) if self.stored else form

    @property
    def anchor(self) -> Workload:
        """The workload without its tail, or what else is made of its result: what is tuned."""
        alone = not self.tail and self.spec.anchor is None and not (self.stored and self.spec.takes_tail)
        return self if alone else _anchor(self)

    @property
    def attributes(self) -> dict[str, AnyType]:
        """Every attribute, defaults included."""
        return self.spec.complete(dict(self.attrs))

    @property
    def tensors(self) -> tuple[TensorSpec, ...]:
        """In the order of the kernel ABI's `data`: inputs, then outputs."""
        return self.form.tensors

    @property
    def inputs(self) -> tuple[TensorSpec, ...]:
        return tuple(t for t in self.tensors if not t.output)

    @property
    def outputs(self) -> tuple[TensorSpec, ...]:
        return tuple(t for t in self.tensors if t.output)

    @property
    def constant_operands(self) -> tuple[str, ...]:
        """The operands that may be known ahead of time."""
        return tuple(t.name for t in self.tensors if t.may_be_constant)

    def tensor(self, name: str) -> TensorSpec:
        """An operand or a result, by its name."""
        for found in self.tensors:
            if found.name == name:
                return found
        raise SpecError(f"{self.op} has no tensor {name!r}; expected one of {', '.join(t.name for t in self.tensors)}")

    def dtype_of(self, tensor: TensorSpec) -> str:
        """Its own, or the workload's."""
        return tensor.dtype or self.dtype

    @property
    def extents(self) -> dict[str, Expr]:
        """Every dimension, derived ones too, as an index expression of the symbols."""
        return dict(_extents(self))

    def bind(self, bindings: Mapping[str, int] | None = None, /, **named: int) -> Workload:
        """Replace symbols (by their names) with numbers; symbols not named stay symbolic."""
        values = {**(bindings or {}), **named}
        unknown = sorted(set(values) - set(self.symbols))
        if unknown:
            raise SpecError(f"{self}: no symbol {', '.join(unknown)}; expected {', '.join(self.symbols) or 'none'}")
        dims = tuple((name, values.get(dim.name, dim) if isinstance(dim, Any) else dim) for name, dim in self.dims)
        return replace(self, dims=dims)

    def renamed(self, names: Mapping[str, str]) -> Workload:
        """The same with other names for its symbols."""
        dims = tuple((d, Any(names.get(dim.name, dim.name)) if isinstance(dim, Any) else dim) for d, dim in self.dims)
        return replace(self, dims=dims)

    def with_const(self, names: Iterable[str]) -> Workload:
        """The same with these operands, too, known ahead of time."""
        return replace(self, const=tuple(sorted(set(self.const) | set(names))))

    def storing(self, dtypes: Mapping[str, str]) -> Workload:
        """The same with these tensors, and no others, in memory in other dtypes than the operator says."""
        stored = tuple(dtypes.items())
        return self if stored == self.stored else replace(self, stored=stored)

    def streaming(self, names: Iterable[str]) -> Workload:
        """The same with these of its constants streamed, and no others."""
        return replace(self, streamed=tuple(sorted(set(names))))

    def sizes(self, bindings: Mapping[str, int] | None = None, /) -> dict[str, int]:
        """Every dimension as a number, derived ones too; raises where a symbol is left unbound."""
        values = dict(bindings or {})
        unknown = sorted(set(values) - set(self.symbols))
        if unknown:
            raise SpecError(f"{self}: no symbol {', '.join(unknown)}; expected {', '.join(self.symbols) or 'none'}")
        for name, dim in self.dims:
            if isinstance(dim, Any) and dim.name not in values:
                raise SpecError(f"{self}: {name} is symbolic; bind {dim.name} first")
        # Not by `bind`: an image smaller than the kernel is refused as a spec, and gives an empty result at run time.
        sizes = {name: extent.evaluate(values) for name, extent in self.extents.items() if name != ONE}
        return {name: max(size, 0) for name, size in sizes.items()}

    def shape(self, tensor: str, bindings: Mapping[str, int] | None = None, /) -> tuple[int, ...]:
        """The concrete shape of one tensor under the bindings."""
        sizes = {**self.sizes(bindings), ONE: 1}
        return tuple(sizes[d] for d in self.tensor(tensor).dims)

    def flops(self, bindings: Mapping[str, int] | None = None, /) -> int:
        """Floating-point operations of one call; symbols must be bound."""
        return self.spec.flops(self.sizes(bindings), self.attributes)


@lru_cache(4096)
def _extents(workload: Workload) -> dict[str, Expr]:
    found = {name: const(dim) if isinstance(dim, int) else var(dim.name) for name, dim in workload.dims}
    for name, derive in workload.form.derived.items():
        found[name] = derive(found)
    return {**found, ONE: const(1)}


@lru_cache(4096)
def _anchor(workload: Workload) -> Workload:
    attrs: Mapping[str, AttributeValue] = dict(workload.attrs)
    if workload.spec.anchor is not None:
        attrs = workload.spec.anchor(workload.attributes)
    found = Workload.of(workload.op, dict(workload.dims), workload.dtype, (), attrs)
    own = {t.name for t in found.tensors}
    found = found.with_const(c for c in workload.const if c in own)
    read = {t.name for t in found.inputs}
    found = found.storing({name: dtype for name, dtype in workload.stored if name in read})
    return found.streaming(c for c in workload.streamed if c in own)


@lru_cache(4096)
def _form(op: str, attrs: Attrs) -> Form:
    spec = operator(op)
    with spec.named():
        return spec.form(spec.complete(dict(attrs)))


@lru_cache(4096)
def _tail_form(
    op: str, dims: tuple[str, ...], tensors: tuple[TensorSpec, ...], tail: str, codes: tuple[str, ...]
) -> tuple[TensorSpec, ...]:
    """The tensors with the tail's operands between inputs and output, those that are `codes` in uint8; a tail that does
    not fit is refused."""
    if not operator(op).takes_tail:
        raise SpecError(f"{op} takes no tail, got {tail!r}")
    (result,) = (t for t in tensors if t.output)
    read = operands(floats(tail), tail)
    if read.pop(result.name, None) != ():
        raise SpecError(f"{op}: the tail {tail!r} must read the result as plain {result.name}")
    taken = {t.name for t in tensors}
    for name, over in read.items():
        if name in taken:
            raise SpecError(f"{op}: the tail {tail!r} calls an operand {name}, which is another tensor's name")
        wrong = [d for d in over if d not in result.dims]
        if wrong or len(set(over)) != len(over):
            what = f"{name}[{', '.join(over)}]"
            raise SpecError(f"{op}: the tail's {what} should have some of the dimensions {', '.join(result.dims)}")
    for name in codes:
        if name not in read:
            raise SpecError(f"{op}: {_CODES} names {name}, which the tail {tail!r} does not read")
    extra = tuple(
        TensorSpec(name, over, may_be_constant=True, dtype="uint8" if name in codes else None)
        for name, over in read.items()
    )
    return (*(t for t in tensors if not t.output), *extra, result)


def _with_tail(op: str, form: Form, tail: str, attrs: Attrs) -> Form:
    codes = tuple(filter(None, str(dict(attrs).get(_CODES, "")).split("+")))
    return Form(form.dims, _tail_form(op, form.dims, form.tensors, tail, codes), form.derived)


def _in_memory(form: Form, stored: tuple[tuple[str, str], ...]) -> Form:
    """The form with tensors in the dtypes that they are stored in."""
    dtypes = dict(stored)
    return replace(form, tensors=tuple(replace(t, dtype=dtypes.get(t.name, t.dtype)) for t in form.tensors))


def _require_free(op: str, form: Form, dim: Any) -> None:
    """A symbol shares the nest with tensors and the arguments of the kernel ABI; loops make way: `symbol_names`."""
    taken = _taken(form)
    if dim.name in taken:
        free = _free(dim.name, taken)
        advice = f"choose another, as in ?{free}, which is Any({free!r})"
        raise SpecError(f"{op}: the name of {dim} is taken inside the kernel; {advice}")


def _plain(dim: Dim) -> Dim:
    """numpy's whole numbers, as they come out of sums of shapes, are whole numbers too."""
    return index(dim) if isinstance(dim, SupportsIndex) and not isinstance(dim, int) else dim


def _named_apart(form: Form, dims: Mapping[str, Dim]) -> tuple[tuple[str, Dim], ...]:
    """The dimensions with other names for those symbols that are called like something inside the kernel."""
    used = {dim.name for dim in dims.values() if isinstance(dim, Any)}
    taken = _taken(form)
    free = {name: _free(name, taken | used) for name in used & taken}
    return tuple((d, Any(free.get(dim.name, dim.name)) if isinstance(dim, Any) else dim) for d, dim in dims.items())


def _taken(form: Form) -> set[str]:
    tensors = [t.name for t in form.tensors]
    return {"data", "dims", "workspace", *tensors, *(f"{name}_packed" for name in tensors)}


def _free(name: str, taken: set[str]) -> str:
    free = f"{name}_size"
    while free in taken:
        free += "_"
    return free


def parse_dim(name: str, text: str) -> Dim:
    """`64` is a number, `?` a symbol named after its dimension, `?t` a symbol named t."""
    text = text.strip()
    if text.startswith("?"):
        if len(text) > 1 and not NAME.match(text[1:]):
            raise SpecError(f"{name}={text}: expected ? or ?name, as in {name}=?tokens")
        return Any(text[1:] or name)
    try:
        return int(text)
    except ValueError:
        raise SpecError(f"{name}={text}: expected a whole number, ? or ?name") from None


@lru_cache(maxsize=1 << 12)
def _parsed(text: str) -> Workload:
    """Remembered, since a model's file names the same ones again and again, in its kernels and in their plans."""
    match = _TEXT.match(text)
    if match is None:
        raise SpecError(f"workload {text!r}: expected op(dim=value, ...), as in dense(m=?, n=768, k=768)")
    op, body = match.groups()
    return _read(
        op,
        body,
        where=f"workload {text!r}",
        defaults={"dtype": "float32", "const": "", "tail": "", "streamed": "", "stored": ""},
    )


_OPTIONS = ("dtype", "const")  # words of the text form that stand beside a --shape


def parse_shape(op: str, text: str, dtype: str = "float32", const: Iterable[str] = ()) -> Workload:
    """The workload that `--op OP --shape m=?,n=768,k=768` means; attributes stand among the dimensions."""
    return _read(
        op,
        text,
        where=f"--shape {text!r}",
        defaults={"tail": "", "streamed": "", "stored": ""},
        dtype=dtype,
        const=const,
    )


def _read(
    op: str,
    text: str,
    where: str,
    defaults: Mapping[str, str],
    dtype: str = "float32",
    const: Iterable[str] = (),
) -> Workload:
    """Dimensions, attributes and the words in `defaults`, in any order.

    `?` alone is named after its dimension.
    """
    spec = operator(op)
    words, dims = dict(defaults), dict[str, Dim]()
    attrs: dict[str, AttributeValue] = {}
    known = {a.name for a in spec.attributes}
    seen: set[str] = set()
    for key, value in pairs(text, where):
        if key in seen:
            raise SpecError(f"{where}: {key} is given twice")
        seen.add(key)
        if key in defaults:
            words[key] = value
        elif key in known:
            attrs[key] = value  # read where it is checked
        elif key in _OPTIONS:
            raise SpecError(f"{where}: {key} is no dimension; give it outside, by --{key}")
        else:
            dims[key] = parse_dim(key, value)
    const = tuple(words["const"].split("+")) if words.get("const") else tuple(const)
    streamed = filter(None, words["streamed"].split("+"))
    stored = _dtypes(words["stored"], where)
    return Workload.of(op, dims, words.get("dtype", dtype), const, attrs, words["tail"], streamed, stored)


def _dtypes(text: str, where: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for part in filter(None, text.split("+")):
        name, colon, dtype = part.partition(":")
        if not colon or name in found:
            raise SpecError(f"{where}: stored={text}: {part!r} is not tensor:dtype, or stands there twice")
        found[name] = dtype
    return found


__all__ = [
    "MAX_BYTES",
    "MAX_DIM",
    "Any",
    "Dim",
    "Workload",
    "parse_dim",
    "parse_shape",
]
