"""How long the articles are (Table 3): short texts inflate every measure of spread."""

from collections.abc import Iterator

import numpy as np

from core.findings import Finding
from core.metrics.means import clustered_mean
from core.metrics.result import Floats
from core.studies.findings import interval, missing_interval
from core.studies.news.level import Design
from core.studies.news.published import reference_line
from core.studies.news.table import SIDES, UNBIASED, NewsTable

WORDS_PER_ARTICLE = "news.words_per_article"


def length_findings(table: NewsTable, design: Design) -> Iterator[Finding]:
    """Mean number of words per article, originals and generated, for every part of the table."""
    lengths = {side: _lengths(table.texts(side)) for side in SIDES}
    for stratum in design.strata:
        kind = stratum.dims.get("prompt_kind", UNBIASED)
        for side in SIDES:
            result = clustered_mean(lengths[side][stratum.members], design.story[stratum.members])
            line = reference_line(WORDS_PER_ARTICLE, side) if kind == UNBIASED and "domain" not in stratum.dims else ""
            yield Finding(
                id=WORDS_PER_ARTICLE,
                label=side,
                title=f"Words per article, {side}",
                groups=(side,),
                estimate=result.value,
                reason="there is no article" if result.value is None else missing_interval(result.interval),
                unit="words",
                n=result.n,
                dims=dict(stratum.dims),
                interval=interval(result.interval.bounds),
                source="Fang et al. 2024, Table 3",
                note=f"Words are what stands between blanks. Short texts inflate distances. {line}".strip(),
            )


def _lengths(texts: tuple[str, ...]) -> Floats:
    known = {text: len(text.split()) for text in set(texts)}
    return np.array([known[text] for text in texts], dtype=np.float64)
