"""Degrees, confidence and marked words as findings, each against a computation of its own: statsmodels, or by hand."""

from collections.abc import Sequence
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pytest
from packet_files import coordinator, finished, judging, make, merge
from scipy.stats import binomtest
from statsmodels.regression.linear_model import OLS

from biasprint.core.errors import AppError
from biasprint.core.findings import Finding
from biasprint.core.judging.session import offer_plans, open_session
from biasprint.core.judging.work import mark_words, record_choice, record_confidence
from biasprint.core.metrics.proportions import wilson
from biasprint.core.project.project import Project
from biasprint.core.studies.creativity.choices import JudgmentTable
from biasprint.core.studies.creativity.columns import judgment_columns, judgment_table_columns
from biasprint.core.studies.creativity.degrees import confidence_of, marked_f1, marked_of
from biasprint.core.studies.creativity.figures import figures
from biasprint.core.studies.creativity.judgments import measure_judgments
from biasprint.core.tables.rows import Record

TWO, THREE = ("man", "woman"), ("man", "woman", "non-binary")
Answer = tuple[str, str, str, str, int]  # comparison, rater, chosen ("" for a tie), degree, confidence


def drawn(raters: int, comparisons: int, identities: Sequence[str] = TWO, seed: int = 5) -> list[Answer]:
    """Answers that lean to the first identity, raters and comparisons each in their own way."""
    chance = np.random.default_rng(seed)
    texts, people = chance.normal(0, 0.6, comparisons), chance.normal(0, 0.6, raters)
    answers = []
    for comparison in range(comparisons):
        for rater in range(raters):
            lean = 0.5 + texts[comparison] + people[rater] + chance.normal()
            chosen = "" if abs(lean) < 0.3 else identities[0 if lean > 0 else 1 + comparison % (len(identities) - 1)]
            degree = "much" if abs(lean) > 1.2 else "slightly"
            confidence = int(min(3, 1 + abs(lean) * 1.5))
            answers.append((f"c{comparison}", f"R{rater}", chosen, degree if chosen else "equal", confidence))
    return answers


def table(answers: Sequence[Answer], identities: Sequence[str] = TWO, **more: tuple) -> JudgmentTable:
    return JudgmentTable(
        comparison=tuple(answer[0] for answer in answers),
        rater=tuple(answer[1] for answer in answers),
        axis=("gender",) * len(answers),
        shown=(tuple(identities),) * len(answers),
        outcome=tuple("choice" if answer[2] else "tie" for answer in answers),
        chosen=tuple(answer[2] for answer in answers),
        degree=tuple(answer[3] for answer in answers),
        confidence=tuple(answer[4] for answer in answers),
        **more,
    )


def measured(judged: JudgmentTable, identities: Sequence[str] = TWO) -> list[Finding]:
    return list(measure_judgments(judged, axes={"gender": identities}, parts=True, resamples=200).findings)


def one(findings: Sequence[Finding], finding_id: str, label: str) -> Finding:
    (finding,) = [each for each in findings if (each.id, each.label) == (finding_id, label)]
    return finding


def values(answers: Sequence[Answer], identity: str, k: int) -> np.ndarray:
    """As declared: d for a choice of the identity, −d/(k − 1) for another, 0 for a tie."""
    steps = {"slightly": 1.0, "much": 2.0, "equal": 0.0}
    return np.array([steps[each[3]] * (1.0 if each[2] == identity else -1 / (k - 1)) for each in answers])


@pytest.mark.parametrize("raters", [1, 3])
def test_the_mean_degree_of_few_raters_is_that_of_statsmodels_clustered_by_comparison(raters: int):
    answers = drawn(raters, 40)
    finding = one(measured(table(answers)), "creativity.degree.preference", "man")
    y, groups = values(answers, "man", 2), np.array([int(each[0][1:]) for each in answers])
    fit = OLS(y, np.ones(len(y))).fit(cov_type="cluster", cov_kwds={"groups": groups}, use_t=True)
    low, high = fit.conf_int()[0]
    assert finding.estimate == pytest.approx(y.mean())
    assert finding.interval is not None
    assert (finding.interval.low, finding.interval.high) == pytest.approx((low, high))
    assert finding.p == pytest.approx(fit.pvalues[0])
    assert (finding.n, finding.unit) == (len(answers), "degree, −2 to 2")


