"""HTML and SVG builder: text becomes markup only through `el`, which escapes every child and every attribute.

Invariant: a str that is not Markup is escaped, wherever it came from; so no stored text can become part of a page.
"""

from __future__ import annotations

from html import escape

_VOID = frozenset({"meta", "br", "wbr", "input"})
# elements whose text a browser reads raw: escaping would not protect there, so they take Markup of ours only
_RAW = frozenset({"style", "script"})


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


Child = Markup | str | int | None
Attribute = str | int | float | bool | None


def el(tag: str, *children: Child, **attributes: Attribute) -> Markup:
    """One element. `class_` is spelt class, `_` in names becomes `-`; None and False leave an attribute out."""
    attrs = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(_text(value), quote=True)}"'
        for name, value in attributes.items()
        if value is not None and value is not False
    )
    if tag in _VOID:
        return Markup(f"<{tag}{attrs}>")
    if tag in _RAW and not all(isinstance(child, Markup) for child in children):
        raise TypeError(f"<{tag}> takes markup of ours only")
    return Markup(f"<{tag}{attrs}>{join(*children)}</{tag}>")


def join(*children: Child) -> Markup:
    return Markup("".join(c if isinstance(c, Markup) else escape(str(c)) for c in children if c is not None))


def _text(value: str | int | float | bool) -> str:
    """Coordinates to a tenth of a pixel; True as an empty attribute."""
    if value is True:
        return ""
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)
