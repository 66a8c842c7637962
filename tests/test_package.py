"""What `pip install` would install: every module and data file of the rooms, importable, and the two commands."""

from __future__ import annotations

import configparser
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("anytile", "importers", "compiler", "tuner", "vm", "dispatch", "db", "codegen", "schedules", "core")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy (setuptools leaves things behind where it builds) and unpacked."""
    folder = tmp_path_factory.mktemp("package")
    source = folder / "source"
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source / name)
    for room in ROOMS:
        if (ROOT / room).exists():
            shutil.copytree(ROOT / room, source / room, ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    done = subprocess.run([*command, "-w", folder, source], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


@pytest.mark.slow
def test_the_wheel_holds_every_file_of_the_rooms(installed: Path) -> None:
    expected = set()
    for room in ROOMS:
        for path in (ROOT / room).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                inside = path.relative_to(ROOT)
                expected.add(str(inside if room == "anytile" else Path("anytile") / inside))
    there = {str(p.relative_to(installed)) for p in (installed / "anytile").rglob("*") if p.is_file()}
    assert sorted(expected - there) == []


@pytest.mark.slow
def test_the_installed_package_is_the_one_that_is_imported(installed: Path) -> None:
    program = "import anytile; print(anytile.__file__); print(anytile.dense(1, 2, 3))"
    env = {**os.environ, "PYTHONPATH": str(installed)}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=env, cwd=installed)
    file, workload = done.stdout.splitlines()
    assert Path(file).is_relative_to(installed)
    assert workload == "dense(m=1, n=2, k=3, dtype=float32)"


@pytest.mark.slow
def test_the_commands_are_tune_and_anytile(installed: Path) -> None:
    (info,) = installed.glob("*.dist-info")
    parser = configparser.ConfigParser()
    parser.read(info / "entry_points.txt")
    assert sorted(parser["console_scripts"]) == ["anytile", "tune"]
