"""A figure in words: what hovering tells of a mark, what the notes below it, the whole for a screen reader.

Agreement between an interval and the test beside it, and in words why they disagree where they do.

An interval is for one number, at its own level; the p that decides is adjusted for every test of its family. So one
can exclude a value that the other does not, and every place that shows both explains it.
"""

from collections.abc import Iterable, Mapping

from biasprint.core.draw import digits
from biasprint.core.draw.figure import Figure, FigureMark
from biasprint.core.findings import BETWEEN_GENERATORS, Finding, Floor, scorer_error, tests_adjusted_for
from biasprint.core.machine.models.catalogue import scorer_title

ALIKE = ".equivalence"  # how the id of a finding ends that asks whether groups are alike
DECIDES = 0.05  # a p up to this is evidence
# Parts of the ids of what is positive or negative by its nature: differences, correlations, agreement beyond chance.
SIGNED = (
    "difference", "delta", "gap", ".tau_", "weat", ".style.", ".hallucination.", "drop", ".sway", ".trend",
    ".prompts", ".models", BETWEEN_GENERATORS,
)  # fmt: skip
# Shares of a whole that come to the same for every group without any preference.
SHARES = (
    "creativity.share", "creativity.share.mixed", "creativity.share.adjusted", "creativity.agreement.common.share",
    "creativity.agreement.position", "creativity.quality.position", "completion.option_position",
    "compare.relative_decision",
)  # fmt: skip
SHORT_UNIT = 18  # letters that fit above a column
UNDEFINED_CELL = "—"


def is_ratio(finding: Finding) -> bool:
    return "ratio" in finding.unit


def null_value(finding: Finding) -> float | None:
    """Return the value without any bias; None where no such value is known.

    The floor's mean for a measure with a floor, 1 for ratios, chance for a share of choices, 0 for what has a sign.
    None for what asks whether groups are alike.
    """
    if finding.id.endswith(ALIKE):
        return None
    if (floor := _floor(finding)) is not None:
        return floor.mean
    if is_ratio(finding):
        return 1.0
    if finding.id in SHARES and finding.groups:
        return 1 / len(finding.groups)
    about = finding.unit.startswith("difference") or finding.unit == "agreement beyond chance"
    signed = about or any(part in finding.id for part in SIGNED)
    return 0.0 if signed else None


def _floor(finding: Finding) -> Floor | None:
    """The floor of a measure of spread; of a difference it is that of its size, and no value that it lies at."""
    return None if finding.unit.startswith("difference") else finding.floor


def apart(finding: Finding) -> str:
    """Return one sentence where the interval and the deciding p disagree; empty where they agree."""
    p = finding.p if finding.p_adjusted is None else finding.p_adjusted
    left_out = leaves_out(finding)
    if p is None or left_out is None or left_out == (p <= DECIDES):
        return ""
    if not left_out:
        return _reaches(finding)
    if finding.p is not None and finding.p <= DECIDES:
        return f"The interval is for this one number; adjusted for {_tests(finding)} it does not stand out."
    return (
        f"The interval leaves out {_null(finding)}, the test by itself does not: they are made in different ways, and "
        "the test decides."
    )


def leaves_out(finding: Finding) -> bool | None:
    """Return whether the interval excludes the value without bias; None where there is nothing to compare.

    A measure of spread is above 0 without any bias too: its interval says something else than its test only where it
    lies beyond the whole floor, or where it reaches 0.
    """
    interval, floor, null = finding.interval, _floor(finding), null_value(finding)
    if interval is None or null is None or finding.estimate is None:
        return None
    if floor is None:
        return not interval.low <= null <= interval.high
    return True if interval.low > floor.p95 else False if interval.low <= 0 else None


def _reaches(finding: Finding) -> str:
    assert finding.interval is not None
    if level := digits.level_beside(finding.interval):
        return f"The interval is wider than the test needs: it is at {level}; the adjusted p decides."
    return (
        f"The interval reaches {_null(finding)}, yet the test tells it apart: they are made in different ways, and "
        "the test decides."
    )


def _null(finding: Finding) -> str:
    null = 0.0 if finding.floor is not None else null_value(finding)
    assert null is not None
    return f"{null:g}" if null in (0, 1) else digits.number(null, finding.unit)


def _tests(finding: Finding) -> str:
    """ "9 tests": how many there were."""
    tests = tests_adjusted_for(finding)
    return "the other tests" if tests is None else f"{digits.count(tests)} tests"


def doubted(finding: Finding) -> bool:
    """Return whether it alone shows something that is not known with its scorer's error."""
    error = scorer_error(finding)
    return error is not None and error.doubted


def unit_of(figure: Figure, mark: FigureMark) -> str:
    return figure.unit or mark.unit


def written(figure: Figure, mark: FigureMark) -> tuple[str, str]:
    """The mark's value, or its words, and its interval where there is one."""
    if mark.text:
        return mark.text, ""
    if mark.value is None:
        return UNDEFINED_CELL, ""
    return digits.written(mark.value, mark.low, mark.high, unit_of(figure, mark))


def value_title(figure: Figure) -> str:
    """Return the title above the numbers: the unit, where it is short."""
    if figure.percent:
        return "difference" if "difference" in figure.unit else "share"
    return figure.unit if figure.unit and len(figure.unit) <= SHORT_UNIT else "value"


def series_title(figure: Figure, series: str) -> str:
    """Return a series' title. One without a name covers all of what the others are parts of."""
    return series or ("all together" if len(figure.series) > 1 else "estimate")


def name_of(figure: Figure, mark: FigureMark) -> str:
    series = series_title(figure, mark.series) if len(figure.series) > 1 else ""
    return " · ".join(part for part in (mark.section, mark.row, series) if part)


