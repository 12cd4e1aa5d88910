"""Letters, their twins and piles for the window. All work runs off its thread; only reports and exports write."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biasprint.core import compute
from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.letters import (
    ROLES,
    Document,
    Generator,
    KeptLetter,
    ModelReading,
    NameTwins,
    Reading,
    ReadingRequest,
    TwinDifference,
    check_letter,
    check_under_names,
    check_with_twin,
    mark_categories,
    mark_words,
    occupation_of,
    plural_of,
    read_by_model,
    read_bytes,
    read_file,
    scorers_for_letters,
    suggestions_of,
    write_twins,
)
from biasprint.core.letters import read_pasted as read_pasted_text
from biasprint.core.letters.kinds import KINDS
from biasprint.core.letters.pile import AXIS, FilePlace, Pile, PileColumn, PileRow, groups, read
from biasprint.core.letters.pile.outcomes import SelectionRates, read_outcomes, selection_rates, with_outcomes
from biasprint.core.letters.references import BUNDLED, ReferenceSet, in_use, reference
from biasprint.core.letters.request import HouseList, house_list
from biasprint.core.machine.keys import session_keys
from biasprint.core.prompts.axes import load_axis
from biasprint.core.prompts.definition_kinds import NAMES
from biasprint.core.prompts.library import name_set_called, read_library, shipped
from biasprint.core.report.export import ExportReport, export_rows
from biasprint.core.scorers.registry import best_scorer
from biasprint.core.swap import Person, Pronoun
from biasprint.core.swap.name_groups import NameGroup, groups_of, name_group, name_groups, named_in
from biasprint.desktop.jobs import JobHandle, progress_only
from biasprint.desktop.operations import operation
from biasprint.desktop.widgets.words import plural, tr

if TYPE_CHECKING:
    from biasprint.core.letters import CategoryWords, Suggestion
    from biasprint.core.letters.pile.compare import GroupTest

# ---- Reading a letter

WARMING = Document(
    "", "pasted", ("She led the studio for ten years, and I recommend her with all my heart for this post.",)
)


@dataclass(frozen=True)
class LetterRequest:
    """A letter with the person's choices for reading it. An occupation of None is guessed."""

    document: Document
    given: ReadingRequest = field(default_factory=ReadingRequest)


@dataclass(frozen=True)
class Checked:
    """A reading and what is shown beside it. `first`: it has marked words only, and the scorers' results follow."""

    request: LetterRequest
    reading: "Reading"
    abouts: "Mapping[str, CategoryWords]"
    occupation: str = ""
    guessed: bool = False
    guess_reason: str = ""
    plural: str = ""  # of the occupation, where it is known
    reference: "ReferenceSet | None" = None
    offers: "Mapping[int, tuple[Suggestion, ...]]" = field(default_factory=dict)  # sentence → suggestions
    house_trouble: str = ""  # why the house list is not used; "" where it is
    missing: tuple[str, ...] = ()  # the roles that no scorer here fills: the program is not all installed yet
    first: bool = False

    def uncounted(self, category: str) -> str:
        """Return how many marks of a category are right, where too few are for a count; measured in letters alone."""
        about = self.abouts.get(category)
        if about is None or not KINDS[self.reading.read_as.kind].of_person:
            return ""
        return about.precision.said if about.precision.uncounted else ""


@operation("Reading a file")
def read_document(ctx: JobContext, *, path: Path) -> Document:
    """Read the text of a file, in a process of its own."""
    return read_file(path, ctx)


@operation("Reading a pasted text", quiet=True)
def read_pasted(ctx: JobContext, *, text: str) -> Document:
    """Read a pasted text as a letter or CV."""
    return read_pasted_text(text)


@operation("Getting ready to read letters", quiet=True)
def warm_up(ctx: JobContext) -> None:
    """Load the scorers while the person still looks for a letter, so that the first reading is as quick as the next."""
    check(ctx, LetterRequest(WARMING, ReadingRequest(context=WARMING)))


@operation("Getting ready to mark letters", quiet=True)
def warm_up_words(ctx: JobContext) -> None:
    """Start the processes that read files and mark words: a letter opened while the scorers load is marked at once."""
    read_bytes(WARMING.text.encode(), "letter.txt", ctx)
    check_words(ctx, LetterRequest(WARMING))


