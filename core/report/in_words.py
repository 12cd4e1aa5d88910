"""Answers in plain words: the verdict first, then what was found, in which direction, how much and how sure.

One wording for the command line, the demo, the window and the report's first page. A difference is "higher" or
"lower" for one group than for the other, an odds ratio "times as high"; what the data leave open has both its ends.
"""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from biasprint.core.draw import digits
from biasprint.core.draw.words import DECIDES, apart, is_ratio, null_value
from biasprint.core.findings import (
    BETWEEN_GENERATORS,
    MATCHED_UNITS,
    Finding,
    alike_margin,
    compared_values,
    least_possible_p,
    matched_blocks,
    raters_meant,
    scorer_error,
    tests_adjusted_for,
)
from biasprint.core.report.evidence import Evidence, harms, holds_in, holds_under, strength
from biasprint.core.studies.kit.findings import WHOLE_FAMILY_NOT_SHOWN
from biasprint.core.studies.registry import studies

MOST_NAMED = 3  # findings of one answer that are told with their numbers
MOST_APART = 3  # generators of which each has its own answer
SET_APART = ("against", "minus", "less")  # what stands in a title between two groups
SCALES = {"d": "effect size d", "similarity": "similarity, from 0 to 1 for equal texts"}  # of units that need one
OF_LENGTH = ("words", "difference of words")  # units of which more is longer
OF_WEAT = "Above 0, "  # how the harm of an effect size begins
WITHIN = ": alike within"  # what stands in a title before a margin


def answer(study: str, each: Evidence, findings: Sequence[Finding], *, most: int = MOST_NAMED) -> str:
    """The whole answer, from its evidence and all findings of the question; `most` of them have their numbers.

    Never an estimate without its n, and its interval where it has one.
    """
    if each.tested:
        return " ".join(by_generator(study, each, most))
    if not each.leads:
        unknown = [finding for finding in findings if finding.estimate is None and finding.reason]
        reason = max(unknown, key=lambda finding: finding.n).reason if unknown else "nothing could be measured"
        return f"Not known: {reason}."
    return f"Measured, without a test: {_listed(study, each.leads, each, most)}."


@dataclass(frozen=True)
class TwoLayers:
    """An answer in two layers: words that are read once, and the figures that each amount in them rests on."""

    words: str
    figures: str


def told(
    study: str,
    each: Evidence,
    findings: Sequence[Finding],
    *,
    most: int = MOST_NAMED,
    meaning: Callable[[Finding], str] = lambda finding: "",
) -> TwoLayers:
    """The whole answer, with intervals, p and n apart from its words; without a test all of it is words.

    `meaning`: a sentence on the clearest finding of a “Yes”, said behind it and once.
    """
    if not each.tested:
        return TwoLayers(answer(study, each, findings, most=most), "")
    words: list[str] = []
    figures = []
    for part in _parts(each, most):
        words += _sentences(study, part, figures=False)
        if part.each.shown and (behind := meaning(clearest(part.each))) not in words:
            words.append(behind)
        named = [
            f"{_name(study, finding, part.each)}: {_figures(study, finding, scaled=part.scaled and not place)}"
            for place, finding in enumerate(_told_of(part.each)[: part.most])
        ]
        figures.append(f"“{part.name}” · {'; '.join(named)}" if part.name else "; ".join(named))
    return TwoLayers(" ".join(filter(None, words)), " ".join(f"{line[:1].upper()}{line[1:]}." for line in figures))


