"""Programs that write to what they are given: which inputs those are, and results that lie in them all the same."""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import replace

from anytile.compiler.module import Module
from anytile.compiler.passes.memory.manifest_alloc import WRITTEN
from anytile.dispatch.cpu.fast_call import address_of
from anytile.importers.core.symbolic import Array


def writing(module: Module, names: Set[str]) -> Module:
    """A module that may write to its inputs of these names."""
    main = module.main
    places = tuple(i for i, p in enumerate(main.params) if p.name in names)
    made = replace(main, attrs=(*main.attrs, (WRITTEN, places))) if places else main
    return replace(module, functions={**module.functions, "main": made})


def apart(results: Iterable[Array], written: Iterable[Array]) -> list[Array]:
    """Results with memory of their own, also where one lies in something that was written in place."""
    spans = [(address_of(array), array.nbytes) for array in written]
    return [
        array.copy() if any(begin <= address_of(array) < begin + nbytes for begin, nbytes in spans) else array
        for array in results
    ]
