"""How often a model wrote what was asked for: `letters.success_rate`, by group and by kind of failure."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from core.findings import Effect, Finding, ScorerUse
from core.metrics.proportions import paired_proportions, two_proportions, wilson
from core.metrics.result import Difference
from core.scorers.document_success import Outcome
from core.studies.findings import interval, missing_interval, with_holm

ID = "letters.success_rate"
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

    One value per letter in every column; letters of no group are left out and counted.
    """
    kept = [place for place, group in enumerate(groups) if group]
    out = dict(dropped or {}) | ({"no group": len(groups) - len(kept)} if len(kept) < len(groups) else {})
    found = {group: [outcomes[place] for place in kept if groups[place] == group] for group in dict.fromkeys(groups)}
    found.pop("", None)
    findings = [_rate("all", "Letters that succeeded", tuple(found), [outcomes[place] for place in kept])]
    if len(found) > 1:
        findings += [_rate(group, f"Letters that succeeded: {group}", (group,), of) for group, of in found.items()]
    findings += _failures([outcomes[place] for place in kept], tuple(found))
    own_blocks = [blocks[place] if blocks else "" for place in kept]
    in_order = [(groups[place], outcomes[place] is Outcome.SUCCESS) for place in kept]
    compared = [_compared(pair, in_order, own_blocks) for pair in combinations(found, 2)]
    findings += with_holm(compared, f"{ID}, {len(compared)} comparisons")
    by_group = {group: len(of) for group, of in found.items()}
    return [
        replace(
            finding,
            dropped=out,
            scorers=(scorer,),
            n_by_group={group: by_group[group] for group in finding.groups if group in by_group},
        )
        for finding in findings
    ]


def _rate(label: str, title: str, groups: tuple[str, ...], outcomes: Sequence[Outcome]) -> Finding:
    n, good = len(outcomes), sum(found is Outcome.SUCCESS for found in outcomes)
    kinds = Counter(found.words for found in outcomes if found is not Outcome.SUCCESS)
    told = ", ".join(f"{kind} {count}" for kind, count in kinds.most_common())
    return Finding(
        id=ID,
        label=label,
        title=title,
        groups=groups,
        estimate=good / n if n else None,
        reason=None if n else "there are no letters",
        unit="share",
        interval=interval(wilson(good, n)),
        n=n,
        source=SOURCE,
        note=f"Failures: {told}. They are flagged, not left out." if told else "No failure.",
    )


def _failures(outcomes: Sequence[Outcome], groups: tuple[str, ...]) -> Iterator[Finding]:
    """The share of every kind of failure that there is."""
    counts = Counter(outcomes)
    for kind in Outcome:
        if kind is not Outcome.SUCCESS and counts[kind]:
            yield Finding(
                id=ID,
                label=kind.name.lower(),
                title=f"Letters that failed: {kind.words}",
                groups=groups,
                estimate=counts[kind] / len(outcomes),
                unit="share",
                interval=interval(wilson(counts[kind], len(outcomes))),
                n=len(outcomes),
                source=SOURCE,
            )


def _compared(pair: tuple[str, str], letters: Sequence[tuple[str, bool]], blocks: Sequence[str]) -> Finding:
    matched = _matched(pair, letters, blocks)
    if matched is not None:
        first, second = matched
        result: Difference = paired_proportions(first, second)
        how = f"{len(first)} matched pairs"
    else:
        of = {group: [good for name, good in letters if name == group] for group in pair}
        result = two_proportions(sum(of[pair[0]]), len(of[pair[0]]), sum(of[pair[1]]), len(of[pair[1]]))
        how = "letters taken as independent, since they are not matched one to one"
    return Finding(
        id=ID,
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
