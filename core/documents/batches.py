"""In the compute process: letters of a pile or a reference set, of which figures are kept, and tests of groups."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from core.documents.categories import version_of_marks
from core.documents.files import read_pasted
from core.documents.house import HouseList
from core.documents.occupations import guess_occupation
from core.documents.pile import GroupTest, PileColumn, PileRow, ReadOne, group_of, groups
from core.documents.reading import read_letter
from core.documents.references import Built, ReferenceLetter
from core.documents.values import SCORE_NAMES, Document, Reading
from core.errors import AppError
from core.findings import Adjustment, Interval, Power
from core.jobs import JobContext
from core.metrics.adjust import holm
from core.metrics.means import equivalence, two_sample_difference
from core.metrics.power import detectable_difference, needed_n, within_sd
from core.metrics.result import LEVEL, Floats
from core.studies.letters.style import p_words
from core.text import for_matching, sha256_text

# ---- Letters of which only figures are kept

UNSUPPORTED = PileColumn("unsupported", "Claims without support", "share of claims")


def row_of_letter(
    document: Document,
    scorers: Mapping[str, str],
    context: Document | None,
    occupation: str,
    house: HouseList | None = None,
) -> ReadOne:
    """The figures of one letter, and guesses of whom it is about. `occupation`: "" where it is to be guessed."""
    text = document.text
    reading = read_letter(document, scorers=scorers, context=context, house=house)
    guess = guess_occupation(text)
    columns = [PileColumn(figure.name, figure.title, figure.unit) for figure in reading.figures]
    figures: dict[str, float | None] = {figure.name: figure.value for figure in reading.figures}
    if context is not None:
        columns.append(UNSUPPORTED)
        figures[UNSUPPORTED.name] = unsupported_share(reading)
    return ReadOne(
        person=reading.person,
        occupation=occupation or (guess.occupation if guess.likely else ""),
        group=group_of(reading.person.pronoun),
        figures={} if reading.stopped else figures,
        columns=tuple(columns),
        scorers=reading.scorers,
        versions=reading.versions,
        notes=tuple(one.said for one in reading.suspicions if not one.stops),
        said=reading.stopped,
        text=sha256_text(" ".join(for_matching(text).split())),
    )


def unsupported_share(reading: Reading) -> float | None:
    """Claims that the context does not support or contradicts, as a share of all claims; None without claims."""
    verdicts = [one.verdict for one in reading.support]
    claims = sum(verdict in ("grounded", "unsupported", "contradicted") for verdict in verdicts)
    against = sum(verdict in ("unsupported", "contradicted") for verdict in verdicts)
    return against / claims if claims else None


DIGITS = 6


def reference_of_letters(
    letters: Sequence[tuple[str, str, str]],
    scorers: Mapping[str, str],
    made_by: Sequence[str] | None = None,
    ctx: JobContext | None = None,
) -> Built:
    """`letters`: (text, occupation, group) each; `scorers`: role → name; `made_by`: who wrote each letter.

    A letter is read exactly as a letter that is checked. One in another language or without text is dropped and
    counted; nothing here asks whether a text is a good letter.
    """
    ctx = ctx or JobContext()
    styles: dict[str, str] = {role: name for role, name in scorers.items() if role in SCORE_NAMES}
    found: list[ReferenceLetter] = []
    dropped: Counter[str] = Counter()
    used: dict[str, str] = {}
    for place, (text, occupation, group) in enumerate(letters):
        ctx.check()
        try:
            document = read_pasted(text)
        except AppError:
            dropped["no text"] += 1
            continue
        reading = read_letter(document, scorers=styles)
        used |= {use.role: f"{use.name} {use.version}" for use in reading.scorers}
        figures = {one.name: round(one.value, DIGITS) for one in reading.figures if one.value is not None}
        if reading.stopped:
            dropped["not English"] += 1
        else:
            found.append(ReferenceLetter(occupation, group, figures, made_by[place] if made_by else ""))
        ctx.report(place + 1, len(letters))
    return Built(tuple(found), dict(dropped), used, version_of_marks())


# ---- Does a figure differ between the groups of a pile? Said only where enough letters could tell
# The unit is a candidate: letters about one person were not written independently, and are averaged. Groups are
# independent of each other: nothing in a pile is matched.

FEWEST = 20  # candidates in each group
SIGNIFICANT = 0.05
# The difference that a pile should be able to show, by a figure's unit; it is also the margin of “no difference”.
PLANNED: Mapping[str, float] = {"per 100 words": 0.5, "words": 50.0}
PLANNED_SHARE = 0.1
PLANNED_WORDS: Mapping[str, str] = {"per 100 words": "0.5 in 100 words", "words": "50 words"}


def group_tests(rows: Sequence[PileRow], columns: Sequence[PileColumn]) -> tuple[GroupTest, ...]:
    """Every figure for every pair of groups that have letters; p values adjusted by Holm over all of them.

    Rows without figures, without a group, and copies of an earlier letter are left out. Empty where there are not two
    groups.
    """
    used = [row for row in rows if row.read and row.group and not row.same_as]
    order = {key: place for place, (key, _) in enumerate(groups())}
    there = sorted({row.group for row in used}, key=lambda group: (order.get(group, len(order)), group))
    found = [_test(used, column, pair) for pair in combinations(there, 2) for column in columns]
    adjusted = holm([one.p for one in found])
    tests = sum(one.p is not None for one in found)
    family = Adjustment("Holm", f"all figures of the pile, {tests} tests")
    return tuple(
        _concluded(replace(one, p_adjusted=p, adjust=None if p is None else family), used)
        for one, p in zip(found, adjusted, strict=True)
    )


def planned_difference(unit: str) -> float:
    return PLANNED.get(unit, PLANNED_SHARE)


def _test(rows: Sequence[PileRow], column: PileColumn, pair: tuple[str, str]) -> GroupTest:
    first, second = (_values(rows, column.name, group) for group in pair)
    counts = (len(first), len(second))
    result = two_sample_difference(first, second)
    planned = planned_difference(column.unit)
    sd = within_sd(first, second) if min(counts) > 1 else None
    detectable = None if sd is None else detectable_difference(sd, *counts)
    needed = None if sd is None else needed_n(planned, sd, two_samples=True)
    few = min(counts) < FEWEST or (detectable is not None and detectable > planned)
    bounds = result.interval.bounds
    return GroupTest(
        name=column.name,
        title=column.title,
        unit=column.unit,
        groups=pair,
        means=(_mean(first), _mean(second)),
        n_by_group=dict(zip(pair, counts, strict=True)),
        missing=sum(row.group in pair and row.figures.get(column.name) is None for row in rows),
        estimate=result.value,
        reason=result.reason,
        interval=None if bounds is None else Interval(bounds.low, bounds.high, LEVEL, bounds.method),
        p=None if few else result.p,
        p_adjusted=None,
        adjust=None,
        effect=result.effect,
        planned=planned,
        power=Power(detectable, needed) if sd else None,
        few=few,
        said="",
    )


def _values(rows: Sequence[PileRow], name: str, group: str) -> Floats:
    """The mean of each candidate's letters; a letter whose candidate has no full name is one of its own."""
    by_person: defaultdict[str, list[float]] = defaultdict(list)
    for row in rows:
        value = row.figures.get(name)
        if row.group == group and value is not None:
            by_person[_unit(row)].append(value)
    return np.array([np.mean(values) for values in by_person.values()], dtype=np.float64)


