"""Whether people choose by where a card stands: `creativity.quality.position`, by number of cards, over all axes.

The order of the cards is counterbalanced, so a preference for an identity falls on every place alike.
Source: beyond the paper, whose program always lists the identities in one order (METHODS, Creativity).
"""

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from core.findings import Finding
from core.metrics.affinity import permuted_totals
from core.metrics.proportions import Share, clustered_share, design_effect, share
from core.metrics.resampling import generator
from core.metrics.result import Ints
from core.studies.creativity.people import EVERYONE, QUALITY, Answer, by_rater, numbered, told
from core.studies.findings import interval, with_holm

POSITION = f"{QUALITY}.position"
SOURCE = "beyond the paper: the order of the cards is counterbalanced and kept"
PLACES = ("first", "second", "third")


def positions(given: Sequence[Answer], seed: int, resamples: int) -> Iterator[Finding]:
    """Everyone's share of each card, one family; then each rater's, another family."""
    for cards in sorted({one.cards for one in given}):
        of_size = [one for one in given if one.cards == cards]
        whole = _shares(EVERYONE, of_size, cards, seed, resamples)
        yield from with_holm(whole, f"{POSITION}, {cards} cards")
        own = [
            finding
            for rater, answers in by_rater(of_size).items()
            for finding in _shares(rater, answers, cards, seed, resamples)
        ]
        yield from with_holm(own, f"{POSITION}, {cards} cards, by rater, {sum(one.p is not None for one in own)} tests")


def _shares(label: str, given: Sequence[Answer], cards: int, seed: int, resamples: int) -> list[Finding]:
    counts, dropped = _counts(given, cards)
    names = [PLACES[place] if place < len(PLACES) else f"{place + 1}th" for place in range(cards)]
    dims = {"cards": str(cards)} if label == EVERYONE else {"cards": str(cards), "rater": label}
    n, chosen, chance = int(counts.sum()), counts.sum(axis=0), 1 / cards
    found = _against_chance(counts, generator(seed, POSITION, str(cards), label), resamples) if n else [None] * cards
    return [
        Finding(
            id=POSITION,
            label=name,
            title=f"Choices that fell on the {name} of {cards} cards: {label}",
            groups=tuple(names),
            estimate=result.value if result else None,
            reason=None if result else "no comparison with a choice",
            unit="proportion",
            interval=interval(result.interval) if result else None,
            n=n,
            dims=dims,
            n_by_group=dict(zip(names, map(int, chosen), strict=True)),
            dropped=dropped,
            p=result.p if result else None,
            contrast={name: result.value - chance} if result else None,
            source=SOURCE,
            note=f"Chance is {chance:.3f}; p: {result.test}." if result else "",
        )
        for name, result in zip(names, found, strict=True)
    ]


def _counts(given: Sequence[Answer], cards: int) -> tuple[Ints, dict[str, int]]:
    """Choices by comparison and card, and what was left out. Repeats show the same texts: they would count twice."""
    used = [one for one in given if one.card is not None and one.repeats is None]
    dropped = Counter("hidden repeat" if one.repeats else one.outcome for one in given)
    dropped["choice"] -= len(used)
    dropped["chosen card not known"] = dropped.pop("choice")
    lines = numbered(one.unit for one in used)
    counts = np.zeros((max(lines, default=-1) + 1, cards), dtype=np.int64)
    for line, one in zip(lines, used, strict=True):
        counts[line, one.card] += 1
    return counts, told(dropped)


def _against_chance(counts: Ints, rng: np.random.Generator, resamples: int) -> list[Share]:
    """Each card's share. Where several judged a comparison, it is the unit: cards are permuted jointly within it."""
    n, chance = int(counts.sum()), 1 / counts.shape[1]
    if (counts.sum(axis=1) == 1).all():
        return [share(int(chosen), n, chance) for chosen in counts.sum(axis=0)]
    null, effect = permuted_totals(counts, rng, resamples), design_effect(counts)
    return [
        clustered_share(int(chosen), n, chance, effect, null[:, place])
        for place, chosen in enumerate(counts.sum(axis=0))
    ]
