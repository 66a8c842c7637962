"""Random sweep of loop nests: any workload of every operator, by every template, interpreted beside what it means.

A program of its own: `scripts/nest_sweep --seconds 600` draws workloads, for each template that serves one a config and
a class of residues, verifies the nest and interprets it, with no compiler and no GPU. What is wrong comes out as a line
that runs that one case again. It ends with a table of how often each template was right, and with 1 where one was not.
A few examples, which tests draw, find what is wrong everywhere; thousands find what is wrong where a kernel has one
tap, an image one row and the tail makes something of zeros.
"""

from __future__ import annotations

import argparse
import random
import shlex
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace

from anytile.codegen.cuda.build import scheduled_nest
from anytile.commands.reading import read_target
from anytile.core.dtypes import HALVES
from anytile.core.errors import AnytileError, UnsupportedError
from anytile.schedules.hardware.target import Target
from anytile.schedules.nest.nodes import Let, Loop, LoopNest, Stmt
from anytile.schedules.nest.traverse import rebuild
from anytile.schedules.nest.verify import verify
from anytile.schedules.operators import OPERATORS
from anytile.schedules.primitives.residue import specialise
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.base.symbol_names import scheduled
from anytile.schedules.templates.base.template import Template
from anytile.schedules.templates.registry import template as template_named
from anytile.schedules.templates.registry import templates_for
from anytile.schedules.workloads.workload import Workload
from anytile.show.tables import Table
from tests.support.cases.small_operators import check, inputs_of, interpreted
from tests.support.generators.random_configs import any_config
from tests.support.generators.random_workloads import rolled

TARGETS = ("llvm", "sm_75", "sm_80", "sm_90a", "sm_120")
CPUS = ("nehalem", "haswell", "znver4")  # of llvm one each time, so that a sweep is the same on every machine
WITHIN_S = 2.0  # of processor time, each case
APART = {name: row for name, row in OPERATORS.items() if not row.over}  # whose outputs lie apart from their inputs
TOLERANCE = 3e-5
MOST_STEPS = 40_000
FEW_FLOPS, DRAWS = 20_000, 16
SHOWN = 5  # failures of a template; the others are counted
SCRIPT = "scripts/nest_sweep"


class LateError(Exception):
    """A nest that takes long to interpret, which says nothing about it."""


@dataclass(frozen=True)
class Case:
    """All that one nest follows from, and the numbers that it is run on."""

    workload: Workload
    symbols: Mapping[str, int]
    target: Target
    template: Template
    config: Config
    residues: tuple[int, int] | None
    seed: int

    def __str__(self) -> str:
        """The command that runs it again."""
        words = [SCRIPT, "--case", str(self.workload), "--at", ",".join(f"{s}={n}" for s, n in self.symbols.items())]
        words += ["--target", str(self.target), "--template", self.template.name, "--config", str(self.config)]
        words += ["--residues", f"{self.residues[0]}..{self.residues[1]}"] if self.residues else []
        return shlex.join([*words, "--seed", str(self.seed)])

    def run(self, most: int | None = None) -> None:
        """Schedule, verify, interpret, compare; a nest of more than `most` steps is only verified."""
        inputs = inputs_of(self.workload, self.symbols, self.seed)
        given = dict(inputs)
        if self.target.kind == "cuda":
            nest = scheduled_nest(self.workload, self.config, self.target, self.template, self.residues)
        else:
            made = scheduled(self.template, self.workload, self.target, self.config)
            nest = made.nest
            if self.residues is not None and made.walk is not None:
                nest = specialise(nest, made.walk, *self.residues)
            for pack in made.packs:
                verify(pack.nest)
                given |= interpreted(pack.nest, given, self.symbols)
        verify(nest)
        if most is not None and _steps(nest.body, _derived(nest, self.symbols)) > most:
            raise LateError
        check(self.workload, interpreted(nest, given, self.symbols), inputs, "nest", TOLERANCE)


