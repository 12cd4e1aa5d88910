"""letter, reference, saved-letters: reads letters, one by one or as a pile. Nothing leaves the machine."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from biasprint.core.cli.console import (
    AskKey,
    Endpoint,
    LookAnyway,
    Set,
    check_target,
    grouped,
    job,
    named,
    note,
    open_for_writing,
    open_to_look,
    parameters,
    print_json,
    print_table,
    say,
    session_keys,
)
from biasprint.core.cli.project_commands import AsJson, File
from biasprint.core.errors import UsageError

if TYPE_CHECKING:  # every command imports this module, and only these ones read letters
    from biasprint.core.jobs import JobContext
    from biasprint.core.letters import (
        Document,
        ModelReading,
        NameTwins,
        OccupationGuess,
        Reading,
        ReadingRequest,
        TwinDifference,
        WordFile,
    )
    from biasprint.core.letters.request import HouseList
    from biasprint.core.swap import Person, Pronoun
    from biasprint.core.swap.name_groups import NameGroup

# As in `letters.kinds`, which no help loads.
FORMATS = ("docx", "odt", "pdf", "rtf", "eml", "html", "md", "txt")
NAMES = f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}"
DOCUMENT_KINDS = ("reference", "recommendation", "review", "peer", "advert")

# ---- reference: the sets of letters that a letter is compared with

Name = Annotated[str, typer.Argument(help="A set's name, as `reference list` shows it.")]


def list_references(as_json: AsJson = False) -> None:
    """Show the sets that there are."""
    from biasprint.core.letters.references import references

    references_known = references()
    if as_json:
        print_json(
            {
                "references": [
                    {**vars(reference), "occupations": list(reference.occupations)} for reference in references_known
                ]
            }
        )
        return
    print_table(
        ("name", "letters", "for", "what they are"),
        [
            (
                reference.name,
                f"{reference.letters:,}",
                ", ".join(reference.occupations),
                reference.trouble or f"{reference.title}: {reference.made_from}",
            )
            for reference in references_known
        ],
        right=("letters",),
    )


def make(
    name: Name,
    file: Annotated[Path, typer.Argument(help="A project with letters (.biasprint), or a folder or zip of letters.")],
    title: Annotated[str, typer.Option(help="How the set is called where it is shown.")] = "",
    occupation: Annotated[str, typer.Option(help="Only letters for it; of a folder: what all are for.")] = "",
    look_anyway: LookAnyway = False,
    as_json: AsJson = False,
) -> None:
    """Make a set from a project's finished letters, or a folder of letters: their figures, never their text."""
    from biasprint.core.compute import shared
    from biasprint.core.letters import ReadingRequest, scorers_for_letters
    from biasprint.core.letters.pile.files import is_pile
    from biasprint.core.letters.reference_sets import make_reference, make_reference_from_pile
    from biasprint.core.letters.references import said_of_too_few

    if is_pile(file):
        with job("Reading letters") as ctx:
            request = ReadingRequest(scorers_for_letters(), occupation=occupation)
            made = make_reference_from_pile(ctx, file, name, shared(), request, title=title)
    else:
        with open_to_look(file, look_anyway, "reference make") as project, job("Reading letters") as ctx:
            made = make_reference(ctx, project, name, shared(), title=title, occupation=occupation)
    reference = made.reference
    if as_json:
        print_json(
            {"name": reference.name, "title": reference.title, "letters": len(reference.letters),
             "groups": list(reference.groups), "occupations": list(reference.occupations),
             "made_from": reference.made_from, "dropped": dict(made.dropped)}
        )  # fmt: skip
        return
    say(
        f"“{reference.name}” has the figures of {len(reference.letters):,} letters for "
        f"{', '.join(reference.occupations)}."
    )
    if few := said_of_too_few(reference):
        say(few)
    for reason, count in made.dropped.items():
        say(f"Left out: {count:,} letters ({reason}).")


