"""How far a measure's means of several groups lie apart, over blocks with texts of every group."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from biasprint.core.findings import Finding
from biasprint.core.metrics.resampling import generator
from biasprint.core.metrics.result import Floats
from biasprint.core.metrics.spread import spread_of_groups
from biasprint.core.studies.compare.measure import UNIT, of_prompts
from biasprint.core.studies.compare.table import Compared, Measure
from biasprint.core.studies.kit.findings import floor, interval, missing_interval


def spread(table: Compared, one: Measure, seed: int, resamples: int) -> Iterator[Finding]:
    """A finding for each way of grouping: the standard deviation of the groups' means, and its square as published."""
    known = np.flatnonzero(~np.isnan(one.values))
    blocks = [table.blocks[place] for place in known.tolist()]
    units = [table.units[place] for place in known.tolist()] if table.units else [""] * len(known)
    for by, groups in table.groups.items():
        rows = of_prompts(one.values[known], np.array(groups)[known], blocks, units)
        names, values, n = _matched(*rows)
        rng = generator(seed, "spread", one.label, by, *table.dims.values())
        found = spread_of_groups(values, rng, resamples=resamples)
        dims = {**table.dims, **({"by": by} if len(table.groups) > 1 else {})}
        shared: dict[str, Any] = {
            "label": one.label, "groups": (), "n": n, "dims": dims, "scorers": (one.scorer,) if one.scorer else (),
        }  # fmt: skip
        centre = float(found.means.mean()) if found.value is not None else 0.0
        whole = Finding(
            "compare.spread", title=f"{one.title}, spread over {by}", estimate=found.value, unit=UNIT,
            reason=found.reason or missing_interval(found.interval), interval=interval(found.interval.bounds),
            p=found.floor.p if found.floor else None, floor=floor(found.floor) if found.floor else None,
            contrast={name: float(mean) - centre for name, mean in zip(names, found.means, strict=False)} or None,
            harm="Above its floor, groups are written of differently.",
            note=f"Standard deviation of the means of {len(names)} groups over {found.blocks} blocks with texts of all "
            "of them. Chance alone keeps it above 0: read it beside its floor.",
            **shared,
        )  # fmt: skip
        yield whole
        yield replace(
            whole, variant="as_published", title=f"{whole.title}, variance", interval=None, p=None, floor=None,
            estimate=None if found.value is None else found.value**2,
            reason=found.reason or "interval: as published, without one", contrast=None,
            note="Variance of the groups’ means, of shares: 10,000 times it is in squared percentage points, as the "
            "paper has it, where it is the mean over three runs.",
        )  # fmt: skip


def _matched(values: Floats, groups: np.ndarray, blocks: list[str]) -> tuple[list[str], Floats, int]:
    """The groups; the mean of each in every block that has all of them, shape (blocks, groups); of how many prompts."""
    names = sorted({group for group in groups.tolist() if group})
    cells: dict[str, dict[str, list[float]]] = {}
    for value, group, block in zip(values.tolist(), groups.tolist(), blocks, strict=True):
        if group and block:
            cells.setdefault(block, {}).setdefault(group, []).append(value)
    full = [of for of in cells.values() if len(of) == len(names)]
    means = [[float(np.mean(of[name])) for name in names] for of in full]
    return names, np.array(means).reshape(-1, len(names)), sum(len(own) for of in full for own in of.values())
