"""Any score by any group: from columns to findings, from a table with a plug-in's scorer, and from a project."""

import csv
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binomtest, ttest_ind

from biasprint.core.errors import AppError, UsageError
from biasprint.core.findings import ScorerUse
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.report.figures import figures_of
from biasprint.core.report.questions import answered
from biasprint.core.runs.measure import measure_project, measure_tables
from biasprint.core.runs.setup import import_table
from biasprint.core.scorers import registry
from biasprint.core.scorers.protocol import ScoreValue
from biasprint.core.studies.compare.measure import measure
from biasprint.core.studies.compare.texts import Compared, Measure, pairs
from biasprint.core.studies.kit.declared import MeasureOptions
from biasprint.core.texts.exporting import read_table

USE = ScorerUse("score", "made up", "1")


def columns(values, groups, blocks=None, label="warmth"):
    n = len(values)
    table = Compared([""] * n, {"group": groups}, blocks or [""] * n)
    one = Measure(label, np.array(values, dtype=float), USE, yes_or_no=label == "invited")
    return measure(table, [one])


def one(result, finding_id):
    (found,) = [each for each in result.findings if each.id == finding_id]
    return found


def test_matched_blocks_are_compared_within():
    rng = np.random.default_rng(2)
    level = rng.normal(0, 10, 20)
    values = np.concatenate([level + 1 + rng.normal(0, 0.2, 20), level])

    found = one(columns(values, ["a"] * 20 + ["b"] * 20, [str(n) for n in range(20)] * 2), "compare.difference")

    assert found.estimate == pytest.approx(1, abs=0.15)
    assert found.p < 0.001
    assert found.interval.low > 0.8
    assert found.groups == ("a", "b")
    assert found.floor.p95 < abs(found.estimate)


def test_answers_to_one_prompt_of_each_group_are_units_and_it_is_said_for_which_prompts_it_holds():
    rng = np.random.default_rng(3)
    values, groups = np.concatenate([rng.normal(2, 1, 30), rng.normal(0, 1, 30)]), ["Emily"] * 30 + ["Lakisha"] * 30
    table = Compared([""] * 60, {"group": groups}, ["question"] * 60, [f"asked of {name}" for name in groups])

    difference = one(measure(table, [Measure("warmth", values, USE)]), "compare.difference")

    welch = ttest_ind(values[:30], values[30:], equal_var=False)
    assert difference.n == 60
    assert difference.estimate == pytest.approx(values[:30].mean() - values[30:].mean())
    assert (difference.interval.low, difference.interval.high) == pytest.approx(welch.confidence_interval(), rel=0.02)
    assert "it holds for these prompts alone" in difference.note


def test_outcomes_give_rates_ratios_and_withhold_small_cells():
    groups = ["a"] * 20 + ["b"] * 20 + ["c"] * 4
    result = columns([1] * 8 + [0] * 12 + [1] * 16 + [0] * 4 + [1] * 4, groups, label="invited")

    rates = {each.groups[0]: each for each in result.findings if each.id == "compare.rate"}
    ratios = {each.groups[0]: each for each in result.findings if each.id == "compare.impact_ratio"}
    assert [rates[group].estimate for group in "abc"] == [0.4, 0.8, None]
    assert "withheld" in rates["c"].reason
    assert ratios["a"].estimate == pytest.approx(0.5)
    assert ratios["a"].groups == ("a", "b")
    assert set(ratios) == {"a", "c"}


def test_perfect_separation_of_pairs_is_answered():
    result = columns([1] * 12 + [0] * 12, ["a"] * 12 + ["b"] * 12, [str(n) for n in range(12)] * 2)

    found = one(result, "compare.difference")
    assert found.estimate == 1
    assert found.p_adjusted < 0.05


