"""A child-sum Tree-LSTM over trees of any shape, with random weights from a seed: the hidden state of the root.

    python examples/tree_lstm.py --leaves 5

A tree is a data type: a leaf is a word's vector, a node has any number of children. A node adds the hidden states of
its children for the gates i, o and u, and each child's memory goes through a forget gate of its own.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from numpy.typing import NDArray

import anytile
from anytile.compiler.builder import Block, ModuleBuilder, Node
from anytile.compiler.module import Module

Array = NDArray[np.float32]
INPUT, UNITS = 300, 150
LEAF = "c2 = sigmoid(z0) * tanh(z2); h2 = sigmoid(z1) * tanh(c2)"  # gates i, o, u
JOIN = "c2 = sigmoid(z0) * tanh(z2) + kept[m, u]; h2 = sigmoid(z1) * tanh(c2)"
CHILD = "kept2 = sigmoid(z0) * c[m, u]"  # operands are passed in the order in which they stand here


def weights(seed: int = 0) -> dict[str, Array]:
    """w of a leaf's word [3, u, inputs], v of the sum of children [3, u, u], f of one child [1, u, u], with biases."""
    rng = np.random.default_rng(seed)

    def uniform(*shape: int) -> Array:
        scale: float = shape[-1] ** -0.5
        return (rng.uniform(-1, 1, shape) * scale).astype(np.float32)

    matrices = {"w": uniform(3, UNITS, INPUT), "v": uniform(3, UNITS, UNITS), "f": uniform(1, UNITS, UNITS)}
    return {**matrices, "b": uniform(3, UNITS), "b_f": uniform(1, UNITS)}


def tree_lstm(seed: int = 0) -> Module:
    m = ModuleBuilder()
    state = f"Tensor[(1, {UNITS}), float32]"
    both = f"({state}, {state})"
    m.data("Trees", Nil=[], Cons=["Tree", "Trees"])
    m.data("Tree", Leaf=[f"Tensor[(1, {INPUT}), float32]"], Node=["Trees"])
    arrays = weights(seed)
    zero = np.zeros((1, UNITS), np.float32)

    def constant(f: Block, name: str) -> Node:
        return f.constant(arrays[name], name)

    with m.function("main", result=state, tree="Tree") as (f, tree):
        f.result(f.call_global("state", tree)[0])

    with m.function("state", result=both, tree="Tree") as (f, tree):  # (h, c) of one tree

        def leaf(f: Block, x: Node) -> Node:
            made = f.gated_dense(x, constant(f, "w"), constant(f, "b"), gates=3, cell=LEAF, start="b[g, u]")
            return f.tuple(made[1], made[0])

        def node(f: Block, children: Node) -> Node:
            h, kept = f.unpack(f.call_global("sums", children, zero, zero), 2)
            w, b = constant(f, "v"), constant(f, "b")
            made = f.gated_dense(h, w, b, kept, gates=3, cell=JOIN, start="b[g, u]")
            return f.tuple(made[1], made[0])

        f.result(f.match(tree, {"Leaf": leaf, "Node": node}))

    with m.function("sums", result=both, trees="Trees", h=state, kept=state) as (f, trees, h, kept):

        def cons(f: Block, first: Node, rest: Node) -> Node:
            its_h, its_c = f.unpack(f.call_global("state", first), 2)
            w, b = constant(f, "f"), constant(f, "b_f")
            more = f.gated_dense(its_h, w, b, its_c, gates=1, cell=CHILD, start="b[g, u]")
            return f.call_global("sums", rest, h + its_h, kept + more[0])

        f.result(f.match(trees, {"Nil": lambda f: f.tuple(h, kept), "Cons": cons}))
    return m.build()


def random_tree(leaves: int, rng: np.random.Generator, make: Any) -> Any:
    """A binary tree over so many random words; `make(constructor, *fields)` makes its values."""
    if leaves == 1:
        return make("Leaf", rng.standard_normal((1, INPUT), dtype=np.float32))
    left = int(rng.integers(1, leaves))
    children = (random_tree(left, rng, make), random_tree(leaves - left, rng, make))
    return make("Node", make("Cons", children[0], make("Cons", children[1], make("Nil"))))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--leaves", type=int, nargs="*", default=[1, 19])
    options = parser.parse_args()
    run = anytile.Session(anytile.compile(tree_lstm()))
    for leaves in options.leaves:
        tree = random_tree(leaves, np.random.default_rng(leaves), anytile.Data)
        print(leaves, run(tree).shape, run(tree).std())


if __name__ == "__main__":
    main()
