"""Live figures of reference letters: odds ratios of word categories, styles and successes, from the stored scores."""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import exp, sqrt
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from biasprint.core.compute import ComputeProcess
from biasprint.core.metrics.anytime import BoundedMean
from biasprint.core.metrics.odds import (
    FEWEST_EXPECTED,
    HALDANE,
    log_odds_ratio,
    published_odds_ratio,
    smallest_expected,
)
from biasprint.core.metrics.result import Floats as Doubles
from biasprint.core.metrics.sums import ClusterSums, ExactSum, Moments
from biasprint.core.project.project import Project
from biasprint.core.project.rows import Floats, OutputRow, SourceRow, TextKey
from biasprint.core.prompts.drafts import PLAIN_ARM
from biasprint.core.scorers.document_success import Outcome, is_english_letter, of_document
from biasprint.core.scorers.lexicon import load_lexicon
from biasprint.core.scorers.protocol import ScorerInfo
from biasprint.core.scorers.registry import best_scorer, scorer_for
from biasprint.core.studies.kit.live import (
    AGAINST,
    MOST_GROUPS,
    Drawer,
    LiveKey,
    LiveValue,
    OutcomeCounts,
    StudyTally,
    banded,
    dims_of,
    nearly_normal,
    rows_shelf,
    undefined,
    units_of,
)
from biasprint.core.studies.kit.study import OwnWork
from biasprint.core.studies.letters.author import letters_trial
from biasprint.core.studies.letters.gather import (
    PUBLISHED_ORDER,
    STYLES,
    documents_asked,
    needed,
    of_tables,
    prepared,
    store_letters,
    success_scorer,
)
from biasprint.core.studies.letters.lexicon import LEXICON_ID, TWO_GROUPS
from biasprint.core.studies.letters.measure import SUCCESS_ID
from biasprint.core.studies.letters.style import COUNTS_FROM
from biasprint.core.texts.exporting import matched_block

Pair = tuple[str, str]
ODDS, DIFFERENCE, SHARE = "odds ratio", "difference of shares", "share"
OUTCOMES = tuple(Outcome)
GIVEN_IN_TABLE = "the table gives each letter's share: it is measured at the end"
TOO_MANY = f"there are more than {MOST_GROUPS} groups: they are compared at the end"


class _Letter(NamedTuple):
    """`cluster`: what its block shares, itself where it has none. `part`: model and document. `rank`: in the table.

    `english`: whether it is in English, once that is known; until then `waiting` keeps its styles.
    """

    group: str
    cluster: Hashable
    part: tuple[str, str]
    plain: bool
    rank: tuple[bool, int]
    english: bool | None = None
    waiting: tuple[tuple[str, float], ...] = ()


def _letter(packed: Sequence[Any]) -> _Letter:
    group, cluster, part, plain, rank, english, waiting = packed
    cluster = cluster if isinstance(cluster, str) else tuple(cluster)
    return _Letter(group, cluster, tuple(part), plain, tuple(rank), english, tuple(map(tuple, waiting)))


