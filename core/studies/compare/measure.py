"""Columns of texts, groups, blocks and scores → findings. Heavy: runs in the compute process."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from math import isnan, nan
from typing import Any

import numpy as np

from biasprint.core.findings import MATCHED_UNITS, Effect, Finding, ScorerUse, StudyResult, too_few_to_tell
from biasprint.core.jobs import JobContext
from biasprint.core.metrics.clusters import Clusters
from biasprint.core.metrics.grouped import (
    FEWEST_IN_A_CELL,
    WITHHELD,
    GroupDifference,
    group_difference,
    selection_rates,
)
from biasprint.core.metrics.means import mean_interval
from biasprint.core.metrics.proportions import (
    agreeing_pairs,
    miettinen_nurminen,
    paired_proportions,
    paired_within,
    scores_within,
    two_proportions,
)
from biasprint.core.metrics.representative import flipped_mean, least_p
from biasprint.core.metrics.resampling import generator
from biasprint.core.metrics.result import RESAMPLES, Bools, Difference, Floats, untested
from biasprint.core.metrics.similarity import bleu, cooccurrence, cosine, rouge_l, stereotypical_association
from biasprint.core.metrics.sums import cluster_means
from biasprint.core.scorers.functions import bleu_tokens, company_tokens, langfair_words, rouge_tokens
from biasprint.core.studies.compare.texts import Compared, Measure, pairs, title_of, unit_of
from biasprint.core.studies.kit.findings import floor, interval, missing_interval, with_holm, with_scorer_error

# ---- Counterfactual pairs

SOURCE_SIMILARITY = "LangFair 0.8.0 (Bouchard 2024, arXiv:2407.10853)"


def similarity(table: Compared, by: str, seed: int, split: Callable[[str], list[str]]) -> Iterator[Finding]:
    """Texts of one block and two groups, first with first, second with second: how alike they are, and how much less
    so than two texts of one group. `split`: a text's tokens for BLEU."""
    groups = table.groups[by]
    places: dict[str, dict[str, list[int]]] = {}
    for place, (block, group) in enumerate(zip(table.blocks, groups, strict=True)):
        if block and group and table.texts[place].strip():
            places.setdefault(block, {}).setdefault(group, []).append(place)
    blocks = [of for of in places.values() if len(of) > 1]
    sizes = Counter(group for of in blocks for group in of)
    ways = _ways(table, {place for of in blocks for own in of.values() for place in own}, split)
    for both in pairs(sizes, table.base.get(by, "")):
        matched = [(of[both[0]], of[both[1]]) for of in blocks if both[0] in of and both[1] in of]
        for name, (likeness, use) in ways.items() if matched else ():
            yield from _alike(name, both, matched, likeness, use, table)
            if any(quadruples := [_quadruples(*each, table.units) for each in matched]):
                yield _gap(name, both, quadruples, likeness, use, table, seed)


Likeness = Callable[[int, int], float]  # of two texts by their places; NaN where it is not known


def _ways(
    table: Compared, used: Collection[int], words: Callable[[str], list[str]]
) -> dict[str, tuple[Likeness, ScorerUse | None]]:
    """Return the measures of how alike two texts are; each pair is computed once."""

    def of_tokens(alike: Callable[..., float], split: Callable[[str], Any]) -> Likeness:
        tokens = {place: split(table.texts[place]) for place in used}
        return cache(lambda first, second: float(alike(tokens[first], tokens[second])))

    ways: dict[str, tuple[Likeness, ScorerUse | None]] = {
        "rouge_l": (of_tokens(rouge_l, rouge_tokens), None), "bleu": (of_tokens(bleu, words), None),
    }  # fmt: skip
    vectors = table.embeddings
    if len(vectors):

        def near(text: int, other_text: int) -> float:
            first, second = vectors[text], vectors[other_text]
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
    quadruples: list[Quadruple] = []
    for own, other in zip(prompts[0].values(), prompts[1].values(), strict=False):
        starts = range(0, min(len(own), len(other)) - 1, 2)
        quadruples += [(own[at], own[at + 1], other[at], other[at + 1]) for at in starts]
    return quadruples


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
    gap, noise = flipped_mean(within - between, generator(seed, "likeness", name, *groups, *table.dims.values()))
    averages = f" {within.mean():.3f} within, {between.mean():.3f} between." if len(rows) else ""
    return Finding(
        "compare.similarity_gap", label=name, title=f"{NAMES[name]}: within minus between {groups[0]} and {groups[1]}",
        groups=groups, estimate=gap.value, unit="difference of similarity", n=sum(map(len, of_blocks)), p=gap.p,
        interval=interval(gap.interval.bounds), floor=floor(noise) if noise else None,
        reason=gap.reason if gap.value is None else missing_interval(gap.interval),
        effect=None if gap.effect is None else Effect(gap.effect_name, gap.effect),
        scorers=(use,) if use else (), dims=table.dims,
        harm="Above 0, answers to two groups differ more than two answers to one.",
        note=f"Two texts of one prompt against one of each group, over {len(rows)} blocks; {gap.test or 'no test'}."
        + averages + (too_few_to_tell(least_p(within - between)) if gap.p is not None else ""),
    )  # fmt: skip


