"""Random forms of workloads: other attributes, dtypes, sizes, tails and dtypes in memory than a generator's, by dice.

`rolled` draws an operator's geometry. What is drawn here are the words that stand beside it, which most tests leave as
they are: any attribute that is one of some words, a dtype of the row's, a tail with operands over some dimensions,
floats that lie in 16 bits, and expressions of numbers of every width for elementwise kernels and reductions.
"""

from __future__ import annotations

import random
from collections.abc import Mapping

from anytile.core.dtypes import STORED_FLOATS
from anytile.core.errors import SpecError
from anytile.schedules.operators import OPERATORS
from anytile.schedules.operators.ranked import MOST_DIMS
from anytile.schedules.operators.spec import AttributeValue
from anytile.schedules.workloads.workload import Any, Dim, Workload
from tests.support.generators.random_workloads import rolled

Drawn = tuple[Workload, dict[str, int]]
SIZES = (0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 18, 31, 32, 33, 34, 47, 49, 64, 65, 97, 101, 129)
LARGE = (200, 256, 300, 511, 513, 768, 1025)
MOST_AS_IT_STANDS = 200  # a dimension of an example that is larger is of a real model, and drawn anew
WHOLE = {"bits": (4, 8), "group": (16, 32, 64), "shared": (1, 2, 4), "groups": (1, 2, 3)}
PAIRS = {"stride": (1, 2, 3), "dilation": (1, 2, 3)}
TAIL_DIMS = {"batch_matmul": "bmn", "dense": "mn", "conv2d": ("n", "oh", "ow", "co")}
NARROW = ("int8", "uint8", "int16")
COMPUTED = ("float32", "int32", "int64")
RANKED = ("transpose", "slice", "pad")
MOST_STEP = 2**31 - 1
TRIES = 12


def any_form(rng: random.Random, op: str) -> Drawn | None:
    """A workload, and a size for each of its symbols; None where all that was drawn is no workload."""
    for _ in range(TRIES):
        try:
            if op in ("elementwise", "reduce") and rng.random() < 0.6:
                return _computed(rng, op)
            if op in ("conv2d", "quantised_conv2d") and rng.random() < 0.2:
                return _filtered(rng, op)
            if op in RANKED and rng.random() < 0.2:
                return _of_many_dims(rng, op)
            given = rolled(rng, op) if rng.random() < 0.5 else _example(rng, op)
            return _altered(rng, *given) if rng.random() < 0.7 else given
        except SpecError:
            continue
    return None


def _size(rng: random.Random) -> int:
    return rng.choice(SIZES if rng.random() < 0.95 else LARGE)


def _example(rng: random.Random, op: str) -> Drawn:
    """One of the row's examples at other sizes; what is a number there may be a symbol, and the other way round."""
    workload = Workload.parse(rng.choice(OPERATORS[op].examples))
    symbols, dims = dict[str, int](), list[tuple[str, Dim]]()
    for name, dim in workload.dims:
        size = _size(rng)
        if isinstance(dim, int):
            is_kept = dim <= MOST_AS_IT_STANDS and rng.random() < 0.5
            dim = dim if is_kept else size if name in OPERATORS[op].static or rng.random() < 0.7 else Any(f"z_{name}")
        elif rng.random() < 0.2:
            dim = size
        if isinstance(dim, Any):
            symbols[dim.name] = symbols.get(dim.name, size)
        dims.append((name, dim))
    made = Workload(op, tuple(dims), workload.dtype, (), workload.attrs, workload.tail, (), workload.stored)
    return made, {s: symbols[s] for s in made.symbols}


