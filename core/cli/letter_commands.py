"""letter, reference: checks reference letters, and prints what was found. Nothing is stored or sent."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.cli.console import check_target, job, print_json, print_table, say
from core.cli.project_commands import AsJson
from core.documents.categories import categories
from core.documents.formats import NAMES
from core.documents.occupations import OccupationGuess
from core.documents.pile import GroupTest, Pile, PileColumn, PileRow
from core.documents.values import ComparedFigure, LetterFigure, Mark, Reading, Support, TwinDifference, changed
from core.draw import digits
from core.errors import UsageError
from core.findings import ScorerUse
from core.studies.letters.style import p_words
from core.swap import Person

if TYPE_CHECKING:
    from core.documents.references import ReferenceSet
    from core.documents.values import Document, Reading, TwinDifference
    from core.jobs import JobContext
    from core.swap import Person, Pronoun

# ---- reference: the sets of letters that a letter is compared with

Name = Annotated[str, typer.Argument(help="A set's name, as `reference list` shows it.")]


def add_reference_to(app: typer.Typer) -> None:
    sets = typer.Typer(
        name="reference",
        help="Show, make and remove the sets of letters that a letter is compared with.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    sets.command("list")(list_references)
    sets.command("make")(make)
    sets.command("remove")(remove)
    app.add_typer(sets)


def list_references(as_json: AsJson = False) -> None:
    """Show the sets that there are."""
    from core.documents.references import references

    found = references()
    if as_json:
        print_json({"references": [{**vars(one), "occupations": list(one.occupations)} for one in found]})
        return
    print_table(
        ("name", "letters", "for", "what they are"),
        [
            (one.name, f"{one.letters:,}", ", ".join(one.occupations), one.trouble or f"{one.title}: {one.made_from}")
            for one in found
        ],
        right=("letters",),
    )


def make(
    name: Name,
    file: Annotated[Path, typer.Argument(help="A project with letters (.biasprint).")],
    title: Annotated[str, typer.Option(help="How the set is called where it is shown.")] = "",
    occupation: Annotated[str, typer.Option(help="Only letters for this occupation.")] = "",
    as_json: AsJson = False,
) -> None:
    """Make a set from a project's finished letters: their figures, never their text."""
    from core.compute import shared
    from core.project.project import Project
    from core.runs.letter_sets import make_reference

    with Project.open(file, read_only=True) as project, job("Reading letters") as ctx:
        made = make_reference(ctx, project, name, shared(), title=title, occupation=occupation)
    found = made.reference
    if as_json:
        print_json(
            {"name": found.name, "title": found.title, "letters": len(found.letters), "groups": list(found.groups),
             "occupations": list(found.occupations), "made_from": found.made_from, "dropped": dict(made.dropped)}
        )  # fmt: skip
        return
    say(f"“{found.name}” has the figures of {len(found.letters):,} letters for {', '.join(found.occupations)}.")
    for reason, count in made.dropped.items():
        say(f"Left out: {count:,} letters ({reason}).")


def remove(name: Name, as_json: AsJson = False) -> None:
    """Remove a set."""
    from core.documents.references import remove as forget

    forget(name)
    if as_json:
        print_json({"removed": name})
        return
    say(f"“{name}” is removed.")


REPORTS = (".pdf", ".docx")

Docs = Annotated[list[Path], typer.Argument(help=f"Letters: {NAMES}; or a folder or zip of them.")]


def add_letter_to(app: typer.Typer) -> None:
    app.command()(letter)
    add_reference_to(app)