def verdict(study: str, each: Evidence, *, most: int = MOST_NAMED, scaled: bool = True, figures: bool = True) -> str:
    """The answer of evidence with tests: Yes, No difference was shown, or Not known; `scaled`: against what.

    `figures`: with intervals, p and n in brackets.
    """
    if each.alike:
        return _alike(study, each, most, figures=figures)
    if each.shown:
        findings = _listed(study, _told_of(each), each, most, scaled=scaled, figures=figures)
        number, of = len(each.shown), _asked(each)
        if of == 1:
            sentence = f"{_yes(each.shown)}: {findings}."
        else:
            sentence = "{yes}, in {shown} of {of} comparisons{most}: {findings}.".format(
                yes=_yes(each.shown), shown=digits.count(number), of=digits.count(of), findings=findings,
                most=", most clearly" if number > 1 else "",
            )  # fmt: skip
        return " ".join(filter(None, (sentence, holds_in(each.shown), holds_under(each.shown))))
    nearest = each.nearest
    with_interval = in_words(study, nearest, each, scaled=scaled, figures=figures)
    if each.doubted:
        return f"Not known, because the scorer errs: {with_interval}."
    if why := _too_few(study, each.tested):
        return f"Not known: {why}. Nearest to a yes: {with_interval}."
    still_open = _still_open(study, nearest)
    finding = (
        in_words(study, nearest, each, scaled=scaled, interval=False, figures=figures) if still_open else with_interval
    )
    if (asked := _asked(each)) == 1:
        return f"No difference was shown: {finding}." + still_open
    of_all = f"No difference was shown in {digits.count(asked)} comparisons."
    return f"{of_all} Nearest to a yes: {finding}." + still_open


def _asked(each: Evidence) -> int:
    """The number of comparisons: of words, of which few are findings, all that p was adjusted among."""
    families = {finding.adjust.family: tests_adjusted_for(finding) or 0 for finding in each.tested if finding.adjust}
    of_words = all(finding.id.startswith(WHOLE_FAMILY_NOT_SHOWN) for finding in each.tested)
    return max(len(each.tested), sum(families.values()) if of_words else 0)


@dataclass(frozen=True)
class _Part:
    """The evidence of one generator, or of all where `name` is empty; `before`: a sentence that comes first."""

    name: str
    each: Evidence
    most: int
    scaled: bool = True
    before: str = ""


def by_generator(study: str, each: Evidence, most: int) -> Iterator[str]:
    """The verdict, for each generator where the findings name several, and of more than `MOST_APART` the clearest."""
    for part in _parts(each, most):
        yield from _sentences(study, part)


def _sentences(study: str, part: _Part, *, figures: bool = True) -> Iterator[str]:
    sentence = verdict(study, part.each, most=part.most, scaled=part.scaled, figures=figures)
    if part.before:
        yield part.before
    elif part.name:
        sentence = "“{name}”: {sentence}".format(name=part.name, sentence=f"{sentence[0].lower()}{sentence[1:]}")
    yield sentence


def _parts(each: Evidence, most: int) -> Iterator[_Part]:
    by_name: dict[str, list[Finding]] = {}
    for finding in each.tested:
        by_name.setdefault(finding.dims.get("generator", ""), []).append(finding)
    if len(by_name) < 2:
        yield _Part("", each, most)
        return
    if len(by_name) <= MOST_APART:
        for place, (name, own) in enumerate(by_name.items()):
            yield _Part(name, each.of(own), most, scaled=not place)
        return
    yes = [name for name, own in by_name.items() if each.of(own).shown]
    name = (clearest(each) if yes else each.nearest).dims.get("generator", "")
    of_all = "Yes for {some} of {all} generators, most clearly for “{name}”."
    no = "No difference was shown for any of {all} generators. Closest to one is “{name}”."
    before = (of_all if yes else no).format(some=digits.count(len(yes)), all=digits.count(len(by_name)), name=name)
    yield _Part(name, each.of(by_name[name]), 1, before=before)


def _told_of(each: Evidence) -> list[Finding]:
    """Return the findings that a verdict names, the clearest first; as many of them as it has room for."""
    if each.shown:
        return [*each.shown] if each.alike else _ranked(each)
    return _unlike(each) or [each.nearest]


def clearest(each: Evidence) -> Finding:
    """The clearest significant one; of groups that mirror each other one that harms somebody."""
    return min(each.shown, key=lambda finding: (strength(finding), finding.harm != "" and not harms(finding)))


def _ranked(each: Evidence) -> list[Finding]:
    first = clearest(each)
    return [first, *(finding for finding in each.shown if finding is not first)]


def _listed(
    study: str,
    findings: Sequence[Finding],
    each: Evidence,
    most: int,
    *,
    scaled: bool = True,
    figures: bool = True,
) -> str:
    named = [
        in_words(study, finding, each, scaled=scaled and not place, figures=figures)
        for place, finding in enumerate(findings[:most])
    ]
    if len(findings) > most > 1:
        named.append(f"and {digits.count(len(findings) - most)} more")
    return "; ".join(named)


