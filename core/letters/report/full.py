"""The long report: a summary, the letter with its marks, what to look at, other letters, the twin, and its limits."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from biasprint import core
from biasprint.core.draw import digits
from biasprint.core.letters.categories import categories, grouped
from biasprint.core.letters.kinds import KINDS, said_of_kind
from biasprint.core.letters.values import (
    CHECKED_WORDS,
    LARGER_READER,
    MAY_BE,
    ComparedFigure,
    LetterFigure,
    Mark,
    Naming,
    Reading,
    TwinDifference,
    beside_category,
    changed,
)
from biasprint.core.letters.verdict import LetterVerdict
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
        yield Run(text[low:high], category=run_marks[0].category, tag=", ".join(_tag(mark) for mark in run_marks))
        at = high
    if at < end:
        yield Run(text[at:end], quoted=True)


def _apart(marks: list[Mark]) -> list[Mark]:
    return sorted(marks, key=lambda mark: (mark.start, -mark.end))


def _tag(mark: Mark) -> str:
    return categories()[mark.category].title.lower()


def _marks(reading: Reading) -> Iterator[Block]:
    if not (reading.marks or reading.doubted):
        return
    yield Heading("What to look at")
    if reading.said_of_marks:
        yield said(reading.said_of_marks, soft=True)
    praise = []
    for group in grouped(reading.marks, reading.read_as.kind):
        place = _count(len(group.marks), "place") if group.counted else MAY_BE
        words = ", ".join(f"“{mark.words}”{_how(mark)}" for mark in group.marks)
        reasons = " ".join((*map(_sourced, group.reasons), group.sure)).strip()
        if all(categories()[mark.category].praise and not mark.of_house for mark in group.marks):
            praise.append(f"{group.title}, {place}: {words}. {reasons}")
        else:
            runs = (Run(f"{group.title}, {place}: ", bold=True), Run(f"{words}. {reasons}"))
            yield ReportParagraph(runs, small=True, bullet=True)
    if praise:
        yield said(" ".join(praise), soft=True, small=True)


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
        nearest = f" Nearest passage: “{shortened(support.passage)}”" if support.passage else ""
        claim = Run(f": {shortened(reading.sentence(support.sentence).text)}{nearest}")
        yield ReportParagraph((Run(verdict.rstrip("."), bold=True), claim), bullet=True, small=True)


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
        yield said(f"“{sentence}” ({asked.why}: {', '.join(asked.words)})", bullet=True, small=True)
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
    if stand_ins := [use.name for use in reading.scorers if use.stand_in]:
        versions.append(f"Used in place of the paper's own, not on this computer: {', '.join(stand_ins)}")
    shares = (
        "Shares: of the sentences of the letter's body, with Wilson's 95 % interval. Claims: the context entails what "
        "it supports; opinions and wishes are none. Source: Wan et al. 2023, sections 3.2 and 3.3"
    )
    versions += [shares] if KINDS[reading.read_as.kind].of_person else []
    versions.append(f"Biasprint {core.__version__}")
    yield _small("Methods and versions", f"{'. '.join(_said_once(versions))}.")


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
