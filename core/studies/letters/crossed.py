"""`letters.crossed.*`: word categories, success and style by two axes at once, main effects and interaction."""

from collections.abc import Sequence

import numpy as np

from biasprint.core.findings import Finding, ScorerUse
from biasprint.core.studies.kit.crossed import CrossedMeasure, Crossing, crossed_findings, means_of, odds_of
from biasprint.core.studies.letters.style import KINDS, StyleScores
from biasprint.core.studies.letters.table import LettersTable

CROSSED_ID = "letters.crossed"
RATIOS = ("odds ratio", "ratio of odds ratios")
SHARES = ("difference of shares", "difference of differences of shares")


def crossed_categories(table: LettersTable) -> list[Finding]:
    """Odds ratios of every word category; empty where the groups are not those of a crossed axis."""
    counts = table.counted.counts
    measured = [
        CrossedMeasure(
            id=f"{CROSSED_ID}.lexicon",
            label=category.name,
            title=f"{category.title} words",
            units=RATIOS,
            estimate=odds_of(counts.categories[:, place], counts.tokens),
            scorers=(table.counted.scorer,),
        )
        for place, category in enumerate(table.counted.lexicon.categories)
    ]
    return _of_table(table, measured)


def crossed_success(table: LettersTable, good: Sequence[bool], scorer: ScorerUse) -> list[Finding]:
    """Shares of letters that succeeded. `good`: one per letter."""
    shares = np.array(good, dtype=np.float64)
    return _of_table(
        table,
        [
            CrossedMeasure(
                f"{CROSSED_ID}.success_rate",
                "difference",
                "Letters that succeeded",
                SHARES,
                means_of(shares),
                (scorer,),
            )
        ],
    )


def crossed_style(table: LettersTable, kind: str, scores: StyleScores | str) -> list[Finding]:
    """Mean shares of formal (positive, agentic) sentences, where there are scores."""
    if isinstance(scores, str):
        return []
    title = f"Share of {KINDS[kind]} sentences"
    return _of_table(
        table, [CrossedMeasure(f"{CROSSED_ID}.{kind}", kind, title, SHARES, means_of(scores.shares), (scores.scorer,))]
    )


def _of_table(table: LettersTable, measured: Sequence[CrossedMeasure]) -> list[Finding]:
    crossing: Crossing | None = table.crossing
    if crossing is None:
        return []
    return crossed_findings(crossing, table.groups, table.blocks, measured, table.all_dropped)
