"""Options that several commands share, and how their text is read. Readers raise SpecError and nothing else."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anytile.commands.reading import at_least, read_workload
from anytile.commands.tune_options import CONST, DB, DTYPE, JSON, TARGET, USUAL_CONST
from anytile.core.command_hint import command_line
from anytile.core.errors import DatabaseError, SpecError

if TYPE_CHECKING:
    from anytile.db.store import Store
    from anytile.schedules.plans.plan import DispatchPlan
    from anytile.schedules.workloads.workload import Workload

OpOption = Annotated[str, typer.Option("--op", metavar="OP", help="The operator.")]
ShapeOption = Annotated[
    str | None,
    typer.Option(
        "--shape", metavar="DIMS", help="Its dimensions, as in m=?,n=768,k=768; ? is one unknown until run time."
    ),
]
TargetOption = Annotated[str, typer.Option("--target", metavar="TARGET", help=TARGET)]
DtypeOption = Annotated[str, typer.Option("--dtype", metavar="DTYPE", help=DTYPE)]
ConstOption = Annotated[bool | None, typer.Option("--const/--no-const", show_default=USUAL_CONST, help=CONST)]
DbOption = Annotated[str | None, typer.Option("--db", metavar="URL", help=DB)]
JsonOption = Annotated[bool, typer.Option("--json", help=JSON)]
WorkloadArgument = Annotated[
    str | None,
    typer.Argument(metavar="[WORKLOAD]", help="A workload's text, as in 'dense(m=?, n=768, k=768)'; or use --shape."),
]
SizeOption = Annotated[
    int | None, typer.Option("--m", metavar="SIZE", help="The value of the dimension that the plan goes by.")
]


def read_text_or_shape(text: str | None, op: str, shape: str | None, dtype: str, const: bool | None) -> Workload:
    """A workload in its text form, as every listing prints it, or by --op and --shape."""
    from anytile.schedules.workloads.workload import Workload

    if text is not None:
        if shape is not None:
            raise SpecError(f"{text}: given together with --shape {shape}; give one of them")
        return Workload.parse(text)
    if shape is None:
        where = command_line("db", "best")
        raise SpecError(f"no workload: expected --shape m=?,n=768,k=768, or its text as `{where}` prints it")
    return read_workload(op, shape, dtype, const)


def point_of(plan: DispatchPlan, m: int | None) -> dict[str, int]:
    """`--m SIZE` as a binding of the symbol that the plan goes by; nothing where it runs the same at every size."""
    from anytile.schedules.workloads.workload import MAX_DIM

    if m is None:
        return {}
    at_least("--m", m, 0)
    if m > MAX_DIM:
        raise SpecError(f"--m {m}: expected {MAX_DIM} at most")
    if not plan.workload.symbols:
        raise SpecError(f"--m {m}: {plan.workload} has no symbolic dimension; leave --m out")
    return {} if plan.symbol is None else {plan.symbol: m}


def open_store(url: str | None, readonly: bool = True) -> Store:
    from anytile.db.store import Store

    return Store.open(url, readonly=readonly)


def open_to_change(url: str | None) -> Store:
    """One that is there already, to change what it holds: a name that is misspelt makes no new one."""
    from anytile.db.sql.places import may_be_there

    return open_store(url, readonly=not may_be_there(url))  # read-only, what is missing is said


def existing(url: str | None) -> str | None:
    """A database that was named must be there; without a name the user's own may be missing."""
    if url is not None:
        open_store(url).close()
    return url


def require_writable(store: Store, otherwise: str) -> None:
    """Asked before minutes of work whose results are to be kept."""
    if not store.may_write():
        raise DatabaseError(f"database {store.name}: may not be written by this user; {otherwise}")


def require_spare(path: Path, sources: Sequence[Path] = (), again: bytes = b"") -> None:
    """Say so where a file that is to be written would cost one that somebody needs: what the command reads, a database,
    a model. A file that begins with `again` is one of the same kind, which is written anew."""
    from anytile.db.sql.names import SQLITE
    from anytile.dispatch.storage import kernel_file
    from anytile.vm.storage import file as model_file

    if not os.path.isfile(path):  # nor where nobody may look: writing says why
        return
    if any(os.path.exists(source) and path.samefile(source) for source in sources):
        raise SpecError(f"{path}: is what the command reads, which this would replace; give another -o FILE")
    kept = {SQLITE: "a database", model_file.MAGIC: "an executable", kernel_file.MAGIC: "a kernel"}
    with suppress(OSError), path.open("rb") as file:
        head = file.read(16)
        for magic, what in kept.items():
            if head.startswith(magic) and magic != again:
                raise SpecError(f"{path}: is {what}, which this would replace; give another -o FILE")


def write_file(path: Path, data: str | bytes) -> None:
    """Write a result where the user asked for it; what stands in the way is said in a line."""
    require_spare(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
    except OSError as error:
        raise SpecError(f"{path}: cannot be written: {error.strerror}; give another -o FILE") from None
