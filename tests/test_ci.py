"""What runs on a hosted forge is `.ci/run`, on the Pythons that the package names, and nothing floats freely."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORKFLOW = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")


def test_it_runs_what_people_run() -> None:
    assert re.findall(r"^ +- run: (.+)$", WORKFLOW, re.MULTILINE) == [".ci/run"]
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111


def test_actions_are_pinned_by_major_version() -> None:
    used = re.findall(r"uses: (\S+)", WORKFLOW)
    assert used
    assert [action for action in used if not re.fullmatch(r"actions/[\w-]+@v\d+", action)] == []


def test_its_pythons_are_those_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    said = {c.rpartition(" ")[2] for c in project["classifiers"] if re.search(r":: 3\.\d+$", c)}
    (tried,) = re.findall(r"python: \[(.+)\]", WORKFLOW)
    versions = re.findall(r'"(3\.\d+)"', tried)
    assert set(versions) <= said
    assert project["requires-python"] == f">={versions[0]}"


def test_it_may_read_and_nothing_else() -> None:
    assert re.search(r"^permissions:\n  contents: read\n\w", WORKFLOW, re.MULTILINE)
