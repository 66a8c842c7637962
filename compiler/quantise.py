"""Quantisation driver: a module and what is asked of it -> a module with narrow layers, and a report of each.

Errors are those on what comes to a layer while the evaluator runs the model on somebody's inputs, or on random
ones; the model itself is never trusted to the figures of another. The same runs count what comes in histograms, of
which ranges are chosen where they are to be known ahead of time.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from anytile.compiler.evaluate import Data, Value, Watch, evaluate
from anytile.compiler.ir import nodes as ir
from anytile.compiler.ir.nodes import Array, Var
from anytile.compiler.ir.traverse import every_block, steps
from anytile.compiler.module import Module
from anytile.compiler.passes.narrow.histograms import Histogram, chooser
from anytile.compiler.passes.narrow.narrow_layers import Layer, Narrowing, Observed, narrow_layers
from anytile.compiler.passes.narrow.narrow_products import product_of, relative
from anytile.compiler.passes.narrow.rounded_weights import INT8, NARROW, require_precision
from anytile.compiler.passes.narrow.settle_pairs import pairs_on
from anytile.compiler.pipeline import NARROW_LAYERS, optimise
from anytile.core.errors import ArgumentError, SpecError, UnsupportedError
from anytile.schedules.hardware.narrow import narrow_facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.nest.stored_floats import is_float
from anytile.schedules.operators.products.attention import ATTENTION
from anytile.schedules.operators.products.quantised_dense import IN_16_BITS, IN_32_BITS
from anytile.vm.program.executable import CUDA

_MOST = 1024  # rows that are kept of a variable, or pixels and at least one image: the first
_QUERIES = 1 << 20  # elements, with which no more runs of an attention are kept
_COMPARED = 8  # runs whose results are compared: the first


_SUMS = {  # by what two products add up in
    IN_16_BITS: "weights such that 16 bits hold two products",
    IN_32_BITS: "weights in all of 8 bits",
}
_Named = tuple[Mapping[str, Value], str]  # the inputs of a run, and what it is called


@dataclass(frozen=True, slots=True)
class Quantised:
    """A module with narrow layers, to be compiled or saved; `layers` says what became of each layer, `error` how far
    its results are off, relative and in L2, on the first runs that were given; NaN without any. `made_for` says what of
    it is by the target, empty where nothing is: it runs on others all the same."""

    module: Module
    layers: tuple[Layer, ...]
    error: float = math.nan
    made_for: str = ""

    def __str__(self) -> str:
        return "\n".join([*map(str, self.layers), *filter(None, (self.made_for,))])


def narrowing(dtype: str, only: Sequence[str], error: float | None, ranges: str | None, target: Target) -> Narrowing:
    """What is asked for, with every layer's error, of a model that is to run on the target."""
    require_precision(dtype, NARROW)
    if error is not None and not error >= 0:
        raise SpecError(f"quantise: error={error}: expected the largest relative error of a layer, 0 or more")
    choose = None if ranges is None else chooser(ranges)
    if ranges is not None and dtype != INT8:
        raise SpecError(f"quantise: ranges {ranges!r} with {dtype}; expected int8, whose layers alone have ranges")
    given = Narrowing(dtype, tuple(only), error, is_measured=True, choose=choose)
    if dtype != INT8:
        return given
    if target.kind == CUDA:
        raise UnsupportedError(f"quantise: {dtype} is for CPUs so far; expected the target of one, got {target}")
    offered, pairs = narrow_facts(target), pairs_on(target)
    attends = offered.bytes > 0 and not offered.signed_bytes
    said = [f"made for {target.get('mcpu', str(target))}: {_SUMS[pairs]}"]
    if ranges is not None and not attends:
        said.append("attention in float32")
    return replace(given, attends=attends, pairs=pairs, made_for=", ".join(said))


def quantise_module(
    module: ir.Module,
    spec: Narrowing,
    inputs: Sequence[Mapping[str, Value]] | None = None,
    names: Sequence[str] | None = None,
) -> Quantised:
    """The module with narrow layers, after the passes up to theirs; `names` are what runs are called in errors."""
    if spec.choose is not None and inputs is None:
        raise SpecError(
            "quantise: ranges are chosen of what comes to layers; expected inputs that the model runs on (the command "
            "line's --data)"
        )
    runs = [
        (given, f"inputs {number}" if names is None else names[number]) for number, given in enumerate(inputs or ())
    ]
    for given, name in runs:
        _require_finite(given, name)
    layers: list[Layer] = []
    wanted: list[Array] = []

    def narrow(module: ir.Module) -> ir.Module:
        seen = None
        if inputs is not None:
            seen, results = observed(module, runs, spec.dtype, spec.choose is not None)
            wanted.extend(results)
        return narrow_layers(module, spec, seen, layers.append)

    made = optimise(module, narrow=narrow, upto=NARROW_LAYERS, attends=spec.choose is not None)
    made_for = spec.made_for if any(layer.dtype == INT8 for layer in layers) else ""
    return Quantised(Module.of(made), tuple(layers), _error(made, runs[:_COMPARED], wanted), made_for)


