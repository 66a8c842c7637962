"""Sign analysis: which tensors of a module surely have no negative number in them, so that their least integer is 0."""

from __future__ import annotations

from anytile.compiler.ir.nodes import Call, Constant, Expr, Var, operator_of
from anytile.compiler.operators import operator
from anytile.compiler.operators.spec import number

_MAKE = ("relu", "sigmoid", "softmax", "exp", "abs", "square")
_KEEP = (
    *("max_pool2d", "avg_pool2d", "mean", "sum", "max", "min", "add", "multiply", "minimum", "sqrt", "concat"),
    *("reshape", "flatten", "transpose", "slice", "expand_dims", "squeeze"),
)


class Signs:
    """What is known of the variables that were `seen`, in their order; NaN is no negative number."""

    def __init__(self) -> None:
        self._positive: set[Var] = set()

    def see(self, var: Var, value: Expr) -> None:
        if isinstance(value, Call) and self._makes(value):
            self._positive.add(var)

    def is_positive(self, e: Expr) -> bool:
        """Whether nothing in it is below 0."""
        if isinstance(e, Constant):
            return bool(not (e.array < 0).any())
        return e in self._positive

    def _makes(self, call: Call) -> bool:
        name = operator_of(call)
        if name in _MAKE:
            return True
        if name == "clip":
            attrs = operator(name).complete(call.attrs)
            return number(attrs, "max") >= 0 and (number(attrs, "min") >= 0 or self.is_positive(call.args[0]))
        if name == "maximum":
            return any(map(self.is_positive, call.args))
        if name == "pad":
            attrs = operator(name).complete(call.attrs)
            return self.is_positive(call.args[0]) and number(attrs, "value") >= 0
        return name in _KEEP and bool(call.args) and all(map(self.is_positive, call.args))