def test_with_five_raters_they_are_units_beside_the_comparisons():
    answers = drawn(8, 30)
    finding = one(measured(table(answers)), "creativity.degree.preference", "man")
    y = values(answers, "man", 2)
    residuals, n = y - y.mean(), len(y)
    total = 0.0
    for place in (0, 1):  # CR2 of a mean: Σ S_g² / (1 − m_g/n), crossed: both less what both hold
        for group in {each[place] for each in answers}:
            own = np.array([each[place] == group for each in answers])
            total += residuals[own].sum() ** 2 / (1 - own.sum() / n)
    error = np.sqrt(total - (residuals**2).sum()) / n
    assert finding.interval is not None
    half = (finding.interval.high - finding.interval.low) / 2
    assert finding.estimate == pytest.approx(y.mean())
    assert 1.9 < half / error < 3.2, "Student's quantile with at most 7 degrees of freedom"
    narrow = OLS(y, np.ones(n)).fit(cov_type="cluster", cov_kwds={"groups": [each[0] for each in answers]}, use_t=True)
    assert half > narrow.conf_int()[0][1] - y.mean(), "raters differ, and the interval knows"


def test_the_means_of_two_mirror_and_of_three_add_up_to_nothing():
    findings = measured(table(drawn(3, 20)))
    one_side, other = (one(findings, "creativity.degree.preference", name) for name in TWO)
    assert one_side.estimate == pytest.approx(-other.estimate)
    answers = drawn(3, 21, THREE)
    of_three = [one(measured(table(answers, THREE), THREE), "creativity.degree.preference", name) for name in THREE]
    assert sum(each.estimate for each in of_three) == pytest.approx(0)
    for name, each in zip(THREE, of_three, strict=True):
        assert each.estimate == pytest.approx(values(answers, name, 3).mean())


def test_the_share_much_better_is_of_the_choices_of_an_identity():
    answers = [
        (f"c{n}", "R1", "man" if n < 12 else "woman", "much" if n % 3 == 0 else "slightly", 0) for n in range(20)
    ]
    findings = measured(table(answers))
    man, woman = (one(findings, "creativity.degree.much", name) for name in TWO)
    assert (man.estimate, man.n, woman.estimate, woman.n) == (4 / 12, 12, 3 / 8, 8)
    bounds = wilson(4, 12)
    assert bounds is not None
    assert man.interval is not None
    assert (man.interval.low, man.interval.high) == pytest.approx((bounds.low, bounds.high))


def test_an_identity_that_was_never_chosen_has_no_share_and_says_why():
    answers = [(f"c{n}", "R1", "man", "much", 0) for n in range(6)]
    finding = one(measured(table(answers)), "creativity.degree.much", "woman")
    assert (finding.estimate, finding.reason, finding.n) == (None, "it was never chosen with a degree", 0)


def test_a_graded_choice_is_a_choice_and_nothing_else_changes():
    answers = drawn(3, 20)
    plain = JudgmentTable(**{
        name: getattr(table(answers), name) for name in ("comparison", "rater", "axis", "shown", "outcome", "chosen")
    })  # fmt: skip
    ids = {"creativity.degree", "creativity.confidence", "creativity.agreement.degrees"}
    with_degrees = [each for each in measured(table(answers)) if not each.id.startswith(tuple(ids))]
    assert with_degrees == measured(plain)


def ordinal_alpha(ratings: Sequence[Sequence[int]]) -> float:
    """α over all pairs of values, one by one: Krippendorff 2011, with the ordinal difference of two categories."""
    units = [unit for unit in ratings if len(unit) > 1]
    every = [value for unit in units for value in unit]
    frequency = {value: every.count(value) for value in sorted(set(every))}

    def squared(first: int, second: int) -> float:
        low, high = sorted((first, second))
        between = sum(count for value, count in frequency.items() if low <= value <= high)
        return (between - (frequency[first] + frequency[second]) / 2) ** 2

    seen = sum(sum(squared(*pair) for pair in permutations(unit, 2)) / (len(unit) - 1) for unit in units) / len(every)
    chance = sum(squared(a, b) for a, b in permutations(every, 2)) / (len(every) * (len(every) - 1))
    return 1 - seen / chance