def _altered(rng: random.Random, workload: Workload, symbols: Mapping[str, int]) -> Drawn:
    """The same with other words: each attribute by itself, then the dtype, a tail, dtypes in memory."""
    spec, attrs = workload.spec, dict[str, AttributeValue](workload.attrs)
    for attribute in spec.attributes:
        if rng.random() > 0.3:
            continue
        if attribute.words:
            attrs[attribute.name] = rng.choice(attribute.words)
        elif attribute.kind == "bool":
            attrs[attribute.name] = rng.random() < 0.5
        elif attribute.name in WHOLE:
            attrs[attribute.name] = rng.choice(WHOLE[attribute.name])
        elif attribute.name in PAIRS:
            attrs[attribute.name] = tuple(rng.choice(PAIRS[attribute.name]) for _ in range(2))
    dtype = rng.choice(spec.dtypes) if rng.random() < 0.3 else workload.dtype
    tail = _tail(rng, workload.op) if spec.takes_tail and rng.random() < 0.5 else workload.tail
    made = Workload.of(workload.op, dict(workload.dims), dtype, (), attrs, tail, (), dict(workload.stored))
    if rng.random() < 0.35:
        floats = [t.name for t in made.storing({}).tensors if made.storing({}).dtype_of(t) == "float32"]
        chosen = [name for name in floats if rng.random() < 0.5]
        made = made.storing({name: rng.choice(sorted(STORED_FLOATS)) for name in chosen})
    return made, {s: symbols[s] for s in made.symbols}


def _of_many_dims(rng: random.Random, op: str) -> Drawn:
    """What moves elements among more dimensions than images have, cut at ends that lie far outside."""
    rank = rng.randint(4, MOST_DIMS)
    found = {f"d{i}": rng.choice((0, 1, 1, 2, 2, 3, 3, 5)) for i in range(rank)}
    dims: dict[str, Dim] = {n: Any(f"s_{n}") if rng.random() < 0.5 else size for n, size in found.items()}
    attrs: dict[str, AttributeValue] = {"rank": rank}

    def each(*choices: int) -> tuple[int, ...]:
        return tuple(rng.choice(choices) for _ in range(rank))

    if op == "transpose":
        attrs["perm"] = tuple(rng.sample(range(rank), rank))
    elif op == "slice":
        attrs["start"] = each(0, 1, -1, -2, MOST_STEP, -MOST_STEP)
        attrs |= {"stop": each(MOST_STEP, -MOST_STEP, 2, -1, 4), "step": each(1, 1, 2, -1, MOST_STEP, -MOST_STEP)}
    else:
        attrs |= {"before": each(0, 0, 1, 2), "after": each(0, 0, 1, 3), "mode": rng.choice(("constant", "edge"))}
    made = Workload.of(op, dims, rng.choice(OPERATORS[op].dtypes), (), attrs)
    return made, {s: found[s.removeprefix("s_")] for s in made.symbols}


def _filtered(rng: random.Random, op: str) -> Drawn:
    """A convolution that minimal filtering serves: three taps each way, one step, channels enough."""
    height, width, images = rng.choice((3, 4, 7, 9, 14)), rng.choice((3, 5, 6, 9, 17)), rng.choice((0, 1, 2, 3))
    dims: dict[str, Dim] = {"n": Any("s_n"), "h": rng.choice((height, Any("s_h"))), "w": width, "kh": 3, "kw": 3}
    dims |= {"ci": rng.choice((16, 17, 24, 33)), "co": rng.choice((16, 19, 32, 40))}
    attrs: dict[str, AttributeValue] = {"layout": "nhwc", "pad": tuple(rng.choice((0, 1, 2)) for _ in range(4))}
    if op == "quantised_conv2d":
        attrs |= {"x": "float32", "weight": rng.choice(sorted(STORED_FLOATS)), "out": "float32"}
    tail = _tail(rng, op) if rng.random() < 0.5 else ""
    made = Workload.of(op, dims, "float32", ("w",), attrs, tail)
    sizes = {"s_n": images, "s_h": height}
    return made, {s: sizes[s] for s in made.symbols}


def _tail(rng: random.Random, op: str) -> str:
    """An expression of a product, with operands over some of its dimensions."""
    (dims,) = (dims for name, dims in TAIL_DIMS.items() if op.endswith(name)) if op != "gated_dense" else (("m",),)
    first, second = (
        f"{name}[{', '.join([d for d in dims if rng.random() < 0.6] or dims[-1:])}]" for name in ("t0", "t1")
    )
    forms = ("max(y, 0)", f"y + {first}", f"max(y * {first}, y - {second})", f"y * 0.5 + {first} * {second}")
    return rng.choice((*forms, "y * sigmoid(y)", f"gelu(y + {first})", f"where({second} > 0, y, {first})"))


