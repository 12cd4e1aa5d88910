"""The letter check's jobs: reading a letter, and reading it beside its twin. Nothing is stored by any of them."""

from collections.abc import Mapping, Sequence

from biasprint.core.compute import ComputeProcess
from biasprint.core.jobs import JobContext
from biasprint.core.letters.occupations import OccupationGuess, guess_occupation
from biasprint.core.letters.parts import parts_of
from biasprint.core.letters.reading import read_letter, read_words
from biasprint.core.letters.twins import read_under_names, read_with_twin
from biasprint.core.letters.values import Document, NameTwins, Part, Reading, ReadingRequest, TwinDifference
from biasprint.core.scorers.registry import best_scorer
from biasprint.core.swap import Person
from biasprint.core.swap.guess import guess_person
from biasprint.core.swap.name_groups import NameGroup

ROLES = ("formality", "positivity", "agency", "entailment")


def scorers_for_letters(chosen: Mapping[str, str] | None = None) -> dict[str, str]:
    """Role → the scorer that is used for it; a role that nothing here can do is absent.

    `chosen`: the ones a person asks for. Raises `UsageError` for one that there is not.
    """
    chosen = chosen or {}
    found = {role: best_scorer(role, chosen.get(role)) for role in ROLES}
    return {role: info.name for role, info in found.items() if info is not None}


def read_one(ctx: JobContext, document: Document, compute: ComputeProcess, request: ReadingRequest) -> Reading:
    """The reading of one letter, done in the compute process."""
    return compute.call(read_letter, document, request.narrowed(), ctx=ctx)


def first_reading(ctx: JobContext, document: Document, compute: ComputeProcess, request: ReadingRequest) -> Reading:
    """The first reading of a letter, by the quick process: marked words, and nothing that a scorer says."""
    return compute.call(read_words, document, request.narrowed(), ctx=ctx)


def twin_readings(
    ctx: JobContext, document: Document, other: Person, compute: ComputeProcess, request: ReadingRequest
) -> TwinDifference:
    """The readings of a letter and of its swap twin for `other`, with the differences of every score."""
    return compute.call(read_with_twin, document, other, request.narrowed(), ctx=ctx)


def readings_under_names(
    ctx: JobContext,
    document: Document,
    compute: ComputeProcess,
    request: ReadingRequest,
    groups: Sequence[NameGroup] | None = None,
) -> NameTwins:
    """The readings of a letter and of its twin under a name of every group, with what differs between the names."""
    return compute.call(read_under_names, document, request.narrowed(), groups, ctx=ctx)


def occupation_of(
    document: Document, parts: Sequence[Part] | None = None, person: Person | None = None
) -> OccupationGuess:
    """The occupation that the letter seems to be about, and why. `parts`, `person`: as in a request."""
    found = parts_of(document) if parts is None else parts
    return guess_occupation(document.text, found, guess_person(document.text, found) if person is None else person)
