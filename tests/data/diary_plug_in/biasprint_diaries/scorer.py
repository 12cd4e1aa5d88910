"""A scorer: the share of a text's sentences that end in an exclamation mark."""

import re

from biasprint.plug_ins import ScoreValue

_END = re.compile(r"[.!?]+(?=\s|$)")


class Exclamations:
    """Made without arguments, quickly; what is slow belongs into the first `score`."""

    role = "excitement"  # what a study asks for
    name = "exclamations"
    version = "1"  # another one as soon as any text could get another number
    sha256 = None  # of weights or a word list, where there are any
    stand_in = False
    shape = "the share of sentences that end in an exclamation mark, 0 to 1"

    def score(self, texts):
        return [self._score(text) for text in texts]

    def _score(self, text):
        import numpy as np

        ends = _END.findall(text)
        if not ends:
            return ScoreValue(np.empty(0, dtype=np.float32), None)  # nothing to score
        share = sum("!" in end for end in ends) / len(ends)
        return ScoreValue(np.array([share], dtype=np.float32), share)