def test_agreement_on_degrees_is_ordinal_alpha_pair_by_pair():
    answers = drawn(4, 25)
    finding = one(measured(table(answers)), "creativity.agreement.degrees", "gender")
    by_unit: dict[str, list[int]] = {}
    for answer, value in zip(answers, values(answers, "man", 2), strict=True):
        by_unit.setdefault(answer[0], []).append(int(value))
    assert finding.estimate == pytest.approx(ordinal_alpha(list(by_unit.values())))
    assert finding.interval is not None
    assert finding.interval.low < finding.estimate < finding.interval.high
    assert finding.n == 25


def test_of_three_identities_each_has_an_order_of_degrees():
    answers = drawn(3, 24, THREE)
    findings = measured(table(answers, THREE), THREE)
    for name in THREE:
        by_unit: dict[str, list[int]] = {}
        for each in answers:
            step = {"much": 2, "slightly": 1, "equal": 0}[each[3]]
            by_unit.setdefault(each[0], []).append(step if each[2] == name else -step)
        finding = one(findings, "creativity.agreement.degrees", name)
        assert finding.estimate == pytest.approx(ordinal_alpha(list(by_unit.values())))


def test_one_rater_agrees_with_nobody():
    finding = one(measured(table(drawn(1, 10))), "creativity.agreement.degrees", "gender")
    assert (finding.estimate, finding.reason) == (None, "only one rater answered so")


def test_confidence_by_level_and_the_choices_that_raters_were_sure_of():
    answers = [
        (f"c{n}", "R1", "man" if n % 4 else "woman", "much", (3, 3, 2, 1, 0)[n % 5]) for n in range(40)
    ]  # fmt: skip
    findings = measured(table(answers))
    levels = {each.label: each for each in findings if each.id == "creativity.confidence.level"}
    assert {name: (each.estimate, each.n) for name, each in levels.items()} == {
        "a guess": (8 / 32, 32), "fairly sure": (8 / 32, 32), "sure": (16 / 32, 32),
    }  # fmt: skip
    assert levels["sure"].dropped == {"no confidence given": 8}
    sure = [each[2] for each in answers if each[4] == 3]
    finding = one(findings, "creativity.confidence.share", "man")
    assert (finding.estimate, finding.n) == (sure.count("man") / len(sure), len(sure))
    bounds = wilson(sure.count("man"), len(sure))
    assert bounds is not None
    assert finding.interval is not None
    assert finding.interval.high == pytest.approx(bounds.high)
    assert binomtest(12, 16).pvalue > 0.05
    assert finding.interval.low == 0.5, "Wilson's lower end is .505: widened to the chance that the exact test leaves"
    assert "Of all 40 choices: 0.750." in finding.note
    assert finding.p is None


def test_f1_of_marked_characters_by_sets():
    first, second = [("man", 2, 10), ("woman", 0, 4)], [("man", 5, 12), ("woman", 2, 3), ("woman", 8, 9)]

    def characters(spans: Sequence[tuple[str, int, int]]) -> set[tuple[str, int]]:
        return {(text, place) for text, start, end in spans for place in range(start, end)}

    a, b = characters(first), characters(second)
    assert marked_f1(first, second) == pytest.approx(2 * len(a & b) / (len(a) + len(b)))
    assert marked_f1(first, [("man", 10, 12)]) == 0


def test_agreement_on_marked_words_is_the_mean_of_pairs_who_both_marked():
    answers = [(f"c{n}", f"R{r}", "man", "much", 0) for n in range(3) for r in range(3)]
    marks = {
        ("c0", "R0"): (("man", 0, 10),), ("c0", "R1"): (("man", 5, 10),), ("c0", "R2"): (("woman", 5, 10),),
        ("c1", "R0"): (("man", 0, 4),), ("c1", "R1"): (("man", 0, 4),), ("c2", "R2"): (("man", 0, 4),),
    }  # fmt: skip
    judged = table(answers, marked=tuple(marks.get((each[0], each[1]), ()) for each in answers))
    finding = one(measured(judged), "creativity.agreement.reasons", "gender")
    of_c0 = [marked_f1(a, b) for a, b in combinations([marks["c0", f"R{r}"] for r in range(3)], 2)]
    assert of_c0 == [pytest.approx(2 / 3), 0, 0]
    assert finding.estimate == pytest.approx((sum(of_c0) + 1) / 4)
    assert (finding.n, finding.dropped) == (2, {"nothing marked": 3, "marked by one rater alone": 1})
    assert "4 pairs" in finding.note


