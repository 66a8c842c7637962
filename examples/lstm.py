"""An LSTM over a sequence of any length, with random weights from a seed: the last hidden state of its last layer.

    python examples/lstm.py --layers 2 --steps 7

The loop is a function that calls itself last, one call for a step; each step has its input's product in it, which the
compiler takes out of the loop and computes for all steps at once.
"""

from __future__ import annotations

import argparse

import numpy as np
from numpy.typing import NDArray

import anytile
from anytile.compiler.builder import Block, ModuleBuilder, Node
from anytile.compiler.ir import Module

Array = NDArray[np.float32]
INPUT, UNITS = 300, 512
CELL = "c2 = sigmoid(z1) * c[m, u] + sigmoid(z0) * tanh(z2); h2 = sigmoid(z3) * tanh(c2)"  # gates i, f, g, o


def weights(layers: int = 1, seed: int = 0) -> list[dict[str, Array]]:
    """For each layer w_x [4 * units, inputs], w_h [4, units, units], b [4 * units], gates in the order i, f, g, o."""
    rng = np.random.default_rng(seed)
    scale = np.float32(UNITS**-0.5)
    return [
        {
            "w_x": rng.uniform(-1, 1, (4 * UNITS, UNITS if number else INPUT)).astype(np.float32) * scale,
            "w_h": rng.uniform(-1, 1, (4, UNITS, UNITS)).astype(np.float32) * scale,
            "b": rng.uniform(-1, 1, 4 * UNITS).astype(np.float32) * scale,
        }
        for number in range(layers)
    ]


def lstm(layers: int = 1, seed: int = 0) -> Module:
    """x[?t, 300] to h[1, 512]; the states of all layers go through the loop."""
    m = ModuleBuilder()
    state = f"Tensor[(1, {UNITS}), float32]"
    inputs = f"Tensor[(?t, {INPUT}), float32]"
    names = [f"{part}{number}" for number in range(layers) for part in "hc"]
    arrays = weights(layers, seed)

    with m.function("main", result=state, x=inputs) as (f, x):
        zero = np.zeros((1, UNITS), np.float32)
        steps = f.take(f.shape_of(x), 0)
        f.result(f.call_global("loop", 0, steps, x, *(zero for _ in names)))

    counter = "Tensor[(), int64]"
    with m.function("loop", result=state, i=counter, steps=counter, x=inputs, **dict.fromkeys(names, state)) as (
        f,
        *given,
    ):
        i, steps, x, *states = given

        def step(f: Block) -> Node:
            below = f.reshape(f.take(x, i), shape=(1, INPUT))
            after: list[Node] = []
            for number, w in enumerate(arrays):
                with f.at(f"layer{number}"):
                    w_x, w_h, b = (f.constant(w[name], f"l{number}_{name}") for name in ("w_x", "w_h", "b"))
                    gates = f.reshape(f.dense(below, w_x) + b, shape=(1, 4, UNITS))
                    h, c = states[2 * number : 2 * number + 2]
                    both = f.gated_dense(h, w_h, gates, c, cell=CELL, start="pre[m, g, u]")
                    c, below = f.unpack(both, 2)
                    after += [below, c]
            return f.call_global("loop", i + 1, steps, x, *after)

        f.result(f.if_(i < steps, step, lambda f: states[-2]))
    return m.build()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--layers", type=int, default=1)
    parser.add_argument("--steps", type=int, nargs="*", default=[1, 7])
    options = parser.parse_args()
    run = anytile.Session(anytile.compile(lstm(options.layers)))
    for steps in options.steps:
        x = np.random.default_rng(steps).standard_normal((steps, INPUT), dtype=np.float32)
        print(steps, run(x).shape, run(x).std())


if __name__ == "__main__":
    main()
