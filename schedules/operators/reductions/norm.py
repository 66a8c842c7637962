"""Normalisations: layer_norm and rms_norm of rows, batch_norm with statistics that are known.

`pre` is an expression of x that is normalised in its place, as `x + r[rows, n]` for a residual; x stands in it alone,
its other operands over some of the dimensions.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from anytile.core.errors import SpecError
from anytile.schedules.nest import elementwise_text
from anytile.schedules.nest.elementwise_types import floats
from anytile.schedules.operators.spec import (
    Array,
    Attribute,
    Attributes,
    Call,
    Form,
    Operator,
    TensorSpec,
    example,
    fixed,
    wide,
)

ROW = ("rows", "n")
_GAMMA, _BETA = (TensorSpec(name, ("n",), may_be_constant=True) for name in ("gamma", "beta"))
_CHANNELS = ("outer", "c", "inner")


def _pre(text: str) -> str:
    return elementwise_text.write(elementwise_text.parse(text))


EPS = Attribute("eps", "float", 1e-5, "what is added to the variance", least=0)
PRE = Attribute("pre", "str", "x", "what is normalised: an expression of x", canonical=_pre)


def epsilon(attributes: Attributes) -> float:
    return float(attributes["eps"])


def _with_pre(op: str, attributes: Attributes, *more: TensorSpec) -> Form:
    """The tensors of a row operator, the other operands of `pre` after x."""
    text = str(attributes["pre"])
    read = elementwise_text.operands(floats(text), text)
    if read.pop("x", None) != ():
        raise SpecError(f"{op}: pre={text}: expected x in it, as in x + r[rows, n]")
    taken = {"y", *ROW, *(t.name for t in more)}
    for name, over in read.items():
        if name in taken or name.startswith(("i_", "p_")):
            raise SpecError(f"{op}: pre={text}: {name} is another tensor's name")
        if not set(over) <= set(ROW) or len(set(over)) != len(over):
            raise SpecError(f"{op}: pre={text}: {name} should have some of the dimensions {', '.join(ROW)}")
    extra = (TensorSpec(name, over, may_be_constant=True) for name, over in read.items())
    return Form(ROW, (TensorSpec("x", ROW), *extra, *more, TensorSpec("y", ROW, output=True)))


def _normalised(inputs: Mapping[str, Array], attributes: Attributes) -> Array:
    value = floats(str(attributes["pre"]))
    read = {"x": wide(inputs["x"])}
    for name, over in elementwise_text.operands(value, "").items():
        if name != "x":
            given = wide(inputs[name])
            read[name] = given.T if over == ("n", "rows") else given[:, None] if over == ("rows",) else given
    return np.asarray(elementwise_text.evaluate(value, read))


def _layer_norm(inputs: Mapping[str, Array], attributes: Attributes) -> tuple[Array, ...]:
    with np.errstate(all="ignore"):
        x = _normalised(inputs, attributes)
        count = np.float64(x.shape[1])
        centred = x - x.sum(axis=1, keepdims=True) / count
        variance = np.square(centred).sum(axis=1, keepdims=True) / count
        scaled = centred / np.sqrt(variance + epsilon(attributes))
        return (scaled * wide(inputs["gamma"]) + wide(inputs["beta"]),)


def _rms_norm(inputs: Mapping[str, Array], attributes: Attributes) -> tuple[Array, ...]:
    with np.errstate(all="ignore"):
        x = _normalised(inputs, attributes)
        square = np.square(x).sum(axis=1, keepdims=True) / np.float64(x.shape[1])
        return (x / np.sqrt(square + epsilon(attributes)) * wide(inputs["gamma"]),)


def _batch_norm(inputs: Mapping[str, Array], attributes: Attributes) -> tuple[Array, ...]:
    x = wide(inputs["x"])
    gamma, beta, mean, variance = (wide(inputs[t])[None, :, None] for t in ("gamma", "beta", "mean", "variance"))
    with np.errstate(all="ignore"):
        scale = gamma / np.sqrt(variance + epsilon(attributes))
        return (x * scale + (beta - mean * scale),)


LAYER_NORM = Operator(
    name="layer_norm",
    summary="y[rows, n] = (x - mean_n x) / sqrt(variance_n x + eps) * gamma[n] + beta[n]",
    form=lambda a: _with_pre("layer_norm", a, _GAMMA, _BETA),
    flops=lambda s, _: 8 * s["rows"] * s["n"],
    reference=_layer_norm,
    attributes=(EPS, PRE),
    about='Rows of mean 0 and variance 1, times gamma[n], plus beta[n]; `pre="x + r[rows, n]"` normalises that sum.',
    section="Reductions",
    examples=("layer_norm(rows=?a, n=?b)",),
    calls=(
        Call(
            summary="y[..., n] = (x - mean_n x) / sqrt(variance_n x + eps) * gamma[n] + beta[n]",
            spread=("rows",),
            attributes=(EPS,),
            examples=(example("(?b, ?t, 6)", "(6)", "(6)"),),
        ),
    ),
)
RMS_NORM = Operator(
    name="rms_norm",
    summary="y[rows, n] = x / sqrt(mean_n x*x + eps) * gamma[n]",
    form=lambda a: _with_pre("rms_norm", a, _GAMMA),
    flops=lambda s, _: 4 * s["rows"] * s["n"],
    reference=_rms_norm,
    attributes=(EPS, PRE),
    about="Rows divided by the root of their mean square, times gamma[n]; `pre` as in `layer_norm`.",
    section="Reductions",
    examples=("rms_norm(rows=?a, n=?b)",),
    calls=(
        Call(
            summary="y[..., n] = x / sqrt(mean_n x*x + eps) * gamma[n]",
            spread=("rows",),
            attributes=(EPS,),
            examples=(example("(?b, ?t, 6)", "(6)", eps=1e-6),),
        ),
    ),
)
BATCH_NORM = Operator(
    name="batch_norm",
    summary="y[outer, c, inner] = (x - mean[c]) / sqrt(variance[c] + eps) * gamma[c] + beta[c]",
    form=fixed(
        *_CHANNELS,
        tensors=(
            TensorSpec("x", _CHANNELS),
            *(TensorSpec(t, ("c",), may_be_constant=True) for t in ("gamma", "beta", "mean", "variance")),
            TensorSpec("y", _CHANNELS, output=True),
        ),
    ),
    flops=lambda s, _: 2 * s["outer"] * s["c"] * s["inner"],
    reference=_batch_norm,
    attributes=(EPS,),
    about="`(x - mean[c]) / sqrt(variance[c] + eps) * gamma[c] + beta[c]` on (outer, c, inner), statistics given.",
    section="Reductions",
    examples=("batch_norm(outer=?a, c=?b, inner=?c)",),
    calls=(
        Call(
            summary="(x - mean) / sqrt(variance + eps) * gamma + beta along an axis, statistics given",
            spread=("outer", "inner"),
            attributes=(EPS, Attribute("axis", "int", 1, "the dimension of the channels")),
            examples=(example("(?b, 6, ?t)", "(6)", "(6)", "(6)", "positive (6)"),),
        ),
    ),
)
