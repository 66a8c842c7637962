"""The command line: the one place where an error becomes a line and an exit code.

Invariant: whatever a user types, what comes back is output or `error: one line` on stderr, never a traceback;
`ANYTILE_DEBUG=1` shows where an error came from. Commands import what they need when they run: `--help` is quick. The
table of them is imported where Ctrl-C is minded already, for on a busy machine that takes a second.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NoReturn

from anytile.commands.endings import interrupted, open_streams, output_lost, reader_left
from anytile.core.errors import AnytileError, ResourceError, UnsupportedError
from anytile.core.installation.lacking import lacking
from anytile.core.printable import one_line, say

if TYPE_CHECKING:
    import typer

_OF_A_TARGET = ("-mcpu=", "-mtriple=", "-mattr=", "-threads=", "-arch=")
INTERNAL = 70  # sysexits.h: an internal software error


def umbrella() -> typer.Typer:
    """`anytile COMMAND`."""
    from anytile.cli import command_table

    return command_table.umbrella()


def tune_alone() -> typer.Typer:
    """`tune`, the same as `anytile tune`."""
    from anytile.cli import command_table

    return command_table.tune_alone()


def run(app: typer.Typer, arguments: Sequence[str], name: str) -> int:
    """Run one command line and return its exit code."""
    import typer

    # newer versions of typer carry a copy of click, older ones use click itself; this is the root of complaints in both
    complaint: type[Exception] = typer.BadParameter.__mro__[2]
    debug = os.environ.get("ANYTILE_DEBUG", "") not in ("", "0")
    try:
        code = app(args=list(arguments), prog_name=name, standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except typer.Exit as leave:
        return int(leave.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        return interrupted()
    except BrokenPipeError:
        return reader_left()
    except SystemExit as leave:  # what typer makes of a pipe that breaks inside a command, after Unix's custom
        if isinstance(leave.__context__, BrokenPipeError):
            return reader_left()
        raise
    except AnytileError as error:
        if isinstance(error.__cause__, BrokenPipeError):
            return reader_left()
        if debug:
            raise
        if isinstance(error.__cause__, OSError):
            output_lost()
        return _say(str(error), error.exit_code)
    except complaint as error:
        if debug:
            raise
        for word in arguments:
            if word.startswith(_OF_A_TARGET):
                return _say(f"{word}: is a part of the target; quote it, as in --target 'llvm {word}'", 2)
        where = getattr(getattr(error, "ctx", None), "command_path", None) or _asked(app, arguments, name)
        return _say(f"{_message_of(error)}; see `{where} --help`", 2)
    except MemoryError:
        if debug:
            raise
        return _say("out of memory; ask for a smaller shape, or fewer trials at once", ResourceError.exit_code)
    except Exception as error:  # the process boundary: a defect of ours is said in a line as well
        if debug:
            raise
        if isinstance(error, ModuleNotFoundError) and (missing := lacking(error)) is not None:
            return _say(missing, UnsupportedError.exit_code)
        if isinstance(error, OSError) and output_lost("\n"):
            return _say(
                f"standard output cannot be written: {error.strerror}; make room, or write elsewhere",
                ResourceError.exit_code,
            )
        what = f"{type(error).__name__}: {error}"
        return _say(f"internal: {what}; this is a defect, ANYTILE_DEBUG=1 shows where", INTERNAL)


def main() -> NoReturn:
    _start(umbrella, "anytile")


def tune_main() -> NoReturn:
    _start(tune_alone, "tune")


def _start(table: Callable[[], typer.Typer], name: str) -> NoReturn:
    try:
        from anytile.cli.process_words import hide_passwords

        hide_passwords()
        open_streams()
        app = table()
    except KeyboardInterrupt:
        sys.exit(interrupted())
    sys.exit(run(app, sys.argv[1:], name))


def _asked(app: typer.Typer, arguments: Sequence[str], name: str) -> str:
    """The command that was meant, where the complaint does not know."""
    words = arguments[:1] if len(app.registered_commands) > 1 and not arguments[0].startswith("-") else ()
    return " ".join([name, *words])


def _message_of(complaint: Exception) -> str:
    """Its text without the decoration that it wears when it prints itself."""
    form = getattr(complaint, "format_message", None)
    text = form() if callable(form) else str(complaint)
    return str(text)[:1].lower() + str(text)[1:].rstrip(".")


def _say(message: str, code: int) -> int:
    say(f"error: {one_line(message)}", file=sys.stderr)
    return code


if __name__ == "__main__":
    main()
