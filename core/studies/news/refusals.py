"""How often a model writes no article: refusals and empty generations (results, biased prompts)."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from core.findings import Effect, Finding
from core.metrics.proportions import clustered_proportion, paired_proportions, two_proportions
from core.studies.findings import interval, missing_interval
from core.studies.news.level import design_of
from core.studies.news.matched import matched_rows
from core.studies.news.published import reference_line
from core.studies.news.table import REFUSED, UNBIASED, NewsTable, why_unanswered

REFUSAL_RATE = "news.refusal_rate"
LABEL = "refused"
SOURCE = "Fang et al. 2024, results, biased prompts"


def refusal_findings(table: NewsTable) -> list[Finding]:
    """The refusal rate of every part of the table, then each biased prompt against the unbiased one."""
    asked = NewsTable((*table.pairs, *table.unanswered), table.axes)
    refused = np.repeat([False, True], [len(table.pairs), len(table.unanswered)])
    return [*_rates(asked, refused), *_compared(asked, refused)]


def _rates(asked: NewsTable, refused: Any) -> Iterator[Finding]:
    design = design_of(asked)
    why = np.array([why_unanswered(pair.generated) for pair in asked.pairs], dtype=object)
    for stratum in design.strata:
        members = stratum.members
        rate = clustered_proportion(refused[members], design.story[members])
        declined = int((why[members] == REFUSED).sum())
        kind = stratum.dims.get("prompt_kind", "")
        line = reference_line(REFUSAL_RATE, LABEL, "", "" if kind == UNBIASED else kind)
        yield Finding(
            id=REFUSAL_RATE,
            label=LABEL,
            title="No article: refusals and empty generations",
            groups=(),
            estimate=rate.value,
            reason=None if rate.n else "nothing was generated",
            unit="proportion",
            n=rate.n,
            dims=dict(stratum.dims),
            interval=interval(rate.interval),
            source=SOURCE,
            note=f"{declined} refusals, {rate.successes - declined} empty. {line}".strip(),
        )


def _compared(asked: NewsTable, refused: Any) -> Iterator[Finding]:
    for kind, model, first, second in matched_rows(asked):
        common: dict[str, Any] = {
            "id": f"{REFUSAL_RATE}.prompts",
            "label": LABEL,
            "title": "No article: biased against unbiased prompt",
            "groups": (kind, UNBIASED),
            "unit": "proportion",
            "dims": {"prompt_kind": kind, **({"model": model} if model else {})},
            "source": SOURCE,
        }
        paired = paired_proportions(refused[first], refused[second])
        kinds, models = asked.column("prompt_kind"), asked.column("model")
        own = [refused[(kinds == name) & ((models == model) | (not model))] for name in (kind, UNBIASED)]
        pooled = two_proportions(int(own[0].sum()), len(own[0]), int(own[1].sum()), len(own[1]))
        for variant, result in (("default", paired), ("as_published", pooled)):
            yield Finding(
                variant="default" if variant == "default" else "as_published",
                estimate=result.value,
                reason=result.reason if result.value is None else missing_interval(result.interval),
                interval=interval(result.interval.bounds),
                n=result.n,
                n_by_group=dict(zip((kind, UNBIASED), result.n_by_group, strict=True)),
                p=result.p,
                effect=None if result.effect is None else Effect(result.effect_name, result.effect),
                note=f"{result.test}; headlines asked both ways." if variant == "default" else f"{result.test}.",
                **common,
            )
