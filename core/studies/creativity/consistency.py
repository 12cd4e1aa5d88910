"""How often people answer the same when a comparison comes again, cards swapped: `creativity.quality.consistency`.

Source: beyond the paper (METHODS, Creativity: hidden repeats never enter the scores; they tell how far to trust them).
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np

from core.findings import Finding
from core.metrics.agreement import random_consistency
from core.metrics.proportions import clustered_proportion
from core.studies.creativity.choices import Unit
from core.studies.creativity.people import EVERYONE, QUALITY, SKIP, Answer, by_rater, numbered, told
from core.studies.findings import interval

CONSISTENCY = f"{QUALITY}.consistency"
SOURCE = "beyond the paper: hidden repeats with swapped cards"
SAME, DIFFERENT = "same", "different"
NO_REPEAT = "no hidden repeat was judged"

Pair = tuple[Answer, Answer]


def consistency(given: Sequence[Answer]) -> Iterator[Finding]:
    """Everyone's, then each rater's who judged a hidden repeat."""
    pairs: dict[str, list[Pair]] = {}
    chances: dict[str, list[float]] = {}
    dropped: dict[str, Counter[str]] = {}
    for rater, own in by_rater(given).items():
        pairs[rater], dropped[rater] = _pairs(own)
        chances[rater] = [_chance(own, again.cards) for _, again in pairs[rater]]
    everything: Counter[str] = sum(dropped.values(), Counter())
    all_pairs, all_chances = chain.from_iterable(pairs.values()), chain.from_iterable(chances.values())
    yield _finding(EVERYONE, [*all_pairs], [*all_chances], everything, {})
    for rater in pairs:
        if pairs[rater] or dropped[rater]:
            yield _finding(rater, pairs[rater], chances[rater], dropped[rater], {"rater": rater})


def _pairs(own: Sequence[Answer]) -> tuple[list[Pair], Counter[str]]:
    """Each hidden repeat with the first time; without the ones that cannot be compared, counted by reason."""
    first: dict[Unit, Answer] = {one.unit: one for one in own if one.repeats is None}
    pairs: list[Pair] = []
    dropped: Counter[str] = Counter()
    for again in own:
        if again.repeats is None:
            continue
        before = first.get(again.repeats)
        if before is None:
            dropped["the first time was not judged"] += 1
        elif SKIP in (before.outcome, again.outcome):
            dropped[SKIP] += 1
        else:
            pairs.append((before, again))
    return pairs, dropped


def _chance(own: Sequence[Answer], cards: int) -> float:
    """Of a rater who takes any card, with this rater's own shares of ties and none."""
    outcomes = Counter(one.outcome for one in own if one.outcome != SKIP)
    choices = outcomes.pop("choice", 0)
    return random_consistency(choices, tuple(outcomes.values()), cards) or 0.0


def _finding(
    label: str, pairs: Sequence[Pair], chances: Sequence[float], dropped: Counter[str], dims: dict[str, str]
) -> Finding:
    same = np.array([one.same == other.same for one, other in pairs], dtype=np.bool_)
    units = np.array(numbered(one.unit for one, _ in pairs), dtype=np.int64)
    found = clustered_proportion(same, units)
    chance = float(np.mean(chances)) if chances else None
    known = found.value is not None and chance is not None
    return Finding(
        id=CONSISTENCY,
        label=label,
        title=f"Hidden repeats answered the same both times: {label}",
        groups=(SAME, DIFFERENT),
        estimate=found.value,
        reason=None if known else NO_REPEAT,
        unit="proportion",
        interval=interval(found.interval),
        n=found.n,
        dims=dims,
        n_by_group={SAME: int(same.sum()), DIFFERENT: int((~same).sum())},
        dropped=told(dropped),
        contrast={SAME: found.value - chance} if found.value is not None and chance is not None else None,
        source=SOURCE,
        note=_note(chance),
    )


def _note(chance: float | None) -> str:
    if chance is None:
        return ""
    return (
        f"Chance is {chance:.3f}: so often the answers of somebody are the same who takes any card, with the same "
        "shares of ties and none. Contrast: above chance. Repeats are in no score."
    )
