"""PDF: the text that is seen on its pages, in reading order. A scan without a text layer has none, and says so.

Where a character lies and how it is painted tells whether anybody sees it; where a line lies tells a running head from
a sentence, and a line that was broken for want of room from one that ends.
"""

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Any

from pdfminer.converter import PDFPageAggregator
from pdfminer.layout import LAParams, LTChar, LTCurve, LTFigure, LTImage, LTPage, LTTextBox, LTTextLine
from pdfminer.pdfdocument import PDFDocument, PDFPasswordIncorrect, PDFTextExtractionNotAllowed
from pdfminer.pdffont import PDFType3Font
from pdfminer.pdfinterp import PDFPageInterpreter, PDFResourceManager
from pdfminer.pdfpage import PDFPage
from pdfminer.pdfparser import PDFParser
from pdfminer.pdftypes import PDFObjRef, resolve1
from pdfminer.psparser import PSLiteral
from pdfminer.utils import apply_matrix_rect, decode_text

from biasprint.core.errors import AppError
from biasprint.core.letters.readers.lines import (
    BARE_NUMBER,
    DIVIDED,
    LIST,
    MOST_HEAD_LINES,
    PAGE_LINE,
    Hyphens,
    UnreadText,
    goes_on_with,
    is_short,
    names_page,
    runs_on,
    same_head,
    sorted_pair,
    unfinished,
)
from biasprint.core.letters.values import Extracted

MOST_PAGES = 50  # a letter has one or two
# Lines of one paragraph lie at most this many line heights apart.
LINE_MARGIN = 0.55


def of_pdf(data: bytes, name: str) -> Extracted:
    """The paragraphs in reading order and the number of pages. `AppError` in a sentence for what cannot be read."""
    unread = UnreadText()
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
        sheets = list(_sheets(document, pages, unread))
    except (PDFPasswordIncorrect, PDFTextExtractionNotAllowed) as error:
        raise AppError(f"“{name}” is protected by a password.", hint="Save it without one, and try again.") from error
    _leave_out_heads(sheets, unread)
    paragraphs = _paragraphs(sheets)
    if not any(paragraph.strip() for paragraph in paragraphs):
        what = "has no text in it: it is probably a scan" if pages else "has no pages"
        what = "has only hidden text in it" if any(text.strip() for text in unread.hidden) else what
        raise AppError(f"“{name}” {what}.", hint="Put it through text recognition (OCR) first, or paste the text.")
    return Extracted(paragraphs, len(pages), unread.notes())


# ---- The lines of each page


@dataclass(frozen=True)
class _Line:
    """A line of text: its place on the page, its height, and how wide its first word is."""

    text: str
    x0: float
    x1: float
    y0: float
    y1: float
    size: float
    first_word: float
    blank: float


@dataclass
class _Sheet:
    """A page: its height, and the lines of each block of text in reading order."""

    number: int
    height: float
    blocks: list[list[_Line]] = field(default_factory=list)

    @property
    def lines(self) -> list[_Line]:
        return [line for block in self.blocks for line in block]

    def without(self, lines: Sequence[_Line]) -> None:
        blocks = [[line for line in block if line not in lines] for block in self.blocks]
        self.blocks = [block for block in blocks if block]


def _sheets(document: PDFDocument, pages: Sequence[PDFPage], unread: UnreadText) -> Iterator[_Sheet]:
    device = _Device(PDFResourceManager(), unread)
    interpreter = _Interpreter(device.rsrcmgr, device)
    interpreter.off = _layers_off(document)
    for number, page in enumerate(pages, 1):
        _note_what_lies_on(page, unread)
        interpreter.process_page(page)
        layout = device.get_result()
        sheet = _Sheet(number, layout.height)
        for box in layout:
            if isinstance(box, LTTextBox):
                lines = [_line(line) for line in box if isinstance(line, LTTextLine) and line.get_text().strip()]
                sheet.blocks += [lines] if lines else []
        yield sheet


