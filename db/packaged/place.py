"""Locator of the packaged database: the last layer of who names no database, and of who names it, as `packaged`."""

from __future__ import annotations

from pathlib import Path

WORD = "packaged"
NAME = "the packaged set"
FILE = Path(__file__).with_name("plans.db")


def is_there() -> bool:
    """A source tree may be without one."""
    return FILE.is_file()
