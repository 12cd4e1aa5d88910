"""Live figures of news articles: words, sentiment and toxicity against the originals, by group and in all; refusals.

The words and sentences of an article are found in the compute process, once, for its pair alone."""

import zlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal

import numpy as np

from biasprint.core.compute import ComputeProcess
from biasprint.core.findings import ScorerUse
from biasprint.core.jobs import JobContext
from biasprint.core.metrics.anytime import (
    FIRST_CLUSTERS,
    FIRST_ONE_WAY,
    BoundedMean,
    clustered_share_band,
    first_differing,
)
from biasprint.core.metrics.result import Bounds
from biasprint.core.metrics.result import Floats as Doubles
from biasprint.core.metrics.sums import ClusterSums, ExactSum
from biasprint.core.project.project import Project
from biasprint.core.project.rows import Floats, OutputRow, SourceRow, TextKey
from biasprint.core.prompts.axes import Axis
from biasprint.core.scorers.protocol import ScorerInfo
from biasprint.core.studies.kit.declared import MeasureOptions
from biasprint.core.studies.kit.live import (
    AT_THE_END,
    LiveKey,
    LiveValue,
    OutcomeCounts,
    Restart,
    StudyTally,
    banded,
    nearly_normal,
    undefined,
)
from biasprint.core.studies.kit.study import OwnWork
from biasprint.core.studies.news.gather import (
    DEFAULT_AXES,
    PER_SENTENCE,
    axes_of,
    needed,
    news_row,
    of_project,
    of_tables,
    prepared,
    scorers_of,
    store_articles,
)
from biasprint.core.studies.news.level import PairValues, design_of
from biasprint.core.studies.news.measure import news_trial
from biasprint.core.studies.news.mentions import (
    SentenceScores,
    dealt_sentences,
    dealt_words,
    measure_sentences,
    measure_words,
    single_scores,
)
from biasprint.core.studies.news.names import LEVELS
from biasprint.core.studies.news.prompts import UNBIASED
from biasprint.core.studies.news.table import SIDES, GroupAxis, group_axis, news_table
from biasprint.core.texts.values import ORIGINAL_KEY, Originals

REFUSAL_RATE = "news.refusal_rate"
AT_ONCE = 50  # articles that the compute process is asked about together
WORDS = "words"
UNITS = {WORDS: "proportion", "sentiment": "polarity", "toxicity": "toxicity"}
IDS = {WORDS: "news.word", "sentiment": "news.sentence.sentiment", "toxicity": "news.sentence.toxicity"}
LIMITS = {WORDS: 1.0, "sentiment": 2.0, "toxicity": 1.0}  # the largest distance there can be
DEALS = 100  # of each pair: the floor is a mean over pairs
NEEDS_TOPICS = f"topics are found over all articles; {AT_THE_END}"
Part = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class GroupValues:
    """One pair on one axis: generated minus original by group, whether that counts, whether the original has it.

    `spread`: W or S, and what it is on average where the pair's sentences are dealt again to its two sides; None where
    it is undefined.
    """

    axis: str
    groups: tuple[str, ...]
    signed: tuple[float, ...]
    present: tuple[bool, ...]
    among: tuple[bool, ...]
    spread: tuple[float, float] | None


@dataclass(frozen=True)
class AskedPair:
    """Question to the compute process about a pair. `scores`: of original and generated sentences, by role.

    `unscored`: role → scorer that is to read the sentences there, one by one, as it does for the measure.
    """

    original: str
    generated: str
    scores: Mapping[str, tuple[Floats, Floats]]
    unscored: Mapping[str, str]
    words: bool


@dataclass(frozen=True)
class PairAnswer:
    """`kind`: a pair, unanswered (refused or empty), or dropped (in another language, or without an original)."""

    kind: Literal["pair", "unanswered", "dropped"]
    levels: Mapping[str, tuple[GroupValues, ...]] = field(default_factory=dict)


def live_news(axes: Sequence[Axis], asked: Sequence[AskedPair]) -> list[PairAnswer]:
    """Answer, in the compute process, about each pair separately, as the measure looks at it among others."""
    return [_answer(tuple(_counted(axis) for axis in axes), pair) for pair in asked]


@lru_cache(maxsize=32)
def _counted(axis: Axis) -> "GroupAxis":
    return group_axis(axis)


