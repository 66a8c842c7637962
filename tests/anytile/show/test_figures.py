"""Figures, scales, tables and markup: the small things every output is made of."""

from __future__ import annotations

import io
import itertools
import json
import math
from collections.abc import Callable
from typing import Any as Anything

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anytile.commands.reading import read_bounds, read_bytes, read_duration, read_sizes
from anytile.core.errors import SpecError
from anytile.db.records.records import Status
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any
from anytile.show import figures
from anytile.show.jsonable import dump, jsonable
from anytile.show.report.markup import Markup, el, join
from anytile.show.report.scales import Scale, nice_ticks, power_ticks, spread
from anytile.show.tables import Table
from anytile.tuner.ledger.events import Best


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(1.5, "1.50 s"), (2.88e-4, "288 us"), (1.234e-5, "12.3 us"), (4e-9, "4.00 ns"), (0.0, "0 s"), (math.inf, "-")],
)
def test_times(seconds: float, text: str) -> None:
    assert figures.time_text(seconds) == text


@pytest.mark.parametrize(("seconds", "text"), [(45, "45s"), (185, "3m 05s"), (7800, "2h 10m"), (None, "-"), (-1, "0s")])
def test_durations(seconds: float | None, text: str) -> None:
    assert figures.duration_text(seconds) == text


def test_sizes_ages_and_rates() -> None:
    assert [figures.bytes_text(n) for n in (0, 1023, 1536, 32 << 10, 5 << 30)] == [
        "0 B",
        "1023 B",
        "1.5 KiB",
        "32 KiB",
        "5.0 GiB",
    ]
    assert [figures.age_text(t, 1e6) for t in (0, 1e6 - 30, 1e6 - 400, 1e6 - 90000)] == [
        "-",
        "just now",
        "6m ago",
        "1d ago",
    ]
    assert [figures.rate_text(r) for r in (261.7, 61.25, 0.0, math.nan)] == ["262", "61.2", "-", "-"]
    assert figures.geometric_mean([2.0, 8.0, 0.0, math.nan]) == pytest.approx(4.0)


@pytest.mark.parametrize(
    ("text", "seconds"), [("90", 90), ("90s", 90), ("3m", 180), ("1m30s", 90), ("1h", 3600), ("1.5s", 1.5)]
)
def test_durations_are_read(text: str, seconds: float) -> None:
    assert read_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "soon", "0", "-5", "3ms", "1x", "m", "nan", "9" * 400, "9" * 5000])
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(SpecError, match="--time"):
        read_duration(text)


def test_byte_sizes_are_read() -> None:
    assert [read_bytes(t) for t in ("65536", "64k", "2M", "4MiB")] == [65536, 65536, 2 << 20, 4 << 20]
    for text in ("0", "-1", "much", "1G5", "9" * 5000):
        with pytest.raises(SpecError, match="--code-budget"):
            read_bytes(text)


@pytest.mark.parametrize("read", [read_bounds, read_sizes])
def test_sizes_of_more_digits_than_python_reads_are_refused(read: Callable[[str, str], Anything]) -> None:
    assert read("--at", "n=1, h=56") == {"n": 1, "h": 56}
    with pytest.raises(SpecError, match="--at n=9"):
        read("--at", f"n={'9' * 5000}")


@given(st.floats(1e-3, 1e6))
def test_ticks_start_at_nothing_and_reach_the_top(high: float) -> None:
    ticks = nice_ticks(high)
    assert ticks[0] == 0
    assert ticks[-1] >= high * 0.999
    assert 2 <= len(ticks) <= 12
    assert ticks == sorted(set(ticks))


def test_power_ticks_are_thinned() -> None:
    assert power_ticks(1, 256) == [1, 2, 4, 8, 16, 32, 64, 128, 256]
    assert len(power_ticks(1, 2**30)) <= 12


def test_scales_map_ends_to_ends() -> None:
    assert [Scale(1, 256, 0, 80, log=True)(v) for v in (1, 16, 256)] == [0, 40, 80]
    assert Scale(0, 10, 100, 0)(5) == 50
    assert Scale(3, 3, 0, 10)(3) == 5


@given(st.lists(st.floats(0, 300), min_size=1, max_size=8))
def test_labels_keep_their_distance(wanted: list[float]) -> None:
    placed = sorted(spread(wanted, 14, 0, 300))
    assert all(b - a >= 14 - 1e-6 for a, b in itertools.pairwise(placed))
    assert placed[-1] <= 300 + 1e-6


@given(st.text())
def test_no_text_becomes_markup(text: str) -> None:
    made = el("p", text, title=text)
    inside = made.removeprefix("<p").removesuffix("</p>")
    assert "<" not in inside
    assert inside.count('"') == 2


def test_markup_is_not_escaped_twice() -> None:
    assert el("p", el("b", "1 < 2"), " & ", Markup("<br>")) == "<p><b>1 &lt; 2</b> &amp; <br></p>"
    assert join("a", None, 3) == "a3"
    assert (
        el("circle", cx=1.25, r=3.0, class_="dot", hidden=False, open=True)
        == '<circle cx="1.2" r="3" class="dot" open=""></circle>'
    )


def test_raw_elements_take_no_text() -> None:
    with pytest.raises(TypeError, match="markup of ours"):
        el("style", "</style><script>")


def test_plain_tables_align_and_never_cut() -> None:
    table = Table(["name", ">count"])
    table.add("a" * 200, 7)
    table.add("b", 1234)
    lines = table.plain().splitlines()
    assert len({len(line) for line in lines}) == 1
    assert lines[1].startswith("a" * 200)
    assert lines[2].endswith("1234")


def test_tables_are_drawn_for_a_terminal() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    out = Terminal()
    table = Table(["name"])
    table.add("[bold]not markup[/bold]")
    table.show(out)
    assert "[bold]not markup" in out.getvalue()


def test_our_data_as_json() -> None:
    best = Best(dense(Any("m"), 4, 5), Config.of(tile_m=8), (("m", 64),), math.inf, 1.0)
    assert jsonable(best) == {
        "workload": "dense(m=?m, n=4, k=5, dtype=float32)", "config": "tile_m=8", "point": {"m": 64},
        "seconds": None, "gflops": 1.0, "template": "",
    }  # fmt: skip
    assert json.loads(dump({Status.OK: (1, 2.5), 3: math.nan})) == {"ok": [1, 2.5], "3": None}


@pytest.mark.parametrize(
    ("ratio", "text"),
    [(0.5, "0.50x"), (1.957, "1.96x"), (9.994, "9.99x"), (9.996, "10.0x"), (99.96, "100x"), (653.76, "654x")],
)
def test_ratios_have_three_digits(ratio: float, text: str) -> None:
    assert figures.ratio_text(ratio) == text
    assert figures.ratio_text(float("inf")) == "-"
