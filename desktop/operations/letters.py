"""Reading a letter for the window. Everything here runs off its thread, and nothing is written but by “Save”."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from core.documents.values import Document, Mark, Part
from core.errors import AppError
from core.jobs import JobContext
from core.swap import Person
from desktop.operations.base import Operation
from desktop.widgets.words import tr

if TYPE_CHECKING:
    from core.documents.reading.values import Reading
    from core.documents.reference.values import ReferenceSet
    from core.documents.twin_values import TwinDifference
    from core.project.project import Project

ENDINGS = ("docx", "odt", "pdf", "rtf", "html", "htm", "md", "txt")
REPORT = "core.documents.letter_report"
WARMING = "She led the studio for ten years, and I recommend her with all my heart for this post."


@dataclass(frozen=True)
class About:
    """What is known of a category of marks, for a person."""

    key: str
    title: str
    known_for: str
    source: str
    harm: str
    praise: bool


class Offer(Protocol):
    """A suggestion for words of one sentence (core.documents.suggestions.Suggestion). `new` is None for a hint."""

    @property
    def mark_key(self) -> str: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def old(self) -> str: ...
    @property
    def new(self) -> str | None: ...
    @property
    def reason(self) -> str: ...
    @property
    def source(self) -> str: ...


@dataclass(frozen=True)
class Request:
    """What a letter is read with. `parts`, `person`, `occupation`: as a person set them; None where to be guessed."""

    document: Document
    context: Document | None = None
    parts: tuple[Part, ...] | None = None
    person: Person | None = None
    occupation: str | None = None


@dataclass(frozen=True)
class Checked:
    """A reading and what belongs beside it. `likely`: the occupation was guessed, and the letter says it clearly."""

    request: Request
    reading: "Reading"
    abouts: Mapping[str, About]
    occupation: str = ""
    guessed: bool = False
    guess_reason: str = ""
    plural: str = ""  # of the occupation, where it is known
    reference: "ReferenceSet | None" = None
    offers: Mapping[int, tuple[Offer, ...]] = field(default_factory=dict)  # sentence → suggestions


def read_document(*, path: Path) -> Operation[Document]:
    """The text of a file, read in a process of its own."""

    def work(ctx: JobContext) -> Document:
        from core.documents.files import read_file

        return read_file(path, ctx)

    return Operation(tr("Reading a file"), work)


def read_pasted(*, text: str) -> Operation[Document]:
    """A pasted text as a letter or CV."""

    def work(ctx: JobContext) -> Document:
        from core.documents.files import read_pasted as read

        return read(text)

    return Operation(tr("Reading a pasted text"), work, quiet=True)


def warm_up() -> Operation[None]:
    """Load the scorers while the person still looks for a letter: the first reading is then as quick as the next."""

    def work(ctx: JobContext) -> None:
        from core.compute import shared
        from core.runs.letter import read_one

        letter = Document("", "pasted", (WARMING,))
        read_one(ctx, letter, shared(), context=letter, scorers=_scorers())

    return Operation(tr("Getting ready to read letters"), work, quiet=True)


def document_as_typed(document: Document, text: str) -> Document:
    """The document with the text that it has become. Its places are those of `text`, character by character."""
    return Document(document.name, document.kind, tuple(text.split("\n\n")), document.pages, document.notes)


def check(ctx: JobContext, request: Request) -> Checked:
    """Read a letter in the compute process, with whatever it is to be compared with."""
    from core.compute import shared
    from core.documents.marks import categories
    from core.runs.letter import occupation_of, read_one

    guess = occupation_of(request.document) if request.occupation is None else None
    occupation = request.occupation or ""
    if guess is not None and guess.likely:
        occupation = guess.occupation
    reference = _reference()
    reading = read_one(
        ctx,
        request.document,
        shared(),
        context=request.context,
        parts=request.parts,
        person=request.person,
        occupation=occupation,
        reference=reference,
        scorers=_scorers(),
    )
    abouts = {
        one.key: About(one.key, one.title, one.known_for, one.source, one.harm, one.praise)
        for one in categories().values()
    }
    return Checked(
        request,
        reading,
        abouts,
        occupation or (guess.occupation if guess else ""),
        guess is not None,
        guess.reason if guess is not None else "",
        _plural(occupation),
        reference,
        _offers(reading),
    )


def _plural(occupation: str) -> str:
    from core.documents.reference.occupations import occupation_key, plurals

    one = occupation_key(occupation)
    return next((many for many, single in plurals().items() if single == one and many.endswith("s")), "")


_chosen: dict[str, str] = {}


def forget_scorers() -> None:
    """Look again which scorers are here, at the next letter."""
    _chosen.clear()


def _scorers() -> Mapping[str, str]:
    """The scorers of this computer, looked up once per letter: while somebody types they stay the same."""
    from core.runs.letter import scorers_for_letters

    if not _chosen:
        _chosen.update(scorers_for_letters())
    return dict(_chosen)


def _reference() -> "ReferenceSet | None":
    """The reference letters that come with the program; None where they are missing or damaged."""
    from core.documents.reference.store import BUNDLED, reference

    try:
        return reference(BUNDLED)
    except AppError:
        return None


def _offers(reading: "Reading") -> dict[int, tuple[Offer, ...]]:
    """Suggestions by sentence: words from a lexicon, for a person to take or leave."""
    from core.documents.suggestions import suggestions_for

    marks: dict[int, list[Mark]] = {}
    for mark in reading.marks:
        marks.setdefault(mark.sentence, []).append(mark)
    body = () if reading.stopped else (sentence for sentence in reading.sentences if sentence.part == "body")
    found = {one.index: tuple(suggestions_for(one, marks.get(one.index, ()), reading.person)) for one in body}
    return {index: offers for index, offers in found.items() if offers}


def report_is_here() -> bool:
    """Whether reports can be written."""
    return find_spec(REPORT) is not None


def save_report(*, checked: Checked, path: Path, twin: "TwinDifference | None" = None) -> Operation[Path]:
    """Write the plain-language report, PDF or docx by its ending, with the twin where one was looked at."""

    def work(ctx: JobContext) -> Path:
        from core.compute import shared

        shared().call(f"{REPORT}.write:write_report", path, checked.reading, twin=twin, ctx=ctx)
        return path

    return Operation(tr("Writing the report"), work, lambda saved: tr("Saved as “{name}”").format(name=saved.name))


def save_to_project(*, project: "Project", checked: Checked, dismissed: Sequence[str]) -> Operation[str]:
    """Keep the letter and its reading in the project: the one place where its text goes to a disk."""

    def work(ctx: JobContext) -> str:
        from core.project.specs import SourceSpec
        from core.runs.setup import added_study
        from core.text import sha256_text

        document, reading = checked.reading.document, checked.reading
        study, digest = added_study(project, "letters"), sha256_text(document.text)
        who = reading.person.full_name
        fields = {"name": who, "pronoun": reading.person.pronoun, "occupation": checked.occupation}
        spec = SourceSpec(
            kind="letter",
            origin=f"checked: {digest[:16]}",
            row=0,
            text=document.text,
            fields={key: value for key, value in fields.items() if value},
        )
        added = project.sources.add_many(study, [spec])
        source = added.number("source") if added.touches("source") else _source_of(project, study, spec.origin)
        title = tr("Letter for {name}").format(name=who) if who else document.name
        project.readings.add(title, digest, _as_json(checked, dismissed), source)
        return title

    return Operation(
        tr("Saving the letter"), work, lambda title: tr("“{title}” is in the project.").format(title=title), quiet=True
    )


def _source_of(project: "Project", study: int, origin: str) -> int | None:
    from core.project.stores.common import chunks

    rows = chunks(lambda after, limit: project.sources.page(study, after, limit), lambda row: row.id)
    return next((row.id for row in rows if row.origin == origin), None)


def _as_json(checked: Checked, dismissed: Sequence[str]) -> dict[str, Any]:
    """The reading without the letter's text, which is a source of the project, and without the CV's."""
    from dataclasses import asdict

    result = asdict(checked.reading)
    result["document"] = {**result["document"], "paragraphs": []}
    result["sentences"] = [{**one, "text": ""} for one in result["sentences"]]
    return {**result, "occupation": checked.occupation, "dismissed": list(dismissed)}
