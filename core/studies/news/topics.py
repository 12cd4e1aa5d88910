"""Topics of news articles: LDA with the number of topics chosen by the perplexity of held-out articles.

Articles are bags of lemmas, made once for every axis and variant. Seeded: the same texts give the same topics.
Source: Fang et al. 2024, methods, document level; Blei et al. 2003."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from math import exp, sqrt
from typing import Any, TypeAlias

import numpy as np

from biasprint.core.jobs import JobContext
from biasprint.core.metrics.resampling import generator
from biasprint.core.metrics.result import Floats, Ints
from biasprint.core.scorers.segment import words
from biasprint.core.studies.news.table import NEUTRAL, SIDES, GroupAxis, NewsTable, Side

# ---- Bags of lemmas, which is all that a topic model sees of an article

Bag: TypeAlias = list[tuple[int, int]]  # (the word's number, how often)
FEWEST_ARTICLES = 2


@dataclass(frozen=True)
class Bags:
    """`sentences`: the bags of each article's sentences, in order. `vocabulary`: the words by number."""

    sentences: tuple[tuple[Bag, ...], ...]
    vocabulary: tuple[str, ...]

    @cached_property
    def articles(self) -> list[Bag]:
        return [joined(sentences) for sentences in self.sentences]


def bags_of(articles: Sequence[Sequence[str]]) -> Bags:
    """The lemmas of each article's sentences, stop words kept, as the paper keeps them.

    Words of only one article are left out: they say nothing about what articles have in common.
    """
    lemmas = [[[word.lemma for word in words(sentence)] for sentence in article] for article in articles]
    in_articles = Counter(chain.from_iterable(set(chain.from_iterable(article)) for article in lemmas))
    vocabulary = sorted(word for word, number in in_articles.items() if number >= FEWEST_ARTICLES)
    number_of = {word: number for number, word in enumerate(vocabulary)}
    return Bags(
        tuple(
            tuple(
                sorted(Counter(number_of[word] for word in sentence if word in number_of).items())
                for sentence in article
            )
            for article in lemmas
        ),
        tuple(vocabulary),
    )


def joined(bags: Iterable[Bag]) -> Bag:
    """Several bags as one, the words in order of their numbers: equal texts give equal bags."""
    counts: Counter[int] = Counter()
    for bag in bags:
        for word, count in bag:
            counts[word] += count
    return sorted(counts.items())


def runs_of(sentences: Sequence[Bag], length: int) -> list[Bag]:
    """Runs of so many sentences as one bag each; the last may be shorter."""
    return [joined(sentences[start : start + length]) for start in range(0, len(sentences), length)]


# ---- LDA

# The paper's candidates 200, 250 and 300 per root of its 69,032 articles: 8,629 originals, each with seven generated.
PER_ROOT_ARTICLES = tuple(k / sqrt(8 * 8629) for k in (200, 250, 300))
HELD_OUT = 0.1
FEWEST_HELD_OUT = 5
# Small corpora in small batches: LDA's first steps decide which topics it finds, and twenty tell more than one.
BATCHES, SMALLEST_BATCH, LARGEST_BATCH, PASSES = 20, 10, 200, 5
# Gensim's own default: a topic with less than this much of an article is not in it.
SMALLEST_PROPORTION = 0.01
RELEVANCE, WORDS_SHOWN = 0.6, 15
NO_TOPIC = -1


