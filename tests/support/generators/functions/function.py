"""A function of torch as text: inputs, statements in order, constants and layers, of which modules are made.

It is known at several sizes at once by the arrays of its inputs. A statement names what it makes, so that it can be
left out again: what is written in place is made once more.
"""

from __future__ import annotations

import functools
import re
import textwrap
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

Array = NDArray[Any]
Dim = str | int
NEAR = 1e-6  # of a float, by which inputs are moved
ROUNDS = {"bfloat16": 8e-3, "float16": 1e-3, "half": 1e-3}  # words of a statement, and what numbers lose there
NAMES: Mapping[str, Any] = {"torch": torch, "F": torch.nn.functional, "nn": torch.nn}


@functools.cache
def words(text: str) -> frozenset[str]:
    """The names in a text, and `self.c1` as one."""
    return frozenset(re.findall(r"(?:self\.)?[A-Za-z_]\w*", text))


@dataclass(frozen=True)
class Input:
    """One argument: an array at each size, which is `base` in the expression that lays it."""

    name: str
    dims: tuple[Dim | None, ...]  # of the array, where they are known
    arrays: tuple[Array, ...]
    laid: str = "base"
    by_name: bool = False

    def at(self, i: int) -> Any:
        return self._of(self.arrays[i])

    def near(self, i: int, by: float) -> Any:
        """The same, where each float is moved by so much of it."""
        return self._of(moved(self.arrays[i], by))

    def _of(self, array: Array) -> Any:
        return eval(self.laid, {"base": torch.from_numpy(array.copy()), "torch": torch})


def moved(array: Array, by: float) -> Array:
    if array.dtype.kind != "f":
        return array
    signs = np.random.default_rng(array.size).choice([-1, 1], array.shape)
    return np.asarray(array * (1 + by * signs), array.dtype)


@dataclass(frozen=True)
class Statement:
    """A text of torch, what it makes or writes, and the kind of step that it is of."""

    kind: str
    makes: tuple[str, ...]
    text: str

    @property
    def reads(self) -> frozenset[str]:
        return words(self.text)


@dataclass(frozen=True)
class Function:
    """Statements over inputs, `consts` (`self.c1`) and `layers` (`self.m2`), which are made by their texts."""

    inputs: tuple[Input, ...]
    statements: tuple[Statement, ...]
    consts: Mapping[str, Array]
    layers: Mapping[str, str]

    @property
    def ways(self) -> int:
        """The number of sizes."""
        return len(self.inputs[0].arrays)

    def ends(self) -> tuple[str, ...]:
        """What statements make and none behind them reads, and what they write of inputs."""
        found: dict[str, None] = {}
        for s in self.statements:
            for name in s.reads - set(s.makes):
                found.pop(name, None)
            found.update(dict.fromkeys(s.makes))
        return tuple(name for name in found if name not in {i.name for i in self.inputs})

    def loss(self) -> Mapping[str, float]:
        """Of all that is made the largest rounding on the way to it, relative to what is rounded."""
        found = {i.name: max([NEAR, *(by for word, by in ROUNDS.items() if word in _type(i))]) for i in self.inputs}
        for s in self.statements:
            own = [by for word, by in ROUNDS.items() if word in s.reads]
            loss = max([NEAR, *own, *(found[name] for name in s.reads if name in found)])
            found.update(dict.fromkeys(s.makes, loss))
        return found

    def text(self, returned: str) -> str:
        by_name = [i.name for i in self.inputs if i.by_name]
        plain = [i.name for i in self.inputs if not i.by_name]
        head = ", ".join(["self", *plain, *(["*", *by_name] if by_name else [])])
        body = "\n".join([*(s.text for s in self.statements), f"return {returned}"])
        return f"def forward({head}):\n{textwrap.indent(body, '    ')}\n"

    def module(self, returned: str) -> Any:
        """It as a module, whose forward returns an expression."""
        made: dict[str, Any] = dict(NAMES)
        exec(compile(self.text(returned), "<function>", "exec"), made)
        module = type("Grown", (torch.nn.Module,), {"forward": made["forward"]})()
        hold(module, self.consts, self.layers)
        return module.eval()

    def cut(self, results: Iterable[str], without: Sequence[str] = ()) -> Function:
        """What is needed for results, but no statement that makes one of some names."""
        wanted = {name for result in results for name in words(result)}
        kept: list[Statement] = []
        for s in reversed(self.statements):
            if wanted & set(s.makes) and not set(without) & set(s.makes):
                kept.insert(0, s)
                wanted |= s.reads
        inputs = tuple(i for i in self.inputs if i.name in wanted)
        consts = {name: a for name, a in self.consts.items() if f"self.{name}" in wanted}
        layers = {name: text for name, text in self.layers.items() if f"self.{name}" in wanted}
        return Function(inputs, tuple(kept), consts, layers)


def _type(given: Input) -> str:
    return f"{given.arrays[0].dtype} {given.laid}"


def hold(module: Any, consts: Mapping[str, Array], layers: Mapping[str, str]) -> None:
    """Give a module constants, of which floats are parameters, and layers, whose numbers their names decide."""
    for name, array in consts.items():
        tensor = torch.from_numpy(array.copy())
        if tensor.is_floating_point():
            tensor = torch.nn.Parameter(tensor, requires_grad=False)
            module.register_parameter(name, tensor)
        else:
            module.register_buffer(name, tensor)
    for name, text in layers.items():
        with torch.random.fork_rng(devices=()):
            torch.manual_seed(zlib.crc32(f"{name} {text}".encode()))
            layer = eval(text, dict(NAMES)).requires_grad_(False)
            module.add_module(name, layer.eval())
