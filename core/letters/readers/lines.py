"""Paragraphs from lines: wrapped lines and divided words are put together, heads and numbers of pages kept out.

The characters of a paragraph as it is read: one kind of blank, nothing unseen, ligatures as their letters.

The parts of a letter's file that are not read as the letter's. Every reader fills one `UnreadText`, for the person.

The notes travel with the document (`Document.notes`): the command line, the report and the window show them.

Plain text and Markdown, in whatever encoding they come.
"""

import gzip
import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from statistics import median
from typing import Literal

from biasprint.core.errors import AppError
from biasprint.core.letters.values import Extracted
from biasprint.core.scorers.checked_files import require_unchanged

_BLANKS = re.compile(r"[ \t\u00a0\u2000-\u200a\u202f\u3000]+")
# Soft hyphens and blanks of no width would part words; tags are never shown.
_UNSEEN = re.compile(r"[\u00ad\u200b\u2060\ufeff\U000e0000-\U000e007f]")
_TAGS = re.compile(r"[\U000e0020-\U000e007e]+")
_LIGATURES = re.compile(r"[\ufb00-\ufb06]")  # ﬀ ﬁ ﬂ ﬃ ﬄ ﬅ ﬆ: how letters are set, not other letters
Beside = Literal["footnotes", "comments", "form fields"]
LONGEST_SHOWN = 90  # characters of what was left out
PAGE_WORD = r"(?:page|pg\.?|p\.|seite|página|sheet)"
PAGE_LINE = re.compile(
    rf"[\W_]*(?:{PAGE_WORD}\s*\d{{1,3}}(?:\s*(?:of|/|von|de)\s*\d{{1,3}})?|\d{{1,3}}\s*(?:of|/)\s*\d{{1,3}})[\W_]*",
    re.IGNORECASE,
)
BARE_NUMBER = re.compile(r"[\W_]*(?:\d{1,3}|[ivx]{1,5})[\W_]*", re.IGNORECASE)
DASHED_NUMBER = re.compile(r"\s*(?:[-–—]\s*\d{1,3}\s*[-–—]|\[\s*\d{1,3}\s*\])\s*")
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
RETURN = re.compile(r"<return>", re.IGNORECASE)  # what stands for a line break in some released tables
LIST = re.compile(r"\s*(?:[-*•–]|\d{1,2}[.)])\s+")
FULL_LINE = 0.75  # of the usual width: a line that long was broken for want of room
LEAST_WIDTH = 45  # characters; narrower lines are an address or a list


def cleaned(paragraph: str) -> str:
    """Blanks as one blank, lines without blanks around them, ligatures as letters; nothing else is changed."""
    text = _LIGATURES.sub(_letters, _UNSEEN.sub("", paragraph.replace("\x00", "").replace("\v", "\n")))
    lines = [_BLANKS.sub(" ", line).strip() for line in text.split("\n")]
    return "\n".join(line for line in lines if line)


def kept(paragraph: str) -> tuple[str, list[int]]:
    """A paragraph as it is read, and the place of each of its characters in the paragraph as it was.

    The letters of a ligature share its place.
    """
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
    shown = [_shown(paragraph[place]) for place in places]
    return "".join(shown), [place for place, letters in zip(places, shown, strict=True) for _ in letters]


def written_in_tags(text: str) -> str:
    """Return the words that a text holds in tag characters, which no program shows."""
    return " ".join("".join(chr(ord(tag) - 0xE0000) for tag in run.group()) for run in _TAGS.finditer(text))


def _letters(ligature: re.Match[str]) -> str:
    return unicodedata.normalize("NFKC", ligature.group())


def _shown(character: str) -> str:
    if character in "\v\n":
        return "\n"
    return _LIGATURES.sub(_letters, _BLANKS.sub(" ", character))


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


