"""Steps that say where elements lie: shapes, axes, slices, pieces, what is put beside them."""

from __future__ import annotations

from tests.support.generators.functions.growth import Growth, Step, Value, need
from tests.support.generators.functions.operands import alike, any_axis, any_value, before, last, ranked, shape


def reshape(g: Growth, x: Value) -> None:
    need(x.rank > 0)
    sizes, i = shape(x), g.rng.randrange(x.rank)
    ways = [f"{x}.reshape(-1)", f"{x}.flatten({i})", f"{x}.reshape({', '.join(sizes[::-1])})"]
    if x.rank > 1:
        i = g.rng.randrange(x.rank - 1)
        ways += [f"{x}.reshape({', '.join([*sizes[:i], '-1', *sizes[i + 2 :]])})", f"{x}.flatten(0, 1)"]
        ways += [f"{x}.reshape({', '.join([*sizes[:i], f'{sizes[i]} * {sizes[i + 1]}', *sizes[i + 2 :]])})"]
    if x.dim(-1) and x.dim(-1) % 2 == 0:
        ways += [f"{x}.reshape(*{x}.shape[:-1], 2, -1)", f"{x}.unflatten(-1, (-1, 2))", f"{x}.view(-1, 2)"]
        ways += [f"{x}.contiguous().view({', '.join(['-1', *sizes[1:-1], '2'])})"]
    g.one(g.rng.choice(ways))


def permute(g: Growth, x: Value) -> None:
    need(x.rank > 1)
    order = list(range(x.rank))
    g.rng.shuffle(order)
    a, b = g.rng.sample(range(x.rank), 2)
    g.one(
        g.pick(
            *(f"{x}.permute({order})", f"{x}.permute({order}).contiguous()", f"{x}.transpose({a}, {b})"),
            *(f"{x}.movedim({a}, {b})", f"{x}.mT", f"{x}.swapaxes({a}, {b - x.rank})"),
        )
    )


def rearrange(g: Growth, x: Value) -> None:
    """As heads and patches are split off, turned and joined again."""
    need(x.rank == 3)
    b, n, c = shape(x)
    k = g.pick(2, 4)
    if x.dim(2) and x.dim(2) % k == 0:
        y = g.one(g.pick(f"{x}.view({b}, {n}, {k}, -1)", f"{x}.reshape({b}, {n}, {k}, {c} // {k})"))
        y = g.one(g.pick(f"{y}.permute(0, 2, 1, 3)", f"{y}.transpose(1, 2)", f"{y}.permute(2, 0, 3, 1)"))
        if g.chance(0.5):
            y = g.one(f"{y} * 2")
        s = shape(y)
        g.one(g.pick(f"{y}.reshape({b}, -1, {n})", f"{y}.flatten(0, 1)", f"{y}.reshape({s[0]} * {s[1]}, {s[2]}, -1)"))
    else:
        y = g.one(f"{x}.permute(0, 2, 1)")
        g.one(g.pick(f"{y}.reshape({b}, -1)", f"{y}.reshape({b} * {c}, {n})", f"{y}.unsqueeze(1).flatten(2)"))


def squeeze(g: Growth, x: Value) -> None:
    a = any_axis(g, x)
    g.one(g.pick(f"{x}.unsqueeze({a})", f"{x}.squeeze({a})", f"{x}[None]", f"{x}[..., None]", f"{x}.squeeze()"))


def expand(g: Growth, x: Value) -> None:
    y, a, at = any_value(g), any_axis(g, x), g.rng.randint(0, x.rank)
    g.one(
        g.pick(
            *(
                f"{x}.expand_as({y})",
                f"{x}.unsqueeze(0).expand(3, {', '.join(['-1'] * x.rank)})",
                f"{x}.repeat(2, *[1] * {x.rank})",
            ),
            *(f"torch.broadcast_to({x}, {y}.shape)", f"{x}.repeat({', '.join(str(g.pick(1, 2)) for _ in shape(x))})"),
            *(f"{x}.repeat_interleave({g.pick(2, 3)}, {a})", f"torch.tile({x}, (2,))", f"{x}.repeat_interleave(2)"),
            f"{x}.unsqueeze({at}).expand({', '.join(['-1'] * at + ['2'] + ['-1'] * (x.rank - at))})",
        )
    )


