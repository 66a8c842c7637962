"""Executable files, the serialisation of programs: one container, verified as a whole before anything of it runs.

Sections (see `core.container`) are the bytecode, the constants (mapped into memory on load, never copied; packed where
its kernel reads it so, see `packed_constants`; equal bytes once, whoever reads them), one for each object file and the
debug names, each under its fingerprint (see `checksum`). Everything in it is held against what it must be.

Trust: bytecode, plans and constants are data, and verified. Object code is code: it is used only with `trust=True`, and
then only if it was made for this CPU by this version; else kernels are built again from their plans, in milliseconds
where this machine built them before.
"""

from __future__ import annotations

import contextlib
import functools
import json
import mmap
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anytile.codegen.artifact import Artifact
from anytile.codegen.cache import CodeCache
from anytile.core.atomic_write import write_atomically
from anytile.core.container import Bytes, Container, DamagedHeader
from anytile.core.errors import AnytileError, SpecError
from anytile.core.garbage import uncollected
from anytile.core.regular_file import open_regular
from anytile.schedules.nest.stored_floats import array_dtype
from anytile.schedules.primitives.blocked_layout import layouts_of
from anytile.vm.program.codec import decode, encode
from anytile.vm.program.executable import Constant, Executable, KernelEntry, Laid, PackedFor, VMFunction
from anytile.vm.program.isa import DTYPES, ITEMSIZE, MAX_RANK, Kind
from anytile.vm.program.verify import verified
from anytile.vm.storage.checksum import fingerprint, fingerprints
from anytile.vm.storage.known_programs import verified_once
from anytile.vm.storage.link import here, linked, made_for
from anytile.vm.storage.packed_constants import as_packed
from anytile.vm.storage.ports_json import port_data, port_of, types_data, types_of

MAGIC = b"\x93ATMODEL"
FILE = Container(
    "executable",
    magic=MAGIC,
    version=6,  # also of the code in it: moves with ABI_VERSION
    foreign="no executable; expected a file that `anytile compile` or Executable.save wrote",
    outdated="compile the model again",
    max_header=64 << 20,
    checksum="fingerprint",
    checksum_name="fingerprint",
    alignment=64,
)
_POPULATE_READ = 22  # Linux's MADV_POPULATE_READ, which Python does not name
_Sections = dict[str, tuple[Bytes, str]]  # by name, each with its fingerprint


def save(exe: Executable, path: str | Path) -> None:
    """Write an executable to one file, aside and then into place."""
    sections: _Sections = {}
    header = _header(exe, sections)
    write_atomically(Path(path), FILE.parts(header, sections), "executable")


def load(
    path: str | Path,
    trust: bool = False,
    cache: CodeCache | None = None,
    say: Callable[[str], None] = lambda line: None,
) -> Executable:
    """Read, verify, and give every kernel code for this machine. `trust=True` uses the file's own where it fits.

    `say` is told in a line where the file was made for another CPU.
    """
    cache = CodeCache() if cache is None else cache
    exe, fits = read(path, cache)
    if not (trust and dict(fits) == dict(here())):
        exe = replace(exe, kernels=tuple(replace(k, artifact=None) for k in exe.kernels))
    try:
        found = linked(exe, cache)
        if found.target != exe.target:
            say(f"{path}: made for {exe.target}; its kernels were built again, for {found.target}")
        return found
    except AnytileError as error:
        raise type(error)(f"{path}: {error}") from None


@uncollected()
def read(path: str | Path, cache: CodeCache | None = None) -> tuple[Executable, Mapping[str, Any]]:
    """Read and verify without building anything; and what the object code in it was made for."""
    data = _mapped(path)
    try:
        return parse(data, cache)
    except AnytileError as error:
        raise type(error)(f"{path}: {error}") from None


def section_lengths(path: str | Path) -> dict[str, int]:
    """How many bytes each section of a file takes that `read` accepts, in the file's order."""
    said = FILE.header(_mapped(path))[0]["sections"]
    return {str(name): int(place["length"]) for name, place in sorted(said.items(), key=lambda s: s[1]["offset"])}


def _mapped(path: str | Path) -> memoryview:
    try:
        with open_regular(path) as file:
            size = os.fstat(file.fileno()).st_size
            return memoryview(mmap.mmap(file.fileno(), 0, mmap.MAP_SHARED, mmap.PROT_READ) if size else b"")
    except OSError as error:
        raise SpecError(f"{path}: the executable cannot be read: {error.strerror or error}") from None


def _ask_for(data: memoryview, start: int, places: Mapping[str, Any]) -> None:
    """Have the system read sections at once: all of them are about to be hashed. What a header says of them is not
    looked at yet; a system that cannot do so reads page by page."""
    if isinstance(data.obj, mmap.mmap):
        ends = [start + p["offset"] + p["length"] for p in places.values()]
        begin = start // mmap.PAGESIZE * mmap.PAGESIZE
        with contextlib.suppress(OSError, ValueError):
            data.obj.madvise(_POPULATE_READ, begin, min(max(ends, default=0), len(data)) - begin)


def parse(data: memoryview, cache: CodeCache | None = None) -> tuple[Executable, Mapping[str, Any]]:
    """An executable out of the bytes of a file; with a cache, a program that it knows to be sound is believed to be."""
    try:
        text, start = FILE.header_text(data)
        header = json.loads(text)
        _ask_for(data, start, header["sections"])
        sections = FILE.sections(data, start, header["sections"], fingerprints)
        code = bytes(sections["code"])
        exe = _executable(header, code, sections)
        fits = dict(header["made_for"])
    except DamagedHeader as error:
        raise SpecError(f"{error}; copy the file again") from None
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
        raise SpecError(
            f"the executable is damaged: {type(error).__name__}: {error}; compile the model again"
        ) from None
    return (verified(exe) if cache is None else verified_once(exe, text, code, cache)), fits


