"""Many requests at once: how many, on which thread, and what pause and cancel do."""

import asyncio
import gc
import threading
import time
from collections.abc import Iterator
from itertools import pairwise

import pytest
from bad_server import (
    TEXT,
    Asked,
    BadServer,
    answer,
    cut,
    events,
    good,
    hang,
    send_chunk,
    send_event,
    start_stream,
    whole,
)

from biasprint.core.backends.openai_compatible.failures import Clock
from biasprint.core.backends.openai_compatible.settings import EndpointSettings
from biasprint.core.backends.openai_compatible.writer import EndpointWriter, Mailbox
from biasprint.core.backends.protocol import Completion, Request
from biasprint.core.errors import AppError, JobCancelled
from biasprint.core.machine import offline
from biasprint.core.machine.endpoints import Endpoint


async def no_wait(seconds: float) -> None:
    return None


def requests(count: int) -> list[Request]:
    return [Request(f"key {n}", f"prompt {n}", seed=n) for n in range(count)]


def writer(server: BadServer, **limits: object) -> EndpointWriter:
    endpoint = Endpoint("lab", server.url, **{"retries": 0, "deadline_seconds": 20.0} | limits)
    return EndpointWriter(EndpointSettings(endpoint, "small"), [None], Clock(sleep=no_wait))


@pytest.fixture
def server() -> Iterator[BadServer]:
    with BadServer(lambda asked: good(f"text of {asked.prompt}", wait=0.02)) as running:
        yield running


def never() -> None:
    return None


def always() -> bool:
    return True


def test_each_is_done_once_in_its_place_on_the_callers_thread(server: BadServer) -> None:
    done: list[tuple[int, Completion]] = []
    pieces: dict[int, str] = {}
    threads = set()

    def on_done(place: int, completion: Completion) -> None:
        threads.add(threading.current_thread())
        done.append((place, completion))

    def on_text(place: int, piece: str) -> None:
        threads.add(threading.current_thread())
        pieces[place] = pieces.get(place, "") + piece

    backend = writer(server, concurrency=7)
    backend.generate_many(requests(50), on_done, on_text, never, always)
    backend.close()
    assert sorted(place for place, _ in done) == list(range(50))
    assert {place: one.text for place, one in done} == {n: f"text of prompt {n}" for n in range(50)}
    assert pieces == {n: f"text of prompt {n}" for n in range(50)}
    assert threads == {threading.current_thread()}
    assert set(server.times.values()) == {1}
    assert server.most_at_once == 7


def test_no_more_run_at_once_than_the_endpoint_allows(server: BadServer) -> None:
    backend = writer(server, concurrency=1)
    backend.generate_many(requests(5), lambda *_: None, lambda *_: None, never, always)
    backend.close()
    assert server.most_at_once == 1
    assert [asked.prompt for asked in server.requests] == [f"prompt {n}" for n in range(5)]


def test_a_pause_finishes_what_runs_and_begins_nothing_more(server: BadServer) -> None:
    done: list[int] = []
    backend = writer(server, concurrency=4)
    backend.generate_many(requests(40), lambda place, _: done.append(place), lambda *_: None, never, lambda: not done)
    begun = len(server.requests)
    assert 4 <= begun <= 8
    assert sorted(done) == list(range(begun))
    backend.generate_many(requests(40)[begun:], lambda place, _: done.append(place), lambda *_: None, never, always)
    backend.close()
    assert len(done) == 40
    assert set(server.times.values()) == {1}


def test_paused_from_the_start_nothing_is_asked(server: BadServer) -> None:
    backend = writer(server)
    backend.generate_many(requests(3), lambda *_: None, lambda *_: None, never, lambda: False)
    backend.generate_many([], lambda *_: None, lambda *_: None, never, always)
    backend.close()
    assert server.requests == []


def test_cancel_gives_up_what_runs_within_two_seconds_and_the_backend_lives_on() -> None:
    with BadServer(lambda asked: hang if asked.prompt.startswith("prompt") else good()) as server:
        backend = writer(server, concurrency=8, deadline_seconds=600.0)
        asked_to_stop = [0.0]

        def check() -> None:
            if len(server.requests) == 8:
                asked_to_stop[0] = time.monotonic()
                raise JobCancelled

        with pytest.raises(JobCancelled):
            backend.generate_many(requests(30), lambda *_: None, lambda *_: None, check, always)
        assert time.monotonic() - asked_to_stop[0] < 2.0
        assert len(server.requests) == 8
        assert backend.generate(Request("k", "another", 1), lambda _: None, never).text == TEXT
        backend.close()


