"""The temperature sweep: how the spread over the identities changes from one temperature to the next.

Source: Kumar et al. 2024, section 4.1 (temperatures 0, 0.25, 0.5, 0.75 and 1 on 500 prompts).
"""

from collections.abc import Sequence

import numpy as np

from core.findings import Finding
from core.metrics.representative import representative_trend
from core.metrics.resampling import generator
from core.studies.creativity.distances import AxisDistances
from core.studies.creativity.representative import Making
from core.studies.findings import interval, missing_interval, with_holm

TREND = "creativity.rbs.trend"
SOURCE = "Kumar et al. 2024, section 4.1"


def trends(cells: Sequence[AxisDistances], making: Making) -> list[Finding]:
    """One slope for every model and axis with several temperatures. `cells`: parts by temperature."""
    sweeps: dict[tuple[str, str], list[AxisDistances]] = {}
    for cell in cells:
        sweeps.setdefault((cell.model, cell.axis), []).append(cell)
    findings = [_trend(sweep, making) for sweep in sweeps.values()]
    return with_holm(findings, f"{TREND}, {len(findings)} sweeps")


def _trend(sweep: Sequence[AxisDistances], making: Making) -> Finding:
    steps = sorted(sweep, key=lambda cell: float(cell.dims["temperature"]))
    first = steps[0]
    by_block = [dict(zip(cell.blocks, cell.distances, strict=True)) for cell in steps]
    common_blocks = [block for block in first.blocks if all(block in found for found in by_block)]
    distances = np.array([[found[block] for found in by_block] for block in common_blocks]).reshape(
        len(common_blocks), len(steps), len(first.identities)
    )
    found = representative_trend(distances, generator(making.seed, TREND, first.axis, first.model), making.resamples)
    carried = making.common(first)
    temperatures = ", ".join(cell.dims["temperature"] for cell in steps)
    return Finding(
        id=TREND,
        label=first.axis,
        title=f"Representative bias score, change per step of temperature: {first.axis}",
        estimate=found.value,
        reason=found.reason if found.value is None else missing_interval(found.interval),
        interval=interval(found.interval.bounds),
        p=found.p,
        contrast=dict(zip(first.identities, found.contrast, strict=True)) if found.contrast else None,
        **carried
        | {
            "unit": "cosine distance per step",
            "dims": {"axis": first.axis, **making.model(first)},
            "n": len(distances),
            "n_by_group": {},
            "dropped": {},
            "source": SOURCE,
            "note": (
                f"Steps: {temperatures}. p: steps permuted within each task and theme. Outputs that scatter more at "
                "higher temperatures raise the score as well: compare the floors."
            ),
        },
    )
