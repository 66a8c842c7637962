"""The pages in a real browser: phone and desktop, light and dark, by keyboard, live, and with harmful records."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from anytile.db.store import Store
from tests.anytile.pages.conftest import FINISHED, HARM, RUNNING, fill
from tests.support.stand_ins.page_server import Serving, serving

pytestmark = [pytest.mark.slow, pytest.mark.browser]

PAGES = ("/", "/campaigns", "/best", "/regressions", "/coverage", "/coverage/bert-base", "/missed",
         f"/campaigns/{FINISHED}", "/nothing")  # fmt: skip

# The least contrast of text with what is behind it, by the formula of WCAG 2; what is hidden or empty does not count.
CONTRAST = """
const light = c => { c /= 255; return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4 };
const luminance = ([r, g, b]) => 0.2126 * light(r) + 0.7152 * light(g) + 0.0722 * light(b);
const numbers = text => text.match(/[\\d.]+/g).map(Number);
const behind = e => { for (; e; e = e.parentElement) { const c = numbers(getComputedStyle(e).backgroundColor);
  if (c.length < 4 || c[3] > 0) return c; } return [255, 255, 255]; };
let worst = [99, ""];
for (const e of document.querySelectorAll("main *, .above *")) {
  const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
  if (!own || e.closest("svg") || !e.getClientRects().length) continue;
  const [a, b] = [luminance(numbers(getComputedStyle(e).color)), luminance(behind(e))];
  const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (ratio < worst[0]) worst = [ratio, e.outerHTML.slice(0, 120)];
}
return worst;
"""

# Of every cell of a table what heads it, and what is shown before it: by a question for each they took seconds.
HEADS = """
const before = cell => getComputedStyle(cell, "::before").content;
return [...document.querySelectorAll("table.cards td")].map(cell => [cell.getAttribute("data-head"), before(cell)]);
"""
# What can be reached, the first of which lies above the page until it is.
REACHABLE = """
const found = document.querySelectorAll("a[href], button, input, select, summary, .wide[tabindex]");
return [...found].filter(e => e.checkVisibility());
"""
OUTLINE = """
const s = getComputedStyle(arguments[0]);
return [s.outlineStyle, parseFloat(s.outlineWidth), arguments[0].getBoundingClientRect().top];
"""


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Serving, Path]]:
    """A server over a database of its own, which tests may add to."""
    path = tmp_path_factory.mktemp("browser") / "tuning.db"
    with Store.open(str(path)) as store:
        fill(store, time.time())
    with serving(str(path), "--model", "bert-base") as server:
        yield server, path


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[object]:
    from tests.support.stand_ins.browser import browsing

    with browsing(str(tmp_path_factory.mktemp("profile"))) as driver:
        yield driver


@pytest.mark.parametrize("path", PAGES)
def test_it_fits_every_screen_and_can_be_read(browser, here, path):
    from tests.support.stand_ins.browser import DESKTOP, PHONE, complaints, look

    papers = set()
    for size in (PHONE, DESKTOP):
        for scheme in ("light", "dark"):
            look(browser, size, scheme)
            browser.get(here[0].url + path[1:])
            assert browser.execute_script("return document.documentElement.scrollWidth") <= size[0]
            ratio, where = browser.execute_script(CONTRAST)
            assert ratio >= 4.5, (scheme, where)
            papers.add(browser.execute_script("return getComputedStyle(document.body).backgroundColor"))
            assert not [said for said in complaints(browser) if path != "/nothing" or "404" not in said]
            for head, shown in browser.execute_script(HEADS):
                assert shown == (f'"{head}"' if size is PHONE else "none")
    assert len(papers) == 2  # light and dark


@pytest.mark.parametrize("path", PAGES)
def test_the_keyboard_reaches_everything_in_order_and_shows_where_it_is(browser, here, path):
    from selenium.webdriver.common.keys import Keys

    from tests.support.stand_ins.browser import DESKTOP, focused, look

    look(browser, DESKTOP)
    browser.get(here[0].url + path[1:])
    expected = browser.execute_script(REACHABLE)
    assert expected
    for number, element in enumerate(expected):
        browser.switch_to.active_element.send_keys(Keys.TAB)
        assert focused(browser) == element, (number, element.text, focused(browser).text)
        line, width, top = browser.execute_script(OUTLINE, element)
        assert line != "none"
        assert width >= 2
        assert top >= 0


def test_the_first_key_skips_to_the_content(browser, here):
    from selenium.webdriver.common.keys import Keys

    from tests.support.stand_ins.browser import PHONE, focused, look

    look(browser, PHONE)
    browser.get(here[0].url + "best")
    browser.switch_to.active_element.send_keys(Keys.TAB)
    assert focused(browser).text == "Skip to the content"
    focused(browser).send_keys(Keys.ENTER)
    assert focused(browser).tag_name == "main"
    focused(browser).send_keys(Keys.TAB)
    assert focused(browser).get_attribute("name") == "words"
    focused(browser).send_keys("dense 3072", Keys.ENTER)
    whole = "return document.readyState == 'complete'"
    _wait(lambda: "words=" in browser.current_url and browser.execute_script(whole))
    shown = browser.execute_script("return document.querySelector('table').innerText")
    assert "n=3072" in shown
    assert "n=768" not in shown


@pytest.mark.parametrize("path", [f"/campaigns/{FINISHED}", "/best?words=%3Cscript%3Edocument.title%3D%27harmed%27"])
def test_records_that_mean_harm_do_none(browser, here, path):
    browser.get(here[0].url + path[1:])
    assert browser.title.endswith("anytile") or browser.title.startswith("anytile")
    assert browser.execute_script("return document.images.length + document.scripts.length") == 0
    if path.startswith("/campaigns"):
        assert HARM.partition("'")[0] in browser.execute_script("return document.body.innerText")


def test_a_campaign_at_work_is_followed_until_the_server_ends(browser, tmp_path):
    """Without loading the page again, and without taking the focus away."""
    from dataclasses import replace

    from tests.support.stand_ins.browser import DESKTOP, focused, look

    path = tmp_path / "tuning.db"
    with Store.open(str(path)) as store:
        fill(store, time.time())
        look(browser, DESKTOP)
        with serving(str(path)) as server:
            browser.get(server.url)
            browser.execute_script("window.same = true; document.querySelector('nav a').focus()")
            body = "return document.querySelector(arguments[0]).innerText"
            assert "15 of 40 trials" in browser.execute_script(body, "#live")
            last = store.trials(campaign_id=RUNNING)[-1]
            more = [replace(last, id=f"{n:08x}-0000-4000-8000-000000000000", seed_order=99 + n) for n in range(5)]
            store.add_trials(more)
            _wait(lambda: "20 of 40 trials" in browser.execute_script(body, "#live"))
            assert browser.execute_script("return window.same")
            assert focused(browser).text == "Overview"
        _wait(lambda: "does not answer" in browser.execute_script(body, "#fresh"))
        assert "20 of 40 trials" in browser.execute_script(body, "#live")


def test_a_token_opens_the_pages_and_leaves_the_address(browser, here):
    with serving(str(here[1]), "--host", "127.0.0.1", env={"ANYTILE_PAGES_TOKEN": "sixteen letters."}) as server:
        browser.get(server.url)
        assert browser.title.startswith("Unauthorized")
        browser.get(f"{server.url}best?token=sixteen%20letters.")
        assert browser.current_url == f"{server.url}best"
        assert browser.title.startswith("Best")
        browser.get(server.url)
        assert browser.title.startswith("Overview")
        assert "sixteen" not in browser.page_source
        assert "sixteen" not in browser.execute_script("return document.cookie")


def _wait(is_so, seconds=30):
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, "it did not come to be"
        time.sleep(0.1)
