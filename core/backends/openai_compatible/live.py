"""A text while it is written, also where the connection breaks and it begins again."""

from collections.abc import Callable


class Live:
    """Hands pieces out as they come. A second try goes on only where it repeats what was handed out already."""

    def __init__(self, put: Callable[[str], None]) -> None:
        self._put = put
        self._shown: list[str] = []
        self._expected = ""
        self._matched = 0
        self._silent = False

    def begin(self) -> None:
        self._expected = "".join(self._shown)
        self._matched = 0
        self._silent = False

    def take(self, piece: str) -> None:
        if self._silent:
            return
        known = self._expected[self._matched : self._matched + len(piece)]
        if not piece.startswith(known):
            self._silent = True
            return
        self._matched += len(known)
        new = piece[len(known) :]
        if new:
            self._shown.append(new)
            self._put(new)
