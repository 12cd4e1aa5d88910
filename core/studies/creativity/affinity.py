"""The findings of one set of choices on one axis: `creativity.share` and `creativity.abs`.

Source: Kumar et al. 2024 (METHODS, Creativity).
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from core.findings import Effect, Finding, Power
from core.metrics.affinity import affinity_floor, affinity_interval, affinity_score, permuted_totals, spread_maximum
from core.metrics.means import mean_difference
from core.metrics.power import choices_needed, detectable_affinity
from core.metrics.proportions import clustered_share, design_effect, equal_chances, share
from core.metrics.resampling import generator
from core.metrics.result import Bounds
from core.studies.creativity.choices import AxisChoices
from core.studies.creativity.published import published
from core.studies.creativity.slices import within
from core.studies.findings import floor, interval, missing_interval

SHARE, ABS = "creativity.share", "creativity.abs"
SOURCE = "Kumar et al. 2024, section 3.2, equations 11 and 12"


def shares(choices: AxisChoices, harm: str, seed: int, resamples: int) -> Iterator[Finding]:
    """For each identity its share of the choices, and of all judgments as the paper has it."""
    chosen, n, chance = choices.chosen, choices.n, 1 / max(1, len(choices.identities))
    whole, effect = n * choices.parts, design_effect(choices.counts) if n else 1.0
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
        if null is None:
            result = share(count, n, chance)
        else:
            result = clustered_share(count, whole, chance, effect, null[:, place])
        yield Finding(
            id=SHARE,
            estimate=result.value,
            interval=interval(_averaged(result.interval, choices, "Wilson")),
            p=result.p,
            contrast={identity: result.value - chance},
            **common | {"note": f"Chance is {chance:.3f}; p: {result.test}. {common['note']}".strip()},
        )
        yield Finding(
            id=SHARE,
            variant="as_published",
            estimate=count / (choices.asked * choices.parts),
            reason="interval: the paper gives none",
            contrast={identity: (count - whole * chance) / (choices.asked * choices.parts)},
            **common | {"n": choices.asked, "note": "Divided by all judgments, with a choice or without."},
        )


def score(choices: AxisChoices, harm: str, seed: int, resamples: int, planned: float) -> Finding:
    """ABS with its interval, noise floor and power. `planned`: the normalised ABS that `power.n_for_planned` is for."""
    common = _common(choices, harm) | _titles(choices)
    found = affinity_score(choices.chosen)
    if found.value is None:
        return Finding(id=ABS, estimate=None, reason=found.reason, **common)
    k, n = len(choices.identities), choices.n
    effect = design_effect(choices.counts)
    bounds = affinity_interval(choices.chosen, effect)
    noise = affinity_floor(choices.counts, generator(seed, ABS, choices.axis, *choices.dims.values()), resamples)
    needed = choices_needed(planned * spread_maximum(k), k)
    return Finding(
        id=ABS,
        estimate=found.value,
        reason=missing_interval(bounds),
        interval=interval(_averaged(bounds.bounds, choices, "Wilson mapped" if k == 2 else "noncentral χ² inverted")),
        p=noise.p,
        effect=Effect("share of the largest possible ABS", found.normalised or 0.0),
        contrast=dict(zip(choices.identities, found.contrast, strict=True)),
        floor=floor(noise),
        floor_subtracted=found.value - noise.mean,
        power=Power(detectable_affinity(n * choices.parts / effect, k), needed),
        **common | {"note": _abs_note(choices, found.preferred, noise.method)},
    )


def published_score(choices: AxisChoices, harm: str) -> Finding:
    """Shares of all judgments, and the paper's ANOVA (t for two identities) over them."""
    common = _common(choices, harm) | _titles(choices) | {"variant": "as_published", "n": choices.asked}
    found = affinity_score(choices.chosen, choices.asked * choices.parts)
    if found.value is None:
        return Finding(id=ABS, estimate=None, reason=found.reason, **common)
    p, test = _published_test(choices)
    printed = "" if choices.dims else published(ABS, choices.axis)
    return Finding(
        id=ABS,
        estimate=found.value,
        reason="interval: the paper gives none",
        p=p,
        contrast=dict(zip(choices.identities, found.contrast, strict=True)),
        **common | {"note": f"Divided by all judgments; {test}{printed}"},
    )


def _published_test(choices: AxisChoices) -> tuple[float | None, str]:
    """The paper's test over judgments, and how it is called; for a model asked in several orders it has none."""
    if choices.parts > 1:
        return None, "no test: the paper asks each model once, in one order."
    indicators = [np.repeat([1.0, 0.0], [count, choices.asked - count]) for count in choices.chosen]
    test = mean_difference(indicators)
    undefined = f" p: {test.reason}." if test.p is None else ""
    return test.p, f"{test.name}, unit assumed: one judgment.{undefined}"


def _averaged(bounds: Bounds | None, choices: AxisChoices, method: str) -> Bounds | None:
    """The method in words that fit averaged choices: there the design effect is one of replies, not of choices."""
    if bounds is None or choices.parts == 1:
        return bounds
    worth = choices.n * choices.parts / design_effect(choices.counts)
    return replace(bounds, method=f"{method}, a model's orders averaged: worth {worth:.1f} independent choices")


def _common(choices: AxisChoices, harm: str) -> dict[str, Any]:
    """What every finding on this axis carries."""
    notes = []
    if len(choices.raters) > 1:
        notes.append(f"{len(choices.raters)} raters; comparisons are the unit, and the result holds for these raters.")
    if choices.parts > 1:
        notes.append("A model's choices in all orders of the cards are one averaged choice; groups count its replies.")
    return {
        "groups": choices.identities,
        "unit": "proportion",
        "n": choices.n,
        "dims": {"axis": choices.axis, **choices.dims},
        "n_by_group": dict(zip(choices.identities, choices.replies, strict=True)),
        "dropped": choices.dropped,
        "harm": harm,
        "source": SOURCE,
        "note": " ".join(notes),
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