def remove(name: Name, as_json: AsJson = False) -> None:
    """Remove a set."""
    from biasprint.core.letters.references import remove as forget

    forget(name)
    if as_json:
        print_json({"removed": name})
        return
    say(f"“{name}” is removed.")


REPORTS = (".pdf", ".docx")
ALL_NAMES = "all"
WORD_FILES = (".docx", ".odt")

Docs = Annotated[list[Path], typer.Argument(help=f"Letters: {NAMES}; or a folder or zip of them.")]


@dataclass(frozen=True)
class Files:
    """The files beside the answer."""

    report: Annotated[Path | None, typer.Option(help="Also write a plain-language report: pdf or docx.")] = None
    note: Annotated[Path | None, typer.Option(help="Also write a note to the writer, one page: pdf or docx.")] = None
    original: Annotated[Path | None, typer.Option(help="The letter before it was edited, to list what changed.")] = None
    appendix: Annotated[bool, typer.Option("--appendix", help="Versions and hashes on a page after the note.")] = False
    word: Annotated[Path | None, typer.Option(help="Also write the letter as docx or odt, marks as comments.")] = None

    @property
    def options(self) -> dict[str, Path | None]:
        return {"--report": self.report, "--note": self.note, "--original": self.original, "--word": self.word}

    @property
    def written(self) -> dict[str, Path]:
        every = {"report": self.report, "note": self.note, "word": self.word}
        return {what: path for what, path in every.items() if path is not None}

    def check(self, sources: Sequence[Path]) -> None:
        """Raise `UsageError`, before any work, for what makes no sense."""
        if self.appendix and self.note is None:
            raise UsageError("--appendix belongs to the note.", hint="Add --note FILE.")
        if self.original is not None and self.note is None and self.report is None:
            raise UsageError("--original is for a note or a report.", hint="Add --note FILE or --report FILE.")
        made_from = [*sources, *([self.original] if self.original is not None else [])]
        for what, target in self.written.items():
            check_target(target, WORD_FILES if what == "word" else REPORTS, made_from)

    def check_word(self, ctx: "JobContext", doc: Path) -> None:
        """Raise `UsageError`, before the scorers read the letter, where its Word file cannot be called so."""
        from biasprint.core.letters import read_file

        if self.word is not None:
            _word_file(ctx, doc, self.word, read_file(doc, ctx))

    def write(self, ctx: "JobContext", doc: Path, checked: "Checked", house: "HouseList | None") -> tuple[str, ...]:
        """Write the files that are asked for, and return remarks on the Word file."""
        from biasprint.core.letters import TwinDifference, write_note, write_report

        reading = checked[0]
        twin = checked[3] if isinstance(checked[3], TwinDifference) else None
        original = _context(ctx, self.original)
        # First what may be refused: then nothing is written.
        notes = _write_word(ctx, doc, self.word, reading) if self.word is not None else ()
        if self.report is not None or self.note is not None:
            if self.report is not None:
                write_report(self.report, reading, twin=twin, original=original)
            if self.note is not None:
                write_note(self.note, reading, original=original, house=house, appendix=self.appendix)
        return notes


@dataclass(frozen=True)
class AskedModel:
    """A language model that reads the letter too, if a person wants one."""

    ask: Annotated[
        str, typer.Option(help="Have this language model read the letter as well; its reading stands beside.")
    ] = ""
    ask_with: Annotated[str, typer.Option(help="What kind of generator it is, as for judge.")] = "llama_cpp"
    endpoint: Endpoint = None
    settings: Set = None
    ask_key: AskKey = False

    def check(self) -> None:
        """Raise `UsageError` for what belongs to a model that is not named."""
        if not self.ask and (self.endpoint is not None or self.settings or self.ask_key):
            raise UsageError("--endpoint, --set and --ask-key are for a model that reads.", hint="Name it with --ask.")

    def read(self, ctx: "JobContext", reading: "Reading") -> "ModelReading | None":
        """Return what the model names in the letter; None where none is asked, or there is no letter to read."""
        from biasprint.core.compute import models
        from biasprint.core.letters import Generator, read_by_model

        if not self.ask or reading.stopped:
            return None
        given = parameters(self.endpoint, None, None, None, self.settings or ())
        generator = Generator(self.ask_with, self.ask, given, session_keys(self.endpoint, self.ask_key))
        return read_by_model(ctx, reading, models(), generator)


