"""A run against a server that does everything wrong: every prompt ends, as done or as a failure of the right kind."""

import gc
import random
import socket
from collections import Counter
from collections.abc import Iterator, Sequence

import psutil
import pytest
from bad_server import (
    TEXT,
    Answer,
    Asked,
    BadServer,
    Hangup,
    answer,
    bomb,
    cut,
    ended_early,
    error,
    giant,
    good,
    hang,
    hang_up,
    trickle,
)
from trust.report import Figure

from biasprint.core.backends.openai_compatible.failures import Clock
from biasprint.core.backends.openai_compatible.settings import EndpointSettings
from biasprint.core.backends.openai_compatible.writer import EndpointWriter
from biasprint.core.backends.protocol import Completion, Request
from biasprint.core.machine.endpoints import Endpoint

RETRIES = 2
DEADLINE = 4.0
AT_ONCE = 32

# Behaviour → (answers in turn, the last one for ever; kind of failure in the end; requests made for it).
Behaviour = tuple[Sequence[Answer], str, int]
BUSY = error("429 Too Many Requests", "slow down", Retry_After="0")
LATER = error("429 Too Many Requests", "slow down", Retry_After="Fri, 31 Dec 1999 23:59:59 GMT")
NEXT_YEAR = error("429 Too Many Requests", "slow down", Retry_After="31536000")
HTML = answer("200 OK", b"<!DOCTYPE html><p>Welcome", Content_Type="text/html")
COMMON: dict[str, Behaviour] = {
    "good": ([good()], "", 1),
    "busy once": ([BUSY, good()], "", 2),
    "busy until a date": ([LATER, good()], "", 2),
    "always busy": ([BUSY], "rate_limit", 1 + RETRIES),
    "busy for a year": ([NEXT_YEAR], "rate_limit", 1),
    "fails twice": ([answer("500 Oops", b"trace"), answer("503 Loading", {}), good()], "", 3),
    "always fails": ([answer("500 Oops", b"trace")], "server", 1 + RETRIES),
    "cut once": ([cut, good()], "", 2),
    "always cut": ([cut], "connection", 1 + RETRIES),
    "hangs up": ([hang_up], "connection", 1 + RETRIES),
    "ends early": ([ended_early], "bad_reply", 1),
    "no finish reason": ([good(finish=None)], "bad_reply", 1),
    "empty": ([good("")], "empty", 1),
    "cut before any text": ([good("", "length")], "cut", 1),
    "filtered": ([error("400 Bad Request", "The prompt was filtered.", "content_filter")], "refusal", 1),
    "wrong schema": ([answer("200 OK", {"result": "text"})], "bad_reply", 1),
    "no JSON": ([answer("200 OK", b"{text")], "bad_reply", 1),
    "a web page": ([HTML], "bad_reply", 1),
    "bomb": ([bomb(100)], "too_large", 1),
    "wrong key": ([error("401 Unauthorized", "bad key")], "key", 1),
    "unknown model": ([error("404 Not Found", "The model does not exist", "model_not_found")], "model", 1),
    "too long": ([error("400 Bad Request", "too long", "context_length_exceeded")], "context", 1),
    "teapot": ([answer("418 I'm a teapot", b"")], "rejected", 1),
}
RARE: dict[str, Behaviour] = {
    "giant": ([giant], "too_large", 1),
    "trickles": ([trickle], "timeout", 1),
    "hangs": ([hang], "timeout", 1),
}
RARELY = 50  # of so many prompts, one has each of them


async def no_wait(seconds: float) -> None:
    return None


@pytest.fixture
def elsewhere() -> Iterator[BadServer]:
    with BadServer(lambda _: good()) as server:
        yield server


def behaviour_of(number: int, redirect: Answer) -> tuple[str, Behaviour]:
    rare, common = list(RARE), [*COMMON, "redirect"]
    if number % RARELY < len(rare):
        return rare[number % RARELY], RARE[rare[number % RARELY]]
    name = common[number % len(common)]
    return name, COMMON.get(name) or ([redirect], "redirect", 1)


