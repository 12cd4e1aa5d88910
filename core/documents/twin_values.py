"""A letter and its twin, both read: what differs, and what that says about the scorers. Frozen, light to import."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.documents.reading.values import Reading
from core.documents.values import ScoreName
from core.swap import Person
from core.swap.result import Twin

SAME = 1e-6  # a score that differs by less differs by how a computer adds


@dataclass(frozen=True)
class FigureDifference:
    """One figure of the letter and of its twin; `difference` is the twin's minus the letter's, None where one lacks."""

    name: str
    title: str
    unit: str
    value: float | None
    twin: float | None

    @property
    def difference(self) -> float | None:
        return None if self.value is None or self.twin is None else self.twin - self.value


@dataclass(frozen=True)
class SentenceDifference:
    """One scorer's values for a sentence of the letter and for the sentence of the twin that came of it.

    `sentence`, `twin_sentence`: their indexes. `name` is “support” for the entailment scorer. `turned`: the value is
    on the other side, or the verdict another.
    """

    sentence: int
    twin_sentence: int
    name: ScoreName | str
    scorer: str
    value: float
    twin: float
    turned: bool

    @property
    def difference(self) -> float:
        return self.twin - self.value


@dataclass(frozen=True)
class TwinDifference:
    """The letter and its twin. `twin`: the swap; None where a generator wrote both letters, which `made_by` names.

    `sentences`: only those whose score differs. `unpaired`: sentences of the letter without one counterpart, which are
    not compared. `findings`: what the differences say, in sentences for a person: about the scorers where only names
    and gender changed.
    """

    person: Person
    other: Person
    reading: Reading
    twin_reading: Reading
    figures: tuple[FigureDifference, ...]
    sentences: tuple[SentenceDifference, ...]
    unpaired: int
    findings: tuple[str, ...]
    twin: Twin | None = None
    made_by: str = ""


def figure_differences(reading: Reading, twin: Reading) -> tuple[FigureDifference, ...]:
    """Every figure of the letter beside the twin's of the same name."""
    others = {figure.name: figure.value for figure in twin.figures}
    return tuple(
        FigureDifference(figure.name, figure.title, figure.unit, figure.value, others.get(figure.name))
        for figure in reading.figures
    )


def changed(differences: Sequence[FigureDifference]) -> tuple[FigureDifference, ...]:
    """Those that differ at all."""
    return tuple(one for one in differences if one.difference is not None and abs(one.difference) > SAME)
