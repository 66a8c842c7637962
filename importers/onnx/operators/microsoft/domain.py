"""The domain com.microsoft, and a row of its table: of these operators ONNX has no schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anytile.importers.onnx.proto.call import Meaning, Row, Signature

DOMAIN = "com.microsoft"


def row(name: str, means: Meaning, inputs: int, attributes: Mapping[str, Any] | None = None) -> Row:
    """An operator of so many inputs at most, and with these attributes alone (see `Signature`)."""
    return Row(name, means, domain=DOMAIN, signature=Signature(inputs, attributes or {}))
