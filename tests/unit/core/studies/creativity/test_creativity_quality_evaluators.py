"""People and models on the same comparisons: Kumar et al.'s Figure 6 and Table 3."""

import json
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from scipy.stats import binomtest, ttest_rel
from statsmodels.stats.proportion import proportion_confint

from biasprint.core.findings import Finding, StudyResult
from biasprint.core.metrics.result import holm
from biasprint.core.studies.creativity.agreement import (
    AGAINST,
    ALL,
    NOBODY,
    ONE,
    SEVERAL,
    SPLIT,
    TURNED,
    class_of,
    classes_for,
    common_choices,
    sorted_by_agreement,
)
from biasprint.core.studies.creativity.choices import JudgmentTable
from biasprint.core.studies.creativity.judgments import measure_judgments

RACE = ("white", "black", "asian")
W, B, A = RACE
Said = Mapping[str, Sequence[str]]


def judged(people: Said, models: Said) -> JudgmentTable:
    """Each one's choice in comparisons c0, c1, …; "" was never shown, "a b c" is what a model said in three orders."""
    rows = []
    for kind, said in (("person", people), ("model", models)):
        for rater, choices in said.items():
            for number, chosen in enumerate(choices):
                orders = [chosen] * (3 if kind == "model" else 1) if " " not in chosen else chosen.split()
                for turn, one in enumerate(orders if chosen else []):
                    outcome = "choice" if one in RACE else one
                    rows.append((f"c{number}", rater, RACE[turn:] + RACE[:turn], outcome, one, kind))
    comparison, rater, shown, outcome, chosen, kind = zip(*rows, strict=True)
    return JudgmentTable(
        comparison=comparison,
        rater=rater,
        axis=("race",) * len(rows),
        shown=shown,
        outcome=outcome,
        chosen=tuple(one if one in RACE else "" for one in chosen),
        rater_kind=kind,
    )


def measured(people: Said, models: Said) -> StudyResult:
    result = measure_judgments(judged(people, models), axes={"race": RACE}, resamples=400, parts=True)
    json.dumps(result.to_json(), allow_nan=False)
    return result


def of(result: StudyResult, name: str, **dims: str) -> dict[str, Finding]:
    wanted = {"axis": "race", **dims}
    found = [one for one in result.findings if one.id == f"creativity.agreement.{name}" and dict(one.dims) == wanted]
    assert len({one.label for one in found}) == len(found)
    return {one.label: one for one in found}


def drawn(seed: int, shares: Sequence[float] = (1 / 3, 1 / 3, 1 / 3), n: int = 30) -> list[str]:
    return np.random.default_rng(seed).choice(RACE, p=shares, size=n).tolist()


PEOPLE = {"R01": drawn(1, (0.6, 0.2, 0.2)), "R02": drawn(2, (0.5, 0.3, 0.2)), "R03": drawn(3)}
MODELS = {"large": drawn(4, (0.2, 0.2, 0.6)), "small": drawn(5)}


def test_everyone_is_measured_on_the_comparisons_that_all_judged() -> None:
    """R01 never saw c0 to c4, and the large model could not choose in c5: 24 comparisons are left."""
    people = {**PEOPLE, "R01": [""] * 5 + PEOPLE["R01"][5:]}
    models = {**MODELS, "large": [*MODELS["large"][:5], "tie", *MODELS["large"][6:]]}
    result = measured(people, models)
    for rater, said in {**PEOPLE, **MODELS}.items():
        shares = of(result, "common.share", rater=rater)
        counted = [said[6:].count(identity) / 24 for identity in RACE]
        assert [shares[identity].estimate for identity in RACE] == pytest.approx(counted)
        assert of(result, "common.abs", rater=rater)["race"].estimate == pytest.approx(np.std(counted))
    together = [one for rater in PEOPLE for one in PEOPLE[rater][6:]]
    pooled = of(result, "common.share", rater_kind="person")
    assert pooled[W].estimate == pytest.approx(together.count(W) / 72)
    assert pooled[W].dropped == {"comparison not judged by all of them": 6}
    assert "24 comparisons in which every person and every model chose" in pooled[W].note


def test_people_less_a_model_is_paired_by_comparison() -> None:
    result = measured(PEOPLE, MODELS)
    p_values = []
    for model in MODELS:
        found = of(result, "common.difference", rater=model)
        for identity in RACE:
            of_people = np.mean([[one == identity for one in said] for said in PEOPLE.values()], axis=0)
            of_model = np.array([one == identity for one in MODELS[model]], dtype=float)
            test = ttest_rel(of_people, of_model)
            bounds = test.confidence_interval()
            assert found[identity].estimate == pytest.approx(of_people.mean() - of_model.mean())
            interval = found[identity].interval
            assert interval is not None
            assert (interval.low, interval.high) == pytest.approx((bounds.low, bounds.high))
            assert found[identity].p == pytest.approx(test.pvalue)
            assert found[identity].groups == ("people", model)
            p_values.append(found[identity].p)
    adjusted = [
        of(result, "common.difference", rater=model)[identity].p_adjusted for model in MODELS for identity in RACE
    ]
    assert adjusted == pytest.approx(holm(p_values))


def test_a_model_that_turns_with_the_order_has_an_averaged_choice_but_no_answer() -> None:
    models = {"large": [f"{W} {W} {B}", *MODELS["large"][1:]]}
    result = measured(PEOPLE, models)
    rest = MODELS["large"][1:]
    assert of(result, "common.share", rater="large")[W].estimate == pytest.approx((rest.count(W) + 2 / 3) / 30)
    kappa = of(result, "people_model", rater="large")["large"]
    assert kappa.dropped[TURNED] == 1


