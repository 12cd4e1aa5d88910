"""E-mails, from a file or pasted: the writer's own text without headers, quoted mails, signature and attachments.

No attachment is opened, and nothing is fetched. The subject stays above the text, as letterhead.
"""

import re
from collections.abc import Iterator, Sequence
from email import message_from_bytes, message_from_string
from email.message import EmailMessage, MIMEPart
from email.policy import default
from typing import NamedTuple, cast

from biasprint.core.errors import AppError
from biasprint.core.letters.readers.lines import UnreadText, decoded, of_lines
from biasprint.core.letters.readers.markup import of_html
from biasprint.core.letters.values import Extracted

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
        hint = "Open it in your mail program, and paste the letter's text."
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
