"""One file that holds a kernel: its plan, its constants as they were given, and its object code.

Layout: magic, format, header length, the header's SHA-256, a JSON header, then the sections the header lists, each with
its offset, length and SHA-256. No length is believed before it was held against the file's size, nothing is unpickled,
and a file is written aside and moved into place.

Trust: plan and constants are data and are checked like any other input. Object code is code: `load_kernel` compiles the
plan anew (from the local code cache, usually in milliseconds) and runs stored code only with `trust=True`, and then
only if it was made for this CPU by this version. Hashes find damage; they do not say who wrote a file.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anytile.codegen.artifact import Artifact
from anytile.codegen.version import CODEGEN_VERSION
from anytile.core.atomic_write import write_atomically
from anytile.core.errors import AnytileError, ResourceError, SpecError
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import DispatchPlan

MAGIC = b"\x93ANYTILE"
FORMAT = 2  # also of the code in it: moves with ABI_VERSION
_PREFIX = struct.Struct("<8sIQ32s")  # magic, format, header length, SHA-256 of the header
_MAX_HEADER = 16 << 20
_DTYPES = ("<f4", "<f2")  # of constants: what kernels with constants compute in, and numpy has


@dataclass(frozen=True)
class Stored:
    """What a kernel file says, checked but not built."""

    plan: DispatchPlan
    constants: Mapping[str, NDArray[Any]]
    artifact: Artifact
    made_for: Mapping[str, Any]


def save_kernel(
    path: Path,
    plan: DispatchPlan,
    artifact: Artifact,
    constants: Mapping[str, NDArray[Any]],
    made_for: Mapping[str, Any],
) -> None:
    sections: dict[str, bytes] = {"plan": plan.to_json().encode(), "code": artifact.code}
    sections.update({f"constant/{name}": array.tobytes() for name, array in constants.items()})
    header: dict[str, Any] = {
        "artifact": artifact.header(),
        "constants": {n: {"dtype": a.dtype.str, "shape": list(a.shape)} for n, a in constants.items()},
        "made_for": dict(made_for),
        "sections": {},
    }
    offset = 0
    for name, data in sections.items():
        header["sections"][name] = {"offset": offset, "length": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        offset += len(data)
    text = json.dumps(header, sort_keys=True).encode()
    prefix = _PREFIX.pack(MAGIC, FORMAT, len(text), hashlib.sha256(text).digest())
    write_atomically(path, [prefix, text, *sections.values()], "kernel")


def read_kernel(path: Path) -> Stored:
    """Read and verify; builds and runs nothing."""
    try:
        data = path.read_bytes()
    except OSError as error:
        why = error.strerror or error
        raise SpecError(f"{path}: the kernel cannot be read: {why}; give a file of DispatchKernel.save") from None
    except MemoryError:
        raise ResourceError(f"{path}: the file is larger than memory") from None
    try:
        return _parse(data)
    except AnytileError as error:
        raise type(error)(f"{path}: {error}") from None
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
        raise SpecError(f"{path}: the kernel file is damaged: {error}; save it again") from None


def _parse(data: bytes) -> Stored:
    if len(data) < _PREFIX.size or not data.startswith(MAGIC):
        raise SpecError("not a kernel file; expected one written by DispatchKernel.save")
    _, version, length, digest = _PREFIX.unpack_from(data)
    if version != FORMAT:
        raise SpecError(f"kernel file format {version}, expected {FORMAT}; upgrade anytile or save the kernel again")
    if length > min(_MAX_HEADER, len(data) - _PREFIX.size):
        raise ValueError("the header is cut off")
    start = _PREFIX.size + length
    text = data[_PREFIX.size : start]
    if hashlib.sha256(text).digest() != digest:
        raise ValueError("the header does not match its hash")
    header = json.loads(text)
    sections = {str(n): _section(data, start, str(n), s) for n, s in header["sections"].items()}
    plan = DispatchPlan.from_json(sections["plan"].decode())
    constants = {str(n): _array(sections[f"constant/{n}"], c) for n, c in header["constants"].items()}
    if tuple(sorted(constants)) != plan.workload.const:
        raise ValueError(
            f"it holds the constants {sorted(constants)}, and its workload has {list(plan.workload.const)}"
        )
    return Stored(plan, constants, Artifact.of(header["artifact"], sections["code"]), dict(header["made_for"]))


def _section(data: bytes, start: int, name: str, said: Mapping[str, Any]) -> bytes:
    offset, length = said["offset"], said["length"]
    if not (isinstance(offset, int) and isinstance(length, int) and offset >= 0 and length >= 0):
        raise ValueError(f"section {name} has no sane place")
    if offset + length > len(data) - start:
        raise ValueError(f"section {name} is cut off")
    found = data[start + offset : start + offset + length]
    if hashlib.sha256(found).hexdigest() != said["sha256"]:
        raise ValueError(f"section {name} does not match its hash")
    return found


def _array(data: bytes, said: Mapping[str, Any]) -> NDArray[Any]:
    if said["dtype"] not in _DTYPES:
        raise ValueError(f"a constant has dtype {said['dtype']}, expected one of {', '.join(_DTYPES)}")
    dtype = np.dtype(said["dtype"])
    shape = tuple(int(d) for d in said["shape"])
    if any(d < 0 for d in shape):
        raise ValueError(f"a constant has shape {shape}")
    count = 1
    for d in shape:
        count *= d
    if count * dtype.itemsize != len(data):
        raise ValueError(f"a constant of shape {shape} does not take {len(data)} bytes")
    return np.frombuffer(data, dtype).reshape(shape)


def made_here(host: Target, compiler: str) -> dict[str, Any]:
    """What object code is made for on this machine; stored code runs only where this is the same."""
    return {"target": str(host), "codegen": CODEGEN_VERSION, "llvm": compiler}
