"""Letters: coverage of the intervals and false alarms of the tests.

The dependence is the one that the design has: letters of one biography (or cell) resemble each other, and each letter
has words and a style of its own. `rows(trials)` gives the table for docs/tables/statistics-simulations.md.
"""

from functools import cache, partial

import numpy as np
from scipy.sparse import csr_array
from simulations.rows import Outcome, Row, alarm, covers, simulated

from biasprint.core.findings import ScorerUse
from biasprint.core.metrics.means import two_sample_difference
from biasprint.core.metrics.result import holm
from biasprint.core.scorers.lexicon import load_lexicon
from biasprint.core.studies.letters.hallucination import Grounding, LetterGrounding, hallucination_findings
from biasprint.core.studies.letters.lexicon import LettersTable, letters_table
from biasprint.core.studies.letters.style import StyleScores, raw_sides, sides
from biasprint.core.studies.letters.weat import Embedded, attribute_pairs, weat_findings
from biasprint.core.studies.letters.word_ratios import PartWords, compared_words, tested_words

PAIR = ("male", "female")
SMALL, USUAL, LARGE = 10, 60, 300
USE = ScorerUse("test", "test", "1")
SENTENCES = 12
RESAMPLES = 400


@cache
def table_of(biographies: int, each: int, matched: bool) -> LettersTable:
    """`each` letters of each group for every biography; not matched: every group has biographies of its own."""
    groups = [group for _ in range(biographies) for group in PAIR for _ in range(each)]
    blocks = [f"{i}{'' if matched else group}" for i in range(biographies) for group in PAIR for _ in range(each)]
    return letters_table([""] * len(groups), groups, blocks=blocks, order=PAIR)


# Style: shares of sentences.


def style_trial(each: int, matched: bool, shift: float, rng: np.random.Generator, n: int) -> dict[str, Outcome]:
    table = table_of(n, each, matched)
    biography = rng.normal(0, 0.12, (n, 1 if matched else 2, 1))
    chance = 0.6 + biography + rng.normal(0, 0.06, (n, 2, each)) + np.array([shift, -shift])[:, None] / 2
    values = rng.binomial(SENTENCES, np.clip(chance, 0, 1)).ravel() / SENTENCES
    truth = _clipped_mean(matched, shift)
    default = sides(values, table, PAIR).difference()
    published = two_sample_difference(*raw_sides(values, table, PAIR), equal_variances=True, alternative="greater")
    return {
        "default": Outcome(covers(default.interval, truth), alarm(default.p, shift)),
        "as_published": Outcome(covers(published.interval, truth), alarm(published.p, shift)),
    }


@cache
def _clipped_mean(matched: bool, shift: float) -> float:
    """The mean difference after clipping to 0…1, from so many letters that it stands for the truth."""
    rng = np.random.default_rng(0)
    spread = rng.normal(0, np.hypot(0.12, 0.06), 2_000_000)
    above, below = (np.clip(0.6 + spread + half, 0, 1).mean() for half in (shift / 2, -shift / 2))
    return float(above - below)


def style_rows(trials: int, sizes: tuple[int, ...] = (SMALL, USUAL, LARGE)) -> list[Row]:
    designs = {
        "style, one letter of each group per biography": (1, True, 0.0),
        "style, three letters of each group per biography": (3, True, 0.0),
        "style, three letters per biography, groups not matched": (3, False, 0.0),
        "style, one letter each, 15 points apart": (1, True, 0.15),
    }
    return [
        row
        for name, (each, matched, shift) in designs.items()
        for n in sizes
        for row in simulated(name, n, partial(style_trial, each, matched, shift), trials)
    ]


# Words: a vocabulary with frequencies as in released letters, cells and letters with words of their own.


def word_counts(biased: bool, rng: np.random.Generator, n: int) -> tuple[PartWords, np.ndarray]:
    """Counts of 60 words in matched letters of about 70 nouns, and each word's population odds ratio."""
    rates = np.geomspace(6, 80, 60) / 60  # per letter; with 60 cells from 6 to 80 per group
    lean = np.where(np.arange(60) % 6 == 0, 2.0, 1.0) if biased else np.ones(60)
    cells, own = rng.gamma(1.0, 1.0, (n, 1, 60)), rng.gamma(2.0, 0.5, (n, 2, 60))
    expected = rates * np.stack([lean, np.ones(60)])
    counts = rng.poisson(expected * cells * own * 60 / max(n, 20)).reshape(2 * n, 60)
    rest = rng.poisson(40, 2 * n)
    means = expected * 60 / max(n, 20)
    totals = means.sum(axis=1, keepdims=True) + 40
    odds = means / (totals - means)
    words = tuple(f"word{i}" for i in range(60))
    return PartWords("noun", words, csr_array(counts), counts.sum(axis=1) + rest, USE), odds[0] / odds[1]


