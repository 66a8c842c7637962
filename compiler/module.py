"""The public face of a module: the data that passes rewrite, with the text form and files as methods.

What is below this room works on `ir.nodes.Module` and calls the functions of `text`. Passes make modules by
`dataclasses.replace`, so what they are given a face of stays one.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from anytile.compiler.ir import nodes
from anytile.compiler.text.file import write_module
from anytile.compiler.text.parser import parse_module
from anytile.compiler.text.printer import module_text


class Module(nodes.Module):
    """Functions and data types by name; `main` is where a model starts. `print(module)` shows its text form."""

    __slots__ = ()

    @classmethod
    def of(cls, data: nodes.Module) -> Module:
        """The face of what a function of the compiler made."""
        return cls(data.functions, data.data)

    @classmethod
    def parse(cls, text: str, constants: Mapping[str, nodes.Array] | None = None) -> Module:
        """The module that a text means; `constants` are the arrays of its names `$w` that it does not spell out."""
        return cls.of(parse_module(text, constants or {}))

    def save(self, path: str | Path) -> None:
        """Write its text to a file, and its arrays beside it, to `model.npz` for `model.txt`."""
        write_module(self, path)

    def __str__(self) -> str:
        """The text that `parse` reads; `printer.stored` has the arrays that it only names."""
        return module_text(self)