@pytest.mark.parametrize(("pairs_of", "towards"), [(5, 1), (6, 1), (6, -1), (30, 1)])
def test_the_interval_of_shares_that_are_all_or_none_agrees_with_the_exact_test(pairs_of, towards):
    """Of n pairs that all differ p = 2 / 2ⁿ: above 0.05 for five. Clopper and Pearson's lower end of n of n, 2ψ − 1."""
    values = [1] * pairs_of + [0] * pairs_of if towards > 0 else [0] * pairs_of + [1] * pairs_of
    found = one(columns(values, ["a"] * pairs_of + ["b"] * pairs_of, [str(n) for n in range(pairs_of)] * 2, "invited"),
                "compare.difference")  # fmt: skip
    low, high = sorted(towards * end for end in (2 * binomtest(pairs_of, pairs_of).proportion_ci().low - 1, 1))
    assert (found.estimate, found.interval.low, found.interval.high) == (
        towards,
        pytest.approx(low),
        pytest.approx(high),
    )
    assert (found.p <= 0.05) == (not low < 0 < high)
    assert (binomtest(pairs_of, pairs_of).pvalue <= 0.05) == (found.p <= 0.05)


def test_where_no_pair_differs_the_difference_is_as_near_0_as_so_many_pairs_can_show():
    found = one(
        columns([1] * 40, ["a"] * 20 + ["b"] * 20, [str(n) for n in range(20)] * 2, "invited"), "compare.difference"
    )
    assert found.estimate == 0
    # 1 − 0.05^(1/20): with more pairs that differ than that, 20 pairs without one have a chance below 5 %.
    assert (found.interval.low, found.interval.high) == pytest.approx((-0.1391, 0.1391), abs=1e-4)


WORDS = [f"{a}{b}" for a in "bdfgklmnprst" for b in ("alo", "ero", "imu")]


def answers(identity_matters, samples, prompts=12):
    """Answers to each prompt for two users: eight words of 36, or of the user's own 18."""
    rng = np.random.default_rng(7)
    rows = []
    for prompt in range(prompts):
        for place, group in enumerate("ab"):
            for _ in range(samples):
                own = rng.permutation(WORDS[18 * place : 18 * place + 18])[:8]
                rows.append((" ".join(own if identity_matters else rng.permutation(WORDS)[:8]), group, f"p{prompt}"))
    texts, groups, blocks = zip(*rows, strict=True)
    return measure(Compared(texts, {"group": groups}, blocks, company=False), []).findings


@pytest.mark.parametrize("matters", [True, False])
def test_likeness_of_two_identities_is_held_against_that_of_two_answers_to_one(matters):
    gaps = {each.label: each for each in answers(matters, 2) if each.id == "compare.similarity_gap"}
    likeness = {each.label: each for each in answers(matters, 2) if each.id.startswith("compare.similarity.")}
    assert set(gaps) == {"rouge_l", "bleu"}
    gap = gaps["rouge_l"]
    assert (gap.p_adjusted < 0.05) == matters
    assert (gap.interval.low > 0) == matters
    assert gap.floor.mean < gap.floor.p95
    within, between = map(float, re.findall(r"(0\.\d+) (?:within|between)", gap.note))
    assert gap.estimate == pytest.approx(within - between, abs=2e-3)
    assert between == pytest.approx(likeness["rouge_l"].estimate, abs=1e-3)


def test_of_one_answer_to_each_prompt_there_is_no_gap():
    assert not [each for each in answers(True, 1) if each.id == "compare.similarity_gap"]


def test_samples_of_a_prompt_that_disagree_are_a_share_and_no_further_units():
    """Ten prompts of each group, asked twice: one yes of two in each of the first group's."""
    groups, prompts = np.repeat(["a", "b"], 20).tolist(), [f"p{at // 2}" for at in range(40)]
    values = np.array([1.0, 0.0] * 10 + [0.0] * 19 + [1.0])
    table = Compared([""] * 40, {"group": groups}, [""] * 40, prompts)
    result = measure(table, [Measure("invited", values, USE, yes_or_no=True)])

    difference = one(result, "compare.difference")
    assert difference.estimate == pytest.approx(0.5 - 0.05)
    assert difference.n_by_group == {"a": 10, "b": 10}
    rate = next(each for each in result.findings if each.id == "compare.rate" and each.groups == ("b",))
    assert (rate.estimate, rate.n) == (0.05, 20)
    assert "design effect" in rate.interval.method


