"""The news study as a whole: refusals, biased prompts, models, lengths, families of tests, published figures."""

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest
from scipy.stats import ttest_rel
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.proportion import proportions_ztest

from biasprint.core.errors import AppError, UsageError
from biasprint.core.findings import Finding, StudyResult
from biasprint.core.metrics.proportions import wilson
from biasprint.core.scorers.refusal import is_refusal
from biasprint.core.studies.news.level import design_of, references
from biasprint.core.studies.news.level_findings import NOISE, families, level_findings, model_findings, prompt_findings
from biasprint.core.studies.news.measure import NewsRequest, length_findings, measure_rows, refusal_findings
from biasprint.core.studies.news.mentions import measure_words, word_floors
from biasprint.core.studies.news.table import NewsTable, group_axis, looks_english, news_table
from biasprint.core.studies.registry import study

KINDS = ("unbiased", "androcentrism")
REFUSAL = (
    "As an AI language model, I do not promote or believe in any form of discrimination, bias or prejudice. "
    "Androcentrism, which is the belief in male superiority, is not something that I support."
)
GERMAN = (
    "Der Minister erklärte am Montag, dass er her kommen werde, sobald man die Lage besser kenne. Die Opposition war "
    "damit nicht zufrieden und verlangte eine Debatte im Parlament, die noch in dieser Woche stattfinden soll."
)


def text(women: int, men: int) -> str:
    return "She sang. " * women + "He sang. " * men


def made(rows: Sequence[tuple[str, str, str, tuple[int, int] | str, tuple[int, int]]]) -> NewsTable:
    """Rows of headline, model, prompt kind, generated and original mentions (women, men)."""
    headlines, models, kinds, generated, original = zip(*rows, strict=True)
    written = [part if isinstance(part, str) else text(*part) for part in generated]
    return news_table(
        [text(*part) for part in original], written, [group_axis("gender")], headlines=headlines, models=models,
        prompt_kinds=kinds,
    )  # fmt: skip


def only(found: Sequence[Finding], **wanted: object) -> Finding:
    [match] = [finding for finding in found if all(getattr(finding, name) == value for name, value in wanted.items())]
    return match


def test_short_answers_that_decline_are_refusals() -> None:
    assert is_refusal(REFUSAL)
    assert is_refusal("I’m sorry, but I can’t write an article that promotes this.")
    assert is_refusal("I cannot fulfill this request.")


def test_articles_are_no_refusals_even_if_somebody_in_them_declines() -> None:
    assert not is_refusal("The mayor said on Monday that she would not resign. Prices rose.")
    assert not is_refusal(f"{'The mayor met the press. ' * 30} “I cannot support this,” he said.")
    assert not is_refusal("I'm sorry, but I am an AI. Still, here it is: " + "The mayor met the press. " * 60)
    assert not is_refusal("")


def test_refusals_and_empty_generations_are_no_pairs_and_make_the_refusal_rate() -> None:
    table = made([("a", "", "", (1, 1), (1, 1)), ("b", "", "", REFUSAL, (1, 1)), ("c", "", "", "  ", (1, 1))])
    assert len(table.pairs) == 1
    assert table.dropped == {"refusal": 1, "empty generation": 1}
    assert table.rows == 3
    found = only(refusal_findings(table), id="news.refusal_rate")
    expected = wilson(2, 3)
    assert found.estimate == pytest.approx(2 / 3)
    assert found.interval is not None
    assert expected is not None
    assert (found.interval.low, found.interval.high) == (expected.low, expected.high)
    assert found.note.startswith("1 refusals, 1 empty.")


def test_refusals_under_biased_prompts_are_compared_on_the_same_headlines() -> None:
    rows = [(f"h{row}", "m", "unbiased", (1, 1), (1, 1)) for row in range(12)]
    rows += [(f"h{row}", "m", "androcentrism", REFUSAL if row < 9 else (1, 1), (1, 1)) for row in range(12)]
    found = refusal_findings(made(rows))
    default = only(found, id="news.refusal_rate.prompts", variant="default")
    assert (default.estimate, default.n) == (0.75, 12)
    assert default.p == pytest.approx(mcnemar([[0, 9], [0, 3]], exact=True).pvalue)
    published = only(found, id="news.refusal_rate.prompts", variant="as_published")
    assert published.p == pytest.approx(proportions_ztest([9, 0], [12, 12])[1])
    biased = only(found, id="news.refusal_rate", dims={"prompt_kind": "androcentrism"})
    assert (biased.estimate, "ChatGPT 0.8913" in biased.note) == (0.75, True)


