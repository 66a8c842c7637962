"""The discrete Fourier transform, of real and complex signals; it has no kernel: the host does what numpy says.

A complex number is a last dimension of 2, real and imaginary part. numpy transforms in the dtype of the signal, as
everybody's transforms do, so that waves that cancel leave what they leave elsewhere.
"""

from __future__ import annotations

import numpy as np

from anytile.compiler.ir.nodes import Array
from anytile.compiler.operators.spec import Attribute, Attributes, Facts, Mismatch, Operator, Shaped, integer, of_dtype
from anytile.schedules.index.expr import const
from anytile.schedules.operators.spec import MAX_NUMBER, example

_SIGNALS = ("float32", "float64")


def _transform(args: tuple[Shaped, ...], attrs: Attributes, facts: Facts) -> tuple[Shaped, ...]:
    (x,) = args
    of_dtype(x, _SIGNALS, "x")
    parts = facts.number(x.dims[-1]) if x.rank > 1 else None
    if parts not in (1, 2):
        raise Mismatch(f"x has the shape {x}; expected a last dimension of 1, or of 2 for complex numbers")
    given = integer(attrs, "size")
    waves = x.dims[-2]
    if attrs["inverse"] and attrs["half"]:
        if parts != 2:
            raise Mismatch(f"x has the shape {x}; expected complex numbers, in a last dimension of 2")
        size = const(given) if given else (waves - 1) * 2
        facts.at_least(size, 1, "elements of the signal")
        facts.at_least(waves, 1, "waves")
        return (Shaped((*x.dims[:-2], size, const(1)), x.dtype),)
    size = const(given) if given else waves
    facts.at_least(size, 1, "elements to transform")
    if attrs["half"]:
        size = size // 2 + 1
    return (Shaped((*x.dims[:-2], size, const(2)), x.dtype),)


def _transformed(arrays: tuple[Array, ...], attrs: Attributes) -> tuple[Array, ...]:
    (x,) = arrays
    signal = x[..., 0] + np.asarray(1j, np.result_type(x, np.complex64)) * x[..., 1] if x.shape[-1] == 2 else x[..., 0]
    size = integer(attrs, "size") or None
    if attrs["inverse"] and attrs["half"]:
        return (np.fft.irfft(signal, size, axis=-1)[..., None],)
    made = np.fft.ifft(signal, size, axis=-1) if attrs["inverse"] else np.fft.fft(signal, size, axis=-1)
    made = made[..., : made.shape[-1] // 2 + 1] if attrs["half"] else made
    return (np.stack([made.real, made.imag], axis=-1),)


ROWS = (
    Operator(
        name="fourier",
        summary="the Fourier transform of x(..., elements, 1 or 2): y(..., waves, 2), complex numbers in two parts",
        inputs=("x",),
        relation=_transform,
        numpy=_transformed,
        attributes=(
            Attribute(
                "size", "int", 0, "how many elements, x cut off or filled with zeros; 0: all", least=0, most=MAX_NUMBER
            ),
            Attribute("inverse", "bool", False, "whether from waves to elements"),
            Attribute("half", "bool", False, "the first half of the waves only, from which the inverse is real"),
        ),
        examples=(
            example("(?b, 6, 1)", half=True),
            example("(?b, 5, 2)", size=7),
            example("(?b, 6, 2)", inverse=True),
            example("(?b, 5, 2)", inverse=True, half=True),
        ),
    ),
)
