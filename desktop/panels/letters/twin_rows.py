"""A letter and its twin as rows: what was changed, what was left, and which scores differ. No Qt."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from desktop.panels.letters.compared import shown
from desktop.widgets.safe_text import safe_line
from desktop.widgets.words import number, plural, tr

if TYPE_CHECKING:
    from core.documents.values import FigureDifference, Reading, SentenceDifference, TwinDifference
    from core.swap import Person

Look = Literal["changed", "doubted", "left"]
MOST_SENTENCES = 400  # rows of sentences; a letter has a few dozen


@dataclass(frozen=True)
class TwinPlace:
    """Words of the letter and their replacement in the twin. `look`: changed, changed with a doubt, or left."""

    key: str
    look: Look
    start: int
    end: int
    twin_start: int
    twin_end: int
    old: str
    new: str
    reason: str
    doubt: str

    @property
    def said(self) -> str:
        """The change in words, for the list and for reading aloud."""
        if self.look == "left":
            return tr("“{old}” was left").format(old=self.old)
        if not self.new:
            return tr("“{old}” was left out").format(old=self.old)
        return tr("{old} → {new}").format(old=self.old or "–", new=self.new)

    @property
    def why(self) -> str:
        if not self.doubt:
            return self.reason
        return tr("{reason}; in doubt: {doubt}").format(reason=self.reason, doubt=self.doubt)


@dataclass(frozen=True)
class ScoreLine:
    """A score that differs: of the whole letter, or of one sentence. `places`: that sentence in both texts."""

    key: str
    title: str
    letter: str
    twin: str
    difference: str
    stand_in: bool
    turned: bool = False
    sentence: str = ""
    place: tuple[int, int] = (0, 0)
    twin_place: tuple[int, int] = (0, 0)


def places_of(difference: "TwinDifference") -> tuple[TwinPlace, ...]:
    """Every change, and every word left although it may be about the person, in the order of the letter."""
    twin = difference.twin
    if twin is None:
        return ()
    found, moved = [], 0
    for one in twin.changes:
        begin = one.start + moved
        moved += len(one.new) - (one.end - one.start)
        look: Look = "doubted" if one.doubt else "changed"
        found.append((look, one, begin, begin + len(one.new)))
    for one in twin.left_alone:
        begin = twin.place(one.start)
        found.append(("left", one, begin, begin + (one.end - one.start)))
    found.sort(key=lambda row: row[1].start)
    return tuple(
        TwinPlace(
            f"{place}", look, one.start, one.end, begin, end,
            safe_line(one.old), safe_line(one.new), safe_line(one.reason), safe_line(one.doubt),
        )
        for place, (look, one, begin, end) in enumerate(found)
    )  # fmt: skip


def places_said(places: tuple[TwinPlace, ...]) -> str:
    """How many words changed, and how many a person should look at."""
    swapped = sum(one.look != "left" for one in places)
    doubted = sum(bool(one.doubt) for one in places)
    said = plural(swapped, "1 change", "%n changes")
    if left := len(places) - swapped:
        said += " · " + plural(left, "1 left as it was", "%n left as they were")
    if doubted:
        said += " · " + plural(doubted, "1 to look at", "%n to look at")
    return said


def figure_lines(difference: "TwinDifference") -> tuple[ScoreLine, ...]:
    """The figures of the whole letter that differ."""
    from core.documents.values import changed  # loaded in a job's thread, with the first difference

    return tuple(_figure(one, difference.reading) for one in changed(difference.figures))


def same_figures(difference: "TwinDifference") -> int:
    """How many figures both have, and alike."""
    from core.documents.values import changed

    return sum(one.difference is not None for one in difference.figures) - len(changed(difference.figures))


def _figure(one: "FigureDifference", reading: "Reading") -> ScoreLine:
    figure = reading.figure(one.name)
    stands_in = figure is not None and figure.scorer is not None and figure.scorer.stand_in
    value, twin, by = one.value, one.twin, one.difference
    assert value is not None
    assert twin is not None
    assert by is not None
    share = one.unit.startswith("share")
    size = signed(100 * by, 0) + tr(" points") if share else signed(by, 0 if one.unit == "words" else 1)
    title = tr(one.title).replace(" (scorer)", tr(" by the scorer"))
    return ScoreLine(f"figure {one.name}", title, shown(one.unit, value), shown(one.unit, twin), size, stands_in)


def sentence_lines(difference: "TwinDifference") -> tuple[ScoreLine, ...]:
    """The sentences that a scorer gives another value, the largest difference first."""
    ranked = sorted(difference.sentences, key=lambda one: (not one.turned, -abs(one.difference)))
    return tuple(_sentence(place, one, difference) for place, one in enumerate(ranked[:MOST_SENTENCES]))


def _sentence(place: int, one: "SentenceDifference", difference: "TwinDifference") -> ScoreLine:
    own, other = difference.reading.sentence(one.sentence), difference.twin_reading.sentence(one.twin_sentence)
    stand_ins = {use.name for use in difference.reading.scorers if use.stand_in}
    return ScoreLine(
        f"sentence {place}",
        score_title(one.name),
        _score(one.value),
        _score(one.twin),
        signed(one.difference, 2),
        one.scorer in stand_ins,
        one.turned,
        safe_line(own.text),
        (own.start, own.end),
        (other.start, other.end),
    )


def score_title(name: str) -> str:
    """The name of a score, for a person."""
    return {
        "formality": tr("formal"),
        "positivity": tr("positive"),
        "agency": tr("agentic"),
        "support": tr("supported by the CV"),
    }.get(name, name)


def _score(value: float) -> str:
    return number(value, 2)


def signed(value: float, decimals: int) -> str:
    """With its sign; what would round to nothing is said to be less than the last digit shows."""
    if value and abs(value) < 0.5 * 10**-decimals:
        least = number(10**-decimals, decimals)
        return f"{'+' if value > 0 else '−'}<{least}"
    return f"{'+' if value > 0 else '−' if value < 0 else '±'}{number(abs(value), decimals)}"


def person_said(person: "Person") -> str:
    """A person as a heading: “Kelly Moreno (she)”."""
    name = person.full_name or tr("no name")
    return safe_line(f"{name} ({person.pronoun})" if person.pronoun else name)
