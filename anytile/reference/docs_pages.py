"""Reference pages, which derive from tables, and the stub of the package's public names.

`python -m anytile.reference.docs_pages FOLDER` writes the pages to a folder, and the stub beside the module it is for;
a test holds both to what the tables say.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import anytile
from anytile.compiler import operators_page
from anytile.compiler.text import grammar
from anytile.core.errors import ResourceError
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


PAGES: Mapping[str, Callable[[], str]] = {
    "instructions.md": instructions,
    "operators.md": operators_page.reference,
    "text-form.md": grammar.reference,
}


_STUB = """\
# Written by scripts/docs: the public names, as type checkers and editors see them.
from collections.abc import Iterable, Sequence

"""


def stub() -> str:
    """`anytile/__init__.pyi`: where each public name comes from; constructors that follow from a row, written out."""
    homes = {**vars(anytile)["_WHERE"], **dict.fromkeys(constructors.BY_HAND, constructors.__name__)}
    homes["__version__"] = "anytile.core.version"
    lines = [f"from {module} import {name} as {name}" for name, module in homes.items()]
    lines.append("from anytile.schedules.workloads.workload import Dim")
    names = "".join(f'    "{name}",\n' for name in anytile.__all__)
    made = map(constructors.text_of, constructors.BY_ROW)
    return _STUB + "\n".join([*sorted(lines, key=_home), "", f"__all__ = [\n{names}]", "", *made])


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
    Path(anytile.__file__).with_suffix(".pyi").write_text(stub(), encoding="utf-8")
