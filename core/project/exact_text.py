"""Text is stored as received. SQLite wants valid UTF-8, so lone surrogates are escaped, reversibly, with a flag."""

import re
from dataclasses import dataclass

from core.text import sha256_text

MARK = "\uf8f1"  # U+F8F1, private use: a text that contains it is escaped too, so that the way back is unambiguous
_NEEDS_ESCAPE = re.compile("[\ud800-\udfff" + MARK + "]")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPED = re.compile(MARK + "([0-9a-f]{4})")


@dataclass(frozen=True)
class StoredText:
    """The three columns of a text: what is stored, the SHA-256 of what was received, whether it is escaped."""

    text: str
    text_sha256: str
    escaped: int


def store_text(text: str) -> StoredText:
    """The stored form of `text`; `restore_text` gives it back exactly."""
    if not _LONE_SURROGATE.search(text):
        return StoredText(text, sha256_text(text), 0)
    return StoredText(_NEEDS_ESCAPE.sub(lambda hit: f"{MARK}{ord(hit[0]):04x}", text), sha256_text(text), 1)


def restore_text(text: str, escaped: int) -> str:
    """The text as it was received."""
    return _ESCAPED.sub(lambda hit: chr(int(hit[1], 16)), text) if escaped else text


def typed(text: str) -> str:
    """Text a person typed: there a lone surrogate is a slip of the input method, and becomes U+FFFD."""
    return _LONE_SURROGATE.sub("\ufffd", text)
