"""An endpoint of several addresses against servers that are busy, away, wrong or slow, and one that nobody answers."""

import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator

import pytest
from bad_server import Answer, Asked, BadServer, Hangup, answer, error, good, hang

from biasprint.core.backends import openai_compatible
from biasprint.core.backends.openai_compatible.failures import Clock
from biasprint.core.backends.openai_compatible.pool import MISSES_AT_FIRST
from biasprint.core.backends.openai_compatible.settings import EndpointSettings
from biasprint.core.backends.openai_compatible.writer import EndpointWriter
from biasprint.core.backends.protocol import Completion, Request
from biasprint.core.errors import AppError, JobCancelled, UsageError
from biasprint.core.machine import keys, offline
from biasprint.core.machine.endpoints import endpoint_of, save

BUSY = error("429 Too Many Requests", "slow down", Retry_After="1")
OTHERS = answer("200 OK", {"object": "list", "data": [{"id": "tiny"}, {"id": "huge"}]})


async def no_wait(seconds: float) -> None:
    return None


def requests(count: int) -> list[Request]:
    return [Request(f"key {n}", f"prompt {n}", seed=n) for n in range(count)]


def writer(*urls: str, limits: tuple[int, ...] = (), clock: Clock | None = None, **options: object) -> EndpointWriter:
    endpoint = endpoint_of("lab", urls, limits, **{"deadline_seconds": 30.0} | options)
    return EndpointWriter(EndpointSettings(endpoint, "small"), [None] * len(urls), clock)


def write(
    backend: EndpointWriter, count: int, check: Callable[[], None] = lambda: None
) -> tuple[list[int], dict[int, Completion]]:
    """The places in the order in which they were handed out, and the completions."""
    order: list[int] = []
    done: dict[int, Completion] = {}

    def on_done(place: int, completion: Completion) -> None:
        order.append(place)
        done[place] = completion

    try:
        backend.generate_many(requests(count), on_done, lambda *_: None, check, lambda: True)
    finally:
        backend.close()
    return order, done


def assert_each_written_once(count: int, order: list[int], done: dict[int, Completion]) -> None:
    assert sorted(order) == list(range(count))
    assert {one.error for one in done.values()} == {""}
    assert {place: one.text for place, one in done.items()} == {n: f"text of prompt {n}" for n in range(count)}


def texts(asked: Asked) -> Answer:
    return good(f"text of {asked.prompt}", wait=0.02)


@pytest.fixture
def first() -> Iterator[BadServer]:
    with BadServer(texts) as running:
        yield running


@pytest.fixture
def second() -> Iterator[BadServer]:
    with BadServer(texts) as running:
        yield running


def asked_for_texts(server: BadServer) -> list[Asked]:
    return [asked for asked in server.requests if asked.prompt]


def test_requests_are_shared_out_within_each_limit_and_each_text_is_written_once(
    first: BadServer, second: BadServer
) -> None:
    order, done = write(writer(first.url, second.url, limits=(2, 5)), 70)
    assert_each_written_once(70, order, done)
    assert (first.most_at_once, second.most_at_once) == (2, 5)
    assert (first.times + second.times)["prompt 0"] == 1
    assert max((first.times + second.times)[f"prompt {n}"] for n in range(70)) == 1
    assert Counter(one.detail["address"] for one in done.values()) == {
        server.url: len(asked_for_texts(server)) for server in (first, second)
    }
    assert len(asked_for_texts(second)) > len(asked_for_texts(first)) > 10


def test_a_busy_address_is_left_in_peace_by_all_requests_for_as_long_as_it_asked(second: BadServer) -> None:
    turned_away: list[float] = []
    came_back: list[float] = []

    def script(asked: Asked) -> Answer:
        if not asked.prompt:
            return good()
        if not came_back and (not turned_away or time.monotonic() < turned_away[0] + 0.9):
            turned_away.append(time.monotonic())
            return BUSY
        came_back.append(time.monotonic())
        return texts(asked)

    with BadServer(script) as busy:
        order, done = write(writer(busy.url, second.url, limits=(4, 2)), 200)
    assert_each_written_once(200, order, done)
    assert 1 <= len(turned_away) <= 4  # those that were under way when the first was turned away
    assert came_back[0] - turned_away[0] >= 1.0
    # Nobody sat out the second there: the other address took what was turned away.
    again = [one for one in done.values() if one.detail["tries"] > 1]
    assert len(again) == len(turned_away)
    assert max(one.seconds for one in again) < 0.9