def document_as_typed(document: Document, text: str) -> Document:
    """Return the document with its edited text. Its places are those of `text`, character by character."""
    return Document(document.name, document.kind, tuple(text.split("\n\n")), document.pages, document.notes)


def check(ctx: JobContext, request: LetterRequest) -> Checked:
    """Read a letter in the compute process, with everything it is to be compared with."""
    scorers = _scorers()
    read = partial(check_letter, ctx, request.document, compute.shared())
    return replace(
        _checked(ctx, request, read, scorers, compute.shared()),
        missing=tuple(role for role in ROLES if role not in scorers),
    )


def check_words(ctx: JobContext, request: LetterRequest) -> Checked:
    """Return the first reading, from the quick process: it waits for no scorer, and has no scorer's results."""
    read = partial(mark_words, ctx, request.document, compute.quick())
    return replace(_checked(ctx, request, read, {}, compute.quick()), first=True)


def _checked(
    ctx: JobContext,
    request: LetterRequest,
    read: "Callable[[ReadingRequest], Reading]",
    scorers: Mapping[str, str],
    process: "compute.ComputeProcess",
) -> Checked:
    given, guess = request.given, None
    if given.occupation is None:
        guess = occupation_of(request.document, given, process, ctx)
    occupation = given.occupation or ""
    if guess is not None and guess.likely:
        occupation = guess.occupation
    reference = _reference()
    house, trouble = house_in_use()
    reading = read(
        replace(
            given, scorers=scorers, occupation=occupation, reference=reference, house=house, larger=_readers["larger"]
        )
    )
    of_person = KINDS[reading.read_as.kind].of_person
    return Checked(
        request,
        reading,
        {category.key: category for category in mark_categories()},
        (occupation or (guess.occupation if guess else "")) if of_person else "",
        guess is not None,
        guess.reason if guess is not None else "",
        plural_of(occupation),
        reference,
        suggestions_of(ctx, reading, process),
        trouble,
    )


_chosen: dict[str, str] = {}
_readers = {"larger": True}  # as the setting is: it holds for every letter and every pile


def use_larger_reader(on: bool) -> None:
    """Let all-mpnet-base-v2 read passages too, where it is on this computer, or MiniLM alone."""
    _readers["larger"] = on


def forget_scorers() -> None:
    """Look up the scorers again at the next letter."""
    _chosen.clear()


def _scorers() -> Mapping[str, str]:
    """Return the scorers of this computer, looked up once per letter: while somebody types they stay the same."""
    if not _chosen:
        _chosen.update(scorers_for_letters())
    return dict(_chosen)


def _request_of_pile() -> ReadingRequest:
    return ReadingRequest(_scorers(), house=house_in_use()[0], larger=_readers["larger"])


def _reference() -> "ReferenceSet | None":
    """Return the chosen reference letters, else the program's; None where those are missing or damaged."""
    for name in (in_use(), BUNDLED):
        try:
            return reference(name)
        except AppError:
            continue  # the reading says whose letters it was compared with
    return None


def house_in_use() -> "tuple[HouseList | None, str]":
    """Return the house list of this computer, or why it cannot be used."""
    try:
        return house_list().found, ""
    except AppError as error:
        return None, str(error)


# ---- The twin, and writing the letter again

OTHER: "Mapping[Pronoun, Pronoun]" = {"she": "he", "he": "she", "they": "she", "": "she"}
TELLING = 5  # letters of a name by which the suggestion is chosen


def suggested(person: Person) -> Person:
    """Return the same person with a name and pronoun of the other group; the same person always gets the same name.

    The names are those of the letters study's axis. Reads a file of the program.
    """
    pronoun = OTHER[person.pronoun]
    names = [name for identity in load_axis(AXIS).identities if identity.pronouns == pronoun for name in identity.names]
    others = [name for name in names if name.lower() != person.first_name.lower()]
    place = sum(map(ord, person.first_name[:TELLING]))
    name = others[place % len(others)] if others else person.first_name
    return Person(name, person.last_name, "", pronoun)


