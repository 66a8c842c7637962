"""The local code cache: compiled artifacts in a folder, addressed by a hash of everything that went into them.

A cached file is written aside and moved into place, so a reader never sees half of one. One that does not match its
hash is as good as absent. The cache never leaves the machine, and holds at most `limit_bytes`: the oldest go first.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import struct
import tempfile
from collections.abc import Iterator
from pathlib import Path

from anytile.codegen.artifact import Artifact, encode_header
from anytile.core.regular_file import read_regular

_LENGTH = struct.Struct("<I")
_MAX_HEADER = 1 << 20


def default_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "anytile" / "code"


def key_of(*parts: str) -> str:
    """A content address: the hash of every part, unambiguous about where one ends."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode()
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()


class CodeCache:
    """Artifacts by key. A cache that cannot be written is one that is always empty: never an error."""

    def __init__(self, folder: Path | None = None, limit_bytes: int = 512 << 20) -> None:
        self.folder = folder if folder is not None else default_folder()
        self.limit_bytes = limit_bytes

    def get(self, key: str) -> Artifact | None:
        path = self._path(key)
        try:
            data = read_regular(path)
        except OSError:
            return None
        try:
            (length,) = _LENGTH.unpack_from(data)
            if length > min(_MAX_HEADER, len(data) - _LENGTH.size):
                raise ValueError("header longer than the file")
            end = _LENGTH.size + length
            found = Artifact.of(json.loads(data[_LENGTH.size : end]), data[end:])
        except (struct.error, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            with contextlib.suppress(OSError):
                path.unlink()
            return None
        with contextlib.suppress(OSError):
            os.utime(path)
        return found

    def put(self, key: str, artifact: Artifact) -> None:
        header = encode_header(artifact)
        path = self._path(key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file, _removed_on_error(file.name):
                file.write(_LENGTH.pack(len(header)) + header + artifact.code)
                file.close()
                os.replace(file.name, path)
        except OSError:
            return
        self._trim()

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / key

    def _trim(self) -> None:
        with contextlib.suppress(OSError):
            found = ((p.stat(), p) for p in self.folder.glob("??/*"))
            files = [(stat.st_mtime, stat.st_size, p) for stat, p in found]
            total = sum(size for _, size, _ in files)
            for _, size, path in sorted(files):
                if total <= self.limit_bytes:
                    break
                path.unlink(missing_ok=True)
                total -= size


@contextlib.contextmanager
def _removed_on_error(name: str) -> Iterator[None]:
    try:
        yield
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
