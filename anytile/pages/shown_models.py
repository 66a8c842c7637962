"""Models whose coverage is shown: files of them, and the presets, each with the workloads that it needs on a target."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from anytile.schedules.hardware.target import Target
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.presets.workloads import PRESETS

Needed: TypeAlias = Mapping[Workload, float]  # and how often one run calls each


@dataclass(frozen=True)
class Model:
    """A model by its name; `is_asked_for` by whoever started the server, or else one of the presets."""

    name: str
    needs: Callable[[Target], Needed]
    is_asked_for: bool = True
    _known: dict[Target, Needed] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def on(self, target: Target) -> Needed:
        """Worked out once for each target: a model is compiled for it."""
        with self._lock:
            if target not in self._known:
                self._known[target] = self.needs(target)
            return self._known[target]


def of_file(path: Path) -> Model:
    """An executable, an ONNX file or a text form."""
    from anytile.compiler.compile import needed_by
    from anytile.model_api import read_model

    return Model(str(path), lambda target: dict(needed_by(path, target, read_model)))


def of_preset(name: str, is_asked_for: bool = True) -> Model:
    from anytile.tuner.presets.requests import model

    found = model(name)

    def needs(target: Target) -> Needed:
        options = found.options(target)
        return dict(zip(options["workloads"], options["counts"], strict=True))

    return Model(name, needs, is_asked_for)


def presets(besides: Sequence[Model]) -> list[Model]:
    """Those that nobody asked for."""
    names = {model.name for model in besides}
    return [of_preset(name, is_asked_for=False) for name in PRESETS if name not in names]
