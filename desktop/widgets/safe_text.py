"""Text that may attack the display, made safe to show; positions go back and forth between the text and what is shown.

What is shown differs from the text only in this: controls, bidirectional marks, lone surrogates and characters that Qt
uses for itself each become one visible sign; an emoji that cannot be drawn here is named; every line end becomes "\n";
and a run of more than 5,000 characters without a blank is split, because a text engine lays out a line as a whole. What
is stored is never touched.
"""

import html
import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from itertools import accumulate, pairwise

from biasprint.desktop.widgets.emoji import emoji_to_name, may_hold_emoji, signs_to_name

LONGEST_RUN = 5_000
LONGEST_LINE = 20_000
LONGEST_LABEL = 1_000
MOST_NAMED = 200  # emoji of one text

BIDI_SIGN = "↔"
UNKNOWN_SIGN = "\ufffd"
_LINE_ENDS = "\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
_BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
# Controls, lone surrogates, and what Qt uses for itself: U+FDD0 and U+FDD1 are its frames, U+FFFC its objects.
_UNKNOWN = (*range(0x09), *range(0x0E, 0x20), *range(0x7F, 0xA0), *range(0xD800, 0xE000), *range(0xFDD0, 0xFDF0))
_UNKNOWN_TOO = (0xFFF9, 0xFFFA, 0xFFFB, 0xFFFC, 0xFFFE, 0xFFFF)
_SIGNS: dict[int, str] = {
    **dict.fromkeys((*_UNKNOWN, *_UNKNOWN_TOO), UNKNOWN_SIGN),
    **dict.fromkeys(map(ord, _BIDI), BIDI_SIGN),
    **dict.fromkeys(map(ord, _LINE_ENDS), "\n"),
}
# A carriage return that goes away, and a character that takes two UTF-16 units: both move what follows.
_MOVES = re.compile(r"\r(?=\n)|[\U00010000-\U0010ffff]")


class DisplayText:
    """`shown` is what a text widget may be given. Positions in it count UTF-16 units, as Qt does.

    `named` are the emoji of the source that are shown by their names: start, end and name. A text `to_edit` has none.
    """

    def __init__(self, source: str, *, to_edit: bool = False) -> None:
        self.source = source
        self._breaks = list(_breaks(source))
        self.named: list[tuple[int, int, str]] = []
        name_emoji = not to_edit and may_hold_emoji(source)
        self.shown = "\n".join(
            self._shown(start, end, name_emoji=name_emoji) for start, end in pairwise([0, *self._breaks, len(source)])
        )

    def _shown(self, start: int, end: int, *, name_emoji: bool) -> str:
        """What is shown for a piece of the source, between two breaks."""
        piece = self.source[start:end]
        if not name_emoji:
            return _safe(piece)
        parts, at = [], 0
        for first, last, name in emoji_to_name(piece, MOST_NAMED - len(self.named)):
            self.named.append((start + first, start + last, name))
            parts += [_safe(piece[at:first]), name]
            at = last
        rest = piece[at:]
        if len(self.named) == MOST_NAMED:
            # Nobody reads so many, and a name is dear to lay out. As long as the emoji in Qt's units: nothing moves.
            rest = rest.translate({ord(sign): UNKNOWN_SIGN * (1 + (sign > "\uffff")) for sign in signs_to_name(rest)})
        return "".join([*parts, _safe(rest)])

    def to_shown(self, position: int) -> int:
        """Where the source's character at `position` is shown."""
        moved_from, moved_by = self._moves
        index = bisect_right(moved_from, position) - 1
        return position + (moved_by[index] if index >= 0 else 0)

    def to_source(self, shown_position: int) -> int:
        """The source position that is shown at `shown_position`, or just before it."""
        low, high = 0, len(self.source)
        while low < high:
            middle = (low + high + 1) // 2
            if self.to_shown(middle) <= shown_position:
                low = middle
            else:
                high = middle - 1
        # Both signs of a line end are shown as one: between them is no place to be.
        return low - 1 if low and self.source[low - 1 : low + 1] == "\r\n" else low

    def excerpt(self, shown_start: int, shown_end: int) -> str:
        """The exact source text between two shown positions."""
        return self.source[self.to_source(shown_start) : self.to_source(shown_end)]

    @cached_property
    def _moves(self) -> tuple[list[int], list[int]]:
        """From which source positions on everything is shown how much further."""
        moves, at = [(at, 1) for at in self._breaks], 0
        for start, end, name in [*self.named, (len(self.source), len(self.source), "")]:
            moves += [
                (found.end(), -1 if found.group() == "\r" else 1) for found in _MOVES.finditer(self.source, at, start)
            ]
            moves.append((end, len(name) - (end - start)))
            at = end
        moves.sort()
        return [at for at, _ in moves], list(accumulate(by for _, by in moves))


def _safe(text: str) -> str:
    return text.replace("\r\n", "\n").translate(_SIGNS)


def safe_tip(text: str) -> str:
    """A text of any content as a tooltip, which is shown as it is.

    Qt renders what looks like HTML and loads the pictures that it names. Where a sign of it stands in the text, Qt is
    told that it is rich and gets all of it escaped.
    """
    lines = "\n".join(safe_line(line) for line in text[:LONGEST_LABEL].splitlines())
    return f"<p style='white-space:pre'>{html.escape(lines)}</p>" if "<" in lines or "&" in lines else lines


def safe_line(text: str, *, to_edit: bool = False) -> str:
    """A text of any size and content as one short safe line, for labels, titles and tooltips, or for a field."""
    return " ".join(DisplayText(text[:LONGEST_LABEL], to_edit=to_edit).shown.split())[:LONGEST_LABEL]


def _breaks(text: str) -> Iterator[int]:
    """Where to split: inside every run without a blank that is too long, and at a blank in a line that is too long."""
    line_start = position = 0
    while len(text) - position > LONGEST_RUN:
        window_end = position + LONGEST_RUN
        newline = text.rfind("\n", position, window_end)
        if newline >= 0:
            line_start = position = newline + 1
            continue
        blank = text.rfind(" ", position, window_end)
        position = blank + 1 if blank >= 0 else window_end
        if blank < 0 or position - line_start > LONGEST_LINE - LONGEST_RUN:
            yield position
            line_start = position
