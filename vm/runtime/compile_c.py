"""Ahead-of-time compiler of the native runtime: C -> LLVM IR text, which is kept beside its source.

Users have no C compiler, and need none: what is kept is compiled by LLVM as all other code is. The compiler is clang of
one version, which a wheel brings, so that everybody gets the same text; nothing of a machine stays in it, neither its
name nor its instructions, and every integer has a width of its own. What Python and C share is said once, by Python's
tables of words, of which headers are written.

The runtime was text of LLVM IR before, and a typed builder in Python was tried for the pool: structs, `with` blocks for
loops and ifs, variables as slots. It was shorter than the text, but each line still had to be read twice, as what
Python does now and as what the code will do; attributes hid the types from mypy, and there was no debugger, no warning
and no sanitizer. C has all of these, the pool's loop looks like one, and clang's optimised text runs and compiles
faster.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from anytile.codegen.threads import thread_table
from anytile.core.errors import CodegenError
from anytile.dispatch.cpu import fast_call, repeat_call
from anytile.dispatch.cuda.batches import launch_words
from anytile.vm.program import isa
from anytile.vm.runtime import cell_words, machine_words, mapped_words, pool_words, port_words, step_words, tensor_words

ROOT = Path(__file__).resolve().parents[2]  # of the rooms
UNITS = (
    *("codegen/load/timer.c", "codegen/threads/team.c", "dispatch/blas/thunk.c", "dispatch/cpu/calls.c"),
    *("dispatch/cuda/batches/launches.c",),
    *("vm/runtime/c/operators/host_operators.c", "vm/runtime/c/regions.c", "vm/runtime/c/runtime.c"),
)
COMPILER = (sys.executable, "-m", "ziglang", "cc")
_FLAGS = (
    *("-target", "x86_64-linux-gnu", "-mcpu=baseline", "-std=c11", "-ffreestanding", "-g0", "-O2", "-Wall", "-Werror"),
    *("-fwrapv", "-fno-strict-aliasing", "-fno-vectorize", "-fno-slp-vectorize", "-fno-unroll-loops"),
    *("-fno-sanitize=all", "-fno-stack-protector", "-S", "-emit-llvm", "-Qunused-arguments"),
)


class Struct(NamedTuple):
    """A C struct of words: its members are constants of a module, from one to another, each at the place it says.
    `kinds` declares those that are no number."""

    name: str
    module: ModuleType
    first: str
    last: str
    kinds: Mapping[str, str] = {}


def words(modules: Sequence[ModuleType], structs: Sequence[Struct], more: Mapping[str, int] | None = None) -> str:
    """A header: structs, and all other whole numbers of modules."""
    members = {(s.module, name) for s in structs for name in _members(s)}
    constants = {**(more or {})}
    for module in modules:
        constants |= {n: v for n, v in _numbers(module).items() if (module, n) not in members}
    lines = ["/* Words that C shares with Python. Written by scripts/runtime: do not edit. */", "#pragma once"]
    lines += ["#include <stdbool.h>", "#include <stddef.h>", "#include <stdint.h>", ""]
    lines += [f"#define {name} {f'({value})' if value < 0 else value}" for name, value in constants.items()]
    for struct in structs:
        places = _members(struct)
        kinds = {name: struct.kinds.get(name, f"int64_t {name.lower()}") for name in places}
        lines += ["", f"struct {struct.name} {{", *(f"  {kind};" for kind in kinds.values()), "};"]
        check = "_Static_assert(offsetof(struct {}, {}) == {}, {!r});"
        lines += [
            check.format(struct.name, name.lower(), 8 * at, name).replace("'", '"') for name, at in places.items()
        ]
    return "\n".join([*lines, ""])


def _numbers(module: ModuleType) -> dict[str, int]:
    found = vars(module).items()
    return {n: v for n, v in found if isinstance(v, int) and n.isupper() and not n.startswith("_")}


def _members(struct: Struct) -> dict[str, int]:
    numbers = _numbers(struct.module)
    names = list(numbers)
    return {n: numbers[n] for n in names[names.index(struct.first) : names.index(struct.last) + 1]}


def headers() -> dict[str, str]:
    """Every header that derives from tables."""
    pool = Struct(
        *("pool", pool_words, "LIMIT", "HEADS"),
        {"RETURNED": "struct dropped *returned", "HEADS": "struct block *heads[CLASSES]"},
    )
    tensor = Struct("tensor", tensor_words, "ADDRESS", "DIMS", {"DIMS": "int64_t dims[MAX_RANK]"})
    machine = Struct(
        *("machine", machine_words, "POOL", "SEEN"),
        {
            **{"POOL": "struct pool *pool", "LOG": "struct log *log", "FREE": "struct cell *free"},
            **{"CHUNKS": "struct chunk *chunks", "STACK": "struct cell **stack", "STEP": "const struct step *step"},
            **{"RESULT": "struct cell *result", "FUNCTIONS": "const struct function *functions"},
            **{"GIVEN": "struct cell *given", "OUT": "struct tensor out", "SEEN": "int64_t seen[MOST_SEEN]"},
            "OUT_PAIR": "struct { int64_t address, bytes; } out_pair",
        },
    )
    step = Struct("step", step_words, "OPERATION", "FIRST", {"FIRST": "int64_t first[]"})
    pointers = {"PLACES": "const int64_t *places", "VALUES": "int64_t *values", "ARGUMENTS": "void **arguments"}
    launch = Struct("launch", launch_words, "FUNCTION", "ARGUMENTS", pointers)
    of_vm = (isa, pool_words, tensor_words, cell_words, machine_words, step_words, port_words, mapped_words)
    codes = {f"CODE_{name.upper()}": code for name, code in tensor_words.CODES.items()}
    return {
        "codegen/threads/words.h": words((thread_table,), ()),
        "dispatch/cpu/words.h": words((fast_call, repeat_call), ()),
        "dispatch/cuda/batches/words.h": words((launch_words,), (launch,)),
        "vm/runtime/c/words.h": words(of_vm, (pool, tensor, machine, step), codes),
    }


def sources(unit: str) -> list[Path]:
    """A unit's source, and all that it includes."""
    found: list[Path] = []
    waiting = [ROOT / unit]
    while waiting:
        path = waiting.pop().resolve()
        if path not in found:
            found.append(path)
            waiting += [path.parent / name for name in re.findall(r'^#include "(.+)"', path.read_text(), re.MULTILINE)]
    return sorted(found)