@pytest.mark.parametrize("pairs_of", [4, 6])
def test_interval_and_p_of_few_pairs_say_the_same(pairs_of):
    values = np.concatenate([np.arange(pairs_of) + 10 + 0.01 * np.arange(pairs_of) ** 2, np.arange(pairs_of)])
    result = columns(values, ["a"] * pairs_of + ["b"] * pairs_of, [str(n) for n in range(pairs_of)] * 2)

    difference = one(result, "compare.difference")
    assert difference.interval.low > 0
    assert difference.p < 0.05


def test_of_many_groups_each_is_set_against_the_largest():
    assert pairs({"a": 1, "b": 9, "c": 3, "d": 2, "e": 2}) == [("a", "b"), ("c", "b"), ("d", "b"), ("e", "b")]
    assert len(pairs({"a": 1, "b": 9, "c": 3, "d": 2})) == 6


def test_every_finding_answers_a_question_and_has_a_figure():
    rng = np.random.default_rng(4)
    result = columns(rng.normal(size=40), ["a", "b"] * 20, [str(n // 2) for n in range(40)])

    assert all("What else" not in each.question for each in answered("compare", result.findings))
    assert {"compare.difference", "compare.mean"} <= {figure.key for figure in figures_of("compare", result.findings)}


def test_what_is_not_shown_to_be_alike_is_not_said_to_be_chance():
    result = columns(np.arange(40) % 7 + np.arange(40) % 2 * 3, ["a", "b"] * 20)

    (alike,) = [each.answer for each in answered("compare", result.findings) if "alike, within" in each.question]
    assert alike.startswith("No: “Warmth, within ±0.4")


# ---- with scorers, from tables and projects


class Fragile:
    """As a plug-in's: characters, and it breaks on one word."""

    role, name, version, sha256, stand_in, shape = "length", "fragile", "1", None, False, "characters"

    def score(self, texts):
        if any("breaks" in text for text in texts):
            raise ValueError("cannot read that")
        return [ScoreValue(np.array([len(text)], dtype=np.float32), float(len(text))) for text in texts]


@pytest.fixture
def fragile(monkeypatch):
    own = registry._factories()
    monkeypatch.setattr(registry, "_factories", lambda: {**own, "fragile": Fragile})
    yield
    registry.load.cache_clear()


class Here:
    """A compute process that is this one."""

    def call(self, function, *given, ctx=None, on_report=None):
        try:
            return function(*given)
        except ValueError as error:  # as what crosses the process border
            raise AppError(str(error)) from error


def table(tmp_path, rows) -> Path:
    path = tmp_path / "texts.csv"
    with open(path, "w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return path


def thousand(tmp_path, n=1000):
    """Texts without blocks: matched ones would be embedded too, and a model of language be loaded for it."""
    return table(
        tmp_path,
        [
            {"gender": ("man", "woman")[at % 2], "text": "breaks" if at == 500 else "x" * (5 + at % 2)}
            for at in range(n)
        ],
    )


def measured(path, **scorers):
    options = MeasureOptions(scorers=scorers)
    return measure_tables(JobContext(), [path], "compare", options, Here(), mapping={"group": "gender"}).result


def test_a_scorer_that_breaks_on_one_text_in_a_thousand_costs_that_text(tmp_path, fragile):
    result = measured(thousand(tmp_path), score="fragile")

    assert result.rows == 1000
    assert result.dropped == {"fragile failed: ValueError: cannot read that": 1}
    assert one(result, "compare.difference").estimate == -1
    assert one(result, "compare.difference").n_by_group == {"man": 499, "woman": 500}


@pytest.mark.parametrize(
    ("scorers", "read", "alike"),
    [
        ({"score": "fragile"}, {"fragile"}, False),
        ({"score": "fragile", "embedding": "none"}, {"fragile"}, False),
        ({"score": "fragile", "embedding": "minilm"}, {"fragile", "minilm"}, True),
    ],
)
def test_only_what_is_asked_is_read_of_matched_texts(tmp_path, fragile, scorers, read, alike):
    rows = [{"gender": ("man", "woman")[at % 2], "text": f"x{at}", "prompt": str(at // 2)} for at in range(40)]
    asked = []

    class Counting(Here):
        def call(self, function, *given, ctx=None, on_report=None):
            asked.extend([given[0]] if function is registry.score_kept else [])
            if given[0] == "minilm":
                return None, [ScoreValue(np.ones(3), None) for _ in given[1]], {}
            return super().call(function, *given, ctx=ctx, on_report=on_report)

    options = MeasureOptions(scorers=scorers)
    path = table(tmp_path, rows)
    result = measure_tables(JobContext(), [path], "compare", options, Counting(), mapping={"group": "gender"}).result
    assert set(asked) == read
    ids = {each.id.split(".")[1] for each in result.findings}
    assert {"similarity", "cooccurrence", "association"} & ids == (
        {"similarity", "cooccurrence", "association"} if alike else set()
    )


def test_a_scorer_that_breaks_on_every_text_is_an_error(tmp_path, fragile):
    rows = [{"gender": group, "text": "breaks"} for group in ("man", "woman")]

    with pytest.raises(AppError, match="cannot read that"):
        measured(table(tmp_path, rows), score="fragile")


def test_the_same_from_a_project_as_from_a_table(tmp_path, fragile):
    path = thousand(tmp_path, 600)
    with Project.create(tmp_path / "p.biasprint") as project:
        read = read_table(JobContext(), path, "compare", mapping={"group": "gender"})
        import_table(JobContext(), project, None, "compare", path, read)
        options = MeasureOptions(scorers={"score": "fragile"})
        found = measure_project(JobContext(), project, "compare", options, Here()).result

    expected = one(measured(path, score="fragile"), "compare.difference")
    difference = one(found, "compare.difference")
    assert (difference.estimate, difference.n_by_group) == (expected.estimate, {"man": 299, "woman": 300})
    assert (difference.n_by_group, difference.p) == (expected.n_by_group, expected.p)
    assert found.dropped == {"fragile failed: cannot read that": 1}


def test_a_column_of_outcomes_needs_no_text(tmp_path):
    rows = [{"gender": ("man", "woman")[at % 2], "outcome": ("yes", "no")[at % 4 == 1]} for at in range(40)]
    rows.append({"gender": "man", "outcome": "perhaps"})

    result = measured(table(tmp_path, rows))

    assert {each.groups[0]: each.estimate for each in result.findings if each.id == "compare.rate"} == {
        "man": 1.0, "woman": 0.5,
    }  # fmt: skip
    assert result.dropped == {"outcome “perhaps” is not understood": 1}


def test_groups_are_crossed(tmp_path):
    rows = [
        {"gender": ("man", "woman")[at % 2], "second_group": ("old", "young")[at // 2 % 2], "score": at % 7 + 0.5}
        for at in range(60)
    ]

    result = measured(table(tmp_path, rows))

    by = {each.dims["by"] for each in result.findings if each.id == "compare.mean"}
    assert by == {"group", "second_group", "intersection"}
    assert "man × old" in {each.groups[0] for each in result.findings if each.id == "compare.mean"}


@pytest.mark.parametrize(("asked", "said"), [("nobody", "no scorer or role “nobody”"), ("minilm", "gives no number")])
def test_a_scorer_that_does_not_fit_is_wrong_usage(tmp_path, asked, said):
    with pytest.raises(UsageError, match=said):
        measured(thousand(tmp_path, 4), score=asked)


def test_a_margin_is_for_this_study_alone(tmp_path):
    with pytest.raises(UsageError, match="has no margin"):
        measure_tables(JobContext(), [thousand(tmp_path, 4)], "letters", MeasureOptions(margin=0.1), Here())
