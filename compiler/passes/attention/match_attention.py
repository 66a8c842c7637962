"""Attention matching: two products with a softmax between them are one kernel, which keeps the scores near the core.

    batch_matmul(softmax(batch_matmul(q, k) * scale + mask), v)     a mask may also choose: where(mask, scores, -inf)

Views between them, and transpositions before and behind, are the kernel's orders of dimensions. A query that a mask
lets see nothing becomes in the kernel what the softmax makes of it, 0 by its guard or NaN without one, whatever numbers
the mask has; where it is causal a query sees itself, and keys behind it are not looked at. On a CPU few queries need
heads whose elements lie side by side: over other caches their products are faster apart.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from anytile.compiler.ir.memory_dialect import HOST
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
from anytile.compiler.operators.products import EXACT, OF_TWO
from anytile.compiler.operators.sized import dimension
from anytile.compiler.operators.spec import axis_of, integer, ints
from anytile.compiler.passes.attention.read_heads import names_of
from anytile.compiler.passes.attention.read_masks import HIDDEN, CausalMasks, without_ones
from anytile.compiler.passes.dead_code import live
from anytile.compiler.passes.matching.guard_softmax import number_of
from anytile.compiler.passes.matching.positions import VIEWS
from anytile.schedules.index.expr_text import parse_exprs

_DTYPES = ("float32", "float16", "bfloat16")
MANY = 16  # queries, from which on a CPU has full vectors of them
MOST_WIDTH = 128  # of a head: tiles of wider ones do not fit every GPU
_BATCHES = {1: {"b0": "h"}, 2: {"b0": "b", "b1": "h"}}  # what dimensions of batches are


def match_attention(module: Module, device: int = HOST) -> Module:
    return each_block(module, lambda body: _matched(body, device))


def _matched(body: Expr, device: int) -> Expr:
    body = live(body)  # what `read_heads` left reads the scores, too
    return live(_Matching(Counter(variables_read(body)), device).matched(body))


@dataclass(frozen=True, slots=True)
class _Mask:
    """What is added to scores, or says which are not `hidden`, which becomes of them; `at` has the shape of those."""

    value: Expr
    hidden: float | None
    at: Expr

    @property
    def keeps(self) -> bool:
        return self.hidden is not None


@dataclass(frozen=True, slots=True)
class _Scores:
    """What a softmax is of: the product, the number it is multiplied by, and which keys are seen."""

    product: Call
    var: Var
    scale: float
    mask: _Mask | None
    causal: bool


class _Matching:
    """One function: `reads` counts how often each variable is read in it."""

    def __init__(self, reads: Counter[Var], device: int) -> None:
        self.reads = reads
        self.device = device
        self.known: dict[Var, Call] = {}
        self.made: dict[Var, Call] = {}
        self.masks = CausalMasks(self.known)

    def matched(self, body: Expr) -> Expr:
        return rewrite(body, self.change)

    def change(self, var: Var, value: Expr) -> list[Binding] | None:
        if not is_operator_call(value):
            return None
        self.known[var] = value
        if operator_of(value) == "transpose":
            return self.turned(var, value)
        if operator_of(value) == "reshape_sized":
            return self.shared(var, value)
        if operator_of(value) != "batch_matmul":
            return None
        weights, soft = self.behind(value.args[0])
        if soft is None or operator_of(soft) != "softmax":
            return None
        scores = self.scores(soft.args[0])
        return None if scores is None else self.attention(var, value, soft, weights, scores)

    def turned(self, var: Var, value: Call) -> list[Binding] | None:
        """A result in another order, where nobody reads it in its own."""
        call = self.made.get(source) if isinstance(source := value.args[0], Var) and self.reads[source] == 1 else None
        if call is None:
            return None
        order = str(operator("attention").complete(call.attrs)["y"])
        attrs = dict(call.attrs) | {"y": "".join(order[i] for i in _perm(value))}
        made = replace(call, attrs=operator("attention").canonical(tuple(attrs.items())))
        self.made[var] = self.known[var] = made
        return [(var, made)]

    def once(self, e: Expr) -> Call | None:
        """The call that made something nobody else reads."""
        return self.known.get(e) if isinstance(e, Var) and self.reads[e] == 1 else None

    def behind(self, e: Expr) -> tuple[Expr, Call | None]:
        """What something is a view of, and the call that made that, where nobody else reads any of it."""
        step = self.once(e)
        while step is not None and operator_of(step) in VIEWS:
            e = step.args[0]
            step = self.once(e)
        return e, step

    def scores(self, e: Expr, weights: Expr | None = None) -> _Scores | None:
        """What a softmax is of; its `weights` are as many as the product's numbers, if they have another shape."""
        e, step = self.behind(e)
        scale, mask, causal = 1.0, None, False
        found = None if step is None else self.masked(step, e)
        if found is not None:
            mask, inner = found
            is_causal = self.masks.keeps if mask.keeps else self.masks.adds
            causal = is_causal(mask.value)
            e, step = self.behind(inner)
        if step is not None and operator_of(step) in ("multiply", "divide"):
            is_product = operator_of(step) == "multiply"
            x, by = step.args[::-1] if is_product and isinstance(step.args[0], Constant) else step.args
            if not isinstance(by, Constant) or by.array.ndim or not (is_product or by.array):
                return None
            scale = float(by.array) if is_product else 1 / float(by.array)
            e, step = self.behind(x)
        if step is None or operator_of(step) != "batch_matmul" or not isinstance(e, Var):
            return None
        if causal and mask is not None and _is_alike(mask.at, weights or e):
            return _Scores(step, e, scale, None, causal=True)
        is_other = mask is not None and mask.keeps and mask.hidden != -math.inf  # where all is hidden, all weighs alike
        return None if is_other else _Scores(step, e, scale, mask, causal=False)

    def masked(self, step: Call, at: Expr) -> tuple[_Mask, Expr] | None:
        """The mask of scores, and these without it."""
        if operator_of(step) == "where":
            condition, one, other = step.args
            hidden = number_of(other, self.known)
            return None if hidden is None or hidden > HIDDEN else (_Mask(condition, hidden, at), one)
        if operator_of(step) != "add":
            return None
        for one, other in (step.args, step.args[::-1]):
            inner = self.behind(one)[1]
            if inner is not None and operator_of(inner) in ("multiply", "divide", "batch_matmul"):
                return _Mask(other, None, at), one
        return None

    def shared(self, var: Var, value: Call) -> list[Binding] | None:
        """Of heads that share one of keys, whose queries `trace_operands` made rows of one product, and their means the
        heads' again. They are heads where queries are as many as keys; of few the keys are read once for all that share
        them, whose rows stay rows."""
        means, weights = value.args[0], value.args[-1]
        if not isinstance(means, Var) or not isinstance(weights, Var):
            return None
        second, soft = self.once(means), self.known.get(weights)
        if second is None or operator_of(second) != "batch_matmul":
            return None
        rows = self.once(second.args[0])
        if rows is None or operator_of(rows) not in VIEWS or rows.args[0] is not weights or self.reads[weights] != 2:
            return None
        if soft is None or operator_of(soft) != "softmax" or tensor_of(var).rank != 4:
            return None
        axis = axis_of(integer(operator("softmax").complete(soft.attrs), "axis"), tensor_of(weights).rank)
        scores = self.scores(soft.args[0], weights) if axis == 3 else None
        seen = self.known.get(q) if scores is not None and isinstance(q := scores.product.args[0], Var) else None
        if scores is None or seen is None or operator_of(seen) not in VIEWS:
            return None
        read = _Read.of_shared((seen.args[0], weights, var), (scores.product, scores.var), (second, means))
        if read is None or _is_square(read.kinds):
            return None if read is None else self.made_of(read, var, soft, scores, second)
        rows_read = _Read.plain((scores.product, scores.var), (second, means))
        last = tensor_of(means).rank + tensor_of(weights).rank - 1  # of the weights', which is no query's
        if rows_read is None or len(value.args) != 2 or _reads(value, last):
            return None
        made = Var(means.name, tensor_of(means))
        steps = self.made_of(replace(rows_read, masked={0: "n", 3: "b"}), made, soft, scores, second)
        return None if steps is None else [*steps, (var, replace(value, args=(made, seen.args[0])))]

    def attention(self, var: Var, value: Call, soft: Call, weights: Expr, scores: _Scores) -> list[Binding] | None:
        read = _Read.plain((scores.product, scores.var), (value, var))
        if read is None or not _is_of_rows(soft, weights, read.rows, scores.var, value.args[0]):
            return None
        return self.made_of(read, var, soft, scores, value)

    def made_of(self, read: _Read, var: Var, soft: Call, scores: _Scores, value: Call) -> list[Binding] | None:
        kinds, rank = read.kinds, tensor_of(var).rank
        if scores.causal and read.rows[-2:] != ["m", "n"]:
            return None
        if not _agree(kinds) or not _fits(kinds) or (scores.causal and not _is_square(kinds)):
            return None
        steps: list[Binding] = []
        args = list(read.args)
        orders = {name: "".join(letters) for name, (letters, _) in kinds.items()}
        for place, name in enumerate("qkv"):
            args[place], orders[name] = self.lying(args[place], orders[name])
        if self.device == HOST and not (_pays_on_a_cpu(kinds, orders) and _are_exact(scores.product, value)):
            return None
        orders |= {name: orders[name].replace("h", "g") for name in "kv"}  # heads of keys
        if scores.mask is not None:
            mask = _mask(scores.mask, read.letters_of(scores.mask.at), steps, value.where)
            if mask is None:
                return None
            args.append(mask[0])
            orders["mask"] = mask[1]
        attributes: dict[str, float | bool | str | int] = {"scale": scores.scale, "causal": scores.causal}
        attributes |= {
            "keeps": scores.mask is not None and scores.mask.keeps,
            "guard": _guard(soft, scores),
            "shared": read.shared,
        }
        if rank == 3:
            args[:3] = [_wider(a, steps, value.where) for a in args[:3]]
            orders = {name: order if name == "mask" else f"b{order}" for name, order in orders.items()}
        attrs = operator("attention").canonical((*orders.items(), *attributes.items()))
        call = Call(OperatorRef("attention"), tuple(args), attrs, value.where)
        if rank == 4:
            self.made[var] = call
            return [*steps, (var, call)]
        kind = tensor_of(var)
        made = Var(var.name, TensorType((1, *kind.shape), kind.dtype))
        return [*steps, (made, call), (var, Call(OperatorRef("squeeze"), (made,), (("axis", (0,)),), value.where))]

    def lying(self, e: Expr, order: str) -> tuple[Expr, str]:
        """An operand as it lies, before it was transposed, and the order of its dimensions there."""
        step = self.known.get(e) if isinstance(e, Var) else None
        if step is None or operator_of(step) != "transpose":
            return e, order
        perm = _perm(step)
        return step.args[0], "".join(order[perm.index(i)] for i in range(len(perm)))


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

    def letters(self, side: str, batches: Mapping[str, str], **others: str) -> list[str]:
        """What the dimensions of a side are to attention."""
        return [{**batches, **others}[name] for name in self.names[side]]


