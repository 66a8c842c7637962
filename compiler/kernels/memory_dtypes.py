"""Storage types of a primitive function: which of its floats lie in memory in 16 bits, and the workload that this is.

Types of the model language say what values are, and stay float32. A primitive function's attributes `stored`, the
places of parameters (`RESULT` is what it makes), and `stored_as`, a dtype, say what memory holds: its kernel widens
what it reads and rounds what it writes. A product whose factors come in 16 bits is one of that dtype, which matrix
units multiply as they come; one of two tensors of a model where its call allows that.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from anytile.compiler.ir.nodes import Function, is_operator_call
from anytile.compiler.ir.traverse import bindings_of
from anytile.compiler.operators.products import EXACT, OF_ROWS, OF_STACK, OF_TWO, STACKED
from anytile.schedules.operators.products.attention import ATTENTION
from anytile.schedules.operators.products.batch_matmul import BATCH_MATMUL
from anytile.schedules.operators.products.conv2d import CONV2D
from anytile.schedules.operators.products.dense import DENSE
from anytile.schedules.operators.products.quantised_conv2d import QUANTISED_CONV2D
from anytile.schedules.operators.products.quantised_dense import PRODUCTS, QUANTISED_DENSE, ROUNDED, weight_of
from anytile.schedules.workloads.workload import Workload

RESULT = -1
_PLACES, _DTYPE = "stored", "stored_as"
_LAYERS = {QUANTISED_DENSE.name: DENSE, QUANTISED_CONV2D.name: CONV2D}  # with narrow weights, and with all narrow
FACTORS = {  # operands that a product multiplies
    **{layer: {"x"} for layer in _LAYERS},
    BATCH_MATMUL.name: {"lhs", "rhs"},
    ATTENTION.name: {"q", "k", "v"},
}
FLOAT = "float32"


def storing(function: Function, places: Collection[int], dtype: str) -> Function:
    """The primitive function with these of its floats in memory in another dtype."""
    kept = tuple(a for a in function.attrs if a[0] not in (_PLACES, _DTYPE))
    return replace(function, attrs=(*kept, (_PLACES, tuple(sorted(places))), (_DTYPE, dtype)))


def stored_places(function: Function) -> tuple[int, ...]:
    found = dict(function.attrs).get(_PLACES, ())
    assert isinstance(found, tuple)
    return tuple(place for place in found if isinstance(place, int))


def stored_as(function: Function) -> str:
    """The dtype in memory of what is stored otherwise; nothing where all is as its type says."""
    return str(dict(function.attrs).get(_DTYPE, ""))


def rounded_factors(function: Function) -> str:
    """The dtype that a product's factors may be rounded to; nothing where they may not."""
    first = next((value for _, value in bindings_of(function.body) if not is_operator_call(value, "cast")), None)
    if first is None:
        return ""
    if is_operator_call(first, *_LAYERS) and first.attr(PRODUCTS.name) == ROUNDED:
        return weight_of(dict(first.attrs))
    if is_operator_call(first, STACKED):
        return "" if first.attr(OF_ROWS.name) == EXACT else _weight_of_stack(function)
    if is_operator_call(first, BATCH_MATMUL.name):
        found = first.attr(OF_TWO.name)
        return "" if found in (None, EXACT) else str(found)
    return ""


def narrow_factors(function: Function, workload: Workload, operands: Sequence[int], dtype: str) -> set[int]:
    """The places of parameters that may be rounded to this dtype, and then are factors of a product in it."""
    if rounded_factors(function) != dtype:
        return set()
    return {place for t, place in zip(workload.inputs, operands, strict=True) if t.name in FACTORS[workload.op]}


def in_memory(function: Function, workload: Workload, operands: Sequence[int]) -> Workload | None:
    """The workload with tensors in the dtypes that memory holds; `operands` are the places of its inputs. None where
    a weight in 16 bits stands beside rows that are to be rounded and are not."""
    places, dtype, narrow = stored_places(function), stored_as(function), _weight_of_stack(function)
    if narrow and rounded_factors(function) == narrow and not (dtype == narrow and operands[0] in places):
        return None
    if narrow:
        workload = workload.storing({**dict(workload.stored), "rhs": narrow})
    if not places:
        return workload
    stored = {t.name for t, place in zip(workload.inputs, operands, strict=True) if place in places}
    if RESULT in places:
        stored |= {t.name for t in workload.outputs}
    stored |= {name for name, lying in workload.stored if lying == dtype}
    factors = FACTORS.get(workload.op, set())
    if not factors or not factors <= stored or _stays(function, workload, dtype):
        return workload.storing({**dict(workload.stored), **dict.fromkeys(stored, dtype)})
    if workload.op in _LAYERS:
        layer = _LAYERS[workload.op]
        both = {a.name for a in layer.attributes} & {*workload.attributes} - {PRODUCTS.name}
        own = {name: value for name, value in workload.attributes.items() if name in both}
        made = Workload.of(layer.name, dict(workload.dims), dtype, workload.const, own, workload.tail)
        stored.add("w")
    else:
        made = replace(workload, dtype=dtype)
    wide = {t.name for t in made.tensors if made.dtype_of(t) == dtype} - stored
    return made.storing({**dict(made.stored), **dict.fromkeys(wide, FLOAT)})


def _stays(function: Function, workload: Workload, dtype: str) -> bool:
    """Whether a product of factors in this dtype is one of float32 all the same."""
    if workload.op == BATCH_MATMUL.name:
        return rounded_factors(function) != dtype
    return workload.op in _LAYERS and weight_of(workload.attributes) != dtype


def _weight_of_stack(function: Function) -> str:
    """The dtype of the weight of stacked layers, if that is 16 bits wide."""
    first = next((value for _, value in bindings_of(function.body)), None)
    if first is None or not is_operator_call(first, STACKED):
        return ""
    found = first.attr(OF_STACK.name)
    return "" if found in (None, FLOAT) else str(found)
