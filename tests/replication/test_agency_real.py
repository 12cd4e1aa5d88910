"""The agency stand-in on the letters paper's validation biographies, beside the published word list; skipped without.

The biographies are never trained or tuned on; models/agency/card.md says how often they were looked at.
"""

import csv
import os
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from biasprint.core.metrics.means import paired_difference, two_sample_difference
from biasprint.core.metrics.proportions import wilson
from biasprint.core.metrics.result import Difference
from biasprint.core.scorers.agency_minilm import CLASSES, AgencyMiniLM
from biasprint.core.scorers.lexicon import Counting, LexiconScorer
from biasprint.core.scorers.segment import sentences

pytestmark = pytest.mark.replication

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("BIASPRINT_REPLICATION_DATA", ROOT.parent / "shared" / "data"))
BIOGRAPHIES = DATA / "letters" / "agency_val.csv"
AGENTIC = "1"
AT_LEAST_ABOVE = 0.15

Floats = NDArray[np.float64]


class Biographies:
    """The texts, which of them are agentic, and the probabilities of CLASSES of each sentence of each text."""

    def __init__(self) -> None:
        with BIOGRAPHIES.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.texts = [row["text"] for row in rows]
        self.agentic = np.array([row["label"] == AGENTIC for row in rows])
        self.scorer = AgencyMiniLM()
        spans = [sentences(text) for text in self.texts]
        every = [text[start:end] for text, found in zip(self.texts, spans, strict=True) for start, end in found]
        # All at once, for sentences of equal length are read together.
        self.sentences = np.split(self.scorer.probabilities(every), np.cumsum([len(found) for found in spans])[:-1])

    def right(self) -> Floats:
        """1 where a biography is called what it is: agentic where its sentences' agentic probability is the larger."""
        expected = np.stack([each.sum(axis=0) for each in self.sentences])
        called = expected[:, CLASSES.index("agentic")] > expected[:, CLASSES.index("communal")]
        return (called == self.agentic).astype(np.float64)

    def counted_right(self, counting: Counting) -> Floats:
        """The same by counts of agentic against communal words; ½ where they are equal, as a coin would have it."""
        scorer = LexiconScorer("letters", counting)
        names = [category.name for category in scorer.lexicon.categories]
        counts = scorer.count(self.texts).categories
        agentic, communal = counts[:, names.index("agentic")], counts[:, names.index("communal")]
        return np.where(agentic == communal, 0.5, (agentic > communal) == self.agentic)


@pytest.fixture(scope="module")
def biographies() -> Biographies:
    if not BIOGRAPHIES.is_file():
        pytest.skip(f"the biographies are not at {BIOGRAPHIES}; set BIASPRINT_REPLICATION_DATA to their folder")
    return Biographies()


@pytest.mark.soak
def test_long_biographies_are_told_apart(biographies: Biographies) -> None:
    right = biographies.right()
    assert len(right) == 48
    interval = wilson(right.sum(), len(right))
    assert interval is not None
    assert right.mean() >= 0.90
    assert interval.low >= 0.80


@pytest.mark.parametrize("counting", ["published", "words"])
def test_the_head_is_fifteen_points_above_the_word_list(biographies: Biographies, counting: Counting) -> None:
    above: Difference = paired_difference(biographies.right(), biographies.counted_right(counting))
    assert above.value is not None
    assert above.interval.bounds is not None
    assert above.value >= AT_LEAST_ABOVE
    assert above.interval.bounds.low > 0


def test_the_studys_share_of_agentic_sentences_is_higher_in_agentic_biographies(biographies: Biographies) -> None:
    shares = np.array([value.summary for value in biographies.scorer.score(biographies.texts)], dtype=np.float64)
    result = two_sample_difference(shares[biographies.agentic], shares[~biographies.agentic])
    assert result.value is not None
    assert result.p is not None
    assert result.value > 0.2
    assert result.p < 0.001
