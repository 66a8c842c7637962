"""The local code cache: compiled artifacts in a folder, addressed by a hash of everything that went into them.

A cached file is written aside and moved into place, so a reader never sees half of one. One that does not match its
hash is as good as absent. The cache never leaves the machine, and holds at most `limit_bytes`: the oldest go first. It
is looked through only where it may hold more: a file as long as there are KiB in it tells all processes.
Who writes to it can run code, so a folder of somebody else, a link, or what others may write is not believed.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import secrets
import shutil
import stat
import struct
from collections.abc import Iterator
from pathlib import Path

from anytile.codegen.artifact import Artifact, encode_header
from anytile.core.own_folder import OTHERS, cache_folder, own_folder, read_inside, write_inside

_LENGTH = struct.Struct("<I")
_MAX_HEADER = 1 << 20
_NOTE = Artifact(b"", "")  # an entry that says nothing but that it is there
_TALLY = ".kib"  # a byte for each KiB that the cache holds at most


def default_folder() -> Path:
    return cache_folder("code")


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
        try:
            with own_folder(self.folder) as top, own_folder(key[:2], top) as folder:
                data = read_inside(key, folder)
                found = _artifact(data)
                with contextlib.suppress(OSError):
                    if found is None:
                        os.unlink(key, dir_fd=folder)
                    else:
                        os.utime(key, dir_fd=folder)
        except OSError:
            return None
        return found

    def put(self, key: str, artifact: Artifact) -> None:
        header = encode_header(artifact)
        data = _LENGTH.pack(len(header)) + header + artifact.code
        try:
            self._make()
            with own_folder(self.folder) as top:
                held = _counted(len(data), top)
                with contextlib.suppress(FileExistsError):
                    os.mkdir(key[:2], 0o700, dir_fd=top)
                with own_folder(key[:2], top) as folder:
                    write_inside(key, folder, data)
                if held is None or held > self.limit_bytes:
                    self._trim(top)
        except OSError:
            return

    def note(self, key: str) -> None:
        """Keep that what the key says was found to be so."""
        self.put(key, _NOTE)

    def noted(self, key: str) -> bool:
        """Whether that was noted here."""
        return self.get(key) == _NOTE

    def objection(self) -> str | None:
        """Why nothing in the folder is believed; None where it is, or is not there yet."""
        try:
            with own_folder(self.folder):
                return None
        except FileNotFoundError:
            return None
        except OSError as error:
            return error.strerror or str(error)

    def _make(self) -> None:
        """The folder, made where it is not there. What others could write is put aside: nobody knows what is in it."""
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            self.folder.mkdir(0o700)
        found = self.folder.lstat()
        if stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and found.st_mode & OTHERS:
            aside = self.folder.with_name(f".{self.folder.name}-{secrets.token_hex(8)}")
            self.folder.rename(aside)
            self.folder.mkdir(0o700)
            shutil.rmtree(aside, ignore_errors=True)

    def _trim(self, top: int) -> None:
        """An eighth stays free, or the next artifacts would each look through all the others."""
        files = list(_entries(self.folder))
        total = sum(size for _, size, _ in files)
        room = self.limit_bytes * 7 // 8
        for _, size, path in sorted(files):
            if total <= room:
                break
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)
            total -= size
        with _tally(top) as file:
            os.ftruncate(file, _kib(total))


def _entries(folder: Path) -> Iterator[tuple[float, int, str]]:
    """When each was last used, its size, and where it is."""
    with os.scandir(folder) as shards:
        for shard in shards:
            if not shard.is_dir(follow_symlinks=False):
                continue
            with os.scandir(shard) as entries:
                for entry in entries:
                    with contextlib.suppress(FileNotFoundError):  # others may trim, too
                        seen = entry.stat(follow_symlinks=False)
                        yield seen.st_mtime, seen.st_size, entry.path


def _kib(size: int) -> int:
    return -(-size // 1024)


def _counted(size: int, top: int) -> int | None:
    """The bytes there are at most, with `size` more; None where nobody counted yet."""
    with _tally(top) as file:
        known = os.fstat(file).st_size > 0
        os.write(file, bytes(_kib(size)))
        return os.fstat(file).st_size * 1024 if known else None


@contextlib.contextmanager
def _tally(top: int) -> Iterator[int]:
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    file = os.open(_TALLY, flags, 0o600, dir_fd=top)
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise PermissionError(errno.EPERM, "it is no file")
        yield file
    finally:
        os.close(file)


def _artifact(data: bytes) -> Artifact | None:
    """What an entry holds; None for one that is damaged."""
    try:
        (length,) = _LENGTH.unpack_from(data)
        if length > min(_MAX_HEADER, len(data) - _LENGTH.size):
            raise ValueError("header longer than the file")
        end = _LENGTH.size + length
        return Artifact.of(json.loads(data[_LENGTH.size : end]), data[end:])
    except (struct.error, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
