"""Attention matching: two products with a softmax between them are one kernel, which keeps the scores on chip.

    batch_matmul(softmax(batch_matmul(q, k) * scale + mask), v)

On GPUs alone: there it is one launch instead of three, and scores of all heads never go through memory. On a CPU its
two products are tiles at the core's peak, and what lies between them took a hundredth of BERT's time. A row that sees
nothing is 0 in the kernel, so a mask is taken only where the softmax says the same (`guard="empty"`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from anytile.compiler.ir.nodes import (
    Call,
    Constant,
    Expr,
    Module,
    OperatorRef,
    Var,
    is_operator_call,
    operator_of,
    tensor_of,
    type_of,
)
from anytile.compiler.ir.traverse import Binding, each_block, rewrite, variables_read
from anytile.compiler.ir.types import Dim, TensorType
from anytile.compiler.operators import operator
from anytile.compiler.operators.spec import axis_of, integer
from anytile.compiler.passes.attention.read_heads import names_of
from anytile.compiler.passes.dead_code import live

_DTYPES = ("float32", "float16", "bfloat16")
MOST_WIDTH = 128  # of a head: tiles of wider ones do not fit every GPU
_BATCHES = {1: {"b0": "h"}, 2: {"b0": "b", "b1": "h"}}  # what dimensions of batches are


def match_attention(module: Module) -> Module:
    return each_block(module, _matched)


def _matched(body: Expr) -> Expr:
    body = live(body)  # what `read_heads` left reads the scores, too
    return _Matching(Counter(variables_read(body))).matched(body)


@dataclass(frozen=True, slots=True)
class _Scores:
    """What a softmax is of: the product, the number it is multiplied by, what is added to that."""

    product: Call
    var: Var
    scale: float
    mask: Expr | None


class _Matching:
    """One function: `reads` counts how often each variable is read in it."""

    def __init__(self, reads: Counter[Var]) -> None:
        self.reads = reads
        self.known: dict[Var, Call] = {}

    def matched(self, body: Expr) -> Expr:
        return rewrite(body, self.change)

    def change(self, var: Var, value: Expr) -> list[Binding] | None:
        if not is_operator_call(value):
            return None
        self.known[var] = value
        soft = self.once(value.args[0]) if operator_of(value) == "batch_matmul" else None
        if soft is None or operator_of(soft) != "softmax":
            return None
        scores = self.scores(soft.args[0])
        return None if scores is None else self.attention(var, value, soft, scores)

    def once(self, e: Expr) -> Call | None:
        """The call that made something nobody else reads."""
        return self.known.get(e) if isinstance(e, Var) and self.reads[e] == 1 else None

    def scores(self, e: Expr) -> _Scores | None:
        scale, mask, step = 1.0, None, self.once(e)
        if step is not None and operator_of(step) == "add":
            for one, other in (step.args, step.args[::-1]):
                inner = self.once(one)
                if inner is not None and operator_of(inner) in ("multiply", "divide", "batch_matmul"):
                    e, mask, step = one, other, inner
                    break
        if step is not None and operator_of(step) in ("multiply", "divide"):
            is_product = operator_of(step) == "multiply"
            x, by = step.args[::-1] if is_product and isinstance(step.args[0], Constant) else step.args
            if not isinstance(by, Constant) or by.array.ndim or not (is_product or by.array):
                return None
            scale = float(by.array) if is_product else 1 / float(by.array)
            e, step = x, self.once(x)
        if step is None or operator_of(step) != "batch_matmul" or not isinstance(e, Var):
            return None
        return _Scores(step, e, scale, mask)

    def attention(self, var: Var, value: Call, soft: Call, scores: _Scores) -> list[Binding] | None:
        first, second = (_Product.of(c, v) for c, v in ((scores.product, scores.var), (value, var)))
        rank = tensor_of(var).rank
        batches = _BATCHES.get(rank - 2)
        if first is None or second is None or batches is None:
            return None
        guard = soft.attr("guard", "none")
        if guard != "empty" and (scores.mask is not None or guard != "none"):
            return None
        rows = first.names["y"]
        axis = axis_of(integer(operator("softmax").complete(soft.attrs), "axis"), rank)
        if rows[axis] != "n" or second.names["lhs"] != ["k" if name == "n" else name for name in rows]:
            return None
        q = [{**batches, "m": "m", "k": "d"}[name] for name in first.names["lhs"]]
        k = [{**batches, "n": "n", "k": "d"}[name] for name in first.names["rhs"]]
        v = [{**batches, "n": "e", "k": "n"}[name] for name in second.names["rhs"]]
        y = [{**batches, "m": "m", "n": "e"}[name] for name in second.names["y"]]
        q_kind, k_kind, v_kind = (tensor_of(a) for a in (*scores.product.args, value.args[1]))
        kinds = {"q": (q, q_kind), "k": (k, k_kind), "v": (v, v_kind), "y": (y, tensor_of(var))}
        if not _agree(kinds) or not _fits(kinds):
            return None
        steps: list[Binding] = []
        args: list[Expr] = [*scores.product.args, value.args[1]]
        orders = {name: "".join(letters) for name, (letters, _) in kinds.items()}
        orders |= {name: orders[name].replace("h", "g") for name in "kv"}  # heads of keys
        if scores.mask is not None:
            letters = [{**batches, "m": "m", "n": "n"}[name] for name in rows]
            mask = _mask(scores.mask, letters, tensor_of(scores.var), steps, value.where)
            if mask is None:
                return None
            args.append(mask[0])
            orders["mask"] = mask[1]
        if rank == 3:
            args[:3] = [_wider(a, steps, value.where) for a in args[:3]]
            orders = {name: order if name == "mask" else f"b{order}" for name, order in orders.items()}
        attrs = operator("attention").canonical((*orders.items(), ("scale", scores.scale)))
        call = Call(OperatorRef("attention"), tuple(args), attrs, value.where)
        if rank == 4:
            return [*steps, (var, call)]
        kind = tensor_of(var)
        made = Var(var.name, TensorType((1, *kind.shape), kind.dtype))
        return [*steps, (made, call), (var, Call(OperatorRef("squeeze"), (made,), (("axis", (0,)),), value.where))]


@dataclass(frozen=True, slots=True)
class _Product:
    """What each dimension of a product's operands and result is."""

    names: Mapping[str, list[str]]

    @classmethod
    def of(cls, call: Call, var: Var) -> _Product | None:
        attrs = operator("batch_matmul").complete(call.attrs)
        kinds = [type_of(e) for e in (*call.args, var)]
        ranks = {k.rank for k in kinds if isinstance(k, TensorType)}
        if len(ranks) != 1 or not all("b" in str(attrs[side]) for side in ("lhs", "rhs", "y")):
            return None
        (rank,) = ranks
        return cls({side: names_of(str(attrs[side]), rank) for side in ("lhs", "rhs", "y")})


