"""Element values as C++ expressions: for each operation that C++ lacks the prelude has a function."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

from anytile.codegen.cuda.buffers import TYPES, Home
from anytile.codegen.cuda.expressions import index_text
from anytile.codegen.cuda.threads import LANES, WARP
from anytile.core.dtypes import BY_NAME, INTEGERS, STORED_FLOATS
from anytile.core.errors import CodegenError
from anytile.schedules.nest.nodes import Cast, Literal, Load, Number, Op, Reduce, Value
from anytile.schedules.nest.operations import dtype_of
from anytile.schedules.nest.traverse import map_value_exprs

_INFIX = {
    **{"add": "+", "sub": "-", "mul": "*", "div": "/"},
    **{"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!=", "and": "&&", "or": "||"},
    **{"bitand": "&", "bitor": "|", "bitxor": "^"},
}
WRAPPING = frozenset({"add", "sub", "mul"})  # by the prelude, where the numbers are whole
_OF_WARPS = {"add": "sum"}
TO_FLOAT = {dtype: f"{BY_NAME[dtype].cuda}_to_float" for dtype in STORED_FLOATS}
OF_FLOAT = {dtype: f"at_float_to_{BY_NAME[dtype].cuda.removeprefix('at_')}" for dtype in STORED_FLOATS}


class Values:
    """How values are written, given where buffers live and which loops around are unrolled."""

    def __init__(self, homes: Mapping[str, Home], unrolled: Collection[str]) -> None:
        self._homes = homes
        self._unrolled = unrolled

    def text(self, v: Value) -> str:
        match v:
            case Literal(number, dtype):
                return _literal(number, dtype)
            case Load(buffer, index):
                return self._homes[buffer].at(index, self._unrolled)
            case Op("select", (test, a, b)):
                return f"({self.text(test)} ? {self.text(a)} : {self.text(b)})"
            case Op("not", (a,)):
                return f"!{self.text(a)}"
            case Op("neg", (a,)) if (kind := self.dtype(a)) in INTEGERS:
                return f"at_sub({_literal(0, kind)}, {self.bare(a)})"
            case Op("neg", (a,)):
                text = self.text(a)
                return f"-({text})" if text.startswith("-") else f"-{text}"
            case Op(name, (a, b)) if name in _INFIX and not (name in WRAPPING and self.dtype(a) in INTEGERS):
                return f"({self.text(a)} {_INFIX[name]} {self.text(b)})"
            case Op(name, args):
                return f"at_{name}({', '.join(self.bare(a) for a in args)})"
            case Cast(dtype, value):
                return self._cast(dtype, value)
            case Number(e, dtype):
                return f"({TYPES[dtype]})({index_text(e)})"
            case Reduce(op, _, lanes, value) if lanes in LANES:
                some = "" if lanes == WARP else f"<{lanes}>"
                return f"at_warp_{_OF_WARPS.get(op, op)}{some}({self.bare(value)})"
            case Reduce(op, _, lanes, _):
                raise CodegenError(f"{op} over {lanes} lanes on a GPU; expected one of {', '.join(map(str, LANES))}")

    def bare(self, v: Value) -> str:
        """The same where it stands alone: an operator of C++ without its brackets."""
        text = self.text(v)
        return text[1:-1] if isinstance(v, Op) and text.startswith("(") else text

    def dtype(self, v: Value) -> str:
        return dtype_of(v, lambda name: self._homes[name].buffer.dtype)

    def at_lane(self, v: Value, name: str, lane: int) -> Value:
        """The value at one round of a vector loop."""
        return map_value_exprs(v, lambda e: e.substitute({name: lane}))

    def _cast(self, dtype: str, value: Value) -> str:
        text, given = self.bare(value), self.dtype(value)
        if given == dtype:
            return text
        if given in TO_FLOAT and dtype == "float32":
            return f"{TO_FLOAT[given]}({text})"
        if dtype in OF_FLOAT and given == "float32":
            return f"{OF_FLOAT[dtype]}({text})"
        return f"({TYPES[dtype]})({text})"


def _literal(number: float, dtype: str) -> str:
    if dtype == "float32":
        if math.isinf(number):
            return "AT_INFINITY" if number > 0 else "-AT_INFINITY"
        return "AT_NAN" if math.isnan(number) else f"{float(number)!r}f"
    if dtype == "bool":
        return "true" if number else "false"
    if dtype in OF_FLOAT:
        return f"{OF_FLOAT[dtype]}({_literal(number, 'float32')})"
    return f"{int(number)}" if dtype == "int32" else f"{int(number)}ll"
