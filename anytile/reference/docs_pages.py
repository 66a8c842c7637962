"""Reference pages, which derive from tables, and the stub of the package's public names.

`python -m anytile.reference.docs_pages FOLDER` writes the pages to a folder, and the stub beside the module it is for;
a test holds both to what the tables say.
"""

from __future__ import annotations

import importlib
import inspect
import itertools
import json
import pkgutil
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from anytile.compiler import operators_page
from anytile.compiler.text import grammar
from anytile.core.errors import ResourceError
from anytile.public_names import WHERE, public_names
from anytile.schedules import primitives
from anytile.schedules.workloads import constructors
from anytile.vm.program import isa

_INSTRUCTIONS = """\
# The instructions of the virtual machine

A register machine: every function has as many registers as it likes, its parameters in the first. Encoder, decoder,
verifier, assembler, disassembler and this page derive from one table, the dataclasses of `vm/program/isa.py`. In a file
an instruction is a byte of opcode and its operands, numbers as LEB128, a list or a text behind its length, a dtype by
its place among {dtypes}. `anytile dump model.exe` prints a program.

"""


def instructions() -> str:
    return _INSTRUCTIONS.format(dtypes=", ".join(isa.DTYPES)) + isa.reference()


_PRIMITIVES = """\
# The schedule primitives

A template makes a schedule of a workload and a config: a definition to which primitives are applied. Each is a function
whose first argument is the `Schedule` that it changes; then comes what it is about, an operand or a loop, then where.
None of them changes what the nest computes, and each raises `ScheduleError` where it does not hold. `specialise` and
`part_blocks` take a finished nest instead, and return another.

The pictures show what the last of the calls does to a small nest: before, an arrow, after. They are drawn by running it
(`scripts/test tests/schedules/primitives/test_pictures.py --update-golden`). The smallest example in use is
`schedules/templates/cpu/batch_matmul_cpu.py`.

"""


_BEGIN = ("loops", "pack", "stage_box", "stage_plane", "stage_panel", "accumulate")  # as templates do


def shown_primitives() -> Iterator[Callable[..., Any]]:
    """Every schedule primitive that shows in its docstring what it does, module by module."""
    base = f"{primitives.__name__}."
    names = [module.name for module in pkgutil.walk_packages(primitives.__path__, base)]
    begin = [base + name for name in _BEGIN]
    for name in [*begin, *sorted(set(names) - set(begin), key=lambda n: (n.startswith(f"{base}gpu"), n))]:
        found = inspect.getmembers(importlib.import_module(name), inspect.isfunction)
        own = (f for _, f in found if f.__module__ == name and ">>>" in (f.__doc__ or ""))
        yield from sorted(own, key=lambda f: f.__code__.co_firstlineno)


def schedule_primitives() -> str:
    parts = [_PRIMITIVES]
    for module, functions in itertools.groupby(shown_primitives(), inspect.getmodule):
        first, _, _ = (inspect.getdoc(module) or "").partition("\n\n")
        parts.append(f"## {first.removesuffix('.')}\n\n")
        for f in functions:
            prose, _, picture = (inspect.getdoc(f) or "").partition(">>>")
            signature = str(inspect.signature(f)).replace("'", "")  # annotations are texts
            parts.append(f"### {f.__name__}\n\n`{f.__name__}{signature}`\n\n{prose}```text\n>>>{picture}\n```\n\n")
    return "".join(parts).rstrip() + "\n"


STUB = Path(__file__).parents[1] / "__init__.pyi"
PAGES: Mapping[str, Callable[[], str]] = {
    "instructions.md": instructions,
    "operators.md": operators_page.reference,
    "primitives.md": schedule_primitives,
    "text-form.md": grammar.reference,
}


_WIDTH = 120
_STUB = """\
# Written by scripts/docs: the public names, as type checkers and editors see them.
from collections.abc import Iterable, Sequence

"""


def stub() -> str:
    """`anytile/__init__.pyi`: where each public name comes from; constructors that follow from a row, written out."""
    homes = {**WHERE, **dict.fromkeys(constructors.BY_HAND, constructors.__name__)}
    homes["__version__"] = "anytile.core.version"
    lines = [f"from {module} import {name} as {name}" for name, module in homes.items()]
    lines.append("from anytile.schedules.workloads.workload import Dim")
    names = "".join(f'    "{name}",\n' for name in public_names())
    made = map(_definition, constructors.BY_ROW)
    return _STUB + "\n".join([*sorted(lines, key=_home), "", f"__all__ = [\n{names}]", "", *made])


def _definition(name: str) -> str:
    """A constructor as a stub has it: its signature and its docstring."""
    made = constructors.constructor(name)
    words = []
    for p in inspect.signature(made).parameters.values():
        star = "*" if p.kind is inspect.Parameter.VAR_POSITIONAL else ""
        value = json.dumps(p.default) if isinstance(p.default, str) else repr(p.default)
        default = "" if p.default is inspect.Parameter.empty else f" = {value}"
        words.append(f"{star}{p.name}: {p.annotation}{default}")
    head = f"def {name}({', '.join(words)}) -> Workload:"
    if len(head) > _WIDTH:
        head = "\n    ".join([f"def {name}(", *(f"{word}," for word in words)]) + "\n) -> Workload:"
    return f'{head}\n    """{made.__doc__}"""\n'


def _home(line: str) -> tuple[str, ...]:
    """As the linter sorts imports: by module, in it constants, classes and functions by name."""
    _, module, _, name, *_ = line.split()
    return (module, str(2 - name[0].isupper()), name)


def write(folder: Path) -> None:
    """Every page as a file of the folder, which is made if need be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, page in PAGES.items():
            (folder / name).write_text(page(), encoding="utf-8")
    except OSError as error:
        raise ResourceError(f"{folder}: the pages cannot be written: {error.strerror or error}") from None


if __name__ == "__main__":
    write(Path(sys.argv[1]))
    STUB.write_text(stub(), encoding="utf-8")
    Path(__file__).parents[1].joinpath("__init__.pyi").write_text(stub(), encoding="utf-8")
