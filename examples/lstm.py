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
from anytile.compiler.module import Module

Array = NDArray[np.float32]
INPUT, UNITS = 300, 512
STATE = f"Tensor[(1, {UNITS}), float32]"
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
    """x[?t, 300] to h[1, 512]. A layer runs over the whole sequence before the next begins: its weights stay in the
    caches, and the next layer's input product is one for all steps."""
    m = ModuleBuilder()
    arrays = weights(layers, seed)
    with m.function("main", result=STATE, x=f"Tensor[(?t, {INPUT}), float32]") as (f, x):
        zero = np.zeros((1, UNITS), np.float32)
        steps = f.take(f.shape_of(x), 0)
        below = x
        for number in range(layers - 1):
            below = f.call_global(f"layer{number}", 0, steps, below, zero, zero, np.zeros((0, UNITS), np.float32))
        f.result(f.call_global(f"layer{layers - 1}", 0, steps, below, zero, zero))
    for number, w in enumerate(arrays):
        loop(m, number, w, is_last=number == layers - 1)
    return m.build()


def loop(m: ModuleBuilder, number: int, w: dict[str, Array], is_last: bool) -> None:
    """One layer over the rows of x: all its hidden states, or of the last layer the last one."""
    inputs, counter = w["w_x"].shape[1], "Tensor[(), int64]"
    given = {"i": counter, "steps": counter, "x": f"Tensor[(?t, {inputs}), float32]", "h": STATE, "c": STATE}
    if not is_last:
        given["seen"] = f"Tensor[(?seen, {UNITS}), float32]"
    result = STATE if is_last else f"Tensor[(?, {UNITS}), float32]"
    with m.function(f"layer{number}", result=result, **given) as (f, i, steps, x, h, c, *seen):

        def step(f: Block) -> Node:
            with f.at(f"layer{number}"):
                w_x, w_h, b = (f.constant(w[name], f"l{number}_{name}") for name in ("w_x", "w_h", "b"))
                below = f.reshape(f.take(x, i), shape=(1, inputs))
                gates = f.reshape(f.dense(below, w_x) + b, shape=(1, 4, UNITS))
                after_c, after_h = f.unpack(f.gated_dense(h, w_h, gates, c, cell=CELL, start="pre[m, g, u]"), 2)
                grown = [f.concat(rows, after_h, axis=0) for rows in seen]
            return f.call_global(f"layer{number}", i + 1, steps, x, after_h, after_c, *grown)

        f.result(f.if_(i < steps, step, lambda f: (h, *seen)[-1]))


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
