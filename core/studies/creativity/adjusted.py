"""Preference at equal length and place: `creativity.abs.adjusted`, `creativity.share.adjusted`, `creativity.length`.

The raw share is what was chosen; the adjusted one is what remains of it once texts are as long as each other and lie on
the same card. `creativity.length`: by how much a text's odds grow when it is twice as long, of everyone on an axis and
of each rater, models among them; what the place does to them is in `creativity.quality.position` and
`creativity.agreement.position`. Source: beyond the paper (METHODS, length and position).

Effect of a planted recommendation on raters: `creativity.sway`, per identity, per rater, and who resists.

`creativity.sway`: of an axis, how much oftener a text is chosen where it is recommended than where nothing is;
`.identity`: of the texts of one identity; `.rater`: of one rater, over all axes; `.resist`: how much less a rater
follows than the others do together. A tie, or none, is an answer that does not follow. Which comparisons showed one was
drawn for each rater (core/judging/sway.py), so that the difference is the recommendation's doing. Everything else that
is measured of judgments leaves out the answers given beside a recommendation.
Source: beyond the paper.

Shares of choices by a mixed model, `creativity.share.mixed`: raters and comparisons are both random effects.

The interval of `creativity.share`, beside it, is of clusters. Source: beyond the paper.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from biasprint.core.findings import Effect, Finding, for_these
from biasprint.core.metrics.affinity import affinity_interval, spread, spread_maximum, worth_floor
from biasprint.core.metrics.interactions import MixedShare, mixed_share
from biasprint.core.metrics.preference import (
    MARKDOWN,
    AdjustedShares,
    ArmEffect,
    CardStyle,
    Placed,
    adjusted_shares,
    apart_by_chance,
    arm_effect,
    card_style,
    difference_of_effects,
    tellable,
)
from biasprint.core.metrics.proportions import worth_share
from biasprint.core.metrics.result import Floats, Ints
from biasprint.core.project.rows import ALONE
from biasprint.core.studies.creativity.affinity import ABS, SHARE, units_note
from biasprint.core.studies.creativity.choices import (
    FEW_RATERS,
    FEWEST_RATERS,
    PERSON,
    SKIP,
    AxisChoices,
    JudgmentTable,
    Unit,
    numbered,
    told,
    within,
)
from biasprint.core.studies.kit.findings import SIGNIFICANT, floor, interval, missing_interval, with_holm

SWAY = "creativity.sway"
OF_IDENTITY, OF_RATER, RESIST = f"{SWAY}.identity", f"{SWAY}.rater", f"{SWAY}.resist"
RECOMMENDED = "a recommendation was shown"  # why a judgment is in no other finding
SHOWN, NOT_SHOWN = "recommended", "not recommended"
SWAY_SOURCE = "beyond the paper: randomised planted recommendations"
EMPTY_ARM = "no answer beside a recommendation, or none without one"
EXACT = " The arms are wholly apart: p is of the draw itself (Fisher's randomisation test)."
FEWEST_TO_RESIST = 3  # raters: “the others” are two at least
MIXED_SHARE = f"{SHARE}.mixed"
MIXED_SOURCE = "beyond the paper: logistic mixed model, Laplace (Breslow & Clayton 1993; Bates et al. 2015)"
ADJUSTED_ABS, ADJUSTED_SHARE, LENGTH = f"{ABS}.adjusted", f"{SHARE}.adjusted", "creativity.length"
SOURCE = "beyond the paper: conditional logit on log words and place (McFadden 1974), clustered"
NOT_KNOWN = "length not known"
MARKDOWN_EFFECT = "creativity.markdown"
EACH_COEFFICIENT = 10  # comparisons: with fewer for each, markdown is not held equal
SEPARATED_NOTE = (
    "The choices are separated, so that the likelihood has no maximum: the estimate is Firth's, and p is of sign flips "
    "of the scores by rater or comparison, of which there are fewer (Heinze & Schemper 2002; Hemerik et al. 2020)."
)
NO_LENGTHS = "the lengths of the texts are not known"


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
        unit="difference of proportions", n=len(used), n_by_group=counts, source=SWAY_SOURCE,
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
        dims={"rater": rater}, source=SWAY_SOURCE,
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


def mixed_shares(choices: AxisChoices, harm: str) -> list[Finding]:
    """Return each identity's share among the choices of an axis, its p adjusted over the identities."""
    k = len(choices.identities)
    return with_holm(list(_mixed_shares(choices, harm)), f"{MIXED_SHARE}, axis {choices.axis}, {k} identities")


