"""HTML, rich text and e-mails: what is shown of them is read, and what is hidden is left out and said.

Of an e-mail, from a file or pasted, only the writer's own text is a letter: no headers, quoted mails, signature or
attachments. No attachment is opened, and nothing is fetched. The subject stays above the text, as letterhead.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from email import message_from_bytes, message_from_string
from email.message import EmailMessage, MIMEPart
from email.policy import default
from html.parser import HTMLParser
from typing import NamedTuple, cast

from biasprint.core.errors import AppError
from biasprint.core.letters.readers.lines import UnreadText, decoded, of_lines
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


# ---- E-mails

FEWEST_WORDS = 30  # of a writer's own: with fewer above a forwarded mail, that mail is the letter
LONGEST_SUBJECT = 75  # characters: a longer line would not be letterhead
MOST_NAMED = 3  # attachments
_LETTERS = (".docx", ".odt", ".pdf", ".rtf", ".eml")
_HEADER = re.compile(r"([A-Za-z][A-Za-z0-9-]{1,40}):(?=\s|$)[^\n]*\n?(?:[ \t]+\S[^\n]*\n?)*")
_SENDERS = frozenset(("from", "received", "return-path", "delivered-to"))
_OTHERS = frozenset(("to", "subject", "date", "sent", "cc", "message-id", "mime-version", "received", "reply-to"))
_SAID = ("From", "To", "Cc", "Date", "Sent")

_ORIGINAL = re.compile(r"\s*-{2,}\s*(?:original|forwarded) message\s*-{2,}\s*|\s*begin forwarded message:?\s*", re.I)
_WROTE = re.compile(r"\s*on .{6,200}\bwrote:\s*", re.IGNORECASE)
_BLOCK = re.compile(r"[\s*]*from:\*?\s*\S", re.IGNORECASE)
_BLOCK_GOES_ON = re.compile(r"[\s*]*(?:sent|date|to|subject):", re.IGNORECASE)
_RULE = re.compile(r"\s*[_-]{10,}\s*")


class _Own(NamedTuple):
    """The writer's own lines; the lines of a mail below them that they forward or answer; counts of what went."""

    lines: list[str]
    below: list[str]
    forwards: bool
    quoted: int
    signature: int


def is_mail(text: str) -> bool:
    """Return whether a text begins with the headers of a mail: who sent it, and to whom, when, or about what."""
    names = {match[1].lower() for match in _headers(text.lstrip("\ufeff \t\r\n").replace("\r\n", "\n"))}
    return bool(names & _SENDERS) and len(names & (_SENDERS | _OTHERS)) > 1


def _headers(text: str) -> Iterator[re.Match[str]]:
    place = text.find("\n") + 1 if text.startswith("From ") else 0
    while (match := _HEADER.match(text, place)) is not None:
        yield match
        place = match.end()


def of_mail(data: bytes, name: str) -> Extracted:
    """Return the paragraphs that a mail's writer wrote. Raises `AppError` for a mail without any text."""
    data = data.removeprefix(b"\xef\xbb\xbf").lstrip()
    headers = re.split(rb"\r?\n\r?\n", data, maxsplit=1)[0]
    if headers.isascii():
        return _of_message(message_from_bytes(data, policy=default), name)
    return of_mail_text(decoded(data, name), name)


def of_mail_text(text: str, name: str) -> Extracted:
    """Return the paragraphs of a mail that was pasted, or that has no encoded headers."""
    return _of_message(message_from_string(text.lstrip("\ufeff \t\r\n"), policy=default), name)


def _of_message(parsed: object, name: str) -> Extracted:
    message = cast(EmailMessage, parsed)
    attachments = list(_attachments(message))
    text, notes = _text(message, name)
    if not text.strip():
        raise _no_text(message, name, attachments)
    own = _own_lines(text.split("\n"))
    subject, headers = _value(message, "Subject"), [header for header in _SAID if _value(message, header)]
    if own.below and (not any(map(str.strip, own.lines)) or (own.forwards and _is_short(own.lines))):
        covering = sum(map(bool, map(str.strip, own.lines)))
        forwarded = _of_message(message_from_string("\n".join(own.below), policy=default), name)
        around = f" What stands above it was not read ({_count(covering, 'line')})." if covering else ""
        return Extracted(
            forwarded.paragraphs, notes=(f"The mail that this one forwards was read.{around}", *forwarded.notes)
        )
    unread = UnreadText()
    paragraphs = of_lines("\n".join(own.lines), unread)
    left_out = [
        f"its headers ({', '.join(headers)})" if headers else "",
        f"{_count(own.quoted, 'line')} of a quoted mail" if own.quoted else "",
        f"the signature below “--” ({_count(own.signature, 'line')})" if own.signature else "",
    ]
    return Extracted(
        [*_above(subject), *paragraphs],
        notes=(*_listed(left_out), *_said_of(attachments), *notes, *unread.notes()),
    )


# ---- The parts of a mail


def _text(message: EmailMessage, name: str) -> tuple[str, tuple[str, ...]]:
    """Return the text of the mail's plain part, else of its HTML part, and the notes of the reader of HTML."""
    plain, page = message.get_body(("plain",)), message.get_body(("html",))
    if plain is not None and (text := _decoded(plain, name)).strip():
        return text.replace("\r\n", "\n"), ()
    if page is None:
        return "", ()
    extracted = of_html(_decoded(page, name).encode("utf-8", "replace"), name)
    return "\n\n".join(extracted.paragraphs), extracted.notes


