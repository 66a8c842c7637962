"""An exported program as a function of torch's tensors: called as the model is, and it gives what the model gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from anytile.compiler.module import Module
from anytile.core.errors import ArgumentError
from anytile.core.plurals import counted
from anytile.importers.core.symbolic import Array
from anytile.importers.torch.exported import Kind, flat_results, import_program
from anytile.importers.torch.graph.tensor_arrays import array_of
from anytile.importers.torch.graph.torch_package import torch

Run = Callable[[Mapping[str, Any]], Any]


class Prepared:
    """A program that runs. `state` has the buffers that it writes, by name; it begins with copies of the program's."""

    def __init__(self, program: Any, compile: Callable[[Module], tuple[Run, tuple[str, ...]]]) -> None:
        self._imported = made = import_program(program)
        self._run, self._names = compile(made.module)
        self.state: dict[str, Any] = {s.name: s.tensor.detach().clone() for s in made.states}
        self._tree = torch().utils._pytree

    def __call__(self, *args: Any, **named: Any) -> Any:
        made = self._imported
        flat, spec = self._tree.tree_flatten((args, named))
        wanted = made.structure.in_spec
        if spec != wanted:
            raise ArgumentError(f"arguments of the form {spec}; the program was exported for {wanted}")
        tensors = [flat[place] for place in made.inputs]
        wrong = next((t for t in tensors if not isinstance(t, torch().Tensor)), None)
        if wrong is not None:
            raise ArgumentError(f"an argument is {type(wrong).__name__}; expected {counted(len(tensors), 'tensor')}")
        given = [array_of(t) for t in (*tensors, *self.state.values())]
        found = self._run(dict(zip(self._names, given, strict=True)))
        results = flat_results(found)
        count = len(results) - len(made.states)
        for state, array in zip(made.states, results[count:], strict=True):
            self.state[state.name] = torch().from_numpy(array)
        return self._tree.tree_unflatten(self._flat(results[:count]), made.structure.out_spec)

    def _flat(self, arrays: list[Array]) -> list[Any]:
        made, results = self._imported, iter(arrays)
        return [_given_back(next(results), kind) if isinstance(kind, Kind) else kind for kind in made.results]


def _given_back(array: Array, kind: Kind) -> Any:
    return array.item() if kind.is_number else torch().from_numpy(array)
