"""The verdict on a letter, in at most three sentences, and the order in which its marks are to be looked at."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from biasprint.core.letters.values import Category, DocumentKind, Leaning, Mark, Reading, Support

# The most harmful first. Words of praise come last: that they are there is no reason to change them.
HARM: tuple[Category, ...] = (
    "family", "health", "origin", "age", "gender", "appearance", "personal_life", "doubt",
    "personality", "communal", "grindstone", "ability", "standout", "agentic", "masculine", "feminine",
)  # fmt: skip
PRIVATE: frozenset[Category] = frozenset({"family", "health", "origin", "age"})
PRAISE_FROM = HARM.index("communal")
MANY = 5  # places, from which on they are many
LONGEST = 60  # characters that are quoted
CANNOT = "One {thing} cannot show bias, and where nothing is marked nothing is proved."
THINGS: Mapping[DocumentKind, str] = {"review": "review", "peer": "review", "advert": "advert"}
LEANS: Mapping[Leaning, str] = {
    "warmth": "Its praise is mostly of warmth",
    "drive": "Its praise is mostly of drive",
    "little praise": "It holds little praise of warmth or of drive",
    "too short": "It is too short to say where its praise leans",
}


class LetterVerdict(NamedTuple):
    """One sentence each: where the letter leans and how much there is to look at; what to change first, "" where
    nothing is; and what this cannot say.
    """

    leans: str
    first: str
    cannot: str

    @property
    def sentences(self) -> tuple[str, ...]:
        return tuple(filter(None, self))


def harm(mark: Mark) -> int:
    """Return the place of a mark in the order of harm, from 0: what nobody may ask an applicant comes first."""
    return 0 if mark.unlawful else 1 + HARM.index(mark.category)


def by_harm(marks: Iterable[Mark]) -> tuple[Mark, ...]:
    """Return the marks with the most harmful first, those of one kind in the order of the letter."""
    return tuple(sorted(marks, key=lambda mark: (harm(mark), mark.start, mark.end)))


def verdict_of(reading: Reading, dismissed: Collection[str] = ()) -> LetterVerdict | None:
    """Return the verdict on a letter without what a person dismissed; None where it was not read."""
    if reading.stopped:
        return None
    reading = reading.without(dismissed)
    first_only = reading.naming.first_only and reading.naming_key not in dismissed
    places = len(_to_change(reading.marks)) + len(_not_carried(reading)) + first_only
    cannot = CANNOT.format(thing=THINGS.get(reading.read_as.kind, "letter"))
    return LetterVerdict(_leans(reading, places), next(_first(reading, first_only=first_only), ""), cannot)


def _leans(reading: Reading, places: int) -> str:
    amount = "many places are" if places >= MANY else "a few places are" if places > 1 else "one place is"
    balance = reading.balance
    if reading.read_as.kind == "advert":
        return f"{_coded(reading.marks)}, and {f'{amount} worth' if places else 'no place asks for'} a second look."
    if balance is None:
        return f"{amount[0].upper()}{amount[1:]} worth a second look." if places else "No place asks for a second look."
    lean = LEANS.get(balance.leaning)
    if lean is None:
        both = "both" in balance.title.split()
        lean = f"Its praise {'is of both warmth and drive' if both else 'leans to neither warmth nor drive'}"
    return f"{lean}, and {f'{amount} worth' if places else 'no place asks for'} a second look."


def _coded(marks: Iterable[Mark]) -> str:
    coded = [mark.category for mark in marks if mark.category in ("masculine", "feminine")]
    masculine = coded.count("masculine")
    if not coded:
        return "No word of it is gender-coded"
    if 2 * masculine == len(coded):
        return "Its gender-coded words are as often masculine as feminine"
    return f"Its gender-coded words are mostly {'masculine' if 2 * masculine > len(coded) else 'feminine'}"


def _first(reading: Reading, *, first_only: bool) -> Iterator[str]:
    """Yield what to change or look at, the most harmful first."""
    marks = _to_change(reading.marks)
    if reading.read_as.kind == "advert":
        yield from (f"Look first at {_quoted(mark.words)}: it can keep people from applying." for mark in marks)
        return
    for mark in marks:
        if (mark.category in PRIVATE or mark.unlawful) and not mark.passage:
            yield f"Change first {_quoted(mark.words)}: {_why(mark)}."
    for claim in _not_carried(reading):
        if claim.verdict == "contradicted" or claim.fact:
            said = _quoted(reading.sentence(claim.sentence).text)
            yield f"Check first {said}: the CV says otherwise."
    for mark in sorted(marks, key=lambda mark: mark.passage):  # a model's reading is the less certain one
        yield f"Look first at {_quoted(mark.words)}: {_why(mark)}."
    balance, person = reading.balance, reading.person
    if first_only:
        yield f"Name the candidate as you name others in such a post, and not by “{person.first_name}” alone."
    if balance is not None and balance.leaning == "warmth":
        yield "Say as well what came of the work: a result, a number, a skill."
    if balance is not None and balance.leaning == "drive":
        yield "Say as well how the candidate works with others."
    for claim in _not_carried(reading):
        yield f"Check first {_quoted(reading.sentence(claim.sentence).text)}: it is not in the CV."


def _why(mark: Mark) -> str:
    if mark.unlawful:
        return "in many countries no applicant may be asked about it"
    if mark.category == "personality":
        return "it judges the person and not the work"
    if mark.category == "doubt":
        return "it can be read as a doubt about the candidate"
    return (
        "it is private and says nothing about the work"
        if mark.category in PRIVATE
        else "it says nothing about the work"
    )


def _to_change(marks: Iterable[Mark]) -> tuple[Mark, ...]:
    """The marks that are no praise, and praise that the house list wants marked, the most harmful first."""
    return tuple(mark for mark in by_harm(marks) if mark.of_house or HARM.index(mark.category) < PRAISE_FROM)


def _not_carried(reading: Reading) -> list[Support]:
    return [claim for claim in reading.support if claim.verdict in ("unsupported", "contradicted")]


def _quoted(words: str) -> str:
    line = " ".join(words.split())
    return f"“{line if len(line) <= LONGEST else f'{line[:LONGEST].rstrip()} …'}”"