def reason_of(mark: FigureMark) -> str:
    return (mark.reason or mark.finding.reason or "there is no value").removeprefix("interval: ")


def told(figure: Figure, mark: FigureMark) -> list[str]:
    """Return estimate, interval, n, p, floor, what the paper has, and the stand-in: line by line."""
    if mark.tip:
        return mark.tip.splitlines()
    name = name_of(figure, mark)
    if mark.value is None and not mark.text:
        return [f"{name}: not defined", reason_of(mark)]
    shown, interval = written(figure, mark)
    unit = "" if figure.percent or mark.text else unit_of(figure, mark)
    n = digits.count(mark.n)
    lines = ["{name}: {value}, n = {n}".format(name=name, value=f"{shown} {unit}".strip(), n=n)]
    lines += _interval_lines(figure, mark, interval)
    finding = mark.finding
    if len(finding.n_by_group) > 1:
        lines.append(f"n by group – {counts(finding.n_by_group)}")
    if figure.complete and (tested := p_sentence(finding)):
        lines.append(tested if mark.whole else f"The whole finding: {tested}")
        lines.append(apart(finding) if mark.whole else "")
    if mark.floor is not None:
        mean, p95 = (digits.number(value, unit_of(figure, mark)) for value in (mark.floor.mean, mark.floor.p95))
        floor = "Without any bias: {mean} on average, below {p95} in 95 of 100 cases"
        lines.append(floor.format(mean=mean, p95=p95))
    lines += [f"Published: {text}" for text in printed(figure, mark)]
    lines += [
        "{role} by a stand-in: {name}".format(role=use.role.replace("_", " "), name=scorer_title(use.name))
        for use in finding.scorers
        if use.stand_in
    ]
    return [line for line in lines if line]


def printed(figure: Figure, mark: FigureMark) -> list[str]:
    """Return the values that papers print for a mark: "GPT-4 0.50 (Table 1)"."""
    unit = unit_of(figure, mark)
    return [
        f"{reference.who} {digits.quoted(reference.value, unit)}{f' ({reference.where})' if reference.where else ''}"
        for reference in mark.references
    ]


def interval_sentence(finding: Finding, shown: str) -> str:
    """Say how the interval was made, or why there is none."""
    if finding.interval is None:
        return "No interval: {why}".format(why=missing_interval(finding) or "the study gave none")
    level = digits.level_text(finding.interval.level)
    return f"{level} % interval {shown} ({finding.interval.method})"


def missing_interval(finding: Finding) -> str:
    """Return why a finding has no interval, from its reason ("interval: …")."""
    for part in (finding.reason or "").split("\n"):
        if part.startswith("interval: "):
            return part.removeprefix("interval: ")
    return finding.reason or ""


def p_sentence(finding: Finding) -> str:
    """p and its adjustment; empty where no test applies."""
    if finding.p is None:
        floor = finding.floor
        return f"{digits.p_value(floor.p)} against the noise floor" if floor else ""
    if finding.p_adjusted is None:
        return digits.p_value(finding.p)
    method = finding.adjust.method if finding.adjust else "many tests"
    return f"{digits.p_value(finding.p)}, adjusted {digits.p_text(finding.p_adjusted)} ({method})"


def counts(of: Mapping[str, int], names: Mapping[str, str] | None = None) -> str:
    """ "ties: 3, none good: 1": a count by reason or by group."""
    named = {
        "tie": "ties",
        "none": "none good",
        "skip": "skipped",
        "hidden repeat": "hidden repeats",
        **(names or {}),
    }
    return ", ".join(f"{named.get(key, key)}: {digits.count(n)}" for key, n in of.items() if n)


def notes(figure: Figure) -> list[str]:
    """Return the notes below a figure: its own, why intervals are missing, and what of the paper it covers."""
    source = "Compare: {source}.".format(source=figure.source.rstrip(".")) if figure.source else ""
    return [note for note in (*figure.note.splitlines(), *_without_intervals(figure), source) if note]


def describe(figure: Figure, most: int | None = None) -> list[str]:
    """The whole figure in sentences, for who cannot see it; beyond `most` marks their number alone."""
    if not figure.marks:
        return [f"{figure.title}. {figure.empty}"]
    if most is None or len(figure.marks) <= most:
        marks = ["; ".join(told(figure, mark)) for mark in figure.marks]
    else:
        marks = [f"{digits.count(len(figure.marks))} values, in the table beside it"]
    return [line for line in (f"{figure.title}.", figure.subtitle, *marks, *figure.stand_ins, *notes(figure)) if line]


def _interval_lines(figure: Figure, mark: FigureMark, interval: str) -> Iterable[str]:
    finding = mark.finding
    if mark.band:
        return [f"{figure.band_words}: {interval}"] if interval else []
    if mark.low is not None:
        return [interval_sentence(finding, f"{interval}{digits.sign(unit_of(figure, mark))}")]
    if mark.whole:
        return [interval_sentence(finding, "")]
    if finding.estimate is None:
        return [f"The finding is not defined: {finding.reason}"]
    whole = digits.whole(finding.estimate, *digits.ends(finding.interval), unit=finding.unit)
    return [f"Part of: {finding.title}, {whole}"]


def _without_intervals(figure: Figure) -> Iterable[str]:
    """Return why some numbers have no interval, each reason once."""
    without = [finding for finding in figure.findings if finding.estimate is not None and finding.interval is None]
    reasons = dict.fromkeys(missing_interval(finding) or "the study gave none" for finding in without)
    return ["No interval: {why}.".format(why=why.rstrip(".")) for why in reasons]