@dataclass
class Tally:
    """What became of the cases of each template, and for what there is none."""

    drawn: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    late: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)

    def table(self) -> Table:
        made = Table(["template", ">right", ">too long", ">wrong"])
        for name in sorted({*self.right, *self.late, *self.wrong}):
            made.add(name, self.right[name], self.late[name], self.wrong[name])
        made.add("all", *(sum(counts.values()) for counts in (self.right, self.late, self.wrong)))
        return made


def cases(rng: random.Random, op: str, targets: Sequence[str], tally: Tally) -> Iterator[Case]:
    """One workload on one of the targets, by a config of each template that serves it there. Of some it is the one that
    the template serves which had the fewest: several want sizes that are seldom drawn."""
    name = rng.choice(targets)
    target = _target(rng, name)
    found = list(_served(rng, op, target))
    if not found:
        tally.refused[f"{op} on {name}"] += 1
        return
    workload, symbols, templates = min(found, key=lambda one: min(tally.drawn[t.name] for t in one[2]))
    for template in templates:
        tally.drawn[template.name] += 1
        config = any_config(rng, template.space(workload, target))
        if config is None:
            tally.refused[f"{template.name} on {name}"] += 1
            continue
        residues = _residues(rng, template, workload, symbols, config)
        yield Case(workload, symbols, target, template, config, residues, rng.randrange(1000))


def _served(
    rng: random.Random, op: str, target: Target
) -> Iterator[tuple[Workload, dict[str, int], tuple[Template, ...]]]:
    """Workloads, mostly small ones and none without an element, with the templates that serve them. Constants may be
    packed, and at times all is in 16 bits."""
    for _ in range(DRAWS):
        workload, symbols = rolled(rng, op)
        constants = [name for name in workload.constant_operands if rng.random() < 0.5]
        narrow = [dtype for dtype in OPERATORS[op].dtypes if dtype in HALVES]
        dtype = rng.choice(narrow) if narrow and rng.random() < 0.3 else workload.dtype
        workload = replace(workload.with_const(constants), dtype=dtype)
        is_usual = workload.flops(symbols) <= FEW_FLOPS and 0 not in workload.sizes(symbols).values()
        if not is_usual and rng.random() < 0.9:
            continue
        with suppress(UnsupportedError):
            yield workload, symbols, tuple(templates_for(workload, target))


def _target(rng: random.Random, name: str) -> Target:
    if name == "llvm":
        return Target.parse(f"llvm -mcpu={rng.choice(CPUS)} -threads={rng.choice((1, 1, 3))}")
    return Target.parse(f"cuda -arch={name}" if name.startswith("sm_") else name)


def _residues(
    rng: random.Random, template: Template, workload: Workload, symbols: Mapping[str, int], config: Config
) -> tuple[int, int] | None:
    """A class that the size is of: itself, all, or something between; None for a nest with every residue in it."""
    symbol = template.symbol(workload)
    if symbol is None or rng.random() < 0.25:
        return None
    tile = template.tile(config)
    residue = symbols[symbol] % tile
    return (residue, residue) if rng.random() < 0.5 else (rng.randint(0, residue), rng.randint(residue, tile - 1))


def _derived(nest: LoopNest, symbols: Mapping[str, int]) -> dict[str, int]:
    env = dict(symbols)
    for s in nest.symbols:
        if s.derived is not None:
            env[s.name] = s.derived.evaluate(env)
    return env


def _steps(s: Stmt, env: Mapping[str, int]) -> int:
    """About how many statements the interpreter runs: a loop as often as at the begin of those around it."""
    if isinstance(s, Loop | Let):  # what is read from memory may be as large as it is allowed to
        env = {**env, s.var: 0 if isinstance(s, Loop) else s.extent.evaluate(env)}
    inner = 0

    def count(child: Stmt) -> Stmt:
        nonlocal inner
        inner += _steps(child, env)
        return child

    rebuild(s, count)
    return max(inner, 1) * (s.extent.evaluate(env) if isinstance(s, Loop) else 1)