def stamp(unit: str) -> str:
    """The first line of a unit's text, by which it is known what it was made of."""
    digest = hashlib.sha256("\0".join(path.read_text() for path in sources(unit)).encode())
    return f"; LLVM IR of {Path(unit).name}, written by scripts/runtime: do not edit. {digest.hexdigest()[:16]}"


def kept(unit: str) -> Path:
    return (ROOT / unit).with_suffix(".ll")


def compiled(unit: str, compiler: Sequence[str] = COMPILER) -> str:
    """The text of a unit."""
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "made.ll"
        env = {**os.environ, "ZIG_GLOBAL_CACHE_DIR": folder, "ZIG_LOCAL_CACHE_DIR": folder}
        done = subprocess.run(
            [*compiler, *_FLAGS, "-o", made, ROOT / unit], env=env, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise CodegenError(f"{unit}: the C compiler refuses it:\n{done.stderr.strip()}")
        return "\n".join([stamp(unit), *_portable(made.read_text()), ""])


_DROPPED = re.compile(r"; (ModuleID|Function Attrs)|source_filename|target |attributes #|!|declare .* @llvm\.")
_NOISE = re.compile(r" (local_)?unnamed_addr|dso_local |, !\S+ !\d+| +; preds = .*")


def _portable(text: str) -> Iterator[str]:
    """Without what tells of a machine or of how it was compiled; functions that Python does not ask for by name belong
    to the module that the text becomes part of."""
    before = ""
    for line in text.splitlines():
        if _DROPPED.match(line):
            continue
        line = _NOISE.sub("", line)
        if line.startswith("define "):
            line = re.sub(r" #\d+ \{$", " #0 {", line)
            if "@anytile_" not in line.partition("(")[0]:
                line = re.sub(r"^define (internal )?", "define internal ", line)
        else:
            line = re.sub(r" #\d+$", " nonlazybind" if line.startswith("declare ") else "", line)
        if line or before:
            yield line
        before = line


def main() -> None:
    for name, text in headers().items():
        (ROOT / name).write_text(text)
    for unit in UNITS:
        kept(unit).write_text(compiled(unit))


if __name__ == "__main__":
    main()