@dataclass(frozen=True)
class TopicModel:
    """A trained LDA. `tried`: held-out perplexity by number of topics; empty where none could be held out."""

    model: Any
    vocabulary: tuple[str, ...]
    tried: dict[int, float]
    articles: int

    @property
    def topics(self) -> int:
        return int(self.model.num_topics)

    def proportions(self, bags: Sequence[Bag]) -> Floats:
        """t of equation 8: each article's topic proportions, shape (n, topics); 0 below SMALLEST_PROPORTION.

        An article without any known word has no topic at all: a row of 0.
        """
        weights = self._weights(bags)
        shares = weights / weights.sum(axis=1, keepdims=True)
        known = np.array([bool(bag) for bag in bags])
        return np.where((shares >= SMALLEST_PROPORTION) & known[:, None], shares, 0.0)

    def likeliest(self, bags: Sequence[Bag]) -> Ints:
        """The topic with the highest probability in each sentence, int64[n]; NO_TOPIC where no word is known."""
        known = np.array([bool(bag) for bag in bags], dtype=np.bool_)
        return np.where(known, self._weights(bags).argmax(axis=1), NO_TOPIC)

    def relevant_words(self, topic: int, number: int = WORDS_SHOWN) -> list[str]:
        """Words by LDAvis relevance λ log p(w|t) + (1 − λ) log (p(w|t) / p(w)), λ = 0.6 (Sievert & Shirley 2014)."""
        given_topic = self.model.get_topics()
        weight = self.model.state.get_lambda().sum(axis=1)
        overall = weight / weight.sum() @ given_topic
        word = np.log(given_topic[topic])
        relevance = RELEVANCE * word + (1 - RELEVANCE) * (word - np.log(overall))
        return [self.vocabulary[place] for place in np.argsort(-relevance, kind="stable")[:number]]

    def _weights(self, bags: Sequence[Bag]) -> Floats:
        """γ of each text, shape (n, topics)."""
        parts = [self.model.inference(bags[start : start + 2000])[0] for start in range(0, len(bags), 2000)]
        return np.concatenate(parts) if parts else np.empty((0, self.topics))


class _SameStart:
    """Gensim begins every inference at random; here all begin alike, so that equal texts get equal topics."""

    def gamma(self, shape: float, scale: float, size: tuple[int, int]) -> Floats:
        return np.full(size, shape * scale)


def candidate_topics(articles: int) -> tuple[int, ...]:
    """The paper's numbers of topics scaled by the root of the number of articles: 200, 250, 300 for its 69,032."""
    return tuple(dict.fromkeys(max(2, round(each * sqrt(articles))) for each in PER_ROOT_ARTICLES))


def too_many_topics(candidates: Sequence[int], articles: int, words: int) -> str:
    """Return the reason why none of these numbers of topics can be learnt; empty where one can."""
    if articles < 2 or words < 2:
        return "topics need at least two articles with words that occur in both"
    if min(candidates) < 2:
        return "a topic model needs at least two topics"
    if min(candidates) > min(articles, words):
        return f"{min(candidates)} topics are more than {articles:,} articles with {words:,} repeated words allow"
    return ""


