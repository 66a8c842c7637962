"""What the pages say of the tree is so: links lead somewhere, modules exist, numbers are those of the code."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
ROOMS = ("anytile", "importers", "compiler", "tuner", "vm", "dispatch", "db", "codegen", "schedules", "core")
UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
FACT = re.compile(r"^\|(.*)\| \[`[^`]*`\]\(([^)]*\.py)\) `([\w.]+)` \|$", re.MULTILINE)
CREATED = re.compile(r"\bcreate\s+`([^`]+)`", re.IGNORECASE)


def _prose(page: Path) -> str:
    """A page without its blocks of code."""
    return re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def _name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:|#)([^)#\s]+)(?:#[^)]*)?\)", _prose(page))
    lost = [link for link in links if not (page.parent / link).exists()]
    assert not lost


@pytest.mark.parametrize("page", [p for p in PAGES if p.name != "CHANGELOG.md"], ids=_name)
def test_files_and_modules_that_are_named_exist(page: Path) -> None:
    """`room/…/module.py`, `room/…/` and `anytile.room.module`; a how-to page may name what it creates."""
    text = _prose(page)
    made = set(CREATED.findall(page.read_text(encoding="utf-8")))
    named = {n.rstrip("/") for n in re.findall(rf"`((?:{'|'.join(ROOMS)}|tests|benchmarks|docs)/[\w./-]*)`", text)}
    lost = sorted(n for n in named - made if not (ROOT / n).exists())
    assert not lost, f"no such file: {', '.join(lost)}"
    for dotted in re.findall(r"`anytile((?:\.\w+)+)`", text):
        parts = dotted[1:].split(".")
        if parts[0] in ROOMS:
            place = ROOT.joinpath(*parts)
            assert place.is_dir() or place.with_suffix(".py").exists() or _defines(place.parent, parts[-1]), dotted


def _defines(module: Path, name: str) -> bool:
    file = module.with_suffix(".py")
    return file.exists() and re.search(rf"^(def|class) {name}\b|^{name}\b", file.read_text(), re.MULTILINE) is not None


def facts() -> list[tuple[str, str, str, str]]:
    """Rows `| what | number | [`module`](module) `NAME` |` of all pages."""
    found = []
    for page in PAGES:
        for cells, path, name in FACT.findall(page.read_text(encoding="utf-8")):
            module = (page.parent / path).resolve().relative_to(ROOT)
            found.append((_name(page), cells.split("|")[-1].strip(), str(module), name))
    return found


@pytest.mark.parametrize(("page", "said", "module", "name"), facts())
def test_a_number_is_that_of_the_code(page: str, said: str, module: str, name: str) -> None:
    number, unit = re.match(r"([\d,.]*\d)\s*(\w*)", said).groups()  # type: ignore[union-attr]
    assert float(number.replace(",", "")) * UNITS.get(unit, 1) == _constant(ROOT / module, name.split("."))


def test_bounds_are_stated() -> None:
    assert sum(page == "SECURITY.md" for page, *_ in facts()) > 10
    assert sum(page == "docs/architecture.md" for page, *_ in facts()) > 4


def _constant(module: Path, path: list[str]) -> float:
    """What a module says a name is: a number, or arithmetic on numbers; of a class, or in a call's keywords."""
    body: list[ast.stmt] = ast.parse(module.read_text(encoding="utf-8")).body
    for node in body:
        if isinstance(node, ast.ClassDef) and [node.name] == path[:-1]:
            return _constant_of(node.body, path[-1])
    if len(path) == 1:
        return _constant_of(body, path[0])
    made = _assigned(body, path[0])
    assert isinstance(made, ast.Call), f"{module} has no {'.'.join(path)}"
    (value,) = [k.value for k in made.keywords if k.arg == path[1]]
    return _value(value)


def _constant_of(body: list[ast.stmt], name: str) -> float:
    return _value(_assigned(body, name))


def _assigned(body: list[ast.stmt], name: str) -> ast.expr | None:
    for node in body:
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
            return node.value
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == name:
            return node.value
    raise AssertionError(f"nothing is called {name}")


def _value(node: ast.expr | None) -> float:
    match node:
        case ast.Constant(int() | float() as number):
            return number
        case ast.BinOp(left, ast.LShift(), right):
            return int(_value(left)) << int(_value(right))
        case ast.BinOp(left, ast.Mult(), right):
            return _value(left) * _value(right)
        case ast.BinOp(left, ast.Pow(), right):
            return float(_value(left) ** _value(right))
    raise AssertionError(f"no plain number: {ast.dump(node) if node else node}")
