"""One try: the request as the server wants it, through the openai client, and its reply.

Between the client and the network: one origin, few headers, no redirects, and a cap on what comes back. Loaded only
where an endpoint is opened: the openai package takes its time.
"""

import logging
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar
from urllib.parse import parse_qsl
from urllib.request import getproxies, proxy_bypass

import httpx2
import openai

from biasprint.core.backends.openai_compatible.failures import (
    Trouble,
    asked_wait,
    bad_reply,
    holds_part_of,
    of_status,
    of_stream,
    redirected,
    said,
    unreachable,
)
from biasprint.core.backends.openai_compatible.quirks import (
    DEVELOPER,
    DIALECTS,
    HAS_VERSION,
    MERGED,
    REFUSABLE,
    STREAM_BEGINS,
    key_headers,
    models_in,
    wait_in_words,
)
from biasprint.core.backends.openai_compatible.reply import Reply, parsed
from biasprint.core.backends.openai_compatible.settings import EndpointSettings, Mode
from biasprint.core.backends.protocol import Request
from biasprint.core.machine.endpoints import Endpoint, is_loopback
from biasprint.core.machine.models.network import making_a_client

# ---- The network

MOST_BYTES = 10_000_000
CONNECT_SECONDS = 10.0
_PIECE = 65_536
# The client adds headers about this computer, and some that environment variables name. None of them are needed.
_HEADERS = ("host", "accept", "content-type", "content-length", "transfer-encoding", "connection")
_GZIP_OR_ZLIB = zlib.MAX_WBITS | 32


class BoundedTransport(httpx2.AsyncBaseTransport):
    """Requests to one endpoint. The key is known here and nowhere else, so no error of the client can show it."""

    def __init__(self, endpoint: Endpoint, key: str | None, most_bytes: int = MOST_BYTES, mode: Mode = "chat") -> None:
        endpoint.require_safe()
        self._mode = mode
        self._origin = endpoint.origin
        self._key = key
        self._most_bytes = most_bytes
        limits = httpx2.Limits(
            max_connections=endpoint.concurrency, max_keepalive_connections=endpoint.concurrency, keepalive_expiry=30.0
        )
        with making_a_client():
            self._inner = httpx2.AsyncHTTPTransport(limits=limits, retries=0, proxy=_proxy_to(*self._origin[:2]))

    def __repr__(self) -> str:
        return "BoundedTransport()"

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request; the reply gives at most so many bytes. Raises `Trouble` for what is refused."""
        scheme, host, port = request.url.scheme, request.url.host, request.url.port
        if (scheme, host, port or (443 if scheme == "https" else 80)) != self._origin:
            raise Trouble("rejected", "A request was about to go to another place than the endpoint, and was not sent.")
        response = await self._inner.handle_async_request(self._plain(request))
        try:
            self._require_acceptable(response)
            stream = _Bounded(response, self._most_bytes)
        except Trouble:
            await response.aclose()
            raise
        headers = [(n, v) for n, v in response.headers.multi_items() if n not in ("content-encoding", "content-length")]
        return httpx2.Response(response.status_code, headers=headers, stream=stream, extensions=response.extensions)

    async def aclose(self) -> None:
        await self._inner.aclose()

    def _plain(self, request: httpx2.Request) -> httpx2.Request:
        headers = [(name, value) for name, value in request.headers.multi_items() if name in _HEADERS]
        # Compression saves nothing on short texts, holds streams back, and is how small replies become huge ones.
        headers += [("accept-encoding", "identity"), ("user-agent", "biasprint")]
        if self._key:
            headers += key_headers(request.url.host, request.url.raw_path.decode(), self._key, self._mode).items()
        return httpx2.Request(
            request.method, request.url, headers=headers, stream=request.stream, extensions=request.extensions
        )

    def _require_acceptable(self, response: httpx2.Response) -> None:
        if 300 <= response.status_code < 400:
            raise redirected()
        length = response.headers.get("content-length", "")
        if length.isdigit() and int(length[:20]) > self._most_bytes:
            raise too_large(self._most_bytes)


def _proxy_to(scheme: str, host: str) -> str | None:
    """Return the proxy by which this computer's settings reach a host; none for this computer itself."""
    if is_loopback(host) or proxy_bypass(host):
        return None
    return getproxies().get(scheme) or getproxies().get("all")


