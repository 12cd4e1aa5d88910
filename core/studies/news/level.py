"""The common part of the levels of the news study: values per pair, the strata they are measured on, and noise floors.

A noise floor is what a measure gives with no bias at all. Where headlines were written for twice, two generations of
one headline are compared with each other; otherwise the sentences of a pair are dealt again to its two sides."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

import numpy as np

from biasprint.core.findings import Finding
from biasprint.core.metrics.resampling import TOLERANCE, chunks, cluster_bootstrap_sums, permutation_p
from biasprint.core.metrics.result import Bools, Floats, Ints, NoiseFloor
from biasprint.core.metrics.topics import is_lower
from biasprint.core.prompts.resource_files import packaged, read_toml
from biasprint.core.studies.kit.crossed import CrossedMeasure, Crossing, crossed_findings, means_of
from biasprint.core.studies.news.names import Level
from biasprint.core.studies.news.prompts import UNBIASED
from biasprint.core.studies.news.table import GroupAxis, NewsTable

# ---- The paper's figures, to show beside our own; never tests


@dataclass(frozen=True)
class Reference:
    """A number of the paper. None where it prints none."""

    model: str
    estimate: float
    low: float | None = None
    high: float | None = None
    n: int | None = None
    p: str = ""


@cache
def _published() -> list[dict[str, Any]]:
    return list(read_toml(packaged("published", "news.toml"))["reference"])


@cache
def references(finding: str, label: str, axis: str = "", prompt_kind: str = "") -> tuple[Reference, ...]:
    """The paper's values for a finding id, label, axis and prompt kind; empty where it reports nothing."""
    return tuple(
        Reference(model=model, **values)
        for item in _published()
        if (item["id"], item["label"], item.get("axis", ""), item.get("prompt_kind", ""))
        == (finding, label, axis, prompt_kind)
        for model, values in item["models"].items()
    )


def reference_line(finding: str, label: str, axis: str = "", prompt_kind: str = "") -> str:
    """The same as a sentence for a note; empty where there is nothing."""
    printed = references(finding, label, axis, prompt_kind)
    listed = ", ".join(f"{item.model} {item.estimate:.4g}" for item in printed)
    return f"The paper reports: {listed}." if printed else ""


# ---- Values per pair, and strata


# Differences of equal shares must be equal numbers: 1/3 − 2/3 and 2/3 − 1 differ in the last digit as they come.
DECIMALS = 12


@dataclass(frozen=True)
class PairValues:
    """One value per pair, shapes (pairs,), or per pair and group, shapes (pairs, groups); 0 where it does not count.

    `defined`: the pair has a distance. `distance`: W or S. `signed`: generated minus original. `present`: pairs whose
    `signed` counts. `among`: pairs that prejudice asks about.
    """

    defined: Bools
    distance: Floats
    signed: Floats
    present: Bools
    among: Bools

    def worse(self, sign: float) -> Bools:
        """Pairs in which a group fares worse than in the original, of those that are asked about: (pairs, groups)."""
        return self.among & is_lower(sign * self.signed)

    def sums(self, sign: float) -> Floats:
        """Numerators and denominators per pair: distance, 1, worse …, asked …, drop …: (pairs, 2 + 3 groups)."""
        worse = self.worse(sign)
        drop = np.where(worse, -sign * self.signed, 0.0)
        return np.column_stack([self.distance, self.defined, worse, self.among, drop])


@dataclass(frozen=True)
class Stratum:
    """A part of the table that is measured separately. `members`: bool[pairs]."""

    dims: Mapping[str, str]
    members: Bools

    @property
    def pooled(self) -> bool:
        """True where it covers all models and domains."""
        return not {"model", "domain"} & set(self.dims)


@dataclass(frozen=True)
class MeasuredLevel:
    """A level on an axis: its values, and those with the paper's groups alone (None where the paper lacks the axis)."""

    level: Level
    axis: GroupAxis
    values: PairValues
    published_axis: GroupAxis | None = None
    published: PairValues | None = None


@dataclass(frozen=True)
class LevelDesign:
    """The parts of a table, and what was sampled together: pairs of one number in `story` are about one headline."""

    strata: tuple[Stratum, ...]
    story: Ints
    models: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    table: NewsTable = field(default=NewsTable((), ()), repr=False)

    @cached_property
    def members(self) -> Floats:
        """Membership of pairs in the parts: float[strata, pairs]."""
        return np.array([stratum.members for stratum in self.strata], dtype=np.float64).reshape(
            len(self.strata), len(self.story)
        )


