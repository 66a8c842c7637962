"""Connecting to Ray: the one already there, the cluster at an address, or a quiet local one that only this host sees.

A Ray that cannot be had is one `MeasureError` that names the address and another way, never Ray's own trace.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from anytile.core.errors import MeasureError
from anytile.schedules.hardware.target import usable_cores

_STORE_BYTES = 256 << 20
_KNOCK_SECONDS = 10.0
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",  # nothing is sent anywhere unless the user says so
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_DISABLE_IMPORT_WARNING": "1",
    "RAY_DISABLE_FAILURE_SIGNAL_HANDLER": "1",  # it answers `kill` with a trace and an abort, where we end politely
}


def connect(address: str | None) -> tuple[Any, bool]:
    """The `ray` module, connected, and whether it was we who did that."""
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)
    import ray

    if ray.is_initialized():
        return ray, False
    if address is not None:
        _knock(address)
    if address is None or _host(address) in _LOOPBACK:
        _stay_on_loopback()
    local = {
        "address": "local",
        "num_cpus": usable_cores(),
        "include_dashboard": False,
        "object_store_memory": _STORE_BYTES,
        "_node_ip_address": _LOOPBACK[0],
    }
    try:
        with _own_handlers():
            ray.init(
                **(local if address is None else {"address": address}),
                log_to_driver=False,
                logging_level=logging.ERROR,
            )
    except KeyboardInterrupt:
        ray.shutdown()
        raise
    except Exception as error:  # noqa: BLE001  (just that is raised for a node that does not start)
        ray.shutdown()
        where = "a local Ray cannot be started" if address is None else f"Ray at {address} cannot be reached"
        raise MeasureError(f"{where}: {first_line(error)}; try again, or --runner inline") from None
    return ray, True


@contextmanager
def _own_handlers() -> Iterator[None]:
    """Ray answers SIGTERM with an exit of its own; whoever listened before goes on listening. A Ctrl-C waits until Ray
    has started: one that is torn off crashes when the process ends. A second one does not wait.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # where no handler can be set, Ray sets none
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    asked: list[int] = []

    def wait(number: int, frame: FrameType | None) -> None:
        if asked:
            raise KeyboardInterrupt
        asked.append(number)

    if before[signal.SIGINT] is signal.default_int_handler:  # others only take note
        signal.signal(signal.SIGINT, wait)
    try:
        yield
    finally:
        for number, handler in before.items():
            if handler is not None:  # one that Python knows
                signal.signal(number, handler)
    if asked:
        raise KeyboardInterrupt


def first_line(error: BaseException) -> str:
    """The first line of what went wrong; Ray's own messages come with traces."""
    cause = getattr(error, "cause", None) or error
    lines = [line.strip() for line in str(cause).splitlines() if line.strip()]
    return lines[0].rstrip(".") if lines else type(cause).__name__


def _knock(address: str) -> None:
    """Ray waits for minutes for an address where nobody is; find out at once."""
    host, port = _host(address), address.rpartition(":")[2]
    if "/" in host or not port.isdigit():
        return  # ray://..., auto: Ray's own business
    try:
        socket.create_connection((host, int(port)), timeout=_KNOCK_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise MeasureError(f"Ray at {address} cannot be reached: {error}; check --ray or try --runner inline") from None


def _host(address: str) -> str:
    return address.rpartition(":")[0].strip("[]")


def _stay_on_loopback() -> None:
    """Ray takes a loopback address for a slip and listens on, or looks at, the machine's public one instead.

    The switch that stops this is named after the systems on which it is the default; Ray reads it at import, which may
    be long past.
    """
    from ray._private import ray_constants

    os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
    ray_constants.ENABLE_RAY_CLUSTER = False
