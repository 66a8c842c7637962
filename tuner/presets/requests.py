"""A preset as a campaign's request takes it: workloads, counts, and what the usual request would not suit.

Images come by ones and few, so what a batch stands for during the search is one image; of 64 one call would take
seconds. A decoder with weights in 4 bits writes one token after the other: it is searched at one row behind hundreds of
others. Weights that the target's caches cannot hold together are streamed, as they will be when the model is compiled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from anytile.core.errors import SpecError
from anytile.schedules.hardware.narrow import narrow_facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.operators.movement.gather import GATHER
from anytile.schedules.operators.products.attention import ATTENTION
from anytile.schedules.operators.products.batch_matmul import BATCH_MATMUL
from anytile.schedules.operators.products.gated_dense import GATED_DENSE, gates_of
from anytile.schedules.operators.products.quantised_conv2d import QUANTISED_CONV2D
from anytile.schedules.operators.products.quantised_dense import IN_16_BITS, PAIRS, QUANTISED_DENSE
from anytile.schedules.operators.reductions.softmax import SOFTMAX
from anytile.schedules.templates.cpu.conv2d_direct import depthwise
from anytile.schedules.workloads.streaming import constant_bytes, overflows_caches, streaming
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.presets.workloads import CONVOLUTIONS, PRESETS, RECURRENT

AT_LEAST = 285.0  # seconds: with starting and stopping, under five minutes
EACH = 30.0  # seconds for each workload where a model has many
_IMAGES = "n"  # the symbol of batches of images
_DENSE = {"m": "m", "n": "u", "k": "k"}  # dimensions, and what those of a cell are called
_STACKED = {"lhs": "mk", "rhs": "bnk"}
_BATCHES = (1, 2, 4, 8, 16)
_DECODING = {"m": 1, "n": 512, "k": 512}  # rows of products, and what attention looks back at


@dataclass(frozen=True)
class Model:
    """The distinct workloads of a model, and how often one run of it computes each."""

    workloads: tuple[Workload, ...]
    counts: tuple[float, ...]
    is_recurrent: bool = False  # a workload that occurs often has the same weights each time

    @property
    def seconds(self) -> float:
        """What a campaign over it takes unless told otherwise."""
        return max(AT_LEAST, EACH * len(self.workloads))

    def options(self, target: Target, constants: bool = True) -> dict[str, Any]:
        """Fields of a TuneRequest for this target. Without `constants` the weights are run-time data too."""
        if target.kind == "cuda":
            there = self._on_gpu()
            return there._fields(there.workloads)
        if not constants:
            workloads = [Workload(w.op, w.dims, w.dtype, (), w.attrs) for w in self.workloads]
        else:
            workloads = [with_pairs(w, target) for w in self.workloads]
            if overflows_caches(self._constant_bytes(), target):
                workloads = [streaming(w) for w in workloads]
        return self._fields(workloads)

    def _fields(self, workloads: Sequence[Workload]) -> dict[str, Any]:
        found: dict[str, Any] = {"workloads": tuple(workloads), "counts": self.counts}
        if any(w.op in CONVOLUTIONS for w in self.workloads):
            found |= {"at": {_IMAGES: 1}, "cross_sizes": _BATCHES}
        if any(w.op == "grouped_dense" for w in self.workloads):
            found["at"] = _DECODING
        return found

    def _on_gpu(self) -> Model:
        """As models are compiled for a GPU: weights lie there as they are, products of the same rows are batches of
        one, and the two around a softmax are one kernel with it."""
        found: dict[Workload, float] = {}
        attends = any(w.op == SOFTMAX.name for w in self.workloads)
        for workload, count in zip(self.workloads, self.counts, strict=True):
            bare, often = Workload(workload.op, workload.dims, workload.dtype, (), workload.attrs), count
            if bare.op == GATHER.name:  # whose positions the host looks at
                continue
            if bare.op == GATED_DENSE.name and not self.is_recurrent:
                bare = _stacked(bare)
            elif attends and bare.op in (SOFTMAX.name, BATCH_MATMUL.name):
                if bare.attributes.get("lhs") != "mbk":  # the softmax, and the product behind it
                    continue
                bare = _attention(bare)
            found[bare] = found.get(bare, 0.0) + often
        return Model(tuple(found), tuple(found.values()), self.is_recurrent)

    def _constant_bytes(self) -> int:
        """What one run reads of weights."""
        often = [1.0] * len(self.counts) if self.is_recurrent else self.counts
        each = [sum(constant_bytes(w, c) for c in w.const) for w in self.workloads]
        return round(sum(count * nbytes for count, nbytes in zip(often, each, strict=True)))


def with_pairs(workload: Workload, target: Target) -> Workload:
    """As models in int8 are compiled for the target: where products of bytes add up in pairs, weights are for that."""
    is_layer = workload.op == QUANTISED_DENSE.name or (workload.op == QUANTISED_CONV2D.name and not depthwise(workload))
    if not is_layer or not narrow_facts(target).adds_pairs:
        return workload
    attributes = {**workload.attributes, PAIRS.name: IN_16_BITS}
    return Workload.of(workload.op, dict(workload.dims), workload.dtype, workload.const, attributes, workload.tail)


def _stacked(cell: Workload) -> Workload:
    """The products of a cell, whose results stand one behind the other."""
    dims = {"b": gates_of(cell.attributes), **{d: cell.dim(of) for d, of in _DENSE.items()}}
    return Workload.of(BATCH_MATMUL.name, dims, cell.dtype, attrs=_STACKED)


def _attention(scores: Workload) -> Workload:
    """The kernel of the product of queries and keys, of the softmax of that, and of the product with values."""
    heads, size = scores.dim("b"), scores.dim("k")
    assert isinstance(size, int)
    dims = {"b": 1, "h": heads, "m": scores.dim("m"), "n": scores.dim("n"), "d": size, "e": size}
    attrs = {"q": "bmhd", "k": "bngd", "v": "bnge", "y": "bmhe", "scale": size**-0.5}
    return Workload.of(ATTENTION.name, dims, scores.dtype, attrs=attrs)


def model(name: str) -> Model:
    """The preset of this name."""
    if name not in PRESETS:
        raise SpecError(f"preset {name!r}: expected one of {', '.join(PRESETS)}")
    found = [(Workload.parse(text), float(often)) for text, often in PRESETS[name]]
    return Model(tuple(w for w, _ in found), tuple(often for _, often in found), name in RECURRENT)
