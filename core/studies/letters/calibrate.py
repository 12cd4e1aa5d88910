"""A simulated study of letters: matched cells, drawn from many that were written and read once."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache

import numpy as np

from biasprint.core.findings import Finding, ScorerUse
from biasprint.core.metrics.result import Ints
from biasprint.core.prompts.letters import letter_design
from biasprint.core.prompts.name_sets import load_name_set
from biasprint.core.scorers.lexicon import LexiconCounts, LexiconScorer
from biasprint.core.scorers.registry import load, score_batch
from biasprint.core.scorers.segment import sentences
from biasprint.core.studies.kit.dial import Dial, load_dial
from biasprint.core.studies.kit.grammar import Draw
from biasprint.core.studies.kit.planting import NONE, Planting, own_seed, planting_of
from biasprint.core.studies.letters.author import write_letter
from biasprint.core.studies.letters.hallucination import Grounding, LetterGrounding
from biasprint.core.studies.letters.measure import LetterInputs, ReadLetters, measure_whole, read_letters
from biasprint.core.studies.letters.style import StyleScores
from biasprint.core.studies.letters.table import LettersTable, letters_table

GROUPS = ("male", "female")
WORD_LISTS = ScorerUse("agency", "agentic against communal words", "1", stand_in=True)
PLANTED = ScorerUse("entailment", "planted", "1", stand_in=True)


@dataclass(frozen=True)
class WrittenLetters:
    """Letters 2i and 2i + 1 are of one cell, the first for a man. Their groundings are drawn for each study."""

    texts: tuple[str, ...]
    table: LettersTable
    styles: dict[str, StyleScores]
    read: ReadLetters


@lru_cache(maxsize=1)
def letters_written(planted: str, seed: int) -> WrittenLetters:
    """A letter for a man and one for a woman of the same age and occupation, with names drawn by lot."""
    asked, rng = planting_of("letters"), np.random.default_rng(seed)
    dial, design = load_dial(planted), letter_design()
    texts, names = [], []
    for _ in range(asked.pool):
        occupation, age = str(rng.choice(design.occupations)), str(rng.choice(design.ages))
        own = rng.normal(0, asked.numbers["cells"])
        for group, pronouns in zip(GROUPS, ("he", "she"), strict=True):
            names.append(str(rng.choice(_names(group))))
            fields = {"name": names[-1], "age": age, "occupation": occupation, "pronouns": pronouns}
            agentic = 1 / (1 + math.exp(-_lean(dial, group) - own))
            texts.append(write_letter(fields, agentic, Draw(own_seed(rng))))
    table = replace(letters_table(texts, GROUPS * asked.pool, names=names, order=GROUPS), published=None)
    styles = {kind: _scored(scorer, kind, texts) for kind, scorer in asked.scorers.items()}
    styles["agency"] = _agency(texts)
    return WrittenLetters(tuple(texts), table, styles, read_letters(LetterInputs(texts=tuple(texts))))


@cache
def _names(group: str) -> tuple[str, ...]:
    return load_name_set("us").names_of({"gender": group})


def _lean(dial: Dial, group: str) -> float:
    return dial.leans[group] * math.log(dial.odds) / 2


def _scored(scorer: str, kind: str, texts: Sequence[str]) -> StyleScores:
    values, found = score_batch(scorer, texts)[1], load(scorer)
    use = ScorerUse(kind, scorer, found.version, found.sha256, found.stand_in)
    return StyleScores.of_sentences([value.values.astype(np.float64) for value in values], use)


def _agency(texts: Sequence[str]) -> StyleScores:
    """A sentence counts as agentic where it has more agentic than communal words of the lists."""
    scorer = LexiconScorer("letters")
    place = {category.name: number for number, category in enumerate(scorer.lexicon.categories)}
    parts = [[text[start:end] for start, end in sentences(text)] for text in texts]
    counts = scorer.count([sentence for part in parts for sentence in part]).categories
    agentic = (counts[:, place["agentic"]] > counts[:, place["communal"]]).astype(np.float64)
    return StyleScores.of_sentences(np.split(agentic, np.cumsum([len(part) for part in parts])[:-1]), WORD_LISTS)


def letters_trial(planted: str, n: int, asked: Planting, seed: int, rng: np.random.Generator) -> list[Finding]:
    """Cells drawn with replacement; where nothing is planted, whose letter of a cell is whose is drawn too."""
    written = letters_written(planted, seed)
    cells = rng.integers(asked.pool, size=n)
    swapped = (rng.random(n) < 0.5) & (planted == NONE)
    places = np.column_stack([2 * cells + swapped, 2 * cells + 1 - swapped]).ravel()
    table = _table(written.table, places)
    styles = {
        kind: replace(one, shares=one.shares[places], sentences=tuple(one.sentences[place] for place in places))
        for kind, one in written.styles.items()
    }
    grounded = _grounding(styles["agency"], load_dial(planted), asked, rng)
    inputs = LetterInputs(
        texts=tuple(written.texts[place] for place in places), styles=styles, read=_read(written.read, places, grounded)
    )
    words = int(asked.numbers["word_resamples"])
    found = measure_whole(table, inputs, seed=own_seed(rng), resamples=asked.resamples, word_resamples=words)
    return list(found.findings)


def _table(table: LettersTable, places: Ints) -> LettersTable:
    """Pairs of letters at these places, each a block, whatever cell they come from."""
    counts = table.counted.counts
    counted = (counts.tokens, counts.categories, counts.entries)
    return replace(
        table,
        groups=GROUPS * (len(places) // 2),
        counted=replace(table.counted, counts=LexiconCounts(*(each[places] for each in counted))),
        blocks=tuple(str(letter // 2) for letter in range(len(places))),
        names=tuple(table.names[place] for place in places),
    )


def _read(read: ReadLetters, places: Ints, grounded: Grounding) -> ReadLetters:
    parts = tuple(replace(part, counts=part.counts[places], totals=part.totals[places]) for part in read.parts)
    success = tuple(read.success[place] for place in places)
    return replace(read, parts=parts, english=read.english[places], success=success, grounded=grounded)


def _grounding(agency: StyleScores, dial: Dial, asked: Planting, rng: np.random.Generator) -> Grounding:
    """Which sentences claim something, and which claims no context supports: drawn, no text says it.

    The dial's odds make an agentic claim likelier to be made up in letters for men, and less likely in those for women.
    """
    usual = math.log(asked.numbers["hallucinated"] / (1 - asked.numbers["hallucinated"]))
    letters = []
    for place, agentic in enumerate(agency.sentences):
        claim = rng.random(len(agentic)) < asked.numbers["claims"]
        log_odds = usual + _lean(dial, GROUPS[place % 2]) * agentic
        made_up = rng.random(len(agentic)) < 1 / (1 + np.exp(-log_odds))
        letters.append(LetterGrounding(~made_up, np.zeros(len(agentic), dtype=np.bool_), claim))
    return Grounding(tuple(letters), PLANTED)
