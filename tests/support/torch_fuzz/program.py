"""Differential fuzzer of torch.compile: random functions of torch, compiled and run at several sizes, beside torch.

A program of its own: `scripts/torch_fuzz --seconds 600` grows functions of tensors as people write them, with views,
writes in place, modules, loops and choices by sizes, each statement of which torch has computed. Each is compiled and
run in a child process. A crash, a result that is not torch's, and an error that is no refusal are findings: each is
made small, kept as a file, and comes out as a line that runs it again. What is left to torch is counted.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from tests.support.drawn_cases import Fuzzer
from tests.support.generators.random_functions import STEPS, any_function
from tests.support.torch_fuzz.case import FORMS, THEIRS, WAYS, Case
from tests.support.torch_fuzz.smaller import smaller


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


def _drawing(asked: argparse.Namespace, seed: str, path: Path) -> Drawing:
    return Drawing(seed, asked.steps, tuple(asked.having), path)


FUZZER = Fuzzer("scripts/torch_fuzz", ".json", _drawing, Case.load, smaller, within=180, shrinks=120)


def main(words: Sequence[str]) -> int:
    asked = FUZZER.parser(__doc__, STEPS, Path("build/torch_fuzz")).parse_args(words)
    _load_compiler()
    return FUZZER.run(asked)


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


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
