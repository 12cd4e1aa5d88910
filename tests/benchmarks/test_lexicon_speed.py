"""Lexicon counting does 500,000 words a second on one core; segmentation is measured apart."""

import time
from collections import Counter
from collections.abc import Callable

import pytest
from figures import at_least, figure, ratio, spread, title
from spacy.lookups import load_lookups

from biasprint.core.backends.protocol import Request
from biasprint.core.backends.registry import open_backend
from biasprint.core.prompts import letters_context_less_set
from biasprint.core.scorers.lexicon import count_published, count_words, load_lexicon
from biasprint.core.scorers.segment import Word, words

pytestmark = pytest.mark.bench

RUNS = 5
SEEDS = 5
BOUND = 500_000


def letters() -> list[str]:
    """Some 600 letters of the synthetic author: about 120,000 words."""
    backend = open_backend("synthetic", "medium", {})
    requests = [
        Request(prompt.key, prompt.text, seed, fields=dict(prompt.fields) | {"task": prompt.task})
        for seed in range(SEEDS)
        for prompt in letters_context_less_set().prompts
    ]
    return [backend.generate(request, lambda text: None, lambda: None).text for request in requests]


def per_second(work: Callable[[], object], items: int) -> list[float]:
    """Items per second of processor time over all threads: what one core does, whoever else uses the machine."""
    speeds = []
    for _ in range(RUNS):
        began = time.process_time()
        work()
        speeds.append(items / (time.process_time() - began))
    return speeds


def wide_vocabulary() -> list[list[Word]]:
    """Every English lemma there is, ten times over: the most distinct words that texts of such a length could have."""
    lemmas = sorted(set(load_lookups("en", ["lemma_lookup"]).get_table("lemma_lookup").values()))
    return [[Word(lemma, lemma, 0, len(lemma)) for lemma in lemmas] for _ in range(10)]


def test_counting_and_segmenting() -> None:
    texts = letters()
    words(texts[0])  # the tables are loaded
    began = time.process_time()
    documents = [words(text) for text in texts]
    seconds = time.process_time() - began
    count = sum(map(len, documents))
    wide = wide_vocabulary()
    distinct = len(wide[0])
    tokens = [text.lower().split() for text in texts]
    raw = sum(map(len, tokens))
    lexicon, printed = load_lexicon("letters"), load_lexicon("letters_table17")
    count_words(documents[:5], lexicon)

    title(f"Counting the words of {len(texts)} letters, {count:,} words, on one core")
    ours = spread(per_second(lambda: count_words(documents, lexicon), count))
    published = spread(per_second(lambda: count_published(texts, printed), raw))
    peer = spread(per_second(lambda: [Counter(document) for document in tokens], raw))
    figure("segmenting with lemmas", count / seconds, "words/s")
    figure("counting by the default rule", ours, "words/s")
    figure(
        f"the same over {distinct:,} distinct words",
        spread(per_second(lambda: count_words(wide, lexicon), 10 * distinct)),
        "words/s",
    )
    figure("counting as published", published, "words/s")
    figure("collections.Counter over the same words", peer, "words/s")
    ratio("default rule to collections.Counter", ours.median, peer.median)
    at_least("default rule, median", ours.median, BOUND, "words/s")
    at_least("as published, median", published.median, BOUND, "words/s")
