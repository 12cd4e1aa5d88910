"""How texts are put together for scoring: by length, in pages that grow while they are quick."""

from itertools import chain

import numpy as np
import pytest

from biasprint.core.errors import JobCancelled
from biasprint.core.jobs import JobContext
from biasprint.core.scorers import registry
from biasprint.core.scorers.folders.loading import batches, filled
from biasprint.core.scorers.protocol import ScoreValue
from biasprint.core.texts import score


class Noting:
    """Notes the lengths of what it is given together."""

    role = name = "noting"
    version = shape = "1"
    sha256 = None
    stand_in = False

    def __init__(self):
        self.given = []

    def score(self, texts):
        self.given.append([len(text) for text in texts])
        return [ScoreValue(np.array([len(text)], np.float32), float(len(text))) for text in texts]


def test_texts_of_like_length_are_scored_together_and_come_back_in_order(monkeypatch):
    noting = Noting()
    monkeypatch.setattr(registry, "load", lambda name: noting)
    texts = ["x" * (n * 37 % 101) for n in range(100)]

    _, values = registry.score_batch("noting", texts)

    assert [value.summary for value in values] == [len(text) for text in texts]
    assert list(chain.from_iterable(noting.given)) == sorted(len(text) for text in texts)


def test_a_scorer_that_prepares_gets_many_texts_ready_before_any_of_them_is_scored(monkeypatch):
    noting, ready = Noting(), []

    def prepare(texts, check):
        check()
        assert sum(map(len, noting.given)) == len(ready)
        ready.extend(texts)

    def score(texts):
        assert set(texts) <= set(ready)
        return Noting.score(noting, texts)

    noting.prepare, noting.score = prepare, score
    monkeypatch.setattr(registry, "load", lambda name: noting)
    monkeypatch.setattr(registry, "AHEAD", 20)
    texts = [str(n) * (n * 37 % 101 + 1) for n in range(70)]

    _, values = registry.score_batch("noting", texts)

    assert [value.summary for value in values] == [len(text) for text in texts]
    assert sorted(ready) == sorted(texts)


def test_a_cancel_is_heard_while_texts_are_prepared(monkeypatch):
    noting, ctx = Noting(), JobContext()

    def prepare(texts, check):
        ctx.cancel()
        check()

    noting.prepare = prepare
    monkeypatch.setattr(registry, "load", lambda name: noting)
    with pytest.raises(JobCancelled):
        registry.score_batch("noting", ["a"], ctx)
    assert noting.given == []


def test_pages_grow_while_they_are_quick_and_shrink_when_one_takes_too_long():
    assert score.next_page(score.PAGE, 0.1) == 2 * score.PAGE
    assert score.next_page(score.LARGEST_PAGE, 0.1) == score.LARGEST_PAGE
    assert score.next_page(256, score.PAGE_SECONDS * 0.75) == 256
    assert score.next_page(256, score.PAGE_SECONDS * 2) == 128
    assert score.next_page(score.PAGE, 100) == score.PAGE


@pytest.mark.parametrize("most", [1, 3, 16])
def test_only_equal_lengths_share_a_batch_and_none_is_lost(most):
    lengths = [n * 7 % 5 for n in range(50)]
    made = list(batches(lengths, most))

    assert sorted(chain.from_iterable(made)) == list(range(50))
    assert all(len({lengths[place] for place in batch}) == 1 and len(batch) <= most for batch in made)


def test_few_tokens_are_filled_up_to_whole_groups():
    assert [filled(count, 5) for count in (1, 4, 5)] == [4, 4, 8]
    assert [filled(count, 3) for count in (1, 4, 5, 9)] == [8, 8, 8, 12]  # four of three tokens are too few
    assert filled(1, 16) == 1


def test_few_short_sequences_are_filled_up_to_as_many_tokens_as_have_equal_sums():
    assert [filled(count, 3) for count in (1, 4, 8, 9)] == [8, 8, 8, 12]
    assert [filled(1, length) for length in (1, 2, 4)] == [16, 8, 4]
