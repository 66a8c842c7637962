"""Client of an ASGI application without a network: one request in, status, headers and body out."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from starlette.types import ASGIApp, Message


@dataclass(frozen=True)
class Answer:
    """What the application answered; names of headers are in small letters."""

    status: int
    headers: Mapping[str, str]
    text: str


def ask(app: ASGIApp, target: str, method: str = "GET", **headers: str) -> Answer:
    """`_` in the names of headers stands for `-`; without a host it is one that the server goes by."""
    path, _, query = target.partition("?")
    given = {"host": "localhost:8700", **{name.replace("_", "-"): value for name, value in headers.items()}}
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": unquote(path),
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in given.items()],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8700),
    }
    said: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        said.append(message)

    async def once() -> None:
        await app(scope, receive, send)

    asyncio.run(once())
    (start,) = [message for message in said if message["type"] == "http.response.start"]
    body = b"".join(message.get("body", b"") for message in said if message["type"] == "http.response.body")
    return Answer(start["status"], {n.decode(): v.decode() for n, v in start["headers"]}, body.decode())