def _line(line: LTTextLine) -> _Line:
    characters = [character for character in line if isinstance(character, LTChar)]
    text = line.get_text().strip("\n")
    blank = next((character.width for character in characters if character.get_text() == " "), 0.0)
    shown = [character for character in characters if character.get_text().strip()]
    lengths = accumulate(len(character.get_text()) for character in shown)
    ends = [character.x1 for character, length in zip(shown, lengths, strict=True) if length >= len(text.split()[0])]
    size = sorted(character.size for character in shown)[len(shown) // 2]
    word = ends[0] - shown[0].x0 if ends else 0.0
    return _Line(text, line.x0, line.x1, line.y0, line.y1, size, word, blank or 0.25 * size)


def _note_what_lies_on(page: PDFPage, unread: UnreadText) -> None:
    """Say that there are comments and form fields, which are no part of the page's own text."""
    notes = resolve1(page.annots)
    for note in (resolve1(each) for each in notes) if isinstance(notes, list) else ():
        kind = getattr(note.get("Subtype"), "name", "") if isinstance(note, dict) else ""
        if kind == "Widget":
            parent = resolve1(note.get("Parent"))
            if note.get("V") or (isinstance(parent, dict) and parent.get("V")):
                unread.beside.add("form fields")
        elif kind not in ("", "Link", "Popup") and note.get("Contents"):
            unread.beside.add("comments")


def _layers_off(document: PDFDocument) -> frozenset[int]:
    """The numbers of the layers that are switched off when the file is opened."""
    layers = resolve1(document.catalog.get("OCProperties")) or {}
    default = resolve1(layers.get("D")) or {} if isinstance(layers, dict) else {}
    off = resolve1(default.get("OFF")) or [] if isinstance(default, dict) else []
    return frozenset(each.objid for each in off if isinstance(each, PDFObjRef))


# ---- What is seen of a page

INVISIBLE = (3, 7)  # modes of painting: not at all, as the edge of something else
SMALLEST = 2.0  # points: nobody reads smaller letters
WHITE = 0.97
MOST_GROUNDS = 2_000  # shapes and pictures of a page that are looked at


class _Interpreter(PDFPageInterpreter):
    """Looks up the properties of marked content, which pages name."""

    off: frozenset[int] = frozenset()

    def dup(self) -> "_Interpreter":
        return self._sharing(super().dup())

    def subinterp(self) -> "_Interpreter":
        return self._sharing(super().subinterp())

    def _sharing(self, other: Any) -> "_Interpreter":
        other.off = self.off
        return other  # type: ignore[no-any-return]

    def do_BDC(self, tag: Any, props: Any) -> None:
        if isinstance(props, PSLiteral):
            named = resolve1(self.resources.get("Properties")) or {}
            props = named.get(props.name)
        is_off = isinstance(props, PDFObjRef) and props.objid in self.off
        properties = resolve1(props)
        self.device.begin_tag(tag, {"off": True} if is_off else properties if isinstance(properties, dict) else {})


@dataclass
class _Tagged:
    """A stretch of marked content: the number of its first object, and what its properties say."""

    first: int
    actual: str | None
    off: bool
    around: bool


class _Device(PDFPageAggregator):
    """Lays out what is seen of each page; the rest goes to `unread`."""

    def __init__(self, resources: PDFResourceManager, unread: UnreadText) -> None:
        super().__init__(resources, laparams=LAParams(line_margin=LINE_MARGIN, boxes_flow=None))
        self._unread = unread
        self._mode = 0
        self._tags: list[_Tagged] = []
        self._objects: list[Any] = []  # of the page, in the order in which they are painted
        self._modes: dict[int, int] = {}
        self._off: set[int] = set()
        self._around: set[int] = set()
        self._visible: tuple[float, float, float, float] = (0, 0, 0, 0)

    def begin_page(self, page: PDFPage, ctm: Any) -> None:
        super().begin_page(page, ctm)
        self._objects, self._modes, self._off, self._around, self._tags = [], {}, set(), set(), []
        self._visible = apply_matrix_rect(ctm, page.cropbox)
        left, bottom, right, top = self._visible
        if right - left < 1 or top - bottom < 1:  # no box that anything could be seen in
            self._visible = apply_matrix_rect(ctm, page.mediabox)

    def begin_tag(self, tag: Any, props: Any = None) -> None:
        properties = props if isinstance(props, dict) else {}
        actual = resolve1(properties.get("ActualText"))
        kind = resolve1(properties.get("Type"))
        paged = getattr(tag, "name", "") == "Artifact" and getattr(kind, "name", "") == "Pagination"
        text = decode_text(actual) if isinstance(actual, bytes) else None
        self._tags.append(_Tagged(len(self._objects), text, bool(properties.get("off")), paged))

    def end_tag(self) -> None:
        if not self._tags:
            return
        tagged = self._tags.pop()
        inside = [each for each in self._objects[tagged.first :] if isinstance(each, LTChar)]
        if tagged.off:
            self._off |= {id(each) for each in inside}
        if tagged.around:
            self._around |= {id(each) for each in inside}
        if tagged.actual is not None:
            self._say(tagged, inside)

    def _say(self, tagged: _Tagged, inside: list[LTChar]) -> None:
        """Give a stretch the text that it stands for: its first character has all of it."""
        text = (tagged.actual or "").replace("\x00", "")
        if "".join(each.get_text() for each in inside) == text:
            return
        last = self._objects[-1] if self._objects else None
        if not inside:
            if isinstance(last, LTChar):
                last._text += text
            else:
                self._unread.unknown += len(text.strip())
        elif len({round(each.y0) for each in inside}) == 1:  # over several lines nobody can tell what stands in which
            first = inside[0]
            for each in inside:
                each._text = ""
            first._text = text
            first.set_bbox((min(each.x0 for each in inside), first.y0, max(each.x1 for each in inside), first.y1))

    def render_string(self, textstate: Any, seq: Any, ncs: Any, graphicstate: Any) -> None:
        self._mode = textstate.render
        super().render_string(textstate, seq, ncs, graphicstate)

    def render_char(
        self, matrix: Any, font: Any, fontsize: float, scaling: float, rise: float, cid: int, ncs: Any,
        graphicstate: Any,
    ) -> float:  # fmt: skip
        advance = super().render_char(matrix, font, fontsize, scaling, rise, cid, ncs, graphicstate)
        character = self.cur_item._objs[-1]
        assert isinstance(character, LTChar)
        if isinstance(font, PDFType3Font):
            character.size = max(character.size, SMALLEST)  # its measures are its own
        self._modes[id(character)] = self._mode
        self._objects.append(character)
        return advance

    def handle_undefined_char(self, font: Any, cid: int) -> str:
        return "\x00"

    def end_figure(self, _: str) -> None:
        figure = self.cur_item
        assert isinstance(figure, LTFigure)
        self.cur_item = self._stack.pop()
        self._objects += [each for each in figure if isinstance(each, LTImage)]

    def paint_path(self, gstate: Any, stroke: bool, fill: bool, evenodd: bool, path: Any) -> None:
        before = len(self.cur_item._objs)
        super().paint_path(gstate, stroke, fill, evenodd, path)
        if fill:
            self._objects += self.cur_item._objs[before:]

    def end_page(self, page: PDFPage) -> None:
        whole = self.cur_item
        assert isinstance(whole, LTPage)
        self.cur_item = LTPage(whole.pageid, whole.bbox, whole.rotate)
        for character in self._seen():
            self.cur_item.add(character)
        super().end_page(page)

    def _seen(self) -> list[LTChar]:
        seen: list[LTChar] = []
        hidden: list[str] = []
        grounds = [(place, each) for place, each in enumerate(self._objects) if isinstance(each, LTImage | LTCurve)]
        grounds = [(place, each) for place, each in grounds if min(each.width, each.height) > SMALLEST][:MOST_GROUNDS]
        covers = [(at, each) for at, each in grounds if isinstance(each, LTCurve) and _is_opaque(each)]
        last: LTChar | None = None
        for place, character in enumerate(self._objects):
            if not isinstance(character, LTChar):
                continue
            text = character.get_text()
            if id(character) in self._around:
                self._leave(self._unread.around, character, last)
            elif self._is_hidden(place, character, grounds, covers):
                self._leave(hidden, character, last)
            else:
                if text and not text.strip("\x00"):
                    self._unread.unknown += 1
                    character._text = "\ufffd"
                seen.append(character)
                continue
            last = character
        self._unread.hidden.append("".join(hidden))
        return seen

    @staticmethod
    def _leave(out: list[str], character: LTChar, last: LTChar | None) -> None:
        """Add a character to what is left out, with a blank where a new line or word begins."""
        apart = last is None or abs(last.y0 - character.y0) > 1 or character.x0 - last.x1 > 0.2 * character.size
        if not out or (apart and last is not None and abs(last.y0 - character.y0) > 1):
            out.append("")
        out[-1] += (" " if apart else "") + character.get_text()

    def _is_hidden(
        self, place: int, character: LTChar, grounds: Sequence[tuple[int, Any]], covers: Sequence[tuple[int, Any]]
    ) -> bool:
        x, y = (character.x0 + character.x1) / 2, (character.y0 + character.y1) / 2
        left, bottom, right, top = self._visible
        if id(character) in self._off or not (left <= x <= right and bottom <= y <= top):
            return True
        if self._modes.get(id(character), 0) in INVISIBLE:
            # Over a scan it is what the scan shows.
            return not any(isinstance(ground, LTImage) for _, ground in _under(x, y, grounds))
        if character.get_text().strip() and character.size < SMALLEST:
            return True
        if any(at > place for at, _ in _under(x, y, covers)):
            return True
        if not _is_white(character.graphicstate.ncolor, character.ncs.name):
            return False
        return not any(
            isinstance(ground, LTImage) or (at < place and not _is_white(ground.non_stroking_color))
            for at, ground in _under(x, y, grounds)
        )


def _under(x: float, y: float, grounds: Sequence[tuple[int, Any]]) -> Iterator[tuple[int, Any]]:
    """The shapes and pictures at a place, each with the number of its turn to be painted."""
    return ((at, each) for at, each in grounds if each.x0 <= x <= each.x1 and each.y0 <= y <= each.y1)


def _is_white(colour: Any, space: str = "") -> bool:
    if space in ("Separation", "DeviceN", "Indexed", "Pattern", "Lab"):
        return False  # there 1 is the full ink, or a number in a table
    parts = colour if isinstance(colour, tuple | list) else (colour,)
    if not all(isinstance(part, int | float) for part in parts):
        return False
    if len(parts) == 4:
        return all(part <= 1 - WHITE for part in parts)
    return all(part >= WHITE for part in parts)


def _is_opaque(shape: LTCurve) -> bool:
    """Return whether a shape hides what is under it: white ones and black ones are taken to do so."""
    return _is_white(shape.non_stroking_color) or _is_black(shape.non_stroking_color)


def _is_black(colour: Any) -> bool:
    parts = colour if isinstance(colour, tuple | list) else (colour,)
    if not all(isinstance(part, int | float) for part in parts):
        return False
    return parts[3] >= WHITE if len(parts) == 4 else all(part <= 1 - WHITE for part in parts)


# ---- What stands above and below the text of pages

EDGE = 0.16  # of the page's height, above and below
MARGIN = 0.07
APART = 1.6  # line heights between a head and the text


def _leave_out_heads(sheets: Sequence[_Sheet], unread: UnreadText) -> None:
    """Take running heads and feet and page numbers out: by their place, what is in them, and on which pages it is."""
    heads: dict[int, list[_Line]] = {sheet.number: [] for sheet in sheets}
    for top in (True, False):
        edges = {sheet.number: _edge(sheet, top=top) for sheet in sheets}
        for sheet in sheets:
            for line in edges[sheet.number]:
                if not (_is_numbered(line) or _is_repeated(line, sheet, sheets, edges) or _in_margin(line, sheet)):
                    break
                heads[sheet.number].append(line)
            heads[sheet.number] += _set_apart(sheet, edges[sheet.number], heads[sheet.number], top=top)
    for sheet in sheets:
        unread.around += [line.text for line in heads[sheet.number]]
        sheet.without(heads[sheet.number])
    for earlier, later in pairwise(sheets):
        _leave_out_between(earlier, later, unread)


def _edge(sheet: _Sheet, *, top: bool) -> list[_Line]:
    """The outermost lines of a page, from its edge inwards."""
    by_place = sorted(sheet.lines, key=lambda line: -line.y1 if top else line.y0)
    near = [
        line for line in by_place if (line.y0 > (1 - EDGE) * sheet.height if top else line.y1 < EDGE * sheet.height)
    ]
    return near[:MOST_HEAD_LINES]


def _is_numbered(line: _Line) -> bool:
    text = line.text.strip()
    return bool(PAGE_LINE.fullmatch(text) or BARE_NUMBER.fullmatch(text))


def _in_margin(line: _Line, sheet: _Sheet) -> bool:
    """Return whether a line is in the lower margin: set smaller than the text, and far below it."""
    above = [other for other in sheet.lines if other.y0 > MARGIN * sheet.height]
    if line.y1 > MARGIN * sheet.height or not above or not _is_foot([line], sheet):
        return False
    return min(_gap(line, other) for other in above) > 2 * line.size


def _is_repeated(line: _Line, sheet: _Sheet, sheets: Sequence[_Sheet], edges: dict[int, list[_Line]]) -> bool:
    return any(
        abs(line.y0 - other.y0) < line.size
        and same_head(*sorted_pair(line.text, sheet.number, other.text, each.number))
        for each in sheets
        if each is not sheet
        for other in edges[each.number]
    )


def _set_apart(sheet: _Sheet, edge: Sequence[_Line], heads: Sequence[_Line], *, top: bool) -> list[_Line]:
    """The head of a page that says its number, and that a gap parts from the text; it need not be on every page."""
    left = [line for line in edge if line not in heads]
    if sheet.number == 1 and top:
        return []
    block: list[_Line] = []
    for line in left:
        if block and _gap(block[-1], line) > APART * line.size:
            break
        block.append(line)
    rest = [line for line in sheet.lines if line not in block and line not in heads]
    gap = min((_gap(block[-1], line) for line in rest), default=0.0) if block else 0.0
    says = any(names_page(line.text, sheet.number) for line in block)
    return block if says and gap > 0.5 * block[-1].size and all(is_short(line.text) for line in block) else []


def _gap(first: _Line, second: _Line) -> float:
    return max(first.y0 - second.y1, second.y0 - first.y1)


def _leave_out_between(earlier: _Sheet, later: _Sheet, unread: UnreadText) -> None:
    """Leave out feet and heads between the halves of a sentence that goes on over a page's end."""
    above, below = list(earlier.blocks), list(later.blocks)
    foot: list[_Line] = []
    while above and not unfinished(above[-1][-1].text):
        foot += above.pop()
    while above and len(above[-1]) <= MOST_HEAD_LINES and _is_foot(above[-1], earlier):
        foot += above.pop()
    head: list[_Line] = []
    while below and not goes_on_with(below[0][0].text):
        head += below.pop(0)
    if not above or not below or not unfinished(above[-1][-1].text):
        return
    for lines, sheet in ((foot, earlier), (head, later)):
        at_edge = all(line in (*_edge(sheet, top=True), *_edge(sheet, top=False)) for line in lines)
        if lines and len(lines) <= MOST_HEAD_LINES and at_edge and all(is_short(line.text) for line in lines):
            unread.around += [line.text for line in lines]
            sheet.without(lines)


def _is_foot(block: Sequence[_Line], sheet: _Sheet) -> bool:
    """Return whether a block at a page's end is set smaller than the page's text."""
    sizes = sorted(line.size for line in sheet.lines)
    return all(line.size < 0.95 * sizes[len(sizes) // 2] for line in block)


# ---- Paragraphs


COLUMN = 6.0  # points: blocks that begin that near each other are in one column


def _paragraphs(sheets: Sequence[_Sheet]) -> list[str]:
    """Lines that were broken for want of room are put together; the lines of an address keep their ends.

    A paragraph that a page or column ends in the middle of goes on with the next block.
    """
    divided = Hyphens("\n".join(line.text for sheet in sheets for line in sheet.lines))
    ends: dict[int, float] = {}  # the right edge of each column, on whatever page it is widest
    for block in (block for sheet in sheets for block in sheet.blocks):
        column = _columns(block)[1]
        ends[column] = max(ends.get(column, 0.0), *(line.x1 for line in block))
    paragraphs: list[str] = []
    for sheet in sheets:
        for block in sheet.blocks:
            right = max(ends[column] for column in _columns(block) if column in ends)
            text = block[0].text.strip()
            for before, line in pairwise(block):
                if _is_wrapped(before, line, right) or runs_on(before.text, line.text):
                    text = divided.joined(text, line.text)
                else:
                    text += "\n" + line.text.strip()
            if paragraphs and goes_on_with(text) and unfinished(paragraphs[-1]):
                paragraphs[-1] = divided.joined(paragraphs[-1], text)
            else:
                paragraphs.append(text)
    return paragraphs


def _columns(block: Sequence[_Line]) -> tuple[int, int, int]:
    """The column that a block begins in, between its neighbours: a little further left or right is the same one."""
    column = round(min(line.x0 for line in block) / COLUMN)
    return column - 1, column, column + 1


def _is_wrapped(before: _Line, line: _Line, right: float) -> bool:
    """Return whether the next line's first word had no room in this one."""
    if LIST.match(line.text):
        return False
    return bool(DIVIDED.search(before.text.rstrip())) or before.x1 + before.blank + line.first_word > right
