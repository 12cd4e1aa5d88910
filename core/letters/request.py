"""The settings for reading a letter or having one written, from the command line and window to the compute process.

The house list: words that a person or an office never wants marked, or always, each with a reason.

It is one csv file in the data folder, and the same file is exported and imported. A line that cannot be used is named;
the others are.
"""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from biasprint.core.errors import AppError, UsageError
from biasprint.core.given import ordinary_file
from biasprint.core.letters.categories import any_of, categories
from biasprint.core.letters.values import HOUSE_LIST, Category, Document, DocumentKind, Mark, Part, PartKind, Sentence
from biasprint.core.machine.files import write_whole
from biasprint.core.machine.storage import home
from biasprint.core.swap import Person
from biasprint.core.text import for_matching, sha256_text, with_guard, without_guard

if TYPE_CHECKING:
    import _csv

    from biasprint.core.letters.references import ReferenceSet

What = Literal["ignore", "mark"]
COLUMNS = ("words", "what", "category", "reason")
MOST_BYTES, MOST_ENTRIES, LONGEST_WORDS, LONGEST_REASON = 1_000_000, 2_000, 80, 300
_WORDS = re.compile(r"[^\W_][\w'-]*\*?(?: [^\W_][\w'-]*\*?)*")
_PLAIN = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "‐": "-", "‑": "-"})


@dataclass(frozen=True)
class HouseEntry:
    """`words` in lower case, `*` is any ending. `category`: which marks are meant; None, for ignoring only, all."""

    words: str
    what: What
    category: Category | None = None
    reason: str = ""


@dataclass(frozen=True)
class HouseList:
    """The words to ignore always and the words to mark always."""

    entries: tuple[HouseEntry, ...] = ()

    @property
    def version(self) -> str:
        """A version that changes with every entry; "" without any."""
        lines = "\n".join(f"{entry.words}\t{entry.what}\t{entry.category}" for entry in self.entries)
        return sha256_text(lines)[:12] if self.entries else ""

    def touches(self, category: str) -> bool:
        """Return whether the list can change the marks of this category."""
        return any(entry.category in (None, category) for entry in self.entries)

    def ignores(self, words: str) -> bool:
        """Return whether any of these words, in lower case, is never to be marked, in any category."""
        return any(pattern.search(words) for pattern in self._ignored.values())

    def applied(self, sentences: Sequence[Sentence], marks: Sequence[Mark]) -> tuple[Mark, ...]:
        """The marks without those that the list ignores, and with those that it makes, in order."""
        if not self.entries:
            return tuple(marks)
        by_sentence: dict[int, list[Mark]] = {}
        for mark in marks:
            by_sentence.setdefault(mark.sentence, []).append(mark)
        return tuple(
            mark
            for sentence in sentences
            if sentence.part == "body"
            for mark in self._of_sentence(sentence, by_sentence.get(sentence.index, []))
        )

    def _of_sentence(self, sentence: Sentence, marks: list[Mark]) -> list[Mark]:
        text = sentence.text.translate(_PLAIN).lower()
        if len(text) != len(sentence.text):  # a few letters grow when they are folded
            text = "".join(
                character.lower() if len(character.lower()) == 1 else character
                for character in sentence.text.translate(_PLAIN)
            )
        for category, pattern in self._ignored.items():
            spans = [(sentence.start + hit.start(), sentence.start + hit.end()) for hit in pattern.finditer(text)]
            marks = [mark for mark in marks if category not in (None, mark.category) or not _touches_any(mark, spans)]
        own = list(self._made(sentence, text))
        marks = [
            mark
            for mark in marks
            if not _touches_any(
                mark, [(own_mark.start, own_mark.end) for own_mark in own if own_mark.category == mark.category]
            )
        ]
        return sorted([*marks, *own], key=lambda mark: (mark.start, -mark.end))

    def _made(self, sentence: Sentence, text: str) -> Iterator[Mark]:
        for category, (pattern, reasons) in self._marked.items():
            for hit in pattern.finditer(text):
                start, words = sentence.start + hit.start(), sentence.text[hit.start() : hit.end()]
                given_reason = next((reason for look_for, reason in reasons if look_for.fullmatch(hit[0])), "")
                reason = given_reason or f"The house list marks these words as {categories()[category].title.lower()}."
                yield Mark(category, start, start + len(words), sentence.index, words, reason, HOUSE_LIST)

    @cached_property
    def _ignored(self) -> Mapping[Category | None, re.Pattern[str]]:
        own = [entry for entry in self.entries if entry.what == "ignore"]
        return {
            key: any_of(entry.words for entry in own if entry.category == key)
            for key in {entry.category for entry in own}
        }

    @cached_property
    def _marked(self) -> Mapping[Category, tuple[re.Pattern[str], list[tuple[re.Pattern[str], str]]]]:
        own: dict[Category, list[HouseEntry]] = {}
        for entry in self.entries:
            if entry.what == "mark" and entry.category is not None:
                own.setdefault(entry.category, []).append(entry)
        return {
            key: (any_of(entry.words for entry in given), [(any_of([entry.words]), entry.reason) for entry in given])
            for key, given in own.items()
        }


