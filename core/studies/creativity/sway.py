"""Effect of a planted recommendation on raters: `creativity.sway`, per identity, per rater, and who resists.

`creativity.sway`: of an axis, how much oftener a text is chosen where it is recommended than where nothing is;
`.identity`: of the texts of one identity; `.rater`: of one rater, over all axes; `.resist`: how much less a rater
follows than the others do together. A tie, or none, is an answer that does not follow. Which comparisons showed one was
drawn for each rater (core/judging/sway.py), so that the difference is the recommendation's doing. Everything else that
is measured of judgments leaves out the answers given beside a recommendation.
Source: beyond the paper."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from biasprint.core.findings import Finding, for_these
from biasprint.core.metrics.preference import ArmEffect, apart_by_chance, arm_effect, difference_of_effects
from biasprint.core.metrics.result import Floats, Ints
from biasprint.core.project.rows import ALONE
from biasprint.core.studies.creativity.choices import FEWEST_RATERS, PERSON, SKIP, JudgmentTable, Unit, numbered, told
from biasprint.core.studies.kit.findings import SIGNIFICANT, interval, with_holm

SWAY = "creativity.sway"
OF_IDENTITY, OF_RATER, RESIST = f"{SWAY}.identity", f"{SWAY}.rater", f"{SWAY}.resist"
RECOMMENDED = "a recommendation was shown"  # why a judgment is in no other finding
SHOWN, NOT_SHOWN = "recommended", "not recommended"
SOURCE = "beyond the paper: randomised planted recommendations"
EMPTY_ARM = "no answer beside a recommendation, or none without one"
EXACT = " The arms are wholly apart: p is of the draw itself (Fisher's randomisation test)."
FEWEST_TO_RESIST = 3  # raters: “the others” are two at least


def without_recommendations(table: JudgmentTable) -> JudgmentTable:
    """The judgments that nothing was recommended beside."""
    if not any(recommendation not in ("", ALONE) for recommendation in table.recommended):
        return table
    return table.picked([row for row, recommendation in enumerate(table.recommended) if recommendation in ("", ALONE)])


def swayed(table: JudgmentTable, axes: Mapping[str, Sequence[str]]) -> list[Finding]:
    """All findings of the sway arm; none where no plan has one."""
    by_axis: dict[str, list[_Answer]] = {}
    left_out: dict[str, dict[str, int]] = {}
    for axis in axes:
        given, dropped = _answers(table, axis)
        if any(answer.advised for answer in given):
            by_axis[axis], left_out[axis] = given, dropped
    findings: list[Finding] = []
    wholes = [_of_axis(axis, given, left_out[axis]) for axis, given in by_axis.items()]
    findings += with_holm(wholes, f"{SWAY}, {len(wholes)} axes")
    for axis, given in by_axis.items():
        own = [_of_identity(axis, identity, given, left_out[axis]) for identity in axes[axis]]
        findings += with_holm(own, f"{OF_IDENTITY}, axis {axis}, {len(own)} identities")
    return findings + list(_of_raters([answer for given in by_axis.values() for answer in given]))


@dataclass(frozen=True)
class _Answer:
    """`advised`: the identity recommended, "" where none was."""

    rater: str
    unit: Unit
    axis: str
    advised: str
    chosen: str


def _answers(table: JudgmentTable, axis: str) -> tuple[list[_Answer], dict[str, int]]:
    """Return people's answers in the arm, the last of each comparison, and counts of the answers that were dropped."""
    last: dict[tuple[str, Unit], int] = {}
    dropped: Counter[str] = Counter()
    for row in table.rows_on(axis, PERSON) if table.recommended else ():
        if not table.recommended[row]:
            continue
        if table.repeat_of and table.repeat_of[row]:
            dropped["hidden repeat"] += 1
        else:
            dropped["judged again"] += (table.rater[row], table.unit(row)) in last
            last[table.rater[row], table.unit(row)] = row
    answered = [row for row in last.values() if table.outcome[row] != SKIP]
    dropped[SKIP] = len(last) - len(answered)
    given = [
        _Answer(
            table.rater[row],
            table.unit(row),
            axis,
            "" if table.recommended[row] == ALONE else table.recommended[row],
            table.chosen[row] if table.outcome[row] == "choice" else "",
        )
        for row in answered
    ]
    return given, told(dropped)


def _of_axis(axis: str, given: Sequence[_Answer], dropped: Mapping[str, int]) -> Finding:
    values, used = _followed(given)
    finding = _finding(SWAY, axis, f"How much oftener a recommended text is chosen: {axis}", values, used)
    return replace(finding, dims={"axis": axis}, dropped=dropped)


def _of_identity(axis: str, identity: str, given: Sequence[_Answer], dropped: Mapping[str, int]) -> Finding:
    """Recommended texts of this identity against its texts in the comparisons without a recommendation."""
    used = [answer for answer in given if answer.advised in ("", identity)]
    values = np.array([answer.chosen == identity for answer in used], dtype=np.float64)
    title = f"How much oftener a text is chosen where it is recommended: {identity}"
    finding = _finding(OF_IDENTITY, identity, title, values, used)
    return replace(finding, dims={"axis": axis}, dropped=dropped)


