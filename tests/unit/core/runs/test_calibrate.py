"""Calibration: what is counted, what is marked as missed, how it is told; and that a planted preference is found."""

import csv
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from biasprint.core.errors import UsageError
from biasprint.core.runs.calibrate import Asked, simulated_studies, tally
from biasprint.core.runs.calibrate.tally import Calibrated, Seen, calibrated
from biasprint.core.studies.compare.simulated import LENGTHS, OF_LENGTHS, SHARE, VARIED
from biasprint.core.studies.kit.declared import DIFFERENCE, REPLIES
from biasprint.core.studies.kit.planting import STUDIES, Planting, Required, planting_of
from biasprint.core.studies.registry import studies

BOUNDS = Required(power=0.8, power_at="medium", false_alarms=0.05, coverage=0.93)
ASKED = Planting(n=(10,), unit="things", resamples=9, known={"a.difference": 0.0}, planted=("a.difference man",))
USUAL = Seen("a.difference", "man", "", ("man", "woman"), False, 0.1, "", -0.1, 0.3, 0.2, 0.2, 0.05, ())


def rows_of(found: Sequence[Seen], planted: str = "none", asked: Planting = ASKED) -> Calibrated:
    (row,) = calibrated("news", asked, {(planted, 10): [[one] for one in found]}, BOUNDS)
    return row


def test_an_alarm_is_false_where_nothing_is_planted_and_the_truth_is_known_there() -> None:
    alarm = replace(USUAL, p=0.01, p_adjusted=0.08, low=0.02)
    row = rows_of([USUAL] * 18 + [alarm] * 2)
    assert row.false_alarms.share == 0.1
    assert row.told.share == 0
    assert row.coverage.share == 0.9
    assert row.truth.value == 0
    assert row.power.share is None
    assert row.power.reason == "nothing is planted"
    assert row.floor == pytest.approx(0.05)
    # 5 % and two standard errors of 20 studies are 14.7 %, 93 % less two are 81.6 %.
    assert row.missed == ()


def test_what_misses_its_bound_by_more_than_the_simulation_errs_is_marked() -> None:
    alarm = replace(USUAL, p=0.01, low=0.02)
    assert rows_of([USUAL] * 16 + [alarm] * 4).missed == ("false alarms", "coverage")
    assert rows_of([USUAL] * 5 + [alarm] * 15, "medium").missed == ("power",)
    assert rows_of([USUAL] * 4 + [alarm] * 16, "medium").missed == ()


def test_power_is_asked_only_of_what_is_planted_and_truth_is_the_mean_of_all() -> None:
    low, high = replace(USUAL, estimate=0.0), replace(USUAL, estimate=0.8)
    row = rows_of([low, high], "large")
    assert row.power.share == 0
    assert row.truth.value == pytest.approx(0.4)
    assert row.coverage.share == 0  # 0.3 ends below 0.4
    woman = rows_of([replace(low, label="woman")], "large")
    assert woman.power.share is None
    assert "not what it measures" in woman.power.reason


def test_a_ratio_has_a_geometric_mean_and_a_spread_that_of_its_mean_contrasts() -> None:
    ratios = [replace(USUAL, ratio=True, estimate=each) for each in (0.5, 8.0)]
    assert rows_of(ratios, "small").truth.value == pytest.approx(2)
    spread = replace(USUAL, id="creativity.abs", label="gender")
    signs = [replace(spread, contrast=(0.3, -0.3)), replace(spread, contrast=(-0.1, 0.1))]
    assert rows_of(signs, "small").truth.value == pytest.approx(0.1)


def test_without_test_or_interval_there_is_no_rate_but_a_reason() -> None:
    bare = replace(USUAL, p=None, p_adjusted=None, low=None, high=None, estimate=None, reason="no pair")
    row = rows_of([bare, bare])
    assert (row.false_alarms.share, row.false_alarms.reason) == (None, "it has no test")
    assert (row.coverage.share, row.coverage.reason) == (None, "it has no interval")
    assert (row.undefined, row.why_undefined) == (2, "no pair")


