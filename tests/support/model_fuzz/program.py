"""Differential fuzzer of models: random ONNX graphs, compiled whole and run at several sizes, beside onnxruntime.

A program of its own: `scripts/model_fuzz --seconds 600` grows graphs of operators and of what exporters write for
norms, activations, heads of attention and computed shapes, each node of which onnxruntime has computed alone. Each is
compiled and run in a child process. A crash, a result that is not what the nodes make one by one, and an error that is
no refusal are findings: each is made as small as it can be, kept as a file, and comes out as a line that runs it again.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support.drawn_cases import Fuzzer
from tests.support.generators.graphs.growth import ROUNDS
from tests.support.generators.random_graphs import STEPS, any_graph
from tests.support.model_fuzz.case import CPU, CUDA, Case
from tests.support.model_fuzz.smaller import smaller


@dataclass(frozen=True)
class Drawing:
    """A case to be drawn, in a child, as onnxruntime has threads of its own; it is kept as a file."""

    seed: str
    steps: int
    names: tuple[str, ...]
    device: str
    precision: str
    grows: bool
    path: Path
    sizes: range = range(1)

    def run(self, told: Callable[[str, str], None]) -> None:
        first = "cache" if self.grows else None
        grown = any_graph(random.Random(self.seed), self.steps, self.names, self.precision, first)
        caches = grown.caches().values() if self.grows else ()
        results = tuple(dict.fromkeys((*caches, *grown.ends())))
        if caches if self.grows else results:
            Case(grown, results, self.device, self.precision, self.grows).save(self.path)


def _drawing(asked: argparse.Namespace, seed: str, path: Path) -> Drawing:
    return Drawing(seed, asked.steps, tuple(asked.having), asked.target, asked.precision, asked.growing, path)


FUZZER = Fuzzer("scripts/model_fuzz", ".onnx", _drawing, Case.load, smaller, within=240, shrinks=200)


def main(words: Sequence[str]) -> int:
    return FUZZER.run(_parser().parse_args(words))


def _parser() -> argparse.ArgumentParser:
    parser = FUZZER.parser(__doc__, STEPS, Path("build/model_fuzz"))
    parser.add_argument(
        "--target", choices=(CPU, CUDA), default=CPU, help="what it runs on; a GPU is simulated, which takes long"
    )
    parser.add_argument(
        "--precision", choices=tuple(ROUNDS), default="float32", help="what it is compiled in; %(default)s without it"
    )
    parser.add_argument(
        "--growing", action="store_true", help="with inputs that come out longer, appended to in place, call by call"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
