"""Exported programs become modules: `main` takes what the model takes, flat, and gives what it gives.

Parameters are constants that share torch's memory. A buffer that the model writes is one more input, and its new value
one more result. Tuples, lists and dicts among the results are tuples; what is None is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

from anytile.compiler.module import Module
from anytile.core.errors import SpecError, UnsupportedError
from anytile.importers.core.graph import Value, identifier
from anytile.importers.core.symbolic import Array
from anytile.importers.torch.graph.any_length import any_length, has_layers
from anytile.importers.torch.graph.as_exported import lone_writes
from anytile.importers.torch.graph.tensor_arrays import constant_of
from anytile.importers.torch.graph.torch_package import torch
from anytile.importers.torch.walk import Walk
from anytile.schedules.index.expr import Expr

# What torch would take apart, and the model language has, or says in fewer operators.
KEPT = (
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "avg_pool1d",
    "avg_pool2d",
    "batch_norm",
    "celu",
    "clamp",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "elu",
    "gelu",
    "glu",
    "group_norm",
    "gru",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "instance_norm",
    "layer_norm",
    "leaky_relu",
    "linear",
    "log_softmax",
    "lstm",
    "masked_fill",
    "matmul",
    "max_pool1d",
    "max_pool2d",
    "mish",
    "pad",
    "pixel_shuffle",
    "prelu",
    "relu6",
    "rms_norm",
    "rnn_relu",
    "rnn_tanh",
    "rsub",
    "scaled_dot_product_attention",
    "selu",
    "silu",
    "softmax",
    "softplus",
    "sort",
    "split",
    "stack",
    "tril",
    "triu",
    "unbind",
    "upsample_bicubic2d",
    "upsample_bilinear2d",
    "upsample_linear1d",
    "upsample_nearest1d",
    "upsample_nearest2d",
)


@dataclass(frozen=True, slots=True)
class State:
    """A buffer that the program writes: its name, the input that it is, and how it is when the program begins."""

    name: str
    input: str
    tensor: Any


@dataclass(frozen=True, slots=True)
class Imported:
    """A module and how torch's arguments and results lie in it.

    `inputs` are the module's, each as the place of torch's argument among all of them, flat; those of `states` follow.
    `fixed` are the arguments that are no tensors, by place: the program has their values in it.
    `results` are torch's, flat: a `Kind` where the next of the module's flat results is it, else what it is always.
    """

    module: Module
    inputs: tuple[int, ...]
    fixed: tuple[tuple[int, Any], ...]
    states: tuple[State, ...]
    results: tuple[Any, ...]
    structure: Any


@dataclass(frozen=True, slots=True)
class Kind:
    """A result that the module makes: a tensor, as which `dtype` of torch, or a number that torch gives as one."""

    dtype: Any = None
    is_number: bool = False


def import_program(program: Any) -> Imported:
    """The module of an ExportedProgram."""
    package = torch()
    if not isinstance(program, package.export.ExportedProgram):
        raise SpecError(f"expected a torch.export.ExportedProgram, got {type(program).__name__}")
    alone = lone_writes(program, KEPT)
    if alone is not None:
        reading = _Reading(program, alone)
        if not reading.walk.refused:
            return reading.imported()
    with any_length() if has_layers(program.graph_module) else nullcontext():
        apart = program.run_decompositions(_taken_apart())
    reading = _Reading(apart, {})
    reading.walk.require_supported()
    return reading.imported()


def _taken_apart() -> Any:
    """Torch's table of what it takes apart into ATen's own operators."""
    package = torch()
    table = package.export.default_decompositions()
    for name in KEPT:
        packet = getattr(package.ops.aten, name)
        for overload in packet.overloads():
            table.pop(getattr(packet, overload), None)
    return table


class _Reading:
    """A program whose graph was walked: what its placeholders are, and what its output reads."""

    def __init__(self, program: Any, lone: Mapping[Any, Sequence[Any]]) -> None:
        self.program = program
        kinds, tensor = torch().export.graph_signature, torch().Tensor
        signature = program.graph_signature
        fixed: dict[str, Array] = {}
        called: dict[str, str] = {}
        names: dict[str, str] = {}
        changed = set(signature.buffers_to_mutate.values())
        self.states: dict[str, tuple[str, Any]] = {}
        self.places: list[str] = []
        self.constants: list[tuple[int, Any]] = []
        for spec in signature.input_specs:
            name = spec.arg.name
            if spec.kind == kinds.InputKind.USER_INPUT:
                if isinstance(spec.arg, kinds.ConstantArgument):
                    self.constants.append((len(self.places), spec.arg.value))
                self.places.append(name)
            elif spec.target in changed:
                names[name] = identifier(str(spec.target), "buffer")
                state = program.state_dict.get(spec.target, program.constants.get(spec.target))
                self.states[name] = (str(spec.target), state)
            else:
                held = program.state_dict if spec.target in program.state_dict else program.constants
                if isinstance(held.get(spec.target), tensor):
                    fixed[name], called[name] = constant_of(held[spec.target]), str(spec.target)
        self.walk = Walk(program.graph_module, fixed, _names_of_dims(program), called, names, lone_writes=lone)
        self.made = self.walk.results()

    def imported(self) -> Imported:
        kinds, walk, program = torch().export.graph_signature, self.walk, self.program
        results: list[Any] = []
        kinds_of: list[Any] = []
        nodes = next(n for n in program.graph_module.graph.nodes if n.op == "output").args[0]
        written: dict[str, Value] = {}
        for spec, node, inside in zip(program.graph_signature.output_specs, nodes, self.made, strict=True):
            held = walk.outside(inside, getattr(node, "meta", {}).get("val"))
            if spec.kind == kinds.OutputKind.BUFFER_MUTATION:
                written[str(spec.target)] = held
            elif spec.kind == kinds.OutputKind.USER_INPUT_MUTATION:
                what = f"the program writes to its argument {spec.target}"
                raise UnsupportedError(f"{what}; make that a buffer of the model, or give the new value back")
            elif spec.kind != kinds.OutputKind.USER_OUTPUT:
                raise SpecError(f"a program with results of the kind {spec.kind.name}; export it for inference")
            else:
                results.append(walk.size(held) if isinstance(held, Expr) else held)
                kinds_of.append(_kind(node.meta["val"]) if isinstance(results[-1], Value) else held)
        given = {g.placeholder: g.name for g in walk.given}
        kept = [State(name, given[p], tensor) for p, (name, tensor) in self.states.items()]
        after = [written[s.name] for s in kept]
        nested = _nested(program.call_spec.out_spec, iter(results))
        module = walk.module((nested, *after) if after else nested)
        inputs = tuple(self.places.index(g.placeholder) for g in walk.given if g.placeholder in self.places)
        return Imported(module, inputs, tuple(self.constants), tuple(kept), tuple(kinds_of), program.call_spec)


def _kind(val: Any) -> Kind:
    return Kind(val.dtype) if isinstance(val, torch().Tensor) else Kind(is_number=True)


def _nested(spec: Any, results: Any) -> Any:
    """Results in tuples, as the pytree says."""
    if spec.is_leaf():
        return next(results)
    parts = [_nested(child, results) for child in spec.children()]
    return tuple(p for p in parts if isinstance(p, Value | tuple) and p != ())


def _names_of_dims(program: Any) -> Mapping[str, str]:
    """What the user calls symbols."""
    for node in program.graph_module.graph.nodes:
        val = node.meta.get("val")
        if node.op == "placeholder" and hasattr(val, "fake_mode") and val.fake_mode.shape_env is not None:
            env = val.fake_mode.shape_env
            return names_of_sources(env)
    return {}


def names_of_sources(env: Any) -> dict[str, str]:
    called = getattr(env, "source_name_to_debug_name", {})
    found: dict[str, str] = {}
    for symbol, sources in getattr(env, "var_to_sources", {}).items():
        for source in sources:
            name = source.name() if callable(source.name) else source.name
            if name in called:
                found.setdefault(str(symbol), str(called[name]))
    return found


def flat_results(made: Any) -> list[Any]:
    """The arrays of nested tuples, in order."""
    if not isinstance(made, tuple):
        return [made]
    return [array for part in made for array in flat_results(part)]
