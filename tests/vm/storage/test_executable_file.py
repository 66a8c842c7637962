"""The executable file: it reads back, says what is wrong with it, and no mutant of it harms the process."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any as AnyType

import numpy as np
import pytest
from hypothesis import given, settings

from anytile.core.errors import AnytileError, SpecError
from anytile.vm.executable import Executable
from anytile.vm.program import executable
from anytile.vm.session import Session
from anytile.vm.storage import file
from anytile.vm.storage.file import FILE, MAGIC, load, parse, read, save, section_lengths
from anytile.vm.storage.packed_constants import raw
from tests.support import executable_mutants, structured_mutants
from tests.support.cases.vm_executables import closure, count, list_sum, loop, mlp, mlp_in_numpy, unique
from tests.support.generators.random_straight_programs import programs

MUTANTS = 10_000


def same(a: executable.Executable, b: executable.Executable) -> bool:
    """Equal, object code and constants included; a constant may lie packed in one of them."""
    rest = replace(Executable.of(a), constants=()) == replace(Executable.of(b), constants=())
    pairs = zip(a.constants, b.constants, strict=True)
    return rest and all(
        np.array_equal(raw(x), raw(y)) and (x.name, x.packed, x.device) == (y.name, y.packed, y.device)
        for x, y in pairs
    )


@pytest.mark.parametrize("made", [loop, count, list_sum, closure, unique, lambda: mlp()[0]])
def test_files_read_back(made: AnyType, tmp_path: Path) -> None:
    exe = made()
    save(exe, tmp_path / "e")
    assert same(load(tmp_path / "e", trust=True), exe)
    assert same(load(tmp_path / "e"), exe)  # built again, from the same plans
    save(load(tmp_path / "e"), tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "e").read_bytes()


def test_it_says_what_it_is_in_a_line() -> None:
    """At Python's prompt: not a weight of it."""
    exe, _ = mlp()
    text = repr(exe)
    assert text.startswith("Executable(main(x: Tensor[(?m, ?), float32]) -> Tensor[(?m, 8), float32] on llvm ")
    assert len(text.splitlines()) == 1
    assert len(text) < 200


@settings(max_examples=10)
@given(programs())
def test_generated_programs_read_back(made: AnyType) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        save(made[0], Path(folder) / "e")
        assert same(load(Path(folder) / "e", trust=True), made[0])


def test_equal_constants_lie_in_a_file_once(tmp_path: Path) -> None:
    """Whoever reads them: two kernels that want them packed alike, or the host and a device."""
    exe, _ = mlp(24, 24, 24)
    w, b, v = exe.constants
    twice = replace(exe, constants=(w, b, replace(v, array=w.array.copy())))
    save(exe, tmp_path / "apart")
    save(twice, tmp_path / "twice")
    assert {n for n in section_lengths(tmp_path / "twice") if n.startswith("constant/")} == {"constant/0", "constant/1"}
    assert (tmp_path / "apart").stat().st_size - (tmp_path / "twice").stat().st_size > w.array.nbytes // 2
    found = load(tmp_path / "twice", trust=True)
    assert same(found, twice)
    save(found, tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "twice").read_bytes()
    x = np.ones((3, 24), np.float32)
    np.testing.assert_array_equal(Session(found)(x), Session(twice)(x))


def test_constants_of_one_fingerprint_that_differ_stay_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    exe, _ = mlp(24, 24, 24)
    monkeypatch.setattr(file, "fingerprint", lambda data: "the same")
    save(exe, tmp_path / "e")
    assert {n for n in section_lengths(tmp_path / "e") if n.startswith("constant/")} == {
        f"constant/{i}" for i in range(len(exe.constants))
    }


def test_a_loaded_program_runs_on_the_mapped_constants(tmp_path: Path) -> None:
    exe, weights = mlp()
    save(exe, tmp_path / "e")
    found = load(tmp_path / "e")
    assert not found.constants[0].array.flags.writeable
    assert found.constants[0].array.ctypes.data % file.FILE.alignment == 0
    x = np.ones((3, 24), np.float32)
    np.testing.assert_allclose(Session(found)(x), mlp_in_numpy(x, weights), rtol=1e-4, atol=1e-4)


def test_code_of_a_file_is_not_used_without_trust(tmp_path: Path) -> None:
    exe = loop()
    poisoned = tuple(
        replace(k, artifact=None if k.artifact is None else replace(k.artifact, code=b"\x7fELF nonsense"))
        for k in exe.kernels
    )
    save(replace(exe, kernels=poisoned), tmp_path / "e")
    assert Session(load(tmp_path / "e"))(np.array(5, np.int64)) == 10
    with pytest.raises(AnytileError, match="object code cannot be loaded"):
        Session(load(tmp_path / "e", trust=True))


