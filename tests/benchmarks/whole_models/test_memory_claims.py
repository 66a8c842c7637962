"""The floors of the memory benchmark, from invented rows; a small network measured; and what its networks are."""

from __future__ import annotations

import pytest

from anytile.compiler.ir import memory_dialect as dialect
from anytile.compiler.ir.nodes import Constant, is_operator_call
from anytile.compiler.ir.traverse import nodes, steps
from anytile.compiler.pipeline import optimise
from anytile.schedules.hardware.target import Target
from benchmarks.measure.harness import Row
from benchmarks.overheads import vm
from benchmarks.subjects import networks
from benchmarks.whole_models import memory


def row(model: str, images: int, what: str, nbytes: float) -> Row:
    return Row({"model": model, "images": images, "size": 224, "unit": "bytes"}, what, nbytes, 0.0, 0.0, 1)


def test_each_network_is_held_to_its_own_static_plan() -> None:
    rows = [row("a", 1, memory.PEAK, 108), row("a", 1, memory.FOUND, 100), row("a", 1, memory.BOUND, 90)]
    rows += [row("a", 3, memory.PEAK, 330), row("a", 3, memory.FOUND, 300), row("a", 3, memory.BOUND, 300)]
    first, second = memory.claims(rows)
    assert (first.value, second.value) == (1.08, 1.1)
    assert (first.ok, second.ok) == (True, False)


@pytest.mark.slow
def test_a_small_network_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    def small(f: networks.Block, x: networks.Node, size: int) -> networks.Node:
        at = networks.Layers(f, x).conv(16, 3, 2)
        return networks.Layers(f, at.x + at.conv(16, 3).x, 16).pool(2).means()

    monkeypatch.setitem(networks.NETWORKS, "small", small)
    rows = memory.rows_of("small", 2, 32, vm.Compiler(Target.host(threads=1), None))
    peak, found, bound = (r.seconds for r in rows)
    image = 2 * 16 * 16 * 16 * 4
    assert bound <= found <= peak
    assert bound >= 2 * image  # what is added, and what it is added to


@pytest.mark.parametrize(
    ("name", "convolutions", "weights"),
    [
        (networks.RESNET, 53, 25_530_472),
        (networks.MOBILENET, 52, 3_487_816),
        (networks.VGG, 16, 143_667_240),
        (networks.SQUEEZENET, 26, 1_235_496),
    ],
)
def test_the_networks_are_those(name: str, convolutions: int, weights: int) -> None:
    """As many numbers as the papers' networks have, normalisations in their convolutions."""
    body = networks.network(name, "?n", 224).main.body
    arrays = {id(e): e.array for e in nodes(body) if isinstance(e, Constant) and e.array.ndim}
    assert sum(is_operator_call(e, "conv2d") for e in nodes(body)) == convolutions
    assert sum(a.size for a in arrays.values()) == weights


@pytest.mark.parametrize("name", networks.NETWORKS)
def test_a_network_has_one_arena_of_any_number_of_images(name: str) -> None:
    body = optimise(networks.network(name, "?n", 64)).main.body
    made = [v for _, v in steps(body) if dialect.name_of(v) == dialect.ALLOC_STORAGE]
    assert sum("conv2d" in v.where for v in made) == 1
