"""The results of a reading as entries in plain words, the most serious first. No Qt."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from biasprint.core.letters import UNLAWFUL_TITLE, ComparedFigure, Mark, Support, harm
from biasprint.desktop.operations.letters import Checked
from biasprint.desktop.widgets.words import tr

if TYPE_CHECKING:
    from biasprint.core.letters import CategoryWords

# Sections, in the order of the harm that is done by what they hold; the last one is of adverts.
UNLAWFUL, PRIVATE, CLAIMS, CRITICISM, DOUBT, NAMING, BALANCE, RANGE, WARMTH, STRENGTH, CODED = range(11)
WHOLE = frozenset({BALANCE, RANGE, NAMING})  # what is said of the letter as a whole
MARKED = frozenset({UNLAWFUL, CRITICISM, DOUBT, PRIVATE, WARMTH, STRENGTH, CODED})  # what marks stand under
PERSONAL = ("personal_life", "gender", "age", "family", "appearance", "health", "origin")
CLAIM_KINDS = ("contradicted", "unsupported")
LONGEST_QUOTE = 160


@dataclass(frozen=True)
class LetterItem:
    """One entry. `key` identifies it in the list of dismissals. `sentence` is None for the letter as a whole.

    `start` and `end`: the words in the letter, all of the sentence for a claim. `kind`: a category, “unsupported”,
    “contradicted”, “balance” where praise leans to one side, else “balanced”, “range” or “naming”. `places`: the
    sentences behind an entry on the letter as a whole.
    """

    key: str
    kind: str
    section: int
    title: str
    words: str
    reason: str
    source: str = ""
    sentence: int | None = None
    start: int = 0
    end: int = 0
    passage: str = ""
    passage_start: int = 0
    passage_end: int = 0
    note: str = ""
    places: tuple[tuple[int, int], ...] = ()
    weight: int = 0  # the order within a section, before the order of the letter
    uncounted: str = ""  # how many marks of its kind are right, where too few are for a count

    @property
    def listed(self) -> bool:
        """True if the entry is something to look at, not only something that was detected."""
        return (self.section < WARMTH or self.section == CODED) and self.kind != "balanced"

    @property
    def spoken(self) -> str:
        """The entry as text for a screen reader."""
        parts = (self.title, self.words, self.note, self.reason)
        return ". ".join(part.removesuffix(".") for part in parts if part) + "."


def items_of(checked: Checked) -> tuple[LetterItem, ...]:
    """Return every entry of a reading, including dismissed ones."""
    items = [*_balance(checked), *_ranges(checked), *_naming(checked), *_claims(checked), *_marks(checked)]
    # What contradicts the CV comes before what it does not mention.
    return tuple(
        sorted(items, key=lambda item: (item.section, item.kind == "unsupported", item.weight, item.start, item.end))
    )


def left(items: Collection[LetterItem], dismissed: Collection[str]) -> tuple[LetterItem, ...]:
    """Return the entries that nobody has dismissed."""
    return tuple(item for item in items if item.key not in dismissed)


def section_title(section: int) -> str:
    """Return the heading of a section of entries."""
    return {
        UNLAWFUL: tr(UNLAWFUL_TITLE),
        CRITICISM: tr("Criticism of personality"),
        CODED: tr("Gender-coded words"),
        BALANCE: tr("Balance of its praise"),
        RANGE: tr("Outside the usual range"),
        NAMING: tr("How the candidate is named"),
        CLAIMS: tr("Claims beside the CV"),
        DOUBT: tr("Doubt"),
        PRIVATE: tr("Personal things"),
        WARMTH: tr("Warmth and effort"),
        STRENGTH: tr("Drive and talent"),
    }[section]


def _balance(checked: Checked) -> Iterator[LetterItem]:
    balance = checked.reading.balance
    if balance is None:
        return
    sentences = [checked.reading.sentence(place) for place in balance.places]
    places = tuple((sentence.start, sentence.end) for sentence in sentences)
    start, end = places[0] if places else (0, 0)
    kind = "balance" if balance.leans else "balanced"
    yield LetterItem(
        balance.key, kind, BALANCE, tr(balance.title), balance.said, balance.reason, balance.source,
        start=start, end=end, places=places,
    )  # fmt: skip


def _ranges(checked: Checked) -> Iterator[LetterItem]:
    titles = {figure.name: figure.title for figure in checked.reading.figures}
    for compared in checked.reading.compared:
        if compared.stands_out:
            about = checked.abouts.get(compared.name)
            yield LetterItem(
                f"range:{compared.name}:{compared.outside}",
                "range",
                RANGE,
                titles.get(compared.name, compared.name),
                _said_of_range(
                    compared, titles.get(compared.name, compared.name), checked.plural or checked.occupation
                ),
                about.known_for if about else "",
                about.source if about else "",
            )


def _said_of_range(one: ComparedFigure, title: str, occupation: str) -> str:
    share = round(100 * (one.below if one.outside == "high" else 1 - one.below))
    words = tr("{title}: higher than {share} % of {n} letters for {occupation}.")
    if one.outside == "low":
        words = tr("{title}: lower than {share} % of {n} letters for {occupation}.")
    return words.format(title=title, share=share, n=one.n, occupation=occupation)


def _naming(checked: Checked) -> Iterator[LetterItem]:
    reading = checked.reading
    if not reading.first_name_alone or reading.stopped:
        return
    person = reading.person
    fuller = (
        f"{person.title or tr('Dr., Ms. or Mr.')} {person.last_name}" if person.last_name else tr("the family name")
    )
    yield LetterItem(
        reading.naming_key,
        "naming",
        NAMING,
        tr("First name only"),
        tr("Called “{name}”, the first name alone.").format(name=person.first_name),
        tr(
            "In one study professionals who were called by their surname were taken to be more eminent. Consider "
            "“{fuller}”, if letters for others in this post say it so."
        ).format(fuller=fuller),
        "Atir and Ferguson 2018",
    )


def _claims(checked: Checked) -> Iterator[LetterItem]:
    for support in checked.reading.support:
        if support.verdict in CLAIM_KINDS:
            yield _claim(checked, support)


def _claim(checked: Checked, support: Support) -> LetterItem:
    sentence = checked.reading.sentence(support.sentence)
    against = support.verdict == "contradicted"
    return LetterItem(
        support.key(sentence.text),
        support.verdict,
        CLAIMS,
        tr("The CV seems to say otherwise") if against else tr("Not found in the CV"),
        _quote(sentence.text),
        support.reason,
        "",
        support.sentence,
        sentence.start,
        sentence.end,
        support.passage,
        support.start,
        support.end,
        _how_sure(checked, against=against),
    )


def _how_sure(checked: Checked, *, against: bool) -> str:
    stands_in = any(use.role == "entailment" and use.stand_in for use in checked.reading.scorers)
    what = tr("A stand-in scorer compared the two texts") if stands_in else tr("A program compared the two texts")
    if stands_in and against:
        words = tr("{what}; in test letters it was right in 12 of 14 such cases. Look at the passage yourself.")
        return words.format(what=what)
    return tr("{what}; it can be wrong. Look at the passage yourself.").format(what=what)


def _marks(checked: Checked) -> Iterator[LetterItem]:
    for mark in checked.reading.marks:
        about = checked.abouts.get(mark.category)
        text = checked.reading.sentence(mark.sentence).text
        yield LetterItem(
            mark.key(text),
            mark.category,
            UNLAWFUL if mark.unlawful else _section(mark.category, about),
            about.title if about else mark.category,
            _quote(mark.words),
            mark.reason,
            mark.source,
            mark.sentence,
            mark.start,
            mark.end,
            note=_turned(mark),
            weight=harm(mark),
            uncounted=checked.uncounted(mark.category),
        )


def _section(category: str, about: "CategoryWords | None") -> int:
    if category == "personality":
        return CRITICISM
    if category == "doubt":
        return DOUBT
    if category in ("masculine", "feminine"):
        return CODED
    if category in PERSONAL:
        return PRIVATE
    return STRENGTH if about is not None and about.harm == "fewer" else WARMTH


def _turned(mark: Mark) -> str:
    return tr("A model's reading.") if mark.passage else ""


def _quote(text: str) -> str:
    short = " ".join(text.split())
    return f"“{short if len(short) <= LONGEST_QUOTE else short[:LONGEST_QUOTE].rstrip() + '…'}”"
