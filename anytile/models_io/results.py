"""Model results for people and files: arrays as a table or .npz, values of data types as JSON.

The parts of a tuple are named by their places, `output_0` and `output_1`; a value of a data type stays whole.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from anytile.core.errors import SpecError
from anytile.core.printable import say
from anytile.models_io.deep_json import text_of
from anytile.models_io.values import data_of
from anytile.schedules.nest.stored_floats import in_numpy
from anytile.show.jsonable import jsonable
from anytile.show.tables import Table
from anytile.vm.program.executable import DataPort, Executable, Port, TensorPort, TuplePort
from anytile.vm.values.ports import Data

_FIGURES = (("min", np.min), ("mean", np.mean), ("max", np.max))


def require_format(exe: Executable, out: Path | None) -> None:
    """Say before a run that its results do not go into the file that was asked for."""
    if out is not None and out.suffix != ".json" and (found := _data_in(exe.output)):
        raise SpecError(f"-o {out}: the result has values of the data type {found}; give -o FILE.json")
    if out is not None and out.suffix not in (".json", ".npz"):
        raise SpecError(f"-o {out}: results go into an .npz or a .json file; give -o {out.with_suffix('.npz')}")


def _data_in(port: Port) -> str:
    match port:
        case DataPort(name):
            return name
        case TuplePort(fields):
            return next(filter(None, map(_data_in, fields)), "")
        case TensorPort():
            return ""


@dataclass(frozen=True)
class Results:
    """What `Session.run` gave back."""

    value: Any

    @cached_property
    def parts(self) -> dict[str, Any]:
        """Arrays and values of data types by their names."""
        return dict(_named(self.value, "output"))

    def packed(self, path: Path) -> bytes:
        """The contents of a .json or .npz file."""
        if path.suffix == ".json":
            return f"{text_of(data_of(self.value))}\n".encode()
        file = io.BytesIO()
        np.savez(file, allow_pickle=False, **{name: in_numpy(part) for name, part in self.parts.items()})
        return file.getvalue()

    def json(self, path: Path | None) -> str:
        """One object for `--json`."""
        return text_of({"outputs": list(self._rows()), "file": None if path is None else str(path)})

    def show(self) -> None:
        table = Table(("result", "shape", "dtype", ">min", ">mean", ">max"))
        rows = list(self._rows())
        for row in (row for row in rows if "shape" in row):
            figures = ["" if row[word] is None else f"{row[word]:.6g}" for word, _ in _FIGURES]
            table.add(row["name"], "x".join(map(str, row["shape"])) or "()", row["dtype"], *figures)
        if any("shape" in row for row in rows):
            table.show()
        for row in (row for row in rows if "value" in row):
            say(f"{row['name']}: {text_of(row['value'])}")

    def _rows(self) -> Iterator[dict[str, Any]]:
        for name, part in self.parts.items():
            if isinstance(part, Data):
                yield {"name": name, "value": data_of(part)}
                continue
            figures = {word: jsonable(f(in_numpy(part)).item()) if part.size else None for word, f in _FIGURES}
            yield {"name": name, "shape": list(part.shape), "dtype": part.dtype.name, **figures}


def _named(value: Any, name: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, tuple):
        for place, part in enumerate(value):
            yield from _named(part, f"{name}_{place}")
    else:
        yield name, value
