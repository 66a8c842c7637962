"""Dtypes that a node's inputs may have, where ONNX has no schema: a word for each input, as `f q q|f i32`.

A word is a dtype, a letter for some, or several of these; inputs with one letter have one dtype. `*` is any.
"""

from __future__ import annotations

from collections.abc import Sequence

from anytile.importers.core.graph import Refusal, Value

_FLOATS = ("float32", "float16", "bfloat16")
_BYTES = ("uint8", "int8")
LETTERS: dict[str, tuple[str, ...]] = {
    **{"f": _FLOATS, "g": _FLOATS, "d": (*_FLOATS, "float64")},
    **dict.fromkeys("qwr", _BYTES),
    **{"i": ("int32", "int64"), "c": (*_BYTES, "uint4", "int4", "uint2", "int2")},
}
DTYPES = {"f32": "float32", "i32": "int32", "i64": "int64", "u8": "uint8", "bool": "bool"}


def require_kinds(words: Sequence[str], inputs: Sequence[object]) -> None:
    """Refuses inputs of which one has another dtype than its word says."""
    first: dict[str, tuple[int, str]] = {}
    for at, (word, value) in enumerate(zip(words, inputs, strict=False)):
        if word == "*" or not isinstance(value, Value):
            continue
        expected: list[str] = []
        for kind in word.split("|"):
            own = first.get(kind)
            dtypes = (own[1],) if own else LETTERS.get(kind) or (DTYPES[kind],)
            if value.dtype in dtypes:
                if kind in LETTERS:
                    first.setdefault(kind, (at, value.dtype))
                break
            expected += [f"{own[1]} as input {own[0]}"] if own else dtypes
        else:
            raise Refusal(f"input {at} is {value.dtype}; expected {' or '.join(expected)}")
