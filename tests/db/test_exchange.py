"""Records travel as lines of JSON and between databases, and nothing bad comes in with them."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anytile.core.errors import DatabaseError, ResourceError, SpecError
from anytile.db import exchange
from anytile.db.exchange import Moved, export_lines, import_lines, merge, read_lines
from anytile.db.records import jsonl
from anytile.db.records.records import Campaign, Miss, Ruling, Selection, Status, Trial, Versions, new_id
from anytile.db.sql import queries
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any

WORKLOAD = dense(Any("m"), 8, 8)
TARGET = Target.parse("llvm -mcpu=haswell")


VERSION = {"anytile": "0.1", "template": 1, "codegen": 1, "llvm": "22", "python": "3.11"}


@pytest.fixture
def full(store, samples):
    """A database with one of everything."""
    store.add_campaign(samples.campaign)
    store.add_trials([samples.trial(), samples.failed(Status.TIMEOUT), samples.trial(versions=None, campaign_id="")])
    store.add_selection(samples.selection())
    store.add_verdicts([samples.verdict(store.selections()[0].id), samples.verdict(new_id(), ruling=Ruling.BELIEVED)])
    store.record_miss(samples.workload, samples.target)
    return store


def contents(store):
    trials = sorted(store.trials(), key=lambda t: t.id)
    return store.campaigns(), trials, store.selections(), store.verdicts(), store.misses()


def exported(store, path: Path) -> Path:
    with path.open("w") as file:
        export_lines(store, file)
    return path


def test_out_and_in_again(full, open_store, tmp_path):
    path = tmp_path / "all.jsonl"
    with path.open("w") as file:
        moved = export_lines(full, file)
    assert str(moved) == "1 campaign, 3 trials, 1 selection, 2 verdicts, 1 miss"
    assert str(Moved({"selection": 2, "miss": 11})) == "2 selections, 11 misses"
    assert str(Moved()) == "nothing"
    other = open_store("other.db")
    for _ in range(2):  # the second time changes nothing
        assert import_lines(other, read_lines(path)) == moved
        assert contents(other) == contents(full)
    assert exported(other, tmp_path / "again.jsonl").read_text() == path.read_text()


def test_merge_is_a_union_by_id(full, open_store, samples):
    other = open_store("other.db")
    other.add_campaign(samples.campaign)
    mine = samples.trial()
    other.add_trials([mine, full.trials()[0]])
    for _ in range(3):
        other.record_miss(samples.workload, samples.target)
    for _ in range(2):
        merge(other, full)
    assert {t.id for t in other.trials()} == {mine.id} | {t.id for t in full.trials()}
    assert other.campaigns() == full.campaigns()
    assert other.selections() == full.selections()
    assert str(merge(other, full)) == "1 campaign, 3 trials, 1 selection, 2 verdicts, 1 miss"
    assert other.misses()[0].count == 3
    assert other.misses()[0].first == full.misses()[0].first
    merge(full, other)
    assert contents(full) == contents(other)


def test_merging_again_reads_no_trial(full, open_store, samples, monkeypatch):
    """Ids alone tell what is missing."""
    other = open_store("other.db")
    first = merge(other, full)
    read: list[list[str]] = []
    really = queries.trials_of
    monkeypatch.setattr(queries, "trials_of", lambda c, ids: read.append(ids) or really(c, ids))
    assert merge(other, full) == first
    assert read == []
    added = samples.trial()
    full.add_trials([added])
    assert merge(other, full).counts["trial"] == 4
    assert read == [[added.id]]
    assert contents(other) == contents(full)


def test_more_than_one_batch(store, open_store, samples, tmp_path, monkeypatch):
    monkeypatch.setattr(exchange, "_BATCH", 7)
    monkeypatch.setattr("anytile.db.store._PAGE", 5)
    store.add_campaign(samples.campaign)
    store.add_trials([samples.trial() for _ in range(31)])
    other, third = open_store("other.db"), open_store("third.db")
    merge(other, store)
    import_lines(third, read_lines(exported(store, tmp_path / "x.jsonl")))
    assert contents(other) == contents(store) == contents(third)


def test_a_machine_without_sqlalchemy_writes_the_format(open_store, samples, tmp_path):
    path = tmp_path / "remote.jsonl"
    code = f"""
import sys
sys.modules["sqlalchemy"] = None
from anytile.db import exchange
from anytile.db.records import jsonl
from anytile.db.records.records import Campaign, Status, Trial
from anytile.schedules.templates.base.space import Config
from anytile.schedules.hardware.target import Target
from anytile.schedules.workloads.workload import Workload
w, t = Workload.parse({str(samples.workload)!r}), Target.parse("llvm -mcpu=haswell")
c = Campaign((w,), t, {{}}, created=1.0)
trial = Trial(w, t, "dense.cpu", Config.of(tile_m=8), {{"m": 64}}, Status.OK, (1e-4,), campaign_id=c.id, created=2.0)
print(jsonl.header())
for record in (c, trial):
    print(jsonl.write(record))
