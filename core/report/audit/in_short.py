"""Findings in three to five sentences, for somebody who reads no further."""

import re
from collections.abc import Iterator, Sequence

from biasprint.core.draw import digits
from biasprint.core.draw.digits import tr
from biasprint.core.draw.verdicts import DECIDES, apart, is_ratio, null_value, too_few, with_error, yes_by
from biasprint.core.findings import BETWEEN_GENERATORS, MATCHED_UNITS, Finding, matched_blocks
from biasprint.core.report.audit.audited import Audited
from biasprint.core.report.blocks import Block, ReportParagraph, Run, said
from biasprint.core.report.questions import Evidence, question_of, quoted, strength
from biasprint.core.studies.registry import studies

MOST_NAMED = 2  # questions with a clear yes that are told with their numbers; the others are named
MOST_APART = 3  # generators of which each has its own answer
SET_APART = ("against", "minus", "less")  # what stands in a title between two groups
READING = (
    "Interval: the range that holds the true value with that confidence. n: what a number rests on. Yes: p, adjusted "
    "for all tests of its kind, is at most 0.05."
)

Asked = tuple[str, Evidence]


def in_short(audited: Audited, questions_asked: Sequence[Asked]) -> Iterator[Block]:
    """The count of answers, the clearest ones with their numbers, and what was looked for and not shown."""
    yes = [asked for asked in questions_asked if asked[1].shown]
    no = [asked for asked in questions_asked if asked[1].tested and not asked[1].shown]
    yield ReportParagraph((Run(_counted(audited, questions_asked, yes, no), bold=True),))
    if yes or no:
        yield said(tr(READING), soft=True)
    for ask, each in yes[:MOST_NAMED]:
        sentences = [*_by_generator(audited.study, each), _meaning(audited.study, _first(each))]
        yield _bullet(ask, " ".join(filter(None, sentences)))
    if others := yes[MOST_NAMED:]:
        yield _bullet(tr("Yes as well:"), " ".join(ask for ask, _ in others))
    if no:
        ask, each = no[0]
        yield _bullet(
            ask, f"{_not_shown(audited.study, each)} {tr('This does not prove that there is no difference.')}"
        )


def clearest(questions_asked: Sequence[Asked]) -> Asked:
    """The first question, in the study's order, whose answer is yes; the first of all where none is."""
    return next((asked for asked in questions_asked if asked[1].shown), questions_asked[0])


def _counted(audited: Audited, questions_asked: Sequence[Asked], yes: Sequence[Asked], no: Sequence[Asked]) -> str:
    other = len(questions_asked) - len(yes) - len(no)
    parts = [
        tr("Clear yes: {n}").format(n=_some(len(yes))),
        tr("not shown: {n}").format(n=_some(len(no))),
        *([tr("without a test: {n}").format(n=digits.count(other))] if other else []),
    ]
    asked = tr("{questions} asked of {texts}.").format(
        questions=_questions(len(questions_asked)), texts=audited.texts.lower()
    )
    return f"{asked} {'; '.join(parts)}."


def _some(n: int) -> str:
    return digits.count(n) if n else tr("none")


def _questions(n: int) -> str:
    return tr("1 question was") if n == 1 else tr("{n} questions were").format(n=digits.count(n))


def _bullet(first: str, rest: str) -> ReportParagraph:
    return ReportParagraph((Run(first, bold=True), Run(f" {rest}")), bullet=True, small=True)


def _by_generator(study: str, each: Evidence) -> Iterator[str]:
    """Say what was found, for each generator where the findings name several."""
    by_name: dict[str, list[Finding]] = {}
    for finding in each.tested:
        by_name.setdefault(finding.dims.get("generator", ""), []).append(finding)
    if len(by_name) < 2:
        yield yes_in_words(study, each)
        return
    if len(by_name) > MOST_APART:
        yes = [name for name, own in by_name.items() if each.of(own).shown]
        name = _first(each).dims.get("generator", "")
        yield tr("Yes of {some} of {all} generators, most clearly of “{name}”: {said}.").format(
            some=digits.count(len(yes)), all=digits.count(len(by_name)), name=name,
            said=plainly(study, _first(each), each.of(by_name[name])),
        )  # fmt: skip
        return
    for place, (name, own) in enumerate(by_name.items()):
        part, first = each.of(own), not place
        sentence = yes_in_words(study, part, scaled=first) if part.shown else _not_shown(study, part, scaled=first)
        yield tr("“{name}”: {told}").format(name=name, told=f"{sentence[0].lower()}{sentence[1:]}")


