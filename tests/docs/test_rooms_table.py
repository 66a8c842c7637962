"""The table of rooms in docs/architecture.md is what stands in the tree: every folder, its job, what it imports."""

from __future__ import annotations

import ast

import pytest

from tests.support.import_graph import ORDER, ROOT, Room, modules, room_imports, room_of, tree_of

PAGE = ROOT / "docs" / "architecture.md"
HEAD = "| room | is | imports, within its own |\n| --- | --- | --- |\n"


def _path(room: Room) -> str:
    """The folder of a room, which is a package under `anytile`."""
    return "/".join(room if room and room[0] in ORDER else ("anytile", *room))


def _top(room: Room) -> str:
    return _path(room).partition("/")[0]


def _table() -> str:
    known = {room_of(p): p for p in modules() if p.name == "__init__.py"}
    beneath: dict[Room, set[Room]] = {room: set() for room in known}
    for here, there in room_imports():
        here, there = (room if room in known else room[:-1] for room in (here, there))  # what a folder shows of itself
        if here != there and _top(here) == _top(there):
            beneath[here].add(there)
    rows = []
    for room in sorted(known, key=lambda room: (ORDER.index(_top(room)), _path(room))):
        said = ast.get_docstring(tree_of(known[room])) or ""
        said = " ".join(said.partition("\n\n")[0].split())
        below = ", ".join(f"`{_path(r).partition('/')[2] or '.'}`" for r in sorted(beneath[room]))
        rows.append(f"| [`{_path(room)}/`](../{_path(room)}) | {said} | {below} |".replace("|  |", "| |"))
    return HEAD + "\n".join(rows) + "\n"


@pytest.mark.slow
def test_every_room_stands_in_the_table(request: pytest.FixtureRequest) -> None:
    page = PAGE.read_text(encoding="utf-8")
    begin = page.index(HEAD)
    end = page.index("\n\n", begin) + 1
    if request.config.getoption("--update-golden"):
        PAGE.write_text(page[:begin] + _table() + page[end:], encoding="utf-8")
        return
    assert page[begin:end] == _table(), "if this is meant, run with --update-golden"
