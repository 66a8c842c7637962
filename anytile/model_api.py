"""The names for models behind `import anytile`: compile, quantise, load, Session, Data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from anytile.core.errors import SpecError
from anytile.schedules.hardware.target import Target
from anytile.vm import session
from anytile.vm.executable import Executable
from anytile.vm.interpreter.host_functions import HOST_FUNCTIONS, HostFunction
from anytile.vm.interpreter.loop import MAX_DEPTH
from anytile.vm.program.executable import PACKED
from anytile.vm.storage import file
from anytile.vm.values.ports import Data

ONNX_SUFFIX = ".onnx"

if TYPE_CHECKING:
    from anytile.compiler.ir import nodes
    from anytile.compiler.module import Module
    from anytile.compiler.quantise import Quantised
    from anytile.db.store import Store
    from anytile.vm.values.devices import Device


@runtime_checkable
class ExportedProgram(Protocol):
    """What torch.export.export makes, as it is known without torch."""

    graph_signature: Any
    range_constraints: Any

    def run_decompositions(self, decomp_table: Any = None) -> Any: ...


@runtime_checkable
class OnnxModel(Protocol):
    """A ModelProto, as onnx.load gives it, as it is known without onnx."""

    ir_version: int
    opset_import: Any
    graph: Any

    def SerializeToString(self) -> bytes: ...  # noqa: N802, protobuf's name


def compile(
    module: Module | str | Path | OnnxModel | ExportedProgram,
    target: Target | str | None = None,
    *,
    dims: Mapping[str, int | tuple[int, int]] | None = None,
    db: Store | str | Path | None = None,
    watch: Callable[[str, Module], None] | None = None,
    locked: str | Path | None = None,
    precision: str = "float32",
    growing: bool = False,
) -> Executable:
    """The executable of a model: a module, or the file of one: its text form, or ONNX where it ends in .onnx; or what
    onnx.load made of such a file; or what torch.export made of a torch model, whose parameters it reads in place.

    `precision` is that of dense layers with constant weights: "bfloat16" and "float16" have their weights in 16 bits,
    and on a GPU convolutions', and what kernels leave for each other, too, which its matrix units multiply; where a CPU
    multiplies bfloat16, so are what comes to layers, convolutions, and products of two tensors, as attention's. "int4"
    has weights in 4 bits with a scale for each 32 neighbours; "int8" quantises what comes to layers, too, row by row at
    run time, and to convolutions image by image. `quantise` says what that costs. All else stays float32. In "float32"
    itself minimal filtering (Winograd) may make convolutions, in "exact" all sums are made as they are defined.

    `growing=True` is for decoders that take a cache and return it with rows behind: passed to the next call, these
    results are made longer where they lie. Their first dimension, but for those of 1, is then the one that grows. On a
    GPU that is so for sessions that leave their results there (`results="cuda"`).

    Plans come out of the tuning database. `dims` pins dimensions of an ONNX model by name, or says within what
    bounds they are: `dims={"batch": 1, "seq": (1, 512)}`.

    `exe.save(path)` keeps it, `Session(exe)` runs it, `exe.why()` says what each kernel is and where its plan is from.
    `locked` is a lock file of `anytile db lock`: plans come out of it alone, and no database is asked. `watch` is told
    the module after every pass, by the pass's name. For the target of another CPU it is an executable
    to save: `load` gives it back there, and anywhere else builds its kernels again. For a GPU (`target="cuda"`) kernels
    run there, in order on one stream, and sizes and decisions on this machine's CPU.
    """
    from anytile.api import ranker, reading
    from anytile.compiler.compile import compile_module  # here, so that loading a model is quick
    from anytile.compiler.module import Module

    made = _module("compile", module, dims)
    chosen = _resolved(target)
    if growing:
        from anytile.compiler.passes.recurrence.grow_inputs import grow_inputs

        made = grow_inputs(made)

    def told(name: str, after: nodes.Module) -> None:
        if watch is not None:
            watch(name, Module.of(after))

    if locked is not None:
        return compile_module(made, chosen, watch=told, locked=Path(locked), precision=precision)
    with reading(db) as store:
        return compile_module(made, chosen, db, watch=told, rank=ranker(store), precision=precision, reading=store)


def quantise(
    module: Module | str | Path | OnnxModel | ExportedProgram,
    dtype: str = "int8",
    *,
    only: str | Sequence[str] = "*",
    error: float | None = None,
    inputs: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
    ranges: str | None = None,
    dims: Mapping[str, int | tuple[int, int]] | None = None,
    target: Target | str | None = None,
) -> Quantised:
    """A model whose layers with constant weights have them in int8, int4, bfloat16 or float16; what that costs:

        found = anytile.quantise("model.onnx", error=0.02)
        print(found)  # a line for each layer
        exe = anytile.compile(found.module)

    Of int8 what comes to a layer is quantised, too, row by row at run time, so no data are needed. In int8 and bfloat16
    convolutions are layers like others, image by image. `only` are patterns of the layers' places in the model, or of
    their weights' names, as "encoder.*". A layer's error is relative and in L2, on what comes to it when the model runs
    on `inputs`, its arguments by name, once or several times; without them on random numbers. A layer beyond `error`
    stays float32.

    With `ranges` those of what comes to layers are chosen ahead of time, of what comes when the model runs on `inputs`,
    one for all: "extremes", "percentile" (99.99 of the values, or "percentile:99.9" of them) or "divergence". Attention
    between dense layers is a layer then, of the name "attention", where this machine multiplies bytes.
    Nothing looks for ranges at run time then, and what lies beyond is cut off. A layer that is beyond `error` so, and
    within it with a range for each row or image, has one for each. `found.error` is that of the model's results.

    `target` is the CPU that a model in int8 is made for, as `compile` has it; this machine unless said. Where products
    of bytes add up in pairs (AVX2 without VNNI), weights are rounded such that 16 bits hold these, which is a little
    further off and about twice as fast there. `found.made_for` says so. The module runs anywhere.
    """
    from anytile.compiler.quantise import narrowing, quantise_module

    made = _module("quantise", module, dims)
    runs = [inputs] if isinstance(inputs, Mapping) else inputs
    given = None if runs is None else [{name: np.asarray(value) for name, value in run.items()} for run in runs]
    if given is not None and not given:
        raise SpecError("quantise: inputs is empty; expected a model's arguments by name, or leave it out")
    patterns, on = (only,) if isinstance(only, str) else only, _resolved(target) or Target.host()
    return quantise_module(made, narrowing(dtype, patterns, error, ranges, on), given)


def _resolved(target: Target | str | None) -> Target | None:
    """The target that somebody gave, in whatever form, with all that was left open."""
    chosen = Target.parse(target) if isinstance(target, str) else target
    return None if chosen is None else chosen.resolved()


def _module(
    what: str,
    module: Module | str | Path | OnnxModel | ExportedProgram,
    dims: Mapping[str, int | tuple[int, int]] | None,
) -> nodes.Module:
    """The module that somebody gave, in whatever form."""
    from anytile.compiler.ir import nodes

    if dims and not isinstance(module, str | Path | OnnxModel):
        raise SpecError(f"{what}: dims= pins dimensions of an ONNX model; a module has its sizes in its types")
    made: object = read_model(module, dims) if isinstance(module, str | Path) else module
    if isinstance(made, OnnxModel):
        from anytile.importers.onnx.model import import_model

        made = import_model(made, dims=dims)
    if isinstance(made, ExportedProgram):
        from anytile.importers.torch.exported import import_program

        made = import_program(made).module
    if not isinstance(made, nodes.Module):
        got = type(module).__name__
        raise SpecError(f"{what}: expected a Module or the file of one, got {got}; a builder makes one by build()")
    return made


def read_model(path: str | Path, dims: Mapping[str, int | tuple[int, int]] | None = None) -> Module:
    """The module in a file: ONNX where its name ends in .onnx, else the text form."""
    from anytile.compiler.module import Module

    path = Path(path)
    if path.suffix.lower() == ONNX_SUFFIX:
        from anytile.importers.onnx.model import read_onnx

        return read_onnx(path, dims)
    from anytile.compiler.text.file import read_module

    if dims:
        raise SpecError(f"{path}: dims= pins dimensions of an ONNX model; a module has its sizes in its types")
    return Module.of(read_module(path))


def load(path: str | Path, trust: bool = False, say: Callable[[str], None] = lambda line: None) -> Executable:
    """A saved executable. Its kernels are built from their plans, or with `trust=True` taken from the file.

    `say` is told in a line where the file was made for another CPU.
    """
    return Executable.of(file.load(path, trust, say=say))


class Session(session.Session):
    """An executable, or the file of one, ready to run: `run({"x": x})` by name, or `session(x)` in order.

    `memory_limit` is in bytes, for each run in flight; without one it is what the machine has free. It counts tensors
    and, unless interpreted, data types, closures and calls. `compiled=False` interprets every instruction. `devices`
    are the executable's beside the host, by name, and `results="cuda"` leaves results there, as arrays for whoever
    reads DLPack.
    """

    def __init__(
        self,
        exe: Executable | str | Path,
        *,
        memory_limit: int | None = None,
        max_depth: int = MAX_DEPTH,
        compiled: bool = True,
        devices: Mapping[str, Device] | None = None,
        results: str = "host",
    ) -> None:
        exe = exe if isinstance(exe, Executable) else load(exe)
        super().__init__(
            exe,
            memory_limit=memory_limit,
            max_depth=max_depth,
            compiled=compiled,
            devices=devices,
            results=results,
            functions=_functions(exe),
        )


def _functions(exe: Executable) -> Mapping[str, HostFunction]:
    """The host functions that it may call; the compiler, which has most of them, is not imported for none."""
    if all(entry.kind != PACKED for entry in exe.kernels):
        return HOST_FUNCTIONS
    from anytile.compiler.lowering.host_functions import host_functions

    return host_functions()


__all__ = ["Data", "Session", "compile", "load", "quantise"]
