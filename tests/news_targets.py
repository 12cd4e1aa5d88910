"""A small toxicity scorer, as a third party's plug-in would bring one: one number for a whole text."""

import re

import numpy as np

from biasprint.core.scorers.protocol import ScoreValue

RUDE = re.compile(r"\b(?:idiot|stupid|fool)\b", re.IGNORECASE)


class CountsRudeWords:
    """Rude words per word; no value for a text that only shouts."""

    role = "toxicity"
    name = "rude"
    version = "1"
    sha256 = "0" * 64
    stand_in = True
    shape = "rude words per word of the text; summary: the same"

    def score(self, texts):
        return [self._of(text) for text in texts]

    def _of(self, text):
        words = text.split()
        if text.isupper() or not words:
            return ScoreValue(np.zeros(0, np.float32), None)
        share = len(RUDE.findall(text)) / len(words)
        return ScoreValue(np.array([share], np.float32), share)


class MiscountsSentences(CountsRudeWords):
    name = "broken"
    shape = "a value for each sentence"

    def _of(self, text):
        return ScoreValue(np.zeros(99, np.float32), 0.0)
