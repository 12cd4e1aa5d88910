"""Letters that are kept: drafts of unfinished edits, letters that their owner saved, and those in a project.

Outside a project each is one file in a folder of the data folder that only its owner may read, written whole or not at
all. A draft is held by the window that writes it, with the operating system's lock: the kernel frees it when that
window ends, however it ends, so that a draft which nobody holds is one that was left behind.
"""

import json
import threading
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from uuid import UUID, uuid4

from biasprint.core.errors import AppError
from biasprint.core.letters.values import (
    DOCUMENT_KINDS,
    PART_KINDS,
    Document,
    DocumentKind,
    KeptLetter,
    LetterSource,
    Part,
    Reading,
)
from biasprint.core.machine.files import write_whole
from biasprint.core.machine.storage import Busy, home, locked, not_writable
from biasprint.core.swap import PRONOUNS, Person
from biasprint.core.text import sha256_text

if TYPE_CHECKING:
    from biasprint.core.project.project import Project

Shelf = Literal["drafts", "saved"]
DRAFTS: Shelf = "drafts"
SAVED: Shelf = "saved"
FORMAT = 1
BAD = (OSError, ValueError, KeyError, TypeError, RecursionError)  # what a file that is no letter raises
MOST_BYTES = 16_000_000  # of one file; a letter that can be edited has a hundredth of that
MOST_SOURCE = 4_000_000  # of a letter's own file: a draft is written at every pause, and all of it each time


@dataclass(frozen=True)
class KeptEntry:
    """A line of a list of letters. `when`: in UTC, as ISO 8601 writes it. `reading`: as of a `KeptLetter`."""

    key: str
    title: str
    when: str
    reading: str = ""


@dataclass(frozen=True)
class ShelfContent:
    """The letters on a shelf, the newest first, and the names of the files that are no letters."""

    entries: tuple[KeptEntry, ...]
    damaged: tuple[str, ...] = ()


def new_key() -> str:
    return uuid4().hex


def listed(shelf: Shelf) -> ShelfContent:
    """List every letter of a shelf. Of the drafts, only those that no window holds."""
    entries, damaged = [], []
    for path in _files(shelf):
        try:
            content = _content(path)
        except FileNotFoundError:
            continue  # saved or removed this moment by another window
        except BAD:
            damaged.append(path.name)
            continue
        if shelf == SAVED or not is_held(path.stem):
            letter = content["letter"]
            entries.append(KeptEntry(path.stem, letter["title"], content["when"], letter["reading"]))
    return ShelfContent(tuple(sorted(entries, key=lambda entry: (entry.when, entry.key), reverse=True)), tuple(damaged))


def opened(shelf: Shelf, key: str) -> KeptLetter:
    """A letter of a shelf. `AppError` where it is gone or damaged."""
    path = _path(shelf, key)
    try:
        letter = letter_of(_content(path)["letter"])
    except BAD as error:
        kept = f"Its file was not changed: “{path}”."
        hint = "Open it in an editor: its text is in there, after “paragraphs”."
        raise not_opened("letter", error, "This letter cannot be read.", kept, hint) from error
    return replace(letter, saved_as=key) if shelf == SAVED else letter


def put(shelf: Shelf, key: str, letter: KeptLetter) -> None:
    """Write a letter over its file; on disk when this returns. `AppError` where that fails."""
    content = {
        "format": FORMAT,
        "when": now(),
        "letter": as_json(letter),
    }
    write_whole(_path(shelf, key, make=True), json.dumps(content, ensure_ascii=True, indent=1).encode())


def save(letter: KeptLetter) -> str:
    """Save a letter on the shelf of saved ones, replacing its earlier version; return its key."""
    key = letter.saved_as or new_key()
    put(SAVED, key, replace(letter, saved_as=key))
    return key


def remove(shelf: Shelf, key: str) -> None:
    """Delete a letter's file; one that is gone already is no error."""
    path = _path(shelf, key)
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise not_deleted(path, error) from error


# ---- What a person is told where a letter or a pile cannot be had


def not_opened(thing: str, error: Exception, damaged: str, kept: str, hint: str) -> AppError:
    """Return the error for a `thing` whose file is gone, else the error that it is `damaged`."""
    if isinstance(error, FileNotFoundError):
        return AppError(f"This {thing} is not here any more.", hint="It was removed, maybe by another window.")
    return AppError(damaged, kept=kept, hint=hint, details=repr(error))


def not_deleted(path: Path, error: OSError) -> AppError:
    """Return the error for a file or folder that the system does not delete."""
    return AppError(
        f"“{path}” could not be deleted ({error.strerror}).",
        kept="It is still there.",
        hint="Close whatever has it open, then delete it by hand.",
    )


def in_another_window(thing: str) -> AppError:
    """Return the error for a `thing` that another window holds."""
    return AppError(f"This {thing} is open in another window.", kept="Nothing was changed.", hint="Go on there.")


# ---- Drafts


