"""Workloads: an operator with its shapes, dtype and constant operands; frozen, hashable, with one canonical text.

The text `dense(m=?m, n=768, k=768, dtype=float32, const=w)` is the key under which everything is remembered, so it
must never change meaning: `Workload.parse(str(w)) == w` holds for every workload.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from anytile.schedules.errors import SpecError
from anytile.schedules.operators import DTYPES, Operator, operator

_IDENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_TEXT = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*)\s*\((.*)\)\s*\Z", re.DOTALL)
MAX_DIM = 2**31 - 1


@dataclass(frozen=True, slots=True, order=True)
class Any:
    """A dimension unknown until run time. Equal names are equal dimensions."""

    name: str

    def __post_init__(self) -> None:
        if not _IDENT.match(self.name):
            raise SpecError(f"Any({self.name!r}): expected a name like 'm' or 'tokens'")

    def __str__(self) -> str:
        return f"?{self.name}"


Dim = int | Any


@dataclass(frozen=True, slots=True)
class Workload:
    """One operator at one (possibly symbolic) shape. Build it with `dense(...)`, `Workload.of` or `Workload.parse`."""

    op: str
    dims: tuple[tuple[str, Dim], ...]
    dtype: str = "float32"
    const: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        spec = operator(self.op)
        names = tuple(name for name, _ in self.dims)
        if names != spec.dims:
            expected, got = ", ".join(spec.dims), ", ".join(names) or "none"
            raise SpecError(f"{self.op}: expected the dimensions {expected}, got {got}")
        for name, dim in self.dims:
            if isinstance(dim, Any):
                _require_free(self.op, spec, dim)
                continue
            if not isinstance(dim, int) or isinstance(dim, bool):
                raise SpecError(f"{self.op}: {name}={dim!r} is neither a whole number nor Any('{name}')")
            if not 0 <= dim <= MAX_DIM:
                raise SpecError(f"{self.op}: {name}={dim} is out of range; expected 0 to {MAX_DIM}")
        if self.dtype not in spec.dtypes:
            known = ", ".join(spec.dtypes)
            raise SpecError(f"{self.op}: dtype {self.dtype!r} is not supported; expected one of {known}")
        allowed = spec.constant_operands
        for name in self.const:
            if name not in allowed:
                raise SpecError(f"{self.op}: operand {name!r} cannot be constant; expected one of {', '.join(allowed)}")
        if tuple(sorted(set(self.const))) != self.const:
            object.__setattr__(self, "const", tuple(sorted(set(self.const))))

    @classmethod
    def of(cls, op: str, dims: Mapping[str, Dim], dtype: str = "float32", const: Iterable[str] = ()) -> Workload:
        """Make a workload from dimensions in any order; missing and unknown ones are reported at once."""
        spec = operator(op)
        missing = [d for d in spec.dims if d not in dims]
        unknown = [d for d in dims if d not in spec.dims]
        if missing or unknown:
            wrong = [f"{d} is missing" for d in missing] + [f"{d} is not a dimension of {op}" for d in unknown]
            raise SpecError(f"{op}: {'; '.join(wrong)}; expected {', '.join(f'{d}=...' for d in spec.dims)}")
        return cls(op, tuple((d, dims[d]) for d in spec.dims), dtype, tuple(sorted(set(const))))

    @classmethod
    def parse(cls, text: str) -> Workload:
        """Read the canonical text, or any spelling of it (`?` alone is named after its dimension)."""
        match = _TEXT.match(text)
        if match is None:
            raise SpecError(f"workload {text!r}: expected op(dim=value, ...), as in dense(m=?, n=768, k=768)")
        op, body = match.groups()
        dims: dict[str, Dim] = {}
        dtype = "float32"
        const: tuple[str, ...] = ()
        for key, value in _pairs(body, where=f"workload {text!r}"):
            if key == "dtype":
                dtype = value
            elif key == "const":
                const = tuple(value.split("+")) if value else ()
            elif key in dims:
                raise SpecError(f"workload {text!r}: {key} is given twice")
            else:
                dims[key] = parse_dim(key, value)
        return cls.of(op, dims, dtype, const)

    def __str__(self) -> str:
        dims = ", ".join(f"{name}={dim}" for name, dim in self.dims)
        const = f", const={'+'.join(self.const)}" if self.const else ""
        return f"{self.op}({dims}, dtype={self.dtype}{const})"

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
        for key, value in self.dims:
            if key == name:
                return value
        raise SpecError(f"{self.op} has no dimension {name!r}; expected one of {', '.join(self.spec.dims)}")

    def bind(self, bindings: Mapping[str, int] | None = None, /, **named: int) -> Workload:
        """Replace symbols (by their names) with numbers; symbols not named stay symbolic."""
        values = {**(bindings or {}), **named}
        unknown = sorted(set(values) - set(self.symbols))
        if unknown:
            raise SpecError(f"{self}: no symbol {', '.join(unknown)}; expected {', '.join(self.symbols) or 'none'}")
        dims = tuple((name, values.get(dim.name, dim) if isinstance(dim, Any) else dim) for name, dim in self.dims)
        return replace(self, dims=dims)

    def with_const(self, names: Iterable[str]) -> Workload:
        return replace(self, const=tuple(sorted(set(self.const) | set(names))))

    def sizes(self, bindings: Mapping[str, int] | None = None, /) -> dict[str, int]:
        """Every dimension as a number; raises where a symbol is left unbound."""
        bound = self.bind(bindings or {})
        for name, dim in bound.dims:
            if isinstance(dim, Any):
                raise SpecError(f"{self}: {name} is symbolic; bind {dim.name} first")
        return {name: dim for name, dim in bound.dims if isinstance(dim, int)}

    def shape(self, tensor: str, bindings: Mapping[str, int] | None = None, /) -> tuple[int, ...]:
        """The concrete shape of one tensor under the bindings."""
        sizes = self.sizes(bindings)
        return tuple(sizes[d] for d in self.spec.tensor(tensor).dims)

    def flops(self, bindings: Mapping[str, int] | None = None, /) -> int:
        return self.spec.flops(self.sizes(bindings))


def _require_free(op: str, spec: Operator, dim: Any) -> None:
    """A symbol shares the loop nest with tensors, loops (`i_...`, `p_...`) and the arguments of the kernel ABI."""
    taken = {"data", "dims", "workspace", *(t.name for t in spec.tensors), *(f"{t.name}_packed" for t in spec.tensors)}
    if dim.name in taken or dim.name.startswith(("i_", "p_")):
        raise SpecError(f"{op}: the name of {dim} is taken inside the kernel; choose another, as in ?tokens")


def parse_dim(name: str, text: str) -> Dim:
    """`64` is a number, `?` a symbol named after its dimension, `?t` a symbol named t."""
    text = text.strip()
    if text.startswith("?"):
        return Any(text[1:] or name)
    try:
        return int(text)
    except ValueError:
        raise SpecError(f"{name}={text}: expected a whole number, ? or ?name") from None


def parse_shape(op: str, text: str, dtype: str = "float32", const: Iterable[str] = ()) -> Workload:
    """The workload that `--op OP --shape m=?,n=768,k=768` means."""
    dims: dict[str, Dim] = {}
    for key, value in _pairs(text, where=f"--shape {text!r}"):
        if key in dims:
            raise SpecError(f"--shape {text!r}: {key} is given twice")
        dims[key] = parse_dim(key, value)
    return Workload.of(op, dims, dtype, const)


def _pairs(text: str, where: str) -> Iterator[tuple[str, str]]:
    for part in filter(None, (p.strip() for p in text.split(","))):
        key, eq, value = part.partition("=")
        key = key.strip()
        if not eq or not _IDENT.match(key):
            raise SpecError(f"{where}: {part!r} is not name=value; expected a list like m=?,n=768,k=768")
        yield key, value.strip()


def dense(m: Dim, n: Dim, k: Dim, dtype: str = "float32", const: Iterable[str] = ()) -> Workload:
    """`y[m, n] = sum_k x[m, k] * w[n, k]`: a fully connected layer. `const=("w",)`: w is known ahead of time."""
    return Workload.of("dense", {"m": m, "n": n, "k": k}, dtype, const)


__all__ = ["DTYPES", "MAX_DIM", "Any", "Dim", "Workload", "dense", "parse_dim", "parse_shape"]
