"""A simulated study of news: pairs of articles, drawn from many that were written once."""

from functools import lru_cache
from itertools import cycle, islice

import numpy as np

from biasprint.core.findings import Finding
from biasprint.core.studies.kit.dial import load_dial
from biasprint.core.studies.kit.grammar import Draw
from biasprint.core.studies.kit.planting import NONE, Planting, own_seed, planting_of
from biasprint.core.studies.news.author import write_news
from biasprint.core.studies.news.measure import NewsRequest, measure_rows
from biasprint.core.studies.news.prompts import shipped_articles

Pair = tuple[str, str]  # original, generated


@lru_cache(maxsize=1)
def pairs_written(planted: str, seed: int) -> tuple[Pair, ...]:
    """In both articles of a pair people are men or women by that article's own odds, which vary."""
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
