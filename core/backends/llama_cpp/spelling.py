"""From pieces of bytes to text: characters that span tokens are kept whole, and stop strings end the text."""

import codecs
from collections.abc import Callable, Sequence


class Spelling:
    """Takes the bytes of one token after another and hands on text as soon as it is certain.

    Certain is what no longer can become another character or the beginning of a stop string. Bytes that are no
    character become “\ufffd”.
    """

    def __init__(self, stops: Sequence[str], on_text: Callable[[str], None]) -> None:
        self._stops = tuple(stop for stop in stops if stop)
        self._longest = max(map(len, self._stops), default=0)
        self._on_text = on_text
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._said: list[str] = []
        self._held = ""
        self.stopped = False

    @property
    def text(self) -> str:
        """Everything handed on so far."""
        return "".join(self._said)

    def add(self, piece: bytes) -> None:
        self._take(self._decoder.decode(piece))

    def finish(self) -> None:
        """No more tokens: what was held back is text after all."""
        self._take(self._decoder.decode(b"", final=True))
        if not self.stopped:
            self._say(self._held)
            self._held = ""

    def _take(self, text: str) -> None:
        if not text or self.stopped:
            return
        if not self._stops:
            self._say(text)
            return
        self._held += text
        at = min((place for place in map(self._held.find, self._stops) if place >= 0), default=-1)
        if at >= 0:
            self._say(self._held[:at])
            self._held = ""
            self.stopped = True
            return
        certain = len(self._held) - self._uncertain()
        self._say(self._held[:certain])
        self._held = self._held[certain:]

    def _uncertain(self) -> int:
        """How many characters at the end may be the beginning of a stop string."""
        for length in range(min(self._longest - 1, len(self._held)), 0, -1):
            end = self._held[-length:]
            if any(stop.startswith(end) for stop in self._stops):
                return length
        return 0

    def _say(self, text: str) -> None:
        if text:
            self._said.append(text)
            self._on_text(text)
