"""`anytile run`, `bench`, `profile`, `dump`: what can be done with a compiled model."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anytile.commands.options import JsonOption, write_file
from anytile.schedules.errors import SpecError, UnsupportedError

if TYPE_CHECKING:
    from anytile.vm.executable import Executable

ModelArgument = Annotated[Path, typer.Argument(metavar="MODEL", help="What `anytile compile` wrote.")]
InputOption = Annotated[
    list[str] | None,
    typer.Option(
        "--input",
        metavar="NAME=VALUE",
        help="FILE.npy, a number, or random:17x768 (integers are then 0 or 1); may be repeated.",
    ),
]
TrustOption = Annotated[
    bool, typer.Option("--trust", help="Run the file's own machine code instead of building it again from the plans.")
]
SeedOption = Annotated[int, typer.Option("--seed", min=0, help="Of what is random.")]


def run(
    model: ModelArgument,
    inputs: InputOption = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write the results to this .npz file.")
    ] = None,
    seed: SeedOption = 0,
    trust: TrustOption = False,
    json: JsonOption = False,
) -> None:
    """Run a model once and say what came out."""
    import numpy as np

    from anytile.feeds import read_inputs
    from anytile.jsonable import dump as json_text
    from anytile.models import Session, load
    from anytile.tables import Table

    exe = load(model, trust)
    results = dict(_named(Session(exe).run(read_inputs(exe, inputs or [], np.random.default_rng(seed)))))
    if out is not None:
        packed = io.BytesIO()
        np.savez(packed, allow_pickle=False, **results)
        write_file(out, packed.getvalue())
    rows = [
        {"name": name, "shape": list(y.shape), "dtype": y.dtype.name}
        | {word: f(y).item() if y.size else None for word, f in (("min", np.min), ("mean", np.mean), ("max", np.max))}
        for name, y in results.items()
    ]
    if json:
        print(json_text({"outputs": rows, "file": out}))
        return
    table = Table(("result", "shape", "dtype", ">min", ">mean", ">max"))
    for row in rows:
        figures = ["" if row[word] is None else f"{row[word]:.6g}" for word in ("min", "mean", "max")]
        table.add(row["name"], "x".join(map(str, row["shape"])) or "()", row["dtype"], *figures)
    table.show()
    if out is not None:
        print(f"{out}: {len(results)} array(s)")


def bench(
    model: ModelArgument,
    sizes: Annotated[
        list[str] | None,
        typer.Option("--sizes", metavar="SYMBOL=N,...", help="Sizes of an unknown dimension; may be repeated."),
    ] = None,
    inputs: InputOption = None,
    seconds: Annotated[float, typer.Option("--time", min=0.0, help="Seconds for each size, on average.")] = 1.0,
    seed: SeedOption = 0,
    trust: TrustOption = False,
    json: JsonOption = False,
) -> None:
    """Time a model at several sizes, in turns: median, spread, and the share that is not kernel time."""
    import numpy as np

    from anytile.feeds import feeds_at, read_inputs, read_sizes
    from anytile.figures import time_text
    from anytile.jsonable import dump as json_text
    from anytile.models import Session, load
    from anytile.pacing import pace
    from anytile.tables import Table

    exe, rng = load(model, trust), np.random.default_rng(seed)
    given = read_inputs(exe, inputs or [], rng)
    points = [(point, feeds_at(exe, given, point, rng)) for point in read_sizes(exe, sizes or [], given)]
    found = pace(Session(exe), points, seconds)
    if json:
        print(json_text({"target": exe.target, "rows": found}))
        return
    symbols = list(found[0].sizes)
    table = Table((*(f">{s}" for s in symbols), ">median", ">spread", ">not in kernels", ">runs"))
    for p in found:
        cells = (time_text(p.median), f"{p.spread:.1%}", f"{p.overhead:.1%}", p.runs)
        table.add(*(p.sizes[s] for s in symbols), *cells)
    table.show()


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
    seed: SeedOption = 0,
    trust: TrustOption = False,
    json: JsonOption = False,
) -> None:
    """Run a model once and say where the time went."""
    import numpy as np

    from anytile.feeds import feeds_at, read_inputs, read_sizes
    from anytile.jsonable import dump as json_text
    from anytile.models import Session, load

    exe, rng = load(model, trust), np.random.default_rng(seed)
    given = read_inputs(exe, inputs or [], rng)
    points = read_sizes(exe, sizes or [], given)
    if len(points) != 1:
        raise SpecError(f"--sizes {' '.join(sizes or [])}: expected one size of each; `anytile bench` takes several")
    found = Session(exe).profile(feeds_at(exe, given, points[0], rng))
    if trace is not None:
        write_file(trace, found.chrome_trace())
    if json:
        whole = {"seconds": found.seconds, "kernel_seconds": found.kernel_seconds, "overhead": found.overhead}
        memory = {"peak_bytes": found.peak_bytes, "allocations": found.allocations}
        print(json_text({**whole, **memory, "rows": found.rows, "trace": trace}))
        return
    print(found)
    if trace is not None:
        print(f"{trace}: {len(found.events)} event(s)")


def dump(
    model: ModelArgument,
    why: Annotated[bool, typer.Option("--why", help="Every kernel's plan, where it is from and why.")] = False,
    json: JsonOption = False,
) -> None:
    """Show what is in a compiled model: code, kernels, constants, sections. Nothing is built and nothing runs."""
    from anytile.contents import contents, plans
    from anytile.contents import text as contents_text
    from anytile.jsonable import dump as json_text
    from anytile.vm.file import read, section_lengths

    exe, _ = read(model)
    lengths = section_lengths(model)
    if json:
        print(json_text(contents(exe, lengths) | ({"plans": plans(exe)} if why else {})))
        return
    print(contents_text(exe, lengths))
    if why:
        print(_why(exe))


def _why(exe: Executable) -> str:
    from anytile.contents import plans
    from anytile.wording import plan_lines

    lines = ["", exe.why()]
    for name, plan in plans(exe).items():
        lines += ["", name, *(f"  {line}" for line in plan_lines(plan))]
    return "\n".join(lines)


def _named(value: Any, name: str = "output") -> Iterator[tuple[str, Any]]:
    """The arrays in a result: `output`, or `output_0`, `output_1` of a tuple."""
    from anytile.vm.ports import Data

    if isinstance(value, Data):
        raise UnsupportedError(f"{name}: {value!r} is no array; run the model from Python by anytile.Session(exe).run")
    if isinstance(value, tuple):
        for place, part in enumerate(value):
            yield from _named(part, f"{name}_{place}")
    else:
        yield name, value


COMMANDS: dict[str, Callable[..., None]] = {"run": run, "bench": bench, "profile": profile, "dump": dump}
