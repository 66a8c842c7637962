"""Attributes of ONNX nodes: numbers, texts, arrays and graphs, completed by what the operator's schema says."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from anytile.importers.core.graph import Refusal
from anytile.importers.onnx.proto.load import tensor_of


def attributes_of(
    node: Any, given: Mapping[str, Any], schema: Any, folder: Path | None, field: str = "attribute"
) -> dict[str, Any]:
    """Every attribute by name. Inside a function one may stand for an attribute of the call, out of `given`."""
    made: dict[str, Any] = {}
    known = None if schema is None else schema.attributes
    if known is not None:
        for name, declared in known.items():
            if declared.default_value.name:
                made[name] = _value(declared.default_value, folder)
    for attribute in getattr(node, field):
        if known is not None and attribute.name not in known:
            raise Refusal(f"no attribute {attribute.name!r}; expected one of {', '.join(sorted(known)) or 'none'}")
        if attribute.ref_attr_name:
            if given.get(attribute.ref_attr_name) is not None:
                made[attribute.name] = given[attribute.ref_attr_name]
            continue
        if known is not None and attribute.type != int(known[attribute.name].type.value):
            wanted = known[attribute.name].type.name.lower()
            raise Refusal(f"the attribute {attribute.name}, of type {attribute.type}; expected {wanted}")
        made[attribute.name] = _value(attribute, folder)
    return made


def _value(attribute: Any, folder: Path | None) -> Any:
    match attribute.type:
        case 1:
            return float(attribute.f)
        case 2:
            return int(attribute.i)
        case 3:
            return attribute.s.decode(errors="replace")
        case 4:
            return tensor_of(attribute.t, folder)
        case 5:
            return attribute.g
        case 6:
            return tuple(attribute.floats)
        case 7:
            return tuple(attribute.ints)
        case 8:
            return tuple(s.decode(errors="replace") for s in attribute.strings)
        case 13:
            return attribute.tp
    raise Refusal(f"the attribute {attribute.name}, of type {attribute.type}")
