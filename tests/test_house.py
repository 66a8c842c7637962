"""The rules of the house: who may import whom, how big a module is, what never stands in the tree."""

from __future__ import annotations

import ast
import functools
import json
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain, combinations
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.support.import_graph import (
    ORDER,
    ROOT,
    circles_in,
    is_ours,
    modules,
    name_of,
    reaches,
    room_imports,
    room_of,
    tree_of,
    upward,
)
from tests.support.selection import TURNS, fast, in_turn, lesser

MAX_LINES = 700
MAX_FLAT = 15  # files in one folder; rooms within it, and its own face, not counted
TARGETS = {"cpu", "cuda", "llvm"}  # rooms that do the same job, each for its kind of target
# The field's words for what the house has words of its own for, and where somebody who greps for one must find it.
FIELD_WORDS = {
    "epilogue": "schedules/primitives",
    "remainder": "schedules/primitives",
    "double buffer": "schedules/primitives/gpu/pipeline.py",
    "im2col": "schedules/primitives",
    "micro-kernel": "schedules/templates/cpu/dense_cpu.py",
    "modulo the stride": "schedules/primitives/stage_plane.py",
    "loop dependence": "schedules/nest/dependences.py",
    "guard page": "tuner/measure/cpu/guarded_memory.py",
    "device interface": "tuner/measure/device_api.py",
    "LRU cache": "tuner/builders/recent_builds.py",
    "free list": "vm/runtime",
    "reference count": "vm/runtime",
    "spill": "vm/native",
    "serialis": "vm/storage",
    "calling convention": "dispatch/blas",
    "scalar replacement": "compiler/lowering",
}


