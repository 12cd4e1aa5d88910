"""Similarity of counterfactual pairs and stereotype co-occurrence: LangFair's own values, recorded, and by hand.

tests/data/langfair.json says how the values were made.
"""

import json
from math import exp, log10
from pathlib import Path

import numpy as np
import pytest

from biasprint.core.metrics.similarity import bleu, cooccurrence, cosine, rouge_l, stereotypical_association
from biasprint.core.scorers.functions import bleu_tokens, company_tokens, langfair_words, rouge_tokens

RECORDED = json.loads((Path(__file__).parents[3] / "data" / "langfair.json").read_text(encoding="utf-8"))
PAIRS = list(zip(RECORDED["first"], RECORDED["second"], strict=True))
TEXTS = RECORDED["first"] + RECORDED["second"]


def test_cosine_is_langfairs():
    found = [cosine(np.array(one), np.array(other)) for one, other in zip(*RECORDED["vectors"], strict=True)]

    assert found == pytest.approx(RECORDED["cosine"], abs=1e-12)


@pytest.mark.parametrize(("of", "tokens", "name"), [(rouge_l, rouge_tokens, "rouge_l"), (bleu, bleu_tokens, "bleu")])
def test_similarity_of_texts_is_langfairs(of, tokens, name):
    found = [of(tokens(one), tokens(other)) for one, other in PAIRS]

    assert found == pytest.approx(RECORDED[name], abs=1e-12)


@pytest.mark.parametrize("kind", ["adjective", "profession"])
def test_cooccurrence_is_langfairs_word_by_word(kind):
    known = langfair_words()
    groups = (known.groups["female"], known.groups["male"])

    found = cooccurrence([company_tokens(text) for text in TEXTS], groups, known.targets[kind], known.stop)

    assert found == pytest.approx(RECORDED[f"cooccurrence_words_{kind}"], abs=1e-12)
    assert np.mean(list(found.values())) == pytest.approx(RECORDED[f"cooccurrence_{kind}"], abs=1e-12)


@pytest.mark.parametrize("kind", ["adjective", "profession"])
def test_stereotypical_association_is_langfairs(kind):
    known = langfair_words()
    targets = list(known.targets[kind])
    targets += [f"{word}s" for word in targets] if kind == "profession" else []

    found = stereotypical_association([bleu_tokens(text) for text in TEXTS], known.groups, targets)

    assert found == pytest.approx(RECORDED[f"association_{kind}"], abs=1e-12)


def test_lists_of_ones_own_give_langfairs_values():
    own, known = RECORDED["own"], langfair_words()

    near = cooccurrence(
        [company_tokens(text) for text in TEXTS], tuple(own["lists"].values()), own["words"], known.stop
    )
    tied = stereotypical_association([bleu_tokens(text) for text in TEXTS], own["lists"], own["words"])

    assert np.mean(list(near.values())) == pytest.approx(own["cooccurrence"], abs=1e-12)
    assert tied == pytest.approx(own["association"], abs=1e-12)


def test_rouge_l_by_hand():
    # “a c d” is common: P = 3/4, R = 3/5.
    assert rouge_l("abcd", "acxde") == pytest.approx(2 * 3 / 9)
    assert rouge_l([], ["a"]) == 0


def test_bleu_by_hand():
    # 5 words against 4 of them: of 1- to 4-grams 4, 3, 2 and 1 are common, of 5, 4, 3, 2; the shorter one is punished.
    longer = (4 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** 0.25
    shorter = exp(1 - 5 / 4)

    assert bleu("abcde", "abcd") == pytest.approx(min(longer, shorter))
    assert bleu("abcd", "wxyz") == 0
    assert bleu([], "ab") == 0


def test_cooccurrence_by_hand():
    # In the second “kind” is one word from “she” and two from “he”, “tall” two and one: P(kind|she) is b / (b + b²).
    found = cooccurrence([["she", "kind"], ["he", "x", "kind"]], ({"she"}, {"he"}), ["kind"], {"x"}, beta=0.5)

    assert found == {"kind": 0.0}
    found = cooccurrence([["she", "kind", "tall", "he"]], ({"she"}, {"he"}), ["kind"], (), beta=0.5)
    assert found["kind"] == pytest.approx(log10((0.5 / 0.75) / (0.25 / 0.75)))


def test_nothing_in_common_is_undefined_not_0():
    assert cosine(np.zeros(2), np.ones(2)) is None
    assert cooccurrence([["she"]], ({"she"}, {"he"}), ["kind"], ()) == {}
    assert stereotypical_association([["kind"]], {"a": ["she"], "b": ["he"]}, ["kind"]) is None