def letter(
    docs: Docs,
    context: Annotated[Path | None, typer.Option(help="The CV, or what else the letter should rest on.")] = None,
    as_json: AsJson = False,
    report: Annotated[Path | None, typer.Option(help="Also write a plain-language report: pdf or docx.")] = None,
    occupation: Annotated[str, typer.Option(help="What the candidate is; guessed from the letter otherwise.")] = "",
    name: Annotated[str, typer.Option(help="Whom the letter is about; guessed otherwise.")] = "",
    pronoun: Annotated[str, typer.Option(help="he, she or they; guessed otherwise.")] = "",
    reference: Annotated[
        str, typer.Option(help="The letters to compare with; “reference list” shows the sets.")
    ] = "bundled",
    twin: Annotated[str, typer.Option(help="NAME:PRONOUN: also read the letter as if about this person.")] = "",
    pile: Annotated[bool, typer.Option("--pile", help="A table of all files, as folders and zips give.")] = False,
) -> None:
    """Check reference letters: language that matters, support by a CV, letters like it, the same letter for another."""
    from core.documents.pile import is_pile

    for text, what in ((name, "--name"), (pronoun, "--pronoun"), (twin, "--twin"), (report, "--report")):
        if text and (pile or len(docs) > 1 or is_pile(docs[0])):
            raise UsageError(f"{what} is about one letter.", hint="Name one letter, or leave it out.")
    _pronoun(pronoun)
    if report is not None:
        check_target(report, REPORTS, [*docs, *([context] if context else [])])
    if pile or any(is_pile(doc) for doc in docs):
        _pile(docs, context, occupation, as_json)
        return
    other = _other(twin) if twin else None
    from core.documents.references import reference as reference_set

    chosen = reference_set(reference)
    with job("Reading") as ctx:
        about = _context(ctx, context)
        checked = [_checked(ctx, doc, about, occupation, (name, pronoun), chosen, other) for doc in docs]
        if report is not None:
            from core.documents.report import write_report

            write_report(report, checked[0][0], twin=checked[0][3])
    _tell(checked, as_json, report)


Checked = tuple["Reading", str, "OccupationGuess", "TwinDifference | None"]


def _checked(
    ctx: "JobContext",
    doc: Path,
    context: "Document | None",
    occupation: str,
    about: tuple[str, str],
    reference: "ReferenceSet",
    other: "Person | None",
) -> Checked:
    """The reading of one letter, the occupation it was compared under, the guess at it, and the twin."""
    from core.compute import shared
    from core.documents.files import read_file
    from core.runs.letter_check import occupation_of, read_one, twin_readings

    document = read_file(doc, ctx)
    guess = occupation_of(document)
    under = occupation.strip() or (guess.occupation if guess.likely else "")
    person = _person(document, *about)
    asked = {"context": context, "person": person, "occupation": under, "reference": reference}
    if other is None:
        return read_one(ctx, document, shared(), **asked), under, guess, None  # type: ignore[arg-type]
    found = twin_readings(ctx, document, other, shared(), **asked)  # type: ignore[arg-type]
    return found.reading, under, guess, found


def _pile(docs: Sequence[Path], context: Path | None, occupation: str, as_json: bool) -> None:
    from core.compute import shared
    from core.documents.pile import is_pile
    from core.runs.letter_sets import compare_groups, read_files, read_pile

    if len(docs) > 1 and any(is_pile(doc) for doc in docs):
        raise UsageError("One folder or zip is checked at a time.", hint="Put the letters into one folder.")
    with job("Reading letters") as ctx:
        about = _context(ctx, context)
        if is_pile(docs[0]):
            found = read_pile(ctx, docs[0], shared(), context=about, occupation=occupation)
        else:
            found = read_files(ctx, docs, shared(), context=about, occupation=occupation)
        tests = compare_groups(ctx, found.rows, found.columns, shared())
    if as_json:
        print_json(pile_json(found, tests))
    else:
        tell_pile(found, tests)


def _context(ctx: "JobContext", path: Path | None) -> "Document | None":
    from core.documents.files import read_file

    return read_file(path, ctx) if path is not None else None


def _person(document: "Document", name: str, pronoun: str) -> "Person | None":
    """Whom the letter is about where a person says something of it; None where all is to be guessed."""
    from core.swap.guess import guess_person

    if not name.strip() and not pronoun:
        return None
    guessed = guess_person(document.text)
    named = _named(name) if name.strip() else guessed
    return replace(named, title=guessed.title, pronoun=_pronoun(pronoun) or guessed.pronoun)


def _other(twin: str) -> "Person":
    name, separator, pronoun = twin.rpartition(":")
    if not separator or not name.strip() or not pronoun.strip():
        raise UsageError(f"“{twin}” is no name with a pronoun.", hint="For example: --twin “Thomas Field:he”")
    return replace(_named(name), pronoun=_pronoun(pronoun.strip()))


