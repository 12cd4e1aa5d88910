"""A reading as entries in plain words, the gravest first; and its figures in words. No Qt."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.documents.values import Mark, PartKind, Support
from desktop.operations.letters import About, Checked
from desktop.widgets.words import number, plural, tr

if TYPE_CHECKING:
    from core.documents.values import ComparedFigure, LetterFigure, Naming, Reading
    from core.findings import ScorerUse

# ---- Entries of the side list

# Sections, in the order of their weight.
RANGE, NAMING, CLAIMS, DOUBT, PRIVATE, WARMTH, STRENGTH = range(7)
PERSONAL = ("personal_life", "gender", "age", "family", "appearance", "health", "origin")
CLAIM_KINDS = ("contradicted", "unsupported")
LONGEST_QUOTE = 160


@dataclass(frozen=True)
class LetterItem:
    """One entry. `key` is what a dismissal is remembered by. `sentence` is None for the letter as a whole.

    `start` and `end`: the words in the letter, all of the sentence for a claim. `kind`: a category, “unsupported”,
    “contradicted”, “range” or “naming”.
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

    @property
    def listed(self) -> bool:
        """Whether it is something to look at, rather than only something that was found."""
        return self.section < WARMTH

    @property
    def spoken(self) -> str:
        """The entry for who cannot see it."""
        return ". ".join(part for part in (self.title, self.words, self.note, self.reason) if part)


def items_of(checked: Checked) -> tuple[LetterItem, ...]:
    """Every entry of a reading, dismissed ones too."""
    found = [*_ranges(checked), *_naming(checked), *_claims(checked), *_marks(checked)]
    # Within a section in the order of the letter; what contradicts the CV before what it does not mention.
    return tuple(sorted(found, key=lambda item: (item.section, item.kind == "unsupported", item.start, item.end)))


def left(items: Collection[LetterItem], dismissed: Collection[str]) -> tuple[LetterItem, ...]:
    """The entries that nobody has dismissed."""
    return tuple(item for item in items if item.key not in dismissed)


def section_title(section: int) -> str:
    """The heading that entries stand under."""
    return {
        RANGE: tr("Outside the usual range"),
        NAMING: tr("How the candidate is named"),
        CLAIMS: tr("Not found in the CV"),
        DOUBT: tr("Doubt"),
        PRIVATE: tr("Personal things"),
        WARMTH: tr("Warmth and effort"),
        STRENGTH: tr("Drive and talent"),
    }[section]


def _ranges(checked: Checked) -> Iterator[LetterItem]:
    titles = {figure.name: figure.title for figure in checked.reading.figures}
    for one in checked.reading.compared:
        if one.outside:
            about = checked.abouts.get(one.name)
            yield LetterItem(
                f"range:{one.name}:{one.outside}",
                "range",
                RANGE,
                titles.get(one.name, one.name),
                _said_of_range(one, titles.get(one.name, one.name), checked.plural or checked.occupation),
                about.known_for if about else "",
                about.source if about else "",
            )


def _said_of_range(one: "ComparedFigure", title: str, occupation: str) -> str:
    share = round(100 * (one.below if one.outside == "high" else 1 - one.below))
    words = tr("{title}: higher than {share} % of {n} letters for {occupation}.")
    if one.outside == "low":
        words = tr("{title}: lower than {share} % of {n} letters for {occupation}.")
    return words.format(title=title, share=share, n=one.n, occupation=occupation)


