"""Fingerprints of packages' sources: every edit makes another one, and what is no source does not."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from anytile.codegen import sources as module
from anytile.codegen.sources import sources


def test_every_edit_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_BEGAN", time.time_ns() + 10**12)  # a process that begins after all of them

    def seen() -> str:
        module._files_of.cache_clear()
        return sources(str(tmp_path))

    (tmp_path / "inside").mkdir()
    emitter = tmp_path / "inside" / "emitter.py"
    texts = [seen()]
    emitter.write_text("a = 1\n")
    texts.append(seen())
    emitter.write_text("a = 10\n")
    texts.append(seen())
    stat = emitter.stat()
    os.utime(emitter, ns=(stat.st_atime_ns, stat.st_mtime_ns + 1))  # as many bytes, at another time
    texts.append(seen())
    emitter.rename(tmp_path / "emitter.py")
    texts.append(seen())
    (tmp_path / "emitter.py").rename(tmp_path / "writer.py")
    texts.append(seen())
    (tmp_path / "kept.ll").write_text("; what a writer puts beside its own\n")
    texts.append(seen())
    assert len(set(texts)) == len(texts)
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "writer.py").write_text("")
    (tmp_path / "notes.txt").write_text("")
    assert seen() == texts[-1]
    module._files_of.cache_clear()


def test_who_began_before_an_edit_has_keys_of_its_own(tmp_path: Path) -> None:
    """It may have imported what the file said before, or not yet."""
    emitter = tmp_path / "emitter.py"
    emitter.write_text("a = 1\n")
    said = set()
    for changed in (module._BEGAN - 1, module._BEGAN):
        os.utime(emitter, ns=(changed, changed))
        for _ in range(2):
            module._files_of.cache_clear()
            said.add(sources(str(tmp_path)))
    assert len(said) == 1 + 2
    module._files_of.cache_clear()


def test_a_process_says_the_same_throughout(tmp_path: Path) -> None:
    """What it has imported does not change when a file does."""
    before = sources(str(tmp_path))
    (tmp_path / "emitter.py").write_text("a = 1\n")
    assert sources(str(tmp_path)) == before
