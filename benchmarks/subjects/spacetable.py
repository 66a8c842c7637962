"""An exhaustively measured config space as one compact file, for replaying searches without a machine.

The table holds its own knobs and configs, so it stays good when the template moves on: `space()` is the space as it was
measured, in its order. A time of nan is a failed config; its status stands beside it.
"""

from __future__ import annotations

import gzip
import json
import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from anytile.core.errors import SpecError
from anytile.db.records.records import Status
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Config, ConfigSpace, Constraint, Knob, Value
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.protocol.candidate import Point, point_of
from anytile.tuner.search.state import Observation

FORMAT = "anytile-space-1"
FASTEST = 10  # one config in so many is fast
DEVIATION = 1.48  # standard deviations of normal noise for one median deviation


@dataclass(frozen=True)
class SpaceTable:
    """`seconds[p][i]` is the median of `configs[i]` at `points[p]`."""

    workload: Workload
    target: Target
    template: str
    version: int
    machine: Mapping[str, Any]
    points: tuple[Point, ...]
    knobs: tuple[Knob, ...]
    configs: tuple[Config, ...]
    seconds: tuple[tuple[float, ...], ...]
    failures: Mapping[Config, Status] = field(default_factory=dict)
    facts: Mapping[Config, Mapping[str, float]] = field(default_factory=dict)  # of the code, where it was noted
    resolution: float | None = None  # by what share of them fast configs' times differ by noise alone, where known

    @cached_property
    def space(self) -> ConfigSpace:
        known = frozenset(c.values for c in self.configs)

        def holds(choice: Mapping[str, Value]) -> bool:
            return tuple(sorted(choice.items())) in known

        return ConfigSpace(self.template, self.knobs, (Constraint("measured", "it is in the table", holds),))

    @property
    def _fact_names(self) -> list[str]:
        return sorted({name for of in self.facts.values() for name in of})

    @cached_property
    def _index(self) -> dict[Config, int]:
        return {c: i for i, c in enumerate(self.configs)}

    def times(self, point: Point) -> dict[Config, float]:
        """Those that succeeded at one point."""
        if point not in self.points:
            raise SpecError(f"the table has no point {dict(point)}; expected one of {[dict(p) for p in self.points]}")
        column = self.seconds[self.points.index(point)]
        return {c: s for c, s in zip(self.configs, column, strict=True) if math.isfinite(s)}

    def observe(self, config: Config, point: Point) -> Observation:
        """What a runner would have answered."""
        seconds = self.seconds[self.points.index(point)][self._index[config]]
        if math.isfinite(seconds):
            return Observation(config, seconds, facts=self.facts.get(config, {}))
        status = self.failures.get(config, Status.RUNTIME_ERROR)
        return Observation(config, math.inf, status, self.facts.get(config, {}))

    def inspect(self, configs: Sequence[Config]) -> list[Mapping[str, float] | None]:
        """What a runner would have answered: nothing for what did not compile."""
        broken = (Status.COMPILE_ERROR, Status.CONSTRAINT)
        return [None if self.failures.get(c) in broken else self.facts.get(c, {}) for c in configs]

    def sizes(self, point: Point) -> tuple[int, ...]:
        return tuple(self.workload.sizes(dict(point)).values())

    def save(self, path: Path) -> None:
        """JSON; gzipped, the same bytes each time, when the name ends in .gz."""
        places = [{v: i for i, v in enumerate(k.values)} for k in self.knobs]
        data = {
            "format": FORMAT,
            "workload": str(self.workload),
            "target": str(self.target),
            "template": self.template,
            "version": self.version,
            "machine": dict(self.machine),
            "points": [dict(p) for p in self.points],
            "knobs": [[k.name, list(k.values), k.doc] for k in self.knobs],
            "configs": [[at[c[k.name]] for at, k in zip(places, self.knobs, strict=True)] for c in self.configs],
            # Four digits are finer than any measurement.
            "nanoseconds": [[_digits(s * 1e9) for s in column] for column in self.seconds],
            "facts": {
                name: [_whole(self.facts.get(c, {}).get(name)) for c in self.configs] for name in self._fact_names
            },
            "failures": {str(self._index[c]): str(s) for c, s in self.failures.items()},
        } | ({} if self.resolution is None else {"resolution": self.resolution})
        text = json.dumps(data, separators=(",", ":")).encode() + b"\n"
        path.write_bytes(gzip.compress(text, 9, mtime=0) if path.suffix == ".gz" else text)

    @classmethod
    def load(cls, path: Path) -> SpaceTable:
        try:
            raw = path.read_bytes()
            data = json.loads(gzip.decompress(raw) if path.suffix == ".gz" else raw)
            if data["format"] != FORMAT:
                raise SpecError(f"{path}: format {data['format']!r}, expected {FORMAT!r}; measure it again")
            knobs = tuple(Knob(name, tuple(values), doc) for name, values, doc in data["knobs"])
            configs = tuple(
                Config(tuple((k.name, k.values[i]) for k, i in zip(knobs, row, strict=True))) for row in data["configs"]
            )
            table = cls(
                workload=Workload.parse(data["workload"]),
                target=Target.parse(data["target"]),
                template=str(data["template"]),
                version=int(data["version"]),
                machine=data["machine"],
                points=tuple(point_of(p) for p in data["points"]),
                knobs=knobs,
                configs=configs,
                seconds=tuple(tuple(map(_seconds, column)) for column in data["nanoseconds"]),
                facts=_facts(configs, data.get("facts", {})),
                failures={configs[int(i)]: Status(s) for i, s in data["failures"].items()},
                resolution=float(data["resolution"]) if "resolution" in data else None,
            )
        except OSError as error:
            raise SpecError(f"{path}: {error.strerror or error}; scripts/bench exhaust makes such a table") from None
        except (ValueError, KeyError, TypeError, IndexError, EOFError) as error:
            raise SpecError(f"{path}: not a table of a measured space ({error!r}); measure it again") from None
        if any(len(column) != len(configs) for column in table.seconds) or len(table.seconds) != len(table.points):
            raise SpecError(f"{path}: {len(configs)} configs, but not as many times at each point; measure it again")
        return table


