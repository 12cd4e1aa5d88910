"""In the compute process: one letter of a pile is read, and what a row keeps of it comes back; its text does not."""

from collections.abc import Mapping

from core.documents.pile.groups import group_of
from core.documents.pile.values import Column, ReadOne
from core.documents.reading.read import read_letter
from core.documents.reading.values import Reading
from core.documents.reference.guess import guess_occupation
from core.documents.values import Document
from core.text import for_matching, sha256_text

UNSUPPORTED = Column("unsupported", "Claims without support", "share of claims")


def read_one(document: Document, scorers: Mapping[str, str], context: Document | None, occupation: str) -> ReadOne:
    """The figures of one letter, and guesses of whom it is about. `occupation`: "" where it is to be guessed."""
    text = document.text
    reading = read_letter(document, scorers=scorers, context=context)
    guess = guess_occupation(text)
    columns = [Column(figure.name, figure.title, figure.unit) for figure in reading.figures]
    figures: dict[str, float | None] = {figure.name: figure.value for figure in reading.figures}
    if context is not None:
        columns.append(UNSUPPORTED)
        figures[UNSUPPORTED.name] = unsupported_share(reading)
    return ReadOne(
        person=reading.person,
        occupation=occupation or (guess.occupation if guess.likely else ""),
        group=group_of(reading.person.pronoun),
        figures={} if reading.stopped else figures,
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