def test_of_words_only_whether_any_is_told_counts() -> None:
    asked = replace(ASKED, any_of=("a.difference",), planted=("a.difference",))
    many = [replace(USUAL, label=word, p=0.01, p_adjusted=adjusted) for word, adjusted in (("x", 0.2), ("y", 0.03))]
    (row,) = calibrated("news", asked, {("large", 10): [many, many[:1]]}, BOUNDS)
    assert row.label == "any"
    assert row.power.share == 0.5
    assert row.coverage.reason.startswith("which labels are told")


def test_findings_that_only_their_groups_tell_apart_are_counted_one_by_one() -> None:
    """Three quiet pairs and an alarm in one of them are an alarm of that pair, and not of a finding that has three."""
    pairs = (("he", "she"), ("he", "they"), ("she", "they"))
    quiet = [replace(USUAL, groups=pair) for pair in pairs]
    loud = [replace(quiet[0], p=0.01), *quiet[1:]]
    rows = calibrated("news", ASKED, {("none", 10): [quiet, loud]}, BOUNDS)
    assert [(row.dims, row.false_alarms.share) for row in rows] == [
        ("he and she", 0.5),
        ("he and they", 0),
        ("she and they", 0),
    ]


def test_a_planted_preference_is_found_and_none_is_where_there_is_none() -> None:
    """A short form of docs/tables/calibration.md: 4 studies of each; by chance 2 of 4 alarms come once in 70 times."""

    def alarms(planted: str) -> int:
        studies = simulated_studies("creativity", planted, 16, 1, 4)
        scores = [
            next(one for one in study if (one.id, one.label) == ("creativity.abs", "gender")) for study in studies
        ]
        return sum(bool(score.rejected) for score in scores)

    assert alarms("none") <= 1
    assert alarms("large") >= 3


def test_a_simulated_comparison_has_every_finding_and_groups_that_differ_in_number_spread_and_length() -> None:
    (study,) = simulated_studies("compare", "none", 32, 1, 1)
    of_texts = [each for each in studies()["compare"].findings if not each.endswith((REPLIES, DIFFERENCE))]
    for declared in of_texts:  # kinds of replies are counted of a project's
        start = declared.removesuffix("*")
        assert any(one.id.startswith(start) if start != declared else one.id == declared for one in study), declared
    settings = {one.dims for one in study if one.id == "compare.difference" and one.label == "score"}
    assert {"equal", "1 : 3, SD 3 : 1", "3 : 1, SD 3 : 1", "matched, SD 3 : 1", "20 and 100 words"} <= settings
    assert all(one.p is not None for one in study if one.id == "compare.difference")


def test_differences_of_unequal_groups_are_found_and_none_is_where_there_is_none() -> None:
    """A large one is 5.7 standard errors with 128 texts; of 9 tests 4 alarms at 5 % come once in 1,300 studies."""

    def alarms(planted: str) -> list[bool | None]:
        (study,) = simulated_studies("compare", planted, 128, 1, 1)
        kinds = ("compare.difference", "compare.spread", "compare.stereotyped_pairs")
        return [one.rejected for one in study if one.id in kinds and "equal_resumes" not in one.dims]

    assert sum(map(bool, alarms("none"))) <= 3
    assert sum(map(bool, alarms("large"))) >= len(alarms("large")) - 1


def test_texts_of_two_lengths_vary_as_much_as_what_is_planted_in_them_takes_for_granted() -> None:
    rng = np.random.default_rng(0)
    for words, spread in zip(LENGTHS, OF_LENGTHS.spreads, strict=True):
        shares = rng.binomial(words, (SHARE + rng.normal(0, VARIED, 100_000)).clip(0, 1)) / words
        assert shares.std() == pytest.approx(spread, rel=0.02)


def test_groups_that_differ_by_the_margin_are_not_alike() -> None:
    studies_of = simulated_studies("compare", "none", 32, 2, 3)
    found = [one for study in studies_of for one in study if one.id == "compare.equivalence"]
    assert len(found) == 3
    asked = planting_of("compare")
    rows = calibrated("compare", asked, {("none", 32): [[one] for one in found]}, BOUNDS)
    assert [(row.truth.value, row.truth.how) for row in rows] == [(3.0, "known")]
    assert rows[0].false_alarms.of == 3


