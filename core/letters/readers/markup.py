"""HTML and rich text: what is shown of them is read, and what is hidden is left out and said."""

import re
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser

from biasprint.core.letters.readers.lines import UnreadText, decoded
from biasprint.core.letters.values import Extracted

# ---- HTML

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
# A new one of these ends one that is open: their end tags may be left out.
_CLOSES = {"p": {"p"}, "li": {"li", "p"}, "dt": {"dt", "dd", "p"}, "dd": {"dt", "dd", "p"}, "tr": {"tr", "td", "th"},
           "td": {"td", "th", "p"}, "th": {"td", "th", "p"}}  # fmt: skip
MOST_OPEN = 500  # elements within each other

_ZERO = r"0+(?:\.0+)?(?:px|pt|em|rem|%)?"
_UNSEEN_STYLE = re.compile(
    r"display:none|visibility:(?:hidden|collapse)|mso-hide:all|opacity:0+(?:\.0+)?(?![\d.])|color:transparent"
    rf"|font-size:{_ZERO}(?![\w.%])|font-size:[01](?:\.\d+)?p[xt]|clip:rect\(0"
    rf"|(?<![\w-])(?:left|right|top|bottom|text-indent|margin-left|margin-top):-\d{{3,}}"
    rf"|(?<![\w-])(?:max-)?(?:height|width):{_ZERO};?.*overflow:hidden"
    rf"|overflow:hidden.*(?<![\w-])(?:max-)?(?:height|width):{_ZERO}(?![\w.%])"
)
_WHITE = re.compile(r"(?<![\w-])color:(?:white|#f[a-f]f[a-f]f[a-f]|#fff|rgba?\(25[0-5],25[0-5],25[0-5])(?![\da-f])")
_COLOUR = re.compile(r"(?<![\w-])color:")
_GROUND = re.compile(r"background(?:-color|-image)?:(?!none|transparent|inherit|initial|white|#fff)")
_WHITE_GROUND = re.compile(r"background(?:-color)?:(?:white|#fff(?:fff)?)(?![\da-f])")
_BRACE = re.compile(r"([^{}]*)([{}])")
_SEEN_MEDIA = re.compile(r"@media\s+(?:only\s+)?(?:all|screen)")
MOST_RULES = 2_000
_SELECTOR = re.compile(r"([\w-]+|\*)?((?:[.#][\w-]+)*)")


@dataclass(frozen=True)
class _Open:
    tag: str
    hidden: bool
    white: bool
    dark: bool


@dataclass
class _Sheet:
    """The rules of a page's own style sheet for single elements: by tag, class and id."""

    rules: list[tuple[str, frozenset[str], str]] = field(default_factory=list)

    def add(self, css: str) -> None:
        around: list[str] = []
        for text, brace in _BRACE.findall(re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL)):
            if brace == "{":
                around.append(text.strip().lower())
            elif around:
                selectors = around.pop()
                if not selectors.startswith("@") and all(_SEEN_MEDIA.fullmatch(outer) for outer in around):
                    self._add_rule(selectors, text)

    def _add_rule(self, selectors: str, declarations: str) -> None:
        for selector in selectors.rpartition(";")[2].split(","):
            match = _SELECTOR.fullmatch(selector.strip())
            if match is not None and selector.strip() and len(self.rules) < MOST_RULES:
                marks = frozenset(re.findall(r"[.#][\w-]+", match.group(2)))
                self.rules.append((match.group(1) or "*", marks, declarations))

    def style_of(self, tag: str, attributes: dict[str, str]) -> str:
        own = {f".{name}" for name in attributes.get("class", "").lower().split()}
        own.add(f"#{attributes.get('id', '').lower()}")
        rules = [style for of_tag, marks, style in self.rules if of_tag in ("*", tag) and marks <= own]
        style = ";".join((*rules, attributes.get("style", "")))
        return re.sub(r"\s+|!important", "", style.lower())


class _Parser(HTMLParser):
    def parse_marked_section(self, i: int, report: int = 1) -> int:
        """Parse “<![” as a comment to the next “>”, as browsers do: the library stops at some text after it."""
        return self.parse_bogus_comment(i, bool(report))