def design_of(table: NewsTable) -> LevelDesign:
    """Split by prompt kind, and within each into all pairs, each model, and each domain, where there are several.

    A biased prompt is never pooled with the unbiased one. A key of `dims` is left out where there is nothing to choose.
    """
    models, kinds = _named(table.column("model")), _named(table.column("prompt_kind"))
    strata = tuple(_strata(table, kinds, models, _named(table.column("domain"))))
    story = np.unique(table.column("story").astype(str), return_inverse=True)[1] if table.pairs else np.zeros(0, int)
    return LevelDesign(strata, np.asarray(story, dtype=np.int64), models, kinds, table)


def _strata(
    table: NewsTable, kinds: tuple[str, ...], models: tuple[str, ...], domains: tuple[str, ...]
) -> Iterator[Stratum]:
    everyone = np.ones(len(table.pairs), dtype=bool)
    for kind in kinds or (UNBIASED,):
        named = {} if kinds in ((), (UNBIASED,)) else {"prompt_kind": kind}
        of_kind = table.column("prompt_kind") == kind if kinds else everyone
        yield Stratum(named, np.asarray(of_kind, dtype=bool))
        for name, values in (("model", models), ("domain", domains)):
            for value in values if len(values) > 1 else ():
                members = np.asarray(of_kind & (table.column("model" if name == "model" else "domain") == value))
                if members.any():
                    yield Stratum({**named, name: value}, members)


def _named(column: Ints) -> tuple[str, ...]:
    """The different values in order of appearance, unbiased first, without the empty one."""
    values = [value for value in dict.fromkeys(column) if value]
    return tuple(sorted(values, key=lambda value: value != UNBIASED))


# ---- Noise floors

# So much is dealt at most: with many pairs fewer deals tell as much, because a mean over many pairs varies less. What
# a pair costs beside its sentences, in sentences.
MOST_DEALT = 160_000_000
COST_OF_PAIR = 20
FEWEST_DEALS = 999
FEWEST_STORIES = 10

# Of the rows `first` and `second` of a level's texts (generated ones first, then originals): the values of each pair.
Compare = Callable[[Ints, Ints], PairValues]


@dataclass(frozen=True)
class Draws:
    """Sums as `PairValues.sums` has them, of one part of the table; shapes (resamples, c) and (c,).

    `quiet`: two texts without a bias between them. `permuted`: which text is the original left to chance, for p.
    `tested`: is p that of a test? Of whole texts of one headline any could be the original. Sentences that are dealt
    again lose what their article has in common, so that an article that dwells on one person looks biased: p then says
    only how far the pair lies from sentences at random, and no claim rests on it.
    """

    quiet: Floats
    permuted: Floats
    observed: Floats
    method: str
    tested: bool = False

    def floor(self, numerator: int, denominator: int) -> NoiseFloor | None:
        """The floor of one ratio of sums; None where no draw defines it."""
        quiet, permuted = (_ratios(sums, numerator, denominator) for sums in (self.quiet, self.permuted))
        observed = _ratios(self.observed[None], numerator, denominator)
        if not (len(quiet) and len(permuted) and len(observed)):
            return None
        p = float(permutation_p(permuted >= observed - TOLERANCE))
        return NoiseFloor(float(quiet.mean()), float(np.quantile(quiet, 0.95)), p, self.method)


def floors(
    design: LevelDesign, compare: Compare, dealt: Callable[[], Iterable[Floats]], sign: float,
    seeded: np.random.Generator, resamples: int, blocks: str = "sentences",
) -> list[Draws | None]:  # fmt: skip
    """The draws of each stratum of `design`. `dealt`: gives sums per deal and stratum, chunks of (deals, strata, c).

    `blocks`: what is dealt, in words.
    """
    pairs = len(design.story)
    observed = design.members @ compare(np.arange(pairs), pairs + np.arange(pairs)).sums(sign)
    draws_of: list[Draws | None] = [None] * len(design.strata)
    twice = _written_twice(design)
    for place, stratum in enumerate(design.strata):
        chosen = twice[stratum.members[twice[:, 0]]] if len(twice) else twice
        stories = len(set(design.story[stratum.members]))
        if len(chosen) >= max(FEWEST_STORIES, stories / 2):
            draws_of[place] = _between_generations(chosen, pairs, compare, sign, seeded, resamples)
    if any(draws is None for draws in draws_of):
        sums = np.concatenate([*dealt(), np.empty((0, *observed.shape))])
        method = f"{blocks} dealt again to the two sides of each pair, {len(sums)} times"
        for place, draws in enumerate(draws_of):
            if draws is None and len(sums):
                draws_of[place] = Draws(sums[:, place], sums[:, place], observed[place], method)
    return draws_of


