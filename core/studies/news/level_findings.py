"""Findings of one level: spread, prejudice and signed difference, by default and as published, and their families."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from biasprint.core.findings import Effect, Finding, Power, Variant, mirrored
from biasprint.core.metrics.means import (
    bounded_mean_interval,
    clustered_mean,
    one_sample_mean,
    paired_difference,
    two_sample_difference,
)
from biasprint.core.metrics.power import UNVARIED, detectable_difference, needed_n, within_sd
from biasprint.core.metrics.proportions import paired_proportions, two_proportions
from biasprint.core.metrics.result import Bools, Difference, Floats, Ints, MaybeBounds, NoiseFloor, untested
from biasprint.core.metrics.topics import Prejudice, is_lower, prejudice
from biasprint.core.studies.kit.findings import floor, interval, missing_interval, with_holm
from biasprint.core.studies.news.level import Draws, LevelDesign, MeasuredLevel, PairValues, Stratum, reference_line
from biasprint.core.studies.news.names import Level
from biasprint.core.studies.news.prompts import UNBIASED
from biasprint.core.studies.news.table import GroupAxis, NewsTable, matched_rows, shared_rows

# ---- Comparisons

PROMPTS, MODELS = "prompts", "models"
NOISE = "chance alone keeps it above 0, the more the fewer mentions there are; the signed differences are tested"

# One measure of one group: its name, the group's place (None for all), its values, and which pairs have one.
Column = tuple[str, int | None, Floats | Bools, Bools]


def prompt_findings(measured: MeasuredLevel, table: NewsTable) -> list[Finding]:
    """Each biased prompt minus the unbiased one, by model: paired on headlines that have the measure both ways.

    As published: two-proportion z and Welch, each prompt on all of its own articles.
    """
    findings: list[Finding] = []
    level = measured.level
    for kind, model, first, second in matched_rows(table):
        dims = {"axis": measured.axis.id, "prompt_kind": kind, **({"model": model} if model else {})}
        for column in _columns(measured.values, level):
            result = _of_group(measured, column, first, second)
            findings.append(_finding(level, measured.axis, column, result, PROMPTS, (kind, UNBIASED), dims, "default"))
        if measured.published is None or measured.published_axis is None:
            continue
        own = [_rows_of(table, name, model) for name in (kind, UNBIASED)]
        for column in _columns(measured.published, level):
            if column[0] != "difference":  # the paper compares no signed difference
                result, axis = _apart(column, *own), measured.published_axis
                findings.append(_finding(level, axis, column, result, PROMPTS, (kind, UNBIASED), dims, "as_published"))
    return findings


def model_findings(measured: MeasuredLevel, table: NewsTable) -> list[Finding]:
    """Each model minus each later one, on the headlines that both wrote for: spread and signed difference, paired."""
    findings: list[Finding] = []
    for model, other, first, second in shared_rows(table):
        dims = {"axis": measured.axis.id, "model": model, "against": other}
        for column in _columns(measured.values, measured.level):
            if column[0] in ("distance", "difference"):
                result = _of_group(measured, column, first, second)
                findings.append(
                    _finding(measured.level, measured.axis, column, result, MODELS, (model, other), dims, "default")
                )
    return findings


def _columns(values: PairValues, level: Level) -> Iterator[Column]:
    yield "distance", None, values.distance, values.defined
    worse = values.worse(level.sign)
    for place in range(values.signed.shape[1]):
        yield "prejudice_share", place, worse[:, place], values.among[:, place]
        yield "prejudice_drop", place, -level.sign * values.signed[:, place], worse[:, place]
        yield "difference", place, values.signed[:, place], values.present[:, place]


def _of_group(measured: MeasuredLevel, column: Column, first: Ints, second: Ints) -> Difference:
    """Paired; undefined for a group that none of these articles mentions: its difference is no 0."""
    result = _paired(column, first, second)
    measure, place, _, counted = column
    if measure != "difference" or place is None or result.value is None:
        return result
    values, rows = measured.values, np.concatenate([first, second])
    rows = rows[counted[rows]]
    if (values.among | (values.signed != 0))[rows, place].any():
        return result
    reason = f"no article mentions “{measured.axis.groups[place]}”"
    return untested(None, reason, result.test, result.effect_name, result.n, result.n_by_group)


def _paired(column: Column, first: Ints, second: Ints) -> Difference:
    """Compare the rows that have the measure on both sides; what chance alone keeps above 0 without a test."""
    measure, _, values, counted = column
    both = counted[first] & counted[second]
    test: Callable[[Any, Any], Difference] = paired_proportions if measure == "prejudice_share" else paired_difference
    result = test(values[first[both]], values[second[both]])
    if measure == "difference" or result.value is None:
        return result
    return untested(result.value, NOISE, result.test, result.effect_name, result.n, result.n_by_group)


def _apart(column: Column, first: Bools, second: Bools) -> Difference:
    """Compare the sides, each on all of its own articles."""
    measure, _, values, counted = column
    ours, theirs = values[first & counted], values[second & counted]
    if measure == "prejudice_share":
        return two_proportions(int(ours.sum()), len(ours), int(theirs.sum()), len(theirs))
    return two_sample_difference(np.asarray(ours, dtype=np.float64), np.asarray(theirs, dtype=np.float64))


def _rows_of(table: NewsTable, kind: str, model: str) -> Bools:
    of_kind = table.column("prompt_kind") == kind
    return np.asarray(of_kind & (table.column("model") == model) if model else of_kind, dtype=bool)


def _finding(
    level: Level,
    axis: GroupAxis,
    column: Column,
    result: Difference,
    what: str,
    groups: tuple[str, str],
    dims: dict[str, str],
    variant: Variant,
) -> Finding:
    measure, place, _, _ = column
    name = level.spread if measure == "distance" else measure
    about = axis.title if place is None else axis.labels[place]
    reason = f"no headline has it on both sides: {result.reason}" if not result.n else result.reason
    return Finding(
        id=f"{level.id}.{name}.{what}",
        label=axis.id if place is None else axis.groups[place],
        title=f"{level.titles[measure]}, {about}: {groups[0]} against {groups[1]}",
        groups=groups,
        estimate=result.value,
        reason=reason if result.value is None else missing_interval(result.interval),
        unit="proportion" if measure == "prejudice_share" else level.unit,
        n=result.n,
        dims=dims,
        variant=variant,
        interval=interval(result.interval.bounds),
        n_by_group=dict(zip(groups, result.n_by_group, strict=True)),
        p=result.p,
        effect=None if result.effect is None else Effect(result.effect_name, result.effect),
        scorers=level.scorers,
        source="Fang et al. 2024, Figures 8 to 10" if what == PROMPTS else "Fang et al. 2024, discussion; paired here",
        note=f"{result.test}." + (f" No p: {result.reason}." if result.p is None and result.value is not None else ""),
    )


# ---- One part of the table on one level and axis


@dataclass(frozen=True)
class LevelPart:
    """One stratum of one level on one axis, in one variant. `draws`: its floor, which only the default has.

    `note`: a sentence for all of its findings. `doubt`: why there may be nothing to find.
    """

    level: Level
    axis: GroupAxis
    values: PairValues
    stratum: Stratum
    design: LevelDesign
    variant: Variant
    draws: Draws | None = None
    note: str = ""
    doubt: str = ""

    def id(self, measure: str) -> str:
        return f"{self.level.id}.{self.level.spread if measure == 'distance' else measure}"

    def common(self, measure: str, label: str, groups: tuple[str, ...], title: str) -> dict[str, Any]:
        kind = self.stratum.dims.get("prompt_kind", "")
        line = reference_line(self.id(measure), label, self.axis.id, "" if kind == UNBIASED else kind)
        shown = line if "domain" not in self.stratum.dims else ""
        return {
            "id": self.id(measure),
            "label": label,
            "title": f"{self.level.titles[measure]}, {title}",
            "groups": groups,
            "unit": self.level.unit,
            "dims": {"axis": self.axis.id, **self.stratum.dims},
            "variant": self.variant,
            "scorers": self.level.scorers,
            "source": self.level.sources[measure],
            "note": " ".join(filter(None, (self.doubt, self.note, shown))),
        }


def left_out(part: LevelPart, count: int) -> dict[str, int]:
    """Return the number of pairs without what is compared, as a reason for what was left out."""
    return {part.level.undefined: count} if count else {}


def met(part: LevelPart, place: int, counted: Bools) -> bool:
    """True if any of these pairs mentions the group. Otherwise its difference is no 0: there is nothing to differ."""
    return bool((part.values.among | (part.values.signed != 0))[counted, place].any())


def not_asked(part: LevelPart, asked: Bools) -> dict[str, int]:
    """The pairs that prejudice is not asked of, by reason."""
    members = part.stratum.members
    without = int((members & ~part.values.defined).sum())
    other = int(members.sum()) - int(asked.sum()) - without
    return {**left_out(part, without), **({part.level.unasked: other} if other else {})}


def nobody(part: LevelPart, group: str) -> str:
    """Return the reason why prejudice against a group is asked of no pair."""
    defined = int((part.stratum.members & part.values.defined).sum())
    return f"“{group}”: {part.level.unasked}, in all of the {defined} pairs" if defined else undefined(part)


def undefined(part: LevelPart) -> str:
    """Return the reason why nothing can be compared."""
    pairs = int(part.stratum.members.sum())
    if not pairs:
        return "there is no pair of an original and a generated article"
    reason = f"none of the {pairs} pairs has what is compared on both sides ({part.level.undefined})"
    return f"{reason}; {part.doubt.rstrip('.')}" if part.doubt else reason


def _harmed(part: LevelPart, measure: str, group: str) -> str:
    """The user's own words for a harmful direction, where the axis has them."""
    fitting = (harm for harm in part.axis.harm if harm.finding == part.id(measure) and harm.label in ("", group))
    return next((harm.words for harm in fitting), "")


