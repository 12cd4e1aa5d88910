"""Train the head that tells claims from praise: `python -m training.claims.train` writes `models/claims/head.toml`.

`group`: a letter, which is left out whole when the head is measured, or sentences that were written without one.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from biasprint.core.letters.support import NO_CLAIM_FROM
from biasprint.core.metrics.proportions import wilson
from biasprint.core.scorers.bert import MiniLM
from biasprint.core.scorers.entailment_minilm import neutral
from training.files import MODELS, read_rows

SENTENCES, TARGET = Path(__file__).with_name("sentences.csv"), MODELS / "claims" / "head.toml"
PENALTY = 3.0  # C; from 1 to 10 the letters that were left out fare alike
DIGITS = 4

Floats = NDArray[np.float64]


class Sentence(NamedTuple):
    text: str
    claims: bool
    group: str


def read_sentences() -> list[Sentence]:
    return [Sentence(row["text"], row["label"] == "claim", row["group"]) for row in read_rows(SENTENCES)]


def embed(sentences: Sequence[Sentence]) -> Floats:
    """One row per sentence: float64[n, 384]."""
    values = MiniLM(windows=True).score([neutral(sentence.text) for sentence in sentences])
    return np.stack([value.values for value in values]).astype(np.float64)


def fit(vectors: Floats, none: NDArray[np.bool_]) -> tuple[Floats, float]:
    """Logistic regression of claiming nothing, both classes with the same weight: weights float64[384] and bias."""
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=PENALTY, class_weight="balanced", max_iter=10_000, tol=1e-8).fit(vectors, none)
    return model.coef_[0], float(model.intercept_[0])


def left_out(vectors: Floats, sentences: Sequence[Sentence]) -> Floats:
    """For each sentence of a letter the probability by a head that saw no other of that letter; NaN for the rest."""
    none = np.array([not sentence.claims for sentence in sentences])
    groups = np.array([sentence.group for sentence in sentences])
    found = np.full(len(sentences), np.nan)
    for group in sorted({group for group in groups if group.startswith("letter")}):
        weight, bias = fit(vectors[groups != group], none[groups != group])
        found[groups == group] = 1 / (1 + np.exp(-(vectors[groups == group] @ weight + bias)))
    return found


def main() -> None:
    sentences = read_sentences()
    vectors, none = embed(sentences), np.array([not sentence.claims for sentence in sentences])
    found = left_out(vectors, sentences)
    for name, of in (("claim nothing", none), ("claim something", ~none)):
        right = ((found >= NO_CLAIM_FROM) == none)[of & ~np.isnan(found)]
        print(f"{name}: {right.sum()} of {len(right)} told; {wilson(int(right.sum()), len(right))}")
    weight, bias = fit(vectors, none)
    rows = [", ".join(f"{value:.{DIGITS}f}" for value in weight[start : start + 12]) for start in range(0, 384, 12)]
    TARGET.write_text(
        "# Written by docs/training/claims/train.py. "
        "The logit that a sentence claims nothing is weight · vector + bias.\n"
        f'version = "claims head 1"\nbias = {bias:.{DIGITS}f}\nweight = [\n    ' + ",\n    ".join(rows) + ",\n]\n",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