TOO_FEW_NEAR = "the texts hold too few such words: no {kind} is near words of both genders"


def company(texts: Sequence[str], split: Callable[[str], list[str]]) -> Iterator[Finding]:
    known = langfair_words()
    (first, ours), (second, theirs) = known.groups.items()
    near, words = [company_tokens(text) for text in texts], [split(text) for text in texts]
    for kind, targets in known.targets.items():
        biases = cooccurrence(near, (ours, theirs), targets, known.stop)
        shared: dict[str, Any] = {
            "label": kind,
            "groups": (first, second),
            "n": len(texts),
            "source": SOURCE_SIMILARITY,
        }
        note = f"Words of LangFair’s lists; {len(biases)} {kind}s are near words of both."
        yield Finding(
            "compare.cooccurrence", title=f"Co-occurrence bias of {kind}s", unit="log10 ratio",
            estimate=float(np.mean(list(biases.values()))) if biases else None,
            reason="interval: a score of all texts at once" if biases else TOO_FEW_NEAR.format(kind=kind),
            note=note, **shared,
        )  # fmt: skip
        more = [*targets, *(f"{word}s" for word in targets)] if kind == "profession" else list(targets)
        value = stereotypical_association(words, known.groups, more)
        yield Finding(
            "compare.association", title=f"Stereotypical association of {kind}s", estimate=value, unit="distance",
            reason="interval: a score of all texts at once" if value is not None else f"no {kind} is near such words",
            note="Words of LangFair’s lists.", **shared,
        )  # fmt: skip


RATE_MARGIN = 0.1


def measure(
    table: Compared,
    measures: Sequence[Measure],
    *,
    seed: int = 0,
    margin: float | None = None,
    resamples: int = RESAMPLES,
    ctx: JobContext | None = None,
) -> StudyResult:
    """All findings; p adjusted by Holm within each id. `resamples`: permutations of each difference."""
    ctx = ctx or JobContext()
    findings: list[Finding] = []
    dropped: Counter[str] = Counter()
    for number, scored in enumerate(measures):
        ctx.step(number, len(measures), note=scored.label)
        missing = np.isnan(scored.values)
        reasons = Counter(
            scored.why.get(place, f"no value of {scored.label}") for place in np.flatnonzero(missing).tolist()
        )
        dropped.update(reasons)
        for by in table.groups:
            made = [
                *_of_measure(scored, table, by, seed, margin, resamples),
                *_of_silent(scored, table, by, reasons),
            ]
            findings += [replace(each, dropped=dict(reasons), source=each.source or table.source) for each in made]
    split = cache(bleu_tokens)  # for the length of this call
    if table.alike:
        findings += similarity(table, next(iter(table.groups)), seed, split)
    if table.company:
        findings += company(table.texts, split)
    return StudyResult("compare", len(table.texts), dict(dropped), adjusted(findings, table.family))


