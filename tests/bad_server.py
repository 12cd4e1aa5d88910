"""A server on loopback that answers as a script says: well, slowly, wrongly, or not at all. Counts what it was asked.

Run as a program it answers well after a fixed wait, for measuring clients: `bad_server.py SECONDS` prints its port.
"""

import asyncio
import json
import os
import ssl
import sys
import threading
import zlib
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

# Before keyring is imported anywhere: no test reads or writes the key ring of whoever runs it.
os.environ.setdefault("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")

TEXT = "Words that the server wrote."
FINGERPRINT = "fp_test"
TLS = b"\x16"  # how somebody begins who wants to speak https


@dataclass(frozen=True)
class Asked:
    """One request as it came. `times` counts this prompt's requests, this one included."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    prompt: str
    times: int


Answer = Callable[[asyncio.StreamWriter, Asked], Awaitable[None]]
Script = Callable[[Asked], Answer]


class Hangup(Exception):
    """The connection is to be closed after this answer."""


class BadServer:
    """Answers on 127.0.0.1 from a thread of its own while it is a context; `port`: where another one was before."""

    def __init__(
        self, script: Script, host: str = "127.0.0.1", port: int = 0, certificate: ssl.SSLContext | None = None
    ) -> None:
        self.script = script
        self.host = host
        self.port = port
        self.certificate = certificate
        self.requests: list[Asked] = []
        self.times: Counter[str] = Counter()
        self.at_once = 0
        self.most_at_once = 0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="bad server", daemon=True)
        self._ready = threading.Event()

    @property
    def url(self) -> str:
        return f"http{'s' if self.certificate else ''}://{self.host}:{self.port}/v1"

    def __enter__(self) -> "BadServer":
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(
            asyncio.start_server(self._serve, self.host, self.port, ssl=self.certificate)
        )
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        self._loop.run_forever()
        server.close()
        tasks = asyncio.all_tasks(self._loop)
        for task in tasks:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        self._loop.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (asked := await self._read(reader, writer)) is not None:
                self.at_once += 1
                self.most_at_once = max(self.most_at_once, self.at_once)
                try:
                    await self.script(asked)(writer, asked)
                    await writer.drain()
                finally:
                    self.at_once -= 1
        except (Hangup, ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    async def _read(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Asked | None:
        try:
            first = await reader.readexactly(1)
            if first == TLS:
                send(writer, "400 Bad Request", {}, b"This port speaks http.")
                raise Hangup
            head = (first + await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        except asyncio.IncompleteReadError:
            return None
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        data = json.loads(body) if body else {}
        prompt = data["messages"][-1]["content"] if "messages" in data else data.get("prompt", "")
        self.times[prompt] += 1
        asked = Asked(head[0].split(" ")[1], headers, data, prompt, self.times[prompt])
        self.requests.append(asked)
        return asked


def send(writer: asyncio.StreamWriter, status: str, headers: dict[str, str], body: bytes) -> None:
    """A whole reply in one."""
    lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in headers.items())]
    writer.write("\r\n".join([*lines, f"Content-Length: {len(body)}", "", ""]).encode() + body)


def answer(status: str, body: Any, **headers: str) -> Answer:
    """A fixed reply; a body that is not bytes goes as JSON."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}

    async def give(writer: asyncio.StreamWriter, asked: Asked) -> None:
        send(writer, status, {"Content-Type": "application/json"} | named, raw)

    return give


def error(status: str, message: str, code: str | None = None, **headers: str) -> Answer:
    body = {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": code}}
    return answer(status, body, **headers)


def good(text: str = TEXT, finish: str | None = "stop", wait: float = 0.0, pieces: int = 4) -> Answer:
    """A proper reply, streamed where that is asked for."""

    async def give(writer: asyncio.StreamWriter, asked: Asked) -> None:
        if wait:
            await asyncio.sleep(wait)
        if asked.path.endswith("/models"):
            await answer("200 OK", MODELS)(writer, asked)
        elif asked.body.get("stream"):
            start_stream(writer)
            for data in events(text, finish, asked, pieces):
                send_event(writer, data)
            end_stream(writer)
        else:
            send(
                writer, "200 OK", {"Content-Type": "application/json"}, json.dumps(whole(text, finish, asked)).encode()
            )

    return give


MODELS = {"object": "list", "data": [{"id": "small"}, {"id": "large"}]}
USAGE = {"prompt_tokens": 7, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 2}}


