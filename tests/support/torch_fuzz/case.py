"""One case of fuzzing: a function that has grown, and what it returns; compiled and run, it is right or raises.

What is wanted is what torch makes of it eagerly; what torch's own compiler makes otherwise, too, is no finding. A case
is kept as two files: words in JSON, and beside them the arrays of inputs and constants.
"""

from __future__ import annotations

import io
import json
import logging
import warnings
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, redirect_stderr
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import torch

from anytile.core.errors import AnytileError, ResourceError, SpecError, UnsupportedError
from anytile.importers.torch import dynamo
from tests.support.generators.functions.function import NEAR, ROUNDS, Array, Function, Input, Statement
from tests.support.generators.functions.growth import is_fit

ROUNDED = 5e-5  # of a value's largest element, for what it is summed up of
MOVED, LARGELY = 60, 6  # times what roundings of inputs move, of 32 bits and of fewer
OURS, THEIRS = "anytile", "aot_eager"
FORMS = {"tuple": "({},)", "list": "[{}]", "dict": "dict(enumerate([{}]))", "nested": "(({},), None)"}
WAYS = ("dynamic", "auto", "inference")  # sizes are open, open once they change, open where torch counts no writes
Told = Callable[[str, str], None]


class WrongError(Exception):
    """What comes out is not what does eagerly."""


@dataclass(frozen=True)
class Case:
    """A function whose results are expressions of what it has made, in a tuple or the like; how it is compiled."""

    function: Function
    results: tuple[str, ...]
    form: str = "tuple"
    way: str = "dynamic"

    @property
    def sizes(self) -> range:
        """The numbers of those it is run at."""
        return range(self.function.ways)

    @property
    def returned(self) -> str:
        return FORMS[self.form].format(", ".join(self.results))

    @property
    def kinds(self) -> set[str]:
        return {s.kind for s in self.function.statements}

    @property
    def words(self) -> str:
        lines = (*(s.text for s in self.function.statements), f"return {self.returned}")
        return "; ".join(line.replace("\n", "\\n") for line in lines)

    def text(self) -> str:
        return self.function.text(self.returned)

    def run(self, told: Told) -> None:
        """Compile it and call it at every size, twice."""
        torch.set_num_threads(1)
        with ExitStack() as around:
            around.enter_context(warnings.catch_warnings())
            around.enter_context(torch.inference_mode() if self.way == "inference" else torch.no_grad())
            around.enter_context(torch._dynamo.config.patch(allow_rnn=self._has_lstm()))  # or torch runs them itself
            around.enter_context(redirect_stderr(io.StringIO()))  # where it says what is left to torch
            around.callback(logging.disable, logging.root.manager.disable)
            logging.disable(logging.CRITICAL)  # torch's words about its own failures
            around.enter_context(patch.object(dynamo.Programs, "made", _watched(told)))
            warnings.simplefilter("ignore")
            try:
                self._held(OURS, told)
            except Exception as error:
                try:
                    self._held(THEIRS, lambda what, text: None)
                except Exception as theirs:  # noqa: BLE001  # of torch's many classes
                    words = " ".join(f"{type(theirs).__name__} {theirs}".split())
                    raise UnsupportedError(f"so does torch's own compiler: {words[:120]}") from None
                raise error from None

    def _has_lstm(self) -> bool:
        return any("LSTM" in text for text in self.function.layers.values())

    def _held(self, backend: str, told: Told) -> None:
        torch._dynamo.reset()
        eager, near, compiled = (self.function.module(self.returned) for _ in range(3))
        run = torch.compile(compiled, backend=backend, dynamic=None if self.way == "auto" else True)
        loss = max(self.function.loss().values())
        kept = []
        for turn in range(2):
            for i in self.sizes:
                wanted = _called(eager, self.function.inputs, [x.at(i) for x in self.function.inputs])
                if not all(is_fit(w) for w in _tensors(wanted[0])):
                    raise UnsupportedError("it makes what cannot be compared")
                moved = _called(near, self.function.inputs, [x.near(i, loss) for x in self.function.inputs])
                given = [x.at(i) for x in self.function.inputs]
                at = f"at {', '.join('x'.join(map(str, np.shape(g))) or '1' for g in given)}"
                told("begun", at if turn else "compiling")
                try:
                    found = _called(run, self.function.inputs, given)
                except AnytileError as error:  # of a program that was compiled, and of inputs that its statements take
                    raise WrongError(f"refused {at}: {error}") from None
                told("begun", at)
                flat, want, near_ = ([*_flat(called[0])] for called in (found, wanted, moved))
                compare("results", flat, want, near_, loss)
                _require_same_memory(found, wanted)
                compare("arguments behind the call", found[1], wanted[1], moved[1], loss)
                kept.append((at, flat, want, near_))
        for at, flat, want, near_ in kept:  # which no later call may write
            compare(f"results {at}, later on", flat, want, near_, loss)

    def save(self, path: Path) -> None:
        words = {
            "inputs": [[x.name, list(x.dims), x.laid, x.by_name] for x in self.function.inputs],
            "statements": [asdict(s) for s in self.function.statements],
            "layers": dict(self.function.layers),
            "results": self.results,
            "form": self.form,
            "way": self.way,
        }
        path.write_text(json.dumps(words, indent=1) + "\n", encoding="utf-8")
        arrays = {f"{x.name} at {i}": a for x in self.function.inputs for i, a in enumerate(x.arrays)}
        np.savez_compressed(_beside(path), allow_pickle=False, **arrays, **self.function.consts)

    @classmethod
    def load(cls, path: Path) -> Case:
        try:
            words = json.loads(path.read_text(encoding="utf-8"))
            with np.load(_beside(path), allow_pickle=False) as held:
                arrays = {name: held[name] for name in held.files}
            inputs = tuple(Input(name, tuple(dims), _of(arrays, name), *rest) for name, dims, *rest in words["inputs"])
            consts = {name: a for name, a in arrays.items() if " at " not in name}
            statements = tuple(Statement(s["kind"], tuple(s["makes"]), s["text"]) for s in words["statements"])
            function = Function(inputs, statements, consts, words["layers"])
            return cls(function, tuple(words["results"]), words["form"], words["way"])
        except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
            raise SpecError(f"{path}: no case of fuzzing: {error}; pass a file that a run has kept") from None


