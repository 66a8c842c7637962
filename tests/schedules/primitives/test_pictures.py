"""The pictures in the docstrings of schedule primitives are what these do; `--update-golden` draws them again."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from anytile.reference.docs_pages import shown_primitives
from anytile.schedules.primitives.schedule import Schedule
from tests.support.nest_pictures import picture, shown

PRIMITIVES = {f.__name__: f for f in shown_primitives()}


@pytest.mark.parametrize("name", PRIMITIVES)
def test_a_primitive_does_what_its_picture_shows(name: str, request: pytest.FixtureRequest) -> None:
    doc = inspect.getdoc(PRIMITIVES[name]) or ""
    lines = shown(doc).splitlines()
    drawn = picture([line.removeprefix(">>> ") for line in lines if line.startswith(">>> ")])
    if request.config.getoption("--update-golden"):
        _draw(PRIMITIVES[name], drawn)
    else:
        assert "\n".join(lines) == drawn, "the picture is another; scripts/test --update-golden draws it"


def test_every_primitive_has_a_picture() -> None:
    modules = {inspect.getmodule(f) for f in PRIMITIVES.values()}
    functions = [f for m in modules for _, f in inspect.getmembers(m, inspect.isfunction) if f.__module__ == m.__name__]
    primitives = {f.__name__ for f in functions if not f.__name__.startswith("_") and _takes_a_schedule(f)}
    assert primitives - set(PRIMITIVES) == {"mark", "known_remainder"}  # what several have in common


def _takes_a_schedule(f: Callable[..., object]) -> bool:
    first = next(iter(inspect.signature(f).parameters.values()), None)
    return first is not None and first.annotation == Schedule.__name__


def _draw(f: Callable[..., object], drawn: str) -> None:
    path, doc = Path(inspect.getsourcefile(f) or ""), f.__doc__ or ""
    old = doc[doc.index("    >>>") :].rstrip()
    text = path.read_text(encoding="utf-8")
    at = text.index(old, text.index(f"def {f.__name__}("))
    path.write_text(text[:at] + textwrap.indent(drawn, "    ") + text[at + len(old) :], encoding="utf-8")
