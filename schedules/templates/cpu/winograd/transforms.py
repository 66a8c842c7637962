"""Transforms of minimal filtering (Winograd): a tile of outputs of a kernel of three taps by fewer multiplications.

F(m, 3) makes m outputs out of m + 2 inputs with m + 2 products: y = A (G g * B d), each of the three a few sums of few
terms. In two dimensions they are applied along columns, then along rows: F(2, 3) takes 16 products for 4 outputs, where
the sum itself takes 36, and F(4, 3) takes 36 for 16, where it takes 144.

The transforms evaluate polynomials at so many points: 0, infinity, and pairs of opposite ones. Sums of F(2, 3), at 1,
are as exact as those of the definition. Those of F(4, 3), at 3/4 and 3/2, are two bits less so: the customary points 1
and 2 cost four, since fourth powers of one are large where those of the other are not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from anytile.schedules.nest.nodes import Literal, Load, Op, Stmt, Store, Update, Value, block

TAPS = 3
Terms = tuple[tuple[Fraction, str], ...]


@dataclass(frozen=True, slots=True)
class Transform:
    """Sums in the order in which they are made: `name = factor * name + ...`.

    What comes in is called `a0, a1, ...`, results `r0, r1, ...`, and all else is held until the end.
    """

    sums: tuple[tuple[str, Terms], ...]

    @classmethod
    def of(cls, *rows: str) -> Transform:
        """Read `r1 = t0 + -9/4 a1`."""
        made = []
        for row in rows:
            name, _, terms = row.partition(" = ")
            found = [term.rpartition(" ") for term in terms.split(" + ")]
            made.append((name, tuple((Fraction(factor or 1), source) for factor, _, source in found)))
        return cls(tuple(made))

    @property
    def held(self) -> tuple[str, ...]:
        """What is neither given nor a result."""
        return tuple(name for name, _ in self.sums if not name.startswith("r"))

    @property
    def results(self) -> int:
        return len(self.sums) - len(self.held)


@dataclass(frozen=True, slots=True)
class Filtering:
    """F(m, 3): `outputs` of a tile along an axis, and the transforms of its inputs, of the kernel and of products."""

    outputs: int
    inputs: Transform
    weights: Transform
    products: Transform

    @property
    def points(self) -> int:
        """Inputs along an axis, and products."""
        return self.outputs + TAPS - 1


FILTERINGS = {
    2: Filtering(
        2,
        Transform.of("r0 = a0 + -1 a2", "r1 = a1 + a2", "r2 = a2 + -1 a1", "r3 = a1 + -1 a3"),
        Transform.of("t0 = 1/2 a0 + 1/2 a2", "r0 = a0", "r1 = t0 + 1/2 a1", "r2 = t0 + -1/2 a1", "r3 = a2"),
        Transform.of("r0 = a0 + a1 + a2", "r1 = a1 + -1 a2 + -1 a3"),
    ),
    4: Filtering(
        4,
        Transform.of(
            "t0 = a4 + -9/4 a2",
            "t1 = a3 + -9/4 a1",
            "t2 = a4 + -9/16 a2",
            "t3 = a3 + -9/16 a1",
            "r0 = a4 + 81/64 a0 + -45/16 a2",
            "r1 = t0 + 3/4 t1",
            "r2 = t0 + -3/4 t1",
            "r3 = t2 + 3/2 t3",
            "r4 = t2 + -3/2 t3",
            "r5 = a5 + 81/64 a1 + -45/16 a3",
        ),
        Transform.of(
            "t0 = -128/243 a0 + -8/27 a2",
            "t1 = 32/243 a0 + 8/27 a2",
            "r0 = 64/81 a0",
            "r1 = t0 + -32/81 a1",
            "r2 = t0 + 32/81 a1",
            "r3 = t1 + 16/81 a1",
            "r4 = t1 + -16/81 a1",
            "r5 = a2",
        ),
        Transform.of(
            "t0 = a1 + a2",
            "t1 = a1 + -1 a2",
            "t2 = a3 + a4",
            "t3 = a3 + -1 a4",
            "r0 = a0 + t0 + t2",
            "r1 = 3/4 t1 + 3/2 t3",
            "r2 = 9/16 t0 + 9/4 t2",
            "r3 = a5 + 27/64 t1 + 27/8 t3",
        ),
    ),
}


def applied(
    transform: Transform,
    given: Callable[[int], Value],
    results: Callable[[int], Load],
    held: Callable[[int], Load],
) -> Stmt:
    """The statements that make the results: what is given is read, what is held and made are places in registers."""
    places: dict[str, Load] = {name: held(i) for i, name in enumerate(transform.held)}
    places |= {f"r{i}": results(i) for i in range(transform.results)}

    def value(name: str) -> Value:
        return given(int(name[1:])) if name.startswith("a") else places[name]

    made: list[Stmt] = []
    for name, terms in transform.sums:
        made += _added(places[name], [(factor, value(source)) for factor, source in terms])
    return block(*made)


def _added(place: Load, terms: Sequence[tuple[Fraction, Value]]) -> list[Stmt]:
    """Multiply-adds, but for factors of 1 and -1."""

    def put(value: Value) -> Stmt:
        return Store(place.buffer, place.index, value)

    (factor, first), *more = terms
    made = [put(first if factor == 1 else _times(factor, first))]
    for factor, term in more:
        if factor in (1, -1):
            made.append(put(Op("add" if factor == 1 else "sub", (place, term))))
        else:
            made.append(Update(place.buffer, place.index, _times(factor, term)))
    return made


def _times(factor: Fraction, value: Value) -> Value:
    return Op("mul", (value, Literal(float(factor))))
