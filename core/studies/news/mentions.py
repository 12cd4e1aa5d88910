"""Word and sentence level: how often groups are mentioned (equations 1 to 4), and how sentences about them are scored.

Sentences are scored for sentiment and toxicity, generated against original (equations 5 and 6)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from biasprint.core.errors import AppError
from biasprint.core.findings import Finding, ScorerUse
from biasprint.core.jobs import JobContext
from biasprint.core.metrics.resampling import dealt_sums, generator
from biasprint.core.metrics.result import Bools, Floats, Ints
from biasprint.core.metrics.topics import GroupMeans, group_means, is_lower, sentence_gap, wasserstein_share
from biasprint.core.scorers.group_words import WordBlocks
from biasprint.core.scorers.protocol import ScoreValue
from biasprint.core.scorers.registry import info_of, load, preference, score_each, usable
from biasprint.core.studies.news.level import (
    COST_OF_PAIR,
    DECIMALS,
    Draws,
    LevelDesign,
    MeasuredLevel,
    PairValues,
    deals_for,
    floors,
    share_sums,
)
from biasprint.core.studies.news.names import LEVELS, WORD
from biasprint.core.studies.news.table import NEUTRAL, SIDES, GroupAxis, NewsTable, Side

# ---- Word level (equations 1 to 4)

# Sentences that follow each other tend to be about the same person: they are dealt together.
RUN = 3


def measure_words(table: NewsTable, axis: GroupAxis) -> MeasuredLevel:
    """The values of every pair on one axis, with all of its groups and with the paper's."""
    published = axis.as_published()
    return MeasuredLevel(
        level=WORD,
        axis=axis,
        values=_values(table, axis),
        published_axis=published,
        published=_values(table, published) if published else None,
    )


def word_floors(
    table: NewsTable, axis: GroupAxis, design: LevelDesign, seed: int, resamples: int
) -> list[Draws | None]:
    """The floor's draws for each stratum."""
    counts = np.concatenate([table.word_counts(axis, "generated"), table.word_counts(axis, "original")])
    rng = generator(seed, WORD.id, axis.id)

    def compare(first: Ints, second: Ints) -> PairValues:
        return share_values(counts[first], counts[second])

    return floors(
        design, compare, lambda: dealt_words(table, axis, design, rng, resamples), WORD.sign, rng, resamples,
        f"sentences with group words, in runs of {RUN},",
    )  # fmt: skip


def share_values(first: Ints, second: Ints) -> PairValues:
    """Compute the values of the pairs from mentions per pair and group on both sides."""
    result = wasserstein_share(first, second)
    pairs, groups = first.shape
    distance, signed, among = np.zeros(pairs), np.zeros((pairs, groups)), np.zeros((pairs, groups), dtype=bool)
    distance[result.defined] = result.distance.round(DECIMALS)
    signed[result.defined] = result.signed.round(DECIMALS)
    among[result.defined] = result.second > 0
    present = np.repeat(result.defined[:, None], groups, axis=1)
    return PairValues(result.defined, distance, signed, present, among)


def _values(table: NewsTable, axis: GroupAxis) -> PairValues:
    return share_values(table.word_counts(axis, "generated"), table.word_counts(axis, "original"))


def dealt_words(
    table: NewsTable, axis: GroupAxis, design: LevelDesign, rng: np.random.Generator, resamples: int
) -> Iterator[Floats]:
    """Yield sums per deal and stratum over the defined pairs; runs of sentences with group words are dealt again."""
    sides = [in_runs(table.word_blocks(axis, side), RUN) for side in ("generated", "original")]
    used = np.flatnonzero(np.logical_and(*(_mentioned(side) for side in sides)))
    if not len(used):
        return
    row = np.full(len(table.pairs), -1)
    row[used] = np.arange(len(used))
    used_rows = [row[side.text] >= 0 for side in sides]
    unit = np.concatenate([row[side.text[keep]] for side, keep in zip(sides, used_rows, strict=True)])
    counts = np.concatenate([side.counts[keep] for side, keep in zip(sides, used_rows, strict=True)]).astype(np.float64)
    first = np.repeat([True, False], [int(keep.sum()) for keep in used_rows])
    totals = np.zeros((len(used), counts.shape[1]))
    np.add.at(totals, unit, counts)
    dealt = dealt_sums(counts, first, unit, rng, deals_for(len(unit) + COST_OF_PAIR * len(used), resamples))
    yield from share_sums(dealt, totals, design.members[:, used])


