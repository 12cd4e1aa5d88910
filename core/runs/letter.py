"""The letter check's jobs: reading a letter, and reading it beside its twin. Nothing is stored by any of them."""

from collections.abc import Mapping, Sequence
from typing import Any

from core.compute import ComputeProcess
from core.documents.reading.values import Reading
from core.documents.reference.guess import OccupationGuess, guess_occupation
from core.documents.reference.values import ReferenceSet
from core.documents.twin_values import TwinDifference
from core.documents.values import Document, Part
from core.jobs import JobContext
from core.runs.values import best_scorer
from core.swap import Person

ROLES = ("formality", "positivity", "agency", "entailment")


def scorers_for_letters(chosen: Mapping[str, str] | None = None) -> dict[str, str]:
    """Role → the scorer that is used for it; a role that nothing here can do is absent.

    `chosen`: the ones a person asks for. Raises `UsageError` for one that there is not.
    """
    chosen = chosen or {}
    found = {role: best_scorer(role, chosen.get(role)) for role in ROLES}
    return {role: info.name for role, info in found.items() if info is not None}


def read_one(
    ctx: JobContext,
    document: Document,
    compute: ComputeProcess,
    *,
    context: Document | None = None,
    parts: Sequence[Part] | None = None,
    person: Person | None = None,
    occupation: str = "",
    reference: ReferenceSet | None = None,
    scorers: Mapping[str, str] | None = None,
) -> Reading:
    """The reading of one letter, done in the compute process.

    `parts`, `person`, `scorers`: found, guessed and chosen where None. Without an `occupation` nothing is compared:
    a guess (`occupation_of`) is for a person to confirm.
    """
    reading: Reading = compute.call(
        "core.documents.reading.read:read_letter",
        document,
        ctx=ctx,
        **_asked(context, parts, person, occupation, reference, scorers),
    )
    return reading


def twin_readings(
    ctx: JobContext,
    document: Document,
    other: Person,
    compute: ComputeProcess,
    *,
    context: Document | None = None,
    parts: Sequence[Part] | None = None,
    person: Person | None = None,
    occupation: str = "",
    reference: ReferenceSet | None = None,
    scorers: Mapping[str, str] | None = None,
) -> TwinDifference:
    """The readings of a letter and of its swap twin for `other`, with the differences of every score."""
    found: TwinDifference = compute.call(
        "core.documents.twin_read:read_with_twin",
        document,
        other,
        ctx=ctx,
        **_asked(context, parts, person, occupation, reference, scorers),
    )
    return found


def occupation_of(document: Document) -> OccupationGuess:
    """The occupation that the letter seems to be about, with what that rests on."""
    return guess_occupation(document.text)


def _asked(
    context: Document | None,
    parts: Sequence[Part] | None,
    person: Person | None,
    occupation: str,
    reference: ReferenceSet | None,
    scorers: Mapping[str, str] | None,
) -> dict[str, Any]:
    return {
        "scorers": dict(scorers) if scorers is not None else scorers_for_letters(),
        "context": context,
        "parts": None if parts is None else tuple(parts),
        "person": person,
        "occupation": occupation,
        "reference": None if reference is None else reference.narrowed(occupation),
    }
