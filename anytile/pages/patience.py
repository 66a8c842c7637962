"""HTTP protocol that hangs up on who asks nothing: a connection without a request is closed after some seconds.

A server answers so many connections at once. Those that are opened and left, or send the beginning of a request and no
more, would otherwise keep everybody else out for as long as they like, with no token.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

PATIENCE_S = 10.0


class Impatient(H11Protocol):
    """One connection. Every few seconds it is looked at: what has begun no request since, and is not being answered,
    is over."""

    _met: object = None  # the request that the last look found, answered or not
    _next_look: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._next_look = self.loop.call_later(PATIENCE_S, self._look)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._next_look is not None:
            self._next_look.cancel()
        super().connection_lost(exc)

    def _look(self) -> None:
        is_answered = self.cycle is None or self.cycle.response_complete
        if is_answered and self.cycle is self._met:
            self.transport.abort()  # nothing more is read or waited for
            return
        self._met = self.cycle
        self._next_look = self.loop.call_later(PATIENCE_S, self._look)
