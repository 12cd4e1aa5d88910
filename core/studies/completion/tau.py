"""Kendall's τ between what is given and what is chosen: `completion.tau_b` and `completion.tau_c`."""

from collections.abc import Iterator
from typing import Literal

import numpy as np

from core.findings import Effect, Finding, Variant
from core.metrics.clusters import Draws
from core.metrics.likelihood import CHOSEN, GIVEN
from core.metrics.ranks import KendallTau, kendall_draws, kendall_tau
from core.metrics.result import Floats, MaybeBounds
from core.studies.completion.cells import Cell
from core.studies.completion.intervals import clustered_interval, term_p, times_as_wide
from core.studies.completion.reference import ASCENDING, SOURCE, tau_line
from core.studies.findings import interval, missing_interval

IDS: tuple[tuple[str, Literal["b", "c"]], ...] = (("completion.tau_b", "b"), ("completion.tau_c", "c"))


def taus(cell: Cell) -> Iterator[Finding]:
    """τ-b and τ-c, negative below neutral below positive, each by default and as published."""
    resampled, permuted = (kendall_draws(_ordered(counts)) for counts in (cell.resampled, cell.permuted))
    for (finding_id, kind), draws, null in zip(IDS, resampled, permuted, strict=True):
        tau = kendall_tau(_ordered(cell.observed), variant=kind)
        notes = ["Asymptotic p and interval, as if replies were independent.", tau_line(cell.dims)]
        published = _finding(cell, finding_id, tau, tau.interval, tau.p, "as_published", notes)
        if tau.value is None:
            yield _finding(cell, finding_id, tau, tau.interval, None, "default", [])
            yield published
            continue
        bounds = clustered_interval(draws, tau.value, min(*cell.terms, cell.pairs))
        p, no_p = term_p(cell, null, tau.value)
        notes = [no_p, times_as_wide(bounds, tau.interval.bounds), tau_line(cell.dims)]
        yield _finding(cell, finding_id, tau, bounds, p, "default", notes)
        yield published


def _ordered(counts: Draws) -> Floats:
    """(given, chosen, …) with both ascending: negative first, and without the irrelevant replies."""
    return np.asarray(counts[::-1, : len(CHOSEN)][:, ASCENDING], dtype=np.float64)


def _finding(
    cell: Cell,
    finding_id: str,
    tau: KendallTau,
    bounds: MaybeBounds,
    p: float | None,
    variant: Variant,
    notes: list[str],
) -> Finding:
    letter = finding_id[-1]
    return Finding(
        id=finding_id,
        label=f"tau_{letter}",
        title=f"Kendall's τ-{letter} between what is given and what is chosen",
        groups=GIVEN,
        estimate=tau.value,
        reason=tau.reason if tau.value is None else missing_interval(bounds),
        unit=f"τ-{letter}",
        n=cell.n,
        dims=cell.dims,
        variant=variant,
        interval=interval(bounds.bounds),
        n_by_group=cell.n_by_group,
        dropped=cell.dropped,
        p=p,
        effect=None if tau.value is None else Effect(f"Kendall's τ-{letter}", tau.value),
        harm="Above 0: the positive goes with the positive, to the disadvantage of whom something negative is said.",
        source=f"{SOURCE}, Table 1",
        note=" ".join(filter(None, notes)),
    )
