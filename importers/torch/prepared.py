"""An exported program as a function of torch's tensors: called as the model is, and it gives what the model gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from anytile.compiler.module import Module
from anytile.core.errors import ArgumentError
from anytile.core.plurals import counted
from anytile.importers.torch.exported import Kind, flat_results, import_program
from anytile.importers.torch.graph.in_place import apart, writing
from anytile.importers.torch.graph.tensor_arrays import given_of, tensor_of
from anytile.importers.torch.graph.torch_package import torch

Run = Callable[[Mapping[str, Any]], Any]
Turned = Mapping[int, tuple[int, ...]]  # in which order the dimensions of some tensors lie, by their place


@dataclass(frozen=True, slots=True)
class Compiled:
    """A module that runs, the names of its inputs, and which of these and of its flat results are turned in it."""

    run: Run
    names: tuple[str, ...]
    inputs: Turned = field(default_factory=dict)
    results: Turned = field(default_factory=dict)


class Prepared:
    """A program that runs. `state` has the buffers that it writes, by name; it begins with copies of the program's.

    Threads that call one that has state wait for each other: each call begins where another ended. What is turned in
    the program is a view outside, of which nothing is copied when it comes back.
    """

    def __init__(self, program: Any, compile: Callable[[Module], Compiled]) -> None:
        self._imported = made = import_program(program)
        held = {p.name for p in made.module.main.params[len(made.inputs) :]}
        self._compiled = compile(writing(made.module, held))
        self.state: dict[str, Any] = {s.name: s.tensor.detach().clone() for s in made.states}
        self._turn = Lock()
        self._tree = torch().utils._pytree

    def __call__(self, *args: Any, **named: Any) -> Any:
        made = self._imported
        flat, spec = self._tree.tree_flatten((args, named))
        wanted = made.structure.in_spec
        if spec != wanted:
            raise ArgumentError(f"arguments of the form {spec}; the program was exported for {wanted}")
        for place, value in made.fixed:
            if type(flat[place]) is not type(value) or flat[place] != value:
                raise ArgumentError(f"argument {place} is {flat[place]!r}; the program was exported for {value!r}")
        tensors = [flat[place] for place in made.inputs]
        wrong = next((t for t in tensors if not isinstance(t, torch().Tensor)), None)
        if wrong is not None:
            raise ArgumentError(f"an argument is {type(wrong).__name__}; expected {counted(len(tensors), 'tensor')}")
        if made.states:
            with self._turn:
                results = self._ran(tensors)
        else:
            results = self._ran(tensors)
        return self._tree.tree_unflatten(self._flat(results), made.structure.out_spec)

    def _ran(self, tensors: list[Any]) -> list[Any]:
        """The results, flat; the state is then what the program made of it."""
        made, program = self._imported, self._compiled
        wanted = [*tensors, *self.state.values()]
        for at, perm in program.inputs.items():
            if wanted[at].ndim == len(perm):  # else the program says what it expects
                wanted[at] = wanted[at].permute(perm)
        given = [given_of(t) for t in wanted]
        found = flat_results(program.run(dict(zip(program.names, given, strict=True))))
        results = [tensor_of(array) for array in found]
        for at, perm in program.results.items():
            results[at] = results[at].permute([*map(perm.index, range(len(perm)))])
        count = len(results) - len(made.states)
        mine = apart(results[:count], results[count:])
        for state, new in zip(made.states, results[count:], strict=True):
            if new.data_ptr() != self.state[state.name].data_ptr():  # else it was written there
                self.state[state.name] = new.to(state.tensor.dtype)
        return mine

    def _flat(self, tensors: list[Any]) -> list[Any]:
        made, results = self._imported, iter(tensors)
        return [_given_back(next(results), kind) if isinstance(kind, Kind) else kind for kind in made.results]


def _given_back(tensor: Any, kind: Kind) -> Any:
    return tensor.item() if kind.is_number else tensor.to(kind.dtype)
