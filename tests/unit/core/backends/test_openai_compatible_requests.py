"""What is sent to an endpoint, and what comes of an ordinary reply."""

from collections.abc import Iterator, Mapping

import pytest
from bad_server import FINGERPRINT, TEXT, Answer, Asked, BadServer, Hangup, answer, error, good, start_stream

from biasprint.core.backends import openai_compatible
from biasprint.core.backends.openai_compatible.writer import EndpointWriter
from biasprint.core.backends.protocol import Backend, Completion, ConcurrentBackend, Parameter, Request
from biasprint.core.errors import AppError, UsageError
from biasprint.core.machine import keys, offline
from biasprint.core.machine.endpoints import Endpoint, save

ASK = Request("key", "Write a haiku.", seed=2**62 + 5)


@pytest.fixture
def server() -> Iterator[BadServer]:
    with BadServer(lambda _: good()) as running:
        yield running


def write(
    server: BadServer, parameters: Mapping[str, Parameter] | None = None, request: Request = ASK, **limits: object
) -> tuple[Completion, list[str], EndpointWriter]:
    save(Endpoint("lab", server.url, **{"retries": 0, "deadline_seconds": 20.0} | limits))
    backend = openai_compatible.open("small", {"endpoint": "lab", **(parameters or {})})
    pieces: list[str] = []
    completion = backend.generate(request, pieces.append, lambda: None)
    backend.close()
    return completion, pieces, backend


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("mode", ["chat", "completions"])
def test_a_text_comes_back_with_its_end_usage_and_fingerprint(server: BadServer, mode: str, stream: bool) -> None:
    done, pieces, backend = write(server, {"mode": mode, "stream": stream})
    assert (done.text, done.finish_reason, done.error, done.failure) == (TEXT, "stop", "", "")
    assert "".join(pieces) == TEXT
    assert done.usage == {"prompt": 7, "completion": 5, "cached": 2}
    assert done.detail == {"tries": 1, "fingerprint": FINGERPRINT}
    assert done.seconds > 0
    assert backend.describe().revision == ""  # the same generator before and after its first text
    assert server.requests[0].path == {"chat": "/v1/chat/completions", "completions": "/v1/completions"}[mode]


def test_the_body_holds_what_was_asked_for_and_nothing_else(server: BadServer) -> None:
    request = Request("key", "Write a haiku.", seed=2**62 + 5, temperature=0.0, max_tokens=50, stop=("\n\n",))
    write(server, {"temperature": 0.9, "top_p": 0.8, "system": "Be brief.", "top_k": 40, "stream": False}, request)
    assert server.requests[0].body == {
        "model": "small",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Write a haiku."}],
        "temperature": 0.0,
        "top_p": 0.8,
        "max_tokens": 50,
        "seed": 5,
        "stop": ["\n\n"],
        "top_k": 40,
    }


def test_what_nobody_chose_is_left_to_the_server(server: BadServer) -> None:
    write(server, {"mode": "completions"})
    body = server.requests[0].body
    assert set(body) == {"model", "prompt", "seed", "stream", "stream_options"}


