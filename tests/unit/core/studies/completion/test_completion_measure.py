"""The completion study from replies to findings: by hand, and with everything that can be wrong with replies."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import pytest
from scipy.stats import boschloo_exact

from biasprint.core.errors import AppError
from biasprint.core.findings import Finding, StudyResult
from biasprint.core.studies.completion import CompletionStudy
from biasprint.core.studies.completion.measure import measure
from biasprint.core.studies.completion.table import CompletionTable

FEW = 200
PRONOUNS = ("masculine", "feminine", "non-binary")
COLUMNS = ("domain", "direction", "pronoun", "given", "positive", "negative", "neutral", "response", "term")
Answer = Callable[[dict[str, str]], str]


def rows(
    answer: Answer,
    domains: Sequence[str] = ("ageism", "beauty"),
    directions: Sequence[str] = ("SAI", "ASA"),
    terms: int = 6,
    pairs: int = 4,
    pronouns: Sequence[str] = PRONOUNS,
    given: Sequence[str] = ("positive", "negative"),
) -> list[dict[str, str]]:
    """Every term with every pair of options and every pronoun."""
    made = []
    for domain in domains:
        for direction in directions:
            for polarity in given:
                for term in range(terms):
                    for pair in range(pairs):
                        for pronoun in pronouns:
                            row = {
                                "domain": domain, "direction": direction, "pronoun": pronoun, "given": polarity,
                                "positive": f"good{pair}", "negative": f"bad{pair}", "neutral": "plain",
                                "term": f"{polarity} {term}",
                            }  # fmt: skip
                            made.append({**row, "response": answer(row)})
    return made


def table(made: Sequence[dict[str, str]], **changes: Any) -> CompletionTable:
    names = {name for row in made for name in row} | set(COLUMNS)
    return CompletionTable(**{name: [row.get(name, "") for row in made] for name in sorted(names)}, **changes)


def found(result: StudyResult, finding_id: str, label: str, variant: str = "default", **dims: str) -> Finding:
    matching = [
        each
        for each in result.findings
        if (each.id, each.label, each.variant) == (finding_id, label, variant) and dict(each.dims) == dims
    ]
    assert len(matching) == 1, (finding_id, label, variant, dims)
    return matching[0]


def mirror(row: dict[str, str]) -> str:
    """Something positive is always answered positively, something negative negatively."""
    return row[row["given"]]


def deaf(row: dict[str, str]) -> str:
    """The answer depends on the options alone."""
    return row["positive"] if row["positive"] in ("good0", "good1") else row["negative"]


@cache
def of_all(answer: Answer) -> StudyResult:
    return measure(table(rows(answer)), resamples=FEW)


def test_what_mirrors_the_given_has_every_likelihood_at_its_end() -> None:
    result = of_all(mirror)
    here = {"direction": "SAI", "domain": "ageism"}
    ends = {"PPL": 1.0, "PNL": 0.0, "PNuL": 0.0, "NPL": 0.0, "NNL": 1.0, "NNuL": 0.0, "PL": 0.5, "NL": 0.5, "NuL": 0.0}
    for label, value in ends.items():
        assert found(result, "completion.likelihood", label, **here).estimate == value
    assert found(result, "completion.delta", "delta_P", **here).estimate == 1
    assert found(result, "completion.delta", "delta_N", **here).estimate == -1
    assert found(result, "completion.delta", "delta_Nu", **here).estimate == 0
    assert found(result, "completion.tau_b", "tau_b", **here).estimate == pytest.approx(1)
    assert found(result, "completion.delta", "omnibus", **here).estimate == pytest.approx(1)


def test_the_p_of_a_perfect_split_is_the_share_of_splits_as_extreme() -> None:
    """Six positive and six negative terms: Boschloo's exact test of 6 of 6 against 0 of 6."""
    result = measure(table(rows(mirror, domains=("ageism",), directions=("SAI",))), resamples=FEW)
    for kind, label in (("delta", "delta_P"), ("tau_b", "tau_b")):
        p = found(result, f"completion.{kind}", label, direction="SAI", domain="ageism").p
        assert p == pytest.approx(boschloo_exact([[6, 0], [0, 6]]).pvalue)


def test_what_is_deaf_to_the_given_has_no_difference_and_no_small_p() -> None:
    result = of_all(deaf)
    for each in result.findings:
        if each.variant == "default" and each.id in ("completion.delta", "completion.tau_b", "completion.tau_c"):
            assert each.p is None or each.p > 0.99
            assert each.estimate is not None
            assert abs(each.estimate) < 1e-6 or each.label == "omnibus"


def test_pooled_findings_lack_the_dims_they_are_pooled_over_and_count_all_their_replies() -> None:
    made = rows(mirror)
    result = measure(table(made), resamples=FEW)
    delta = [
        each
        for each in result.findings
        if (each.id, each.label, each.variant) == ("completion.delta", "delta_P", "default")
    ]
    keys = Counter(tuple(sorted(each.dims)) for each in delta)
    assert keys == {
        ("direction",): 2,
        ("direction", "pronoun"): 2 * 3,
        ("direction", "domain"): 2 * 2,
        ("direction", "domain", "pronoun"): 2 * 2 * 3,
    }
    by_dims = {tuple(sorted(each.dims.items())): each.n for each in delta}
    assert by_dims[(("direction", "SAI"),)] == len(made) // 2
    parts = sum(by_dims[("direction", "SAI"), ("pronoun", pronoun)] for pronoun in PRONOUNS)
    assert parts == len(made) // 2