def _header(exe: Executable, sections: _Sections) -> dict[str, Any]:
    """What stands in the header; fills the sections."""
    codes = [encode(f.code) for f in exe.functions]
    sections["code"] = _printed(b"".join(codes))
    functions = [
        [f.name, [k.value for k in f.params], f.result.value, f.registers, len(code)]
        for f, code in zip(exe.functions, codes, strict=True)
    ]
    sections["debug"] = _printed(json.dumps([sorted(f.where.items()) for f in exe.functions]).encode())
    constants = []
    places: dict[str, int] = {}  # by fingerprint, whose section has a constant's bytes
    for i, c in enumerate(as_packed(c, exe.kernels) for c in exe.constants):
        array = np.ascontiguousarray(c.array, np.dtype(c.array.dtype.name).newbyteorder("<"))
        data, found = _printed(array.reshape(-1).view(np.uint8).data)
        place = places.setdefault(found, i)
        if place == i or not np.array_equal(data, sections[f"constant/{place}"][0]):
            place = i
            sections[f"constant/{i}"] = data, found
        packed = None if c.packed is None else [c.packed.kernel, c.packed.operand]
        layout = None if c.laid is None else c.laid.layout
        constants.append([c.name, c.dtype, list(c.shape), packed, c.device, layout, place])
    return {
        "target": exe.target,
        "made_for": dict(made_for(exe)),
        "functions": functions,
        "constants": constants,
        "kernels": [_kernel_data(k, sections) for k in exe.kernels],
        "inputs": [[name, port_data(port)] for name, port in exe.inputs],
        "output": port_data(exe.output),
        "data": types_data(exe.data),
        "devices": list(exe.devices),
        "demands": [[name, axis, because] for (name, axis), because in sorted(exe.demands.items())],
    }


def _kernel_data(k: KernelEntry, sections: _Sections) -> list[Any]:
    header = None
    if k.artifact is not None:
        header = k.artifact.header()
        sections.setdefault(f"object/{k.artifact.digest}", _printed(k.artifact.code))
    return [k.name, k.kind, k.workload, k.plan, list(k.dims), header, k.device, k.rung, k.because]


def _executable(header: Mapping[str, Any], code: bytes, sections: Mapping[str, memoryview]) -> Executable:
    where = json.loads(bytes(sections["debug"]))
    return Executable(
        target=str(header["target"]),
        functions=tuple(_functions(header["functions"], code, where)),
        constants=tuple(_constant(c, sections) for c in header["constants"]),
        kernels=tuple(_kernel(k, sections) for k in header["kernels"]),
        inputs=tuple((str(name), port_of(port)) for name, port in header["inputs"]),
        output=port_of(header["output"]),
        data=types_of(header["data"]),
        devices=tuple(map(str, header["devices"])),
        demands={(str(name), _whole(axis)): str(why) for name, axis, why in header.get("demands", [])},
    )


def _functions(said: Any, code: bytes, where: Any) -> list[VMFunction]:
    found, at = [], 0
    for (name, params, result, registers, length), notes in zip(said, where, strict=True):
        registers, length = _whole(registers), _whole(length)
        if at + length > len(code):
            raise ValueError(f"the code of {name} is cut off")
        instructions = decode(code[at : at + length])
        at += length
        debug = {_whole(place): str(text) for place, text in notes}
        kinds = tuple(Kind(k) for k in params)
        found.append(VMFunction(str(name), kinds, Kind(result), registers, instructions, debug))
    return found


def _constant(said: Any, sections: Mapping[str, memoryview]) -> Constant:
    name, dtype, shape, packed, device, layout, place = said
    data = sections[f"constant/{_whole(place)}"]
    shape = tuple(_whole(d) for d in shape)
    if dtype not in DTYPES or len(shape) > MAX_RANK:
        raise ValueError(f"constant {name} has dtype {dtype} and {len(shape)} dimensions")
    packed_for = None if packed is None else PackedFor(_whole(packed[0]), str(packed[1]))
    if layout is not None:
        layouts_of(layout)[0].padded(shape)
        held = np.frombuffer(data, np.uint8)
        return Constant(held, str(name), packed_for, _whole(device), Laid(str(dtype), shape, str(layout)))
    count = 1
    for d in shape:
        count *= d
    if count * ITEMSIZE[dtype] != len(data):
        raise ValueError(f"constant {name} of shape {shape} does not take {len(data)} bytes")
    stored: NDArray[Any] = np.frombuffer(data, _stored(dtype), count).reshape(shape)
    array = stored.astype(dtype, copy=False)  # a copy only where bytes are the other way round
    return Constant(array, str(name), packed_for, _whole(device))


@functools.cache
def _stored(dtype: str) -> np.dtype[Any]:
    """How a dtype lies in a file."""
    return array_dtype(dtype).newbyteorder("<")


def _kernel(said: Any, sections: Mapping[str, memoryview]) -> KernelEntry:
    name, kind, workload, plan, dims, header, device, rung, *more = said
    artifact = None
    if header is not None:
        artifact = Artifact.of(header, bytes(sections[f"object/{header['sha256']}"]))
    texts = tuple(map(str, dims))
    words = (str(rung), *map(str, more[:1]))  # the rung and, in files that say it, what the plan stands on
    return KernelEntry(str(name), str(kind), str(workload), str(plan), texts, artifact, _whole(device), *words)


def _whole(n: Any) -> int:
    if type(n) is not int or not 0 <= n < 2**63:
        raise ValueError(f"{n!r} is no whole number from 0")
    return n


def _printed(data: Bytes) -> tuple[Bytes, str]:
    return data, fingerprint(data)
