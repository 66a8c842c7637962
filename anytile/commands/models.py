"""`anytile run`, `bench`, `profile`, `dump`: what can be done with a compiled model."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anytile.commands.options import JsonOption, existing, write_file
from anytile.commands.reading import read_duration
from anytile.core.command_hint import command_line
from anytile.core.errors import SpecError
from anytile.core.plurals import counted
from anytile.core.printable import say

if TYPE_CHECKING:
    from anytile.models_io.rival import Rival
    from anytile.vm.executable import Executable
    from anytile.vm.program.executable import Executable as Program

ModelArgument = Annotated[
    Path, typer.Argument(metavar="MODEL", help="What `anytile compile` wrote, or an ONNX file (.onnx).")
]
InputOption = Annotated[
    list[str] | None,
    typer.Option(
        "--input",
        metavar="NAME=VALUE",
        help="FILE.npy, a number, random:17x768 (integers are then 0 or 1), or FILE.json; may be repeated.",
    ),
]
TrustOption = Annotated[
    bool, typer.Option("--trust", help="Run the file's own machine code instead of building it again from the plans.")
]
RecordOption = Annotated[
    Path | None,
    typer.Option(
        "--record-shapes",
        metavar="FILE",
        help="Add the sizes that kernels meet to this file, for `anytile tune --weights-from`.",
    ),
]
SeedOption = Annotated[int, typer.Option("--seed", min=0, help="Of what is random.")]


def _load(model: Path, trust: bool) -> Executable:
    """The model with code for this machine; that it was made for another CPU is said on stderr."""
    from anytile.model_api import ONNX_SUFFIX, compile, load

    if model.suffix.lower() == ONNX_SUFFIX:
        return compile(model, db=existing(None))
    return load(model, trust, say=lambda line: say(line, file=sys.stderr))


def run(
    model: ModelArgument,
    inputs: InputOption = None,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Write the results to this .npz or .json file."),
    ] = None,
    record_shapes: RecordOption = None,
    memory_limit: Annotated[
        int | None,
        typer.Option("--memory-limit", metavar="BYTES", min=0, help="At most so much memory; else what is free now."),
    ] = None,
    seed: SeedOption = 0,
    trust: TrustOption = False,
    json: JsonOption = False,
) -> None:
    """Run a model once and say what came out."""
    import numpy as np

    from anytile.model_api import Session
    from anytile.models_io.inputs import read_inputs, require_all
    from anytile.models_io.results import Results, require_format
    from anytile.vm.size_histogram_file import known_shapes

    exe = _load(model, trust)
    require_format(exe, out)
    feeds = read_inputs(exe, inputs or [], np.random.default_rng(seed))
    require_all(exe, feeds)
    session = Session(exe, memory_limit=memory_limit)
    if record_shapes is not None:
        known_shapes(record_shapes)  # what cannot be added to is said before anything runs
        session.record_shapes()
    found = Results(session.run(feeds))
    if record_shapes is not None:
        session.record_shapes(record_shapes)
    if out is not None:
        write_file(out, found.packed(out))
    if json:
        say(found.json(out))
        return
    found.show()
    if out is not None:
        say(f"{out}: {counted(len(found.parts), 'result')}")


def bench(
    model: ModelArgument,
    sizes: Annotated[
        list[str] | None,
        typer.Option("--sizes", metavar="SYMBOL=N,...", help="Sizes of an unknown dimension; may be repeated."),
    ] = None,
    inputs: InputOption = None,
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="RIVAL",
            help="Run in turns with another and compare the results: onnxruntime (with the ONNX file that MODEL is), "
            "FILE.onnx (in onnxruntime), or another compiled model.",
        ),
    ] = None,
    time: Annotated[str, typer.Option("--time", metavar="TIME", help="For each size, on average, as in 2s.")] = "1s",
    record_shapes: RecordOption = None,
    seed: SeedOption = 0,
    trust: TrustOption = False,
    json: JsonOption = False,
) -> None:
    """Time a model at several sizes, in turns: median, spread, and the share that is not kernel time."""
    import numpy as np

    from anytile.model_api import Session
    from anytile.models_io.bench import pace, show
    from anytile.models_io.inputs import feeds_at, read_inputs, read_sizes
    from anytile.show.jsonable import dump as json_text
    from anytile.vm.profile import ShapeHistogram
    from anytile.vm.size_histogram_file import add_shapes, known_shapes

    seconds = 0.0 if time == "0" else read_duration(time)  # nothing: a few runs of each
    exe, rng = _load(model, trust), np.random.default_rng(seed)
    given = read_inputs(exe, inputs or [], rng)
    points = [(point, feeds_at(exe, given, point, rng)) for point in read_sizes(exe, sizes or [], given)]
    rival = None if against is None else _rival(against, model, exe, trust)
    session = Session(exe)
    if record_shapes is not None:
        known_shapes(record_shapes)
    found = pace(session, points, seconds, rival=rival)
    name = None if rival is None else rival.name
    if record_shapes is not None:  # each size once, and apart from what is timed
        events = [event for _, feeds in points for event in session.profile(feeds, warm_up=0).events]
        add_shapes(record_shapes, ShapeHistogram.of(events, exe))
    if json:
        say(json_text({"target": exe.target, "against": name, "rows": found}))
        return
    show(found, name)


def _rival(word: str, model: Path, exe: Executable, trust: bool) -> Rival:
    """What `--against` names."""
    from anytile.model_api import ONNX_SUFFIX, Session
    from anytile.models_io.rival import ONNXRUNTIME, of_onnxruntime, of_session
    from anytile.schedules.hardware.target import Target

    path = model if word == ONNXRUNTIME else Path(word)
    if path.suffix.lower() == ONNX_SUFFIX:
        return of_onnxruntime(path, Target.parse(exe.target).threads)
    if word == ONNXRUNTIME:
        raise SpecError(f"--against {word}: {model} is no ONNX file; name the one it was made of: --against FILE.onnx")
    return of_session(Session(_load(path, trust)), path.name)


def profile(
    model: ModelArgument,
    sizes: Annotated[
        list[str] | None,
        typer.Option("--sizes", metavar="SYMBOL=N", help="The size of an unknown dimension; may be repeated."),
    ] = None,
    inputs: InputOption = None,
    trace: Annotated[
        Path | None, typer.Option("--trace", metavar="FILE", help="Write a trace for chrome://tracing and Perfetto.")
    ] = None,
    why: Annotated[
        bool, typer.Option("--why", help="Every kernel's share of the time, and where its plan is from.")
    ] = False,
    seed: SeedOption = 0,
    trust: TrustOption = False,
    json: JsonOption = False,
) -> None:
    """Run a model once and say where the time went."""
    import numpy as np

    from anytile.model_api import Session
    from anytile.models_io.inputs import feeds_at, read_inputs, read_sizes
    from anytile.show.jsonable import dump as json_text

    exe, rng = _load(model, trust), np.random.default_rng(seed)
    given = read_inputs(exe, inputs or [], rng)
    points = read_sizes(exe, sizes or [], given)
    if len(points) != 1:
        raise SpecError(
            f"--sizes {' '.join(sizes or [])}: expected one size of each; `{command_line('bench')}` takes several"
        )
    session = Session(exe)
    found = session.profile(feeds_at(exe, given, points[0], rng))
    if trace is not None:
        write_file(trace, found.chrome_trace())
    if json:
        whole = {"seconds": found.seconds, "kernel_seconds": found.kernel_seconds, "overhead": found.overhead}
        memory = {"peak_bytes": found.peak_bytes, "allocations": found.allocations}
        more = {"why": session.exe.why(found, model=model).splitlines()} if why else {}
        say(json_text({**whole, **memory, "rows": found.rows, "trace": trace, **more}))
        return
    say(found)
    if why:
        say(f"\n{session.exe.why(found, model=model)}")
    if trace is not None:
        say(f"{trace}: a run of {counted(len(found.events), 'kernel call')}")


def dump(
    model: ModelArgument,
    why: Annotated[bool, typer.Option("--why", help="Every kernel's plan, where it is from and why.")] = False,
    json: JsonOption = False,
) -> None:
    """Show what is in a compiled model: code, kernels, constants, sections. Nothing is built and nothing runs."""
    from anytile.show.contents import contents, plans
    from anytile.show.contents import text as contents_text
    from anytile.show.jsonable import dump as json_text
    from anytile.vm.storage.file import read, section_lengths

    exe, _ = read(model)
    lengths = section_lengths(model)
    if json:
        say(json_text(contents(exe, lengths) | ({"plans": plans(exe)} if why else {})))
        return
    say(contents_text(exe, lengths))
    if why:
        say(_why(exe, model))


def _why(exe: Program, model: Path) -> str:
    from anytile.show.contents import plans
    from anytile.show.plan_words import plan_lines
    from anytile.vm.why import why

    lines = ["", why(exe, model=model)]
    for name, plan in plans(exe).items():
        lines += ["", name, *(f"  {line}" for line in plan_lines(plan))]
    return "\n".join(lines)


COMMANDS: dict[str, Callable[..., None]] = {"run": run, "bench": bench, "profile": profile, "dump": dump}
