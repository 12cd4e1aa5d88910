"""Emoji that no typeface here can draw, by their names: a text that is judged must not lose a sign of it.

Qt is asked, for the reading typeface with all that stand in for it, whether there is a picture of every sign of an
emoji. Where one is missing the whole emoji is named, in brackets, by what Unicode calls its parts.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from PySide6.QtCore import QLocale
from PySide6.QtGui import QFont, QFontMetrics, QGuiApplication

from biasprint.desktop import theme

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
    """Start, end and name of the emoji of a text that cannot be drawn here, of the first `most`."""
    wanted = {emoji for emoji in set(_EMOJI.findall(text)) if not drawable(emoji)}
    found = (one for one in _EMOJI.finditer(text) if one.group() in wanted) if wanted else iter(())
    for one in islice(found, most):
        yield one.start(), one.end(), name_of(one.group())


def signs_to_name(text: str) -> set[str]:
    """The single signs of a text that are emoji and cannot be drawn here."""
    return {sign for sign in set(text) if _EMOJI.fullmatch(sign) and not drawable(sign)}


def drawable(emoji: str) -> bool:
    """Whether some typeface has a picture of every sign. Without a display nothing is drawn, and all may stay."""
    return QGuiApplication.instance() is None or _has_pictures(emoji)


@lru_cache(maxsize=4096)
def _has_pictures(emoji: str) -> bool:
    metrics = QFontMetrics(QFont(theme.current().family))
    return all(metrics.inFontUcs4(ord(sign)) for sign in _UNSEEN.sub("", emoji))


@lru_cache(maxsize=4096)
def name_of(emoji: str) -> str:
    """Its name in brackets, such as “[waving hand sign, dark skin tone]” or “[flag: Chile]”."""
    letters = "".join(chr(ord("A") + ord(sign) - FLAG_A) for sign in emoji if FLAG_A <= ord(sign) < FLAG_A + 26)
    region = "".join(chr(ord(sign) - TAGS) for sign in emoji if TAGS < ord(sign) < TAGS + 0x7F)  # of England and others
    if len(letters) == 2:
        country = QLocale.codeToTerritory(letters)
        known = country != QLocale.Country.AnyTerritory
        return f"[flag: {QLocale.territoryToString(country) if known else letters}]"
    return "[" + ", ".join(_word(sign) for sign in _UNSEEN.sub("", emoji)) + (f": {region}]" if region else "]")


def _word(sign: str) -> str:
    return _WORDS.get(sign) or unicodedata.name(sign, "").lower() or f"U+{ord(sign):04X}"