class LettersTally(StudyTally):
    """Follows the letters of a study. Only those that were asked for without an instruction added are compared."""

    def __init__(self, project: Project, study_id: int, compute: ComputeProcess) -> None:
        self._project, self._study = project, study_id
        self._lexicon = load_lexicon("letters")
        self._counter = scorer_for("lexicon", "lexicon", "lexicon")
        self._published = scorer_for("lexicon", "lexicon_published", "lexicon_published")
        self._success = success_scorer()
        self._styles = {info.name: (kind, info) for kind in STYLES if (info := best_scorer(kind))}
        styles = (info for _, info in self._styles.values())
        self.scorers = (self._counter, self._published, self._success, *styles)
        self._documents: dict[int, str] = {}
        self._drawer = Drawer()
        self._letters = self._drawer.shelf(tuple, _letter)
        self._parts: dict[tuple[str, str], _Part] = {}
        self._given: set[str] = set()

    def text(self, row: OutputRow) -> None:
        if row.run_id not in self._documents:
            self._documents = documents_asked(self._project, self._study)
        document = row.fields.get("document", "") or self._documents.get(row.run_id, "")
        key: TextKey = ("output", row.id)
        arm = row.fields.get("arm", "")
        self._know(key, row.fields.get("group", row.identity), matched_block(row), (row.model, document), arm)
        self._given |= {kind for kind in STYLES if row.fields.get(kind, "").strip()}

    def source(self, row: SourceRow) -> None:
        if row.kind == "letter":
            fields = row.fields
            part = (fields.get("model", ""), fields.get("document", ""))
            self._know(
                ("source", row.id), fields.get("group", ""), fields.get("block", ""), part, fields.get("arm", "")
            )
            self._given |= {kind for kind in STYLES if fields.get(kind, "").strip()}

    def _know(self, key: TextKey, group: str, block: str, part: tuple[str, str], arm: str) -> None:
        plain = arm in ("", PLAIN_ARM)
        # As the measure lists them: generated letters before imported ones.
        rank = (key[0] == "source", key[1])
        self._letters[key] = _Letter(group, block or key, (part[0], part[1] or "letter"), plain, rank)

    def scored(self, scorer: ScorerInfo, key: TextKey, values: Floats, summary: float | None) -> None:
        letter = self._letters.get(key)
        if letter is None or not len(values):
            return
        part = self._parts.get(letter.part)
        if part is None:
            part = self._parts[letter.part] = _Part(len(self._lexicon.categories), self._drawer)
        if not letter.plain or not letter.group:
            return
        if scorer.name not in self._styles and not np.isfinite(values).all():
            return
        if scorer.name == self._counter.name:
            width = len(self._lexicon.categories)
            part.count(letter, values[1 : 1 + width].astype(np.float64), float(values[0]))
        elif scorer.name == self._published.name:
            part.count_published(letter.group, values[: 1 + len(self._lexicon.categories)].astype(np.float64))
        elif scorer.name == self._success.name:
            part.succeeded(letter, of_document(values.tolist(), letter.part[1]))
            self._letters[key] = part.read(letter, english=is_english_letter(values.tolist()))
        else:
            kind = self._styles[scorer.name][0]
            share = float(np.mean(values.astype(np.float64) >= COUNTS_FROM))
            if letter.english is None:
                self._letters[key] = letter._replace(waiting=(*letter.waiting, (kind, share)))
            elif letter.english:
                part.styled(letter, kind, share)

    def values(self) -> list[LiveValue]:
        several = [len({part[place] for part in self._parts}) > 1 for place in (0, 1)]
        values = []
        for (model, document), part in self._parts.items():
            dims = dims_of(model=model if several[0] else "", document=document if several[1] else "")
            values += list(self._values(part, dims))
        return values

    def _values(self, part: "_Part", dims: tuple[tuple[str, str], ...]) -> Iterator[LiveValue]:
        groups = part.groups()
        if len(groups) < 2:
            for category in self._lexicon.categories:
                yield undefined(LiveKey(LEXICON_ID, category.name, "", dims), ODDS, part.n(groups), TWO_GROUPS)
        elif len(groups) > MOST_GROUPS:
            yield undefined(LiveKey(LEXICON_ID, "", "", dims), ODDS, part.n(groups), TOO_MANY)
        else:
            names = [category.name for category in self._lexicon.categories]
            for pair in combinations(groups, 2):
                yield from part.ratios(pair, names, dims)
                yield from part.published_ratios(pair, names, dims)
        for kind in STYLES:
            if kind in self._given:
                yield undefined(LiveKey(f"letters.style.{kind}", kind, "", dims), DIFFERENCE, 0, GIVEN_IN_TABLE)
            elif len(groups) <= MOST_GROUPS:
                yield from part.style_values(kind, groups, dims)
        yield from part.successes(dims)


