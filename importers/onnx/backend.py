"""ONNX's backend interface: what runs a model, as ONNX's own tests call it.

A model is compiled when it is first run. An input whose value decides about axes or sizes is a constant of that
program, which is made again when the value is another; all other inputs are data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anytile.compiler.module import Module
from anytile.core.errors import ArgumentError
from anytile.importers.core.symbolic import Array
from anytile.importers.onnx.model import TENSOR, Form, Unsupported, import_for

Run = Callable[..., Any]
Compile = Callable[[Module], tuple[Run, Sequence[str]]]  # how a module is run, and the names of its inputs


@dataclass(frozen=True, slots=True)
class _Program:
    """A model compiled for inputs of some forms, and for some values of inputs that are constants of it."""

    run: Run
    forms: Mapping[str, Form]
    fixed: Mapping[str, Array]
    results: Sequence[Form]

    def fits(self, inputs: Mapping[str, Any], forms: Mapping[str, Form]) -> bool:
        return forms == self.forms and all(_same(inputs[n], v) for n, v in self.fixed.items())


class Prepared:
    """A model that runs on inputs in their order. A list is a sequence of tensors, None an optional that is empty."""

    def __init__(self, model: Any, compile: Compile) -> None:
        self.model, self.compile = model, compile
        initial = {t.name for t in model.graph.initializer}
        asked = [info for info in model.graph.input if info.name not in initial]
        self.names = [info.name for info in asked]
        self._formed = [info.name for info in asked if info.type.WhichOneof("value") != "tensor_type"]
        self._program: _Program | None = None

    def run(self, inputs: Sequence[Any] | Mapping[str, Any]) -> tuple[Any, ...]:
        if not isinstance(inputs, Mapping):
            if len(inputs) != len(self.names):
                raise ArgumentError(f"{len(inputs)} inputs; expected {len(self.names)}: {', '.join(self.names)}")
            inputs = dict(zip(self.names, inputs, strict=True))
        forms = {n: _form(inputs[n]) for n in self._formed}
        if self._program is None or not self._program.fits(inputs, forms):
            self._program = self._compiled(inputs, forms)
        program = self._program
        made = program.run(*(part for n in self.names if n not in program.fixed for part in _parts(inputs[n])))
        parts = list(made) if isinstance(made, tuple) else [made]
        return tuple(_joined(form, parts) for form in program.results)

    def _compiled(self, inputs: Mapping[str, Any], forms: Mapping[str, Form]) -> _Program:
        fixed: dict[str, Array] = {}
        while True:
            try:
                module, results = import_for(self.model, fixed, forms)
            except Unsupported as error:
                more = [n for n in error.asked if n not in fixed and isinstance(inputs.get(n), np.ndarray | np.generic)]
                if not more:
                    raise
                fixed |= {n: np.array(inputs[n]) for n in more}
                continue
            return _Program(self.compile(module)[0], forms, fixed, results)


def _form(value: Any) -> Form:
    if isinstance(value, list | tuple):
        return tuple(np.ndim(v) for v in value)
    return None if value is None else TENSOR


def _parts(value: Any) -> Sequence[Any]:
    return () if value is None else value if isinstance(value, list | tuple) else (value,)


def _joined(form: Form, parts: list[Any]) -> Any:
    """What stands first in the parts, which it takes away."""
    if form is None:
        return None
    if not isinstance(form, tuple):
        return parts.pop(0)
    made, parts[: len(form)] = parts[: len(form)], []
    return made


def _same(a: Any, b: Array) -> bool:
    return np.asarray(a).shape == b.shape and bool(np.array_equal(a, b))