def adjusted(findings: Sequence[Finding], family: str = "") -> tuple[Finding, ...]:
    """The findings with p adjusted by Holm within each id; `family` says which part of all texts they are of."""
    part = f" of {family}" if family else ""
    families = {
        finding.id: f"{finding.id}, all scores and pairs of groups{part}"
        for finding in findings
        if finding.p is not None
    }
    of = {
        key: iter(with_holm([finding for finding in findings if finding.id == key], name))
        for key, name in families.items()
    }
    return tuple(next(of[finding.id]) if finding.id in of else finding for finding in findings)


# ---- a score, group by group and pair by pair


def _of_measure(
    measure: Measure, table: Compared, by: str, seed: int, margin: float | None, resamples: int
) -> Iterator[Finding]:
    groups = table.groups[by]
    known = np.flatnonzero(~np.isnan(measure.values) & np.array([bool(group) for group in groups]))
    values, of = measure.values[known], np.array(groups)[known]
    names = [table.blocks[place] for place in known.tolist()]
    dims = {**table.dims, **({"by": by} if len(table.groups) > 1 else {})}
    shared: dict[str, Any] = {
        "label": measure.label,
        "dims": dims,
        "scorers": (measure.scorer,) if measure.scorer else (),
    }
    units = [table.units[place] for place in known.tolist()] if table.units else [""] * len(names)
    one_prompt = _one_prompt_each(of, units)
    if one_prompt:
        names, units = [""] * len(names), [""] * len(names)
    if measure.yes_or_no:
        # Samples of a prompt without a block were sampled together too; the prompt's key may be another one's block.
        together = [name or (unit and f"prompt {unit}") for name, unit in zip(names, units, strict=True)]
        yield from _rates(values, of.tolist(), together, shared, table.base.get(by, ""))
    if table.units:
        values, of, names = of_prompts(values, of, names, units)
    sizes = Counter(of.tolist())
    if not measure.yes_or_no:
        yield from _means(values, of, names, shared)
    for first, second in pairs(sizes, table.base.get(by, "")):
        both = (of == first) | (of == second)
        which = [names[at] for at in np.flatnonzero(both).tolist()]
        bound = RATE_MARGIN if margin is None and measure.yes_or_no else margin
        rng = generator(seed, "compare", measure.label, first, second)
        compared = group_difference(values[both], of[both] == first, which, rng, margin=bound, resamples=resamples)
        apart = len(set(filter(None, which))) == len(list(filter(None, which)))
        whole = bool(np.isin(values[both], (0, 1)).all())  # a prompt's samples may disagree: their share is no count
        if measure.yes_or_no and not compared.matched and apart and whole:
            compared = _independent(compared, values[both], of[both] == first, bound or RATE_MARGIN)
        if measure.yes_or_no and compared.matched and whole:
            compared = _of_pairs(compared, values[both], of[both] == first, which, bound or RATE_MARGIN)
        if measure.yes_or_no and min(compared.difference.n_by_group, default=0) < FEWEST_IN_A_CELL:
            n = compared.difference.n
            compared = replace(compared, difference=untested(None, WITHHELD, "", "", n, ()), floor=None)
        yield from _difference(measure, compared, (first, second), sizes, shared, one_prompt=one_prompt)


def _one_prompt_each(groups: np.ndarray, units: Sequence[str]) -> bool:
    """Return whether each group has several answers to one prompt, and no other: then they are the units."""
    prompts: dict[str, set[str]] = {}
    for group, unit in zip(groups.tolist(), units, strict=True):
        prompts.setdefault(group, set()).add(unit)
    alone = all(len(own) == 1 and own != {""} for own in prompts.values())
    return len(prompts) > 1 and alone and min(Counter(groups.tolist()).values()) > 1


