"""Which convolutions are made by minimal filtering untuned, and what the estimate behind that goes by."""

from __future__ import annotations

import pytest

from anytile.schedules.hardware.cpu import facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.few_and_many import few_and_many
from anytile.schedules.templates.cpu.winograd.conv2d_winograd import Conv2dWinograd
from anytile.schedules.templates.cpu.winograd.estimate import Chunk, clocks, clocks_as_defined
from anytile.schedules.templates.registry import template, templates_for
from anytile.schedules.workloads.constructors import conv2d
from anytile.schedules.workloads.workload import Any, Dim, Workload

WINOGRAD = template("conv2d.winograd")
CPUS = ("znver4", "haswell", "nehalem")
ONE = Target.parse("llvm -mcpu=znver4 -threads=1")


def _layer(size: Dim, channels: int, n: Dim = 1, outputs: int | None = None, width: Dim = 56,
           **more: object) -> Workload:  # fmt: skip
    """Images are square where their height is known."""
    co = channels if outputs is None else outputs
    across = size if isinstance(size, int) else width
    return conv2d(n, channels, size, across, co, 3, 3, pad=1, layout="nhwc", const=("w",), **more)


def _first(workload: Workload, target: Target = ONE) -> str:
    return templates_for(workload, target)[0].name


@pytest.mark.parametrize("cpu", CPUS)
def test_large_images_of_many_channels_are_filtered(cpu: str) -> None:
    """On any CPU: whose vectors are shorter has more of them to save."""
    target = Target.parse(f"llvm -mcpu={cpu} -threads=1")
    for size, channels in ((56, 64), (28, 128), (14, 256), (224, 64), (112, 32)):
        for n in (1, 8, Any("n")):
            assert _first(_layer(size, channels, n), target) == WINOGRAD.name
    assert _first(_layer(Any("h"), 64), target) == WINOGRAD.name


@pytest.mark.parametrize("cpu", CPUS)
def test_small_images_and_few_channels_are_not(cpu: str) -> None:
    """Of 2 by 2 pixels a tile has 4 by 4."""
    target = Target.parse(f"llvm -mcpu={cpu} -threads=1")
    for size, channels in ((2, 64), (2, 256), (2, 512)):
        assert _first(_layer(size, channels), target) == "conv2d.direct"
    assert _first(_layer(56, 64, algorithm="direct"), target) == "conv2d.direct"


def test_a_larger_weight_costs_where_products_cost_little() -> None:
    """Of few pixels, out of memory: what shorter vectors multiply meanwhile is worth more than the bytes."""
    short, long = (Target.parse(f"llvm -mcpu={cpu} -threads=1") for cpu in ("nehalem", "icelake-server"))
    layer = _layer(7, 512).streaming(("w",))
    assert (_first(layer, long), _first(layer, short)) == ("conv2d.direct", WINOGRAD.name)


def test_one_vector_in_a_clock_makes_products_dear() -> None:
    """Zen 4 multiplies one of 512 bits where others do two, but two of 256 bits."""
    one, two = (Target.parse(f"llvm -mcpu={cpu} -threads=1") for cpu in ("znver4", "icelake-server"))
    assert [facts(t).multiplied for t in (one, two)] == [1, 2]
    assert facts(Target.parse("llvm -mcpu=znver4 -mattr=-avx512f -threads=1")).multiplied == 2
    for size, channels in ((6, 96), (7, 128)):
        assert (_first(_layer(size, channels), one), _first(_layer(size, channels), two)) == (
            WINOGRAD.name,
            "conv2d.direct",
        )


def test_threads_want_chunks_of_their_own() -> None:
    """Few tiles are few chunks: what one thread does faster so, many do faster side by side."""
    many = Target.parse("llvm -mcpu=icelake-server -threads=64")
    assert _first(_layer(56, 64), many) == "conv2d.direct"
    assert _first(_layer(56, 64, 64), many) == WINOGRAD.name


def test_threads_share_the_larger_of_both() -> None:
    """A large weight is read by parts, where each chunk would read all of it; large images have chunks enough."""
    two = Target.parse("llvm -mcpu=znver4 -threads=2")
    layers = (_layer(56, 64), _layer(224, 64), _layer(14, 256), _layer(7, 512), _layer(Any("h"), 512, width=Any("v")))
    shared = [WINOGRAD.default(layer, two)["parallel"] for layer in layers]
    assert shared == ["outer", "outer", "channels", "channels", "channels"]


def test_the_estimate_grows_with_the_work() -> None:
    for config in (WINOGRAD.default(_layer(28, 64), ONE).with_(out=out) for out in (2, 4)):
        of = [clocks(_layer(28, 64, n), ONE, config) for n in (1, 2, 8)]
        assert of == sorted(of)
        assert of[2] < 8.5 * of[0]
        assert clocks(_layer(28, 64).streaming(("w",)), ONE, config) > of[0]
        assert clocks(_layer(28, 128), ONE, config) > 2 * of[0]
    assert clocks_as_defined(_layer(28, 64), ONE) > clocks(_layer(28, 64), ONE, WINOGRAD.default(_layer(28, 64), ONE))