def test_an_address_that_dies_midway_is_missed_by_no_text_and_is_used_when_it_is_back(second: BadServer) -> None:
    gone, back = threading.Event(), threading.Event()

    def dies(asked: Asked) -> Answer:
        return hang if len(asked_for_texts(dying)) > 5 else texts(asked)

    def check() -> None:
        if not gone.is_set() and len(asked_for_texts(dying)) > 5:
            dying.__exit__()
            gone.set()
        if gone.is_set() and not back.is_set() and len(asked_for_texts(second)) > 60:
            reborn.__enter__()
            back.set()

    dying = BadServer(dies).__enter__()
    reborn = BadServer(texts, port=dying.port)
    try:
        order, done = write(writer(dying.url, second.url, limits=(4, 4)), 500, check)
    finally:
        if back.is_set():
            reborn.__exit__()
    assert_each_written_once(500, order, done)
    assert len(asked_for_texts(reborn)) > 20
    assert (reborn.most_at_once, second.most_at_once) == (4, 4)


def test_an_address_that_serves_another_model_is_named_and_never_asked_for_a_text(second: BadServer) -> None:
    with BadServer(lambda asked: texts(asked) if asked.prompt else OTHERS) as stranger:
        backend = writer(stranger.url, second.url)
        order, done = write(backend, 30)
        paths = [asked.path for asked in stranger.requests]
    assert_each_written_once(30, order, done)
    assert paths == ["/v1/models"]
    assert [asked.path for asked in second.requests].count("/v1/models") == 1
    assert backend.left_out == (f"{stranger.url} was left out: it serves “huge”, “tiny” and not “small”.",)


def test_where_all_serve_another_model_nothing_is_asked_for() -> None:
    with BadServer(lambda _: OTHERS) as one, BadServer(lambda _: OTHERS) as other:
        with pytest.raises(AppError, match=r"No address .*“lab” serves “small”.*lists “huge”, “tiny”"):
            write(writer(one.url, other.url), 5)
        assert [asked.path for asked in one.requests + other.requests] == ["/v1/models"] * 2


def test_a_model_that_is_listed_with_the_latest_tag_is_the_model(second: BadServer) -> None:
    tagged = answer("200 OK", {"data": [{"id": "small:latest"}]})
    with BadServer(lambda asked: texts(asked) if asked.prompt else tagged) as ollama:
        backend = writer(ollama.url, second.url)
        order, done = write(backend, 30)
        assert len(asked_for_texts(ollama)) > 5
    assert_each_written_once(30, order, done)
    assert backend.left_out == ()


def test_an_address_that_takes_no_key_is_left_out_and_its_requests_go_to_the_other(second: BadServer) -> None:
    with BadServer(lambda asked: error("401 Unauthorized", "no") if asked.prompt else good()) as closed:
        backend = writer(closed.url, second.url, limits=(4, 4), retries=0)
        order, done = write(backend, 40)
        assert len(asked_for_texts(closed)) <= 4
    assert_each_written_once(40, order, done)
    assert backend.left_out == (f"{closed.url} was left out: The endpoint asks for a key, and none is kept for it.",)


def test_each_address_gets_its_own_key_and_no_other(
    first: BadServer, second: BadServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keys, "_session", keys.by_name("lab", [first.url, second.url], "sk-first sk-second"))
    save(endpoint_of("lab", [first.url, second.url]))
    order, done = write(openai_compatible.open("small", {"endpoint": "lab"}), 20)
    assert_each_written_once(20, order, done)
    assert {asked.headers["authorization"] for asked in first.requests} == {"Bearer sk-first"}
    assert {asked.headers["authorization"] for asked in second.requests} == {"Bearer sk-second"}


