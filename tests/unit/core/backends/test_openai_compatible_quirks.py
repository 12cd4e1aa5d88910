"""36 ways in which servers that speak as OpenAI's does differ from it, as a server answers and a person meets them."""

import gzip
import json
import ssl
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from bad_server import TEXT, Answer, Asked, BadServer, answer, error, good, send_chunk, start_stream, whole
from seeded_part import seeded_part

from biasprint.core.backends import openai_compatible
from biasprint.core.backends.openai_compatible.probe import test_endpoint as probe
from biasprint.core.backends.openai_compatible.quirks import key_headers
from biasprint.core.backends.protocol import Request
from biasprint.core.errors import UsageError
from biasprint.core.machine import keys
from biasprint.core.machine.endpoints import Endpoint, checked_address, save

ASK = Request("k", "Write something.", seed=1, temperature=0.7, max_tokens=30)


@dataclass(frozen=True)
class Quirk:
    """A server's answer, and what is to come of it: a text, or a failure with these words."""

    server: Callable[[Asked], Answer]
    failure: str = ""
    words: str = ""
    address: str = "/v1"
    parameters: Mapping[str, Any] = field(default_factory=dict)
    sent: Mapping[str, Any] = field(default_factory=dict)  # the last request's body
    tries: int = 1


def only_at(path: str, otherwise: Answer) -> Callable[[Asked], Answer]:
    return lambda asked: good() if asked.path.startswith(path) else otherwise


def reply(**changes: Any) -> Answer:
    """A reply in one, with changes to its message, or to the choice beside it."""

    async def give(writer: Any, asked: Asked) -> None:
        data = whole(TEXT, "stop", asked)
        for name, value in changes.items():
            (data["choices"][0] if name == "finish_reason" else data["choices"][0]["message"])[name] = value
        await answer("200 OK", data)(writer, asked)

    return give


def stream(*lines: str, kind: str = "text/event-stream") -> Answer:
    """A stream of these lines; `%s` is an event with a piece of the text, `%e` the event that ends it."""
    piece = json.dumps({"choices": [{"delta": {"content": TEXT}, "finish_reason": None}]})
    end = json.dumps({"choices": [{"delta": {}, "finish_reason": "stop"}]})

    async def give(writer: Any, asked: Asked) -> None:
        start = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nTransfer-Encoding: chunked\r\n\r\n"
        writer.write(start.encode())
        send_chunk(writer, "".join(lines).replace("%s", piece).replace("%e", end).encode())
        writer.write(b"0\r\n\r\n")

    return give


def refuses(name: str, value: object, message: str) -> Callable[[Asked], Answer]:
    """A server that answers with this message where the body has this value."""

    def has(body: Mapping[str, Any]) -> bool:
        roles = [message["role"] for message in body.get("messages", ())]
        return value in roles if name == "role" else name in body

    return lambda asked: error("400 Bad Request", message) if has(asked.body) else good()


def once(first: Answer) -> Callable[[Asked], Answer]:
    return lambda asked: first if asked.times == 1 else good()


async def zipped(writer: Any, asked: Asked) -> None:
    body = gzip.compress(json.dumps(whole(TEXT, "stop", asked)).encode())
    await answer("200 OK", body, Content_Encoding="gzip")(writer, asked)


async def usage_last(writer: Any, asked: Asked) -> None:
    start_stream(writer)
    for data in (
        {"choices": [{"delta": {"role": "assistant", "content": None}}]},
        {"choices": [{"delta": {"content": TEXT}}]},
        {"choices": [{"delta": {}, "finish_reason": "stop"}]},
        {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 4}},
    ):
        send_chunk(writer, f"data: {json.dumps(data)}\n\n".encode())
    writer.write(b"0\r\n\r\n")


