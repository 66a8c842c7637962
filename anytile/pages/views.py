"""HTML views: what each page says, made of its data. Pure functions; text becomes markup only through `el`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from urllib.parse import quote

from anytile.core.command_hint import command_line
from anytile.core.plurals import counted
from anytile.db.lookup.suggestions import Suggestion
from anytile.db.overview.campaigns import is_live
from anytile.db.overview.coverage import TUNED, Coverage
from anytile.db.overview.standings import BestList, Regression, VersionBest
from anytile.db.records.records import RUNNING
from anytile.db.summary import BestLine, CampaignLine
from anytile.pages.card_tables import Row, badge, bar, code, note, table, tile
from anytile.pages.data import FIRST, Overview
from anytile.pages.frame import link_to
from anytile.schedules.hardware.target import Target
from anytile.show.figures import age_text, duration_text, point_text, rate_text, ratio_text, time_text
from anytile.show.report.markup import Markup, el, join

_SHOWN_WORKLOADS = 3
_SPARK = (96, 24)


def overview(found: Overview, now: float) -> list[Markup]:
    live, worse = len(found.live), len(found.regressions)
    tiles = [
        tile(str(live), "campaign at work" if live == 1 else "campaigns at work", "/campaigns", "good" if live else ""),
        tile(str(worse), "slower than before", "/regressions", "bad" if worse else "good"),
        *(tile(f"{c.tuned:.0%}", f"of {c.model} tuned", _coverage_link(c.model, c.target)) for c in found.coverage),
        tile(str(len(found.missed)), "asked for and not tuned", "/missed"),
    ]
    parts = [el("div", *tiles, class_="tiles", id="glance", data_live=True)]
    at_work = [el("h2", "At work now"), *_live(found.live, now)]
    parts.append(el("section", *at_work, id="live", data_live=True))
    if worse:
        parts += [el("h2", "Slower than before"), *regression_table(found.regressions[:FIRST])]
        parts += _more(worse, "/regressions", "regressions")
    if found.missed:
        parts += [el("h2", "Most worth tuning"), *missed_table(found.missed[:FIRST], now)]
        parts += _more(len(found.missed), "/missed", "of them")
    if found.latest:
        parts += [el("h2", "Latest campaigns"), campaign_table(found.latest[:FIRST], now)]
        parts += _more(len(found.latest), "/campaigns", "campaigns")
    return parts


def _more(there: int, href: str, what: str) -> list[Markup]:
    return [el("p", el("a", f"All {there} {what}", href=href))] if there > FIRST else []


def _live(lines: Sequence[CampaignLine], now: float) -> list[Markup]:
    if not lines:
        return [note("No campaign measures just now. ", el("code", command_line("tune")), " starts one.")]
    return [el("article", *_at_work(line, now), class_="card") for line in lines]


def _at_work(line: CampaignLine, now: float) -> list[Markup]:
    """How far it is by the budget that is nearer its end."""
    shares: list[tuple[float, str]] = []
    if line.asked_trials:
        shares.append((line.trials / line.asked_trials, f"{line.trials:,} of {line.asked_trials:,} trials"))
    if line.asked_seconds and line.spent is not None:
        took = f"{duration_text(line.spent)} of {duration_text(line.asked_seconds)}"
        shares.append((line.spent / line.asked_seconds, took))
    said = " · ".join(words for _, words in shares) or counted(line.trials, "trial")
    last = "nothing measured yet" if line.last is None else f"last trial {age_text(line.last, now)}"
    failed = f" · {line.failed:,} failed" if line.failed else ""
    parts = [el("p", campaign_link(line.id), " on ", code(line.target)), el("p", _workloads(line))]
    if shares:
        parts.append(bar(max(share for share, _ in shares), said))
    return [*parts, note(f"{said}{failed} · {last}")]


def campaign_list(lines: Sequence[CampaignLine], now: float, most: int) -> list[Markup]:
    if not lines:
        return [_nothing("No campaign is stored yet.", "tune")]
    live = [line for line in lines if is_live(line, now)]
    parts = [el("section", el("h2", "At work now"), *_live(live, now), id="live", data_live=True)]
    rest = [line for line in lines if not is_live(line, now)]
    if rest:
        parts += [el("h2", "Before"), campaign_table(rest, now)]
    if len(lines) >= most:
        more = link_to("/campaigns", most=most * 4)
        parts.append(note(f"The newest {most}. ", el("a", "Show more", href=more)))
    return parts


def campaign_table(lines: Iterable[CampaignLine], now: float) -> Markup:
    rows: list[Row] = [
        (
            join(campaign_link(line.id), " ", _workloads(line)),
            badge("silent" if line.state == RUNNING else line.state, line.state),
            age_text(line.created, now),
            f"{line.trials:,}",
            f"{line.failed:,}",
            code(line.target),
        )
        for line in lines
    ]
    return table("Campaigns, newest first", ("Campaign", "State", "Started", ">Trials", ">Failed", "Target"), rows)


def campaign_link(id_: str) -> Markup:
    """To its report."""
    return el("a", id_[:8], href=f"/campaigns/{quote(id_, safe='')}", class_="mono", title="its report")


def _workloads(line: CampaignLine) -> Markup:
    shown = line.workloads[:_SHOWN_WORKLOADS]
    more = len(line.workloads) - len(shown)
    listed = [join(code(w), "; " if at < len(shown) - 1 else "") for at, w in enumerate(shown)]
    return el("span", *listed, f" and {more} more" if more else None, class_="soft")


def leaderboard(found: BestList, words: str, first: int, most: int, now: float) -> list[Markup]:
    parts = [_filter(words, "a workload or target, as in dense 768")]
    if not found.lines:
        return [*parts, _nothing("Nothing here has these words." if words else "No trial succeeded yet.", "tune")]
    last = first + most
    shown = f"{first + 1} to {min(last, found.pairs)} of {found.pairs:,}" if found.pairs > most else f"{found.pairs:,}"
    parts.append(note(f"{shown} workloads and targets; the fastest config of each."))
    for target in sorted({line.target for line in found.lines}, key=str):
        lines = [line for line in found.lines if line.target == target]
        parts += [el("h2", code(target)), _best_table(lines, now)]
    back = link_to("/best", words=words, first=max(0, first - most)) if first else ""
    on = link_to("/best", words=words, first=last) if last < found.pairs else ""
    links = [el("a", name, href=href) for name, href in (("Earlier ones", back), ("Next ones", on)) if href]
    return [*parts, el("p", *links, class_="turn")] if links else parts


def _best_table(lines: Sequence[BestLine], now: float) -> Markup:
    rows: list[Row] = [
        (
            code(line.workload),
            rate_text(line.gflops),
            time_text(line.seconds),
            point_text(sorted(line.point.items())),
            "no plan yet" if line.selection is None else f"chosen {age_text(line.selection.created, now)}",
            campaign_link(line.campaign_id) if line.campaign_id else "-",
        )
        for line in lines
    ]
    heads = ("Workload", "!GFLOP/s", ">Time", "At", "Plan", "Campaign")
    return table(f"The fastest configs on {lines[0].target}", heads, rows)


def regression_page(found: Sequence[Regression], tolerance: float) -> list[Markup]:
    said = f"Newest versions against the best of older ones, on the same machine; more than {tolerance:.0%} apart."
    if not found:
        return [note(said), el("p", "Nothing is slower than before.", class_="fine")]
    return [note(said), *regression_table(found)]


def regression_table(found: Sequence[Regression]) -> list[Markup]:
    rows: list[Row] = [
        (
            join(code(r.workload), " on ", code(r.target)),
            el("span", ratio_text(r.slower), class_="lose"),
            f"{rate_text(r.before.gflops)} → {rate_text(r.now.gflops)}",
            _spark(r.history),
            f"{r.before.trials:,} → {r.now.trials:,}",
            _change(r.before, r.now),
            campaign_link(r.now.campaign_id) if r.now.campaign_id else "-",
        )
        for r in found
    ]
    heads = ("Workload", "!Slower", ">GFLOP/s", "Over versions", ">Trials", "What changed", "Campaign")
    return [table("Workloads that became slower, the worst first", heads, rows)]


def _change(before: VersionBest, now: VersionBest) -> str:
    parts = {"template": "template", "codegen": "codegen", "llvm": "LLVM", "anytile": "anytile", "python": "Python"}
    pairs = {words: (getattr(before.versions, name), getattr(now.versions, name)) for name, words in parts.items()}
    return ", ".join(f"{words} {was} → {is_}" for words, (was, is_) in pairs.items() if was != is_)


def _spark(history: Sequence[VersionBest]) -> Markup:
    """GFLOP/s over versions, from nothing to the highest."""
    wide, high = _SPARK
    top = max(v.gflops for v in history) or 1.0
    step = (wide - 8) / max(1, len(history) - 1)
    points = [(4 + at * step, high - 3 - (high - 6) * v.gflops / top) for at, v in enumerate(history)]
    path = " ".join(f"{'ML'[at > 0]}{x:.1f} {y:.1f}" for at, (x, y) in enumerate(points))
    label = ", ".join(rate_text(v.gflops) for v in history)
    drawn = [el("title", f"GFLOP/s by version, oldest first: {label}"), el("path", d=path, class_="line ours")]
    x, y = points[-1]
    drawn.append(el("circle", cx=x, cy=y, r=3, class_="end-dot"))
    return el("svg", *drawn, viewBox=f"0 0 {wide} {high}", width=wide, height=high, role="img", class_="spark")


def coverage_list(found: Sequence[Coverage], target: Target, targets: Sequence[Target]) -> list[Markup]:
    rows: list[Row] = [
        (
            el("a", c.model, href=_coverage_link(c.model, c.target)),
            f"{c.tuned:.0%}",
            bar(c.tuned, f"{c.tuned:.0%} of the arithmetic is tuned"),
            el("span", *(badge(f"{count} {grade}", grade) for grade, count in c.grades.items()), class_="badges"),
        )
        for c in found
    ]
    return [
        _targets(target, targets),
        note("The share of a model's arithmetic that a record of exactly its workloads answers for, at the sizes that "
             "stand for unknown ones."),
        table("Models", ("Model", "!Tuned", "Share", "Workloads"), rows),
    ]  # fmt: skip


def coverage_of(found: Coverage, targets: Sequence[Target], path: str) -> list[Markup]:
    rows: list[Row] = [
        (
            code(one.workload),
            badge(one.grade, one.grade),
            f"{one.share:.1%}",
            f"{one.calls:g}",
            el("details", el("summary", "Why"), el("p", one.why)),
            campaign_link(one.campaign_id) if one.campaign_id else "-",
        )
        for one in found.workloads
    ]
    lacking = sum(count for grade, count in found.grades.items() if grade not in TUNED)
    total = sum(found.grades.values())
    summary = [
        tile(f"{found.tuned:.0%}", "of the arithmetic is tuned", "#workloads", "good" if not lacking else ""),
        tile(str(lacking), f"of {counted(total, 'workload')} not tuned", "#workloads", "bad" if lacking else "good"),
    ]
    heads = ("Workload", "Answer", "!Share", ">Calls", "Reason", "Campaign")
    listed = table("Workloads, those that are not tuned first", heads, rows, id_="workloads")
    return [_targets(found.target, targets, path), el("div", *summary, class_="tiles"), listed]


def missed_page(found: Sequence[Suggestion], among: int, now: float) -> list[Markup]:
    if not found:
        return [el("p", "Every lookup found a record of its own.", class_="fine")]
    tune = command_line("tune", "--from-misses", str(min(len(found), FIRST)))
    said = f"What compiles asked for and no exact record answered, of the {among} most often asked for; first what "
    return [
        note(said, "tuning is likely to save most on."),
        *missed_table(found, now),
        el("p", "To tune the first of those that are for the machine at hand:"),
        el("pre", el("code", tune)),
    ]


def missed_table(found: Sequence[Suggestion], now: float) -> list[Markup]:
    rows: list[Row] = [
        (
            join(code(s.workload), " on ", code(s.target)),
            f"{s.asked:,}",
            time_text(s.saves),
            badge(s.rung, s.rung),
            age_text(s.last, now),
        )
        for s in found
    ]
    return [table("What to tune next", ("Workload", "!Asked", ">May save", "Answered by", "Last asked"), rows)]


def _filter(words: str, hint: str) -> Markup:
    box = el("input", type="search", name="words", id="words", value=words, placeholder=hint, maxlength=200)
    label = el("label", "Filter", for_="words")
    return el("form", label, box, el("button", "Show", type="submit"), method="get", role="search", class_="ask")


def _targets(target: Target, targets: Sequence[Target], path: str = "/coverage") -> Markup:
    options = [el("option", str(t), value=str(t), selected=t == target) for t in targets]
    choice = el("select", *options, name="target", id="target")
    label = el("label", "Target", for_="target")
    return el("form", label, choice, el("button", "Show", type="submit"), method="get", action=path, class_="ask")


def _coverage_link(model: str, target: Target) -> str:
    return link_to(f"/coverage/{quote(model, safe='')}", target=str(target))


def _nothing(text: str, command: str) -> Markup:
    return el("p", text, " ", el("code", command_line(command)), " makes some.")
