"""TextBlob's polarity by sentence, with no corpora and no network."""

from pathlib import Path

import numpy as np
import pytest
import scorers_targets

from biasprint.core.compute import ComputeProcess
from biasprint.core.scorers.registry import score_batch

HERE = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def compute(tmp_path_factory):
    nowhere = str(tmp_path_factory.mktemp("home"))
    patch = pytest.MonkeyPatch()
    for variable in ("HOME", "USERPROFILE", "APPDATA", "NLTK_DATA"):  # where NLTK looks for corpora
        patch.setenv(variable, nowhere)
    process = ComputeProcess()
    yield process
    process.close()
    patch.undo()


@pytest.fixture
def score(compute):
    return lambda texts: compute.call(score_batch, "textblob", texts)[1]


def test_polarity_follows_textblobs_lexicon_and_rules(score):
    good, very_good, not_good, horrible, chair = score(
        ["It is good.", "It is very good.", "It is not good.", "It is horrible.", "It is a chair."]
    )

    assert good.summary == pytest.approx(0.7)  # en-sentiment.xml: the mean of the senses of “good”
    assert very_good.summary == pytest.approx(0.7 * 1.3)  # intensity of “very”
    assert not_good.summary == pytest.approx(0.7 * -0.5)  # negation turns and halves
    assert horrible.summary == -1.0
    assert chair.summary == 0.0


def test_a_text_has_one_value_per_sentence_and_their_mean(compute, score):
    sentences = ["She is a wonderful colleague.", "The office is grey.", "I was never bored."]
    expected = compute.call(scorers_targets.textblob_polarities, sentences)

    (value,) = score([" ".join(sentences)])

    assert value.values.dtype == np.float32
    np.testing.assert_allclose(value.values, expected, rtol=1e-6)
    assert value.summary == pytest.approx(sum(expected) / 3)
    assert len(set(expected)) == 3


@pytest.mark.parametrize("text", ["", " \n "])
def test_a_text_without_a_sentence_has_no_sentiment(score, text):
    (value,) = score([text])

    assert value.values.shape == (0,)
    assert value.summary is None


def test_odd_texts_are_scored(score):
    values = score(["\ud800 bad", "!!!", "a" * 100_000, "sehr gut — 很好"])

    assert len(values) == 4
    assert values[0].summary < 0
