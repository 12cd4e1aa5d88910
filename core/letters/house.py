"""The house list: words that a person or an office never wants marked, or always, each with a reason.

It is one csv file in the data folder, and the same file is exported and imported. A line that cannot be used is named;
the others are.
"""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from biasprint.core.errors import AppError, UsageError
from biasprint.core.given import ordinary_file
from biasprint.core.letters.categories import any_of, categories
from biasprint.core.letters.values import HOUSE_LIST, Category, Mark, Sentence
from biasprint.core.machine.storage import home
from biasprint.core.report.whole_file import write_whole
from biasprint.core.tables.guard import with_guard, without_guard
from biasprint.core.text import for_matching, sha256_text

if TYPE_CHECKING:
    import _csv

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
        said = "\n".join(f"{one.words}\t{one.what}\t{one.category}" for one in self.entries)
        return sha256_text(said)[:12] if self.entries else ""

    def touches(self, category: str) -> bool:
        """Return whether the list can change the marks of this category."""
        return any(one.category in (None, category) for one in self.entries)

    def ignores(self, words: str) -> bool:
        """Return whether any of these words, in lower case, is never to be marked, in any category."""
        return any(pattern.search(words) for pattern in self._ignored.values())

    def applied(self, sentences: Sequence[Sentence], marks: Sequence[Mark]) -> tuple[Mark, ...]:
        """The marks without those that the list ignores, and with those that it makes, in order."""
        if not self.entries:
            return tuple(marks)
        found: dict[int, list[Mark]] = {}
        for mark in marks:
            found.setdefault(mark.sentence, []).append(mark)
        return tuple(
            mark
            for sentence in sentences
            if sentence.part == "body"
            for mark in self._of_sentence(sentence, found.get(sentence.index, []))
        )

    def _of_sentence(self, sentence: Sentence, marks: list[Mark]) -> list[Mark]:
        text = sentence.text.translate(_PLAIN).lower()
        if len(text) != len(sentence.text):  # a few letters grow when they are folded
            text = "".join(one.lower() if len(one.lower()) == 1 else one for one in sentence.text.translate(_PLAIN))
        for category, pattern in self._ignored.items():
            spans = [(sentence.start + hit.start(), sentence.start + hit.end()) for hit in pattern.finditer(text)]
            marks = [mark for mark in marks if category not in (None, mark.category) or not _touches_any(mark, spans)]
        own = list(self._made(sentence, text))
        marks = [
            mark
            for mark in marks
            if not _touches_any(mark, [(one.start, one.end) for one in own if one.category == mark.category])
        ]
        return sorted([*marks, *own], key=lambda mark: (mark.start, -mark.end))

    def _made(self, sentence: Sentence, text: str) -> Iterator[Mark]:
        for category, (pattern, reasons) in self._marked.items():
            for hit in pattern.finditer(text):
                start, words = sentence.start + hit.start(), sentence.text[hit.start() : hit.end()]
                said = next((reason for one, reason in reasons if one.fullmatch(hit[0])), "")
                reason = said or f"The house list marks these words as {categories()[category].title.lower()}."
                yield Mark(category, start, start + len(words), sentence.index, words, reason, HOUSE_LIST)

    @cached_property
    def _ignored(self) -> Mapping[Category | None, re.Pattern[str]]:
        own = [one for one in self.entries if one.what == "ignore"]
        return {key: any_of(one.words for one in own if one.category == key) for key in {one.category for one in own}}

    @cached_property
    def _marked(self) -> Mapping[Category, tuple[re.Pattern[str], list[tuple[re.Pattern[str], str]]]]:
        own: dict[Category, list[HouseEntry]] = {}
        for one in self.entries:
            if one.what == "mark" and one.category is not None:
                own.setdefault(one.category, []).append(one)
        return {
            key: (any_of(one.words for one in given), [(any_of([one.words]), one.reason) for one in given])
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
            one = _entry(row)
            if (one.words, one.category) in entries:
                raise UsageError(f"“{one.words}” is there already")
        except UsageError as error:
            left_out.append(f"Line {line} was left out: {error.message}.")
            if len(entries) == MOST_ENTRIES:
                break
        else:
            entries[one.words, one.category] = one
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
    said = " ".join(reason.split())
    if len(said) > LONGEST_REASON:
        raise UsageError(f"its reason has more than {LONGEST_REASON} characters")
    return HouseEntry(plain, "mark" if kind == "mark" else "ignore", key, said)


def _category(given: str) -> Category | None:
    wanted = for_matching(given).strip()
    if not wanted:
        return None
    for one in categories().values():
        if wanted in (one.key, one.key.replace("_", " "), one.title.lower()):
            return one.key
    raise UsageError(f"there is no category “{given.strip()[:40]}”")


def to_csv(found: HouseList) -> bytes:
    """The file's content, for a spreadsheet too: no cell of it is read as a formula."""
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\r\n")
    write.writerow(COLUMNS)
    for one in found.entries:
        write.writerow([one.words, one.what, one.category or "", with_guard(one.reason)])
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


def keep(found: HouseList) -> None:
    """The list of this computer from now on."""
    path = path_of_list()
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, to_csv(found))


def write_list(path: Path, found: HouseList) -> None:
    """Write the list to a file, for somebody else."""
    write_whole(path, to_csv(found))
