"""Torch's two ways in: `torch.compile(model, backend="anytile", dynamic=True)`, found by its name, and `prepare`.

The backend serves inference. A graph that has something unsupported, or that gradients are wanted of, torch runs
itself; a line on standard error says why. What lies on a GPU is computed there. `any_length` is for exports of
recurrent layers.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anytile.compiler.module import Module
from anytile.compiler.passes.narrow.rounded_weights import require_precision
from anytile.compiler.passes.recurrence.grow_inputs import growing as grow
from anytile.core.errors import SpecError, UnsupportedError
from anytile.importers.torch import dynamo
from anytile.importers.torch.graph.any_length import any_length
from anytile.importers.torch.prepared import Compiled, Prepared
from anytile.model_api import Session, compile
from anytile.schedules.hardware.target import Target
from anytile.vm.program.executable import CUDA

if TYPE_CHECKING:
    from anytile.vm.values.devices import Device

_OPTIONS = ("target", "precision", "db", "locked")  # of `compile`
_NAMES = ", ".join(_OPTIONS)


def _session(module: Module, gpu: int | None, options: Mapping[str, str]) -> Session:
    """A program for tensors of a GPU, or of the CPU, which a target may send to one."""
    target = options.get("target") or (None if gpu is None else CUDA)
    kind = None if target is None else Target.parse(target).kind
    if gpu is not None and kind != CUDA:
        raise SpecError(f"target {target}: tensors lie on cuda:{gpu}; expected a target of cuda, or leave it out")
    precision, db, locked = options.get("precision", "float32"), options.get("db"), options.get("locked")
    exe = compile(module, target, precision=precision, db=db, locked=locked)
    if gpu is None:
        return Session(exe)
    return Session(exe, devices={CUDA: _stream(gpu)}, results=CUDA)


@functools.cache
def _stream(gpu: int) -> Device:
    """One device for all graphs, whose memory serves one after the other."""
    from anytile.dispatch.backends import cuda_device
    from anytile.vm.values.stream_device import StreamDevice

    here = cuda_device()
    if here.index != gpu:
        raise UnsupportedError(
            f"tensors on cuda:{gpu}: kernels of this process run on cuda:{here.index}; move them there, or start with "
            f"CUDA_VISIBLE_DEVICES={gpu}"
        )
    return StreamDevice(here)


def _say(line: str) -> None:
    print(line, file=sys.stderr)


@functools.cache
def _programs(options: tuple[tuple[str, str], ...]) -> dynamo.Programs:
    """The programs that were made by these options."""
    return dynamo.Programs(lambda module, gpu: _session(module, gpu, dict(options)).run, _say)


def backend(
    graph_module: Any, inputs: Sequence[Any], *, options: Mapping[str, Any] | None = None, **settings: Any
) -> Any:
    """What torch.compile calls with a graph and example inputs, and with the `options` that it was given: `target`,
    `precision`, `db` and `locked` are those of `anytile.compile`."""
    if settings:
        given = ", ".join(f"{name}={value!r}" for name, value in settings.items())
        raise SpecError(f"torch.compile(backend='anytile', {given}): expected no mode=; options= are {_NAMES}")
    return dynamo.backend(graph_module, inputs, _programs(_checked(options or {})))


def _checked(options: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Options as text. What is wrong with one is an error here; behind this torch would run the graph itself."""
    for name, value in options.items():
        where = f"torch.compile(backend='anytile', options=...): {name}"
        if name not in _OPTIONS:
            raise SpecError(f"{where}: expected some of {_NAMES}")
        if not isinstance(value, str | Path | Target):
            raise SpecError(f"{where}={value!r}: expected text, as `anytile.compile` takes it")
    made = {name: str(value) for name, value in options.items()}
    if "target" in made:
        Target.parse(made["target"])
    if "precision" in made:
        require_precision(made["precision"])
    if "locked" in made and not Path(made["locked"]).is_file():
        raise SpecError(f"{made['locked']}: no such file; `anytile db lock` writes one")
    return tuple(sorted(made.items()))


def prepare(
    program: Any,
    *,
    target: Target | str | None = None,
    precision: str = "float32",
    db: str | Path | None = None,
    locked: str | Path | None = None,
    growing: bool = False,
) -> Prepared:
    """An exported program, ready to be called as the model is, on torch's tensors.

    It gives what the model gives: tensors in the same tuples, lists and dicts. Buffers that the model writes are kept
    between calls, in `state`. Target, precision, database and lock file are those of `anytile.compile`; of
    `target="cuda"` state and results lie on the GPU, and arguments may. With `growing=True` results that are an
    argument with rows behind, as a decoder's caches, are made longer where they lie when they are passed to the next
    call; they are as the model has them, views of how they lie.
    """

    def compiled(module: Module) -> Compiled:
        grown = grow(module) if growing else None
        made = module if grown is None else Module.of(grown.module)
        exe = compile(made, target, precision=precision, db=db, locked=locked)
        session = Session(exe, results=exe.devices[-1])
        names = tuple(name for name, _ in session.inputs)
        if grown is None:
            return Compiled(session.run, names)
        return Compiled(session.run, names, grown.inputs, grown.results)

    return Prepared(program, compiled)


__all__ = ["any_length", "backend", "prepare"]
