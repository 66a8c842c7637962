"""One case of fuzzing: a graph that has grown, and which of its values are results; run, it is right or raises.

Where inputs grow, what comes out of a call is what the next one takes: each of these calls is compared with what the
nodes make of the same, and no array of a call before may change.

It is kept as two files: the model itself, which other tools read, and beside it what its values are.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx

import anytile
from anytile.compiler.module import Module
from anytile.compiler.passes.recurrence.grow_inputs import growing
from anytile.core.errors import ArgumentError, SpecError
from anytile.importers.onnx.model import import_model
from anytile.vm.values.device_array import DeviceArray
from anytile.vm.values.stream_device import StreamDevice
from tests.support.cases.compiled_modules import plan
from tests.support.cases.gpu_models import compiled_for_gpu
from tests.support.generators.graphs.growth import NEAR, Array, Grown, Value, again
from tests.support.stand_ins.queued_gpu import QueuedGpu

CPU, CUDA = "cpu", "cuda"
ROUNDED = 2e-5  # of a value's largest element, for what it is summed up of
GOES_ON = (0, 1, 2, 1, 3, 4, 0)  # of calls one after the other, whose caches each takes; 0 is what was given first
MOVED, LARGELY = 40, 6  # times what roundings on the way to it move, of float32 and of fewer bits


class WrongError(Exception):
    """What comes out is not what does node by node."""


@dataclass(frozen=True)
class Case:
    """A model, compiled for the CPU or a GPU, which is simulated."""

    grown: Grown
    results: tuple[str, ...]
    device: str = CPU
    precision: str = "float32"
    grows: bool = False  # it is compiled so that inputs which come out longer are appended to

    @property
    def sizes(self) -> range:
        """The numbers of those it is run at."""
        return range(len(next(iter(self.grown.values.values())).at))

    @property
    def kinds(self) -> set[str]:
        return {node.op_type for node in self.grown.nodes}

    @property
    def words(self) -> str:
        return " ".join(node.op_type for node in self.grown.nodes)

    def model(self) -> onnx.ModelProto:
        return self.grown.model(self.results)

    def run(self, told: Callable[[str, str], None]) -> None:
        """Compile it and call it at every size, twice; where inputs grow, go on from there."""
        told("begun", "compiling")
        call = self._compiled()
        for i in (*self.sizes, *self.sizes):
            given = {name: self.grown.values[name] for name in self.grown.inputs}
            told("begun", f"at {', '.join(_shape(v.at[i]) for v in given.values())}")
            for name, array in call(call.lying({name: v.at[i] for name, v in given.items()})).items():
                compare(self.grown.values[name], i, call.seen(name, array))
        if self.grows:
            for i in self.sizes:
                self._go_on(call, i, told)

    def _go_on(self, call: _Compiled, i: int, told: Callable[[str, str], None]) -> None:
        """Calls one after the other from one size, each with the caches of one before: the newest, and older ones."""
        caches = self.grown.caches()
        first = {name: self.grown.values[name] for name in self.grown.inputs}
        first = {name: replace(v, at=v.at[i : i + 1], near=v.near[i : i + 1]) for name, v in first.items()}
        made: list[tuple[Mapping[str, Value], Mapping[str, Any]]] = [
            (first, call.lying({name: v.at[0] for name, v in first.items()}))
        ]
        kept = list[tuple[str, Any, Array]]()
        for step, parent in enumerate(GOES_ON):
            values, arrays = made[parent]
            news = {name: _turned(v, step) for name, v in first.items() if name not in caches}
            values, arrays = {**values, **news}, {**arrays, **call.lying({name: v.at[0] for name, v in news.items()})}
            expected = again(self.grown, values)
            if expected is None:
                break
            told("begun", f"at {', '.join(_shape(v.at[0]) for v in values.values())}, call {step} from size {i} on")
            found = call(arrays)
            for name, array in found.items():
                compare(expected[name], 0, call.seen(name, array))
                kept.append((name, array, call.seen(name, array).copy()))
            longer = {past: replace(expected[now], name=past) for past, now in caches.items() if now in found}
            made.append(({**values, **longer}, {**arrays, **{past: found[caches[past]] for past in longer}}))
        for name, array, was in kept:
            if not np.array_equal(call.seen(name, array), was, equal_nan=was.dtype.kind == "f"):
                raise WrongError(f"{name} of a call before has changed")

    def _compiled(self) -> _Compiled:
        turned = growing(import_model(self.model())) if self.grows else None
        if self.device == CPU:
            module = Module.of(turned.module) if turned else self.model()
            session = anytile.Session(anytile.compile(module, precision=self.precision))
        else:
            there = Module.of(turned.module) if turned else import_model(self.model())
            exe = compiled_for_gpu(there, self.precision, plan_there=plan)
            where = "cuda" if turned else "host"  # on the host results are copies
            session = anytile.Session(exe, devices={"cuda": StreamDevice(QueuedGpu())}, results=where)
        inputs, results = (turned.inputs, turned.results) if turned else ({}, {})
        return _Compiled(
            session,
            self.results,
            {name: inputs[at] for at, name in enumerate(self.grown.inputs) if at in inputs},
            {name: results[at] for at, name in enumerate(self.results) if at in results},
        )

    def save(self, path: Path) -> None:
        onnx.save(self.model(), path)
        arrays, told = dict[str, Array](), dict[str, tuple[float, bool]]()
        for v in self.grown.values.values():
            told[v.name] = v.loss, v.is_const
            arrays |= {f"{v.name} at {i}": a for i, a in enumerate(v.at)}
            arrays |= {f"{v.name} near {i}": a for i, a in enumerate(v.near)}
        words = {
            "inputs": {name: list(dims) for name, dims in self.grown.inputs.items()},
            "nodes": [n.SerializeToString().hex() for n in self.grown.nodes],
            "values": told,
            "ways": len(self.sizes),
            "results": self.results,
            "device": self.device,
            "precision": self.precision,
            "grows": self.grows,
        }
        np.savez_compressed(_beside(path), allow_pickle=False, **arrays, words=np.array(json.dumps(words)))

    @classmethod
    def load(cls, path: Path) -> Case:
        try:
            with np.load(_beside(path), allow_pickle=False) as held:
                words = json.loads(str(held["words"]))
                values = {name: _value(held, words["ways"], name, *told) for name, told in words["values"].items()}
            inputs = {name: tuple(dims) for name, dims in words["inputs"].items()}
            nodes = tuple(onnx.NodeProto.FromString(bytes.fromhex(n)) for n in words["nodes"])
            grown = Grown(inputs, nodes, values)
            return cls(grown, tuple(words["results"]), words["device"], words["precision"], words["grows"])
        except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
            raise SpecError(f"{path}: no case of fuzzing: {error}; pass a file that a run has kept") from None


@dataclass(frozen=True)
class _Compiled:
    """What is called by name: `inputs` and `results` are those that lie in another order of their dimensions."""

    session: anytile.Session
    named: tuple[str, ...]
    inputs: Mapping[str, tuple[int, ...]]
    results: Mapping[str, tuple[int, ...]]

    def __call__(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Results as they lie, of inputs as they lie."""
        try:
            found = self.session(*given.values())
        except ArgumentError as error:  # of a model that was compiled, and of inputs that its nodes take
            raise WrongError(f"refused: {error}") from None
        return dict(zip(self.named, found if isinstance(found, tuple) else (found,), strict=True))

    def lying(self, given: Mapping[str, Array]) -> dict[str, Array]:
        """Inputs that are the model's."""
        return {
            name: np.ascontiguousarray(a.transpose(self.inputs[name])) if name in self.inputs else a
            for name, a in given.items()
        }

    def seen(self, name: str, array: Any) -> Array:
        """A result on the host, as the model has it."""
        here = array.numpy() if isinstance(array, DeviceArray) else np.asarray(array)
        perm = self.results.get(name)
        return here.transpose([perm.index(i) for i in range(len(perm))]) if perm else here