def is_held(key: str) -> bool:
    """Return whether a window is writing this draft."""
    try:
        with locked(_lock_name(key), patience=0):
            return False
    except Busy:
        return True


class Hold:
    """A lock by which a window has something to itself; taken once, however often it is asked for."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._held = ExitStack()
        self._holding = False

    def take(self) -> None:
        """Raises `Busy` where another window has it."""
        if not self._holding:
            self._held.enter_context(locked(self._name, patience=0))
            self._holding = True

    def let_go(self, *, for_good: bool = False) -> None:
        """Free the lock. `for_good`: nothing is left to be locked."""
        self._held.close()
        self._holding = False
        if for_good:
            with suppress(OSError):
                (home() / "locks" / self._name).unlink(missing_ok=True)


class Draft:
    """The draft of one letter, written from any thread. A write that was overtaken by a later one does nothing."""

    def __init__(self, key: str = "") -> None:
        self.key = key or new_key()
        self._lock = threading.Lock()
        self._held = Hold(_lock_name(self.key))
        self._latest = 0
        self._over = False

    def hold(self) -> None:
        """Hold the draft: no other window is offered it from now on. Raises `Busy` where one has it."""
        with self._lock:
            self._held.take()

    def write(self, letter: KeptLetter, number: int) -> bool:
        """Put the letter on disk, unless a write with a higher number did, or the draft is over. Whether it did."""
        with self._lock:
            if self._over or number <= self._latest:
                return False
            self._held.take()
            put(DRAFTS, self.key, letter)
            self._latest = number
            return True

    def discard(self) -> None:
        """The letter was saved, or let go of: delete the draft, for good."""
        with self._lock:
            self._over = True
            try:
                remove(DRAFTS, self.key)
            finally:
                self._held.let_go(for_good=True)

    def leave(self) -> None:
        """The window lets go of it; the draft stays, for whoever looks for it next."""
        with self._lock:
            self._over = True
            self._held.let_go()


# ---- The files


def as_json(letter: KeptLetter) -> dict[str, Any]:
    """Convert a letter for `letter_of`. A file too large for a draft is left out: its text is there, changes too."""
    source = letter.source
    content = asdict(replace(letter, source=None))
    if source is not None:
        fits = source.data is not None and len(source.data) <= MOST_SOURCE
        data = b64encode(source.data).decode() if fits and source.data is not None else None
        path = None if source.path is None else str(source.path)
        content["source"] = {"document": asdict(source.document), "data": data, "path": path}
    return content


def letter_of(data: Mapping[str, Any]) -> KeptLetter:
    """Return the letter from the output of `as_json`. ValueError, KeyError or TypeError for anything else."""
    context, parts, person, occupation = (data[name] for name in ("context", "parts", "person", "occupation"))
    document, source = document_of(data["document"]), data.get("source")  # earlier versions kept none
    parts = None if parts is None else tuple(_part(item, len(document.text)) for item in parts)
    return KeptLetter(
        document=document,
        title=_text(data["title"]),
        context=None if context is None else document_of(context),
        parts=parts,
        person=None if person is None else _person(person),
        occupation=None if occupation is None else _text(occupation),
        dismissed=tuple(_text(item) for item in data["dismissed"]),
        saved_as=_text(data["saved_as"]),
        reading=_text(data["reading"]),
        source=None if source is None else _source(source),
        kind=_kind(data.get("kind")),
    )


def _kind(given: Any) -> DocumentKind | None:
    kind = next((kind for kind in DOCUMENT_KINDS if kind == given), None)
    if given is not None and kind is None:
        raise ValueError(f"no kind of document: {given!r}")
    return kind


def _source(data: Mapping[str, Any]) -> LetterSource:
    file, path = data["data"], data["path"]
    return LetterSource(
        document_of(data["document"]),
        None if file is None else b64decode(_text(file), validate=True),
        None if path is None else Path(_text(path)),
    )


def document_of(data: Mapping[str, Any]) -> Document:
    pages = data["pages"]
    if pages is not None and not isinstance(pages, int):
        raise TypeError(f"pages: {pages!r}")
    paragraphs, notes = (tuple(_text(item) for item in data[name]) for name in ("paragraphs", "notes"))
    return Document(_text(data["name"]), _text(data["kind"]), paragraphs, pages, notes)


def _part(data: Mapping[str, Any], length: int) -> Part:
    if data["kind"] not in PART_KINDS or not 0 <= data["start"] <= data["end"] <= length:
        raise ValueError(f"no part of a letter: {data!r}")
    return Part(data["kind"], int(data["start"]), int(data["end"]))


def _person(data: Mapping[str, Any]) -> Person:
    if data["pronoun"] not in PRONOUNS:
        raise ValueError(f"no pronoun: {data['pronoun']!r}")
    first, last, title = (_text(data[name]) for name in ("first_name", "last_name", "title"))
    return Person(first, last, title, data["pronoun"])


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"no text: {value!r}")
    return value


def _content(path: Path) -> dict[str, Any]:
    if path.stat().st_size > MOST_BYTES:
        raise ValueError("far larger than a letter")
    content = json.loads(path.read_text("utf-8"))
    if content["format"] != FORMAT:
        raise ValueError(f"format {content['format']!r}")
    letter_of(content["letter"])
    _text(content["when"])
    return dict(content)


def _files(shelf: Shelf) -> Iterator[Path]:
    """The letters' own files; what else somebody put there is left alone."""
    folder = home() / "letters" / shelf
    if folder.is_dir():
        yield from (path for path in folder.glob("*.json") if is_key(path.stem))


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def is_key(name: str) -> bool:
    with suppress(ValueError):
        return UUID(hex=name).hex == name
    return False