def yes_in_words(study: str, each: Evidence, *, scaled: bool = True) -> str:
    """Say how many comparisons show a difference, and give the clearest of them with its numbers."""
    clearest_one = plainly(study, _first(each), each, scaled=scaled)
    yes = yes_by(each.shown)
    if len(each.tested) == 1:
        return tr("{yes}: {said}.").format(yes=yes.rstrip(","), said=clearest_one)
    return tr("{yes} in {shown} of {all} comparisons; most clearly {said}.").format(
        yes=yes, shown=digits.count(len(each.shown)), all=digits.count(len(each.tested)), said=clearest_one
    )


def _first(each: Evidence) -> Finding:
    """The clearest; of equally clear ones, as of two groups that mirror each other, one that harms somebody."""
    return min(each.shown, key=lambda finding: (strength(finding), finding.harm != "" and not _harms(finding)))


def _meaning(study: str, finding: Finding) -> str:
    """Whom it harms, where it does; else how its question's numbers are read."""
    return finding.harm if _harms(finding) else "" if finding.harm else tr(question_of(study, finding).meaning)


def _harms(finding: Finding) -> bool:
    """Return whether it is on the side of 0 that its harm is about. A person's own words name no side, and count."""
    side = re.match(r"(Above|Below) 0\b", finding.harm)
    return bool(finding.harm) and (side is None or (side[1] == "Above") == ((finding.estimate or 0.0) > 0))


def _not_shown(study: str, each: Evidence, *, scaled: bool = True) -> str:
    said = plainly(study, each.nearest, each, scaled=scaled)
    if each.doubted:
        return tr("Not known with the scorer’s error. Nearest is {said}.").format(said=said)
    if why := too_few(each.tested):
        return tr("Not known: {why}. Nearest is {said}.").format(why=why, said=said)
    return tr("Not shown. Nearest is {said}.").format(said=said)


def plainly(study: str, finding: Finding, each: Evidence, *, scaled: bool = True) -> str:
    """Word a finding for a reader without statistics: what it is, how much and how sure; `scaled`: against what."""
    counted = f"n = {digits.count(finding.n)}{_items(study, finding)}"
    inside = [_for_whom(finding), _unit(finding), _scale(finding) if scaled else "", _sure(finding), counted]
    if any(use.stand_in for use in finding.scorers):
        inside.append(tr("by a stand-in scorer"))
    if apart(finding):  # in full on the question's own page
        shown = finding.p_adjusted is not None and finding.p_adjusted <= DECIDES
        inside.append(tr("the test decides: yes") if shown else tr("the test decides: no"))
    name, pair = each.names[id(finding)], _pair(finding)
    if pair and _has_direction(finding):  # the amount tells of which group it is
        name = re.sub(f"[:,] {re.escape(pair[0])} ({'|'.join(SET_APART)}) {re.escape(pair[1])}", "", name)
    error = with_error(finding)
    sentence = f"{quoted(name)}: {_amount(study, finding)} ({'; '.join(filter(None, inside))})"
    return f"{sentence}, {error}" if error else sentence


def _amount(study: str, finding: Finding) -> str:
    """ "−4.8 percentage points, lower for male than for female", "1.87 times the odds for male as for female"."""
    value, _ = _written(finding)
    pair = _pair(finding)
    if not _has_direction(finding):
        return value
    if not pair:
        return _between_sides(study, finding, value)
    if finding.unit == "ratio of odds ratios":
        way = tr("an odds ratio {x} times as high for {one} as for {other}")
    elif "odds" in finding.unit:
        way = tr("{x} times the odds for {one} as for {other}")
    elif is_ratio(finding):
        way = tr("{x} times as high for {one} as for {other}")
    elif (finding.estimate or 0.0) > 0:
        way = tr("{x}, higher for {one} than for {other}")
    else:
        way = tr("{x}, lower for {one} than for {other}")
    return way.format(x=value, one=pair[0], other=pair[1])


