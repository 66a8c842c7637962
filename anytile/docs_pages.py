"""Reference pages, which derive from tables: `python -m anytile.docs_pages FOLDER` writes them; a test holds them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from anytile.compiler import operators_page
from anytile.compiler.text import grammar
from anytile.core.errors import ResourceError
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
