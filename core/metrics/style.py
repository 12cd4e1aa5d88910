"""Style of the cards of a comparison, as covariates of a ranking: length, markdown and place.

Of two cards the covariate of an amount is (a − b) / (a + b), as in the style control of public arenas. Of k cards card
i has k/2 · a_i / Σ a, so that two of them differ by (a − b) / (a + b) where the third has the mean of both.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from biasprint.core.metrics.result import Bools, Floats, finite

MARKDOWN = ("headings", "lists", "bold")
LENGTH, SECOND, THIRD = "length", "second card", "third card"
TWICE = 1 / 3  # (a − b) / (a + b) of a text twice as long as the other
VARIES = 1e-9
NEVER_DIFFERS = "it never differs between the texts"
TOGETHER = "it goes together with who wrote the text, or with another style"


@dataclass(frozen=True)
class CardStyle:
    """`columns`: shape (n, cards, s), in the places of the cards; 0 where there is no card. `names`: of the s of them.

    A coefficient is the log odds of a text that is twice as long, of the only one with such markdown, or of that place
    instead of the first.
    """

    names: tuple[str, ...]
    columns: Floats

    def __post_init__(self) -> None:
        finite(self.columns, "styles")

    def only(self, names: Sequence[str]) -> "CardStyle":
        """These alone, in their own order."""
        kept = [place for place, name in enumerate(self.names) if name in names]
        return CardStyle(tuple(self.names[place] for place in kept), self.columns[:, :, kept])


def card_style(amounts: Mapping[str, Floats], shown: Bools) -> CardStyle:
    """The covariates of these amounts, each of shape (n, cards), and of the place. `shown`: is there such a card?

    ValueError for an amount below 0 or NaN.
    """
    names, columns = [], []
    for name, amount in amounts.items():
        amount = np.where(shown, finite(amount, name), 0.0)
        if amount.min(initial=0) < 0:
            raise ValueError(f"{name} below 0")
        names.append(name)
        columns.append(_relative(amount, shown) / (TWICE if name == LENGTH else 1.0))
    for place, name in enumerate((SECOND, THIRD), start=1):
        if shown.shape[1] > place and shown[:, place].any():
            names.append(name)
            at_place = np.zeros(shown.shape)
            at_place[:, place] = shown[:, place]
            columns.append(at_place)
    return CardStyle(tuple(names), np.stack(columns, axis=2) if columns else np.zeros((*shown.shape, 0)))


def _relative(amount: Floats, shown: Bools) -> Floats:
    """k/2 · a_i / Σ a of k cards; ½ for each where none has any of it."""
    cards, total = shown.sum(axis=1, keepdims=True), amount.sum(axis=1, keepdims=True)
    even = np.where(shown, 0.5, 0.0)
    return np.asarray(np.where(total > 0, cards / 2 * amount / np.where(total > 0, total, 1.0), even))


@dataclass(frozen=True)
class TellableStyle:
    """`style`: what differs, and can be told apart from who wrote the text; `left_out`: the others, with the reason."""

    style: CardStyle
    left_out: Mapping[str, str]


def tellable(style: CardStyle, wrote: Floats, shown: Bools) -> TellableStyle:
    """Leave out what never differs between the cards, and, last first, what goes together with the rest.

    `wrote`: 1 for who wrote each card, shape (n, cards, k).
    """
    left_out: dict[str, str] = {}
    spread = np.abs(_apart(style.columns, shown)).max(axis=(0, 1), initial=0)
    kept = [name for name, most in zip(style.names, spread, strict=True) if most > VARIES]
    left_out |= dict.fromkeys((name for name in style.names if name not in kept), NEVER_DIFFERS)
    for name in reversed(tuple(kept)):
        rest = [other for other in kept if other != name]
        if _rank(style.only(kept), wrote, shown) == _rank(style.only(rest), wrote, shown):
            kept = rest
            left_out[name] = TOGETHER
    return TellableStyle(style.only(kept), left_out)


def _rank(style: CardStyle, wrote: Floats, shown: Bools) -> int:
    apart = _apart(np.concatenate([wrote, style.columns], axis=2), shown).reshape(-1, wrote.shape[2] + len(style.names))
    scale = np.sqrt((apart**2).sum(axis=0))
    return int(np.linalg.matrix_rank(apart / np.where(scale > 0, scale, 1.0), tol=1e-6))


def _apart(columns: Floats, shown: Bools) -> Floats:
    """The columns less their mean over the cards of the comparison."""
    there = shown[:, :, None]
    mean = np.where(there, columns, 0.0).sum(axis=1, keepdims=True) / shown.sum(axis=1)[:, None, None]
    return np.where(there, columns - mean, 0.0)


def typical_difference(style: CardStyle, shown: Bools) -> Floats:
    """Root of the mean squared difference of two cards of a comparison, shape (s,)."""
    squares = (_apart(style.columns, shown) ** 2).sum(axis=1)
    return np.asarray(np.sqrt((2 * squares / (shown.sum(axis=1) - 1)[:, None]).mean(axis=0)))
