"""A canary key goes through every failure there is, and is then looked for everywhere."""

import asyncio
import json
import logging
import pickle
import traceback
from collections.abc import Callable

import pytest
from bad_server import (
    Answer,
    Asked,
    BadServer,
    answer,
    cut,
    end_stream,
    error,
    good,
    hang_up,
    send_event,
    start_stream,
    whole,
)
from seeded_part import seeded_part

from biasprint.core.backends import openai_compatible
from biasprint.core.backends.openai_compatible.asking import Asker
from biasprint.core.backends.openai_compatible.failures import Clock
from biasprint.core.backends.openai_compatible.probe import test_endpoint as probe
from biasprint.core.backends.openai_compatible.settings import EndpointSettings
from biasprint.core.backends.openai_compatible.writer import EndpointWriter
from biasprint.core.backends.protocol import Request
from biasprint.core.errors import AppError
from biasprint.core.machine import keys
from biasprint.core.machine.endpoints import Endpoint, save
from biasprint.core.machine.storage import home

CANARY = "sk-canary-0123456789abcdef"
ECHO = f"Incorrect API key provided: {CANARY}; you sent Authorization: Bearer {CANARY}"


async def echo_in_a_stream(stream: asyncio.StreamWriter, asked: Asked) -> None:
    start_stream(stream)
    send_event(stream, {"error": {"message": ECHO, "code": asked.headers["authorization"]}})
    end_stream(stream)


async def echo_in_no_http(stream: asyncio.StreamWriter, asked: Asked) -> None:
    stream.write(f"{asked.headers['authorization']} is no status line\r\n\r\n".encode())


async def echo_in_a_label(stream: asyncio.StreamWriter, asked: Asked) -> None:
    body = whole("words", "stop", asked) | {"system_fingerprint": CANARY, "model": f"small {CANARY}"}
    await answer("200 OK", body)(stream, asked)


FAILURES: dict[str, Answer] = {
    "401": error("401 Unauthorized", ECHO, CANARY),
    "403": error("403 Forbidden", ECHO),
    "400": error("400 Bad Request", ECHO, CANARY),
    "404": error("404 Not Found", f"model {CANARY} not found", CANARY),
    "context": error("400 Bad Request", f"context length exceeded {CANARY}"),
    "418": answer("418 Teapot", ECHO.encode()),
    "429": error("429 Busy", ECHO, Retry_After=CANARY),
    "500": error("500 Oops", ECHO),
    "redirect": answer("302 Found", b"", Location=f"https://example.org/{CANARY}"),
    "no JSON": answer("200 OK", ECHO.encode()),
    "web page": answer("200 OK", f"<p>{ECHO}".encode(), Content_Type="text/html"),
    "packing": answer("200 OK", b"", Content_Encoding=CANARY),
    "in the text": good(f"You sent {CANARY}."),
    "as a finish reason": good(finish=CANARY),
    "in a stream": echo_in_a_stream,
    "in no HTTP": echo_in_no_http,
    "in a label": echo_in_a_label,
    "cut": cut,
    "hang up": hang_up,
}


async def no_wait(seconds: float) -> None:
    return None


@pytest.fixture(autouse=True)
def session(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys, "_session", {})
    assert keys.keep("lab", CANARY) == "session"


def in_files() -> list[str]:
    return [str(path) for path in home().rglob("*") if path.is_file() and CANARY.encode() in path.read_bytes()]


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("stream", [True, False])
def test_no_failure_shows_the_key(
    failure: str, stream: bool, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    with BadServer(lambda _: FAILURES[failure]) as server:
        endpoint = Endpoint("lab", server.url, retries=1, deadline_seconds=20.0)
        save(endpoint)
        backend = EndpointWriter(EndpointSettings(endpoint, "small", stream=stream), [CANARY], Clock(sleep=no_wait))
        done = backend.generate(Request("key", "prompt", 1), lambda _: None, lambda: None)
        backend.close()
    assert {asked.headers["authorization"] for asked in server.requests} == {f"Bearer {CANARY}"}
    assert failure == "in a label" or done.failure, "it was no failure"
    printed = capsys.readouterr()
    everything = [
        repr(done),
        repr(pickle.dumps(done)),
        repr(backend),
        repr(backend.describe()),
        json.dumps(dict(backend.describe().parameters)),
        caplog.text,
        printed.out,
        printed.err,
    ]
    assert [text for text in everything if CANARY in text] == []
    assert in_files() == []


@pytest.mark.parametrize("failure", seeded_part(FAILURES, 6))
def test_the_test_of_an_endpoint_does_not_show_it(failure: str) -> None:
    with BadServer(lambda _: FAILURES[failure]) as server:
        tested = probe(Endpoint("lab", server.url, retries=1, deadline_seconds=20.0), "small")
    assert CANARY not in repr(tested)


def raised_by(call: Callable[[], object]) -> str:
    with pytest.raises(AppError) as raised:
        call()
    whole = "".join(traceback.format_exception(raised.value))
    return f"{raised.value} {raised.value.details} {raised.value!r} {whole} {pickle.dumps(raised.value)!r}"


def test_no_error_of_opening_shows_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    save(Endpoint("lab", "http://lab.example.org/v1"))
    wrong: list[dict] = [
        {"endpoint": "lab"},  # plain http
        {"endpoint": "lab", "base_url": "https://evil.example.org/v1"},
        {"endpoint": "lab", "colour": "red"},
        {"endpoint": "lab", "temperature": -1.0},
    ]
    for parameters in wrong:
        assert CANARY not in raised_by(lambda parameters=parameters: openai_compatible.open("small", parameters))
    save(Endpoint("lab", "https://lab.example.org/v1"))
    monkeypatch.setattr(keys, "_session", {"lab": f"{CANARY}\nX-Header: 1"})
    assert CANARY not in raised_by(lambda: openai_compatible.open("small", {"endpoint": "lab"}))


def test_an_error_that_was_not_foreseen_shows_only_its_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_: object) -> None:
        raise LookupError(f"Bearer {CANARY}")

    with BadServer(lambda _: good()) as server:
        backend = EndpointWriter(EndpointSettings(Endpoint("lab", server.url), "small"), [CANARY])
        monkeypatch.setattr(Asker, "ask", broken)
        done = backend.generate(Request("key", "prompt", 1), lambda _: None, lambda: None)
        backend.close()
    assert done.failure == "other"
    assert done.error == "The request failed in a way that was not foreseen (LookupError)."


def test_a_redirect_does_not_carry_the_key_away() -> None:
    with BadServer(lambda _: good()) as elsewhere:
        away = answer("308 Permanent Redirect", b"", Location=f"{elsewhere.url}/chat/completions")
        with BadServer(lambda _: away) as server:
            backend = EndpointWriter(EndpointSettings(Endpoint("lab", server.url), "small"), [CANARY])
            done = backend.generate(Request("key", "prompt", 1), lambda _: None, lambda: None)
            backend.close()
    assert done.failure == "redirect"
    assert elsewhere.requests == []
