"""Maker of the packaged database: from a tuning database the plans that hold today, and its cost models; no trials.

A plan is taken with what made it and where, without its campaign. Provisional ones stay behind, and those of other
versions of templates or of code generation. The file is no write-ahead log: it is read where nobody may write.

    scripts/packaged DATABASE       # or without one: the set as it stands, with the tables of today
"""

from __future__ import annotations

import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from anytile.codegen.version import CODEGEN_VERSION
from anytile.core.atomic_write import written_whole
from anytile.core.errors import AnytileError, DatabaseError
from anytile.core.plurals import counted
from anytile.core.printable import say
from anytile.db.packaged.place import FILE
from anytile.db.records.records import Selection
from anytile.db.store import Store
from anytile.schedules.hardware.target import KINDS
from anytile.schedules.plans.plan import DispatchPlan, template_versions
from anytile.schedules.templates.registry import template

MOST_BYTES = 2 * 2**20


def make(source: Store, file: Path) -> int:
    """Write the set in the place of the file's; how many plans it has. One that grew too large is not written."""
    newest: dict[tuple[str, str], Selection] = {}
    for selection in source.selections():
        newest.setdefault((str(selection.workload), str(selection.target)), selection)
    kept = [s for s in newest.values() if _holds_today(s)]
    if not kept:
        raise DatabaseError(f"{source.name}: has no plan that holds today; expected a tuning database with some")
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "plans.db"
        with Store.open(str(made)) as store:
            for selection in sorted(kept, key=lambda s: (str(s.workload), str(s.target))):
                store.add_selection(replace(selection, campaign_id=""))
            for kind in KINDS:
                model = source.model(kind)
                if model is not None:
                    store.keep_model(model)
        with closing(sqlite3.connect(made)) as raw:
            raw.execute("PRAGMA journal_mode = DELETE")
            raw.execute("VACUUM")
        size = made.stat().st_size
        if size > MOST_BYTES:
            raise DatabaseError(f"a packaged set of {source.name} takes {size} bytes; expected {MOST_BYTES} at most")
        with made.open("rb") as parts, written_whole(file) as whole:
            shutil.copyfileobj(parts, whole)
    return len(kept)


def _holds_today(selection: Selection) -> bool:
    try:
        plan = DispatchPlan.from_json(selection.plan)
        versions = {name: template(name).version for name in template_versions(plan)}
    except AnytileError:
        return False
    is_of_today = template_versions(plan) == versions and selection.versions.codegen == CODEGEN_VERSION
    return is_of_today and not plan.notes.get("provisional")


def main(arguments: Sequence[str]) -> int:
    try:
        with tempfile.TemporaryDirectory() as folder:
            given = arguments[0] if arguments else str(Path(folder) / "as-it-stands.db")
            if not arguments:
                shutil.copyfile(FILE, given)
            with Store.open(given, readonly=bool(arguments)) as source:  # the copy gets the tables of today
                plans = make(source, FILE)
    except (AnytileError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    say(f"{FILE.name}: {counted(plans, 'plan')}, {FILE.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
