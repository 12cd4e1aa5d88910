"""Letters: read from a file, checked beside a CV or a twin, and written as a report. The front door of the room.

A letter is a `Document`, a `ReadingRequest` says what it is read with, and a `Reading` has what was found. Piles of
letters are in `letters.pile`, kept letters in `letters.kept`, the kinds of files and documents in `letters.kinds`, and
the lists that a person keeps in `letters.request` and `letters.references`. Nothing else of the room is imported from
outside.

Nothing here stores a letter. What is heavy is loaded at the first call.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from biasprint.core.letters.request import Generator, HouseList, ModelReading, ReadingRequest, with_kind
from biasprint.core.letters.values import (
    CATEGORIES,
    DOCUMENT_KINDS,
    MAY_BE,
    PART_KINDS,
    UNLAWFUL,
    UNLAWFUL_TITLE,
    AskedSentence,
    ComparedFigure,
    Document,
    DocumentKind,
    FigureDifference,
    KeptLetter,
    LetterFigure,
    LetterSource,
    Mark,
    NameTwins,
    Naming,
    OccupationGuess,
    Part,
    PartKind,
    ReadAs,
    Reading,
    SentenceDifference,
    Support,
    TwinDifference,
    WordFile,
    beside_category,
    changed,
)
from biasprint.core.letters.verdict import harm, verdict_of

if TYPE_CHECKING:
    from biasprint.core.compute import ComputeProcess
    from biasprint.core.jobs import JobContext
    from biasprint.core.letters.categories import CategoryWords, MarkGroup
    from biasprint.core.letters.suggestions import Suggestion
    from biasprint.core.swap import Person
    from biasprint.core.swap.name_groups import NameGroup

ROLES = ("formality", "positivity", "agency", "entailment")


# ---- From a file or a text to a letter


def read_file(path: Path, ctx: "JobContext | None" = None) -> Document:
    """Return the document in a file, read in a process of its own. Raises `AppError` where it cannot be read."""
    from biasprint.core.letters import files

    return files.read_file(path, ctx)


def read_bytes(data: bytes, name: str, ctx: "JobContext | None" = None) -> Document:
    """Return the document in `data`, which is called `name`, as `read_file` does."""
    from biasprint.core.letters import files

    return files.read_bytes(data, name, ctx)


def read_pasted(text: str) -> Document:
    """Return the document in a pasted text. Raises `AppError` for one that is empty or far too long."""
    from biasprint.core.letters import files

    return files.read_pasted(text)


# ---- Checking a letter


def scorers_for_letters() -> dict[str, str]:
    """Return role → scorer; a role that no scorer here fills is absent."""
    from biasprint.core.scorers.registry import best_scorer

    best = {role: best_scorer(role) for role in ROLES}
    return {role: info.name for role, info in best.items() if info is not None}


def check_letter(ctx: "JobContext", document: Document, compute: "ComputeProcess", request: ReadingRequest) -> Reading:
    """Read one letter in the compute process."""
    from biasprint.core.letters.reading import read_letter

    return compute.call(read_letter, document, request.narrowed(), ctx=ctx)


def mark_words(ctx: "JobContext", document: Document, quick: "ComputeProcess", request: ReadingRequest) -> Reading:
    """Read one letter in the quick process: marked words, and nothing that a scorer says."""
    from biasprint.core.letters.reading import read_words

    return quick.call(read_words, document, request.narrowed(), ctx=ctx)


def get_ready_for_words() -> None:
    """Load all that `mark_words` needs, in the quick process and before there is a letter."""
    from biasprint.core.letters.reading import read_words

    read_words(Document("", "pasted", ("She led the studio for ten years.",)), ReadingRequest())


def check_with_twin(
    ctx: "JobContext", document: Document, other: "Person", compute: "ComputeProcess", request: ReadingRequest
) -> TwinDifference:
    """Read a letter and its swap twin for `other`, and return the difference of every score."""
    from biasprint.core.letters.twins import read_with_twin

    return compute.call(read_with_twin, document, other, request.narrowed(), ctx=ctx)


def check_under_names(
    ctx: "JobContext",
    document: Document,
    compute: "ComputeProcess",
    request: ReadingRequest,
    groups: "Sequence[NameGroup] | None" = None,
) -> NameTwins:
    """Read a letter and its twin under a name of every group, and return the differences between the names."""
    from biasprint.core.letters.twins import read_under_names

    return compute.call(read_under_names, document, request.narrowed(), groups, ctx=ctx)


def write_twins(
    ctx: "JobContext",
    other: "Person",
    compute: "ComputeProcess",
    models: "ComputeProcess",
    generator: Generator,
    request: ReadingRequest,
) -> TwinDifference:
    """Have a letter for the request's person and one for `other` written from the CV, and return what differs."""
    from biasprint.core.letters.model_reading import regenerate_twin

    return regenerate_twin(ctx, other, compute, models, generator, request)


def read_by_model(ctx: "JobContext", reading: Reading, models: "ComputeProcess", generator: Generator) -> ModelReading:
    """Have a language model read a letter that was read already: its passages, found in the text or left out."""
    from biasprint.core.letters import model_reading

    return model_reading.read_by_model(ctx, reading, models, generator)