@dataclass(frozen=True)
class NamesToChoose:
    """The groups of names to choose for a twin, and the sets of names, key → title, to read under all groups of."""

    groups: tuple[NameGroup, ...] = ()
    sets: Mapping[str, str] = field(default_factory=dict)


@operation("Looking up the groups of names", quiet=True)
def groups_to_choose(ctx: JobContext) -> NamesToChoose:
    """Read the groups and sets of names that a twin can be made with."""
    sets = (*read_library().own[NAMES.folder], *shipped(NAMES))
    return NamesToChoose(name_groups(), {names.key: names.title for names in sets})


@operation("Making the twin")
def read_twin(ctx: JobContext, *, checked: "Checked", other: Person | None = None, group: str = "") -> "TwinDifference":
    """Read the letter and its swap twin, and compare every score.

    The twin is for `other`, else for a name of `group`, else for somebody of the other gender.
    """
    about = other
    if about is None:
        person = checked.reading.person
        about = named_in(name_group(group), person) if group else suggested(person)
    return check_with_twin(ctx, checked.reading.document, about, compute.shared(), _as_checked(checked))


@operation("Reading the letter under other names")
def read_under_names(ctx: JobContext, *, checked: "Checked", names: str = "") -> "NameTwins":
    """Read the letter under a name of every group, of the set `names` if any, and compare the names."""
    groups = groups_of(name_set_called(names)) if names else None
    return check_under_names(ctx, checked.reading.document, compute.shared(), _as_checked(checked), groups)


def _as_checked(checked: "Checked") -> "ReadingRequest":
    """Return the request that reads a twin exactly like its letter."""
    reading = checked.reading
    return replace(
        checked.request.given,
        scorers={use.role: use.name for use in reading.scorers} or scorers_for_letters(),
        parts=reading.parts,
        person=reading.person,
        occupation=checked.occupation,
        reference=checked.reference,
        house=house_in_use()[0],
    )


@operation("Writing both letters again")
def rewrite(
    ctx: JobContext,
    *,
    checked: "Checked",
    other: Person,
    backend: str,
    model: str,
    parameters: "Mapping[str, Any]",
    occupation: str,
) -> "TwinDifference":
    """Generate from the CV a letter for the candidate and one for the twin, and compare them."""
    generator = Generator(backend, model, dict(parameters), session_keys())
    request = replace(_as_checked(checked), occupation=occupation)
    return write_twins(ctx, replace(other, title=""), compute.shared(), compute.models(), generator, request)


@operation("A language model reads the letter")
def read_with_model(
    ctx: JobContext, *, checked: "Checked", backend: str, model: str, parameters: "Mapping[str, Any]"
) -> ModelReading:
    """Have a language model read the letter that was checked."""
    generator = Generator(backend, model, dict(parameters), session_keys())
    return read_by_model(ctx, checked.reading, compute.models(), generator)


def drop_result(handle: JobHandle | None) -> None:
    """Drop a job's result: an ended job stays in the list of jobs, and must not hold a letter that was closed."""
    if handle is not None:
        handle.result, handle.progress = None, progress_only(handle.progress)


def why_no_rewrite(checked: "Checked") -> str:
    """Return why no generator can write the letter for both yet, and the remedy; "" where one can."""
    if checked.request.given.context is None:
        return tr("A generator writes from a CV: add it beside the letter first.")
    if not checked.reading.person.full_name or not checked.reading.person.pronoun:
        return tr("Say first whom the letter is about, and with which pronoun: under “Candidate”.")
    return ""


# ---- A pile of letters

SCORED = {"formality": "formality", "positivity": "positivity", "agency": "agency", "entailment": "unsupported"}


@dataclass(frozen=True)
class PileStart:
    """The facts before the first row. `groups`: key and label; `stand_ins`: figures made by a stand-in scorer."""

    groups: tuple[tuple[str, str], ...]
    stand_ins: frozenset[str]


def _said(pile: "Pile") -> str:
    read = sum(row.read for row in pile.rows)
    return plural(read, "1 letter of the pile was read.", "%n letters of the pile were read.")