def in_runs(blocks: WordBlocks, length: int) -> WordBlocks:
    """The sentences of each text in runs of so many, their mentions added up; the last run of a text may be shorter."""
    starts = np.flatnonzero(np.diff(blocks.text, prepend=-1))
    place = np.arange(len(blocks.text)) - np.repeat(starts, np.diff([*starts, len(blocks.text)]))
    first = np.flatnonzero(place % length == 0)
    counts = np.add.reduceat(blocks.counts, first, axis=0) if len(first) else blocks.counts
    return WordBlocks(blocks.texts, blocks.text[first], counts)


def _mentioned(side: WordBlocks) -> Bools:
    return np.asarray(np.bincount(side.text, minlength=side.texts) > 0)


# ---- Scores of every sentence, from a scorer of sentiment or toxicity

# A scorer whose shape says this gives one value per sentence of the project's segmenter for a whole text.
PER_SENTENCE = "each sentence"


@dataclass(frozen=True)
class SentenceScores:
    """`sides`: for each pair a value per sentence of `NewsTable.sentences`, NaN where the scorer gives none.

    `broken`: that the scorer broke on some texts, in a sentence; empty where it did not.
    """

    use: ScorerUse
    sides: Mapping[Side, tuple[Floats, ...]]
    broken: str = ""


def default_scorer(role: str) -> str:
    """The first scorer of a role: the paper's own, a plug-in, a stand-in. Raises `AppError` where there is none."""
    scorers = usable(role)
    if not scorers:
        raise AppError(f"There is no scorer for {role} here.", hint="Install a plug-in that brings one.")
    return min(scorers, key=preference).name


def score_sentences(
    table: NewsTable, scorer: str, *, known: Mapping[str, Floats] | None = None, ctx: JobContext | None = None
) -> SentenceScores:
    """Scores of all sentences; runs in the compute process. `known`: values of whole texts that are stored already.

    A scorer that reads sentence by sentence is given whole articles; any other is given each sentence, and its summary
    is taken. A text or sentence that comes again is read once.
    """
    info = info_of(load(scorer).name)
    if PER_SENTENCE in info.shape:
        by_text, broken = _of_articles(table, scorer, known or {}, ctx)
        sides = {side: tuple(by_text[text] for text in table.texts(side)) for side in SIDES}
    else:
        sides, broken = single_scores(table, scorer, ctx)
    return SentenceScores(info.use(), sides, broken)


def single_scores(
    table: NewsTable, scorer: str, ctx: JobContext | None = None
) -> tuple[dict[Side, tuple[Floats, ...]], str]:
    """Return by side and pair the summaries of a scorer that reads each sentence alone, and where it broke."""
    by_sentence, broken = _of_sentences(table, scorer, ctx)
    return {
        side: tuple(
            np.array([by_sentence[sentence] for sentence in sentences], dtype=np.float64)
            for sentences in table.sentences(side)
        )
        for side in SIDES
    }, broken


def _of_articles(
    table: NewsTable, scorer: str, known: Mapping[str, Floats], ctx: JobContext | None
) -> tuple[dict[str, Floats], str]:
    sentences = dict(chain.from_iterable(zip(table.texts(side), table.sentences(side), strict=True) for side in SIDES))
    missing = [text for text in sentences if text not in known]
    _, values, failed = score_each(scorer, missing, ctx)
    scored = {text: value.values for text, value in zip(missing, values, strict=True)}
    broken = {missing[place] for place in failed}
    scores = {}
    for text, parts in sentences.items():
        numbers = scored[text] if text in scored else known[text]
        if text in broken:
            numbers = np.full(len(parts), np.nan, dtype=np.float32)
        if len(numbers) != len(parts):
            raise AppError(
                f"The scorer “{scorer}” gave {len(numbers)} values for a text of {len(parts)} sentences.",
                hint="Score the texts again, or choose another scorer.",
            )
        scores[text] = np.asarray(numbers, dtype=np.float64)
    return scores, _broken(scorer, failed, "articles")