def _named(name: str) -> "Person":
    """First name and the rest: “Kelly Moreno”, “Kelly van Dyke”."""
    from core.swap import Person

    first, _, last = " ".join(name.split()).partition(" ")
    return Person(first, last)


def _pronoun(given: str) -> "Pronoun":
    """Raises `UsageError` for one that is not known; "" is none."""
    from core.swap import PRONOUNS

    for pronoun in PRONOUNS:
        if pronoun == given:
            return pronoun
    raise UsageError(f"“{given}” is no pronoun that is known here.", hint="Choose he, she or they.")


def _tell(checked: Sequence[Checked], as_json: bool, report: Path | None) -> None:

    if as_json:
        written = {"report": str(report)} if report else {}
        print_json({"version": VERSION, "letters": [letter_json(*one) for one in checked], **written, "limits": LIMITS})
        return
    for place, one in enumerate(checked):
        if place:
            say("")
        tell_letter(*one)
    if report is not None:
        say(f"The report is in {report}.")


# ---- A reading, a twin and a pile of letters: as JSON (a contract, see docs/command-line.md), and in words for
# people

# ---- A reading, a twin and a pile as JSON. The keys are a contract; see docs/command-line.md

VERSION = 1
LIMITS = "One letter cannot show bias; it can show language that is known to matter."
LIMITS_OF_PILES = (
    "A difference between groups of letters does not say where it is from: candidates, posts and writers differ too."
)


def letter_json(
    reading: Reading, occupation: str, guess: OccupationGuess, twin: TwinDifference | None
) -> dict[str, Any]:
    """One letter. `occupation`: what it was compared under, given or guessed."""
    document = reading.document
    return {
        "file": document.name,
        "kind": document.kind,
        "pages": document.pages,
        "notes": list(document.notes),
        "text": document.text,
        "person": asdict(reading.person),
        "occupation": occupation,
        "occupation_guess": asdict(guess),
        "stopped": reading.stopped,
        "suspicions": [asdict(one) for one in reading.suspicions],
        "parts": [asdict(one) for one in reading.parts],
        "sentences": [asdict(one) for one in reading.sentences],
        "marks": [asdict(one) for one in reading.marks],
        "scores": [asdict(one) for one in reading.scores],
        "context": reading.context_name or None,
        "support": [asdict(one) for one in reading.support],
        "figures": [_figure_json(one) for one in reading.figures],
        "naming": asdict(reading.naming),
        "compared": [{**asdict(one), "outside": one.outside} for one in reading.compared],
        "reference": reading.reference,
        "twin": None if twin is None else twin_json(twin),
        "scorers": [asdict(one) for one in reading.scorers],
        "versions": dict(reading.versions),
    }


def twin_json(twin: TwinDifference) -> dict[str, Any]:
    swapped = twin.twin
    return {
        "person": asdict(twin.other),
        "text": twin.twin_reading.document.text,
        "changes": [asdict(one) for one in swapped.changes] if swapped else [],
        "left_alone": [asdict(one) for one in swapped.left_alone] if swapped else [],
        "figures": [{**asdict(one), "difference": one.difference} for one in twin.figures],
        "sentences": [{**asdict(one), "difference": one.difference} for one in twin.sentences],
        "unpaired": twin.unpaired,
        "findings": list(twin.findings),
    }


def pile_json(pile: Pile, tests: Sequence[GroupTest]) -> dict[str, Any]:
    return {
        "version": VERSION,
        "pile": pile.name,
        "columns": [asdict(one) for one in pile.columns],
        "rows": [_row_json(one) for one in pile.rows],
        "passed_over": pile.passed_over,
        "groups": [asdict(one) for one in tests],
        "scorers": [asdict(one) for one in pile.scorers],
        "versions": dict(pile.versions),
        "limits": LIMITS_OF_PILES,
    }


def _row_json(row: PileRow) -> dict[str, Any]:
    return {
        "name": row.name, "path": row.path_in_pile, "person": asdict(row.person), "occupation": row.occupation,
        "group": row.group, "figures": dict(row.figures), "reason": row.reason, "hint": row.hint,
        "notes": list(row.notes), "same_as": row.same_as,
    }  # fmt: skip


