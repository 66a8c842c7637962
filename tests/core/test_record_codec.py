"""A codec reads what it writes, refuses the rest in one line that names the field, and covers every field."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import pytest

from anytile.core.errors import SpecError
from anytile.core.record_codec import (
    ANY_TEXT,
    INTEGER,
    NUMBER,
    TEXT,
    WHOLE,
    Codec,
    Misfit,
    document,
    mapping_of,
    number,
    one_of,
    optional,
    parsed,
    tuple_of,
)


@dataclass(frozen=True)
class Inner:
    name: str
    size: int = 3


@dataclass(frozen=True)
class Outer:
    share: float
    inner: Inner
    kinds: tuple[str, ...] = ()
    sizes: Any = field(default_factory=dict)
    maybe: Inner | None = None
    id: str = "0"


def _fits(made: Outer) -> None:
    if made.share > 1 and not made.kinds:
        raise Misfit("is empty", "kinds")


INNER = Codec(Inner, name=TEXT, size=WHOLE)
OUTER = Codec(
    Outer,
    required=("id",),
    check=_fits,
    id=ANY_TEXT,
    share=number(0, 10, "a number from 0 to 10"),
    inner=INNER.as_object,
    kinds=tuple_of(one_of(("a", "b"), str)),
    sizes=mapping_of(INTEGER),
    maybe=optional(INNER.as_list),
)
GOOD: dict[str, Any] = {"id": "7", "share": 1, "inner": {"name": "x"}}


def test_what_is_written_is_read() -> None:
    made = Outer(0.5, Inner("x", 1), ("a", "b"), {"m": 2**70}, Inner("y"), "1")
    data = OUTER.dump(made)
    assert list(data) == ["id", "share", "inner", "kinds", "sizes", "maybe"]
    assert (data["inner"], data["maybe"]) == ({"name": "x", "size": 1}, ["y", 3])
    assert OUTER.load(data) == made
    assert OUTER.load(GOOD) == Outer(1.0, Inner("x"), id="7")
    assert OUTER.load({"id": "7", "share": 1}, inner=Inner("known")).inner.name == "known"


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"id": ...}, "id is missing"),
        ({"inner": ...}, "inner is missing"),
        ({"share": "1"}, "share is '1'; expected a number"),
        ({"share": True}, "share is True; expected a number"),
        ({"share": math.nan}, "share is nan; expected a finite number"),
        ({"share": -math.inf}, "share is -inf; expected a finite number"),
        ({"share": 10**30}, f"share is {10**30}; expected a number"),
        ({"share": 11}, "share is 11.0; expected a number from 0 to 10"),
        ({"share": 2}, "kinds is empty"),
        ({"inner": {"name": 5}}, "inner.name is 5; expected a text"),
        ({"inner": {"name": "\ud800"}}, r"inner.name is '\ud800'; expected text without lone surrogates"),
        (
            {"inner": {"name": "x", "size": 2**31}},
            "inner.size is 2147483648; expected a whole number of at most",
        ),
        ({"inner": {"name": "x", "color": 1, "area": 2}}, "inner.area is not a field of this record; upgrade anytile "),
        ({"inner": []}, "inner is []; expected an object"),
        ({"kinds": ["a", "c"]}, "kinds.1 is 'c'; expected one of a, b"),
        ({"kinds": "ab"}, "kinds is 'ab'; expected a list"),
        ({"sizes": {"m": 1.0}}, "sizes.m is 1.0; expected a whole number"),
        ({"maybe": ["x"]}, "maybe is ['x']; expected a list of name, size"),
        ({"maybe": "x" * 99}, f"maybe is '{'x' * 56}...; expected a list of name, size"),
    ],
)
def test_what_is_wrong_is_said_with_its_field(changed: dict[str, Any], complaint: str) -> None:
    data = {name: value for name, value in {**GOOD, **changed}.items() if value is not ...}
    with pytest.raises(SpecError) as caught:
        OUTER.load(data)
    assert str(caught.value).startswith(complaint)
    assert "\n" not in str(caught.value)


def test_some_fields_alone() -> None:
    made = Outer(0.5, Inner("x", 1), ("a",))
    assert OUTER.dumping(("inner", "share"))(made) == {"inner": {"name": "x", "size": 1}, "share": 0.5}
    assert OUTER.fields({"share": 0.5}, known=("id", "inner")) == {"share": 0.5}
    with pytest.raises(SpecError, match="inner is missing"):
        OUTER.fields({"share": 0.5}, known=("id",))


def test_a_form_for_every_field_and_no_other() -> None:
    with pytest.raises(TypeError, match="Inner: expected a form for each of name, size"):
        Codec(Inner, name=TEXT)
    with pytest.raises(TypeError, match="Inner"):
        Codec(Inner, name=TEXT, size=WHOLE, color=TEXT)


def test_more_fields_where_they_are_allowed() -> None:
    assert Codec(Inner, more=True, name=TEXT, size=WHOLE).load({"name": "x", "color": 1}) == Inner("x")


def test_texts_are_parsed_once_and_their_errors_are_their_own() -> None:
    met = []

    def parse(text: str) -> int:
        met.append(text)
        if text == "bad":
            raise SpecError("a bad text")
        return len(text)

    form = parsed(parse, 10)
    assert [form.load("four"), form.load("four"), met] == [4, 4, ["four"]]
    with pytest.raises(SpecError, match=r"^a bad text$"):
        form.load("bad")
    with pytest.raises(Misfit, match="is 4; expected a text"):
        form.load(4)
    assert NUMBER.load(-1) == -1.0


@pytest.mark.parametrize(
    ("inside", "complaint"),
    [
        ([[[[]]]], "is nested too deeply; expected lists and objects 4 deep at most"),
        ({"a": {"b": {"c": {}}}}, "is nested too deeply"),
        (["\ud800"], r"is '\ud800'; expected text without lone surrogates"),
        ([1, {"\ud800": 1}], r"is '\ud800'; expected text without lone surrogates"),
    ],
)
def test_a_document_can_be_walked_and_stored(inside: Any, complaint: str) -> None:
    form = document(4)
    fine = {"a": [[1, 2.5, None, True], [["x"]]], "b": {"c": {"d": "e"}}}
    assert form.load(fine) == fine
    with pytest.raises(Misfit) as caught:
        form.load({"notes": inside})
    assert str(caught.value).startswith(complaint)
    with pytest.raises(Misfit, match="expected an object"):
        form.load([])
