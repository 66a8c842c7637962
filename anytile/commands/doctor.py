"""`anytile doctor`: what anytile sees of this machine, one line each, with the next step where one is due."""

from __future__ import annotations

import sys
import textwrap

from anytile.commands.options import DbOption, JsonOption
from anytile.core.printable import say


def doctor(db: DbOption = None, json: JsonOption = False) -> int:
    """Say what machine, threads, CPU features, Ray, database and GPU anytile sees."""
    from anytile.doctor import examine, healthy

    checks = []
    for check in examine(db):
        checks.append(check)
        if not json:
            _print(check.state, check.name, check.seen, check.next)
    if json:
        from anytile.show.jsonable import dump

        say(dump({"ok": healthy(checks), "checks": checks}))
    elif healthy(checks):
        say("everything anytile needs is in order")
    return 0


def _print(state: str, name: str, seen: str, step: str) -> None:
    mark = {"ok": "ok  ", "warn": "warn", "none": "-   "}[state]
    if sys.stdout.isatty():
        colour = {"ok": "32", "warn": "33", "none": "2"}[state]
        mark = f"\033[{colour}m{mark}\033[0m"
    say(f"{mark}  {name:<12} {seen}", flush=True)
    if step:
        say(textwrap.indent(textwrap.fill(step, 90), " " * 19))