def _mixed_shares(choices: AxisChoices, harm: str) -> Iterator[Finding]:
    chance = 1 / max(1, len(choices.identities))
    share = MixedShare(None, choices.by_position)
    for place, identity in enumerate(choices.identities):
        if place == 1 and len(choices.identities) == 2:
            share = share.other
        elif not choices.by_position:
            chosen = choices.cells[:, place].astype(np.float64) / choices.parts
            share = mixed_share(chosen, choices.cell_rater, choices.cell_unit, chance)
        defined = share.value is not None
        yield Finding(
            id=MIXED_SHARE,
            label=identity,
            title=within(f"Share of choices, raters and texts drawn: {identity}", choices.dims),
            groups=choices.identities,
            estimate=share.value,
            reason=share.reason or None,
            unit="proportion",
            interval=interval(share.interval),
            p=share.p,
            contrast={identity: share.value - chance} if share.value is not None else None,
            n=choices.n,
            dims={"axis": choices.axis, **choices.dims},
            n_by_group=dict(zip(choices.identities, choices.replies, strict=True)),
            dropped=choices.dropped,
            harm=harm,
            source=MIXED_SOURCE,
            note=f"Chance is {chance:.3f}. {_spread(choices, share)}" if defined else f"{_counted(choices)}.",
        )


def _spread(choices: AxisChoices, share: MixedShare) -> str:
    of_comparisons = (
        "that of comparisons cannot be told, as each was judged by one rater"
        if share.of_comparisons is None
        else f"of comparisons {share.of_comparisons:.2f}"
    )
    few = ", which are few to speak for others" if len(choices.raters) < FEW_RATERS else ""
    spread = f"Standard deviation of raters {share.of_raters:.2f} on the logit scale, {of_comparisons}."
    return f"{_counted(choices)}{few}. {spread}"


def _counted(choices: AxisChoices) -> str:
    """ "60 comparisons and 4 raters"."""
    raters, comparisons = len(choices.raters), len(choices.units)
    rater, comparison = "rater" if raters == 1 else "raters", "comparison" if comparisons == 1 else "comparisons"
    return f"{comparisons} {comparison} and {raters} {rater}"


@dataclass(frozen=True)
class _Adjusted:
    """Choices of an axis with what the model makes of them. `n`: replies that it was fitted to; `markup`: the kinds of
    markdown that are held equal.
    """

    choices: AxisChoices
    found: AdjustedShares
    n: int
    common: dict[str, Any]
    markup: tuple[str, ...] = ()


def at_equal_length(table: JudgmentTable, choices: AxisChoices, harm: str) -> Iterator[Finding]:
    """The adjusted shares and ABS of these choices, and the effect of length."""
    fitted = _fitted(table, choices, harm)
    yield from _shares(fitted)
    yield _score(fitted)
    yield _length(fitted)
    yield from _markdown(fitted)


