"""ATen's operators of complex numbers: rotations, as of attention's queries and keys, and Fourier transforms.

What moves numbers or adds them up does so with both parts, as the row of real numbers says. Transforms are the host's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from anytile.importers.core.graph import Refusal, Value
from anytile.importers.torch.aten.aten_elementwise import ROWS as ELEMENTWISE
from anytile.importers.torch.aten.aten_indexing import ROWS as INDEXING
from anytile.importers.torch.aten.aten_products import ROWS as PRODUCTS
from anytile.importers.torch.aten.aten_reductions import ROWS as REDUCTIONS
from anytile.importers.torch.aten.aten_shapes import ROWS as SHAPES
from anytile.importers.torch.aten.aten_shapes import row_at
from anytile.importers.torch.graph.aten_call import Call, Held
from anytile.importers.torch.graph.complex_parts import Parts
from anytile.schedules.index.expr import Expr, const, product

Made = Parts | tuple[Parts, ...]  # the latter where there are several results
Meaning = Callable[[Call], Made | Value]
_REAL = {row.name: row.means for row in (*ELEMENTWISE, *INDEXING, *PRODUCTS, *REDUCTIONS, *SHAPES)}
_UNSCALED, _BY_ROOT = 0, 1  # torch's numbers for how transforms are scaled; 2 is by the count of elements


def _parts(c: Call, given: Held) -> Parts:
    """What is given as complex numbers."""
    if isinstance(given, Parts):
        return given
    if isinstance(given, complex):
        return Parts(c.valued(given.real, c.dtype), c.valued(given.imag, c.dtype))
    real = c.valued(given, c.dtype)
    return Parts(real, c.broadcast(c.number(0, real), real.dims))


def _complex(c: Call, name: str) -> Parts:
    found = c.arg(name)
    if not isinstance(found, Parts):
        raise Refusal(f"{name} is real where complex numbers are expected")
    return found


def _real(c: Call, name: str, **args: Held) -> Value:
    """What a row of real numbers makes of some arguments in place of the call's."""
    made = _REAL[name](replace(c, args={**c.args, **args}))
    assert isinstance(made, Value)
    return made


def _each(name: str, *numbers: str) -> Callable[[Call], Made]:
    """An operator that does the same with both parts; `numbers` are arguments that may be real, or lists of such."""

    def part(c: Call, held: Held, is_real: bool, is_number: bool) -> Held:
        if isinstance(held, list | tuple):
            return [part(c, h, is_real, is_number) for h in held]
        found = _parts(c, held) if is_number else held
        if isinstance(found, Parts):
            return found.real if is_real else found.imaginary
        return found

    def means(c: Call) -> Made:
        found: list[Any] = [
            _REAL[name](replace(c, args={k: part(c, held, is_real, k in numbers) for k, held in c.args.items()}))
            for is_real in (True, False)
        ]
        return tuple(map(Parts, *found)) if isinstance(found[0], tuple) else Parts(*found)

    return means


def _times(name: str, first: str = "self", second: str = "other") -> Meaning:
    """A product of any kind: of complex numbers four of parts."""

    def means(c: Call) -> Parts:
        a, b = (_parts(c, g) if isinstance(g, complex) else g for g in (c.args[first], c.args[second]))
        if not isinstance(b, Parts):
            return a.each(lambda part: _real(c, name, **{first: part, second: b}))
        if not isinstance(a, Parts):
            return b.each(lambda part: _real(c, name, **{first: a, second: part}))

        def of(x: Value, y: Value) -> Value:
            return _real(c, name, **{first: x, second: y})

        return Parts(
            c.do("subtract", of(a.real, b.real), of(a.imaginary, b.imaginary)),
            c.do("add", of(a.real, b.imaginary), of(a.imaginary, b.real)),
        )

    return means


def _divided(c: Call) -> Parts:
    """By complex numbers: times what they are mirrored, by the square of how long they are."""
    a, by = c.args["self"], c.args["other"]
    if not isinstance(by, Parts | complex):
        return _complex(c, "self").each(lambda part: _real(c, "div", self=part))
    by = _parts(c, by)
    square = c.do("add", c.do("square", by.real), c.do("square", by.imaginary))
    made = _times("mul")(replace(c, args={"self": a, "other": _mirrored(c, by)}))
    assert isinstance(made, Parts)
    return made.each(lambda part: c.do("divide", part, square))


def _mirrored(c: Call, x: Parts) -> Parts:
    return Parts(x.real, c.do("negative", x.imaginary))


def _polar(c: Call) -> Parts:
    length, angle = c["abs"], c["angle"]
    return Parts(*(c.do("multiply", length, c.do(name, angle)) for name in ("cos", "sin")))


def _exponential(c: Call) -> Parts:
    x = _complex(c, "self")
    length = c.do("exp", x.real)
    return Parts(*(c.do("multiply", length, c.do(name, x.imaginary)) for name in ("cos", "sin")))


def _length(c: Call) -> Value:
    x = _complex(c, "self")
    return c.do("sqrt", c.do("add", c.do("square", x.real), c.do("square", x.imaginary)))


def _angle(c: Call) -> Value:
    x = _complex(c, "self")
    return _real(c, "atan2", self=x.imaginary, other=x.real)


def _seen_as_complex(c: Call) -> Parts:
    x = c.x
    return Parts(*(row_at(c, x, x.rank - 1, const(i)) for i in (0, 1)))


def _beside(c: Call, x: Parts) -> Value:
    """Both parts in a last dimension of 2."""
    parts = (c.reshape(part, (*part.dims, 1)) for part in (x.real, x.imaginary))
    return c.do("concat", *parts, axis=x.real.rank)


