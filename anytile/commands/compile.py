"""`anytile compile`: a model, in ONNX or its text form, becomes an executable; `anytile quantise` makes it narrow."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anytile.commands.options import DbOption, TargetOption, existing, require_spare, write_file
from anytile.commands.reading import read_bounds
from anytile.core.errors import SpecError
from anytile.core.plurals import counted
from anytile.core.printable import say

if TYPE_CHECKING:
    from anytile.compiler.module import Module


ModelArgument = Annotated[
    Path, typer.Argument(metavar="MODEL", help="An ONNX file (.onnx), or a text form with its .npz.")
]
DimsOption = Annotated[
    str | None,
    typer.Option(
        "--dims",
        metavar="NAME=SIZE,...",
        help="Sizes of an ONNX model's named dimensions, or bounds, as in n=1..64.",
    ),
]
PrecisionOption = Annotated[
    str,
    typer.Option(
        "--precision",
        metavar="DTYPE",
        help="Of layers with constant weights: float32, bfloat16, float16, int8 or int4; or exact, without Winograd.",
    ),
]


def compile(
    model: ModelArgument,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Where to write the executable.")
    ] = None,
    target: TargetOption = "llvm",
    db: DbOption = None,
    dims: DimsOption = None,
    print_after: Annotated[
        list[str] | None,
        typer.Option("--print-after", metavar="PASS", help="Print the module after this pass; may be repeated."),
    ] = None,
    locked: Annotated[
        Path | None,
        typer.Option("--locked", metavar="FILE", help="Use the plans of this lock file, which `db lock` made, alone."),
    ] = None,
    precision: PrecisionOption = "float32",
    growing: Annotated[
        bool,
        typer.Option("--growing", help="Append in place to inputs that come out longer, as caches of keys and values."),
    ] = False,
    why: Annotated[bool, typer.Option("--why", help="List every kernel, where its plan is from and why.")] = False,
) -> None:
    """Compile a model with what the database knows, and with default configs where it knows nothing.

    It is for this machine, or for the CPU or the GPU that --target names.
    """
    from anytile.compiler.pipeline import passes
    from anytile.model_api import compile as compile_model
    from anytile.schedules.hardware.target import Target
    from anytile.vm.program.executable import CUDA
    from anytile.vm.storage.file import MAGIC
    from anytile.vm.why import untuned

    if output is not None:
        require_spare(output, (model, model.with_suffix(".npz")), again=MAGIC)
    given = "" if precision == "float32" else precision
    on_gpu = Target.parse(target).kind == CUDA
    narrow = (lambda module: module) if given else None
    store = (lambda module: module) if given or not on_gpu else None
    names = list(dict.fromkeys(name for name, _ in passes(int(on_gpu), narrow=narrow, store=store)))
    wrong = [name for name in print_after or [] if name not in names]
    if wrong:
        raise SpecError(f"--print-after {wrong[0]}: no such pass; expected one of {', '.join(names)}")

    def watch(name: str, module: Module) -> None:
        if name in (print_after or []):
            say(f"# after {name}\n{module}")

    if locked is not None and db is not None:
        raise SpecError(f"--locked {locked}: given together with --db, which it would not ask; leave one out")
    sizes = None if dims is None else read_bounds("--dims", dims)
    known = existing(db)
    exe = compile_model(
        model, target, dims=sizes, db=known, watch=watch, locked=locked, precision=precision, growing=growing
    )
    made = f"{counted(len(exe.functions), 'function')}, {counted(len(exe.kernels), 'kernel')}"
    if output is not None:
        exe.save(output)
        say(f"{output}: {made}")
    elif not print_after:
        say(f"{model} compiles: {made}; -o FILE writes the executable")
    if why:
        say(exe.why(model=model, db=db, precision=given))
    elif hint := untuned(exe, model, db, given):
        say(hint)


def quantise(
    model: ModelArgument,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Where to write the narrow model's text form.")
    ] = None,
    dtype: Annotated[
        str, typer.Option("--dtype", metavar="DTYPE", help="Of the layers: int8, int4, bfloat16 or float16.")
    ] = "int8",
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="PATTERN", help="Layers, by place or weight's name; may be repeated."),
    ] = None,
    error: Annotated[
        float | None, typer.Option("--error", metavar="E", help="The largest relative error of a layer that is narrow.")
    ] = None,
    data: Annotated[
        list[Path] | None,
        typer.Option(
            "--data",
            metavar="FILE|FOLDER",
            help="A run's inputs in an .npz file, by name, or a folder of such files; may be repeated.",
        ),
    ] = None,
    ranges: Annotated[
        str | None,
        typer.Option(
            "--ranges",
            metavar="METHOD",
            help="Choose ranges ahead of time, of the --data: extremes, percentile, percentile:99.9 or divergence.",
        ),
    ] = None,
    report: Annotated[
        Path | None, typer.Option("--report", metavar="FILE", help="Write a page on the layers to this file.")
    ] = None,
    dims: DimsOption = None,
    target: Annotated[
        str,
        typer.Option(
            "--target",
            metavar="TARGET",
            help="The CPU that int8 is made for, as in 'llvm -mcpu=haswell'; plain llvm is this one. Runs anywhere.",
        ),
    ] = "llvm",
) -> None:
    """Give the layers with constant weights of a model narrow numbers, and say what that costs each."""
    from anytile.compiler.quantise import narrowing, quantise_module
    from anytile.compiler.text.file import read_arrays
    from anytile.model_api import read_model
    from anytile.schedules.hardware.target import Target
    from anytile.show.report.quantised import render

    files = _runs(data or ())
    written = [] if output is None else [output, output.with_suffix(".npz")]
    for path in (*written, *([] if report is None else [report])):
        require_spare(path, (model, model.with_suffix(".npz"), *files))
    asked = narrowing(dtype, only or ("*",), error, ranges, Target.parse(target))
    inputs = [read_arrays(path, "the inputs of a run", "numpy.savez writes such a file") for path in files]
    module = read_model(model, None if dims is None else read_bounds("--dims", dims))
    found = quantise_module(module, asked, inputs or None, [str(path) for path in files])
    for line in str(found).splitlines():
        say(line)
    narrow = sum(layer.dtype == dtype for layer in found.layers)
    said = f"{narrow} of {counted(len(found.layers), 'layer')} in {dtype}"
    if not math.isnan(found.error):
        said += f", error of the results {found.error:.2e}"
    if report is not None:
        write_file(report, render(found, model.name))
    if output is None:
        say(f"{said}; -o FILE writes the model")
        return
    found.module.save(output)
    say(f"{output}: {said}")


def _runs(given: Sequence[Path]) -> list[Path]:
    """The files of runs, those of a folder by their names."""
    found: list[Path] = []
    for path in given:
        inside = sorted(path.glob("*.npz")) if path.is_dir() else [path]
        if not inside:
            raise SpecError(f"{path}: no .npz file is in it; expected one for each run, which numpy.savez writes")
        found += inside
    return found
