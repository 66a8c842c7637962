"""Module files: a module's text, and beside it in an npz the arrays of constants that the text only names."""

from __future__ import annotations

import io
import zipfile
import zlib
from pathlib import Path
from tokenize import TokenError

import numpy as np

from anytile.compiler.ir.nodes import Array, Module
from anytile.compiler.text.parser import parse_module
from anytile.compiler.text.printer import module_text, stored
from anytile.core.atomic_write import write_atomically
from anytile.core.command_hint import command_line
from anytile.core.errors import SpecError
from anytile.core.regular_file import open_regular, read_regular
from anytile.schedules.nest.stored_floats import as_bytes
from anytile.vm.storage.file import MAGIC

_NO_ARRAYS = (  # what numpy raises for files that are none of its own
    *(OSError, ValueError, EOFError, TypeError, RuntimeError, OverflowError, SyntaxError),
    *(TokenError, zipfile.BadZipFile, zlib.error),
)


def write_module(module: Module, path: Path | str) -> None:
    """The text to a file, the arrays, where there are any, to one of the same name that ends in .npz."""
    path = Path(path)
    arrays = stored(module)
    if arrays:
        packed = io.BytesIO()
        np.savez(packed, allow_pickle=False, **{name: as_bytes(array) for name, array in arrays.items()})
        write_atomically(_beside(path), [packed.getbuffer()], "module's arrays")
    write_atomically(path, [module_text(module).encode()], "module")


def read_module(path: Path | str) -> Module:
    """The module of a file that `write_module` or a person wrote."""
    path = Path(path)
    beside = path.with_suffix(".npz")
    text, arrays = _text(path), read_arrays(beside) if beside.exists() else {}
    try:
        return parse_module(text, arrays)
    except SpecError as error:
        raise SpecError(f"{path}: {error}") from None


def _beside(path: Path) -> Path:
    if path.suffix == ".npz":
        raise SpecError(f"{path}: the arrays of a module go there; give its text another ending, as in .txt")
    return path.with_suffix(".npz")


def _text(path: Path) -> str:
    try:
        data = read_regular(path)
        if data.startswith(MAGIC):
            said = f"it is an executable already; `{command_line('run', str(path))}` runs it"
            raise SpecError(f"{path}: the model cannot be read: {said}")
        return data.decode()
    except OSError as error:
        raise SpecError(f"{path}: the model cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        said = "it is no text; expected the text form of a module"
        if path.suffix == ".pt2":
            said = (
                f"torch saved it; compile it in Python: anytile.compile(torch.export.load('{path}')).save('model.exe')"
            )
        raise SpecError(f"{path}: the model cannot be read: {said}") from None


def read_arrays(
    path: Path, what: str = "the model's arrays", advice: str = "Module.save writes both files"
) -> dict[str, Array]:
    """The arrays of an .npz file by name; `what` they are, and where such a file comes from, for people."""
    try:
        with open_regular(path) as file, np.load(file, allow_pickle=False) as found:
            return {name: found[name] for name in found.files}
    except MemoryError:
        raise SpecError(f"{path}: {what} do not fit in memory; {advice}") from None
    except _NO_ARRAYS as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else "no file that numpy.savez wrote"
        raise SpecError(f"{path}: {what} cannot be read: {why}; {advice}") from None