def run(count: int, elsewhere: BadServer) -> tuple[dict[int, list[Completion]], BadServer, list[float]]:
    """Completions by place, the server with what it was asked, and the memory (MB) along the way."""
    redirect = answer("307 Temporary Redirect", b"", Location=f"{elsewhere.url}/chat/completions")

    def script(asked: Asked) -> Answer:
        answers = behaviour_of(int(asked.prompt), redirect)[1][0]
        return answers[min(asked.times, len(answers)) - 1]

    done: dict[int, list[Completion]] = {}
    memory: list[float] = []
    process = psutil.Process()

    def on_done(place: int, completion: Completion) -> None:
        done.setdefault(place, []).append(completion)
        if sum(map(len, done.values())) % 50 == 0:
            memory.append(process.memory_info().rss / 1e6)

    with BadServer(script) as server:
        endpoint = Endpoint("bad", server.url, AT_ONCE, DEADLINE, RETRIES)
        backend = EndpointWriter(
            EndpointSettings(endpoint, "small"), ["sk-1234567890"], Clock(sleep=no_wait, chance=random.Random(1))
        )
        prompts = [Request(f"key {n}", str(n), n) for n in range(count)]
        backend.generate_many(prompts, on_done, lambda *_: None, lambda: None, lambda: True)
        backend.close()
    return done, server, memory


def assert_each_ended_as_it_should(count: int, elsewhere: BadServer) -> list[float]:
    done, server, memory = run(count, elsewhere)
    assert sorted(done) == list(range(count))
    assert {place: len(ends) for place, ends in done.items() if len(ends) != 1} == {}, "none twice"
    wrong = []
    kinds: Counter[str] = Counter()
    for place, (end,) in done.items():
        name, (_, failure, requests) = behaviour_of(place, good())
        kinds[end.failure] += 1
        if (end.failure, server.times[str(place)], end.detail["tries"]) != (failure, requests, requests):
            wrong.append((name, end, server.times[str(place)]))
        assert (end.text == TEXT) == (failure == "")
        assert (end.finish_reason == "error") == bool(end.error) == (failure != "")
    assert wrong == []
    assert elsewhere.requests == [], "a redirect was followed"
    assert set(kinds) == {
        "",
        "timeout",
        "rate_limit",
        "server",
        "connection",
        "key",
        "model",
        "context",
        "rejected",
        "refusal",
        "empty",
        "cut",
        "redirect",
        "too_large",
        "bad_reply",
    }
    return memory


def test_150_prompts_each_end_as_done_or_failed_with_a_kind(elsewhere: BadServer, figure: Figure) -> None:
    assert_each_ended_as_it_should(150, elsewhere)
    figure("150 requests to a server that does everything wrong, each ended with the right kind")


