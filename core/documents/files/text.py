"""Paragraphs of files of text: plain text, Markdown, HTML and rich text, in whatever encoding they come."""

import re
from html.parser import HTMLParser
from statistics import median

from core.documents.values import Extracted
from core.errors import AppError

# ---- Paragraphs from lines: plain text is broken at a width, and its lines are put together again

RETURN = re.compile(r"<return>", re.IGNORECASE)  # what stands for a line break in some released tables
_LIST = re.compile(r"\s*(?:[-*•–]|\d{1,2}[.)])\s+")
_ENDS = (".", "!", "?", ":", ";", "”", '"', ")")
FULL_LINE = 0.75  # of the usual width: a line that long was broken for want of room
LEAST_WIDTH = 45  # characters; narrower lines are an address or a list


def of_lines(text: str) -> list[str]:
    """Blocks between blank lines; within one, lines that were broken at a width become one again.

    Where nothing but single line ends separates paragraphs, every long line is one.
    """
    text = RETURN.sub("\n", text).replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n\n")
    blocks = [block.strip("\n") for block in re.split(r"\n[ \t]*\n", text) if block.strip()]
    width = _width(text)
    return [paragraph for block in blocks for paragraph in _unwrapped(block.split("\n"), width)]


def _width(text: str) -> float:
    """The width at which lines were broken; 0 where they were not."""
    longer = [len(line) for line in text.split("\n") if len(line.strip()) >= LEAST_WIDTH]
    if not longer:
        return 0.0
    usual = median(longer)
    return usual if usual <= 120 and max(longer) <= 1.6 * usual else 0.0


def _unwrapped(lines: list[str], width: float) -> list[str]:
    if width == 0.0:
        long = [len(line) > LEAST_WIDTH * 2 for line in lines]
        return lines if any(long) else ["\n".join(line.strip() for line in lines)]
    paragraphs: list[str] = []
    goes_on = False
    for line in lines:
        if goes_on and not _LIST.match(line):
            paragraphs[-1] = _joined(paragraphs[-1], line.strip())
        elif paragraphs and not goes_on and len(line) < LEAST_WIDTH and len(paragraphs[-1]) < LEAST_WIDTH:
            paragraphs[-1] += "\n" + line.strip()  # an address
        else:
            paragraphs.append(line.strip())
        goes_on = len(line) >= FULL_LINE * width
    return [paragraph for paragraph in paragraphs if paragraph]


def _joined(before: str, line: str) -> str:
    """A word that was divided at the end of a line is one again; a compound keeps its hyphen where it has a capital."""
    if re.search(r"[a-z]-$", before) and line[:1].islower():
        return before[:-1] + line
    return f"{before} {line}"


# ---- Plain text and Markdown, in whatever encoding they come

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
    return Extracted(of_lines(decoded(data, name)))


def of_markdown(data: bytes, name: str) -> Extracted:
    """Markdown's paragraphs without its signs. Quotes keep their “>”: they tell what was quoted."""
    text = decoded(data, name)
    for mark, instead in _MARKS:
        text = mark.sub(instead, text)
    return Extracted(of_lines(text))


# ---- Paragraphs of an HTML file. It is parsed and never shown: no script, style, picture or address in it is used

_BLOCKS = frozenset(
    (
        "address", "article", "aside", "blockquote", "body", "caption", "dd", "details", "div", "dl", "dt", "fieldset",
        "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "html", "li",
        "main", "nav", "ol", "p", "pre", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr",
        "ul",
    )
)  # fmt: skip
_SILENT = frozenset(
    ("head", "script", "style", "template", "noscript", "svg", "math", "object", "iframe", "select", "textarea")
)
_NEVER_CLOSED = frozenset(["br", "hr", "img", "input", "link", "meta", "wbr"])


class _Paragraphs(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self._pieces: list[str] = []
        self._silent = 0
        self._exact = 0  # inside <pre>

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SILENT:
            self._silent += 1
        if tag in _BLOCKS:
            self._end()
        self._exact += tag == "pre"
        if tag == "br":
            self._pieces.append("\n")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _NEVER_CLOSED or tag in _BLOCKS:
            self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if tag in _SILENT:
            self._silent = max(0, self._silent - 1)
        if tag in _BLOCKS:
            self._end()
        self._exact = max(0, self._exact - (tag == "pre"))

    def handle_data(self, data: str) -> None:
        if self._silent:
            return
        self._pieces.append(data if self._exact else " ".join(f"x{data}x".split())[1:-1])

    def close(self) -> None:
        super().close()
        self._end()

    def _end(self) -> None:
        lines = ["".join(self._pieces)] if self._exact else "".join(self._pieces).split("\n")
        self._pieces = []
        text = "\n".join(line if self._exact else " ".join(line.split()) for line in lines).strip("\n")
        if text.strip():
            self.found.append(text)


def of_html(data: bytes, name: str) -> Extracted:
    """The text of each block, in order; blanks as a browser shows them, a <br> as a line break."""
    parser = _Paragraphs()
    parser.feed(decoded(data, name))
    parser.close()
    return Extracted(parser.found)


# ---- Paragraphs of a rich text file


def of_rtf(data: bytes, name: str) -> Extracted:
    """The text, one paragraph a line; `AppError` for what cannot be followed."""
    from striprtf.striprtf import rtf_to_text

    try:
        text = str(rtf_to_text(data.decode("latin-1"), errors="replace"))  # type: ignore[no-untyped-call]
    except (ValueError, IndexError, LookupError, TypeError) as error:
        raise AppError(
            f"“{name}” is damaged or cut off.",
            hint="Ask for a fresh copy, or paste the letter's text.",
            details=f"{type(error).__name__}: {error}",
        ) from error
    return Extracted(text.replace("\r", "").split("\n"))
