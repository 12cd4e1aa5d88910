"""Which topics belong to which group: `news.document.association` and `news.document.topic`."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from core.findings import Adjustment, Effect, Finding, Variant
from core.metrics.resampling import generator
from core.metrics.result import RESAMPLES, Bools, Floats, Ints
from core.metrics.topics import (
    PUBLISHED_THRESHOLD,
    TopicMembership,
    counts_of,
    permuted_membership,
    published_membership,
)
from core.studies.findings import floor
from core.studies.news.document_articles import ReadArticles
from core.studies.news.groups import GroupAxis
from core.studies.news.table import Side

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
        """Whose sentences they are, in words."""
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
        """Is this one of the groups, and without any topic?"""
        return group in self.axis.groups and not self.with_topics[self.axis.groups.index(group)]

    @property
    def sizes(self) -> str:
        """How many topics each group has, in words."""
        return ", ".join(f"{label} {len(self.of_group(place))}" for place, label in enumerate(self.axis.labels))

    @property
    def reason(self) -> str:
        """Why no shares can be made from it; empty where they can."""
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
    """From the sentences on one side of these pairs: tested by article by default, residuals above 3 as published.

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


def topic_findings(read: ReadArticles, found: TopicSet) -> list[Finding]:
    """χ² of the whole table, then every topic that belongs to a group, with the words that characterise it."""
    common = _common(found, {"axis": found.axis.id, "source": found.side, **found.dims})
    return [_association(found, common), *(_topic(read, found, common, topic) for topic in _of_groups(found))]


def _association(found: TopicSet, common: Mapping[str, Any]) -> Finding:
    test, noise = found.membership.test, found.membership.floor
    named = {**common, "label": found.axis.id, "title": f"Topics and groups, {found.source}: {found.axis.title}"}
    n = int(found.counts.sum())
    if test.statistic is None:
        return Finding(id=ASSOCIATION, estimate=None, reason=test.reason, unit="χ²", n=n, **named)
    used = min(int((found.counts.sum(axis=axis) > 0).sum()) for axis in (0, 1))
    return Finding(
        id=ASSOCIATION,
        estimate=test.statistic,
        reason="interval: a χ² has none; see the effect size",
        unit="χ²",
        n=n,
        p=test.p if noise is None else noise.p,
        effect=Effect("Cramér's V", sqrt(test.statistic / (n * (used - 1)))),
        floor=None if noise is None else floor(noise),
        floor_subtracted=None if noise is None else test.statistic - noise.mean,
        **named,
    )


def _topic(read: ReadArticles, found: TopicSet, common: Mapping[str, Any], topic: int) -> Finding:
    group = int(found.membership.group[topic])
    words = ", ".join(read.model.relevant_words(topic))
    residuals = found.membership.residuals[topic]
    adjusted = found.membership.p_adjusted[topic]
    return Finding(
        id=TOPIC,
        label=f"topic {topic}",
        title=f"Topic of {found.axis.labels[group]}, {found.source}",
        estimate=float(residuals[group]),
        reason="interval: a residual is a test statistic",
        unit="standardised residual",
        n=int(found.counts[topic].sum()),
        n_by_group=dict(zip(_columns(found), map(int, found.counts[topic]), strict=True)),
        p=found.membership.p[topic],
        p_adjusted=adjusted,
        adjust=None if adjusted is None else Adjustment("Benjamini–Hochberg", f"{TOPIC}, {read.model.topics} topics"),
        contrast=dict(zip(_columns(found), map(float, residuals), strict=True)),
        **{**common, "groups": (found.axis.groups[group],), "note": f"Words: {words}. {common['note']}"},
    )


def _common(found: TopicSet, dims: Mapping[str, str]) -> dict[str, Any]:
    rule = (
        "labels permuted by article, because sentences cluster in articles; a topic belongs to the group with the "
        "largest residual if p, times the number of groups, is at most .05 after Benjamini and Hochberg"
        if found.variant == "default"
        else f"a topic belongs to the group with the largest residual if it exceeds {PUBLISHED_THRESHOLD:g}, and "
        "sentences are taken as independent"
    )
    return {
        "groups": found.axis.groups,
        "dims": dims,
        "variant": found.variant,
        "source": SOURCE,
        "note": f"{found.articles:,} articles; {rule}. {BUILT_IN}",
    }


def _columns(found: TopicSet) -> tuple[str, ...]:
    return (*found.axis.groups, "neutral")


def _of_groups(found: TopicSet) -> list[int]:
    """Topics of a group, group by group, the largest residual first; neutral ones are not shown."""
    residuals, order = found.membership.residuals, []
    for group in range(len(found.axis.groups)):
        topics = found.of_group(group)
        order += topics[np.argsort(-residuals[topics, group], kind="stable")].tolist()
    return order