@operation("Reading a pile of letters", _said)
def read_pile(ctx: JobContext, *, paths: Sequence[Path]) -> "Pile":
    """Read every file of a folder or zip, or of several files, as rows. Delivers a `PileStart`, then each row early."""
    scorers, (house, _) = scorers_for_letters(), house_in_use()
    infos = {role: best_scorer(role) for role in ROLES}
    stand_ins = frozenset(SCORED[role] for role, info in infos.items() if info is not None and info.stand_in)
    ctx.report(0, None, partial=PileStart(groups(), stand_ins))
    request = ReadingRequest(scorers, house=house, larger=_readers["larger"])
    return read.read_pile(ctx, paths, compute.shared(), request)


@operation("Opening a letter")
def open_letter(
    ctx: JobContext, *, paths: Sequence[Path], row: "PileRow", kept: KeptLetter | None = None
) -> tuple[KeptLetter, str]:
    """Open the letter of a row as somebody left it, else from its file; with a remark on what is not as expected."""
    return read.open_row(ctx, paths, row, kept)


@operation("Reading a letter of the pile again", quiet=True)
def read_row(ctx: JobContext, *, row: "PileRow", letter: KeptLetter) -> "PileRow":
    """Read the row of a letter again, as somebody left it."""
    request = _request_of_pile()
    return read.row_of_kept(ctx, row, letter, compute.shared(), request)


@operation("Comparing the groups of a pile", quiet=True)
def compare_groups(
    ctx: JobContext, *, rows: Sequence["PileRow"], columns: Sequence["PileColumn"]
) -> "tuple[tuple[GroupTest, ...], SelectionRates | None]":
    """Test whether a figure differs between the groups of the present rows, and compute their selection rates."""
    return read.compare_groups(ctx, rows, columns, compute.shared()), selection_rates(rows)


@operation("Reading a table of outcomes")
def join_outcomes(
    ctx: JobContext, *, path: Path, rows: Sequence["PileRow"]
) -> "tuple[tuple[PileRow, ...], tuple[str, ...]]":
    """Return the rows with the outcomes of a table of who was chosen, and remarks on the table."""
    return with_outcomes(rows, read_outcomes(path))


def _said_of_cvs(pile: "Pile") -> str:
    held = sum(row.cv is not None for row in pile.rows)
    return plural(held, "1 letter was held against its CV.", "%n letters were held against their CVs.")


@operation("Reading letters beside their CVs", _said_of_cvs)
def read_with_cvs(
    ctx: JobContext,
    *,
    paths: Sequence[Path],
    rows: Sequence["PileRow"],
    cvs: Path | None = None,
    chosen: "Mapping[str, FilePlace | None] | None" = None,
    kept: Mapping[str, KeptLetter],
) -> "Pile":
    """Read rows again, each compared with its CV: of a folder or zip by file name, or as chosen."""
    return read.read_with_cvs(ctx, paths, rows, compute.shared(), _request_of_pile(), cvs=cvs, chosen=chosen, kept=kept)


def _reported(found: tuple[Path, tuple[str, ...]]) -> str:
    return " ".join((tr("Saved as “{name}”.").format(name=found[0].name), *found[1][:1]))


@operation("Writing the report of a pile", _reported)
def report_pile(
    ctx: JobContext,
    *,
    path: Path,
    paths: Sequence[Path],
    pile: "Pile",
    tests: "Sequence[GroupTest]",
    rates: "SelectionRates | None",
    by_hand: int,
    kept: Mapping[str, KeptLetter],
) -> tuple[Path, tuple[str, ...]]:
    """Write the report of a whole pile as it is now, PDF or docx by its ending; return the path and remarks."""
    report = read.report_of(pile, tests, rates, by_hand=by_hand)
    return path, read.report_pile(ctx, paths, path, report, compute.shared(), _request_of_pile(), kept)


def _exported(report: "ExportReport") -> str:
    saved = tr("Saved as “{name}”.").format(name=report.path.name)
    return " ".join([saved, *report.notices()])


@operation("Exporting the table", _exported)
def export_table(
    ctx: JobContext, *, path: Path, rows: Sequence[Mapping[str, Any]], columns: Sequence[str]
) -> "ExportReport":
    """Write the table as csv or xlsx by the file's ending; no cell of it is read as a formula."""
    return export_rows(rows, path, columns, ctx=ctx, total=len(rows))