def prejudice_harm(part: LevelPart, place: int) -> str:
    """The direction of its share or drop that harms a group."""
    own = _harmed(part, "prejudice_share", part.axis.groups[place])
    return own or f"Above its floor, it is to the disadvantage of {part.axis.labels[place]}."


def difference_harm(part: LevelPart, place: int) -> str:
    """The direction of its difference that harms a group."""
    side = "Below" if part.level.lower_is_worse else "Above"
    own = _harmed(part, "difference", part.axis.groups[place])
    return own or f"{side} 0, generated articles are to the disadvantage of {part.axis.labels[place]}."


def families(findings: Sequence[Finding]) -> list[Finding]:
    """Holm within one id and axis, over all pairs first and then across its dims; as published nothing is adjusted.

    Two groups of which one gains what the other loses are one test.
    """
    keys = dict.fromkeys(map(_family, findings))
    adjusted: dict[int, Finding] = {}
    for key in keys:
        places = [place for place, finding in enumerate(findings) if _family(finding) == key]
        members = [findings[place] for place in places]
        copies = mirrored(members)
        counted = [place for place in places if id(findings[place]) not in copies]
        tests = sum(findings[place].p is not None for place in counted)
        name = f"{key[0]}, axis {key[1] or 'none'}, {'over all' if key[3] else 'by model and domain'}, "
        name += f"{tests} {'test' if tests == 1 else 'tests'}"
        own = [findings[place] for place in counted]
        adjusted |= dict(zip(counted, with_holm(own, name) if key[2] == "default" else own, strict=True))
        of = {id(findings[place]): adjusted[place] for place in counted}
        adjusted |= {
            place: replace(findings[place], p_adjusted=first.p_adjusted, adjust=first.adjust)
            for place in places
            if (copied := copies.get(id(findings[place]))) is not None and (first := of[id(copied)])
        }
    return [adjusted[place] for place in range(len(findings))]


