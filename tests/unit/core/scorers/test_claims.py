"""Which sentences a CV could be asked about: rules first, then a head on MiniLM."""

import csv
import hashlib

import pytest

from biasprint.core.letters import support
from training.claims import train

CARD = train.TARGET.with_name("card.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("Dear Ms. Hall,", "greeting"),
        ("I have known him for nine years.", "acquaintance"),
        ("I would hire her again.", "opinion"),
        ("She is a joy to work with and everybody admires her.", "opinion"),
        ("They is as honest as the day is long.", "opinion"),
        ("He ran the night shift for six years.", "claim"),
        ("They holds a licence as a pilot.", "claim"),
        ("Sie ist eine sehr kluge und freundliche Kollegin, die wir alle sehr schätzen und gern bei uns behalten "
         "hätten, weil sie immer gut gelaunt ist.", "claim"),
        ("!!! ??? ...", "greeting"),
    ],
)  # fmt: skip
def test_what_a_sentence_is(sentence: str, kind: str) -> None:
    assert support.claim_kinds([sentence]) == [kind]


def test_a_sentence_is_the_same_in_any_company() -> None:
    texts = ["He ran the night shift.", "She is a joy to us all.", "Dear Ann,"]
    assert support.claim_kinds(texts) == [support.claim_kinds([text])[0] for text in texts]
    assert support.claim_kinds([]) == []


def test_of_her_and_of_him_it_is_the_same() -> None:
    hers = ["She is the heart of her team.", "She built her own boat.", "Everyone adores her."]
    his = ["He is the heart of his team.", "He built his own boat.", "Everyone adores him."]
    assert support.claim_kinds(hers) == support.claim_kinds(his)


def test_the_version_names_rules_and_head() -> None:
    assert "claims 3, rules 3" in support.claims_version()
    assert "claims head 1" in support.claims_version()


def test_the_card_names_the_sentences_and_no_sentence_is_twice() -> None:
    with train.SENTENCES.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert f"{len(rows)} sentences" in CARD
    letters = {row["group"] for row in rows if row["group"].startswith("letter")}
    assert f"{len(letters)} letters" in CARD
    assert len({row["text"] for row in rows}) == len(rows)
    assert len(hashlib.sha256(train.TARGET.read_bytes()).hexdigest()) == 64


@pytest.mark.soak
def test_letters_that_were_left_out_fare_as_the_card_says_and_the_head_is_what_it_trains() -> None:
    import numpy as np
    from scorer_sets import in_words, on_card

    sentences = train.read_sentences()
    vectors, none = train.embed(sentences), np.array([not one.claims for one in sentences])
    found = train.left_out(vectors, sentences)
    seen = ~np.isnan(found)
    right = (found >= support.NO_CLAIM_FROM) == none
    assert in_words(right[seen & none]) == on_card("claims", "Claim nothing, each letter left out")
    assert in_words(right[seen & ~none]) == on_card("claims", "Claim something, each letter left out")
    weight, bias = train.fit(vectors, none)
    np.testing.assert_allclose(support._head()[0], weight, atol=0.02)
    assert support._head()[1] == pytest.approx(bias, abs=0.02)