def too_large(most_bytes: int) -> Trouble:
    return Trouble("too_large", f"The reply was longer than {most_bytes / 1e6:g} MB and was not read further.")


class _Bounded(httpx2.AsyncByteStream):
    """A reply's body, unpacked here in small pieces: a library would unpack each piece whole, however large."""

    def __init__(self, response: httpx2.Response, most_bytes: int) -> None:
        encoding = response.headers.get("content-encoding", "").strip().lower()
        if encoding not in ("", "identity", "gzip", "x-gzip", "deflate"):
            raise bad_reply("The reply was packed in a way that was not asked for.")
        self._response = response
        self._is_stream = "event-stream" in response.headers.get("content-type", "")
        self._unpacker = None if encoding in ("", "identity") else zlib.decompressobj(_GZIP_OR_ZLIB)
        self._left = most_bytes
        self._most = most_bytes

    async def __aiter__(self) -> AsyncIterator[bytes]:
        assert isinstance(self._response.stream, httpx2.AsyncByteStream)
        packed = 0
        async for part in self._response.stream:
            packed += len(part)
            if packed > self._most:
                raise too_large(self._most)
            if self._unpacker is None:
                yield self._counted(part)
                continue
            rest = part
            while rest:
                yield self._counted(self._unpack(rest))
                rest = self._unpacker.unconsumed_tail
        if self._is_stream:
            yield b"\n\n"  # an event counts once a blank line follows, which some servers leave out at the end

    async def aclose(self) -> None:
        await self._response.aclose()

    def _unpack(self, part: bytes) -> bytes:
        assert self._unpacker is not None
        try:
            return self._unpacker.decompress(part, _PIECE)
        except zlib.error:
            raise bad_reply("The reply was packed wrongly.") from None

    def _counted(self, part: bytes) -> bytes:
        self._left -= len(part)
        if self._left < 0:
            raise too_large(self._most)
        return part


# ---- What is sent

# The lower 32 bits, as llama.cpp takes them, without the one value that means “any seed” to it.
_MOST_SEED = 0xFFFF_FFFE
# Servers that count in signed numbers of 32 bits refuse more than this.
_MOST_SMALL_SEED = 0x7FFF_FFFF