def _beside(path: Path) -> Path:
    return path.with_suffix(".npz")


def _of(arrays: dict[str, Array], name: str) -> tuple[Array, ...]:
    return tuple(arrays[f"{name} at {i}"] for i in range(sum(n.startswith(f"{name} at ") for n in arrays)))


def _watched(told: Told) -> Callable[..., Any]:
    """How programs are made, where what is refused is told. What is no refusal is wrong."""
    made = dynamo.Programs.made

    def watched(programs: Any, *given: Any) -> Any:
        try:
            return made(programs, *given)
        except (UnsupportedError, ResourceError) as error:
            told("refused", str(error))
            raise
        except AnytileError as error:
            raise WrongError(f"{type(error).__name__} as it is compiled: {error}") from error

    return watched


def _called(module: Any, inputs: Sequence[Input], given: Sequence[Any]) -> tuple[Any, list[Any]]:
    """What it returns, and the arguments behind that."""
    pairs = list(zip(inputs, given, strict=True))
    found = module(*(g for x, g in pairs if not x.by_name), **{x.name: g for x, g in pairs if x.by_name})
    return found, [g for x, g in pairs]


def _flat(found: Any) -> Iterator[Any]:
    """What is in tuples, lists and dicts, with a word for each of these."""
    if isinstance(found, tuple | list | dict):
        yield f"{type(found).__name__} of {len(found)}"
        for one in found.values() if isinstance(found, dict) else found:
            yield from _flat(one)
    else:
        yield found


def _tensors(found: Any) -> list[Any]:
    return [one for one in _flat(found) if isinstance(one, torch.Tensor)]


def compare(name: str, found: Sequence[Any], wanted: Sequence[Any], near: Sequence[Any], loss: float = NEAR) -> None:
    """Raise where one of several things is not what is wanted, but for what roundings may make of it."""
    if len(found) != len(wanted):
        raise WrongError(f"{name}: {len(found)} things, expected {len(wanted)}")
    for one, want, moved in zip(found, wanted, near, strict=True):
        if not isinstance(want, torch.Tensor):
            same = type(one) is type(want) and (one == want or isinstance(want, float))
            if not same:
                raise WrongError(f"{name}: {one!r}, expected {want!r}")
        elif not isinstance(one, torch.Tensor):
            raise WrongError(f"{name}: {type(one).__name__}, expected a tensor")
        else:
            _compare(name, one, want, moved, loss)


def _compare(name: str, found: Any, wanted: Any, near: Any, loss: float) -> None:
    if (found.shape, found.dtype) != (wanted.shape, wanted.dtype):
        raise WrongError(
            f"{name}: {found.dtype} of {tuple(found.shape)}, expected {wanted.dtype} of {tuple(wanted.shape)}"
        )
    if wanted.is_floating_point():
        wide = wanted.double()
        loss = max(loss, ROUNDS.get(str(wanted.dtype).removeprefix("torch."), 0.0))
        times = MOVED if loss <= NEAR else LARGELY
        bound = max(ROUNDED, 8 * loss) * wide.abs().max() + times * (wide - near.double()).abs().max() + 1e-6
        off = ~((found.double() - wide).abs() <= bound)
    else:
        off = (found != wanted) & (wanted == near)
    if off.any():
        at = tuple(torch.nonzero(off)[0].tolist())
        raise WrongError(
            f"{name}: {found[at].item()} at {at}, expected {wanted[at].item()}; "
            f"{int(off.sum())} of {off.numel()} are so"
        )


def _require_same_memory(found: tuple[Any, list[Any]], wanted: tuple[Any, list[Any]]) -> None:
    """Results are views of the arguments that they are eagerly, and of another result only if they are eagerly."""
    ours, theirs = _sharing(found), _sharing(wanted)
    count = sum(isinstance(g, torch.Tensor) for g in wanted[1])
    for i, (mine, other) in enumerate(zip(ours, theirs, strict=True)):
        if mine != other and (mine != i or other < count):
            raise WrongError(f"arguments and results share memory as {ours}, expected {theirs}")


def _sharing(called: tuple[Any, list[Any]]) -> list[int]:
    """Of arguments and then results, the first that each shares its memory with."""
    tensors = [g for g in called[1] if isinstance(g, torch.Tensor)] + _tensors(called[0])
    lies = [t.untyped_storage().data_ptr() for t in tensors]
    return [lies.index(p) for p in lies]


__all__ = ["FORMS", "THEIRS", "WAYS", "Case", "WrongError", "compare"]