def whole(text: str, finish: str | None, asked: Asked) -> dict[str, Any]:
    chat = "messages" in asked.body
    content: dict[str, Any] = {"message": {"role": "assistant", "content": text}} if chat else {"text": text}
    choices = [{"index": 0, "finish_reason": finish} | content]
    return {"model": asked.body["model"], "system_fingerprint": FINGERPRINT, "choices": choices, "usage": USAGE}


def events(text: str, finish: str | None, asked: Asked, pieces: int) -> list[dict[str, Any]]:
    """The events of a stream; usage in the last one where it was asked for."""
    chat = "messages" in asked.body
    step = max(1, -(-len(text) // pieces))
    parts = [text[at : at + step] for at in range(0, len(text), step)]
    common = {"model": asked.body["model"], "system_fingerprint": FINGERPRINT}
    made = [
        common
        | {"choices": [{"index": 0, "finish_reason": None} | ({"delta": {"content": p}} if chat else {"text": p})]}
        for p in parts
    ]
    end: dict[str, Any] = {"delta": {}} if chat else {"text": ""}
    made.append(common | {"choices": [{"index": 0, "finish_reason": finish} | end]})
    if asked.body.get("stream_options", {}).get("include_usage"):
        made.append(common | {"choices": [], "usage": USAGE})
    return made


def start_stream(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")


def send_event(writer: asyncio.StreamWriter, data: dict[str, Any]) -> None:
    send_chunk(writer, b"data: " + json.dumps(data).encode() + b"\n\n")


def send_chunk(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")


def end_stream(writer: asyncio.StreamWriter) -> None:
    send_chunk(writer, b"data: [DONE]\n\n")
    writer.write(b"0\r\n\r\n")


async def trickle(writer: asyncio.StreamWriter, asked: Asked) -> None:
    """A piece now and then, without end: each is in time, the whole never comes."""
    start_stream(writer)
    while True:
        send_event(writer, events("a", None, asked, 1)[0])
        await writer.drain()
        await asyncio.sleep(0.02)


async def cut(writer: asyncio.StreamWriter, asked: Asked) -> None:
    """Half a stream, then the line goes dead."""
    start_stream(writer)
    for data in events(TEXT, "stop", asked, 4)[:2]:
        send_event(writer, data)
    await writer.drain()
    raise Hangup


async def ended_early(writer: asyncio.StreamWriter, asked: Asked) -> None:
    """Half a stream that is closed properly, without a finish reason."""
    start_stream(writer)
    for data in events(TEXT, "stop", asked, 4)[:2]:
        send_event(writer, data)
    end_stream(writer)


async def giant(writer: asyncio.StreamWriter, asked: Asked) -> None:
    """Events without end, as fast as they are taken."""
    start_stream(writer)
    data = events("a" * 60_000, None, asked, 1)[0]
    while True:
        send_event(writer, data)
        await writer.drain()


async def hang(writer: asyncio.StreamWriter, asked: Asked) -> None:
    """The request is taken and never answered."""
    await asyncio.sleep(3600)


async def hang_up(writer: asyncio.StreamWriter, asked: Asked) -> None:
    raise Hangup


def bomb(megabytes: int = 100) -> Answer:
    """A small reply that unpacks to so many megabytes: after a full flush the same block may come again and again."""
    packer = zlib.compressobj(wbits=31)
    first, other = (packer.compress(b" " * 1_000_000) + packer.flush(zlib.Z_FULL_FLUSH) for _ in range(2))
    return answer("200 OK", first + other * (megabytes - 1), Content_Encoding="gzip")


def main() -> None:
    with BadServer(lambda _: good(wait=float(sys.argv[1]))) as server:
        sys.stdout.write(f"{server.port}\n")
        sys.stdout.flush()
        sys.stdin.read()  # until whoever started it is gone


if __name__ == "__main__":
    main()
