"""Normalisation matching: rows that exporters normalise by operators of their own are rms_norm and layer_norm again.

    x / sqrt(mean(x * x) + eps) * gamma
    d / sqrt(mean(d * d) + eps) * gamma + beta        d = x - mean(x)

over the last dimension, factors in any order, the division a product with `rsqrt` or with the reciprocal of a root.
That is one kernel, which reads its rows once, instead of three or five; and fusion gives it what comes before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from anytile.compiler.ir.nodes import Call, Constant, Expr, Module, OperatorRef, Var, operator_of, tensor_of, type_of
from anytile.compiler.ir.traverse import replace_calls
from anytile.compiler.ir.types import TensorType
from anytile.compiler.operators import operator
from anytile.compiler.operators.spec import axis_of, ints

_DTYPE = "float32"  # what the kernels normalise


def match_norms(module: Module) -> Module:
    return replace_calls(module, _matched)


def _matched(var: Var, step: Call, known: Mapping[Var, Call], reads: Mapping[Var, int]) -> Call | None:
    if not isinstance(var.type, TensorType) or var.type.dtype != _DTYPE:
        return None
    steps = NormSteps(known, reads)
    if operator_of(step) == "add":
        for scaled, beta in _both(step):
            for unit, gamma in steps.products(scaled):
                found = steps.unit(unit)
                if found is not None and (x := steps.centred(found.x)) and _are_rows(x, gamma, beta):
                    return _norm("layer_norm", step, (x, gamma, beta), found.eps)
    if operator_of(step) == "multiply":
        for unit, gamma in _both(step):
            found = steps.unit(unit)
            if found is not None and steps.centred(found.x) is None and _are_rows(found.x, gamma):
                return _norm("rms_norm", step, (found.x, gamma), found.eps)
    return None


@dataclass(frozen=True, slots=True)
class _Unit:
    """Rows over the root of their mean square and a small number."""

    x: Var
    eps: float


@dataclass(frozen=True, slots=True)
class NormSteps:
    """The calls before a step: what some of them are together."""

    known: Mapping[Var, Call]
    reads: Mapping[Var, int]

    def call(self, e: Expr, *names: str) -> Call | None:
        """The call of one of these operators that something is."""
        made = self.known.get(e) if isinstance(e, Var) else None
        return made if made is not None and operator_of(made) in names else None

    def products(self, e: Expr) -> Iterator[tuple[Expr, Expr]]:
        """The factors of a product that is read once, either of them first."""
        made = self.call(e, "multiply")
        if made is not None and isinstance(e, Var) and self.reads[e] == 1:
            yield from _both(made)

    def unit(self, e: Expr) -> _Unit | None:
        """What something is, where it is rows over their root mean square that nothing else reads."""
        made = self.call(e, "multiply", "divide")
        if made is None or not isinstance(e, Var) or self.reads[e] != 1:
            return None
        is_product = operator_of(made) == "multiply"
        for x, by in _both(made) if is_product else [(made.args[0], made.args[1])]:
            total = self.under_root(by) if is_product else self.root(by)
            if total is None or not isinstance(x, Var):
                continue
            for mean, eps in _both(total):
                if (number := _number(eps)) is not None and number >= 0 and self.mean_square(mean) is x:
                    return _Unit(x, number)
        return None

    def root(self, e: Expr) -> Call | None:
        """The sum whose root something is."""
        made = self.call(e, "sqrt")
        return None if made is None else self.call(made.args[0], "add")

    def under_root(self, e: Expr) -> Call | None:
        """The sum over whose root something is 1."""
        made = self.call(e, "rsqrt", "reciprocal", "divide")
        if made is None:
            return None
        if operator_of(made) == "rsqrt":
            return self.call(made.args[0], "add")
        if operator_of(made) == "divide" and _number(made.args[0]) != 1.0:
            return None
        return self.root(made.args[-1])

    def mean_square(self, e: Expr) -> Expr | None:
        """Of whose squares something is the mean of each row."""
        squared = self.mean(e)
        made = None if squared is None else self.call(squared, "square", "multiply")
        return made.args[0] if made is not None and made.args[0] is made.args[-1] else None

    def mean(self, e: Expr) -> Expr | None:
        """Of whose rows something has the means, a dimension of 1 in the place of each."""
        made = self.call(e, "mean")
        if made is None:
            return None
        attrs, rank = operator("mean").complete(made.attrs), tensor_of(made.args[0]).rank
        is_last = [axis_of(a, rank) for a in ints(attrs, "axis")] == [rank - 1]
        return made.args[0] if is_last and attrs["keepdims"] else None

    def centred(self, d: Expr) -> Var | None:
        """The rows that something is without their means."""
        made = self.call(d, "subtract")
        if made is None:
            return None
        x, mean = made.args
        return x if isinstance(x, Var) and self.mean(mean) is x else None


def _both(step: Call) -> Iterator[tuple[Expr, Expr]]:
    one, other = step.args
    yield one, other
    yield other, one


def _number(e: Expr) -> float | None:
    """A constant of one element, whose dimensions add none to a row's."""
    return float(e.array.reshape(())) if isinstance(e, Constant) and e.array.size == 1 and e.array.ndim <= 1 else None


def _are_rows(x: Expr, *weights: Expr) -> bool:
    """Whether these are weights of each element of a row."""
    kind = type_of(x)
    if not isinstance(kind, TensorType) or kind.rank < 2 or not isinstance(kind.shape[-1], int):
        return False
    wanted = TensorType(kind.shape[-1:], _DTYPE)
    return all(isinstance(t := type_of(w), TensorType) and t == wanted for w in weights)


def _norm(name: str, step: Call, args: tuple[Expr, ...], eps: float) -> Call:
    return Call(OperatorRef(name), args, operator(name).canonical((("eps", eps),)), step.where)
