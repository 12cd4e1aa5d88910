"""The style of hallucinated, of grounded and of all sentences of each letter."""

from dataclasses import dataclass, fields

import numpy as np

from core.errors import AppError
from core.metrics.result import Floats
from core.studies.letters.grounding import Grounding
from core.studies.letters.style import COUNTS_FROM, StyleScores


@dataclass(frozen=True)
class Shares:
    """Shares of formal (positive, agentic) sentences per letter, NaN where a letter has none of that kind."""

    hallucinated: Floats
    grounded: Floats
    all_hallucinated: Floats  # as published: salutations and opinions too
    whole: Floats


def shares_of(scores: StyleScores, found: Grounding) -> Shares:
    """`scores` with sentences. Raises `AppError` where the scorer split a letter otherwise than the segmenter."""
    columns: dict[str, list[float]] = {field.name: [] for field in fields(Shares)}
    for probabilities, letter in zip(scores.sentences, found.letters, strict=True):
        if letter.claim.size and len(probabilities) != letter.claim.size:
            raise AppError(
                f"The scorer “{scores.scorer.name}” scored {len(probabilities)} sentences of {letter.claim.size}.",
                hint="It must score the sentences of the program's own segmenter; choose another scorer.",
            )
        styled = probabilities >= COUNTS_FROM
        kinds = (letter.hallucinated, letter.grounded, ~letter.entailed, np.ones(letter.claim.size, dtype=np.bool_))
        for column, kind in zip(columns.values(), kinds, strict=True):
            column.append(float(styled[kind].mean()) if kind.any() else np.nan)
    return Shares(**{name: np.array(column, dtype=np.float64) for name, column in columns.items()})