def _touches_any(mark: Mark, spans: Sequence[tuple[int, int]]) -> bool:
    return any(mark.start < end and start < mark.end for start, end in spans)


# ---- As a csv file


@dataclass(frozen=True)
class ReadList:
    """The entries that a file has, and one sentence for each line of it that was left out."""

    found: HouseList
    left_out: tuple[str, ...] = ()


def from_csv(data: bytes, name: str) -> ReadList:
    """The list in a file's content. Raises `AppError` for what is no such file; a bad line is left out and named."""
    where = f"“{name}”"
    if len(data) > MOST_BYTES:
        raise AppError(f"{where} is far larger than a house list may be.", kept=_KEPT, hint=_HINT)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise AppError(f"{where} is not in UTF-8.", kept=_KEPT, hint="Save it as csv in UTF-8.") from error
    first = text.partition("\n")[0]
    sign = max(",;\t", key=first.count)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=sign)
    try:
        head = tuple(cell.strip().lower() for cell in next(rows, []))
        if head != COLUMNS:
            raise AppError(f"{where} is no house list.", kept=_KEPT, hint=_HINT)
        return _read(rows)
    except csv.Error as error:
        raise AppError(f"{where} cannot be read as csv.", kept=_KEPT, hint=_HINT, details=str(error)) from error


def _read(rows: "_csv.Reader") -> ReadList:
    entries: dict[tuple[str, Category | None], HouseEntry] = {}
    left_out: list[str] = []
    begins = 2
    for row in rows:
        line, begins = begins, rows.line_num + 1
        if not any(cell.strip() for cell in row):
            continue
        try:
            if len(entries) == MOST_ENTRIES:
                raise UsageError(f"there are more than {MOST_ENTRIES:,} entries")
            read_entry = _entry(row)
            if (read_entry.words, read_entry.category) in entries:
                raise UsageError(f"“{read_entry.words}” is there already")
        except UsageError as error:
            left_out.append(f"Line {line} was left out: {error.message}.")
            if len(entries) == MOST_ENTRIES:
                break
        else:
            entries[read_entry.words, read_entry.category] = read_entry
    return ReadList(HouseList(tuple(entries.values())), tuple(left_out))


def _entry(row: Sequence[str]) -> HouseEntry:
    if len(row) > len(COLUMNS):
        raise UsageError(f"it has {len(row)} cells instead of {len(COLUMNS)}")
    words, what, category, reason = (*row, *[""] * (len(COLUMNS) - len(row)))
    return entry(words, what, category, without_guard(reason))


def entry(words: str, what: str, category: str = "", reason: str = "") -> HouseEntry:
    """An entry from what somebody wrote. Raises `UsageError` that says what is wrong with it."""
    plain = " ".join(words.translate(_PLAIN).lower().split())
    if not plain:
        raise UsageError("it has no words")
    if len(plain) > LONGEST_WORDS or not _WORDS.fullmatch(plain) or len(plain.strip("*")) < 2:
        raise UsageError(f"“{plain[:40]}” is no word or phrase of 2 to {LONGEST_WORDS} letters, with * for any ending")
    kind = what.strip().lower()
    if kind not in get_args(What):
        raise UsageError(f"“{kind[:40]}” is neither “ignore” nor “mark”")
    key = _category(category)
    if kind == "mark" and key is None:
        raise UsageError("what is always marked needs a category")
    plain_reason = " ".join(reason.split())
    if len(plain_reason) > LONGEST_REASON:
        raise UsageError(f"its reason has more than {LONGEST_REASON} characters")
    return HouseEntry(plain, "mark" if kind == "mark" else "ignore", key, plain_reason)


def _category(given: str) -> Category | None:
    wanted = for_matching(given).strip()
    if not wanted:
        return None
    for known_category in categories().values():
        if wanted in (known_category.key, known_category.key.replace("_", " "), known_category.title.lower()):
            return known_category.key
    raise UsageError(f"there is no category “{given.strip()[:40]}”")


def to_csv(house_list: HouseList) -> bytes:
    """The file's content, for a spreadsheet too: no cell of it is read as a formula."""
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\r\n")
    write.writerow(COLUMNS)
    for entry in house_list.entries:
        write.writerow([entry.words, entry.what, entry.category or "", with_guard(entry.reason)])
    return out.getvalue().encode("utf-8-sig")


_KEPT = "Your house list is as it was."
_HINT = f"A house list is a csv file whose first line is “{','.join(COLUMNS)}”."


# ---- Kept in the data folder


def path_of_list() -> Path:
    return home() / "house-list.csv"


