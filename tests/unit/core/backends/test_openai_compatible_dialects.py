"""Anthropic's messages and Gemini's generateContent: asked as their references say, and read in the same words."""

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from bad_server import Answer, Asked, BadServer, answer, send_chunk

from biasprint.core.backends import openai_compatible
from biasprint.core.backends.openai_compatible.asking import Asker, Wanted
from biasprint.core.backends.openai_compatible.probe import test_endpoint as probe
from biasprint.core.backends.openai_compatible.settings import EndpointSettings, mode_at
from biasprint.core.backends.protocol import Completion, Request
from biasprint.core.machine import keys
from biasprint.core.machine.endpoints import Endpoint, save

ASK = Request("k", "Write something.", seed=2**31 + 5, temperature=0.7, max_tokens=30, stop=("END",))
KEY = "sk-0123456789"
CLAUDE, GEMINI = "claude-sonnet-4-5", "gemini-2.5-flash"


def streamed(*events: Mapping[str, Any], named: bool) -> Answer:
    """A stream of server-sent events; `named`: each begins with its type, as Anthropic's do."""

    async def give(writer: Any, asked: Asked) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
        for event in events:
            name = f"event: {event['type']}\n" if named else ""
            send_chunk(writer, f"{name}data: {json.dumps(event)}\n\n".encode())
        writer.write(b"0\r\n\r\n")

    return give


# ---- As the references write them


def claude_stream(ended: str, text: str = "He leads.", *more: Mapping[str, Any]) -> Answer:
    delta = {"type": "content_block_delta", "index": 0}
    usage = {"input_tokens": 20, "cache_read_input_tokens": 5, "output_tokens": 1}
    return streamed(
        {"type": "message_start", "message": {"id": "msg_1", "role": "assistant", "model": CLAUDE, "content": [],
                                              "stop_reason": None, "usage": usage}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}},
        {**delta, "delta": {"type": "thinking_delta", "thinking": "Let me see."}},
        {"type": "ping"},
        *({**delta, "delta": {"type": "text_delta", "text": part}} for part in (text[:3], text[3:]) if part),
        {"type": "content_block_stop", "index": 0},
        *more,
        {"type": "message_delta", "delta": {"stop_reason": ended}, "usage": {"output_tokens": 9}},
        {"type": "message_stop"}, named=True,
    )  # fmt: skip


def claude_whole(ended: str, *parts: Mapping[str, Any]) -> Answer:
    usage = {"input_tokens": 20, "cache_read_input_tokens": 5, "output_tokens": 9}
    return answer("200 OK", {"id": "msg_1", "type": "message", "role": "assistant", "model": CLAUDE,
                             "content": list(parts), "stop_reason": ended, "usage": usage})  # fmt: skip


def claude_error(status: str, kind: str, message: str, **headers: str) -> Answer:
    return answer(status, {"type": "error", "error": {"type": kind, "message": message}}, **headers)


def gemini_reply(ended: str | None, *parts: Mapping[str, Any]) -> dict[str, Any]:
    candidate = {"content": {"parts": list(parts), "role": "model"}, "index": 0}
    counts = {"promptTokenCount": 25, "candidatesTokenCount": 7, "thoughtsTokenCount": 2, "cachedContentTokenCount": 5}
    return {"candidates": [candidate | ({"finishReason": ended} if ended else {})], "usageMetadata": counts,
            "modelVersion": GEMINI}  # fmt: skip


def gemini_error(code: int, status: str, message: str, **headers: str) -> Answer:
    return answer(f"{code} Error", {"error": {"code": code, "message": message, "status": status}}, **headers)


BLOCKED = {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 25}}
THOUGHT = {"text": "Let me see.", "thought": True}
SAID = {"type": "text", "text": "He leads."}


