"""Quantisation driver: a module and what is asked of it -> a module with narrow layers, and a report of each.

Errors are those on the rows that come to a layer while the evaluator runs the model on somebody's inputs, or on random
ones; the model itself is never trusted to the figures of another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from anytile.compiler.evaluate import Value, evaluate
from anytile.compiler.ir import nodes as ir
from anytile.compiler.ir.nodes import Array, Call, Var
from anytile.compiler.ir.traverse import every_block, steps
from anytile.compiler.module import Module
from anytile.compiler.passes.narrow.narrow_layers import Layer, Narrowing, is_layer, narrow_layers
from anytile.compiler.passes.narrow.rounded_weights import NARROW, require_precision
from anytile.compiler.pipeline import NARROW_LAYERS, optimise
from anytile.core.errors import ArgumentError, SpecError

_MOST = 1024  # rows that are kept of a variable: the first


@dataclass(frozen=True, slots=True)
class Quantised:
    """A module with narrow layers, to be compiled or saved; `layers` says what became of each dense layer."""

    module: Module
    layers: tuple[Layer, ...]

    def __str__(self) -> str:
        return "\n".join(map(str, self.layers))


def quantise_module(
    module: ir.Module, spec: Narrowing, inputs: Sequence[Mapping[str, Value]] | None = None
) -> Quantised:
    """The module with narrow layers, after the passes up to theirs."""
    require_precision(spec.dtype, NARROW)
    if spec.error is not None and not spec.error >= 0:
        raise SpecError(f"quantise: error={spec.error}: expected the largest relative error of a layer, 0 or more")
    for number, given in enumerate(inputs or ()):
        _require_finite(given, number)
    layers: list[Layer] = []

    def narrow(module: ir.Module) -> ir.Module:
        return narrow_layers(module, spec, None if inputs is None else observed_rows(module, inputs), layers.append)

    made = optimise(module, narrow=narrow, upto=NARROW_LAYERS)
    return Quantised(Module.of(made), tuple(layers))


def observed_rows(module: ir.Module, inputs: Sequence[Mapping[str, Value]]) -> dict[Var, Array]:
    """Of each variable that a layer reads the first of its rows; of one that no run came to, nothing."""
    read = {
        value.args[0]
        for function in module.functions.values()
        if not function.is_primitive
        for block in every_block(function.body)
        for _, value in steps(block)
        if isinstance(value, Call) and is_layer(value)
    }
    found: dict[Var, list[Array]] = {}

    def watch(name: str, var: Var, value: Value) -> None:
        if var in read:
            assert isinstance(value, np.ndarray)
            kept = found.setdefault(var, [])
            room = _MOST - sum(map(len, kept))
            if room > 0:
                kept.append(value.reshape(-1, value.shape[-1])[:room])

    with np.errstate(all="ignore"):
        for given in inputs:
            evaluate(module, given, watch=watch)
    return {var: np.concatenate(rows) for var, rows in found.items() if any(map(len, rows))}


def _require_finite(given: Mapping[str, Value], number: int) -> None:
    """Ranges of what is no number say nothing."""
    for name, value in given.items():
        if isinstance(value, np.ndarray) and value.dtype.kind == "f" and not np.isfinite(value).all():
            raise ArgumentError(f"quantise: inputs {number}: {name} has NaN or infinity in it; expected finite numbers")
