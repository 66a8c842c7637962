"""A layer that is only cut into columns is a layer for each cut, and one kernel in the end; others stay whole."""

from __future__ import annotations

import pytest

from anytile.compiler.ir.nodes import is_operator_call, operator_of
from anytile.compiler.ir.traverse import nodes
from tests.support.cases.compiled_modules import Compiled, check, compile_text, random

LAYER = "let y = add(dense(x, $w), $b); "


def cut(begin: int, end: int, more: str = "", of: str = "y") -> str:
    return f"slice({of}, axes=(-1,), start=({begin},), stop=({end},){more})"


def made(body: str) -> tuple[Compiled, list[str]]:
    """A model, checked at some sizes, and the operators that main calls in the end."""
    constants = {"w": random(1, 12, 6), "b": random(2, 12), "row": random(3, 12), "one": random(4, 1)}
    found = compile_text(f"def main(x: Tensor[(?t, 6), float32]) {{ {body} }}", **constants)
    for t in (0, 1, 5):
        check(found, random(9, t, 6), tolerance=1e-4)
    return found, [name for e in nodes(dict(found.stages)["dead_code"].main.body) if (name := operator_of(e))]


@pytest.mark.parametrize(
    "body",
    [
        f"{LAYER}({cut(0, 4)}, {cut(4, 8)}, {cut(8, 12)})",
        f"let y = dense(x, $w); ({cut(0, 4)}, {cut(4, 8)}, {cut(8, 12)})",
        f"let y = add($b, dense(x, $w)); ({cut(8, 12)}, {cut(0, 4)}, {cut(-8, -4)})",
    ],
)
def test_three_cuts_are_three_layers_and_one_kernel(body: str) -> None:
    found, left = made(body)
    assert "slice" not in left
    assert left.count("dense") == 3
    assert [k.workload.partition("(")[0] for k in found.exe.kernels if k.kind == "kernel"] == ["gated_dense"]


def test_cuts_need_not_be_alike_nor_all() -> None:
    assert made(f"{LAYER}({cut(0, 3)}, {cut(3, 10)})")[1].count("dense") == 2


@pytest.mark.parametrize(
    "body",
    [
        f"{LAYER}({cut(0, 8)}, {cut(4, 12)})",  # some columns twice
        f"{LAYER}({cut(0, 4)}, tanh(y))",  # read whole
        f"{LAYER}({cut(0, 8, ', step=(2,)')}, {cut(8, 12)})",
        f"{LAYER}slice(y, axes=(0,), start=(0,), stop=(1,))",  # rows
        f"let d = dense(x, $w); let y = add(d, $b); ({cut(0, 4)}, d)",  # the product is read before it is added to
        f"let y = add(dense(x, $w), $one); ({cut(0, 4)}, {cut(4, 8)})",  # what is added has no element for each column
        f"let y = tanh(dense(x, $w)); ({cut(0, 4)}, {cut(4, 8)})",
    ],
)
def test_others_stay_whole(body: str) -> None:
    left = made(body)[1]
    assert "slice" in left
    assert left.count("dense") == 1


def test_layers_of_one_weight_share_what_is_cut_of_it() -> None:
    """As the steps of a recurrent layer do, where each would have a copy for itself."""
    again = "let z = add(dense(tanh(x), $w), $b); "
    cuts = ", ".join(cut(*columns, of=layer) for layer in "yz" for columns in ((0, 6), (6, 12)))
    found, _ = made(f"{LAYER}{again}({cuts})")
    layers = [e for e in nodes(dict(found.stages)["dead_code"].main.body) if is_operator_call(e, "dense", "add")]
    assert len(layers) == 8
    assert len({id(e.args[1]) for e in layers}) == 4  # two parts of the weight and of the bias