def _naming(checked: Checked) -> Iterator[LetterItem]:
    reading = checked.reading
    if not reading.naming.first_only or reading.stopped:
        return
    person = reading.person
    fuller = (
        f"{person.title or tr('Dr., Ms. or Mr.')} {person.last_name}" if person.last_name else tr("the family name")
    )
    yield LetterItem(
        f"naming:first:{person.first_name}",
        "naming",
        NAMING,
        tr("First name only"),
        tr("Called “{name}” throughout.").format(name=person.first_name),
        tr(
            "Readers have been found to judge people who are called by their family name as more eminent. Consider "
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
        f"{support.verdict}:{' '.join(sentence.text.split())}",
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
        _how_sure(checked),
    )


def _how_sure(checked: Checked) -> str:
    stands_in = any(use.role == "entailment" and use.stand_in for use in checked.reading.scorers)
    what = tr("A stand-in scorer compared the two texts") if stands_in else tr("A program compared the two texts")
    return tr("{what}; it can be wrong. Look at the passage yourself.").format(what=what)


def _marks(checked: Checked) -> Iterator[LetterItem]:
    for mark in checked.reading.marks:
        about = checked.abouts.get(mark.category)
        text = checked.reading.sentence(mark.sentence).text
        yield LetterItem(
            mark.key(text),
            mark.category,
            _section(mark.category, about),
            about.title if about else mark.category,
            _quote(mark.words),
            mark.reason,
            mark.source,
            mark.sentence,
            mark.start,
            mark.end,
            note=_turned(mark),
        )


def _section(category: str, about: About | None) -> int:
    if category == "doubt":
        return DOUBT
    if category in PERSONAL:
        return PRIVATE
    return STRENGTH if about is not None and about.harm == "fewer" else WARMTH


def _turned(mark: Mark) -> str:
    return tr("Denied here.") if mark.negated else tr("Said weakly here.") if mark.hedged else ""


def _quote(text: str) -> str:
    short = " ".join(text.split())
    return f"“{short if len(short) <= LONGEST_QUOTE else short[:LONGEST_QUOTE].rstrip() + '…'}”"


# ---- Figures and names in words

LIMITS = "One letter cannot show bias. It can show language that is known to matter."


def part_title(kind: PartKind) -> str:
    """The name of a part in the menu."""
    return {
        "letterhead": tr("Letterhead"),
        "salutation": tr("Salutation"),
        "body": tr("Body: read and marked"),
        "closing": tr("Closing"),
        "signature": tr("Signature"),
        "quoted_cv": tr("Quoted from a CV"),
    }[kind]


def letter_title(reading: "Reading | None", name: str, occupation: str) -> str:
    """The title above a letter: the candidate, where known, or the file."""
    who = reading.person.full_name if reading is not None else ""
    title = tr("Letter for {name}").format(name=who) if who else name
    return f"{title} · {occupation}" if occupation else title


def share(value: float) -> str:
    """A share with no more digits than a few dozen sentences deserve."""
    return f"{round(100 * value)} %"


def figure_tip(figure: "LetterFigure", compared: "ComparedFigure | None") -> str:
    """A figure with its interval and n, and what it is compared with."""
    if figure.value is None:
        return tr("{title}: {why}").format(title=figure.title, why=figure.reason)
    lines = [_own(figure)]
    if compared is not None:
        said = tr("Middle 80 % of {n} letters: {low} to {high}. {below} of them have less (95 % interval {a} to {b}).")
        lines.append(
            said.format(
                n=compared.n,
                low=shown(figure.unit, compared.middle_low),
                high=shown(figure.unit, compared.middle_high),
                below=share(compared.below),
                a=share(compared.low),
                b=share(compared.high),
            )
        )
    if figure.scorer is not None and figure.scorer.stand_in:
        lines.append(tr("From a stand-in scorer: {name}.").format(name=figure.scorer.name))
    return "\n".join(lines)


def shown(unit: str, value: float) -> str:
    """A value as its unit is written."""
    if unit.startswith("share"):
        return share(value)
    return number(value) if unit == "words" else number(value, 1)


def _own(figure: "LetterFigure") -> str:
    assert figure.value is not None
    text = f"{figure.title}: {shown(figure.unit, figure.value)}"
    if figure.low is not None and figure.high is not None:
        said = plural(
            figure.n, "of 1 sentence (95 % interval {low} to {high})", "of %n sentences (95 % interval {low} to {high})"
        )
        return f"{text} {said.format(low=share(figure.low), high=share(figure.high))}"
    return f"{text} {figure.unit}"


def stand_ins(reading: "Reading") -> tuple["ScorerUse", ...]:
    """The stand-in scorers behind this reading."""
    return tuple(use for use in reading.scorers if use.stand_in)


def naming_said(naming: "Naming", name: str, last: str, title: str) -> str:
    """How the candidate is named: “Dr. Moreno” 2 ×, “Kelly” 5 ×."""
    ways = (
        (naming.titled, f"{title or tr('title and')} {last}".strip()),
        (naming.full, f"{name} {last}".strip()),
        (naming.last, last),
        (naming.first, name),
    )
    said = [tr("“{way}” {count} ×").format(way=way, count=count) for count, way in ways if count]
    return ", ".join(said) if said else tr("never by name")
