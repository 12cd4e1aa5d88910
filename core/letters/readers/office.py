"""The formats of word processors: docx and odt. What is hidden in one is set apart before it is read.

Setting apart renames elements in the tree, so that reader and writer (`core.letters.word`) skip the same ones; a writer
gives them their names back before it writes.
"""

import io
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from biasprint.core.errors import AppError
from biasprint.core.letters.readers.lines import PAGE_LINE, UnreadText
from biasprint.core.letters.values import Extracted
from biasprint.core.machine.processor import raise_out_of_memory

# ---- Files inside a zip

HINT = "Ask for a fresh copy, or paste the letter’s text."
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
        except Exception as error:  # of a broken archive, of many kinds
            raise_out_of_memory(error)
            raise self._damaged(error) from error
        self._left -= len(data)
        if self._left < 0:
            raise AppError(f"“{self._name}” unpacks to far more than a letter holds, and was not read.", hint=HINT)
        return data

    def _damaged(self, error: Exception) -> AppError:
        return AppError(f"“{self._name}” is damaged or cut off.", hint=HINT, details=f"{type(error).__name__}: {error}")


# ---- Paragraphs of a docx: body, tables, text boxes; deleted text of tracked changes left out, inserted text kept

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"  # a text box stands there twice
# The name of an element that is set apart; `_NAMED` has its own. Of no namespace: one would stay declared in the file.
HIDDEN, _NAMED = "set-apart", "set-apart-from"
NOT_IN_DOCX = {
    f"{W}del", f"{W}moveFrom", f"{W}instrText", f"{W}footnoteReference", f"{W}commentReference", _FALLBACK, HIDDEN,
}  # fmt: skip
BODY = "word/document.xml"
STYLES = "word/styles.xml"


def of_docx(data: bytes, name: str) -> Extracted:
    """The paragraphs in reading order, those of the first page's header first; and what was left out, in words."""
    packed, unread = Packed(data, name), UnreadText(stays=True)
    names = packed.names()
    styles = packed.xml(STYLES) if STYLES in names else None
    texts = [raw for *_, raw in docx_story(names, packed.xml, styles, unread)]
    for kind, parts in (("footnotes", ("word/footnotes", "word/endnotes")), ("comments", ("word/comments",))):
        beside = [part for part in names if part.startswith(parts) and part.endswith(".xml")]
        if any(_docx_words(packed.xml(part)) for part in beside):
            unread.beside.add("comments" if kind == "comments" else "footnotes")
    footers = sorted(part for part in names if part.startswith("word/footer") and part.endswith(".xml"))
    unread.around += [_docx_words(packed.xml(part)) for part in footers]
    return Extracted(texts, notes=unread.notes())


def docx_story(
    names: Iterable[str], xml: Callable[[str], Any], styles: Any, unread: UnreadText | None = None
) -> Iterator[tuple[Any, list[tuple[Any, str]], bool, str]]:
    """The paragraphs that are read of a docx: element, pieces, whether it is in a header, and its whole text.

    `xml` gives the root of a part. No paragraph of a header is read twice, and no page number.
    """
    look, unread = _DocxLook(styles), UnreadText() if unread is None else unread
    seen: set[str] = set()
    for part in header_parts(names):
        for element, pieces in docx_paragraphs(_set_apart(xml(part), look, unread)):
            raw = "".join(text for _, text in pieces)
            if PAGE_LINE.fullmatch(raw.strip()):
                unread.around.append(raw)
            elif raw.strip() and raw not in seen:
                seen.add(raw)
                yield element, pieces, True, raw
    for element, pieces in docx_paragraphs(_set_apart(xml(BODY), look, unread)):
        yield element, pieces, False, "".join(text for _, text in pieces)


def header_parts(names: Iterable[str]) -> list[str]:
    """The files of the headers that are read with the letter."""
    return sorted(part for part in names if part.startswith("word/header") and part.endswith(".xml"))[:3]


def _docx_words(root: Any) -> str:
    return " ".join("".join(text for _, text in pieces) for _, pieces in docx_paragraphs(root)).strip()


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


# ---- What nobody sees of a docx

_OFF = ("0", "false", "off", "none")
_WHITE = re.compile(r"[fF][a-fA-F]" * 3)
SMALLEST = 4  # half points: nobody reads smaller letters


