"""The import graph of the product: its modules, the rooms they stand in, who imports whom, and circles among rooms."""

from __future__ import annotations

import ast
import functools
import gc
import re
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Imports run downward, which is rightward here.
ORDER = ("anytile", "importers", "compiler", "tuner", "vm", "dispatch", "db", "codegen", "schedules", "core")

Room = tuple[str, ...]

_DOTTED = re.compile(r"anytile(\.\w+)+")


def is_ours(path: Path) -> bool:
    parts = path.relative_to(ROOT).parts
    return not any(p.startswith(".venv") or p in ("build", "dist", ".git") for p in parts)


@functools.cache
def modules() -> tuple[Path, ...]:
    return tuple(p for room in ORDER for p in sorted((ROOT / room).rglob("*.py")) if is_ours(p))


@functools.cache
def tree_of(path: Path) -> ast.Module:
    """The syntax tree, which stays: collections of garbage while it grows would look through all trees before it."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        return ast.parse(path.read_text(encoding="utf-8"), str(path))
    finally:
        if collecting:
            gc.enable()


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def reaches(tree: ast.Module, names: bool = False) -> list[tuple[int, str]]:
    """Every dotted name that a module imports, anywhere in it, or spells in a string that could import it.

    With `names`, what is imported from a package is one of them too: it may be a module.
    """
    found: list[tuple[int, str]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            found.append((node.lineno, module))
            if names:
                found += [(node.lineno, f"{module}.{alias.name}") for alias in node.names]
            elif module == "anytile":
                found += [(node.lineno, f"anytile.{alias.name}") for alias in node.names]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and _DOTTED.fullmatch(node.value):
            found.append((node.lineno, node.value))
    return found


def upward(room: str, dotted: str) -> bool:
    parts = dotted.split(".")
    if parts[0] != "anytile":
        return False
    there = parts[1] if len(parts) > 1 and parts[1] in ORDER else "anytile"
    return ORDER.index(there) < ORDER.index(room)


def room_of(path: Path) -> Room:
    """The folder of a module as a package under `anytile`; the root, `anytile/` itself, is ()."""
    parts = path.relative_to(ROOT).parent.parts
    return parts[1:] if parts[0] == "anytile" else parts


def place_of(path: Path) -> Room:
    """Where a module stands in the order of rooms: what a folder shows of itself stands above what is in it."""
    face = path.stem in ("__init__", "__main__") and tree_of(path).body[1:]
    return (*room_of(path), path.stem) if face else room_of(path)


@functools.cache
def module_places() -> dict[str, Room]:
    """Every module by its dotted name, and its place."""
    found = {}
    for path in modules():
        stem = () if path.stem == "__init__" else (path.stem,)
        found[".".join(("anytile", *room_of(path), *stem))] = place_of(path)
    return found


def room_imports() -> dict[tuple[Room, Room], set[str]]:
    """Between rooms: who imports whom, imports inside functions and for types alone included."""
    places = module_places()
    found: dict[tuple[Room, Room], set[str]] = {}
    for path in modules():
        for line, dotted in reaches(tree_of(path), names=True):
            while dotted and dotted not in places:
                dotted = dotted.rpartition(".")[0]
            here, there = place_of(path), places.get(dotted)
            if there is not None and here != there:
                found.setdefault((here, there), set()).add(f"{name_of(path)}:{line} -> {dotted}")
    return found


def circles_in(arrows: Iterable[tuple[Room, Room]]) -> list[set[Room]]:
    """Rooms that reach each other: what is left when rooms that only reach, or are only reached, are taken away."""
    left = set(arrows)
    while True:
        sources, ends = {a for a, _ in left}, {b for _, b in left}
        inner = {(a, b) for a, b in left if a in ends and b in sources}
        if inner == left:
            break
        left = inner
    found: list[set[Room]] = []
    for room in sorted({a for a, _ in left}):
        if not any(room in circle for circle in found):
            circle = _reached(room, left) & _reached(room, {(b, a) for a, b in left})
            if circle:
                found.append(circle)
    return found


def _reached(room: Room, arrows: set[tuple[Room, Room]]) -> set[Room]:
    found: set[Room] = set()
    waiting = [room]
    while waiting:
        here = waiting.pop()
        for there in {b for a, b in arrows if a == here} - found:
            found.add(there)
            waiting.append(there)
    return found
