"""The figures of a letter in words. No Qt."""

from typing import TYPE_CHECKING

from core.documents.values import PartKind
from desktop.widgets.words import number, plural, tr

if TYPE_CHECKING:
    from core.documents.reading.values import Compared, Figure, Naming, Reading
    from core.findings import ScorerUse

LIMITS = "One letter cannot show bias. It can show language that is known to matter."


def part_title(kind: PartKind) -> str:
    """What a part is called in the menu."""
    return {
        "letterhead": tr("Letterhead"),
        "salutation": tr("Salutation"),
        "body": tr("Body: read and marked"),
        "closing": tr("Closing"),
        "signature": tr("Signature"),
        "quoted_cv": tr("Quoted from a CV"),
    }[kind]


def letter_title(reading: "Reading | None", name: str, occupation: str) -> str:
    """What the letter is called above it: whom it is about, if that is known."""
    who = reading.person.full_name if reading is not None else ""
    title = tr("Letter for {name}").format(name=who) if who else name
    return f"{title} · {occupation}" if occupation else title


def share(value: float) -> str:
    """A share with no more digits than a few dozen sentences deserve."""
    return f"{round(100 * value)} %"


def figure_tip(figure: "Figure", compared: "Compared | None") -> str:
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


def _own(figure: "Figure") -> str:
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
