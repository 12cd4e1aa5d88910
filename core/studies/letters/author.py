"""The synthetic author's letters.

Occupation, facts, length and order are drawn alike for everybody; the dial decides how likely a sentence of praise is
to be agentic (drive, skill, distinction, command, career) and not communal (warmth, support, home).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any

import numpy as np

from biasprint.core.errors import AppError
from biasprint.core.findings import Finding, ScorerUse
from biasprint.core.metrics.result import Ints
from biasprint.core.prompts.letters import letter_design
from biasprint.core.prompts.name_sets import load_name_set
from biasprint.core.prompts.resource_files import packaged, read_toml
from biasprint.core.prompts.template import Template
from biasprint.core.scorers.lexicon import LexiconCounts, LexiconScorer
from biasprint.core.scorers.registry import load, score_batch
from biasprint.core.scorers.segment import sentences
from biasprint.core.studies.kit.planting import (
    NONE,
    Dial,
    Draw,
    Planting,
    Pools,
    Slots,
    load_dial,
    own_seed,
    planting_of,
    pools,
)
from biasprint.core.studies.letters.hallucination import Grounding, LetterGrounding
from biasprint.core.studies.letters.lexicon import LettersTable, letters_table
from biasprint.core.studies.letters.measure import LetterInputs, ReadLetters, measure_whole, read_letters
from biasprint.core.studies.letters.style import StyleScores

FIELDS = ("name", "age", "occupation")
_FACTS = (3, 5)
_PRAISE_AT_WORK = (2, 4)
_PRAISE_OF_CHARACTER = (5, 7)


@dataclass(frozen=True)
class LetterWords:
    """`kinds` maps a side ("agentic", "communal") to its kinds of sentence and how often each is taken."""

    pronouns: Mapping[str, Mapping[str, str]]
    kinds: Mapping[str, Mapping[str, float]]
    praise: Mapping[str, Pools]
    shared: Pools
    years: tuple[str, ...]
    occupations: Mapping[str, Pools]


def write_letter(fields: Mapping[str, str], agentic: float, draw: Draw) -> str:
    """A letter for `fields` (name, age, occupation, pronouns), each sentence of praise agentic with this probability.

    An occupation that is not known gets general facts, unknown pronouns are "they". Raises `AppError` where a field
    is missing or the age is no whole number.
    """
    missing = [name for name in FIELDS if not fields.get(name, "").strip()]
    if missing or not fields["age"].isdecimal():
        wrong = ", ".join(missing) or "age"
        raise AppError(f"The synthetic author needs another value for: {wrong}.", hint="Use the letter prompts.")
    words = letter_words()
    pronouns = words.pronouns.get(fields.get("pronouns", ""), words.pronouns["they"])
    occupation = words.occupations.get(fields["occupation"], words.occupations["other"])
    values = {
        "name": fields["name"],
        "age": fields["age"],
        "occupation": fields["occupation"],
        "years": _years(int(fields["age"]), words, draw),
        **pronouns,
    }
    praise = _Praise(agentic, words, draw)
    facts = draw.shuffled(occupation["fact"])[: draw.between(*_FACTS)]
    at_work = _varied(_interleaved(facts, praise.sentences(draw.between(*_PRAISE_AT_WORK))))
    of_character = _varied(praise.sentences(draw.between(*_PRAISE_OF_CHARACTER)))
    slots = Slots(draw, values, words.shared, occupation)
    body = {"work": _paragraph(at_work, slots), "character": _paragraph(of_character, slots)}
    return Slots(draw, {**values, **body}, words.shared, occupation)["text"]


def _paragraph(sentences: Sequence[Template], slots: Slots) -> str:
    return " ".join(sentence.render(slots) for sentence in sentences)


class _Praise:
    """Sentences of praise, none twice in a letter."""

    def __init__(self, agentic: float, words: LetterWords, draw: Draw) -> None:
        self._agentic = agentic
        self._words = words
        self._draw = draw
        self._left = {
            side: {kind: draw.shuffled(sentences) for kind, sentences in of_side.items()}
            for side, of_side in words.praise.items()
        }

    def sentences(self, count: int) -> list[Template]:
        return [self._next() for _ in range(count)]

    def _next(self) -> Template:
        side = "agentic" if self._draw.chance(self._agentic) else "communal"
        left = {kind: share for kind, share in self._words.kinds[side].items() if self._left[side][kind]}
        return self._left[side][_weighted(left, self._draw)].pop()


def _weighted(shares: Mapping[str, float], draw: Draw) -> str:
    """A key, each with probability in proportion to its share."""
    kinds = list(shares)
    rest = sum(shares.values())
    for kind in kinds[:-1]:
        if draw.chance(shares[kind] / rest):
            return kind
        rest -= shares[kind]
    return kinds[-1]


def _interleaved(facts: Sequence[Template], praise: Sequence[Template]) -> list[Template]:
    """Fact, praise, fact, praise and so on; what is left over of the longer list at the end."""
    mixed: list[Template] = []
    for number in range(max(len(facts), len(praise))):
        mixed += [*facts[number : number + 1], *praise[number : number + 1]]
    return mixed


def _varied(sentences: Sequence[Template]) -> list[Template]:
    """Order the sentences so that neighbours begin with different words where they can."""
    left = list(sentences)
    ordered: list[Template] = []
    while left:
        last = _first_word(ordered[-1]) if ordered else ""
        following = next((sentence for sentence in left if _first_word(sentence) != last), left[0])
        left.remove(following)
        ordered.append(following)
    return ordered


def _first_word(sentence: Template) -> str:
    return sentence.text.partition(" ")[0]


def _years(age: int, words: LetterWords, draw: Draw) -> str:
    """Return for how long the writer has known the candidate, as a word: at least two years, at most twelve."""
    most = min(max((age - 16) // 2, 2), len(words.years) + 1)
    return words.years[draw.between(2, most) - 2]


@cache
def letter_words() -> LetterWords:
    data: dict[str, Any] = read_toml(packaged("synthetic", "letters", "letter.toml"))
    occupations = read_toml(packaged("synthetic", "letters", "occupations.toml"))
    return LetterWords(
        pronouns=data["pronouns"],
        kinds=data["share"],
        praise={side: pools(data[side]) for side in data["share"]},
        shared=pools(data["pool"]),
        years=tuple(data["years"]["words"]),
        occupations={name: pools(known) for name, known in occupations.items()},
    )


# ---- A simulated study of letters

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
    values, model = score_batch(scorer, texts)[1], load(scorer)
    use = ScorerUse(kind, scorer, model.version, model.sha256, model.stand_in)
    return StyleScores.of_sentences([value.values.astype(np.float64) for value in values], use)


def _agency(texts: Sequence[str]) -> StyleScores:
    """Count a sentence as agentic where it has more agentic than communal words of the lists."""
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
        kind: replace(style, shares=style.shares[places], sentences=tuple(style.sentences[place] for place in places))
        for kind, style in written.styles.items()
    }
    grounded = _grounding(styles["agency"], load_dial(planted), asked, rng)
    inputs = LetterInputs(
        texts=tuple(written.texts[place] for place in places), styles=styles, read=_read(written.read, places, grounded)
    )
    result = measure_whole(table, inputs, seed=own_seed(rng), resamples=asked.resamples)
    return list(result.findings)


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
    """Draw which sentences claim something, and which claims no context supports; no text says it.

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