def passages_by_category(asked: ModelReading) -> "list[tuple[str, tuple[Mark, ...]]]":
    """Return the titles of the categories that a language model names, with its passages, in the program's order."""
    own = [
        (entry.title, tuple(mark for mark in asked.marks if mark.category == entry.key)) for entry in mark_categories()
    ]
    return [(title, marks) for title, marks in own if marks]


# ---- Guesses, explanations and suggestions


def candidate_of(document: Document) -> "Person":
    """Guess whom a letter is about."""
    from biasprint.core.letters.parts import parts_of
    from biasprint.core.swap.guess import guess_person

    return guess_person(document.text, parts_of(document))


def candidate_called(document: Document, name: str) -> "Person":
    """Find the candidate of this name in the letter: which of its words is the family name, the title, the pronoun."""
    from biasprint.core.letters.parts import parts_of
    from biasprint.core.swap.guess import guess_called

    return guess_called(document.text, name, parts_of(document)).person


def occupation_of(
    document: Document,
    request: ReadingRequest | None = None,
    compute: "ComputeProcess | None" = None,
    ctx: "JobContext | None" = None,
) -> OccupationGuess:
    """Guess the occupation that a letter is about. The parts and person of `request` are used where it has them.

    `compute`: the process that reads the letter's grammar, where the parser is installed; none is read without it.
    """
    from biasprint.core.letters.occupations import guess_occupation, guess_occupation_read
    from biasprint.core.letters.parts import parts_of
    from biasprint.core.swap.guess import guess_person

    request = request or ReadingRequest()
    parts = parts_of(document) if request.parts is None else request.parts
    person = guess_person(document.text, parts) if request.person is None else request.person
    if compute is None:
        return guess_occupation(document.text, parts, person)
    return compute.call(guess_occupation_read, document.text, parts, person, ctx=ctx)


def plural_of(occupation: str) -> str:
    """Return the plural of an occupation that is listed, or ""."""
    from biasprint.core.letters.occupations import occupation_key, plurals

    single = occupation_key(occupation)
    return next((many for many, known in plurals().items() if known == single and many.endswith("s")), "")


def mark_categories() -> "Sequence[CategoryWords]":
    """Return the categories of marks, with their titles and what is known of each."""
    from biasprint.core.letters.categories import categories

    return tuple(categories().values())


def grouped(marks: Iterable[Mark], kind: DocumentKind = "reference") -> "tuple[MarkGroup, ...]":
    """Return the marks by category, the most harmful first."""
    from biasprint.core.letters import categories

    return categories.grouped(marks, kind)


def suggestions_of(
    ctx: "JobContext", reading: Reading, compute: "ComputeProcess"
) -> "dict[int, tuple[Suggestion, ...]]":
    """Return sentence → suggestions for its marks, none of which makes another mark, for a person to take or leave."""
    from biasprint.core.letters import suggestions

    return compute.call(suggestions.suggestions_of, reading, ctx=ctx)


def without_dismissed(twin: TwinDifference, dismissed: Collection[str]) -> TwinDifference:
    """Return the same twin without questions about marks that a person dismissed. `dismissed`: `Mark.key` of each."""
    from biasprint.core.letters import twins

    return twins.without_dismissed(twin, dismissed)


# ---- Reports, notes and Word files


def write_report(
    path: Path,
    reading: Reading,
    twin: TwinDifference | None = None,
    dismissed: Collection[str] = (),
    original: Document | None = None,
) -> None:
    """Write the full report, as PDF or docx by its ending. Raises `UsageError` for another one.

    `dismissed`: the keys of marks (`Mark.key`), and of the balance, that a person put aside: they are not listed.
    `original`: the letter as it was opened, where it may have been edited since.
    """
    from biasprint.core.letters import report

    report.write_report(path, reading, twin, dismissed, original)


def write_note(
    path: Path,
    reading: Reading,
    dismissed: Collection[str] = (),
    original: Document | None = None,
    house: "HouseList | None" = None,
    appendix: bool = False,
) -> None:
    """Write the note to the writer, one page, as PDF or docx by its ending. Raises `UsageError` for another one.

    `dismissed`, `original`: as for `write_report`; `house`: the list that the reading respected. `appendix`: versions
    and hashes on a page of their own.
    """
    from biasprint.core.letters import report

    report.write_note(path, reading, dismissed, original, house, appendix)


def as_word(
    ctx: "JobContext",
    data: bytes | None,
    document: Document,
    reading: Reading | None = None,
    *,
    dismissed: Collection[str] = (),
    tracked: bool = True,
) -> WordFile:
    """Return a letter as a Word file or odt. `data`: the file that `document` was read from, or None.

    `reading`: of the letter as it was edited since; without one nothing is changed or marked. `tracked`: changes can be
    rejected and marks are comments, but for the `dismissed` ones; else neither is there.
    """
    from biasprint.core.letters import files, word

    after = reading.document.text if reading is not None else document.text
    comments = word.comments_on(reading, dismissed) if reading is not None and tracked else ()
    return files.written_as_word(data, document, after, comments, tracked=tracked, ctx=ctx)
