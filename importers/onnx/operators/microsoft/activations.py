"""Activations of com.microsoft: kinds of gelu, with a bias or without."""

from __future__ import annotations

from anytile.importers.core.graph import Value
from anytile.importers.onnx.proto.call import Call, Row, Signature

DOMAIN = "com.microsoft"


def _gelu(name: str) -> Row:
    return Row(name, lambda c: c.do("gelu", _biased(c)), domain=DOMAIN, signature=Signature(2 if "Bias" in name else 1))


def _biased(c: Call) -> Value:
    bias = c.maybe(1)
    return c.x if bias is None else c.do("add", c.x, bias)


def _quick(c: Call) -> Value:
    alpha = c.number(c.attr("alpha"), c.x)
    return c.do("multiply", c.x, c.do("sigmoid", c.do("multiply", c.x, alpha)))


ROWS = (
    _gelu("Gelu"),
    _gelu("BiasGelu"),
    Row("FastGelu", lambda c: c.do("gelu_tanh", _biased(c)), domain=DOMAIN, signature=Signature(2)),
    Row("QuickGelu", _quick, domain=DOMAIN, signature=Signature(1, {"alpha": 1.702})),
)
