"""How-to pages as tests: the steps of a page, done in a copy of the tree to the letter, and what they touched there.

A step is a block of code between fences, and the sentence right before it says what to do with it:

    Create `path`:                        the block is a new file
    In `path`, after `line`:              the block goes behind that line
    In `path`, before `line`:             the block goes in front of it
    In `path`, instead of `line`:         the block takes its place
    At the end of `path`:                 the block is what the file ends with

The sentence may say more before these words. `line` is one whole line of the file, the blanks around it aside, and
stands there once; it may end in ` ...` for whatever follows. A block is put in as it is written, indentation included.
Of other blocks, a `sh` block is commands, which are run in the copy one by one and succeed, and a `python` block is a
program, which is run there and succeeds. Blocks of any other language, or of none, are only there to be read.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_CREATE = re.compile(r"\bcreate `([^`]+)`[^`]*:\Z", re.IGNORECASE)
_BESIDE = re.compile(r"\bin `([^`]+)`, (after|before|instead of) `([^`]+)`[^`]*:\Z", re.IGNORECASE)
_END = re.compile(r"\bat the end of `([^`]+)`[^`]*:\Z", re.IGNORECASE)
_IGNORED = {"__pycache__", "build", ".pytest_cache", ".hypothesis", ".mypy_cache", ".ruff_cache"}
# The scripts would make an environment for the copy; what they run in the end needs none.
_SCRIPTS = {
    "scripts/test": ("-m", "pytest", "-n", "0", "-q", "-p", "no:cacheprovider"),
    "scripts/docs": ("-m", "anytile.reference.docs_pages", "docs"),
    "anytile": ("-m", "anytile.cli.main"),
    "python": (),
}


@dataclass(frozen=True)
class Edit:
    """A file that is made (`create`), or a block that goes behind, in front of or in place of a line, or to the end."""

    path: str
    place: str
    line: str
    code: str

    def applied(self, text: str | None) -> str:
        """The file afterwards; None is one that is not there."""
        if self.place == "create":
            assert text is None, f"{self.path} is there already"
            return self.code
        assert text is not None, f"{self.path}: no such file"
        if self.place == "end":
            return text + self.code
        lines = text.splitlines(keepends=True)
        found = [i for i, line in enumerate(lines) if self._is(line.strip())]
        assert len(found) == 1, f"{self.path}: {len(found)} lines {self.line!r}; expected one"
        begin, end = {"after": (1, 1), "before": (0, 0), "instead of": (0, 1)}[self.place]
        return "".join([*lines[: found[0] + begin], self.code, *lines[found[0] + end :]])

    def _is(self, line: str) -> bool:
        wanted = self.line.strip()
        return line.startswith(wanted[:-4]) if wanted.endswith(" ...") else line == wanted


@dataclass(frozen=True)
class Commands:
    """Command lines that are run in the copy, one by one."""

    lines: tuple[str, ...]


@dataclass(frozen=True)
class Program:
    """Python that is run in the copy."""

    code: str


Step = Edit | Commands | Program


def steps(page: str) -> tuple[Step, ...]:
    """What a page tells its reader to do, in its order."""
    found: list[Step] = []
    end = 0
    for fence in _FENCE.finditer(page):
        before = " ".join(page[end : fence.start()].rstrip().rpartition("\n\n")[2].split())
        end = fence.end()
        step = _step(before, fence[1], fence[2])
        if step is not None:
            found.append(step)
    return tuple(found)


def _step(before: str, language: str, code: str) -> Step | None:
    if said := _CREATE.search(before):
        return Edit(said[1], "create", "", code)
    if said := _BESIDE.search(before):
        return Edit(said[1], said[2].lower(), said[3], code)
    if said := _END.search(before):
        return Edit(said[1], "end", "", code)
    if language == "sh":
        lines = (line.partition(" #")[0].strip() for line in code.splitlines())
        return Commands(tuple(line for line in lines if line and not line.startswith("#")))
    return Program(code) if language == "python" else None


@dataclass
class Copy:
    """A copy of the tree in a folder, where `anytile` is the copy's; and what has been done in it."""

    folder: Path
    _before: dict[str, bytes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        listed = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
        names = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout
        for name in filter(None, names.split("\0")):
            if (ROOT / name).is_file():
                (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, self.folder / name)
        # What is as it was need not be compiled again by every process: bytecode tells by a source's size and time.
        for folder in {path.parent for path in self.folder.rglob("*.py")}:
            if (made := ROOT / folder.relative_to(self.folder) / "__pycache__").is_dir():
                (folder / made.name).symlink_to(made)
        self._before = self._files()
        installed = self._installed / "anytile"  # in the shape that an installation has
        installed.mkdir(parents=True)
        for path in (self.folder / "anytile").iterdir():
            (installed / path.name).symlink_to(path)
        for path in self.folder.glob("*/__init__.py"):
            if path.parent.name not in ("anytile", "tests"):
                (installed / path.parent.name).symlink_to(path.parent)

    @property
    def _installed(self) -> Path:
        return self.folder / "build" / "installed"

    def _files(self) -> dict[str, bytes]:
        paths = (p for p in self.folder.rglob("*") if p.is_file())
        names = ((p, p.relative_to(self.folder)) for p in paths)
        return {str(name): p.read_bytes() for p, name in names if not _IGNORED & {*name.parts}}

    def touched(self) -> list[str]:
        """Files that are new, changed or gone: those that the steps name, and those that commands wrote."""
        after = self._files()
        names = sorted({*self._before, *after})
        return [name for name in names if self._before.get(name) != after.get(name)]

    def do(self, step: Step) -> None:
        """Do one step; one that fails is an AssertionError that says how."""
        match step:
            case Edit(path=name):
                path = self.folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(step.applied(path.read_text("utf-8") if path.exists() else None), encoding="utf-8")
            case Commands(lines):
                for line in lines:
                    words = shlex.split(line)
                    assert words[0] in _SCRIPTS, f"{line}: a page may run {', '.join(_SCRIPTS)}"
                    self.python(*_SCRIPTS[words[0]], *words[1:])
            case Program(code):
                self.python("-c", code)

    def python(self, *words: str) -> str:
        """What Python prints, run in the copy; the copy's `anytile` is imported, never that of the tree."""
        env = {**os.environ, "PYTHONPATH": str(self._installed), "PYTHONDONTWRITEBYTECODE": "1"}
        env["PYTHONSAFEPATH"] = "1"  # the folder itself is not on the path: in it, `anytile` would have no rooms
        for name in [n for n in env if n.startswith(("PYTEST_", "COV_"))]:
            del env[name]
        done = subprocess.run([sys.executable, *words], cwd=self.folder, env=env, capture_output=True, text=True)
        assert done.returncode == 0, f"{shlex.join(words)}\n{done.stdout[-6000:]}\n{done.stderr[-6000:]}"
        return done.stdout


def follow(page: str, folder: Path) -> list[str]:
    """Do all that a page says in a copy of the tree; the files that this touched."""
    copy = Copy(folder)
    for step in steps(page):
        copy.do(step)
    return copy.touched()