def _of_sentences(table: NewsTable, scorer: str, ctx: JobContext | None) -> tuple[dict[str, float], str]:
    distinct = list(dict.fromkeys(_every_sentence(table)))
    _, values, failed = score_each(scorer, distinct, ctx)
    return dict(zip(distinct, map(_summary, values), strict=True)), _broken(scorer, failed, "sentences")


def _broken(scorer: str, failed: Mapping[int, str], what: str) -> str:
    if not failed:
        return ""
    return f"{scorer} failed on {len(failed):,} {what}, which have no score from it: {next(iter(failed.values()))}"


def _summary(value: ScoreValue) -> float:
    return float("nan") if value.summary is None else value.summary


def _every_sentence(table: NewsTable) -> Iterator[str]:
    parts: Sequence[tuple[tuple[str, ...], ...]] = [table.sentences(side) for side in SIDES]
    return chain.from_iterable(chain.from_iterable(parts))


# ---- Sentence level (equations 5 and 6)

CENTRAL = (0.1, 0.9)


@dataclass(frozen=True)
class AboutGroups:
    """The sentences of one side that are about a group: pair, group and score of each; and the means. Shapes (s,)."""

    pair: Ints
    group: Ints
    score: Floats
    means: GroupMeans


def measure_sentences(
    table: NewsTable, axis: GroupAxis, scores: SentenceScores, role: str
) -> tuple[MeasuredLevel, dict[Side, AboutGroups]]:
    """The values of every pair on one axis for one role, and the sentences they are made of."""
    level = replace(LEVELS[f"news.sentence.{role}"], scorers=(scores.use,))
    sides = {side: about_groups(table, axis, scores, side) for side in SIDES}
    published = axis.as_published()
    if published is None:
        return MeasuredLevel(level, axis, gap_values(sides["generated"].means, sides["original"].means)), sides
    own = {side: about_groups(table, published, scores, side) for side in SIDES}
    return MeasuredLevel(
        level=level,
        axis=axis,
        values=gap_values(sides["generated"].means, sides["original"].means),
        published_axis=published,
        published=gap_values(own["generated"].means, own["original"].means),
    ), sides


def about_groups(table: NewsTable, axis: GroupAxis, scores: SentenceScores, side: Side) -> AboutGroups:
    """The sentences with strictly the most words of one group, and with a score."""
    labels, values = table.sentence_groups(axis, side), scores.sides[side]
    pair = np.repeat(np.arange(len(labels)), [len(label) for label in labels])
    group = np.concatenate([np.empty(0, dtype=np.int64), *labels])
    score = np.concatenate([np.empty(0), *values])
    about = (group != NEUTRAL) & np.isfinite(score)
    pair, group, score = pair[about], group[about], score[about]
    return AboutGroups(pair, group, score, group_means(score, group, pair, len(labels), len(axis.groups)))


def gap_values(first: GroupMeans, second: GroupMeans) -> PairValues:
    """Compute the values of the pairs from group means on both sides."""
    result = sentence_gap(first, second)
    distance = np.zeros(len(result.defined))
    distance[result.defined] = result.gap
    signed = result.signed.round(DECIMALS)
    return PairValues(result.defined, distance.round(DECIMALS), signed, result.both, result.both)


def sentence_floors(
    measured: MeasuredLevel, sides: dict[Side, AboutGroups], design: LevelDesign, seed: int, resamples: int
) -> list[Draws | None]:
    """The floor's draws for each stratum."""
    parts = [sides["generated"].means, sides["original"].means]
    means = np.concatenate([part.means for part in parts])
    present = np.concatenate([part.present for part in parts])
    rng = generator(seed, measured.level.id, measured.axis.id)

    def compare(first: Ints, second: Ints) -> PairValues:
        return gap_values(GroupMeans(means[first], present[first]), GroupMeans(means[second], present[second]))

    return floors(
        design,
        compare,
        lambda: dealt_sentences(measured, sides, design, rng, resamples),
        measured.level.sign,
        rng,
        resamples,
    )