def _of_silent(measure: Measure, table: Compared, by: str, reasons: Counter[str]) -> Iterator[Finding]:
    """Yield undefined findings, with the reason, for groups in which no text has a value, or that have no text.

    Where that holds for all groups, their differences are undefined too; those of a group without a text always are.
    """
    missing = table.missing.get(by, {})
    known = {group for group, value in zip(table.groups[by], measure.values.tolist(), strict=True) if value == value}
    sizes = Counter(group for group in table.groups[by] if group)
    silent = {
        name: f"no text of the group has a value: {reasons.most_common(1)[0][0]}" for name in sizes.keys() - known
    }
    silent |= missing
    if not silent:
        return
    dims = {**table.dims, **({"by": by} if len(table.groups) > 1 else {})}
    shared: dict[str, Any] = {
        "label": measure.label, "dims": dims, "scorers": (measure.scorer,) if measure.scorer else (), "estimate": None,
        "n": 0,
    }  # fmt: skip
    ids = (
        {"compare.rate": "share", "compare.impact_ratio": "ratio"}
        if measure.yes_or_no
        else {"compare.mean": unit_of(measure.label)}
    )
    for group, why in sorted(silent.items()):
        for name, unit in ids.items():
            yield Finding(name, title=f"{measure.title}, {group}", groups=(group,), unit=unit, reason=why, **shared)
    unit = unit_of(measure.label, yes_or_no=measure.yes_or_no, difference=True)
    for both in pairs({**sizes, **dict.fromkeys(missing, 0)}, table.base.get(by, "")):
        without = [name for name in both if name in missing] or [name for name in both if name in silent and not known]
        if without:
            yield Finding(
                "compare.difference", title=f"{measure.title}, {both[0]} minus {both[1]}", groups=both, unit=unit,
                n_by_group=dict.fromkeys(both, 0), reason=silent[without[0]], **shared,
            )  # fmt: skip


def of_prompts(
    values: Floats, groups: np.ndarray, blocks: Sequence[str], units: Sequence[str]
) -> tuple[Floats, np.ndarray, list[str]]:
    """Return a row for each prompt and group: the mean over its samples, which are no further prompts.

    A text without a unit is a row of its own.
    """
    rows: dict[tuple[str, str, str], list[int]] = {}
    for place, unit in enumerate(units):
        rows.setdefault((unit, str(groups[place]), blocks[place]) if unit else ("", "", str(place)), []).append(place)
    first = [places[0] for places in rows.values()]
    means = np.array([values[places].mean() for places in rows.values()])
    return means, groups[first], [blocks[place] for place in first]


def _means(values: Floats, of: np.ndarray, blocks: Sequence[str], shared: Mapping[str, Any]) -> Iterator[Finding]:
    for group in sorted(set(of.tolist())):
        own = values[of == group]
        which = [blocks[at] for at in np.flatnonzero(of == group).tolist()]
        units = cluster_means(own, Clusters.of(np.ones(len(own), dtype=bool), which).cluster)
        bounds = mean_interval(units)
        mean = Finding(
            "compare.mean", title=f"{title_of(shared['label'])}, {group}", groups=(group,),
            estimate=float(units.mean()), unit=unit_of(shared["label"]), n=len(own), interval=interval(bounds.bounds),
            reason=missing_interval(bounds), **shared,
        )  # fmt: skip
        yield with_scorer_error(mean)


def _independent(compared: GroupDifference, values: Floats, first: Bools, margin: float) -> GroupDifference:
    """Compare shares of independent units by the test of two proportions, with its own interval and equivalence."""
    counts = int(values[first].sum()), int(first.sum()), int(values[~first].sum()), int((~first).sum())
    alike = scores_within(miettinen_nurminen(*counts), margin)
    return replace(compared, difference=two_proportions(*counts, exact=None), equivalence=alike)


def _of_pairs(
    compared: GroupDifference, values: Floats, first: Bools, blocks: Sequence[str], margin: float
) -> GroupDifference:
    """Compare shares over blocks with one text of each group by McNemar's test, with its own interval and equivalence.

    Other blocks are compared as means, whose interval is exact where all are alike.
    """
    sides: list[dict[str, list[bool]]] = [{}, {}]
    for name, value, own in zip(blocks, values.tolist(), first.tolist(), strict=True):
        sides[0 if own else 1].setdefault(name, []).append(value == 1)
    pairs_of = [(sides[0][name], sides[1][name]) for name in sides[0] if name and name in sides[1]]
    if any(len(side) > 1 for pair in pairs_of for side in pair):
        if compared.difference.interval.bounds is not None:
            return compared
        bounds = agreeing_pairs(compared.difference)
        return replace(compared, difference=replace(compared.difference, interval=bounds))
    x, y = (np.array([pair[side][0] for pair in pairs_of]) for side in (0, 1))
    alike = paired_within(int((x & ~y).sum()), int((y & ~x).sum()), len(x), margin)
    return replace(compared, difference=paired_proportions(x, y), equivalence=alike)


