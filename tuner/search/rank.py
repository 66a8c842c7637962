"""Transfer learning, the model rung of lookup: score configs of a workload that nobody tuned by what others measured.

One model per operator and kind of target, trained on its trials at all shapes and on all such targets in the store:
what a CPU measured says nothing of a GPU, whose templates have other knobs. Only orders within one campaign, workload
and size are learnt, so fast machines and small shapes do not outvote the rest. Rows hold what transfers: the knobs, how
they divide the sizes, the sizes, and the machine; loop nests would cost seconds here. Higher scores are faster.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

import numpy as np

from anytile.core.errors import SpecError, UnsupportedError
from anytile.db.records.records import Status, Trial
from anytile.schedules.hardware.cpu import facts
from anytile.schedules.hardware.gpu import gpu_facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Config, Value
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.search.model import FEWEST, CostModel

SYMBOL_SIZES = (17, 64, 256)  # what a symbol stands for when scoring: a score is the mean over them
MOST_TRIALS = 2048  # more would cost seconds and change little
PER_GROUP = 256
MOST_KNOBS = 20  # those that most trials have: every two of them are a column
MOST_TARGETS = 8  # CPUs that LLVM has to be asked about, those with the most trials: each costs a process of its own

K = TypeVar("K", bound=Hashable)
Row = dict[str, float]
Rank = Callable[[Workload, Target, Sequence[Config]], Sequence[float]]


class TrialSource(Protocol):
    """What is needed of a store."""

    def known_pairs(self, op: str) -> list[tuple[Workload, Target]]: ...

    def trials(
        self, *, workload: Workload | None = None, target: Target | None = None, status: Status | None = None
    ) -> list[Trial]: ...


@dataclass(frozen=True)
class _Trained:
    model: CostModel
    columns: tuple[str, ...]
    words: Mapping[Value, float]
    knobs: frozenset[str]


@dataclass(eq=False)
class Ranker:
    """`rank(workload, target, configs)`; reads the store and trains at the first question about an operator."""

    store: TrialSource
    _trained: dict[tuple[str, str], _Trained | None] = field(default_factory=dict, repr=False)

    def __call__(self, workload: Workload, target: Target, configs: Sequence[Config]) -> list[float]:
        about = (workload.op, target.kind)
        if about not in self._trained:
            self._trained[about] = self._train(*about)
        trained = self._trained[about]
        if trained is None:
            raise UnsupportedError(
                f"{workload}: fewer than {FEWEST} trials of {workload.op} on {target.kind} to rank by; tune one first"
            )
        if not configs:
            return []
        sizes = SYMBOL_SIZES if workload.symbols else (0,)
        scores = np.zeros(len(configs))
        for size in sizes:
            around = _around(workload, target, dict.fromkeys(workload.symbols, size))
            rows = [_row(around, config, trained.words, trained.knobs) for config in configs]
            scores += trained.model.predict(_matrix(rows, trained.columns)) / len(sizes)
        return [float(s) for s in scores]

    def _measured(self, op: str, kind: str) -> list[Trial]:
        """In the order they were made. Most of a team's trials are of other operators, and are not read."""
        pairs = [(w, on) for w, on in self.store.known_pairs(op) if on.kind == kind]
        found = [t for w, on in pairs for t in self.store.trials(workload=w, target=on, status=Status.OK)]
        return sorted(found, key=lambda t: (t.created, t.seed_order, t.id))

    def _train(self, op: str, kind: str) -> _Trained | None:
        groups: dict[str, list[Trial]] = {}
        for trial in self._measured(op, kind):
            if math.isfinite(trial.seconds) and trial.kind in ("search", "cross"):
                key = f"{trial.campaign_id} {trial.workload} {trial.target} {sorted(trial.point.items())}"
                groups.setdefault(key, []).append(trial)
        share = max(8, min(PER_GROUP, MOST_TRIALS // max(1, len(groups))))
        kept = [(key, t) for key, of in groups.items() if len(of) > 1 for t in of[-share:]][-MOST_TRIALS:]
        asked = _most((t.target for _, t in kept if t.target.kind == "llvm" and not t.target.is_host), MOST_TARGETS)
        kept = [(key, t) for key, t in kept if t.target.kind != "llvm" or t.target.is_host or t.target in asked]
        words = _words(t.config for _, t in kept)
        knobs = _most((name for _, t in kept for name, _ in t.config.values), MOST_KNOBS)
        rows: list[Row] = []
        seconds: list[float] = []
        names: list[str] = []
        known: dict[tuple[Workload, Target, tuple[tuple[str, int], ...]], _Around | None] = {}
        for key, trial in kept:
            place = (trial.workload, trial.target, tuple(sorted(trial.point.items())))
            if place not in known:
                known[place] = _around_or_none(trial)
            around = known[place]
            if around is not None:
                rows.append(_row(around, trial.config, words, knobs))
                seconds.append(trial.seconds / trial.drift)
                names.append(key)
        if len(rows) < FEWEST:
            return None
        columns = tuple(sorted({name for row in rows for name in row}))
        return _Trained(CostModel(_matrix(rows, columns), seconds, names), columns, words, knobs)


@dataclass(frozen=True)
class _Around:
    """What all configs of a workload at a size share."""

    sizes: Mapping[str, int]
    shared: Row


def _around_or_none(trial: Trial) -> _Around | None:
    try:
        return _around(trial.workload, trial.target, trial.point)
    except SpecError:  # a target that this LLVM does not know: a teammate's newer one
        return None


def _around(workload: Workload, target: Target, point: Mapping[str, int]) -> _Around:
    sizes = workload.sizes({s: point[s] for s in workload.symbols if s in point})
    shared = {f"size {name}": math.log2(size + 1) for name, size in sizes.items()}
    shared |= {f"const {name}": 1.0 for name in workload.const}
    shared |= {f"streamed {name}": 1.0 for name in workload.streamed}
    shared["threads"] = float(target.threads)
    if target.kind == "llvm":
        cpu = facts(target)
        shared |= {"lanes": float(cpu.lanes), "registers": float(cpu.vector_registers)}
        shared |= {"l1": math.log2(cpu.l1_bytes), "l2": math.log2(cpu.l2_bytes)}
    else:
        gpu = gpu_facts(target)
        shared |= {"multiprocessors": float(gpu.multiprocessors), "shared": float(gpu.shared)}
    return _Around(sizes, shared)


def _row(around: _Around, config: Config, words: Mapping[Value, float], knobs: frozenset[str]) -> Row:
    row = dict(around.shared)
    numbers: list[tuple[str, int]] = []
    for name, value in config.values:
        if name not in knobs:
            continue
        row[f"knob {name}"] = float(value) if isinstance(value, int) else words.get(value, math.nan)
        if isinstance(value, int):
            numbers.append((name, value))
            for dim, size in around.sizes.items():
                if value > 0 and size > 0:
                    row[f"{name} into {dim}"] = -(-size // value) * value / size
    for (one, a), (other, b) in itertools.combinations(numbers, 2):
        row[f"{one} * {other}"] = float(a * b)
    return row


def _most(things: Iterable[K], count: int) -> frozenset[K]:
    """The most frequent ones, the same of the same store."""
    counted = Counter(things)
    return frozenset(sorted(counted, key=lambda thing: (-counted[thing], str(thing)))[:count])


def _words(configs: Iterable[Config]) -> dict[Value, float]:
    """Words in a fixed order, so that the same store trains the same model."""
    seen = {value for config in configs for _, value in config.values if isinstance(value, str)}
    return {word: float(i) for i, word in enumerate(sorted(seen))}


def _matrix(rows: Sequence[Row], columns: Sequence[str]) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    return np.array([[row.get(name, math.nan) for name in columns] for row in rows], dtype=np.float64)