@dataclass
class UnreadText:
    """Collects what is left out while a file is read.

    `hidden`: words that nobody sees who looks at the letter. `around`: heads and feet of pages, page numbers among
    them, which are not mentioned.
    `beside`: what belongs to the letter and is outside its text. `unknown`: characters that no reader could name.
    `stays`: the file can be written again, with all of it.
    """

    stays: bool = False
    hidden: list[str] = field(default_factory=list)
    around: list[str] = field(default_factory=list)
    beside: set[Beside] = field(default_factory=set)
    unknown: int = 0

    def notes(self) -> tuple[str, ...]:
        """Return a sentence for each kind of thing that was not read."""
        return tuple(self._sentences())

    def _sentences(self) -> Iterator[str]:
        stays = " In the letter's own file it stays." if self.stays else ""
        hidden = _in_words(self.hidden)
        if hidden:
            words = "1 word" if len(hidden) == 1 else f"{len(hidden):,} words"
            yield f"Hidden text was not read ({words}): {_quoted(' '.join(hidden))}{stays}"
        if self.beside:
            beside: tuple[Beside, ...] = ("footnotes", "comments", "form fields")
            kinds = [kind for kind in beside if kind in self.beside]
            listed = " and ".join(filter(None, (", ".join(kinds[:-1]), kinds[-1])))
            yield f"{listed.capitalize()} were not read.{' In its own file they stay.' if self.stays else ''}"
        around = list(dict.fromkeys(" ".join(text.split()) for text in self.around if text.strip()))
        around = [text for text in around if not (PAGE_LINE.fullmatch(text) or BARE_NUMBER.fullmatch(text))]
        if around:
            yield f"Above or below the text of a page, and not read: {_quoted('”, “'.join(around))}"
        if self.unknown:
            characters = "1 character" if self.unknown == 1 else f"{self.unknown:,} characters"
            yield f"The file does not say which letters {characters} of it are: “\ufffd” stands there instead."


def _in_words(texts: list[str]) -> list[str]:
    return [word for text in texts for word in text.split()]


def _quoted(text: str) -> str:
    """Return the beginning of a text in quotation marks, as the end of a sentence."""
    if len(text) > LONGEST_SHOWN:
        text = f"{text[:LONGEST_SHOWN].rpartition(' ')[0] or text[:LONGEST_SHOWN]} …"
    return f"“{text}”" if text.endswith((".", "!", "?", "…")) else f"“{text}”."


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


def of_lines(text: str, unread: UnreadText | None = None) -> list[str]:
    """Blocks between blank lines; within one, lines that were broken at a width become one again.

    Where nothing but single line ends separates paragraphs, every long line is one. Heads, feet and page numbers go
    to `unread`.
    """
    text = RETURN.sub("\n", text).replace("\r\n", "\n").replace("\r", "\n")
    text = _without_heads(text, UnreadText() if unread is None else unread).replace("\f", "\n\n")
    blocks = [block.strip("\n") for block in re.split(r"\n[ \t]*\n", text) if block.strip()]
    width, divided = _width(text), Hyphens(text)
    return [paragraph for block in blocks for paragraph in _unwrapped(block.split("\n"), width, divided)]


def _width(text: str) -> float:
    """The width at which lines were broken; 0 where they were not."""
    longer = [len(line) for line in text.split("\n") if len(line.strip()) >= LEAST_WIDTH]
    if not longer:
        return 0.0
    usual = median(longer)
    return usual if usual <= 120 and max(longer) <= 1.6 * usual else 0.0


def _unwrapped(lines: list[str], width: float, divided: "Hyphens") -> list[str]:
    lines = [line.strip() for line in lines]
    if width == 0.0:
        if any(len(line) > LEAST_WIDTH * 2 for line in lines):
            return [line for line in lines if line]
        return [_narrow(lines, divided)]
    paragraphs: list[str] = []
    goes_on = False
    for line in lines:
        if paragraphs and ((goes_on and not LIST.match(line)) or runs_on(paragraphs[-1], line)):
            paragraphs[-1] = divided.joined(paragraphs[-1], line)
        elif paragraphs and not goes_on and len(line) < LEAST_WIDTH and len(paragraphs[-1]) < LEAST_WIDTH:
            paragraphs[-1] += "\n" + line  # an address
        else:
            paragraphs.append(line)
        goes_on = len(line) >= FULL_LINE * width
    return [paragraph for paragraph in paragraphs if paragraph]


