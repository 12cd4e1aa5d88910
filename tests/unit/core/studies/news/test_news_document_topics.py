"""Topics of articles: bags of lemmas, the number of topics, and what is read from a model."""

import itertools
import pickle
from math import log

import numpy as np
import pytest
from gensim.models import LdaModel

from biasprint.core.errors import JobCancelled
from biasprint.core.jobs import JobContext, Progress
from biasprint.core.studies.news.topics import (
    NO_TOPIC,
    TopicModel,
    bags_of,
    candidate_topics,
    fewest_as_good,
    held_out_loss,
    learn_topics,
    runs_of,
    too_many_topics,
)

TOPICS = (
    "rose soil petal hedge lawn tulip spade orchard",
    "engine piston valve gear motor turbine axle clutch",
    "bank loan tax budget wage profit bond price",
    "storm rain cloud flood frost thunder drought river",
)
FILLING = ["the", "of", "and", "to", "for", "on", "was", "near"]


def written(articles: int, seed: int, sentences: int = 12) -> list[list[str]]:
    """Articles of one main topic and a little of the others; every sentence is about one."""
    rng = np.random.default_rng(seed)
    made = []
    for place in range(articles):
        shares = np.full(4, 0.1)
        shares[place % 4] = 0.7
        topics = rng.choice(4, sentences, p=shares)
        made.append(
            [" ".join([*rng.choice(TOPICS[topic].split(), 7), *rng.choice(FILLING, 3)]) + "." for topic in topics]
        )
    return made


@pytest.fixture(scope="module")
def learnt() -> tuple[TopicModel, list[list[str]]]:
    articles = written(150, seed=1)
    bags = bags_of(articles)
    model = learn_topics(bags.articles, list(map(str, range(150))), bags.vocabulary, candidates=(2, 4, 40), seed=1)
    assert isinstance(model, TopicModel)
    return model, articles


def test_bags_count_lemmas_and_leave_out_words_of_one_article() -> None:
    bags = bags_of([["The sons ran.", "A son!"], ["The sons of Rome."]])
    assert bags.vocabulary == ("son", "the")
    assert bags.sentences == (([(0, 1), (1, 1)], [(0, 1)]), ([(0, 1), (1, 1)],))
    assert bags.articles == [[(0, 2), (1, 1)], [(0, 1), (1, 1)]]


def test_an_article_is_cut_into_runs_of_sentences() -> None:
    sentences = [[(0, 1)], [(0, 1), (1, 1)], [(2, 1)], [], [(1, 4)]]
    assert runs_of(sentences, 2) == [[(0, 2), (1, 1)], [(2, 1)], [(1, 4)]]
    assert runs_of([], 2) == []


def test_the_papers_candidates_come_out_for_the_papers_corpus() -> None:
    assert candidate_topics(8 * 8629) == (200, 250, 300)
    # A hundredth of the articles: a tenth of the topics.
    assert candidate_topics(690) == (20, 25, 30)
    assert candidate_topics(3) == (2,)


def test_perplexity_prefers_the_planted_number_of_topics(learnt: tuple[TopicModel, list[list[str]]]) -> None:
    model, _ = learnt
    assert model.topics == 4
    assert set(model.tried) == {2, 4, 40}
    assert model.tried[4] < 0.9 * model.tried[2]


def test_every_planted_topic_is_found_and_named_by_its_own_words(learnt: tuple[TopicModel, list[list[str]]]) -> None:
    model, _ = learnt
    shown = {frozenset(model.relevant_words(topic, 6)) for topic in range(4)}
    planted = [frozenset(bags_of([[words]] * 2).vocabulary) for words in TOPICS]
    assert all(any(words <= own for words in shown) for own in planted)


def test_sentences_are_given_to_their_topic(learnt: tuple[TopicModel, list[list[str]]]) -> None:
    model, _ = learnt
    number = {word: place for place, word in enumerate(model.vocabulary)}
    bags = [[(number[word], 1) for word in words] for words in (["hedge", "tulip"], ["piston", "valve"], ["tulip"])]
    first, second, third = model.likeliest([*bags])
    assert first == third != second
    assert model.likeliest([[]]).tolist() == [NO_TOPIC]
    assert not model.proportions([[]]).any()


def test_relevance_by_hand() -> None:
    class State:
        def get_lambda(self) -> np.ndarray:
            return np.array([[6.0, 4.0], [2.0, 8.0]])

    class Model:
        num_topics, state = 2, State()

        def get_topics(self) -> np.ndarray:
            return np.array([[0.6, 0.4], [0.2, 0.8]])

    # p(w) = (0.4, 0.6). Topic 0: a: .6 log .6 + .4 log (.6/.4) = −0.144; b: .6 log .4 + .4 log (.4/.6) = −0.712.
    assert 0.6 * log(0.6) + 0.4 * log(1.5) == pytest.approx(-0.1443, abs=1e-4)
    # Topic 1: a: .6 log .2 + .4 log .5 = −1.243; b: .6 log .8 + .4 log (.8/.6) = −0.019.
    model = TopicModel(Model(), ("a", "b"), {}, 2)
    assert [model.relevant_words(topic) for topic in (0, 1)] == [["a", "b"], ["b", "a"]]