def _yes(findings: Sequence[Finding]) -> str:
    """ "Yes", or who says so where that is about a few raters and about no others."""
    raters = [known for finding in findings if (known := raters_meant(finding)) is not None]
    if len(raters) < len(findings):
        return "Yes"
    return "Yes, by this one rater" if max(raters) == 1 else f"Yes, by these {max(raters)} raters"


# ---- Are groups alike?


def _alike(study: str, each: Evidence, most: int, *, figures: bool = True) -> str:
    """Yes where the test says so, No where the whole interval lies beyond the margin, Not known between the two."""
    if each.shown:
        findings = _listed(study, _told_of(each), each, most, figures=figures)
        if len(each.tested) == 1:
            return f"Yes, within the margin: {findings}."
        shown, of = digits.count(len(each.shown)), digits.count(len(each.tested))
        return f"Yes, within the margin, in {shown} of {of} comparisons: {findings}."
    if each.doubted:
        finding = in_words(study, each.nearest, each, figures=figures)
        return f"Not known, because the scorer errs: {finding}."
    if unlike := _unlike(each):
        findings = _listed(study, unlike, each, most, figures=figures)
        return f"No: {findings}. That is beyond the margin."
    return f"Not known: {in_words(study, each.nearest, each, figures=figures)}. The interval reaches beyond the margin."


def _unlike(each: Evidence) -> list[Finding]:
    """Return the groups that lie beyond the margin; none where it is not about a margin, or the scorer errs."""
    return [finding for finding in each.tested if _beyond(finding)] if each.alike and not each.doubted else []


def _beyond(finding: Finding) -> bool:
    margin, interval = alike_margin(finding), finding.interval
    return margin is not None and interval is not None and (interval.low > margin or interval.high < -margin)


# ---- One finding


def in_words(
    study: str,
    finding: Finding,
    each: Evidence,
    *,
    scaled: bool = True,
    interval: bool = True,
    figures: bool = True,
) -> str:
    """Word a finding: its name, amount and direction; with `figures` in brackets how sure that is and what n counts.

    `interval`: False where the sentence after it says the interval.
    """
    other = each.mirrored.get(id(finding))
    amount = _amount(study, finding) + (_as_much(study, other) if other else "")
    whom, unit = _for_whom(study, finding, figures=figures), _unit(finding)
    alone = finding.floor is None and not is_ratio(finding) and not _direction(study, finding)
    against = f"where {scale}" if scaled and alone and (scale := _scale(finding)) else ""
    if figures:
        inside = filter(None, (whom, unit, _figures(study, finding, scaled=scaled, interval=interval)))
        return f"{_name(study, finding, each)}: {amount} ({'; '.join(inside)})"
    said = filter(None, (f"{amount} ({unit})" if unit else amount, _more_often(study, finding), whom, against))
    return f"{_name(study, finding, each)}: {', '.join(said)}"


def _more_often(study: str, finding: Finding) -> str:
    """ "that is, less often for male": which way odds go that are so many times as high."""
    direction = _direction(study, finding)
    if "odds" not in finding.unit or "ratios" in finding.unit or not direction or finding.estimate in (None, 1.0):
        return ""
    way = "that is, more often {one}" if (finding.estimate or 0) > 1 else "that is, less often {one}"
    return way.format(one=direction[0])


def _figures(study: str, finding: Finding, *, scaled: bool = True, interval: bool = True) -> str:
    """Say against what an amount is read, how sure it is, and what n counts."""
    inside = [
        _scale(finding) if scaled else "",
        _sure(study, finding) if interval else "",
        _chance(finding),
        f"n = {digits.count(finding.n)}{_items(study, finding)}",
    ]
    if any(use.stand_in for use in finding.scorers):
        inside.append("by a stand-in scorer")
    if why := apart(finding):
        inside.append(f"{why[0].lower()}{why[1:].rstrip('.')}")
    if error := with_error(study, finding):
        inside.append(error)
    return "; ".join(filter(None, inside))