def _narrow(lines: Sequence[str], divided: "Hyphens") -> str:
    """Short lines: running text becomes one line, and an address keeps its line ends."""
    text, before = lines[0], lines[0]
    for line in lines[1:]:
        text = divided.joined(text, line) if runs_on(before, line) else f"{text}\n{line}"
        before = line
    return text


# ---- Whether a line goes on with the next, told from the words around its end

_END = re.compile(r"[.!?:;…][”\"’')\]]*$")
_SHORTENED = re.compile(r"(?<![\w.])(?:Dr|Prof|Mr|Mrs|Ms|Mx|St|Nos?|Figs?|Eqs?|vols?|pp?|vs|cf|e\.g|i\.e)\.$")
_INNER_END = re.compile(r"\b[a-z]{3,}[.!?][”\"’')]*\s+[“\"‘(]?[A-Z]")
_GREETING = re.compile(
    r"(?:(?:Dear|Hello|Hi|Good (?:morning|day|afternoon|evening))\b|To (?:the|whom|all|our|my|[A-Z]))[^!?;]{0,90},"
)
_LITTLE = frozenset(
    (
        "a", "an", "the", "and", "or", "but", "nor", "of", "to", "in", "on", "at", "by", "for", "from",
        "with", "as", "than", "that", "which", "who", "whose", "whom", "her", "his", "their", "my", "our",
        "its", "is", "are", "was", "were", "be", "been", "has", "have", "had", "will", "would", "can",
        "could", "may", "might", "must", "should", "she", "he", "they", "we", "i", "it", "this", "these",
        "those", "into", "over", "under", "about", "between", "during", "after", "before", "when", "while",
        "where", "because", "if", "not", "very", "more", "most", "so",
    )
)  # fmt: skip


def runs_on(before: str, line: str) -> bool:
    """Return whether the sentence of a line goes on in the next, by its words: the line may be of any length."""
    before, line = before.rstrip(), line.lstrip()
    if not before or not line:
        return False
    if LIST.match(line) and before.split()[-1].lower() not in _LITTLE:
        return False
    if DIVIDED.search(before):
        return line[:1].isalnum()
    if before.endswith(".") and (line[:1].islower() or _SHORTENED.search(before)):
        return True  # “e.g.” or “Dr.” at a line's end
    if before.endswith(" al.") and line[:1] in "([":
        return True
    if _END.search(before) or _GREETING.fullmatch(before.rsplit("\n", 1)[-1]):
        return False
    words = before.rsplit("\n", 1)[-1].split()
    if line[:1].islower():
        return len(words) > 1 or before.endswith(",") or words[0].lower() in _LITTLE
    if words[-1].endswith(","):
        return False  # an address, a salutation
    return (len(words) > 1 and words[-1].lower() in _LITTLE) or bool(_INNER_END.search(" ".join(words)))


def unfinished(text: str) -> bool:
    """Return whether a paragraph stops in the middle of a sentence."""
    return bool(re.search(r"[\w,’'\-–—]$", text.rstrip())) and not _GREETING.fullmatch(text.strip())


def goes_on_with(text: str) -> bool:
    """Return whether a paragraph begins in the middle of a sentence."""
    return text.lstrip()[:1].islower()


# ---- A hyphen at a line's end: of a word that was divided, or of a compound