class _Paragraphs(_Parser):
    def __init__(self, sheet: _Sheet, unread: UnreadText) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self._sheet, self._unread = sheet, unread
        self._pieces: list[str] = []
        self._open: list[_Open] = []
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
        if tag not in _NEVER_CLOSED:
            self._enter(tag, {name: value or "" for name, value in attrs})

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _NEVER_CLOSED or tag in _BLOCKS:
            self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if tag in _SILENT:
            self._silent = max(0, self._silent - 1)
        if tag in _BLOCKS:
            self._end()
        self._exact = max(0, self._exact - (tag == "pre"))
        depth = next((depth for depth in reversed(range(len(self._open))) if self._open[depth].tag == tag), None)
        if depth is not None:
            del self._open[depth:]

    def handle_data(self, data: str) -> None:
        if self._silent:
            return
        if self._open and (self._open[-1].hidden or (self._open[-1].white and not self._open[-1].dark)):
            self._unread.hidden.append(data)
            return
        self._pieces.append(data if self._exact else " ".join(f"x{data}x".split())[1:-1])

    def close(self) -> None:
        super().close()
        self._end()

    def _enter(self, tag: str, attributes: dict[str, str]) -> None:
        while self._open and self._open[-1].tag in _CLOSES.get(tag, ()):
            self._open.pop()
        if len(self._open) >= MOST_OPEN:
            return
        around = self._open[-1] if self._open else _Open("", hidden=False, white=False, dark=False)
        style = self._sheet.style_of(tag, attributes)
        hidden = around.hidden or "hidden" in attributes or bool(_UNSEEN_STYLE.search(style))
        white = bool(_WHITE.search(style)) if _COLOUR.search(style) else around.white
        dark = bool(_GROUND.search(style)) or "bgcolor" in attributes or "background" in attributes
        dark = dark or (around.dark and not _WHITE_GROUND.search(style))
        self._open.append(_Open(tag, hidden, white, dark))

    def _end(self) -> None:
        lines = ["".join(self._pieces)] if self._exact else "".join(self._pieces).split("\n")
        self._pieces = []
        text = "\n".join(line if self._exact else " ".join(line.split()) for line in lines).strip("\n")
        if text.strip():
            self.found.append(text)


class _Styles(_Parser):
    def __init__(self) -> None:
        super().__init__()
        self.sheet = _Sheet()
        self._inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._inside = tag == "style" and dict(attrs).get("media") in (None, "", "all", "screen")

    def handle_endtag(self, tag: str) -> None:
        self._inside = False

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.sheet.add(data)


_NO_SIGN = re.compile(r"&#(?:[xX][0-9a-fA-F]{7,}|[0-9]{8,});?")  # a number that no sign has


def of_html(data: bytes, name: str) -> Extracted:
    """The text of each block, in order; blanks as a browser shows them, a <br> as a line break."""
    text, unread = _NO_SIGN.sub("\ufffd", decoded(data, name)), UnreadText()
    styles = _Styles()
    styles.feed(text)
    parser = _Paragraphs(styles.sheet, unread)
    parser.feed(text)
    parser.close()
    return Extracted(parser.found, notes=unread.notes())


# ---- Rich text

_TOKEN = re.compile(
    r"\\([a-z]{1,32})(-?\d{1,10})?[ ]?|\\'([0-9a-f]{2})|\\([^a-z])|([{}])|[\r\n]+|([^\\{}\r\n]+)", re.IGNORECASE
)
_COLOURS = re.compile(r"\{\\colortbl([^{}]*)\}")
_SHADED = re.compile(r"\\(?:clcbpat|cbpat|chcbpat|highlight|cb)[1-9]")
_BINARY = re.compile(r"\\bin\d")
_NOT_SHOWN = frozenset(("fonttbl", "colortbl", "stylesheet", "info", "pict", "themedata", "datastore", "generator"))
_AROUND = frozenset(("header", "headerf", "headerl", "headerr", "footer", "footerf", "footerl", "footerr"))
_SMALLEST = 4  # half points


