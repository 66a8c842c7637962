"""LLVM's kept answers: believed for the very library, machine, boot and instructions that they were given for."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from anytile.core.own_folder import cache_folder
from anytile.schedules.hardware import kept_answers
from anytile.schedules.hardware.kept_answers import Answers, circumstances, kept

FIRST = Answers((20, 1, 8), "a-cpu", "+sse2,-avx")
CPU = "processor : 0\nmodel name : one\ncpu MHz : 1000.0\nflags : sse2\n\nprocessor : 1\nflags : sse2\n"


class Library:
    """A library that counts how often it is asked, on a machine that can be changed."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.path, self.boot, self.cpu = folder / "library", folder / "boot", folder / "cpu"
        self.path.write_bytes(b"llvm")
        self.boot.write_text("a boot")
        self.cpu.write_text(CPU)
        self.seen = SimpleNamespace(__cpu_features__={"SSE2": True, "AVX2": False})
        self.times = 0
        monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        monkeypatch.setattr(kept_answers, "_BOOT", self.boot)
        monkeypatch.setattr(kept_answers, "_CPU", self.cpu)
        monkeypatch.setattr(kept_answers, "_of_numpy", lambda: self.seen)

    def asked(self) -> int:
        """How often asking for the answers asks the library."""
        before = self.times
        assert kept(self.path, self._ask) == FIRST
        return self.times - before

    def _ask(self) -> Answers:
        self.times += 1
        return FIRST


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Library:
    return Library(tmp_path, monkeypatch)


def test_it_is_asked_once(library: Library) -> None:
    assert [library.asked() for _ in range(3)] == [1, 0, 0]
    library.cpu.write_text(CPU.replace("1000.0", "2000.0"))  # of the moment, and no other CPU
    assert library.asked() == 0


def test_libraries_in_several_places_are_each_asked_once(library: Library) -> None:
    other = library.path.with_name(os.fsdecode(b"another \xff"))  # whose name is no UTF-8
    other.write_bytes(b"llvm")
    times = []
    for place in (library.path, other) * 2:
        library.path = place
        times.append(library.asked())
    assert times == [1, 1, 0, 0]


CHANGES: dict[str, Callable[[Library], object]] = {
    "length": lambda at: at.path.write_bytes(b"llvm 21"),
    "time": lambda at: os.utime(at.path, ns=(5, 5)),
    "boot": lambda at: at.boot.write_text("another boot"),
    "cpu": lambda at: at.cpu.write_text(CPU.replace("one", "two")),
    "flags": lambda at: at.cpu.write_text(CPU.replace("sse2", "sse2 avx512f")),
    "instructions": lambda at: at.seen.__cpu_features__.update(AVX2=True),
    "place": lambda at: setattr(at, "path", at.path.rename(at.path.with_name("moved"))),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_answers_follow_from_is_looked_at(change: str, library: Library) -> None:
    before = (library.path.stat().st_mtime_ns, library.asked())
    CHANGES[change](library)
    if change == "length":  # nothing else
        os.utime(library.path, ns=(before[0], before[0]))
    assert [library.asked() for _ in range(2)] == [1, 0]


@pytest.mark.parametrize("unknown", ["boot", "cpu", "seen", "numpy"])
def test_nothing_is_kept_where_something_is_not_known(unknown: str, library: Library) -> None:
    if unknown == "seen":
        library.seen.__cpu_features__.clear()
    elif unknown == "numpy":
        library.seen = SimpleNamespace()
    else:
        {"boot": library.boot, "cpu": library.cpu}[unknown].unlink()
    assert circumstances(library.path) is None
    assert [library.asked() for _ in range(2)] == [1, 1]
    assert not cache_folder("host").exists()


def test_damage_is_found(library: Library) -> None:
    library.asked()
    (place,) = cache_folder("host").iterdir()
    whole = place.read_bytes()
    for at in range(0, len(whole), 7):
        place.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert library.asked() == 1
        place.write_bytes(whole[:at])
        assert library.asked() == 1
    assert library.asked() == 0  # it was written again


def test_a_folder_that_others_may_write_is_not_believed(library: Library) -> None:
    library.asked()
    cache_folder("host").chmod(0o777)
    assert [library.asked() for _ in range(2)] == [1, 1]
    cache_folder("host").chmod(0o700)
    assert library.asked() == 0


def test_of_this_machine_it_is_known() -> None:
    """On Linux, where numpy says what it saw; else every process would ask."""
    if Path("/proc/sys/kernel/random/boot_id").exists():
        assert circumstances(Path(__file__)) is not None
