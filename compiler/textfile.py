"""A module in files: its text, and beside it in an npz the arrays of constants that the text only names."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np

from anytile.compiler.ir import Array, Module
from anytile.compiler.printer import module_text, stored
from anytile.schedules.errors import SpecError


def write_module(module: Module, path: Path | str) -> None:
    """The text to a file, the arrays, where there are any, to one of the same name that ends in .npz."""
    path = Path(path)
    path.write_text(module_text(module), encoding="utf-8")
    arrays = stored(module)
    if arrays:
        with path.with_suffix(".npz").open("wb") as file:
            np.savez(file, allow_pickle=False, **arrays)


def read_module(path: Path | str) -> Module:
    """The module of a file that `write_module` or a person wrote."""
    path = Path(path)
    beside = path.with_suffix(".npz")
    constants: dict[str, Array] = {}
    try:
        text = path.read_text(encoding="utf-8")
        if beside.exists():
            with np.load(beside, allow_pickle=False) as arrays:
                constants = {name: arrays[name] for name in arrays.files}
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        raise SpecError(
            f"{path}: cannot be read as a module: {error}; expected its text, arrays in {beside.name}"
        ) from None
    try:
        return Module.parse(text, constants)
    except SpecError as error:
        raise SpecError(f"{path}: {error}") from None
