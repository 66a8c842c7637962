"""The domain com.microsoft, and a row of its table: of these operators ONNX has no schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anytile.importers.onnx.proto.call import Meaning, Row, Signature

DOMAIN = "com.microsoft"


def row(name: str, means: Meaning, inputs: int | str, attributes: Mapping[str, Any] | None = None) -> Row:
    """An operator of so many inputs at most, or of inputs of these kinds (see `kinds`), and with these attributes alone
    (see `Signature`)."""
    kinds = tuple(inputs.split()) if isinstance(inputs, str) else ()
    count = inputs if isinstance(inputs, int) else len(kinds)
    return Row(name, means, domain=DOMAIN, signature=Signature(count, attributes or {}, kinds))