@pytest.fixture(autouse=True)
def home(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIASPRINT_HOME", str(tmp_path))
    monkeypatch.setattr(keys, "_session", {"lab": KEY})


def done(server: BadServer, mode: str, stream: bool = True) -> Completion:
    save(Endpoint("lab", f"http://127.0.0.1:{server.port}", retries=0))
    model = CLAUDE if mode == "messages" else GEMINI
    backend = openai_compatible.open(
        model, {"endpoint": "lab", "mode": mode, "stream": stream, "system": "Be brief.", "top_k": 40}
    )
    try:
        return backend.generate(ASK, lambda text: None, lambda: None)
    finally:
        backend.close()


def below(path: str, then: Answer) -> Callable[[Asked], Answer]:
    """A server whose calls lie below a version, as the services' do."""
    nowhere = {"error": {"code": 404, "message": "Not Found", "type": "not_found_error"}}
    return lambda asked: then if asked.path.startswith(path) else answer("404 Not Found", nowhere)


# ---- Texts

WRITTEN: dict[str, tuple[str, bool, Answer, str]] = {
    "Anthropic, streamed": ("messages", True, claude_stream("end_turn"), "stop"),
    "Anthropic, streamed and cut": ("messages", True, claude_stream("max_tokens"), "length"),
    "Anthropic, whole": (
        "messages", False, claude_whole("stop_sequence", {"type": "thinking", "thinking": "Let me see."}, SAID), "stop",
    ),
    "Anthropic, whole and cut": (
        "messages", False, claude_whole("max_tokens", {"type": "thinking", "thinking": "Let me see."}, SAID), "length",
    ),
    "Gemini, streamed": (
        "generate_content", True,
        streamed(gemini_reply(None, THOUGHT, {"text": "He "}), gemini_reply("STOP", {"text": "leads."}), named=False),
        "stop",
    ),
    "Gemini, whole": (
        "generate_content", False, answer("200 OK", gemini_reply("STOP", THOUGHT, {"text": "He leads."})), "stop",
    ),
    "Gemini, whole and cut": (
        "generate_content", False, answer("200 OK", gemini_reply("MAX_TOKENS", THOUGHT, {"text": "He leads."})),
        "length",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRITTEN)
def test_a_text_its_end_reasoning_and_usage_are_read(name: str) -> None:
    mode, stream, reply, ended = WRITTEN[name]
    with BadServer(below("/v1", reply)) as server:
        text = done(server, mode, stream)
    assert (text.text, text.finish_reason, text.failure) == ("He leads.", ended, ""), text.error
    assert dict(text.usage) == {"prompt": 25, "completion": 9, "cached": 5}
    assert text.detail["reasoning"] == "Let me see."


def test_anthropic_is_asked_as_its_reference_says() -> None:
    with BadServer(below("/v1/", claude_stream("end_turn"))) as server:
        assert "seed" in done(server, "messages").detail["without"]
    asked = server.requests[-1]
    assert asked.path == "/v1/messages"
    assert {name: asked.headers.get(name) for name in ("x-api-key", "anthropic-version", "authorization")} == {
        "x-api-key": KEY, "anthropic-version": "2023-06-01", "authorization": None,
    }  # fmt: skip
    assert asked.body == {
        "model": CLAUDE, "system": "Be brief.", "messages": [{"role": "user", "content": "Write something."}],
        "max_tokens": 30, "temperature": 0.7, "top_k": 40, "stop_sequences": ["END"], "stream": True,
    }  # fmt: skip


def test_gemini_is_asked_as_its_reference_says() -> None:
    with BadServer(below("/v1beta/", streamed(gemini_reply("STOP", {"text": "Yes."}), named=False))) as server:
        assert done(server, "generate_content").text == "Yes."
    asked = server.requests[-1]
    assert asked.path == f"/v1beta/models/{GEMINI}:streamGenerateContent?alt=sse"
    assert (asked.headers["x-goog-api-key"], asked.headers.get("authorization")) == (KEY, None)
    assert asked.body == {
        "contents": [{"role": "user", "parts": [{"text": "Write something."}]}],
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "generationConfig": {
            "temperature": 0.7, "topK": 40, "maxOutputTokens": 30, "seed": 5, "stopSequences": ["END"],
        },
    }  # fmt: skip


def test_requests_at_once_all_find_out_where_calls_lie() -> None:
    async def slowly(writer: Any, asked: Asked) -> None:
        await asyncio.sleep(0.2)
        await below("/v1/", claude_stream("end_turn"))(asked)(writer, asked)

    with BadServer(lambda _: slowly) as server:
        settings = EndpointSettings(Endpoint("lab", f"http://127.0.0.1:{server.port}"), CLAUDE, mode="messages")

        async def both() -> list[str]:
            asker = Asker(settings, KEY)
            try:
                replies = await asyncio.gather(*(asker.ask(Wanted(ASK, lambda _: None)) for _ in range(3)))
            finally:
                await asker.close()
            return [reply.text for reply in replies]

        assert asyncio.run(both()) == ["He leads."] * 3


# ---- What is no text

OVERLOADED = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
QUOTA = "You exceeded your current quota, please check your plan and billing details."
FAILED: dict[str, tuple[str, Answer, str, str]] = {
    "Anthropic declines": ("messages", claude_stream("refusal", ""), "refusal", "declined"),
    "Anthropic declines, whole": ("messages", claude_whole("refusal"), "refusal", "declined"),
    "Anthropic reaches its limit while it thinks": ("messages", claude_stream("max_tokens", ""), "cut", "limit"),
    "Anthropic breaks off": ("messages", claude_stream("end_turn", "He", OVERLOADED), "server", "Overloaded"),
    "Anthropic is overloaded": (
        "messages", claude_error("529 Overloaded", "overloaded_error", "Overloaded"), "server", "529",
    ),
    "Anthropic's account is empty": (
        "messages",
        claude_error("400 Bad Request", "invalid_request_error",
                     "Your credit balance is too low to access the Anthropic API."),
        "credit", "no credit",
    ),
    "Anthropic takes no more for now": (
        "messages",
        claude_error("429 Too Many", "rate_limit_error", "This request would exceed your rate limit", retry_after="9"),
        "rate_limit", "429",
    ),
    "Anthropic does not know the key": (
        "messages", claude_error("401 Unauthorized", "authentication_error", "invalid x-api-key"), "key", "the key",
    ),
    "Anthropic does not know the model": (
        "messages", claude_error("404 Not Found", "not_found_error", f"model: {CLAUDE}"), "model", "this model",
    ),
    "Anthropic's prompt is too long": (
        "messages",
        claude_error("400 Bad Request", "invalid_request_error", "prompt is too long: 208310 tokens > 200000 maximum"),
        "context", "longer than",
    ),
    "Gemini blocks the prompt": ("generate_content", streamed(BLOCKED, named=False), "refusal", "filter"),
    "Gemini blocks the prompt, whole": ("generate_content", answer("200 OK", BLOCKED), "refusal", "filter"),
    "Gemini blocks the text": (
        "generate_content", answer("200 OK", gemini_reply("SAFETY", {"text": "He"})), "refusal", "filter",
    ),
    "Gemini names a forbidden content": (
        "generate_content", streamed(gemini_reply("PROHIBITED_CONTENT"), named=False), "refusal", "filter",
    ),
    "Gemini reaches its limit while it thinks": (
        "generate_content", streamed(gemini_reply("MAX_TOKENS", THOUGHT), named=False), "cut", "limit",
    ),
    "Gemini calls a tool": ("generate_content", answer("200 OK", gemini_reply("OTHER")), "bad_reply", "not known"),
    "Gemini does not know the key": (
        "generate_content",
        gemini_error(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."), "key", "the key",
    ),
    "Gemini does not know the model": (
        "generate_content",
        gemini_error(404, "NOT_FOUND", "models/x is not found for API version v1beta, or is not supported for it."),
        "model", "this model",
    ),
    "Gemini takes no more for a minute": (
        "generate_content", gemini_error(429, "RESOURCE_EXHAUSTED", f"{QUOTA} Please retry in 34.1s."),
        "rate_limit", "429",
    ),
    "Gemini's account is empty": (
        "generate_content", gemini_error(429, "RESOURCE_EXHAUSTED", QUOTA), "credit", "no credit",
    ),
    "Gemini is overloaded": (
        "generate_content", gemini_error(503, "UNAVAILABLE", "The model is overloaded."), "server", "503",
    ),
    "Gemini's prompt is too long": (
        "generate_content",
        gemini_error(400, "INVALID_ARGUMENT", "The input token count (9) exceeds the maximum number of tokens allowed"),
        "context", "longer than",
    ),
    "a reply without the promised form": ("messages", answer("200 OK", {"type": "message", "content": 3}),
                                          "bad_reply", "no text"),
    "a candidate of no form": ("generate_content", answer("200 OK", {"candidates": [3]}), "bad_reply", "no choices"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAILED)
def test_what_is_no_text_has_the_same_words_as_openais(name: str) -> None:
    mode, reply, failure, words = FAILED[name]
    with BadServer(below("/v1", reply)) as server:
        text = done(server, mode)
    assert (text.failure, text.text) == (failure, ""), text.error
    assert words in (text.error or "")
    assert KEY not in (text.error or "")


def test_a_system_prompt_that_a_model_does_not_take_is_said_by_the_user() -> None:
    message = "Developer instruction is not enabled for models/gemma-3-1b-it"

    def script(asked: Asked) -> Answer:
        if "systemInstruction" in asked.body:
            return gemini_error(400, "INVALID_ARGUMENT", message)
        return streamed(gemini_reply("STOP", {"text": "Yes."}), named=False)

    with BadServer(script) as server:
        assert done(server, "generate_content").text == "Yes."
    assert server.requests[-1].body["contents"][0]["parts"] == [{"text": "Be brief.\n\nWrite something."}]


# ---- Which interface is spoken


def test_the_services_own_addresses_are_asked_in_their_own_way() -> None:
    modes = {
        "https://api.anthropic.com": "messages",
        "https://api.anthropic.com/v1": "messages",
        "https://generativelanguage.googleapis.com": "generate_content",
        "https://generativelanguage.googleapis.com/v1beta": "generate_content",
        "https://generativelanguage.googleapis.com/v1beta/openai": "chat",
        "https://api.anthropic.com.example/v1": "chat",
        "http://127.0.0.1:11434/v1": "chat",
    }
    assert {address: mode_at(Endpoint("lab", address)) for address in modes} == modes


def test_the_test_of_an_endpoint_lists_the_models_that_write(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = {"models": [
        {"name": "models/gemini-2.5-flash", "supportedGenerationMethods": ["generateContent", "countTokens"]},
        {"name": "models/gemini-embedding-001", "supportedGenerationMethods": ["embedContent"]},
    ]}  # fmt: skip
    text = streamed(gemini_reply("STOP", {"text": "Yes."}), named=False)
    monkeypatch.setattr("biasprint.core.backends.openai_compatible.probe.mode_at", lambda _: "generate_content")
    with BadServer(lambda asked: text if asked.body else answer("200 OK", listed)) as server:
        tested = probe(Endpoint("lab", f"http://127.0.0.1:{server.port}/v1beta"), "")
    assert (tested.ok, tested.models) == (True, (GEMINI,)), tested.sentence
    assert server.requests[0].path == "/v1beta/models?pageSize=1000"