def resolution(one: SpaceTable, other: SpaceTable, point: Point) -> float:
    """From two measurements of a space: the typical difference, by noise alone, of two equally fast configs in one.

    A config's times in the two differ as two equally fast configs' do in one. Looked at are those that both together
    hold for fast (who is so in one alone was lucky there), by the median deviation: some may have gained in between.
    """
    mine, others = one.times(point), other.times(point)
    both = [c for c in mine if c in others]
    if not both:
        raise SpecError(f"the second measurement of {one.workload} has none of its configs; measure it again")
    fast = sorted(both, key=lambda c: mine[c] * others[c])[: -(-len(both) // FASTEST)]
    moved = [math.log(mine[c] / others[c]) for c in fast]
    middle = statistics.median(moved)  # the machine was faster as a whole
    return statistics.median(abs(m - middle) for m in moved) * DEVIATION


def narrowed(space: ConfigSpace, keep: Mapping[str, Sequence[str]]) -> ConfigSpace:
    """The same space with only some values of some knobs."""
    names = ", ".join(k.name for k in space.knobs)
    for name in keep:
        if name not in {k.name for k in space.knobs}:
            raise SpecError(f"{space.template} has no knob {name!r}; expected {names}")
    knobs = []
    for knob in space.knobs:
        values = tuple(v for v in knob.values if str(v) in keep.get(knob.name, [str(v)]))
        if not values:
            known = ", ".join(map(str, knob.values))
            raise SpecError(f"{knob.name}={'+'.join(keep[knob.name])}: expected some of {known}")
        knobs.append(Knob(knob.name, values, knob.doc))
    return ConfigSpace(space.template, tuple(knobs), space.constraints)


def _facts(configs: Sequence[Config], columns: Mapping[str, Sequence[float | None]]) -> dict[Config, dict[str, float]]:
    """Rows from columns; a config without any fact has no row."""
    rows: dict[Config, dict[str, float]] = {}
    for name, column in columns.items():
        for config, value in zip(configs, column, strict=True):
            if value is not None:
                rows.setdefault(config, {})[name] = float(value)
    return rows


def _whole(x: float | None) -> float | int | None:
    return int(x) if x is not None and x.is_integer() else x


def _digits(x: float) -> float | int | None:
    if not math.isfinite(x):
        return None
    rounded = float(f"{x:.4g}")
    return int(rounded) if rounded.is_integer() else rounded


def _seconds(nanoseconds: float | None) -> float:
    return math.nan if nanoseconds is None else nanoseconds / 1e9