DIVIDED = re.compile("(\\w[\\w'’]*(?:-\\w+)*)[-\u2010\u00ad]$")
_COMPOUNDS = frozenset(
    (
        "self", "well", "non", "ex", "half", "all", "ever", "co", "post", "pre", "anti", "multi", "inter",
    )
)  # fmt: skip
_LIMBS = frozenset(
    (
        "handed", "headed", "hearted", "known", "mannered", "minded", "natured", "rounded", "spirited", "spoken",
        "tempered",
    )
)  # fmt: skip
_AND = frozenset(("and", "or", "to"))  # “first- and second-year students”
FEWEST_LETTERS = 2


class Hyphens:
    """Joins the two halves of a word at a line's end, as the word is written elsewhere, or as a dictionary has it."""

    def __init__(self, text: str) -> None:
        self._text = text.lower()

    def joined(self, before: str, line: str) -> str:
        """Return two lines as one; a divided word is one word again, and a compound keeps its hyphen."""
        before, line = before.rstrip(), line.lstrip()
        if before.endswith("\u00ad"):  # a soft hyphen says so itself
            return before[:-1] + line
        divided, rest = DIVIDED.search(before), re.match(r"[\w'’]+", line)
        if divided is None or rest is None:
            return f"{before} {line}"
        if rest.group().lower() in _AND:
            return f"{before} {line}"
        return (before if self._is_compound(divided.group(1), rest.group()) else before[:-1]) + line

    def _is_compound(self, first: str, second: str) -> bool:
        if not second[:1].islower() or first[-1:].isdigit() or "-" in first:
            return True
        first, second = first.lower(), re.sub(r"['’]s?$", "", second.lower())
        if re.search(rf"\b{re.escape(first)}-{re.escape(second)}\b", self._text):
            return True
        if re.search(rf"\b{re.escape(first + second)}\b", self._text):
            return False
        if second in _LIMBS and first in _words():  # dictionaries have many of them as one word, and letters have not
            return True
        if first + second in _words():
            return False
        if first in _COMPOUNDS:
            return True
        return all(len(half) > FEWEST_LETTERS and half in _words() for half in (first, second))


@cache
def _words() -> frozenset[str]:
    """English words, from spaCy's tables, without spaCy: the reading process has little memory."""
    names = [f"spacy_lookups_data/data/en_{table}.json.gz" for table in ("lemma_lookup", "lemma_index")]
    require_unchanged("spacy-lookups-data", *names)
    lookup, index = (
        json.loads(gzip.decompress(files("spacy_lookups_data").joinpath("data", name.rpartition("/")[2]).read_bytes()))
        for name in names
    )
    return frozenset((*lookup, *lookup.values(), *(word for kind in index.values() for word in kind), *_LITTLE))


# ---- What stands above and below the text of every page

MOST_HEAD_LINES = 4
LONGEST_HEAD = 70  # characters
_NUMBER = re.compile(r"\d+")


def names_page(text: str, page: int) -> bool:
    """Return whether a line holds the number of this page, said to be one: “J. Carter, page 2”."""
    return bool(re.search(rf"\b{PAGE_WORD}\s*{page}\b|(?<!\S){page}\s*(?:of|/)\s*\d+", text, re.IGNORECASE))


def same_head(first: str, second: str, pages_apart: int) -> bool:
    """Return whether two lines are one running head: alike, but for the numbers of their pages."""
    if _skeleton(first) != _skeleton(second):
        return False
    numbers = zip(map(int, _NUMBER.findall(first)), map(int, _NUMBER.findall(second)), strict=True)
    return all(later - earlier in (0, pages_apart) for earlier, later in numbers)


def _skeleton(text: str) -> str:
    return " ".join(_NUMBER.sub("#", text).casefold().split())


def is_short(text: str) -> bool:
    """Return whether a line may be a head: short, and no sentence's end."""
    return len(text.strip()) <= LONGEST_HEAD and not re.search(r"[a-z]{2}[.!?][”\"’')]*$", text.strip())


