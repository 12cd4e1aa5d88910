"""The readers of letters' files: paragraphs of text, Markdown, HTML, rich text, docx, odt and PDF."""

import io
import re
import zipfile
from collections.abc import Iterable, Iterator
from html.parser import HTMLParser
from statistics import median
from typing import Any, Literal, NamedTuple

from biasprint.core.errors import AppError
from biasprint.core.letters.values import Extracted

# ---- Blanks and unseen characters

_BLANKS = re.compile(r"[ \t\u00a0\u2000-\u200a\u202f\u3000]+")
_UNSEEN = re.compile(r"[\u00ad\u200b\u2060\ufeff]")  # soft hyphens and blanks of no width: they would part words


def cleaned(paragraph: str) -> str:
    """Blanks as one blank, lines without blanks around them; nothing else of the text is changed."""
    text = _UNSEEN.sub("", paragraph.replace("\x00", "").replace("\v", "\n"))
    lines = [_BLANKS.sub(" ", line).strip() for line in text.split("\n")]
    return "\n".join(line for line in lines if line)


def kept(paragraph: str) -> tuple[str, list[int]]:
    """A paragraph as it is read, and the place of each of its characters in the paragraph as it was."""
    places: list[int] = []
    line: list[int] = []
    last_break = -1
    for place, character in enumerate(paragraph + "\n"):
        if character in "\v\n":
            of_line = _kept_of_line(paragraph, line)
            if of_line:
                places += [last_break, *of_line] if places else of_line
            line, last_break = [], place
        elif character != "\x00" and not _UNSEEN.match(character):
            line.append(place)
    return "".join(_shown(paragraph[place]) for place in places), places


def _shown(character: str) -> str:
    return "\n" if character in "\v\n" else _BLANKS.sub(" ", character)


def _kept_of_line(paragraph: str, line: list[int]) -> list[int]:
    places: list[int] = []
    for place in line:
        if not (places and _BLANKS.match(paragraph[place]) and _BLANKS.match(paragraph[places[-1]])):
            places.append(place)
    first, last = 0, len(places)
    while last > first and paragraph[places[last - 1]].isspace():
        last -= 1
    while first < last and paragraph[places[first]].isspace():
        first += 1
    return places[first:last]


# ---- Files inside a zip

HINT = "Ask for a fresh copy, or paste the letter's text."
# A file that needs more is no letter, and may be an attack.
MOST_UNPACKED = 64_000_000  # bytes of a docx or odt once unpacked
MOST_PARTS = 5_000  # files inside one


class Packed:
    """The files inside. Every one is read through a limit on what all of them together may unpack to."""

    def __init__(self, data: bytes, name: str) -> None:
        self._name = name
        self._left = MOST_UNPACKED
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
            raise self._damaged(error) from error
        parts = self._archive.infolist()
        if len(parts) > MOST_PARTS or len({part.filename for part in parts}) < len(parts):
            raise AppError(f"“{name}” is not built like a letter, and was not read.", hint=HINT)
        if any(part.flag_bits & 1 for part in parts):
            raise AppError(f"“{name}” is protected by a password.", hint="Save it without one, and try again.")

    def names(self) -> list[str]:
        return self._archive.namelist()

    def xml(self, part: str) -> Any:
        """The root of one XML file; no entity is resolved, and nothing is loaded from anywhere."""
        from lxml import etree

        parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
        try:
            root = etree.fromstring(self.read(part), parser)
        except (etree.XMLSyntaxError, ValueError) as error:
            raise self._damaged(error) from error
        tree: Any = None if root is None else root.getroottree()
        if tree is None or tree.docinfo.doctype:
            raise AppError(f"“{self._name}” is not built like a letter, and was not read.", hint=HINT)
        return root

    def read(self, part: str) -> bytes:
        """Read one file inside. Raise `AppError` for a damaged one, or one that unpacks to too much with the others."""
        try:
            with self._archive.open(part) as stream:
                data = stream.read(self._left + 1)
        except (
            KeyError,
            zipfile.BadZipFile,
            EOFError,
            OSError,
            NotImplementedError,
            RuntimeError,
            ValueError,
        ) as error:
            raise self._damaged(error) from error
        except Exception as error:  # zlib.error and its like
            raise self._damaged(error) from error
        self._left -= len(data)
        if self._left < 0:
            raise AppError(f"“{self._name}” unpacks to far more than a letter holds, and was not read.", hint=HINT)
        return data

    def _damaged(self, error: Exception) -> AppError:
        return AppError(f"“{self._name}” is damaged or cut off.", hint=HINT, details=f"{type(error).__name__}: {error}")


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

    def parse_marked_section(self, i: int, report: int = 1) -> int:
        """Parse “<![” as a comment to the next “>”, as browsers do: the library stops at some text after it."""
        return self.parse_bogus_comment(i, bool(report))

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