def _turned(value: Value, steps: int) -> Value:
    """An input with the same elements, each so many places further on."""
    at, near = (tuple(np.roll(a.reshape(-1), steps).reshape(a.shape) for a in side) for side in (value.at, value.near))
    return replace(value, at=at, near=near)


def _beside(path: Path) -> Path:
    return path.with_suffix(".npz")


def _value(held: np.lib.npyio.NpzFile, ways: int, name: str, loss: float, is_const: bool) -> Value:
    at, near = (tuple(held[f"{name} {side} {i}"] for i in range(ways)) for side in ("at", "near"))
    return Value(name, at, near, loss, is_const)


def _shape(array: Array) -> str:
    return "x".join(map(str, array.shape)) or "1"


def compare(value: Value, i: int, found: Array) -> None:
    """Raise where an array is not the value at these sizes, but for what roundings may make of it."""
    wanted, near = value.at[i], value.near[i]
    if (found.shape, found.dtype) != (wanted.shape, wanted.dtype):
        raise WrongError(f"{value.name} is {found.dtype} of {found.shape}, expected {wanted.dtype} of {wanted.shape}")
    if wanted.dtype.kind != "f":
        off = found != wanted
    else:
        wide = wanted.astype(np.float64)
        times = MOVED if value.loss <= NEAR else LARGELY
        bound = max(ROUNDED, 8 * value.loss) * np.abs(wide).max() + times * np.abs(wide - near).max() + 1e-6
        off = ~(np.abs(found.astype(np.float64) - wide) <= bound)
    if off.any():
        where: Sequence[int] = np.argwhere(off)[0].tolist()
        at = tuple(where)
        raise WrongError(
            f"{value.name} is {found[at]} at {at}, expected {wanted[at]}; {off.sum()} of {off.size} are so"
        )


__all__ = ["CPU", "CUDA", "Case", "WrongError", "compare"]
