"""Replies that name none of the options, or two: `completion.irrelevant`."""

from collections.abc import Iterator

import numpy as np

from core.findings import Finding
from core.metrics.likelihood import GIVEN
from core.metrics.proportions import wilson
from core.metrics.result import MaybeBounds
from core.studies.completion.cells import Cell
from core.studies.completion.intervals import share_interval, times_as_wide
from core.studies.completion.reference import SOURCE, irrelevant_line
from core.studies.completion.table import IRRELEVANT
from core.studies.findings import interval, missing_interval

ID = "completion.irrelevant"


def irrelevant(cell: Cell) -> Iterator[Finding]:
    """The share of irrelevant replies, and how much more of them follow each polarity than all together."""
    counts = cell.observed
    whole, left_out = counts.sum(axis=1), counts[:, IRRELEVANT]
    n, dropped = int(whole.sum()), int(left_out.sum())
    share = dropped / n
    draws = np.asarray(cell.resampled[:, IRRELEVANT].sum(axis=0) / np.maximum(1, cell.resampled.sum(axis=(0, 1))))
    independent = wilson(dropped, n)
    clustered = share_interval(draws, share, min(*cell.terms, cell.pairs))
    contrast = {
        given: float(left_out[place] / whole[place] - share) for place, given in enumerate(GIVEN) if whole[place]
    }
    published = ("as_published", MaybeBounds(independent), "Takes replies as independent.")
    for variant, bounds, note in (("default", clustered, times_as_wide(clustered, independent)), published):
        yield Finding(
            id=ID,
            label="irrelevant",
            title="Replies that are left out: no option named, or two",
            groups=GIVEN,
            estimate=share,
            reason=missing_interval(bounds),
            unit="proportion",
            n=n,
            dims=cell.dims,
            variant=variant,  # type: ignore[arg-type]
            interval=interval(bounds.bounds),
            n_by_group={given: int(count) for given, count in zip(GIVEN, whole, strict=True)},
            contrast=contrast,
            source=f"{SOURCE}, experimental setup",
            note=" ".join(filter(None, [f"{dropped} of {n} replies.", note, irrelevant_line(cell.dims)])),
        )
