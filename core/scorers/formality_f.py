"""Formality by Heylighen and Dewaele's F, from parts of speech: the stand-in for a trained classifier.

F = (nouns + adjectives + prepositions + articles − pronouns − verbs − adverbs − interjections + 100) / 2, each as a
percentage of the words: 0 for a text that leans on its situation in every word, 100 for one that never does.
Source: Heylighen and Dewaele 2002, “Variation in the contextuality of language: an empirical measure”.
"""

import re
from collections.abc import Iterable, Sequence
from math import exp, nan

from biasprint.core.scorers.parts_of_speech import TextBlobTagger, penn_tags
from biasprint.core.scorers.protocol import NOTHING, ScoreValue, chosen, has_style, style_value
from biasprint.core.scorers.segment import sentences, words

FEWEST_WORDS = 4  # of a shorter sentence each word would weigh 17 points or more
MOST_WORDS = 1000  # read of one sentence, so that an endless line costs little
ARTICLES = frozenset(("a", "an", "the"))
# Penn tags that raise F and that lower it. A possessive 's, a number and a conjunction do neither.
RAISES = re.compile(r"NN|JJ|IN|TO")
LOWERS = re.compile(r"PRP|WP|EX|VB|MD|RB|WRB|UH")


class FormalityF:
    """The probability that a sentence is formal: 1 / (1 + exp(−slope (F − threshold))).

    `values`: float32[sentences]; `summary`: the share of formal sentences, None for a text without a sentence or not
    in English. A sentence of fewer than four words is too short for percentages and takes its whole text's F; one
    without a word says nothing formal: 0. Threshold and slope: models/formality/chosen.toml, chosen on the development
    part of docs/training/formality/sentences.csv.
    Used in place of a classifier trained on GYAFC. Source: letters (Wan et al.), section 3.2.2.
    """

    role = "formality"
    name = "formality_f"
    stand_in = True
    shape = "probability of each sentence that it is formal, 0 to 1; summary: the share of formal sentences"
    note = "Used in place of a trained classifier: it counts parts of speech. See models/formality/card.md."

    def __init__(self) -> None:
        data = chosen("formality")
        self.sha256 = data.sha256
        self.version = f"{data.values['version']}; rules 1; {TextBlobTagger().version}"
        self._threshold, self._slope = float(data.values["threshold"]), float(data.values["slope"])

    def score(self, texts: Sequence[str]) -> list[ScoreValue]:
        return [self._value(text) if has_style(text) else NOTHING for text in texts]

    def _value(self, text: str) -> ScoreValue:
        tagged = [_tagged(text[start:end]) for start, end in sentences(text)]
        whole = f_score(pair for sentence in tagged for pair in sentence)
        scores = (f_score(sentence) if len(sentence) >= FEWEST_WORDS else whole for sentence in tagged)
        return style_value(
            self._probability(score) if sentence else 0.0 for score, sentence in zip(scores, tagged, strict=True)
        )

    def _probability(self, score: float) -> float:
        return 1 / (1 + exp(-self._slope * (score - self._threshold)))


def f_score(tagged: Iterable[tuple[str, str]]) -> float:
    """F of words with their Penn tags, 0 to 100; NaN for no word."""
    count, balance = 0, 0
    for word, tag in tagged:
        count += 1
        if RAISES.match(tag) or (tag == "DT" and word.lower() in ARTICLES):
            balance += 1
        elif LOWERS.match(tag):
            balance -= 1
    return (100 * balance / count + 100) / 2 if count else nan


def _tagged(sentence: str) -> list[tuple[str, str]]:
    """The words of a sentence with their Penn tags."""
    if not any(map(str.isalnum, sentence)):
        return []  # and the tokenizer is spared a wall of signs
    tokens = [word.text.replace("’", "'") for word in words(sentence)[:MOST_WORDS]]  # the lexicon has 's and n't
    return [(word, tag) for word, tag in penn_tags(tokens)]
