"""`anytile db coverage`: which of a model's workloads the database answers, and how well."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anytile.commands.options import DbOption, JsonOption, TargetOption, open_store
from anytile.commands.reading import read_target
from anytile.core.errors import SpecError
from anytile.core.printable import say

if TYPE_CHECKING:
    from anytile.pages.shown_models import Model


def coverage(
    model: Annotated[
        list[str] | None,
        typer.Argument(metavar="MODEL...", help="Models: executables, ONNX files, text forms, or names of presets."),
    ] = None,
    target: TargetOption = "llvm",
    db: DbOption = None,
    json: JsonOption = False,
) -> None:
    """Say which workloads of a model are tuned, and what answers for the others."""
    from anytile.api import covered
    from anytile.show.jsonable import dump
    from anytile.show.tables import Table

    if not model:
        raise SpecError("no model: expected a file of one, or the name of a preset such as bert-base")
    wanted = read_target(target)
    with open_store(db) as store:
        found = [covered(one.name, one.on(wanted), wanted, store) for one in models_named(model)]
    if json:
        say(dump(found))
        return
    for one in found:
        counts = ", ".join(f"{count} {grade}" for grade, count in one.grades.items())
        say(f"{one.model} on {one.target}: {one.tuned:.0%} of the arithmetic is tuned ({counts})")
        table = Table(["workload", "answer", ">share", ">calls"])
        for line in one.workloads:
            table.add(line.workload, line.grade, f"{line.share:.1%}", f"{line.calls:g}")
        table.show()


def models_named(names: Sequence[str]) -> list[Model]:
    """A preset, or the file of this name, which goes first."""
    from anytile.pages.shown_models import of_file, of_preset
    from anytile.tuner.presets.workloads import PRESETS

    for name in names:
        if name not in PRESETS and not os.path.exists(name):
            raise SpecError(f"{name}: there is no such file; expected a model's, or a preset: {', '.join(PRESETS)}")
    return [of_file(Path(name)) if os.path.exists(name) else of_preset(name) for name in dict.fromkeys(names)]
