"""Who is answered: methods, names, tokens; and what every answer carries."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from starlette.types import ASGIApp

from tests.support.stand_ins.asgi_client import ask

TOKEN = "a token of some length"


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "get"])
@pytest.mark.parametrize("path", ["/", "/api/best", "/nothing"])
def test_nothing_but_reading(app: ASGIApp, method: str, path: str) -> None:
    answer = ask(app, path, method)
    assert (answer.status, answer.headers["allow"]) == (405, "GET, HEAD")


def test_head_is_a_get_without_a_body(app: ASGIApp) -> None:
    assert ask(app, "/best", "HEAD").status == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example", "localhost@evil.example", "", "[::1", "localhost/x", "127.0.0.2"]
)
def test_another_name_is_refused(app: ASGIApp, host: str) -> None:
    """Another site's name may lead here by DNS; its pages must not read ours."""
    answer = ask(app, "/api/best", host=host)
    assert answer.status == 421
    assert "--name" in answer.text
    assert "dense" not in answer.text


@pytest.mark.parametrize("host", ["localhost", "LocalHost:99", "127.0.0.1:8700", "[::1]:8700"])
def test_its_own_names_are_taken(make_app: Callable[..., ASGIApp], host: str) -> None:
    app = make_app(names=frozenset({"localhost", "127.0.0.1", "::1"}))
    assert ask(app, "/api", host=host).status == 200


def test_a_token_opens(make_app: Callable[..., ASGIApp]) -> None:
    app = make_app(token=TOKEN, cookie="anytile_1")
    wrong: list[dict[str, str]] = [{}, {"cookie": "anytile_1=no"}, {"cookie": f"anytile={TOKEN}"}]
    wrong += [{"authorization": said} for said in (f"Bearer {TOKEN}x", TOKEN, "Bearer ", "Bearer \xff")]
    for given in wrong:
        for path in ("/", "/api/best", "/nothing", "/?token=wrong"):
            answer = ask(app, path, **given)
            assert answer.status == 401, (given, path)
            assert answer.headers["www-authenticate"] == "Bearer"
            assert "dense" not in answer.text
    assert ask(app, "/", authorization=f"bearer {TOKEN}").status == 200
    assert ask(app, "/api/best", cookie=f'x=1; anytile_1="{TOKEN}"').status == 200


def test_a_token_leaves_the_address(make_app: Callable[..., ASGIApp]) -> None:
    """It is kept in a cookie that no script reads, so it stands in no history and in no page's links."""
    app = make_app(token=TOKEN, cookie="anytile_1")
    answer = ask(app, f"/best?words=dense&token={TOKEN.replace(' ', '%20')}")
    assert (answer.status, answer.headers["location"]) == (303, "/best?words=dense")
    kept = answer.headers["set-cookie"]
    assert "HttpOnly" in kept
    assert "SameSite=lax" in kept
    shown = ask(app, "/best?words=dense", cookie=kept.partition(";")[0])
    assert shown.status == 200
    assert TOKEN not in shown.text


def test_a_token_leads_to_no_other_server(make_app: Callable[..., ASGIApp]) -> None:
    answer = ask(make_app(token=TOKEN), f"//evil.example/x?token={TOKEN.replace(' ', '%20')}")
    assert answer.headers["location"] == "/evil.example/x"


def test_a_token_leaves_an_address_as_it_was(make_app: Callable[..., ASGIApp]) -> None:
    for path in ("/coverage/a%2Fb%3Fc%23d", "/best"):
        answer = ask(make_app(token=TOKEN), f"{path}?token={TOKEN.replace(' ', '%20')}")
        assert answer.headers["location"] == path


def test_no_name_is_nobodys(make_app: Callable[..., ASGIApp]) -> None:
    for host in ("", "[::1", "localhost@evil.example"):
        assert ask(make_app(names=frozenset({"", "localhost"})), "/api", host=host).status == 421


@pytest.mark.parametrize("path", ["/", "/nothing", "/api", "/campaigns/15eed000-0000-4000-8000-000000000001"])
def test_every_answer_is_guarded(app: ASGIApp, path: str) -> None:
    headers = ask(app, path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cache-control"] == "no-store"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    if not path.startswith("/api"):
        assert headers["content-security-policy"].startswith("default-src 'none'")
        assert "access-control-allow-origin" not in headers