def _unit(row: PileRow) -> str:
    known = row.person.first_name and row.person.last_name
    return f"person {for_matching(row.person.full_name)}" if known else f"file {row.path_in_pile}"


def _mean(values: Floats) -> float | None:
    return float(values.mean()) if len(values) else None


def _concluded(test: GroupTest, rows: Sequence[PileRow]) -> GroupTest:
    """With what it says: too few, a difference, none beyond the planned one, or not enough evidence."""
    wanted = PLANNED_WORDS.get(test.unit, f"{100 * test.planned:.0f} points")
    if test.few:
        least = max(FEWEST, test.power.n_for_planned or 0) if test.power else FEWEST
        one, other = test.n_by_group.values()
        said = (
            f"Too few letters to say: candidates with this figure are {one} and {other}, and about {least:,} in each "
            f"group are needed to see a difference of {wanted}."
        )
    elif test.p_adjusted is None:
        said = f"There is nothing to test: {test.reason or 'no variation within the groups'}."
    elif test.p_adjusted <= SIGNIFICANT:
        more = test.groups[0] if (test.estimate or 0) > 0 else test.groups[1]
        said = f"There is a difference: more in letters about “{more}”."
    else:
        first, second = (_values(rows, test.name, group) for group in test.groups)
        alike = equivalence((first, second), test.planned)
        said = (
            f"No difference beyond {wanted} (equivalence test, {p_words(alike.p)})."
            if alike.equivalent and alike.p is not None
            else "Not enough evidence of a difference, nor that there is none."
        )
    return replace(test, said=said)
