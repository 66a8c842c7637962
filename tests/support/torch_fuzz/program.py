"""Differential fuzzer of torch.compile: random functions of torch, compiled and run at several sizes, beside torch.

A program of its own: `scripts/torch_fuzz --seconds 600` grows functions of tensors as people write them, with views,
writes in place, modules, loops and choices by sizes, each statement of which torch has computed. Each is compiled and
run in a child process. A crash, a result that is not torch's, and an error that is no refusal are findings: each is
made small, kept as a file, and comes out as a line that runs it again. What is left to torch is counted.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

import torch

from anytile.core.plurals import counted
from tests.support.fuzzing import Outcome, again, ended, outcome, parser_of, smallest, without_numbers
from tests.support.generators.random_functions import STEPS, any_function
from tests.support.nest_sweep import listed
from tests.support.torch_fuzz.case import FORMS, THEIRS, WAYS, Case
from tests.support.torch_fuzz.smaller import smaller

SCRIPT = "scripts/torch_fuzz"
FOLDER = Path("build/torch_fuzz")
TOLD_S = 15.0  # between lines of progress
WITHIN_S = 180  # a case
REASONS = 30  # of refusals that are told
SHRINKS = 120  # tries


@dataclass(frozen=True)
class Drawing:
    """A case to be drawn, in a child, as torch's functions may crash; it is kept as a file."""

    seed: str
    steps: int
    names: tuple[str, ...]
    path: Path
    sizes: range = range(1)

    def run(self, told: Callable[[str, str], None]) -> None:
        torch.set_num_threads(1)
        case = any_case(random.Random(self.seed), self.steps, self.names)
        if case is not None:
            case.save(self.path)


def any_case(rng: random.Random, steps: int, names: Sequence[str] = ()) -> Case | None:
    """A function with what it returns: all ends, and now and then something else, too."""
    function = any_function(rng, steps, names)
    results = list(function.ends())
    if not results:
        return None
    tensors = [x for x in function.inputs if "item" not in x.laid]
    made = sorted({name for s in function.statements for name in s.makes})
    x = rng.choice(tensors)
    extra = (
        "None",
        x.name,
        f"{x.name}.shape",
        f"{x.name}.unsqueeze(0)",
        rng.choice(made),
        f"{x.name}.numel()",
        "'word'",
    )
    for one in extra:
        if rng.random() < 0.06:
            results.insert(rng.randint(0, len(results)), one)
    form = rng.choice(list(FORMS)) if rng.random() < 0.2 else "tuple"
    way = rng.choices(WAYS, (8, 2, 1))[0]
    return Case(function.cut([*results, *(i.name for i in function.inputs)]), tuple(results), form, way)


@dataclass
class Tally:
    """What became of the cases: how many ran, of which steps, what was left to torch and why, and what was found."""

    cases: int = 0
    late: int = 0
    whole: int = 0  # of which nothing was left to torch
    ran: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    found: int = 0

    def line(self) -> str:
        late = f", {self.late} too long to compile" if self.late else ""
        refusals = counted(self.refused.total(), "refusal")
        return f"{counted(self.cases, 'case')}{late}, {self.whole} whole, {refusals}, {counted(self.found, 'finding')}"

    def summary(self) -> str:
        lines = [self.line(), "ran: " + ", ".join(f"{kind} {n}" for kind, n in self.ran.most_common())]
        return "\n".join([*lines, *(f"refused {n} times: {why}" for why, n in self.refused.most_common(REASONS))])


def fuzz(asked: argparse.Namespace) -> Tally:
    """Case after case, until the time is over or so many were run; findings are printed as they come."""
    tally, number, told = Tally(), asked.first, time.monotonic()
    end = told + asked.seconds
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "case.json"
        while time.monotonic() < end and tally.cases != asked.cases and tally.found != asked.findings:
            path.unlink(missing_ok=True)
            became = outcome(Drawing(f"{asked.seed} {number}", asked.steps, tuple(asked.having), path), WITHIN_S)
            if became.is_wrong:
                raise RuntimeError(f"case {number} of seed {asked.seed} was not drawn: {became.what}")
            if path.exists():
                _count(tally, Case.load(path), f"{asked.seed}-{number}", asked)
            if time.monotonic() - told > TOLD_S:
                told = time.monotonic()
                print(tally.line(), file=sys.stderr, flush=True)
            number += 1
    return tally


def _count(tally: Tally, case: Case, name: str, asked: argparse.Namespace) -> None:
    became = outcome(case, WITHIN_S)
    tally.cases += 1
    tally.late += became.kind == "late"
    tally.refused.update({without_numbers(why) for why in became.refused})  # at several sizes the same
    if became.kind == "right":
        tally.whole += not became.refused
        tally.ran.update({s.kind for s in case.function.statements})
    if became.is_wrong:
        tally.found += 1
        print(_finding(case, became, asked.out / f"{name}.json", asked.whole), flush=True)


def _finding(case: Case, became: Outcome, path: Path, whole: bool) -> str:
    """The line that runs it again, and what is wrong."""
    if not whole:
        case = smallest(case, smaller, lambda one: outcome(one, WITHIN_S).kind == became.kind, SHRINKS)
        became = outcome(case, WITHIN_S)
    path.parent.mkdir(parents=True, exist_ok=True)
    case.save(path)
    lines = [
        line.replace("\n", "\\n") for line in (*(s.text for s in case.function.statements), f"return {case.returned}")
    ]
    return f"{SCRIPT} --case {path}  # {'; '.join(lines)}: {became.what}"


def main(words: Sequence[str]) -> int:
    asked = _parser().parse_args(words)
    _load_compiler()
    # Untuned, whatever this machine has tuned.
    with tempfile.TemporaryDirectory() as folder, patch.dict(os.environ, ANYTILE_DB=os.path.join(folder, "none.db")):
        if asked.case is not None:
            return again(lambda: Case.load(asked.case), WITHIN_S)
        tally = fuzz(asked)
    return ended(tally.summary(), tally.found, tally.ran.total())


def _load_compiler() -> None:
    """Once, here, what each child would take seconds for; nothing of it starts a thread."""
    import torch._dynamo.backends.registry
    import torch._dynamo.convert_frame
    import torch._dynamo.testing
    import torch._functorch.aot_autograd
    import torch._inductor.decomposition
    import torch.export._trace
    import torch.fx.experimental.symbolic_shapes

    import anytile.api
    import anytile.compiler.compile
    import anytile.db.store
    import anytile.model_api
    import anytile.torch_backend  # noqa: F401  # which torch finds by its name

    torch._dynamo.backends.registry.lookup_backend(THEIRS)  # and all others
    torch.set_num_threads(1)


def _parser() -> argparse.ArgumentParser:
    parser = parser_of(SCRIPT, __doc__)
    parser.add_argument("--first", type=int, default=0, metavar="N", help="the number of the first case of that seed")
    parser.add_argument("--steps", type=int, default=10, help="of a function, about; %(default)d without it")
    parser.add_argument("--having", type=listed(STEPS), default=(), help=f"of which kinds: {', '.join(STEPS)}")
    parser.add_argument("--out", type=Path, default=FOLDER, help="the folder for findings; %(default)s without it")
    parser.add_argument("--case", type=Path, metavar="FILE", help="one case again, as a line of a run says it")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