@pytest.mark.parametrize("hangs_at", ["/v1/models", "/v1/chat/completions"])
def test_a_cancel_gives_up_what_runs_at_every_address_also_while_models_are_listed(hangs_at: str) -> None:
    def script(asked: Asked) -> Answer:
        return hang if asked.path == hangs_at else good()

    with BadServer(script) as one, BadServer(script) as other:
        began: list[float] = []

        def check() -> None:
            if all(any(asked.path == hangs_at for asked in server.requests) for server in (one, other)):
                began.append(time.monotonic())
                raise JobCancelled

        with pytest.raises(JobCancelled):
            write(writer(one.url, other.url, deadline_seconds=600.0), 30, check)
        assert time.monotonic() - began[0] < 60.0  # of 600; other programs share this machine


def test_the_offline_switch_opens_no_connection_to_any_address(
    first: BadServer, second: BadServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = writer(first.url, second.url)
    monkeypatch.setenv(offline.VARIABLE, "1")
    with pytest.raises(AppError, match="offline switch is on"):
        write(backend, 5)
    assert first.requests == second.requests == []


def test_a_set_of_addresses_is_one_generator_whatever_their_order(first: BadServer, second: BadServer) -> None:
    described = []
    for urls in ((first.url, second.url), (second.url, first.url)):
        save(endpoint_of("lab", urls, [3]))
        described.append(openai_compatible.open("small", {"endpoint": "lab"}).describe().parameters)
    both = " ".join(sorted((first.url, second.url)))
    assert described == [{"endpoint": "lab", "base_url": both, "mode": "chat"}] * 2
    assert openai_compatible.open("small", described[0]).describe().parameters == described[0]
    unnamed = openai_compatible.open("small", {"base_url": f"{second.url}/ {first.url}"})
    assert unnamed.describe().parameters == {"base_url": both, "mode": "chat"}
    save(endpoint_of("lab", [first.url]))
    with pytest.raises(UsageError, match="another address on this computer"):
        openai_compatible.open("small", described[0])


# ---- Nobody answers


@pytest.fixture
def nobody() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}/v1"


async def hang_up(stream: object, asked: Asked) -> None:
    raise Hangup


def test_a_run_that_nobody_answers_ends_soon_and_leaves_every_request_open(nobody: str) -> None:
    done: list[int] = []
    waits: list[float] = []

    async def note(seconds: float) -> None:
        waits.append(seconds)

    backend = writer(nobody, clock=Clock(sleep=note))
    with pytest.raises(AppError, match=r"“lab” does not answer, 5 tries in a row\. Nothing answers.* kept.* start"):
        backend.generate_many(requests(200), lambda place, _: done.append(place), lambda *_: None, *_always())
    backend.close()
    assert 0 < max(waits) <= 4.0
    assert len(set(waits)) > 1, "longer ones after each other"
    assert done == []


def _always() -> tuple[Callable[[], None], Callable[[], bool]]:
    return lambda: None, lambda: True


def test_a_server_that_takes_connections_and_answers_none_is_nobody_too(nobody: str) -> None:
    with BadServer(lambda _: hang_up) as tunnel:
        with pytest.raises(AppError, match="None of the 2 addresses of the endpoint “lab” answers"):
            write(writer(tunnel.url, nobody, limits=(1,), clock=Clock(sleep=no_wait)), 50)
        assert len(asked_for_texts(tunnel)) <= 3 * MISSES_AT_FIRST


def test_a_server_that_dies_for_good_ends_the_run_with_what_it_wrote() -> None:
    """And begun again, the run goes on where it stopped."""
    order: list[int] = []

    def on_done(place: int, completion: Completion) -> None:
        order.append(place)
        assert completion.text
        if len(order) == 20:
            server.__exit__()

    server = BadServer(texts).__enter__()
    backend = writer(server.url, limits=(4,), clock=Clock(sleep=no_wait))
    with pytest.raises(AppError, match="does not answer, 10 tries in a row"):
        backend.generate_many(requests(100), on_done, lambda *_: None, *_always())
    assert 20 <= len(order) == len(set(order)) <= 28
    left = [request for place, request in enumerate(requests(100)) if place not in order]
    again: list[Completion] = []
    with BadServer(texts, port=server.port):
        backend.generate_many(left, lambda _, completion: again.append(completion), lambda *_: None, *_always())
    backend.close()
    assert sorted(one.text for one in again) == sorted(f"text of {request.prompt}" for request in left)