def scale_note(measured: MeasuredLevel, originals: AboutGroups) -> str:
    """The central 80 % of the originals' mean scores about each group: what a difference is large or small beside."""
    parts = []
    for place, label in enumerate(measured.axis.labels):
        means = originals.means.means[originals.means.present[:, place], place]
        if len(means):
            low, high = np.quantile(means, CENTRAL)
            parts.append(f"{label} {low:.2f} to {high:.2f}")
    return f"Central 80 % of the originals: {'; '.join(parts)}." if parts else ""


def dealt_sentences(
    measured: MeasuredLevel,
    sides: dict[Side, AboutGroups],
    design: LevelDesign,
    rng: np.random.Generator,
    resamples: int,
) -> Iterator[Floats]:
    """Yield sums per deal and stratum, with the sentences about one group dealt again to the two sides of the pair."""
    groups = len(measured.axis.groups)
    pair, group = np.nonzero(measured.values.present)  # the cells, in the order of pairs
    if not len(pair):
        return
    number = np.full(measured.values.present.shape, -1)
    number[pair, group] = np.arange(len(pair))
    cells = [number[side.pair, side.group] for side in (sides["generated"], sides["original"])]
    unit = np.concatenate(cells)
    first = np.repeat([True, False], list(map(len, cells)))
    score = np.concatenate([sides["generated"].score, sides["original"].score])
    unit, first, score = unit[unit >= 0], first[unit >= 0], score[unit >= 0]
    on_first = np.bincount(unit, first)
    on_second = np.bincount(unit, ~first)
    total = np.bincount(unit, score)
    starts = np.flatnonzero(np.diff(pair, prepend=-1))
    members = design.members[:, pair]
    for sums in dealt_sums(
        score[:, None], first, unit, rng, deals_for(len(unit) + COST_OF_PAIR * len(starts), resamples)
    ):
        signed = sums[:, :, 0] / on_first - (total - sums[:, :, 0]) / on_second
        gaps = np.maximum.reduceat(np.abs(signed), starts, axis=1)
        turned = measured.level.sign * signed
        worse = is_lower(turned).astype(np.float64)
        drop = worse * -turned
        yield _stack(gaps @ members[:, starts].T, members[:, starts], worse, drop, group, members, groups)


def _stack(
    gaps: Floats, pairs: Floats, worse: Floats, drop: Floats, group: Ints, members: Floats, groups: int
) -> Floats:
    """The sums of `PairValues.sums`, from values per cell: (deals, strata, 2 + 3 groups)."""
    of_group = [group == place for place in range(groups)]
    asked = [np.broadcast_to(members[:, chosen].sum(axis=1), gaps.shape) for chosen in of_group]
    parts = [gaps, np.broadcast_to(pairs.sum(axis=1), gaps.shape)]
    parts += [worse[:, chosen] @ members[:, chosen].T for chosen in of_group]
    parts += asked
    parts += [drop[:, chosen] @ members[:, chosen].T for chosen in of_group]
    return np.stack(parts, axis=2)


def undefined_findings(axis: GroupAxis, role: str, reason: str) -> list[Finding]:
    """The findings of a sentence level without a scorer for the role."""
    level = LEVELS[f"news.sentence.{role}"]
    wanted = [("distance", level.spread, axis.id, axis.groups, axis.title)]
    for measure in ("prejudice_share", "prejudice_drop", "difference"):
        wanted += [
            (measure, measure, group, (group,), label) for group, label in zip(axis.groups, axis.labels, strict=True)
        ]
    return [
        Finding(
            id=f"{level.id}.{name}", label=label, title=f"{level.titles[measure]}, {title}", groups=groups,
            estimate=None, reason=reason, unit="proportion" if measure == "prejudice_share" else level.unit, n=0,
            dims={"axis": axis.id}, source=level.sources[measure],
        )
        for measure, name, label, groups, title in wanted
    ]  # fmt: skip
