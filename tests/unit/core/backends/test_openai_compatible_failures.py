"""What a failure is called and said: one sentence each, by what real servers answer."""

import socket
import ssl

import pytest

from biasprint.core.backends.openai_compatible.failures import (
    Said,
    Trouble,
    of_status,
    of_stream,
    quoted,
    said,
    unreachable,
)
from biasprint.core.backends.openai_compatible.reply import Reply, parsed

KEY = "sk-canary-0123456789abcdef"


@pytest.mark.parametrize(
    ("status", "body", "failure", "again"),
    [
        (401, {"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}}, "key", False),
        (403, {"error": "forbidden"}, "key", False),
        (429, {"error": {"message": "Rate limit reached", "code": "rate_limit_exceeded"}}, "rate_limit", True),
        (429, {"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}, "credit", False),
        (500, None, "server", True),
        (502, None, "server", True),
        (503, {"error": {"message": "Loading model", "type": "unavailable_error", "code": 503}}, "server", True),
        (529, {"error": {"message": "Overloaded"}}, "server", True),
        # OpenAI and llama-cpp-python's server
        (
            400,
            {
                "error": {
                    "message": "This model's maximum context length is 512 tokens",
                    "code": "context_length_exceeded",
                }
            },
            "context",
            False,
        ),
        # llama.cpp's server
        (
            400,
            {
                "error": {
                    "code": 400,
                    "message": "the request exceeds the available context size",
                    "type": "exceed_context",
                }
            },
            "context",
            False,
        ),
        (500, {"error": {"message": "Requested tokens (900) exceed context window of 512"}}, "context", False),
        # OpenAI, vLLM, Ollama
        (404, {"error": {"message": "The model `x` does not exist", "code": "model_not_found"}}, "model", False),
        (404, {"object": "error", "message": "The model `x` does not exist.", "code": 404}, "model", False),
        (404, {"error": {"message": 'model "x" not found, try pulling it first'}}, "model", False),
        (404, {"detail": "Not Found"}, "rejected", False),
        (404, None, "rejected", False),
        (400, {"error": {"message": "temperature must be below 2"}}, "rejected", False),
        (422, {"detail": [{"loc": ["body", "seed"], "msg": "extra fields not permitted"}]}, "rejected", False),
        (408, None, "rejected", False),
        (307, None, "redirect", False),
        # A filter's words, as Azure, OpenAI, OpenRouter, Alibaba and DeepSeek send them
        (
            400,
            {
                "error": {
                    "code": "content_filter",
                    "message": "The response was filtered due to the prompt triggering "
                    "Azure OpenAI's content management policy.",
                    "param": "prompt",
                    "status": 400,
                }
            },
            "refusal",
            False,
        ),
        (
            400,
            {
                "error": {
                    "code": "invalid_prompt",
                    "message": "Invalid prompt: your prompt was flagged as potentially violating our usage policy.",
                }
            },
            "refusal",
            False,
        ),
        (
            400,
            {"error": {"code": "content_policy_violation", "message": "Rejected as a result of our safety system."}},
            "refusal",
            False,
        ),
        (
            403,
            {"error": {"code": 403, "message": "Your chosen model requires moderation and your input was flagged."}},
            "refusal",
            False,
        ),
        (
            400,
            {"error": {"code": "data_inspection_failed", "message": "Input data may contain inappropriate content."}},
            "refusal",
            False,
        ),
        (400, {"error": {"message": "Content Exists Risk", "type": "invalid_request_error"}}, "refusal", False),
        # and what only sounds like them
        (
            400,
            {"error": {"code": "unknown_parameter", "message": "Unknown parameter: 'content_filter'."}},
            "rejected",
            False,
        ),
        (400, {"error": {"message": "safety_settings is not supported: unsupported argument"}}, "rejected", False),
        (403, {"error": {"message": "Your account was blocked for its content."}}, "key", False),
        (400, {"error": {"message": "messages: text content blocks must be non-empty"}}, "rejected", False),
    ],
)
def test_a_status_is_told_by_its_kind(status: int, body: object, failure: str, again: bool) -> None:
    trouble = of_status(status, said(body), wait=3.0, key=KEY)
    assert (trouble.failure, trouble.retry) == (failure, again)
    assert trouble.wait == (3.0 if again else None)
    assert trouble.sentence.count("\n") == 0
    assert trouble.sentence[0].isupper()


@pytest.mark.parametrize("body", ["text", 3, None, [], {"error": 3}, {"error": None}, {"error": {"message": None}}])
def test_an_error_of_any_form_can_be_read(body: object) -> None:
    assert isinstance(said(body), Said)


def test_what_the_server_said_is_shown_short_and_on_one_line() -> None:
    shown = of_status(400, Said("bad\n\x1b[31mthing\u202e " + "x" * 500), wait=None, key=KEY).sentence
    assert "“bad [31mthing xxx" in shown
    assert len(shown) < 300
    assert "\n" not in shown


@pytest.mark.parametrize("echo", [KEY, f"Bearer {KEY}!", KEY[3:14], KEY[-8:]])
def test_a_sentence_never_holds_a_part_of_the_key(echo: str) -> None:
    assert quoted(f"got {echo} here", KEY) == " What it said is not shown, because it holds the key."


def test_what_is_said_of_a_wrong_key_is_never_shown() -> None:
    assert (
        of_status(401, Said("key s*k-ca*nary"), wait=None, key=KEY).sentence
        == "The endpoint did not accept the key (401)."
    )
    assert "none is kept" in of_status(401, Said("who are you"), wait=None, key=None).sentence


@pytest.mark.parametrize(
    ("cause", "words", "again"),
    [
        (ssl.SSLError(1, "[SSL: WRONG_VERSION_NUMBER] wrong version number"), "http instead of https", False),
        (ssl.SSLCertVerificationError(1, "[SSL: CERTIFICATE_VERIFY_FAILED] self signed"), "certificate", False),
        (socket.gaierror(-2, "Name or service not known"), "cannot be found", True),
        (ConnectionRefusedError(111, "Connection refused"), "Nothing answers", True),
        (ConnectionResetError(104, "Connection reset by peer"), "broke", True),
    ],
)
def test_why_nothing_connects(cause: Exception, words: str, again: bool) -> None:
    try:
        raise RuntimeError("Connection error.") from cause
    except RuntimeError as error:
        trouble = unreachable(error)
    assert trouble.failure == "connection"
    assert words in trouble.sentence
    assert trouble.retry is again


@pytest.mark.parametrize(
    ("body", "failure", "again"),
    [
        ({"error": {"message": "out of memory"}}, "server", True),
        ({"error": {"message": "slow down", "code": 429}}, "rate_limit", True),
        ({"error": {"message": "prompt is too long"}}, "context", False),
    ],
)
def test_an_error_inside_a_stream_has_a_kind(body: object, failure: str, again: bool) -> None:
    trouble = of_stream(said(body), key=KEY)
    assert (trouble.failure, trouble.retry) == (failure, again)


def chat(content: object, finish: object = "stop", **more: object) -> dict:
    return {"choices": [{"message": {"content": content}, "finish_reason": finish}], **more}


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        "text",
        {},
        {"choices": []},
        {"choices": "text"},
        {"choices": [3]},
        {"choices": [{"finish_reason": "stop"}]},
        {"choices": [{"message": "text", "finish_reason": "stop"}]},
        chat(3),
        chat(["part"]),
        chat("words", None),
        chat("words", 7),
        chat("words", "tool_calls"),
        chat("words", "because"),
    ],
)
def test_a_reply_of_another_form_or_without_end_is_an_error(data: object) -> None:
    reply = Reply("chat", KEY)

    def read() -> None:
        reply.whole(data)
        reply.finished()

    with pytest.raises(Trouble) as raised:
        read()
    assert raised.value.failure == "bad_reply"
    assert not raised.value.retry


@pytest.mark.parametrize(
    ("reason", "kept"),
    [("stop", "stop"), ("length", "length"), ("eos_token", "stop"), ("end_turn", "stop"), ("max_tokens", "length")],
)
def test_the_ends_that_servers_name_are_known(reason: str, kept: str) -> None:
    reply = Reply("chat")
    reply.whole(chat("words", reason))
    assert reply.finished() == kept


@pytest.mark.parametrize(
    ("data", "failure"),
    [
        (chat(None), "empty"), (chat(""), "empty"), (chat(" \n"), "empty"), (chat("", "length"), "cut"),
        (chat("wor", "content_filter"), "refusal"), (chat(None, "SAFETY"), "refusal"), (chat("", "refusal"), "refusal"),
    ],
)  # fmt: skip
def test_a_reply_without_text_is_told_apart_from_one_that_was_cut_or_held_back(data: object, failure: str) -> None:
    reply = Reply("chat")
    reply.whole(data)
    with pytest.raises(Trouble) as raised:
        reply.finished()
    assert raised.value.failure == failure


def declined(**beside: object) -> dict[str, object]:
    return {"content": None, "refusal": "I'm sorry, I can't help with that.", **beside}


def test_a_refusal_in_a_field_of_its_own_is_one_whole_and_in_pieces() -> None:
    whole, streamed = Reply("chat", KEY), Reply("chat", KEY)
    whole.whole({"choices": [{"message": declined(), "finish_reason": "stop"}]})
    for piece in ("I'm sorry, ", "I can't help with that."):
        streamed.add({"choices": [{"delta": {"content": None, "refusal": piece}}]})
    streamed.add({"choices": [{"delta": {}, "finish_reason": "stop"}]})
    for reply in (whole, streamed):
        with pytest.raises(Trouble, match=r"declined.*I'm sorry, I can't help with that") as raised:
            reply.finished()
        assert raised.value.failure == "refusal"


def test_a_text_beside_an_empty_refusal_field_is_a_text() -> None:
    reply = Reply("chat")
    reply.whole({"choices": [{"message": declined(content="A poem.", refusal=None), "finish_reason": "stop"}]})
    assert (reply.finished(), reply.text) == ("stop", "A poem.")


def test_text_is_kept_exactly_surrogates_and_all() -> None:
    reply = Reply("chat")
    reply.whole(parsed(b'{"choices": [{"message": {"content": " \\ud800 a\\u0000\\n"}, "finish_reason": "stop"}]}'))
    assert reply.text == " \ud800 a\0\n"


def test_a_text_that_holds_the_key_is_thrown_away_even_in_pieces() -> None:
    reply = Reply("chat", KEY)
    first, second, last = ({"choices": [{"delta": {"content": piece}}]} for piece in (KEY[:5], KEY[5:17], KEY[17:]))
    reply.add(first)
    reply.add(second)
    with pytest.raises(Trouble, match="held the key"):
        reply.add(last)


def test_usage_and_labels_that_make_no_sense_are_left_out() -> None:
    reply = Reply("chat", KEY)
    strange = {"prompt_tokens": -3, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": True}}
    reply.whole(chat("words", usage=strange, system_fingerprint=KEY, model="x" * 500))
    assert reply.usage == {"completion": 5}
    assert (reply.fingerprint, reply.served_by) == ("", "")


@pytest.mark.parametrize("body", [b"", b"<html>", b"{", b"[" * 100_000, b"1" * 5000, b"\xff\xfe"])
def test_what_is_no_json_is_a_bad_reply(body: bytes) -> None:
    with pytest.raises(Trouble, match="no JSON"):
        parsed(body)
