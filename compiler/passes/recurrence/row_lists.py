"""Linked lists of tensors in the language, and the function that stacks what is in one.

Such a list is made where something is met one by one, so what was met last stands first. Tensors are joined a few at a
time, then what they became, and so on: each row is copied once for every such round, and there are few.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from anytile.compiler.ir.nodes import Constant, ConstructorRef, Module
from anytile.compiler.ir.types import UNNAMED, TensorType
from anytile.compiler.passes.to_anf import to_anf
from anytile.compiler.text.parser import parse_module

AT_ONCE = 4  # tensors that one kernel joins
EMPTY, ROWS = "NoRows", "Rows"  # constructors, of the data type's name behind them


@dataclass(frozen=True, slots=True)
class RowList:
    """A module that has lists of a tensor type in it: the data type, and the function `stack(rows, none)`, where none
    is a tensor without rows."""

    module: Module
    data: str
    stack: str
    none: Constant

    @property
    def empty(self) -> ConstructorRef:
        return ConstructorRef(self.data, f"{EMPTY}{self.data}")

    @property
    def more(self) -> ConstructorRef:
        """Of a tensor and the list of those before it."""
        return ConstructorRef(self.data, f"{ROWS}{self.data}")


def with_rows(module: Module, row: TensorType) -> RowList:
    """The module with lists of tensors like `row`, of any number of rows each."""
    number = 0
    while f"L{number}" in module.data or any(f.startswith(f"stack{number}_") for f in module.functions):
        number += 1
    whole = TensorType((UNNAMED, *row.shape[1:]), row.dtype)
    made = to_anf(parse_module(_text(f"L{number}", f"stack{number}", str(whole)), {}))
    none = Constant(np.zeros((0, *(d for d in row.shape[1:] if isinstance(d, int))), row.dtype), "none")
    joined = replace(module, functions={**module.functions, **made.functions}, data={**module.data, **made.data})
    return RowList(joined, f"L{number}", f"stack{number}_late", none)


def _text(data: str, name: str, whole: str) -> str:
    """Rounds take turns: what was met last stands first, then what was met first does."""
    empty, rows = f"{EMPTY}{data}", f"{ROWS}{data}"
    functions = [f"data {data} {{ {empty}(), {rows}({whole}, {data}) }}"]
    for way, other in (("late", "early"), ("early", "late")):
        body = f"{name}_{way}_round(r{AT_ONCE - 1}, {rows}({_joined(AT_ONCE, way)}, done), none)"
        for met in reversed(range(1, AT_ONCE)):
            fewer = f"{rows}({_joined(met, way) if met > 1 else 'a0'}, done)"
            body = f"match (r{met - 1}) {{ {empty}() => {fewer}, {rows}(a{met}, r{met}) => {body} }}"
        functions.append(f"""
def {name}_{way}(rows: {data}, none: {whole}) -> {whole} {{
  match (rows) {{
    {empty}() => none,
    {rows}(a, rest) => match (rest) {{
      {empty}() => a,
      {rows}(_, _) => {name}_{other}({name}_{way}_round(rows, {empty}(), none), none)
    }}
  }}
}}
def {name}_{way}_round(rows: {data}, done: {data}, none: {whole}) -> {data} {{
  match (rows) {{ {empty}() => done, {rows}(a0, r0) => {body} }}
}}""")
    return "\n".join(functions)


def _joined(count: int, way: str) -> str:
    """So many tensors, those that were met first first. Always as many operands, so that there is one kernel."""
    met = [f"a{i}" for i in range(count)]
    return f"concat({', '.join([*(met if way == 'early' else reversed(met)), *['none'] * (AT_ONCE - count)])}, axis=0)"