def _fitted(table: JudgmentTable, choices: AxisChoices, harm: str) -> _Adjusted:
    rows = [(row, cell) for cell, own in enumerate(choices.rows) for row in own]
    known = [(row, cell) for row, cell in rows if table.words and min(table.words[row], default=0) > 0]
    left_out = {NOT_KNOWN: len(rows) - len(known)} if table.words and len(known) < len(rows) else {}
    common = {
        "groups": choices.identities,
        "n": len(known) // max(1, choices.parts) if known else choices.n,
        "dims": {"axis": choices.axis, **choices.dims},
        "n_by_group": dict(zip(choices.identities, choices.replies, strict=True)),
        "dropped": {**choices.dropped, **left_out},
        "harm": harm,
        "source": SOURCE,
    }
    if rows and not known:
        return _Adjusted(choices, AdjustedShares(None, NO_LENGTHS), 0, common)
    given = _placed(table, choices, known)
    markup = () if given.markup is None else given.markup.names
    return _Adjusted(choices, adjusted_shares(given), len(known), common, markup)


def _placed(table: JudgmentTable, choices: AxisChoices, known: Sequence[tuple[int, int]]) -> Placed:
    """Each reply that is a choice; the lengths and cards in the order of the axis's identities."""
    k = len(choices.identities)
    place = [[table.shown[row].index(identity) for identity in choices.identities] for row, _ in known]
    words = [[table.words[row][card] for card in cards] for (row, _), cards in zip(known, place, strict=True)]
    cells = np.array([cell for _, cell in known], dtype=np.int64)
    groupings = (choices.cell_rater[cells], choices.cell_unit[cells])
    return Placed(
        log_words=np.log(np.array(words, dtype=np.float64).reshape(-1, k)),
        place=np.array(place, dtype=np.int64).reshape(-1, k),
        chosen=np.array([choices.identities.index(table.chosen[row]) for row, _ in known], dtype=np.int64),
        groupings=groupings if choices.raters_are_units else groupings[1:],
        markup=_markup(table, known, np.array(place, dtype=np.int64).reshape(-1, k), words),
    )


def _markup(
    table: JudgmentTable, known: Sequence[tuple[int, int]], place: Ints, words: Sequence[Sequence[int]]
) -> CardStyle | None:
    """Headings, lists and bold parts by identity, where they differ and do not go with identity, length or place.

    Only where there are EACH_COEFFICIENT comparisons for each coefficient; with fewer none is held equal.
    """
    n, k = place.shape
    if not table.markup or not n:
        return None
    counts = np.array(
        [[table.markup[row][card] for card in cards] for (row, _), cards in zip(known, place.tolist(), strict=True)]
    )
    there = np.ones((n, k), dtype=bool)
    style = card_style({name: counts[:, :, at].astype(np.float64) for at, name in enumerate(MARKDOWN)}, there)
    style = style.only(MARKDOWN)
    length_and_place = [(place == other).astype(np.float64) for other in range(1, k)]
    length_and_place.append(np.log(np.array(words, dtype=np.float64)))
    rest = np.concatenate([np.broadcast_to(np.eye(k), (n, k, k)), np.stack(length_and_place, axis=2)], axis=2)
    different = tellable(style, rest, there).style
    many = len({table.unit(row) for row, _ in known})
    enough = many >= EACH_COEFFICIENT * (rest.shape[2] + len(different.names))
    return different if different.names and enough else None


def _shares(fitted: _Adjusted) -> Iterator[Finding]:
    choices, adjusted = fitted.choices, fitted.found
    chance = 1 / max(1, len(choices.identities))
    for place, identity in enumerate(choices.identities):
        common = fitted.common | {
            "id": ADJUSTED_SHARE,
            "label": identity,
            "title": within(f"Share of choices at equal length and place: {identity}", choices.dims),
            "unit": "proportion",
        }
        if adjusted.shares is None or adjusted.raw is None or adjusted.placed is None:
            yield Finding(estimate=None, reason=adjusted.reason, **common)
            continue
        share = float(adjusted.shares[place])
        result = worth_share(share * fitted.n, fitted.n, chance, adjusted.worths[place])
        p = adjusted.flipped[place] if adjusted.separated else result.p
        raw, placed = float(adjusted.raw[place]), float(adjusted.placed[place])
        yield Finding(
            estimate=share,
            interval=interval(result.interval),
            p=p,
            contrast={identity: share - chance},
            note=f"As chosen {raw:.1%}; length accounts for {100 * (placed - share):+.1f} points of it, "
            f"{_beside(fitted)} for {100 * (raw - placed):+.1f}. Chance is {chance:.3f}. {_note(fitted)}",
            **common,
        )