class Body:
    """Makes the bodies of requests to one endpoint, and learns from its refusals for all that follow."""

    def __init__(self, settings: EndpointSettings) -> None:
        self._settings = settings
        self._refused: set[str] = set(DIALECTS[settings.mode].not_taken)
        self._most_seed = _MOST_SEED

    @property
    def refused(self) -> tuple[str, ...]:
        """The parameters of a text that the server takes none of: models that reason have their own temperature."""
        return tuple(name for name in ("seed", "temperature", "top_p") if name in self._refused)

    def stop_streaming(self) -> None:
        """Stop streaming: the server sends nothing in streams."""
        self._refused.add("stream")

    def of(self, request: Request, *, stream: bool = True) -> dict[str, Any]:
        """The body for one text. Raises `Trouble` where a character in it cannot be sent."""
        settings = self._settings
        body: dict[str, Any] = {"model": settings.model}
        if settings.mode != "completions":
            body["messages"] = self._messages(settings.system, request.prompt)
        else:
            body["prompt"] = request.prompt
        known = {
            "temperature": _first(request.temperature, settings.temperature),
            "top_p": _first(request.top_p, settings.top_p),
            "max_tokens": _first(request.max_tokens, settings.max_tokens),
            "seed": self._seed(request.seed),
            "stop": list(request.stop) or None,
        }
        body |= {name: value for name, value in known.items() if value is not None} | dict(settings.extra)
        if stream and settings.stream and "stream" not in self._refused:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        if "max_tokens" in self._refused and "max_tokens" in body:
            body["max_completion_tokens"] = body["max_tokens"]
        _require_sendable(request.prompt, settings.system, settings.model, *request.stop)
        return {name: value for name, value in body.items() if name not in self._refused}

    def learns_from(self, trouble: Trouble, body: dict[str, Any]) -> bool:
        """Return True for a refusal of something in this body that can be put another way; put it so from now on.

        What was chosen, such as a temperature, is dropped only where the server names it as what it does not take, and
        then each text is recorded as written without.
        """
        if trouble.failure != "rejected":
            return False
        # A system prompt is refused by who says it: first a developer, then the user.
        roles = {role["role"] for role in body.get("messages", ())}
        there = {*body, *(who for who, role in ((DEVELOPER, "system"), (MERGED, "developer")) if role in roles)}
        name = next((name for name, words in REFUSABLE if name in there and words.search(trouble.asked)), None)
        if name is None:
            return False
        if name == "seed" and body["seed"] > _MOST_SMALL_SEED:
            self._most_seed = _MOST_SMALL_SEED
        else:
            self._refused.add(name)
        return True

    def _messages(self, system: str, prompt: str) -> list[dict[str, str]]:
        """The prompt, after the system prompt in the role that the server takes."""
        if not system:
            return [{"role": "user", "content": prompt}]
        if MERGED in self._refused:
            return [{"role": "user", "content": f"{system}\n\n{prompt}"}]
        role = "developer" if DEVELOPER in self._refused else "system"
        return [{"role": role, "content": system}, {"role": "user", "content": prompt}]

    def _seed(self, seed: int) -> int:
        if self._most_seed == _MOST_SMALL_SEED:
            return seed & _MOST_SMALL_SEED
        return min(seed & 0xFFFF_FFFF, _MOST_SEED)


def _first(value: Any, otherwise: Any) -> Any:
    return otherwise if value is None else value


def _require_sendable(*texts: str) -> None:
    try:
        for text in texts:
            text.encode("utf-8")
    except UnicodeEncodeError:
        raise Trouble(
            "parameters", "The prompt holds half a character (a lone surrogate), which cannot be sent."
        ) from None