@pytest.mark.soak
def test_2000_prompts_each_end_and_memory_stays_flat(elsewhere: BadServer, figure: Figure) -> None:
    assert_each_ended_as_it_should(300, elsewhere)  # imports, arenas and connections are there
    gc.collect()
    memory = assert_each_ended_as_it_should(2000, elsewhere)
    print(f"memory in MB, every 50 prompts: {[round(one) for one in memory]}")  # noqa: T201
    early, late = memory[: len(memory) // 4], memory[-(len(memory) // 4) :]
    # What is kept per prompt is its completion and what the server noted: some kilobytes, 10 MB in all.
    assert max(late) - max(early) < 30, f"{max(early):.0f} MB, later {max(late):.0f} MB"
    figure(f"2,000 requests to a bad server, memory up {max(late) - max(early):.0f} MB, of at most 30")


def write(url: str, **limits: object) -> Completion:
    endpoint = Endpoint("lab", url, **{"retries": 0, "deadline_seconds": 20.0} | limits)
    backend = EndpointWriter(EndpointSettings(endpoint, "small"), [None], Clock(sleep=no_wait))
    try:
        return backend.generate(Request("key", "prompt", 1), lambda _: None, lambda: None)
    finally:
        backend.close()


def test_https_where_http_is_spoken_says_so() -> None:
    with BadServer(lambda _: good()) as server:
        done = write(server.url.replace("http:", "https:"), retries=3)
    assert done.failure == "connection"
    assert "http instead of https" in done.error
    assert done.detail["tries"] == 1


def test_nobody_listening_is_said_after_the_retries() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    done = write(f"http://127.0.0.1:{port}/v1", retries=2)
    assert (done.failure, done.detail["tries"]) == ("connection", 3)
    assert done.error == "Nothing answers at the endpoint's address."


def test_a_host_that_does_not_exist_is_said() -> None:
    done = write("https://no-such-host.invalid/v1")
    assert done.failure == "connection"
    assert done.error == "The endpoint's address cannot be found."


def test_connections_that_are_never_accepted_end_with_the_deadline() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        done = write(f"http://127.0.0.1:{silent.getsockname()[1]}/v1", deadline_seconds=0.3)
    assert done.failure == "timeout"
    assert done.seconds < 3


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, gzip", "nonsense"])
def test_a_reply_packed_in_another_way_is_not_unpacked(encoding: str) -> None:
    with BadServer(lambda _: answer("200 OK", b"\x1f\x8b", Content_Encoding=encoding)) as server:
        assert write(server.url).failure == "bad_reply"


def test_a_packed_reply_that_is_broken_is_a_bad_reply() -> None:
    with BadServer(lambda _: answer("200 OK", b"not gzip", Content_Encoding="gzip")) as server:
        assert "packed wrongly" in write(server.url).error


def test_a_reply_that_announces_too_much_is_not_read() -> None:
    async def announced(stream, asked: Asked) -> None:
        stream.write(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n")
        await hang(stream, asked)

    with BadServer(lambda _: announced) as server:
        done = write(server.url)
    assert done.failure == "too_large"
    assert done.seconds < 10


EVENTS = (
    b'data: {"choices": [{"index": 0, "delta": {"content": "a"}}]}\n\n',
    b'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}\n\n',
    b"data: [DONE]\n\n",
    b"",
)
GOOD_STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n" + b"".join(
    f"{len(event):x}\r\n".encode() + event + b"\r\n" for event in EVENTS
)


def mutant(original: bytes, chance: random.Random) -> bytes:
    """The same with some bytes changed, left out, doubled or cut off."""
    changed = bytearray(original)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(changed))
        kind = chance.randrange(4)
        if kind == 0:
            changed[at] = chance.randrange(256)
        elif kind == 1:
            del changed[at : at + chance.randint(1, 20)]
        elif kind == 2:
            changed[at:at] = changed[at : at + chance.randint(1, 200)]
        else:
            del changed[max(at, 1) :]
    return bytes(changed)


def test_mutants_of_a_reply_are_read_or_refused_and_never_surprise() -> None:
    chance = random.Random(4)
    mutants = [mutant(GOOD_STREAM, chance) for _ in range(400)]

    async def raw(stream, asked: Asked) -> None:
        stream.write(mutants[int(asked.prompt)])
        await stream.drain()
        raise Hangup

    ends: list[Completion] = []
    with BadServer(lambda _: raw) as server:
        backend = EndpointWriter(EndpointSettings(Endpoint("bad", server.url, 16, 20.0, 0), "small"), [None])
        prompts = [Request(f"key {n}", str(n), n) for n in range(len(mutants))]
        backend.generate_many(prompts, lambda _, end: ends.append(end), lambda *_: None, lambda: None, lambda: True)
        backend.close()
    kinds = Counter(end.failure for end in ends)
    assert len(ends) == len(mutants)
    assert kinds["other"] == 0, [end.error for end in ends if end.failure == "other"]
    assert kinds["connection"] > 50
    assert kinds["bad_reply"] > 20
    assert kinds[""] > 5  # some changes do not matter
