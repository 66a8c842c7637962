"""Fingerprints of packages' sources: every edit makes another one, and what is no source does not."""

from __future__ import annotations

import os
from pathlib import Path

from anytile.codegen import sources as module
from anytile.codegen.sources import sources


def test_every_edit_is_seen(tmp_path: Path) -> None:

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
    assert len(set(texts)) == len(texts)
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "writer.py").write_text("")
    (tmp_path / "notes.txt").write_text("")
    assert seen() == texts[-1]
    module._files_of.cache_clear()


def test_a_process_says_the_same_throughout(tmp_path: Path) -> None:
    """What it has imported does not change when a file does."""
    before = sources(str(tmp_path))
    (tmp_path / "emitter.py").write_text("a = 1\n")
    assert sources(str(tmp_path)) == before