def _decoded(part: MIMEPart, name: str) -> str:
    """Decode a part by its charset; by its bytes where it names none that is known, or a wrong one."""
    raw = part.get_payload()
    encoded = str(part.get("Content-Transfer-Encoding", "")).lower().strip() in ("base64", "quoted-printable")
    if isinstance(raw, str) and not encoded and not raw.isascii() and "\ufffd" not in raw:
        return raw  # decoded already, by the mail's own charset or because it was pasted
    data = part.get_payload(decode=True)
    if not isinstance(data, bytes):
        return ""
    try:
        return data.decode(part.get_content_charset() or "")
    except (LookupError, UnicodeDecodeError):
        return decoded(data, name) if data.strip() else ""


def _value(message: EmailMessage, header: str) -> str:
    try:
        return " ".join(str(message.get(header, "")).split())
    except (ValueError, TypeError, AttributeError, IndexError, LookupError):  # a header that Python cannot parse
        return ""


def _attachments(message: EmailMessage) -> Iterator[str]:
    """Yield the names of what is attached, pictures within the text left out."""
    for part in message.walk():
        kind = part.get_content_type()
        if kind == "message/rfc822":
            yield "an attached mail"
        named = part.get_filename()
        if named and not (kind.startswith("image/") and part.get_content_disposition() != "attachment"):
            yield " ".join(named.split())[:80]


def _no_text(message: EmailMessage, name: str, attachments: Sequence[str]) -> AppError:
    if message.get_content_type() in ("multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime"):
        hint = "Open it in your mail program, and paste the letter’s text."
        return AppError(f"“{name}” is an encrypted mail.", hint=hint)
    if attachments:
        listed = ", ".join(f"“{attached}”" for attached in attachments[:MOST_NAMED])
        hint = "Save the attachment, and open it by itself."
        return AppError(f"“{name}” is a mail without a text. Attached: {listed}.", hint=hint)
    return AppError(f"“{name}” is a mail without a text.", hint="Choose the mail that holds the letter.")


def _said_of(attachments: Sequence[str]) -> Iterator[str]:
    if not attachments:
        return
    listed = ", ".join(f"“{attached}”" for attached in attachments[:MOST_NAMED])
    more = f" and {len(attachments) - MOST_NAMED} more" if len(attachments) > MOST_NAMED else ""
    letter = next((attached for attached in attachments if attached.lower().endswith(_LETTERS)), "")
    advice = f" If “{letter}” is the letter, save it and open it by itself." if letter else ""
    yield f"Attached, and not read: {listed}{more}.{advice}"


# ---- The text of a mail


def _own_lines(lines: Sequence[str]) -> _Own:
    """Part the writer's own lines from a mail below them, from lines that “>” quotes, and from a signature."""
    own: list[str] = []
    below: list[str] = []
    forwards, quoted, signature = False, 0, 0
    for place, line in enumerate(lines):
        start = _below(lines, place)
        if start is not None:
            below, quoted = list(lines[start:]), quoted + sum(map(bool, map(str.strip, lines[place:])))
            forwards = "wrote:" not in "".join(lines[place:start])
            break
        if line.lstrip().startswith(">"):
            quoted += 1
        elif line.rstrip() == "--" or (signature and line.strip()):
            signature += 1
        elif not signature:
            own.append(line)
    return _Own(own, below, forwards, quoted, max(0, signature - 1))


def _below(lines: Sequence[str], place: int) -> int | None:
    """Return where the text of a mail begins that is quoted from this line on; None where none is."""
    line = lines[place]
    if _ORIGINAL.fullmatch(line):
        return place + 1
    if _WROTE.fullmatch(line):
        return place + 1
    wrapped = place + 1 < len(lines) and line.lower().lstrip().startswith("on ")
    if wrapped and not line.rstrip().endswith(".") and _WROTE.fullmatch(f"{line} {lines[place + 1]}"):
        return place + 2
    start = place + 1 if _RULE.fullmatch(line) and place + 1 < len(lines) else place
    if _BLOCK.match(lines[start]) and sum(map(bool, map(_BLOCK_GOES_ON.match, lines[start + 1 : start + 5]))) > 1:
        return start
    return None


def _is_short(lines: Sequence[str]) -> bool:
    return len(" ".join(lines).split()) < FEWEST_WORDS


def _above(subject: str) -> Iterator[str]:
    """Yield the subject as a line of letterhead: short, and no sentence."""
    subject = re.sub(r"^(?:(?:re|fwd?|aw|wg)\s*:\s*)+", "", subject, flags=re.IGNORECASE)
    if subject:
        cut = subject if len(subject) <= LONGEST_SUBJECT else f"{subject[:LONGEST_SUBJECT].rstrip()}…"
        yield f"Subject: {cut.rstrip('.!?')}"


def _listed(left_out: Sequence[str]) -> Iterator[str]:
    named = [what for what in left_out if what]
    if named:
        yield f"Of the mail were not read: {' and '.join(filter(None, (', '.join(named[:-1]), named[-1])))}."


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"
