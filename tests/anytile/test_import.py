"""`import anytile` is quick and light, and so is `--help`; every public name is there."""

from __future__ import annotations

import importlib.metadata
import inspect
import resource
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import anytile

HEAVY = ("ray", "xgboost", "cupy", "alembic", "sqlalchemy", "llvmlite", "numpy", "rich")


def _modules_after(statement: str) -> set[str]:
    code = f"{statement}; import sys; print(*(m for m in sys.modules if '.' not in m))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


def test_import_drags_nothing_heavy_in() -> None:
    assert not _modules_after("import anytile") & set(HEAVY)


def test_naming_a_function_starts_nothing() -> None:
    assert not _modules_after("from anytile import build, lookup, tune, dense") & {"ray", "xgboost", "cupy", "alembic"}


def _processor_seconds(code: str) -> float:
    """What the interpreter spends on it, start included: the best of three, and not who else is at work."""

    def once() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return min(once() for _ in range(3))


def test_import_is_quick() -> None:
    assert _processor_seconds("import anytile") < 0.3


@pytest.mark.slow
def test_help_is_quick() -> None:
    code = "import sys; sys.argv = ['tune', '--help']; from anytile.cli.main import tune_main; tune_main()"
    assert _processor_seconds(code) < 0.5


def test_help_imports_no_room() -> None:
    code = "from anytile.cli.main import run, tune_alone; run(tune_alone(), ['--help'], 'tune')"
    seen = _modules_after(f"import sys; sys.argv = ['tune', '--help']; {code}")
    assert not seen & {"ray", "xgboost", "numpy", "sqlalchemy", "llvmlite"}


def test_a_clone_needs_no_installation(tmp_path: Path) -> None:
    """Where nothing but this folder says where the rooms are."""
    root = Path(__file__).resolve().parents[2]
    code = "import anytile.core.errors, anytile.schedules.hardware.nvidia_driver as found; print(found.__file__)"
    for command in ([sys.executable, "-S", "-c", code], [sys.executable, "-S", "-P", "-c", code]):
        place = {"cwd": root} if "-P" not in command else {"cwd": tmp_path, "env": {"PYTHONPATH": str(root)}}
        done = subprocess.run(command, capture_output=True, text=True, check=True, **place)  # type: ignore[call-overload]  # of both
        assert Path(done.stdout.strip()) == root / "schedules" / "hardware" / "nvidia_driver.py"


def test_the_rooms_are_found_by_a_link_to_this_one(tmp_path: Path) -> None:
    root = Path(__file__).resolve().parents[2]
    (tmp_path / "anytile").symlink_to(root / "anytile")
    code = "import anytile.cli as near, anytile.core.errors as far; print(near.__file__); print(far.__file__)"
    command = [sys.executable, "-S", "-P", "-c", code]
    env = {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path, env=env)
    expected = [root / "anytile" / "cli" / "__init__.py", root / "core" / "errors.py"]
    assert [Path(line) for line in done.stdout.splitlines()] == expected


def test_package_data_is_every_file_that_is_no_module() -> None:
    root = Path(__file__).resolve().parents[2]
    tables = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["setuptools"]
    rooms = [root / folder for folder in tables["package-dir"].values()]
    there = {p for room in rooms for p in room.rglob("*") if p.is_file() and p.suffix not in (".py", ".pyc")}
    for package, patterns in tables["package-data"].items():
        _, *parts = package.split(".")
        own = f"anytile.{parts[0]}" in tables["package-dir"] if parts else False
        folder = root.joinpath(*parts) if own else root.joinpath("anytile", *parts)
        for pattern in patterns:
            found = set(folder.glob(pattern))
            assert found, f"{package} has no {pattern}"
            there -= found
    assert not there, "not installed: package-data names none of them"


def test_the_version_is_the_package_s() -> None:
    assert anytile.__version__ == importlib.metadata.version("anytile")


def test_every_public_name_is_there() -> None:
    for name in anytile.__all__:
        assert getattr(anytile, name) is not None
    assert set(anytile.__all__) <= set(dir(anytile))


def test_every_public_name_is_documented() -> None:
    """With all that a public class lets its user call."""
    found = {name: getattr(anytile, name) for name in anytile.__all__ if name != "__version__"}
    for name, given in tuple(found.items()):
        if inspect.isclass(given):
            callables = {key: value for key, value in vars(given).items() if inspect.isroutine(value) and key[0] != "_"}
            found.update({f"{name}.{key}": value for key, value in callables.items()})
    assert [name for name, given in found.items() if not inspect.getdoc(given)] == []


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'tnue'"):
        _ = anytile.tnue  # type: ignore[attr-defined]


def test_errors_are_one_family() -> None:
    for name in ("SpecError", "UnsupportedError", "DatabaseError", "MeasureError", "ResourceError", "ArgumentError"):
        assert issubclass(getattr(anytile, name), anytile.AnytileError)
