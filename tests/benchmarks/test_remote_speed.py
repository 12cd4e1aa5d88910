"""How fast 64 requests at once go through an endpoint's backend: a bare client of the same library is the peer."""

import asyncio
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import openai
import pytest
from figures import figure, spread, title
from ratios import Ratio, more

from biasprint.core.backends.openai_compatible import open as open_endpoint
from biasprint.core.backends.protocol import Completion, Request
from biasprint.core.machine import endpoints

pytestmark = pytest.mark.bench

AT_ONCE = 64
REQUESTS = 640
ROUNDS = 5
# A hosted service rarely answers sooner. The two then wait for the server, not for each other's Python.
LATENCIES = (0.1, 0.05)
SERVER = Path(__file__).parents[1] / "bad_server.py"
LEAST_SHARE = 0.95


@pytest.fixture(params=LATENCIES, ids=lambda seconds: f"{seconds * 1000:.0f} ms")
def server(request: pytest.FixtureRequest) -> Iterator[tuple[float, str]]:
    """A server in a process of its own, so that it does not share the client's interpreter."""
    process = subprocess.Popen(
        [sys.executable, str(SERVER), str(request.param)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    yield request.param, f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
    process.communicate(timeout=10)


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
def test_64_requests_at_once_against_a_bare_client(
    server: tuple[float, str], stream: bool, record: Callable[[Ratio], None]
) -> None:
    latency, url = server
    endpoints.save(endpoints.Endpoint("speed", url, concurrency=AT_ONCE, retries=0))
    backend = open_endpoint("small", {"endpoint": "speed", "stream": stream})
    prompts = [Request(f"prompt {n}", f"Write about the number {n}.", seed=n) for n in range(REQUESTS)]
    ours, bare, plain = [], [], []
    through_backend(backend, prompts[:AT_ONCE])  # imports done and connections open, as for the peers
    for _ in range(ROUNDS):
        ours.append(through_backend(backend, prompts))
        bare.append(asyncio.run(through_bare_client(url, prompts, stream)))
        plain.append(asyncio.run(through_plain_http(url, prompts, stream)))
    backend.close()

    kind = "streamed" if stream else "whole"
    title(f"{REQUESTS:,} texts, {AT_ONCE} at once, {kind}, the server answers after {latency * 1000:.0f} ms")
    figure("the backend", spread(ours), "a second")
    figure(f"a bare AsyncOpenAI client with {AT_ONCE} workers", spread(bare), "a second")
    figure("the HTTP library alone, its bytes not even read as events", spread(plain), "a second")
    figure("the most that the wait allows", AT_ONCE / latency, "a second")
    # Round by round: what else the machine does in a round slows both.
    shares = spread([one / peer for one, peer in zip(ours, bare, strict=True)])
    figure("backend to bare client, round by round", shares, "")
    figure("backend to HTTP library alone", spread([one / peer for one, peer in zip(ours, plain, strict=True)]), "")
    told = f"{AT_ONCE} requests at once, {kind}, {latency * 1000:.0f} ms of latency, by the clock"
    record(more(told, ours, "a bare openai client", bare, "texts a second"))
    assert shares.median >= LEAST_SHARE


TOGETHER = 8  # texts that one server writes at once, as one GPU does; more have to wait there
WRITTEN_IN = 0.2
LEAST_OF_TWO = 1.7


@pytest.fixture
def two_servers() -> Iterator[list[str]]:
    """Two servers that are the bottleneck, each in a process of its own."""
    command = [sys.executable, str(SERVER), str(WRITTEN_IN)]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    processes = [subprocess.Popen(command, **pipes) for _ in range(2)]
    yield [f"http://127.0.0.1:{int(process.stdout.readline())}/v1" for process in processes]
    for process in processes:
        process.communicate(timeout=10)


def test_two_addresses_against_one(two_servers: list[str], record: Callable[[Ratio], None]) -> None:
    endpoints.save(endpoints.endpoint_of("one", two_servers[:1], [TOGETHER], retries=0))
    endpoints.save(endpoints.endpoint_of("two", two_servers, [TOGETHER], retries=0))
    one, two = (open_endpoint("small", {"endpoint": name}) for name in ("one", "two"))
    prompts = [Request(f"prompt {n}", f"Write about the number {n}.", seed=n) for n in range(30 * TOGETHER)]
    alone, together = [], []
    for backend in (one, two):
        through_backend(backend, prompts[:TOGETHER])
    for _ in range(ROUNDS):
        alone.append(through_backend(one, prompts))
        together.append(through_backend(two, prompts))
    for backend in (one, two):
        backend.close()

    title(f"{len(prompts):,} texts by servers that write {TOGETHER} at once in {WRITTEN_IN * 1000:.0f} ms")
    figure("one address", spread(alone), "a second")
    figure("two addresses", spread(together), "a second")
    told = f"An endpoint of two addresses, {TOGETHER} requests at once each, {WRITTEN_IN * 1000:.0f} ms a text"
    ratio = more(f"{told}, by the clock", together, "one of its addresses", alone, "texts a second")
    record(ratio)
    assert ratio.ratio >= LEAST_OF_TWO


def through_backend(backend, requests: list[Request]) -> float:
    """Texts a second."""
    done: dict[int, Completion] = {}
    began = time.perf_counter()
    backend.generate_many(requests, done.__setitem__, lambda place, piece: None, lambda: None, lambda: True)
    seconds = time.perf_counter() - began
    assert len(done) == len(requests)
    assert not [one.error for one in done.values() if one.error]
    return len(requests) / seconds


async def through_bare_client(url: str, requests: list[Request], stream: bool) -> float:
    """Texts a second of the client as its documentation shows it: no deadline, no cap, no retries, nothing checked."""
    client = openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0)

    async def write(request: Request) -> str:
        if not stream:
            reply = await client.chat.completions.create(**body_of(request))
            return reply.choices[0].message.content or ""
        options = {"include_usage": True}
        events = await client.chat.completions.create(**body_of(request), stream=True, stream_options=options)
        return "".join([event.choices[0].delta.content or "" async for event in events if event.choices])

    speed = await texts_per_second(write, requests)
    await client.close()
    return speed


async def through_plain_http(url: str, requests: list[Request], stream: bool) -> float:
    """Replies a second of the library below that client."""
    limits = httpx2.Limits(max_connections=AT_ONCE, max_keepalive_connections=AT_ONCE)
    async with httpx2.AsyncClient(limits=limits, timeout=60) as client:

        async def write(request: Request) -> str:
            body = body_of(request) | ({"stream": True} if stream else {})
            return (await client.post(f"{url}/chat/completions", json=body)).text

        return await texts_per_second(write, requests)


async def texts_per_second(write: Callable[[Request], Awaitable[str]], requests: list[Request]) -> float:
    await asyncio.gather(*(write(request) for request in requests[:AT_ONCE]))  # the connections are open
    waiting = iter(requests)
    texts: list[str] = []

    async def work() -> None:
        texts.extend([await write(request) for request in waiting])

    began = time.perf_counter()
    await asyncio.gather(*(work() for _ in range(AT_ONCE)))
    seconds = time.perf_counter() - began
    assert len(texts) == len(requests)
    assert all(texts)
    return len(requests) / seconds


def body_of(request: Request) -> dict[str, Any]:
    messages = [{"role": "user", "content": request.prompt}]
    return {"model": "small", "messages": messages, "seed": request.seed}
