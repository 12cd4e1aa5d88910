"""A letter beside its twin, for the window. All of it runs off its thread, and nothing is written anywhere."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from core.jobs import JobContext
from core.swap import Person, Pronoun
from desktop.jobs import JobHandle
from desktop.jobs.handle import bare
from desktop.operations.base import Operation
from desktop.widgets.words import tr

if TYPE_CHECKING:
    from collections.abc import Mapping

    from core.documents.twin_values import TwinDifference
    from desktop.operations.letters import Checked

OTHER: "Mapping[Pronoun, Pronoun]" = {"she": "he", "he": "she", "they": "she", "": "she"}
TELLING = 5  # letters of a name by which the suggestion is chosen


def suggested(person: Person) -> Person:
    """The same person with a name and pronoun of the other group; the same person always gets the same name.

    The names are those of the letters study's axis. Reads a file of the program.
    """
    from core.documents.pile.groups import AXIS
    from core.prompts.axes import load_axis

    pronoun = OTHER[person.pronoun]
    names = [name for one in load_axis(AXIS).identities if one.pronouns == pronoun for name in one.names]
    others = [name for name in names if name.lower() != person.first_name.lower()]
    place = sum(map(ord, person.first_name[:TELLING]))
    name = others[place % len(others)] if others else person.first_name
    return Person(name, person.last_name, "", pronoun)


def read_twin(*, checked: "Checked", other: Person | None = None) -> "Operation[TwinDifference]":
    """The letter and its swap twin for `other` (suggested where None), both read, and every score compared."""

    def work(ctx: JobContext) -> "TwinDifference":
        from core.compute import shared
        from core.runs.letter import twin_readings

        reading, asked = checked.reading, checked.request
        return twin_readings(
            ctx,
            reading.document,
            other if other is not None else suggested(reading.person),
            shared(),
            context=asked.context,
            parts=reading.parts,
            person=reading.person,
            occupation=checked.occupation,
            reference=checked.reference,
            scorers={use.role: use.name for use in reading.scorers} or None,
        )

    return Operation(tr("Making the twin"), work)


def write_anew(
    *, checked: "Checked", other: Person, backend: str, model: str, parameters: "Mapping[str, Any]", occupation: str
) -> "Operation[TwinDifference]":
    """A letter for the candidate and one for the twin, both by a generator from the CV; and what differs."""

    def work(ctx: JobContext) -> "TwinDifference":
        from core.compute import models, shared
        from core.errors import UsageError
        from core.machine.keys import session_keys
        from core.runs.letter_regenerate import Generator, regenerate_twin

        context, reading = checked.request.context, checked.reading
        if context is None:
            raise UsageError("A letter is written anew from a CV, and there is none.", hint="Add the CV.")
        return regenerate_twin(
            ctx,
            context,
            reading.person,
            replace(other, title=""),
            shared(),
            models(),
            Generator(backend, model, dict(parameters), session_keys()),
            occupation=occupation,
            reference=checked.reference,
            scorers={use.role: use.name for use in reading.scorers} or None,
        )

    return Operation(tr("Writing two letters anew"), work)


def empty(handle: JobHandle | None) -> None:
    """A job that has ended stays in the list of jobs: it must not hold a letter that was closed."""
    if handle is not None:
        handle.result, handle.progress = None, bare(handle.progress)


def why_not_anew(checked: "Checked") -> str:
    """What is missing before a generator could write the letter for both, and what to do; "" where nothing is."""
    if checked.request.context is None:
        return tr("A generator writes from a CV: add it beside the letter first.")
    if not checked.reading.person.full_name or not checked.reading.person.pronoun:
        return tr("Say first whom the letter is about, and with which pronoun: under “Candidate”.")
    return ""