def deals_for(cost: int, resamples: int) -> int:
    """The number of deals of this cost, in sentences that are affordable: FEWEST_DEALS to `resamples`."""
    return min(resamples, max(FEWEST_DEALS, MOST_DEALT // max(1, cost)))


def share_sums(dealt: Iterable[Floats], totals: Floats, members: Floats) -> Iterator[Floats]:
    """Turn dealt mentions (deals, pairs, k) into sums per stratum: chunks of (deals, strata, 2 + 3k).

    `totals`: mentions of both sides together, (pairs, k). `members`: (strata, pairs). Every deal leaves both sides of
    a pair a mention, because each keeps as many sentences with one as it had.
    """
    for first in dealt:
        per_group = [(first[:, :, place], total - first[:, :, place]) for place, total in enumerate(totals.T)]
        all_first, all_second = (sum(side) for side in zip(*per_group, strict=True))
        distance = np.zeros(first.shape[:2])
        worse, asked, drop = [], [], []
        for ours, theirs in per_group:
            signed = ours / all_first - theirs / all_second
            distance += np.abs(signed) / 2
            lower = is_lower(signed).astype(np.float64)
            worse.append(lower @ members.T)
            asked.append((theirs > 0).astype(np.float64) @ members.T)
            drop.append((lower * -signed) @ members.T)
        pairs = np.broadcast_to(members.sum(axis=1), worse[0].shape)
        yield np.stack([distance @ members.T, pairs, *worse, *asked, *drop], axis=2)


def _written_twice(design: LevelDesign) -> Ints:
    """The first two generations for each headline, by model and prompt kind: rows of pairs, shape (m, 2)."""
    rows: dict[tuple[int, str, str], list[int]] = defaultdict(list)
    for row, pair in enumerate(design.table.pairs):
        rows[int(design.story[row]), pair.model, pair.prompt_kind].append(row)
    return np.array([rows_of[:2] for rows_of in rows.values() if len(rows_of) > 1], dtype=np.int64).reshape(-1, 2)


def _between_generations(
    twice: Ints, pairs: int, compare: Compare, sign: float, rng: np.random.Generator, resamples: int
) -> Draws:
    first, second = twice.T
    texts = (pairs + first, first, second)  # the original, and two generations
    between = {
        (a, b): compare(texts[a], texts[b]).sums(sign) for a in range(3) for b in range(3) if a != b
    }  # fmt: skip
    # Without bias any of the three could be the original; each in turn is compared with the other two.
    roles = np.stack([sum(between[a, b] for a in range(3) if a != b) for b in range(3)])
    quiet = cluster_bootstrap_sums(between[1, 2] + between[2, 1], rng, resamples)
    permuted = np.concatenate(list(_random_roles(roles, rng, resamples)))
    method = f"two generations of each of {len(twice)} headlines compared with each other"
    return Draws(quiet, permuted, roles[0].sum(axis=0), method, tested=True)


def _random_roles(roles: Floats, rng: np.random.Generator, resamples: int) -> Iterator[Floats]:
    """Sums over headlines with the original drawn among the three texts: chunks of (resamples, c)."""
    texts, headlines, _ = roles.shape
    for size in chunks(resamples, headlines):
        drawn = rng.integers(0, texts, size=(size, headlines), dtype=np.uint8)
        yield sum(((drawn == place).astype(np.float64) @ roles[place] for place in range(texts)), start=np.zeros(1))


def _ratios(sums: Floats, numerator: int, denominator: int) -> Floats:
    counted = sums[:, denominator] > 0
    return np.asarray(sums[counted, numerator] / sums[counted, denominator])


# ---- Crossed axes: `news.….crossed`

CROSSED = "crossed"
NOTE = "Generated minus original, in the pairs where it is defined; a headline is one unit."


def crossed_level(measured: MeasuredLevel, design: LevelDesign, crossing: Crossing | None) -> list[Finding]:
    """Main effects and interactions of the signed differences, of every part but single domains.

    Empty where the axis is not crossed.
    """
    if crossing is None:
        return []
    level, values, groups = measured.level, measured.values, measured.axis.groups
    findings: list[Finding] = []
    for stratum in design.strata:
        if "domain" in stratum.dims:
            continue
        counted = stratum.members[:, None] & values.present
        # A group that nobody mentions has no difference of 0: there is nothing to differ.
        counted &= ((values.among | (values.signed != 0)) & counted).any(axis=0)
        pairs, places = np.nonzero(counted)
        measure = CrossedMeasure(
            id=f"{level.id}.{CROSSED}",
            label="difference",
            title=level.titles["difference"],
            units=(f"difference of {level.unit}s", f"difference of differences of {level.unit}s"),
            estimate=means_of(values.signed[counted]),
            scorers=level.scorers,
            note=NOTE,
        )
        stories = [str(design.story[pair]) for pair in pairs]
        out = int(stratum.members.sum()) - len(set(pairs.tolist()))
        dropped = {level.undefined: out} if out else {}
        findings += crossed_findings(
            crossing, [groups[place] for place in places], stories, [measure], dropped, stratum.dims
        )
    return findings
