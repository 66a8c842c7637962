"""The pages and the JSON beneath them: what they show, what they escape, and that both are what the commands say."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.types import ASGIApp

from anytile.cli.main import run, umbrella
from anytile.db.store import Store
from anytile.pages.app import application
from anytile.pages.data import STANDS_S, Shown
from anytile.pages.shown_models import Model, Needed
from anytile.schedules.hardware.target import Target
from anytile.schedules.workloads.workload import Workload
from tests.anytile.pages.conftest import FINISHED, HARM, NOW, RUNNING, WORKLOAD, fill
from tests.support.markup_reader import read
from tests.support.stand_ins.asgi_client import ask

PAGES = ("/", "/campaigns", "/best", "/regressions", "/coverage", "/coverage/bert-base", "/missed",
         f"/campaigns/{FINISHED}", f"/campaigns/{RUNNING[:8]}", "/nothing")  # fmt: skip


@pytest.mark.sampled(4)
@pytest.mark.parametrize("path", PAGES)
def test_stored_text_stays_text(app: ASGIApp, path: str) -> None:
    """Whatever an import brought: it is shown, and is no markup, no attribute, no address."""
    text = ask(app, path).text
    reader = read(text)
    assert not {"img", "iframe", "object", "link", "base"} & reader.tags
    assert text.count("<script") == (1 if path in ("/", "/campaigns") else 0)
    assert not [name for name, _ in reader.attributes if name.startswith("on")]
    hrefs = [value or "" for name, value in reader.attributes if name in ("href", "action", "src")]
    assert all(href.startswith(("/", "#")) and not href.startswith("//") for href in hrefs)
    if path.startswith("/campaigns/"):
        assert "<script>document.title='harmed'" in reader.text


@pytest.mark.sampled(4)
@pytest.mark.parametrize("path", PAGES)
def test_every_link_leads_somewhere(app: ASGIApp, path: str) -> None:
    for name, value in read(ask(app, path).text).attributes:
        if name == "href" and value and value.startswith("/"):
            assert ask(app, value).status == 200, value


@pytest.mark.parametrize("name", ["some/where/model.txt", "/absolute.onnx", "../up/a model?#.exe", "100%2F.txt"])
def test_a_model_of_any_path_has_its_pages(database: str, name: str) -> None:
    with Store.open(database, readonly=True) as store:
        model = Model(name, lambda target: {WORKLOAD: 1.0})
        app = application(Shown(store, [model], Target.host()), {"localhost"})
        (link,) = {v for n, v in read(ask(app, "/coverage").text).attributes if n == "href" and "target=" in str(v)}
        assert link is not None
        page = ask(app, link)
        assert (page.status, name in read(page.text).text) == (200, True)
        (form,) = [v for n, v in read(page.text).attributes if n == "action"]
        assert form == link.partition("?")[0]
        (data,) = [v for n, v in read(page.text).attributes if n == "href" and str(v).startswith("/api")]
        assert data is not None
        assert json.loads(ask(app, data).text)["model"] == name


def test_the_policy_names_what_a_page_holds(app: ASGIApp) -> None:
    """A hash for each sheet and script; anything else that came into a page would not be applied."""
    from anytile.pages.frame import _hash

    answer = ask(app, "/")
    policy = answer.headers["content-security-policy"]
    for text in re.findall(r"<(?:style|script)>(.*?)</(?:style|script)>", answer.text, re.DOTALL):
        assert _hash(text) in policy
    assert "unsafe" not in policy
    assert "style=" not in answer.text.replace("<style", "")


def test_the_overview_says_it_at_a_glance(app: ASGIApp) -> None:
    text = read(ask(app, "/").text).text
    for said in ("1campaign at work", "1slower than before", "of bert-base tuned", "1asked for and not tuned",
                 "15 of 40 trials", "1m 06s of 3m 00s", "260 → 207", "1.26x"):  # fmt: skip
        assert said in text, said


def test_what_changed_between_versions(app: ASGIApp) -> None:
    text = read(ask(app, "/regressions").text).text
    assert re.search(r"codegen \d+ → \d+, LLVM 21.1 → 22.1", text)


def test_words_narrow_the_leaderboard(app: ASGIApp) -> None:
    assert "n=3072" in ask(app, "/best?words=DENSE+3072").text
    assert "n=768" not in ask(app, "/best?words=dense+3072").text
    harmed = read(ask(app, f"/best?words={HARM.replace('&', '%26').replace('#', '%23')}").text)
    assert ("value", HARM) in harmed.attributes
    assert "Nothing here has these words" in harmed.text


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("/campaigns/0bad", 404, "no campaign"),
        ("/campaigns/..%2f..%2fetc", 404, "is here; the overview"),
        ("/campaigns/<b>", 404, "no campaign"),
        ("/coverage/nothing", 404, "--model"),
        ("/coverage/nothing?target=llvm+-mcpu=nonsense", 400, "database knows"),
        ("/best?first=-1", 400, "whole number"),
        ("/best?top=0", 400, "whole number, 1 to"),
        ("/best?most=0", 400, "whole number, 1 to"),
        ("/best?first=99999999999", 400, "whole number"),
        (f"/best?words={'x' * 300}", 400, "200 characters"),
    ],
)
def test_what_is_not_there(app: ASGIApp, path: str, status: int, said: str) -> None:
    for place in (path, f"/api{path}"):
        answer = ask(app, place)
        assert (answer.status, said in answer.text) == (status, True)
    assert said in json.loads(ask(app, f"/api{path}").text)["error"]


@pytest.mark.parametrize(
    ("path", "command"),
    [
        ("/campaigns", ["list"]),
        (f"/campaigns/{FINISHED}", ["show", FINISHED]),
        ("/best", ["best"]),
        ("/best?top=3", ["best", "--top", "3"]),
        ("/regressions", ["regressions"]),
        ("/coverage", ["coverage", "bert-base"]),
        ("/missed", ["suggest"]),
        (f"/campaigns/{FINISHED}/report", None),
    ],
)
def test_the_json_is_what_commands_say(
    app: ASGIApp, database: str, path: str, command: list[str] | None, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["report", FINISHED] if command is None else ["db", *command]
    assert run(umbrella(), [*words, "--db", database, "--json"], "anytile") == 0
    answer = ask(app, f"/api{path}")
    assert answer.headers["content-type"] == "application/json"
    assert json.loads(answer.text) == json.loads(capsys.readouterr().out)


def test_an_empty_database(make_app: Callable[..., ASGIApp], tmp_path: object) -> None:
    url = f"{tmp_path}/empty.db"
    Store.open(url).close()
    app = make_app(url)
    for path in ("/", "/campaigns", "/best", "/regressions", "/coverage", "/missed", "/api/overview"):
        assert ask(app, path).status == 200


@pytest.mark.slow
def test_an_open_overview_asks_little(tmp_path: Path) -> None:
    """Campaigns are new each time; what takes long is found out once a minute, whoever asks."""
    asked: list[Target] = []
    clock = [NOW]

    def needs(target: Target) -> dict[Workload, float]:
        asked.append(target)
        return {WORKLOAD: 1.0}

    class Counted(Model):
        def on(self, target: Target) -> Needed:
            return self.needs(target)

    with Store.open(str(tmp_path / "tuning.db")) as store:
        shown = Shown(store, [Counted("mine", needs)], Target.host(), lambda: clock[0])
        assert shown.overview().latest == shown.overview().live == ()
        fill(store, NOW)
        assert (len(shown.overview().live), len(shown.overview().regressions), len(asked)) == (1, 0, 1)
        clock[0] += STANDS_S
        assert (len(shown.overview().regressions), len(asked)) == (1, 2)
        clock[0] -= 9 * STANDS_S
        assert (len(shown.overview().regressions), len(asked)) == (1, 3)


def test_layers_that_are_missing_are_said(make_app: Callable[..., ASGIApp], database: str, tmp_path: object) -> None:
    app = make_app(f"{tmp_path}/none.db;{database}")
    assert "Not asked:" in read(ask(app, "/").text).text


def test_a_database_that_breaks_is_a_line(make_app: Callable[..., ASGIApp], database: str, tmp_path: object) -> None:
    url = Path(f"{tmp_path}/broken.db")
    url.write_bytes(Path(database).read_bytes())
    app = make_app(str(url))
    url.write_bytes(b"\0" * url.stat().st_size)
    for path in ("/", "/api/best"):
        answer = ask(app, path)
        assert answer.status == 503
        assert "broken.db" in answer.text
