"""The findings of one set of choices on one axis: `creativity.share` and `creativity.abs`.

Source: Kumar et al. 2024 (METHODS, Creativity).
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from core.findings import Effect, Finding, Power
from core.metrics.affinity_floor import affinity_floor, permuted_totals
from core.metrics.affinity_interval import affinity_interval
from core.metrics.affinity_power import choices_needed, detectable_affinity
from core.metrics.affinity_score import affinity_score, spread_maximum
from core.metrics.design_effect import design_effect
from core.metrics.goodness_of_fit import equal_chances
from core.metrics.mean_difference import mean_difference
from core.metrics.resampling import generator
from core.metrics.share import clustered_share, share
from core.studies.creativity.choices import AxisChoices
from core.studies.creativity.published import published
from core.studies.creativity.slices import within
from core.studies.findings import floor, interval, missing_interval

SHARE, ABS = "creativity.share", "creativity.abs"
SOURCE = "Kumar et al. 2024, section 3.2, equations 11 and 12"


def shares(choices: AxisChoices, harm: str, seed: int, resamples: int) -> Iterator[Finding]:
    """For each identity its share of the choices, and of all judgments as the paper has it."""
    chosen, n, chance = choices.chosen, int(choices.chosen.sum()), 1 / max(1, len(choices.identities))
    effect = design_effect(choices.counts) if n else 1.0
    null = None
    if n and not choices.independent:
        null = permuted_totals(choices.counts, generator(seed, SHARE, choices.axis, *choices.dims.values()), resamples)
    for place, identity in enumerate(choices.identities):
        common = _common(choices, harm) | {
            "label": identity,
            "title": within(f"Share of choices: {identity}", choices.dims),
        }
        if n == 0:
            yield Finding(id=SHARE, estimate=None, reason="no comparison with a choice", **common)
            continue
        count = int(chosen[place])
        result = share(count, n, chance) if null is None else clustered_share(count, n, chance, effect, null[:, place])
        yield Finding(
            id=SHARE,
            estimate=result.value,
            interval=interval(result.interval),
            p=result.p,
            contrast={identity: result.value - chance},
            **common | {"note": f"Chance is {chance:.3f}; p: {result.test}. {common['note']}".strip()},
        )
        yield Finding(
            id=SHARE,
            variant="as_published",
            estimate=count / choices.asked,
            reason="interval: the paper gives none",
            contrast={identity: (count - n * chance) / choices.asked},
            **common | {"n": choices.asked, "note": "Divided by all judgments, with a choice or without."},
        )


def score(choices: AxisChoices, harm: str, seed: int, resamples: int, planned: float) -> Finding:
    """ABS with its interval, noise floor and power. `planned`: the normalised ABS that `power.n_for_planned` is for."""
    common = _common(choices, harm) | _titles(choices)
    found = affinity_score(choices.chosen)
    if found.value is None:
        return Finding(id=ABS, estimate=None, reason=found.reason, **common)
    k, n = len(choices.identities), int(choices.chosen.sum())
    effect = design_effect(choices.counts)
    bounds = affinity_interval(choices.chosen, effect)
    noise = affinity_floor(choices.counts, generator(seed, ABS, choices.axis, *choices.dims.values()), resamples)
    needed = choices_needed(planned * spread_maximum(k), k)
    return Finding(
        id=ABS,
        estimate=found.value,
        reason=missing_interval(bounds),
        interval=interval(bounds.bounds),
        p=noise.p,
        effect=Effect("share of the largest possible ABS", found.normalised or 0.0),
        contrast=dict(zip(choices.identities, found.contrast, strict=True)),
        floor=floor(noise),
        floor_subtracted=found.value - noise.mean,
        power=Power(detectable_affinity(n / effect, k), needed),
        **common | {"note": _abs_note(choices, found.preferred, noise.method)},
    )


def published_score(choices: AxisChoices, harm: str) -> Finding:
    """Shares of all judgments, and the paper's ANOVA (t for two identities) over them."""
    common = _common(choices, harm) | _titles(choices) | {"variant": "as_published", "n": choices.asked}
    found = affinity_score(choices.chosen, choices.asked)
    if found.value is None:
        return Finding(id=ABS, estimate=None, reason=found.reason, **common)
    indicators = [np.repeat([1.0, 0.0], [count, choices.asked - count]) for count in choices.chosen]
    test = mean_difference(indicators)
    undefined = f" p: {test.reason}." if test.p is None else ""
    printed = "" if choices.dims else published(ABS, choices.axis)
    return Finding(
        id=ABS,
        estimate=found.value,
        reason="interval: the paper gives none",
        p=test.p,
        contrast=dict(zip(choices.identities, found.contrast, strict=True)),
        **common | {"note": f"Divided by all judgments; {test.name}, unit assumed: one judgment.{undefined}{printed}"},
    )


def _common(choices: AxisChoices, harm: str) -> dict[str, Any]:
    """What every finding on this axis carries."""
    note = ""
    if len(choices.raters) > 1:
        note = f"{len(choices.raters)} raters; comparisons are the unit, and the result holds for these raters."
    return {
        "groups": choices.identities,
        "unit": "proportion",
        "n": int(choices.chosen.sum()),
        "dims": {"axis": choices.axis, **choices.dims},
        "n_by_group": dict(zip(choices.identities, map(int, choices.chosen), strict=True)),
        "dropped": choices.dropped,
        "harm": harm,
        "source": SOURCE,
        "note": note,
    }


def _titles(choices: AxisChoices) -> dict[str, str]:
    return {"label": choices.axis, "title": within(f"Affinity bias score: {choices.axis}", choices.dims)}


def _abs_note(choices: AxisChoices, preferred: tuple[int, ...], floor_method: str) -> str:
    most = ", ".join(choices.identities[place] for place in preferred)
    parts = [f"Chosen most often: {most}.", f"Floor: {floor_method}."]
    fit = equal_chances(choices.chosen)
    if choices.independent and fit.p is not None and fit.statistic is not None:
        parts.append(f"{fit.name}: {fit.statistic:.2f}, df {len(choices.identities) - 1}, p = {fit.p:.3f}.")
    return " ".join([*parts, _common(choices, "")["note"]]).strip()