def of_rtf(data: bytes, name: str) -> Extracted:
    """The text, one paragraph a line; `AppError` for what cannot be followed."""
    from striprtf.striprtf import rtf_to_text

    try:
        text = str(rtf_to_text(data.decode("latin-1"), errors="replace"))  # type: ignore[no-untyped-call]
    except (ValueError, IndexError, LookupError, TypeError, OverflowError) as error:
        raise AppError(
            f"“{name}” is damaged or cut off.",
            hint="Ask for a fresh copy, or paste the letter's text.",
            details=f"{type(error).__name__}: {error}",
        ) from error
    return Extracted(text.replace("\r", "").split("\n"))


# ---- Paragraphs of a docx: body, tables, text boxes; deleted text of tracked changes left out, inserted text kept

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"  # a text box stands there twice
NOT_IN_DOCX = {f"{W}del", f"{W}moveFrom", f"{W}instrText", f"{W}footnoteReference", f"{W}commentReference", _FALLBACK}
BODY = "word/document.xml"


def of_docx(data: bytes, name: str) -> Extracted:
    """The paragraphs in reading order, those of the first page's header first; and what was left out, in words."""
    packed = Packed(data, name)
    texts = list(_docx_texts(packed.xml(BODY)))
    above = [text for part in header_parts(packed.names()) for text in _docx_texts(packed.xml(part)) if text.strip()]
    notes: list[str] = []
    if any(part.startswith(("word/footnotes", "word/endnotes", "word/comments")) for part in packed.names()):
        notes.append("Footnotes and comments were not read. In its own Word file they stay.")
    return Extracted([*dict.fromkeys(above), *texts], notes=tuple(notes))


def header_parts(names: Iterable[str]) -> list[str]:
    """The files of the headers that are read with the letter."""
    return sorted(part for part in names if part.startswith("word/header") and part.endswith(".xml"))[:3]


def _docx_texts(root: Any) -> Iterator[str]:
    for _, pieces in docx_paragraphs(root):
        yield "".join(text for _, text in pieces)


def docx_paragraphs(root: Any) -> Iterator[tuple[Any, list[tuple[Any, str]]]]:
    """The paragraphs that are read, in order: the element of each, and the elements within that hold its text.

    A paragraph whose end is deleted goes on with the next one; the element is that of the last of them.
    """
    held: list[tuple[Any, str]] = []
    for paragraph in root.iter(f"{W}p"):
        if any(above.tag in NOT_IN_DOCX for above in paragraph.iterancestors()):
            continue
        held += _docx_pieces(paragraph)
        if not (end_is_deleted(paragraph) and _goes_on(paragraph)):
            yield paragraph, held
            held = []


def end_is_deleted(paragraph: Any) -> bool:
    """Return whether a tracked change joins the paragraph to the next one."""
    ends = (paragraph.find(f"{W}pPr/{W}rPr/{W}{change}") for change in ("del", "moveFrom"))
    return any(end is not None for end in ends)


def _goes_on(paragraph: Any) -> bool:
    following = paragraph.getnext()
    return following is not None and following.tag == f"{W}p" and paragraph.find(f".//{W}p") is None


def _docx_pieces(element: Any) -> Iterator[tuple[Any, str]]:
    for child in element:
        if child.tag in NOT_IN_DOCX or child.tag == f"{W}p" or not isinstance(child.tag, str):
            continue  # a paragraph within one is a text box, and stands by itself
        if child.tag == f"{W}t":
            yield child, child.text or ""
        elif child.tag == f"{W}tab":
            yield child, "\t" if element.tag == f"{W}r" else ""
        elif child.tag in (f"{W}br", f"{W}cr"):
            yield child, "\n"
        elif child.tag in (f"{W}noBreakHyphen", f"{W}softHyphen"):
            yield child, "-" if child.tag == f"{W}noBreakHyphen" else ""
        else:
            yield from _docx_pieces(child)


# ---- Paragraphs of an OpenDocument text

TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_NOT_IN_ODT = {f"{TEXT}tracked-changes", f"{TEXT}note", f"{OFFICE}annotation", f"{TEXT}table-of-content"}
ODT_BLOCKS = (f"{TEXT}p", f"{TEXT}h")


def of_odt(data: bytes, name: str) -> Extracted:
    """The paragraphs and headings in reading order; notes and comments left out."""
    root = Packed(data, name).xml("content.xml")
    body = root.find(f".//{OFFICE}text")
    paragraphs = () if body is None else odt_paragraphs(body)
    return Extracted(["".join(piece.text for piece in pieces) for _, pieces in paragraphs])


_BLANK = dict.fromkeys(b"\t\n\r", " ")  # as OpenDocument reads them: tabs and line breaks are elements


class OdtPiece(NamedTuple):
    """Characters, and their source: the text or the tail of a node, or the node itself (“sign”)."""

    node: Any
    where: Literal["text", "tail", "sign"]
    text: str


