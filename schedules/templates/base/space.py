"""Config spaces: the knobs of a template, the constraints between them, and the configs they span.

A space is data with one stable order: `space[i]` is the i-th valid config, `space.index(config)` its inverse, so a
search can be replayed and a stored config can be found again. A config's text (`k_unroll=2,tile_m=8`) is what the
database remembers; it names every knob and sorts them.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from anytile.core.errors import SpecError

Value = int | str
_WHOLE = re.compile(r"-?[0-9]{1,18}")
MAX_KNOBS = 32
MAX_CONFIG = 8192  # characters


@dataclass(frozen=True, slots=True)
class Config:
    """One choice for every knob, sorted by name."""

    values: tuple[tuple[str, Value], ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", tuple(sorted(self.values)))

    @classmethod
    def of(cls, **values: Value) -> Config:
        """`Config.of(tile_m=8, w="panels")`."""
        return cls(tuple(values.items()))

    @classmethod
    def parse(cls, text: str) -> Config:
        """Read the text form: `tile_m=8,w=panels`."""
        values: dict[str, Value] = {}
        if len(text) > MAX_CONFIG:
            raise SpecError(f"config {text[:40]!r}...: has {len(text)} characters; expected {MAX_CONFIG} at most")
        parts = [p for p in (p.strip() for p in text.split(",")) if p]
        if len(parts) > MAX_KNOBS:
            raise SpecError(f"config {text[:40]!r}...: has {len(parts)} knobs; expected {MAX_KNOBS} at most")
        for part in parts:
            name, eq, value = part.partition("=")
            if not eq or not name.strip() or name.strip() in values:
                raise SpecError(f"config {text!r}: {part!r} is not knob=value, or the knob is named twice")
            value = value.strip()
            values[name.strip()] = int(value) if _WHOLE.fullmatch(value) else value
        return cls(tuple(values.items()))

    def __str__(self) -> str:
        return ",".join(f"{name}={value}" for name, value in self.values)

    def __getitem__(self, name: str) -> Value:
        for key, value in self.values:
            if key == name:
                return value
        raise SpecError(f"config {self} has no knob {name!r}")

    def int(self, name: str) -> int:
        """The choice for a knob of whole numbers."""
        value = self[name]
        if not isinstance(value, int):
            raise SpecError(f"config {self}: {name}={value!r} is not a whole number")
        return value

    def with_(self, **values: Value) -> Config:
        """The same with other choices for these knobs."""
        return Config(tuple({**dict(self.values), **values}.items()))


@dataclass(frozen=True, slots=True)
class Knob:
    """One choice to make: its name, its values from small to large, and what it does.

    What configs mean that do not name it, from before it was there, may be `unsaid`: they stay what they were then.
    """

    name: str
    values: tuple[Value, ...]
    doc: str
    unsaid: Value | None = None


@dataclass(frozen=True, slots=True)
class Constraint:
    """A named rule between knobs; `holds` sees the whole choice as a mapping."""

    name: str
    doc: str
    holds: Callable[[Mapping[str, Value]], bool]


@dataclass(frozen=True)
class ConfigSpace:
    """Knobs and constraints of one template at one workload and target."""

    template: str
    knobs: tuple[Knob, ...]
    constraints: tuple[Constraint, ...] = field(default=())

    @cached_property
    def _configs(self) -> tuple[Config, ...]:
        names = [k.name for k in self.knobs]
        found = []
        for values in itertools.product(*(k.values for k in self.knobs)):
            choice = dict(zip(names, values, strict=True))
            if all(c.holds(choice) for c in self.constraints):
                found.append(Config(tuple(choice.items())))
        return tuple(found)

    @cached_property
    def _index(self) -> dict[Config, int]:
        return {config: i for i, config in enumerate(self._configs)}

    def __len__(self) -> int:
        return len(self._configs)

    def __iter__(self) -> Iterator[Config]:
        return iter(self._configs)

    def __getitem__(self, i: int) -> Config:
        return self._configs[i]

    def __contains__(self, config: object) -> bool:
        return isinstance(config, Config) and self.whole(config) in self._index

    def __str__(self) -> str:
        knobs = "; ".join(f"{k.name} in {{{', '.join(map(str, k.values))}}}" for k in self.knobs)
        rules = "; ".join(c.name for c in self.constraints)
        return f"{self.template}: {knobs}" + (f" | {rules}" if rules else "")

    def whole(self, config: Config) -> Config:
        """With the knobs that it leaves unsaid and may."""
        given = dict(config.values)
        lacking = {k.name: k.unsaid for k in self.knobs if k.unsaid is not None and k.name not in given}
        return config.with_(**lacking) if lacking else config

    def index(self, config: Config) -> int:
        self.check(config)
        return self._index[self.whole(config)]

    def check(self, config: Config) -> None:
        """Say in one line what is wrong with a config; nothing is wrong with a valid one."""
        given, known = dict(self.whole(config).values), {k.name: k for k in self.knobs}
        for name in sorted(set(known) - set(given)):
            raise SpecError(f"config {config}: knob {name} is missing; expected one of {known[name].values}")
        for name in sorted(set(given) - set(known)):
            raise SpecError(f"config {config}: {self.template} has no knob {name!r}")
        for name, knob in known.items():
            if given[name] not in knob.values:
                raise SpecError(f"config {config}: {name}={given[name]} is not one of {knob.values}")
        for rule in self.constraints:
            if not rule.holds(given):
                raise SpecError(f"config {config}: violates {rule.name}: {rule.doc}")

    def sample(self, rng: random.Random, count: int) -> list[Config]:
        """Distinct random configs, as many as there are if `count` asks for more."""
        return [self._configs[i] for i in rng.sample(range(len(self)), min(count, len(self)))]

    def neighbours(self, config: Config) -> list[Config]:
        """Every valid config that differs from this one in exactly one knob."""
        self.check(config)
        config = self.whole(config)
        near = (config.with_(**{k.name: v}) for k in self.knobs for v in k.values if v != config[k.name])
        return [c for c in near if c in self._index]

    def features(self, config: Config) -> list[float]:
        """The config as numbers: a number knob as itself, a word knob as its position."""
        out, config = [], self.whole(config)
        for knob in self.knobs:
            value = config[knob.name]
            out.append(float(value) if isinstance(value, int) else float(knob.values.index(value)))
        return out
