"""Document level: how the topics of original and generated articles divide among groups (equations 7 to 9)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from core.findings import Finding
from core.metrics.resampling import generator, recombined_sums
from core.metrics.result import RESAMPLES, Floats, Ints
from core.studies.news.comparisons import model_findings, prompt_findings
from core.studies.news.document_articles import RUNS, ReadArticles, read_articles
from core.studies.news.families import families
from core.studies.news.floors import Draws, deals_for, floors
from core.studies.news.groups import GroupAxis
from core.studies.news.level import Design, Level, Measured, PairValues, design_of
from core.studies.news.level_findings import level_findings
from core.studies.news.table import UNBIASED, NewsTable, Side
from core.studies.news.topic_sets import TopicSet, topic_findings, topic_set
from core.studies.news.word import share_values

PLANNED = 0.05  # five percentage points of a group's share
METHODS = "Fang et al. 2024, methods, document level, equations 7 to 9"

DOCUMENT = Level(
    id="news.document",
    distance="wasserstein",
    titles={
        "distance": "Topics: Wasserstein distance of group shares",
        "prejudice_share": "Topics: articles with less of the group's topics than the original",
        "prejudice_drop": "Topics: how much less, in those articles",
        "difference": "Topics: difference of the group's share",
    },
    unit="proportion",
    planned=PLANNED,
    undefined="no topic of any group on a side",
    sources={
        "distance": f"{METHODS}, Figures 6a and 7a",
        "prejudice_share": "Fang et al. 2024, Figures 6b and 7b",
        "prejudice_drop": "Fang et al. 2024, Figures 6c and 7c",
        "difference": "Fang et al. 2024, equation 8, as Table 1 has it for words",
    },
)
UNCERTAIN = "Learning topics and sets anew would change the numbers by more than the interval says."


@dataclass(frozen=True)
class MeasuredDocuments:
    """The level on one axis, ready for findings. `default`: the topic set of the originals.

    `published`: a set for each source, that of the originals first; empty where the paper lacks the axis.
    """

    measured: Measured
    read: ReadArticles
    default: TopicSet
    published: tuple[TopicSet, ...]


def document_findings(
    table: NewsTable, seed: int = 0, resamples: int = RESAMPLES, *, topics: Sequence[int] = ()
) -> list[Finding]:
    """Every finding of the document level on every axis, adjusted for many tests; topics before what rests on them.

    `topics`: the numbers of topics to choose from, by default the paper's scaled to the corpus. Where no topics can be
    learnt the findings are undefined and say why.
    """
    design = design_of(table)
    read = read_articles(table, topics, seed)
    found: list[Finding] = []
    for axis in table.axes:
        if isinstance(read, str):
            nothing = level_findings(_unmeasured(axis, len(table.pairs), read), design, [None] * len(design.strata))
            found += [replace(finding, reason=read) for finding in nothing]
            continue
        documents = measure_documents(read, axis, seed, resamples)
        for each in (documents.default, *documents.published):
            found += topic_findings(read, each)
        draws = document_floors(documents, design, seed, resamples)
        measured = documents.measured
        findings = level_findings(measured, design, draws)
        findings += prompt_findings(measured, table) + model_findings(measured, table)
        found += families([_explained(documents, finding) for finding in findings])
    return found


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
    measured = Measured(DOCUMENT, axis, _default_values(read, default), paper, values)
    return MeasuredDocuments(measured, read, default, tuple(published))


def document_floors(documents: MeasuredDocuments, design: Design, seed: int, resamples: int) -> list[Draws | None]:
    """The floor's draws for each stratum, the topic set as it is; None where nothing is defined."""
    read, found = documents.read, documents.default
    if found.reason:
        return [None] * len(design.strata)
    rng = generator(seed, DOCUMENT.id, documents.measured.axis.id)
    amounts = np.concatenate([_amounts(read, "generated", found), _amounts(read, "original", found)])

    def compare(first: Ints, second: Ints) -> PairValues:
        return _values(amounts[first], amounts[second])

    def dealt() -> Iterator[Floats]:
        one, other = (found.amounts(read.permuted[side]) for side in ("generated", "original"))
        pairs, draws, groups = one.shape
        sums = _values(one.reshape(-1, groups), other.reshape(-1, groups)).sums(DOCUMENT.sign)
        per_pair = sums.reshape(pairs, draws, -1)
        return recombined_sums(per_pair, design.members, rng, deals_for(per_pair.size // draws, resamples))

    blocks = f"runs of sentences, about {RUNS} a pair and their topics read anew,"
    return floors(design, compare, dealt, DOCUMENT.sign, rng, resamples, blocks)


def _default_values(read: ReadArticles, found: TopicSet) -> PairValues:
    if found.reason:
        return _no_values(len(read.table.pairs), len(found.axis.groups))
    values = _values(_amounts(read, "generated", found), _amounts(read, "original", found))
    return replace(values, present=values.present & found.with_topics)


def _published_values(read: ReadArticles, members: Ints, originals: TopicSet, own: TopicSet) -> PairValues:
    """Each side by the set of its own source; prejudice is asked of every defined pair."""
    if originals.reason or own.reason:
        return _no_values(len(members), len(own.axis.groups))
    values = _values(_amounts(read, "generated", own)[members], _amounts(read, "original", originals)[members])
    return replace(values, present=values.present & own.with_topics, among=values.present & originals.with_topics)


def _amounts(read: ReadArticles, side: Side, found: TopicSet) -> Floats:
    """How much of each pair's article is about the topics of each group: Σ_{k ∈ U_m} t_k, float64[pairs, groups]."""
    return found.amounts(read.proportions[read.number[side]])


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
    found = []
    for model, kind in dict.fromkeys(zip(models, kinds, strict=True)):
        dims = {"model": model} if len(set(models)) > 1 else {}
        dims |= {"prompt_kind": kind} if set(kinds) != {UNBIASED} else {}
        found.append((dims, np.flatnonzero((models == model) & (kinds == kind))))
    return found


def _unmeasured(axis: GroupAxis, pairs: int, reason: str) -> Measured:
    level, paper = replace(DOCUMENT, undefined=reason), axis.as_published()
    published = _no_values(pairs, len(paper.groups)) if paper else None
    return Measured(level, axis, _no_values(pairs, len(axis.groups)), paper, published)


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
    return replace(finding, reason=reason, note=f"{finding.note} {learnt} and {given}. {UNCERTAIN}".strip())


def _concerns(found: TopicSet, finding: Finding) -> bool:
    """Is the set of the articles that this finding is about, or among them?"""
    return all(finding.dims.get(key, value) == value for key, value in found.dims.items())
