"""Kinds of inputs of com.microsoft: those of onnxruntime's schemas, and files that have others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from anytile.core.errors import UnsupportedError
from anytile.importers.onnx.model import import_model
from anytile.importers.onnx.operators.microsoft import ROWS, narrow
from anytile.importers.onnx.operators.microsoft.domain import DOMAIN
from anytile.importers.onnx.proto.call import Row
from anytile.importers.onnx.proto.kinds import DTYPES, LETTERS
from tests.importers.onnx.microsoft.models import contrib, model

HERE = {"float": "float32", "double": "float64"}  # names that onnxruntime has for dtypes


OPERATORS = [r for r in (*ROWS, *narrow.ROWS) if r.domain == DOMAIN and r.signature is not None and r.signature.kinds]


def _schemas() -> dict[str, Any]:
    state = pytest.importorskip("onnxruntime.capi.onnxruntime_pybind11_state")
    return {s.name: s for s in state.get_all_operator_schema() if s.domain == DOMAIN}


def _dtypes(schema: Any, at: int) -> set[str]:
    """What an input may be; a type that several share has a name."""
    said = schema.inputs[at].typeStr
    named = {t.type_param_str: t.allowed_type_strs for t in schema.type_constraints}
    plain = [t.removeprefix("tensor(").removesuffix(")") for t in named.get(said, [said])]
    return {HERE.get(t, t) for t in plain}


def _said(word: str) -> set[str]:
    return {d for kind in word.split("|") for d in LETTERS.get(kind) or (DTYPES[kind],)}


@pytest.mark.parametrize("row", OPERATORS, ids=lambda row: row.name)
def test_what_onnxruntime_takes_is_taken(row: Row) -> None:
    schema, kinds = _schemas()[row.name], row.signature.kinds if row.signature else ()
    assert len(kinds) == len(schema.inputs)
    for at, word in enumerate(kinds):
        if word != "*":
            assert _dtypes(schema, at) <= _said(word) or "c" in word, (at, word)
            more = _said(word) - _dtypes(schema, at)
            assert more <= {"float16", "bfloat16", "float64"} or "c" in word, (at, word, more)
    for one, other in _pairs(kinds):
        assert schema.inputs[one].typeStr == schema.inputs[other].typeStr, (one, other)


def _pairs(kinds: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Inputs that must be alike."""
    for at, word in enumerate(kinds):
        for before in range(at):
            if word == kinds[before] and word in LETTERS:
                yield before, at


@pytest.mark.parametrize(
    ("name", "dtypes", "said"),
    [
        (
            "MatMulNBits",
            {"x": "float32", "w": "uint8", "scale": "bool"},
            "input 2 is bool; expected float32 as input 0",
        ),
        (
            "MatMulNBits",
            {"x": "int8", "w": "uint8", "scale": "int8"},
            "input 0 is int8; expected float32 or float16 or",
        ),
        (
            "MatMulNBits",
            {"x": "float32", "w": "uint8", "scale": "float32", "zero": "float16"},
            "input 3 is float16; expected uint8 or float32 as input 0",
        ),
        ("QLinearSigmoid", {"x": "uint8", "s": "float32", "z": "int8"}, "input 2 is int8; expected uint8 as input 0"),
        ("MultiHeadAttention", {"q": "float32", "k": "float16"}, "input 1 is float16; expected float32 as input 0"),
        ("RotaryEmbedding", {"x": "float32", "at": "int32"}, "input 1 is int32; expected int64"),
    ],
)
def test_others_are_refused_in_a_line(name: str, dtypes: dict[str, str], said: str) -> None:
    given = model([contrib(name, list(dtypes), ["y"])], dict.fromkeys(dtypes, (2, 2)), ["y"], None, dtypes)
    with pytest.raises(UnsupportedError, match=said):
        import_model(given)
