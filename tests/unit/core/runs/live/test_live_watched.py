"""Bands of live figures hold the truth at every look in 95 of 100 sequences, ordinary intervals in far fewer."""

from pathlib import Path
from runpy import run_path

import numpy as np
import pytest
from seeded_part import seeded_part
from simulations.rows import Watched, standard_error
from simulations.watched import DESIGNS, running, watched_rows

from biasprint.core.metrics.sums import ClusterSums

QUICK = (
    "success and refusal",
    "difference of shares of sentences, matched",
    "odds ratio 1, matched",
    "distance from",
    "RBS",
)


@pytest.mark.parametrize("design", seeded_part(QUICK, 2))
def test_the_band_holds_at_every_look_and_the_ordinary_interval_does_not(design: str) -> None:
    for row in watched_rows(60, (design,)):
        assert row.trials == 300
        assert row.band >= 0.95 - 3 * standard_error(0.95, row.trials), row
        assert row.ordinary <= 0.8, row


@pytest.mark.soak
@pytest.mark.parametrize("design", [one[0] for one in DESIGNS])
def test_every_live_measure_holds_at_every_look(design: str) -> None:
    for row in watched_rows(200, (design,)):
        assert row.band >= 0.95 - 2 * standard_error(0.95, row.trials), row


def test_the_simulated_error_is_the_one_that_live_figures_have() -> None:
    rows = np.random.default_rng(1).uniform([0, 1], [1, 2], (40, 2))
    errors = running(rows, lambda sums: np.column_stack([1 / sums[:, 1], -sums[:, 0] / sums[:, 1] ** 2]))
    sums = ClusterSums(2)
    for place, row in enumerate(rows):
        sums.put(place, "", row)
        if place:
            total = sums.totals("")
            slope = np.array([1 / total[1], -total[0] / total[1] ** 2])
            assert sums.error({"": slope}) == pytest.approx(errors[place])


def test_the_page_has_the_band_beside_the_interval_with_the_error_of_the_simulation() -> None:
    page = run_path(str(Path(__file__).parents[5] / "docs" / "make_statistics.py"))
    rows = [Watched("a design", 30, 2000, "a band", 400, 0.965, 0.4), Watched("another", 1, 9, "a band", 400, 0.9, 0.4)]
    lines = page["watched_table"]("Watched.", rows).splitlines()
    # Wilson: (386 + 1.92) / 403.84 ± 1.96 √(400 · .965 · .035 + .96) / 403.84.
    assert lines[-2] == "| a design | 30 to 2,000 | a band | 400 | 96.5% (94.2% to 97.9%) | 40.0% (35.3% to 44.9%) |"
    assert "▾" in lines[-1]


def test_a_part_of_the_page_is_made_again_by_itself() -> None:
    page = run_path(str(Path(__file__).parents[5] / "docs" / "make_statistics.py"))
    whole = "# Page\n\n## One\n\nold\n\n## Two\n\nkept\n"
    assert page["replaced"](whole, "## One\n\nnew\n") == "# Page\n\n## One\n\nnew\n\n## Two\n\nkept\n"
    assert page["replaced"](whole, "## Three\n\nnew\n").endswith("kept\n\n## Three\n\nnew\n")
    assert page["replaced"](whole, "## Two\n\nnew\n") == "# Page\n\n## One\n\nold\n\n## Two\n\nnew\n"