def _figure_json(figure: LetterFigure) -> dict[str, Any]:
    return {
        "name": figure.name, "title": figure.title, "value": figure.value, "unit": figure.unit, "n": figure.n,
        "low": figure.low, "high": figure.high, "reason": figure.reason,
        "scorer": figure.scorer.name if figure.scorer else None,
    }  # fmt: skip


# ---- A reading, a twin and a pile in calm words for people. What comes from a file is shown as text, whatever it
# holds

LONGEST = 160  # characters of a sentence that is quoted
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_COUNTED = ("unsupported", "contradicted", "grounded")


def tell_letter(reading: Reading, occupation: str, guess: OccupationGuess, twin: TwinDifference | None) -> None:
    """Everything about one letter."""
    say(f"{plain(reading.document.name)}: {_about(reading.person)}")
    say(_occupation(occupation, guess))
    for remark in (*reading.document.notes, *(one.said for one in reading.suspicions)):
        say(plain(remark))
    if not reading.stopped:
        _tell_marks(reading)
        _tell_support(reading)
        _tell_figures(reading)
        say(_naming(reading))
        say(plain(reading.reference))
    if twin is not None:
        _tell_twin(twin)
    if not reading.stopped:
        say(_scorers(reading.scorers))
    say(LIMITS)


def tell_pile(pile: Pile, tests: Sequence[GroupTest]) -> None:
    """The table, then the groups."""
    shown = _shown(pile)
    print_table(
        ("file", "about", "occupation", "group", *(column.title.lower() for column in shown), "remark"),
        [_row_words(row, shown) for row in pile.rows],
        right=[column.title.lower() for column in shown],
    )
    read = sum(row.read for row in pile.rows)
    say("")
    say(f"{len(pile.rows)} files, {read} of them read. About, occupation and group are guesses.")
    if pile.passed_over:
        say(f"{pile.passed_over} files that systems leave behind were passed over.")
    for pair, own in groupby(tests, key=lambda one: one.groups):
        _tell_groups(pair, list(own))
    if not tests:
        say("There are not two groups to compare.")
    say(_scorers(pile.scorers))
    say(LIMITS_OF_PILES)
    say(LIMITS)


def plain(text: str) -> str:
    """One line without what a terminal would obey: controls and marks of direction become a sign."""
    return _UNSEEN.sub("\ufffd", " ".join(text.split()))


def _about(person: Person) -> str:
    named = plain(person.full_name) or "nobody that it names"
    return f"about {named}{f' ({person.pronoun})' if person.pronoun else ''}, as far as it tells."


def _occupation(occupation: str, guess: OccupationGuess) -> str:
    if not occupation:
        return f"Occupation: not known. {plain(guess.reason)} Say it with --occupation."
    if occupation != guess.occupation or not guess.reason:
        return f"Occupation: {plain(occupation)}."
    return f"Occupation: {occupation}, a guess. {plain(guess.reason)} Say another with --occupation."


def _tell_marks(reading: Reading) -> None:
    say("")
    say("Language that is known to matter")
    for category in categories().values():
        own = [mark for mark in reading.marks if mark.category == category.key]
        if own:
            say(f"  {category.title} ({len(own)}): {', '.join(map(_mark, own))}")
            say(f"    {category.known_for} Source: {category.source}")
    if not reading.marks:
        say("  None of the words that are looked for is in it.")


def _mark(mark: Mark) -> str:
    turned = ", denied" if mark.negated else ", weakened" if mark.hedged else ""
    return f"“{plain(mark.words)}” (sentence {mark.sentence + 1}{turned})"


def _tell_support(reading: Reading) -> None:
    say("")
    counts = {verdict: sum(one.verdict == verdict for one in reading.support) for verdict in _COUNTED}
    claims = sum(counts.values())
    if not reading.context_name:
        say("Support: no context was given, so that no claim could be checked.")
        return
    counted = f"{claims} claims: {counts['grounded']} supported, {counts['unsupported']} not, {counts['contradicted']}"
    say(f"Support by {plain(reading.context_name)}. {counted} contradicted.")
    for one in reading.support:
        if one.verdict in ("unsupported", "contradicted"):
            for line in _claim(reading, one):
                say(line)


