"""Database store: one open tuning database, safe to share between threads, beside any number of other processes.

Every `add` is one transaction: when it returns the records are durable, and when it does not, or the process dies in
it, none of them is there. Adding a record whose id is there already changes nothing, so whatever was interrupted may
simply be done again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from types import TracebackType
from typing import Any, Self, TypeVar, cast

from sqlalchemy import ColumnElement, Connection, Engine, case, func, select, update
from sqlalchemy.dialects import postgresql, sqlite

from anytile.core.command_hint import command_line
from anytile.core.errors import DatabaseError, SpecError, UnknownRecord, Unreachable
from anytile.db.leases import Leases
from anytile.db.packaged import place as packaged
from anytile.db.records.codecs import now
from anytile.db.records.records import Campaign, Miss, Selection, Stats, Status, StoredModel, Trial, Verdict
from anytile.db.sql import fastest, queries, rows
from anytile.db.sql.bulk import insert_rows
from anytile.db.sql.engine import (
    OUTSIDE,
    WRITES,
    ForeignText,
    Location,
    as_json,
    for_reading,
    locate,
    make_engine,
    make_folder,
    may_write,
    retrying,
    size_of,
    take_any_text,
)
from anytile.db.sql.file_system import warn_of_network
from anytile.db.sql.memo import Memo
from anytile.db.sql.models import (
    REVISION,
    Base,
    CampaignRow,
    MissRow,
    ModelRow,
    SelectionRow,
    TrialRow,
    VerdictRow,
    lacking,
)
from anytile.db.sql.places import names_none, places_in
from anytile.db.sql.schema import ensure_schema
from anytile.schedules.hardware.target import Target
from anytile.schedules.workloads.workload import Workload

T = TypeVar("T")
R = TypeVar("R", Campaign, Selection | Trial)
PATIENCE_S = 60.0
_PAGE = 2000
_FEW = 4  # of several that a name may mean, it is enough to show some


class Store:
    """One open database. Make it with `Store.open`; it is a context manager.

    Of several, in layers, it is the one that is written to, or where all are only read the first; lookups go through
    `layers`.
    """

    def __init__(
        self, engine: Engine, location: Location, patience_s: float = PATIENCE_S, revision: str = REVISION
    ) -> None:
        self._engine, self._reading = engine, for_reading(engine)
        self._location = location
        self._patience_s = patience_s
        self._memo = Memo(engine, location)
        # Ids of rows that stand for a text and are known to be committed. Such rows are never deleted.
        self._known: set[str] = set()
        self._is_open = True
        self._has_foreign_text = False
        self.revision = revision
        self.lacks = lacking(revision) or frozenset()  # tables, of a database that is older and only read
        self.layers: tuple[Store, ...] = (self,)
        self.unopened: tuple[str, ...] = ()  # why layers are missing
        self._has_packaged = False
        self._packaged: Store | None = None

    @classmethod
    def open(cls, url: str | None = None, readonly: bool = False, patience_s: float = PATIENCE_S) -> Store:
        """Open a path or URL, or a list (default: $ANYTILE_DB, else the user's own); a new one gets its tables."""
        places = places_in(url)
        if len(places) == 1:
            main = cls._open_one(places[0], readonly, patience_s)
            main._has_packaged = names_none(url) and packaged.is_there()
            return main
        opened: dict[str, Store] = {}
        complaints: list[str] = []
        writable: Store | None = None
        for place in places:
            wanted = not readonly and writable is None
            try:
                opened[place] = cls._open_one(place, not wanted, patience_s)
            except DatabaseError as error:
                if wanted and isinstance(error, Unreachable):  # what is to be kept there must not land elsewhere
                    for store in opened.values():
                        store.close()
                    raise
                complaints.append(str(error))
                continue
            if wanted and opened[place].may_write():
                writable = opened[place]
        if not opened or (not readonly and writable is None):
            for store in opened.values():
                store.close()
            names = ", ".join(store.name for store in opened.values())
            raise DatabaseError(complaints[0] if not opened else f"databases {names}: none may be written by this user")
        main = writable or next(iter(opened.values()))
        main.layers, main.unopened = tuple(opened.values()), tuple(complaints)
        return main

    @classmethod
    def _open_one(cls, place: str, readonly: bool, patience_s: float) -> Store:
        location = locate(place, readonly)
        make_folder(location)
        if location.path is not None and not readonly:
            warn_of_network(location.path)
        engine = make_engine(location)
        try:
            revision = ensure_schema(engine, location, patience_s)
        except DatabaseError:
            engine.dispose()
            raise
        return cls(engine, location, patience_s, revision)

    def search_path(self) -> Iterator[Store]:
        """The layers, and then the packaged set, where no database was named: opened when it is come to."""
        yield from self.layers
        if self._has_packaged:
            try:
                self._packaged = self._packaged or self._open_one(packaged.WORD, True, self._patience_s)
            except DatabaseError as error:
                self._has_packaged, self.unopened = False, (*self.unopened, str(error))
            else:
                yield self._packaged

    @property
    def is_alone(self) -> bool:
        """Whether it is all that lookups have to ask, and a database that somebody tuned."""
        return len(self.layers) == 1 and not self.unopened and not self._has_packaged and not self.is_packaged

    @property
    def is_packaged(self) -> bool:
        """Whether it is the set that comes with anytile."""
        return self._location.path == packaged.FILE

    @property
    def name(self) -> str:
        """Where it is, without passwords."""
        return self._location.name

    @property
    def is_server(self) -> bool:
        """Whether it is on a server, which may go away and come back."""
        return self._location.path is None

    def may_write(self) -> bool:
        """Whether this user may add records; asked before it is relied on."""
        return not self._location.readonly and may_write(self._engine, self._location)

    def close(self) -> None:
        """Let go of the database; leaving its `with` does the same. Nothing is read or written through it any more."""
        for layer in (*self.layers, self._packaged):
            if layer is not None and layer is not self:
                layer.close()
        self._is_open = False
        self._memo.close()
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # Writing

    def add_campaign(self, campaign: Campaign) -> None:
        """A campaign, before its trials; added again it changes nothing."""
        self._add([campaign], list(rows.campaign_rows(campaign, now())))

    def update_campaign(
        self,
        campaign_id: str,
        state: str | None = None,
        finished: float | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        """Change what is given; the rest stays. A campaign that is finished stays so, whoever comes late."""
        given = {"state": state, "finished": finished, "options": None if options is None else dict(options)}
        values = {k: v for k, v in given.items() if v is not None}
        try:
            as_json(values)
        except (TypeError, ValueError) as error:
            raise DatabaseError(f"campaign {campaign_id}: what changes is not JSON ({error})") from None

        def work(connection: Connection) -> int:
            wanted = update(CampaignRow).where(CampaignRow.id == campaign_id)
            over = (CampaignRow.state == "finished", CampaignRow.state)
            late = {} if state is None else {"state": case(over, else_=state)}
            return connection.execute(wanted.values(**{**values, **late})).rowcount

        if values and not self.write(work):
            raise DatabaseError(f"database {self.name}: no campaign {campaign_id}; see `{command_line('db', 'list')}`")

    def set_option(self, campaign_id: str, name: str, value: object) -> None:
        """One of a campaign's options; the others stay, whoever changes them meanwhile."""
        try:
            as_json(value)
        except (TypeError, ValueError) as error:
            raise DatabaseError(f"campaign {campaign_id}: {name} is not JSON ({error})") from None

        def work(connection: Connection) -> bool:
            mine = CampaignRow.id == campaign_id
            row = connection.execute(select(CampaignRow.options).where(mine).with_for_update()).first()
            if row is not None:
                connection.execute(update(CampaignRow).where(mine).values(options={**(row[0] or {}), name: value}))
            return row is not None

        if not self.write(work):
            raise DatabaseError(f"database {self.name}: no campaign {campaign_id}; see `{command_line('db', 'list')}`")

    def leases(self, campaign_id: str) -> Leases:
        """Who has what of a campaign in hand."""
        return Leases(self, campaign_id)

    def add_trials(self, trials: Iterable[Trial], checked: bool = False) -> None:
        """All of them or none; `checked` are those that were read, from a file or another database."""
        batch, at = list(trials), now()
        if len(batch) <= _PAGE:
            self._add(batch, [(TrialRow, rows.trial_row(t, at, checked)) for t in batch])
            return
        batch.sort(key=lambda t: t.id)

        def insert(connection: Connection) -> None:
            for start in range(0, len(batch), _PAGE):  # the rows of all at once would fill the memory
                page = [rows.trial_row(t, at, checked) for t in batch[start : start + _PAGE]]
                insert_rows(connection, TrialRow, page)

        self._add(batch, [], insert)

    def append_trials(self, trials: Iterable[Trial]) -> list[Trial]:
        """What was measured just now, as it then stands: of two trials of a campaign with one number the later has one
        behind all others."""
        batch, at = list(trials), now()
        made = [rows.trial_row(t, at) for t in batch]
        numbers: dict[str, int] = {}

        def number(connection: Connection) -> None:
            for campaign_id in dict.fromkeys(t.campaign_id for t in batch):
                its = [t for t in batch if t.campaign_id == campaign_id]
                numbers.update(self.leases(campaign_id).numbers(connection, its))
            for trial, row in zip(batch, made, strict=True):
                row["seed_order"] = numbers[trial.id]

        self._add(batch, [(TrialRow, row) for row in made], before=number)
        return [t if t.seed_order == numbers[t.id] else replace(t, seed_order=numbers[t.id]) for t in batch]

    def add_selection(self, selection: Selection) -> None:
        """The plan that was chosen for a workload and target; of several the newest serves."""
        self._add([selection], [(SelectionRow, rows.SELECTIONS.row(selection, now()))])

    def keep_model(self, model: StoredModel) -> None:
        """In the place of what was kept for that kind of target."""
        columns = {"kind": model.kind, "id": model.id, "document": model.document, "created": model.created or now()}

        def work(connection: Connection) -> None:
            row = self._insert(ModelRow).values(**columns)
            changed = {name: value for name, value in columns.items() if name != "kind"}
            connection.execute(row.on_conflict_do_update(index_elements=["kind"], set_=changed))

        self.write(work)

    def add_verdicts(self, verdicts: Iterable[Verdict]) -> None:
        """Second looks at records; of several at one the newest counts."""
        batch, at = list(verdicts), now()
        self._add(batch, [(VerdictRow, rows.verdict_row(v, at)) for v in batch])

    def record_miss(self, workload: Workload, target: Target) -> None:
        """Count a compile that found no exact record."""
        at = now()
        self._add_miss(Miss(workload, target, 1, at, at), lambda old, new: old + new)

    def merge_miss(self, miss: Miss) -> None:
        """Take over another database's count. The larger one stands, so that merging twice changes nothing."""
        self._add_miss(miss, self._larger)

    def _add_miss(self, miss: Miss, count: Callable[[Any, Any], ColumnElement[int]]) -> None:
        def work(connection: Connection) -> None:
            row = self._insert(MissRow).values(**rows.miss_row(miss))
            new = row.excluded
            changed = {
                "count": count(MissRow.count, new.count),
                "first": -self._larger(-MissRow.first, -new.first),
                "last": self._larger(MissRow.last, new.last),
            }
            connection.execute(row.on_conflict_do_update(index_elements=["id"], set_=changed))

        self._add([miss], [], work)

    def _larger(self, a: Any, b: Any) -> ColumnElement[Any]:
        return func.max(a, b) if self._location.path is not None else func.greatest(a, b)

    def _add(
        self,
        records: Iterable[rows.Stored],
        inserts: list[rows.Insert],
        then: Callable[[Connection], None] | None = None,
        before: Callable[[Connection], None] | None = None,
    ) -> None:
        referred = rows.references(records)
        new = [r for id_, r in referred.items() if id_ not in self._known]
        tables: dict[type[Base], list[rows.Columns]] = {}
        for table, columns in (*new, *inserts):  # what is referred to stands first
            tables.setdefault(table, []).append(columns)

        def work(connection: Connection) -> None:
            if before is not None:
                before(connection)
            for table, many in tables.items():
                # Sorted: two PostgreSQL transactions that insert the same keys in opposite orders would deadlock.
                many.sort(key=lambda c: str(c.get("id")))
                insert_rows(connection, table, many)
            if then is not None:
                then(connection)

        if tables or then is not None:
            self.write(work)
            self._known.update(referred)

    def _insert(self, table: type[Base]) -> sqlite.Insert:
        if self._location.path is not None:
            return sqlite.insert(table)
        return cast(sqlite.Insert, postgresql.insert(table))  # the two agree in all that is used here

    def write(self, work: Callable[[Connection], T]) -> T:
        """Run `work` in one transaction, waiting for other writers. It may run more than once."""
        self._require_writable()

        def attempt() -> T:
            with self._engine.connect().execution_options(**WRITES) as connection, connection.begin():
                return work(connection)

        return retrying(self._location, self._patience_s, attempt)

    def maintain(self, statements: Sequence[str]) -> None:
        """Run statements that no transaction may hold, one after another; they may run more than once."""
        self._require_writable()
        options = OUTSIDE if self._location.path is not None else {"isolation_level": "AUTOCOMMIT"}

        def attempt() -> None:
            with self._engine.connect().execution_options(**options) as connection:
                try:
                    for statement in statements:
                        connection.exec_driver_sql(statement)
                finally:
                    connection.invalidate()  # what they set is nobody else's

        retrying(self._location, self._patience_s, attempt)

    # Reading

    def read(self, work: Callable[[Connection], T]) -> T:
        """Run `work` on one state of a file's; on a server's each of its statements sees what is committed by then.

        From the first text on that is no UTF-8 such texts are read as what no record may hold, so that each costs its
        own row and no other.
        """
        self._require_open()

        def attempt() -> T:
            with self._reading.connect() as connection:
                if self._has_foreign_text:
                    take_any_text(connection)
                return work(connection)

        def patient() -> T:
            return retrying(self._location, self._patience_s, attempt)

        try:
            return patient()
        except ForeignText:
            if self._has_foreign_text:
                raise
            self._has_foreign_text = True
            return patient()

    @contextmanager
    def at_one_moment(self) -> Iterator[None]:
        """For one question that asks the same things of the database over and over, such as a page: what this thread
        worked out within it stands until its end, whoever writes meanwhile."""
        self._require_open()
        with ExitStack() as stack:
            for layer in self.layers:
                stack.enter_context(layer._memo.at_one_moment())
            yield

    def memo(self, key: Hashable, make: Callable[[], T]) -> T:
        """`make()`, or what it gave last time if nobody has written to the database since."""
        self._require_open()
        return self._memo.get(key, make)

    def in_moment(self, key: Hashable, make: Callable[[], T]) -> T:
        """`make()`, or what it gave before in the same moment."""
        return self._memo.in_moment(key, make)

    def _require_writable(self) -> None:
        self._require_open()
        if self.is_packaged:
            raise DatabaseError(f"database {self.name}: is only ever read; give another one with --db")
        if self._location.readonly:
            raise DatabaseError(f"database {self.name}: is opened read-only; open it for writing to add to it")

    def _require_open(self) -> None:
        if not self._is_open:
            raise DatabaseError(f"database {self.name}: is closed; open it again by Store.open")

    def campaign(self, id_or_prefix: str) -> Campaign:
        """The campaign with this id, or the only one whose id begins so."""
        return self._named("campaign", id_or_prefix, queries.campaigns, ("db", "list"))

    def record(self, id_or_prefix: str) -> Selection | Trial:
        """The selection or trial with this id, or the only one whose id begins so."""

        def find(connection: Connection, prefix: str) -> list[Selection | Trial]:
            chosen = queries.selections_where(None, None).where(SelectionRow.id.like(f"{prefix}%")).limit(_FEW)
            tried = queries.trial_query().where(TrialRow.id.like(f"{prefix}%")).limit(_FEW)
            return [
                *map(rows.SELECTIONS.read, connection.execute(chosen)),
                *map(rows.read_trial, connection.execute(tried)),
            ]

        return self._named("record", id_or_prefix, find, ("db", "verify", "--list"))

    def _named(self, what: str, prefix: str, find: Callable[[Connection, str], list[R]], where: tuple[str, ...]) -> R:
        found: list[R] = []
        if re.fullmatch(r"[0-9a-fA-F-]+", prefix):
            try:
                found = self.read(lambda c: find(c, prefix.lower()))
            except SpecError as error:
                raise DatabaseError(f"{what} {prefix}: {error}; upgrade anytile to read it") from error
        if not found:
            raise UnknownRecord(f"database {self.name}: no {what} {prefix!r}; see `{command_line(*where)}`")
        if len(found) > 1:
            some = ", ".join(one.id[:13] for one in found[:3])
            raise UnknownRecord(f"database {self.name}: {what} {prefix!r} may be {some}; give more of its id")
        return found[0]

    def campaigns(self, newest: int | None = None) -> list[Campaign]:
        """Oldest first; or the newest so many, and those that are running."""
        return self.read(lambda c: queries.campaigns(c, newest=newest))

    def trials(
        self,
        campaign_id: str | None = None,
        workload: Workload | None = None,
        target: Target | None = None,
        status: Status | None = None,
        kind: str | None = None,
        limit: int | None = None,
        since: int | None = None,
        sound: bool = False,
    ) -> list[Trial]:
        """Whole trials in the order they were made, so that a replay can follow them; numbered from `since` on, and
        only `sound` ones, which nothing sets aside."""
        query = queries.trials_where(campaign_id, workload, target, status, kind, limit, since)
        if sound:
            judged = queries.with_ruling(query, TrialRow, self.lacks)
            return self.read(lambda c: list(queries.sound_trials(c.execute(judged))))
        return self.read(lambda c: list(queries.readable(c.execute(query), rows.read_trial)))

    def each_trial(self) -> Iterator[Trial]:
        """Every trial, by id, without holding them all at once."""
        after = ""
        while True:
            found = self.read(lambda c, after=after: queries.trials_after(c, after, _PAGE))  # type: ignore[misc]
            if not found:
                return
            after = found[-1].id
            yield from queries.readable(found, rows.read_trial)

    def each_trial_beyond(self, other: Store) -> Iterator[Trial]:
        """Every trial, by id, that another database lacks; of those that it has no more than the id is read."""
        after = ""
        while True:
            ids = self.read(lambda c, after=after: queries.trial_ids_after(c, after, _PAGE))  # type: ignore[misc]
            if not ids:
                return
            after = ids[-1]
            held = other.read(lambda c, ids=ids: queries.held_trials(c, ids))  # type: ignore[misc]
            if lacking := [id_ for id_ in ids if id_ not in held]:
                found = self.read(lambda c, lacking=lacking: queries.trials_of(c, lacking))  # type: ignore[misc]
                yield from queries.readable(found, rows.read_trial)

    def selections(
        self,
        workload: Workload | None = None,
        target: Target | None = None,
        campaign_id: str | None = None,
        sound: bool = False,
    ) -> list[Selection]:
        """Newest first; only `sound` ones, which no verdict sets aside."""
        query = queries.selections_where(workload, target, campaign_id)
        if sound:
            judged = queries.with_ruling(query, SelectionRow, self.lacks)
            return self.read(lambda c: list(queries.sound_selections(c.execute(judged))))
        return self.read(lambda c: list(queries.readable(c.execute(query), rows.SELECTIONS.read)))

    def selection(self, workload: Workload, target: Target) -> Selection | None:
        """The newest one for exactly this workload and target."""
        return next(iter(self.selections(workload, target)), None)

    def verdicts(self, workload: Workload | None = None, target: Target | None = None) -> list[Verdict]:
        """Newest first."""
        if VerdictRow.__tablename__ in self.lacks:
            return []
        query = queries.verdicts_where(workload, target)
        return self.read(lambda c: list(queries.readable(c.execute(query), rows.VERDICTS.read)))

    def known_pairs(self, op: str) -> list[tuple[Workload, Target]]:
        """Every workload of an operator that something is known of, and the targets that it is known on."""
        return self.read(lambda c: queries.known_pairs(c, op))

    def groups(self) -> list[fastest.Group]:
        """The search trials of every workload, target, versions and point, by the fastest that is not set aside."""
        return self.memo((fastest.groups,), lambda: self.read(lambda c: fastest.groups(c, self.lacks)))

    def targets(self) -> list[Target]:
        """Every target that a record names, by its text."""
        return self.read(queries.targets)

    def misses(self) -> list[Miss]:
        """Most wanted first."""
        return self.read(queries.misses)

    def model_id(self, kind: str) -> str | None:
        """Which cost model a lookup asks: of the first layer that has one, and not the packaged set's, which would
        take a first compile longer to load than its answers gain. Another training has another id."""
        found = (layer.read(lambda c: queries.model_id(c, kind)) for layer in self.layers if layer.keeps_models)
        return next((id_ for id_ in found if id_ is not None), None)

    def model(self, kind: str) -> StoredModel | None:
        """The cost model for a kind of target, of the first layer that has one, the packaged set included."""
        found = (layer.read(lambda c: queries.model(c, kind)) for layer in self.search_path() if layer.keeps_models)
        return next((model for model in found if model is not None), None)

    @property
    def keeps_models(self) -> bool:
        """Whether it has a table for them; an older one that is only read may not."""
        return ModelRow.__tablename__ not in self.lacks

    def counts(self, campaigns: Collection[str] | None = None) -> dict[str, dict[Status, int]]:
        """How many trials of each status every campaign has ("" for trials without one), or the named ones."""
        return self.read(lambda c: queries.counts(c, campaigns))

    def last_trial(self, campaign_id: str) -> float | None:
        """When the last trial of a campaign was measured."""
        return self.read(lambda c: queries.last_trial(c, campaign_id))

    def unreadable(self) -> tuple[str, ...]:
        """What a newer anytile stored and this version leaves out."""
        return self.read(queries.unreadable)

    def stats(self) -> Stats:
        """How much is stored, of what."""
        return self.read(lambda c: queries.stats(c, self.name, size_of(self._location), self.revision, self.lacks))