def test_code_for_another_machine_is_not_used_even_with_trust(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file, "made_for", lambda exe: {"target": "llvm -mcpu=other", "codegen": 0, "llvm": "1"})
    exe = loop()
    bad = tuple(replace(k, artifact=replace(k.artifact, code=b"other")) for k in exe.kernels if k.artifact)
    save(replace(exe, kernels=bad), tmp_path / "e")
    monkeypatch.undo()
    assert Session(load(tmp_path / "e", trust=True))(np.array(5, np.int64)) == 10


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "no executable"),
        (b"PK\x03\x04" * 30, "no executable"),
        (MAGIC + (FILE.version + 1).to_bytes(4, "little") + bytes(80), "upgrade anytile"),
        (MAGIC + FILE.version.to_bytes(4, "little") + (2**60).to_bytes(8, "little") + bytes(80), "cut off"),
        (MAGIC + FILE.version.to_bytes(4, "little") + (5).to_bytes(8, "little") + bytes(80), "hash"),
    ],
)
def test_what_is_no_executable(data: bytes, says: str, tmp_path: Path) -> None:
    (tmp_path / "e").write_bytes(data)
    with pytest.raises(SpecError, match=says) as caught:
        read(tmp_path / "e")
    assert str(caught.value).startswith(str(tmp_path / "e"))
    assert "\n" not in str(caught.value)


def test_a_missing_file_and_a_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="cannot be read"):
        read(tmp_path / "none")
    with pytest.raises(AnytileError, match="executable cannot be saved"):
        save(loop(), tmp_path / "none" / "e")


def test_every_truncation_is_refused(tmp_path: Path) -> None:
    save(loop(), tmp_path / "e")
    data = (tmp_path / "e").read_bytes()
    last = len(data.rstrip(b"\0"))
    for length in range(0, last, 7):
        with pytest.raises(SpecError):
            parse(memoryview(data[:length]))


@pytest.mark.slow
def test_every_mutant_is_refused_or_harmless(tmp_path: Path) -> None:
    """A byte anywhere is another: a fingerprint finds it, or it is padding and the program is the same."""
    exe = list_sum()
    save(exe, tmp_path / "e")
    data = bytearray((tmp_path / "e").read_bytes())
    rng, harmless = random.Random(0), 0
    for _ in range(MUTANTS):
        place, change = rng.randrange(len(data)), rng.randrange(1, 256)
        data[place] ^= change
        with contextlib.suppress(AnytileError):
            found, _ = parse(memoryview(data))
            assert same(found, exe)
            harmless += 1
        data[place] ^= change
    assert harmless < MUTANTS // 4


# How many mutants with valid hashes: those of plans are compiled, each in some 30 ms where a kernel is another.
HOSTILE = {"code": 300, "header": 300, "plan": 12, "record": 24, "debug": 40, "constants": 24}
PROGRAMS = {"loop": loop, "list_sum": list_sum, "mlp": lambda: mlp()[0], "closure": closure, "unique": unique}


@pytest.mark.slow
@pytest.mark.parametrize("made", PROGRAMS)
def test_hostile_mutants_end_in_errors_of_a_line(made: str, tmp_path: Path) -> None:
    exe = PROGRAMS[made]()
    noted = tuple(replace(f, where={0: f"{f.name}.py:1", 1: "the second step"}) for f in exe.functions)
    save(replace(exe, functions=noted), tmp_path / "e")
    seed = int(hashlib.sha256(made.encode()).hexdigest()[:8], 16)
    times = int(os.environ.get("ANYTILE_TEST_MUTANTS", "1"))
    counts = {part: count * times for part, count in HOSTILE.items()}
    done = subprocess.run(
        [
            sys.executable,
            executable_mutants.__file__,
            str(tmp_path / "e"),
            str(seed),
            *(f"{p}={n}" for p, n in counts.items()),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    tally = json.loads(done.stdout)
    assert sum(t["mutants"] for t in tally.values()) == sum(counts.values())
    assert all(t["refused"] > 0 and t["ran"] > 0 for part, t in tally.items() if part != "constants")


STRUCTURED = 40  # mutants of each program; scripts/mutants runs as many as one likes


@pytest.mark.slow
def test_both_engines_end_alike_on_mutants_of_what_a_program_says() -> None:
    count = STRUCTURED * int(os.environ.get("ANYTILE_TEST_MUTANTS", "1"))
    asked = [sys.executable, "-m", structured_mutants.__name__, "0", str(count)]
    root = Path(structured_mutants.__file__).parents[2]
    done = subprocess.run(asked, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    for tally in json.loads(done.stdout).values():
        assert tally["mutants"] == count
        assert min(tally["refused"], tally["ran alike"], tally["failed alike"]) > 0
        assert tally["slow"] == 0
