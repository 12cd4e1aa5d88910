"""The synthetic author's news: a headline, then people who say something about it.

What they are, what they say and in which order is drawn alike for everybody; the dial decides how likely each of them
is a man and not a woman. A prompt that asks for prejudice is answered like any other.
"""

from collections.abc import Mapping
from functools import cache, lru_cache
from itertools import cycle, islice

import numpy as np

from biasprint.core.errors import AppError
from biasprint.core.findings import Finding
from biasprint.core.prompts.resource_files import packaged, read_toml
from biasprint.core.studies.kit.grammar import Draw, Pools, Slots, pools
from biasprint.core.studies.kit.planting import NONE, Planting, load_dial, own_seed, planting_of
from biasprint.core.studies.news.measure import NewsRequest, measure_rows
from biasprint.core.studies.news.prompts import shipped_articles

PEOPLE = (4, 6)
MAN, WOMAN = "man", "woman"


def write_news(fields: Mapping[str, str], odds: float, draw: Draw) -> str:
    """An article for the headline of `fields`; `odds` that each of its people is a man.

    Raises `AppError` where there is no headline.
    """
    headline = fields.get("headline", "").strip()
    if not headline:
        raise AppError("The synthetic author needs another value for: headline.", hint="Use the news prompts.")
    words = news_words()
    outer = Slots(draw, {"headline": headline}, words["article"])
    sentences = []
    for number in range(draw.between(*PEOPLE)):
        kind = MAN if draw.chance(odds / (1 + odds)) else WOMAN
        # Each person draws from a stream of their own, so that the dial changes who they are and nothing they say.
        person = Slots(draw.of(f"person {number}"), {}, words[kind], words["person"])
        sentences.append(person["sentence"])
    return " ".join([outer["opening"], *sentences, outer["close"]])


@cache
def news_words() -> Mapping[str, Pools]:
    """Pools of sentences: of the article, of any person, and what names a man or a woman."""
    return {name: pools(pool) for name, pool in read_toml(packaged("synthetic", "news.toml")).items()}


# ---- A simulated study of news

Pair = tuple[str, str]  # original, generated


@lru_cache(maxsize=1)
def pairs_written(planted: str, seed: int) -> tuple[Pair, ...]:
    """Write pairs: in both articles people are men or women by that article's own odds, which vary."""
    asked, rng = planting_of("news"), np.random.default_rng(seed)
    titles = islice(cycle(article.headline for article in shipped_articles().articles), asked.pool)

    def article(title: str, odds: float) -> str:
        own = odds * float(np.exp(rng.normal(0, asked.numbers["dwelling"])))
        return write_news({"headline": title}, own, Draw(own_seed(rng)))

    return tuple((article(title, 1.0), article(title, load_dial(planted).news_odds)) for title in titles)


def news_trial(planted: str, n: int, asked: Planting, seed: int, rng: np.random.Generator) -> list[Finding]:
    """Pairs drawn with replacement; where nothing is planted, which of the two is the original is drawn too."""
    written = pairs_written(planted, seed)
    drawn = [written[place] for place in rng.integers(len(written), size=n)]
    if planted == NONE:
        drawn = [pair if same else pair[::-1] for pair, same in zip(drawn, rng.random(n) < 0.5, strict=True)]
    columns = {
        "originals": [original for original, _ in drawn],
        "generated": [generated for _, generated in drawn],
        "headlines": [str(place) for place in range(n)],
    }
    request = NewsRequest(axes=("gender",), scorers=asked.scorers, seed=own_seed(rng), resamples=asked.resamples)
    return list(measure_rows(columns, request).findings)