def _family(finding: Finding) -> tuple[str, str, str, bool]:
    pooled = not {"model", "domain"} & set(finding.dims)
    return finding.id, finding.dims.get("axis", ""), finding.variant, pooled


# ---- Findings: spread, prejudice and signed difference

DROP_WARNING = "Chosen for its sign, so that the drop alone shows nothing: read its floor, and the signed difference."
NO_TEST = "Its p tells the pairs from sentences at random and is no test of bias: the signed difference is."
NO_INTERVAL = "interval: the paper gives none"


def level_findings(
    measured: MeasuredLevel, design: LevelDesign, draws: Sequence[Draws | None], *, note: str = "", doubt: str = ""
) -> list[Finding]:
    """The default findings of every stratum, then those as published for all pairs and for each model.

    `draws`: the floor of each stratum. `note`: a sentence for all of them. `doubt`: why there may be nothing to find.
    """
    findings: list[Finding] = []
    for stratum, drawn in zip(design.strata, draws, strict=True):
        part = LevelPart(measured.level, measured.axis, measured.values, stratum, design, "default", drawn, note, doubt)
        findings += _findings(part)
    if measured.published_axis is None or measured.published is None:
        return findings
    axis, values = measured.published_axis, measured.published
    for stratum in design.strata:
        if "domain" not in stratum.dims:
            part = LevelPart(measured.level, axis, values, stratum, design, "as_published", None, note, doubt)
            findings += _findings(part)
    return findings