@grouped
def letter(
    docs: Docs,
    context: Annotated[Path | None, typer.Option(help="The CV, or what else the letter should rest on.")] = None,
    as_json: AsJson = False,
    *,
    files: Files,
    asked: AskedModel,
    occupation: Annotated[str, typer.Option(help="What the candidate is; guessed from the letter otherwise.")] = "",
    name: Annotated[str, typer.Option(help="Whom the letter is about; guessed otherwise.")] = "",
    pronoun: Annotated[str, typer.Option(help="he, she or they; guessed otherwise.")] = "",
    reference: Annotated[
        str, typer.Option(help="The letters to compare with; “reference list” shows the sets.")
    ] = "bundled",
    twin: Annotated[
        str,
        typer.Option(
            help="NAME:PRONOUN, names:GROUP, names:all or names:SET: read it as if about this person as well."
        ),
    ] = "",
    pile: Annotated[bool, typer.Option("--pile", help="A table of all files, as folders and zips give.")] = False,
    cvs: Annotated[
        Path | None, typer.Option(help="Of a pile: a folder or zip of CVs, for the letters whose file names fit.")
    ] = None,
    outcomes: Annotated[
        Path | None, typer.Option(help="Of a pile: a table of who was chosen, with columns file, outcome, group.")
    ] = None,
    kind: Annotated[
        str, typer.Option(help=f"What it is read as: {', '.join(DOCUMENT_KINDS)}; guessed otherwise.")
    ] = "",
    house_list: Annotated[
        Path | None, typer.Option(help="A csv file of words that are always ignored, and always marked.")
    ] = None,
    larger_reader: Annotated[
        bool, typer.Option(help="all-mpnet-base-v2 reads passages too, where it is on this computer.")
    ] = True,
) -> None:
    """Check reference letters, reviews and job adverts: language that matters, and of letters support by a CV, letters
    like it, the same letter for another."""
    from biasprint.core.letters import ReadingRequest
    from biasprint.core.letters.kinds import kind_called
    from biasprint.core.letters.pile.files import is_pile

    many = pile or any(is_pile(doc) for doc in docs)
    about_one = {"--name": name, "--pronoun": pronoun, "--twin": twin, "--ask": asked.ask, **files.options}
    _check_number(docs, many, about_one, {"--outcomes": outcomes, "--cvs": cvs})
    known_pronoun(pronoun)
    if twin and files.report is not None and isinstance(_twin(twin), tuple):
        raise UsageError("A full report has one twin.", hint="Name one group: --twin names:GROUP.")
    files.check([*docs, *([context] if context else [])])
    asked.check()
    house, read_as = _house(house_list), kind_called(kind) if kind else None
    if many:
        given = ReadingRequest(occupation=occupation or None, house=house, kind=read_as, larger=larger_reader)
        _pile(docs, context, given, as_json, outcomes, cvs, files.report)
        return
    other = _twin(twin) if twin else None
    with job("Reading") as ctx:
        files.check_word(ctx, docs[0])
        request = letter_request(ctx, context, occupation, reference, house)
        request = replace(request, kind=read_as, larger=larger_reader)
        checked = [checked_letter(ctx, doc, request, (name, pronoun), other) for doc in docs]
        notes = files.write(ctx, docs[0], checked[0], house)
        of_model = asked.read(ctx, checked[0][0])
    _tell(checked, as_json, files, notes, of_model)


