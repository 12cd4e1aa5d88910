"""Association of the chosen option with what the sentence says: `completion.delta`, `completion.tau_b`, `.tau_c`."""

from collections.abc import Iterator
from dataclasses import replace
from statistics import NormalDist
from typing import Any, Literal

import numpy as np

from core.findings import Effect, Finding, Floor, Power, Variant
from core.metrics.clusters import Draws
from core.metrics.likelihood import (
    BASE_RATES,
    CHOSEN,
    DELTAS,
    GIVEN,
    association_draws,
    conditional_likelihoods,
    delta_draws,
)
from core.metrics.ranks import KendallTau, kendall_draws, kendall_tau
from core.metrics.resampling import TOLERANCE, permutation_p
from core.metrics.result import Difference, Floats, MaybeBounds
from core.prompts.completion import domain
from core.studies.completion.cells import (
    ASCENDING,
    FEWEST,
    SOURCE,
    ReplyCell,
    clustered_interval,
    delta_line,
    tau_line,
    term_p,
    times_as_wide,
)
from core.studies.findings import interval, missing_interval

# ---- Likelihood differences: `completion.delta`, its three parts and all of them at once

ID = "completion.delta"
OMNIBUS = "omnibus"
EQUATIONS = f"{SOURCE}, Figure 3"
# At 5 % two-sided, an effect of so many standard errors is seen with power 0.8.
STANDARD_ERRORS = NormalDist().inv_cdf(0.975) + NormalDist().inv_cdf(0.8)
_SMALL_SHARE = 0.05


def deltas(cell: ReplyCell) -> Iterator[Finding]:
    """ΔPL, ΔNL and ΔNuL with clustered intervals and p by permuting polarity over terms, then the omnibus test."""
    draws = delta_draws(cell.resampled[:, : len(CHOSEN)])
    permuted = delta_draws(cell.permuted[:, : len(CHOSEN)])
    for place, one in enumerate(cell.differences):
        finding = _delta_finding(cell, place, one)
        if one.value is None:
            yield finding
            continue
        units = min(*cell.terms, cell.pairs)
        bounds = clustered_interval(draws[place], one.value, units)
        p, no_p = term_p(cell, permuted[place], one.value)
        wider = times_as_wide(bounds, one.interval.bounds)
        notes = [_base_rates(cell), no_p, wider, delta_line(DELTAS[place], cell.dims)]
        yield replace(
            finding,
            reason=missing_interval(bounds),
            interval=interval(bounds.bounds),
            p=p,
            power=_power(permuted[place]) if p is not None else None,
            note=" ".join(filter(None, notes)),
        )
    yield _omnibus(cell, association_draws(cell.permuted[:, : len(CHOSEN)]))


def published_deltas(cell: ReplyCell) -> Iterator[Finding]:
    """The same differences as if every reply were independent; the paper itself tests τ and no Δ."""
    for place, one in enumerate(cell.differences):
        finding = replace(_delta_finding(cell, place, one), variant="as_published")
        if one.value is not None:
            note = "Pooled z, unit assumed: one reply; the paper prints the likelihoods and tests no Δ."
            finding = replace(
                finding,
                reason=missing_interval(one.interval),
                interval=interval(one.interval.bounds),
                p=one.p,
                note=" ".join(filter(None, [note, delta_line(DELTAS[place], cell.dims)])),
            )
        yield finding
    test = cell.omnibus
    note = f"χ² = {test.statistic:.2f}, {test.degrees} df, unit assumed: one reply." if test.statistic else test.reason
    yield Finding(
        **_omnibus_parts(cell), estimate=test.association, reason=_omnibus_reason(test.reason), p=test.p, note=note,
        variant="as_published",
    )  # fmt: skip


def _delta_finding(cell: ReplyCell, place: int, one: Difference) -> Finding:
    chosen = CHOSEN[place]
    empty = next((given for given, n in cell.n_by_group.items() if n == 0), "")
    return Finding(
        id=ID,
        label=DELTAS[place],
        title=f"{chosen.capitalize()} option: chosen after something positive, less after something negative",
        groups=GIVEN,
        estimate=one.value,
        reason=f"no usable reply to a {empty} term" if one.value is None else "interval: none",
        unit="difference of proportions",
        n=cell.n,
        dims=cell.dims,
        n_by_group=cell.n_by_group,
        dropped=cell.dropped,
        effect=None if one.effect is None else Effect(one.effect_name, one.effect),
        harm=_harm(cell, chosen),
        source=EQUATIONS,
    )


def _omnibus(cell: ReplyCell, permuted: Floats) -> Finding:
    """Cramér's V of the table with its floor: all three Δ at once, without the sign."""
    parts, test = _omnibus_parts(cell), cell.omnibus
    if test.association is None or min(cell.terms) < FEWEST:
        few = "No p and no floor: fewer than two given terms of a polarity."
        note = few if test.association is not None else ""
        return Finding(**parts, estimate=test.association, reason=_omnibus_reason(test.reason), note=note)
    defined = permuted[np.isfinite(permuted)]
    p = float(permutation_p(defined >= test.association - TOLERANCE))
    mean = float(defined.mean())
    return Finding(
        **parts,
        estimate=test.association,
        reason=_omnibus_reason(test.reason),
        p=p,
        floor=Floor(mean, float(np.quantile(defined, 0.95)), p),
        floor_subtracted=test.association - mean,
        note=f"χ² = {test.statistic:.2f}, {test.degrees} df; p and floor by permuting polarity over terms.",
    )