def test_what_was_finished_before_a_cancel_is_handed_out(server: BadServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The caller comes back late, to four answers and a cancel."""
    arrived = threading.Semaphore(0)
    put_done = Mailbox.put_done

    def put_and_tell(self: Mailbox, place: int, completion: Completion) -> None:
        put_done(self, place, completion)
        arrived.release()

    monkeypatch.setattr(Mailbox, "put_done", put_and_tell)
    go_on = threading.Event()

    async def held(stream, asked: Asked) -> None:
        while not go_on.is_set():
            await asyncio.sleep(0.005)
        await good()(stream, asked)

    def check() -> None:
        if len(server.requests) == 4:
            go_on.set()
            assert all(arrived.acquire(timeout=10) for _ in range(4))
            raise JobCancelled

    done: list[int] = []
    server.script = lambda _: held
    backend = writer(server, concurrency=4)
    with pytest.raises(JobCancelled):
        backend.generate_many(requests(30), lambda place, _: done.append(place), lambda *_: None, check, always)
    backend.close()
    assert sorted(done) == [0, 1, 2, 3]
    assert len(server.requests) == 4


def test_a_cancel_while_handing_out_loses_nothing_that_arrived(
    server: BadServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Handing out may itself report progress, which is where a cancel is noticed."""
    take = Mailbox.take
    done: list[int] = []

    def take_all(self: Mailbox, seconds: float):
        pieces, arrived = take(self, seconds)
        while seconds and len(arrived) < 4:
            arrived += take(self, seconds)[1]
        return pieces, arrived

    def on_done(place: int, completion: Completion) -> None:
        done.append(place)
        raise JobCancelled

    monkeypatch.setattr(Mailbox, "take", take_all)
    backend = writer(server, concurrency=4)
    with pytest.raises(JobCancelled):
        backend.generate_many(requests(30), on_done, lambda *_: None, never, always)
    backend.close()
    assert sorted(done) == [0, 1, 2, 3]


def test_the_offline_switch_ends_a_run_and_keeps_what_was_written(
    server: BadServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[int] = []

    def on_done(place: int, completion: Completion) -> None:
        done.append(place)
        offline.switch(True)

    backend = writer(server, concurrency=2)
    with pytest.raises(AppError, match="offline switch is on"):
        backend.generate_many(requests(30), on_done, lambda *_: None, never, always)
    backend.close()
    assert 1 <= len(done) <= len(server.requests) <= 3


def test_check_is_called_while_nothing_arrives() -> None:
    calls: list[float] = []
    with BadServer(lambda _: hang) as server:
        backend = writer(server, deadline_seconds=1.0)
        backend.generate_many(
            requests(1), lambda *_: None, lambda *_: None, lambda: calls.append(time.monotonic()), always
        )
        backend.close()
    assert max(late - early for early, late in pairwise(calls)) < 0.5


def test_an_error_of_the_caller_ends_the_run_and_leaves_nothing_running(server: BadServer) -> None:
    backend = writer(server, concurrency=4)

    def full_disk(place: int, completion: Completion) -> None:
        raise OSError("no space")

    with pytest.raises(OSError, match="no space"):
        backend.generate_many(requests(30), full_disk, lambda *_: None, never, always)
    backend.close()
    assert len(server.requests) <= 8
    assert not [thread for thread in threading.enumerate() if thread.name == "endpoint"]


def test_a_text_is_seen_while_it_is_written() -> None:
    seen = threading.Event()

    async def in_two(stream, asked: Asked) -> None:
        start_stream(stream)
        send_event(stream, {"choices": [{"delta": {"content": "first "}, "finish_reason": None}]})
        await stream.drain()
        while not seen.is_set():
            await asyncio.sleep(0.005)
        send_event(stream, {"choices": [{"delta": {"content": "last"}, "finish_reason": "stop"}]})
        stream.write(b"0\r\n\r\n")

    with BadServer(lambda _: in_two) as server:
        backend = writer(server)
        done = backend.generate(Request("k", "p", 1), lambda piece: seen.set(), never)
        backend.close()
    assert done.text == "first last"


def test_after_a_broken_stream_the_pieces_go_on_where_they_agree() -> None:
    with BadServer(lambda asked: cut if asked.times == 1 else good()) as server:
        backend = writer(server, retries=2)
        pieces: list[str] = []
        done = backend.generate(Request("k", "p", 1), pieces.append, never)
        backend.close()
    assert done.text == TEXT == "".join(pieces)
    assert done.detail["tries"] == 2


def test_after_a_broken_stream_another_text_is_not_mixed_into_the_pieces() -> None:
    with BadServer(lambda asked: cut if asked.times == 1 else good("Something else.")) as server:
        backend = writer(server, retries=2)
        pieces: list[str] = []
        done = backend.generate(Request("k", "p", 1), pieces.append, never)
        backend.close()
    assert done.text == "Something else."
    assert TEXT.startswith("".join(pieces))


def test_each_text_keeps_its_own_fingerprint() -> None:
    def script(asked: Asked):
        return answer("200 OK", whole("words", "stop", asked) | {"system_fingerprint": f"fp {asked.prompt}"})

    with BadServer(script) as server:
        backend = writer(server)
        done = [backend.generate(request, lambda _: None, never) for request in requests(2)]
        assert backend.describe().revision == ""
        assert [one.detail["fingerprint"] for one in done] == ["fp prompt 0", "fp prompt 1"]
        backend.close()
        backend.close()  # twice is once


def test_streams_that_do_not_end_after_their_last_event_leave_nothing_pending(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def no_end(stream, asked: Asked) -> None:
        start_stream(stream)
        for data in events(TEXT, "stop", asked, 3):
            send_event(stream, data)
        send_chunk(stream, b"data: [DONE]\n\n")
        await stream.drain()
        await hang(stream, asked)

    with BadServer(lambda _: no_end) as server:
        for _ in range(5):
            backend = writer(server)
            assert backend.generate(Request("k", "p", 1), lambda _: None, never).text == TEXT
            backend.close()
    gc.collect()
    assert "pending" not in caplog.text
    assert not [thread for thread in threading.enumerate() if thread.name == "endpoint"]
