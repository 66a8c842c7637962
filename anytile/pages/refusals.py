"""Error answers: one line with the next step, as a page or, beneath /api, as JSON."""

from __future__ import annotations

from http import HTTPStatus

from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import Scope

from anytile.pages.frame import pages_style, policy
from anytile.show.report.document import CONTENT, document
from anytile.show.report.markup import el

API = "/api"


def refusal(scope: Scope, status: HTTPStatus, message: str) -> Response:
    """Says nothing of the database: whoever gets it may be a stranger."""
    headers = {"WWW-Authenticate": "Bearer"} if status is HTTPStatus.UNAUTHORIZED else {}
    if status is HTTPStatus.METHOD_NOT_ALLOWED:
        headers["Allow"] = "GET, HEAD"
    if scope["path"] == API or scope["path"].startswith(f"{API}/"):
        return JSONResponse({"error": message}, status, headers)
    text = f"{message[:1].upper()}{message[1:]}."
    main = el("main", el("h1", status.phrase), el("p", text), el("p", el("a", "Overview", href="/")), id=CONTENT)
    page = document(f"{status.phrase} - anytile", main, policy(), (pages_style(),))
    return HTMLResponse(page, status, {**headers, "Content-Security-Policy": policy()})