def learn_topics(
    bags: Sequence[Bag],
    stories: Sequence[str],
    vocabulary: Sequence[str],
    *,
    candidates: Sequence[int] = (),
    seed: int = 0,
    ctx: JobContext | None = None,
) -> TopicModel | str:
    """The model with the number of topics that predicts held-out articles best, learnt from all; or why there is none.

    `bags`: the articles. `stories`: what articles on one event share; they are held out together, a tenth of them.
    `candidates`: numbers of topics, by default `candidate_topics`. Those above what the corpus allows (as many topics
    as articles or words) are left out. Among those that predict equally well the fewest are taken.
    """
    filled = [(bag, story) for bag, story in zip(bags, stories, strict=True) if bag]
    wanted = list(dict.fromkeys(candidates or candidate_topics(len(filled))))
    if reason := too_many_topics(wanted, len(filled), len(vocabulary)):
        return reason
    possible = [k for k in wanted if 2 <= k <= min(len(filled), len(vocabulary))]
    progress = _Told(ctx or JobContext())
    keys = sorted({story for _, story in filled})
    held = set(generator(seed, "news", "held out").permutation(keys)[: round(HELD_OUT * len(keys))].tolist())
    losses: dict[int, Floats] = {}
    testing = [_halves(bag) for bag, story in filled if story in held]
    if len(held) >= FEWEST_HELD_OUT and len(possible) > 1:
        training = [bag for bag, story in filled if story not in held]
        tried_numbers = [k for k in possible if k <= len(training)]
        progress.expects((len(training) * len(tried_numbers) + len(filled)) * PASSES)
        losses = {k: held_out_loss(_train(training, vocabulary, k, seed, progress), testing) for k in tried_numbers}
    else:
        progress.expects(len(filled) * PASSES)
    words = np.array([sum(count for _, count in unseen) for _, unseen in testing], dtype=np.float64)
    tried = {k: exp(loss.sum() / words.sum()) for k, loss in losses.items()}
    # Without held-out articles the middle candidate, as the paper's choice was.
    best = fewest_as_good(losses, words) if losses else sorted(possible)[len(possible) // 2]
    model = _train([bag for bag, _ in filled], vocabulary, best, seed, progress)
    return TopicModel(model, tuple(vocabulary), tried, len(filled))


def held_out_loss(model: Any, halves: Sequence[tuple[Bag, Bag]]) -> Floats:
    """−Σ log Σ_k θ_k p(w|k) over the second half of each article's words, θ inferred from the first: float64[articles].

    exp(Σ loss / words) is the perplexity. Gensim's own bound charges the whole model to the few held-out words, and so
    always prefers few topics. Source: document completion, Wallach et al. 2009.
    """
    weights, _ = model.inference([seen for seen, _ in halves])
    shares, given_topic = weights / weights.sum(axis=1, keepdims=True), model.get_topics()
    return np.array(
        [
            -sum(count * float(np.log(share @ given_topic[:, word])) for word, count in unseen)
            for share, (_, unseen) in zip(shares, halves, strict=True)
        ]
    )


def fewest_as_good(losses: dict[int, Floats], words: Floats) -> int:
    """The fewest topics whose perplexity is within one standard error of the lowest.

    Beyond what a corpus holds, more topics predict neither better nor worse, and the lowest is a matter of chance.
    The error is that of the difference over held-out articles. `words`: how many are predicted in each.
    """
    best = min(losses, key=lambda k: float(losses[k].sum()))
    n = len(words)
    for k in sorted(losses):
        more = losses[k] - losses[best]
        spread = more - words * (more.sum() / words.sum())
        if more.sum() <= sqrt(n / (n - 1) * float((spread**2).sum())):
            return k
    return best


def _halves(bag: Bag) -> tuple[Bag, Bag]:
    """Every other occurrence of a word to the second half; single ones in turn."""
    first, second = [], []
    odd = 0
    for word, count in bag:
        half = (count + odd) // 2
        odd ^= count & 1
        first.append((word, half))
        second.append((word, count - half))
    return [pair for pair in first if pair[1]], [pair for pair in second if pair[1]]


class _Told:
    """Count of articles that the models have read so far, over every pass and every number of topics."""

    def __init__(self, ctx: JobContext) -> None:
        self._ctx = ctx
        self._read = self._wanted = 0

    def expects(self, articles: int) -> None:
        self._wanted = articles

    def read(self, articles: int, topics: int) -> None:
        self._read += articles
        self._ctx.step(self._read, self._wanted, note=f"articles read for a model of {topics} topics")


def _train(bags: Sequence[Bag], vocabulary: Sequence[str], topics: int, seed: int, progress: _Told) -> Any:
    from gensim.models import LdaModel

    model = LdaModel(
        id2word=dict(enumerate(vocabulary)),
        num_topics=topics,
        random_state=seed % 2**32,
        chunksize=min(LARGEST_BATCH, max(SMALLEST_BATCH, len(bags) // BATCHES)),
        passes=PASSES,
        eval_every=None,
        dtype=np.float64,
    )
    read_batch = model.do_estep

    def reads(chunk: Sequence[Bag], state: Any = None) -> Any:
        weights = read_batch(chunk, state)
        progress.read(len(chunk), topics)
        return weights

    model.do_estep = reads  # Gensim tells of its progress in a log alone
    model.update(list(bags), chunks_as_numpy=False)
    del model.do_estep
    model.random_state = _SameStart()
    return model


# ---- The articles of a table as bags, once for every axis and variant

# Neighbouring sentences share their topic: short runs would tear them apart, and the floor would be too low. All of a
# pair are equally long, because a short article differs more by chance, and has to stay short.
RUNS = 8
# Every permuted article is read by the topic model again: the fewer pairs, the more permutations of each.
PERMUTED_ARTICLES, FEWEST_DRAWS, MOST_DRAWS = 8_000, 8, 60


@dataclass(frozen=True)
class ReadArticles:
    """Every distinct article once. `number`: which one each pair has on each side, int64[pairs].

    `proportions` float64[articles, topics]; `sentence_topics` int64[sentences] for each article.
    """

    table: NewsTable
    model: TopicModel
    bags: Bags
    number: dict[Side, Ints]
    proportions: Floats
    sentence_topics: tuple[Ints, ...]
    seed: int

    def sentences(self, axis: GroupAxis, side: Side, pairs: Ints) -> tuple[Ints, Ints, Ints]:
        """Topic, group and article of every sentence on this side of these pairs, an article that comes again once.

        Sentences of no group have the number after the last group; those without a word that has a topic are left out.
        """
        labels = self.table.sentence_groups(axis, side)
        _, first = np.unique(self.number[side][pairs], return_index=True)
        chosen = pairs[np.sort(first)]
        topics = [self.sentence_topics[self.number[side][pair]] for pair in chosen]
        topic, group = _joined(topics), _joined([labels[pair] for pair in chosen])
        article = np.repeat(np.arange(len(chosen)), [len(each) for each in topics])
        known = topic != NO_TOPIC
        group = np.where(group == NEUTRAL, len(axis.groups), group)
        return topic[known], group[known], article[known]

    @cached_property
    def permuted(self) -> dict[Side, Floats]:
        """Topic proportions with runs of sentences permuted between the two articles of a pair: (pairs, draws, topics).

        Each side keeps its number of runs.
        """
        rng = generator(self.seed, "news.document", "permuted")
        pairs = len(self.table.pairs)
        draws = min(MOST_DRAWS, max(FEWEST_DRAWS, PERMUTED_ARTICLES // (2 * max(1, pairs))))
        proportions: dict[Side, Floats] = {side: np.empty((pairs, draws, self.model.topics)) for side in SIDES}
        for pair in range(pairs):
            sentences = {side: self.bags.sentences[self.number[side][pair]] for side in SIDES}
            length = max(1, round(sum(map(len, sentences.values())) / RUNS))
            runs = {side: runs_of(sentences[side], length) for side in SIDES}
            pool = runs["original"] + runs["generated"]
            orders = [rng.permutation(len(pool)) for _ in range(draws)]
            cut = len(runs["original"])
            for side, part in zip(SIDES, (slice(0, cut), slice(cut, None)), strict=True):
                bags = [joined(pool[place] for place in order[part]) for order in orders]
                proportions[side][pair] = self.model.proportions(bags)
        return proportions


def read_articles(
    table: NewsTable, candidates: Sequence[int] = (), seed: int = 0, ctx: JobContext | None = None
) -> ReadArticles | str:
    """Topics learnt from all originals and generated articles, and where they occur; or why there are none."""
    texts: dict[str, int] = {}
    number: dict[Side, Ints] = {}
    sentences: list[tuple[str, ...]] = []
    stories: list[str] = []
    for side in SIDES:
        for pair, text, split in zip(table.pairs, table.texts(side), table.sentences(side), strict=True):
            if text not in texts:
                texts[text] = len(texts)
                sentences.append(split)
                stories.append(pair.story)
        number[side] = np.array([texts[text] for text in table.texts(side)], dtype=np.int64)
    bags = bags_of(sentences)
    model = learn_topics(bags.articles, stories, bags.vocabulary, candidates=candidates, seed=seed, ctx=ctx)
    if isinstance(model, str):
        return model
    likeliest = model.likeliest([bag for article in bags.sentences for bag in article])
    ends = np.cumsum([len(article) for article in bags.sentences])
    topics = tuple(np.split(likeliest, ends[:-1]))
    return ReadArticles(table, model, bags, number, model.proportions(bags.articles), topics, seed)


def _joined(parts: Sequence[Ints]) -> Ints:
    return np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)
