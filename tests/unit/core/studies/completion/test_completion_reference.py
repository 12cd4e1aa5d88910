"""The paper's figures that are shown beside ours."""

from collections import Counter

import pytest

from biasprint.core.studies.completion.cells import (
    delta_line,
    implied_tau,
    irrelevant_line,
    likelihood_line,
    published,
    tau_line,
)
from biasprint.core.studies.completion.prompts import DIRECTIONS, DOMAINS, PRONOUNS


def test_all_rows_of_tables_2_to_9_are_there_once() -> None:
    counted = Counter({table["number"]: len(table["rows"]) for table in published()["tables"]})
    assert counted == {2: 20, 3: 12, 4: 10, 5: 15, 6: 15, 7: 10, 8: 15, 9: 15}
    keys = [(table["number"], *row[:4]) for table in published()["tables"] for row in table["rows"]]
    assert len(set(keys)) == len(keys)
    for _, model, direction, domain, pronoun in keys:
        assert model in published()["tau"]
        assert direction in DIRECTIONS
        assert domain in ("", *DOMAINS)
        assert pronoun in ("", *PRONOUNS)


def test_the_three_likelihoods_of_each_polarity_add_up_to_a_hundred() -> None:
    """A slip in copying would show; the paper has five of its own."""
    off = {}
    for table in published()["tables"]:
        for row in table["rows"]:
            figures = row[4:]
            for start in range(0, len(figures), 3):
                whole = sum(figures[start : start + 3])
                if abs(whole - 100) > 0.05:
                    off[(table["number"], *row[:4])] = round(whole, 2)
    assert off == SLIPS


def test_lines_name_each_model_with_its_figure_and_table() -> None:
    here = {"direction": "SAI", "domain": "ageism"}
    assert likelihood_line("PPL", here) == "Paper: GPT-3.5 71.63 %, PaLM 2 50.94 % (Tables 4 and 7)."
    assert likelihood_line("NL", here) == "Paper: GPT-3.5 24.73 %, PaLM 2 46.76 % (Table 2)."
    assert likelihood_line("PPL", {"direction": "SAI", "pronoun": "feminine"}) == (
        "Paper: GPT-3.5 76.99 %, PaLM 2 65.67 % (Table 3)."
    )
    assert likelihood_line("NNuL", {**here, "pronoun": "non-binary"}) == (
        "Paper: GPT-3.5 14.59 %, PaLM 2 11.18 % (Tables 5 and 8)."
    )
    # 71.63 − 54.35 = 17.28 and 50.94 − 28.33 = 22.61
    assert delta_line("delta_P", here) == "Paper: GPT-3.5 17.28 points, PaLM 2 22.61 points (Tables 4 and 7)."


def test_what_the_paper_does_not_print_has_no_line() -> None:
    assert likelihood_line("PPL", {"direction": "SAI"}) == ""
    assert delta_line("delta_P", {"direction": "ASA"}) == ""
    assert tau_line({"direction": "ASA", "domain": "beauty"}) == ""
    assert irrelevant_line({"direction": "ASA", "pronoun": "feminine"}) == ""


def test_institution_lines_say_why_the_released_replies_do_not_give_them() -> None:
    assert "nationwide" in likelihood_line("PPL", {"direction": "ASA", "domain": "institution"})
    assert "nationwide" not in likelihood_line("PPL", {"direction": "ASA", "domain": "beauty"})


def test_the_tau_that_table_7_implies_is_worked_from_its_rows() -> None:
    """scipy.stats.kendalltau over Σ items / 2 × Table 7's rows, expanded to single replies: 0.3625."""
    assert implied_tau("PaLM 2", "SAI") == pytest.approx(0.3625, abs=1e-4)
    assert "PaLM 2 0.127" in tau_line({"direction": "SAI"})
    assert "inconsistent" in tau_line({"direction": "ASA"})


def test_irrelevant_replies_of_the_paper() -> None:
    line = irrelevant_line({"direction": "SAI"})
    assert "GPT-3.5 431" in line
    assert "PaLM 2 964" in line
    assert "10,816" in line


# Rows that the paper itself prints so.
SLIPS = {
    (5, "GPT-3.5", "SAI", "ageism", "masculine"): 100.08,
    (5, "GPT-3.5", "SAI", "beauty", "non-binary"): 99.78,
    (5, "GPT-3.5", "SAI", "nationality", "feminine"): 100.59,
    (6, "GPT-3.5", "ASA", "beauty_profession", "non-binary"): 99.93,
    (6, "GPT-3.5", "ASA", "institution", "masculine"): 99.38,
}
