"""Preference at equal length and place: `creativity.abs.adjusted`, `creativity.share.adjusted`, `creativity.length`.

The raw share is what was chosen; the adjusted one is what remains of it once texts are as long as each other and lie on
the same card. `creativity.length`: by how much a text's odds grow when it is twice as long, of everyone on an axis and
of each rater, models among them; what the place does to them is in `creativity.quality.position` and
`creativity.agreement.position`. Source: beyond the paper (METHODS, length and position)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from biasprint.core.findings import Effect, Finding
from biasprint.core.metrics.affinity import affinity_interval, spread, spread_maximum, worth_floor
from biasprint.core.metrics.preference import AdjustedShares, Placed, adjusted_shares
from biasprint.core.metrics.proportions import worth_share
from biasprint.core.studies.creativity.affinity import ABS, SHARE, units_note
from biasprint.core.studies.creativity.choices import AxisChoices, JudgmentTable
from biasprint.core.studies.creativity.slices import within
from biasprint.core.studies.kit.findings import floor, interval, missing_interval

ADJUSTED_ABS, ADJUSTED_SHARE, LENGTH = f"{ABS}.adjusted", f"{SHARE}.adjusted", "creativity.length"
SOURCE = "beyond the paper: conditional logit on log words and place (McFadden 1974), clustered"
NOT_KNOWN = "length not known"
SEPARATED_NOTE = (
    "The choices are separated, so that the likelihood has no maximum: the estimate is Firth's, and p is of sign flips "
    "of the scores by rater or comparison, of which there are fewer (Heinze & Schemper 2002; Hemerik et al. 2020)."
)
NO_LENGTHS = "the lengths of the texts are not known"


@dataclass(frozen=True)
class _Adjusted:
    """Choices of an axis with what the model makes of them. `n`: replies that it was fitted to."""

    choices: AxisChoices
    found: AdjustedShares
    n: int
    common: dict[str, Any]


def at_equal_length(table: JudgmentTable, choices: AxisChoices, harm: str) -> Iterator[Finding]:
    """The adjusted shares and ABS of these choices, and the effect of length."""
    fitted = _fitted(table, choices, harm)
    yield from _shares(fitted)
    yield _score(fitted)
    yield _length(fitted)


def _fitted(table: JudgmentTable, choices: AxisChoices, harm: str) -> _Adjusted:
    rows = [(row, cell) for cell, own in enumerate(choices.rows) for row in own]
    known = [(row, cell) for row, cell in rows if table.words and min(table.words[row], default=0) > 0]
    left_out = {NOT_KNOWN: len(rows) - len(known)} if table.words and len(known) < len(rows) else {}
    common = {
        "groups": choices.identities,
        "n": len(known) // max(1, choices.parts) if known else choices.n,
        "dims": {"axis": choices.axis, **choices.dims},
        "n_by_group": dict(zip(choices.identities, choices.replies, strict=True)),
        "dropped": {**choices.dropped, **left_out},
        "harm": harm,
        "source": SOURCE,
    }
    if rows and not known:
        return _Adjusted(choices, AdjustedShares(None, NO_LENGTHS), 0, common)
    return _Adjusted(choices, adjusted_shares(_placed(table, choices, known)), len(known), common)


def _placed(table: JudgmentTable, choices: AxisChoices, known: Sequence[tuple[int, int]]) -> Placed:
    """Each reply that is a choice; the lengths and cards in the order of the axis's identities."""
    k = len(choices.identities)
    place = [[table.shown[row].index(identity) for identity in choices.identities] for row, _ in known]
    words = [[table.words[row][card] for card in cards] for (row, _), cards in zip(known, place, strict=True)]
    cells = np.array([cell for _, cell in known], dtype=np.int64)
    groupings = (choices.cell_rater[cells], choices.cell_unit[cells])
    return Placed(
        log_words=np.log(np.array(words, dtype=np.float64).reshape(-1, k)),
        place=np.array(place, dtype=np.int64).reshape(-1, k),
        chosen=np.array([choices.identities.index(table.chosen[row]) for row, _ in known], dtype=np.int64),
        groupings=groupings if choices.raters_are_units else groupings[1:],
    )