"""
    path.write_text(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
    store = open_store()
    assert str(import_lines(store, read_lines(path))) == "1 campaign, 1 trial"
    assert store.trials(workload=samples.workload)[0].samples == (1e-4,)


DEEP = json.loads("[" * 900 + "]" * 900)


def line(**changed: object) -> str:
    trial = Trial(WORKLOAD, TARGET, "dense.cpu", Config.of(tile_m=8), {"m": 64}, Status.OK, (1e-4,), created=1.0)
    data = {**json.loads(jsonl.write(trial)), **changed}
    return json.dumps({k: v for k, v in data.items() if v is not ...})


@pytest.mark.sampled(20)
@pytest.mark.parametrize(
    ("bad", "complaint"),
    [
        ("{", "is not JSON"),
        ("[1]", "is a JSON list; expected an object"),
        ("[" * 100_000, "is nested too deeply"),
        ("1" * 5000, "is not JSON"),
        ("{}", "record is missing"),
        ('{"record": "pickle"}', "record 'pickle' is unknown; expected one of campaign, trial"),
        ('{"record": "header", "format": 9}', "format 9 is not 1; upgrade anytile"),
        (line(id="7"), "id is '7'; expected a UUID"),
        (line(id=...), "id is missing"),
        (line(workload="conv(x=1)"), "unknown operator 'conv'"),
        (line(workload=5), "workload is 5; expected a text"),
        (line(target="riscv"), "target 'riscv'"),
        (line(config="tile_m"), "is not knob=value"),
        (line(status="great"), "status is 'great'; expected one of ok, wrong"),
        (line(samples=[]), "samples is empty; expected some, as status is ok"),
        (line(samples=[1e-3, -1]), "expected a list of seconds above 0"),
        (line(samples=["1"]), "expected a list of seconds above 0"),
        (line(samples=[True]), "expected a list of seconds above 0"),
        (line().replace("0.0001", "NaN"), "NaN is not a JSON number"),
        (line().replace("0.0001", "1e999"), "expected a list of seconds above 0"),
        (line().replace("0.0001", "1" + 400 * "0"), "expected a list of seconds above 0"),
        (line(created=1e300), "created is 1e\\+300; expected seconds since the epoch"),
        (line(created=-1.0), "created is -1.0; expected seconds since the epoch"),
        (line(device="\ud800"), "device is .*; expected text without lone surrogates"),
        (jsonl.write(Campaign((WORKLOAD,), TARGET, {"x": 7777})).replace("7777", "1e999"), "options holds a number"),
        (line(drift=0), "drift is 0.0; expected a number above 0"),
        (line(build_seconds=-1), "build_seconds is -1.0"),
        (line(point={"m": 1.5}), "point.m is 1.5; expected a whole number"),
        (line(point={"m": -1}), "expected sizes from 0 up"),
        (line(point={"m": 2**40}), "point.m is 1099511627776; expected a whole number of at most 31 bits"),
        (line(facts={"spills": "many"}), "facts.spills is 'many'; expected a number"),
        (line(versions={"llvm": "22"}), "versions.anytile is missing"),
        (line(seed_order=True), "seed_order is True; expected a whole number"),
        (line(color="red"), "color is not a field of this record; upgrade anytile"),
        (
            line(record="selection", plan="[]", versions=VERSION),
            "plan is '\\[\\]'; expected the JSON text of a dispatch plan",
        ),
        (line(samples=[1e-300], drift=1e300), "expected a list of seconds above 0"),
        (line(drift=1e300), "expected a number above 0"),
        (line(config=",".join(f"k{i}=1" for i in range(900))), "has 900 knobs; expected 32 at most"),
        (
            line(record="selection", plan='{"notes": ["\\ud800"]}', versions=VERSION),
            "expected text without lone surrogates",
        ),
        (line(record="selection", plan=json.dumps({"notes": DEEP}), versions=VERSION), "plan is nested too deeply"),
        (
            jsonl.write(Campaign((WORKLOAD,), TARGET, {"x": 7})).replace("7}", json.dumps(DEEP) + "}"),
            "options is nested",
        ),
        (jsonl.write(Campaign((WORKLOAD,), TARGET, {"x": "\ud800"})), "options is .*; expected text without"),
        (line(campaign_id=new_id()), "is not in .* and on no line above; put the campaign's own line before"),
    ],
)
def test_a_bad_line_is_named_and_nothing_is_stored(store, tmp_path, bad, complaint):
    path = tmp_path / "bad.jsonl"
    path.write_text(f"{jsonl.header()}\n{line()}\n\n{bad}\n{line()}\n")
    with pytest.raises(SpecError, match=complaint) as caught:
        import_lines(store, read_lines(path))
    assert str(caught.value).startswith(f"{path}:4: ")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 600
    assert store.trials() == []


def test_files_that_are_none(store, tmp_path, monkeypatch):
    with pytest.raises(SpecError, match="cannot be read"):
        import_lines(store, read_lines(tmp_path / "none.jsonl"))
    with pytest.raises(SpecError, match="cannot be read"):
        import_lines(store, read_lines(tmp_path))
    binary = tmp_path / "binary"
    binary.write_bytes(b"\x80\x04pickle")
    with pytest.raises(SpecError, match=r"binary:1: is not UTF-8"):
        import_lines(store, read_lines(binary))
    monkeypatch.setattr(exchange, "MAX_LINE", 1000)
    endless = tmp_path / "endless"
    endless.write_text(line() + "\n" + "x" * 5000)
    with pytest.raises(SpecError, match=r"endless:2: is longer than 1000"):
        import_lines(store, read_lines(endless))
    assert store.trials() == []


def test_a_pipe_is_refused_since_lines_are_read_twice(store, tmp_path):
    """It was read to its end by the check, and nothing was stored without a word; without a writer it hung."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(SpecError, match=r"pipe: cannot be read \(expected a regular file, got a pipe; copy"):
        import_lines(store, read_lines(pipe))
    reading, writing = os.pipe()
    os.write(writing, f"{jsonl.header()}\n{line()}\n".encode())
    os.close(writing)
    with pytest.raises(SpecError, match="got a pipe"):
        import_lines(store, read_lines(Path(f"/dev/fd/{reading}")))
    os.close(reading)


def test_an_export_that_cannot_be_written(full):
    class Full(io.StringIO):
        def write(self, text: str) -> int:
            raise OSError(28, "No space left on device")

    with pytest.raises(ResourceError, match="No space left on device"):
        export_lines(full, Full())


def test_what_cannot_be_read_is_not_silently_dropped(full, open_store, samples, monkeypatch):
    monkeypatch.setattr(type(full), "unreadable", lambda self: ("conv9d(z=1)",))
    with pytest.raises(DatabaseError, match="'conv9d\\(z=1\\)'; upgrade anytile"):
        export_lines(full, io.StringIO())
    with pytest.raises(DatabaseError, match="upgrade anytile"):
        merge(open_store("other.db"), full)


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
TIMES = st.floats(1e-9, 1e3)
IDS = st.uuids().map(str)
VERSIONS = st.builds(
    Versions, anytile=TEXT, template=st.integers(0, 99), codegen=st.integers(0, 99), llvm=TEXT, python=TEXT
)
TRIALS = st.builds(
    Trial,
    workload=st.sampled_from([WORKLOAD, dense(0, 1, Any("k"), const=("w",))]),
    target=st.just(TARGET),
    template=TEXT,
    config=st.sampled_from([Config.of(), Config.of(a=-3, b="x y", c="1e5")]),
    point=st.dictionaries(st.sampled_from("mnk"), st.integers(0, 2**31 - 1)),
    status=st.sampled_from(Status),
    samples=st.lists(TIMES, min_size=1, max_size=5).map(tuple),
    reason=TEXT,
    drift=TIMES,
    build_seconds=st.floats(0, 1e3),
    facts=st.dictionaries(TEXT, st.floats(allow_nan=False, allow_infinity=False)),
    kind=TEXT,
    seed_order=st.integers(-1, 2**31 - 1),
    versions=st.none() | VERSIONS,
    device=TEXT,
    campaign_id=st.just("") | IDS,
    created=st.floats(0, 1e11),
    id=IDS,
)
RECORDS = (
    TRIALS
    | st.builds(
        Campaign,
        workloads=st.just((WORKLOAD,)),
        target=st.just(TARGET),
        options=st.dictionaries(TEXT, st.none() | st.integers() | TEXT | st.lists(st.booleans())),
        state=st.sampled_from(["running", "interrupted", "finished"]),
        created=st.floats(0, 1e11),
        finished=st.none() | st.floats(0, 1e11),
        id=IDS,
    )
    | st.builds(
        Selection,
        workload=st.just(WORKLOAD),
        target=st.just(TARGET),
        plan=st.dictionaries(TEXT, st.integers()).map(lambda d: json.dumps(d, sort_keys=True)),
        versions=VERSIONS,
        device=TEXT,
        campaign_id=st.just("") | IDS,
        created=st.floats(0, 1e11),
        id=IDS,
    )
    | st.builds(
        Miss,
        workload=st.just(WORKLOAD),
        target=st.just(TARGET),
        count=st.integers(1, 10**9),
        first=st.floats(0, 1e11),
        last=st.floats(0, 1e11),
    )
)


@pytest.mark.slow
@given(RECORDS)
def test_reading_is_the_inverse_of_writing(record):
    text = jsonl.write(record)
    assert "\n" not in text
    assert jsonl.read(text) == record


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=4,
)


@given(RECORDS, st.data())
def test_a_wrong_field_is_said_never_a_crash(record, data):
    """Any field replaced by anything is read, or refused in one line."""
    fields = json.loads(jsonl.write(record))
    name = data.draw(st.sampled_from(sorted(fields)))
    fields[name] = data.draw(JSON)
    try:
        jsonl.read(json.dumps(fields))
    except SpecError as error:
        complaint = str(error)
    else:
        complaint = ""
    assert "\n" not in complaint
