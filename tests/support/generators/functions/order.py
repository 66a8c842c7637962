"""Steps of order and places: sorting, the largest, what is taken from and put at places that data name."""

from __future__ import annotations

from tests.support.generators.functions.growth import Growth, Step, Value, need
from tests.support.generators.functions.operands import alike, any_axis, before


def sort(g: Growth, x: Value) -> None:
    """What lies where is asked only where no two are alike."""
    a = any_axis(g, x)
    down = g.pick("", ", descending=True")
    ways = [
        f"{x}.sort({a}{down}).values",
        f"{x}.sort({a}, stable=True).indices",
        f"torch.argsort({x}, {a}, stable=True)",
    ]
    if x.is_float and x.is_distinct(a):
        ways += [f"{x}.sort({a}{down}).indices", f"{x}.argsort({a}{down})", f"{x}.argsort({a}).argsort({a})"]
    g.one(g.rng.choice(ways))


def topk(g: Growth, x: Value) -> None:
    a = any_axis(g, x)
    k = g.pick(1, 2, f"min({x}.shape[{a}], 3)", f"{x}.shape[{a}] // 2 + 1")
    largest = g.pick("", ", largest=False")
    ways = [f"{x}.topk({k}, {a}{largest}).values", f"{x}.kthvalue(1, {a}).values"]
    if x.is_float and x.is_distinct(a):
        ways += [f"{x}.topk({k}, {a}{largest}).indices", f"{x}.gather({a}, {x}.topk({k}, {a}).indices)"]
        ways += [f"torch.zeros_like({x}).scatter({a}, {x}.topk({k}, {a}).indices, 1.0)"]
    g.one(g.rng.choice(ways))


def largest(g: Growth, x: Value) -> None:
    a = any_axis(g, x)
    need(x.is_float and x.is_distinct(a))
    g.one(
        g.pick(
            *(f"{x}.argmax({a})", f"{x}.argmin({a}, keepdim=True)", f"{x}.max({a}).indices", f"{x}.argmax()"),
            *(f"F.one_hot({x}.argmax({a}), 64)", f"torch.gather({x}, {a}, {x}.argmax({a}, keepdim=True))"),
        )
    )


def gather(g: Growth, x: Value) -> None:
    a = any_axis(g, x)
    places = f"({alike(g, x)}.abs() * 7).long() % {x}.shape[{a}]"
    g.one(
        g.pick(
            *(f"torch.gather({x}, {a}, {places})", f"torch.take_along_dim({x}, {places}, {a})"),
            *(
                f"torch.gather({x}, {a}, ({places})[{before(x, a)}:2])",
                f"{x}.gather({a}, torch.zeros_like({x}).long())",
            ),
        )
    )


def scatter(g: Growth, x: Value) -> None:
    a = any_axis(g, x)
    need(x.is_float and x.is_distinct(a))
    order = f"{x}.argsort({a})"
    most = f"{x}.argmax({a}, keepdim=True)"
    places = f"({x}.abs() * 7).long() % {x}.shape[{a}]"
    g.one(
        g.pick(
            *(f"torch.zeros_like({x}).scatter({a}, {order}, {x})", f"{x}.scatter({a}, {most}, 1.0)"),
            *(f"torch.zeros_like({x}).scatter_add({a}, {places}, {x})", f"{x}.index_fill({a}, torch.tensor([0]), 2.0)"),
            *(
                f"{x}.scatter_reduce({a}, {places}, {x}, 'amax')",
                f"{x}.index_add({a}, torch.tensor([0]), {x}.narrow({a}, -1, 1))",
            ),
            f"{x}.index_copy({a}, torch.tensor([0]), {x}.narrow({a}, -1, 1))",
        )
    )


def search(g: Growth, x: Value) -> None:
    need(x.dtype == "float32" and x.rank > 0)
    edges = "torch.linspace(-1, 1, 5)"
    g.one(
        g.pick(
            *(
                f"torch.bucketize({x}, {edges})",
                f"torch.searchsorted({edges}, {x}, right=True)",
                f"torch.isin({x}.long(), torch.tensor([0, 1]))",
            ),
            *(
                f"{x}[{x} > 0].sum()",
                f"torch.histc({x}, 4, -2, 2)",
                f"torch.bincount(({x}.flatten().abs() * 2).long(), minlength=20)",
            ),
        )
    )


STEPS: dict[Step, int] = {sort: 2, topk: 2, largest: 2, gather: 2, scatter: 2, search: 1}
