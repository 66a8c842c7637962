"""Torch's two ways in: `torch.compile(model, backend="anytile", dynamic=True)`, found by its name, and `prepare`.

The backend serves inference. A graph that has something unsupported, or that gradients are wanted of, torch runs
itself; a line on standard error says why. `any_length` is for exports of recurrent layers.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from anytile.compiler.module import Module
from anytile.core.errors import SpecError
from anytile.importers.torch import dynamo
from anytile.importers.torch.graph.any_length import any_length
from anytile.importers.torch.prepared import Prepared
from anytile.model_api import Session, compile


def _compiled(module: Module) -> dynamo.Run:
    return Session(compile(module)).run


def _say(line: str) -> None:
    print(line, file=sys.stderr)


_PROGRAMS = dynamo.Programs(_compiled, _say)


def backend(graph_module: Any, inputs: Sequence[Any], **settings: Mapping[str, Any] | str) -> Any:
    """What torch.compile calls with a graph and example inputs."""
    if settings:
        given = ", ".join(f"{name}={value!r}" for name, value in settings.items())
        raise SpecError(f"torch.compile(backend='anytile', {given}): expected neither mode= nor options=")
    return dynamo.backend(graph_module, inputs, _PROGRAMS)


def prepare(program: Any) -> Prepared:
    """An exported program, ready to be called as the model is, on torch's tensors.

    It gives what the model gives: tensors in the same tuples, lists and dicts. Buffers that the model writes are kept
    between calls, in `state`.
    """

    def compiled(module: Module) -> tuple[dynamo.Run, tuple[str, ...]]:
        session = Session(compile(module))
        return session.run, tuple(name for name, _ in session.inputs)

    return Prepared(program, compiled)


__all__ = ["any_length", "backend", "prepare"]