def slices(g: Growth, x: Value) -> None:
    a = any_axis(g, x)
    size = f"{x}.shape[{a}]"
    s = g.pick(
        ":-1", "1:", "::2", ":3", "-2:", "1:-1", f":{size} // 2", f"{size} // 2:", "0", "-1", "None", "1::2", ":-2:3"
    )
    ways = [f"{x}[{before(x, a)}{s}]", f"{x}.narrow({a}, 0, {size} // 2 + 1)", f"{x}.select({a}, -1)"]
    ways += [
        f"{x}[..., {s}]",
        f"{x}[1:, ..., :-1]",
        f"{x}[{size} - 1]",
        f"{x}.narrow({a}, -1, 1)",
        f"{x}[{before(x, a)}{s}]",
    ]
    g.one(g.rng.choice(ways))


def index(g: Growth, x: Value) -> None:
    """By numbers of a constant, or of another value."""
    a = any_axis(g, x)
    least = x.least(a)
    i = g.ints(-least, least, *g.pick((1,), (3,), (4,), (2, 3)))
    positive = f"{i} % {x}.shape[{a}]"
    at = f"{x}[{before(x, a)}{i}]"
    ways = [at, f"torch.index_select({x}, {a}, ({positive}).flatten())", f"{at}.sum()", f"torch.take({x}, {positive})"]
    ways += [f"{x}[{before(x, a)}[0, -1]]", f"{x}[{before(x, a)}torch.tensor([0, -1, 0])]"]
    whole = [v for v in g.values.values() if v.dtype == "int64" and v.rank]
    if whole:
        ways += [f"{x}[{before(x, a)}{g.rng.choice(whole)} % {x}.shape[{a}]]"] * 2
    if x.rank > 1:
        rows, columns = g.ints(0, x.least(0), 3), g.ints(0, x.least(1), 3)
        ways += [
            f"{x}[{rows}, {columns}]",
            f"{x}[{rows}[:, None], {columns}]",
            f"{x}[{rows}, 1:]",
            f"{x}[:, {columns}, None]",
        ]
    g.one(g.rng.choice(ways))


def pad(g: Growth, x: Value) -> None:
    need(x.dtype != "bool")
    a, b = g.pick(0, 1, 2), g.pick(0, 1, 3)
    mode = g.pick("reflect", "replicate", "circular")
    g.one(
        g.pick(
            *(f"F.pad({x}, ({a}, {b}))", f"F.pad({x}, ({a}, {b}, 1, 0))", f"F.pad({x}, ({a}, {b}), mode='{mode}')"),
            *(f"F.pad({x}, ({-a}, {b}), value=1.5)", f"F.pad({x}, (0, 0, {a}, {b}), value=-1.0)"),
            *(f"F.pad({x}, (1, 1, 1, 0), mode='{mode}')", f"F.pad({x}, (0, 8 - {x}.shape[-1] % 8))"),
        )
    )


def cat(g: Growth, x: Value) -> None:
    a, y = any_axis(g, x), ranked(g, x)
    z = alike(g, x)
    g.one(
        g.pick(
            *(f"torch.cat([{x}, {y}], {a})", f"torch.cat([{x}, {x}[{before(x, a)}:1], {y}], dim={a})"),
            *(f"torch.stack([{x}, {z}], {g.rng.randint(0, x.rank)})", f"torch.hstack([{x}, {y}])"),
            *(f"torch.vstack(({x}, {y}))", f"torch.stack(({z}, {x}), -1).flatten(-2)"),
        )
    )


