"""Container files: a magic number, a JSON header and sections under checksums, believed only after all of them hold.

    magic, format, length and SHA-256 of the header | JSON header | sections, each on a boundary

The header gives offset, length and checksum of each section. No length is believed before it was held against the
file's size, and nothing is unpickled. Checksums find damage; they do not say who wrote a file.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from anytile.core.errors import SpecError

PREFIX = struct.Struct("<8sIQ32s")
Bytes = bytes | memoryview
Checksums = Callable[[Mapping[str, Bytes]], Mapping[str, str]]


class DamagedHeader(ValueError):
    """A header that is cut off, or not what was written."""


@dataclass(frozen=True, slots=True)
class Container:
    """One kind of container file: what tells it from others, and what its errors call it.

    `checksum` is what the header calls that of a section, `checksum_name` what errors do. Sections begin on multiples
    of `alignment`.
    """

    what: str
    magic: bytes
    version: int
    foreign: str  # the error of a file of another kind
    outdated: str  # what to do about one of another version
    max_header: int
    checksum: str
    checksum_name: str
    alignment: int = 1

    def parts(self, header: Mapping[str, Any], sections: Mapping[str, tuple[Bytes, str]]) -> list[Bytes]:
        """The bytes of a file, piece by piece, for `write_atomically`. Sections come with their checksums."""
        places, offset = {}, 0
        body: list[Bytes] = []
        for name, (data, checksum) in sections.items():
            length = memoryview(data).nbytes
            places[name] = {"offset": offset, "length": length, self.checksum: checksum}
            offset += self._aligned(length)
            body += [data, bytes(self._aligned(length) - length)]
        text = json.dumps({**header, "sections": places}, sort_keys=True).encode()
        prefix = PREFIX.pack(self.magic, self.version, len(text), hashlib.sha256(text).digest())
        size = len(prefix) + len(text)
        return [prefix, text, bytes(self._aligned(size) - size), *body]

    def header(self, data: Bytes) -> tuple[dict[str, Any], int]:
        """The header, held against its hash, and where the sections begin."""
        text, start = self.header_text(data)
        return json.loads(text), start

    def header_text(self, data: Bytes) -> tuple[bytes, int]:
        """The same as the text that it is: a copy, so that what is looked at is what was hashed if the file changes."""
        if len(data) < PREFIX.size or data[: len(self.magic)] != self.magic:
            raise SpecError(self.foreign)
        _, version, length, digest = PREFIX.unpack_from(data)
        if version != self.version:
            said = f"{self.what} format {version}, expected {self.version}"
            raise SpecError(f"{said}; upgrade anytile or {self.outdated}")
        if length > min(self.max_header, len(data) - PREFIX.size):
            raise DamagedHeader("the header is cut off")
        text = bytes(data[PREFIX.size : PREFIX.size + length])
        if hashlib.sha256(text).digest() != digest:
            raise DamagedHeader("the header does not match its hash")
        return text, self._aligned(PREFIX.size + length)

    def sections(self, data: Bytes, start: int, said: Mapping[str, Any], checksums: Checksums) -> dict[str, memoryview]:
        """Every section that a header lists, held against its checksum; a ValueError where one does not hold."""
        view, found = memoryview(data), {}
        for name, place in said.items():
            offset, length = place["offset"], place["length"]
            if type(offset) is not int or type(length) is not int or min(offset, length) < 0 or offset % self.alignment:
                raise ValueError(f"section {name} has no sane place")
            if offset + length > len(data) - start:
                raise ValueError(f"section {name} is cut off")
            found[str(name)] = view[start + offset : start + offset + length]
        seen = checksums(found)
        for name, place in said.items():
            if seen[name] != place[self.checksum]:
                raise ValueError(f"section {name} does not match its {self.checksum_name}")
        return found

    def _aligned(self, offset: int) -> int:
        return -(-offset // self.alignment) * self.alignment


def sha256_of(data: Bytes) -> str:
    return hashlib.sha256(data).hexdigest()
