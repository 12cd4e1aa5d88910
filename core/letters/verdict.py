"""The verdict on a letter, in at most three sentences, and the order in which its marks are to be looked at."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from biasprint.core.letters.kinds import KINDS
from biasprint.core.letters.values import Category, Leaning, Mark, Reading, Support

# The most harmful first. Words of praise come last: that they are there is no reason to change them.
HARM: tuple[Category, ...] = (
    "family", "health", "origin", "age", "gender", "appearance", "personal_life", "personality",
    "doubt", "communal", "grindstone", "ability", "standout", "agentic", "masculine", "feminine",
)  # fmt: skip
PRIVATE: frozenset[Category] = frozenset({"family", "health", "origin", "age"})
PRAISE_FROM = HARM.index("communal")
MANY = 5  # places, from which on they are many
LONGEST = 60  # characters that are quoted
CANNOT = "One {thing} cannot show bias, and where nothing is marked nothing is proved."
CANNOT_OF_ADVERTS = "This counts words: how this advert works on its readers was not measured."
STRONG = 3  # more words of one kind than of the other, above which an advert is strongly coded
KEEPS_AWAY: Mapping[Category, str] = {
    "family": "an advert may not ask about somebody's family",
    "health": "say what the work demands instead",
    "origin": "say how well the language must be spoken, or leave it out",
    "age": "it can keep people of another age from applying",
    "gender": "it names one gender",
    "appearance": "looks say nothing about the work",
}
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
    first_only = reading.first_name_alone and reading.naming_key not in dismissed
    places = len(_to_change(reading.marks)) + len(_not_carried(reading)) + first_only
    kind = reading.read_as.kind
    cannot = CANNOT_OF_ADVERTS if kind == "advert" else CANNOT.format(thing=KINDS[kind].word)
    return LetterVerdict(_leans(reading, places), next(_first(reading, first_only=first_only), ""), cannot)


def _leans(reading: Reading, places: int) -> str:
    amount = "many places are" if places >= MANY else "a few places are" if places > 1 else "one place is"
    balance = reading.balance
    if reading.read_as.kind == "advert":
        coded = coding_of(reading.marks).said
        return f"{coded}, and {f'{amount} worth' if places else 'no place asks for'} a second look."
    if balance is None:
        return f"{amount[0].upper()}{amount[1:]} worth a second look." if places else "No place asks for a second look."
    lean = LEANS.get(balance.leaning)
    if lean is None:
        both = "both" in balance.title.split()
        lean = f"Its praise {'is of both warmth and drive' if both else 'leans to neither warmth nor drive'}"
    return f"{lean}, and {f'{amount} worth' if places else 'no place asks for'} a second look."


class Coding(NamedTuple):
    """Counts of an advert's gender-coded words. `title`: the direction by the rule of the Gender Decoder."""

    masculine: int
    feminine: int

    @property
    def title(self) -> str:
        more = self.masculine - self.feminine
        if not more:
            return "Neutral" if self.masculine else "Without gender-coded words"
        side = "masculine-coded" if more > 0 else "feminine-coded"
        return f"Strongly {side}" if abs(more) > STRONG else side.capitalize()

    @property
    def said(self) -> str:
        """“Strongly masculine-coded: 9 masculine-coded words and 2 feminine-coded ones”."""
        if not sum(self):
            return self.title
        words = "word" if self.masculine == 1 else "words"
        one = "one" if self.feminine == 1 else "ones"
        return f"{self.title}: {self.masculine} masculine-coded {words} and {self.feminine} feminine-coded {one}"


def coding_of(marks: Iterable[Mark]) -> Coding:
    """Count the gender-coded words among the marks of an advert."""
    coded = [mark.category for mark in marks]
    return Coding(coded.count("masculine"), coded.count("feminine"))


def _first(reading: Reading, *, first_only: bool) -> Iterator[str]:
    """Yield what to change or look at, the most harmful first."""
    marks = _to_change(reading.marks)
    if reading.read_as.kind == "advert":
        for mark in marks:
            yield f"Change first {_quoted(mark.words)}: {KEEPS_AWAY.get(mark.category, mark.reason.rstrip('.'))}."
        if coding_of(reading.marks).masculine > coding_of(reading.marks).feminine:
            coded = dict.fromkeys(mark.words.lower() for mark in reading.marks if mark.category == "masculine")
            yield f"Try other words for {' and '.join(f'“{words}”' for words in list(coded)[:2])}."
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