def _without_heads(text: str, unread: UnreadText) -> str:
    """Leave out heads and numbers of pages, and join what they parted. Form feeds part pages, where there are any."""
    pages = text.split("\f")
    if len(pages) > 1 and not pages[-1].strip():
        pages.pop()
    kept_pages = [page.split("\n") for page in pages]
    drop = [set(_edges(kept_pages, number)) if len(pages) > 1 else set() for number in range(len(pages))]
    lines: list[str | None] = []
    for number, page in enumerate(kept_pages):
        lines += [None] if number else []  # a page's end
        lines += [None if place in drop[number] else line for place, line in enumerate(page)]
        unread.around += [page[place] for place in sorted(drop[number])]
    if len(pages) == 1:
        for place in sorted(dropped := set(_in_the_midst(text.split("\n")))):
            unread.around.append(str(lines[place]))
        lines = [None if place in dropped else line for place, line in enumerate(lines)]
    return _closed(lines)


def _edges(pages: Sequence[Sequence[str]], number: int) -> Iterator[int]:
    """Yield the places of a page's lines that are its head or foot, from the page's edges inwards."""
    for step in (1, -1):
        outer = [_outer(page, step) for page in pages]
        for depth, place in enumerate(outer[number][:MOST_HEAD_LINES]):
            line = pages[number][place]
            repeated = any(
                same_head(*sorted_pair(line, number, pages[other][outer[other][depth]], other))
                for other in range(len(pages))
                if other != number and depth < len(outer[other]) and is_short(line)
            )
            if not (
                repeated or PAGE_LINE.fullmatch(line) or BARE_NUMBER.fullmatch(line) or names_page(line, number + 1)
            ):
                break
            yield place


def sorted_pair(line: str, page: int, other: str, other_page: int) -> tuple[str, str, int]:
    """Return two lines with the earlier page's first, and how many pages lie between them."""
    return (line, other, other_page - page) if page < other_page else (other, line, page - other_page)


def _outer(page: Sequence[str], step: int) -> list[int]:
    return [place for place in range(len(page))[::step] if page[place].strip()]


def _in_the_midst(lines: Sequence[str]) -> Iterator[int]:
    """Yield page numbers in a text that has no pages any more, with the heads beside them."""
    numbered = [place for place, line in enumerate(lines) if PAGE_LINE.fullmatch(line) or DASHED_NUMBER.fullmatch(line)]
    written = [place for place, line in enumerate(lines) if line.strip()]
    for place in numbered:
        yield place
        at = written.index(place)
        before, after = written[max(0, at - MOST_HEAD_LINES) : at][::-1], written[at + 1 : at + 1 + MOST_HEAD_LINES]
        for beside in (before, after):
            for other in beside:
                repeats = sum(_skeleton(line) == _skeleton(lines[other]) for line in lines)
                if repeats < 2 or not is_short(lines[other]) or other in numbered:
                    break
                yield other
        # A sentence goes on behind the number: what stands between its halves is the next page's head, or this one's
        # foot.
        head = [other for other in after if not goes_on_with(lines[other])]
        tail = next((other for other in after if goes_on_with(lines[other])), None)
        head = [other for other in head if tail is not None and other < tail]
        foot = next((other for other in before if unfinished(lines[other]) and len(lines[other]) > LEAST_WIDTH), None)
        if tail is not None and foot is not None and all(is_short(lines[other]) for other in head):
            yield from head
            yield from (other for other in before if other > foot and is_short(lines[other]))


def _closed(lines: Sequence[str | None]) -> str:
    """Join the lines; where something was left out in the middle of a sentence, no blank line stays."""
    text: list[str] = []
    left_out = False
    blanks: list[str] = []
    for line in lines:
        if line is None:
            left_out = True
        elif not line.strip():
            blanks.append(line)
        else:
            if left_out and text and not (unfinished(text[-1]) and goes_on_with(line)):
                blanks.append("")
            text += [line] if left_out and text and unfinished(text[-1]) and goes_on_with(line) else [*blanks, line]
            left_out, blanks = False, []
    return "\n".join(text)