def _claim(reading: Reading, one: Support) -> Iterator[str]:
    sentence = reading.sentence(one.sentence)
    yield f"  {one.verdict.capitalize()} (sentence {sentence.index + 1}): “{_short(sentence.text)}”"
    if one.passage:
        yield f"    Nearest passage: “{_short(one.passage)}”"


def _tell_figures(reading: Reading) -> None:
    by_name = {one.name: one for one in reading.compared}
    say("")
    print_table(
        ("the letter as a whole", "value", "95 % interval", "reference, middle 80 %", ""),
        [_figure_words(figure, by_name.get(figure.name)) for figure in reading.figures],
        right=("value", "95 % interval", "reference, middle 80 %"),
    )
    say("")


def _figure_words(figure: LetterFigure, compared: ComparedFigure | None) -> tuple[str, ...]:
    unit = figure.unit
    value, bounds = digits.written(figure.value, figure.low, figure.high, unit)
    middle = digits.written(compared.value, compared.middle_low, compared.middle_high, unit)[1] if compared else ""
    outside = {"high": "more than most", "low": "less than most", "": ""}[compared.outside if compared else ""]
    value = value if figure.value is not None else f"none: {figure.reason}"
    title = f"{figure.title}{f', {unit}' if not unit.startswith('share') else ''}"
    return title, value, _ends(bounds, unit), _ends(middle, unit), outside


def _ends(interval: str, unit: str) -> str:
    return interval and interval + digits.sign(unit)


def number(value: float | None, unit: str) -> str:
    """A share in per cent; "–" for none."""
    return "–" if value is None else digits.number(value, unit)


def _naming(reading: Reading) -> str:
    naming = reading.naming
    said = (
        f"Named {naming.titled} times with a title, {naming.last} by last name, {naming.full} in full, {naming.first} "
        "by first name."
    )
    return said + (" After the introduction the first name alone is used." if naming.first_only else "")


def _tell_twin(twin: TwinDifference) -> None:
    say("")
    say(f"The same letter {_about(twin.other).removesuffix(', as far as it tells.')}")
    if twin.twin is not None:
        say(f"  {len(twin.twin.changes)} places change.")
        for change in twin.twin.changes:
            if change.doubt:
                say(f"  To be looked at: “{plain(change.old)}” became “{plain(change.new)}”. {plain(change.doubt)}")
    for one in changed(twin.figures):
        say(f"  {one.title}: {number(one.value, one.unit)}, for the twin {number(one.twin, one.unit)}.")
    for finding in twin.findings:
        say(f"  {plain(finding)}")
    say("")


def _scorers(uses: Sequence[ScorerUse]) -> str:
    named = ", ".join(f"{one.name}{' (stands in)' if one.stand_in else ''}" for one in uses)
    return f"Scorers: {named or 'none were needed'}."


def _short(text: str) -> str:
    line = plain(text)
    return line if len(line) <= LONGEST else f"{line[:LONGEST].rstrip()} …"


def _shown(pile: Pile) -> list[PileColumn]:
    """The columns that fit on a screen; the others are in the JSON."""
    wanted = ("words", "agency", "agentic", "communal", "standout", "doubt", "unsupported")
    return [column for column in pile.columns if column.name in wanted]


def _row_words(row: PileRow, shown: Sequence[PileColumn]) -> tuple[str, ...]:
    figures = [number(row.figures.get(column.name), column.unit) if row.read else "" for column in shown]
    same = f"The same text as {row.same_as}." if row.same_as else ""
    remark = " ".join(filter(None, (row.reason, same, *row.notes)))
    about = (plain(row.path_in_pile), plain(row.person.full_name), plain(row.occupation), row.group)
    return (*about, *figures, plain(remark))


def _tell_groups(pair: tuple[str, str], tests: Sequence[GroupTest]) -> None:
    say("")
    say(f"{pair[0]} against {pair[1]}")
    if all(test.few for test in tests):
        say(f"  {tests[0].said}")
        return
    for test in tests:
        one, other = (number(mean, test.unit) for mean in test.means)
        p = "" if test.p_adjusted is None else f", {p_words(test.p_adjusted)} after Holm"
        say(f"  {test.title}: {one} and {other}{p}. {test.said}")