def _copied(c: Call) -> Parts | Value:
    """To another dtype; what is real then is the real part."""
    x, kind = _parts(c, next(iter(c.args.values()))), c.arg("dtype")
    is_real = kind is not None and not kind.is_complex
    return c.cast(x.real, c.dtype) if is_real else x.each(lambda part: c.cast(part, c.dtype))


def _filled_up(c: Call) -> Made:
    """With zeros around it: another number is the real part's alone."""
    if c.arg("value", 0) != 0:
        raise Refusal(f"complex numbers filled up with {c.arg('value')}; expected 0")
    return _each("constant_pad_nd")(c)


# -- Fourier transforms ------------------------------------------------------------------------------------------------


def _transform(c: Call, x: Parts | Value, axis: int, inverse: bool, half: bool = False) -> Parts:
    """Along one axis, by numpy's rule: from waves to elements by the count of them."""
    signal = _beside(c, x) if isinstance(x, Parts) else c.reshape(x, (*x.dims, 1))
    rank = signal.rank - 1
    order = [*(i for i in range(rank) if i != axis), axis, rank]
    made = c.do("fourier", c.transpose(signal, order), inverse=inverse, half=half)
    made = c.transpose(made, [order.index(i) for i in range(rank + 1)])
    return Parts(*(row_at(c, made, rank, const(i)) for i in (0, 1)))


def _scaled(c: Call, x: Value, sizes: Sequence[Expr], inverse: bool) -> Value:
    """As torch asks for: not at all, by the root of the count of elements, or by the count."""
    how, count = c.count("normalization"), c.cast(c.scalar(product(sizes)), x.dtype)
    if how == _BY_ROOT:
        return c.do("multiply" if inverse else "divide", x, c.do("sqrt", count))
    if inverse:
        return c.do("multiply", x, count) if how == _UNSCALED else x
    return x if how == _UNSCALED else c.do("divide", x, count)


def _axes(c: Call, rank: int) -> list[int]:
    return [c.axis(a, rank) for a in c.ints("dim")]


def _of_real(c: Call) -> Parts:
    """Of a real signal: the last of the axes first, of which half is all there is to know."""
    x = c.x
    *others, last = _axes(c, x.rank)
    sizes = [x.dims[a] for a in (*others, last)]
    made = _transform(c, x, last, False, bool(c.arg("onesided")))
    for axis in others:
        made = _transform(c, made, axis, False)
    return made.each(lambda part: _scaled(c, part, sizes, False))


def _of_complex(c: Call) -> Parts:
    made, inverse = _complex(c, "self"), not c.arg("forward")
    axes = _axes(c, made.real.rank)
    sizes = [made.real.dims[a] for a in axes]
    for axis in axes:
        made = _transform(c, made, axis, inverse)
    return made.each(lambda part: _scaled(c, part, sizes, inverse))


def _to_real(c: Call) -> Value:
    """From half of the waves: the other half mirrors it, so any count of elements has its waves."""
    made = _complex(c, "self")
    *others, last = _axes(c, made.real.rank)
    for axis in others:
        made = _transform(c, made, axis, True)
    size = c.size_of(c.arg("last_dim_size"), "last_dim_size")
    at = c.positions(size)
    behind = c.do("subtract", c.scalar(size), at)
    is_behind = c.do("less", behind, at)
    near = c.do("minimum", at, behind)
    made = made.each(lambda part: c.do("take", part, near, axis=last))
    kept = c.reshape(is_behind, (size, *[1] * (made.real.rank - 1 - last)))
    mirrored = c.do("where", kept, c.do("negative", made.imaginary), made.imaginary)
    elements = _transform(c, Parts(made.real, mirrored), last, True).real
    return _scaled(c, elements, [elements.dims[a] for a in (*others, last)], True)


ROWS: dict[str, Meaning] = {
    "polar": _polar,
    "complex": lambda c: Parts(c["real"], c["imag"]),
    "view_as_complex": _seen_as_complex,
    "view_as_real": lambda c: _beside(c, _complex(c, "self")),
    "real": lambda c: _complex(c, "self").real,
    "imag": lambda c: _complex(c, "self").imaginary,
    "abs": _length,
    "angle": _angle,
    "exp": _exponential,
    "mul": _times("mul"),
    "mm": _times("mm", "self", "mat2"),
    "bmm": _times("bmm", "self", "mat2"),
    "matmul": _times("matmul"),
    "div": _divided,
    "reciprocal": lambda c: _divided(replace(c, args={"self": 1, "other": c.args["self"]})),
    "_to_copy": _copied,
    "prims.convert_element_type": _copied,
    "constant_pad_nd": _filled_up,
    "_fft_r2c": _of_real,
    "_fft_c2c": _of_complex,
    "_fft_c2r": _to_real,
    **{
        name: lambda c: _mirrored(c, _complex(c, "self"))
        for name in ("_conj", "conj", "conj_physical", "_conj_physical")
    },
    **{name: lambda c: _complex(c, "self") for name in ("resolve_conj", "resolve_neg")},
    **{name: _each(name, "self", "other") for name in ("add", "sub", "rsub", "where")},
    **{name: _each(name, "tensors") for name in ("cat", "stack")},
    **{name: _each(name, "fill_value") for name in ("full", "full_like", "new_full")},
    "scalar_tensor": _each("scalar_tensor", "s"),
    **{
        name: _each(name)
        for name in (
            *("neg", "sum", "mean", "cumsum", "clone", "contiguous", "detach", "alias", "lift_fresh_copy"),
            *("zeros", "zeros_like", "view", "_unsafe_view", "reshape", "unsqueeze", "squeeze", "permute"),
            *("transpose", "t", "expand", "slice", "select", "index", "index_select", "split", "split_with_sizes"),
            *("unbind", "repeat", "flip", "roll"),
        )
    },
}