def house_list() -> ReadList:
    """The list of this computer; empty where there is none. Raises `AppError` where it is damaged."""
    path = path_of_list()
    try:
        changed = path.stat().st_mtime_ns
    except FileNotFoundError:
        return ReadList(HouseList())
    except OSError as error:
        raise AppError("The house list cannot be read.", hint=f"Look at {path}.", details=str(error)) from error
    return _at(path, changed)


@lru_cache(maxsize=1)
def _at(path: Path, _changed: int) -> ReadList:
    return read_list(path)


def read_list(path: Path) -> ReadList:
    """The list in a file. Raises `AppError` where the file cannot be read or is none."""
    try:
        if ordinary_file(path, follow=True).st_size > MOST_BYTES:
            raise AppError(f"“{path.name}” is far larger than a house list may be.", kept=_KEPT, hint=_HINT)
        return from_csv(path.read_bytes(), path.name)
    except FileNotFoundError:
        raise AppError(f"There is no file “{path}”.", kept=_KEPT, hint="Check the name.") from None
    except OSError as error:
        raise AppError(f"“{path.name}” cannot be read.", kept=_KEPT, hint=_HINT, details=str(error)) from error


def keep(house_list: HouseList) -> None:
    """The list of this computer from now on."""
    path = path_of_list()
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, to_csv(house_list))


def write_list(path: Path, house_list: HouseList) -> None:
    """Write the list to a file, for somebody else."""
    write_whole(path, to_csv(house_list))


@dataclass(frozen=True)
class ReadingRequest:
    """The settings for reading a letter.

    `scorers`: role → name, for formality, positivity, agency and entailment; a missing role is reported as missing.
    Without one for agency no model is loaded, and only words of the lists are marked.
    `context`: the CV or whatever else the letter should rest on. `parts` and `person`: as a person set them; found and
    guessed where None. `occupation`: whose reference letters the letter is compared with; None where nobody said it.
    Without one nothing is compared, because a guess is for a person to confirm. `house`: what is always ignored, and
    marked. `kind`: what the document is read as; guessed where None. `larger`: all-mpnet-base-v2 reads
    passages too, where it is on this computer.
    """

    scorers: Mapping[str, str] = field(default_factory=dict)
    context: Document | None = None
    parts: tuple[Part, ...] | None = None
    person: Person | None = None
    occupation: str | None = None
    reference: "ReferenceSet | None" = None
    house: "HouseList | None" = None
    kind: DocumentKind | None = None
    larger: bool = True

    def narrowed(self) -> "ReadingRequest":
        """Return the request with only the reference letters for its occupation: less to hand to another process."""
        if self.reference is None:
            return self
        return replace(self, reference=self.reference.narrowed(self.occupation or ""))


def with_kind(parts: Sequence[Part], start: int, end: int, kind: PartKind) -> tuple[Part, ...]:
    """The parts with the characters from `start` to `end` being of `kind`; neighbours of one kind are joined."""
    pieces: list[Part] = []
    for part in parts:
        if part.start < min(part.end, start):
            pieces.append(Part(part.kind, part.start, min(part.end, start)))
        if max(part.start, end) < part.end:
            pieces.append(Part(part.kind, max(part.start, end), part.end))
    pieces.append(Part(kind, start, end))
    joined: list[Part] = []
    for piece in sorted(pieces, key=lambda piece: (piece.start, piece.end)):
        if joined and joined[-1].kind == piece.kind:
            joined[-1] = Part(piece.kind, joined[-1].start, piece.end)
        else:
            joined.append(piece)
    return tuple(joined)


# ---- What a generator is asked with, and what a language model reads


@dataclass(frozen=True)
class Generator:
    """The writer of texts, named as `generate` names it. `keys`: keys of endpoints that this session alone knows."""

    backend: str
    model: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    keys: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ModelReading:
    """A model's reading. `marks`: passages of the letter, by place; `left_out`: reason → lines left out.

    `made_by`: the model, in words. `prompt_sha256`: of the prompt with the letter in it; `reply`: as it came.
    """

    made_by: str
    marks: tuple[Mark, ...]
    left_out: Mapping[str, int]
    reply: str
    ended: str
    prompt_sha256: str

    @property
    def summary(self) -> str:
        """One sentence: who read, how many passages, and how many lines were left out, and why."""
        passages = f"{len(self.marks)} passage" + "s" * (len(self.marks) != 1)
        lines = sum(self.left_out.values())
        reasons = ", ".join(f"{count} {reason}" for reason, count in self.left_out.items())
        left = f"; {lines} of its lines {'was' if lines == 1 else 'were'} left out ({reasons})" if lines else ""
        cut = "; its reply was cut off at the longest length" if self.ended == "length" else ""
        return f"{self.made_by} names {passages}{left}{cut}. This is that model's reading, and counts nowhere."
