"""Plain text and Markdown, in whatever encoding they come."""

import re

from core.documents.files.lines import paragraphs_of as of_lines
from core.errors import AppError

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
        raise AppError(
            f"“{name}” is not a text.", hint="Choose a docx, odt, pdf, rtf, html, md or txt file, or paste the text."
        )
    return text


def of_markdown(text: str) -> list[str]:
    """Markdown's paragraphs without its signs. Quotes keep their “>”: they tell what was quoted."""
    for mark, instead in _MARKS:
        text = mark.sub(instead, text)
    return of_lines(text)
