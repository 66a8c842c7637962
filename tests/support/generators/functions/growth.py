"""Functions of torch that grow statement by statement, each of which torch has computed before it is taken.

A value is known by what it is at several sizes at once, so no rule of shapes is needed: a statement is taken if it runs
at all of them. Each runs once more where its operands are moved by roundings: what that moves far hangs on them, and is
not taken. So ties and thresholds never decide a result.
"""

from __future__ import annotations

import copy
import random
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from tests.support.generators.functions.function import (
    NAMES,
    NEAR,
    ROUNDS,
    Array,
    Dim,
    Function,
    Input,
    Statement,
    hold,
    words,
)

LARGEST, SMALLEST = 1e4, 1e-4  # what is largest in a value, and if it is of floats, not less
MOST_ELEMENTS, MOST_RANK = 20_000, 5
SHAKY = 1e-3  # of a value's largest element: what moves further by a rounding of operands is not taken
FLOATS = ("float32", "float64", "float16", "bfloat16")

Env = dict[str, Any]


class Dropped(Exception):
    """A step that cannot be taken here."""


def need(holds: bool) -> None:
    if not holds:
        raise Dropped


@dataclass(frozen=True)
class Value:
    """One name of a function: the tensors that it is at each of the sizes. As text it is its name."""

    name: str
    at: tuple[Any, ...]

    def __str__(self) -> str:
        return self.name

    @property
    def dtype(self) -> str:
        return str(self.at[0].dtype).removeprefix("torch.")

    @property
    def is_float(self) -> bool:
        return self.dtype in FLOATS

    @property
    def rank(self) -> int:
        return int(self.at[0].dim())

    def dim(self, axis: int) -> int:
        """A dimension that is the same at all sizes, or else 0."""
        if not self.rank:
            return 0
        sizes = {int(a.shape[axis]) for a in self.at}
        return sizes.pop() if len(sizes) == 1 else 0

    def least(self, axis: int) -> int:
        return min(int(a.shape[axis]) for a in self.at)

    def is_distinct(self, axis: int) -> bool:
        """Whether no two elements along an axis are the same, so that there is one order of them."""
        ordered = [a.sort(axis).values for a in self.at]
        pairs = [(o.narrow(axis, 1, o.shape[axis] - 1), o.narrow(axis, 0, o.shape[axis] - 1)) for o in ordered]
        return not any(bool((a == b).any()) for a, b in pairs)


def is_fit(tensor: Any) -> bool:
    """Whether it can be compared: a tensor that is small and finite."""
    if not isinstance(tensor, torch.Tensor) or not 0 < tensor.numel() <= MOST_ELEMENTS or tensor.dim() > MOST_RANK:
        return False
    if tensor.is_complex():
        return False
    if tensor.dtype == torch.bool:
        return True
    largest: float = tensor.double().abs().max().item()
    return largest == 0 or SMALLEST <= largest <= LARGEST


def _is_steady(one: Any, other: Any, loss: float) -> bool:
    """Whether a value is nearly the same where operands are moved."""
    if not isinstance(other, torch.Tensor) or one.shape != other.shape or one.dtype != other.dtype:
        return False
    if not one.is_floating_point():
        return bool(torch.equal(one, other))
    wide = one.double()
    return bool((wide - other.double()).abs().max() <= max(SHAKY, 16 * loss) * wide.abs().max())


