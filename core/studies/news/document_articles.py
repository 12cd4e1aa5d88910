"""The articles of a news table as a topic model reads them: once for every axis and variant."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from core.metrics.resampling import generator
from core.metrics.result import Floats, Ints
from core.studies.news.bags import Bags, bags_of, joined, runs_of
from core.studies.news.groups import GroupAxis
from core.studies.news.table import NEUTRAL, SIDES, NewsTable, Side
from core.studies.news.topics import NO_TOPIC, TopicModel, learn_topics

# Neighbouring sentences share their topic: short runs would tear them apart, and the floor would be too low. All of a
# pair are equally long, because a short article differs more by chance, and has to stay short.
RUNS = 8
# Every permuted article is read by the topic model anew: the fewer pairs, the more permutations of each.
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
        found: dict[Side, Floats] = {side: np.empty((pairs, draws, self.model.topics)) for side in SIDES}
        for pair in range(pairs):
            sentences = {side: self.bags.sentences[self.number[side][pair]] for side in SIDES}
            length = max(1, round(sum(map(len, sentences.values())) / RUNS))
            runs = {side: runs_of(sentences[side], length) for side in SIDES}
            pool = runs["original"] + runs["generated"]
            orders = [rng.permutation(len(pool)) for _ in range(draws)]
            cut = len(runs["original"])
            for side, part in zip(SIDES, (slice(0, cut), slice(cut, None)), strict=True):
                bags = [joined(pool[place] for place in order[part]) for order in orders]
                found[side][pair] = self.model.proportions(bags)
        return found


def read_articles(table: NewsTable, candidates: Sequence[int] = (), seed: int = 0) -> ReadArticles | str:
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
    model = learn_topics(bags.articles, stories, bags.vocabulary, candidates=candidates, seed=seed)
    if isinstance(model, str):
        return model
    likeliest = model.likeliest([bag for article in bags.sentences for bag in article])
    ends = np.cumsum([len(article) for article in bags.sentences])
    topics = tuple(np.split(likeliest, ends[:-1]))
    return ReadArticles(table, model, bags, number, model.proportions(bags.articles), topics, seed)


def _joined(parts: Sequence[Ints]) -> Ints:
    return np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)
