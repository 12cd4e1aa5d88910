"""Texts as LangFair reads them: how alike those of a counterfactual pair are, and words in a gender’s company."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache
from math import isnan, nan
from typing import Any

import numpy as np

from biasprint.core.findings import Effect, Finding, ScorerUse
from biasprint.core.metrics.means import mean_interval
from biasprint.core.metrics.resampling import generator
from biasprint.core.metrics.similarity import bleu, cooccurrence, cosine, rouge_l, stereotypical_association
from biasprint.core.metrics.sorting import flipped_mean, least_p
from biasprint.core.scorers.langfair import bleu_tokens, company_tokens, langfair_words, rouge_tokens
from biasprint.core.studies.compare.table import Compared, pairs
from biasprint.core.studies.kit.findings import floor, interval, missing_interval, too_few_to_tell

SOURCE_SIMILARITY = "LangFair 0.8.0 (Bouchard 2024, arXiv:2407.10853)"


def similarity(table: Compared, by: str, seed: int) -> Iterator[Finding]:
    """Texts of one block and two groups, first with first, second with second: how alike they are, and how much less
    so than two texts of one group."""
    groups = table.groups[by]
    places: dict[str, dict[str, list[int]]] = {}
    for place, (block, group) in enumerate(zip(table.blocks, groups, strict=True)):
        if block and group and table.texts[place].strip():
            places.setdefault(block, {}).setdefault(group, []).append(place)
    blocks = [of for of in places.values() if len(of) > 1]
    sizes = Counter(group for of in blocks for group in of)
    ways = _ways(table, {place for of in blocks for own in of.values() for place in own})
    for both in pairs(sizes, table.base.get(by, "")):
        matched = [(of[both[0]], of[both[1]]) for of in blocks if both[0] in of and both[1] in of]
        for name, (likeness, use) in ways.items() if matched else ():
            yield from _alike(name, both, matched, likeness, use, table)
            if any(quadruples := [_quadruples(*each, table.units) for each in matched]):
                yield _gap(name, both, quadruples, likeness, use, table, seed)


Likeness = Callable[[int, int], float]  # of two texts by their places; NaN where it is not known


def _ways(table: Compared, used: Collection[int]) -> dict[str, tuple[Likeness, ScorerUse | None]]:
    """Return the measures of how alike two texts are; each pair is computed once."""

    def of_tokens(alike: Callable[..., float], split: Callable[[str], Any]) -> Likeness:
        tokens = {place: split(table.texts[place]) for place in used}
        return cache(lambda one, other: float(alike(tokens[one], tokens[other])))

    ways: dict[str, tuple[Likeness, ScorerUse | None]] = {
        "rouge_l": (of_tokens(rouge_l, rouge_tokens), None), "bleu": (of_tokens(bleu, bleu_tokens), None),
    }  # fmt: skip
    vectors = table.embeddings
    if len(vectors):

        def near(one: int, other: int) -> float:
            first, second = vectors[one], vectors[other]
            value = None if first is None or second is None else cosine(first, second)
            return nan if value is None else value

        ways["cosine"] = (near, table.embedder)
    return ways


Quadruple = tuple[int, int, int, int]  # two texts of a prompt, and two of the same one with another identity


def _quadruples(first: Sequence[int], second: Sequence[int], units: Sequence[str]) -> list[Quadruple]:
    """Return the samples of a prompt two by two, with those of its counterpart."""
    prompts: tuple[dict[str, list[int]], dict[str, list[int]]] = ({}, {})
    for of, places in zip(prompts, (first, second), strict=True):
        for place in places:
            of.setdefault(units[place] if units else "", []).append(place)
    found: list[Quadruple] = []
    for own, other in zip(prompts[0].values(), prompts[1].values(), strict=False):
        starts = range(0, min(len(own), len(other)) - 1, 2)
        found += [(own[at], own[at + 1], other[at], other[at + 1]) for at in starts]
    return found


NAMES = {"rouge_l": "ROUGE-L", "bleu": "BLEU", "cosine": "cosine of embeddings"}


def _alike(
    name: str,
    groups: tuple[str, str],
    matched: Sequence[tuple[list[int], list[int]]],
    likeness: Likeness,
    use: ScorerUse | None,
    table: Compared,
) -> Iterator[Finding]:
    of_blocks = [[likeness(*pair) for pair in zip(*both, strict=False)] for both in matched]
    known = [own for values in of_blocks if (own := [value for value in values if not isnan(value)])]
    if not known:
        return
    means = np.array([float(np.mean(values)) for values in known])
    bounds = mean_interval(means)
    yield Finding(
        f"compare.similarity.{name}", label=name, title=f"{NAMES[name]}, {groups[0]} and {groups[1]}", groups=groups,
        estimate=float(means.mean()), unit="similarity", n=sum(map(len, known)), interval=interval(bounds.bounds),
        reason=missing_interval(bounds), scorers=(use,) if use else (), source=SOURCE_SIMILARITY, dims=table.dims,
        note=f"The mean over {len(means)} blocks; 1 is the same text. Sampling alone keeps it below 1: how far, two "
        "texts of each prompt tell.",
    )  # fmt: skip


def _gap(
    name: str,
    groups: tuple[str, str],
    of_blocks: Sequence[Sequence[Quadruple]],
    likeness: Likeness,
    use: ScorerUse | None,
    table: Compared,
    seed: int,
) -> Finding:
    """Likeness within prompts less that between them. Without bias the four texts of a quadruple could be dealt to its
    two prompts in any way, so that the sign of each block's gap is a coin's."""
    rows = []
    for quadruples in of_blocks:
        own = [(likeness(a, b) + likeness(c, d), likeness(a, c) + likeness(b, d)) for a, b, c, d in quadruples]
        known = [each for each in own if not isnan(sum(each))]
        if known:
            rows.append(np.mean(known, axis=0) / 2)
    within, between = np.array(rows).reshape(-1, 2).T
    found, noise = flipped_mean(within - between, generator(seed, "likeness", name, *groups, *table.dims.values()))
    said = f" {within.mean():.3f} within, {between.mean():.3f} between." if len(rows) else ""
    return Finding(
        "compare.similarity_gap", label=name, title=f"{NAMES[name]}: within less between {groups[0]} and {groups[1]}",
        groups=groups, estimate=found.value, unit="difference of similarity", n=sum(map(len, of_blocks)), p=found.p,
        interval=interval(found.interval.bounds), floor=floor(noise) if noise else None,
        reason=found.reason if found.value is None else missing_interval(found.interval),
        effect=None if found.effect is None else Effect(found.effect_name, found.effect),
        scorers=(use,) if use else (), dims=table.dims,
        harm="Above 0, answers to two groups differ more than two answers to one.",
        note=f"Two texts of one prompt against one of each group, over {len(rows)} blocks; {found.test or 'no test'}."
        + said + (too_few_to_tell(least_p(within - between)) if found.p is not None else ""),
    )  # fmt: skip


def company(texts: Sequence[str]) -> Iterator[Finding]:

    known = langfair_words()
    (first, ours), (second, theirs) = known.groups.items()
    near, split = [company_tokens(text) for text in texts], [bleu_tokens(text) for text in texts]
    for kind, targets in known.targets.items():
        found = cooccurrence(near, (ours, theirs), targets, known.stop)
        shared: dict[str, Any] = {
            "label": kind,
            "groups": (first, second),
            "n": len(texts),
            "source": SOURCE_SIMILARITY,
        }
        note = f"Words of LangFair’s lists; {len(found)} {kind}s are near words of both."
        yield Finding(
            "compare.cooccurrence", title=f"Co-occurrence bias of {kind}s", unit="log10 ratio",
            estimate=float(np.mean(list(found.values()))) if found else None,
            reason="interval: a score of all texts at once" if found else f"no {kind} is near words of both genders",
            note=note, **shared,
        )  # fmt: skip
        more = [*targets, *(f"{word}s" for word in targets)] if kind == "profession" else list(targets)
        value = stereotypical_association(split, known.groups, more)
        yield Finding(
            "compare.association", title=f"Stereotypical association of {kind}s", estimate=value, unit="distance",
            reason="interval: a score of all texts at once" if value is not None else f"no {kind} is near such words",
            note="Words of LangFair’s lists.", **shared,
        )  # fmt: skip