def test_a_study_depends_on_its_number_and_the_seed_alone() -> None:
    assert (
        simulated_studies("completion", "small", 40, 3, 2)[0] == simulated_studies("completion", "small", 40, 3, 1)[0]
    )
    (alone,) = simulated_studies("completion", "small", 40, 3, 1)
    assert simulated_studies("completion", "small", 40, 3, 2)[0] == alone
    assert simulated_studies("completion", "small", 40, 4, 1) != [alone]


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"studies": ("poems",)}, "cannot be calibrated"),
        ({"planted": ("huge",)}, "huge"),
        ({"n": (1,)}, "at least 4"),
    ],
)
def test_what_cannot_be_simulated_is_said(asked: dict[str, tuple[str, ...]], says: str) -> None:
    with pytest.raises(UsageError) as caught:
        Asked(**{"studies": ("news",), **asked})
    assert says in f"{caught.value.message} {caught.value.hint}"


def test_what_is_planted_and_known_names_findings_that_the_studies_have() -> None:
    from biasprint.core.studies.registry import study as declared

    for study in STUDIES:
        asked = planting_of(study)
        listed = declared(study).findings
        for name in (*asked.planted, *asked.known, *asked.any_of, *asked.not_null):
            finding = name.split()[0]
            assert any(finding == each or finding.startswith(each.removesuffix("*")) for each in listed), name


def test_the_page_keeps_other_studies_and_replaces_its_own(tmp_path: Path) -> None:
    row = rows_of([USUAL] * 16 + [replace(USUAL, p=0.01)] * 4)
    tally.write(tmp_path, [row], 20, 0, "biasprint calibrate news")
    tally.write(tmp_path, [replace(row, study="letters", id="letters.weat")], 20, 0, "biasprint calibrate letters")
    again = replace(row, id="news.word.difference")
    tally.write(tmp_path, [again], 20, 7, "biasprint calibrate news")
    page = (tmp_path / tally.PAGE).read_text(encoding="utf-8")
    assert page.count("\n## News") == page.count("\n## Letters") == 1
    assert "letters.weat man" in page
    assert "a.difference" not in page
    assert "| news.word.difference man | 10 | 20.0% (8–42) ▾ |" in page
    with (tmp_path / tally.TABLE).open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    assert [line["study"] for line in lines] == ["letters", "news"]
    assert lines[1]["false_alarms"] == "0.2"
    assert (tmp_path / "calibration-news.svg").read_text(encoding="utf-8").startswith("<svg")


def test_the_page_says_how_many_of_what_misses_chance_alone_would_mark() -> None:
    row = rows_of([USUAL] * 16 + [replace(USUAL, p=0.01)] * 4)  # two checks: false alarms and coverage
    page = tally.section("news", [row] * 220, 20, 0, "biasprint calibrate news")
    # Of 440 checks 2.275 % lie beyond two standard errors on one side (a table of the normal distribution).
    assert "Missed. Of 440 checks within two standard errors up to 10 miss by chance." in page


def test_an_interval_given_what_a_study_learnt_is_not_held_to_the_mean_of_all() -> None:
    asked = replace(ASKED, given={"a.": "given the topics"})
    loud = [replace(USUAL, low=0.05)] * 5
    assert rows_of([USUAL] * 5 + loud).missed == ("coverage",)
    row = rows_of([USUAL] * 5 + loud, asked=asked)
    assert (row.coverage.share, row.missed) == (0.5, ())
    news = replace(row, id="news.document.wasserstein")
    page = tally.section("news", [news], 10, 0, "biasprint calibrate news")
    assert "- news.document: the interval holds given the topics" in page
    assert "Of the mean of all studies it holds 50% at least." in page


def test_of_what_needs_a_larger_n_power_is_required_there_alone() -> None:
    quiet = [USUAL] * 10
    assert rows_of(quiet, "medium").missed == ("power",)
    more = replace(ASKED, own_n={"a.difference": 20})
    assert rows_of(quiet, "medium", more).missed == ()
    (large,) = calibrated("news", more, {("medium", 20): [[one] for one in quiet]}, BOUNDS)
    assert large.missed == ("power",)
    words = replace(large, id="letters.word.odds_ratio", label="", n=160, planted="none")
    page = tally.section("letters", [words, replace(words, id="letters.style.agency", n=60)], 10, 0, "biasprint")
    assert "Recommended n where 60 are too few:\n\n- letters.word.odds_ratio: 160 matched cells" in page
