"""`python -m anytile`: the command line; where typer is not installed, the part of it that tunes."""

from __future__ import annotations

import importlib.util
import sys


def main() -> int:
    if importlib.util.find_spec("typer") is not None:
        from anytile.cli.main import main as all_commands

        all_commands()
    from anytile.commands.bare import run as run_bare

    return run_bare(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