@dataclass
class _Part:
    """The letters of one model and document."""

    categories: int
    drawer: Drawer
    counts: ClusterSums = field(init=False)
    together: OutcomeCounts = field(init=False)
    outcomes: OutcomeCounts = field(init=False)  # by group
    letters: Counter[str] = field(default_factory=Counter)  # counted, by group
    published: dict[str, Doubles] = field(default_factory=dict)  # words, then matches of each category, by group
    first: dict[str, tuple[bool, int]] = field(default_factory=dict)
    overfull: dict[str, Doubles] = field(default_factory=dict)
    asked: dict[str, tuple[bool, int]] = field(default_factory=dict)  # the first letter of each group with an outcome
    styles: dict[str, "_Style"] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.counts = ClusterSums(self.categories + 1, rows_shelf(self.drawer))
        self.together, self.outcomes = (
            OutcomeCounts(len(OUTCOMES), "blocks", rows_shelf(self.drawer)) for _ in range(2)
        )

    def count(self, letter: _Letter, matches: Doubles, tokens: float) -> None:
        group = letter.group
        self.letters[group] += 1
        self.first[group] = min(letter.rank, self.first.get(group, letter.rank))
        if len(self.first) > MOST_GROUPS:
            return  # they are not compared, and so many would fill the memory
        self.counts.add(letter.cluster, group, np.append(matches, tokens))
        known = self.overfull.setdefault(group, np.zeros(self.categories))
        known += matches > tokens

    def groups(self) -> list[str]:
        """Return the groups in the order of the study: the paper's two, else as they come."""
        if set(self.first) == set(PUBLISHED_ORDER):
            return list(PUBLISHED_ORDER)
        return sorted(self.first, key=lambda group: self.first[group])

    def n(self, groups: list[str]) -> int:
        return sum(self.letters[group] for group in groups)

    def ratios(self, pair: Pair, names: list[str], dims: tuple[tuple[str, str], ...]) -> Iterator[LiveValue]:
        first_sums, second_sums = (self.counts.totals(group) for group in pair)
        n = self.n(list(pair))
        units = units_of(self.counts, pair)
        overfull = self.overfull[pair[0]] + self.overfull[pair[1]]
        observed = None
        if first_sums[-1] and second_sums[-1]:
            usable = np.append(overfull == 0, True)
            first, second = first_sums * usable, second_sums * usable
            observed = log_odds_ratio(first[:-1], first[-1:], second[:-1], second[-1:])
        for column, name in enumerate(names):
            key = LiveKey(LEXICON_ID, name, AGAINST.join(pair), dims)
            if observed is None:
                yield undefined(key, ODDS, n, "a group has no words")
                continue
            expected = smallest_expected(first_sums[column] + second_sums[column], first_sums[-1], second_sums[-1])
            if overfull[column]:
                yield undefined(key, ODDS, n, "more matches than words")
            elif expected < FEWEST_EXPECTED:
                few = f"too few of these words: {expected:.1f} expected in a group, {FEWEST_EXPECTED:.0f} needed"
                yield undefined(key, ODDS, n, few)
            else:
                slopes = {pair[0]: _slope(first_sums, column), pair[1]: -_slope(second_sums, column)}
                error, value = self.counts.error(slopes), exp(float(observed[column]))
                yield nearly_normal(key, ODDS, n, value, error, units, ratio=True)

    def count_published(self, group: str, counts: Doubles) -> None:
        self.published[group] = self.published.get(group, np.zeros(len(counts))) + counts

    def published_ratios(self, pair: Pair, names: list[str], dims: tuple[tuple[str, str], ...]) -> Iterator[LiveValue]:
        ours, theirs = (self.published.get(group) for group in pair)
        if ours is None or theirs is None:
            return
        for column, name in enumerate(names, start=1):
            key = LiveKey(LEXICON_ID, name, AGAINST.join(pair), dims, "as_published")
            ratio = published_odds_ratio(ours[column], ours[0], theirs[column], theirs[0])
            if ratio.value is None:
                yield undefined(key, ODDS, self.n(list(pair)), ratio.reason)
            else:
                yield banded(key, ODDS, self.n(list(pair)), ratio.value, None, "the paper takes words as independent")

    # successes

    def succeeded(self, letter: _Letter, outcome: Outcome) -> None:
        self.together.add(letter.cluster, OUTCOMES.index(outcome))
        if letter.group in self.asked or len(self.asked) <= MOST_GROUPS:
            self.asked[letter.group] = min(letter.rank, self.asked.get(letter.group, letter.rank))
            self.outcomes.add(letter.cluster, OUTCOMES.index(outcome), letter.group)

    def successes(self, dims: tuple[tuple[str, str], ...]) -> Iterator[LiveValue]:
        counts = dict(zip(OUTCOMES, self.together.counts(), strict=True))
        if not sum(counts.values()):
            return
        success = OUTCOMES.index(Outcome.SUCCESS)
        yield self.together.share(LiveKey(SUCCESS_ID, "all", "", dims), SHARE, success)
        groups = sorted(self.asked, key=lambda group: self.asked[group])
        if 1 < len(groups) <= MOST_GROUPS:
            for group in groups:
                yield self.outcomes.share(LiveKey(SUCCESS_ID, group, group, dims), SHARE, success, group)
        for place, kind in enumerate(OUTCOMES):
            if kind is not Outcome.SUCCESS and counts[kind]:
                yield self.together.share(LiveKey(SUCCESS_ID, kind.name.lower(), "", dims), SHARE, place)
        if len(groups) <= MOST_GROUPS:
            for pair in combinations(groups, 2):
                key = LiveKey(SUCCESS_ID, "difference", AGAINST.join(pair), dims)
                yield self.outcomes.difference(key, DIFFERENCE, success, pair)

    # styles, of letters that are in English

    def read(self, letter: _Letter, *, english: bool) -> _Letter:
        """Count the styles that wait in an English letter, and return the letter with none waiting."""
        for kind, share in letter.waiting if english else ():
            self.styled(letter, kind, share)
        return letter._replace(english=english, waiting=())

    def styled(self, letter: _Letter, kind: str, share: float) -> None:
        if len(self.first) > MOST_GROUPS:
            return
        if kind not in self.styles:
            self.styles[kind] = _Style(self.drawer)
        self.styles[kind].add(letter.cluster, letter.group, share)

    def style_values(self, kind: str, groups: list[str], dims: tuple[tuple[str, str], ...]) -> Iterator[LiveValue]:
        style = self.styles.get(kind)
        if style is None:
            return
        name = f"letters.style.{kind}"
        for group in groups:
            if group in style.letters:
                yield style.rate(LiveKey(name, kind, group, dims), group)
        for pair in combinations(groups, 2):
            if style.letters[pair[0]] and style.letters[pair[1]]:
                yield style.difference(LiveKey(name, kind, AGAINST.join(pair), dims), pair)


