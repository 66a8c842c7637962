"""Programs that write to what they are given: which inputs those are, and results that lie in them all the same."""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import replace
from typing import Any

from anytile.compiler.module import Module
from anytile.compiler.passes.memory.in_place import WRITTEN


def writing(module: Module, names: Set[str]) -> Module:
    """A module that may write to its inputs of these names."""
    main = module.main
    places = tuple(i for i, p in enumerate(main.params) if p.name in names)
    made = replace(main, attrs=(*main.attrs, (WRITTEN, places))) if places else main
    return replace(module, functions={**module.functions, "main": made})


def apart(results: Iterable[Any], written: Iterable[Any]) -> list[Any]:
    """Tensors with memory of their own, also where one lies in a tensor that was written in place."""
    spans = [(t.data_ptr(), t.nbytes) for t in written]
    return [t.clone() if any(begin <= t.data_ptr() < begin + nbytes for begin, nbytes in spans) else t for t in results]
