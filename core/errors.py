"""Every error a user can meet, in one small hierarchy.

An error message is one line that says where, what was expected, what came, and the next step. Whatever it quotes, it is
of bounded length and holds nothing that steers a terminal. The command line prints `error: <message>` and exits with
`exit_code`; a traceback is always a defect of ours.
"""

from __future__ import annotations

from anytile.core.printable import one_line


class AnytileError(Exception):
    """Base of everything anytile raises on purpose."""

    exit_code = 1

    def __init__(self, *words: object) -> None:
        super().__init__(*(one_line(word) if isinstance(word, str) else word for word in words))


class SpecError(AnytileError):
    """A workload, target, shape, config or weights file that cannot be understood."""

    exit_code = 2


class UnsupportedError(AnytileError):
    """A well-formed request that this version, target or machine cannot serve."""

    exit_code = 3


class ArgumentError(AnytileError, ValueError):
    """A kernel was called with arrays that do not fit it."""


class ScheduleError(AnytileError):
    """A schedule primitive was applied where it does not hold, or a loop nest is malformed."""


class CodegenError(AnytileError):
    """LLVM refused what we emitted, or an object file could not be loaded."""


class DatabaseError(AnytileError):
    """The tuning database is missing, unreadable, locked, too new, or not a database."""

    exit_code = 4


class Unreachable(DatabaseError):
    """The database's server cannot be reached, or let go of us; what was asked of it may be asked again later."""


class UnknownRecord(DatabaseError):
    """The database holds nothing of the name that was given, or several things."""


class MeasureError(AnytileError):
    """Measuring cannot go on at all (one candidate's failure is a value, not this)."""

    exit_code = 5


class ResourceError(AnytileError, MemoryError):
    """Memory or disk ran out, or a shape asks for more than the machine has."""

    exit_code = 6
