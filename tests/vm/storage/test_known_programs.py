"""Programs that were verified before: believed only where every byte that was verified is what is decoded now."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from anytile.codegen.cache import CodeCache
from anytile.core.errors import SpecError
from anytile.vm.program.executable import Executable
from anytile.vm.session import Session
from anytile.vm.storage import file, known_programs
from anytile.vm.storage.file import load, parse, save
from tests.support.cases.vm_executables import list_sum, loop
from tests.support.executable_mutants import Container, mutated

MUTANTS = 40


@pytest.fixture
def cache(tmp_path: Path) -> CodeCache:
    return CodeCache(tmp_path / "code")


@pytest.fixture
def verifications(monkeypatch: pytest.MonkeyPatch) -> list[Executable]:
    """What is verified from now on."""
    seen: list[Executable] = []
    real = known_programs.verified

    def verified(exe: Executable) -> Executable:
        seen.append(exe)
        return real(exe)

    monkeypatch.setattr(known_programs, "verified", verified)
    return seen


def data_of(exe: Executable, folder: Path) -> bytes:
    save(exe, folder / "e")
    return (folder / "e").read_bytes()


def unsound(data: bytes) -> bytes:
    """A file as long, whose first function has fewer registers than its code names; fingerprints fit."""
    whole = Container(data)
    first, *others = whole.header["functions"]
    first[3] = 0 if first[3] < 10 else 10
    return bytes(whole.written({**whole.header, "functions": [first, *others]}, whole.sections))


def said(data: bytes | bytearray, cache: CodeCache | None) -> str:
    """What becomes of a file: the error, or the program."""
    try:
        return str(parse(memoryview(data), cache)[0].functions)
    except SpecError as error:
        return f"refused: {error}"


def test_a_program_is_verified_once(tmp_path: Path, cache: CodeCache, verifications: list[Executable]) -> None:
    data = data_of(loop(), tmp_path)
    first, _ = parse(memoryview(data), cache)
    again, _ = parse(memoryview(data), cache)
    assert len(verifications) == 1
    assert again == first
    assert again.sound is not None
    assert again.sound.holds(again)
    parse(memoryview(data), CodeCache(tmp_path / "another"))
    assert len(verifications) == 2


def test_sessions_of_it_run(tmp_path: Path, cache: CodeCache, verifications: list[Executable]) -> None:
    save(loop(), tmp_path / "e")
    results = [int(Session(load(tmp_path / "e", cache=cache))(np.array(5))) for _ in range(2)]
    assert results == [10, 10]
    assert len(verifications) == 1


def test_mutants_of_a_known_program_are_refused_as_ever(tmp_path: Path, cache: CodeCache) -> None:
    """In words that do not depend on what is known; each is asked for twice."""
    whole, rng = Container(data_of(list_sum(), tmp_path)), random.Random(0)
    parse(whole.written(whole.header, whole.sections), cache)
    tally = {"refused": 0, "sound": 0}
    for part in ("code", "header"):
        for _ in range(MUTANTS):
            data = bytes(mutated(rng, whole, part))
            wanted = said(data, None)
            assert said(data, cache) == said(data, cache) == wanted
            tally["refused" if wanted.startswith("refused") else "sound"] += 1
    assert min(tally.values()) >= 10


@pytest.mark.parametrize("damage", [b"", b"\0" * 40, None])
def test_a_damaged_note_says_nothing(
    damage: bytes | None, tmp_path: Path, cache: CodeCache, verifications: list[Executable]
) -> None:
    data = data_of(loop(), tmp_path)
    parse(memoryview(data), cache)
    (note,) = cache.folder.glob("*/*")
    note.write_bytes(note.read_bytes()[:-1] if damage is None else damage)
    parse(memoryview(data), cache)
    parse(memoryview(data), cache)
    assert len(verifications) == 2  # and is written again


def test_what_is_refused_is_not_noted(tmp_path: Path, cache: CodeCache) -> None:
    data = unsound(data_of(loop(), tmp_path))
    assert "refused" in said(data, cache)
    assert not list(cache.folder.glob("*/*"))


def test_another_verifier_looks_again(
    tmp_path: Path, cache: CodeCache, verifications: list[Executable], monkeypatch: pytest.MonkeyPatch
) -> None:
    data = data_of(loop(), tmp_path)
    for name, value in (("installation", lambda: "edited"), ("__version__", "0.0.9"), ("ROOMS", ("/elsewhere",))):
        for _ in range(2):
            parse(memoryview(data), cache)
        monkeypatch.setattr(known_programs, name, value)
    parse(memoryview(data), cache)
    assert len(verifications) == 4


def test_a_header_that_changes_while_it_is_read(
    tmp_path: Path, cache: CodeCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It becomes that of a known program once it was copied: the copy is what counts."""
    good = data_of(loop(), tmp_path)
    parse(memoryview(good), cache)
    bad, loads = bytearray(unsound(good)), json.loads
    start = file.FILE.header(good)[1]
    assert file.FILE.header(bad)[1] == start

    def change(text: bytes) -> Any:
        bad[:start] = good[:start]
        return loads(text)

    monkeypatch.setattr(json, "loads", change)
    with pytest.raises(SpecError, match="register"):
        parse(memoryview(bad), cache)


@pytest.mark.parametrize("changes", [False, True])
def test_code_of_the_same_fingerprint_is_not_the_same(
    changes: bool, tmp_path: Path, cache: CodeCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who wants to can make such; also where the file becomes the known one once the code was read."""
    good = data_of(loop(), tmp_path)
    parse(memoryview(good), cache)
    header, start = file.FILE.header(good)
    place, decode = header["sections"]["code"], file.decode
    monkeypatch.setattr(file, "fingerprints", lambda _: {n: p["fingerprint"] for n, p in header["sections"].items()})
    refused = 0
    for at in range(start + place["offset"], start + place["offset"] + place["length"]):
        data = bytearray(good)
        data[at] ^= 1
        wanted = said(bytes(data), None)

        def read(code: bytes, data: bytearray = data) -> Any:
            found = decode(code)
            data[:] = good
            return found

        with pytest.MonkeyPatch.context() as patch:
            if changes:
                patch.setattr(file, "decode", read)
            assert said(data, cache) == wanted
        refused += "refused: function" in wanted
    assert refused > 5
