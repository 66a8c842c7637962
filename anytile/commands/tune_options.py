"""The options of `tune`: one table, a field each, from which every front end derives its own.

A field has its type and default; what the command line says of it (its help, its metavar, its panel) and the simple
bounds of its value stand beside it. How texts become a request is for `tune_request` to say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, get_type_hints

from anytile.commands.reading import at_least
from anytile.core.errors import SpecError
from anytile.tuner.presets.workloads import PRESETS
from anytile.tuner.runners.make_runner import RUNNERS
from anytile.tuner.search.strategies import STRATEGIES

OBJECTIVES = ("geomean", "regret")
_WHAT, _EFFORT, _PLAN, _WHERE, _SHOW = "What to tune", "How hard to try", "Choosing the plan", "Where", "Output"


@dataclass(frozen=True, slots=True)
class Option:
    """What the command line says of a field. `usual` describes a default that no value stands for."""

    help: str
    metavar: str | None = None
    panel: str | None = None
    usual: str | None = None
    flags: tuple[str, ...] = ()  # where they are not `--name` alone
    least: int | None = None
    choices: Sequence[str] = ()


def option(default: Any, help: str, metavar: str | None = None, panel: str | None = None, **more: Any) -> Any:
    """A field, and what the command line says of it."""
    said = Option(help, metavar or "|".join(more.get("choices", ())) or None, panel, **more)
    return field(default=default, metadata={"option": said})


TARGET = "What it runs on, as in 'llvm -mcpu=znver4 -threads=2'; plain llvm is this machine and all its cores."
DTYPE = "The element type."
WEIGHTS = (
    "How much each size counts: a CSV with the columns m,weight. Without one all count alike, but twice as many images "
    "of a convolution half as much."
)
CONST = "Whether the weights are known ahead of time, and so may be packed."
USUAL_CONST = "what is usual for the operator"
DB = (
    "The tuning database: a path or an SQLAlchemy URL. Several with ; between are asked in order, and the first that "
    "may be is written. Without it $ANYTILE_DB, else the user's own."
)
JSON = "Print one JSON object instead of text."


@dataclass(frozen=True)
class TuneOptions:
    """The words of one `tune` command line, none of them looked at yet."""

    op: str = option("dense", "The operator.", "OP", _WHAT)
    shape: list[str] | None = option(
        None,
        "Dimensions as in m=?,n=768,k=768; ? is one unknown until run time. May be repeated.",
        "DIMS",
        _WHAT,
        usual="the three dense layers of BERT-base",
    )
    preset: str | None = option(None, f"All distinct workloads of a model: {', '.join(PRESETS)}.", "MODEL", _WHAT)
    model: Path | None = option(
        None,
        "All distinct workloads of a model of yours: ONNX, its text form, or the executable it became.",
        "FILE",
        _WHAT,
    )
    precision: str = option(
        "float32", "What --model is to be compiled with, as in `compile --precision`.", "DTYPE", _WHAT
    )
    from_misses: int | None = option(
        None,
        "What the database was asked for in vain: so many workloads, the most worth tuning, as `db suggest` ranks.",
        "N",
        _WHAT,
        least=1,
    )
    target: str = option("llvm", TARGET, "TARGET")
    dtype: str = option("float32", DTYPE, "DTYPE")
    const: bool | None = option(None, CONST, usual=USUAL_CONST)
    time: str | None = option(
        None,
        "Budget for everything, as in 90s or 3m. Without any budget a minute per workload, three at most; "
        "for a preset four and a half, or half a minute per workload.",
        "TIME",
        _EFFORT,
    )
    trials: int | None = option(
        None,
        "Budget of configs searched; at each of three other sizes at most as many challenge the best of "
        "them. What is then measured, to choose between these, is bounded by --top-k and --time.",
        "N",
        _EFFORT,
        least=1,
    )
    early_stop: int = option(
        160, "End a search after so many configs without a gain; 0 never does.", "N", _EFFORT, least=0
    )
    search: str | None = option(
        None,
        "How to search.",
        panel=_EFFORT,
        usual="evolve where xgboost is installed, else random",
        choices=tuple(STRATEGIES),
    )
    seed: int = option(0, "Same seed, same proposals.", panel=_EFFORT)
    top_k: int = option(100, "How many configs to cross-evaluate.", "N", _EFFORT, least=1)
    template: str | None = option(
        None, "Search this template only; without it all that serve a workload compete.", "NAME", _EFFORT
    )
    at: str | None = option(
        None,
        "What symbols stand for during the search, as in n=1,h=56; others are 64, or 1 for a conv2d's batch.",
        "SIZES",
        _EFFORT,
    )
    cold: bool = option(False, "Learn nothing from what the database knows of related workloads.", panel=_EFFORT)
    weights: Path | None = option(None, WEIGHTS, "FILE", _PLAN)
    weights_from: Path | None = option(
        None,
        "Weigh sizes and workloads as they were met: what `anytile run --record-shapes FILE` recorded.",
        "FILE",
        _PLAN,
    )
    objective: str = option(
        "geomean",
        "What a plan's configs keep small: the mean loss over all sizes against the best config of each, or the "
        "loss at the worst size (minimax regret).",
        panel=_PLAN,
        choices=OBJECTIVES,
    )
    portfolio: int = option(3, "At most this many configs in a plan.", "N", _PLAN, least=1)
    code_budget: str | None = option(None, "At most this much code in a kernel, as in 256k or 4M.", "SIZE", _PLAN)
    compile_only: bool = option(
        False,
        "Compile what a search would propose and measure nothing; needs no device. Of each template --trials configs, "
        "32 without it, as far as --time goes.",
        panel=_WHERE,
    )
    runner: str = option("ray", "Who measures.", panel=_WHERE, choices=RUNNERS)
    ray: str | None = option(None, "A Ray cluster; without it Ray on this machine.", "ADDRESS", _WHERE)
    db: str | None = option(None, DB, "URL")
    resume: str | None = option(None, "Go on with an interrupted campaign; `last` is the newest.", "CAMPAIGN", _WHERE)
    join: str | None = option(
        None,
        "Work on a campaign together with those who are at it, from any machine of its target; `last` is the newest.",
        "CAMPAIGN",
        _WHERE,
    )
    json: bool = option(False, JSON)
    json_events: bool = option(False, "Print every event as a JSON line.", panel=_SHOW)
    quiet: bool = option(False, "No progress display.", panel=_SHOW, flags=("--quiet", "-q"))


@dataclass(frozen=True, slots=True)
class Row:
    """One option as a front end needs it."""

    name: str
    kind: Any  # a type, perhaps with None
    default: Any
    option: Option

    @property
    def flags(self) -> tuple[str, ...]:
        if self.kind == bool | None:
            return (f"{flag_of(self.name)}/--no-{self.name}",)
        return self.option.flags or (flag_of(self.name),)


def rows() -> list[Row]:
    kinds = get_type_hints(TuneOptions)
    return [Row(f.name, kinds[f.name], f.default, f.metadata["option"]) for f in fields(TuneOptions)]


def flag_of(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def check_values(options: TuneOptions) -> None:
    """Bounds and choices, each by itself."""
    for row in rows():
        value, said = getattr(options, row.name), row.option
        if said.least is not None:
            at_least(flag_of(row.name), value, said.least)
        if said.choices and value is not None and value not in said.choices:
            raise SpecError(f"{flag_of(row.name)} {value!r}: expected one of {', '.join(said.choices)}")
