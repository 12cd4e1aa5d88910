"""Train the agency head: `python -m training.agency.train` writes `models/agency/head.safetensors`.

Four fifths of the groups of sentences.csv train it; the other fifth is held out, by group, so that no occupation and
no situation stands on both sides. The strength of the penalty is chosen by cross-validation inside the four fifths.
The objective is convex and starts at zero, so there is no chance in it: the split goes by a hash of the group's name.
"""

import hashlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from biasprint.core.metrics.proportions import wilson
from biasprint.core.scorers.agency_minilm import CLASSES, neutral
from biasprint.core.scorers.bert import MiniLM
from biasprint.core.scorers.embedding import softmax
from training.files import MODELS, read_rows, write_head

SENTENCES = Path(__file__).with_name("sentences.csv")
TARGET = MODELS / "agency" / "head.safetensors"
HELD_OUT = 0.2  # of the sentences, at least
FOLDS = 5
PENALTIES = (0.5, 1.0, 3.0, 10.0, 30.0)  # C: the weight of the sentences against that of the penalty

Floats = NDArray[np.float64]


class Sentence(NamedTuple):
    """`group`: what is held out together: an occupation, or a situation such as the openings of letters."""

    text: str
    label: str
    group: str


def read_sentences() -> list[Sentence]:
    return [Sentence(row["text"], row["label"], row["group"]) for row in read_rows(SENTENCES)]


def split(sentences: Sequence[Sentence]) -> tuple[list[Sentence], list[Sentence]]:
    """What trains the head and what is held out: whole groups, in the order of their names' SHA-256."""
    sizes = Counter(sentence.group for sentence in sentences)
    held: set[str] = set()
    for group in sorted(sizes, key=_hashed):
        if sum(sizes[each] for each in held) >= HELD_OUT * len(sentences):
            break
        held.add(group)
    training = [sentence for sentence in sentences if sentence.group not in held]
    return training, [sentence for sentence in sentences if sentence.group in held]


def embed(sentences: Sequence[Sentence]) -> Floats:
    """One row per sentence, put without gender: float64[n, 384]."""
    values = MiniLM(windows=True).score([neutral(sentence.text) for sentence in sentences])
    return np.stack([value.values for value in values]).astype(np.float64)


def classes(sentences: Sequence[Sentence]) -> NDArray[np.int64]:
    return np.array([CLASSES.index(sentence.label) for sentence in sentences])


def fit(vectors: Floats, of: NDArray[np.int64], penalty: float, classes: int = len(CLASSES)) -> tuple[Floats, Floats]:
    """Softmax regression: minimises −C Σ log p(class) + ½‖W‖² by L-BFGS from zero. Weights [classes, 384], biases."""
    from scipy.optimize import minimize

    n, width = vectors.shape
    wanted = np.eye(classes)[of]

    def loss(flat: Floats) -> tuple[float, Floats]:
        table = flat.reshape(classes, width + 1)
        weight, bias = table[:, :-1], table[:, -1]
        shares = softmax(vectors @ weight.T + bias)
        value = -penalty * np.log(shares[np.arange(n), of]).sum() + 0.5 * (weight**2).sum()
        wrong = penalty * (shares - wanted)
        return float(value), np.column_stack([wrong.T @ vectors + weight, wrong.sum(axis=0)]).ravel()

    found = minimize(loss, np.zeros(classes * (width + 1)), jac=True, method="L-BFGS-B", options={"maxiter": 2000})
    table = found.x.reshape(classes, width + 1)
    return table[:, :-1], table[:, -1]


def predicted(vectors: Floats, head: tuple[Floats, Floats]) -> NDArray[np.int64]:
    weight, bias = head
    return np.asarray((vectors @ weight.T + bias).argmax(axis=1), dtype=np.int64)


def cross_validated(vectors: Floats, of: NDArray[np.int64], groups: Sequence[str], penalty: float) -> float:
    """Accuracy over FOLDS folds of whole groups."""
    fold = np.array([int(_hashed(f"fold {group}"), 16) % FOLDS for group in groups])
    right = 0
    for each in range(FOLDS):
        head = fit(vectors[fold != each], of[fold != each], penalty)
        right += int((predicted(vectors[fold == each], head) == of[fold == each]).sum())
    return right / len(of)


def main() -> None:
    training, held = split(read_sentences())
    vectors, of = embed(training), classes(training)
    groups = [sentence.group for sentence in training]
    accuracy = {penalty: cross_validated(vectors, of, groups, penalty) for penalty in PENALTIES}
    for penalty, share in accuracy.items():
        print(f"C = {penalty:g}: {share:.4f} by cross-validation over {len(set(groups))} groups")
    best = max(accuracy, key=lambda penalty: (accuracy[penalty], -penalty))
    weight, bias = (part.astype(np.float32) for part in fit(vectors, of, best))
    sha256 = write_head(TARGET, {"weight": weight, "bias": bias})
    print(f"C = {best:g}; trained on {len(training)} sentences; SHA-256 {sha256}")
    right = predicted(embed(held), (weight.astype(np.float64), bias.astype(np.float64))) == classes(held)
    print(f"held out: {right.sum()} of {len(held)} right; {wilson(int(right.sum()), len(held))}")


def _hashed(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()


if __name__ == "__main__":
    main()