@dataclass(frozen=True)
class _Look:
    """The look of a group's text: `where` is the destination that it goes to, “” for the letter."""

    hidden: bool = False
    deleted: bool = False
    colour: int = 0
    size: int = 24
    where: str = ""
    stand_ins: int = 1  # characters after a Unicode one, for programs that know none


def of_rtf(data: bytes, name: str) -> Extracted:
    """The text, one paragraph a line; `AppError` for what cannot be followed."""
    from striprtf.striprtf import rtf_to_text

    unread = UnreadText()
    shown = _shown(data.decode("latin-1"), unread)
    text = str(rtf_to_text(shown, errors="replace"))  # type: ignore[no-untyped-call]
    return Extracted(text.replace("\r", "").split("\n"), notes=unread.notes())


def _shown(text: str, unread: UnreadText) -> str:
    """Rich text without what is hidden or deleted in it; that, and notes, heads and feet, go to `unread`."""
    if _BINARY.search(text):  # the bytes of a picture are no tokens
        return text
    white = _white(text)
    out: list[str] = []
    hidden: list[str] = []
    stack: list[_Look] = []
    look, stand_ins = _Look(), 0
    for token in _TOKEN.finditer(text):
        if token.group(5):
            if token.group() == "{":
                stack.append(look)
            else:
                look = stack.pop() if stack else _Look()
        look = _changed(look, token, unread)
        letters = _letters(token)
        if token.group(1) == "u":
            stand_ins = look.stand_ins
        elif letters:
            letters, stand_ins = letters[stand_ins:], 0
        if look.where in _AROUND and letters:
            unread.around[-1] += letters
        unseen = look.hidden or look.colour in white or look.size <= _SMALLEST
        if not look.where and (unseen or look.deleted) and (_is_words(token) or (look.hidden and letters)):
            hidden.append(letters if unseen else "")
            continue
        hidden += [" "] if letters and hidden else []
        out.append(token.group())
    unread.hidden.append("".join(hidden))
    return "".join(out)


def _changed(look: _Look, token: re.Match[str], unread: UnreadText) -> _Look:
    """The look after a control word."""
    word, value = token.group(1), int(token.group(2)) if token.group(2) else None
    if word == "v":
        return replace(look, hidden=value != 0)
    if word == "deleted":
        return replace(look, deleted=value != 0)
    if word == "cf":
        return replace(look, colour=value or 0)
    if word == "fs":
        return replace(look, size=24 if value is None else value)
    if word == "uc":
        return replace(look, stand_ins=1 if value is None else value)
    if word == "plain":
        return replace(look, hidden=False, deleted=False, colour=0, size=24)
    if word in ("footnote", "annotation"):
        unread.beside.add("footnotes" if word == "footnote" else "comments")
        return replace(look, where=word)
    if word in _AROUND or word in _NOT_SHOWN:
        unread.around += [""] if word in _AROUND else []
        return replace(look, where=word)
    return look


def _letters(token: re.Match[str]) -> str:
    word, number, code, sign, _, plain = token.groups()
    if word == "u" and number:
        return chr(int(number) % 0x10000)
    if word in ("par", "line", "tab", "page", "sect"):
        return " "
    if code:
        return bytes([int(code, 16)]).decode("cp1252", "replace")
    return sign if sign and sign in "{}\\" else plain or ""


def _is_words(token: re.Match[str]) -> bool:
    word, _, code, sign, _, plain = token.groups()
    return word == "u" or bool(code or plain) or (sign is not None and sign in "{}\\")


def _white(text: str) -> frozenset[int]:
    """The numbers of the white colours; none where anything is shaded, for white may be seen there."""
    table = _COLOURS.search(text)
    if table is None or _SHADED.search(text):
        return frozenset()
    colours = table.group(1).split(";")
    return frozenset(
        place for place, colour in enumerate(colours) if len(re.findall(r"\\(?:red|green|blue)25[0-5]", colour)) == 3
    )