def _check_number(
    docs: Sequence[Path], many: bool, about_one: Mapping[str, object], about_pile: Mapping[str, object]
) -> None:
    """Raise `UsageError` for an option about one letter where there are several, or about a pile where there is one."""
    for what, given in about_one.items():
        if given and (many or len(docs) > 1) and not (many and what == "--report"):
            raise UsageError(f"{what} is about one letter.", hint="Name one letter, or leave it out.")
    for what, given in about_pile.items():
        if given is not None and not many:
            raise UsageError(f"{what} is about a pile.", hint="Name a folder or a zip, or several letters with --pile.")


def letter_request(
    ctx: "JobContext", context: Path | None, occupation: str, reference: str, house: "HouseList | None"
) -> "ReadingRequest":
    """Return the request that all letters of a command are read with, as far as it is the same for each."""
    from biasprint.core.letters import ReadingRequest, scorers_for_letters
    from biasprint.core.letters.references import reference as reference_set

    chosen = reference_set(reference)
    about = _context(ctx, context)
    return ReadingRequest(
        scorers_for_letters(), about, occupation=occupation.strip() or None, reference=chosen, house=house
    )


Checked = tuple["Reading", str, "OccupationGuess", "TwinDifference | NameTwins | None"]


def checked_letter(
    ctx: "JobContext",
    doc: Path,
    request: "ReadingRequest",
    given: tuple[str, str],
    other: "Person | NameGroup | tuple[NameGroup, ...] | None",
) -> Checked:
    """The reading of one letter, the occupation it was compared under, the guess at it, and the twin.

    `given`: name and pronoun of the candidate, "" where they are to be guessed.
    """
    from biasprint.core import letters
    from biasprint.core.compute import shared
    from biasprint.core.swap.name_groups import NameGroup, named_in

    document = letters.read_file(doc, ctx)
    person = _person(document, *given)
    guess = letters.occupation_of(document, letters.ReadingRequest(person=person), shared(), ctx)
    under = request.occupation or (guess.occupation if guess.likely else "")
    request = replace(request, person=person, occupation=under)
    if other is None:
        return letters.check_letter(ctx, document, shared(), request), under, guess, None
    if isinstance(other, tuple):
        names = letters.check_under_names(ctx, document, shared(), request, other)
        return names.twins[0].twin.reading, under, guess, names
    if isinstance(other, NameGroup):
        about = person if person is not None else letters.candidate_of(document)
        other = named_in(other, about)
    checked_pair = letters.check_with_twin(ctx, document, other, shared(), request)
    return checked_pair.reading, under, guess, checked_pair


def _write_word(ctx: "JobContext", doc: Path, target: Path, reading: "Reading") -> tuple[str, ...]:
    """Write the letter with comments, into its own docx or odt, or a plain docx; return remarks on it."""
    from biasprint.core.machine.files import write_whole

    word_file = _word_file(ctx, doc, target, reading.document, reading)
    write_whole(target, word_file.data)
    return word_file.notes


def _word_file(
    ctx: "JobContext", doc: Path, target: Path, letter: "Document", reading: "Reading | None" = None
) -> "WordFile":
    """Make the Word file to write."""
    from biasprint.core.letters import as_word
    from biasprint.core.letters.kinds import goes_back_into

    own = doc.read_bytes() if goes_back_into(letter.kind, target) else None
    return as_word(ctx, own, letter, reading)