def _name(study: str, finding: Finding, each: Evidence) -> str:
    """Its name in quotes, unless it has some; without groups that the amount names, and without a margin."""
    name, pair = each.names[id(finding)], _pair(finding)
    if alike_margin(finding) is not None:
        before, _, after = name.partition(WITHIN)
        name = f"{before}, within {after.strip(' ?')}" if after else name
    if pair and _direction(study, finding):
        name = re.sub(
            f"[:,] (after something )?{re.escape(pair[0])} ({'|'.join(SET_APART)}) {re.escape(pair[1])}", "", name
        )
    return name if "“" in name else f"“{name}”"


def _as_much(study: str, other: Finding) -> str:
    """ ", and as much lower for Woman": what the other of two groups loses where one gains."""
    less = (other.estimate or 0.0) < 0
    of = other.title.rpartition(", ")[2] if ", " in other.title else other.groups[0]
    return f", and as much {_ways(other)[0 if less else 1]} for {of}"


def _amount(study: str, finding: Finding) -> str:
    """ "4.8 percentage points lower for male than for female", "odds 1.87 times as high for male as for female"."""
    value, *_ = _written(finding)
    direction = _direction(study, finding)
    if finding.unit == "d" and finding.harm.startswith(OF_WEAT):
        return _beside_stereotype(finding, value)
    if not direction:
        return f"{value} words" if finding.unit == "words" else value
    one, other = direction
    if (two := compared_values(finding)) is not None:
        return _nearer(two, one, other)
    if not finding.estimate and not is_ratio(finding):
        return f"the same {one} and {other}"
    if finding.unit == "ratio of odds ratios":
        return f"an odds ratio {value} times as high {one} as {other}"
    if "odds" in finding.unit:
        return f"odds {value} times as high {one} as {other}"
    if is_ratio(finding):
        return f"{value} times as high {one} as {other}"
    return f"{_higher(value, finding)} {one} than {other}"


def _nearer(two: tuple[float, float], one: str, other: str) -> str:
    """ "nearer to equal for after (1.00) than for before (0.68)": of two ratios, which of them is nearer to 1."""
    first, second = (digits.number(value, "ratio") for value in two)
    if (two[0] > 1) != (two[1] > 1) and 1 not in two:
        way = "{above} equal {one} ({first}), {below} it {other} ({second})".format
        sides = ("above", "below") if two[0] > 1 else ("below", "above")
        return way(one=one, other=other, first=first, second=second, above=sides[0], below=sides[1])
    distances = [abs(math.log(value)) for value in two]
    nearer = distances[0] < distances[1]
    sentence = (
        "nearer to equal {one} ({first}) than {other} ({second})"
        if nearer
        else "farther from equal {one} ({first}) than {other} ({second})"
    )
    return sentence.format(one=one, other=other, first=first, second=second)


def _beside_stereotype(finding: Finding, value: str) -> str:
    """ "1.4, as the stereotype has it: words that mark letters of male are nearer to executive, …"."""
    rest = finding.harm.removeprefix(OF_WEAT).rstrip(" .…")
    way = (
        "{x}, as the stereotype has it: {rest}"
        if (finding.estimate or 0) > 0
        else "{x}, opposite to the stereotype ({rest})"
    )
    return way.format(x=value, rest=rest)


def _direction(study: str, finding: Finding) -> tuple[str, str] | tuple[()]:
    """("for male", "for female"), ("in articles", "in originals"): what is compared with what; empty without a side."""
    if not (is_ratio(finding) or _differs(finding)):
        return ()
    if pair := _pair(finding):
        described = "after something" in finding.title and not finding.id.endswith(BETWEEN_GENERATORS)
        side = "after something {one}" if described else "for {one}"
        return side.format(one=pair[0]), side.format(one=pair[1])
    known = studies().get(study)
    if known is None or known.words.sides is None or len(finding.groups) != 1 or is_ratio(finding):
        return ()
    first, second = known.words.sides
    return f"in {first}", f"in {second}"


def _differs(finding: Finding) -> bool:
    """Return whether it is a difference in a unit of what is counted, for which higher and lower have a meaning."""
    return (null_value(finding) == 0 and finding.unit != "d") or alike_margin(finding) is not None


