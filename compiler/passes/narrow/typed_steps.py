"""Steps with their types, which stand in the place of one: operator calls bound to variables whose types are known.

Nothing is inferred behind them, so integers may stand where operators of the model language have none; whoever puts a
step says what it makes.
"""

from __future__ import annotations

from anytile.compiler.ir.nodes import AttrValue, Call, Expr, OperatorRef, Var, tensor_of
from anytile.compiler.ir.traverse import Binding
from anytile.compiler.ir.types import TensorType, TupleType
from anytile.compiler.operators import operator

Ends = tuple[int, int, int, int]  # above an image, left of it, below and right


class TypedSteps:
    """`bindings` are the steps so far, all said to stand `where` the one did that they are for."""

    def __init__(self, where: str) -> None:
        self.where, self.bindings = where, list[Binding]()

    def step(self, name: str, kind: TensorType | TupleType, value: Expr) -> Var:
        self.bindings.append((Var(name, kind), value))
        return self.bindings[-1][0]

    def called(self, op: str, *args: Expr, **attrs: AttrValue) -> Call:
        return Call(OperatorRef(op), args, operator(op).canonical(tuple(attrs.items())), self.where)

    def ending_in(self, var: Var, value: Expr) -> list[Binding]:
        """The steps, and behind them the one that makes this variable."""
        return [*self.bindings, (var, value)]

    def around(self, image: Var, ends: Ends, rows: int, value: float = 0) -> Var:
        """Images with so much of a number around them; `rows` is the dimension of their rows."""
        top, left, bottom, right = ends
        kind = tensor_of(image)
        before, after = [0] * 4, [0] * 4
        before[rows : rows + 2], after[rows : rows + 2] = (top, left), (bottom, right)
        sizes = tuple(d + b + a if isinstance(d, int) else d for d, b, a in zip(kind.shape, before, after, strict=True))
        call = self.called("pad", image, before=tuple(before), after=tuple(after), value=float(value))
        return self.step("padded", TensorType(sizes, kind.dtype), call)