def _computed(rng: random.Random, op: str) -> Drawn:
    """An expression of operands of several dtypes, each over some of the dimensions; of a reduction what is reduced."""
    rank = rng.randint(1, 4)
    names = [f"d{i}" for i in range(rank)]
    want = rng.choice(COMPUTED)
    over, types = dict[str, str](), dict[str, str]()
    for operand in rng.sample("abcuv", rng.randint(1, 4)):
        kept = names if rng.random() < 0.5 else [n for n in names if rng.random() < 0.5]
        over[operand] = f"{operand}[{', '.join(kept)}]" if kept else operand
        types[operand] = rng.choice((*COMPUTED, *NARROW))
    if op == "reduce":
        over["x"], types["x"] = "x", want
    else:
        over["x"], types["x"] = f"x[{', '.join(names)}]", rng.choice((*COMPUTED, *NARROW))
    text = _expression(rng, rng.randint(1, 4), over, types, want)
    attrs: dict[str, AttributeValue] = {"rank": rank}
    if op == "reduce":
        axes = [i for i in range(rank) if rng.random() < 0.5] or [rng.randrange(rank)]
        attrs |= {"axes": tuple(axes), "kind": rng.choice(("sum", "max", "min")), "pre": text}
    else:
        attrs["f"] = _stored_as(rng, text, want)
    read = {name for name, place in over.items() if place in str(attrs.get("f", text))}
    told = {name: types[name] for name in sorted(read) if types[name] != want and (op, name) != ("reduce", "x")}
    attrs["types"] = "+".join(f"{name}:{dtype}" for name, dtype in told.items())
    sizes = (0, 1, 2, 3, 5, 9, 17, 33) if rank > 2 else SIZES
    found = {n: rng.choice(sizes) for n in names}
    dims: dict[str, Dim] = {n: Any(f"s_{n}") if rng.random() < 0.5 else found[n] for n in names}
    made = Workload.of(op, dims, want, (), attrs)
    return made, {s: found[s.removeprefix("s_")] for s in made.symbols}


def _stored_as(rng: random.Random, text: str, want: str) -> str:
    """The expression, or a number of another width that is made of it."""
    made = rng.choice((None, "bool", *NARROW, "int32", "int64"))
    if made is None or made == want:
        return text
    if made == "bool":
        return f"{text} > 1"
    return f"{made}({text})" if want != "float32" else f"{made}(min(max(round({text}), 0), 100))"


def _expression(rng: random.Random, depth: int, over: Mapping[str, str], types: Mapping[str, str], want: str) -> str:
    """Of so many operations at most. Floats become integers, and are compared, as they are read: what was computed of
    them may lie on either side by a rounding."""
    dice = rng.random()
    if depth == 0 or dice < 0.15:
        name = rng.choice(sorted(over))
        return over[name] if types[name] == want else f"{want}({over[name]})"

    def part(dtype: str = want, deep: int = depth - 1) -> str:
        return _expression(rng, deep, over, types, dtype)

    if dice < 0.3 and want == "float32":
        return f"{want}({part(rng.choice(COMPUTED[1:]))})"
    if dice < 0.6:
        return f"({part()} {rng.choice('+-*')} {part()})"
    if dice < 0.75:
        return f"{rng.choice(('max', 'min'))}({part()}, {part()})"
    if dice < 0.9:
        compared = rng.choice(COMPUTED)
        deep = 0 if compared == "float32" else depth - 1
        sign = rng.choice(("<", ">", "==", "<=", "!="))
        return f"where({part(compared, deep)} {sign} {part(compared, deep)}, {part()}, {part()})"
    if want == "float32":
        return f"{rng.choice(('tanh', 'abs', 'relu', 'sigmoid'))}({part()})"
    return f"(-{part()})"


__all__ = ["any_form"]
