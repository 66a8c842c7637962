"""Weights of sizes: the table of a file, and the rules for those that a program passes in."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anytile.core.errors import SpecError
from anytile.tuner.requests.size_weights import check_weights, load_weights, parse_weights


def test_a_weights_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "calls.csv"
    path.write_text("\ufeffM, weight\n# a comment\n1,0.5\n\n 64 , 2e1\n128,0\n")
    assert load_weights(path) == {1: 0.5, 64: 20.0, 128: 0.0}
    path.write_text("weight,m\n3,7\n")
    assert load_weights(path) == {7: 3.0}


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "empty"),
        ("m,weight\n", 1, "no weight under the header"),
        ("m\n64\n", 1, "the column weight is missing"),
        ("64,0.5\n", 1, "the columns m and weight are missing"),
        ("m,weight,m\n1,2,3\n", 1, "named twice"),
        ("m,weight\n64\n", 2, "1 value under 2 columns"),
        ("m,weight\n64,1,2\n", 2, "3 values under 2 columns"),
        ("m,weight\n1,1\n64,-0.5\n", 3, "weight -0.5 is negative"),
        ("m,weight\n64,nan\n", 2, "weight nan is not finite"),
        ("m,weight\n64,inf\n", 2, "weight inf is not finite"),
        ("m,weight\n64,much\n", 2, "weight much is not a number"),
        ("m,weight\n64,\n", 2, r"weight \(empty\) is not a number"),
        ("m,weight\n6.5,1\n", 2, "m=6.5 is not a whole number"),
        ("m,weight\n,1\n", 2, r"m=\(empty\) is not a whole number"),
        ("m,weight\n-1,1\n", 2, "m=-1 is out of range"),
        ("m,weight\n64,1\n\n64,2\n", 4, "m=64 was given before, on line 2"),
        ("m,weight\n1,0\n64,0.0\n", 3, "add up to 0"),
        ("m,weight\n1,1e308\n64,1e308\n", 3, "add up to more than a number holds"),
    ],
)
def test_a_bad_weights_file_is_one_line_with_its_place(tmp_path: Path, text: str, line: int, message: str) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(SpecError, match=f"bad.csv:{line}: .*{message}") as caught:
        load_weights(path)
    assert "\n" not in str(caught.value)


def test_a_weights_file_without_an_end_is_refused() -> None:
    """It was read until the memory was full."""
    with pytest.raises(SpecError, match="weights file /dev/zero: longer than 16777216 characters"):
        load_weights("/dev/zero")


def test_a_weights_file_that_is_none_says_so(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="No such file"):
        load_weights(tmp_path / "missing.csv")
    with pytest.raises(SpecError, match="Is a directory"):
        load_weights(tmp_path)
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00m")
    with pytest.raises(SpecError, match="not text"):
        load_weights(tmp_path / "binary")


@given(st.dictionaries(st.integers(0, 2**31 - 1), st.floats(0, 1e308), min_size=1))
def test_what_is_written_is_read(weights: dict[int, float]) -> None:
    lines = ["m,weight", *(f"{m},{weight!r}" for m, weight in weights.items())]
    if sum(weights.values()) == math.inf:
        with pytest.raises(SpecError, match="more than a number holds"):
            check_weights(weights)
    elif sum(weights.values()) > 0:
        assert parse_weights(lines, "w") == weights
        check_weights(weights)
    elif sum(weights.values()) == 0:
        with pytest.raises(SpecError):
            parse_weights(lines, "w")
        with pytest.raises(SpecError):
            check_weights(weights)
