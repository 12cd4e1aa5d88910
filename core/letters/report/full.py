"""The long reports: of a letter with its marks, other letters, the twin and its limits; and of a pile."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from biasprint import core
from biasprint.core.draw import digits
from biasprint.core.letters.categories import categories, grouped, uncounted
from biasprint.core.letters.kinds import KINDS, said_of_kind
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
from biasprint.core.letters.request import ReadingRequest
from biasprint.core.letters.values import (
    CHECKED_WORDS,
    LARGER_READER,
    MAY_BE,
    UNLAWFUL,
    UNLAWFUL_TITLE,
    ComparedFigure,
    Document,
    LetterFigure,
    Mark,
    Naming,
    Reading,
    TwinDifference,
    beside_category,
    changed,
)
from biasprint.core.letters.verdict import LetterVerdict, verdict_of
from biasprint.core.report.blocks import Block, Heading, ReportParagraph, ReportTable, Run, said, shortened

LISTED = ("formality", "positivity", "agency", "agentic", "communal", "standout", "ability", "grindstone")


def share(figure: LetterFigure, unless: int = 0) -> str:
    """Return “12 % of 17 sentences (3–34 %)”, without the number of sentences where it is `unless`.

    The text names a stand-in as one.
    """
    if figure.value is None:
        return f"none: {figure.reason}"
    value, interval = digits.written(figure.value, figure.low, figure.high, figure.unit)
    if not interval:
        return f"{value} {figure.unit}"
    stand_in = ", stand-in scorer" if figure.scorer is not None and figure.scorer.stand_in else ""
    of = f" of {figure.n} sentences" if figure.n != unless else ""
    return f"{value}{of} ({interval} %{stand_in})"


def whole_figures(reading: Reading) -> Iterator[Block]:
    """Length, naming, and the shares."""
    words, superlatives, line = reading.figure("words"), reading.figure("superlatives"), ""
    if words is not None and words.value is not None:
        line = f"{digits.fixed(words.value, 0)} words"
        if superlatives is not None and superlatives.value is not None:
            line += f", {digits.number(superlatives.value)} superlatives in 100 words"
        line += f". {_naming(reading.naming)} "
    listed = [figure for name in LISTED if (figure := reading.figure(name)) is not None]
    of = max((figure.n for figure in listed), default=0)
    shares = "; ".join(f"{figure.title.lower()} {share(figure, unless=of)}" for figure in listed)
    yield said(f"{line}Shares of {of} sentences: {shares}.", small=True)


def figure_rows(reading: Reading) -> Iterator[tuple[str, ...]]:
    """A row for each figure that was compared with reference letters."""
    for compared in reading.compared:
        figure = reading.figure(compared.name)
        if figure is None:
            continue
        of_100 = f"{100 * compared.below:.0f} ({100 * compared.low:.0f} to {100 * compared.high:.0f})"
        middle = digits.written(compared.value, compared.middle_low, compared.middle_high, figure.unit)[
            1
        ] + digits.sign(figure.unit)
        outside = {"high": "  (above)", "low": "  (below)", "": ""}[compared.outside]
        yield (
            figure.title,
            f"{digits.number(compared.value, figure.unit)}{outside}",
            f"{middle}, n = {compared.n}",
            of_100,
        )


def _naming(naming: Naming) -> str:
    ways = (
        (naming.titled, "with a title"), (naming.full, "by the full name"),
        (naming.last, "by the family name"), (naming.first, "by the first name"),
    )  # fmt: skip
    ways_named = [f"{count} × {way}" for count, way in ways if count]
    return f"The candidate is named {', '.join(ways_named)}." if ways_named else "The candidate is not named."


LIMITS = (
    "One letter cannot show bias. It can show language worth a second look.",
    "Words are found by lists, passages by a small model. Of what authors of test letters set off about six in ten "
    "were marked (314 of 523), of what is said without the usual words four in ten: where nothing is marked, nothing "
    "is proved. About one mark in six is harmless where it stands: read each one in its sentence.",
    "“Not found in the context” means that the program found nothing there that says so. It does not mean that the "
    "claim is false.",
    "How readers react to such language was studied for groups of letters. Nobody can tell from that how one reader "
    "will take this one.",
    "Nothing here says anything about the person who wrote the letter, or about the person it is written for.",
)
LIMITS_OF_ADVERTS = (
    "Words are counted by how they begin, in job titles and names too: some are harmless where they are. Where nothing "
    "is marked, nothing is proved.",
    "How readers react to many such words was studied for adverts written for it. Nobody can tell from that how one "
    "reader will take this one.",
    "Nothing here is legal advice: whether an advert is lawful depends on the work and on the country.",
)
WANTED = ("unsupported", "contradicted")


def full_report(
    reading: Reading,
    verdict: LetterVerdict | None,
    twin: TwinDifference | None,
    made: str,
    dismissed: int,
    *,
    edited: bool,
) -> Iterator[Block]:
    """The whole report. `made`: when, in words. `dismissed`: how many marks a person put aside."""
    about = reading.person.full_name or reading.document.name
    kind = KINDS[reading.read_as.kind]
    yield Heading(f"{kind.word.capitalize()} check: {about}", 0)
    name = f"{reading.document.name}, edited since it was opened" if edited else reading.document.name
    yield said(f"{name} · {made} · Biasprint {core.__version__}. Nothing left this computer.", soft=True)
    if dismissed:
        where = _count(dismissed, "mark")
        yield said(f"{where} put aside by whoever read the letter: not listed here, counted in the figures.", soft=True)
    yield from _inshortened(reading, verdict)
    if not reading.stopped:
        yield Heading(f"The {kind.word}")
        yield from _letter(reading)
        yield from _marks(reading)
        if kind.of_person:
            yield from _claims(reading)
            yield from _others(reading)
    if twin is not None:
        yield from _twin(twin)
    yield _small("What this cannot tell", " ".join(LIMITS[1:] if kind.of_person else LIMITS_OF_ADVERTS))
    yield from _methods(reading)


def _inshortened(reading: Reading, verdict: LetterVerdict | None) -> Iterator[Block]:
    yield Heading("In short")
    if read_as := said_of_kind(reading.read_as):
        yield said(read_as, bullet=True, small=True)
    for suspicion in reading.suspicions:
        yield said(suspicion.said, bullet=True, small=True)
    for note in reading.document.notes:
        yield said(note, bullet=True, small=True)
    if reading.stopped:
        return
    for sentence in verdict.sentences if verdict is not None else ():
        yield said(sentence, bullet=True, small=True)
    if not KINDS[reading.read_as.kind].of_person:
        return
    for compared in reading.compared:
        figure = reading.figure(compared.name)
        if figure is not None and compared.stands_out:
            yield said(f"{figure.title}: {share(figure)}, {_than(compared)}.", bullet=True, small=True)
    missing = [claim for claim in reading.support if claim.verdict in WANTED]
    claims = sum(claim.verdict in (*WANTED, "grounded") for claim in reading.support)
    if reading.context_name:
        line = f"{len(missing)} of {claims} claims are not found in the context ({reading.context_name})."
        yield said(line, bullet=True, small=True)
    else:
        yield said("No CV or other context was given, so no claim was checked.", bullet=True, small=True)
    if reading.first_name_alone:
        yield said(
            f"The candidate is named by the first name alone ({reading.naming.first} times).", bullet=True, small=True
        )
    yield said(reading.reference, soft=True)


def _than(compared: ComparedFigure) -> str:
    """“more than in 93 of 100 reference letters”."""
    part = compared.below if compared.outside == "high" else 1 - compared.below
    of = "all" if part > 0.995 else f"{100 * part:.0f} of 100"
    return f"{'more' if compared.outside == 'high' else 'less'} than in {of} reference letters"


def _letter(reading: Reading) -> Iterator[Block]:
    """The text, its marks set off with what they are."""
    text, at = reading.document.text, 0
    starts = []
    for paragraph in reading.document.paragraphs:
        starts.append((at, at + len(paragraph)))
        at += len(paragraph) + 2
    soft = [(part.start, part.end) for part in reading.parts if part.kind not in ("body", "salutation")]
    for start, end in starts:
        own = [mark for mark in reading.marks if start <= mark.start and mark.end <= end]
        aside = any(low <= start and end <= high for low, high in soft)
        yield ReportParagraph(tuple(_runs(text, start, end, own)), soft=aside, small=not aside)


def _runs(text: str, start: int, end: int, marks: list[Mark]) -> Iterator[Run]:
    at = start
    for (low, high), same in groupby(_apart(marks), key=lambda mark: (mark.start, mark.end)):
        if low < at:
            continue  # inside another mark; it is listed below
        if low > at:
            yield Run(text[at:low], quoted=True)
        run_marks = list(same)
        tag = ", ".join(categories()[mark.category].title.lower() for mark in run_marks)
        yield Run(text[low:high], category=run_marks[0].category, tag=tag, quoted=True)
        at = high
    if at < end:
        yield Run(text[at:end], quoted=True)


def _apart(marks: list[Mark]) -> list[Mark]:
    return sorted(marks, key=lambda mark: (mark.start, -mark.end))


def _marks(reading: Reading) -> Iterator[Block]:
    if not (reading.marks or reading.doubted):
        return
    yield Heading("What to look at")
    if reading.said_of_marks:
        yield said(reading.said_of_marks, soft=True)
    praise: list[Run] = []
    for group in grouped(reading.marks, reading.read_as.kind):
        place = _count(len(group.marks), "place") if group.counted else MAY_BE
        words = ", ".join(f"“{mark.words}”{_how(mark)}" for mark in group.marks)
        reasons = [Run(f"{each} ") for each in (*map(_sourced, group.reasons), group.sure) if each]
        reasons[-1:] = [Run(each.text.rstrip()) for each in reasons[-1:]]
        if all(categories()[mark.category].praise and not mark.of_house for mark in group.marks):
            before = " " if praise else ""
            praise += [Run(f"{before}{group.title}, {place}: "), Run(f"{words}. ", quoted=True), *reasons]
        else:
            title = Run(f"{group.title}, {place}: ", bold=True)
            yield ReportParagraph((title, Run(f"{words}. ", quoted=True), *reasons), small=True, bullet=True)
    if praise:
        yield ReportParagraph(tuple(praise), soft=True, small=True)


def _sourced(reason: tuple[str, str]) -> str:
    return f"{reason[0]} ({reason[1]})"


def _how(mark: Mark) -> str:
    return f" ({beside_category(mark)})" if beside_category(mark) else ""


def _claims(reading: Reading) -> Iterator[Block]:
    missing = [support for support in reading.support if support.verdict in WANTED]
    if not reading.context_name or not missing:
        return
    yield Heading("Claims that the context does not support")
    for support in missing:
        verdict = "Says otherwise" if support.verdict == "contradicted" else support.fact or "Not found"
        nearest = Run(f" Nearest passage: “{shortened(support.passage)}”" if support.passage else "")
        claim = Run(f": {shortened(reading.sentence(support.sentence).text)}", quoted=True)
        yield ReportParagraph((Run(verdict.rstrip("."), bold=True), claim, nearest), bullet=True, small=True)


def _others(reading: Reading) -> Iterator[Block]:
    yield Heading("The letter as a whole")
    if reading.balance is not None:
        yield said(reading.balance.line, small=True)
    yield from whole_figures(reading)
    if reading.compared:
        yield said(reading.reference, soft=True)
        header = ("", "This letter", "Middle 80 % of them", "Of 100 of them, lower")
        yield ReportTable(header, tuple(figure_rows(reading)), (0.25, 0.3, 0.22, 0.23))


def _twin(twin: TwinDifference) -> Iterator[Block]:
    yield Heading(f"The same letter for {twin.other.full_name or 'somebody else'}")
    if twin.made_by:
        yield said(f"Both letters were written by {twin.made_by}, from the same facts.")
    else:
        made = twin.twin.changes if twin.twin is not None else ()
        words = dict.fromkeys(f"{change.old} → {change.new}" for change in made if change.old != change.new)
        pairs = f" ({'; '.join(list(words)[:60])})" if words else ""
        what = f"Names, titles, pronouns and gendered words were changed{pairs}"
        yield said(f"{what}; everything else is as it was.", small=True)
    for finding in twin.findings:
        yield said(finding, bullet=True, small=True)
    if twin.question:
        yield said(twin.question, small=True)
    for asked in twin.asked:
        sentence = twin.reading.sentence(asked.sentence).text
        said_words = Run(f"{', '.join(asked.words)})", quoted=True)
        runs = (Run(f"“{sentence}” (", quoted=True), Run(asked.why), Run(": "), said_words)
        yield ReportParagraph(runs, bullet=True, small=True)
    rows = tuple(
        (
            figure.title,
            _number(figure.value),
            _number(figure.twin),
            "+" * (figure.difference > 0) + digits.number(figure.difference),
        )
        for figure in changed(twin.figures)
        if figure.difference is not None
    )
    if rows:
        yield ReportTable(("", "Letter", "Twin", "Difference"), rows, (0.4, 0.2, 0.2, 0.2))


def _methods(reading: Reading) -> Iterator[Block]:
    """Versions and sources in one small paragraph: for whoever repeats the report, and nobody else."""
    versions = [f"Sentences: {reading.versions.get('segmenter', '')}", f"Words: {reading.versions.get('marks', '')}"]
    if not reading.by_words_alone:
        versions.append(f"Whether they are meant so: {reading.versions[CHECKED_WORDS]}")
    if LARGER_READER in reading.versions:
        versions.append(f"Passages, beside MiniLM: {reading.versions[LARGER_READER]}")
    if "grammar" in reading.versions:
        versions.append(f"Grammar: {reading.versions['grammar']}")
    if reading.balance is not None:
        versions.append(f"Balance of praise: {reading.versions['balance']}")
    versions += [f"{use.role.capitalize()}: {use.name} {use.version}" for use in reading.scorers]
    told = []
    if stand_ins := [use.name for use in reading.scorers if use.stand_in]:
        told.append(f"Used in place of the paper's own, not on this computer: {', '.join(stand_ins)}")
    shares = (
        "Shares: of the sentences of the letter's body, with Wilson's 95 % interval. Claims: the context entails what "
        "it supports; opinions and wishes are none. Source: Wan et al. 2023, sections 3.2 and 3.3"
    )
    told += [shares] if KINDS[reading.read_as.kind].of_person else []
    told.append(f"Biasprint {core.__version__}")
    runs = [Run("Methods and versions. ", bold=True)]
    for version in _said_once(versions):
        name, _, exact = version.partition(": ")
        runs += [Run(f"{name}: "), Run(f"{exact}. ", quoted=True)]
    yield ReportParagraph((*runs, Run(f"{'. '.join(told)}.")), soft=True, small=True)


def _small(title: str, text: str) -> ReportParagraph:
    return ReportParagraph((Run(f"{title}. ", bold=True), Run(text)), soft=True, small=True)


def _said_once(versions: Sequence[str]) -> Iterator[str]:
    """Leave out what an earlier version said too: scorers share how they cut words."""
    seen: set[str] = set()
    for version in versions:
        parts = version.split("; ")
        new = [part for part in parts if part not in seen]
        yield "; ".join((*new, "and as above") if len(new) < len(parts) else new)
        seen.update(parts)


def _number(value: float | None) -> str:
    return "none" if value is None else digits.number(value)


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


# ---- The report of a pile: its table, its groups, who was chosen, and letter by letter what there is to look at

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
            sentence = Run(f": {words}: {shortened(reading.sentence(number).text)}", quoted=True)
            yield ReportParagraph((Run(group.title), sentence), bullet=True)
    for support in reading.support:
        if support.verdict in NOT_CARRIED:
            found = WORDS_OF_VERDICT[support.verdict]
            sentence = Run(f": {shortened(reading.sentence(support.sentence).text)}", quoted=True)
            yield ReportParagraph((Run(f"Claim, {found}"), sentence), bullet=True)


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
    yield from _pile_methods(report.pile)


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


def _pile_methods(pile: Pile) -> Iterator[Block]:
    yield Heading("Methods and versions")
    for name, version in pile.versions.items():
        yield ReportParagraph((Run(f"{name.capitalize()}: "), Run(version, quoted=True)), soft=True)
    for use in pile.scorers:
        stand_in = " Used in place of the paper's own, which is not on this computer." if use.stand_in else ""
        exact = Run(f"{use.name} {use.version}.", quoted=True)
        yield ReportParagraph((Run(f"{use.role.capitalize()}: "), exact, Run(stand_in)), bullet=True)
    for key in uncounted():
        category = categories()[key]
        yield said(f"{category.title}: {MAY_BE}, and not counted. {category.precision.said}", bullet=True)
    yield said(
        "Groups: Welch's t over candidates, p after Holm; “no difference” by an equivalence test with half of the base "
        "rate as its margin. Rates: Wilson's interval; ratios: score interval of Miettinen and Nurminen (1985).",
        soft=True,
    )
