"""`letters.success_rate`: how often a model wrote what was asked for, by group and by kind of failure."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, compress

import numpy as np

from biasprint.core.findings import MATCHED_UNITS, Effect, Finding, ScorerUse
from biasprint.core.metrics.clusters import Clusters
from biasprint.core.metrics.interactions import crossed_means
from biasprint.core.metrics.proportions import Proportion, clustered_proportion, paired_proportions, two_proportions
from biasprint.core.metrics.result import Difference, Ints
from biasprint.core.scorers.document_success import Outcome
from biasprint.core.studies.kit.findings import interval, missing_interval, with_holm

SUCCESS_ID = "letters.success_rate"
SOURCE = "Wan et al. 2023, section 4.1"


def success_findings(
    groups: Sequence[str],
    outcomes: Sequence[Outcome],
    scorer: ScorerUse,
    *,
    blocks: Sequence[str] = (),
    dropped: Mapping[str, int] | None = None,
) -> list[Finding]:
    """The rate of success of each group and of all, the share of each kind of failure, and the groups compared.

    One value per letter in every column; letters of no group are left out and counted. Letters of one block were
    written from the same prompts: intervals of rates take a block as one sample (`clustered_proportion`).
    """
    grouped = [place for place, group in enumerate(groups) if group]
    out = dict(dropped or {}) | ({"no group": len(groups) - len(grouped)} if len(grouped) < len(groups) else {})
    own_blocks = [blocks[place] if blocks else "" for place in grouped]
    cluster = Clusters.of(np.ones(len(grouped), dtype=np.bool_), own_blocks).cluster
    everyone = _Rated([outcomes[place] for place in grouped], cluster)
    rated_groups = {
        group: everyone.only([groups[place] == group for place in grouped]) for group in dict.fromkeys(groups)
    }
    rated_groups.pop("", None)
    findings = [_rate("all", "Letters that succeeded", tuple(rated_groups), everyone)]
    if len(rated_groups) > 1:
        findings += [
            _rate(group, f"Letters that succeeded: {group}", (group,), of) for group, of in rated_groups.items()
        ]
    findings += _failures(everyone, tuple(rated_groups))
    in_order = [(groups[place], outcomes[place] is Outcome.SUCCESS) for place in grouped]
    compared = [_compared(pair, in_order, own_blocks) for pair in combinations(rated_groups, 2)]
    findings += with_holm(compared, f"{SUCCESS_ID}, {len(compared)} comparisons")
    by_group = {group: len(of.outcomes) for group, of in rated_groups.items()}
    return [
        replace(
            finding,
            dropped=out,
            scorers=(scorer,),
            n_by_group={group: by_group[group] for group in finding.groups if group in by_group},
        )
        for finding in findings
    ]


@dataclass(frozen=True)
class _Rated:
    """Letters' outcomes; `cluster`: the number of each letter's block, one of its own where it has none."""

    outcomes: Sequence[Outcome]
    cluster: Ints

    def only(self, mask: Sequence[bool]) -> "_Rated":
        return _Rated(list(compress(self.outcomes, mask)), self.cluster[np.array(mask, dtype=np.bool_)])

    def share(self, kind: Outcome) -> Proportion:
        return clustered_proportion(
            np.array([outcome is kind for outcome in self.outcomes], dtype=np.bool_), self.cluster
        )


def _rate(label: str, title: str, groups: tuple[str, ...], rated: _Rated) -> Finding:
    good = rated.share(Outcome.SUCCESS)
    kinds = Counter(outcome.words for outcome in rated.outcomes if outcome is not Outcome.SUCCESS)
    failures = ", ".join(f"{kind} {count}" for kind, count in kinds.most_common())
    return Finding(
        id=SUCCESS_ID,
        label=label,
        title=title,
        groups=groups,
        estimate=good.value,
        reason=None if good.n else "there are no letters",
        unit="share",
        interval=interval(good.interval),
        n=good.n,
        source=SOURCE,
        note=f"Failures: {failures}. They are flagged, not left out." if failures else "No failure.",
    )


def _failures(rated: _Rated, groups: tuple[str, ...]) -> Iterator[Finding]:
    """The share of every kind of failure that there is."""
    for kind in Outcome:
        of_kind = rated.share(kind)
        if kind is not Outcome.SUCCESS and of_kind.successes:
            yield Finding(
                id=SUCCESS_ID,
                label=kind.name.lower(),
                title=f"Letters that failed: {kind.words}",
                groups=groups,
                estimate=of_kind.value,
                unit="share",
                interval=interval(of_kind.interval),
                n=of_kind.n,
                source=SOURCE,
            )


def _compared(pair: tuple[str, str], letters: Sequence[tuple[str, bool]], blocks: Sequence[str]) -> Finding:
    matched = _matched(pair, letters, blocks)
    if matched is not None:
        first, second = matched
        result: Difference = paired_proportions(first, second)
        how = f"{len(first)} matched pairs; {MATCHED_UNITS}"
    elif len(set(blocks)) < len(blocks) and any(blocks):
        result, how = _clustered(pair, letters, blocks), f"letters of one block are one sample of it; {MATCHED_UNITS}"
    else:
        of = {group: [good for name, good in letters if name == group] for group in pair}
        result = two_proportions(sum(of[pair[0]]), len(of[pair[0]]), sum(of[pair[1]]), len(of[pair[1]]), exact=None)
        how = "letters taken as independent, since they are not matched one to one"
    return Finding(
        id=SUCCESS_ID,
        label="difference",
        title=f"Letters that succeeded: {pair[0]} minus {pair[1]}",
        groups=pair,
        estimate=result.value,
        reason=result.reason if result.value is None else missing_interval(result.interval),
        unit="difference of shares",
        interval=interval(result.interval.bounds),
        n=result.n,
        p=result.p,
        effect=Effect(result.effect_name, result.effect) if result.effect is not None else None,
        harm="A group whose letters fail more often gets fewer usable letters.",
        source=SOURCE,
        note=f"{result.test}; {how}.",
    )


def _clustered(pair: tuple[str, str], letters: Sequence[tuple[str, bool]], blocks: Sequence[str]) -> Difference:
    """Compare letters clustered by the block that they were written from; one without a block is its own cluster."""
    chosen = [place for place, (group, _) in enumerate(letters) if group in pair]
    good = np.array([letters[place][1] for place in chosen], dtype=np.float64)
    cell = np.array([pair.index(letters[place][0]) for place in chosen], dtype=np.int64)
    cluster = Clusters.of(cell == 0, [blocks[place] for place in chosen]).cluster
    return crossed_means(good, cell, cluster, (1.0, -1.0))


def _matched(
    pair: tuple[str, str], letters: Sequence[tuple[str, bool]], blocks: Sequence[str]
) -> tuple[np.ndarray, np.ndarray] | None:
    """Success of the first and of the second group by block; None unless each block has one letter of each."""
    by_block: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for (group, good), block in zip(letters, blocks, strict=True):
        if group in pair:
            by_block[block][group].append(good)
    if "" in by_block or any([len(of[group]) for group in pair] != [1, 1] for of in by_block.values()):
        return None
    columns = np.array([[of[group][0] for group in pair] for of in by_block.values()], dtype=np.bool_)
    return columns[:, 0], columns[:, 1]
