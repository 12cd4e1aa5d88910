"""Association of each group's salient words with pairs of word lists: `letters.weat`, as published and by default."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from biasprint.core.findings import Effect, Finding, ScorerUse, Variant
from biasprint.core.given import packaged_toml
from biasprint.core.metrics.odds import log_odds_ratio
from biasprint.core.metrics.resampling import generator
from biasprint.core.metrics.result import Bools, Floats, Ints, estimates_alone
from biasprint.core.metrics.similarity import (
    FEWEST_WORDS,
    NO_SPREAD,
    NOT_INTERVAL,
    TOO_FEW,
    Weat,
    association,
    effects,
    weat_of_chosen_words,
    weat_of_given_words,
)
from biasprint.core.scorers.lexicon import Lexicon
from biasprint.core.studies.kit.findings import floor, with_holm
from biasprint.core.studies.letters.lexicon import LettersTable
from biasprint.core.studies.letters.word_ratios import (
    FEWEST_OCCURRENCES,
    ComparedWords,
    PartWords,
    compared_words,
    in_categories,
    most_salient,
)

# ---- Pairs of word lists: resources/lexicons/weat.toml


@dataclass(frozen=True)
class Side:
    words: tuple[str, ...]
    groups: tuple[str, ...] = ()


@dataclass(frozen=True)
class AttributePair:
    """Two word lists; `groups` of a side say whose stereotype it is, none that it is the first group's."""

    name: str
    title: str
    first: Side
    second: Side

    def sides(self, pair: tuple[str, str]) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
        """The words that belong to the first and to the second group; None where the lists are of other groups."""
        if not self.first.groups:
            return self.first.words, self.second.words
        for first, second in ((self.first, self.second), (self.second, self.first)):
            if pair[0] in first.groups and pair[1] in second.groups:
                return first.words, second.words
        return None


@cache
def attribute_pairs() -> tuple[AttributePair, ...]:
    """The content of resources/lexicons/weat.toml."""
    data = packaged_toml("lexicons", "weat.toml")
    return tuple(
        AttributePair(each["name"], each["title"], _side(each["first"]), _side(each["second"])) for each in data["pair"]
    )


def _side(data: Mapping[str, Any]) -> Side:
    return Side(tuple(data["words"]), tuple(data.get("groups", ())))


# ---- `letters.weat`

ID = "letters.weat"
SOURCE = "Wan et al. 2023, Table 3 and appendix F.4"
CELLS = 2_000_000  # permutations × words in memory at a time
LISTED = 12

Vectors = Mapping[str, Floats]
VARIANTS: tuple[Variant, ...] = ("default", "as_published")
Chosen = tuple[tuple[str, ...], tuple[str, ...]]
NO_WORDS: Chosen = ((), ())


@dataclass(frozen=True)
class Embedded:
    """Vectors of words, and the scorer behind them. A word that is not in `vectors` has none."""

    vectors: Vectors
    scorer: ScorerUse


def words_possible(parts: Sequence[PartWords], lexicons: Sequence[Lexicon]) -> list[str]:
    """Every word whose vector the test may ask for of these letters or of any of them; by the rules of both variants.

    A choice takes words of a category that are there often enough, and leaving out letters makes none more frequent.
    """
    needed = _attribute_words()
    for part in parts:
        often = np.asarray(part.counts.sum(axis=0)).ravel() >= FEWEST_OCCURRENCES
        words = [part.words[place] for place in np.flatnonzero(often)]
        for lexicon, as_published in zip(lexicons, (False, True), strict=False):
            inside = np.flatnonzero(in_categories(words, lexicon, as_published=as_published).any(axis=1))
            needed |= {words[place]: None for place in inside}
    return list(needed)


def _attribute_words() -> dict[str, None]:
    return {word: None for each in attribute_pairs() for side in (each.first, each.second) for word in side.words}