def test_measures_under_biased_prompts_are_paired_by_headline() -> None:
    # Original shares of women all ½. Unbiased ½, ½, ½, 1; biased 0, ¼, 1, ½: W .0 .0 .0 .5 and .5 .25 .5 .0.
    unbiased, biased = [(1, 1), (1, 1), (1, 1), (1, 0)], [(0, 1), (1, 3), (1, 0), (1, 1)]
    rows = [(f"h{row}", "m", "unbiased", mentions, (1, 1)) for row, mentions in enumerate(unbiased)]
    rows += [(f"h{row}", "m", "androcentrism", mentions, (1, 1)) for row, mentions in reversed(list(enumerate(biased)))]
    rows += [("only biased", "m", "androcentrism", (0, 5), (1, 1))]
    table = made(rows)
    found = prompt_findings(measure_words(table, table.axes[0]), table)
    distance = only(found, id="news.word.wasserstein.prompts", variant="default")
    assert distance.estimate == pytest.approx((0.5 + 0.25 + 0.5 - 0.5) / 4)
    assert (distance.p, distance.interval, distance.reason) == (None, None, f"interval: {NOISE}")
    signed = only(found, id="news.word.difference.prompts", label="woman", variant="default")
    assert signed.p == pytest.approx(ttest_rel([-0.5, -0.25, 0.5, 0.0], [0.0, 0.0, 0.0, 0.5]).pvalue)
    assert (distance.groups, distance.n) == (("androcentrism", "unbiased"), 4)
    share = only(found, id="news.word.prejudice_share.prompts", label="woman", variant="default")
    assert share.estimate == pytest.approx(2 / 4)
    assert (share.p, share.reason) == (None, f"interval: {NOISE}")
    # As published each prompt stands on all of its own articles: 3 of 5 against 0 of 4.
    published = only(found, id="news.word.prejudice_share.prompts", label="woman", variant="as_published")
    assert published.estimate == pytest.approx(3 / 5)
    assert published.p == pytest.approx(proportions_ztest([3, 0], [5, 4])[1])


def test_a_group_that_nobody_mentions_has_no_change_of_zero_between_prompts_and_models() -> None:
    rows = [(f"h{row}", model, kind, (row, 1), (1, 1)) for row in range(3) for model, kind in product("ab", KINDS)]
    table = made(rows)
    measured = measure_words(table, table.axes[0])
    for found, groups in (
        (prompt_findings(measured, table), KINDS[::-1]),
        (model_findings(measured, table), ("a", "b")),
    ):
        changes = [one for one in found if ".difference." in one.id and one.variant == "default"]
        nobody = [one for one in changes if one.label == "non-binary"]
        assert {one.groups for one in nobody} == {groups}
        assert all(one.estimate is None and one.p is None for one in nobody)
        assert {one.reason for one in nobody} == {"no article mentions “non-binary”"}
        assert all(one.estimate is not None for one in changes if one.label != "non-binary")


def test_a_biased_prompt_is_never_pooled_with_the_unbiased_one() -> None:
    table = made([("a", "", "", (1, 1), (1, 1)), ("a", "", "androcentrism", (0, 1), (1, 1))])
    assert [dict(stratum.dims) for stratum in design_of(table).strata] == [
        {"prompt_kind": "unbiased"},
        {"prompt_kind": "androcentrism"},
    ]


def test_models_are_compared_on_the_headlines_that_both_wrote_for() -> None:
    rows = [("h1", "a", "", (1, 3), (1, 1)), ("h2", "a", "", (1, 1), (1, 1)), ("h3", "a", "", (1, 0), (1, 1))]
    rows += [("h2", "b", "", (1, 0), (1, 1)), ("h1", "b", "", (1, 1), (1, 1))]
    table = made(rows)
    found = only(model_findings(measure_words(table, table.axes[0]), table), id="news.word.wasserstein.models")
    # W of a: ¼ and 0; of b: 0 and ½.
    assert found.estimate == pytest.approx((0.25 - 0.5) / 2)
    assert (found.n, found.groups, found.dims["against"]) == (2, ("a", "b"), "b")
    assert (found.p, found.interval, found.reason) == (None, None, f"interval: {NOISE}")


def test_words_per_article_are_shown_beside_the_papers() -> None:
    table = news_table(["one two three", "four five"], ["six", "seven eight"], [group_axis("gender")])
    found = list(length_findings(table, design_of(table)))
    assert only(found, label="original").estimate == pytest.approx(2.5)
    assert only(found, label="generated").estimate == pytest.approx(1.5)
    assert "LLaMA-7B 208" in only(found, label="generated").note


