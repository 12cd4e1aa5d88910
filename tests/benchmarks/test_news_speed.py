"""All word-level findings of a study of the paper's size, with intervals and floors, in 20 s on one core."""

import random
import time
import tracemalloc

import pytest
from figures import at_most, figure, title

from biasprint.core.findings import Finding
from biasprint.core.studies.news.level import design_of
from biasprint.core.studies.news.level_findings import level_findings
from biasprint.core.studies.news.mentions import measure_words, word_floors
from biasprint.core.studies.news.table import NewsTable, group_axis, news_table

pytestmark = pytest.mark.bench

PAIRS, ORIGINAL, GENERATED = 8_629, 675, 400  # the paper's articles, and words in each
BOUND = 20.0
MEMORY_BOUND = 2.2  # for twice the pairs
PLAIN = (
    "the", "of", "and", "to", "in", "a", "said", "that", "for", "it", "was", "on", "with", "as", "at", "by", "from",
    "be", "this", "had", "not", "but", "has", "have", "were", "which", "would", "about", "two", "more", "one", "year",
    "first", "time", "people", "government", "market", "company", "week", "president", "state", "country", "report",
)  # fmt: skip
GENDER = ("he", "his", "him", "she", "her", "man", "men", "woman", "women", "mother", "father", "son", "daughter")
RACE = ("black teachers", "white police officer", "Asian students", "black doctor", "white lawyers")


def article(words: int, rng: random.Random) -> str:
    """Sentences of 12 to 28 words; four in ten mention a gender, one in twenty a race."""
    sentences = []
    while words > 0:
        sentence = rng.choices(PLAIN, k=rng.randint(12, 28))
        words -= len(sentence)
        if rng.random() < 0.4:
            for _ in range(rng.randint(1, 2)):
                sentence[rng.randrange(len(sentence))] = rng.choice(GENDER)
        if rng.random() < 0.05:
            sentence[rng.randrange(len(sentence))] = rng.choice(RACE)
        sentences.append(" ".join(sentence).capitalize() + rng.choice((".", "?", '."')))
    return " ".join(sentences)


def columns(pairs: int) -> tuple[list[str], list[str]]:
    rng = random.Random(1)
    return [article(ORIGINAL, rng) for _ in range(pairs)], [article(GENERATED, rng) for _ in range(pairs)]


def findings(originals: list[str], generated: list[str]) -> list[Finding]:
    """From texts to findings, as the study does it, for three models and five domains."""
    numbers = range(len(originals))
    table: NewsTable = news_table(
        originals,
        generated,
        [group_axis("gender"), group_axis("race")],
        headlines=[f"headline {number}" for number in numbers],
        models=[f"model {number % 3}" for number in numbers],
        domains=[f"domain {number % 5}" for number in numbers],
    )
    design = design_of(table)
    found: list[Finding] = []
    for axis in table.axes:
        found += level_findings(measure_words(table, axis), design, word_floors(table, axis, design, 0, 10_000))
    return found


def peak(pairs: int) -> float:
    """Megabytes at the most, beside the texts."""
    texts = columns(pairs)
    tracemalloc.start()
    findings(*texts)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most / 1e6


def test_word_level_of_the_papers_size() -> None:
    texts = columns(PAIRS)
    findings(texts[0][:20], texts[1][:20])  # what is imported is imported
    title(f"Word level: {PAIRS:,} pairs of {ORIGINAL} and {GENERATED} words, gender and race, on one core")
    began = time.process_time()
    found = findings(*texts)
    seconds = time.process_time() - began
    assert all(finding.interval for finding in found if finding.estimate is not None and "share" not in finding.id)
    figure(f"{len(found)} findings with intervals and floors", seconds, "s")
    half, whole = peak(1_000), peak(2_000)
    figure("memory at the most for 1,000 pairs, beside the texts", half, "MB")
    figure("for 2,000 pairs", whole, "MB")
    at_most("seconds", seconds, BOUND, "s", f"word level of news, {PAIRS:,} pairs of articles, two axes")
    at_most("memory for twice the pairs", whole / half, MEMORY_BOUND, "times")
