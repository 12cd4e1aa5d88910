"""Text that may attack the display, made safe to show; positions are mapped between the text and its display form.

The display form differs from the text only in this: controls, bidirectional marks, lone surrogates and characters that
Qt uses for itself each become one visible sign; an emoji that cannot be drawn here is named; every line end becomes
"\n"; and a run of more than 5,000 characters without a blank is split, as a text engine lays out a line as a whole.
The stored text is never changed.
"""

import html
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property, lru_cache
from itertools import accumulate, islice, pairwise

from PySide6.QtCore import QLocale, Qt
from PySide6.QtGui import QFont, QFontMetrics, QGuiApplication

from biasprint.core.language import InLanguage, unbroken
from biasprint.desktop import theme

# ---- Emoji

# Code points that emoji are made of; digits and letters only before the keycap and in flags.
_PICTURE = (
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u24c2\u25a0-\u27bf\u2900-\u297f\u2b00-\u2bff"
    "\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
_ONE = f"{_PICTURE}[\U0001f3fb-\U0001f3ff\ufe0e\ufe0f\u20e3\U000e0020-\U000e007f]*"
_EMOJI = re.compile(f"[\U0001f1e6-\U0001f1ff]{{2}}|[0-9#*]\ufe0f?\u20e3|{_ONE}(?:\u200d{_ONE})*")
_SIGN = re.compile(_PICTURE.replace("[", "[\u20e3", 1))  # some sign that every emoji has: found at once
_UNSEEN = re.compile("[\u200d\ufe0e\ufe0f\U000e0020-\U000e007f]")  # joiners and the like have no picture of their own
_SKIN = dict(zip("\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff",
    ("light", "medium-light", "medium", "medium-dark", "dark"), strict=True))  # fmt: skip
_WORDS = {"\u20e3": "keycap", "\u2640": "female", "\u2642": "male", "\u2764": "heart"} | {
    sign: f"{tone} skin tone" for sign, tone in _SKIN.items()
}
FLAG_A, TAGS = 0x1F1E6, 0xE0000


def may_hold_emoji(text: str) -> bool:
    return not text.isascii() and _SIGN.search(text) is not None


def emoji_to_name(text: str, most: int) -> Iterator[tuple[int, int, str]]:
    """Return start, end and name of emoji that cannot be drawn here, of the first `most` in a text."""
    wanted = {emoji for emoji in set(_EMOJI.findall(text)) if not drawable(emoji)}
    matches = (match for match in _EMOJI.finditer(text) if match.group() in wanted) if wanted else iter(())
    for match in islice(matches, most):
        yield match.start(), match.end(), name_of(match.group())


def signs_to_name(text: str) -> set[str]:
    """Return the single signs of a text that are emoji and cannot be drawn here."""
    return {sign for sign in set(text) if _EMOJI.fullmatch(sign) and not drawable(sign)}


def drawable(emoji: str) -> bool:
    """Return whether some typeface has a picture of every sign. Without a display always True, so all may stay."""
    return QGuiApplication.instance() is None or _has_pictures(emoji)


@lru_cache(maxsize=4096)
def _has_pictures(emoji: str) -> bool:
    metrics = QFontMetrics(QFont(theme.current().family))
    return all(metrics.inFontUcs4(ord(sign)) for sign in _UNSEEN.sub("", emoji))


@lru_cache(maxsize=4096)
def name_of(emoji: str) -> str:
    """Return the name of an emoji in brackets, such as “[waving hand sign, dark skin tone]” or “[flag: Chile]”."""
    letters = "".join(chr(ord("A") + ord(sign) - FLAG_A) for sign in emoji if FLAG_A <= ord(sign) < FLAG_A + 26)
    region = "".join(chr(ord(sign) - TAGS) for sign in emoji if TAGS < ord(sign) < TAGS + 0x7F)  # of England and others
    if len(letters) == 2:
        country = QLocale.codeToTerritory(letters)
        known = country != QLocale.Country.AnyTerritory
        return f"[flag: {QLocale.territoryToString(country) if known else letters}]"
    return "[" + ", ".join(_word(sign) for sign in _UNSEEN.sub("", emoji)) + (f": {region}]" if region else "]")


def _word(sign: str) -> str:
    return _WORDS.get(sign) or unicodedata.name(sign, "").lower() or f"U+{ord(sign):04X}"


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
    """A text and its display form. `shown` may be given to a text widget. Its positions count UTF-16 units, as Qt does.

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
        """Return the display form of a piece of the source, between two breaks."""
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
        """Return the shown position of the source's character at `position`."""
        moved_from, moved_by = self._moves
        index = bisect_right(moved_from, position) - 1
        return position + (moved_by[index] if index >= 0 else 0)

    def to_source(self, shown_position: int) -> int:
        """Return the source position that is shown at `shown_position`, or just before it."""
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
        """Return the exact source text between two shown positions."""
        return self.source[self.to_source(shown_start) : self.to_source(shown_end)]

    @cached_property
    def _moves(self) -> tuple[list[int], list[int]]:
        """Return source positions, and from each the offset of everything after it in the display form."""
        moves, at = [(at, 1) for at in self._breaks], 0
        for start, end, name in [*self.named, (len(self.source), len(self.source), "")]:
            moves += [
                (match.end(), -1 if match.group() == "\r" else 1) for match in _MOVES.finditer(self.source, at, start)
            ]
            moves.append((end, len(name) - (end - start)))
            at = end
        moves.sort()
        return [at for at, _ in moves], list(accumulate(by for _, by in moves))


def _safe(text: str) -> str:
    return text.replace("\r\n", "\n").translate(_SIGNS)


def safe_tip(text: str) -> str:
    """Return a text of any content as a tooltip that shows it unchanged.

    Qt renders what looks like HTML and loads the pictures that it names. If the text contains its signs, Qt gets it as
    rich text, all of it escaped.
    """
    lines = "\n".join(safe_line(line) for line in text[:LONGEST_LABEL].splitlines())
    tip = f"<p style='white-space:pre'>{html.escape(lines)}</p>" if "<" in lines or "&" in lines else lines
    return as_was(text, tip)


def as_was(before: str, after: str) -> str:
    """Return `after`, made from `before`, as a text that is in the reader's language already if that was."""
    return InLanguage(after) if isinstance(before, InLanguage) else after


def safe_line(text: str, *, to_edit: bool = False) -> str:
    """Return a text of any size and content as one short safe line, for labels, titles, tooltips or a field."""
    shown = DisplayText(text[:LONGEST_LABEL], to_edit=to_edit).shown
    return as_was(text, " ".join(shown.split())[:LONGEST_LABEL])


def as_given(name: str) -> InLanguage:
    """Return a name that a person gave as one safe line, which is put into no other language."""
    return InLanguage(safe_line(name))


def isolated(text: str) -> str:
    """Return a text as it is drawn: no line ends between a number and its sign, and in a layout from right to left it
    keeps the direction of its letters, and numbers theirs.
    """
    text = unbroken(text)
    mirrored = text and QGuiApplication.layoutDirection() is Qt.LayoutDirection.RightToLeft
    return f"\u2068{text}\u2069" if mirrored else text


def _breaks(text: str) -> Iterator[int]:
    """Yield where to split: in every run without a blank that is too long, and at a blank in an overlong line."""
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
