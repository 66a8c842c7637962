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
from vm_programs import programs
from vm_world import count, list_sum, loop, mlp, mlp_in_numpy

from anytile.schedules.errors import AnytileError, SpecError
from anytile.vm import file
from anytile.vm.executable import Executable
from anytile.vm.file import FORMAT, MAGIC, load, parse, read, save
from anytile.vm.packing import raw
from anytile.vm.session import Session

MUTANTS = 10_000


def same(a: Executable, b: Executable) -> bool:
    """Equal, object code and constants included; a constant may lie packed in one of them."""
    rest = replace(a, constants=()) == replace(b, constants=())
    pairs = zip(a.constants, b.constants, strict=True)
    return rest and all(
        np.array_equal(raw(x), raw(y)) and (x.name, x.packed, x.device) == (y.name, y.packed, y.device)
        for x, y in pairs
    )


@pytest.mark.parametrize("made", [loop, count, list_sum, lambda: mlp()[0]])
def test_files_read_back(made: AnyType, tmp_path: Path) -> None:
    exe = made()
    save(exe, tmp_path / "e")
    assert same(load(tmp_path / "e", trust=True), exe)
    assert same(load(tmp_path / "e"), exe)  # built again, from the same plans
    save(load(tmp_path / "e"), tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "e").read_bytes()


@settings(max_examples=10)
@given(programs())
def test_generated_programs_read_back(made: AnyType) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        save(made[0], Path(folder) / "e")
        assert same(load(Path(folder) / "e", trust=True), made[0])


def test_a_loaded_program_runs_on_the_mapped_constants(tmp_path: Path) -> None:
    exe, weights = mlp()
    save(exe, tmp_path / "e")
    found = load(tmp_path / "e")
    assert not found.constants[0].array.flags.writeable
    assert found.constants[0].array.ctypes.data % file.ALIGNMENT == 0
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
    monkeypatch.setattr(file, "here", lambda: {"target": "llvm -mcpu=other -threads=1", "codegen": 0, "llvm": "1"})
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
        (MAGIC + (FORMAT + 1).to_bytes(4, "little") + bytes(80), "upgrade anytile"),
        (MAGIC + FORMAT.to_bytes(4, "little") + (2**60).to_bytes(8, "little") + bytes(80), "cut off"),
        (MAGIC + FORMAT.to_bytes(4, "little") + (5).to_bytes(8, "little") + bytes(80), "hash"),
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


def test_every_mutant_is_refused_or_harmless(tmp_path: Path) -> None:
    """A byte anywhere is another: a hash finds it, or it is padding and the program is the same."""
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


# Mutants whose hashes are right: the bytecode and the header say anything at all, and are run. In a process of its own,
# so that a crash is a failed test; a mutant that runs on and on is stopped by a timer.
HOSTILE = """
import hashlib, json, random, signal, struct, sys
import numpy as np
from anytile.schedules.errors import AnytileError
from anytile.vm import file
from anytile.vm.link import linked
from anytile.vm.session import Session
from anytile.vm.ports import Data

class Late(Exception):
    pass

def late(*_):
    raise Late

signal.signal(signal.SIGALRM, late)
data = open(sys.argv[1], "rb").read()
seed, count, part = int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
size = file._PREFIX.size
length = file._PREFIX.unpack_from(data)[2]
header = json.loads(data[size:size + length])
start = file._aligned(size + length)
rng = random.Random(seed)
tally = {"refused": 0, "failed": 0, "ran": 0, "late": 0}

def written(header, code):
    body = bytearray(data[start:])
    place = header["sections"]["code"]
    body[place["offset"]:place["offset"] + place["length"]] = code
    place["sha256"] = hashlib.sha256(code).hexdigest()
    text = json.dumps(header, sort_keys=True).encode()
    prefix = file._PREFIX.pack(file.MAGIC, file.FORMAT, len(text), hashlib.sha256(text).digest())
    gap = bytes(file._aligned(len(prefix) + len(text)) - len(prefix) - len(text))
    return prefix + text + gap + bytes(body)

def leaves(node, path=()):
    if isinstance(node, dict):
        for k, v in node.items():
            yield from leaves(v, (*path, k))
    elif isinstance(node, list):
        for i, v in enumerate(node):
            yield from leaves(v, (*path, i))
    else:
        yield path

def changed(node, path):
    for step in path[:-1]:
        node = node[step]
    old = node[path[-1]]
    if isinstance(old, str) and old:
        i = rng.randrange(len(old))
        node[path[-1]] = rng.choice([old[:i] + chr(rng.randrange(32, 127)) + old[i + 1:], "", old[:i], old + old])
    else:
        node[path[-1]] = rng.choice([None, -1, 0, 1, 2, 3, 5, 255, 2**31, 2**63, 1.5, "x", [], {}, True])

inputs = [np.ones(1, np.float32), np.array(3, np.int64), np.ones((5, 24), np.float32)]
inputs.append(Data("Cons", inputs[0], Data("Cons", inputs[0], Data("Nil"))))
place = header["sections"]["code"]
original = data[start + place["offset"]:start + place["offset"] + place["length"]]
paths = [p for p in leaves(header) if p[0] not in ("sections", "made_for")]
paths = [p for p in paths if p[0] != "kernels" or p[2] not in (3, 5)]  # plans and code are dispatch's to check
for _ in range(count):
    mutant, code = json.loads(json.dumps(header)), bytearray(original)
    if part == "code":
        for _ in range(rng.choice([1, 1, 2, 3])):
            code[rng.randrange(len(code))] = rng.choice([rng.randrange(256), rng.randrange(24)])
    else:
        changed(mutant, rng.choice(paths))
    try:
        exe, _ = file.parse(memoryview(written(mutant, bytes(code))))
        session = Session(linked(exe), memory_limit=1 << 24, max_depth=1000, compiled=rng.random() < 0.5)
    except AnytileError as error:
        assert "\\n" not in str(error), error
        tally["refused"] += 1
        continue
    for x in inputs:
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            session(x)
            tally["ran"] += 1
        except AnytileError as error:
            assert "\\n" not in str(error), error
            tally["failed"] += 1
        except Late:
            tally["late"] += 1
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
print(json.dumps(tally))
"""


@pytest.mark.parametrize("part", ["code", "header"])
@pytest.mark.parametrize("made", ["loop", "list_sum", "mlp"])
def test_hostile_mutants_end_in_errors_of_a_line(made: str, part: str, tmp_path: Path) -> None:
    exe = {"loop": loop, "list_sum": list_sum, "mlp": lambda: mlp()[0]}[made]()
    save(exe, tmp_path / "e")
    seed = int(hashlib.sha256(f"{made} {part}".encode()).hexdigest()[:8], 16)
    how_many = os.environ.get("ANYTILE_TEST_MUTANTS", "120")
    done = subprocess.run(
        [sys.executable, "-c", HOSTILE, str(tmp_path / "e"), str(seed), how_many, part],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    tally = json.loads(done.stdout)
    assert tally["refused"] > 0
    assert tally["refused"] + tally["failed"] + tally["ran"] + tally["late"] >= int(how_many)