def words_needed(table: LettersTable, parts: Sequence[PartWords]) -> list[str]:
    """Every word whose vector the test asks for: the attributes', and all that any choice could take."""
    needed = _attribute_words()
    for pair in table.pairs:
        for part in parts:
            for variant in VARIANTS[: 1 if estimates_alone() else 2]:
                choice = compared_words(part, table, pair, variant)
                in_lexicon = _in_lexicon(table, choice, variant)
                needed |= {word: None for word, inside in zip(choice.words, in_lexicon, strict=True) if inside}
    return list(needed)


def weat_findings(
    table: LettersTable, parts: Sequence[PartWords], embedded: Embedded, seed: int, resamples: int
) -> list[Finding]:
    """Each pair of groups, part of speech and pair of attributes; by default, then as published."""

    def measured(variant: Variant) -> list[Finding]:
        return [
            finding
            for pair in table.pairs
            for part in parts
            for finding in _findings(table, part, embedded, pair, variant, seed, resamples)
        ]

    default = measured("default")
    if estimates_alone():
        return default
    return with_holm(default, f"{ID}, default, {len(default)} tests") + measured("as_published")


def _findings(
    table: LettersTable,
    part: PartWords,
    embedded: Embedded,
    pair: tuple[str, str],
    variant: Variant,
    seed: int,
    resamples: int,
) -> list[Finding]:
    choice = compared_words(part, table, pair, variant)
    in_lexicon = _in_lexicon(table, choice, variant)
    known = np.array([word in embedded.vectors for word in choice.words], dtype=np.bool_)
    findings = []
    for attributes in attribute_pairs():
        sides = attributes.sides(pair)
        missing = [choice.words[place] for place in np.flatnonzero(in_lexicon & ~known)]
        missing += [word for side in sides or () for word in side if word not in embedded.vectors]
        result, chosen = Weat(None, f"there are no {attributes.title} for {pair[0]} and {pair[1]}"), NO_WORDS
        if sides is not None:
            usable = np.flatnonzero(in_lexicon & known)
            result, chosen = _measured(table, choice, usable, embedded, sides, variant, seed, resamples)
        findings.append(_finding(table, part, embedded, pair, variant, attributes, result, chosen, missing))
    return findings


def _measured(
    table: LettersTable,
    choice: ComparedWords,
    places: Ints,
    embedded: Embedded,
    sides: tuple[Sequence[str], Sequence[str]],
    variant: Variant,
    seed: int,
    resamples: int,
) -> tuple[Weat, Chosen]:
    """The test of the words at `places`, which have a vector and a category; and the words of X and of Y."""
    known = [[embedded.vectors[word] for word in side if word in embedded.vectors] for side in sides]
    if not all(known):
        return Weat(None, "no word of an attribute has a vector"), NO_WORDS
    if not places.size:
        return Weat(None, TOO_FEW), NO_WORDS
    names = [choice.words[place] for place in places]
    s = association(np.stack([embedded.vectors[name] for name in names]), np.stack(known[0]), np.stack(known[1]))
    in_x, in_y = _salient(choice, places, variant)
    chosen = (tuple(names[i] for i in np.flatnonzero(in_x)), tuple(names[i] for i in np.flatnonzero(in_y)))
    rng = generator(seed, "weat", variant)
    if variant == "as_published":
        return weat_of_given_words(s[in_x], s[in_y], rng, resamples), chosen
    (observed,), (defined,) = effects(s, in_x[None], in_y[None])
    if not defined:
        return Weat(None, TOO_FEW if min(map(len, chosen)) < FEWEST_WORDS else NO_SPREAD), chosen
    if estimates_alone():
        return Weat(float(observed), ""), chosen
    null, is_defined = _null(table, choice, places, s, rng, resamples)
    return weat_of_chosen_words(float(observed), null, is_defined), chosen


