"""Gates on findings: how they are read, what they are about, and when they fail."""

from dataclasses import replace
from typing import Any

import pytest

from biasprint.core.errors import UsageError
from biasprint.core.findings import Finding, Interval
from biasprint.core.report.planned import unknown
from biasprint.core.runs.audit.gates import exit_code, hold, parse_gate

ID = "letters.lexicon.odds_ratio"


def finding(label: str = "agentic", low: float | None = 1.3, high: float = 2.0, **more: Any) -> Finding:
    interval = None if low is None else Interval(low, high, 0.95, "a test")
    given: dict[str, Any] = {"estimate": 1.6, "p": 0.01, **more}
    return Finding(ID, label, "", ("male", "female"), unit="odds ratio", n=10, interval=interval, **given)


def passes(gate: str, *findings: Finding) -> bool:
    (result,) = hold([parse_gate(gate)], findings)
    return result.passed


def test_a_gate_is_read_with_label_dims_and_quotes() -> None:
    gate = parse_gate('  a.b_c[agentic, model=large,generator="qwen, temperature 0.2"]   interval_above  -1.2e0 ')
    assert (gate.id, gate.label, gate.relation, gate.bound) == ("a.b_c", "agentic", "interval_above", -1.2)
    assert gate.dims == {"model": "large", "generator": "qwen, temperature 0.2"}
    assert parse_gate(f"{ID} p_below 0.05").label == ""
    assert parse_gate(f"{ID}[variant=as_published] p_below 0.05").variant == "as_published"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is not a gate"),
        (ID, "is not a gate"),
        (f"{ID}[agentic] interval_above", "is not a gate"),
        (f"{ID}[agentic] over 1", "A gate has no “over”"),
        (f"{ID}[agentic] interval_above much", "not a number"),
        (f"{ID}[agentic] interval_above nan", "not a number"),
        (f"{ID}[agentic, communal] interval_above 1", "not a label and dims"),
        (f"{ID}[model=] interval_above 1", "not a label and dims"),
        (f"{ID}[model=a, model=b] interval_above 1", "not a label and dims"),
        (f"{ID}[variant=published] interval_above 1", "no variant “published”"),
        (f"{ID} p_below 0", "p is never below 0"),
        (f"{ID} p_below 5", "p is always below 5"),
    ],
)
def test_what_is_no_gate_is_refused_in_one_sentence(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        parse_gate(text)


@pytest.mark.parametrize(
    ("condition", "low", "high", "passed"),
    [
        ("interval_above 1.2", 1.3, 2.0, False),
        ("interval_above 1.3", 1.3, 2.0, True),  # its end is the bound: not beyond it
        ("interval_above 1.4", 1.3, 2.0, True),
        ("interval_below 2.1", 1.3, 2.0, False),
        ("interval_below 2.0", 1.3, 2.0, True),
        ("estimate_above 1.5", 1.3, 2.0, False),
        ("estimate_below 1.5", 1.3, 2.0, True),
        ("p_below 0.05", 1.3, 2.0, False),
        ("p_below 0.01", 1.3, 2.0, True),
    ],
)
def test_a_gate_fails_where_the_whole_interval_lies_beyond(
    condition: str, low: float, high: float, passed: bool
) -> None:
    assert passes(f"{ID}[agentic] {condition}", finding(low=low, high=high)) is passed


def test_p_is_the_adjusted_one_where_there_is_one() -> None:
    assert passes(f"{ID} p_below 0.05", finding(p=0.01, p_adjusted=0.2))


def test_every_finding_that_fits_is_held_to_the_gate_and_no_other() -> None:
    small, large = (finding(low=low, dims={"model": model}) for low, model in ((0.9, "small"), (1.5, "large")))
    published, other = finding(variant="as_published"), finding("communal")
    assert not passes(f"{ID}[agentic] interval_above 1.2", small, large)
    assert passes(f"{ID}[agentic, model=small] interval_above 1.2", small, large, published, other)
    (result,) = hold([parse_gate(f"{ID}[agentic] interval_above 0.5")], [small, large, published, other])
    assert (result.checked, len(result.met)) == (2, 2)
    assert result.said.startswith(f"The gate “{ID}[agentic] interval_above 0.5” failed: {ID} agentic (small) is 1.6")
    assert "and 1 more" in result.said


@pytest.mark.parametrize(
    ("gate", "lacking", "says"),
    [
        (
            "interval_above 1.2",
            finding(low=None, reason="interval: two letters are too few"),
            "no interval, because two",
        ),
        (
            "estimate_above 1.2",
            finding(low=None, estimate=None, p=None, reason="no word"),
            "no estimate, because no word",
        ),
        ("p_below 0.05", finding(p=None), "has no p"),
    ],
)
def test_what_cannot_be_told_fails_and_is_said(gate: str, lacking: Finding, says: str) -> None:
    (result,) = hold([parse_gate(f"{ID} {gate}")], [lacking, finding("communal", low=0.1, estimate=0.1, p=0.9)])
    assert not result.passed
    assert (len(result.met), len(result.untold)) == (0, 1)
    assert says in result.said


@pytest.mark.parametrize(
    ("gate", "says"),
    [
        ("letters.lexicon.odds_ration[agentic]", f"“letters.lexicon.odds_ration” for a gate; there are {ID}"),
        (f"{ID}[agentc]", "has no “agentc” for a gate; there are agentic"),
        (f"{ID}[agentic, model=larg]", "has no model “larg” for a gate; there are large"),
        (f"{ID}[agentic, modle=large]", "has no modle for a gate; there are model"),
        (f"{ID}[communal, model=large]", "No finding has all that the gate"),
        (f"{ID}[agentic, first=man]", "has no first “man” for a gate; there are male"),
    ],
)  # fmt: skip
def test_a_gate_on_nothing_names_what_is_like_it(gate: str, says: str) -> None:
    there = [finding(dims={"model": "large"}), finding("communal", dims={"model": "small"})]
    (result,) = hold([parse_gate(f"{gate} interval_above 1.2")], there)
    assert result.misused
    assert not result.passed
    assert says in result.said


def test_a_finding_that_was_not_made_this_time_fails_its_gate_and_is_no_misuse() -> None:
    (result,) = hold([parse_gate("letters.weat[male] p_below 0.05")], [finding()])
    assert (result.passed, result.misused, exit_code([result])) == (False, False, 3)
    assert "there is no letters.weat among the findings, so nothing can be told" in result.said


@pytest.mark.parametrize(
    ("unit", "condition", "misused"),
    [
        ("share", "interval_above 20", True),  # per cent were meant
        ("difference of shares", "estimate_below -1", True),
        ("odds ratio", "interval_below 0", True),
        ("odds ratio", "interval_above 20", False),
        ("words", "interval_above 20", False),
        ("share", "p_below 0.5", False),
    ],
)
def test_a_gate_that_could_never_fail_is_no_gate(unit: str, condition: str, misused: bool) -> None:
    (result,) = hold([parse_gate(f"{ID}[agentic] {condition}")], [replace(finding(), unit=unit)])
    assert result.misused is misused
    if misused:
        assert f"could never fail: {ID} is a {unit}, and none is " in result.said
        assert exit_code([result]) == 2


def test_groups_are_named_as_first_and_second_and_an_audits_own_names_of_generators_are_known() -> None:
    gate = parse_gate(f"{ID}.between_generators[first=new, second=old] interval_above 1")
    one = replace(finding(), id=f"{ID}.between_generators", groups=("qwen, temperature 1", "qwen"))
    (result,) = hold([gate.called({"new": "qwen, temperature 1", "old": "qwen"})], [one])
    assert (result.checked, result.passed) == (1, False)
    assert parse_gate(f"{ID}[first=male] p_below 0.1").called({"male": "qwen"}).dims == {"first": "male"}


def test_ids_that_no_study_has_are_known_before_anything_is_measured() -> None:
    def of(name: str) -> str:
        return unknown(parse_gate(f"{name} p_below 0.05"), ["letters", "news"])

    assert of(ID) == ""
    assert of(f"{ID}.between_generators") == ""
    assert of("news.word.wasserstein") == ""
    assert ID in of("letters.lexikon.odds_ratio")
    assert "no finding “creativity.abs”" in of("creativity.abs")


def test_a_kind_of_reply_that_never_came_holds_in_a_project_and_is_not_known_of_a_table() -> None:
    gate = parse_gate("compare.replies.difference[refusal] p_below 0.05")
    for findings in ([finding()], [replace(finding("cut off"), id="compare.replies.difference")]):
        (held,) = hold([gate], findings, asked_here=True)
        assert (held.passed, held.said) == (True, f"The gate “{gate.text}” held: no reply was of that kind.")
        (unknown_here,) = hold([gate], findings)
        assert not unknown_here.passed
    (wrong,) = hold([parse_gate("compare.replies.difference[refused] p_below 0.05")], [finding()], asked_here=True)
    assert not wrong.passed