def _pair(finding: Finding) -> tuple[str, ...]:
    """The two groups, where it is the first of them against the second and its title says so."""
    if len(finding.groups) != 2:
        return ()
    against = any(f"{finding.groups[0]} {word} {finding.groups[1]}" in finding.title for word in SET_APART)
    return finding.groups if against or finding.id.endswith(BETWEEN_GENERATORS) else ()


def _higher(value: str, finding: Finding) -> str:
    """ "4.8 percentage points lower" for "−4.8 percentage points", "7 words shorter" for "−7"."""
    less, more = _ways(finding)
    words = " words" if finding.unit in OF_LENGTH else ""
    size, way = (value[1:], less) if value.startswith("−") else (value, more)
    return f"{size}{words} {way}"


def _ways(finding: Finding) -> tuple[str, str]:
    """Return what less and more of its unit are called."""
    return ("shorter", "longer") if finding.unit in OF_LENGTH else ("lower", "higher")


def _written(finding: Finding) -> tuple[str, ...]:
    """The estimate with its sign, and the ends of its interval where it has one."""
    return _texts(finding, *digits.ends(finding.interval))


def _sign(finding: Finding) -> str:
    """ " %", " points" or nothing: the sign of the unit it is written in."""
    return digits.sign(_written_unit(finding))


def _written_unit(finding: Finding) -> str:
    """Return its unit; of shares with a sign that of differences."""
    unit = finding.unit
    signed = digits.is_proportion(unit) and null_value(finding) == 0
    return "difference of proportions" if signed and not unit.startswith("difference") else unit


def _texts(finding: Finding, low: float | None, high: float | None) -> tuple[str, ...]:
    estimate, *ends = digits.texts(finding.estimate, low, high, _written_unit(finding))
    return estimate.replace(" points", " percentage points"), *ends


def _unit(finding: Finding) -> str:
    known = (
        digits.sign(finding.unit)
        or (finding.unit == "odds ratio" and _pair(finding))
        or alike_margin(finding) is not None
    )
    if compared_values(finding) is not None:
        return f"{_written(finding)[0]} times as high"
    if known or finding.unit in ("", "ratio", "words") or finding.unit.startswith("difference of "):
        return ""
    return SCALES.get(finding.unit, finding.unit)


def _sure(study: str, finding: Finding) -> str:
    """ "95 % interval 1.6 to 8.0 lower"."""
    if finding.interval is None:
        return "no interval"
    return "{level} % interval {ends}{why}".format(
        level=digits.level_text(finding.interval.level), ends=_range(study, finding, *_written(finding)[1:]),
        why="" if digits.is_usual(finding.interval.level) else ", for all of its kind at once",
    )  # fmt: skip


def _range(study: str, finding: Finding, low: str, high: str) -> str:
    """ "0.37 to 1.24"; of a difference with a side "1.6 to 8.0 lower", "3.1 lower to 3.8 higher"."""
    unit = _sign(finding).replace(" points", " points")
    if is_ratio(finding) or not _direction(study, finding):
        times = " times" if compared_values(finding) is not None else ""
        return f"{low} to {high}{unit + times}"
    less, more = _ways(finding)
    below, above = low.startswith("−"), high.startswith("−")
    if below and (above or not re.search(r"[1-9∞]", high)):
        return "{low} to {high}{unit} {less}".format(low=high.lstrip("−"), high=low[1:], unit=unit, less=less)
    if below:
        template = "{low}{unit} {less} to {high}{unit} {more}"
        return template.format(low=low[1:], high=high, unit=unit, less=less, more=more)
    return f"{low} to {high}{unit} {more}"


def _still_open(study: str, finding: Finding) -> str:
    """ " The true value may lie anywhere from 3.1 lower to 3.8 higher (95 % interval).", with both ends.

    Empty without an interval, where no value without bias is known, and where another remark explains the interval.
    """
    if finding.interval is None or null_value(finding) is None or apart(finding) or finding.floor is not None:
        return ""
    ends = _range(study, finding, *_written(finding)[1:])
    if is_ratio(finding) and _direction(study, finding) and compared_values(finding) is None:
        ends = f"{ends} times"
    return f" The true value may lie anywhere from {ends} ({digits.level_text(finding.interval.level)} % interval)."


