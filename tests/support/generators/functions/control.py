"""Steps of Python around tensors: choices by sizes, loops, sizes as numbers, masks and positions that are made."""

from __future__ import annotations

from tests.support.generators.functions.growth import Growth, Step, Value, need
from tests.support.generators.functions.operands import alike, any_axis, before, fits, shape


def by_size(g: Growth, x: Value) -> None:
    a = any_axis(g, x)
    size = f"{x}.shape[{a}]"
    test = g.pick(
        f"{size} > {g.pick(1, 2, 3, 8)}", f"{size} % 2 == 0", f"{x}.numel() > 60", f"{size} == {g.pick(1, 3, 8)}"
    )
    one, other = g.rng.sample((f"{x} * 2", f"torch.relu({x})", f"{x} - 1", f"{x}.flip({a})", f"{x}.cumsum({a})"), 2)
    name = g.fresh()
    if g.chance(0.5):
        g.take(f"{name} = {one} if {test} else {other}", name)
    else:
        g.take(f"if {test}:\n    {name} = {one}\nelse:\n    {name} = {other}", name)


def loop(g: Growth, x: Value) -> None:
    a = any_axis(g, x)
    k, name = g.pick(2, 3), g.fresh()
    ways = [
        f"{name} = torch.cat([t * (i + 1) for i, t in enumerate({x}.chunk({k}, {a}))], {a})",
        f"{name} = torch.cat([t.cumsum({a}) for t in {x}.split({k}, {a})], {a})",
        f"{name} = {x}\nfor i in range({k}):\n    {name} = {name} * 0.5 + i",
        f"{name} = sum(t.sum() for t in {x}.chunk({k}, {a}))",
    ]
    if 0 < x.dim(a) <= 8:
        ways += [
            f"{name} = torch.stack([t + i for i, t in enumerate({x}.unbind({a}))], {a})",
            f"{name} = 0\nfor t in {x}.unbind({a}):\n    {name} = {name} * 0.5 + t",
            f"{name} = torch.stack([{x}[{before(x, a)}i] for i in range({x}.shape[{a}])][::-1], {a})",
        ]
    g.take(g.rng.choice(ways), name)


def sizes(g: Growth, x: Value) -> None:
    """Dimensions as numbers among numbers."""
    a = any_axis(g, x)
    size = f"{x}.shape[{a}]"
    g.one(
        g.pick(
            *(
                f"{x} * {size}",
                f"{x} / ({size} ** 0.5)",
                f"{x} + {size} // 2",
                f"{x} * (1.0 / {size})",
                f"{x} - {x}.numel()",
            ),
            *(f"{x}.sum({a}) / {size}", f"{x} * min({size}, 4)", f"{x} + max({size}, 3) % 3", f"{x} * ({size} > 3)"),
            *(
                f"torch.tensor({size}) + {x}",
                f"{x} + torch.scalar_tensor({size})",
                f"{x} * {x}.dim()",
                f"{x} + len({x})",
            ),
            f"{x} * float({size})",
        )
    )


def made(g: Growth, x: Value) -> None:
    """Tensors that come from sizes alone."""
    a = any_axis(g, x)
    size, all_ = f"{x}.shape[{a}]", ", ".join(shape(x))
    g.one(
        g.pick(
            *(f"torch.arange({size})", f"{x} + torch.arange({x}.shape[-1])", f"torch.linspace(0, 1, {size})"),
            *(
                f"torch.ones({size}, 2)",
                f"torch.full_like({x}, 1.5)",
                f"torch.eye({size})",
                f"{x}.new_zeros({size}, 3) + 1",
            ),
            *(
                f"{x}.new_ones({all_})",
                f"{x}.new_full(({size},), 2)",
                f"torch.arange({size}, 0, -1)",
                f"torch.full(({size}, 2), 7)",
            ),
            *(
                f"torch.arange(1, {size} + 1, dtype=torch.float32)",
                f"torch.arange(0, 2 * {size}, 2)",
                f"torch.ones_like({x}).cumsum({a})",
            ),
            *(f"torch.meshgrid(torch.arange({size}), torch.arange(3), indexing='ij')[0]", f"{x}.new_tensor([1, 2, 3])"),
            *(
                f"torch.tril_indices({size}, {size})[0]",
                f"torch.zeros({all_}).float()",
                f"torch.empty({size}, 3).fill_(2)",
            ),
        )
    )


def masked(g: Growth, x: Value) -> None:
    """By positions, as padding and the future are left out."""
    need(x.rank >= 2)
    n, m = f"{x}.shape[-2]", f"{x}.shape[-1]"
    g.one(
        g.pick(
            f"{x}.masked_fill(torch.arange({m}) > torch.arange({n})[:, None], -1e3)",
            f"{x} * {x}.new_ones({n}, {m}).tril()",
            f"torch.where(torch.arange({m}) < {m} // 2, {x}, 0.0)",
            f"{x} + torch.triu(torch.full(({n}, {m}), -5.0), diagonal=1)",
            f"{x} * (torch.arange({n})[:, None] - torch.arange({m})).abs().clamp(max=3)",
            f"{x} * (torch.arange({m}) % 2 == 0)",
        )
    )


def positions(g: Growth, x: Value) -> None:
    """Angles of positions, and rows of a table up to a length."""
    need(x.is_float and x.rank >= 2 and x.dim(-1) > 0)
    n, k = f"{x}.shape[-2]", x.dim(-1)
    table = g.floats(40, k)
    angles = f"torch.outer(torch.arange({n}).float(), 0.5 ** torch.arange({k}))"
    g.one(
        g.pick(
            f"{x} + {table}[:{n}]",
            f"{x} + {table}[torch.arange({n})]",
            f"{x} * {angles}.cos()",
            f"{x} + F.embedding(torch.arange({n}), {table})",
        )
    )


def numbers(g: Growth, x: Value) -> None:
    """Arguments that are Python's numbers, or tensors of one."""
    scalars = [i.name for i in g.inputs if not i.arrays[0].ndim]
    need(bool(scalars))
    s = g.rng.choice(scalars)
    g.one(
        g.pick(
            f"{x} * {s}",
            f"{x} + {s}",
            f"{x}.clamp(max={s})",
            f"torch.where({x} > {s}, {x}, {s})",
            f"{x} / (1 + abs({s}))",
        )
    )


def autocast(g: Growth, x: Value) -> None:
    need(x.dtype == "float32" and x.rank >= 2 and x.dim(-1) > 0)
    w, name = g.floats(4, x.dim(-1), scale=x.dim(-1) ** -0.5), g.fresh()
    g.take(f"with torch.autocast('cpu', dtype=torch.bfloat16):\n    {name} = F.linear({x}, {w})", name)


def checked(g: Growth, x: Value) -> None:
    """What is the same at all sizes, said by an assertion, and two values of which shapes decide."""
    others = [v for v in g.values.values() if fits(v, x)]
    y, z, name = g.rng.choice(others), alike(g, x), g.fresh()
    g.take(
        g.pick(
            f"assert {x}.dim() == {x.rank}\n{name} = {x} + {z}",
            f"{name} = {x} * 2 if {x}.shape == {y}.shape else {x} * 3",
            f"{name} = {x} + {y} if {x}.is_floating_point() and {x}.shape[0] == {y}.shape[0] else {x}.clone()",
        ),
        name,
    )


STEPS: dict[Step, int] = {
    by_size: 3, loop: 3, sizes: 3, made: 4, masked: 3, positions: 2, numbers: 4, autocast: 1, checked: 1,
}  # fmt: skip