def test_no_header_tells_of_this_computer_or_its_environment(
    server: BadServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    secrets = {
        "OPENAI_API_KEY": "env-key",
        "OPENAI_ADMIN_KEY": "env-admin",
        "OPENAI_ORG_ID": "env-org",
        "OPENAI_PROJECT_ID": "env-project",
        "OPENAI_CUSTOM_HEADERS": "X-Custom: env-custom",
        "OPENAI_BASE_URL": "http://127.0.0.1:9/env",
        "HTTP_PROXY": "http://127.0.0.1:9",
    }
    for name, value in secrets.items():
        monkeypatch.setenv(name, value)
    done, _, _ = write(server)
    assert not done.error
    headers = {name: value for name, value in server.requests[0].headers.items() if name}
    assert set(headers) == {
        "host",
        "connection",
        "accept",
        "content-type",
        "content-length",
        "accept-encoding",
        "user-agent",
    }
    assert headers["user-agent"] == "biasprint"
    assert headers["accept-encoding"] == "identity"


def test_the_key_goes_to_the_endpoint_it_belongs_to(server: BadServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys, "_session", {"lab": "sk-lab", "other": "sk-other"})
    write(server)
    assert server.requests[0].headers["authorization"] == "Bearer sk-lab"
    backend = openai_compatible.open("small", {"base_url": server.url})
    backend.generate(ASK, lambda _: None, lambda: None)
    backend.close()
    assert "authorization" not in server.requests[1].headers


def test_a_foreign_project_cannot_have_a_key_sent_elsewhere(server: BadServer) -> None:
    save(Endpoint("lab", "https://lab.example.org/v1"))
    with pytest.raises(UsageError, match="another address on this computer"):
        openai_compatible.open("small", {"endpoint": "lab", "base_url": server.url})


def test_a_generator_described_and_opened_again_is_the_same(server: BadServer) -> None:
    chosen = {"temperature": 0.7, "mode": "chat", "system": "Be brief.", "min_p": 0.1}
    _, _, backend = write(server, chosen)
    described = backend.describe()
    assert described.parameters == {"endpoint": "lab", "base_url": server.url, **chosen}
    assert openai_compatible.open("small", described.parameters).describe().parameters == described.parameters
    unnamed = openai_compatible.open("small", {"base_url": server.url + "/"}).describe()
    assert unnamed.parameters == {"base_url": server.url, "mode": "chat"}
    assert openai_compatible.open("small", unnamed.parameters).describe() == unnamed


def test_it_is_a_backend_that_writes_many_at_once() -> None:
    backend = openai_compatible.open("small", {"base_url": "http://127.0.0.1:9/v1"})
    assert isinstance(backend, Backend)
    assert isinstance(backend, ConcurrentBackend)
    assert backend.capabilities == openai_compatible.INFO.capabilities
    backend.close()


REFUSALS = {
    "stream_options": error("400 Bad Request", "Unrecognized request argument: stream_options"),
    "seed": answer("422 Unprocessable", {"detail": [{"loc": ["body", "seed"], "msg": "extra fields not permitted"}]}),
    "stream": error("400 Bad Request", "Streaming is not supported; set stream to false"),
    "max_tokens": error("400 Bad Request", "'max_tokens' is not supported. Use 'max_completion_tokens' instead."),
    "temperature": error(
        "400 Bad Request",
        "Unsupported value: 'temperature' does not support 0.7 here. Only the default (1).",
    ),
}


@pytest.mark.parametrize("refused", REFUSALS)
def test_what_a_server_refuses_by_name_is_left_out_from_then_on(refused: str) -> None:
    def script(asked: Asked):
        return REFUSALS[refused] if refused in asked.body else good()

    with BadServer(script) as server:
        save(Endpoint("lab", server.url, retries=0))
        backend = openai_compatible.open("small", {"endpoint": "lab", "max_tokens": 30, "temperature": 0.7})
        done = [backend.generate(ASK, lambda _: None, lambda: None) for _ in range(3)]
        said = backend.left_out
        backend.close()
    assert [one.text for one in done] == [TEXT] * 3
    recorded = refused in ("seed", "temperature")
    assert {one.detail.get("without") for one in done} == {refused if recorded else None}
    assert [refused in sentence for sentence in said] == [True] * recorded
    assert [refused in asked.body for asked in server.requests] == [True, False, False, False]
    if refused == "max_tokens":
        assert server.requests[-1].body["max_completion_tokens"] == 30


async def empty_stream(stream, asked: Asked) -> None:
    start_stream(stream)
    stream.write(b"0\r\n\r\n")


async def broken_before_anything(stream, asked: Asked) -> None:
    start_stream(stream)
    await stream.drain()
    raise Hangup


@pytest.mark.parametrize("nothing", [empty_stream, broken_before_anything])
def test_a_stream_of_nothing_is_asked_about_once_without_streaming(nothing: Answer) -> None:
    too_long = error("400 Bad Request", "maximum context length is 512 tokens", "context_length_exceeded")
    with BadServer(lambda asked: nothing if "stream" in asked.body else too_long) as server:
        done, _, _ = write(server, retries=3)
    assert done.failure == "context"
    assert ["stream" in asked.body for asked in server.requests] == [True, False]


def test_after_a_stream_of_nothing_the_retries_ask_for_the_whole() -> None:
    """llama.cpp's server also hangs up after such a stream."""

    def script(asked: Asked) -> Answer:
        if "stream" in asked.body:
            return empty_stream
        return good() if asked.times == 4 else error("503 Loading", "wait")

    with BadServer(script) as server:
        done, _, _ = write(server, retries=2)
    assert (done.text, done.detail["tries"]) == (TEXT, 3)
    assert ["stream" in asked.body for asked in server.requests] == [True, False, False, False]


def test_a_server_that_streams_nothing_whatever_is_asked_is_a_bad_reply() -> None:
    with BadServer(lambda _: empty_stream) as server:
        done, _, _ = write(server, retries=3)
    assert (done.failure, len(server.requests)) == ("bad_reply", 2)


def test_where_streams_stay_empty_and_whole_replies_do_not_the_latter_are_taken() -> None:
    with BadServer(lambda asked: empty_stream if "stream" in asked.body else good()) as server:
        save(Endpoint("lab", server.url, retries=0))
        backend = openai_compatible.open("small", {"endpoint": "lab"})
        pieces: list[str] = []
        texts = [backend.generate(ASK, pieces.append, lambda: None).text for _ in range(2)]
        backend.close()
    assert texts == [TEXT] * 2 == pieces
    assert ["stream" in asked.body for asked in server.requests] == [True, False, False]


def test_a_seed_that_is_too_large_for_a_server_is_made_smaller_before_it_is_left_out() -> None:
    wide = Request("key", "prompt", seed=0x7_FFFF_FFF0)

    def script(asked: Asked):
        return error("400 Bad Request", "seed is out of range") if asked.body["seed"] > 2**31 - 1 else good()

    with BadServer(script) as server:
        done, _, _ = write(server, {}, wide)
    assert [asked.body["seed"] for asked in server.requests] == [0xFFFF_FFF0, 0x7FFF_FFF0]
    assert "without" not in done.detail


def test_the_seed_that_means_any_to_llama_cpp_is_never_sent(server: BadServer) -> None:
    write(server, {}, Request("key", "prompt", seed=2**63 - 1))
    assert server.requests[0].body["seed"] == 0xFFFF_FFFE


def test_half_a_character_is_a_failure_of_its_prompt_and_is_not_sent(server: BadServer) -> None:
    done, _, _ = write(server, {}, Request("key", "a \ud800 b", seed=1))
    assert (done.failure, done.detail) == ("parameters", {"tries": 1})
    assert "half a character" in done.error
    assert server.requests == []


def test_a_refusal_of_what_was_chosen_is_an_error_and_nothing_is_dropped_in_silence() -> None:
    with BadServer(lambda _: error("400 Bad Request", "temperature must be 1 for this model")) as server:
        done, _, _ = write(server, {"temperature": 0.2})
    assert done.failure == "rejected"
    assert "temperature must be 1" in done.error
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({}, "No endpoint was named"),
        ({"endpoint": "nowhere"}, "no endpoint “nowhere”"),
        ({"base_url": "here"}, "not the address"),
        ({"base_url": "http://127.0.0.1/v1", "colour": "red"}, "no parameter “colour”"),
        ({"base_url": "http://127.0.0.1/v1", "api_key": "sk-1"}, "no parameter “api_key”"),
        ({"base_url": "http://127.0.0.1/v1", "temperature": "warm"}, "“temperature” cannot be that"),
        ({"base_url": "http://127.0.0.1/v1", "temperature": -1.0}, "temperature cannot be -1"),
        ({"base_url": "http://127.0.0.1/v1", "temperature": float("nan")}, "temperature cannot be nan"),
        ({"base_url": "http://127.0.0.1/v1", "max_tokens": 10**400}, "max_tokens cannot be 1000"),
        ({"base_url": "http://127.0.0.1/v1", "max_tokens": True}, "“max_tokens” cannot be that"),
        ({"base_url": "http://127.0.0.1/v1", "mode": "talk"}, "no mode “talk”"),
        ({"base_url": "http://127.0.0.1/v1", "mode": "completions", "system": "x"}, "no system prompt"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_sent(parameters: dict, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        openai_compatible.open("small", parameters)


def test_a_model_has_to_be_named() -> None:
    with pytest.raises(UsageError, match="No model was named"):
        openai_compatible.open(" ", {"base_url": "http://127.0.0.1:9/v1"})


def test_plain_http_to_another_computer_is_refused_at_opening() -> None:
    with pytest.raises(AppError, match="plain http"):
        openai_compatible.open("small", {"base_url": "http://192.0.2.1/v1"})


def test_with_the_offline_switch_on_nothing_is_opened_or_sent(server: BadServer, monkeypatch) -> None:
    save(Endpoint("lab", server.url))
    backend = openai_compatible.open("small", {"endpoint": "lab"})
    monkeypatch.setenv(offline.VARIABLE, "1")
    with pytest.raises(AppError, match="offline switch"):
        backend.generate(ASK, lambda _: None, lambda: None)
    with pytest.raises(AppError, match="offline switch"):
        openai_compatible.open("small", {"endpoint": "lab"})
    backend.close()
    assert server.requests == []
