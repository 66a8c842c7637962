"""Every how-to page, followed to the letter in a copy of the tree: its edits fit, its tests pass, its programs run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.howto import ROOT, Commands, Copy, Edit, Program, follow, steps

PAGES = sorted((ROOT / "docs" / "howto").glob("*.md"))
MOST_FILES = {"operator": 4, "instruction": 4}  # what a page may ask for, files that scripts write included
PAGE = """\
# A page

Words. Now create `new/file.txt`, with this in it:

```text
one
two
```

This is only shown:

```text
three
```

Then, in `new/file.txt`, after `one`:

```text
  and a half
```

In `new/file.txt`, instead of `tw ...`:

```text
2
```

At the end of `new/file.txt`:

```text
last
```

```python
from pathlib import Path
assert Path("new/file.txt").read_text() == "one\\n  and a half\\n2\\nlast\\n"
```

```sh
python -c 'print(1)'   # words
```
"""


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.stem))
@pytest.mark.timeout(600)
def test_a_page_works(page: Path, tmp_path: Path) -> None:
    text = page.read_text(encoding="utf-8")
    touched = follow(text, tmp_path)
    assert any(isinstance(step, Edit) for step in steps(text))
    assert [name for name in touched if f"`{name}`" not in text] == []  # a page names every file that it touches
    assert len(touched) <= MOST_FILES.get(page.stem, len(touched))


def test_steps_are_read_from_a_page() -> None:
    assert steps(PAGE) == (
        Edit("new/file.txt", "create", "", "one\ntwo\n"),
        Edit("new/file.txt", "after", "one", "  and a half\n"),
        Edit("new/file.txt", "instead of", "tw ...", "2\n"),
        Edit("new/file.txt", "end", "", "last\n"),
        Program(
            'from pathlib import Path\nassert Path("new/file.txt").read_text() == "one\\n  and a half\\n2\\nlast\\n"\n'
        ),
        Commands(("python -c 'print(1)'",)),
    )


@pytest.mark.slow
def test_steps_are_done_in_a_copy(tmp_path: Path) -> None:
    assert follow(PAGE, tmp_path) == ["new/file.txt"]
    assert not (ROOT / "new").exists()
    copy = Copy(tmp_path / "copy")
    for module, file in (("anytile.api", "anytile/api.py"), ("anytile.core", "core/__init__.py")):
        said = copy.python("-c", f"import {module} as module; print(module.__file__)")
        assert Path(said.strip()).resolve() == (copy.folder / file).resolve()


@pytest.mark.slow
def test_a_step_that_does_not_fit_is_an_error(tmp_path: Path) -> None:
    copy = Copy(tmp_path)
    with pytest.raises(AssertionError, match="README.md: 0 lines 'no such line'; expected one"):
        copy.do(Edit("README.md", "after", "no such line", ""))
    with pytest.raises(AssertionError, match="README.md is there already"):
        copy.do(Edit("README.md", "create", "", ""))
    with pytest.raises(AssertionError, match="no/file: no such file"):
        copy.do(Edit("no/file", "after", "line", ""))
    with pytest.raises(AssertionError, match="a page may run"):
        copy.do(Commands(("rm -r x",)))
    with pytest.raises(AssertionError, match="ZeroDivisionError"):
        copy.do(Program("1 / 0"))
