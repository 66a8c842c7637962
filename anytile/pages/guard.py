"""ASGI middleware that decides who is answered: by method, by the Host header, by token; and what every answer carries.

A page of another site that lures a browser here, by a name of its own that leads to this machine (DNS rebinding), is
refused by the Host header. A token comes once in the address, and then as a cookie that scripts cannot read.
"""

from __future__ import annotations

import hmac
from collections.abc import Collection
from http import HTTPStatus
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from anytile.pages.refusals import refusal

METHODS = ("GET", "HEAD")
TOKEN = "token"
_ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Guard:
    """Around an application; `names` are the hosts that the server goes by, in small letters."""

    def __init__(self, app: ASGIApp, names: Collection[str], token: str | None, cookie: str) -> None:
        self._app = app
        self._names = frozenset(names)
        self._token = token
        self._cookie = cookie

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _ALWAYS.items():
                    headers[name] = value
            await send(message)

        await self._answer(scope)(scope, receive, guarded)

    def _answer(self, scope: Scope) -> ASGIApp:
        headers = Headers(scope=scope)
        if scope["method"] not in METHODS:
            return refusal(scope, HTTPStatus.METHOD_NOT_ALLOWED, "this server only reads; expected GET or HEAD")
        host = _name_in(headers.get("host", ""))
        if not host or host not in self._names:
            what = (
                "the Host header is not a name of this server; use the address that it printed, or start it with --name"
            )
            return refusal(scope, HTTPStatus.MISDIRECTED_REQUEST, what)
        if self._token is None:
            return self._app
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = [value for name, value in query if name == TOKEN]
        if given and self._is_token(given[-1]):
            rest = urlencode([(name, value) for name, value in query if name != TOKEN])
            place = "/" + address_of(scope).lstrip("/")  # two would begin the name of another server
            answer = RedirectResponse(place + (f"?{rest}" if rest else ""), HTTPStatus.SEE_OTHER)
            answer.set_cookie(self._cookie, self._token, httponly=True, samesite="lax")
            return answer
        scheme, _, sent = headers.get("authorization", "").partition(" ")
        kept = cookie_parser(headers.get("cookie", "")).get(self._cookie, "")
        if (scheme.lower() == "bearer" and self._is_token(sent.strip())) or self._is_token(kept):
            return self._app
        what = (
            "a token is missing or wrong; open the address that the server printed, or send Authorization: Bearer TOKEN"
        )
        return refusal(scope, HTTPStatus.UNAUTHORIZED, what)

    def _is_token(self, given: str) -> bool:
        """In a time that does not tell how much of it is right."""
        return hmac.compare_digest(given.encode(), (self._token or "").encode())


def address_of(scope: Scope) -> str:
    """The path as it was asked for. Decoded it may be another: a slash of a name would part it."""
    return quote(scope["raw_path"], safe="/%")


def _name_in(host: str) -> str:
    """The name in a Host header, without its port; nothing where it is not one."""
    try:
        parts = urlsplit(f"//{host}")
        return (parts.hostname or "") if parts.netloc == host and "@" not in host else ""
    except ValueError:
        return ""
