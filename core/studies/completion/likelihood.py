"""How often each kind of option is chosen: `completion.likelihood`."""

from collections.abc import Iterator

from core.findings import Finding, Variant
from core.metrics.likelihood import CHOSEN, GIVEN, Likelihood, conditional_likelihoods, likelihood_draws
from core.metrics.result import MaybeBounds
from core.studies.completion.cells import Cell
from core.studies.completion.intervals import share_interval, times_as_wide
from core.studies.completion.reference import SOURCE, likelihood_line
from core.studies.findings import interval, missing_interval

ID = "completion.likelihood"


def likelihoods(cell: Cell) -> Iterator[Finding]:
    """PPL, PNL, PNuL, NPL, NNL, NNuL and the base rates PL, NL, NuL, as shares of the replies that name an option."""
    draws = likelihood_draws(cell.resampled[:, : len(CHOSEN)])
    for place, one in enumerate(conditional_likelihoods(cell.chosen)):
        units = min(*cell.terms, cell.pairs) if place >= 6 else min(cell.terms[place // 3], cell.pairs)
        bounds = one.interval if one.value is None else share_interval(draws[place], one.value, units)
        notes = [times_as_wide(bounds, one.interval.bounds), likelihood_line(one.label, cell.dims)]
        yield _finding(cell, place, one, bounds, "default", notes)


def published_likelihoods(cell: Cell) -> Iterator[Finding]:
    """The same numbers with Wilson's intervals, as if every reply were independent."""
    for place, one in enumerate(conditional_likelihoods(cell.chosen)):
        notes = ["Takes replies as independent.", likelihood_line(one.label, cell.dims)]
        yield _finding(cell, place, one, one.interval, "as_published", notes)


def _finding(
    cell: Cell, place: int, one: Likelihood, bounds: MaybeBounds, variant: Variant, notes: list[str]
) -> Finding:
    chosen = CHOSEN[place % 3]
    given = GIVEN[place // 3] if place < 6 else ""
    after = f"after something {given}" if given else "whatever is given"
    return Finding(
        id=ID,
        label=one.label,
        title=f"{chosen.capitalize()} option chosen {after}",
        groups=(given,) if given else GIVEN,
        estimate=one.value,
        reason=one.reason if one.value is None else missing_interval(bounds),
        unit="proportion",
        n=one.n,
        dims=cell.dims,
        variant=variant,
        interval=interval(bounds.bounds) if one.value is not None else None,
        n_by_group=cell.n_by_group,
        dropped=cell.dropped,
        source=f"{SOURCE}, experimental setup, {'Table 2' if not given else 'Tables 3 to 9'}",
        note=" ".join(filter(None, notes)),
    )
