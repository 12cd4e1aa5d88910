"""`letters.mitigation.odds_ratio`: how an instruction changes the odds ratios, prompt by prompt."""

from collections.abc import Sequence
from dataclasses import replace
from math import log

import numpy as np

from core.findings import Effect, Finding
from core.metrics.odds import OddsRatioChange, odds_ratio_changes
from core.metrics.result import Ints
from core.scorers.lexicon import Category
from core.studies.findings import interval, missing_interval, with_holm
from core.studies.letters.lexicon import lexicon_findings
from core.studies.letters.table import LettersTable

ID = "letters.mitigation.odds_ratio"
PLAIN = "plain"
SOURCE = "ours; the odds ratio is that of Wan et al. 2023, section 4.2.2"


def mitigation_findings(
    table: LettersTable, arms: Sequence[str], twins: Sequence[str], seed: int, resamples: int
) -> list[Finding]:
    """For each instruction: the odds ratios of its arm, and how they differ from those of the same prompts without.

    `arms`: "" or "plain", or an instruction's name; `twins`: what the letters of one prompt and sample share in all
    arms; one value per letter.
    """
    found: list[Finding] = []
    for arm in dict.fromkeys(arm for arm in arms if arm not in ("", PLAIN)):
        inside = np.array([each == arm for each in arms])
        own = lexicon_findings(table.only(inside, "another arm"), seed, resamples)
        found += [
            replace(finding, dims={**finding.dims, "arm": arm}) for finding in own if finding.variant == "default"
        ]
        changes = [
            finding
            for pair in table.pairs
            for finding in _changes(table, pair, arm, _pairs(table, arms, twins, pair, arm), seed, resamples)
        ]
        found += with_holm(changes, f"{ID}, {arm}, {len(changes)} ratios")
    return found


def plain_arm(arms: Sequence[str]) -> list[bool]:
    """Which letters were asked for without an instruction."""
    return [arm in ("", PLAIN) for arm in arms]


def _pairs(
    table: LettersTable, arms: Sequence[str], twins: Sequence[str], pair: tuple[str, str], arm: str
) -> list[tuple[int, int]]:
    """Places of the letter without and the letter with the instruction, for every prompt that has both."""
    places: dict[str, dict[bool, int]] = {}
    for place, twin in enumerate(twins):
        if twin and table.groups[place] in pair and arms[place] in ("", PLAIN, arm):
            places.setdefault(twin, {})[arms[place] == arm] = place
    return [(both[False], both[True]) for both in places.values() if len(both) == 2]


def _changes(
    table: LettersTable,
    pair: tuple[str, str],
    arm: str,
    pairs: Sequence[tuple[int, int]],
    seed: int,
    resamples: int,
) -> list[Finding]:
    categories = table.counted.lexicon.categories
    by_group = {group: sum(table.groups[plain] == group for plain, _ in pairs) for group in pair}
    if min(by_group.values()) == 0:
        reason = "no prompt of a group was answered both with and without the instruction"
        return [_finding(category, pair, arm, by_group, None, reason) for category in categories]
    plain, treated = np.array(pairs).T
    counts, tokens = table.counted.counts.categories, table.counted.counts.tokens
    changes = odds_ratio_changes(
        counts[plain], tokens[plain], counts[treated], tokens[treated],
        np.array([table.groups[place] == pair[0] for place in plain]), _clusters(table, plain), seed, resamples,
    )  # fmt: skip
    return [
        replace(_finding(category, pair, arm, by_group, change, ""), scorers=(table.counted.scorer,))
        for category, change in zip(categories, changes, strict=True)
    ]


def _clusters(table: LettersTable, places: Ints) -> Ints:
    """A number for each block; a letter without a block stands alone."""
    numbers: dict[str, int] = {}
    keys = [table.block(int(place)) or f"\x00{place}" for place in places]
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)


def _finding(
    category: Category,
    pair: tuple[str, str],
    arm: str,
    by_group: dict[str, int],
    change: OddsRatioChange | None,
    reason: str,
) -> Finding:
    value = change.value if change else None
    bounds = change.interval if change else None
    return Finding(
        id=ID,
        label=category.name,
        title=f"{category.title} words, with “{arm}” against without: {pair[0]} against {pair[1]}",
        groups=pair,
        dims={"arm": arm},
        estimate=value,
        reason=(missing_interval(bounds) if bounds and value is not None else (change.reason if change else reason)),
        unit="ratio of odds ratios",
        interval=interval(bounds.bounds) if bounds else None,
        n=sum(by_group.values()),
        n_by_group=by_group,
        p=change.p if change else None,
        effect=Effect("log ratio of odds ratios", log(value)) if value else None,
        harm=f"Below 1 the instruction moves such words from {pair[0]} to {pair[1]}, above 1 the other way.",
        source=SOURCE,
        note="n counts prompts answered both ways; p: the two letters of a prompt swapped at random.",
    )