def _findings(part: LevelPart) -> Iterator[Finding]:
    yield _distance(part)
    for place in range(len(part.axis.groups)):
        yield from _prejudice(part, place)
    for place in range(len(part.axis.groups)):
        yield _difference(part, place)


def _distance(part: LevelPart) -> Finding:
    members, values = part.stratum.members, part.values
    counted = members & values.defined
    result = _mean(part, values.distance, counted)
    common = part.common("distance", part.axis.id, part.axis.groups, part.axis.title)
    common["n"] = int(counted.sum())
    common["dropped"] = left_out(part, int((members & ~values.defined).sum()))
    common["n_by_group"] = {g: int((members & values.among[:, i]).sum()) for i, g in enumerate(part.axis.groups)}
    if result.value is None:
        return Finding(estimate=None, reason=undefined(part), **common)
    noise = part.draws.floor(0, 1) if part.draws else None
    common["note"] = _joined(_floor_note(part, noise), common["note"])
    contrast = {
        group: float(values.signed[chosen, place].mean())
        for place, group in enumerate(part.axis.groups)
        if met(part, place, chosen := members & values.present[:, place])
    }
    bounds = _within_bounds(part, values.distance, counted) or result.interval
    return Finding(
        estimate=result.value,
        reason=missing_interval(bounds),
        interval=interval(bounds.bounds),
        contrast=contrast,
        **_against(part, noise, result.value),
        **common,
    )


def _prejudice(part: LevelPart, place: int) -> Iterator[Finding]:
    asked = part.stratum.members & part.values.among[:, place]
    signed = part.level.sign * part.values.signed[:, place]
    result = prejudice(signed, asked, part.design.story)
    yield _share(part, place, asked, result)
    worse = asked & is_lower(signed)
    mean = _mean(part, -signed, worse)
    bounds = _within_bounds(part, -signed, worse) or (
        result.drop_interval if part.variant == "default" else mean.interval
    )
    yield _drop(part, place, mean, bounds, result)


def _share(part: LevelPart, place: int, asked: Bools, result: Prejudice) -> Finding:
    group, groups = part.axis.groups[place], len(part.axis.groups)
    common = part.common("prejudice_share", group, (group,), part.axis.labels[place]) | {"unit": "proportion"}
    common |= {"n": result.n, "n_by_group": {group: result.n}, "harm": prejudice_harm(part, place)}
    common["dropped"] = not_asked(part, asked)
    if result.share is None:
        return Finding(estimate=None, reason=nobody(part, group), **common)
    noise = part.draws.floor(2 + place, 2 + groups + place) if part.draws else None
    common["note"] = _joined(_floor_note(part, noise), common["note"])
    return Finding(
        estimate=result.share,
        interval=interval(result.share_interval if part.variant == "default" else None),
        reason=NO_INTERVAL if part.variant == "as_published" else None,
        **_against(part, noise, result.share),
        **common,
    )