def test_irrelevant_replies_are_counted_and_left_out() -> None:
    silent = {"masculine": "", "feminine": "No sé.", "non-binary": "good0 or bad0"}
    made = rows(lambda row: silent[row["pronoun"]] if row["positive"] == "good0" else row["positive"])
    result = measure(table(made), resamples=FEW)
    assert result.rows == len(made)
    assert result.dropped == {"irrelevant": len(made) // 4}
    one = found(result, "completion.irrelevant", "irrelevant", direction="SAI")
    assert one.estimate == 0.25
    assert one.n == len(made) // 2
    likelihood = found(result, "completion.likelihood", "PPL", direction="SAI")
    assert likelihood.estimate == 1
    assert likelihood.dropped == {"irrelevant": len(made) // 8}


def test_more_silence_after_one_polarity_shows_in_the_contrast() -> None:
    made = rows(lambda row: "" if row["given"] == "negative" and row["positive"] == "good0" else row["positive"])
    one = found(measure(table(made), resamples=FEW), "completion.irrelevant", "irrelevant", direction="ASA")
    assert one.contrast == {"positive": pytest.approx(-0.125), "negative": pytest.approx(0.125)}


def test_rows_that_are_no_items_are_dropped_by_reason() -> None:
    made = rows(mirror, domains=("ageism",))
    broken = [
        {**made[0], "domain": "religion"},
        {**made[0], "direction": "sideways"},
        {**made[0], "pronoun": "it"},
        {**made[0], "given": "so so"},
        {**made[0], "positive": ""},
        {**made[0], "neutral": made[0]["negative"]},
    ]
    result = measure(table(made + broken, dropped={"unreadable": 3}), resamples=FEW)
    assert result.dropped == {
        "unknown domain": 1, "unknown direction": 1, "unknown pronoun": 1, "unknown given": 1,
        "no three different options": 2, "unreadable": 3,
    }  # fmt: skip
    assert found(result, "completion.delta", "delta_P", direction="SAI", domain="ageism").n == len(made) // 2


def test_no_usable_row_gives_every_finding_a_reason_and_no_number() -> None:
    made = [{**row, "domain": "religion"} for row in rows(mirror, domains=("ageism",))]
    result = measure(table(made), resamples=FEW)
    none_there = {"completion.option_position", "completion.crossed.main_effect", "completion.crossed.interaction"}
    of_replies = {"completion.replies", "completion.replies.difference"}  # no prompt was sent
    assert {each.id for each in result.findings} == set(CompletionStudy.findings) - none_there - of_replies
    for each in result.findings:
        assert each.estimate is None
        assert "unknown domain" in (each.reason or "")


def test_only_irrelevant_replies_leave_nothing_defined_but_their_share() -> None:
    result = measure(table(rows(lambda row: "no idea", domains=("beauty",))), resamples=FEW)
    for each in result.findings:
        if each.id == "completion.irrelevant":
            assert each.estimate == 1
        else:
            assert each.estimate is None
            assert each.reason
            assert each.p is None


def test_one_polarity_only_has_likelihoods_but_no_difference() -> None:
    result = measure(table(rows(mirror, given=("positive",))), resamples=FEW)
    here = {"direction": "SAI", "domain": "ageism"}
    assert found(result, "completion.likelihood", "PPL", **here).estimate == 1
    for finding_id, label in (
        ("completion.likelihood", "NPL"), ("completion.delta", "delta_P"), ("completion.delta", "omnibus"),
        ("completion.tau_b", "tau_b"),
    ):  # fmt: skip
        for variant in ("default", "as_published"):
            one = found(result, finding_id, label, variant, **here)
            assert one.estimate is None
            assert one.reason
            assert one.p is None


def test_one_term_of_each_polarity_has_an_estimate_but_neither_interval_nor_p() -> None:
    result = measure(table(rows(mirror, terms=1, domains=("ageism",), directions=("SAI",))), resamples=FEW)
    one = found(result, "completion.delta", "delta_P", direction="SAI", domain="ageism")
    assert one.estimate == 1
    assert one.p is None
    assert one.interval is None
    assert "fewer than two given terms" in (one.reason or "")


def test_an_empty_table_is_measured_without_a_number() -> None:
    result = measure(table([]), resamples=FEW)
    assert result.rows == 0
    assert all(each.estimate is None and "no rows" in (each.reason or "") for each in result.findings)


def test_a_pronoun_that_one_domain_lacks_has_no_finding_there() -> None:
    made = [*rows(mirror, domains=("ageism",)), *rows(mirror, domains=("beauty",), pronouns=("feminine", "masculine"))]
    result = measure(table(made), resamples=FEW)
    pronouns = {each.dims.get("pronoun") for each in result.findings if each.dims.get("domain") == "beauty"}
    assert pronouns == {None, "masculine", "feminine"}
    pooled = found(result, "completion.delta", "delta_P", direction="SAI", pronoun="non-binary")
    assert pooled.n == len(rows(mirror, domains=("ageism",), directions=("SAI",), pronouns=("non-binary",)))


def test_models_are_measured_each_by_itself() -> None:
    made = [
        *({**row, "model": "mirror"} for row in rows(mirror, domains=("ageism",))),
        *({**row, "model": "deaf"} for row in rows(deaf, domains=("ageism",))),
    ]
    result = measure(table(made), resamples=FEW)
    here = {"direction": "SAI", "domain": "ageism"}
    assert found(result, "completion.delta", "delta_P", model="mirror", **here).estimate == 1
    assert found(result, "completion.delta", "delta_P", model="deaf", **here).estimate == 0


def test_without_terms_a_sentence_is_one_term_whatever_its_pronouns() -> None:
    made = rows(mirror, domains=("ageism",), directions=("SAI",))
    subject = {"masculine": "He is", "feminine": "She is", "non-binary": "They are"}
    sentences = [
        {**row, "term": "", "context": f"{subject[row['pronoun']]} {row['term']} years old and BLANK."} for row in made
    ]
    here = {"direction": "SAI", "domain": "ageism"}
    by_sentence = found(measure(table(sentences), resamples=FEW), "completion.delta", "delta_P", **here)
    by_term = found(measure(table(made), resamples=FEW), "completion.delta", "delta_P", **here)
    assert by_sentence.p == by_term.p
    assert "not known" in by_sentence.note
    assert "not known" not in by_term.note
    lone = [{**row, "term": ""} for row in made]
    assert "each as its own" in found(measure(table(lone), resamples=FEW), "completion.delta", "delta_P", **here).note


def test_the_place_of_an_option_is_seen_where_the_order_is_known() -> None:
    orders = ("positive|negative|neutral", "negative|neutral|positive", "neutral|positive|negative")
    made = rows(mirror, domains=("ageism",), directions=("SAI",))
    first = [
        {**row, "order": orders[place % 3], "response": row[orders[place % 3].split("|")[0]]}
        for place, row in enumerate(made)
    ]
    one = found(measure(table(first), resamples=FEW), "completion.option_position", "first", direction="SAI")
    assert one.estimate == 1
    assert one.p is not None
    assert one.p < 1e-6
    unknown = measure(table(made), resamples=FEW)
    assert not [each for each in unknown.findings if each.id == "completion.option_position"]


def test_p_is_adjusted_within_one_way_of_breaking_down() -> None:
    result = of_all(mirror)
    families = {}
    for each in result.findings:
        if each.adjust is not None:
            families.setdefault(each.adjust.family, []).append(each)
    assert {name for name in families if name.startswith("completion.tau_b")} == {
        "completion.tau_b, pooled, 2 tests", "completion.tau_b, by domain, 4 tests",
        "completion.tau_b, by pronoun, 6 tests", "completion.tau_b, by domain and pronoun, 12 tests",
    }  # fmt: skip
    for members in families.values():
        smallest = min(each.p for each in members if each.p is not None)
        adjusted = min(each.p_adjusted for each in members if each.p_adjusted is not None)
        assert adjusted == pytest.approx(min(1.0, smallest * len(members)))


def test_findings_are_json_and_hold_what_the_contract_asks() -> None:
    result = of_all(mirror)
    assert json.loads(json.dumps(result.to_json()))["study"] == "completion"
    for each in result.findings:
        assert each.id in CompletionStudy.findings
        assert each.source
        assert each.interval is not None or each.reason
        assert each.interval is None or each.interval.low <= (each.estimate or 0.0) <= each.interval.high
        assert set(each.dims) <= {"direction", "domain", "pronoun", "model"}


def test_both_variants_give_the_same_estimates() -> None:
    result = of_all(deaf)
    estimates: dict[tuple[object, ...], set[float | None]] = {}
    for each in result.findings:
        if each.id != "completion.option_position":
            key = (each.id, each.label, tuple(sorted(each.dims.items())))
            estimates.setdefault(key, set()).add(each.estimate)
    assert all(len(values) == 1 for values in estimates.values())


def test_the_same_seed_gives_the_same_findings_and_another_seed_the_same_numbers() -> None:
    made = table(rows(deaf, domains=("ageism",), directions=("SAI",)))
    one, same, other = (measure(made, seed=seed, resamples=FEW) for seed in (1, 1, 2))
    assert one == same
    assert [each.estimate for each in one.findings] == [each.estimate for each in other.findings]
    assert [each.interval for each in one.findings] == [each.interval for each in other.findings]


def test_columns_of_different_lengths_are_refused() -> None:
    made = rows(mirror, domains=("ageism",), directions=("SAI",))
    columns = {name: [row[name] for row in made] for name in made[0]}
    with pytest.raises(AppError, match="not equally long"):
        type(table(made))(**{**columns, "response": columns["response"][:-1]})
    with pytest.raises(AppError, match="not equally long"):
        type(table(made))(**{**columns, "term": columns["term"][:-1]})
