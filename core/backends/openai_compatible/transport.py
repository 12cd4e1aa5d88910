"""What lies between the client and the network: one origin, few headers, no redirects, and a cap on what comes back.

Loaded only where an endpoint is opened.
"""

import zlib
from collections.abc import AsyncIterator

import httpx2

from core.backends.openai_compatible.failures import Trouble, bad_reply, redirected
from core.machine.endpoints import Endpoint

MOST_BYTES = 10_000_000
CONNECT_SECONDS = 10.0
_PIECE = 65_536
# The client adds headers about this computer, and some that environment variables name. None of them are needed.
_HEADERS = ("host", "accept", "content-type", "content-length", "transfer-encoding", "connection")
_GZIP_OR_ZLIB = zlib.MAX_WBITS | 32


class BoundedTransport(httpx2.AsyncBaseTransport):
    """Requests to one endpoint. The key is known here and nowhere else, so no error of the client can show it."""

    def __init__(self, endpoint: Endpoint, key: str | None, most_bytes: int = MOST_BYTES) -> None:
        endpoint.require_safe()
        self._origin = endpoint.origin
        self._key = key
        self._most_bytes = most_bytes
        limits = httpx2.Limits(
            max_connections=endpoint.concurrency, max_keepalive_connections=endpoint.concurrency, keepalive_expiry=30.0
        )
        self._inner = httpx2.AsyncHTTPTransport(limits=limits, retries=0)

    def __repr__(self) -> str:
        return "BoundedTransport()"

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request; the reply gives at most so many bytes. Raises `Trouble` for what is refused."""
        scheme, host, port = request.url.scheme, request.url.host, request.url.port
        if (scheme, host, port or (443 if scheme == "https" else 80)) != self._origin:
            raise Trouble("refused", "A request was about to go to another place than the endpoint, and was not sent.")
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
            headers.append(("authorization", f"Bearer {self._key}"))
        return httpx2.Request(
            request.method, request.url, headers=headers, stream=request.stream, extensions=request.extensions
        )

    def _require_acceptable(self, response: httpx2.Response) -> None:
        if 300 <= response.status_code < 400:
            raise redirected()
        length = response.headers.get("content-length", "")
        if length.isdigit() and int(length[:20]) > self._most_bytes:
            raise too_large(self._most_bytes)


def too_large(most_bytes: int) -> Trouble:
    return Trouble("too_large", f"The reply was longer than {most_bytes / 1e6:g} MB and was not read further.")


class _Bounded(httpx2.AsyncByteStream):
    """A reply's body, unpacked here in small pieces: a library would unpack each piece whole, however large."""

    def __init__(self, response: httpx2.Response, most_bytes: int) -> None:
        encoding = response.headers.get("content-encoding", "").strip().lower()
        if encoding not in ("", "identity", "gzip", "x-gzip", "deflate"):
            raise bad_reply("The reply was packed in a way that was not asked for.")
        self._response = response
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