def test_bfloat16_that_is_multiplied_is_not_filtered() -> None:
    """Two terms in a clock where one of float32 is: few transforms are worth that."""
    having, without = (Target.parse(f"llvm -mcpu={cpu} -threads=1") for cpu in ("cooperlake", "icelake-server"))
    narrow = _layer(14, 128, dtype="bfloat16")
    assert clocks_as_defined(narrow, having) < 0.6 * clocks_as_defined(narrow, without)
    assert (_first(narrow, having), _first(narrow, without)) == ("conv2d.direct", WINOGRAD.name)


@pytest.mark.parametrize(
    ("layer", "knobs", "expected"),
    [
        (_layer(28, 64), {"out": 4, "chunk": 16}, (3, 6)),
        (_layer(28, 64), {"out": 4, "chunk": 256}, (9, 6)),  # 49 tiles in all
        (_layer(28, 64, 8), {"out": 4, "chunk": 256}, (43, 6)),
        (_layer(28, 64, 3), {"out": 4, "chunk": 256}, (25, 6)),
        (_layer(28, 64, 0), {"out": 4, "chunk": 256}, (1, 6)),
        (_layer(Any("h"), 64, 8), {"out": 2, "chunk": 64}, (11, 6)),
        (_layer(Any("h"), 64, width=Any("v")), {"out": 2, "chunk": 64}, (11, 6)),
    ],
)
def test_chunks(layer: Workload, knobs: dict[str, int], expected: tuple[int, int]) -> None:
    """As near to what was asked for as whole register tiles come, and no more of them than there are."""
    chunk = Chunk.of(layer, WINOGRAD.default(layer, ONE).with_(tile_t=6, tile_c=4, **knobs))
    assert (chunk.rounds, chunk.rows, chunk.few) == (*expected, 2)


def test_few_rows_are_enough_sums_to_be_busy() -> None:
    layer = _layer(28, 64)
    few = [Chunk.of(layer, WINOGRAD.default(layer, ONE).with_(tile_t=9, tile_c=wide)).few for wide in (1, 2, 3, 4, 6)]
    assert few == [8, 4, 3, 2, 2]
    assert Chunk.of(layer, WINOGRAD.default(layer, ONE).with_(tile_t=3, tile_c=2)).few == 3


@pytest.mark.parametrize("cpu", CPUS)
def test_images_of_any_size_are_filtered(cpu: str) -> None:
    """What networks have about so many pixels of as their channels say stands for them."""
    target = Target.parse(f"llvm -mcpu={cpu} -threads=1")
    for channels in (32, 64, 128, 256):
        for n in (1, Any("n")):
            assert _first(_layer(Any("h"), channels, n, width=Any("v")), target) == WINOGRAD.name
    few, many = (WINOGRAD.default(_layer(Any("h"), c, width=Any("v")), ONE) for c in (64, 512))
    assert (few.int("out"), many.int("out")) == (4, 2)  # small images do not pay for a weight four times as large


@pytest.mark.parametrize("cpu", ["znver4", "haswell", "icelake-client"])
def test_many_images_have_a_config_of_their_own_where_it_pays(cpu: str) -> None:
    """Of few pixels the weight is most of what is read: smaller tiles of one image, larger ones of many."""
    target, found = Target.parse(f"llvm -mcpu={cpu} -threads=1"), []
    filtered = Conv2dWinograd()
    for channels, side in ((64, 56), (512, 7), (1024, 7), (2048, 4)):
        any_number = _layer(side, channels, Any("n"))
        assert filtered.many(_layer(side, channels, 8), target) is None
        many, few = filtered.many(any_number, target), filtered.default(any_number, target)
        plan, leads = few_and_many(any_number, target), filtered.leads(any_number, target)
        assert (plan is None) == (many is None)
        if plan is None or many is None:
            continue
        assert (plan.symbol, plan.ranges[-1].low) == ("n", many[0])
        assert [v.template for v in plan.variants] == [filtered.name if leads else "conv2d.direct", filtered.name]
        found.append(channels)
        one, several = any_number.bind(n=1), any_number.bind(n=many[0])
        for there, gains in ((one, False), (several, True)):
            before = clocks(there, target, few) if leads else clocks_as_defined(there, target)
            assert (clocks(there, target, many[1]) < before) == gains
    assert found
    assert 64 not in found


@pytest.mark.parametrize("leads", [False, True])
def test_a_template_that_leads_behind_another_has_no_many_there(monkeypatch: pytest.MonkeyPatch, leads: bool) -> None:
    """Of few channels both may lead; from how many on filtering beats itself says nothing of the one before it."""
    layer = _layer(7, 64, Any("n"), 8)
    monkeypatch.setattr(Conv2dWinograd, "leads", lambda *_: leads)
    monkeypatch.setattr(Conv2dWinograd, "many", lambda *_: (2, WINOGRAD.default(layer, ONE)))
    assert _first(layer) == "conv2d.direct"
    assert (few_and_many(layer, ONE) is None) == leads