class _DocxLook:
    """Tells hidden runs, by their own properties, those of their styles and those of the document."""

    def __init__(self, styles: Any) -> None:
        self._styles: dict[str, Any] = {}
        self._default = ""
        self._document = None if styles is None else styles.find(f"{W}docDefaults/{W}rPrDefault/{W}rPr")
        for style in () if styles is None else styles.iter(f"{W}style"):
            self._styles[style.get(f"{W}styleId", "")] = style
            if style.get(f"{W}type") == "paragraph" and style.get(f"{W}default") in ("1", "true", "on"):
                self._default = style.get(f"{W}styleId", "")

    def hides(self, run: Any) -> bool:
        """Return whether nobody sees a run: it is hidden, too small to be read, or white on white."""
        paragraph = next((around for around in run.iterancestors() if around.tag == f"{W}p"), None)
        properties = list(self._of_run(run, paragraph))
        vanish, size, colour = (_first(properties, name) for name in ("vanish", "sz", "color"))
        if vanish is not None and vanish.get(f"{W}val", "1") not in _OFF:
            return True
        if size is not None and _number(size.get(f"{W}val"), SMALLEST + 1) <= SMALLEST:
            return True
        white = colour is not None and _WHITE.fullmatch(colour.get(f"{W}val") or "")
        return bool(white) and not self._is_shaded(run, paragraph, properties)

    def _of_run(self, run: Any, paragraph: Any) -> Iterator[Any]:
        """Yield the properties that say how a run looks, its own first."""
        own = run.find(f"{W}rPr")
        if own is not None:
            yield own
            yield from self._of_style(_named(own, "rStyle"))
        ends = None if paragraph is None else paragraph.find(f"{W}pPr")
        yield from self._of_style(("" if ends is None else _named(ends, "pStyle")) or self._default)
        if self._document is not None:
            yield self._document

    def _of_style(self, name: str) -> Iterator[Any]:
        seen: set[str] = set()
        while name in self._styles and name not in seen:
            seen.add(name)
            own = self._styles[name].find(f"{W}rPr")
            if own is not None:
                yield own
            name = _named(self._styles[name], "basedOn")

    def _is_shaded(self, run: Any, paragraph: Any, properties: Iterable[Any]) -> bool:
        """Return whether something dark may lie under a run. A text box or styled table is taken to have a colour."""
        if _first(properties, "highlight") is not None or any(map(_has_shade, properties)):
            return True
        ends = None if paragraph is None else paragraph.find(f"{W}pPr")
        if ends is not None and (_has_shade(ends) or self._style_shades(_named(ends, "pStyle"))):
            return True
        for around in run.iterancestors():
            cell = around.find(f"{W}tcPr") if around.tag == f"{W}tc" else None
            table = around.find(f"{W}tblPr") if around.tag == f"{W}tbl" else None
            if around.tag == f"{W}txbxContent" or (cell is not None and _has_shade(cell)):
                return True
            if table is not None and (_has_shade(table) or _named(table, "tblStyle")):
                return True
        return run.getroottree().getroot().find(f"{W}background") is not None

    def _style_shades(self, name: str) -> bool:
        style = self._styles.get(name)
        ends = None if style is None else style.find(f"{W}pPr")
        return ends is not None and _has_shade(ends)


def _first(properties: Iterable[Any], name: str) -> Any:
    found = (each.find(f"{W}{name}") for each in properties)
    return next((element for element in found if element is not None), None)


def _named(element: Any, name: str) -> str:
    child = element.find(f"{W}{name}")
    return "" if child is None else str(child.get(f"{W}val", ""))


def _has_shade(properties: Any) -> bool:
    shade = properties.find(f"{W}shd")
    fill = "" if shade is None else shade.get(f"{W}fill") or shade.get(f"{W}themeFill") or ""
    return fill not in ("", "auto") and not _WHITE.fullmatch(fill)


def _set_apart(root: Any, look: _DocxLook, unread: UnreadText) -> Any:
    """Set the hidden runs of a part apart, and return its root."""
    for run in list(root.iter(f"{W}r")):
        if look.hides(run) and not any(above.tag in NOT_IN_DOCX for above in run.iterancestors()):
            hidden = "".join(text for _, text in _docx_pieces(run))
            if hidden:
                unread.hidden.append(hidden)
                _rename(run)
    return root


def _rename(element: Any) -> None:
    element.set(_NAMED, element.tag)
    element.tag = HIDDEN


def put_back(root: Any) -> None:
    """Give the elements that were set apart their own names back."""
    for element in list(root.iter(HIDDEN)):
        element.tag = element.attrib.pop(_NAMED)


# ---- Paragraphs of an OpenDocument text

TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
FO = "{urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0}"
_NOT_IN_ODT = {f"{TEXT}tracked-changes", f"{TEXT}note", f"{OFFICE}annotation", f"{TEXT}table-of-content", HIDDEN}
ODT_BODY, ODT_STYLES = "content.xml", "styles.xml"
ODT_BLOCKS = (f"{TEXT}p", f"{TEXT}h")


def of_odt(data: bytes, name: str) -> Extracted:
    """The paragraphs and headings in reading order; notes and comments left out."""
    packed, unread = Packed(data, name), UnreadText(stays=True)
    root = packed.xml(ODT_BODY)
    styles = packed.xml(ODT_STYLES) if ODT_STYLES in packed.names() else None
    body = root.find(f".//{OFFICE}text")
    if body is None:
        return Extracted([])
    odt_set_apart(root, styles, unread)
    texts = ["".join(piece.text for piece in pieces) for _, pieces in odt_paragraphs(body)]
    unread.beside |= {"footnotes"} if next(body.iter(f"{TEXT}note"), None) is not None else set()
    unread.beside |= {"comments"} if next(body.iter(f"{OFFICE}annotation"), None) is not None else set()
    for around in () if styles is None else styles.iter(*(f"{STYLE}{kind}" for kind in _AROUND)):
        unread.around += ["".join(block.itertext()) for block in around.iter(*ODT_BLOCKS)]
    return Extracted(texts, notes=unread.notes())


