"""Plain text and Markdown, in whatever encoding they come."""

import re

from biasprint.core.errors import AppError
from biasprint.core.letters.readers.lines import of_lines
from biasprint.core.letters.readers.unread import UnreadText
from biasprint.core.letters.values import Extracted

_MARKS = (
    (re.compile(r"^#{1,6}[ \t]+", re.MULTILINE), ""),
    (re.compile(r"!?\[([^\]\n]*)\]\([^)\n]*\)"), r"\1"),
    (re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1"), r"\2"),
    (re.compile(r"(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\w*])"), r"\1"),
    (re.compile(r"(?<!\w)_(?=\S)([^_\n]+?)(?<=\S)_(?!\w)"), r"\1"),
    (re.compile(r"`([^`\n]+)`"), r"\1"),
    (re.compile(r"^[ \t]*(?:-{3,}|\*{3,}|_{3,}|={3,})[ \t]*$", re.MULTILINE), ""),
    (re.compile(r"[ \t]{2,}$", re.MULTILINE), ""),
    (re.compile(r"\\([\\`*_{}\[\]()#+\-.!>])"), r"\1"),
)
CONTROL_SHARE = 0.01  # of more control characters than this, a file is no text


def decoded(data: bytes, name: str) -> str:
    """The text of a file: UTF-8, a marked UTF-16, or what its bytes look most like."""
    from charset_normalizer import from_bytes

    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            return data.decode(encoding, errors="replace")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        # Letters here are English: Western Windows text, unless the bytes are clearly of another alphabet.
        best = from_bytes(data[:200_000]).best()
        foreign = best is not None and not any("Latin" in alphabet for alphabet in best.alphabets)
        text = data.decode(best.encoding if best is not None and foreign else "cp1252", errors="replace")
    control = sum(1 for sign in text if ord(sign) < 32 and sign not in "\t\n\r\f\v\x1b")
    if control > CONTROL_SHARE * len(text) + 1:
        raise AppError(f"“{name}” is not a text.", hint="Choose the file that holds the letter, or paste its text.")
    return text


def of_plain(data: bytes, name: str) -> Extracted:
    """The paragraphs of plain text."""
    unread = UnreadText()
    return Extracted(of_lines(decoded(data, name), unread), notes=unread.notes())


_REMARK = re.compile(r"<!--(.*?)-->", re.DOTALL)


def of_markdown(data: bytes, name: str) -> Extracted:
    """Markdown's paragraphs without its signs. Quotes keep their “>”: they tell what was quoted."""
    text, unread = decoded(data, name), UnreadText()
    unread.hidden += _REMARK.findall(text)
    text = _REMARK.sub("", text)
    for mark, instead in _MARKS:
        text = mark.sub(instead, text)
    return Extracted(of_lines(text, unread), notes=unread.notes())