def _pile(
    docs: Sequence[Path],
    context: Path | None,
    given: "ReadingRequest",
    as_json: bool,
    outcomes: Path | None,
    cvs: Path | None,
    report: Path | None,
) -> None:
    from biasprint.core.cli.letter_output import pile_json, tell_pile
    from biasprint.core.compute import shared
    from biasprint.core.letters import scorers_for_letters
    from biasprint.core.letters.pile.files import is_pile
    from biasprint.core.letters.pile.outcomes import read_outcomes, selection_rates, with_outcomes
    from biasprint.core.letters.pile.read import compare_groups, read_pile, report_of, report_pile

    if len(docs) > 1 and any(is_pile(doc) for doc in docs):
        raise UsageError("One folder or zip is checked at a time.", hint="Put the letters into one folder.")
    if context is not None and cvs is not None:
        raise UsageError("--context is one CV for every letter, and --cvs one for each.", hint="Leave one of them out.")
    table = read_outcomes(outcomes) if outcomes is not None else None
    letters = docs[0] if is_pile(docs[0]) else docs
    with job("Reading letters") as ctx:
        request = replace(given, scorers=scorers_for_letters(), context=_context(ctx, context))
        pile = read_pile(ctx, letters, shared(), request, cvs=cvs)
        if table is not None:
            rows, remarks = with_outcomes(pile.rows, table)
            pile = replace(pile, rows=rows, remarks=(*pile.remarks, *remarks))
        tests, rates = compare_groups(ctx, pile.rows, pile.columns, shared()), selection_rates(pile.rows)
    lost: tuple[str, ...] = ()
    if report is not None:
        with job("Writing the report") as ctx:
            asked = report_of(pile, tests, rates)
            lost = report_pile(ctx, letters, report, asked, shared(), request)
    for remark in lost:
        note(remark)
    if as_json:
        print_json(pile_json(pile, tests, rates) | ({"report": str(report)} if report is not None else {}))
        return
    tell_pile(pile, tests, rates)
    if report is not None:
        say(f"The report is in {named(report)}.")


def _house(path: Path | None) -> "HouseList | None":
    """The house list of a file. Each line of it that was left out is said beside the answer."""
    from biasprint.core.letters.request import read_list

    if path is None:
        return None
    read = read_list(path)
    for remark in read.left_out:
        note(f"{path.name}: {remark}")
    return read.found


def _context(ctx: "JobContext", path: Path | None) -> "Document | None":
    from biasprint.core.letters import read_file

    return read_file(path, ctx) if path is not None else None


def _person(document: "Document", name: str, pronoun: str) -> "Person | None":
    """Whom the letter is about where a person says something of it; None where all is to be guessed."""
    from biasprint.core.letters import candidate_called, candidate_of

    if not name.strip() and not pronoun:
        return None
    person = candidate_called(document, name) if name.strip() else candidate_of(document)
    return replace(person, pronoun=known_pronoun(pronoun) or person.pronoun)


def _twin(twin: str) -> "Person | NameGroup | tuple[NameGroup, ...]":
    """Whom the twin is about: a person, or “names:GROUP”, whoever bears a name of that group; with `ALL_NAMES` or a set
    of names in its place, one for each of the groups."""
    from biasprint.core.prompts.name_sets import available_name_sets, load_name_set
    from biasprint.core.swap.name_groups import groups_of, name_group, name_groups

    kind, separator, key = (part.strip() for part in twin.partition(":"))
    if not separator or kind != "names":
        return _other(twin)
    if key == ALL_NAMES:
        return name_groups()
    if key in available_name_sets() or key.endswith(".toml"):
        return groups_of(load_name_set(key))
    return name_group(key)


def _other(twin: str) -> "Person":
    from biasprint.core.swap.guess import named as named_person

    name, separator, pronoun = twin.rpartition(":")
    if not separator or not name.strip() or not pronoun.strip():
        raise UsageError(f"“{twin}” is no name with a pronoun.", hint="For example: --twin “Thomas Field:he”")
    return replace(named_person(name), pronoun=known_pronoun(pronoun.strip()))


def known_pronoun(given: str) -> "Pronoun":
    """Raises `UsageError` for one that is not known; "" is none."""
    from biasprint.core.swap import PRONOUNS

    for pronoun in PRONOUNS:
        if pronoun == given:
            return pronoun
    raise UsageError(f"“{given}” is no pronoun that is known here.", hint="Choose he, she or they.")


