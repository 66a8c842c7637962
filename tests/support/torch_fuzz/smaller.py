"""Shrinking of fuzzed functions: fewer results, statements and sizes, then inputs in place of what is made.

What is left is not run here: a function that does not run eagerly is no finding.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import torch

from tests.support.generators.functions.function import NAMES, Array, Function, Input, hold
from tests.support.torch_fuzz.case import Case

LEAST = (1, 2, 3)  # what a size may shrink to


def smaller(case: Case) -> Iterator[Case]:
    """One result of several; one that is made earlier; less that is made; plainer words; fewer and smaller sizes."""
    if len(case.results) > 1:
        for result in case.results:
            yield from _cut(case, (result,))
        for result in case.results:
            yield from _cut(case, tuple(r for r in case.results if r != result))
    yield from _shorter(case)
    yield from _plainer(case)
    yield from _at_fewer_sizes(case)


def _cut(case: Case, results: tuple[str, ...], without: tuple[str, ...] = ()) -> Iterator[Case]:
    function = case.function.cut(results, without)
    if function.inputs:
        yield replace(case, function=function, results=results)


def _shorter(case: Case) -> Iterator[Case]:
    statements = case.function.statements
    for s in statements[:-1]:
        if s.makes[0] not in case.results and len(case.results) == 1:
            yield from _cut(case, (s.makes[0],))
    for i in range(len(statements)):
        left = replace(case.function, statements=(*statements[:i], *statements[i + 1 :]))
        fewer = left.cut(case.results)
        made = {name for s in fewer.statements for name in s.makes} | {x.name for x in fewer.inputs}
        if set(statements[i].makes) <= made and fewer.inputs:
            yield replace(case, function=fewer)
    values = _values(case.function)
    for s in reversed(statements):
        name = s.makes[0]
        if values and name not in case.results and all(name in at for at in values):
            arrays = tuple(at[name] for at in values)
            given = Input(name, (None,) * arrays[0].ndim, arrays)
            others = tuple(x for x in case.function.inputs if x.name != name)
            left = replace(case.function, inputs=(*others, given)).cut(case.results, (name,))
            if len(left.statements) < len(statements):
                yield replace(case, function=left)


def _plainer(case: Case) -> Iterator[Case]:
    if case.form != "tuple":
        yield replace(case, form="tuple")
    if case.way != "dynamic":
        yield replace(case, way="dynamic")
    for x in case.function.inputs:
        if x.by_name:
            yield _with(case, replace(x, by_name=False))
        if x.laid != "base":
            yield _with(case, replace(x, laid="base"))


def _at_fewer_sizes(case: Case) -> Iterator[Case]:
    if len(case.sizes) > 1:
        for i in case.sizes:
            kept = [x for x in case.sizes if x != i]
            inputs = tuple(replace(x, arrays=tuple(x.arrays[k] for k in kept)) for x in case.function.inputs)
            yield replace(case, function=replace(case.function, inputs=inputs))
    names = dict.fromkeys(d for x in case.function.inputs for d in x.dims if isinstance(d, str))
    for name in names:
        for i in case.sizes:
            for least in LEAST:
                inputs = tuple(_narrowed(x, name, i, least) for x in case.function.inputs)
                if any(a is not b for a, b in zip(inputs, case.function.inputs, strict=True)):
                    yield replace(case, function=replace(case.function, inputs=inputs))


def _narrowed(given: Input, name: str, i: int, least: int) -> Input:
    """An input that has less along a symbol at one size."""
    array = given.arrays[i]
    cut = tuple(slice(least) if d == name else slice(None) for d in given.dims)
    made = array[cut].copy()
    if made.shape == array.shape:
        return given
    return replace(given, arrays=(*given.arrays[:i], made, *given.arrays[i + 1 :]))


def _with(case: Case, given: Input) -> Case:
    inputs = tuple(given if x.name == given.name else x for x in case.function.inputs)
    return replace(case, function=replace(case.function, inputs=inputs))


def _values(function: Function) -> list[dict[str, Array]]:
    """What is made at each size, as far as arrays can be it; nothing where it does not run."""
    found = []
    for i in range(function.ways):
        module = torch.nn.Module()
        hold(module, function.consts, function.layers)
        env: dict[str, Any] = {**NAMES, "self": module, **{x.name: x.at(i) for x in function.inputs}}
        made: dict[str, Array] = {}
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for s in function.statements:
                try:
                    exec(compile(s.text, "<statement>", "exec"), env)
                except Exception:  # noqa: BLE001  # torch has errors of many classes for what does not fit
                    return []
                made |= {name: _array(env[name]) for name in s.makes if _is_array(env[name])}
        found.append(made)
    return found


def _is_array(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.dtype != torch.bfloat16  # which numpy has not


def _array(tensor: Any) -> Array:
    array: Array = tensor.contiguous().clone().numpy()
    return array


__all__ = ["smaller"]