def pieces(g: Growth, x: Value) -> None:
    a = any_axis(g, x)
    i, k = g.pick(0, -1, 1), g.pick(1, 2, 3, 4)
    ways = [f"torch.split({x}, {k}, {a})[{i}]", f"{x}.chunk({g.pick(2, 3)}, {a})[{i}]", f"{x}.unbind({a})[{i}]"]
    ways += [f"torch.tensor_split({x}, {k}, {a})[{i}]", f"{x}.split([1, {x}.shape[{a}] - 1], {a})[{i}]"]
    g.one(g.rng.choice(ways))


def turned(g: Growth, x: Value) -> None:
    a = any_axis(g, x)
    g.one(
        g.pick(
            *(f"torch.roll({x}, {g.pick(1, -1, 2)}, {a})", f"torch.flip({x}, [{a}])", f"{x}.roll((1, 2), (0, {a}))"),
            *(f"torch.rot90({x}, 1, (0, {a}))", f"{x}.flip(0, -1)", f"{x}.fliplr()"),
        )
    )


def windows(g: Growth, x: Value) -> None:
    a = any_axis(g, x)
    need(x.least(a) >= 2)
    g.one(g.pick(f"{x}.unfold({a}, 2, {g.pick(1, 2)})", f"{x}.unfold({a}, 2, 1).sum(-1)"))


def diagonals(g: Growth, x: Value) -> None:
    need(x.rank >= 2)
    g.one(
        g.pick(
            *(f"torch.tril({x})", f"torch.triu({x}, 1)", f"{x}.diagonal(dim1=-2, dim2=-1)", f"torch.diag_embed({x})"),
            *(
                f"{x}.diagonal(1, 0, 1)",
                f"{x}.tril(-1) + {x}.triu(1)",
                f"torch.block_diag({x}.flatten(1), {x}.flatten(1))",
            ),
        )
    )


def halves(g: Growth, x: Value) -> None:
    """Halves of the last dimension that are turned into each other, as angles of positions are."""
    need(x.is_float and last(x) % 2 == 0)
    y = alike(g, x)
    if g.chance(0.5):
        turned_ = f"torch.cat((-{x}[..., {x}.shape[-1] // 2:], {x}[..., :{x}.shape[-1] // 2]), -1)"
    else:
        turned_ = f"torch.stack((-{x}[..., 1::2], {x}[..., ::2]), -1).flatten(-2)"
    g.one(f"{x} * {y}.cos() + {turned_} * {y}.sin()")


def same(g: Growth, x: Value) -> None:
    """What may be the same tensor, or a view of all of it."""
    y = any_value(g)
    ways = [f"{x}.contiguous()", f"{x}.to({x}.dtype)", f"{x}.detach()", f"{x}.expand({x}.shape)", f"{x}.view_as({x})"]
    ways += [
        f"{x}[:]",
        f"{x}.flatten()",
        f"{x}.float()",
        f"{x}.type_as({y})",
        f"F.dropout({x}, 0.5, False)",
        f"{x}.mT.mT",
    ]
    ways += [
        f"{x}.reshape({x}.shape)",
        f"{x} + 0",
        f"{x}.reshape_as({x})",
        f"{x}.ravel()",
        f"{x}.squeeze(-1).unsqueeze(-1)",
    ]
    if x.dtype == "float32":
        ways += [f"{x}.view(torch.int32) >> 8", f"{x}.view(torch.int32).view(torch.float32)"]
    ways += [f"{x}.as_strided(({x}.shape[0] // 2 + 1, {x}.shape[-1]), ({x}.stride(0), {x}.stride(-1)))"]
    g.one(g.rng.choice(ways))


STEPS: dict[Step, int] = {
    reshape: 7, permute: 5, rearrange: 3, squeeze: 2, expand: 3, slices: 6, index: 3, pad: 3, cat: 4, pieces: 3,
    turned: 2, windows: 1, diagonals: 1, halves: 1, same: 2,
}  # fmt: skip