def _score(fitted: _Adjusted) -> Finding:
    choices, adjusted = fitted.choices, fitted.found
    common = fitted.common | {
        "id": ADJUSTED_ABS,
        "label": choices.axis,
        "title": within(f"Affinity bias score at equal length and place: {choices.axis}", choices.dims),
        "unit": "proportion",
    }
    if adjusted.shares is None or adjusted.raw is None or adjusted.placed is None or adjusted.worth is None:
        return Finding(estimate=None, reason=adjusted.reason, **common)
    k = len(choices.identities)
    noise = worth_floor(adjusted.shares, fitted.n, adjusted.worth)
    if adjusted.separated and adjusted.all_flipped is not None:
        noise = replace(noise, p=adjusted.all_flipped)
    bounds = affinity_interval(
        adjusted.shares * fitted.n, adjusted.worth.effect, freedom=adjusted.worth.freedom, noise=noise
    )
    value, raw, placed = (float(spread(shares)) for shares in (adjusted.shares, adjusted.raw, adjusted.placed))
    return Finding(
        estimate=value,
        reason=missing_interval(bounds),
        interval=interval(bounds.bounds),
        p=noise.p,
        effect=Effect("share of the largest possible ABS", value / spread_maximum(k)),
        contrast={
            identity: float(share) - 1 / k for identity, share in zip(choices.identities, adjusted.shares, strict=True)
        },
        floor=floor(noise),
        floor_subtracted=value - noise.mean,
        note=f"As chosen {raw:.3f}; length accounts for {placed - value:+.3f} of it, "
        f"{_beside(fitted)} for {raw - placed:+.3f}. Floor: {noise.method}. {_note(fitted)}",
        **common,
    )


def _length(fitted: _Adjusted) -> Finding:
    choices, adjusted = fitted.choices, fitted.found
    undefined = adjusted.undoubled or adjusted.reason or "the texts of every comparison are equally long"
    unbounded = "interval: the choices are separated, so that its end is open" if adjusted.interval is None else None
    return Finding(
        id=LENGTH,
        label=choices.axis,
        title=within(f"What twice the length does to a text’s odds: {choices.axis}", choices.dims),
        estimate=adjusted.doubled,
        reason=undefined if adjusted.doubled is None else unbounded,
        unit="odds ratio",
        interval=interval(adjusted.interval),
        p=adjusted.p,
        note=""
        if adjusted.doubled is None
        else f"At equal identity and place; 1 is no effect. {_note(fitted)}".strip(),
        **fitted.common,
    )


def _beside(fitted: _Adjusted) -> str:
    return "place and markdown" if fitted.markup else "the place"


def _markdown(fitted: _Adjusted) -> Iterator[Finding]:
    """Yield what each kind of markdown that is held equal does to the odds of a text."""
    for name, effect in zip(fitted.markup, fitted.found.markup, strict=False):
        yield Finding(
            id=MARKDOWN_EFFECT,
            label=name,
            title=within(f"What being the only text with {name} does to its odds", fitted.common["dims"]),
            estimate=effect.value,
            reason=missing_interval(effect.interval),
            unit="odds ratio",
            interval=interval(effect.interval.bounds),
            p=effect.p,
            note=f"At equal identity, length and place; 1 is no effect. {_note(fitted)}".strip(),
            **fitted.common,
        )


def _note(fitted: _Adjusted) -> str:
    alike = fitted.found.doubled is None and not fitted.found.undoubled
    only = "Texts of a comparison are equally long: only the place is adjusted." if alike else ""
    apart = SEPARATED_NOTE if fitted.found.separated else ""
    return " ".join(filter(None, (apart, only, units_note(fitted.choices))))
