"""The command line: the table of commands, and the one place where an error becomes a line and an exit code.

Invariant: whatever a user types, what comes back is output or `error: one line` on stderr, never a traceback;
`ANYTILE_DEBUG=1` shows where an error came from. Commands import what they need when they run: `--help` is quick.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import NoReturn

import typer

from anytile.cli.process_words import hide_passwords
from anytile.commands import compile as compiling
from anytile.commands import database, doctor, inspect, models, report, tune
from anytile.commands.pipe import open_streams, output_lost, reader_left
from anytile.commands.standing.coverage import coverage
from anytile.commands.standing.regressions import regressions
from anytile.commands.standing.serve import serve
from anytile.core.errors import AnytileError, ResourceError, UnsupportedError
from anytile.core.installation.lacking import lacking
from anytile.core.printable import one_line, say
from anytile.core.version import __version__

# newer versions of typer carry a copy of click, older ones use click itself; this is the root of complaints in both
_Complaint: type[Exception] = typer.BadParameter.__mro__[2]

INTERRUPTED = 130  # what a shell reports for a process ended by Ctrl-C
_OF_A_TARGET = ("-mcpu=", "-mtriple=", "-mattr=", "-threads=", "-arch=")
INTERNAL = 70  # sysexits.h: an internal software error


def umbrella() -> typer.Typer:
    """`anytile COMMAND`."""
    app = _typer()
    app.callback(invoke_without_command=True)(_umbrella)
    app.command("tune")(tune.tune)
    app.command("report")(report.report)
    app.command("compile")(compiling.compile)
    app.command("quantise")(compiling.quantise)
    for name, command in {**models.COMMANDS, **inspect.COMMANDS}.items():
        app.command(name)(command)
    app.add_typer(_db(), name="db")
    app.command("doctor")(doctor.doctor)
    return app


def _db() -> typer.Typer:
    """`anytile db COMMAND`."""
    app = typer.Typer(no_args_is_help=False, help=database.app.info.help)
    app.add_typer(database.app)
    for command in (regressions, coverage, serve):
        app.command(command.__name__)(command)
    return app


def tune_alone() -> typer.Typer:
    """`tune`, the same as `anytile tune`."""
    app = _typer()
    app.command("tune")(tune.tune)
    return app


def run(app: typer.Typer, arguments: Sequence[str], name: str) -> int:
    """Run one command line and return its exit code."""
    debug = os.environ.get("ANYTILE_DEBUG", "") not in ("", "0")
    try:
        code = app(args=list(arguments), prog_name=name, standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except typer.Exit as leave:
        return int(leave.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        print("interrupted", file=sys.stderr)
        return INTERRUPTED
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
    except _Complaint as error:
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
    hide_passwords()
    open_streams()
    sys.exit(run(umbrella(), sys.argv[1:], "anytile"))


def tune_main() -> NoReturn:
    hide_passwords()
    open_streams()
    sys.exit(run(tune_alone(), sys.argv[1:], "tune"))


def _typer() -> typer.Typer:
    return typer.Typer(
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


def _umbrella(
    context: typer.Context, version: bool = typer.Option(False, "--version", help="Print the version and leave.")
) -> None:
    """Kernels tuned once, fast at every shape."""
    if version:
        print(f"anytile {__version__}")
    elif context.invoked_subcommand is None:
        print(context.get_help())


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
