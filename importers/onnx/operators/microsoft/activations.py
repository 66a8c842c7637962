"""Activations of com.microsoft: kinds of gelu, with a bias or without, and those that products name in an attribute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from anytile.importers.core.graph import Refusal, Value
from anytile.importers.onnx.operators import elementwise
from anytile.importers.onnx.operators.microsoft.domain import require_shape, row
from anytile.importers.onnx.proto.call import Call, Row


def _gelu(name: str) -> Row:
    return row(name, lambda c: c.do("gelu", _biased(c)), "d d" if "Bias" in name else "d")


def _biased(c: Call) -> Value:
    bias = c.maybe(1)
    return c.x if bias is None else c.do("add", c.x, require_shape(bias, c.x.dims[-1:], "a bias"))


def _quick(c: Call) -> Value:
    """onnxruntime's optimiser writes SiLU so, too, which has kernels of its own."""
    if c.attr("alpha") == 1.0:
        return c.do("silu", c.x)
    alpha = c.number(c.attr("alpha"), c.x)
    return c.do("multiply", c.x, c.do("sigmoid", c.do("multiply", c.x, alpha)))


def _split_gelu(c: Call) -> Value:
    """One half of the elements of each row, times the gelu of the other."""
    x = c.do("add", c.x, c[1])
    half, rest = divmod(c.size(x, x.rank - 1), 2)
    if rest:
        raise Refusal(f"two halves of the last dimension of {x.shaped}")
    left, right = (c.cut(x, x.rank - 1, begin, begin + half) for begin in (0, half))
    return c.do("multiply", left, c.do("gelu", right))


_BY_PARAMETERS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("Relu", "Sigmoid", "Tanh", "Softplus", "Softsign"), ()),
    "Clip": ("min", "max"),
    "Elu": ("alpha",),
    "HardSigmoid": ("alpha", "beta"),
    "LeakyRelu": ("alpha",),
    "Selu": ("alpha", "gamma"),
    "ThresholdedRelu": ("alpha",),
}
_OF_ONNX = {row.name: row.means for row in elementwise.ROWS}
_BEFORE = 6  # the version of operators whose parameters are attributes


def activated(c: Call, x: Value, name: str, parameters: Sequence[float] = ()) -> Value:
    """What an activation makes of what a node computed; without parameters it has ONNX's."""
    if name in ("", "Silu"):
        return c.do("silu", x) if name else x
    known = _BY_PARAMETERS.get(name)
    if known is None:
        raise Refusal(f"activation={name}; supported are {', '.join(sorted((*_BY_PARAMETERS, 'Silu')))}")
    if len(parameters) not in (0, len(known)):
        raise Refusal(f"{len(parameters)} parameters of the activation {name}; expected {len(known)}")
    attributes = dict(zip(known, parameters, strict=False))
    made = _OF_ONNX[name](replace(c, op=name, version=_BEFORE, inputs=(x,), attributes=attributes))
    assert isinstance(made, Value)
    return made


def named(c: Call, x: Value) -> Value:
    """The activation that a node's attributes name, its parameters too."""
    name = str(c.attr("activation", ""))
    given = [c.attr(f"activation_{p}") for p in _BY_PARAMETERS.get(name, ())]
    return activated(c, x, name, [p for p in given if p is not None])


ROWS = (
    _gelu("Gelu"),
    _gelu("BiasGelu"),
    row("FastGelu", lambda c: c.do("gelu_tanh", _biased(c)), "d d"),
    row("BiasSplitGelu", _split_gelu, "f f"),
    row("QuickGelu", _quick, "d", {"alpha": 1.702}),
)
