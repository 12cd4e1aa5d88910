"""Agreement between an interval and the test beside it, and in words why they disagree where they do.

An interval is for one number, at its own level; the p that decides is adjusted for every test of its family. So one
can exclude a value that the other does not, and every place that shows both explains it.
"""

from biasprint.core.draw import digits
from biasprint.core.draw.digits import tr
from biasprint.core.findings import (
    BETWEEN_GENERATORS,
    Finding,
    Floor,
    scorer_error,
    tests_adjusted_for,
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
    "compare.relative_decision",
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
    left_out = leaves_out(finding)
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
    """ "9 tests": how many there were."""
    tests = tests_adjusted_for(finding)
    return tr("the other tests") if tests is None else tr("{n} tests").format(n=digits.count(tests))


def doubted(finding: Finding) -> bool:
    """Return whether it alone shows something that is not known with its scorer's error."""
    error = scorer_error(finding)
    return error is not None and error.doubted