def _between_sides(study: str, finding: Finding, value: str) -> str:
    """Say of one group in two kinds of text, such as articles and their originals, in which of them it is higher."""
    known = studies().get(study)
    if known is None or known.words.sides is None or len(finding.groups) != 1:
        return value
    way = tr("{x}, higher in {one} than in {other}")
    if (finding.estimate or 0.0) < 0:
        way = tr("{x}, lower in {one} than in {other}")
    first, second = map(tr, known.words.sides)
    return way.format(x=value, one=first, other=second)


def _for_whom(finding: Finding) -> str:
    """Say which groups lie highest and lowest, for a measure of how far groups lie apart."""
    if finding.floor is None or finding.unit.startswith("difference") or len(finding.contrast or {}) < 2:
        return ""
    ranked = sorted((finding.contrast or {}).items(), key=lambda item: item[1])
    (low, below), (high, above) = ranked[0], ranked[-1]
    if not below < 0 < above:
        return ""
    return tr("highest for {high}, {above} above the mean; lowest for {low}, {below} below it").format(
        high=high.replace("_", " "), above=digits.number(above, finding.unit),
        low=low.replace("_", " "), below=digits.number(-below, finding.unit),
    )  # fmt: skip


def _has_direction(finding: Finding) -> bool:
    """Return whether it is of one group against the other, and not 0."""
    return bool(finding.estimate) and (is_ratio(finding) or null_value(finding) == 0)


def _pair(finding: Finding) -> tuple[str, ...]:
    """The two groups, where it is the first of them against the second and its title says so."""
    if len(finding.groups) != 2:
        return ()
    against = any(f"{finding.groups[0]} {word} {finding.groups[1]}" in finding.title for word in SET_APART)
    return finding.groups if against or finding.id.endswith(BETWEEN_GENERATORS) else ()


def _written(finding: Finding) -> tuple[str, str]:
    unit = finding.unit
    if digits.is_proportion(unit) and null_value(finding) == 0 and not unit.startswith("difference"):
        unit = "difference of proportions"  # of shares, with a sign
    estimate, interval = digits.written(finding.estimate, *digits.ends(finding.interval), unit=unit)
    return estimate.replace(" points", tr(" percentage points")), interval


def _unit(finding: Finding) -> str:
    sign = digits.sign(finding.unit) or (finding.unit == "odds ratio" and _pair(finding))
    return "" if sign or finding.unit in ("", "ratio") else finding.unit


def _sure(finding: Finding) -> str:
    if finding.interval is None:
        return tr("no interval")
    _, ends = _written(finding)
    return tr("{level} % interval {ends}").format(level=digits.level_text(finding.interval.level), ends=ends)


def _scale(finding: Finding) -> str:
    """Say what the number would be without any bias."""
    if finding.floor is not None:
        return tr("chance alone stays below {p95} in 95 of 100 cases").format(
            p95=digits.number(finding.floor.p95, finding.unit)
        )
    null = null_value(finding)
    if null is None or finding.id.endswith(".equivalence"):
        return ""
    shown = f"{null:g}" if null in (0, 1) else digits.number(null, finding.unit)
    return tr("{null} would be no difference").format(null=shown)


def _items(study: str, finding: Finding) -> str:
    """ " letters in 60 matched blocks": what its n counts."""
    if MATCHED_UNITS in finding.note:
        return tr(" matched sets of texts")
    known = studies().get(study)
    counted = (name for start, name in (known.words.items if known else ()) if finding.id.startswith(start))
    blocks = matched_blocks(finding)
    return (f" {name}" if (name := next(counted, "")) else "") + (
        tr(" in {blocks} matched blocks").format(blocks=digits.count(blocks)) if blocks else ""
    )
