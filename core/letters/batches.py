"""In the compute process: letters of a pile or a reference set, of which figures are kept."""

from collections import Counter
from collections.abc import Mapping, Sequence

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.letters.categories import version_of_marks
from biasprint.core.letters.files import read_pasted
from biasprint.core.letters.occupation_guess import guess_occupation
from biasprint.core.letters.pile import PileColumn, ReadOne, group_of
from biasprint.core.letters.reading import read_letter
from biasprint.core.letters.references import Built, ReferenceLetter, reference_letter
from biasprint.core.letters.request import ReadingRequest
from biasprint.core.letters.values import SCORE_NAMES, Document, Reading
from biasprint.core.text import for_matching, sha256_text

UNSUPPORTED = PileColumn("unsupported", "Claims without support", "share of claims")


def row_of_letter(document: Document, request: ReadingRequest) -> ReadOne:
    """The figures of one letter, and guesses of whom it is about. An occupation of "" is guessed too."""
    text = document.text
    reading = read_letter(document, request)
    guess = guess_occupation(text, reading.parts, reading.person)
    columns = [PileColumn(figure.name, figure.title, figure.unit) for figure in reading.figures]
    figures: dict[str, float | None] = {figure.name: figure.value for figure in reading.figures}
    if request.context is not None:
        columns.append(UNSUPPORTED)
        figures[UNSUPPORTED.name] = unsupported_share(reading)
    return ReadOne(
        person=reading.person,
        occupation=request.occupation or (guess.occupation if guess.likely else ""),
        group=group_of(reading.person.pronoun),
        figures={} if reading.stopped else figures,
        marks=dict(Counter(mark.category for mark in reading.marks)),
        claims=dict(Counter(one.verdict for one in reading.support)) if request.context is not None else {},
        balance=reading.balance.leaning if reading.balance is not None else "",
        columns=tuple(columns),
        scorers=reading.scorers,
        versions=reading.versions,
        notes=tuple(one.said for one in reading.suspicions if not one.stops),
        said=reading.stopped,
        text=sha256_text(" ".join(for_matching(text).split())),
    )


def unsupported_share(reading: Reading) -> float | None:
    """Claims that the context does not support or contradicts, as a share of all claims; None without claims."""
    verdicts = [one.verdict for one in reading.support]
    claims = sum(verdict in ("grounded", "unsupported", "contradicted") for verdict in verdicts)
    against = sum(verdict in ("unsupported", "contradicted") for verdict in verdicts)
    return against / claims if claims else None


def reference_of_letters(
    letters: Sequence[tuple[str, str, str]],
    scorers: Mapping[str, str],
    made_by: Sequence[str] | None = None,
    ctx: JobContext | None = None,
) -> Built:
    """`letters`: (text, occupation, group) each; `scorers`: role → name; `made_by`: who wrote each letter.

    A letter is read as a letter that is checked, but for whole passages, which no figure counts. One in another
    language or without text is dropped and counted; nothing here asks whether a text is a good letter.
    """
    ctx = ctx or JobContext()
    styles: dict[str, str] = {role: name for role, name in scorers.items() if role in SCORE_NAMES}
    found: list[ReferenceLetter] = []
    dropped: Counter[str] = Counter()
    used: dict[str, str] = {}
    for place, (text, occupation, group) in enumerate(letters):
        ctx.check()
        try:
            document = read_pasted(text)
        except AppError:
            dropped["no text"] += 1
            continue
        reading = read_letter(document, ReadingRequest(styles), words_only=True)  # of marks a set counts words alone
        used |= {use.role: f"{use.name} {use.version}" for use in reading.scorers}
        if reading.stopped:
            dropped["not English"] += 1
        else:
            figures = {one.name: one.value for one in reading.figures}
            found.append(reference_letter(occupation, group, figures, made_by[place] if made_by else ""))
        ctx.report(place + 1, len(letters))
    return Built(tuple(found), dict(dropped), used, version_of_marks())
