"""The domain com.microsoft, and a row of its table: of these operators ONNX has no schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from anytile.compiler.operators.spec import Shaped
from anytile.importers.core.graph import Refusal, Value
from anytile.importers.onnx.proto.call import Meaning, Row, Signature
from anytile.schedules.index.expr import Expr

DOMAIN = "com.microsoft"


def require_shape(v: Value, sizes: Sequence[Expr], what: str) -> Value:
    """The same tensor, which has as many dimensions, and none of another size, as far as that is known."""
    known = [(d.value, s.value) for d, s in zip(v.dims, sizes, strict=False)]
    if v.rank != len(sizes) or any(d != s for d, s in known if d is not None and s is not None):
        raise Refusal(f"{what} of {v.shaped}; expected {Shaped(tuple(sizes), v.dtype)}")
    return v


def row(name: str, means: Meaning, inputs: int | str, attributes: Mapping[str, Any] | None = None) -> Row:
    """An operator of so many inputs at most, or of inputs of these kinds (see `kinds`), and with these attributes alone
    (see `Signature`)."""
    kinds = tuple(inputs.split()) if isinstance(inputs, str) else ()
    count = inputs if isinstance(inputs, int) else len(kinds)
    return Row(name, means, domain=DOMAIN, signature=Signature(count, attributes or {}, kinds))