def _path(shelf: Shelf, key: str, *, make: bool = False) -> Path:
    if not is_key(key):
        raise ValueError(f"no key of a letter: {key!r}")
    folder = home() / "letters" / shelf
    if make:
        make_folders(folder.parent, folder)
    return folder / f"{key}.json"


def make_folders(*folders: Path) -> None:
    """Make the folders, each in the one before, for their owner alone: letters are nobody else's."""
    try:
        for folder in folders:
            folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise not_writable(folders[-1], error) from error


def _lock_name(key: str) -> str:
    return f"letter-{key}.lock"


# ---- Letters saved in a project
# The text is a source of the letters study, in the exact form it had. Everything else is a reading: the findings, and
# what it takes to open the letter again. A letter that is saved again adds a reading that follows the earlier one, and
# lists show the last. A person may take a letter out again, and then all of it goes.


def save_letter(project: "Project", letter: KeptLetter, reading: Reading, occupation: str) -> str:
    """Keep a letter with its reading, after the one that it was opened from; the id of the new reading."""
    from biasprint.core.project.specs import SourceSpec  # not above: most letters are kept outside a project
    from biasprint.core.runs.setup import added_study

    study, digest = added_study(project, "letters"), sha256_text(letter.document.text)
    fields = {"name": reading.person.full_name, "pronoun": reading.person.pronoun, "occupation": occupation}
    spec = SourceSpec(
        kind="letter",
        origin=f"checked: {digest[:16]}",
        row=0,
        text=letter.document.text,
        fields={key: value for key, value in fields.items() if value},
    )
    added = project.sources.add_many(study, [spec])
    source = added.number("source") if added.touches("source") else _source_of(project, study, spec.origin)
    result = {**_found(reading), "occupation": occupation, "dismissed": list(letter.dismissed)}
    result |= {"kept": _without_text(letter), "follows": letter.reading or None}
    return project.readings.add(letter.title, digest, result, source).uuid("reading")


def saved_letters(project: "Project") -> tuple[KeptEntry, ...]:
    """The last reading of every letter that was saved here, the newest first."""
    heads = [row for row in project.readings.latest() if row.source_id is not None]
    return tuple(KeptEntry(row.id, row.title, row.created_at, row.id) for row in heads)


def saved_letter(project: "Project", reading_id: str) -> KeptLetter:
    """A saved letter as it was left. `AppError` where it is not in the project, or only its reading was kept."""
    row = project.readings.get(reading_id)
    text = None if row is None or row.source_id is None else project.sources.texts([row.source_id]).get(row.source_id)
    if row is None or text is None:
        raise AppError("The text of this letter is not in the project.", hint="Open another one, or the file itself.")
    kept_values = row.result.get("kept")
    if kept_values is None:  # saved by an earlier version: what was set by hand is not known
        made = row.result["document"]
        document = Document(made["name"], made["kind"], _paragraphs(text), made["pages"], tuple(made["notes"]))
        return KeptLetter(document, row.title, dismissed=tuple(row.result.get("dismissed", ())), reading=row.id)
    whole = {**kept_values, "document": {**kept_values["document"], "paragraphs": _paragraphs(text)}}
    return replace(letter_of(whole), title=row.title, saved_as="", reading=row.id)


def remove_letter(project: "Project", reading_id: str) -> None:
    """Take a letter out of the project: its text, its CV, and every reading of it."""
    project.readings.remove_letter(reading_id)


def _found(reading: Reading) -> dict[str, Any]:
    """The reading without the letter's text, which is a source of the project."""
    result = asdict(reading)
    result["document"] = {**result["document"], "paragraphs": []}
    result["sentences"] = [{**sentence, "text": ""} for sentence in result["sentences"]]
    return result


def _without_text(letter: KeptLetter) -> dict[str, Any]:
    # Neither its file: a project goes to others, and a docx names its authors and tells what they said in comments.
    values = as_json(replace(letter, source=None))
    return {**values, "document": {**values["document"], "paragraphs": []}}


def _paragraphs(text: str) -> tuple[str, ...]:
    return tuple(text.split("\n\n"))


def _source_of(project: "Project", study: int, origin: str) -> int | None:
    from biasprint.core.project.stores.common import chunks

    rows = chunks(lambda after, limit: project.sources.page(study, after, limit), lambda row: row.id)
    return next((row.id for row in rows if row.origin == origin), None)