def _chance(finding: Finding) -> str:
    """ "p = 0.19, adjusted for 9 tests"."""
    p = finding.p_adjusted
    if p is None or (alike_margin(finding) is not None and p > DECIDES):
        return ""  # of groups that are not shown to be alike the interval says it all
    if (tests := tests_adjusted_for(finding) or 1) < 2:
        return digits.p_value(p)
    return f"{digits.p_value(p)}, adjusted for {digits.count(tests)} tests"


def with_error(study: str, finding: Finding) -> str:
    """ "allowing for the scorer’s errors (it recognises 72 % of 61 and …): 2.0 to 10.1 points lower"."""
    error = scorer_error(finding)
    if error is None:
        return ""
    ends = "nothing is known"
    if error.low is not None and error.high is not None:
        ends = _range(study, finding, *_texts(finding, error.low, error.high)[1:])
    found, spared = _percent(error.sensitivity), _percent(error.specificity)
    errs = f"it recognises {found} of {error.present} and rightly rejects {spared} of {error.absent}"
    return f"allowing for the scorer’s errors ({errs}): {ends}"


def _percent(rate: str) -> str:
    """ "72 %" for ".72"."""
    return digits.number(float(rate), "proportion")


def _for_whom(study: str, finding: Finding, *, figures: bool) -> str:
    """Say which groups lie highest and lowest, for a measure of how far groups lie apart; `figures`: in brackets."""
    of_groups = set(finding.contrast or {}) <= set(finding.groups)
    if (
        finding.floor is None
        or finding.unit.startswith("difference")
        or len(finding.contrast or {}) < 2
        or not of_groups
    ):
        return ""
    ranked = sorted((finding.contrast or {}).items(), key=lambda item: item[1])
    (low, below), (high, above) = ranked[0], ranked[-1]
    if not below < 0 < above:
        return ""
    unit = "difference of proportions" if digits.is_proportion(finding.unit) else finding.unit
    most, least, *_ = digits.texts(above, -below, -below, unit)
    named = {"high": high.replace("_", " "), "above": most, "low": low.replace("_", " ")}
    named["below"] = f"{least}{digits.sign(unit)}"
    if figures:
        return "highest for {high}, {above} above the mean; lowest for {low}, {below} below it".format(**named)
    ends = studies()[study].words.ends if study in studies() else ()
    highest, lowest = next((each[1:] for each in ends if finding.id.startswith(each[0])), ("highest", "lowest"))
    return "{highest}: {high} ({above} above the mean); {lowest}: {low} ({below} below it)".format(
        highest=highest, lowest=lowest, **named
    )


def _scale(finding: Finding) -> str:
    """Say what the number would be without any bias, where its words do not."""
    if (_differs(finding) and _pair(finding)) or compared_values(finding) is not None:
        return ""
    if finding.floor is not None:
        return f"chance alone stays below {digits.number(finding.floor.p95, finding.unit)} in 95 of 100 cases"
    null = null_value(finding)
    if null is None:
        return ""
    shown = f"{null:g}" if null in (0, 1) else digits.number(null, finding.unit)
    return f"{shown} would be no difference"


def _items(study: str, finding: Finding) -> str:
    """ " letters in 60 matched blocks": what its n counts."""
    if MATCHED_UNITS in finding.note:
        return " matched sets of texts"
    if finding.id.endswith(BETWEEN_GENERATORS):
        return " prompts"
    known = studies().get(study)
    counted = (name for start, name in (known.words.items if known else ()) if finding.id.startswith(start))
    blocks = matched_blocks(finding)
    return (f" {name}" if (name := next(counted, "")) else "") + (
        f" in {digits.count(blocks)} matched blocks" if blocks else ""
    )


# ---- How far an answer reaches


def _too_few(study: str, tested: Sequence[Finding]) -> str:
    """The reason why none of these could be shown whatever the data, with the smallest p; empty where some could."""
    least = [least_possible_p(finding) for finding in tested]
    if not tested or None in least:
        return ""
    most = max(tested, key=lambda finding: finding.n)
    return "{n}{items} are too few to show anything, the smallest possible p is {p}".format(
        n=digits.count(most.n), items=_items(study, most) or " items",
        p=digits.p_text(min(p for p in least if p is not None)),
    )  # fmt: skip
