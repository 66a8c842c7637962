"""ONNX's backend interface: what runs a model, as ONNX's own tests call it.

A model is compiled when it is first run. An input whose value decides about axes or sizes is a constant of that
program, which is made again when the value is another; all other inputs are data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from anytile.compiler.module import Module
from anytile.core.errors import ArgumentError
from anytile.importers.core.symbolic import Array
from anytile.importers.onnx.model import Unsupported, import_model

Run = Callable[..., Any]
Compile = Callable[[Module], tuple[Run, Sequence[str]]]  # how a module is run, and the names of its inputs


class Prepared:
    """A model that runs on inputs in their order."""

    def __init__(self, model: Any, compile: Compile) -> None:
        self.model, self.compile = model, compile
        initial = {t.name for t in model.graph.initializer}
        self.names = [info.name for info in model.graph.input if info.name not in initial]
        self._fixed: dict[str, Array] = {}
        self._program: tuple[Run, Sequence[str]] | None = None

    def run(self, inputs: Sequence[Any] | Mapping[str, Any]) -> tuple[Any, ...]:
        if not isinstance(inputs, Mapping):
            if len(inputs) != len(self.names):
                raise ArgumentError(f"{len(inputs)} inputs; expected {len(self.names)}: {', '.join(self.names)}")
            inputs = dict(zip(self.names, inputs, strict=True))
        if self._program is None or any(not _same(inputs[n], v) for n, v in self._fixed.items()):
            self._program = self._compiled(inputs)
        run, _ = self._program
        made = run(*(inputs[n] for n in self.names if n not in self._fixed))
        return made if isinstance(made, tuple) else (made,)

    def _compiled(self, inputs: Mapping[str, Any]) -> tuple[Run, Sequence[str]]:
        self._fixed = {}
        while True:
            try:
                module = import_model(self.model, values=self._fixed)
            except Unsupported as error:
                more = [
                    n
                    for n in error.asked
                    if n not in self._fixed and isinstance(inputs.get(n), np.ndarray | np.generic)
                ]
                if not more:
                    raise
                self._fixed |= {n: np.array(inputs[n]) for n in more}
                continue
            return self.compile(module)


def _same(a: Any, b: Array) -> bool:
    return np.asarray(a).shape == b.shape and bool(np.array_equal(a, b))
