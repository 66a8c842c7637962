"""HTTP server of the pages: an address that is taken first, a token where strangers could come, then uvicorn."""

from __future__ import annotations

import ipaddress
import os
import re
import secrets
import socket
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass

import uvicorn

from anytile.core.errors import ResourceError, SpecError
from anytile.pages.app import application
from anytile.pages.data import Shown
from anytile.pages.guard import TOKEN
from anytile.pages.patience import Impatient

PORT = 8700
TOKEN_VARIABLE = "ANYTILE_PAGES_TOKEN"
_SHORTEST_TOKEN = 16
_LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")
_AT_ONCE = 64  # connections
_WAITING = 128  # connections that nobody has taken yet


@dataclass(frozen=True, slots=True)
class Address:
    """A socket that is bound, and what leads to it."""

    listening: socket.socket
    host: str
    names: frozenset[str]
    is_loopback: bool

    @property
    def url(self) -> str:
        host = self.listening.getsockname()[0] if self.is_loopback else self.host
        shown = f"[{host}]" if ":" in host else host
        return f"http://{shown}:{self.port}/"

    @property
    def port(self) -> int:
        return int(self.listening.getsockname()[1])


def bind(host: str, port: int, names: Iterable[str] = ()) -> Address:
    """Take the address, so that what stands in the way is said before anything else is done."""
    names = tuple(names)
    for name in names:
        if not _is_host(name):
            raise SpecError(f"--name {name!r}: expected the name or address of a host alone, as in tuning.example")
    if not 0 <= port <= 65535:
        raise SpecError(f"--port {port}: expected 0 to 65535; 0 takes any that is free")
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        raise SpecError(f"--host {host}: is no address of this machine; expected one such as 127.0.0.1") from None
    family, kind, protocol, _, place = found[0]
    listening = socket.socket(family, kind, protocol)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(place)
        listening.listen(_WAITING)
    except OSError as error:
        listening.close()
        what = f"port {port} of {host} cannot be listened on: {error.strerror}"
        raise ResourceError(f"{what}; give another --port (0 takes any that is free), or --host") from None
    bound = ipaddress.ip_address(str(listening.getsockname()[0]).partition("%")[0])
    known = {name.lower() for name in (*_LOCAL_NAMES, host, str(bound), *names)}
    if bound.is_unspecified:
        known |= _own_names()
    return Address(listening, host, frozenset(known), bound.is_loopback)


def _is_host(name: str) -> bool:
    """A Host header could never hold another, or only one that is malformed."""
    with suppress(ValueError):
        return bool(ipaddress.ip_address(name))
    return re.fullmatch(r"[A-Za-z0-9_.-]+", name) is not None


def _own_names() -> set[str]:
    """What this machine is called, and its addresses as far as its name leads to them."""
    name = socket.gethostname()
    found = {name.lower(), socket.getfqdn().lower()}
    try:
        found |= {str(place[0]) for *_, place in socket.getaddrinfo(name, None)}
    except OSError:
        return found
    return found


def chosen_token(address: Address) -> str | None:
    """$ANYTILE_PAGES_TOKEN; else a new one where others than this machine's users could come."""
    given = os.environ.get(TOKEN_VARIABLE, "").strip()
    if given and len(given) < _SHORTEST_TOKEN:
        raise SpecError(f"${TOKEN_VARIABLE} has {len(given)} characters; expected {_SHORTEST_TOKEN} or more")
    if re.fullmatch(r"[ -~]*", given) is None:  # headers and cookies hold no others
        raise SpecError(f"${TOKEN_VARIABLE}: expected printable ASCII characters alone")
    return given or (None if address.is_loopback else secrets.token_urlsafe(24))


def serve(shown: Shown, address: Address, token: str | None, say: Callable[[str], None]) -> None:
    """Until Ctrl-C or SIGTERM. `token` is the `chosen_token`: one that was made here is said once, one that the user
    chose is not said at all."""
    if token is None:
        say(f"{address.url} shows {shown.store.name}; Ctrl-C ends it")
    elif os.environ.get(TOKEN_VARIABLE, "").strip():
        say(f"{address.url} shows {shown.store.name} to who has the token of ${TOKEN_VARIABLE}; Ctrl-C ends it")
    else:
        say(f"{address.url}?{TOKEN}={token} shows {shown.store.name}; this is said once; Ctrl-C ends it")
    cookie = f"anytile_{address.port}"  # cookies know no ports
    config = uvicorn.Config(
        application(shown, address.names, token, cookie),
        loop="asyncio",
        http=Impatient,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,  # a line would have the token in it
        proxy_headers=False,
        server_header=False,
        limit_concurrency=_AT_ONCE,
        timeout_graceful_shutdown=2,
    )
    with suppress(KeyboardInterrupt):  # which is how a server is ended, and no failure
        uvicorn.Server(config).run(sockets=[address.listening])