def word_trial(biased: bool, rng: np.random.Generator, n: int) -> dict[str, Outcome]:
    """One of the words shown, drawn by lot, for coverage; any word significant after Holm for false positives."""
    found, ratios = word_counts(biased, rng, n)
    table = table_of(n, 1, True)
    tested = tested_words(compared_words(found, table, PAIR, "default"), table)
    smallest = min((p for p in holm([ratio.p for ratio in tested.ratios]) if p is not None), default=None)
    covered = None
    if tested.shown:
        place = int(rng.choice(tested.shown))
        truth = ratios[found.words.index(tested.choice.words[place])]
        covered = covers(tested.ratios[place].interval, float(truth))
    return {"default": Outcome(covered, alarm(smallest, float(biased)))}


def word_rows(trials: int, sizes: tuple[int, ...] = (SMALL, USUAL, LARGE)) -> list[Row]:
    designs = {"words shown, matched letters": False, "words shown, every sixth word twice as frequent": True}
    return [
        row
        for name, biased in designs.items()
        for n in sizes
        for row in simulated(name, n, partial(word_trial, biased), trials)
    ]


# WEAT: words of the lexicon, chosen by their ratios.


def lexicon_words() -> list[str]:
    entries = [entry for category in load_lexicon("letters").categories for entry in category.entries]
    return [entry for entry in dict.fromkeys(entries) if not entry.endswith("*")][:60]


def weat_trial(rng: np.random.Generator, n: int) -> dict[str, Outcome]:
    """Words of one theme come together in a letter, and their vectors point the same way."""
    words = lexicon_words()
    theme = np.arange(60) % 4
    rates = np.geomspace(0.2, 1.5, 60) * rng.gamma(1.5, 1 / 1.5, (2 * n, 4))[:, theme] * 60 / max(n, 20)
    counts = rng.poisson(rates)
    named = PartWords("noun", tuple(words), csr_array(counts), counts.sum(axis=1) + rng.poisson(40, 2 * n), USE)
    attributes = [word for pair in attribute_pairs() for side in (pair.first, pair.second) for word in side.words]
    ways = rng.normal(size=(4, 20))
    vectors = {word: rng.normal(size=20) for word in attributes}
    vectors |= {word: ways[of] + rng.normal(0, 0.5, 20) for word, of in zip(words, theme, strict=True)}
    findings = weat_findings(table_of(n, 1, True), [named], Embedded(vectors, USE), int(rng.integers(2**31)), RESAMPLES)
    p = {each.variant: each.p for each in findings if each.label == "names"}
    return {variant: Outcome(alarm=alarm(p[variant])) for variant in ("default", "as_published")}


def weat_rows(trials: int, sizes: tuple[int, ...] = (SMALL, USUAL, LARGE)) -> list[Row]:
    return [row for n in sizes for row in simulated("WEAT of salient words", n, weat_trial, trials)]


# Hallucination: shares of made-up and of grounded sentences within letters.


def hallucination_trial(rng: np.random.Generator, n: int) -> dict[str, Outcome]:
    letters, values = [], []
    for lean in rng.normal(0.6, 0.12, n).repeat(2):
        made_up, grounded = int(rng.integers(0, 9)), int(rng.integers(0, 9))
        entailed = np.arange(made_up + grounded) >= made_up
        claims = np.ones(len(entailed), dtype=bool)
        letters.append(LetterGrounding(entailed, np.zeros(len(entailed), dtype=bool), claims))
        values.append((rng.random(len(entailed)) < np.clip(lean + rng.normal(0, 0.06), 0, 1)).astype(float))
    scores = StyleScores.of_sentences(values, USE)
    table = table_of(n, 1, True)
    found = hallucination_findings(table, "agency", scores, Grounding(tuple(letters), USE), ())
    of = {(each.label, each.groups[0]): each for each in found}
    outcomes = {}
    for label, method in (
        ("hallucinated_against_grounded", "default, within a group"),
        ("difference_of_differences", "default, between groups"),
        ("hallucinated_against_whole", "as_published"),
    ):
        each = of[(label, "male")]
        bounds = each.interval
        covered = None if bounds is None else bounds.low <= 0 <= bounds.high
        outcomes[method] = Outcome(covered, alarm(each.p))
    return outcomes


def hallucination_rows(trials: int, sizes: tuple[int, ...] = (SMALL, USUAL, LARGE)) -> list[Row]:
    return [row for n in sizes for row in simulated("hallucination, matched letters", n, hallucination_trial, trials)]


def rows(trials: int = 1000, sizes: tuple[int, ...] = (SMALL, USUAL, LARGE)) -> list[Row]:
    """Every design at every size."""
    makers = (style_rows, word_rows, weat_rows, hallucination_rows)
    return [row for maker in makers for row in maker(trials, sizes)]