def _tell(
    checked: Sequence[Checked], as_json: bool, files: Files, notes: Sequence[str], of_model: "ModelReading | None"
) -> None:
    """Print all letters. `of_model`: a language model's reading of the only one."""
    from biasprint.core.cli.letter_output import (
        LIMITS,
        VERSION,
        letter_json,
        model_reading_json,
        tell_letter,
        tell_model_reading,
    )

    if as_json:
        written = {what: str(path) for what, path in files.written.items()}
        as_word = {"word_notes": list(notes)} if files.word else {}
        letters = [letter_json(*letter) for letter in checked]
        if of_model is not None:
            letters[0]["model_reading"] = model_reading_json(of_model)
        print_json({"version": VERSION, "letters": letters, **written, **as_word, "limits": LIMITS})
        return
    for place, letter in enumerate(checked):
        if place:
            say("")
        tell_letter(*letter)
    if of_model is not None:
        tell_model_reading(of_model)
    sentences = {
        "report": "The report is in {path}.",
        "note": "The note to the writer is in {path}.",
        "word": "The letter with its marks as comments is in {path}.",
    }
    for what, path in files.written.items():
        say(sentences[what].format(path=path))
    for line in notes:
        say(line)


# ---- saved-letters: checked letters kept in a project, as the window keeps them

Letter = Annotated[Path, typer.Argument(help=f"The letter: {NAMES}.")]


def list_saved(file: File, look_anyway: LookAnyway = False, as_json: AsJson = False) -> None:
    """Show the letters that were saved in a project, the newest first."""
    from biasprint.core.letters.kept import saved_letters

    with open_to_look(file, look_anyway, "saved-letters list") as project:
        letters = saved_letters(project)
    if as_json:
        print_json({"letters": [{"id": letter.key, "title": letter.title, "saved": letter.when} for letter in letters]})
        return
    print_table(("id", "letter", "saved"), [(letter.key, letter.title, letter.when) for letter in letters])


def add_saved(
    file: File,
    doc: Letter,
    context: Annotated[Path | None, typer.Option(help="The CV, or what else the letter should rest on.")] = None,
    title: Annotated[str, typer.Option(help="How it is called in the list; its file's name otherwise.")] = "",
    occupation: Annotated[str, typer.Option(help="What the candidate is; guessed from the letter otherwise.")] = "",
    name: Annotated[str, typer.Option(help="Whom the letter is about; guessed otherwise.")] = "",
    pronoun: Annotated[str, typer.Option(help="he, she or they; guessed otherwise.")] = "",
    as_json: AsJson = False,
) -> None:
    """Check a letter and keep it in a project, with what was found."""
    from biasprint.core.letters import KeptLetter
    from biasprint.core.letters.kept import save_letter

    known_pronoun(pronoun)
    with open_for_writing(file) as project, job("Reading") as ctx:
        request = letter_request(ctx, context, occupation, "bundled", None)
        reading, under, _, _ = checked_letter(ctx, doc, request, (name, pronoun), None)
        by_hand = reading.person if name.strip() or pronoun else None
        document = reading.document
        letter = KeptLetter(
            document, title.strip() or document.name, request.context, person=by_hand,
            occupation=occupation.strip() or None,
        )  # fmt: skip
        key = save_letter(project, letter, reading, under)
    if as_json:
        print_json({"id": key, "title": letter.title, "occupation": under})
        return
    say(f"“{letter.title}” is in {file.name}.")


def remove_saved(
    file: File,
    letter: Annotated[str, typer.Argument(help="Its id, as “saved-letters list” shows it.")],
    as_json: AsJson = False,
) -> None:
    """Take a letter out of a project: its text, its CV, and every reading of it."""
    from biasprint.core.letters.kept import remove_letter, saved_letters

    with open_for_writing(file) as project:
        if letter not in {saved.key for saved in saved_letters(project)}:
            raise UsageError(
                f"There is no saved letter “{letter}” in {file.name}.", hint="“saved-letters list” has ids."
            )
        remove_letter(project, letter)
    if as_json:
        print_json({"removed": letter})
        return
    say("The letter is removed.")