class Growth:
    """A function that grows, and the dice it grows by."""

    def __init__(self, rng: random.Random, sizes: Sequence[Mapping[str, int]]) -> None:
        self.rng, self.sizes = rng, sizes
        self.arrays = np.random.default_rng(rng.randrange(1 << 30))
        self.kind = ""  # of the step that is tried
        self.inputs: list[Input] = []
        self.statements: list[Statement] = []
        self.consts: dict[str, Array] = {}
        self.layers: dict[str, str] = {}
        self.values: dict[str, Value] = {}
        self._envs: list[Env] = [{"self": torch.nn.Module()} for _ in sizes]
        self._count = 0

    def grown(self) -> Function:
        made = [*(i.name for i in self.inputs), *(name for s in self.statements for name in s.makes)]
        return Function(tuple(self.inputs), tuple(self.statements), self.consts, self.layers).cut(made)

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def pick(self, *texts: Any) -> Any:
        return self.rng.choice(texts)

    def fresh(self, first: str = "v") -> str:
        """A name that nothing has."""
        self._count += 1
        return f"{first}{self._count}"

    def input(self, dims: Sequence[Dim], dtype: str = "float32", laid: str = "base", by_name: bool = False) -> None:
        """One more, if it can be laid so."""
        shapes = [[at[d] if isinstance(d, str) else d for d in dims] for at in self.sizes]
        made = Input(self.fresh("x"), tuple(dims), tuple(self.numbers(s, dtype) for s in shapes), laid, by_name)
        try:
            at = tuple(made.at(i) for i in range(len(self.sizes)))
        except (RuntimeError, IndexError):
            return
        if any(isinstance(a, torch.Tensor) and not is_fit(a) for a in at):
            return
        self.inputs.append(made)
        for env, a in zip(self._envs, at, strict=True):
            env[made.name] = a
        if isinstance(at[0], torch.Tensor):
            self.values[made.name] = Value(made.name, at)

    def numbers(self, shape: Sequence[int], dtype: str) -> Array:
        if dtype in FLOATS:
            return self.arrays.standard_normal(shape).astype(dtype)
        if dtype == "bool":
            return np.asarray(self.arrays.random(shape) < 0.5)
        return np.asarray(self.arrays.integers(0 if self.chance(0.6) else -9, 10, shape), dtype)

    def const(self, array: Any) -> str:
        """A constant, as it is named in statements."""
        name = self.fresh("c")
        self.consts[name] = np.asarray(array)
        for env in self._envs:
            hold(env["self"], {name: self.consts[name]}, {})
        return f"self.{name}"

    def floats(self, *shape: int, like: Value | None = None, scale: float = 1.0) -> str:
        dtype = like.dtype if like is not None and like.dtype != "bfloat16" else "float32"
        return self.const((self.arrays.standard_normal(shape) * scale).astype(dtype))

    def ints(self, low: int, high: int, *shape: int) -> str:
        return self.const(self.arrays.integers(low, high, shape))

    def layer(self, text: str) -> str:
        name = self.fresh("m")
        self.layers[name] = text
        for env in self._envs:
            hold(env["self"], {}, {name: text})
        return f"self.{name}"

    def one(self, expression: str) -> Value:
        """The value of an expression, without which the others of its step are for nothing."""
        name = self.fresh()
        return self.take(f"{name} = {expression}", name)

    def take(self, text: str, *makes: str, writes: bool = False) -> Value:
        """One more statement; the first of what it makes. One that writes what was there before says so."""
        loss = max([NEAR, *(by for word, by in ROUNDS.items() if word in words(text))])
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            found = [self._ran(text, env, makes, writes) for env in self._envs]
            for name in list(self.values) if writes else makes:
                need(all(is_fit(env.get(name)) for env in found))
                need(len({env[name].dim() for env in found}) == 1)
            for env, new in zip(self._envs, found, strict=True):
                other = self._ran(text, self._moved(env, text, loss, writes), makes, writes=False)
                need(all(_is_steady(new[name], other.get(name), loss) for name in makes))
        self._envs = found
        self.statements.append(Statement(self.kind, makes, text))
        for name in {**self.values, **dict.fromkeys(makes)}:
            self.values[name] = Value(name, tuple(env[name] for env in found))
        return self.values[makes[0]]

    def _ran(self, text: str, env: Env, makes: Sequence[str], writes: bool) -> Env:
        made = copy.deepcopy(env) if writes else dict(env)
        names = {*made, *makes}
        made.update(NAMES)
        try:
            exec(compile(text, "<statement>", "exec"), made)
        except Exception:  # noqa: BLE001  # torch has errors of many classes for what does not fit
            raise Dropped from None
        return {name: value for name, value in made.items() if name in names}

    def _moved(self, env: Env, text: str, loss: float, writes: bool) -> Env:
        """What a statement reads, each of whose floats is moved, but for zeros, which stay; views stay views."""
        made = copy.deepcopy(env) if writes else dict(env)
        for name in words(text) & set(self.values):
            a = env[name]
            if a.is_floating_point():
                signs = torch.from_numpy(self.arrays.choice([-1.0, 1.0], tuple(a.shape)))
                by = 4 * max(loss, ROUNDS.get(str(a.dtype).removeprefix("torch."), 0)) * a.double().abs().max()
                new = torch.where(a == 0, a, (a.double() + by * signs).to(a.dtype))
                if not writes:
                    made[name] = new
                elif 0 not in a.stride():  # several elements in one place cannot be written
                    made[name].copy_(new)
        return made

    @contextmanager
    def whole(self) -> Iterator[None]:
        """Statements that are taken together or not at all: `Dropped` takes them back."""
        before = list(self.statements), dict(self.values), list(self._envs)
        try:
            yield
        except Dropped:
            self.statements, self.values, self._envs = before


Step = Callable[[Growth, Value], object]