def _slope(totals: Doubles, column: int) -> Doubles:
    """Return the slope of ln((a + ½) / (n − a + ½)) by the totals."""
    a, n = float(totals[column]), float(totals[-1])
    slope = np.zeros(len(totals))
    slope[column] = 1 / (a + HALDANE) + 1 / (n - a + HALDANE)
    slope[-1] = -1 / (n - a + HALDANE)
    return slope


_Block: TypeAlias = dict[str, tuple[ExactSum, int]]  # by group: the sum of its letters' shares, and how many they are


def _packed(block: _Block) -> dict[str, tuple[int, ...]]:
    return {group: (*total.parts, count) for group, (total, count) in block.items()}


def _unpacked(packed: Mapping[str, Sequence[int]]) -> _Block:
    return {group: (ExactSum(whole, places), count) for group, (whole, places, count) in packed.items()}


class _Style:
    """Shares of formal (positive, agentic) sentences: a mean for each block and group, compared as `Sides` does."""

    def __init__(self, drawer: Drawer) -> None:
        self.letters: Counter[str] = Counter()
        self._blocks = drawer.shelf(_packed, _unpacked)
        self._means: dict[str, Moments] = {}
        self._differences: dict[Pair, Moments] = {}
        self._matched: Counter[Pair] = Counter()  # letters in blocks with both groups
        self._watched: dict[str, BoundedMean] = {}
        self._repeated: set[str] = set()

    def add(self, block: object, group: str, share: float) -> None:
        self.letters[group] += 1
        self._watched.setdefault(group, BoundedMean()).add(share)
        here = self._blocks.get(block) or {}
        self._change(here, group, -1)
        total, count = here.get(group, (ExactSum(), 0))
        total.add(share)
        here[group] = (total, count + 1)
        self._repeated |= {group} if count else set()
        self._change(here, group, 1)
        self._blocks[block] = here

    def _change(self, here: _Block, group: str, sign: int) -> None:
        """Add (or take away) the block's mean of a group, and its differences from the other groups there."""
        if group not in here:
            return
        means = {name: total.value / count for name, (total, count) in here.items()}
        _move(self._means.setdefault(group, Moments()), means[group], sign)
        for other in here:
            if other != group:
                first, second = sorted((group, other))
                _move(self._differences.setdefault((first, second), Moments()), means[first] - means[second], sign)
                self._matched[first, second] += sign * (here[first][1] + here[second][1])

    def rate(self, key: LiveKey, group: str) -> LiveValue:
        """The share of a group, each letter one unit; its blocks are, where they have several letters of the group."""
        means = self._means[group]
        assert means.mean is not None
        if group in self._repeated:
            return nearly_normal(key, SHARE, self.letters[group], means.mean, means.error, (means.n,))
        return banded(key, SHARE, self.letters[group], means.mean, self._watched[group].band)

    def difference(self, key: LiveKey, pair: Pair) -> LiveValue:
        """Paired where at least half of the letters are in blocks with both groups."""
        first, second = sorted(pair)
        letters, matched = self.letters[first] + self.letters[second], self._matched[first, second]
        if 2 * matched >= letters:
            differences = self._differences[first, second]
            assert differences.mean is not None
            value = differences.mean if (first, second) == pair else -differences.mean
            return nearly_normal(key, DIFFERENCE, matched, value, differences.error, (differences.n,))
        ours, theirs = (self._means[group] for group in pair)
        assert ours.mean is not None
        assert theirs.mean is not None
        errors = [ours.error or 0.0, theirs.error or 0.0]
        error = sqrt(errors[0] ** 2 + errors[1] ** 2) or None
        return nearly_normal(key, DIFFERENCE, letters, ours.mean - theirs.mean, error, (ours.n, theirs.n))


def _move(moments: Moments, value: float, sign: int) -> None:
    if sign > 0:
        moments.add(value)
    else:
        moments.remove(value)


class LettersWork(OwnWork):
    """Reference letters, written or imported."""

    store = store_letters
    needed_by_any = staticmethod(needed)
    of_tables = staticmethod(of_tables)
    prepared = staticmethod(prepared)
    live = LettersTally
    simulated = staticmethod(letters_trial)
