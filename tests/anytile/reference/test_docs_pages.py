"""The pages of docs/ say what the tables say; the grammar describes what the parser accepts."""

from __future__ import annotations

from pathlib import Path

import pytest

import anytile
from anytile.compiler.ir.memory_dialect import ROWS as DIALECT
from anytile.compiler.operators import OPERATORS
from anytile.core.errors import ResourceError
from anytile.reference.docs_pages import PAGES, STUB, stub, write
from anytile.vm.program.isa import BY_NAME

DOCS = Path(__file__).resolve().parents[3] / "docs"


@pytest.mark.parametrize("name", PAGES)
def test_pages_are_what_the_tables_give(name: str) -> None:
    assert (DOCS / name).read_text(encoding="utf-8") == PAGES[name](), "run scripts/docs"


def test_type_checkers_see_the_public_names_that_there_are() -> None:
    assert STUB.read_text(encoding="utf-8") == stub(), "run scripts/docs"
    assert all(f'"{name}",' in stub() for name in anytile.__all__)


def test_nothing_is_left_out() -> None:
    page = PAGES["operators.md"]()
    assert [name for name in OPERATORS if f"| `{name}(" not in page] == []
    assert [name for name in DIALECT if f"| `{name}` |" not in page] == []
    assert [name for name in BY_NAME if f" | {name} | " not in PAGES["instructions.md"]()] == []


def test_every_row_of_a_table_has_its_columns() -> None:
    for page in PAGES.values():
        columns = 0
        for line in page().splitlines():
            count = line.replace("\\|", "").count("|") if line.startswith("|") else 0
            assert not columns or count in (0, columns), line
            columns = count


def test_they_are_written_to_a_folder(tmp_path: Path) -> None:
    write(tmp_path / "new")
    assert {p.name: p.read_text(encoding="utf-8") for p in (tmp_path / "new").iterdir()} == {
        name: page() for name, page in PAGES.items()
    }
    (tmp_path / "file").touch()
    with pytest.raises(ResourceError, match="file: the pages cannot be written"):
        write(tmp_path / "file")