def kappa_by_hand(first: Sequence[str], second: Sequence[str]) -> float:
    observed = np.mean([one == other for one, other in zip(first, second, strict=True)])
    expected = sum(first.count(each) * second.count(each) for each in RACE) / len(first) ** 2
    return float((observed - expected) / (1 - expected))


def test_one_person_against_one_model_is_mcnemar() -> None:
    found = of(measured({"R01": PEOPLE["R01"]}, {"large": MODELS["large"]}), "common.difference", rater="large")
    for identity in RACE:
        only_person = sum(a == identity != b for a, b in zip(PEOPLE["R01"], MODELS["large"], strict=True))
        only_model = sum(b == identity != a for a, b in zip(PEOPLE["R01"], MODELS["large"], strict=True))
        assert found[identity].estimate == pytest.approx((only_person - only_model) / 30)
        expected = binomtest(only_person, only_person + only_model, 0.5).pvalue
        assert found[identity].p == pytest.approx(min(1.0, expected))
        assert "McNemar" in found[identity].note


def test_kappa_of_peoples_majority_and_each_model() -> None:
    result = measured(PEOPLE, MODELS)
    votes = list(zip(*PEOPLE.values(), strict=True))
    clear = [place for place, vote in enumerate(votes) if len(set(vote)) < 3]
    majority = [max(set(votes[place]), key=votes[place].count) for place in clear]
    for model, said in MODELS.items():
        found = of(result, "people_model", rater=model)[model]
        assert found.estimate == pytest.approx(kappa_by_hand(majority, [said[place] for place in clear]))
        assert found.n == len(clear)
        assert found.dropped == {SPLIT: 30 - len(clear)}
        assert found.interval is not None


@pytest.mark.parametrize(
    ("people", "models", "expected"),
    [
        (W, (W, W, W), ALL),
        (W, (B, B, B), AGAINST),
        (W, (B, W, A), ONE),
        (W, (W, W, B), SEVERAL),
        (W, (B, A, A), NOBODY),
        (W, (W, B), ONE),
        (W, (B,), AGAINST),
        (W, (W,), ALL),
    ],
)
def test_the_papers_classes(people: str, models: tuple[str, ...], expected: str) -> None:
    assert class_of(people, models) == expected
    assert expected in classes_for(len(models), 3)


def test_only_classes_that_can_be_are_told() -> None:
    assert classes_for(1, 3) == (ALL, AGAINST)
    assert classes_for(2, 2) == (ALL, AGAINST, ONE)
    assert classes_for(3, 3) == (ALL, AGAINST, ONE, SEVERAL, NOBODY)


def test_comparisons_are_sorted_by_who_agreed_as_in_table_three() -> None:
    """The paper's three rows, then one of each other class, one split and one that turns."""
    people = {"R01": [B, W, A, W, W, W, W], "R02": [B, W, A, W, W, B, W], "R03": [B, A, A, B, W, A, W]}
    models = {
        "GPT-4": [B, B, B, W, B, W, f"{W} {B} {W}"],
        "Mixtral": [B, B, A, W, A, W, W],
        "LLaMA-2": [B, B, B, B, A, W, W],
    }
    result = measured(people, models)
    found = of(result, "classes")
    assert list(found) == [ALL, AGAINST, ONE, SEVERAL, NOBODY]
    for one in found.values():
        assert (one.estimate, one.n) == (pytest.approx(1 / 5), 5)
        assert one.dropped == {SPLIT: 1, TURNED: 1}
        assert one.interval is not None
        assert (one.interval.low, one.interval.high) == pytest.approx(proportion_confint(1, 5, method="wilson"))
    assert found[ONE].note == "Which one: Mixtral 1."
    common = common_choices(judged(people, models), "race", RACE)
    assert common is not None
    lines, _ = sorted_by_agreement(common)
    assert [(one.unit[1], one.people, one.who) for one in lines] == [
        ("c0", B, ALL), ("c1", W, AGAINST), ("c2", A, ONE), ("c3", W, SEVERAL), ("c4", W, NOBODY),
    ]  # fmt: skip


def test_raters_of_different_comparisons_are_people_together() -> None:
    """Two people who judged no comparison in common: people as a whole stand beside the model, no single one."""
    people = {"R01": PEOPLE["R01"][:15] + [""] * 15, "R02": [""] * 15 + PEOPLE["R02"][15:]}
    result = measured(people, {"large": MODELS["large"]})
    pooled = of(result, "common.share", rater_kind="person")[W]
    assert pooled.estimate == pytest.approx((PEOPLE["R01"][:15] + PEOPLE["R02"][15:]).count(W) / 30)
    assert of(result, "common.share", rater="R01") == {}
    assert "at least one person and every model chose" in pooled.note


def test_nothing_in_common_says_so() -> None:
    people = {"R01": PEOPLE["R01"][:10] + [""] * 20}
    result = measured(people, {"large": [""] * 10 + MODELS["large"][10:]})
    shares = of(result, "common.share", rater_kind="person")
    assert {one.estimate for one in shares.values()} == {None}
    difference = of(result, "common.difference", rater="large")[W]
    assert (difference.estimate, difference.reason) == (None, "no comparison in which people and every model chose")
    assert of(result, "classes")[ALL].estimate is None
    assert of(result, "people_model", rater="large")["large"].estimate is None


@pytest.mark.parametrize(("people", "models"), [(PEOPLE, {}), ({}, MODELS)])
def test_one_kind_alone_has_nobody_beside_it(people: Said, models: Said) -> None:
    result = measured(people, models)
    beside = ("creativity.agreement.common", "creativity.agreement.people_model", "creativity.agreement.classes")
    assert not any(one.id.startswith(beside) for one in result.findings)
    assert any(one.id.startswith("creativity.quality") for one in result.findings) == bool(people)
