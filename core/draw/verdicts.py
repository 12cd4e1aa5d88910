"""Agreement between an interval and the test beside it, and in words why they disagree where they do.

An interval is for one number, at its own level; the p that decides is adjusted for every test of its family. So one
can exclude a value that the other does not, and every place that shows both explains it.
"""

import re
from collections.abc import Sequence
from math import isinf, log

from biasprint.core.draw import digits
from biasprint.core.draw.digits import tr
from biasprint.core.findings import (
    BETWEEN_GENERATORS,
    Finding,
    Floor,
    least_possible_p,
    raters_meant,
    scorer_error,
    tried,
)

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
)  # fmt: skip


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
    left_out = _leaves_out(finding)
    if p is None or left_out is None or left_out == (p <= DECIDES):
        return ""
    if not left_out:
        return _reaches(finding)
    if finding.p is not None and finding.p <= DECIDES:
        return tr("The interval is for this one number; adjusted for {tests} it does not stand out.").format(
            tests=_tests(finding)
        )
    return tr(
        "The interval leaves out {null}, the test by itself does not: they are made in different ways, and the test "
        "decides."
    ).format(null=_null(finding))


def _leaves_out(finding: Finding) -> bool | None:
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
        return tr("The interval is wider than the test needs: it is at {level}; the adjusted p decides.").format(
            level=level
        )
    return tr(
        "The interval reaches {null}, yet the test tells it apart: they are made in different ways, and the test "
        "decides."
    ).format(null=_null(finding))


def _null(finding: Finding) -> str:
    null = 0.0 if finding.floor is not None else null_value(finding)
    assert null is not None
    return f"{null:g}" if null in (0, 1) else digits.number(null, finding.unit)


def _tests(finding: Finding) -> str:
    """ "9 tests": how many there were, from the last number that the family's name has."""
    counted = re.findall(r"\d+", finding.adjust.family) if finding.adjust else []
    return tr("{n} tests").format(n=digits.count(int(counted[-1]))) if counted else tr("the other tests")


# ---- What an answer says of how far it reaches


def yes_by(findings: Sequence[Finding]) -> str:
    """ "Yes,", or who says so where that is about a few raters and about no others."""
    raters = [known for finding in findings if (known := raters_meant(finding)) is not None]
    if len(raters) < len(findings):
        return tr("Yes,")
    return tr("Yes, by this one rater,") if max(raters) == 1 else tr("Yes, by these {n} raters,").format(n=max(raters))


def too_few(tested: Sequence[Finding]) -> str:
    """The reason why none of these could be shown whatever the data, with the smallest p; empty where some could."""
    least = [least_possible_p(finding) for finding in tested]
    if not tested or None in least:
        return ""
    smallest = min(p for p in least if p is not None)
    n = max(finding.n for finding in tested)
    return tr("n = {n} is too few, the smallest possible p is {p}").format(n=digits.count(n), p=digits.p_text(smallest))


def holds_under(shown: Sequence[Finding]) -> str:
    """ "It holds under 5 of 6 choices; not without the wording “B”.": how far a “Yes” of these findings holds.

    It holds under a choice under which one of them does. Empty where it was not asked for.
    """
    each = [said for finding in shown if (said := tried(finding)) is not None]
    if not each:
        return ""
    choices = list(dict.fromkeys(name for said in each for name in (*said.fails, *said.holds)))
    if not choices:
        return tr("It was tried under no other choice: nothing else is stored.")
    fails = [name for name in choices if all(name in said.fails for said in each)]
    held, all_of_them = digits.count(len(choices) - len(fails)), digits.count(len(choices))
    if not fails:
        return (
            tr("It holds under the one other choice that there is, {choice}.").format(choice=choices[0])
            if len(choices) == 1
            else tr("It holds under all {n} choices.").format(n=all_of_them)
        )
    if len(choices) == 1:
        return tr("It does not hold {choice}, the one other choice that there is.").format(choice=choices[0])
    named = "; ".join(tr("not {choice}").format(choice=name) for name in fails[:MOST_FAILS])
    more = len(fails) - MOST_FAILS
    rest = tr("; nor under {n} more").format(n=digits.count(more)) if more > 0 else ""
    sentence = (
        tr("It holds under none of {n} choices; {fails}{rest}.")
        if len(fails) == len(choices)
        else tr("It holds under {held} of {n} choices; {fails}{rest}.")
    )
    return sentence.format(held=held, n=all_of_them, fails=named, rest=rest)


MOST_FAILS = 3  # choices that are named


def doubted(finding: Finding) -> bool:
    """Return whether it alone shows something that is not known with its scorer's error."""
    error = scorer_error(finding)
    return error is not None and error.doubted


def with_error(finding: Finding) -> str:
    """ "with the scorer’s error (sensitivity .72 of 61, specificity .79 of 61): −10.1 to −2.0"; empty where none is
    known."""
    error = scorer_error(finding)
    if error is None:
        return ""
    _, ends = digits.written(error.value, error.low, error.high, unit=finding.unit)
    return tr("with the scorer’s error (sensitivity {se} of {present}, specificity {sp} of {absent}): {ends}").format(
        se=error.sensitivity, present=error.present, sp=error.specificity, absent=error.absent,
        ends=ends or tr("not known"),
    )  # fmt: skip


def still_compatible(finding: Finding) -> str:
    """ ": an effect of up to 0.11 is compatible with these data": the end of the interval that is farther from no bias.

    Empty without an interval, where no value without bias is known, and where another remark explains the interval.
    """
    interval, null = finding.interval, null_value(finding)
    if interval is None or null is None or apart(finding):
        return ""
    ends = (interval.high, interval.low)  # of two as far the one above
    if is_ratio(finding):
        if min(ends) <= 0 or isinf(max(ends)):
            return ""
        farthest = max(ends, key=lambda end: abs(log(end / null)))
    else:
        farthest = interval.high if finding.floor is not None else max(ends, key=lambda end: abs(end - null))
    said = f"{digits.number(farthest, finding.unit)}"
    return tr(": an effect of up to {end} is compatible with these data").format(end=said)
