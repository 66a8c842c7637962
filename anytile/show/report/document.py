"""HTML document: one file with its style sheet in it, which loads nothing. The report and the pages are such.

A content security policy says so to the browser, whatever a server says beside it.
"""

from __future__ import annotations

import functools
from importlib.resources import files

from anytile.show.report.markup import Markup, el, join

CONTENT = "content"  # the id of what a skip link leads to


@functools.cache
def shared_style() -> str:
    """The style sheet that all our documents have in common."""
    return files(__package__ or "").joinpath("style.css").read_text(encoding="utf-8")


def document(title: str, body: Markup, policy: str, styles: tuple[str, ...] = (), script: str = "") -> str:
    """The whole document. `styles` come after the shared one; `script` and they are texts of ours."""
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", http_equiv="Content-Security-Policy", content=policy),
        el("meta", name="referrer", content="no-referrer"),
        el("title", title),
        *(el("style", Markup(text)) for text in (shared_style(), *styles)),
    )
    scripts = el("script", Markup(script)) if script else None
    return f'<!doctype html>\n<html lang="en">{join(head, el("body", body, scripts))}</html>\n'
