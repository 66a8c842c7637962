"""Starting a server: addresses, names, tokens, what stands in the way; and how it ends."""

from __future__ import annotations

import http.client
import importlib.util
import re
import signal
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, suppress

import pytest

from anytile.cli.main import run, umbrella
from anytile.core.errors import ResourceError, SpecError
from anytile.pages.patience import PATIENCE_S
from anytile.pages.server import TOKEN_VARIABLE, Address, bind, chosen_token
from tests.support.stand_ins.page_server import serving

_MANY = 70  # connections, of which 64 are answered


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        yield other.getsockname()[1]


def _elsewhere(listening: socket.socket) -> Address:
    return Address(listening, "tuning.example", frozenset({"tuning.example"}), is_loopback=False)


def test_an_address_is_taken_at_once(taken: int) -> None:
    with pytest.raises(ResourceError, match=rf"port {taken} of 127.0.0.1 .*in use; give another --port"):
        bind("127.0.0.1", taken)
    address = bind("127.0.0.1", 0, ["Tuning.Example"])
    with address.listening:
        assert address.url == f"http://127.0.0.1:{address.port}/"
        assert address.names == {"localhost", "127.0.0.1", "::1", "tuning.example"}
        assert address.is_loopback
    with pytest.raises(SpecError, match="--port 70000"):
        bind("127.0.0.1", 70000)
    with pytest.raises(SpecError, match="--host no such host"):
        bind("no such host", 0)


def test_strangers_need_a_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(TOKEN_VARIABLE, raising=False)
    with bind("127.0.0.1", 0).listening as listening:
        here = Address(listening, "127.0.0.1", frozenset(), is_loopback=True)
        assert chosen_token(here) is None
        first, second = chosen_token(_elsewhere(listening)), chosen_token(_elsewhere(listening))
        assert first
        assert len(first) >= 32
        assert first != second
        monkeypatch.setenv(TOKEN_VARIABLE, "a token of my own")
        assert {chosen_token(here), chosen_token(_elsewhere(listening))} == {"a token of my own"}
        monkeypatch.setenv(TOKEN_VARIABLE, "short")
        with pytest.raises(SpecError, match=r"has 5 characters; expected 16 or more") as error:
            chosen_token(here)
        assert "short;" not in str(error.value)
        for given in ("tokens from a café", "two lines\nof one token"):
            monkeypatch.setenv(TOKEN_VARIABLE, given)
            with pytest.raises(SpecError, match="expected printable ASCII characters alone"):
                chosen_token(here)


def test_a_token_that_no_header_holds_is_said_before_the_database_is_opened(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(TOKEN_VARIABLE, "tokens from a café")
    assert run(umbrella(), ["db", "serve", "--port", "0", "--db", "nowhere.db"], "anytile") == 2
    assert "expected printable ASCII" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["", "tuning.example:8700", "two words", "http://tuning.example", "[::1]", "a@b"])
def test_what_is_no_name_of_a_host_is_refused(name: str) -> None:
    with pytest.raises(SpecError, match="--name .*: expected the name or address of a host alone"):
        bind("127.0.0.1", 0, [name])


@pytest.mark.parametrize("name", ["tuning_server", "10.0.0.7", "fe80::1", "Tuning.Example."])
def test_names_and_addresses_of_hosts_are_taken(name: str) -> None:
    address = bind("127.0.0.1", 0, [name])
    with address.listening:
        assert name.lower() in address.names


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--port", "{taken}"], "in use; give another --port"),
        (["--db", "nowhere.db"], "nowhere.db: does not exist; tune something first"),
        (["--db", "postgresql://me:hidden@127.0.0.1:1/none"], "postgresql://me:\\*\\*\\*@127.0.0.1:1/none"),
        (["--model", "no-such-model"], "no-such-model: there is no such file; expected a model's, or a preset"),
        (["--target", "llvm -mcpu=nonsense"], "nonsense"),
    ],
)
def test_what_stands_in_the_way_is_a_line(
    database: str, taken: int, words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [word.format(taken=taken) for word in words]
    usual = [] if "--db" in words else ["--db", database]
    port = [] if "--port" in words else ["--port", "0"]
    assert run(umbrella(), ["db", "serve", *usual, *port, *given], "anytile") != 0
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert re.search(said, error), error
    assert "hidden" not in error


def test_a_missing_framework_is_a_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "uvicorn" else find(name))
    assert run(umbrella(), ["db", "serve"], "anytile") == 3
    assert "uvicorn is not installed; pip install 'anytile[serve]'" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_in_order_and_tells_no_token(database: str, how: signal.Signals) -> None:
    with serving(database, env={TOKEN_VARIABLE: "sixteen letters."}) as server:
        assert "sixteen" not in server.said
        for path in ("?token=sixteen%20letters.", "?token=wrong", "api/best"):
            request = urllib.request.Request(server.url + path, headers={"Authorization": "Bearer sixteen letters."})
            if path != "api/best":
                request.remove_header("Authorization")
            with suppress(urllib.error.HTTPError), urllib.request.urlopen(request, timeout=30) as answer:
                answer.read()
        server.process.send_signal(how)
        began = time.monotonic()
        out, errors = server.process.communicate(timeout=30)
        assert time.monotonic() - began < 10
        assert (out, errors) == ("", "")
        assert server.process.returncode in ((0,) if how is signal.SIGINT else (0, -signal.SIGTERM))


@pytest.mark.slow
def test_who_asks_slowly_keeps_nobody_waiting(database: str) -> None:
    with serving(database) as server:
        port = int(server.url.rsplit(":", 1)[1].strip("/"))
        with socket.create_connection(("127.0.0.1", port)) as silent:
            silent.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
            with urllib.request.urlopen(server.url, timeout=30) as answer:
                assert answer.status == 200


@pytest.mark.slow
def test_who_asks_nothing_is_hung_up_on(database: str) -> None:
    """More connections than are answered at once, some with the beginning of a request, keep others out for seconds
    only; one that goes on asking is kept."""
    with serving(database) as server, ExitStack() as held:
        port = int(server.url.rsplit(":", 1)[1].strip("/"))
        asking = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        held.callback(asking.close)
        asking.connect()
        silent = [held.enter_context(socket.create_connection(("127.0.0.1", port))) for _ in range(_MANY)]
        for one in silent[::2]:
            one.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
        met = []
        until = time.monotonic() + 2.5 * PATIENCE_S
        while time.monotonic() < until:
            asking.request("GET", "/")
            answer = asking.getresponse()
            answer.read()
            met.append((answer.status, asking.sock is not None))
            time.sleep(1)
        assert 503 in [status for status, _ in met]  # not always at first: a server takes connections in its turn
        assert set(met[-8:]) == {(200, True)}
        for one in silent:
            one.settimeout(1)
            with suppress(ConnectionError):
                assert one.recv(1) == b""