@functools.cache
def _texts() -> tuple[tuple[Path, str], ...]:
    """Every text file of the tree, as git lists them: tracked, and new ones that are not ignored."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if listed.returncode == 0:
        paths = [ROOT / name for name in listed.stdout.decode().split("\0") if name]
    else:  # an unpacked source archive has no git
        paths = [p for p in ROOT.rglob("*") if is_ours(p) and "__pycache__" not in p.parts]
    found = []
    for path in paths:
        if path.is_file():
            data = path.read_bytes()
            if b"\0" not in data[:8192]:
                found.append((path, data.decode("utf-8", errors="replace")))
    return tuple(found)


UNPICKLING = {"pickle", "_pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib"}


@pytest.mark.slow
def test_nothing_is_unpickled() -> None:
    """What comes out of a file, a database or a worker is data, and runs nothing by being read."""
    wrong = [
        f"{name_of(path)}:{line}: {dotted}"
        for path in modules()
        for line, dotted in reaches(tree_of(path))
        if dotted.partition(".")[0] in UNPICKLING
    ]
    wrong += [
        f"{name_of(path)}:{node.lineno}: allow_pickle"
        for path in modules()
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg == "allow_pickle" and ast.unparse(keyword.value) != "False"
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.slow
def test_imports_run_downward_only() -> None:
    wrong = []
    for path in modules():
        room = path.relative_to(ROOT).parts[0]
        for line, dotted in reaches(tree_of(path)):
            if dotted.startswith("."):
                wrong.append(f"{name_of(path)}:{line}: relative import {dotted}; write anytile.{room}...")
            elif upward(room, dotted):
                wrong.append(f"{name_of(path)}:{line}: {room} reaches up to {dotted}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("source", "goes_up"),
    [
        ("import anytile.tuner.campaign", True),
        ("def f():\n    from anytile.anytile import x", True),
        ("from anytile import cli", True),
        ("from anytile import tuner", True),
        ("import importlib\nimportlib.import_module('anytile.tuner.model')", True),
        ("from anytile.codegen.load.loader import Loaded", False),
        ("from anytile.db.records.records import Trial", False),
        ("import numpy", False),
    ],
)
def test_the_import_check_sees_every_way_to_import(source: str, goes_up: bool) -> None:
    assert any(upward("db", dotted) for _, dotted in reaches(ast.parse(source))) is goes_up


@pytest.mark.slow
def test_rooms_within_rooms_form_no_circle() -> None:
    """The rule of the rooms holds inside them, too: of two folders, one stands above the other."""
    arrows = room_imports()
    wrong = []
    for circle in circles_in(arrows):
        wrong.append(" <-> ".join(sorted(".".join(room) or "anytile" for room in circle)))
        for (here, there), why in sorted(arrows.items()):
            if here in circle and there in circle:
                wrong.append(f"    {'.'.join(here)} -> {'.'.join(there)}: {'; '.join(sorted(why)[:5])}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("arrows", "circles"),
    [
        ("a>b b>c a>c", []),
        ("a>b b>a", ["ab"]),
        ("x>a a>b b>c c>a c>y", ["abc"]),
        ("a>b b>a b>c c>d d>c d>e", ["ab", "cd"]),
        ("a>b b>a c>d d>c b>x x>c", ["ab", "cd"]),
    ],
)
def test_the_check_for_circles_finds_them(arrows: str, circles: list[str]) -> None:
    made = [((a,), (b,)) for a, b in (arrow.split(">") for arrow in arrows.split())]
    assert circles_in(made) == [{(letter,) for letter in circle} for circle in circles]


def test_few_files_lie_flat_in_a_folder() -> None:
    """Modules, C, headers, kept texts: of any kind; of benchmarks, whose results are kept side by side, the modules."""
    ours = (path.relative_to(ROOT) for path, _ in _texts() if path.stem != "__init__")
    counts = Counter(
        str(path.parent)
        for path in ours
        if path.parts[0] in ORDER or (path.parts[0] == "benchmarks" and path.suffix == ".py")
    )
    assert {room.partition("/")[0] for room in counts} == {*ORDER, "benchmarks"}
    crowded = {room: count for room, count in counts.items() if count > MAX_FLAT}
    assert not crowded, f"more than {MAX_FLAT} files; is there a room within? {crowded}"


def test_every_package_folder_is_listed_in_pyproject() -> None:
    tables = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    rooms = {room_of(p) for p in modules() if p.name == "__init__.py"}
    assert sorted(tables["packages"]) == sorted(".".join(("anytile", *room)) for room in rooms)
    assert tables["package-dir"] == {"anytile": "anytile", **{f"anytile.{room}": room for room in ORDER[1:]}}


def test_every_module_is_in_a_package() -> None:
    lost = [name_of(p) for p in modules() if not (p.parent / "__init__.py").exists()]
    assert not lost, f"without __init__.py these do not install: {', '.join(lost)}"


def test_modules_are_small() -> None:
    everything = [*modules(), *sorted((ROOT / "benchmarks").rglob("*.py"))]
    sizes = {name_of(p): len(p.read_text(encoding="utf-8").splitlines()) for p in everything}
    long = {name: size for name, size in sizes.items() if size > MAX_LINES}
    assert not long, f"past {MAX_LINES} lines a module has two jobs; split it: {long}"


@pytest.mark.slow
def test_every_module_says_what_it_owns() -> None:
    everything = [
        *modules(),
        *sorted((ROOT / "benchmarks").rglob("*.py")),
        *sorted((ROOT / "tests").rglob("*.py")),
    ]
    silent = [name_of(p) for p in everything if tree_of(p).body and not ast.get_docstring(tree_of(p))]
    assert not silent, f"no module docstring: {', '.join(silent)}"


def _first_sentence(docstring: str) -> str:
    return re.split(r"(?<=[.:])\s", " ".join(docstring.split()), maxsplit=1)[0]


def test_what_a_module_is_stands_in_its_first_two_lines() -> None:
    said = {name_of(p): _first_sentence(ast.get_docstring(tree_of(p)) or "") for p in modules()}
    long = {name: sentence for name, sentence in said.items() if len(sentence) > 2 * 120}
    assert not long, f"say in one short sentence what it is, then why: {long}"
    open_ended = [name for name, sentence in said.items() if sentence and sentence[-1] not in ".:"]
    assert not open_ended, f"no sentence: {', '.join(open_ended)}"


def test_every_public_class_says_what_it_is() -> None:
    silent = [
        f"{name_of(p)}: {node.name}"
        for p in modules()
        for node in tree_of(p).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_") and not ast.get_docstring(node)
    ]
    assert not silent, f"no docstring: {', '.join(silent)}"


def _names(paths: Iterable[Path]) -> dict[str, list[Path]]:
    found: dict[str, list[Path]] = {}
    for path in paths:
        found.setdefault(path.stem, []).append(path)
    return found


def _alike(paths: Iterable[Path]) -> list[str]:
    """Modules of one name in one room, of which neither stands right above the other, nor for another target."""
    wrong = set()
    for stem, several in _names(p for p in paths if not p.stem.startswith("__")).items():
        for a, b in combinations(several, 2):
            here, there = (tuple(part for part in p.parts[:-1] if part not in TARGETS) for p in (a, b))
            if here[0] == there[0] and not (here[: len(there)] == there or there[: len(here)] == here):
                wrong.add(f"{stem} in {here[0]}/")
    return sorted(wrong)


def test_modules_that_would_be_confused_have_names_of_their_own() -> None:
    assert _alike(p.relative_to(ROOT) for p in modules()) == []
    tests = Counter(p.name for p in (ROOT / "tests").rglob("test_*.py"))
    assert [name for name, count in tests.items() if count > 1] == []


@pytest.mark.parametrize(
    ("paths", "wrong"),
    [
        ("vm/a/pool.py vm/b/pool.py", ["pool in vm/"]),
        ("vm/pool.py vm/a/pool.py", []),
        ("vm/a/driver.py vm/a/b/driver.py", []),
        ("vm/pool.py db/pool.py", []),
        ("codegen/llvm/emit.py codegen/cuda/emit.py", []),
        ("tuner/a/worker.py tuner/a/cpu/worker.py", []),
        ("tuner/a/cpu/worker.py tuner/b/cuda/worker.py", ["worker in tuner/"]),
    ],
)
def test_the_check_for_confusion_finds_it(paths: str, wrong: list[str]) -> None:
    assert _alike(map(Path, paths.split())) == wrong


@pytest.mark.slow
def test_fast_tests_touch_every_room() -> None:
    """What `scripts/test --fast` leaves of each folder of tests."""
    quick: Counter[str] = Counter()
    uncounted: list[str] = []
    for path in (ROOT / "tests").rglob("test_*.py"):
        functions = [
            n for n in ast.walk(tree_of(path)) if isinstance(n, ast.FunctionDef) and n.name.startswith("test_")
        ]
        marks = [" ".join(map(ast.unparse, f.decorator_list)) for f in functions]
        quick[name_of(path.parent)] += sum("mark.slow" not in m and "mark.sampled(0)" not in m for m in marks)
        marks = [ast.unparse(mark) for function in functions for mark in function.decorator_list]
        sampled = [mark for mark in marks if mark.startswith("pytest.mark.sampled")]
        uncounted += [path.name for mark in sampled if not re.fullmatch(r"pytest\.mark\.sampled\(\d+\)", mark)]
    assert uncounted == []
    assert set(ORDER) <= {part for folder in quick for part in Path(folder).parts[1:2]}
    assert [folder for folder, count in sorted(quick.items()) if not count] == []


@dataclass(frozen=True)
class _Marked:
    """What stands in for a test."""

    nodeid: str
    marks: Mapping[str, pytest.Mark] = field(default_factory=dict, hash=False)

    def get_closest_marker(self, name: str) -> pytest.Mark | None:
        return self.marks.get(name)


@pytest.mark.parametrize(
    ("marks", "kept"),
    [
        ([], "0123456789"),
        ([pytest.mark.slow], ""),
        ([pytest.mark.sampled(0)], ""),
        ([pytest.mark.sampled(1)], "0"),
        ([pytest.mark.sampled(3)], "036"),
        ([pytest.mark.sampled(4)], "0257"),
        ([pytest.mark.sampled(10)], "0123456789"),
        ([pytest.mark.sampled(3), pytest.mark.slow], ""),
    ],
)
def test_of_many_cases_the_same_few_are_fast(marks: list[pytest.MarkDecorator], kept: str) -> None:
    marked = [_Marked(f"a.py::test[{i}]", {m.name: m.mark for m in marks}) for i in range(10)]
    others = [_Marked("a.py::test_alone", {"sampled": pytest.mark.sampled(1).mark}), _Marked("b.py::test")]
    found = fast([*marked, *others])
    assert "".join(test.nodeid[-2] for test in found[:-2]) == kept
    assert found[-2:] == others


def test_of_what_is_slow_whole_kernels_run_as_on_lesser_cpus() -> None:
    slow = {"slow": pytest.mark.slow.mark}
    quick, kernel = _Marked("tests/dispatch/test_a.py::test"), _Marked("tests/dispatch/cpu/test_b.py::test[x]", slow)
    assert lesser([quick, _Marked("tests/dispatch/test_a.py::test_long", slow), kernel]) == [quick, kernel]
    assert any((ROOT / "tests" / "dispatch" / "cpu").glob("test_*.py"))


def test_every_case_has_its_turn_and_what_is_fast_always() -> None:
    """Over all turns each runs once, but what `--fast` runs, which always does; of every sweep a turn has some."""
    slow, few = {"slow": pytest.mark.slow.mark}, {"sampled": pytest.mark.sampled(2).mark}
    sweep = [_Marked(f"a.py::test_sweep[{i}]", slow) for i in range(30)]
    tests = [_Marked("a.py::test"), *sweep, *(_Marked(f"a.py::test_kinds[{i}]", few) for i in range(30))]
    turns = [in_turn(tests, which) for which in range(TURNS)]
    times = Counter(test for turn in turns for test in turn)
    assert {test: TURNS if test in fast(tests) else 1 for test in tests} == times
    assert all(4 <= sum(test in sweep for test in turn) <= 12 for turn in turns)


@pytest.mark.parametrize(("word", "place"), FIELD_WORDS.items())
def test_the_fields_word_is_found_where_its_thing_is(word: str, place: str) -> None:
    """Who knows the field and not the house greps for this."""
    files = [ROOT / place] if place.endswith(".py") else sorted((ROOT / place).rglob("*.py"))
    spelled = re.compile(word.replace(" ", r"[\s-]+"), re.IGNORECASE)
    assert any(spelled.search(path.read_text(encoding="utf-8")) for path in files), f"nothing in {place} says {word!r}"


def test_no_drawer_for_odds_and_ends() -> None:
    drawers = [name_of(p) for p in modules() if p.stem in ("utils", "util", "misc", "helpers", "common")]
    assert not drawers, f"name the job: {', '.join(drawers)}"


def test_what_people_read_is_escaped() -> None:
    """`print` and bare streams would hand a terminal whatever a record or a file holds."""
    for folder in ("commands", "show", "models_io"):
        for path in sorted((ROOT / "anytile" / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                plain = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
                assert not plain, f"{path}:{getattr(node, 'lineno', 0)}: print; expected say of core.printable"


def test_nothing_is_left_unfinished() -> None:
    unfinished = re.compile(r"\b(NotImplemented" + r"Error|TO" + r"DO|FIX" + r"ME|XX" + r"X)\b")
    wrong = []
    for path, text in _texts():
        if path.suffix in (".py", ".toml", ".sh", "") or path.parent.name in ("scripts", ".ci"):
            lines = enumerate(text.splitlines(), 1)
            wrong += [f"{name_of(path)}:{i}" for i, line in lines if unfinished.search(line)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.slow
def test_a_blanket_except_says_why() -> None:
    wrong = []
    for path in modules():
        lines = path.read_text(encoding="utf-8").splitlines()
        for node in ast.walk(tree_of(path)):
            if not isinstance(node, ast.ExceptHandler):
                continue
            last = node.body[-1]
            if isinstance(last, ast.Raise) and last.exc is None:
                continue  # it tidies up and lets the error go on
            caught = "" if node.type is None else ast.unparse(node.type)
            if node.type is None or re.search(r"\b(Base)?Exception\b", caught):
                reason = lines[node.lineno - 1].partition("#")[2].replace("noqa: BLE001", "").strip(" -:;,")
                before = lines[node.lineno - 2].strip()
                if not reason and not before.startswith("#"):
                    wrong.append(f"{name_of(path)}:{node.lineno}: a blanket except without a reason")
    assert not wrong, "\n".join(wrong)


def test_counted_things_are_counted() -> None:
    """`3 trials`, `1 trial`, never `1 trial(s)`."""
    shy = re.compile(r"\} \w+\(s\)")
    found = ((path, shy.search(path.read_text(encoding="utf-8"))) for path in modules())
    wrong = [f"{name_of(path)}: {m[0]}; use core.plurals.counted" for path, m in found if m]
    assert not wrong, "\n".join(wrong)


@pytest.mark.slow
def test_nothing_says_where_it_was_built() -> None:
    slash = "/"
    places = re.compile(
        "|".join(
            [
                rf"(?<![\w.]){slash}(home|root|Users|work){slash}\w",  # somebody's folders
                r"(index|extra-index|find-links)[-_]?(url)?[ =]+https?:",  # where packages came from
                r"https?://[^\s\"']*(artifactory|nexus|/simple\b|pypi\.org/simple|mirror)",
            ]
        )
    )
    wrong = []
    for path, text in _texts():
        if path == Path(__file__):
            continue
        lines = enumerate(text.splitlines(), 1)
        wrong += [f"{name_of(path)}:{i}: {m[0]}" for i, line in lines if (m := places.search(line))]
    assert not wrong, "\n".join(wrong)


@pytest.mark.slow
def test_no_module_names_the_tmp_folder() -> None:
    wrong = []
    for path in modules():
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Constant) and str(node.value).startswith("/tmp"):
                wrong.append(f"{name_of(path)}:{node.lineno}: {node.value!r}; use tempfile")
    assert not wrong, "\n".join(wrong)


def test_import_is_light() -> None:
    """Processor time, since a busy machine says nothing about us; the first of three reads the disk."""
    program = (
        "import json, sys, time; t = time.process_time(); import anytile;"
        "print(json.dumps([time.process_time() - t, sorted(m.partition('.')[0] for m in sys.modules)]))"
    )
    best = float("inf")
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        seconds, loaded = json.loads(done.stdout)
        heavy = {"ray", "xgboost", "cupy", "alembic", "torch", "sqlalchemy"} & set(loaded)
        assert not heavy, f"`import anytile` brings in {', '.join(sorted(heavy))}"
        best = min(best, seconds)
    assert best < 0.3


def test_constraints_are_exact_and_cover_what_pyproject_asks_for() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert all(re.fullmatch(r"[\w.-]+==[\w.+!-]+", pin) for pin in pins)
    pinned = {re.sub(r"[-_.]+", "-", pin.partition("==")[0]).lower() for pin in pins}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    asked = [*project["dependencies"], *extras["dev"], *extras["bench"]]
    names = {re.sub(r"[-_.]+", "-", re.match(r"[\w.-]+", a)[0]).lower() for a in asked}  # type: ignore[index]
    assert names <= pinned


def test_every_dependency_has_both_bounds_and_its_pin_lies_between() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = dict(line.split("==") for line in lines if line and not line.startswith("#"))
    pinned = {canonicalize_name(name): version for name, version in pins.items()}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for text in (*project["dependencies"], *chain(*project["optional-dependencies"].values())):
        asked = Requirement(text)
        assert sorted(s.operator for s in asked.specifier) == ["<", ">="], f"{text}: expected name>=LOW,<HIGH"
        pin = pinned.get(canonicalize_name(asked.name))
        assert pin is None or pin in asked.specifier, f"{text}: constraints.txt has {pin}"


def test_the_rooms_are_described_as_they_stand() -> None:
    """CONTRIBUTING's table: every room, from the top down, and whom it may import."""
    section = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## The rooms")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)/` \| [^|]+ \| ([^|]+) \|$", section, re.MULTILINE)
    below = {room: ", ".join(ORDER[at + 1 :]) or "nothing" for at, room in enumerate(ORDER)}
    assert rows == list({**below, ORDER[0]: "everything below"}.items())