def _answer(axes: "tuple[GroupAxis, ...]", asked: AskedPair) -> PairAnswer:
    table = news_table([asked.original], [asked.generated], axes)
    if not table.pairs:
        return PairAnswer("unanswered" if table.unanswered else "dropped")
    design, levels = design_of(table), defaultdict[str, list[GroupValues]](list)
    # Deals of a pair do not depend on those of another: errors of a floor over many pairs would add up.
    rng = np.random.default_rng(zlib.crc32((asked.original + asked.generated).encode("utf-8", "surrogatepass")))
    for axis in axes if asked.words else ():
        dealt = dealt_words(table, axis, design, rng, DEALS)
        levels[WORDS].append(_values(axis, measure_words(table, axis).values, dealt))
    scored = {role: single_scores(table, name)[0] for role, name in asked.unscored.items()}
    for role, both in asked.scores.items():
        given = [np.asarray(scores, dtype=np.float64) for scores in both]
        if all(len(scores) == len(table.sentences(side)[0]) for side, scores in zip(SIDES, given, strict=True)):
            scored[role] = {side: (scores,) for side, scores in zip(SIDES, given, strict=True)}
    for role, sides in scored.items():
        scores = SentenceScores(ScorerUse(role, role, ""), sides)
        for axis in axes:
            measured, about = measure_sentences(table, axis, scores, role)
            dealt = dealt_sentences(measured, about, design, rng, DEALS)
            levels[role].append(_values(axis, measured.values, dealt))
    return PairAnswer("pair", {level: tuple(values) for level, values in levels.items()})


def _values(axis: "GroupAxis", values: "PairValues", dealt: Iterable[Doubles]) -> GroupValues:
    """Return the values of a pair by group. `dealt`: sums of the pair's deals, as `PairValues.sums` has them."""
    rows = (values.signed[0], values.present[0], values.among[0])
    signed, present, among = (tuple(row.tolist()) for row in rows)
    spread = None
    if values.defined[0]:
        quiet = np.concatenate([sums[:, 0, 0] for sums in dealt])
        spread = float(values.distance[0]), float(quiet.mean())
    return GroupValues(axis.id, axis.groups, signed, present, among, spread)


@dataclass
class _Waiting:
    """An article whose words, or whose sentences of some role, are still to be looked at."""

    row: OutputRow
    levels: set[str]
    scores: dict[str, Floats] = field(default_factory=dict)


