"""Blocked layouts: what the packing nests of templates make, read off them and undone; and what is no layout."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anytile.codegen.cache import CodeCache
from anytile.codegen.load.loader import Loaded
from anytile.dispatch.cpu.build import compile_plan
from anytile.dispatch.cpu.constants import pack
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.primitives.blocked_layout import Blocked, layouts_of, layouts_text, packed_bytes
from anytile.schedules.templates.registry import templates_for
from anytile.schedules.workloads.workload import Workload

TARGET = Target.host(threads=1)


@st.composite
def layouts(draw: st.DrawFn) -> tuple[Blocked, tuple[int, ...]]:
    """A layout and the shape of a raw operand that it holds, its last blocks not full."""
    shape = tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=5)))
    order = draw(st.permutations(range(len(shape))))
    dims = draw(st.integers(1, len(shape)))
    cuts = (
        [0, *sorted(draw(st.sets(st.integers(1, len(shape) - 1), max_size=dims - 1))), len(shape)] if dims > 1 else []
    )
    spans = list(itertools.pairwise(cuts)) or [(0, len(shape))]
    made = Blocked(shape, tuple(tuple(order[a:b]) for a, b in spans))
    padded = made.padded([0] * len(spans))
    return made, tuple(draw(st.integers(1, p)) for p in padded)


@pytest.mark.sampled(0)
@given(layouts())
def test_packed_element_by_element_and_undone(made: tuple[Blocked, tuple[int, ...]]) -> None:
    layout, shape = made
    raw = np.arange(1, np.prod(shape) + 1, dtype=np.float32).reshape(shape)
    slow = np.zeros(layout.shape, np.float32)
    for place in np.ndindex(*layout.shape):
        index = []
        for axes in layout.digits:
            number = 0
            for axis in axes:
                number = number * layout.shape[axis] + place[axis]
            index.append(number)
        if all(i < d for i, d in zip(index, shape, strict=True)):
            slow[place] = raw[tuple(index)]
    np.testing.assert_array_equal(layout.packed(raw), slow)
    np.testing.assert_array_equal(layout.unpacked(np.append(slow, [7]), shape), raw)
    assert layouts_of(layouts_text([layout, layout])) == (layout, layout)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "dense(m=?m, n=77, k=13, const=w)",
        "dense(m=?m, n=96, k=32, const=w)",
        "dense(m=1, n=5, k=1, const=w)",
        "conv2d(n=1, ci=5, h=7, w=7, co=19, kh=3, kw=3, pad=1, const=w)",
        "batch_matmul(b=2, m=?m, n=33, k=9, const=rhs)",
        "gated_dense(m=?m, u=21, k=10, gates=3, cell=y2 = z0 + z1 * z2, const=w)",
    ],
)
def test_what_templates_pack_is_told_by_their_layout(text: str) -> None:
    """The default and some other configs, packed by their compiled code and by what the artifact says of it."""
    workload = Workload.parse(text)
    told = 0
    for template in templates_for(workload, TARGET):
        space = template.space(workload, TARGET)
        for config in (template.default(workload, TARGET), *space.sample(random.Random(0), 3)):
            artifact = compile_plan(single_plan(workload, TARGET, template.name, config, classes=0), cache=CodeCache())
            loaded = Loaded(artifact)
            for p in artifact.packed:
                dims = [0] * len(workload.symbols)
                shape = workload.shape(p.operand, dict.fromkeys(workload.symbols, 0))
                raw = np.random.default_rng(0).standard_normal(shape, dtype=np.float32)
                found = pack(loaded, p, raw, dims)
                if p.layout:
                    told += 1
                    np.testing.assert_array_equal(packed_bytes(layouts_of(p.layout), raw), found)
    assert told


@pytest.mark.parametrize("axis", range(4))
def test_a_dimension_of_one_element_may_be_left_out(axis: int) -> None:
    """The kernel of a convolution of rows is one of images, of one row."""
    sizes = [5, 3, 4, 2]
    sizes[axis] = 1
    layout = Blocked((*((d + 1) // 2 if d > 1 else 1 for d in sizes), *(2 if d > 1 else 1 for d in sizes)),
                     tuple((i, i + 4) for i in range(4)))  # fmt: skip
    whole = np.random.default_rng(0).standard_normal(sizes, dtype=np.float32)
    fewer = whole.squeeze(axis)
    np.testing.assert_array_equal(layout.packed(fewer), layout.packed(whole))
    np.testing.assert_array_equal(layout.unpacked(layout.packed(fewer), fewer.shape), fewer)
    for shape in (fewer.shape[1:], (*sizes, 1), (9, *fewer.shape[1:])):
        with pytest.raises(ValueError, match="does not hold"):
            layout.padded(shape)


def test_a_layout_that_differs_is_seen() -> None:
    raw = np.arange(24, dtype=np.float32).reshape(4, 6)
    one, other = Blocked((2, 6, 2), ((0, 2), (1,))), Blocked((2, 6, 2), ((2, 0), (1,)))
    assert not np.array_equal(one.packed(raw), other.packed(raw))


@pytest.mark.parametrize(
    "text",
    [
        *("", "[", "[]", "7", "[7]", '[["a","b"]]', "[" * 100_000),
        *("[[[2],[[0],[0]]]]", "[[[2,2],[[0]]]]", "[[[-1],[[0]]]]", "[[[0],[[0]]]]"),
        *("[[[true],[[0]]]]", "[[[2.0],[[0]]]]", f"[[[{2**60}],[[0]]]]"),
        f"[[{[1] * 40},{[[i] for i in range(40)]}]]",
    ],
)
def test_hostile_texts_are_one_kind_of_error(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        layouts_of(text)


def test_what_does_not_fit_is_refused() -> None:
    layout = Blocked((2, 3), ((0,), (1,)))
    with pytest.raises(ValueError, match="does not hold"):
        layout.unpacked(np.zeros(6, np.float32), (3, 3))
    with pytest.raises(ValueError, match="fewer"):
        layout.unpacked(np.zeros(5, np.float32), (2, 3))