def _salient(choice: ComparedWords, places: Ints, variant: Variant) -> tuple[Bools, Bools]:
    """X and Y among the words at `places`: of the words shown, those in the lexicon, as the paper has it.

    By default the most salient among the words in the lexicon; of all words' ten a side, few or none are in it.
    """
    if variant == "as_published":
        in_x, in_y = most_salient(choice.published_log_ratios[None])
        return in_x[0, places], in_y[0, places]
    in_x, in_y = most_salient(choice.log_ratios[None, places])
    return in_x[0], in_y[0]


def _null(
    table: LettersTable, choice: ComparedWords, places: Ints, s: Floats, rng: np.random.Generator, resamples: int
) -> tuple[Floats, Bools]:
    """d of the words that are salient after the letters' groups were permuted."""
    clusters = table.clusters(choice.pair)
    values = np.column_stack([choice.counts[:, places].toarray(), choice.totals]).astype(np.float64)
    total = values.sum(axis=0)
    size = max(1, CELLS // values.shape[1])
    parts = []
    for start in range(0, resamples, size):
        for sums in clusters.permuted_sums(values, rng, min(size, resamples - start)):
            other = total - sums
            ratios = log_odds_ratio(sums[:, :-1], sums[:, -1:], other[:, :-1], other[:, -1:])
            parts.append(effects(s, *most_salient(ratios)))
    return np.concatenate([null for null, _ in parts]), np.concatenate([defined for _, defined in parts])


def _finding(
    table: LettersTable,
    part: PartWords,
    embedded: Embedded,
    pair: tuple[str, str],
    variant: Variant,
    attributes: AttributePair,
    result: Weat,
    chosen: Chosen,
    missing: Sequence[str],
) -> Finding:
    by_group = table.by_group(pair)
    reason = result.reason if result.value is None else f"interval: {NOT_INTERVAL}"
    return Finding(
        id=ID,
        label=attributes.name,
        title=f"Salient {part.part}s and {attributes.title}: {pair[0]} against {pair[1]}",
        groups=pair,
        dims={"pos": part.part},
        estimate=result.value,
        reason=f"{reason}; {result.reason}" if result.value is not None and result.reason else reason,
        unit="d",
        variant=variant,
        n=sum(by_group.values()),
        n_by_group=by_group,
        dropped=table.all_dropped,
        p=result.p,
        effect=None if result.value is None else Effect("d", result.value),
        floor=floor(result.floor) if result.floor else None,
        scorers=(part.scorer, embedded.scorer),
        harm=_harm(attributes, pair),
        source=SOURCE,
        note=_note(pair, variant, result, chosen, missing),
    )


def _harm(attributes: AttributePair, pair: tuple[str, str]) -> str:
    sides = attributes.sides(pair)
    if sides is None:
        return ""
    return (
        f"Above 0, words that mark letters of {pair[0]} stand nearer to {sides[0][0]}, {sides[0][1]} …, "
        f"those of {pair[1]} nearer to {sides[1][0]}, {sides[1][1]} …"
    )


def _note(pair: tuple[str, str], variant: Variant, result: Weat, chosen: Chosen, missing: Sequence[str]) -> str:
    words = "; ".join(f"{group}: {', '.join(side) or 'none'}" for group, side in zip(pair, chosen, strict=True))
    notes = [f"Words: {words}."]
    if result.test:
        notes.append(f"One-sided p: {result.test}.")
    if variant == "as_published" and result.p is not None:
        notes.append("This p takes the words as given, though they were chosen by group.")
    if missing:
        more = f" and {len(missing) - LISTED} more" if len(missing) > LISTED else ""
        notes.append(f"Without a vector: {', '.join(missing[:LISTED])}{more}.")
    return " ".join(notes)


def _in_lexicon(table: LettersTable, choice: ComparedWords, variant: Variant) -> Bools:
    """The words that fall in one of the lexicon's categories, by the variant's own list and rule."""
    as_published = variant == "as_published" and table.published is not None
    counted = table.published if as_published and table.published else table.counted
    if not choice.words:
        return np.zeros(0, dtype=np.bool_)
    return np.asarray(in_categories(choice.words, counted.lexicon, as_published=as_published).any(axis=1))
