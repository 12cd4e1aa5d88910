"""Shares of choices by a mixed model, `creativity.share.mixed`: raters and comparisons are both random effects.

The interval of `creativity.share`, beside it, is of clusters. Source: beyond the paper."""

from collections.abc import Iterator

import numpy as np

from biasprint.core.findings import Finding
from biasprint.core.metrics.mixed import MixedShare, mixed_share
from biasprint.core.studies.creativity.affinity import SHARE
from biasprint.core.studies.creativity.choices import FEW_RATERS, AxisChoices
from biasprint.core.studies.creativity.slices import within
from biasprint.core.studies.kit.findings import interval, with_holm

MIXED_SHARE = f"{SHARE}.mixed"
SOURCE = "beyond the paper: logistic mixed model, Laplace (Breslow & Clayton 1993; Bates et al. 2015)"


def mixed_shares(choices: AxisChoices, harm: str) -> list[Finding]:
    """Return each identity's share among the choices of an axis, its p adjusted over the identities."""
    k = len(choices.identities)
    return with_holm(list(_shares(choices, harm)), f"{MIXED_SHARE}, axis {choices.axis}, {k} identities")


def _shares(choices: AxisChoices, harm: str) -> Iterator[Finding]:
    chance = 1 / max(1, len(choices.identities))
    share = MixedShare(None, choices.by_position)
    for place, identity in enumerate(choices.identities):
        if place == 1 and len(choices.identities) == 2:
            share = share.other
        elif not choices.by_position:
            chosen = choices.cells[:, place].astype(np.float64) / choices.parts
            share = mixed_share(chosen, choices.cell_rater, choices.cell_unit, chance)
        defined = share.value is not None
        yield Finding(
            id=MIXED_SHARE,
            label=identity,
            title=within(f"Share of choices, raters and texts drawn: {identity}", choices.dims),
            groups=choices.identities,
            estimate=share.value,
            reason=share.reason or None,
            unit="proportion",
            interval=interval(share.interval),
            p=share.p,
            contrast={identity: share.value - chance} if share.value is not None else None,
            n=choices.n,
            dims={"axis": choices.axis, **choices.dims},
            n_by_group=dict(zip(choices.identities, choices.replies, strict=True)),
            dropped=choices.dropped,
            harm=harm,
            source=SOURCE,
            note=f"Chance is {chance:.3f}. {_spread(choices, share)}" if defined else f"{_counted(choices)}.",
        )


def _spread(choices: AxisChoices, share: MixedShare) -> str:
    of_comparisons = (
        "that of comparisons cannot be told, as each was judged by one rater"
        if share.of_comparisons is None
        else f"of comparisons {share.of_comparisons:.2f}"
    )
    few = ", which are few to speak for others" if len(choices.raters) < FEW_RATERS else ""
    spread = f"Standard deviation of raters {share.of_raters:.2f} on the logit scale, {of_comparisons}."
    return f"{_counted(choices)}{few}. {spread}"


def _counted(choices: AxisChoices) -> str:
    """ "60 comparisons and 4 raters"."""
    raters, comparisons = len(choices.raters), len(choices.units)
    rater, comparison = "rater" if raters == 1 else "raters", "comparison" if comparisons == 1 else "comparisons"
    return f"{comparisons} {comparison} and {raters} {rater}"
