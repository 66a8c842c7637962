"""Export, import and merge: records out to JSON lines, in from JSON lines, and from one database into another.

Everything goes by UUID: what is there already stays as it is, so each of these may be interrupted and simply done
again, and doing it twice changes nothing. A file is read to its end and found good before its first record is stored.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from anytile.core.errors import AnytileError, DatabaseError, ResourceError, SpecError
from anytile.core.regular_file import open_regular
from anytile.db.records import jsonl
from anytile.db.records.jsonl import Record
from anytile.db.records.records import Campaign, Miss, Selection, Trial, Verdict

if TYPE_CHECKING:
    from anytile.db.store import Store

_BATCH = 32_000  # in one transaction: ids are random, so each writes pages of every index again, few or many
_NAMES = ("campaign", "trial", "selection", "verdict", "miss")  # in the order in which they go
MAX_LINE = 16 * 2**20  # characters


@dataclass(frozen=True, slots=True)
class Moved:
    """How many records went over, by what they are. Records that were there already are counted too."""

    counts: Mapping[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        several = {"miss": "misses"}
        return ", ".join(f"{n} {w if n == 1 else several.get(w, w + 's')}" for w, n in self.counts.items()) or "nothing"


def export_lines(store: Store, out: TextIO) -> Moved:
    """Write everything the database holds, campaigns before what belongs to them."""
    _require_readable(store, "take all of it along")
    counts: Counter[str] = Counter()
    try:
        out.write(jsonl.header() + "\n")
        for record in _everything(store, store.each_trial()):
            out.write(jsonl.write(record) + "\n")
            counts[_name(record)] += 1
        out.flush()
    except OSError as error:
        raise ResourceError(
            f"export of {store.name}: writing failed ({error.strerror}); free some space or write elsewhere"
        ) from error
    return Moved(counts)


@dataclass(frozen=True, slots=True)
class Lines:
    """A file of lines that was read to its end and found good."""

    path: Path
    latest: Mapping[str, Campaign]  # of the several lines that a journal has of one campaign the last one
    elsewhere: Mapping[str, tuple[int, str]]  # campaigns on no line above what names them: its first line, what it is

    def require(self, known: Collection[str], name: str) -> None:
        """That the database, which is called so, knows the campaigns that the file lacks."""
        for campaign, (number, what) in self.elsewhere.items():
            if campaign not in known:
                raise SpecError(
                    f"{self.path}:{number}: campaign {campaign} is not in {name} and on no line above; "
                    f"put the campaign's own line before its {what}s"
                )


def read_lines(path: Path) -> Lines:
    """Read a file of lines to its end; a bad line is said before there is any database."""
    latest: dict[str, Campaign] = {}
    elsewhere: dict[str, tuple[int, str]] = {}
    for number, record in _numbered(path):
        if isinstance(record, Campaign):
            latest[record.id] = record
        elif isinstance(record, Trial | Selection) and record.campaign_id and record.campaign_id not in latest:
            elsewhere.setdefault(record.campaign_id, (number, _name(record)))
    return Lines(path, latest, elsewhere)


def import_lines(store: Store, lines: Lines) -> Moved:
    """Take what a file holds into the database; before the first record is stored, it is known to fit."""
    lines.require({c.id for c in store.campaigns()}, store.name)
    records = (record for _, record in _numbered(lines.path))
    return _store_all(store, _each_once(records, dict(lines.latest)))


def _each_once(records: Iterable[Record], latest: dict[str, Campaign]) -> Iterator[Record]:
    """Of the several lines that a journal has of one campaign the last one, in the place of the first."""
    for record in records:
        if not isinstance(record, Campaign):
            yield record
        elif record.id in latest:
            yield latest.pop(record.id)


def merge(into: Store, source: Store) -> Moved:
    """Take over everything from another database."""
    _require_readable(source, "merge it")
    moved = _store_all(into, _everything(source, source.each_trial_beyond(into)))
    trials = sum(number for of in source.counts().values() for number in of.values())
    return Moved({name: n for name in _NAMES if (n := trials if name == "trial" else moved.counts.get(name, 0))})


def _require_readable(store: Store, purpose: str) -> None:
    """What this version does not know would be lost silently."""
    unreadable = store.unreadable()
    if unreadable:
        raise DatabaseError(
            f"database {store.name}: {len(unreadable)} things in it are of a newer anytile, such as {unreadable[0]!r}; "
            f"upgrade anytile to {purpose}"
        )


def _everything(store: Store, trials: Iterable[Trial]) -> Iterator[Record]:
    yield from store.campaigns()
    yield from trials
    yield from reversed(store.selections())
    yield from reversed(store.verdicts())
    yield from store.misses()


def _store_all(store: Store, records: Iterable[Record]) -> Moved:
    counts: Counter[str] = Counter()
    trials: list[Trial] = []
    for record in records:
        counts[_name(record)] += 1
        if isinstance(record, Trial):
            trials.append(record)
            if len(trials) >= _BATCH:
                store.add_trials(trials, checked=True)
                trials = []
        elif isinstance(record, Campaign):
            store.add_campaign(record)
        elif isinstance(record, Selection):
            store.add_selection(record)
        elif isinstance(record, Verdict):
            store.add_verdicts([record])
        else:
            store.merge_miss(record)
    if trials:
        store.add_trials(trials, checked=True)
    return Moved(counts)


def _numbered(path: Path) -> Iterator[tuple[int, Record]]:
    """The records of a file with their line numbers; whatever is wrong is said with file and line.

    It is read twice, which a pipe cannot be: the second time nothing would be in it.
    """
    number = 0
    try:
        with io.TextIOWrapper(open_regular(path), encoding="utf-8") as file:
            while line := file.readline(MAX_LINE):
                number += 1
                if len(line) == MAX_LINE:
                    raise SpecError(f"is longer than {MAX_LINE} characters; expected one record per line")
                record = jsonl.read(line)
                if record is not None:
                    yield number, record
    except OSError as error:
        raise SpecError(f"{path}: cannot be read ({error.strerror}); give the path of an exported file") from error
    except UnicodeDecodeError as error:
        raise SpecError(f"{path}:{number + 1}: is not UTF-8 text; give the path of an exported file") from error
    except AnytileError as error:
        raise SpecError(f"{path}:{number}: {error}") from error


def _name(record: Record) -> str:
    return "miss" if isinstance(record, Miss) else type(record).__name__.lower()