def _agree(kinds: Mapping[str, tuple[Sequence[str], TensorType]]) -> bool:
    """Whether each dimension is as large wherever it stands, and all are of a dtype that the kernel takes."""
    sizes: dict[str, Dim] = {}
    for letters, kind in kinds.values():
        for letter, size in zip(letters, kind.shape, strict=True):
            if sizes.setdefault(letter, size) != size:
                return False
    dtypes = {kind.dtype for _, kind in kinds.values()}
    return len(dtypes) == 1 and dtypes <= set(_DTYPES)


def _fits(kinds: Mapping[str, tuple[Sequence[str], TensorType]]) -> bool:
    """Whether heads and widths are known, and widths are those that every GPU has room for."""
    known = {name: size for letters, kind in kinds.values() for name, size in zip(letters, kind.shape, strict=True)}
    widest = max(size if isinstance(size := known[name], int) else MOST_WIDTH + 1 for name in "de")
    return widest <= MOST_WIDTH and all(isinstance(known[n], int) and known[n] != 0 for n in "hde")


def _mask(
    e: Expr, letters: Sequence[str], scores: TensorType, steps: list[Binding], where: str
) -> tuple[Expr, str] | None:
    """What is added to scores without its dimensions of 1, and which it has; None where it is no such operand."""
    kind = type_of(e)
    if not isinstance(kind, TensorType) or kind.dtype != scores.dtype or kind.rank > scores.rank:
        return None
    own = list(zip(kind.shape, letters[-kind.rank :], scores.shape[-kind.rank :], strict=True)) if kind.rank else []
    kept = [(d, letter) for d, letter, wanted in own if d != 1]
    if not kept or any(d != wanted for d, _, wanted in own if d != 1):
        return None
    gone = tuple(i for i, (d, _, _) in enumerate(own) if d == 1)
    if gone:
        made = Var("mask", TensorType(tuple(d for d, _ in kept), kind.dtype))
        steps.append((made, Call(OperatorRef("squeeze"), (e,), (("axis", gone),), where)))
        e = made
    return e, "".join(letter for _, letter in kept)


def _wider(e: Expr, steps: list[Binding], where: str) -> Expr:
    """A tensor of one sequence as a batch of it."""
    kind = tensor_of(e)
    made = Var("sequence", TensorType((1, *kind.shape), kind.dtype))
    steps.append((made, Call(OperatorRef("expand_dims"), (e,), (("axis", (0,)),), where)))
    return made
