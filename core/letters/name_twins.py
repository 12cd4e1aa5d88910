"""In the compute process: one letter under a name of every group, and what a scorer makes of the names alone.

Gender stays, unless the groups are by gender too, and so does everything else; the twins are held beside each other,
because the letter's own name may be of any group or none. One name of a group stands for no group: what differs is a
finding about a scorer and these names.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from biasprint.core.letters.reading import read_letter
from biasprint.core.letters.request import ReadingRequest
from biasprint.core.letters.twins import SUPPORT, twin_of
from biasprint.core.letters.values import SAME, Document, NameFigure, NameTwin, NameTwins, Reading
from biasprint.core.swap.name_groups import NameGroup, name_groups, named_in


def read_under_names(
    document: Document, request: ReadingRequest, groups: Sequence[NameGroup] | None = None
) -> NameTwins:
    """The letter read once, and its twin under a name of every group: of these, else of the program's."""
    reading = read_letter(document, request)
    twins = tuple(
        NameTwin(group.key, group.label, twin_of(reading, named_in(group, reading.person), request))
        for group in groups or name_groups()
    )
    figures = tuple(_figures(twins))
    return NameTwins(twins, figures, tuple(_findings(reading, twins, figures)))


def _figures(twins: Sequence[NameTwin]) -> Iterator[NameFigure]:
    """The figures that differ between any two of the names."""
    for place, own in enumerate(twins[0].twin.figures):
        values = tuple(one.twin.figures[place].twin for one in twins)
        known = [value for value in values if value is not None]
        if known and (len(known) < len(values) or max(known) - min(known) > SAME):
            yield NameFigure(own.name, own.title, own.unit, own.value, values)


def _findings(reading: Reading, twins: Sequence[NameTwin], figures: Sequence[NameFigure]) -> Iterator[str]:
    if reading.stopped:
        yield "Nothing was scored, so that there is nothing to compare."
        return
    if not reading.person.full_name:
        yield "No name was found in this letter, so that none changes. Set the candidate's name."
        return
    spreads = list(_spreads(reading, twins))
    for scorer, role in dict.fromkeys((one.scorer, one.role) for one in spreads):
        own = [one for one in spreads if (one.scorer, one.role) == (scorer, role)]
        most = max(own, key=lambda one: one.size)
        count = "1 sentence another value" if len(own) == 1 else f"{len(own)} sentences another value"
        yield (
            f"The scorer of {role} ({scorer}) gives {count} under one of these names than under another, by up to "
            f"{most.size:.2f} (sentence {most.sentence + 1}, {most.low} lowest, {most.high} highest). "
            "This is a finding about the scorer and these names, not about the letter."
        )
    if not spreads and not figures:
        yield "No score of a sentence and no figure of the letter differs between these names."
    yield "One name stands for no group, and says nothing of who bears it."


@dataclass(frozen=True)
class _Spread:
    """How far one sentence's score lies apart between the names, and under which it is lowest and highest."""

    sentence: int
    scorer: str
    role: str
    size: float
    low: str
    high: str


def _spreads(reading: Reading, twins: Sequence[NameTwin]) -> Iterator[_Spread]:
    """Of the scores that any name changes: a twin whose score is the letter's own has no difference listed."""
    differences = [{(one.sentence, one.name): one for one in twin.twin.sentences} for twin in twins]
    for sentence, name in sorted({key for own in differences for key in own}):
        known = next(own[sentence, name] for own in differences if (sentence, name) in own)
        values = [own[sentence, name].twin if (sentence, name) in own else known.value for own in differences]
        low, high = values.index(min(values)), values.index(max(values))
        if values[high] - values[low] > SAME:
            role = "support by the context" if name == SUPPORT else name
            size = values[high] - values[low]
            yield _Spread(sentence, known.scorer, role, size, twins[low].label, twins[high].label)
