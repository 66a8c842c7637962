"""The report page: whole, self-contained, and deaf to text that means harm."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest

from anytile.cli.main import run, umbrella
from anytile.db.store import Store
from anytile.show.findings import Findings, gather
from anytile.show.report.charts import Mark, Series, convergence_chart, heat_map, size_chart, strength
from anytile.show.report.markup import el
from anytile.show.report.page import render
from tests.support.markup_reader import read

HARMLESS_TAGS = {
    "html", "head", "meta", "title", "style", "body", "main", "header", "footer", "section", "div", "p", "h1", "h2",
    "h3", "span", "b", "i", "ul", "li", "table", "tr", "th", "td", "code", "pre", "wbr", "details", "summary",
    "svg", "path", "circle", "rect", "text",
}  # fmt: skip


@pytest.fixture
def findings(filled: Any) -> Findings:
    with Store.open(filled.url, readonly=True) as store:
        return gather(store, filled.campaign.id)


def test_the_page_is_whole(findings: Findings, filled: Any) -> None:
    reader = read(render(findings))
    for said in (
        str(filled.workload), str(filled.campaign.target), "Speed over m", "The chosen plan", "Cross-evaluation",
        "Convergence", "Trials by status", "Machine and versions", "blas", "2 variants gain 1.30% over 1",
        "loses 0.4% on average and 2.1% at worst, at m=4", "LLVM 22.1", filled.campaign.id, "crashed",
    ):  # fmt: skip
        assert said in reader.text, said


def test_stored_text_stays_text(findings: Findings) -> None:
    page = render(findings)
    reader = read(page)
    assert '<script>alert("x")</script>' in reader.text  # it is shown
    assert "<script" not in page  # and is not markup
    assert reader.tags <= HARMLESS_TAGS
    assert not [name for name, _ in reader.attributes if name.startswith("on")]


def test_attributes_cannot_be_left() -> None:
    made = el("path", title='" onload="x', data_x=True, fill_opacity=0.25, hidden=None)
    assert made == '<path title="&quot; onload=&quot;x" data-x="" fill-opacity="0.2"></path>'


def test_the_page_needs_nothing_from_outside(findings: Findings) -> None:
    page = render(findings)
    reader = read(page)
    assert not [v for name, v in reader.attributes if name in ("src", "href", "xlink:href", "action")]
    assert "@import" not in page
    assert not re.search(r"url\(|https?://", page)
    assert ("content", "default-src 'none'; style-src 'unsafe-inline'") in reader.attributes


def test_the_page_serves_dark_screens_and_phones(findings: Findings) -> None:
    page = render(findings)
    assert "prefers-color-scheme: dark" in page
    assert "width=device-width" in page


def test_equal_findings_give_equal_pages(findings: Findings) -> None:
    assert render(findings) == render(findings)


def test_a_campaign_that_got_nowhere_still_has_a_page(findings: Findings) -> None:
    (found,) = findings.found
    nothing = dataclasses.replace(found, trials=(), plan=None)
    searched = dataclasses.replace(found, trials=tuple(found.of("search")[:1]), plan=None)
    for some in (nothing, searched):
        text = read(render(dataclasses.replace(findings, found=(some,), statuses={}))).text
        assert "Nothing was measured" in text or "No plan was chosen" in text


def test_only_failures_still_draw(findings: Findings) -> None:
    (found,) = findings.found
    failed = tuple(t for t in found.trials if not t.samples)
    reader = read(render(dataclasses.replace(findings, found=(dataclasses.replace(found, trials=failed, plan=None),))))
    assert "exit by signal 11" in reader.text


def test_charts_of_little_or_nothing_draw() -> None:
    for chart in (
        size_chart([], [], "m"),
        size_chart([Series("a", ((5.0, 1.0),), "ours")], [], "m"),
        convergence_chart([]),
        convergence_chart([Mark(1, None, "failed")]),
        heat_map(["c"], [1], {}, {}, {}, "m"),
    ):
        assert "nan" not in chart
        read(chart)


def test_a_cell_is_the_stronger_the_better() -> None:
    values = [strength(s / 20) for s in range(21)]
    assert values == sorted(values)
    assert values[-1] == pytest.approx(1.0)
    assert values[0] > 0


def test_the_command_writes_the_page(filled: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "deep" / "report.html"
    assert run(umbrella(), ["report", "5eed", "-o", str(out)], "anytile") == 0
    assert out.read_text().startswith("<!doctype html>")
    assert "420 trials" in capsys.readouterr().out


def test_a_page_that_cannot_be_written_is_a_line(
    filled: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    assert run(umbrella(), ["report", "last", "-o", str(tmp_path / "file" / "r.html")], "anytile") == 2
    assert capsys.readouterr().err.startswith("error: ")


def test_what_to_type_begins_as_the_user_calls_it(findings: Findings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANYTILE_COMMAND", ".venv/bin/anytile")
    text = read(render(findings)).text
    assert ".venv/bin/anytile db show 5eed0000\n" in text
    assert f".venv/bin/anytile why '{findings.found[0].workload}' --target " in text
