"""The report of a pile: its table, its groups, who was chosen, and letter by letter what there is to look at."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from biasprint import core
from biasprint.core.draw import digits
from biasprint.core.letters.categories import categories, grouped, uncounted
from biasprint.core.letters.pile import LOOKED_AT, NOT_CARRIED, Pile, PileRow, groups, kinds_written
from biasprint.core.letters.pile.compare import LIMITS_OF_PILES, GroupTest, enough, few_said, headline
from biasprint.core.letters.pile.outcomes import (
    LIMITS_OF_RATES,
    SelectionRates,
    rate_written,
    rates_said,
    ratio_written,
    without_said,
)
from biasprint.core.letters.reading import read_letter
from biasprint.core.letters.report.full import LIMITS
from biasprint.core.letters.request import ReadingRequest
from biasprint.core.letters.values import MAY_BE, UNLAWFUL, UNLAWFUL_TITLE, Document, Reading
from biasprint.core.letters.verdict import verdict_of
from biasprint.core.report.blocks import Block, Heading, ReportTable, said, shortened

MOST_ROWS = 2_000  # of the table of letters
MOST_LETTERS = 500  # that are told one by one
WORDS_OF_VERDICT = {"unsupported": "not found in the CV", "contradicted": "the CV says otherwise"}


@dataclass(frozen=True)
class PileReport:
    """The contents of a pile's report. `sections`: one for each letter that has something to look at.

    `labels`: the names of groups; `by_hand`: the number of rows that a person corrected.
    """

    pile: Pile
    tests: tuple[GroupTest, ...]
    rates: SelectionRates | None
    labels: Mapping[str, str]
    made: str
    by_hand: int = 0
    sections: tuple[tuple[Block, ...], ...] = ()


def report_of(pile: Pile, tests: Sequence[GroupTest], rates: SelectionRates | None, *, by_hand: int = 0) -> PileReport:
    """Return a report of this moment, without the sections of its letters."""
    labels = {**dict(groups()), **{row.group: row.group for row in pile.rows if row.group not in dict(groups())}}
    made = f"{datetime.now().astimezone():%d %B %Y, %H:%M}"
    return PileReport(pile, tuple(tests), rates, labels, made, by_hand)


def section_of_letter(
    document: Document, path: str, request: ReadingRequest, dismissed: Collection[str] = ()
) -> tuple[Block, ...]:
    """Return what there is to look at in one letter, in its sentences. Runs in the compute process."""
    reading = read_letter(document, request).without(dismissed)
    about = reading.person.full_name
    return (Heading(f"{path}{f': {about}' if about else ''}", 2), *_places(reading))


def _places(reading: Reading) -> Iterator[Block]:
    verdict = verdict_of(reading)
    if verdict is not None:
        yield said(f"{verdict.leans} {verdict.first}".rstrip())
    for group in grouped(mark for mark in reading.marks if mark.category in LOOKED_AT):
        for number, same in groupby(group.marks, key=lambda mark: mark.sentence):
            words = ", ".join(f"“{mark.words}”" for mark in same)
            yield said(f"{group.title}: {words}: {shortened(reading.sentence(number).text)}", bullet=True)
    for support in reading.support:
        if support.verdict in NOT_CARRIED:
            found = WORDS_OF_VERDICT[support.verdict]
            yield said(f"Claim, {found}: {shortened(reading.sentence(support.sentence).text)}", bullet=True)


def letters_to_tell(rows: Sequence[PileRow]) -> list[PileRow]:
    """The letters that the report tells one by one."""
    return [row for row in rows if row.read and row.to_look_at][:MOST_LETTERS]


def pile_report(report: PileReport) -> Iterator[Block]:
    """The whole report."""
    rows = report.pile.rows
    yield Heading(f"Letters of “{report.pile.name}”", 0)
    yield said(f"{report.made} · Biasprint {core.__version__}. Nothing left this computer.", soft=True)
    yield Heading("In short")
    for line in _in_short(report):
        yield said(line, bullet=True)
    yield Heading("The letters")
    yield said("Name, occupation and group are guesses unless somebody set them right.", soft=True)
    yield _table(rows[:MOST_ROWS], report.labels)
    if len(rows) > MOST_ROWS:
        yield said(f"{len(rows) - MOST_ROWS:,} more letters are in the exported table.", soft=True)
    yield from _groups(report)
    if report.rates is not None:
        yield from _rates(report.rates, report.labels)
    yield from _one_by_one(report)
    yield Heading("What this cannot tell")
    for limit in (LIMITS_OF_PILES, *LIMITS):
        yield said(limit, bullet=True)
    yield from _methods(report.pile)


def _in_short(report: PileReport) -> Iterator[str]:
    rows = report.pile.rows
    read, copies = sum(row.read for row in rows), sum(bool(row.same_as) for row in rows)
    also = f"; {copies:,} say the same as an earlier one" if copies else ""
    yield f"{read:,} of {len(rows):,} files were read{also}."
    looked = [row for row in rows if row.read and row.to_look_at]
    places = sum(sum(row.counted.values()) for row in looked)
    more = f", and others that {MAY_BE}" if any(row.counted != row.to_look_at for row in looked) else ""
    yield (
        f"{len(looked):,} of {read:,} letters have something to look at, {places:,} places{more}: words that are no "
        "praise, claims that the CV does not carry, and praise that leans to one side."
    )
    with_cv = sum(row.cv is not None for row in rows)
    yield f"{with_cv:,} letters were held against a CV of their own." if with_cv else "No letter has a CV of its own."
    yield headline(report.tests, report.labels)
    if report.rates is not None:
        yield rates_said(report.rates, report.labels)
    if report.by_hand:
        yield f"Somebody set {report.by_hand:,} rows right or added to them by hand."
    yield from report.pile.remarks


COLUMNS = {"File": 18, "About": 14, "Occupation": 11, "Group": 8, "To look at": 22, "CV": 12, "Remark": 15}  # widths


def _table(rows: Sequence[PileRow], labels: Mapping[str, str]) -> ReportTable:
    """The table of letters, without empty columns."""
    cells = [_row(row, labels) for row in rows]
    shown = [place for place in range(len(COLUMNS)) if any(row[place] for row in cells) or not place]
    titles, widths = tuple(COLUMNS), tuple(COLUMNS.values())
    total = sum(widths[place] for place in shown)
    return ReportTable(
        tuple(titles[place] for place in shown),
        tuple(tuple(row[place] for place in shown) for row in cells),
        tuple(widths[place] / total for place in shown),
    )


def _row(row: PileRow, labels: Mapping[str, str]) -> tuple[str, ...]:
    if not row.read:
        return shortened(row.path_in_pile, 60), "", "", "", "", "", shortened(f"Not read: {row.reason}", 120)
    remarks = [f"The same text as {row.same_as}." if row.same_as else "", *row.notes]
    if row.outcome is not None:
        remarks.insert(0, "Chosen." if row.outcome else "Not chosen.")
    return (
        shortened(row.path_in_pile, 60),
        row.person.full_name,
        row.occupation,
        labels.get(row.group, row.group),
        kinds_written(row, _kind) or "0",
        shortened(row.cv.name, 40) if row.cv is not None else "",
        shortened(" ".join(filter(None, remarks)), 120),
    )


def _kind(kind: str) -> str:
    titles = {"unsupported": "not in the CV", "contradicted": "against the CV", "balance": "balance of praise"}
    return {**titles, UNLAWFUL: UNLAWFUL_TITLE.lower()}.get(kind, kind.replace("_", " "))


def _groups(report: PileReport) -> Iterator[Block]:
    yield Heading("Do the groups differ?")
    yield said(headline(report.tests, report.labels))
    for pair, tests in groupby(enough(report.tests), key=lambda test: test.groups):
        first, second = (report.labels.get(group, group) for group in pair)
        rows = tuple(_test_row(test) for test in tests)
        yield ReportTable(("", first, second, "Adjusted p", "What it says"), rows, (0.17, 0.12, 0.12, 0.12, 0.47))
    if left := few_said(report.tests, report.labels):
        yield said(left)


def _test_row(test: GroupTest) -> tuple[str, ...]:
    counts = [test.n_by_group[group] for group in test.groups]
    means = [
        f"{digits.number(mean, test.unit)} (n = {n})" if mean is not None else f"– (n = {n})"
        for mean, n in zip(test.means, counts, strict=True)
    ]
    return test.title, *means, digits.p_text(test.p_adjusted) or "–", test.said


def _rates(rates: SelectionRates, labels: Mapping[str, str]) -> Iterator[Block]:
    yield Heading("Who was chosen")
    yield said(rates_said(rates, labels))
    rows = []
    for group_rate in rates.rates:
        (rate, of_rate), (ratio, of_ratio) = rate_written(group_rate), ratio_written(group_rate)
        beside = f"{ratio} ({of_ratio})" if ratio else "–"
        rows.append(
            (
                labels.get(group_rate.group, group_rate.group),
                f"{group_rate.chosen:,} of {group_rate.n:,}",
                f"{rate} ({of_rate})",
                beside,
            )
        )
    header = ("Group", "Chosen", "Rate (95 % interval)", "Ratio to the highest (95 % interval)")
    yield ReportTable(header, tuple(rows), (0.22, 0.18, 0.26, 0.34))
    for line in (without_said(rates), LIMITS_OF_RATES):
        if line:
            yield said(line, soft=True)


def _one_by_one(report: PileReport) -> Iterator[Block]:
    yield Heading("Letter by letter")
    shown = len(report.sections)
    total = sum(row.read and bool(row.to_look_at) for row in report.pile.rows)
    if not shown:
        yield said("No letter has words that are no praise, or claims that its CV does not carry.")
        return
    if total > shown:
        yield said(f"The first {shown:,} of {total:,} letters that have something to look at.", soft=True)
    for section in report.sections:
        yield from section


def _methods(pile: Pile) -> Iterator[Block]:
    yield Heading("Methods and versions")
    for name, version in pile.versions.items():
        yield said(f"{name.capitalize()}: {version}", soft=True)
    for use in pile.scorers:
        stand_in = " Used in place of the paper's own, which is not on this computer." if use.stand_in else ""
        yield said(f"{use.role.capitalize()}: {use.name} {use.version}.{stand_in}", bullet=True)
    for key in uncounted():
        category = categories()[key]
        yield said(f"{category.title}: {MAY_BE}, and not counted. {category.precision.said}", bullet=True)
    yield said(
        "Groups: Welch's t over candidates, p after Holm; “no difference” by an equivalence test with half of the base "
        "rate as its margin. Rates: Wilson's interval; ratios: score interval of Miettinen and Nurminen (1985).",
        soft=True,
    )