def observed(
    module: ir.Module, runs: Sequence[_Named], dtype: str = INT8, is_ahead: bool = True
) -> tuple[dict[Var, Observed], list[Array]]:
    """What came through each variable that a layer reads that may be narrow in the dtype, where any did, and the floats
    of the first runs' results. With ranges ahead of time attention is a layer, too."""
    values = [
        step
        for function in module.functions.values()
        if not function.is_primitive
        for block in every_block(function.body)
        for step in steps(block)
    ]
    read: dict[ir.Expr, bool] = {}  # each with whether it is images to some layer
    for _, value in values:
        product = product_of(value, dtype)
        if product is not None:
            x = product.call.args[0]
            read[x] = read.get(x, False) or product.each == "image"
    attended = {var: value.args for var, value in values if is_ahead and ir.is_operator_call(value, ATTENTION.name)}
    given = {a for args in attended.values() for a in args}
    read |= {a: read.get(a, False) for args in attended.values() for a in args[:3]}
    at_hand: dict[ir.Expr, Array] = {}
    attending: dict[Var, list[list[Array]]] = {}
    found: dict[Var, list[Array]] = {}
    histograms: dict[Var, Histogram] = {}
    results: list[Array] = []

    def watch(name: str, var: Var, value: Value) -> None:
        if var in read:
            assert isinstance(value, np.ndarray)
            _keep(found.setdefault(var, []), value if read[var] else value.reshape(-1, value.shape[-1]))
            histograms.setdefault(var, Histogram()).add(value)
        if var in given:
            assert isinstance(value, np.ndarray)
            at_hand[var] = value
        kept = attending.setdefault(var, []) if var in attended else None
        if kept is not None and len(kept) < _COMPARED and sum(args[0].size for args in kept) < _QUERIES:
            kept.append([a.array if isinstance(a, ir.Constant) else at_hand[a] for a in attended[var]])

    for number, named in enumerate(runs):
        made = _run(module, named, watch)
        results += _floats(made) if number < _COMPARED else ()
    came = {var: np.concatenate(kept) for var, kept in found.items() if any(map(len, kept))}
    seen = {var: Observed(np.zeros(0), Histogram(), tuple(kept)) for var, kept in attending.items()}
    return seen | {var: Observed(kept, histograms[var]) for var, kept in came.items()}, results


def _keep(kept: list[Array], value: Array) -> None:
    """Some more of a variable, along its first dimension; images of another size than the first ones' are not kept."""
    rows = math.prod(value.shape[1:-1])
    room = -(-_MOST // max(rows, 1)) - sum(map(len, kept))
    if room > 0 and (not kept or kept[0].shape[1:] == value.shape[1:]):
        kept.append(value[:room])


def _run(module: ir.Module, named: _Named, watch: Watch | None = None) -> Value:
    given, name = named
    try:
        with np.errstate(all="ignore"):
            return evaluate(module, given, watch=watch)
    except ArgumentError as error:
        raise ArgumentError(f"quantise: {name}: {error}") from None


def _error(made: ir.Module, runs: Sequence[_Named], wanted: Sequence[Array]) -> float:
    """How far the results of some runs are off, taken together."""
    got = [array for named in runs for array in _floats(_run(made, named))]
    if not sum(a.size for a in got) or [a.shape for a in got] != [
        a.shape for a in wanted
    ]:  # sizes that follow from data may be others
        return math.nan
    return relative(*(np.concatenate([a.reshape(-1).astype(np.float64) for a in arrays]) for arrays in (got, wanted)))


def _floats(value: Value) -> list[Array]:
    """The arrays of floats in a value."""
    if isinstance(value, np.ndarray):
        return [value] if is_float(value.dtype) else []
    inside = value if isinstance(value, tuple) else value.fields if isinstance(value, Data) else ()
    return [array for part in inside for array in _floats(part)]


def _require_finite(given: Mapping[str, Value], run: str) -> None:
    """Ranges of what is no number say nothing."""
    for name, value in given.items():
        if isinstance(value, np.ndarray) and is_float(value.dtype) and not np.isfinite(value).all():
            raise ArgumentError(f"quantise: {run}: {name} has NaN or infinity in it; expected finite numbers")