NOT_FOUND = answer("404 Not Found", b"404 page not found", Content_Type="text/plain")
PAGE = answer("200 OK", b"<!doctype html><title>Server</title>", Content_Type="text/html")
SYSTEM = {"system": "Be brief."}
MERGED = [{"role": "user", "content": "Be brief.\n\nWrite something."}]
DEVELOPER = [{"role": "developer", "content": "Be brief."}, {"role": "user", "content": "Write something."}]
QUIRKS: dict[str, Quirk] = {
    # The address
    "with /v1": Quirk(only_at("/v1/chat/completions", NOT_FOUND)),
    "without /v1": Quirk(only_at("/v1/chat/completions", NOT_FOUND), address=""),
    "without /v1, where a web page answers": Quirk(only_at("/v1/chat/completions", PAGE), address=""),
    "with a slash at its end": Quirk(only_at("/v1/chat/completions", NOT_FOUND), address="/v1/"),
    "with the whole call": Quirk(only_at("/v1/chat/completions", NOT_FOUND), address="/v1/chat/completions"),
    "Ollama's own address": Quirk(only_at("/v1/chat/completions", NOT_FOUND), address="/api/chat"),
    "LM Studio's 200 for a wrong path": Quirk(
        only_at("/v1/", answer("200 OK", {"error": "Unexpected endpoint or method. (POST /chat/completions)"})),
        address="",
    ),
    "Azure's deployment and api-version": Quirk(
        lambda asked: good() if asked.path.endswith("/d/chat/completions?api-version=2024-10-21") else NOT_FOUND,
        address="/openai/deployments/d/chat/completions?api-version=2024-10-21",
    ),
    "a redirect": Quirk(
        lambda _: answer("308 Permanent Redirect", b"", Location="https://elsewhere.example/v1"),
        "redirect", "give the final address",
    ),
    # The request
    "max_completion_tokens": Quirk(
        refuses("max_tokens", None, "'max_tokens' is not supported. Use 'max_completion_tokens' instead."),
        sent={"max_completion_tokens": 30},
    ),
    "one temperature alone": Quirk(
        refuses("temperature", None, "Unsupported value: 'temperature' does not support 0.7. Only the default (1)."),
        sent={"temperature": None},
    ),
    "temperature or top_p": Quirk(
        refuses("top_p", None, "`temperature` and `top_p` cannot both be specified for this model."),
        parameters={"top_p": 0.9}, sent={"temperature": 0.7, "top_p": None},
    ),
    "a developer for a system": Quirk(
        refuses("role", "system", "Unsupported value: 'messages[0].role' does not support 'system' with this model."),
        parameters=SYSTEM, sent={"messages": DEVELOPER},
    ),
    "no system at all": Quirk(
        lambda asked: good() if len(asked.body["messages"]) == 1 else error("400 Bad", "System role not supported"),
        parameters=SYSTEM, sent={"messages": MERGED},
    ),
    "legacy completions": Quirk(
        lambda asked: good() if asked.path.endswith("/v1/completions") else NOT_FOUND,
        parameters={"mode": "completions"},
    ),
    # The reply
    "content in parts": Quirk(
        lambda _: reply(content=[{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": TEXT}])
    ),
    "a refusal beside null": Quirk(lambda _: reply(content=None, refusal="I can't."), "refusal", "declined"),
    "reasoning_content": Quirk(lambda _: reply(reasoning_content="Hm.")),
    "Gemini's STOP": Quirk(lambda _: reply(finish_reason="STOP")),
    "an error inside a 200": Quirk(
        lambda _: answer("200 OK", {"error": {"code": 402, "message": "Insufficient credits"}}), "credit", "no credit"
    ),
    "an error inside a choice": Quirk(
        lambda _: answer("200 OK", {"choices": [{"error": {"code": 502, "message": "Provider failed"}}]}),
        "server", "Provider failed", tries=2,
    ),
    "null for how it ended": Quirk(lambda _: reply(finish_reason=None), "bad_reply", "may be cut"),
    # The stream
    "comments and CRLF": Quirk(
        lambda _: stream(": PROCESSING\r\n\r\n", "event: message\r\ndata: %s\r\n\r\n", "data: %e\r\n\r\n")
    ),
    "no [DONE], no last blank line, no space": Quirk(lambda _: stream("data:%s\n\n", "data:%e\n")),
    "usage in the last event, null in the first": Quirk(lambda _: usage_last),
    "a stream called plain text": Quirk(lambda _: stream("data: %s\n\n", "data: %e\n\n", kind="text/plain")),
    "gzip": Quirk(lambda _: zipped),
    "a slow first byte": Quirk(lambda _: good(wait=0.6)),
    # What is wrong
    "no credit as 429": Quirk(
        lambda _: error("429 Too Many Requests", "You exceeded your quota", "insufficient_quota"), "credit", "no credit"
    ),
    "no credit as 402": Quirk(lambda _: error("402 Payment Required", "Insufficient Balance"), "credit", "no credit"),
    "wait as words": Quirk(once(error("429 Too Many Requests", "Please try again in 20ms.")), tries=2),
    "errors in a list": Quirk(
        lambda _: answer("404 Not Found", [{"error": {"message": "models/small is not found", "code": 404}}]),
        "model", "does not know this model. It said: “models/small is not found”",
    ),
    "errors of a gateway": Quirk(
        lambda _: answer("400 Bad Request", {"success": False, "errors": [{"code": 7003, "message": "No route"}]}),
        "rejected", "It said: “No route”",
    ),
    "a loading model": Quirk(once(answer("503 Loading", {"error": {"message": "Loading model"}})), tries=2),
    "a page of a firewall": Quirk(
        lambda _: answer("403 Forbidden", b"<html>Blocked</html>", Content_Type="text/html"), "rejected", "A web page"
    ),
    "a certificate of its own": Quirk(lambda _: good(), "connection", "SSL_CERT_FILE"),
}  # fmt: skip


def test_there_are_36() -> None:
    assert len(QUIRKS) == 36


@pytest.mark.parametrize("name", seeded_part(list(QUIRKS), 36))
def test_each_is_read_or_told_in_a_sentence(name: str, tmp_path: Path) -> None:
    quirk = QUIRKS[name]
    with BadServer(quirk.server, certificate=own_certificate(tmp_path) if "certificate" in name else None) as server:
        url = server.url.removesuffix("/v1") + quirk.address
        save(Endpoint("lab", url, retries=1, deadline_seconds=20.0))
        backend = openai_compatible.open("small", {"endpoint": "lab", **quirk.parameters})
        done = backend.generate(ASK, lambda _: None, lambda: None)
        backend.close()
    assert (done.failure, done.text) == (quirk.failure, "" if quirk.failure else TEXT), done.error
    assert quirk.words in (done.error or "")
    if server.requests:
        body = server.requests[-1].body
        assert {name: body.get(name) for name in quirk.sent} == dict(quirk.sent)
    if not quirk.failure:
        assert done.detail["tries"] == quirk.tries
    if "usage" in name:
        assert dict(done.usage) == {"prompt": 3, "completion": 4}


def own_certificate(folder: Path) -> ssl.SSLContext:
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=127.0.0.1",
         "-keyout", key, "-out", certificate], check=True, capture_output=True,
    )  # fmt: skip
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context


LISTS = {
    "data": {"data": [{"id": "small"}]},
    "models": {"models": [{"name": "small", "size": 3}]},
    "plain": [{"id": "small"}],
    "Ollama": {"models": [{"model": "small"}]},
}


@pytest.mark.parametrize("form", LISTS)
def test_models_are_listed_in_any_of_these_forms(form: str) -> None:
    with BadServer(lambda asked: good() if asked.body else answer("200 OK", LISTS[form])) as server:
        assert probe(Endpoint("lab", server.url), "").models == ("small",)


def test_the_test_of_an_endpoint_finds_what_lies_below_its_address() -> None:
    with BadServer(only_at("/v1/", NOT_FOUND)) as server:
        tested = probe(Endpoint("lab", server.url.removesuffix("/v1")), "small")
    assert (tested.ok, tested.models) == (True, ("large", "small"))
    assert [asked.path for asked in server.requests] == [
        "/models", "/v1/models", "/chat/completions", "/v1/chat/completions",
    ]  # fmt: skip


def test_an_address_without_any_call_is_told_by_its_first_answer() -> None:
    with BadServer(lambda _: error("404 Not Found", "nothing here")) as server:
        tested = probe(Endpoint("lab", server.url.removesuffix("/v1")), "small")
    assert "many end in /v1 (404). It said: “nothing here”" in tested.sentence


def test_another_computer_is_reached_by_the_proxy_of_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    far = Endpoint("far", "http://far.example/v1", plain_http_confirmed=True)
    with BadServer(lambda _: good()) as proxy:
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.port}")
        assert probe(far, "small").ok
        with BadServer(lambda _: good()) as here:
            assert probe(Endpoint("here", here.url), "small").ok
    monkeypatch.setenv("http_proxy", "socks5://127.0.0.1:9")
    assert "A proxy is set that cannot be used" in probe(far, "small").sentence
    assert [asked.path for asked in proxy.requests] == [
        "http://far.example/v1/models", "http://far.example/v1/chat/completions",
    ]  # fmt: skip


