"""Table 2 of the letters paper from its released letters; skipped where they are absent."""

import csv
import os
from pathlib import Path

import numpy as np
import pytest

from biasprint.core.findings import StudyResult
from biasprint.core.metrics.clusters import Clusters
from biasprint.core.metrics.odds import clustered_odds_ratios
from biasprint.core.metrics.result import holm
from biasprint.core.studies.letters.lexicon import letters_table
from biasprint.core.studies.letters.measure import measure

pytestmark = pytest.mark.replication

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("BIASPRINT_REPLICATION_DATA", ROOT.parent / "shared" / "data"))
LETTERS = DATA / "letters" / "clg_letters.csv"
TABLE_2 = {
    "ability": 1.08,
    "standout": 1.06,
    "leadership": 1.07,
    "masculine": 1.25,
    "feminine": 0.85,
    "agentic": 1.18,
    "communal": 0.91,
    "professional": 1.00,
    "personal": 0.84,
}


@pytest.fixture(scope="module")
def released() -> dict[str, list[str]]:
    if not LETTERS.is_file():
        pytest.skip(f"the released letters are not at {LETTERS}; set BIASPRINT_REPLICATION_DATA to their folder")
    with LETTERS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {
        "texts": [row["chatgpt_gen"] for row in rows],
        "groups": [row["gender"] for row in rows],
        "blocks": [f"{row['age']}/{row['occupation']}" for row in rows],
        "names": [row["name"] for row in rows],
    }


@pytest.fixture(scope="module")
def measured(released: dict[str, list[str]]) -> StudyResult:
    return measure(letters_table(**released, order=("male", "female")))


def test_table_2_comes_out_to_the_second_decimal(measured: StudyResult) -> None:
    published = {each.label: each for each in measured.findings if each.variant == "as_published"}
    assert measured.rows == 120
    assert {label: round(each.estimate or 0.0, 2) for label, each in published.items()} == TABLE_2
    assert all(each.n_by_group == {"male": 60, "female": 60} for each in published.values())


def test_with_letters_as_the_unit_nothing_in_table_2_is_significant(released: dict[str, list[str]]) -> None:
    """Letters swapped within the 60 cells: smallest p .05, Holm's .44; t over the cells is close to them."""
    table = letters_table(**released)
    assert table.published is not None
    counts = table.published.counts
    clusters = Clusters.of(np.array(released["groups"]) == "male", released["blocks"])
    ratios = clustered_odds_ratios(counts.categories, counts.tokens, clusters)
    p_values = [ratio.p for ratio in ratios]
    adjusted = [p for p in holm(p_values) if p is not None]
    assert clusters.matched.sum() == 60
    assert min(p for p in p_values if p is not None) == pytest.approx(0.05, abs=0.01)
    assert min(adjusted) == pytest.approx(0.44, abs=0.07)


def test_by_the_default_rule_nothing_is_significant_either_and_it_is_said(measured: StudyResult) -> None:
    default = [each for each in measured.findings if each.variant == "default"]
    assert min(each.p_adjusted for each in default if each.p_adjusted is not None) > 0.05
    for each in default:
        assert "After Holm's correction nothing here is significant." in each.note
        assert "One name only: Joseph (male), Kelly (female)" in each.note


def test_a_line_break_in_place_of_the_mark_would_change_agentic(released: dict[str, list[str]]) -> None:
    texts = [text.replace("<return>", "\n") for text in released["texts"]]
    broken = measure(letters_table(**{**released, "texts": texts}, order=("male", "female")))
    agentic = next(each for each in broken.findings if (each.label, each.variant) == ("agentic", "as_published"))
    assert agentic.estimate == pytest.approx(1.185, abs=5e-4)
    assert round(agentic.estimate or 0.0, 2) == 1.19