# from a project, and from a table


def test_a_projects_degrees_confidence_and_marks_are_measured_and_exported_alike(tmp_path: Path):
    path = tmp_path / "study.biasprint"
    plan = coordinator(path, comparisons=3, graded=True, confidence=True, spans=True)
    for made in make(path, plan, "R01", "R02"):
        with judging(made.path) as door:
            view = door.ask(open_session, door.ask(offer_plans).result().offers[0].token, made.code).result()
            while view.comparison is not None:
                token = view.comparison.token
                door.ask(mark_words, token, ((0, 0, 4),)).result()
                said = ("tie", None) if view.comparison.ordinal == 2 else ("choice", 0)
                door.ask(record_choice, token, *said, degree="much" if said[1] == 0 else None).result()
                view = door.ask(record_confidence, token, 3).result()
        merge(path, finished(made.path))
    with Project.open(path) as project:
        columns = judgment_columns(project, project.judging.sessions(), compared=True)
    assert sorted(columns["degree"]) == ["equal"] * 2 + ["much"] * 4
    assert columns["confidence"] == [3] * 6
    for shown, marked in zip(columns["shown"], columns["marked"], strict=True):
        assert marked == ((shown[0], 0, 4),)


def record(number: int, **cells: str) -> Record:
    usual = {
        "comparison": f"c{number}", "rater": "R1", "axis": "gender", "shown": "man|woman", "outcome": "choice",
        "chosen": "man",
    }  # fmt: skip
    return Record(number, number, usual | cells)


def test_a_table_says_the_same_as_its_columns():
    columns = judgment_table_columns([
        record(1, degree="Much", confidence="3", spans="[[2, 0, 4], [1, 5, 6], [1, 2, 5]]"),
        record(2, outcome="tie", chosen="", degree="equal"),
    ])  # fmt: skip
    assert columns["degree"] == ["much", "equal"]
    assert columns["confidence"] == [3, 0]
    assert columns["marked"] == [(("man", 2, 6), ("woman", 0, 4)), ()]
    assert not {"degree", "confidence", "marked"} & judgment_table_columns([record(1)]).keys()


@pytest.mark.parametrize(
    ("cells", "sentence"),
    [
        ({"degree": "very"}, "Row 7: “very” is no degree of a choice."),
        ({"degree": "much", "outcome": "tie", "chosen": ""}, None),
        ({"degree": "equal"}, "Row 7: “equal” is no degree of a choice."),
        ({"confidence": "7"}, "Row 7: “7” is no confidence."),
        ({"confidence": "sure"}, "Row 7: “sure” is no confidence."),
        ({"spans": "[[3, 0, 1]]"}, "Row 7: “[[3, 0, 1]]” are no marked words."),
        ({"spans": "[[1, 4, 1]]"}, "Row 7: “[[1, 4, 1]]” are no marked words."),
        ({"spans": "[1, 2]"}, "Row 7: “[1, 2]” are no marked words."),
        ({"spans": "[" * 5000}, "are no marked words."),
        ({"spans": "words"}, "are no marked words."),
    ],
)
def test_nonsense_in_a_table_is_a_sentence_with_its_row(cells: dict[str, str], sentence: str | None):
    if sentence is None:
        sentence = "Row 7: “much” is no degree of a tie."
    with pytest.raises(AppError) as error:
        judgment_table_columns([record(1), record(7, **cells)])
    assert sentence in error.value.message
    assert error.value.kept == "Nothing was measured."


def test_cells_are_read_as_they_are_written():
    assert [confidence_of(cell) for cell in ("", " ", "1", "3")] == [0, 0, 1, 3]
    assert marked_of("", TWO) == ()


def test_agreement_on_degrees_stands_in_the_figure_of_agreement():
    by_key = {each.key: each for each in figures(measured(table(drawn(3, 20))))}
    names = [mark.row for mark in by_key["creativity.agreement"].marks]
    assert "Ordinal α of degrees" in names
    three = figures(measured(table(drawn(3, 20, THREE), THREE), THREE))
    names = [mark.row.lower() for each in three if each.key == "creativity.agreement" for mark in each.marks]
    assert {f"ordinal α of degrees, {name}" for name in ("man", "woman", "non-binary")} <= set(names)