def test_a_key_goes_in_the_header_that_the_server_wants(monkeypatch: pytest.MonkeyPatch) -> None:
    assert key_headers("api.openai.com", "/v1/models", "k") == {"authorization": "Bearer k"}
    assert key_headers("x.openai.azure.com", "/openai/v1/chat/completions", "k") == {"api-key": "k"}
    assert key_headers("api.anthropic.com", "/v1/models", "k")["x-api-key"] == "k"
    assert "authorization" in key_headers("api.anthropic.com", "/v1/chat/completions", "k")
    monkeypatch.setattr(keys, "_session", {"lab": "sk-0123456789"})
    with BadServer(lambda _: good()) as server:
        assert probe(Endpoint("lab", f"{server.url}?api-version=2024-10-21"), "small").ok
    assert all(asked.headers["api-key"] == "sk-0123456789" for asked in server.requests)
    assert not any("authorization" in asked.headers for asked in server.requests)


def test_an_address_keeps_a_version_and_nothing_else_behind_a_question_mark() -> None:
    azure = "https://x.openai.azure.com/openai/deployments/d"
    assert checked_address(f"{azure}/chat/completions?api-version=2024-10-21") == f"{azure}?api-version=2024-10-21"
    for more in ("?key=secret", "?api-version=1&key=secret", "?api-version=" + "x" * 99):
        with pytest.raises(UsageError, match="more than an address"):
            checked_address(azure + more)
