"""One try: the request as the server wants it, through the openai client, and its reply.

Loaded only where an endpoint is opened: the openai package takes its time.
"""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import httpx2
import openai

from core.backends.openai_compatible.body import Body
from core.backends.openai_compatible.failures import (
    Trouble,
    bad_reply,
    holds_part_of,
    of_status,
    of_stream,
    said,
    unreachable,
)
from core.backends.openai_compatible.reply import Reply, parsed
from core.backends.openai_compatible.retries import asked_wait
from core.backends.openai_compatible.settings import Settings
from core.backends.openai_compatible.transport import CONNECT_SECONDS, BoundedTransport
from core.backends.protocol import Request

Result = TypeVar("Result")
MOST_MODELS = 5_000
LONGEST_NAME = 200

# Their lines for finding errors repeat what a server sent, and a server can send a key back.
for _name in ("openai", "httpx2", "httpcore2"):
    logging.getLogger(_name).setLevel(logging.WARNING)


class StreamOfNothing(Exception):
    """A stream that was begun and then ended or broke without a single event."""


@dataclass
class Wanted:
    """One text, over all tries for it.

    `whole`: its stream was one of nothing, so it is asked for in one. llama.cpp's server, for one, answers a prompt
    that is too long with such a stream, and says what is wrong only where no stream was asked for.
    """

    request: Request
    on_piece: Callable[[str], None]
    whole: bool = False


class Asker:
    """The openai client for one endpoint and model. Its own retries are off, and it never sees the key."""

    def __init__(self, settings: Settings, key: str | None) -> None:
        self._settings = settings
        self._key = key
        self._body = Body(settings)
        connect = min(CONNECT_SECONDS, settings.endpoint.deadline_seconds)
        self._http = httpx2.AsyncClient(
            transport=BoundedTransport(settings.endpoint, key),
            timeout=httpx2.Timeout(None, connect=connect),
            follow_redirects=False,
            trust_env=False,
        )
        self._client = openai.AsyncOpenAI(
            base_url=settings.endpoint.base_url,
            api_key="added by the transport",
            admin_api_key="",
            organization="",
            project="",
            webhook_secret="",
            max_retries=0,
            http_client=self._http,
        )

    @property
    def seed_refused(self) -> bool:
        """Whether texts are written without a seed, because the server takes none."""
        return self._body.seed_refused

    async def ask(self, wanted: Wanted) -> Reply:
        """One try. Where the server refuses something by name that can be put another way, that is done at once, and
        from then on. Raises `Trouble`."""
        while True:
            body = self._body.of(wanted.request, stream=not wanted.whole)
            try:
                reply = await self._send(body, wanted.on_piece)
            except StreamOfNothing:
                if wanted.whole:
                    raise bad_reply("The reply held nothing.") from None
                wanted.whole = True
            except Trouble as trouble:
                if not self._body.learns_from(trouble, body):
                    raise
            else:
                if wanted.whole:
                    self._body.stop_streaming()
                return reply

    async def models(self) -> tuple[str, ...]:
        """The models that the endpoint lists, by name. Raises `Trouble`."""
        response = await self._guarded(self._client.get("/models", cast_to=httpx2.Response))
        data = parsed(response.content)
        entries = data.get("data") if isinstance(data, dict) else None
        if not isinstance(entries, list):
            raise bad_reply("The list of models was not of the promised form.")
        names = {str(entry.get("id", "")) for entry in entries[:MOST_MODELS] if isinstance(entry, dict)}
        return tuple(sorted(name for name in names if self._is_name(name)))

    async def close(self) -> None:
        await self._http.aclose()

    def _is_name(self, name: str) -> bool:
        return 0 < len(name) <= LONGEST_NAME and name.isprintable() and not holds_part_of(name, self._key)

    async def _send(self, body: dict[str, Any], on_piece: Callable[[str], None]) -> Reply:
        path = "/chat/completions" if self._settings.mode == "chat" else "/completions"
        streams = "stream" in body
        post = self._client.post(
            path, cast_to=httpx2.Response, body=body, stream=streams, stream_cls=openai.AsyncStream[Any]
        )
        return await self._guarded(self._read(post, on_piece))

    async def _read(self, post: Any, on_piece: Callable[[str], None]) -> Reply:
        response: httpx2.Response = await post
        reply = Reply(self._settings.mode, self._key)
        try:
            if response.headers.get("content-type", "").partition(";")[0].strip().lower() != "text/event-stream":
                piece = reply.whole(_page_or_json(response, await response.aread()))
                if piece:
                    on_piece(piece)
            else:
                await self._follow(response, reply, on_piece)
        finally:
            await response.aclose()
        return reply

    async def _follow(self, response: httpx2.Response, reply: Reply, on_piece: Callable[[str], None]) -> None:
        stream = openai.AsyncStream[Any](cast_to=object, response=response, client=self._client)
        try:
            async for event in stream:
                piece = reply.add(event)
                if piece:
                    on_piece(piece)
        except openai.APIConnectionError:
            if reply.said_anything:
                raise
        if not reply.said_anything:
            raise StreamOfNothing

    async def _guarded(self, work: Awaitable[Result]) -> Result:
        """Await it, with what the client raises told as `Trouble`. Nothing of the client's errors is kept."""
        try:
            return await work
        except (Trouble, StreamOfNothing):
            raise
        except openai.APIStatusError as error:
            heard = said(_json_or_none(error.response))
            wait = asked_wait(error.response.headers)
            trouble = of_status(error.response.status_code, heard, wait=wait, key=self._key)
        except openai.APIConnectionError as error:
            trouble = unreachable(error)
        except openai.APIError as error:  # told inside a stream
            body = error.body if isinstance(error.body, dict) else {"error": str(error.body)}
            trouble = of_stream(said(body), key=self._key)
        except (httpx2.HTTPError, httpx2.StreamError, OSError) as error:
            trouble = unreachable(error)
        except (ValueError, RecursionError):
            trouble = bad_reply("The reply was not of the promised form.")
        raise trouble from None


def _page_or_json(response: httpx2.Response, body: bytes) -> Any:
    if body.lstrip()[:1] == b"<" or "html" in response.headers.get("content-type", ""):
        raise bad_reply("A web page came back instead of a reply; the address may lack /v1 at its end.")
    return parsed(body)


def _json_or_none(response: httpx2.Response) -> Any:
    try:
        return parsed(response.content)
    except (Trouble, httpx2.StreamError):
        return None