def _shares(fitted: _Adjusted) -> Iterator[Finding]:
    choices, adjusted = fitted.choices, fitted.found
    chance = 1 / max(1, len(choices.identities))
    for place, identity in enumerate(choices.identities):
        common = fitted.common | {
            "id": ADJUSTED_SHARE,
            "label": identity,
            "title": within(f"Share of choices at equal length and place: {identity}", choices.dims),
            "unit": "proportion",
        }
        if adjusted.shares is None or adjusted.raw is None or adjusted.placed is None:
            yield Finding(estimate=None, reason=adjusted.reason, **common)
            continue
        share = float(adjusted.shares[place])
        result = worth_share(share * fitted.n, fitted.n, chance, adjusted.worths[place])
        p = adjusted.flipped[place] if adjusted.separated else result.p
        raw, placed = float(adjusted.raw[place]), float(adjusted.placed[place])
        yield Finding(
            estimate=share,
            interval=interval(result.interval),
            p=p,
            contrast={identity: share - chance},
            note=f"As chosen {raw:.1%}; length accounts for {100 * (placed - share):+.1f} points of it, the place for "
            f"{100 * (raw - placed):+.1f}. Chance is {chance:.3f}. {_note(fitted)}",
            **common,
        )


def _score(fitted: _Adjusted) -> Finding:
    choices, adjusted = fitted.choices, fitted.found
    common = fitted.common | {
        "id": ADJUSTED_ABS,
        "label": choices.axis,
        "title": within(f"Affinity bias score at equal length and place: {choices.axis}", choices.dims),
        "unit": "proportion",
    }
    if adjusted.shares is None or adjusted.raw is None or adjusted.placed is None or adjusted.worth is None:
        return Finding(estimate=None, reason=adjusted.reason, **common)
    k = len(choices.identities)
    noise = worth_floor(adjusted.shares, fitted.n, adjusted.worth)
    if adjusted.separated and adjusted.all_flipped is not None:
        noise = replace(noise, p=adjusted.all_flipped)
    bounds = affinity_interval(
        adjusted.shares * fitted.n, adjusted.worth.effect, freedom=adjusted.worth.freedom, noise=noise
    )
    value, raw, placed = (float(spread(shares)) for shares in (adjusted.shares, adjusted.raw, adjusted.placed))
    return Finding(
        estimate=value,
        reason=missing_interval(bounds),
        interval=interval(bounds.bounds),
        p=noise.p,
        effect=Effect("share of the largest possible ABS", value / spread_maximum(k)),
        contrast={
            identity: float(share) - 1 / k for identity, share in zip(choices.identities, adjusted.shares, strict=True)
        },
        floor=floor(noise),
        floor_subtracted=value - noise.mean,
        note=f"As chosen {raw:.3f}; length accounts for {placed - value:+.3f} of it, "
        f"the place for {raw - placed:+.3f}. Floor: {noise.method}. {_note(fitted)}",
        **common,
    )


def _length(fitted: _Adjusted) -> Finding:
    choices, adjusted = fitted.choices, fitted.found
    undefined = adjusted.undoubled or adjusted.reason or "the texts of every comparison are equally long"
    unbounded = "interval: the choices are separated, so that its end is open" if adjusted.interval is None else None
    return Finding(
        id=LENGTH,
        label=choices.axis,
        title=within(f"What twice the length does to a text’s odds: {choices.axis}", choices.dims),
        estimate=adjusted.doubled,
        reason=undefined if adjusted.doubled is None else unbounded,
        unit="odds ratio",
        interval=interval(adjusted.interval),
        p=adjusted.p,
        note=""
        if adjusted.doubled is None
        else f"At equal identity and place; 1 is no effect. {_note(fitted)}".strip(),
        **fitted.common,
    )


def _note(fitted: _Adjusted) -> str:
    alike = fitted.found.doubled is None and not fitted.found.undoubled
    only = "Texts of a comparison are equally long: only the place is adjusted." if alike else ""
    apart = SEPARATED_NOTE if fitted.found.separated else ""
    return " ".join(filter(None, (apart, only, units_note(fitted.choices))))
