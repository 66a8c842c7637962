"""Text tables for a terminal and a pipe: the same rows, drawn by rich where a person looks, plain columns elsewhere.

Plain columns are never cut or wrapped, so `grep` and `awk` see everything.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TextIO

from anytile.core.printable import printable, say


@dataclass
class Table:
    """Heads and rows of text. A head that starts with `>` is of a column of figures, aligned to the right."""

    heads: Sequence[str]
    rows: list[Sequence[str]] = field(default_factory=list)

    def add(self, *cells: object) -> None:
        self.rows.append([str(cell) for cell in cells])

    def show(self, stream: TextIO | None = None) -> None:
        out = stream or sys.stdout
        if out.isatty():
            self._show_rich(out)
        else:
            say(self.plain(), file=out)

    def plain(self) -> str:
        heads = [head.lstrip(">") for head in self.heads]
        widths = [max(len(cell) for cell in column) for column in zip(heads, *self.rows, strict=True)]
        right = [head.startswith(">") for head in self.heads]
        lines = []
        for row in [heads, *self.rows]:
            cells = [c.rjust(w) if r else c.ljust(w) for c, w, r in zip(row, widths, right, strict=True)]
            lines.append("  ".join(cells).rstrip())
        return "\n".join(lines)

    def _show_rich(self, out: TextIO) -> None:
        from rich import box
        from rich.console import Console
        from rich.table import Table as RichTable
        from rich.text import Text

        table = RichTable(box=box.SIMPLE_HEAD, pad_edge=False)
        for head in self.heads:
            right = head.startswith(">")
            table.add_column(head.lstrip(">"), justify="right" if right else "left", no_wrap=right, overflow="fold")
        for row in self.rows:
            table.add_row(*(Text(printable(cell)) for cell in row))  # Text: brackets in a cell are not markup
        Console(file=out).print(table)