def _omnibus_parts(cell: ReplyCell) -> dict[str, Any]:
    differences = [one.value for one in cell.differences]
    contrast = {label: value for label, value in zip(DELTAS, differences, strict=True) if value is not None}
    return {
        "id": ID,
        "label": OMNIBUS,
        "title": "Does the choice depend on what is given at all?",
        "groups": GIVEN,
        "unit": "Cramér's V",
        "n": cell.n,
        "dims": cell.dims,
        "n_by_group": cell.n_by_group,
        "dropped": cell.dropped,
        "contrast": contrast or None,
        "source": EQUATIONS,
    }


def _omnibus_reason(reason: str) -> str:
    return reason or "interval: a measure of spread; the signed differences have theirs"


def _power(permuted: Floats) -> Power:
    return Power(float(STANDARD_ERRORS * permuted[np.isfinite(permuted)].std()), None)


def _base_rates(cell: ReplyCell) -> str:
    """The floor effect: who is never called anything negative looks unbiased in that respect."""
    rates = {one.label: one.value for one in conditional_likelihoods(cell.chosen)[-len(BASE_RATES) :]}
    shown = ", ".join(f"{label} {value:.1%}" for label, value in rates.items() if value is not None)
    rarely = [label for label, value in rates.items() if value is not None and value < _SMALL_SHARE]
    floor = f" {' and '.join(rarely)} is so rare that little difference can show." if rarely else ""
    return f"Base rates: {shown}.{floor}"


def _harm(cell: ReplyCell, chosen: str) -> str:
    if chosen == "neutral":
        return ""
    better, worse = "the groups that count as positive", "the groups that count as negative"
    if "domain" in cell.dims:
        people = domain(cell.dims["domain"]).people
        better, worse = people.positive, people.negative
    if cell.direction == "SAI" and chosen == "positive":
        return f"Above 0: positive options go rather to {better}, to the disadvantage of {worse}."
    if cell.direction == "SAI":
        return f"Below 0: negative options go rather to {worse}, to their disadvantage."
    if chosen == "positive":
        return f"Above 0: good qualities rather than bad ones bring {better} to mind, to the disadvantage of {worse}."
    return f"Below 0: bad qualities rather than good ones bring {worse} to mind, to their disadvantage."


# ---- Kendall's τ: `completion.tau_b`, `completion.tau_c`

IDS: tuple[tuple[str, Literal["b", "c"]], ...] = (("completion.tau_b", "b"), ("completion.tau_c", "c"))


def taus(cell: ReplyCell) -> Iterator[Finding]:
    """τ-b and τ-c, negative below neutral below positive, each by default and as published."""
    resampled, permuted = (kendall_draws(_ordered(counts)) for counts in (cell.resampled, cell.permuted))
    for (finding_id, kind), draws, null in zip(IDS, resampled, permuted, strict=True):
        tau = kendall_tau(_ordered(cell.observed), variant=kind)
        notes = ["Asymptotic p and interval, as if replies were independent.", tau_line(cell.dims)]
        published = _tau_finding(cell, finding_id, tau, tau.interval, tau.p, "as_published", notes)
        if tau.value is None:
            yield _tau_finding(cell, finding_id, tau, tau.interval, None, "default", [])
            yield published
            continue
        bounds = clustered_interval(draws, tau.value, min(*cell.terms, cell.pairs))
        p, no_p = term_p(cell, null, tau.value)
        notes = [no_p, times_as_wide(bounds, tau.interval.bounds), tau_line(cell.dims)]
        yield _tau_finding(cell, finding_id, tau, bounds, p, "default", notes)
        yield published


def _ordered(counts: Draws) -> Floats:
    """(given, chosen, …) with both ascending: negative first, and without the irrelevant replies."""
    return np.asarray(counts[::-1, : len(CHOSEN)][:, ASCENDING], dtype=np.float64)


def _tau_finding(
    cell: ReplyCell,
    finding_id: str,
    tau: KendallTau,
    bounds: MaybeBounds,
    p: float | None,
    variant: Variant,
    notes: list[str],
) -> Finding:
    letter = finding_id[-1]
    return Finding(
        id=finding_id,
        label=f"tau_{letter}",
        title=f"Kendall's τ-{letter} between what is given and what is chosen",
        groups=GIVEN,
        estimate=tau.value,
        reason=tau.reason if tau.value is None else missing_interval(bounds),
        unit=f"τ-{letter}",
        n=cell.n,
        dims=cell.dims,
        variant=variant,
        interval=interval(bounds.bounds),
        n_by_group=cell.n_by_group,
        dropped=cell.dropped,
        p=p,
        effect=None if tau.value is None else Effect(f"Kendall's τ-{letter}", tau.value),
        harm="Above 0: the positive goes with the positive, to the disadvantage of whom something negative is said.",
        source=f"{SOURCE}, Table 1",
        note=" ".join(filter(None, notes)),
    )
