"""One case of fuzzing: a graph that has grown, and which of its values are results; run, it is right or raises.

It is kept as two files: the model itself, which other tools read, and beside it what its values are.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx

import anytile
from anytile.core.errors import ArgumentError, SpecError
from anytile.importers.onnx.model import import_model
from anytile.vm.values.stream_device import StreamDevice
from tests.support.cases.compiled_modules import plan
from tests.support.cases.gpu_models import compiled_for_gpu
from tests.support.generators.graphs.growth import NEAR, Array, Grown, Value
from tests.support.stand_ins.queued_gpu import QueuedGpu

CPU, CUDA = "cpu", "cuda"
ROUNDED = 2e-5  # of a value's largest element, for what it is summed up of
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

    @property
    def sizes(self) -> range:
        """The numbers of those it is run at."""
        return range(len(next(iter(self.grown.values.values())).at))

    def model(self) -> onnx.ModelProto:
        return self.grown.model(self.results)

    def run(self, told: Callable[[str, str], None]) -> None:
        """Compile it and call it at every size, twice."""
        told("begun", "compiling")
        session = self._session()
        for i in (*self.sizes, *self.sizes):
            given = [self.grown.values[name].at[i] for name in self.grown.inputs]
            told("begun", f"at {', '.join(map(_shape, given))}")
            try:
                found = session(*given)
            except ArgumentError as error:  # of a model that was compiled, and of inputs that its nodes take
                raise WrongError(f"refused: {error}") from None
            for name, array in zip(self.results, found if isinstance(found, tuple) else (found,), strict=True):
                compare(self.grown.values[name], i, np.asarray(array))

    def _session(self) -> anytile.Session:
        if self.device == CPU:
            return anytile.Session(anytile.compile(self.model(), precision=self.precision))
        exe = compiled_for_gpu(import_model(self.model()), self.precision, plan_there=plan)
        return anytile.Session(exe, devices={"cuda": StreamDevice(QueuedGpu())})

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
            return cls(Grown(inputs, nodes, values), tuple(words["results"]), words["device"], words["precision"])
        except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
            raise SpecError(f"{path}: no case of fuzzing: {error}; pass a file that a run has kept") from None


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
