"""JSON without recursion reads and writes what Python's `json` does, at any depth, and refuses what that refuses."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anytile.models_io.deep_json import parse, text_of

PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
VALUES = st.recursive(PLAIN, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)
MOST = 20_000


@pytest.mark.slow
@given(VALUES, st.sampled_from([None, 0, 2]))
def test_it_reads_what_json_writes(value: Any, indent: int | None) -> None:
    assert parse(json.dumps(value, indent=indent)) == value
    assert parse(json.dumps(value, ensure_ascii=False)) == value


@pytest.mark.slow
@given(VALUES)
def test_it_writes_what_json_reads(value: Any) -> None:
    assert text_of(value) == json.dumps(value)


@pytest.mark.slow
@given(VALUES, st.data())
def test_it_refuses_what_json_refuses(value: Any, data: st.DataObject) -> None:
    text = json.dumps(value)
    place = data.draw(st.integers(0, len(text)))
    broken = (
        text[:place]
        + data.draw(st.sampled_from(["", "]", ",", '"', "x", "\\", "{", ":", " ", "\n"]))
        + text[place + 1 :]
    )
    try:
        expected = json.loads(broken, object_pairs_hook=_once)
    except ValueError:
        with pytest.raises(ValueError, match=r"line \d+, column \d+: "):
            parse(broken)
    else:
        assert repr(parse(broken)) == repr(expected)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError("twice")
    return dict(pairs)


@pytest.mark.slow
@pytest.mark.parametrize(("begin", "end"), [("[", "]"), ('{"a": ', "}"), ('[1, {"b": [[2], ', "]}]")])
def test_depth_costs_memory_alone(begin: str, end: str) -> None:
    text = begin * MOST + "3" + end * MOST
    assert text_of(parse(text)) == text
    with pytest.raises(ValueError, match="expected ',' or"):
        parse(text[:-1])


def test_numbers_that_are_none() -> None:
    assert str(parse("[NaN, -Infinity]")) == "[nan, -inf]"
    for text in ("1" * 5000, "[" + "1" * 5000 + "]", "01", "+1", "١"):
        with pytest.raises(ValueError, match="line 1, column 1: "):
            parse(text)
    with pytest.raises(ValueError, match="line 3, column 2: expected a key in quotes"):
        parse('{"a": 1,\n"b": 2,\n }')
