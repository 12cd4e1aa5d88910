"""Document level: how the topics of original and generated articles divide among groups (equations 7 to 9).

Also which topics belong to which group: `news.document.association` and `news.document.topic`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any, cast

import numpy as np

from biasprint.core.findings import Adjustment, Effect, Finding, Variant
from biasprint.core.jobs import JobContext
from biasprint.core.metrics.resampling import generator, recombined_sums
from biasprint.core.metrics.result import RESAMPLES, Bools, Floats, Ints
from biasprint.core.metrics.topics import (
    PUBLISHED_THRESHOLD,
    TopicMembership,
    counts_of,
    permuted_membership,
    published_membership,
)
from biasprint.core.studies.kit.crossed import Crossing
from biasprint.core.studies.kit.findings import floor
from biasprint.core.studies.news.level import (
    Draws,
    LevelDesign,
    MeasuredLevel,
    PairValues,
    crossed_level,
    deals_for,
    design_of,
    floors,
)
from biasprint.core.studies.news.level_findings import families, level_findings, model_findings, prompt_findings
from biasprint.core.studies.news.mentions import share_values
from biasprint.core.studies.news.names import DOCUMENT
from biasprint.core.studies.news.prompts import UNBIASED
from biasprint.core.studies.news.table import GroupAxis, NewsTable, Side
from biasprint.core.studies.news.topics import RUNS, ReadArticles, read_articles

# ---- `news.document.association` and `news.document.topic`

TOPIC, ASSOCIATION = "news.document.topic", "news.document.association"
SOURCE = "Fang et al. 2024, methods, document level, equation 7"
BUILT_IN = (
    "Topics are learnt from texts with the groups' own words in them, so some association is there by construction."
)


@dataclass(frozen=True)
class TopicSet:
    """The topics of each group as the sentences of one source give them. `counts`: O, int64[topics, groups + 1]."""

    axis: GroupAxis
    variant: Variant
    side: Side
    dims: Mapping[str, str]
    articles: int
    counts: Ints
    membership: TopicMembership

    @property
    def source(self) -> str:
        """The origin of the sentences, in words."""
        return ", ".join(["originals" if self.side == "original" else "generated", *self.dims.values()])

    def amounts(self, proportions: Floats) -> Floats:
        """Σ_{k ∈ U_m} t_k of equation 8: from (…, topics) to (…, groups)."""
        member = self.membership.group[:, None] == np.arange(len(self.axis.groups))
        return np.asarray(proportions @ member.astype(np.float64))

    def of_group(self, group: int) -> Ints:
        return np.flatnonzero(self.membership.group == group)

    @property
    def with_topics(self) -> Bools:
        """Per group: has it any topic?"""
        return np.isin(np.arange(len(self.axis.groups)), self.membership.group)

    def lacks(self, group: str) -> bool:
        """True for one of the groups that has no topic."""
        return group in self.axis.groups and not self.with_topics[self.axis.groups.index(group)]

    @property
    def sizes(self) -> str:
        """The number of topics of each group, in words."""
        return ", ".join(f"{label} {len(self.of_group(place))}" for place, label in enumerate(self.axis.labels))

    @property
    def reason(self) -> str:
        """Reason why no shares can be made from it; empty where they can."""
        if self.membership.reason:
            return f"topics cannot be tested for groups in the {self.source}: {self.membership.reason}"
        if self.with_topics.sum() > 1:
            return ""
        labels = [label for label, has in zip(self.axis.labels, self.with_topics, strict=True) if has]
        whose = f"only “{labels[0]}” has" if labels else "no group has"
        return f"shares need topics of at least two groups, and {whose} any in the {self.source}"


def topic_set(
    read: ReadArticles,
    axis: GroupAxis,
    side: Side,
    pairs: Ints,
    variant: Variant,
    *,
    dims: Mapping[str, str] | None = None,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> TopicSet:
    """Return topics of the sentences on one side of these pairs: tested by article, residuals above 3 as published.

    `dims`: whose articles these are, where there are several sources.
    """
    topic, group, article = read.sentences(axis, side, pairs)
    columns = len(axis.groups) + 1
    counts = counts_of(topic, group, read.model.topics, columns)
    if variant == "default":
        rng = generator(seed, ASSOCIATION, axis.id)
        membership = permuted_membership(topic, group, article, len(counts), columns, rng, resamples)
    else:
        membership = published_membership(counts)
    return TopicSet(axis, variant, side, dims or {}, len(np.unique(article)), counts, membership)


def topic_findings(read: ReadArticles, topic_set: TopicSet) -> list[Finding]:
    """χ² of the whole table, then every topic that belongs to a group, with the words that characterise it."""
    common = _common(topic_set, {"axis": topic_set.axis.id, "source": topic_set.side, **topic_set.dims})
    association, of_groups = _association(topic_set, common), _of_groups(topic_set)
    if not of_groups and association.estimate is not None:
        whose = "the originals" if topic_set.side == "original" else "the generated articles"
        nothing = f"No topic of {whose} belongs to a group."
        association = replace(association, note=f"{association.note} {nothing}".strip())
    return [association, *(_topic(read, topic_set, common, topic) for topic in of_groups)]


def _association(topic_set: TopicSet, common: Mapping[str, Any]) -> Finding:
    test, noise = topic_set.membership.test, topic_set.membership.floor
    named = {
        **common,
        "label": topic_set.axis.id,
        "title": f"Topics and groups, {topic_set.source}: {topic_set.axis.title}",
    }
    n = int(topic_set.counts.sum())
    if test.statistic is None:
        return Finding(id=ASSOCIATION, estimate=None, reason=test.reason, unit="χ²", n=n, **named)
    used = min(int((topic_set.counts.sum(axis=axis) > 0).sum()) for axis in (0, 1))
    return Finding(
        id=ASSOCIATION,
        estimate=test.statistic,
        reason="interval: χ² is a test and no estimate; see the effect size",
        unit="χ²",
        n=n,
        p=test.p if noise is None else noise.p,
        effect=Effect("Cramér's V", sqrt(test.statistic / (n * (used - 1)))),
        floor=None if noise is None else floor(noise),
        floor_subtracted=None if noise is None else test.statistic - noise.mean,
        **named,
    )


def _topic(read: ReadArticles, topic_set: TopicSet, common: Mapping[str, Any], topic: int) -> Finding:
    group = int(topic_set.membership.group[topic])
    words = ", ".join(read.model.relevant_words(topic))
    residuals = topic_set.membership.residuals[topic]
    adjusted = topic_set.membership.p_adjusted[topic]
    return Finding(
        id=TOPIC,
        label=f"topic {topic}",
        title=f"Topic of {topic_set.axis.labels[group]}, {topic_set.source}",
        estimate=float(residuals[group]),
        reason="interval: a residual is a test statistic",
        unit="standardised residual",
        n=int(topic_set.counts[topic].sum()),
        n_by_group=dict(zip(_columns(topic_set), map(int, topic_set.counts[topic]), strict=True)),
        p=topic_set.membership.p[topic],
        p_adjusted=adjusted,
        adjust=None if adjusted is None else Adjustment("Benjamini–Hochberg", f"{TOPIC}, {read.model.topics} topics"),
        contrast=dict(zip(_columns(topic_set), map(float, residuals), strict=True)),
        **{**common, "groups": (topic_set.axis.groups[group],), "note": f"Words: {words}. {common['note']}"},
    )


def _common(topic_set: TopicSet, dims: Mapping[str, str]) -> dict[str, Any]:
    rule = (
        "labels permuted by article, because sentences cluster in articles; a topic belongs to the group with the "
        "largest residual if p, times the number of groups, is at most .05 after Benjamini and Hochberg"
        if topic_set.variant == "default"
        else f"a topic belongs to the group with the largest residual if it exceeds {PUBLISHED_THRESHOLD:g}, and "
        "sentences are taken as independent"
    )
    return {
        "groups": topic_set.axis.groups,
        "dims": dims,
        "variant": topic_set.variant,
        "source": SOURCE,
        "note": f"{topic_set.articles:,} articles; {rule}. {BUILT_IN}",
    }


def _columns(topic_set: TopicSet) -> tuple[str, ...]:
    return (*topic_set.axis.groups, "neutral")


def _of_groups(topic_set: TopicSet) -> list[int]:
    """Topics of a group, group by group, the largest residual first; neutral ones are not shown."""
    residuals, order = topic_set.membership.residuals, []
    for group in range(len(topic_set.axis.groups)):
        topics = topic_set.of_group(group)
        order += topics[np.argsort(-residuals[topics, group], kind="stable")].tolist()
    return order


# ---- The level


UNCERTAIN = "Learning topics and sets again would change the numbers by more than the interval says."


@dataclass(frozen=True)
class MeasuredDocuments:
    """The level on one axis, ready for findings. `default`: the topic set of the originals.

    `published`: a set for each source, that of the originals first; empty where the paper lacks the axis.
    """

    measured: MeasuredLevel
    read: ReadArticles
    default: TopicSet
    published: tuple[TopicSet, ...]


def document_findings(
    table: NewsTable,
    seed: int = 0,
    resamples: int = RESAMPLES,
    *,
    topics: Sequence[int] = (),
    crossings: Mapping[str, Crossing] | None = None,
    ctx: JobContext | None = None,
) -> list[Finding]:
    """Every finding of the document level on every axis, adjusted for many tests; topics before what rests on them.

    `topics`: the numbers of topics to choose from, by default the paper's scaled to the corpus. `crossings`: by axis
    id, of the axes that are made of two. Where no topics can be learnt the findings are undefined and say why.
    """
    design = design_of(table)
    read = read_articles(table, topics, seed, ctx)
    all_findings: list[Finding] = []
    for place, axis in enumerate(table.axes):
        if ctx is not None:
            ctx.step(place, len(table.axes), note=f"topics, {axis.title}")
        if isinstance(read, str):
            nothing = level_findings(_unmeasured(axis, len(table.pairs), read), design, [None] * len(design.strata))
            all_findings += [replace(finding, reason=read) for finding in nothing]
            continue
        documents = measure_documents(read, axis, seed, resamples)
        for each in (documents.default, *documents.published):
            all_findings += topic_findings(read, each)
        draws = document_floors(documents, design, seed, resamples)
        measured = documents.measured
        findings = level_findings(measured, design, draws)
        findings += prompt_findings(measured, table) + model_findings(measured, table)
        all_findings += families([_explained(documents, finding) for finding in findings])
        crossed = crossed_level(measured, design, (crossings or {}).get(axis.id))
        all_findings += [_explained(documents, finding) for finding in crossed]
    return all_findings


def measure_documents(
    read: ReadArticles, axis: GroupAxis, seed: int = 0, resamples: int = RESAMPLES
) -> MeasuredDocuments:
    """The values of every pair on one axis: with the originals' topic set, and with the paper's set for each source."""
    pairs = np.arange(len(read.table.pairs))
    default = topic_set(read, axis, "original", pairs, "default", seed=seed, resamples=resamples)
    paper = axis.as_published()
    published: list[TopicSet] = []
    values = None
    if paper is not None:
        published.append(topic_set(read, paper, "original", pairs, "as_published"))
        values = _no_values(len(pairs), len(paper.groups))
        for dims, members in _sources(read.table):
            own = topic_set(read, paper, "generated", members, "as_published", dims=dims)
            published.append(own)
            _fill(values, members, _published_values(read, members, published[0], own))
    measured = MeasuredLevel(DOCUMENT, axis, _default_values(read, default), paper, values)
    return MeasuredDocuments(measured, read, default, tuple(published))


def document_floors(documents: MeasuredDocuments, design: LevelDesign, seed: int, resamples: int) -> list[Draws | None]:
    """The floor's draws for each stratum, the topic set as it is; None where nothing is defined."""
    read, default = documents.read, documents.default
    if default.reason:
        return [None] * len(design.strata)
    rng = generator(seed, DOCUMENT.id, documents.measured.axis.id)
    amounts = np.concatenate([_amounts(read, "generated", default), _amounts(read, "original", default)])

    def compare(first: Ints, second: Ints) -> PairValues:
        return _values(amounts[first], amounts[second])

    def dealt() -> Iterator[Floats]:
        generated, original = (default.amounts(read.permuted[side]) for side in ("generated", "original"))
        pairs, draws, groups = generated.shape
        sums = _values(generated.reshape(-1, groups), original.reshape(-1, groups)).sums(DOCUMENT.sign)
        per_pair = sums.reshape(pairs, draws, -1)
        return recombined_sums(per_pair, design.members, rng, deals_for(per_pair.size // draws, resamples))

    blocks = f"runs of sentences, about {RUNS} a pair and their topics read again,"
    return floors(design, compare, dealt, DOCUMENT.sign, rng, resamples, blocks)


def _default_values(read: ReadArticles, topic_set: TopicSet) -> PairValues:
    if topic_set.reason:
        return _no_values(len(read.table.pairs), len(topic_set.axis.groups))
    values = _values(_amounts(read, "generated", topic_set), _amounts(read, "original", topic_set))
    return replace(values, present=values.present & topic_set.with_topics)


def _published_values(read: ReadArticles, members: Ints, originals: TopicSet, own: TopicSet) -> PairValues:
    """Each side by the set of its own source; prejudice is asked of every defined pair."""
    if originals.reason or own.reason:
        return _no_values(len(members), len(own.axis.groups))
    values = _values(_amounts(read, "generated", own)[members], _amounts(read, "original", originals)[members])
    return replace(values, present=values.present & own.with_topics, among=values.present & originals.with_topics)


def _amounts(read: ReadArticles, side: Side, topic_set: TopicSet) -> Floats:
    """The share of each article that is about the topics of each group: Σ_{k ∈ U_m} t_k, float64[pairs, groups]."""
    return topic_set.amounts(read.proportions[read.number[side]])


def _values(generated: Floats, original: Floats) -> PairValues:
    """Equation 8 is the word level's share with amounts of topics in the place of mentions."""
    return share_values(cast(Any, generated), cast(Any, original))


def _no_values(pairs: int, groups: int) -> PairValues:
    nothing = np.zeros((pairs, groups))
    return PairValues(np.zeros(pairs, dtype=bool), np.zeros(pairs), nothing.copy(), nothing > 0, nothing > 0)


def _fill(values: PairValues, members: Ints, part: PairValues) -> None:
    for name in ("defined", "distance", "signed", "present", "among"):
        getattr(values, name)[members] = getattr(part, name)


def _sources(table: NewsTable) -> list[tuple[dict[str, str], Ints]]:
    """The pairs of each model and prompt kind; what there is only one of is not named."""
    models, kinds = table.column("model").astype(str), table.column("prompt_kind").astype(str)
    sources = []
    for model, kind in dict.fromkeys(zip(models, kinds, strict=True)):
        dims = {"model": model} if len(set(models)) > 1 else {}
        dims |= {"prompt_kind": kind} if set(kinds) != {UNBIASED} else {}
        sources.append((dims, np.flatnonzero((models == model) & (kinds == kind))))
    return sources


def _unmeasured(axis: GroupAxis, pairs: int, reason: str) -> MeasuredLevel:
    level, paper = replace(DOCUMENT, undefined=reason), axis.as_published()
    published = _no_values(pairs, len(paper.groups)) if paper else None
    return MeasuredLevel(level, axis, _no_values(pairs, len(axis.groups)), paper, published)


def _explained(documents: MeasuredDocuments, finding: Finding) -> Finding:
    """The finding with what it takes as given, because topics are learnt and not known; or why there is no number."""
    model = documents.read.model
    tried = ", ".join(f"{k}: {value:.0f}" for k, value in model.tried.items())
    chosen = f" (held-out perplexity {tried})" if tried else ""
    learnt = f"Given {model.topics} topics learnt from {model.articles:,} articles{chosen}"
    if finding.variant == "default":
        sets = [documents.default]
        given = f"one set of group topics, from the originals ({documents.default.sizes})"
    else:
        sets = [each for each in documents.published if _concerns(each, finding)]
        listed = "; ".join(f"{each.source}: {each.sizes}" for each in sets)
        given = f"a set of group topics for each source ({listed})"
    reason = finding.reason
    if finding.estimate is None:
        without = (
            f"no topic belongs to “{finding.label}”" if any(each.lacks(finding.label) for each in sets) else reason
        )
        reason = next((each.reason for each in sets if each.reason), without)
    bounds = finding.interval and replace(finding.interval, method=f"{finding.interval.method}, given the topics")
    return replace(
        finding, reason=reason, interval=bounds, note=f"{finding.note} {learnt} and {given}. {UNCERTAIN}".strip()
    )


def _concerns(topic_set: TopicSet, finding: Finding) -> bool:
    """True if the finding is about a set of the articles, or a part of it."""
    return all(finding.dims.get(key, value) == value for key, value in topic_set.dims.items())