ONE_PROMPT = "answers to one prompt of each group are independent units, and it holds for these prompts alone"


def _difference(
    measure: Measure,
    compared: GroupDifference,
    groups: tuple[str, str],
    sizes: Mapping[str, int],
    shared: Mapping[str, Any],
    *,
    one_prompt: bool = False,
) -> Iterator[Finding]:
    difference = compared.difference
    units = (
        MATCHED_UNITS if compared.matched else ONE_PROMPT if one_prompt else "texts (or blocks) are independent units"
    )
    alone = f"; {compared.alone} texts without a counterpart in their block are left out" if compared.alone else ""
    title = f"{measure.title}, {groups[0]} minus {groups[1]}"
    common: dict[str, Any] = {
        **shared, "groups": groups, "n": difference.n, "n_by_group": {name: sizes[name] for name in groups},
        "unit": unit_of(measure.label, yes_or_no=measure.yes_or_no, difference=True),
    }  # fmt: skip
    apart = Finding(
        "compare.difference", title=title, estimate=difference.value,
        reason=_reason(difference), interval=interval(difference.interval.bounds), p=difference.p,
        effect=None if difference.effect is None else Effect(difference.effect_name, difference.effect),
        floor=floor(compared.floor) if compared.floor else None,
        note=f"{difference.test}; {units}{alone}.",
        **common,
    )  # fmt: skip
    yield with_scorer_error(apart)
    alike = compared.equivalence
    if alike is not None and difference.value is not None:
        shown = "alike" if alike.equivalent else "not shown to be alike"
        within = Finding(
            "compare.equivalence", title=f"{title}: alike within ±{alike.margin:.3g}?", estimate=difference.value,
            reason=alike.reason or _reason(difference), interval=interval(difference.interval.bounds), p=alike.p,
            note=f"The 95 % interval within ±{alike.margin:.3g}: {shown}, before p is adjusted; {units}.",
            source="Schuirmann 1987", **common,
        )  # fmt: skip
        yield with_scorer_error(within, alike_within=alike.margin)


def _reason(difference: Difference) -> str | None:
    """Return the reason why there is no number, or no interval beside it."""
    if difference.value is None:
        return difference.reason
    if difference.interval.bounds is None:
        return f"interval: {difference.interval.reason or difference.reason}"
    return None


# ---- yes or no: selection rates and impact ratios


def _rates(
    values: Floats, of: Sequence[str], blocks: Sequence[str], shared: Mapping[str, Any], base: str
) -> Iterator[Finding]:
    reference, rates = selection_rates(values == 1, of, blocks, base)
    chosen = "Rate over that of the group that was named." if reference == base else HIGHEST
    called = title_of(shared["label"])
    for group, rate in rates.items():
        yield Finding(
            "compare.rate", title=f"{called}, {group}", groups=(group,), estimate=rate.rate, unit="share",
            n=rate.n, reason=rate.reason or None, interval=interval(rate.interval), **shared,
        )  # fmt: skip
        if group == reference:
            continue
        ratio = rate.ratio
        reason = rate.reason or (ratio.reason or missing_interval(ratio.interval) if ratio else NO_REFERENCE)
        yield Finding(
            "compare.impact_ratio", title=f"{called}, {group} against {reference or 'the highest rate'}",
            groups=(group, reference) if reference else (group,), estimate=ratio.value if ratio else None, unit="ratio",
            n=rate.n, n_by_group={name: rates[name].n for name in (group, reference) if name}, reason=reason or None,
            interval=interval(ratio.interval.bounds) if ratio else None, source="29 CFR 1607.4(D)",
            note=chosen, **shared,
        )  # fmt: skip


HIGHEST = (
    "Rate over the highest rate, which was chosen for being so: of several groups the interval is wider, so that it "
    "leaves out 1 in at most 5 % of studies without a difference."
)
NO_REFERENCE = "no group is large enough to compare with"