def odt_paragraphs(root: Any) -> Iterator[tuple[Any, list[OdtPiece]]]:
    """Yield each paragraph's element with its pieces."""
    for block in root.iter(*ODT_BLOCKS):
        if not any(above.tag in _NOT_IN_ODT for above in block.iterancestors()):
            yield block, list(odt_pieces(block))


def odt_pieces(element: Any) -> Iterator[OdtPiece]:
    """Yield everything that is read of an element, in reading order."""
    yield OdtPiece(element, "text", (element.text or "").translate(_BLANK))
    for child in element:
        if child.tag == f"{TEXT}s":
            yield OdtPiece(child, "sign", " " * min(int(child.get(f"{TEXT}c", "1") or 1), 80))
        elif child.tag == f"{TEXT}tab":
            yield OdtPiece(child, "sign", "\t")
        elif child.tag == f"{TEXT}line-break":
            yield OdtPiece(child, "sign", "\n")
        elif child.tag not in _NOT_IN_ODT and child.tag not in ODT_BLOCKS and isinstance(child.tag, str):
            yield from odt_pieces(child)
        yield OdtPiece(child, "tail", (child.tail or "").translate(_BLANK))


# ---- Paragraphs of a PDF from its text layer. A scan has none, and says so

MOST_PAGES = 50  # a letter has one or two
# Lines of one paragraph lie at most this many line heights apart.
LINE_MARGIN = 0.55


def of_pdf(data: bytes, name: str) -> Extracted:
    """The paragraphs in reading order and the number of pages. `AppError` in a sentence for what cannot be read."""
    from pdfminer.pdfdocument import PDFDocument, PDFPasswordIncorrect, PDFTextExtractionNotAllowed
    from pdfminer.pdfpage import PDFPage
    from pdfminer.pdfparser import PDFParser

    try:
        document = PDFDocument(PDFParser(io.BytesIO(data)))
        pages = []
        for page in PDFPage.create_pages(document):
            pages.append(page)
            if len(pages) > MOST_PAGES:
                raise AppError(
                    f"“{name}” has more than {MOST_PAGES} pages: that is no letter.",
                    hint="Save the pages that hold the letter as a file of their own.",
                )
        laid_out = list(_pdf_blocks(pages))
    except (PDFPasswordIncorrect, PDFTextExtractionNotAllowed) as error:
        raise AppError(f"“{name}” is protected by a password.", hint="Save it without one, and try again.") from error
    except (AppError, MemoryError):
        raise
    except Exception as error:  # whatever a broken file drives the parser into
        raise AppError(
            f"“{name}” is damaged or cut off.", hint=HINT, details=f"{type(error).__name__}: {error}"
        ) from error
    paragraphs = _pdf_joined(laid_out)
    if not any(paragraph.strip() for paragraph in paragraphs):
        what = "has no text in it: it is probably a scan" if pages else "has no pages"
        raise AppError(f"“{name}” {what}.", hint="Put it through text recognition (OCR) first, or paste the text.")
    return Extracted(paragraphs, len(pages))


def _pdf_blocks(pages: list[Any]) -> Iterator[list[tuple[str, float, float]]]:
    """Yield the lines of each block of text: the text, where it ends and how wide the block is."""
    from pdfminer.converter import PDFPageAggregator
    from pdfminer.layout import LAParams, LTTextBox, LTTextLine
    from pdfminer.pdfinterp import PDFPageInterpreter, PDFResourceManager

    resources = PDFResourceManager()
    device = PDFPageAggregator(resources, laparams=LAParams(line_margin=LINE_MARGIN, boxes_flow=None))
    interpreter = PDFPageInterpreter(resources, device)
    for page in pages:
        interpreter.process_page(page)
        for box in device.get_result():
            if isinstance(box, LTTextBox):
                lines = [line for line in box if isinstance(line, LTTextLine) and line.get_text().strip()]
                if lines:
                    yield [(line.get_text().strip("\n"), line.x1 - box.x0, box.x1 - box.x0) for line in lines]


def _pdf_joined(blocks: list[list[tuple[str, float, float]]]) -> list[str]:
    """Lines that fill their block are put together; short ones, as in an address, keep their ends.

    A paragraph that a page ends in the middle of goes on with the next block.
    """
    widest = max((width for block in blocks for *_, width in block), default=1.0)
    paragraphs: list[str] = []
    for lines in blocks:
        text = ""
        for place, (line, *_) in enumerate(lines):
            if place == 0:
                text = line.strip()
                continue
            full = lines[place - 1][1] > 0.7 * widest
            if full and re.search(r"[a-z]-$", text) and line[:1].islower():
                text = text[:-1] + line.strip()
            else:
                text += (" " if full else "\n") + line.strip()
        goes_on = paragraphs and re.search(r"[a-z,]$", paragraphs[-1]) and text[:1].islower()
        if goes_on:
            paragraphs[-1] += " " + text
        else:
            paragraphs.append(text)
    return paragraphs