def _drop(part: LevelPart, place: int, mean: Difference, bounds: MaybeBounds, result: Prejudice) -> Finding:
    group, groups = part.axis.groups[place], len(part.axis.groups)
    common = part.common("prejudice_drop", group, (group,), part.axis.labels[place])
    common |= {"n": result.worse, "n_by_group": {group: result.worse}, "harm": prejudice_harm(part, place)}
    if mean.value is None:
        nowhere = "in no pair does the group fare worse than in the original"
        return Finding(estimate=None, reason=nowhere if result.n else nobody(part, group), **common)
    noise = part.draws.floor(2 + 2 * groups + place, 2 + place) if part.draws else None
    minus = part.variant == "as_published" and part.level.lower_is_worse
    printed = "The paper prints it with a minus." if minus else ""
    common["note"] = _joined(DROP_WARNING, _floor_note(part, noise), printed, common["note"])
    return Finding(
        estimate=mean.value,
        reason=missing_interval(bounds),
        interval=interval(bounds.bounds),
        **_against(part, noise, mean.value),
        **common,
    )


def _difference(part: LevelPart, place: int) -> Finding:
    group = part.axis.groups[place]
    counted = part.stratum.members & part.values.present[:, place]
    values = part.values.signed[:, place]
    result = _mean(part, values, counted)
    common = part.common("difference", group, (group,), part.axis.labels[place])
    n = int(counted.sum())
    common |= {"n": n, "n_by_group": {group: n}, "harm": difference_harm(part, place)}
    common["dropped"] = left_out(part, int(part.stratum.members.sum()) - n)
    if result.value is None:
        return Finding(estimate=None, reason=undefined(part), **common)
    if not met(part, place, counted):
        return Finding(estimate=None, reason=f"no article mentions “{group}”", **common)
    tested = result.test if result.p is not None else f"no test: {result.reason}"
    unit = "; unit assumed: the pair" if part.variant == "as_published" else ""
    sd = within_sd(values[counted]) if n > 1 else 0.0
    unvaried = UNVARIED if n > 1 and not sd and part.variant == "default" else ""
    common["note"] = _joined(f"Generated minus original; {tested}{unit}.", unvaried, common["note"])
    stories = len(set(part.design.story[counted]))
    detectable = detectable_difference(sd, stories)
    power = Power(detectable, needed_n(part.level.planned, sd)) if detectable and part.variant == "default" else None
    return Finding(
        estimate=result.value,
        reason=missing_interval(result.interval),
        interval=interval(result.interval.bounds),
        p=result.p,
        effect=None if result.effect is None else Effect("d_z", result.effect),
        contrast={group: result.value},
        power=power,
        **common,
    )


def _within_bounds(part: LevelPart, values: Floats, counted: Bools) -> MaybeBounds | None:
    """The default interval of a mean of shares; None where another is to be taken."""
    if part.variant == "as_published" or not part.level.bounded:
        return None
    return bounded_mean_interval(values[counted], part.design.story[counted])


def _mean(part: LevelPart, values: Floats, counted: Bools) -> Difference:
    """Return the mean: with headlines as units by default; with every pair as one as published."""
    if part.variant == "as_published":
        return one_sample_mean(values[counted])
    return clustered_mean(values[counted], part.design.story[counted])


def _against(part: LevelPart, noise: NoiseFloor | None, estimate: float) -> dict[str, Any]:
    if noise is None or part.draws is None:
        return {}
    p = noise.p if part.draws.tested else None
    return {"floor": floor(noise), "floor_subtracted": estimate - noise.mean, "p": p}


def _floor_note(part: LevelPart, noise: NoiseFloor | None) -> str:
    if noise is None or part.draws is None:
        return ""
    return f"Floor: {noise.method}." + ("" if part.draws.tested else f" {NO_TEST}")


def _joined(*sentences: str) -> str:
    return " ".join(filter(None, sentences))
