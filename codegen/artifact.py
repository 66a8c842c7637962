"""Artifacts: compiled code as data. Object bytes, the names of what is in them, and static facts.

An artifact can be stored, hashed, sent to another process and loaded there. Every function in it follows one of the
signatures of the kernel ABI:

* a kernel, and the packing of constant operands: `int32 f(void** data, int64* dims, void* workspace)`; 0 is success;
* a size: `int64 f(int64* dims)`, in bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

ABI_VERSION = 2


@dataclass(frozen=True, slots=True)
class Packed:
    """A constant operand that must be repacked once: `function(data=[raw, packed], dims)` fills `size(dims)` bytes.

    `layout` says how they lie (see schedules.blocked), as far as that is known.
    """

    operand: str
    function: str
    size: str
    layout: str = ""


@dataclass(frozen=True, slots=True)
class Artifact:
    """One object file and its entry points."""

    code: bytes = field(repr=False)  # which is thousands of bytes long
    entry: str
    workspace: str | None = None
    packed: tuple[Packed, ...] = ()
    facts: Mapping[str, float] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.code).hexdigest()

    @property
    def size(self) -> int:
        """Bytes of machine code, as budgets count them: without what describes it."""
        return int(self.facts.get("object_bytes", len(self.code)))

    def header(self) -> dict[str, Any]:
        """Everything but the code, as JSON-able data."""
        return {
            "abi": ABI_VERSION,
            "entry": self.entry,
            "workspace": self.workspace,
            "packed": [[p.operand, p.function, p.size, p.layout] for p in self.packed],
            "facts": dict(self.facts),
            "sha256": self.digest,
            "length": len(self.code),
        }

    @classmethod
    def of(cls, header: Mapping[str, Any], code: bytes) -> Artifact:
        """The inverse of `header`; raises ValueError where code and header disagree."""
        if header.get("abi") != ABI_VERSION:
            raise ValueError(f"ABI version {header.get('abi')}, expected {ABI_VERSION}")
        try:
            facts = {str(k): float(v) for k, v in header["facts"].items()}
        except OverflowError:
            raise ValueError("a fact that no float holds") from None
        made = cls(
            code=code,
            entry=str(header["entry"]),
            workspace=None if header["workspace"] is None else str(header["workspace"]),
            packed=tuple(Packed(*map(str, p)) for p in header["packed"]),
            facts=facts,
        )
        if len(code) != header["length"] or made.digest != header["sha256"]:
            raise ValueError("the code does not match its hash")
        return made


def encode_header(artifact: Artifact) -> bytes:
    return json.dumps(artifact.header(), sort_keys=True).encode()
