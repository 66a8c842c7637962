"""Page frame: what every page of the server has around its content, and the policy that its browser is told.

A page holds its style sheet and script; the policy names both by their hashes, so nothing else that a page may come to
hold is ever applied or run.
"""

from __future__ import annotations

import base64
import functools
import hashlib
from dataclasses import dataclass
from importlib.resources import files
from urllib.parse import urlencode

from anytile.core.version import __version__
from anytile.show.report.document import CONTENT, document, shared_style
from anytile.show.report.markup import Markup, el, join

PLACES = (
    ("/", "Overview"),
    ("/campaigns", "Campaigns"),
    ("/best", "Best"),
    ("/regressions", "Regressions"),
    ("/coverage", "Coverage"),
    ("/missed", "Missed"),
)
# Of a campaign's report, whose bars have widths of their own in style attributes.
REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


@dataclass(frozen=True, slots=True)
class Around:
    """What the frame says of the server: the databases, and what is amiss with them."""

    names: tuple[str, ...]
    complaints: tuple[str, ...] = ()


def page(around: Around, path: str, title: str, *content: Markup, api: str = "", live: bool = False) -> str:
    """A whole page. `api` is where its data is as JSON; what is `live` in it is brought up to date by the script."""
    data = el("a", "This page as JSON", href=api) if api else None
    about = f"anytile {__version__}, read-only"
    foot = el("footer", el("p", *_with_dots(data, Markup(about))))
    fresh = el("p", "", id="fresh", class_="note", role="status") if live else None
    main = el("main", el("h1", title), fresh, *content, foot, id=CONTENT, tabindex=-1)
    script = live_script() if live else ""
    return document(f"{title} - anytile", join(above(around, path), main), policy(), (pages_style(),), script)


def above(around: Around, path: str) -> Markup:
    """The skip link, the places to go to, and which databases this is."""
    links = [el("a", name, href=to, aria_current="page" if to == path else None, class_="place") for to, name in PLACES]
    names = el("p", "; ".join(around.names), class_="where")
    amiss = [el("p", f"Not asked: {complaint}", class_="amiss", role="alert") for complaint in around.complaints]
    nav = el("nav", el("span", "anytile", class_="brand"), *links, aria_label="Pages")
    skip = el("a", "Skip to the content", href=f"#{CONTENT}", class_="skip")
    return join(skip, el("div", nav, names, *amiss, class_="above"))


def link_to(path: str, **query: str | int) -> str:
    given = {name: value for name, value in query.items() if value != ""}
    return f"{path}?{urlencode(given)}" if given else path


@functools.cache
def policy() -> str:
    styles = " ".join(_hash(text) for text in (shared_style(), pages_style()))
    return (
        f"default-src 'none'; style-src {styles}; script-src {_hash(live_script())}; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'"
    )


@functools.cache
def pages_style() -> str:
    return _text("pages.css")


@functools.cache
def live_script() -> str:
    return _text("live.js")


def _text(name: str) -> str:
    return files(__package__ or "").joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def _with_dots(*parts: Markup | None) -> list[Markup]:
    there = [part for part in parts if part is not None]
    return [join(part, " · " if at < len(there) - 1 else "") for at, part in enumerate(there)]
