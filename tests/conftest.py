"""What every test gets: its own home, steady Hypothesis profiles, golden texts, skips with reasons; and one code cache.

No test touches the user's files: HOME, the XDG folders and ANYTILE_DB point into tmp folders, of the test or of all.
"""

from __future__ import annotations

import ctypes
import gc
import importlib.util
import itertools
import os
import secrets
import shutil
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.support.quick_nvrtc import quick_compiler
from tests.support.selection import TURNS, fast, in_turn, lesser

# Machines under load make single examples slow, which says nothing about the code: no deadline anywhere.
settings.register_profile("dev", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("dev"), derandomize=True, database=None, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "dev")

# Ray keeps its token in HOME and remembers it for the life of the process; with a home per test they would disagree.
_RAY_TOKEN = secrets.token_hex(32)

# Tests that are long because they wait. One worker begins with them while the others work; at the end all would wait.
_FIRST = ("test_ray_campaign.py", "test_ray_runner.py", "test_campaign_real.py", "test_campaign_processes.py")

Golden = Callable[[str, str], None]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="rewrite the golden texts with what the code says now"
    )
    parser.addoption("--fast", action="store_true", help="leave out what is marked slow, and most of what is sampled")
    parser.addoption("--lesser", action="store_true", help="leave out what is marked slow but whole kernels on CPUs")
    parser.addoption("--turn", type=int, choices=range(TURNS), help="of what --fast leaves out one quarter")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    which = config.getoption("--turn")
    for asked, kept in (
        (config.getoption("--fast"), fast),
        (config.getoption("--lesser"), lesser),
        (which is not None, lambda tests: in_turn(tests, which)),
    ):
        if asked:
            left = kept(items)
            config.hook.pytest_deselected(items=list(set(items).difference(left)))
            items[:] = left
    missing = {"browser": _no_browser(), "cuda": _no_cuda(), "postgres": _no_postgres(), "neon": _no_neon()}
    for item in items:
        for marker, reason in missing.items():
            if reason and item.get_closest_marker(marker):
                item.add_marker(pytest.mark.skip(reason=reason))
    items.sort(key=lambda item: item.path.name not in _FIRST)


def pytest_collection_finish() -> None:
    """What was imported stays, and need not be looked through again by every collection of garbage.

    Nor what thousands of tests keep for later ones: looking through all there is was a twelfth of their time. The
    youngest are looked through a tenth as often as usual.
    """
    gc.collect()
    gc.freeze()
    young, middle, _ = gc.get_threshold()
    gc.set_threshold(10 * young, middle, 100)


def _no_cuda() -> str:
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return "cuda: no NVIDIA driver (libcuda.so.1) on this machine"
    if driver.cuInit(0) != 0:
        return "cuda: the NVIDIA driver finds no usable GPU"
    if importlib.util.find_spec("cupy") is None:
        return "cuda: CuPy is not installed; pip install 'anytile[cuda13]'"
    return ""


def _no_browser() -> str:
    lost = [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]
    return f"browser: no {' and no '.join(lost)}; apt-get install chromium chromium-driver" if lost else ""


def _no_neon() -> str:
    lost = [name for name in ("aarch64-linux-gnu-gcc", "qemu-aarch64") if shutil.which(name) is None]
    return f"neon: no {' and no '.join(lost)}; apt-get install gcc-aarch64-linux-gnu qemu-user" if lost else ""


def _no_postgres() -> str:
    if not os.environ.get("ANYTILE_TEST_POSTGRES"):
        return "postgres: `scripts/postgres scripts/test` starts a server, or name one by $ANYTILE_TEST_POSTGRES"
    return ""


@pytest.fixture(scope="session")
def _homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Folders that are not there yet. `mktemp` would look at all of those before to find the next number."""
    folder = tmp_path_factory.mktemp("homes")
    return (folder / str(number) for number in itertools.count())


@pytest.fixture(autouse=True, scope="session")
def one_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """For all tests of all workers: code is addressed by what went into it, so what one compiled nobody does again."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    emulated = shared / "cuda-cpu"  # code for GPUs, compiled for this CPU
    emulated.mkdir(exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(shared / "cache"))
        patch.setenv("ANYTILE_CUDA_CPU", str(emulated))
        yield


@pytest.fixture(autouse=True, scope="session")
def code_for_no_gpu() -> Iterator[None]:
    """Where no GPU will run what NVRTC makes, no time goes into making it well."""
    with pytest.MonkeyPatch.context() as patch:
        if _no_cuda():
            patch.setattr("anytile.dispatch.cuda.build.Compiler", quick_compiler)
        yield


@pytest.fixture(autouse=True)
def own_home(_homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own for every test, which nothing else looks into."""
    home = next(_homes)
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    for name, folder in (("DATA", ".local/share"), ("CONFIG", ".config")):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(home / folder))
    monkeypatch.setenv("ANYTILE_DB", str(home / "tuning.db"))
    monkeypatch.delenv("ANYTILE_COMMAND", raising=False)
    monkeypatch.setenv("RAY_AUTH_TOKEN", _RAY_TOKEN)
    monkeypatch.setenv("ANYTILE_JOBS", "1")  # tests keep the cores busy themselves
    return home


@pytest.fixture(autouse=True)
def own_numbers(request: pytest.FixtureRequest) -> None:
    """What a test draws of its module's `RNG` is the same whichever tests ran before."""
    if (rng := getattr(request.module, "RNG", None)) is not None:
        seed = zlib.crc32(request.node.name.encode())
        rng.bit_generator.state = type(rng.bit_generator)(seed).state


@pytest.fixture
def small_heap() -> None:
    """For who collects garbage: what there was before need not be looked through, which takes a second and more."""
    gc.freeze()


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """`golden(name, text)`: the text is what `golden/<name>` says, beside the test file or in a folder above it."""
    folder = next(f / "golden" for f in request.path.parents if (f / "golden").is_dir())

    def check(name: str, text: str) -> None:
        path = folder / name
        if request.config.getoption("--update-golden"):
            folder.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
            return
        if not path.exists():
            pytest.fail(f"no golden text {path.name}; if this is right, run with --update-golden:\n{text}")
        expected = path.read_text(encoding="utf-8")
        assert text == expected, f"{path.name} differs; if this is meant, run with --update-golden"

    return check
