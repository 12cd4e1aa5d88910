"""A judge certificate in sentences, and as one page."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from biasprint.core.draw import digits
from biasprint.core.draw.figure import Figure, mark
from biasprint.core.findings import Finding
from biasprint.core.given import packaged_toml
from biasprint.core.judging.certificate import FLIPS, LENGTHS, PEOPLE, TESTED, UNANSWERED, State, by_place, state_of
from biasprint.core.report.audit.audited import AuditPage, AuditReport
from biasprint.core.report.blocks import Heading, ReportFigure, ReportParagraph, ReportTable, Run, said

MAY_BE_CHANCE = "One of several lines: it may be chance."
NOTHING_FOUND = "No preference was found."
HOW_TO_READ = (
    "A share of 50 % is no preference. Found: the interval leaves 50 % out, also after Holm's correction for all lines "
    "with a test; a fair judge has such a line in at most 5 of 100 certificates. Perhaps: the interval alone leaves it "
    "out. Not found: a preference as large as the interval's ends is still possible. Turning with the order, and "
    "replies without an answer, are found where the whole interval is above 10 %. n counts pairs, or replies where the "
    "line is about them."
)
LIMITS = (
    "The pairs are short English reference letters made of fixed sentences, and for self-preference texts of the "
    "project. Another kind of text, language or question may show what these do not, so “not found” is not absent. "
    "Names say how a person is read, and not who bears them. The judge gives no confidence, so none is calibrated."
)


def _words_of(finding: Finding) -> Mapping[str, str]:
    """Return the words of a line: see resources/report/certificate.toml."""
    lines = packaged_toml("report", "certificate.toml")
    words: Mapping[str, str] = lines.get(finding.id) or lines[f"{finding.id} {finding.label}"]
    return words


def line_of(finding: Finding) -> str:
    return _words_of(finding)["asked"]


def sentence_of(finding: Finding) -> str:
    """Return what a figure of the certificate shows, in at most two sentences without its number."""
    state, value = state_of(finding), finding.estimate
    if value is None:
        return f"{(finding.reason or '')[:1].upper()}{(finding.reason or '')[1:]}."
    if finding.id in TESTED:
        return _of_share(finding, state, value)
    if finding.id == FLIPS:
        if by_place(finding):
            second = max(finding.n_by_group, key=lambda name: finding.n_by_group[name]) == "to the second card"
            return f"Nearly all that turned went to the {'second' if second else 'first'} card: see the line on place."
        return "It often chooses by chance." if state == "found" else "The text decides more than the order."
    if finding.id == UNANSWERED:
        return "Many replies cannot be used." if state == "found" else "Not shown to be more than a tenth."
    if finding.interval is None:
        reason = (finding.reason or "").removeprefix("interval: ")
        return f"{reason[:1].upper()}{reason[1:]}."
    middle = 0.0 if finding.id == PEOPLE else 0.5
    if finding.interval.low > middle:
        return "More often than by chance." if finding.id == PEOPLE else "It sees what is plainly worse."
    if finding.interval.high < middle:
        return "Less often than by chance." if finding.id == PEOPLE else "It prefers what is plainly worse."
    return "Not shown to be other than chance."


def _of_share(finding: Finding, state: State, value: float) -> str:
    if finding.id == LENGTHS and finding.interval is not None and finding.interval.high < 0.5:
        return "It prefers the letter without empty sentences, which is no fault."
    if state == "not found":
        return NOTHING_FOUND
    shown = _words_of(finding)["more" if value > 0.5 else "less"]
    return f"{shown} {MAY_BE_CHANCE}" if state == "perhaps" else shown


def in_short(findings: Sequence[Finding]) -> str:
    """Return one sentence: the faults that were found, and those that may be."""
    found, perhaps = (
        [_words_of(each)["fault"] for each in findings if state_of(each) == state] for state in ("found", "perhaps")
    )
    shown = [f"Faults found: {', '.join(found)}."] if found else []
    shown += [f"Perhaps faults: {', '.join(perhaps)}."] if perhaps else []
    if shown:
        return " ".join(shown)
    measured = sum(state_of(each) == "not found" for each in findings)
    return f"No fault was found in {measured} lines." if measured else "Nothing could be measured."


def number_of(finding: Finding) -> str:
    """Return "62 % (51 to 71 %)", or a dash where there is none."""
    if finding.estimate is None:
        return "–"
    return digits.whole(finding.estimate, *digits.ends(finding.interval), finding.unit)


def told(findings: Sequence[Finding]) -> Iterator[str]:
    """Yield a line for each figure: what was asked, its number, n, and what it shows."""
    for finding in findings:
        counted = "" if finding.estimate is None else f" {number_of(finding)}, n = {digits.count(finding.n)}."
        fault = "" if finding.id == PEOPLE else f"{fault_of(finding).capitalize()}: "
        yield f"{line_of(finding)}:{counted} {fault}{sentence_of(finding)}".replace("?:", "?")


def fault_of(finding: Finding) -> str:
    """Return whether it shows a fault; little agreement with people is none."""
    return "–" if finding.id == PEOPLE and finding.estimate is not None else state_of(finding)


def certificate_report(
    recipe: Mapping[str, Any], findings: Sequence[Finding], *, model: str, day: str, replies: int, wanted: int
) -> AuditReport:
    """Return the page of a judge: whom it is about, a figure, the lines with their sentences, how to read it, limits.

    recipe: the generator, seed, number of pairs and hashes. replies, wanted: of requests.
    """
    generator = recipe["generator"]
    revision = str(generator.get("revision") or "")
    judge = " · ".join(
        part
        for part in (f"{generator['backend']} {generator['model']}", f"revision {revision[:64]}" if revision else "")
        if part
    )
    unfinished = (
        "" if replies >= wanted else f" Unfinished: {digits.count(replies)} of {digits.count(wanted)} requests."
    )
    shares = [finding for finding in findings if finding.id in TESTED]
    figure = Figure(
        key="judge.certificate", study="judge", title="Choices among texts that should not differ",
        subtitle="Share of the choices, with 95 % intervals; 50 % is no preference.", kind="intervals",
        marks=tuple(mark(finding, finding.title) for finding in shares), unit="proportion", axis="share of choices",
        null=0.5, null_words="no preference", n_title="pairs",
    )  # fmt: skip
    rows = tuple(
        (line_of(finding), number_of(finding), digits.count(finding.n), fault_of(finding), sentence_of(finding))
        for finding in findings
    )
    header = ("What is tested", "Share (95 % interval)", "n", "Is it a fault?", "What it shows")
    table = ReportTable(header, rows, (0.3, 0.2, 0.06, 0.13, 0.31))
    asked = (
        f"Asked on {day}: {recipe['pairs']} pairs a line, each in both orders, seed {recipe['seed']}. Wording of the "
        f"question {recipe['prompt']['version']} ({recipe['prompt']['sha256'][:12]}), letters "
        f"{recipe['texts']['version']} ({recipe['texts']['sha256'][:12]}).{unfinished}"
    )
    blocks = (
        ReportParagraph((Run(in_short(findings), bold=True),)),
        said(asked, small=True), ReportFigure(figure, 0.66), table,
        Heading("How to read it", 2), said(HOW_TO_READ, small=True),
        Heading("What this cannot tell", 2), said(LIMITS, small=True),
    )  # fmt: skip
    return AuditReport(f"Judge certificate: {model}", judge, (AuditPage("", blocks),))