class NewsTally(StudyTally):
    """Follows the articles of a study beside their originals. A headline is the unit."""

    def __init__(self, project: Project, study_id: int, compute: ComputeProcess) -> None:
        self._project, self._compute = project, compute
        self._axes = axes_of(JobContext(), DEFAULT_AXES, project.axes.latest())[0]
        scorers = scorers_of(MeasureOptions())
        self._roles = {info.name: role for role, info in scorers.items() if PER_SENTENCE in info.shape}
        self.scorers = tuple(info for info in scorers.values() if info.name in self._roles)
        # Those read sentence by sentence: their scores of whole articles are not what the measure takes.
        self._single = {role: info.name for role, info in scorers.items() if info.name not in self._roles}
        self._originals = Originals()
        self._names: set[str] = set()  # keys and headlines by which originals were looked for
        self._waiting: dict[int, _Waiting] = {}
        self._beside: defaultdict[TextKey, set[int]] = defaultdict(set)  # articles that wait for an original's scores
        self._fresh: set[int] = set()  # articles of which something came since they were looked at
        self._of_original: dict[TextKey, dict[str, Floats]] = {}
        self._sums: dict[tuple[str, str, Part], _PairSums] = {}
        self._refused: dict[Part, OutcomeCounts] = {}
        self._paired, self._asked = _Parts(), _Parts()

    def source(self, row: SourceRow) -> None:
        """Raises `Restart` where articles that were read belong beside it."""
        if self._originals.add(row) & self._names:
            raise Restart(None)

    def text(self, row: OutputRow) -> None:
        self._waiting[row.id] = _Waiting(replace(row, text=""), {WORDS, *self._roles.values(), *self._single})
        self._fresh.add(row.id)
        key, headline = (row.fields.get(field, "") for field in (ORIGINAL_KEY, "headline"))
        self._names |= {key} if self._originals.find(key) else {key, headline}
        if original := self._originals.of_output(row):
            self._beside[original.key].add(row.id)

    def scored(self, scorer: ScorerInfo, key: TextKey, values: Floats, summary: float | None) -> None:
        role = self._roles[scorer.name]
        if key[0] == "source":
            self._of_original.setdefault(key, {})[role] = values
            self._fresh |= self._beside.get(key, set())
        elif key[1] in self._waiting:
            self._waiting[key[1]].scores[role] = values
            self._fresh.add(key[1])

    def settle(self, ctx: JobContext) -> None:
        """Look at what has come, together: the words of new articles, and the sentences of those that are scored."""
        fresh = sorted(self._fresh)
        for start in range(0, len(fresh), AT_ONCE):
            part = fresh[start : start + AT_ONCE]
            self._look_at({key: levels for key in part if (levels := self._ready(self._waiting[key]))}, ctx)
            self._fresh.difference_update(part)

    def _look_at(self, ready: Mapping[int, set[str]], ctx: JobContext) -> None:
        if not ready:
            return
        texts = self._project.outputs.texts(list(ready))
        rows = {key: news_row(replace(self._waiting[key].row, text=texts[key]), self._originals) for key in ready}
        asked = [self._asked_pair(key, levels, rows[key]) for key, levels in ready.items()]
        answers = self._compute.call(live_news, self._axes, asked, ctx=ctx)
        for (key, levels), answer in zip(ready.items(), answers, strict=True):
            self._take(key, levels, rows[key], answer)

    def _asked_pair(self, key: int, levels: set[str], row: Mapping[str, str]) -> AskedPair:
        original = self._waiting[key]
        stored = levels & set(self._roles.values())
        scored = {role: (self._scores_of_original(original)[role], original.scores[role]) for role in stored}
        unscored = {role: name for role, name in self._single.items() if role in levels}
        return AskedPair(row["original"], row["generated"], scored, unscored, WORDS in levels)

    def _scores_of_original(self, waiting: _Waiting) -> Mapping[str, Floats]:
        original = self._originals.of_output(waiting.row)
        return self._of_original.get(original.key, {}) if original else {}

    def _ready(self, waiting: _Waiting) -> set[str]:
        scored = self._scores_of_original(waiting)
        at_once = {WORDS, *self._single}
        return {level for level in waiting.levels if level in at_once or (level in waiting.scores and level in scored)}

    def _take(self, key: int, levels: set[str], row: Mapping[str, str], answer: PairAnswer) -> None:
        waiting = self._waiting[key]
        story = row.get("headline", "").strip() or row["original"]
        if WORDS in levels and answer.kind != "dropped":
            for part in self._asked.parts(row):
                counts = self._refused.setdefault(part, OutcomeCounts(2, "headlines"))
                counts.add(story, int(answer.kind == "unanswered"))
        waiting.levels -= levels
        for level in levels:
            waiting.scores.pop(level, None)
        if answer.kind == "pair":
            for level, by_axis in answer.levels.items():
                for values in by_axis:
                    for part in self._paired.parts(row):
                        sums = self._sums.setdefault((level, values.axis, part), _PairSums(level, values.groups))
                        sums.add(story, values)
        if answer.kind != "pair" or not waiting.levels:
            del self._waiting[key]
            if original := self._originals.of_output(waiting.row):
                self._beside[original.key].discard(key)

    # values

    def values(self) -> list[LiveValue]:
        values: list[LiveValue] = []
        for level in (WORDS, *self._roles.values(), *self._single):
            for axis in (axis.id for axis in self._axes):
                for (own_level, own_axis, part), sums in self._sums.items():
                    dims = self._paired.dims(part)
                    if (own_level, own_axis) == (level, axis) and dims is not None:
                        values += sums.values((("axis", axis), *dims))
        pairs = 0
        for part, counts in self._refused.items():
            dims = self._asked.dims(part)
            pairs += counts.counts()[0] if len(part) == 1 else 0
            if dims is not None:
                values.append(counts.share(LiveKey(REFUSAL_RATE, "refused", "", dims), "proportion", 1))
        return [*values, undefined(LiveKey("news.document.wasserstein", "", ""), "proportion", pairs, NEEDS_TOPICS)]


class _Parts:
    """The parts that articles are looked at in: each prompt kind, and within it each model and each domain."""

    def __init__(self) -> None:
        self._seen: dict[str, set[str]] = {"prompt_kind": set(), "model": set(), "domain": set()}

    def parts(self, row: Mapping[str, str]) -> list[Part]:
        """Return the parts that an article belongs to, and count it as seen."""
        given = {name: row.get(name, "").strip() for name in self._seen}
        given["prompt_kind"] = given["prompt_kind"] or UNBIASED
        for name, value in given.items():
            self._seen[name] |= {value} - {""}
        whole: Part = (("prompt_kind", given["prompt_kind"]),)
        return [whole, *((*whole, (name, given[name])) for name in ("model", "domain") if given[name])]

    def dims(self, part: Part) -> Part | None:
        """Return the part's dims; None where the measure has no such part, because there is nothing to choose."""
        if any(len(self._seen[name]) < 2 for name, _ in part[1:]):
            return None
        return part[1:] if self._seen["prompt_kind"] == {UNBIASED} else part


