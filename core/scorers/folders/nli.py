"""Entailment by a classifier of natural language inference: the letters paper's own, or another in a folder."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from core.errors import AppError
from core.scorers.entailment import CLASSES, split_pair
from core.scorers.folders.classifier import Classifier, Floats, load_classifier, softmax
from core.scorers.folders.held import held
from core.scorers.folders.labels import entailment_order
from core.scorers.folders.scorer import FolderScorer
from core.scorers.protocol import ScoreValue
from core.scorers.sentence_style import reads

OVERLAP = 64  # tokens that neighbouring windows of a long premise share
HYPOTHESIS = 128  # tokens of a hypothesis that are read
NO_CLAIM = np.array([0.0, 1.0, 0.0], dtype=np.float32)


class _Windows(NamedTuple):
    premises: list[str]
    hypothesis: str


class NLI(FolderScorer):
    """Probabilities of entailment, neutral and contradiction for a pair: softmax over the classes.

    `values`: float32[3]; `summary`: that of entailment. A pair with an empty side, or in another language, supports
    nothing: neutral, and no summary. A premise that the model cannot take whole is cut into windows that share 64
    tokens, and the window that entails most counts; where none entails, one that contradicts. Source: letters (Wan et
    al.), section 3.3.
    """

    role = "entailment"
    name = "nli"
    papers = "the letters paper's model of natural language inference"
    rules = f"long premises in windows, {OVERLAP} tokens shared, the best counts; rules 1"
    shape = f"probabilities of {', '.join(CLASSES)} for a premise and a hypothesis; summary: of entailment"

    def score(self, texts: Sequence[str]) -> list[ScoreValue]:
        model = self.model()
        classifier = held(self.role, (model.path, model.sha256), lambda: load_classifier(model.path))
        order = entailment_order(classifier.labels, model.name)
        pairs = [_windows(classifier, text) for text in texts]
        first = [premise for pair in pairs if pair for premise in pair.premises]
        second = [pair.hypothesis for pair in pairs if pair for _ in pair.premises]
        logits = classifier.logits(classifier.encode_pairs(first, second))
        if not np.isfinite(logits).all():
            raise AppError(
                f"What “{model.name}” computes are no numbers, so its weights are damaged.",
                hint="Get the model again, or choose another one.",
            )
        rows = softmax(logits)[:, order] if len(logits) else logits
        values, at = [], 0
        for pair in pairs:
            count = len(pair.premises) if pair else 0
            values.append(_value(rows[at : at + count]))
            at += count
        return values


def best(rows: Floats) -> Floats:
    """Of windows' probabilities, float64[windows, 3], the row that counts (see `core.scorers.entailment.judged`)."""
    entails = rows[rows[:, 0].argmax()]
    if entails.argmax() == 0:
        return np.asarray(entails)
    contradicts = rows[rows.argmax(axis=1) == 2]
    return np.asarray(contradicts[contradicts[:, 2].argmax()] if len(contradicts) else entails)


def _value(rows: Floats) -> ScoreValue:
    if not len(rows):
        return ScoreValue(NO_CLAIM.copy(), None)
    values = best(rows).astype(np.float32)
    return ScoreValue(values, float(values[0]))


def _windows(classifier: Classifier, text: str) -> _Windows | None:
    """The pair as the model can take it; None where it has an empty side or is not in English."""
    whole = text.encode("utf-8", "ignore").decode()  # as it is split into tokens
    premise, hypothesis = (side.strip() for side in split_pair(whole))
    if not premise or not hypothesis or not reads(hypothesis) or not reads(premise):
        return None
    room = classifier.most - classifier.marks
    claimed = classifier.split(hypothesis)
    kept = min(len(claimed), HYPOTHESIS, room // 2)
    if not kept:
        return None
    hypothesis = hypothesis if kept == len(claimed) else hypothesis[: claimed[kept - 1][1]]
    tokens = classifier.split(premise)
    # One to spare: a piece cut out of a text can be split into one token more.
    size = room - kept - 2
    if len(tokens) <= size:
        return _Windows([premise], hypothesis)
    step = max(1, size - min(OVERLAP, size // 2))
    starts = range(0, max(1, len(tokens) - (size - step)), step)
    return _Windows([premise[tokens[at][0] : tokens[min(at + size, len(tokens)) - 1][1]] for at in starts], hypothesis)