def _guard(soft: Call, scores: _Scores) -> str:
    """That of the softmax; without a mask every query sees something, whatever it is."""
    guard = str(soft.attr("guard", "none"))
    return "empty" if guard == "none" and scores.mask is None else guard


@dataclass(frozen=True, slots=True)
class _Read:
    """What two products read, queries, keys and values, with a letter for each dimension, as the scores have them."""

    args: tuple[Expr, Expr, Expr]
    kinds: Mapping[str, tuple[Sequence[str], TensorType]]
    rows: Sequence[str]
    scores: TensorType
    shared: int = 1
    masked: Mapping[int, str] | None = None  # the dimensions of scores that a mask may have, from the last on

    def letters_of(self, at: Expr) -> Mapping[int, str]:
        """What the dimensions are, from the last on, of what has the shape of scores: of a view of them the last is."""
        if self.masked is not None:
            return self.masked
        whole = without_ones(tensor_of(at).shape) == without_ones(self.scores.shape)
        return dict(enumerate(reversed(self.rows))) if whole else {0: self.rows[-1]}

    @classmethod
    def plain(cls, one: tuple[Call, Var], other: tuple[Call, Var]) -> _Read | None:
        first, second = _Product.of(*one), _Product.of(*other)
        batches = _BATCHES.get(tensor_of(one[1]).rank - 2)
        if first is None or second is None or batches is None:
            return None
        if second.names["lhs"] != ["k" if name == "n" else name for name in first.names["y"]]:
            return None
        args = (one[0].args[0], one[0].args[1], other[0].args[1])
        letters = {
            "q": first.letters("lhs", batches, m="m", k="d"),
            "k": first.letters("rhs", batches, n="n", k="d"),
            "v": second.letters("rhs", batches, n="e", k="n"),
            "y": second.letters("y", batches, m="m", n="e"),
        }
        kinds = {name: (own, tensor_of(e)) for (name, own), e in zip(letters.items(), (*args, other[1]), strict=True)}
        return cls(args, kinds, first.letters("y", batches, m="m", n="n"), tensor_of(one[1]))

    @classmethod
    def of_shared(cls, heads: Sequence[Expr], one: tuple[Call, Var], other: tuple[Call, Var]) -> _Read | None:
        """Of products whose rows are those of all heads that share some; `heads` are the queries, weights and means by
        heads, of which the products' are views: with the same sequences and columns, they can be no others."""
        made = cls.plain(one, other)
        if made is None or [made.kinds[name][0] for name in "qy"] != [list("bhmd"), list("bhme")]:
            return None
        if made.rows != list("bhmn"):
            return None
        q, scores, y = (tensor_of(e) for e in heads)
        views = (made.kinds["q"][1], made.scores, tensor_of(other[0].args[0]), made.kinds["y"][1])
        for whole, view in zip((q, scores, scores, y), views, strict=True):
            if whole.rank != 4 or whole.shape[0] != view.shape[0] or whole.shape[3] != view.shape[3]:
                return None
            if whole.shape[:3] != q.shape[:3] or view.shape[1] != made.scores.shape[1]:
                return None
        count, keys = q.shape[1], made.scores.shape[1]
        if not isinstance(count, int) or not isinstance(keys, int) or not keys or count % keys:
            return None
        kinds = {name: (["g" if d == "h" else d for d in own], kind) for name, (own, kind) in made.kinds.items()}
        kinds |= {"q": (list("bhmd"), q), "y": (list("bhme"), y)}
        return replace(made, args=(heads[0], *made.args[1:]), kinds=kinds, scores=scores, shared=count // keys)


def _is_of_rows(soft: Call, weights: Expr, rows: Sequence[str], scores: Var, read: Expr) -> bool:
    """Whether a softmax is over the keys of these scores, and what is read of it has their shape."""
    given, shape = tensor_of(weights).shape, tensor_of(scores).shape
    axis = axis_of(integer(operator("softmax").complete(soft.attrs), "axis"), len(given))
    if tensor_of(read).shape != shape:
        return False
    if given == shape:
        return rows[axis] == "n"
    return axis == len(given) - 1 and rows[-1] == "n" and given[-1] == shape[-1]


def _reads(view: Call, position: int) -> bool:
    """Whether the sizes of a view are made of a dimension of its arguments, counted through all of them."""
    return any(dimension(position) in e.names for e in parse_exprs(str(view.attr("sizes"))))


def _is_alike(e: Expr, other: Expr) -> bool:
    return without_ones(tensor_of(e).shape) == without_ones(tensor_of(other).shape)


def _perm(transpose: Call) -> tuple[int, ...]:
    rank = tensor_of(transpose.args[0]).rank
    given = ints(operator("transpose").complete(transpose.attrs), "perm")
    return tuple(axis_of(a, rank) for a in given) if given else tuple(reversed(range(rank)))


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


def _is_square(kinds: Mapping[str, tuple[Sequence[str], TensorType]]) -> bool:
    """Whether queries are as many as keys."""
    return _size(kinds, "q", "m") == _size(kinds, "k", "n")


def _pays_on_a_cpu(kinds: Mapping[str, tuple[Sequence[str], TensorType]], orders: Mapping[str, str]) -> bool:
    """Whether blocks of queries are full, or the elements of each head lie side by side, as few queries read them."""
    many = _size(kinds, "q", "m")
    is_full = many >= MANY if isinstance(many, int) else _is_square(kinds)
    are_rows = all(orders[name][-1] in "de" for name in "qkv")
    return kinds["q"][1].dtype == "float32" and (is_full or are_rows)


def _are_exact(*products: Call) -> bool:
    """Whether none may round its factors, of which a CPU that multiplies such does twice as many."""
    return all(call.attr(OF_TWO.name, EXACT) == EXACT for call in products)


def _size(kinds: Mapping[str, tuple[Sequence[str], TensorType]], name: str, letter: str) -> Dim:
    letters, kind = kinds[name]
    return kind.shape[letters.index(letter)]


def _mask(mask: _Mask, names: Mapping[int, str], steps: list[Binding], where: str) -> tuple[Expr, str] | None:
    """A mask's value without its dimensions of 1, and which it has, of those that have `names`, from the last on; None
    where it is no such operand."""
    kind, at = type_of(mask.value), tensor_of(mask.at).shape
    wanted = "bool" if mask.keeps else tensor_of(mask.at).dtype
    if not isinstance(kind, TensorType) or kind.dtype != wanted or kind.rank > len(at):
        return None
    kept: list[tuple[Dim, str]] = []
    for distance, (d, there) in enumerate(zip(reversed(kind.shape), reversed(at), strict=False)):
        if d != 1:
            if d != there or distance not in names:
                return None
            kept.insert(0, (d, names[distance]))
    if not kept:
        return None
    e, gone = mask.value, tuple(i for i, d in enumerate(kind.shape) if d == 1)
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