def tried(case: Case, limited: bool = True) -> str | None:
    """What is wrong with a case, in a line, if anything is."""
    try:
        with _limited(WITHIN_S if limited else 0.0):
            case.run(MOST_STEPS if limited else None)
    except LateError:
        raise
    except Exception as error:  # noqa: BLE001  # whatever a nest does, the sweep goes on and says it
        said = str(error).splitlines()
        told = [line for line in said if line.strip()][:1] if isinstance(error, AnytileError) else said
        return f"{type(error).__name__}: {' '.join(' '.join(told).split())[:300]}"
    return None


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Ended after so much processor time; 0 is none."""

    def late(*_: object) -> None:
        raise LateError

    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def sweep(ops: Sequence[str], targets: Sequence[str], seconds: float, seed: int, failures: int | None = None) -> Tally:
    """Workloads of one operator after the other, until the time is over, or so many failures are met; they are printed
    as they come."""
    tally, end, number = Tally(), time.monotonic() + seconds, 0
    while time.monotonic() < end:
        for op in ops:
            for case in cases(random.Random(f"{seed} {op} {number}"), op, targets, tally):
                name = case.template.name
                try:
                    wrong = tried(case)
                except LateError:
                    tally.late[name] += 1
                    continue
                tally.right[name] += wrong is None
                tally.wrong[name] += wrong is not None
                if wrong is not None and tally.wrong[name] <= SHOWN:
                    print(f"{case}  # {wrong}", flush=True)
                if time.monotonic() > end or tally.wrong.total() == failures:
                    return tally
        number += 1
    return tally


def main(words: Sequence[str]) -> int:
    asked = _parser().parse_args(words)
    if asked.case is not None:
        wrong = tried(_read(asked), limited=False)
        print(wrong or "right")
        return 1 if wrong else 0
    tally = sweep(asked.ops, asked.targets, asked.seconds, asked.seed, asked.failures)
    tally.table().show()
    if tally.refused:
        lacking = ", ".join(f"{what} ({count})" for what, count in sorted(tally.refused.items()))
        print(f"no template or config: {lacking}")
    if not tally.right.total():
        print("nothing was run to its end", file=sys.stderr)
    return 1 if tally.wrong.total() or not tally.right.total() else 0


def _read(asked: argparse.Namespace) -> Case:
    """The case that a line of an earlier sweep names."""
    low, _, high = (asked.residues or "").partition("..")
    symbols = {name: int(size) for name, _, size in (part.partition("=") for part in asked.at.split(",") if part)}
    return Case(
        Workload.parse(asked.case), symbols, Target.parse(asked.target), template_named(asked.template),
        Config.parse(asked.config), (int(low), int(high)) if high else None, asked.seed,
    )  # fmt: skip


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=SCRIPT, description=(__doc__ or "").partition("\n")[0])
    of = ", ".join(TARGETS)
    parser.add_argument("--ops", type=listed(OPERATORS), default=list(APART), help="operators, all without it")
    parser.add_argument("--targets", type=_names, default=list(TARGETS), help=f"some of {of}, or a target's own text")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long")
    parser.add_argument("--failures", type=int, metavar="N", help="end after so many")
    parser.add_argument("--seed", type=int, default=0, help="another one draws other workloads")
    again = parser.add_argument_group("one case again, as a line of a sweep says it")
    for name in ("case", "at", "target", "template", "config", "residues"):
        again.add_argument(f"--{name}", default="" if name in ("at", "config") else None)
    return parser


def _names(text: str) -> list[str]:
    """Targets with commas between; each must be one."""
    found = [name.strip() for name in text.split(",")]
    for name in found:
        try:
            read_target(str(_target(random.Random(0), name)))
        except AnytileError as error:
            raise argparse.ArgumentTypeError(str(error)) from None
    return found


def listed(known: Mapping[str, object]) -> Callable[[str], list[str]]:
    """Names of a table with commas between."""

    def read(text: str) -> list[str]:
        found = [name.strip() for name in text.split(",")]
        for name in found:
            if name not in known:
                raise argparse.ArgumentTypeError(f"{name!r}: expected some of {', '.join(known)}")
        return found

    return read


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
