"""Control characters are escaped for people, and errors are one line of bounded length."""

from __future__ import annotations

import json

import pytest

from anytile.core.errors import AnytileError, ResourceError, SpecError
from anytile.core.printable import LONGEST, one_line, printable, say


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, größer, 日本", "plain, größer, 日本"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("\x1b[31mRED\x1b]0;title\x07", r"\u001b[31mRED\u001b]0;title\u0007"),
        ("over\rwritten", r"over\u000dwritten"),
        ("\x9b31m \x7f \u202etxt.exe \ud800", r"\u009b31m \u007f \u202etxt.exe \ud800"),
    ],
)
def test_nothing_steers_the_terminal(text: str, shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert printable(text) == shown
    say(text, 5)
    assert capsys.readouterr().out == f"{shown} 5\n"
    assert printable(printable(text)) == shown


def test_json_stays_json() -> None:
    data = {"a": "\x1b\x7f\u202e\ud800", "b": "\n"}
    for ascii_only in (True, False):
        assert json.loads(printable(json.dumps(data, ensure_ascii=ascii_only))) == data


@pytest.mark.parametrize("kind", [AnytileError, SpecError, ResourceError])
def test_an_error_is_one_line_of_bounded_length(kind: type[AnytileError]) -> None:
    assert str(kind("x.exe: expected a\n  b\r\nc, \x1b[2J came")) == r"x.exe: expected a b c, \u001b[2J came"
    long = str(kind("where: " + "x" * 200_000 + "; give another path"))
    assert len(long) < LONGEST + 50
    assert long.startswith("where: xxx")
    assert long.endswith("xxx; give another path")
    assert "(200026 characters)" in long
    assert str(kind("fine, as  it is")) == "fine, as  it is"
    assert len(one_line("\x1b" * 10**6)) < 8 * LONGEST
