"""Text is kept exactly: hashed as received, normalised only for matching and to find the words that differ.

In a cell of an exported table it is guarded, so that no spreadsheet reads it as a formula.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import NamedTuple


def sha256_text(text: str) -> str:
    """SHA-256 (hex) of the exact text in UTF-8; lone surrogates are hashed as their three bytes."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def sha256_file(path: Path) -> str:
    """SHA-256 (hex) of a file's bytes, read piece by piece. Raises OSError where it cannot be read."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class TextDigest:
    """The SHA-256 of a text, and of the same text with blanks after it, which is computed without the text."""

    def __init__(self, text: str) -> None:
        self._begun = hashlib.sha256(text.encode("utf-8", "surrogatepass"))

    def hexdigest(self, blanks: int = 0) -> str:
        whole = self._begun.copy()
        whole.update(b" " * blanks)
        return whole.hexdigest()


def for_matching(text: str) -> str:
    """Unicode NFC and case folding: only ever for comparing, never stored in place of the text."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


# ---- Text is stored as received. SQLite wants valid UTF-8, so lone surrogates are escaped, reversibly, with a flag

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


def without_surrogates(text: str) -> str:
    """Text a person typed: there a lone surrogate is a slip of the input method, and becomes U+FFFD."""
    return _LONE_SURROGATE.sub("\ufffd", text)


# ---- “a” or “an” before a word

# Begins with a vowel and is spoken as “you …” or “one …”.
_CONSONANT = re.compile(
    r"uni(?!n|m|de)|unan|us[eu]|usage|eu|ewe|one\b|once|ut[io]|ufo|ubi|uku|ukr|ugand|urug|uigh|uran|uri[nc]|uro",
    re.IGNORECASE,
)
_SILENT_H = re.compile(r"heir|honest|honou?r|hour", re.IGNORECASE)
_EIGHT = re.compile(r"8|1[18](?!\d)")  # “an 80-year-old”, “an 18th birthday”, and not “a 180 cm tall man”
_LETTER = re.compile(r"[A-Z](?:[.-]|$)")  # read out by its name: “M.”, “X-ray”
_SHORTENED = re.compile(r"(?:[BCDFGHJKLMNPQRSTVWXZ]{2,5}|MBA|MEP|MP|UK|UN|US|USA|UX)(?![A-Za-z])")
_SPOKEN_AS_VOWEL = frozenset("AEFHILMNORSX")  # letters whose names begin with a vowel: “an M. Hill”


_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")


def code_blocks(text: str) -> list[tuple[int, int]]:
    """Return start and end of each fenced code block (CommonMark 0.31, section 4.5), its fences included.

    A fence that is never closed opens no block, as a stray one would take the rest of a text.
    """
    blocks: list[tuple[int, int]] = []
    opened, fence, at = 0, "", 0
    for line in text.splitlines(keepends=True) if "```" in text or "~~~" in text else ():
        match = _FENCE.fullmatch(line.rstrip())
        if match is not None and not fence and not (match[1][0] == "`" and "`" in match[2]):
            opened, fence = at, match[1]
        elif match is not None and fence and match[1].startswith(fence) and not match[2]:
            blocks.append((opened, at + len(line)))
            fence = ""
        at += len(line)
    return blocks


def article(word: str) -> str:
    """“a” or “an”, by the sound that `word` begins with, as it is spoken in English. Numbers are words too."""
    if _LETTER.match(word) or _SHORTENED.match(word):
        return "an" if word[0] in _SPOKEN_AS_VOWEL else "a"
    if _EIGHT.match(word) or _SILENT_H.match(word):
        return "an"
    plain = unicodedata.normalize("NFD", word[:1])[:1].lower()  # É as E
    return "an" if plain in ("a", "e", "i", "o", "u") and not _CONSONANT.match(word) else "a"


# ---- The words that differ between texts shown side by side

# Aligning takes time with the product of the lengths; longer texts are compared as bags of words instead.
MOST_ALIGNED_WORDS = 1_000
_RUN = re.compile(r"\S+")


class WordSpan(NamedTuple):
    """Characters `start` to `end` of a text."""

    start: int
    end: int


class WordDifferences(NamedTuple):
    """Per text, the words that are not in all the others; `shared` is the share of words that are, 0 to 1."""

    spans: tuple[tuple[WordSpan, ...], ...]
    shared: float


def word_differences(texts: Sequence[str]) -> WordDifferences:
    """Mark the words of each text that have no counterpart, at the same place in the order, in every other text.

    Case and Unicode form do not count as differences. Texts of more than 1,000 words are compared without their order:
    a word is then marked where some other text does not contain it.
    """
    words = [[(span, for_matching(text[span.start : span.end])) for span in _words(text)] for text in texts]
    keys = [[key for _, key in text_words] for text_words in words]
    aligned = max(map(len, keys), default=0) <= MOST_ALIGNED_WORDS
    spans: list[tuple[WordSpan, ...]] = []
    for index, text_words in enumerate(words):
        common = set(range(len(text_words)))
        for other, other_keys in enumerate(keys):
            if other != index:
                common &= _matched(keys[index], other_keys) if aligned else _contained(keys[index], other_keys)
        spans.append(tuple(span for place, (span, _) in enumerate(text_words) if place not in common))
    total = sum(map(len, words))
    marked = sum(map(len, spans))
    return WordDifferences(tuple(spans), 1.0 if total == 0 else 1 - marked / total)


def _words(text: str) -> Iterator[WordSpan]:
    """Runs without blanks, the punctuation around them left out. Marks that combine, as in Devanagari, stay inside."""
    for run in _RUN.finditer(text):
        start, end = run.span()
        while start < end and unicodedata.category(text[start])[0] in "PS":
            start += 1
        while end > start and unicodedata.category(text[end - 1])[0] in "PS":
            end -= 1
        if start < end:
            yield WordSpan(start, end)


def _matched(words: list[str], other: list[str]) -> set[int]:
    # Always in the same order: SequenceMatcher's answer depends on which text comes first.
    first, second = sorted((words, other))
    blocks = SequenceMatcher(None, first, second, autojunk=False).get_matching_blocks()
    starts = [(block.a if words is first else block.b, block.size) for block in blocks]
    return {place for start, size in starts for place in range(start, start + size)}


def _contained(words: Sequence[str], other: Sequence[str]) -> set[int]:
    present = set(other)
    return {place for place, word in enumerate(words) if word in present}


# ---- Cells of an exported table


# What spreadsheets take for the beginning of a formula, also behind blanks and in full width. Cells that hold
# apostrophes before it are guarded too, so that taking one apostrophe away is always right.
_FORMULA = re.compile("'*(?:[\t\r\n]|[\\s\ufeff]*[=+\\-@＝＋－＠])")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


def is_formula(text: str) -> bool:
    """Return whether a spreadsheet could take `text` for a formula. A number with its sign is none."""
    return _FORMULA.match(text) is not None and _NUMBER.fullmatch(text) is None


def with_guard(text: str) -> str:
    """`text` so that no spreadsheet takes it for a formula."""
    return "'" + text if is_formula(text) else text


def without_guard(text: str) -> str:
    """The inverse of `with_guard`."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text
