"""Steps that write in place: copies, slices and views of them, inputs, and what the module holds."""

from __future__ import annotations

from tests.support.generators.functions.growth import Growth, Step, Value, need
from tests.support.generators.functions.operands import alike, any_axis, before, other_of

INTO = ("[..., ::2]", "[:, 1:]", "[0]", "[..., -1]", "[:1]", "[..., :-1]", "[-1, ...]", "[1:]", "[..., None]")


def _written(g: Growth, x: Value, target: str) -> str:
    """What writes a tensor, or a view that is called so, as x is laid."""
    number = g.pick("2", "0.5", "-1")
    return str(
        g.pick(
            *(f"{target}.add_({number})", f"{target}.mul_({number})", f"{target}.zero_()", f"{target}.fill_({number})"),
            *(f"{target}.clamp_(min=0)", f"{target}.neg_()", f"{target} += {number}", f"{target} *= {number}"),
            *(f"{target}.copy_({target} * 2)", f"{target}.masked_fill_({target} > 0, {number})", f"{target}.exp_()"),
            *(f"{target}.relu_()", f"{target}.sub_({target}.mean())", f"{target}[...] = {number}"),
        )
    )


def on_copy(g: Growth, x: Value) -> None:
    y, a, name = other_of(g, x), any_axis(g, x), g.fresh()
    z, number = alike(g, x), g.pick("2", "0.5")
    least = x.least(a)
    i = g.ints(0, least, 1)
    body = g.pick(
        *(f"{name}.add_({y})", f"{name}.mul_({y})", f"{name}.sub_({y}, alpha=2)", f"{name}.copy_({y})"),
        *(f"{name}.index_fill_({a}, {i}, {number})", f"{name}.index_copy_({a}, {i}, {z}.narrow({a}, 0, 1))"),
        *(f"{name}.index_add_({a}, {i}, {z}.narrow({a}, 0, 1))", f"{name}.index_put_(({i},), {name}[0] * {number})"),
        *(
            f"{name}[{before(x, a)}{i}] = {number}",
            f"{name}[{name} > 0] = {number}",
            f"{name}.masked_fill_({z} < 0, {number})",
        ),
        *(
            f"{name}.addcmul_({z}, {z})",
            f"{name}.index_put_(({i},), {name}[:1], accumulate=True)",
            f"{name}.lerp_({z}, 0.5)",
        ),
        *(
            f"{name}.unsqueeze_(0)",
            f"{name}.transpose_(0, -1)",
            f"{name}.squeeze_(0)",
            f"{name}.t_()",
            f"{name}.tril_()",
        ),
    )
    g.take(f"{name} = {g.pick(f'{x}.clone()', f'{x} * 1.5', f'torch.zeros_like({x})', f'{x}.clone()')}\n{body}", name)


def into_slice(g: Growth, x: Value) -> None:
    name, z, into = g.fresh(), alike(g, x), g.rng.choice(INTO)
    body = g.pick(
        *(f"{name}{into} = {g.pick('2', '0.5')}", f"{name}{into} = {z}{into}", f"{name}{into} *= 2"),
        *(
            f"{name}{into} += {z}{into} * 0.5",
            f"{name}{into} = {name}{into}.flip(-1)",
            f"{name}{into}.copy_({z}{into} + 1)",
        ),
        *(f"{name}[..., 1:] = {z}[..., :-1].clone()", f"{name}[:, :{x}.shape[1] // 2] = 0.25"),
    )
    g.take(
        f"{name} = {g.pick(f'{x}.clone()', f'{x}.new_zeros({x}.shape)', f'torch.empty_like({x}).copy_({x})')}\n{body}",
        name,
    )


def through_view(g: Growth, x: Value) -> None:
    """A view of a copy that is written, by which the copy changes, before or behind what reads it."""
    need(x.rank > 0 and x.dtype != "bool")
    copy, view = g.one(f"{x}.clone()"), g.fresh()
    a = any_axis(g, x)
    how = g.pick(
        *(f"{copy}{g.rng.choice(INTO)}", f"{copy}.view(-1)", f"{copy}.transpose(0, -1)", f"{copy}.narrow({a}, 0, 1)"),
        *(
            f"{copy}.unsqueeze(1)",
            f"{copy}.flatten(-2)",
            f"{copy}.chunk(2, {a})[0]",
            f"{copy}.diagonal(0, 0, -1)",
            str(copy),
        ),
    )
    made = g.take(f"{view} = {how}", view)
    if g.chance(0.5):
        g.one(f"{g.pick(copy, view)} * 3")
    g.take(_written(g, x, made.name), made.name, copy.name, writes=True)


def to_input(g: Growth, x: Value) -> None:
    """An argument that is written, or a view of one, as of a cache."""
    given = g.rng.choice([g.values[i.name] for i in g.inputs if i.name in g.values])
    need(given.rank > 0)
    if g.chance(0.5):
        g.take(_written(g, given, given.name), given.name, writes=True)
        return
    into = g.rng.choice(INTO)
    text = g.pick(f"{given}{into} = {x}{into}", f"{given}{into} = 0.5", f"{given}{into} += 1", f"{given}.copy_({x})")
    g.take(text, given.name, writes=True)


def to_held(g: Growth, x: Value) -> None:
    """What the module holds and writes on each call, as it counts or remembers."""
    need(x.dtype == "float32" and x.dim(-1) > 0)
    held, name = g.floats(x.dim(-1)), g.fresh()
    first = f"{x}.reshape(-1, {x.dim(-1)})[0]"
    body = g.pick(
        f"{held}.copy_({first})", f"{held}.mul_(0.5).add_({first})", f"{held}[0] = {first}[-1]", f"{held}.mul_(0.9)"
    )
    before_, behind = g.pick((body, f"{name} = {x} + {held}"), (f"{name} = {x} * {held}", body))
    g.take(f"{before_}\n{behind}", name, writes=True)


STEPS: dict[Step, int] = {on_copy: 5, into_slice: 4, through_view: 4, to_input: 2, to_held: 1}