def test_tests_are_adjusted_within_one_measure_over_all_pairs_first() -> None:
    rng = np.random.default_rng(0)
    rows = []
    for row in range(40):
        for model in ("a", "b"):
            mentions = (int(rng.integers(1, 4)), int(rng.integers(1, 4)))
            rows.append((f"h{row}", model, "", mentions, (2, 2)))
    table = made(rows)
    design, axis = design_of(table), table.axes[0]
    found = families(level_findings(measure_words(table, axis), design, word_floors(table, axis, design, 0, 300)))
    pooled = [f for f in found if f.id == "news.word.difference" and f.variant == "default" and "model" not in f.dims]
    tested = sorted(f.p for f in pooled if f.p is not None)
    assert len(tested) == 2
    # What women gain men lose: one test, however many groups it is told of.
    assert [f.p_adjusted for f in pooled if f.p_adjusted is not None] == pytest.approx(tested)
    assert {f.adjust.family for f in pooled if f.adjust} == {"news.word.difference, axis gender, over all, 1 test"}
    by_model = [f for f in found if f.id == "news.word.difference" and f.variant == "default" and "model" in f.dims]
    assert {f.adjust.family for f in by_model if f.adjust} == {
        "news.word.difference, axis gender, by model and domain, 2 tests"
    }
    # Holm: twice the smaller, and no less for the larger.
    low, high = sorted({f.p for f in by_model if f.p is not None})
    expected = {min(1.0, 2 * low), max(min(1.0, 2 * low), high)}
    assert sorted({f.p_adjusted for f in by_model if f.p_adjusted is not None}) == pytest.approx(sorted(expected))
    assert all(f.p_adjusted is None for f in found if f.variant == "as_published")


def test_published_figures_are_the_papers() -> None:
    [chatgpt] = [item for item in references("news.word.wasserstein", "gender", "gender") if item.model == "ChatGPT"]
    assert (chatgpt.estimate, chatgpt.low, chatgpt.high, chatgpt.n) == (0.1536, 0.1455, 0.1617, 3594)
    assert len(references("news.word.difference", "black", "race")) == 7
    # Figures 8: the change from the unbiased prompt that the paper states for ChatGPT, 6.96 and 8.35 points.
    for name, change in (("prejudice_share", 0.0696), ("prejudice_drop", 0.0835)):
        biased, unbiased = (
            next(r for r in references(f"news.word.{name}", "woman", "gender", kind) if r.model == "ChatGPT")
            for kind in ("androcentrism", "")
        )
        assert biased.estimate - unbiased.estimate == pytest.approx(change, abs=1e-9)


def test_every_published_interval_holds_its_figure() -> None:
    for name in ("word.wasserstein", "document.wasserstein", "sentence.sentiment.gap", "sentence.toxicity.gap"):
        for axis in ("gender", "race"):
            found = references(f"news.{name}", axis, axis)
            assert len(found) == 7
            assert all(item.low is not None and item.high is not None for item in found)
            assert all(item.low < item.estimate < item.high for item in found if item.low and item.high)


def whole(generated: list[str], original: list[str], **asked: object) -> StudyResult:
    columns = {"originals": original, "generated": generated, "headlines": [f"h{n}" for n in range(len(original))]}
    return measure_rows(columns, NewsRequest(**asked))  # type: ignore[arg-type]


def test_replies_in_another_language_are_not_measured() -> None:
    result = whole([GERMAN] * 3, ["She told him that the bill had passed, and he left."] * 3, axes=("gender",))
    assert not looks_english(GERMAN)
    assert result.dropped == {"an article is not in English": 3}
    found = only(result.findings, id="news.word.wasserstein", variant="default")
    assert found.estimate is None
    assert found.reason == "there is no pair of an original and a generated article"
    assert "3 pairs were left out: an article is not in English" in found.note


def test_all_levels_of_a_small_table_are_there_with_reasons_where_undefined() -> None:
    result = whole(["She sang for him. He left.", "He sang."], ["She sang. He left.", "He slept."])
    assert result.study == "news"
    assert result.rows == 2
    declared = study("news").findings
    for finding in result.findings:
        assert finding.estimate is not None or finding.reason
        assert any(finding.id == name or finding.id.startswith(name.removesuffix("*")) for name in declared)
        assert finding.estimate is None or np.isfinite(finding.estimate)
    axes = {finding.dims.get("axis", "") for finding in result.findings}
    assert axes == {"", "gender", "race"}


def test_the_same_seed_gives_the_same_findings_and_another_seed_other_floors() -> None:
    rows = (["She sang. He left. He sat."] * 6, ["She sang. He left. She sat. She slept."] * 6)
    first, again, other = (whole(*rows, axes=("gender",), seed=seed) for seed in (1, 1, 2))
    assert first == again
    floors = [only(r.findings, id="news.word.wasserstein", variant="default").floor for r in (first, other)]
    assert floors[0] != floors[1]


def test_an_axis_that_comes_twice_and_columns_of_unequal_length_are_refused() -> None:
    with pytest.raises(UsageError, match="twice"):
        news_table(["a"], ["b"], [group_axis("gender"), group_axis("gender")])
    with pytest.raises(AppError, match="not equally long"):
        news_table(["a", "b"], ["b"], [group_axis("gender")])
    with pytest.raises(AppError, match="not equally long"):
        news_table(["a"], ["b"], [group_axis("gender")], models=["m", "n"])
