"""Numbers of things in words."""

from __future__ import annotations

import pytest

from anytile.core.plurals import counted, rounded


@pytest.mark.parametrize(("count", "words"), [(0, "0 trials"), (1, "1 trial"), (2, "2 trials"), (-1, "-1 trials")])
def test_one_thing_wears_no_s(count: int, words: str) -> None:
    assert counted(count, "trial") == words


@pytest.mark.parametrize(
    ("ratio", "digits", "text"),
    [
        (2.0, 2, "2"),
        (2.14, 2, "2.1"),
        (33.4, 2, "33"),
        (334.0, 2, "330"),
        (99.9, 2, "100"),
        (1.23e7, 2, "12000000"),
        (0.000123, 2, "0.00012"),
        (1234.5, 3, "1230"),
        (0.0, 2, "0"),
    ],
)
def test_written_out(ratio: float, digits: int, text: str) -> None:
    assert rounded(ratio, digits) == text


def test_what_is_no_number_is_said_as_well() -> None:
    assert [rounded(x) for x in (float("inf"), float("nan"))] == ["Infinity", "NaN"]
