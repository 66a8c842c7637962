"""Options that several commands share, and how their text is read. Readers raise SpecError and nothing else."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anytile.schedules.errors import SpecError

if TYPE_CHECKING:
    from anytile.db.store import Store
    from anytile.schedules.target import Target
    from anytile.schedules.workload import Workload

OpOption = Annotated[str, typer.Option("--op", metavar="OP", help="The operator.")]
ShapeOption = Annotated[
    str | None,
    typer.Option(
        "--shape", metavar="DIMS", help="Its dimensions, as in m=?,n=768,k=768; ? is one unknown until run time."
    ),
]
TargetOption = Annotated[
    str,
    typer.Option(
        "--target",
        metavar="TARGET",
        help="What it runs on, as in 'llvm -mcpu=znver4 -threads=2'; plain llvm is this machine and all its cores.",
    ),
]
DtypeOption = Annotated[str, typer.Option("--dtype", metavar="DTYPE", help="The element type.")]
ConstOption = Annotated[
    bool | None,
    typer.Option(
        "--const/--no-const",
        help="Whether the weights are known ahead of time, and so may be packed. [default: what is usual]",
    ),
]
DbOption = Annotated[
    str | None,
    typer.Option(
        "--db",
        metavar="URL",
        help="The tuning database: a path or an SQLAlchemy URL. Without it $ANYTILE_DB, else the user's own.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
WorkloadArgument = Annotated[
    str | None,
    typer.Argument(metavar="[WORKLOAD]", help="A workload's text, as in 'dense(m=?, n=768, k=768)'; or use --shape."),
]
SizeOption = Annotated[int | None, typer.Option("--m", metavar="SIZE", help="The value of the symbolic dimension.")]

_DURATION = re.compile(r"(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s?)?\Z")


def read_text_or_shape(text: str | None, op: str, shape: str | None, dtype: str, const: bool | None) -> Workload:
    """A workload in its text form, as every listing prints it, or by --op and --shape."""
    from anytile.schedules.workload import Workload

    if text is not None:
        if shape is not None:
            raise SpecError(f"{text}: given together with --shape {shape}; give one of them")
        return Workload.parse(text)
    if shape is None:
        raise SpecError("no workload: expected --shape m=?,n=768,k=768, or its text as `anytile db best` prints it")
    return read_workload(op, shape, dtype, const)


def read_workload(op: str, shape: str, dtype: str, const: bool | None) -> Workload:
    """The workload that the options mean; `const` marks every operand that may be constant, None if it usually is."""
    from anytile.schedules.workload import parse_shape

    workload = parse_shape(op, shape, dtype)
    marked = workload.spec.has_weights if const is None else const
    return workload.with_const(workload.constant_operands) if marked else workload


def read_target(text: str) -> Target:
    """The target, known to this LLVM."""
    from anytile.schedules.cpu import facts
    from anytile.schedules.target import Target

    target = Target.parse(text)
    if target.kind == "llvm":
        facts(target)
    return target


def read_duration(text: str) -> float:
    """`90`, `90s`, `3m`, `1m30s`, `1h` as seconds."""
    match = _DURATION.match(text.strip().lower())
    if match is None or not any(match.groups()):
        raise SpecError(f"--time {text!r}: expected a duration such as 90s, 3m or 1h30m")
    hours, minutes, seconds = match.groups()
    total = int(hours or 0) * 3600 + int(minutes or 0) * 60 + float(seconds or 0)
    if total <= 0:
        raise SpecError(f"--time {text!r}: expected more than nothing, such as 90s")
    return total


def read_bytes(text: str) -> int:
    """`65536`, `64k`, `2M` as bytes."""
    match = re.match(r"(\d+)\s*([kKmM]?)(?:i?[bB])?\Z", text.strip())
    if match is None or int(match.group(1)) == 0:
        raise SpecError(f"--code-budget {text!r}: expected a size such as 256k or 1M")
    return int(match.group(1)) << {"": 0, "k": 10, "m": 20}[match.group(2).lower()]


def at_least(option: str, value: int | None, least: int) -> None:
    if value is not None and value < least:
        raise SpecError(f"{option} {value}: expected {least} or more")


def point_of(workload: Workload, m: int | None) -> dict[str, int]:
    """`--m SIZE` as bindings of the workload's only symbol."""
    symbols = workload.symbols
    if m is None:
        return {}
    at_least("--m", m, 0)
    if len(symbols) != 1:
        which = "has no symbolic dimension" if not symbols else f"has {len(symbols)} symbolic dimensions"
        raise SpecError(f"--m {m}: {workload} {which}; give the others a number in --shape")
    return {symbols[0]: m}


def open_store(url: str | None, readonly: bool = True) -> Store:
    from anytile.db.store import Store

    return Store.open(url, readonly=readonly)


def existing(url: str | None) -> str | None:
    """A database that was named must be there; without a name the user's own may be missing."""
    if url is not None:
        open_store(url).close()
    return url


def write_file(path: Path, data: str | bytes) -> None:
    """Write a result where the user asked for it; what stands in the way is said in a line."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
    except OSError as error:
        raise SpecError(f"{path}: cannot be written: {error.strerror}; give another -o FILE") from None
