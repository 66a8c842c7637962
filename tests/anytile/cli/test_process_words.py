"""What other users of the machine read of a command line holds no password, and everything else as it was given."""

from __future__ import annotations

import ctypes
import subprocess
import sys
import time
from pathlib import Path

import pytest

from anytile.cli.process_words import hide_passwords

URL = "postgresql://me:SECRET@db.example/team"
WORDS = {
    URL: "postgresql://me@db.example/team",
    f"--db={URL}?sslmode=require&password=SECRET": "--db=postgresql://me@db.example/team?sslmode=require",
    f"own.db;{URL};packaged": "own.db;postgresql://me@db.example/team;packaged",
    "postgresql://me:SEC;RET@db.example/team": "postgresql://***",
    "host=h user=me password=SECRET": "***",
    "dense(m=?, n=768, k=768, tail=relu(y))": "dense(m=?, n=768, k=768, tail=relu(y))",
    "llvm -mcpu=znver4 -threads=2": "llvm -mcpu=znver4 -threads=2",
    "ray://head:10001": "ray://head:10001",
    "--db=other;own.db": "--db=other;own.db",
}


class Process:
    """A process of which the kernel tells what is said here; its arguments lie in memory of ours."""

    def __init__(self, folder: Path, shown: bytes, there: bytes) -> None:
        self.folder = folder
        self._memory = ctypes.create_string_buffer(there, len(there))
        begin = ctypes.addressof(self._memory)
        (folder / "cmdline").write_bytes(shown)
        (folder / "stat").write_text(f"1 (a (name)) S {'0 ' * 44}{begin} {begin + len(there)} 0 0 0")

    @property
    def arguments(self) -> bytes:
        return self._memory.raw


@pytest.mark.parametrize("word", WORDS)
def test_passwords_are_overwritten_and_nothing_else(tmp_path: Path, word: str) -> None:
    given = b"\0".join((b"anytile", b"tune", word.encode(), b"--json", b""))
    process = Process(tmp_path, given, given)
    hide_passwords(tmp_path)
    assert process.arguments.split(b"\0") == [
        b"anytile", b"tune", WORDS[word].encode().ljust(len(word)), b"--json", b"",
    ]  # fmt: skip


def test_where_other_things_lie_nothing_is_written(tmp_path: Path) -> None:
    shown, there = f"anytile\0{URL}\0".encode(), b"x" * (len(URL) + 9)
    process = Process(tmp_path, shown, there)
    hide_passwords(tmp_path)
    assert process.arguments == there
    hide_passwords(tmp_path / "nowhere")


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="needs /proc")
@pytest.mark.parametrize("main", ["main", "tune_main"])
def test_a_command_hides_its_own(main: str) -> None:
    waits = f"import time, anytile.cli.main as c; c.run = lambda *_: time.sleep(60); c.{main}()"
    with subprocess.Popen([sys.executable, "-c", waits, "--db", URL]) as process:
        try:
            deadline = time.monotonic() + 50
            shown, hidden = Path(f"/proc/{process.pid}/cmdline"), WORDS[URL].encode().ljust(len(URL))
            # empty for a moment, while the process becomes the command
            while hidden not in shown.read_bytes() and time.monotonic() < deadline and process.poll() is None:
                time.sleep(0.05)
            assert process.poll() is None
            assert shown.read_bytes().split(b"\0")[-2] == hidden
        finally:
            process.kill()
