"""HTML tables that become cards on a narrow screen: every cell carries its column's head, so none is lost there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from anytile.show.report.markup import Child, Markup, el, join

Row = Sequence[Child]


def table(caption: str, heads: Sequence[str], rows: Iterable[Row], id_: str | None = None) -> Markup:
    """The first cell of a row names it. A head that starts with `>` is of figures, with `!` of the one to look at."""
    kinds = [_kind(head) for head in heads]
    names = [head.lstrip(">!") for head in heads]
    top = el("tr", *(el("th", name, scope="col", class_=kind) for name, kind in zip(names, kinds, strict=True)))
    body = [
        el(
            "tr",
            *(
                el(
                    "th" if at == 0 else "td",
                    cell,
                    scope="row" if at == 0 else None,
                    class_=kind,
                    data_head=None if at == 0 else name,
                )
                for at, (cell, name, kind) in enumerate(zip(row, names, kinds, strict=True))
            ),
        )
        for row in rows
    ]
    said = el("caption", caption, class_="unseen")
    return el("table", said, el("thead", top), el("tbody", *body), class_="cards", id=id_)


def _kind(head: str) -> str | None:
    return "num" if head.startswith(">") else "num main" if head.startswith("!") else None


def code(text: object) -> Markup:
    """A workload, a target or a config, which may break a line after its commas."""
    words = str(text).split(", ")
    return el("code", *(join(word, ", " if at < len(words) - 1 else "") for at, word in enumerate(words)))


def note(*words: Child) -> Markup:
    return el("p", *words, class_="note")


def badge(text: str, kind: str) -> Markup:
    return el("span", text, class_=f"badge {kind}")


def bar(share: float, label: str) -> Markup:
    """A share of a whole, which `label` says in words."""
    shown = min(1.0, max(0.0, share))
    return el("progress", value=f"{shown:.3f}", max="1", aria_label=label)


def tile(figure: str, words: str, href: str, tone: str = "") -> Markup:
    """A figure to see at a glance, and the way to what is behind it."""
    return el("a", el("b", figure), el("span", words), href=href, class_=f"tile {tone}".strip())
