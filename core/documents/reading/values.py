"""What a reading holds. Frozen, plain, and light to import: it crosses from the compute process to the window."""

from collections.abc import Mapping
from dataclasses import dataclass

from core.documents.parts.suspicions import Suspicion
from core.documents.values import Document, Mark, Part, Sentence, SentenceScore, Support
from core.findings import ScorerUse
from core.swap import Person


@dataclass(frozen=True)
class Figure:
    """One number about the whole letter.

    A share (`unit` “share of sentences”) is `count` of `n`, with Wilson's interval over the letter's own sentences: it
    says how far so few sentences pin the share down. Others are counts or rates, and have no interval. `value` is None
    with a `reason`.
    """

    name: str
    title: str
    value: float | None
    unit: str
    n: int
    low: float | None = None
    high: float | None = None
    reason: str = ""
    scorer: ScorerUse | None = None


@dataclass(frozen=True)
class Naming:
    """How the candidate is named, and how often: “Dr. Moreno”, “Moreno”, “Kelly Moreno”, “Kelly”."""

    titled: int
    last: int
    full: int
    first: int

    @property
    def first_only(self) -> bool:
        """Named by the first name alone, after whatever introduction there was."""
        return self.first > 0 and self.titled + self.last == 0


@dataclass(frozen=True)
class Compared:
    """A figure among the same figure of reference letters: their middle 80 %, and how many lie below this letter.

    `below`: share of the reference letters with a smaller value, ties counted half. `low`, `high` bound its 95 %
    interval (Wilson over the reference letters).
    """

    name: str
    value: float
    n: int
    middle_low: float
    middle_high: float
    below: float
    low: float
    high: float

    @property
    def outside(self) -> str:
        """“high” or “low” where the letter lies outside the middle 80 % of the reference letters, else “”."""
        return "high" if self.value > self.middle_high else "low" if self.value < self.middle_low else ""


@dataclass(frozen=True)
class Reading:
    """Everything that was found in one letter. `reference` says what it was compared with, or why it was not."""

    document: Document
    parts: tuple[Part, ...]
    person: Person
    sentences: tuple[Sentence, ...]
    marks: tuple[Mark, ...]
    scores: tuple[SentenceScore, ...]
    support: tuple[Support, ...]
    figures: tuple[Figure, ...]
    naming: Naming
    compared: tuple[Compared, ...]
    reference: str
    suspicions: tuple[Suspicion, ...]
    scorers: tuple[ScorerUse, ...]
    versions: Mapping[str, str]
    context_name: str = ""

    @property
    def stopped(self) -> str:
        """Why nothing was scored; "" where it was."""
        return next((one.said for one in self.suspicions if one.stops), "")

    def figure(self, name: str) -> Figure | None:
        return next((figure for figure in self.figures if figure.name == name), None)

    def sentence(self, index: int) -> Sentence:
        return self.sentences[index]
