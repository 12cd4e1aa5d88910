"""How often somebody who takes any card would answer the same twice."""

from core.metrics.checks import finite


def random_consistency(choices: int, others: tuple[int, ...], cards: int) -> float | None:
    """Σ p_o² / (1 for outcomes that are no choice, `cards` for choices), p_o = how often this outcome was given.

    `choices`: judgments with a choice; `others`: judgments of each other outcome (tie, none). Two judgments that are
    drawn with these shares, a choice being any card alike, are the same this often. 1/`cards` where all are choices.
    None without judgments. ValueError for counts below 0 and for fewer than two cards.
    """
    counts = (choices, *others)
    if min(finite(counts, "counts")) < 0 or cards < 2:
        raise ValueError("counts must not be negative, and there are at least two cards")
    total = sum(counts)
    if total == 0:
        return None
    return (choices / total) ** 2 / cards + sum((other / total) ** 2 for other in others)