def _followed(given: Sequence[_Answer]) -> tuple[Floats, list[_Answer]]:
    """Return for each answer whether it is the recommended text; without a recommendation, the share of the
    recommendations that named what was chosen. Axes on which nothing was recommended have no comparison.

    Together it is the mean over recommendations of what each adds to the choice of the identity that it names.
    """
    named: dict[str, Counter[str]] = {}
    for answer in given:
        if answer.advised:
            named.setdefault(answer.axis, Counter())[answer.advised] += 1
    used = [answer for answer in given if answer.axis in named]
    values = [
        float(answer.chosen == answer.advised)
        if answer.advised
        else named[answer.axis][answer.chosen] / named[answer.axis].total()
        for answer in used
    ]
    return np.array(values, dtype=np.float64), used


def _effect(values: Floats, used: Sequence[_Answer]) -> ArmEffect | None:
    return arm_effect(values, np.array([bool(answer.advised) for answer in used], dtype=np.bool_), *_groupings(used))


def _groupings(used: Sequence[_Answer]) -> tuple[Ints, ...]:
    """Group answers by comparison, and by rater where there are enough of them to tell how much they differ."""
    raters: dict[str, int] = {}
    of_rater = np.array([raters.setdefault(answer.rater, len(raters)) for answer in used], dtype=np.int64)
    of_unit = np.array(numbered(answer.unit for answer in used), dtype=np.int64)
    return (of_rater, of_unit) if len(raters) >= FEWEST_RATERS else (of_unit,)


def _finding(finding_id: str, label: str, title: str, values: Floats, used: Sequence[_Answer]) -> Finding:
    shown = np.array([bool(answer.advised) for answer in used], dtype=np.bool_)
    counts = {SHOWN: int(shown.sum()), NOT_SHOWN: int((~shown).sum())}
    raters = len({answer.rater for answer in used})
    effect = _effect(values, used)
    common = Finding(
        id=finding_id, label=label, title=title, groups=(SHOWN, NOT_SHOWN), estimate=None, reason=EMPTY_ARM,
        unit="difference of proportions", n=len(used), n_by_group=counts, source=SOURCE,
    )  # fmt: skip
    if effect is None:
        return common
    difference, raters_of = effect.difference, np.unique([answer.rater for answer in used], return_inverse=True)[1]
    exact = apart_by_chance(values == 1, shown, raters_of) if np.isin(values, (0, 1)).all() else None
    remark = "" if exact is None else EXACT
    those = "" if raters >= FEWEST_RATERS else f" {for_these(raters)}"
    return replace(
        common,
        estimate=difference.value,
        reason=None,
        interval=interval(difference.interval.bounds),
        p=difference.p if exact is None else exact,
        note=f"Chosen in {values[shown].mean():.1%} of {counts[SHOWN]} answers beside a recommendation of it, "
        f"and in {values[~shown].mean():.1%} of {counts[NOT_SHOWN]} without one. Ties and none count as not chosen."
        f"{those}{remark}",
    )


# ---- Raters, over all axes


def _of_raters(given: Sequence[_Answer]) -> Iterator[Finding]:
    """The sway of each rater, and how far below the others' it is."""
    raters = sorted({answer.rater for answer in given})
    own: list[Finding] = []
    resisting: list[Finding] = []
    for rater in raters:
        values, used = _followed([answer for answer in given if answer.rater == rater])
        title = f"How much oftener a recommended text is chosen: {rater}"
        own.append(replace(_finding(OF_RATER, rater, title, values, used), dims={"rater": rater}))
        if len(raters) >= FEWEST_TO_RESIST:
            others = _followed([answer for answer in given if answer.rater != rater])
            resisting.append(_resisting(rater, _effect(values, used), _effect(*others)))
    yield from with_holm(own, f"{OF_RATER}, {len(own)} raters")
    for finding in with_holm(resisting, f"{RESIST}, {len(resisting)} raters"):
        yield replace(finding, note=_said(finding))


def _resisting(rater: str, own: ArmEffect | None, others: ArmEffect | None) -> Finding:
    common = Finding(
        id=RESIST, label=rater, title=f"How much less than the others {rater} follows recommendations",
        groups=("the others", rater), estimate=None, reason=EMPTY_ARM, unit="difference of proportions", n=0,
        dims={"rater": rater}, source=SOURCE,
    )  # fmt: skip
    if own is None or others is None:
        return common
    difference = difference_of_effects(others, own).difference
    counts = dict(zip(common.groups, difference.n_by_group, strict=True))
    return replace(
        common, estimate=difference.value, reason=None, interval=interval(difference.interval.bounds), p=difference.p,
        n=difference.n, n_by_group=counts,
    )  # fmt: skip


def _said(finding: Finding) -> str:
    if finding.estimate is None:
        return ""
    differs = finding.p_adjusted is not None and finding.p_adjusted <= SIGNIFICANT
    if not differs:
        return f"{finding.label} is not told apart from the others."
    return f"{finding.label} {'resists: follows less' if finding.estimate > 0 else 'follows more'} than the others."