_AROUND = ("header", "footer", "header-first", "footer-first", "header-left", "footer-left")
_SMALLEST = re.compile(r"(?:[01](?:\.\d+)?|2(?:\.0+)?)pt")


class _OdtLook(NamedTuple):
    """The look of a style's text; `None` where the style leaves it open."""

    hidden: bool | None = None
    white: bool | None = None
    dark: bool | None = None

    def over(self, other: "_OdtLook") -> "_OdtLook":
        """Return this look where it says something, and the other's where it does not."""
        return _OdtLook(*(own if own is not None else its for own, its in zip(self, other, strict=True)))


def odt_set_apart(root: Any, styles: Any, unread: UnreadText | None = None) -> None:
    """Set apart what nobody sees of an odt: hidden sections, paragraphs and words, tiny ones, and white on white."""
    unread = UnreadText() if unread is None else unread
    looks = _odt_looks([each for each in (styles, root) if each is not None])
    body = root.find(f".//{OFFICE}text")
    _apart_below(body, _OdtLook(), looks, unread)


def _apart_below(element: Any, look: _OdtLook, looks: Mapping[str, _OdtLook], unread: UnreadText) -> None:
    stack = [(child, look) for child in element]
    while stack:
        child, around = stack.pop()
        if not isinstance(child.tag, str) or child.tag in _NOT_IN_ODT:
            continue
        own = looks.get(child.get(f"{TEXT}style-name") or child.get(f"{_TABLE}style-name") or "", _OdtLook()).over(
            around
        )
        hidden = child.get(f"{TEXT}display") == "none" or child.get(f"{TEXT}is-hidden") == "true" or own.hidden
        if child.tag.startswith(_DRAWN):
            own = own._replace(dark=True)  # a shape is taken to have a colour
        if child.tag == f"{TEXT}section":
            hidden = child.get(f"{TEXT}display") in ("none", "condition") and child.get(f"{TEXT}is-hidden") != "false"
        if (hidden or (own.white and not own.dark)) and child.tag in _HIDEABLE:
            # In reading order, though the stack is taken from its end.
            unread.hidden.insert(0, " ".join(_odt_words(child)))
            _rename(child)
            continue
        stack += [(below, own) for below in child]


_DRAWN = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_HIDEABLE = {f"{TEXT}{kind}" for kind in ("section", "p", "h", "span", "a", "hidden-text", "list")}


def _odt_words(element: Any) -> Iterator[str]:
    inner = [block for block in element.iter(*ODT_BLOCKS) if block is not element] or [element]
    yield from ("".join(piece.text for piece in odt_pieces(block)) for block in inner)


def _odt_looks(roots: Iterable[Any]) -> dict[str, _OdtLook]:
    own: dict[str, _OdtLook] = {}
    parents: dict[str, str] = {}
    for style in (style for root in roots for style in root.iter(f"{STYLE}style")):
        name = style.get(f"{STYLE}name", "")
        parents[name] = style.get(f"{STYLE}parent-style-name", "")
        own[name] = _odt_look(style)
    looks = {}
    for name, look in own.items():
        parent, seen = parents[name], {name}
        while parent in own and parent not in seen:
            look, seen, parent = look.over(own[parent]), seen | {parent}, parents[parent]
        looks[name] = look
    return looks


def _odt_look(style: Any) -> _OdtLook:
    hidden = white = dark = None
    for properties in style:
        display, colour = properties.get(f"{TEXT}display"), properties.get(f"{FO}color")
        ground, size = properties.get(f"{FO}background-color"), properties.get(f"{FO}font-size")
        hidden = display == "none" if display is not None else hidden
        hidden = True if size is not None and _SMALLEST.fullmatch(size) else hidden
        white = bool(_WHITE.fullmatch(colour.lstrip("#"))) if colour is not None else white
        if ground is not None:
            dark = ground != "transparent" and not _WHITE.fullmatch(ground.lstrip("#"))
    return _OdtLook(hidden, white, dark)


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
            yield OdtPiece(child, "sign", " " * min(_number(child.get(f"{TEXT}c"), 1), 80))
        elif child.tag == f"{TEXT}tab":
            yield OdtPiece(child, "sign", "\t")
        elif child.tag == f"{TEXT}line-break":
            yield OdtPiece(child, "sign", "\n")
        elif child.tag not in _NOT_IN_ODT and child.tag not in ODT_BLOCKS and isinstance(child.tag, str):
            yield from odt_pieces(child)
        yield OdtPiece(child, "tail", (child.tail or "").translate(_BLANK))


def _number(text: str | None, otherwise: int) -> int:
    """A small number that an attribute holds; `otherwise` where it holds none."""
    return int(text) if text is not None and re.fullmatch(r"\d{1,6}", text) else otherwise