# ---- One try

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

    def __init__(self, settings: EndpointSettings, key: str | None) -> None:
        self._settings = settings
        self._key = key
        self._body = Body(settings)
        self._dialect = DIALECTS[settings.mode]
        self._below = ""  # where its calls lie, from the address
        connect = min(CONNECT_SECONDS, settings.endpoint.deadline_seconds)
        self._http = httpx2.AsyncClient(
            transport=BoundedTransport(settings.endpoint, key, mode=settings.mode),
            timeout=httpx2.Timeout(None, connect=connect),
            follow_redirects=False,
            trust_env=False,
        )
        address, _, query = settings.endpoint.base_url.partition("?")
        self._client = openai.AsyncOpenAI(
            base_url=address,
            default_query=dict(parse_qsl(query)),
            api_key="added by the transport",
            admin_api_key="",
            organization="",
            project="",
            webhook_secret="",
            max_retries=0,
            http_client=self._http,
        )

    @property
    def refused(self) -> tuple[str, ...]:
        """The parameters of a text that the server takes none of."""
        return self._body.refused

    async def ask(self, wanted: Wanted) -> Reply:
        """Try once. Where the server refuses something by name that can be put another way, that is done at once, and
        from then on. Raises `Trouble`."""
        while True:
            body = self._body.of(wanted.request, stream=not wanted.whole)
            try:
                reply = await self._where_it_answers(partial(self._send, body, wanted.on_piece))
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
        return await self._where_it_answers(self._listed)

    async def _listed(self) -> tuple[str, ...]:
        response = await self._guarded(
            self._client.get(f"{self._below}{self._dialect.models}", cast_to=httpx2.Response)
        )
        names = models_in(_page_or_json(response, response.content))
        if names is None:
            raise bad_reply("The list of models was not of the promised form.")
        return tuple(sorted({name for name in names[:MOST_MODELS] if self._is_name(name)}))

    async def _where_it_answers(self, work: Callable[[], Awaitable[Result]]) -> Result:
        """Do it at the address; where nothing answers such calls there and it names no version, below it, and then
        always there. Raises the first `Trouble` where that is of no use either."""
        below = self._below  # another request may find it out meanwhile
        try:
            return await work()
        except Trouble as trouble:
            if not trouble.elsewhere or below or HAS_VERSION.search(self._client.base_url.path):
                raise
            first = trouble
        self._below = self._dialect.below
        try:
            return await work()
        except Trouble as trouble:
            if not trouble.elsewhere:
                raise
            self._below = ""
        raise first from None

    async def close(self) -> None:
        await self._http.aclose()

    def _is_name(self, name: str) -> bool:
        return 0 < len(name) <= LONGEST_NAME and name.isprintable() and not holds_part_of(name, self._key)

    async def _send(self, body: dict[str, Any], on_piece: Callable[[str], None]) -> Reply:
        streams = "stream" in body
        path, body = self._dialect.call(body)
        post = self._client.post(
            f"{self._below}{path}",
            cast_to=httpx2.Response,
            body=body,
            stream=streams,
            stream_cls=openai.AsyncStream[Any],
        )
        return await self._guarded(self._read(post, on_piece))

    async def _read(self, post: Any, on_piece: Callable[[str], None]) -> Reply:
        response: httpx2.Response = await post
        reply = Reply("completions" if self._settings.mode == "completions" else "chat", self._key)
        try:
            kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind == "text/event-stream" or (await response.aread()).lstrip().startswith(STREAM_BEGINS):
                await self._follow(response, reply, on_piece)
            elif piece := reply.whole(self._dialect.heard(_page_or_json(response, response.content))):
                on_piece(piece)
        finally:
            await response.aclose()
        return reply

    async def _follow(self, response: httpx2.Response, reply: Reply, on_piece: Callable[[str], None]) -> None:
        stream = openai.AsyncStream[Any](cast_to=object, response=response, client=self._client)
        try:
            async for event in stream:
                piece = reply.add(self._dialect.heard(event))
                if piece:
                    on_piece(piece)
        except openai.APIConnectionError:
            if reply.said_anything:
                raise
        if not reply.said_anything:
            raise StreamOfNothing

    async def _guarded(self, work: Awaitable[Result]) -> Result:
        """Await the work, and convert the client's errors to `Trouble`. The errors themselves are dropped."""
        try:
            return await work
        except (Trouble, StreamOfNothing):
            raise
        except openai.APIStatusError as error:
            heard = said(_json_or_none(error.response))
            wait = asked_wait(error.response.headers)
            wait = wait_in_words(heard.message) if wait is None else wait
            trouble = of_status(error.response.status_code, heard, wait=wait, key=self._key)
            if trouble.failure == "key" and _is_page(error.response, error.response.content):
                trouble = Trouble("rejected", f"{PAGE}: something before the endpoint, such as a firewall, answered.")
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


PAGE = "A web page came back instead of a reply"


def _is_page(response: httpx2.Response, body: bytes) -> bool:
    return body.lstrip()[:1] == b"<" or "html" in response.headers.get("content-type", "")


def _page_or_json(response: httpx2.Response, body: bytes) -> Any:
    if _is_page(response, body):
        raise Trouble("bad_reply", f"{PAGE}; the address may lack /v1 at its end.", elsewhere=True)
    return parsed(body)


def _json_or_none(response: httpx2.Response) -> Any:
    try:
        return parsed(response.content)
    except (Trouble, httpx2.StreamError):
        return None