class _PairSums:
    """One level, axis and part: generated minus original by group, and their distance; headlines are the units."""

    def __init__(self, level: str, groups: tuple[str, ...]) -> None:
        self._level, self._groups = level, groups
        self._sums, self._stories = [ExactSum() for _ in groups], ClusterSums(2)
        self._n = [0] * len(groups)
        self._met = [False] * len(groups)
        self._more, self._fewer = [0] * len(groups), [0] * len(groups)  # headlines, against their originals
        self._spread = _Spread(LIMITS[level])

    def add(self, story: str, values: GroupValues) -> None:
        if values.spread is not None:
            self._spread.add(story, *values.spread)
        for place, signed in enumerate(values.signed):
            if values.present[place]:
                before = self._stories.row(story, place)
                after = before + np.array([signed, 1.0])
                self._sums[place].add(signed)
                self._n[place] += 1
                self._stories.put(story, place, after)
                self._more[place] += int(after[0] > 0) - int(before[0] > 0)
                self._fewer[place] += int(after[0] < 0) - int(before[0] < 0)
                self._met[place] |= values.among[place] or signed != 0

    def values(self, dims: Part) -> list[LiveValue]:
        unit, axis = UNITS[self._level], dict(dims)["axis"]
        values = [
            self._spread.value(LiveKey(f"{IDS[self._level]}.{LEVELS[IDS[self._level]].spread}", axis, "", dims), unit)
        ]
        for place, group in enumerate(self._groups):
            key, n = LiveKey(f"{IDS[self._level]}.difference", group, group, dims), self._n[place]
            if n == 0 or not self._met[place]:
                reason = f"no article mentions “{group}”" if n else "no pair has the group on both sides"
                values.append(undefined(key, unit, n, reason))
            else:
                values.append(self._difference(key, unit, place))
        return values

    def _difference(self, key: LiveKey, unit: str, place: int) -> LiveValue:
        n, differing = self._n[place], self._more[place] + self._fewer[place]
        mean = self._sums[place].value / n
        first = first_differing(self._more[place], self._fewer[place])
        if differing < first:
            reason = (
                f"a band needs {first} headlines whose article differs from the original"
                f"{', because nearly all differ in the same direction' if first == FIRST_ONE_WAY else ''}"
                f"; so far there are {differing}"
            )
            return banded(key, unit, n, mean, None, reason)
        error = self._stories.error({place: np.array([1 / n, -mean / n])})
        return nearly_normal(key, unit, n, mean, error, (self._stories.clusters(place),))


class _Spread:
    """The mean distance of pairs, W or S, from 0 to `limit`.

    Its floor is that of sentences dealt again; where headlines were written for twice, the measure's, between two
    generations, takes its place at the end.
    """

    def __init__(self, limit: float) -> None:
        self._limit = limit
        self._sum, self._quiet, self._stories = ExactSum(), ExactSum(), ClusterSums(2)
        self._n = 0
        self._watched: BoundedMean | None = BoundedMean(0.0, limit)

    def add(self, story: str, distance: float, quiet: float) -> None:
        """Add a pair's distance. `quiet`: its distance with the sentences dealt again."""
        self._n += 1
        self._sum.add(distance)
        self._quiet.add(quiet)
        self._stories.add(story, "", np.array([distance, 1.0]))
        if distance > self._limit:
            self._watched = None
        if self._watched is not None:
            self._watched.add(distance)

    def value(self, key: LiveKey, unit: str) -> LiveValue:
        if not self._n:
            return undefined(key, unit, 0, "no pair has what is compared on both sides")
        mean = self._sum.value / self._n
        return replace(self._banded(key, unit, mean), floor=self._quiet.value / self._n)

    def _banded(self, key: LiveKey, unit: str, mean: float) -> LiveValue:
        """Return the mean with a band: exact where each pair is independent, else clustered by headline."""
        n, stories = self._n, self._stories.clusters("")
        if self._watched is None:
            return banded(key, unit, n, mean, None, f"some pairs lie more than {self._limit:g} apart")
        if stories == n:
            return banded(key, unit, n, mean, self._watched.band)
        if stories < FIRST_CLUSTERS:
            reason = f"a band needs {FIRST_CLUSTERS} headlines; so far there are {stories}"
            return banded(key, unit, n, mean, None, reason)
        slope = np.array([1 / n, -mean / n]) / self._limit
        share = clustered_share_band(mean / self._limit, n, self._stories.error({"": slope}), stories)
        return banded(key, unit, n, mean, Bounds(self._limit * share.low, self._limit * share.high, share.method))


class NewsWork(OwnWork):
    """Articles beside their originals."""

    store = store_articles
    needed_by_any = staticmethod(needed)
    of_tables = staticmethod(of_tables)
    prepared = staticmethod(prepared)
    of_project = staticmethod(of_project)
    live = NewsTally
    simulated = staticmethod(news_trial)
