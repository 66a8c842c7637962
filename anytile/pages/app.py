"""Web application of a tuning database: pages and, beneath /api, the same data as the commands' `--json`.

Starlette and uvicorn serve it: small, typed and kept up, and a server that is meant to be one, which those that come
with small WSGI frameworks are not. Nothing here writes: databases are open read-only, and only GET and HEAD exist.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from http import HTTPStatus
from typing import TypeAlias

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from anytile.api import suggested
from anytile.core.errors import AnytileError, DatabaseError, SpecError, UnknownRecord
from anytile.db.overview.campaigns import campaigns, holding
from anytile.db.overview.coverage import Coverage
from anytile.db.overview.standings import TOLERANCE, BestList, best, regressions
from anytile.db.summary import campaign_detail
from anytile.pages import views
from anytile.pages.data import AMONG, LATEST, PAGE, Shown
from anytile.pages.frame import REPORT_POLICY, Around, above, page, pages_style, policy
from anytile.pages.guard import Guard, address_of
from anytile.pages.refusals import API, refusal
from anytile.show.findings import gather
from anytile.show.jsonable import dump
from anytile.show.report.markup import Markup
from anytile.show.report.page import render
from anytile.show.summary import findings_json

Data: TypeAlias = Callable[[Request], object]
_LONGEST = 200  # characters of a query's value
_MOST = 10_000_000  # of a number in one


def application(shown: Shown, names: Collection[str], token: str | None = None, cookie: str = "anytile") -> ASGIApp:
    """For servers of ASGI; `names` are the hosts that it goes by."""
    site, data = _Site(shown), _Data(shown)
    pages: dict[str, Callable[[Request], Response]] = {
        "/": site.overview,
        "/campaigns": site.campaigns,
        "/campaigns/{id}": site.report,
        "/best": site.best,
        "/regressions": site.regressions,
        "/coverage": site.coverage,
        "/coverage/{name:path}": site.coverage_of,
        "/missed": site.missed,
    }
    answers: dict[str, Data] = {
        "/overview": lambda request: shown.overview(),
        "/campaigns": data.campaigns,
        "/campaigns/{id}": data.campaign,
        "/campaigns/{id}/report": data.report,
        "/best": lambda request: data.best(request).lines,
        "/regressions": data.regressions,
        "/coverage": data.coverage,
        "/coverage/{name:path}": data.coverage_of,
        "/missed": data.missed,
        "/stats": data.stats,
    }
    answers[""] = lambda request: {"paths": [f"{API}{path.replace(':path', '')}" for path in answers if path]}
    routes = [Route(path, view) for path, view in pages.items()]
    routes += [Route(f"{API}{path}", _as_json(made)) for path, made in answers.items()]
    handlers = {HTTPException: _refused, AnytileError: _failed}
    return Guard(Starlette(routes=routes, exception_handlers=handlers), names, token, cookie)


class _Data:
    """What requests ask for, as the commands have it."""

    def __init__(self, shown: Shown) -> None:
        self._shown = shown
        self._store = shown.store

    def campaigns(self, request: Request) -> object:
        return campaigns(self._store, _number(request, "most", LATEST, least=1))

    def campaign(self, request: Request) -> object:
        layer, found = holding(self._store, request.path_params["id"])
        return campaign_detail(found, layer.trials(campaign_id=found.id), layer.selections(campaign_id=found.id))

    def report(self, request: Request) -> object:
        layer, found = holding(self._store, request.path_params["id"])
        return findings_json(gather(layer, found.id))

    def best(self, request: Request) -> BestList:
        first, most = _number(request, "first", 0), _number(request, "most", PAGE, least=1)
        return best(self._store, _number(request, "top", 1, least=1), _text(request, "words"), first, most)

    def regressions(self, request: Request) -> object:
        return regressions(self._store)

    def coverage(self, request: Request) -> object:
        return self._shown.coverage(self._shown.target_named(_text(request, "target")))

    def coverage_of(self, request: Request) -> Coverage:
        found = self._shown.coverage_of(request.path_params["name"], self._shown.target_named(_text(request, "target")))
        if found is None:
            raise HTTPException(HTTPStatus.NOT_FOUND, "no such model; start the server with --model FILE to add one")
        return found

    def missed(self, request: Request) -> object:
        return suggested(self._store, among=AMONG)

    def stats(self, request: Request) -> object:
        return [layer.stats() for layer in self._store.layers]


class _Site:
    """The pages of one server."""

    def __init__(self, shown: Shown) -> None:
        self._shown = shown
        self._data = _Data(shown)
        self._around = Around(tuple(layer.name for layer in shown.store.layers), shown.store.unopened)

    def _page(self, request: Request, title: str, content: list[Markup], live: bool = False) -> Response:
        path, query = request.scope["path"], request.url.query
        asked = "/overview" if path == "/" else address_of(request.scope)
        api = f"{API}{asked}{'?' if query else ''}{query}"
        text = page(self._around, f"/{path.split('/')[1]}", title, *content, api=api, live=live)
        return HTMLResponse(text, headers={"Content-Security-Policy": f"{policy()}; frame-ancestors 'none'"})

    def overview(self, request: Request) -> Response:
        content = views.overview(self._shown.overview(), self._shown.now())
        return self._page(request, "Overview", content, live=True)

    def campaigns(self, request: Request) -> Response:
        most = _number(request, "most", LATEST, least=1)
        content = views.campaign_list(campaigns(self._shown.store, most), self._shown.now(), most)
        return self._page(request, "Campaigns", content, live=True)

    def report(self, request: Request) -> Response:
        layer, campaign = holding(self._shown.store, request.path_params["id"])
        text = render(gather(layer, campaign.id), above(self._around, "/campaigns"), (pages_style(),))
        return HTMLResponse(text, headers={"Content-Security-Policy": f"{REPORT_POLICY}; frame-ancestors 'none'"})

    def best(self, request: Request) -> Response:
        first, most = _number(request, "first", 0), _number(request, "most", PAGE, least=1)
        content = views.leaderboard(self._data.best(request), _text(request, "words"), first, most, self._shown.now())
        return self._page(request, "Best", content)

    def regressions(self, request: Request) -> Response:
        return self._page(request, "Regressions", views.regression_page(regressions(self._shown.store), TOLERANCE))

    def coverage(self, request: Request) -> Response:
        target = self._shown.target_named(_text(request, "target")) or self._shown.target
        content = views.coverage_list(self._shown.coverage(target), target, self._shown.targets())
        return self._page(request, "Coverage", content)

    def coverage_of(self, request: Request) -> Response:
        found = self._data.coverage_of(request)
        content = views.coverage_of(found, self._shown.targets(), address_of(request.scope))
        return self._page(request, f"Coverage of {found.model}", content)

    def missed(self, request: Request) -> Response:
        content = views.missed_page(suggested(self._shown.store, among=AMONG), AMONG, self._shown.now())
        return self._page(request, "Missed", content)


def _as_json(made: Data) -> Callable[[Request], Response]:
    def answer(request: Request) -> Response:
        return Response(dump(made(request)), media_type="application/json")

    return answer


def _text(request: Request, name: str) -> str:
    found = request.query_params.get(name, "")
    if len(found) > _LONGEST:
        raise SpecError(f"{name}: expected {_LONGEST} characters at most, got {len(found)}")
    return found


def _number(request: Request, name: str, usual: int, least: int = 0) -> int:
    found = _text(request, name)
    if not found:
        return usual
    if not (found.isdecimal() and found.isascii()) or not least <= int(found) <= _MOST:
        raise SpecError(f"{name}: expected a whole number, {least} to {_MOST}")
    return int(found)


def _refused(request: Request, error: Exception) -> Response:
    """What no route takes."""
    assert isinstance(error, HTTPException)
    status = HTTPStatus(error.status_code)
    said = "nothing is here; the overview leads to all there is"
    return refusal(request.scope, status, said if error.detail == status.phrase else error.detail)


def _failed(request: Request, error: Exception) -> Response:
    if isinstance(error, UnknownRecord):
        return refusal(request.scope, HTTPStatus.NOT_FOUND, str(error))
    if isinstance(error, SpecError):
        return refusal(request.scope, HTTPStatus.BAD_REQUEST, str(error))
    is_database = isinstance(error, DatabaseError)
    return refusal(
        request.scope,
        HTTPStatus.SERVICE_UNAVAILABLE if is_database else HTTPStatus.INTERNAL_SERVER_ERROR,
        str(error),
    )
