"""A preset as a campaign's request takes it: workloads, counts, and what the usual request would not suit.

Images come by ones and few, so what a batch stands for during the search is one image; of 64 one call would take
seconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from anytile.schedules.errors import SpecError
from anytile.schedules.workload import Workload
from anytile.tuner.presets import PRESETS

AT_LEAST = 270.0  # seconds: with starting and stopping, under five minutes
EACH = 30.0  # seconds for each workload where a model has many
_IMAGES = "n"  # the symbol of batches of images
_BATCHES = (1, 2, 4, 8, 16)


@dataclass(frozen=True)
class Model:
    """The distinct workloads of a model, and how often one run of it computes each."""

    workloads: tuple[Workload, ...]
    counts: tuple[float, ...]

    @property
    def seconds(self) -> float:
        """What a campaign over it takes unless told otherwise."""
        return max(AT_LEAST, EACH * len(self.workloads))

    def options(self, constants: bool = True) -> dict[str, Any]:
        """Fields of a TuneRequest. Without `constants` the weights are run-time data too."""
        workloads = [w if constants else Workload(w.op, w.dims, w.dtype, (), w.attrs) for w in self.workloads]
        found: dict[str, Any] = {"workloads": tuple(workloads), "counts": self.counts}
        if any(w.op == "conv2d" for w in self.workloads):
            found |= {"at": {_IMAGES: 1}, "cross_sizes": _BATCHES}
        return found


def model(name: str) -> Model:
    """The preset of this name."""
    if name not in PRESETS:
        raise SpecError(f"preset {name!r}: expected one of {', '.join(PRESETS)}")
    found = [(Workload.parse(text), float(often)) for text, often in PRESETS[name]]
    return Model(tuple(w for w, _ in found), tuple(often for _, often in found))
