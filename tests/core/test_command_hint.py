"""Hints begin with the command as the user has to type it."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from anytile.commands.options import read_text_or_shape
from anytile.core.command_hint import command_line
from anytile.core.errors import AnytileError
from anytile.db.store import Store


def test_words_are_quoted_and_the_command_stands_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("why", "dense(m=?, n=8, k=8)")
    assert command_line(*words) == "anytile why 'dense(m=?, n=8, k=8)'"
    monkeypatch.setenv("ANYTILE_COMMAND", "'my folder/anytile'")
    assert shlex.split(command_line(*words)) == ["my folder/anytile", *words]


def test_errors_of_every_room_say_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ANYTILE_COMMAND", ".venv/bin/anytile")
    with (
        Store.open(str(tmp_path / "tuning.db")) as store,
        pytest.raises(AnytileError, match="see `.venv/bin/anytile db list`"),
    ):
        store.campaign("nobody")
    with pytest.raises(AnytileError, match="as `.venv/bin/anytile db best` prints it"):
        read_text_or_shape(None, "dense", None, "float32", None)