def test_held_out_loss_by_hand() -> None:
    class Model:
        def inference(self, bags: list) -> tuple[np.ndarray, None]:
            assert bags == [[(0, 2), (1, 1)]]
            return np.array([[3.0, 1.0]]), None

        def get_topics(self) -> np.ndarray:
            return np.array([[0.9, 0.1], [0.5, 0.5]])

    # θ = (¾, ¼): p(0) = .75 · .9 + .25 · .5 = .8 and p(1) = .75 · .1 + .25 · .5 = .2; three times word 0, once word 1.
    loss = held_out_loss(Model(), [([(0, 2), (1, 1)], [(0, 3), (1, 1)])])
    assert loss == pytest.approx([-(3 * log(0.8) + log(0.2))])


def test_of_numbers_that_predict_equally_well_the_fewest_are_taken() -> None:
    words = np.full(4, 100.0)
    losses = {
        2: np.array([400.0, 420, 410, 430]),
        4: np.array([300.0, 310, 300, 310]),
        40: np.array([301.0, 303, 304, 309]),
    }
    # 4 against 40: differences −1, 7, −4, 1 add up to 3; √(4/3 · Σ (d − ¾)²) = √(4/3 · 64.75) = 9.3: as good.
    assert fewest_as_good(losses, words) == 4
    # 5 more in every article is no chance: all differences are alike.
    assert fewest_as_good({**losses, 4: losses[40] + 5}, words) == 40


def test_equal_texts_get_equal_topics_wherever_they_stand(learnt: tuple[TopicModel, list[list[str]]]) -> None:
    model, articles = learnt
    bags = bags_of(articles).articles
    alone = model.proportions(bags[7:8])[0]
    assert (model.proportions([bags[7], *bags[:20], bags[7]])[[0, -1]] == alone).all()


def test_the_same_seed_gives_the_same_topics_and_another_may_not() -> None:
    bags = bags_of(written(40, seed=2))
    stories = list(map(str, range(40)))
    one, again = (learn_topics(bags.articles, stories, bags.vocabulary, candidates=(4,), seed=9) for _ in range(2))
    other = learn_topics(bags.articles, stories, bags.vocabulary, candidates=(4,), seed=10)
    tables = [model.model.get_topics() for model in (one, again, other)]  # type: ignore[union-attr]
    assert (tables[0] == tables[1]).all()
    assert not np.allclose(tables[0], tables[2])
    assert one.tried == {}  # type: ignore[union-attr]


def test_articles_of_one_story_are_held_out_together(monkeypatch: pytest.MonkeyPatch) -> None:
    bags = bags_of(written(120, seed=4, sentences=3))
    seen = []

    def watched(model: object, testing: list) -> np.ndarray:
        seen.append(len(testing))
        return np.ones(len(testing))

    monkeypatch.setattr("biasprint.core.studies.news.topics.held_out_loss", watched)
    stories = [str(place // 2) for place in range(120)]
    learn_topics(bags.articles, stories, bags.vocabulary, candidates=(2, 3), seed=1)
    assert seen == [12, 12]  # six of sixty stories, two articles each


def test_more_topics_than_the_corpus_allows_is_a_reason() -> None:
    assert "250 topics" in too_many_topics((250, 300), 40, 900)
    assert too_many_topics((250, 20), 40, 900) == ""
    assert "two articles" in too_many_topics((2,), 1, 50)
    assert "at least two topics" in too_many_topics((1,), 40, 900)
    bags = bags_of(written(8, seed=2, sentences=3))
    stories = list(map(str, range(8)))
    assert learn_topics(bags.articles, stories, bags.vocabulary, candidates=(200,)) == (
        f"200 topics are more than 8 articles with {len(bags.vocabulary)} repeated words allow"
    )
    assert isinstance(learn_topics([], [], []), str)
    # Only what the corpus allows is tried.
    small = learn_topics(bags.articles, stories, bags.vocabulary, candidates=(3, 200))
    assert isinstance(small, TopicModel)
    assert small.topics == 3


def test_learning_tells_how_many_articles_its_models_have_read_and_stops_where_it_is_cancelled() -> None:
    bags = bags_of(written(120, seed=4, sentences=3))
    stories, heard = list(map(str, range(120))), list[Progress]()
    clock = iter(range(10**6))
    ctx = JobContext(heard.append, lambda: float(next(clock)))
    learnt = learn_topics(bags.articles, stories, bags.vocabulary, candidates=(2, 3), seed=1, ctx=ctx)
    assert isinstance(learnt, TopicModel)
    # Five passes of two models over 108 articles, 12 being held out, and of the last one over all.
    assert {one.total for one in heard} == {5 * (2 * 108 + 120)}
    done = [one.done for one in heard]
    assert done == sorted(set(done))
    assert done[-1] == heard[-1].total
    assert max(later - before for before, later in itertools.pairwise(done)) <= 10  # a batch
    assert all(one.rate and one.seconds_left is not None for one in heard[1:])
    assert heard[0].note == "articles read for a model of 2 topics"

    cancelled = JobContext(lambda progress: cancelled.cancel(), lambda: 0.0)
    with pytest.raises(JobCancelled):
        learn_topics(bags.articles, stories, bags.vocabulary, candidates=(2, 3), seed=1, ctx=cancelled)


def test_a_model_that_tells_how_far_it_is_is_the_one_that_gensim_trains_in_silence() -> None:
    bags = bags_of(written(60, seed=4, sentences=3))
    ours = learn_topics(bags.articles, ["one"] * 60, bags.vocabulary, candidates=(3,), seed=7)
    assert isinstance(ours, TopicModel)
    plain = LdaModel(
        bags.articles, 3, dict(enumerate(bags.vocabulary)), random_state=7, chunksize=10, passes=5, eval_every=None,
        dtype=np.float64,
    )  # fmt: skip
    assert np.array_equal(ours.model.get_topics(), plain.get_topics())
    pickle.dumps(ours.model)
