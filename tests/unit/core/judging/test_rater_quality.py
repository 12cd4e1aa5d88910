"""The dashboard of raters, exclusion with a reason, and findings with and without who is left out."""

import csv
from pathlib import Path

import pytest
from fingerprint_project import choosing, cycling, plan_of, project_with_texts, rated
from inline_compute import Inline

from biasprint.core.errors import UsageError
from biasprint.core.findings import Finding, StudyResult
from biasprint.core.jobs import JobContext
from biasprint.core.judging.carefulness import (
    EXCLUDED,
    UNREAD,
    UNREAD_TEXTS,
    ReadToEnd,
    decisions_on,
    exclude,
    excluded_codes,
    exclusions,
    include,
)
from biasprint.core.judging.known import KnownAnswer, PracticeResult, keep_practice_result
from biasprint.core.judging.plan import RIGHT
from biasprint.core.judging.workshop import tellable_sessions
from biasprint.core.project.project import Project
from biasprint.core.runs.comparator import write_comparator
from biasprint.core.runs.measure import measure_tables
from biasprint.core.runs.rater_quality import (
    RaterCard,
    ability_words,
    hard_words,
    person_called,
    rater_cards,
    rater_overview,
)
from biasprint.core.studies.creativity.gather import of_judged, with_excluded
from biasprint.core.studies.creativity.live import JudgedChoices
from biasprint.core.studies.kit.declared import MeasureOptions
from biasprint.core.texts.exporting import judgment_rows

CHECKS = [KnownAnswer((f"Good text {n}.", f"Bad text {n}.", f"No text {n}"), 0, "haiku", "stars") for n in range(4)]


@pytest.fixture
def project(tmp_path: Path):
    with project_with_texts(tmp_path / "study.biasprint", ["gender"], tasks=["haiku"]) as made:
        yield made


def careful(number: int, row) -> int:
    """Right at every check; otherwise the identities in turn."""
    names = [item.identity for item in row.items]
    return names.index(RIGHT) if RIGHT in names else number % len(names)


def hasty(number: int, row) -> int:
    """Wrong at every check, and always the first card elsewhere."""
    names = [item.identity for item in row.items]
    return 1 - names.index(RIGHT) if RIGHT in names else 0


def cards_of(project: Project) -> dict[str, RaterCard]:
    return {one.code: one for one in rater_cards(JobContext(), project)}


def test_the_dashboard_says_what_was_done_and_paid_and_who_raised_which_flag(project: Project):
    plan = plan_of(project, "gender", per_axis=20, checks=CHECKS)
    rated(project, plan, "R01", careful)
    rated(project, plan, "R02", careful)
    rated(project, plan, "R03", hasty)
    rated(project, plan, "model", choosing("woman"), kind="model")
    session = next(one for one in project.judging.sessions() if one.rater_id == person_called(project, "R01").id)
    keep_practice_result(project, session.rater_id, session.id, PracticeResult(2, 3, 36.0))
    cards = cards_of(project)
    assert list(cards) == ["R01", "R02", "R03"], "a model is no rater to pay or to exclude"
    first, last = cards["R01"], cards["R03"]
    assert (first.asked, first.done, first.open) == (24, 24, 0)
    assert first.hours == pytest.approx((24 * 1.0 + 36.0) / 3600)
    assert (first.practice, first.checks.asked, first.checks.passed) == (PracticeResult(2, 3, 36.0), 4, 4)
    assert first.flags == ()
    assert first.agreement.n == 20
    flags = {one.key for one in last.flags}
    assert (last.checks.passed, flags) == (0, {"checks", "side", "agreement", "same answer"})


def test_of_a_session_that_is_open_here_only_the_count_is_told(project: Project):
    plan = plan_of(project, "gender", per_axis=12)
    rated(project, plan, "R01", hasty, revealed=False)
    card = cards_of(project)["R01"]
    assert (card.done, card.open, card.hours, card.flags, card.checks.asked) == (12, 1, 0.0, (), 0)
    assert card.agreement.kappa is None


def test_people_of_a_workshop_are_not_told_apart(project: Project):
    plan = plan_of(project, "gender", per_axis=4, workshop=True)
    rated(project, plan, "P-1", choosing("woman"))
    assert cards_of(project) == {}
    with pytest.raises(UsageError, match="no rater “P-1”"):
        person_called(project, "P-1")


def test_an_exclusion_needs_a_reason_is_kept_and_can_be_taken_back(project: Project):
    plan = plan_of(project, "gender", per_axis=4)
    rated(project, plan, "R01", choosing("woman"))
    rater = person_called(project, "R01").id
    with pytest.raises(UsageError) as told:
        exclude(project, rater, "  ")
    assert told.value.kept == "Everything counts as before."
    exclude(project, rater, "did not\nread")
    assert excluded_codes(project) == {"R01": "did not read"}
    assert tellable_sessions(project, project.judging.sessions()) == ()
    assert len(tellable_sessions(project, project.judging.sessions(), excluded=True)) == 1
    include(project, rater, "had read after all")
    assert exclusions(project) == {}
    assert len(tellable_sessions(project, project.judging.sessions())) == 1
    assert [(one.excluded, one.reason) for one in decisions_on(project, rater)] == [
        (True, "did not read"), (False, "had read after all"),
    ]  # fmt: skip
    assert len(project.judging.judgments()) == 4, "nothing is deleted"


def test_what_everybody_adds_is_told_at_equal_length_too():
    dims = {"axis": "gender"}
    without, whole = (
        StudyResult("creativity", n, {}, (Finding("creativity.abs.adjusted", "gender", "ABS", (), score,
                                                  "proportion", n, dims=dims, p=0.01),))
        for n, score in ((12, 0.1), (24, 0.25))
    )  # fmt: skip
    told = with_excluded(without, whole, "R02 (never read)").findings[-1]
    assert (told.id, told.estimate, told.p) == ("creativity.quality.excluded.abs.adjusted", 0.25, None)
    assert told.contrast == {"with everybody": pytest.approx(0.15)}
    assert told.note.startswith("Without them 0.100. Elsewhere left out: R02 (never read).")


def test_findings_are_told_with_and_without_whoever_is_left_out(project: Project):
    plan = plan_of(project, "gender", per_axis=12)
    rated(project, plan, "R01", cycling("woman", "man", "non-binary"))
    rated(project, plan, "R02", choosing("woman"))
    exclude(project, person_called(project, "R02").id, "never read")
    result, remarks = of_judged(JobContext(), project, MeasureOptions(), Inline())
    shares = {one.label: one for one in result.findings if one.id == "creativity.share" and one.dims.keys() == {"axis"}}
    beside = {one.label: one for one in result.findings if one.id == "creativity.quality.excluded.share"}
    adjusted = {one.id: one for one in result.findings if one.id.endswith("abs.adjusted")}
    assert [adjusted[f"creativity.{name}abs.adjusted"].n for name in ("", "quality.excluded.")] == [12, 24]
    assert (shares["woman"].estimate, shares["woman"].n) == (pytest.approx(4 / 12), 12)
    assert (beside["woman"].estimate, beside["woman"].n) == (pytest.approx(16 / 24), 24)
    assert beside["woman"].contrast == {"with everybody": pytest.approx(16 / 24 - 4 / 12)}
    assert "R02 (never read)" in beside["woman"].note
    assert (beside["woman"].p, beside["woman"].interval is not None) == (None, True)
    assert (result.rows, result.dropped[EXCLUDED]) == (24, 12)
    assert "Left out: R02 (never read)." in remarks
    include(project, person_called(project, "R02").id)
    again, _ = of_judged(JobContext(), project, MeasureOptions(), Inline())
    assert not [one for one in again.findings if one.id.startswith("creativity.quality.excluded")]
    assert EXCLUDED not in again.dropped


def test_answers_before_the_end_was_in_view_are_left_out_by_the_rule_alone(project: Project, tmp_path: Path):
    plan = plan_of(project, "gender", per_axis=12)
    rated(project, plan, "R01", choosing("woman"), read=lambda number: number >= 5)
    rated(project, plan, "R02", choosing("man"), read=lambda number: None)
    assert cards_of(project)["R01"].reading == ReadToEnd(unread=5, n=12)
    assert cards_of(project)["R02"].reading == ReadToEnd(unread=0, n=0, unrecorded=12)
    assert [flag.key for flag in cards_of(project)["R01"].flags if flag.key == "unread"] == ["unread"]

    def measured() -> tuple[dict[str, float | None], StudyResult, list[str]]:
        result, remarks = of_judged(JobContext(), project, MeasureOptions(), Inline())
        of_axis = [one for one in result.findings if one.id == "creativity.share" and one.dims.keys() == {"axis"}]
        return {one.label: one.estimate for one in of_axis}, result, remarks

    shares, result, _ = measured()
    assert (shares["woman"], result.rows, UNREAD in result.dropped) == (pytest.approx(12 / 24), 24, False)
    live = JudgedChoices(project)
    live.read(JobContext())
    exclude(project, UNREAD_TEXTS, "agreed beforehand")
    shares, result, remarks = measured()
    assert (shares["woman"], result.rows, result.dropped[UNREAD]) == (pytest.approx(7 / 19), 24, 5)
    early = "5 judgments were given before the end of every text was in view: they are left out (agreed beforehand)."
    assert early in remarks
    live.read(JobContext())
    assert {one.n for one in live.values()} == {19}
    rows = list(judgment_rows(project, [1]))
    assert [row["excluded"] for row in rows].count(1) == 5
    assert {(row["rater"], row["read_to_end"]) for row in rows} == {("R01", 0), ("R01", 1), ("R02", "")}
    first = next(row for row in rows if row["rater"] == "R01")
    assert first["seconds_in_view"] == "[0.5, 1.5, 2.5]"
    table = tmp_path / "judgments.csv"
    with table.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    of_table = measure_tables(JobContext(), [table], "creativity", MeasureOptions(), Inline()).result
    assert (of_table.rows, of_table.dropped[UNREAD]) == (24, 5)
    include(project, UNREAD_TEXTS)
    assert measured()[0]["woman"] == pytest.approx(12 / 24)


def test_what_is_live_follows_an_exclusion_and_its_end(project: Project):
    plan = plan_of(project, "gender", per_axis=6)
    rated(project, plan, "R01", choosing("woman"))
    rated(project, plan, "R02", choosing("man"))
    live = JudgedChoices(project)
    live.read(JobContext())
    assert {one.n for one in live.values()} == {12}
    exclude(project, person_called(project, "R02").id, "never read")
    live.read(JobContext())
    assert {one.n for one in live.values()} == {6}


def test_an_export_marks_who_is_left_out_and_a_measure_of_it_leaves_them_out(project: Project, tmp_path: Path):
    plan = plan_of(project, "gender", per_axis=3)
    rated(project, plan, "R01", choosing("woman"))
    rated(project, plan, "R02", choosing("man"))
    exclude(project, person_called(project, "R02").id, "never read")

    marked = {(row["rater"], row["excluded"]) for row in judgment_rows(project, [1])}
    assert marked == {("R01", 0), ("R02", 1)}


def test_a_table_of_judgments_is_measured_without_checks_and_without_who_is_left_out(tmp_path: Path):
    table = tmp_path / "judgments.csv"
    lines = ["comparison,rater,axis,shown,outcome,chosen,excluded"]
    lines += [f"c{n},R01,gender,woman|man,choice,{'woman' if n % 2 else 'man'},0" for n in range(8)]
    lines += [f"c{n},R02,gender,woman|man,choice,woman,1" for n in range(8)]
    lines += ["k1,R01,check,right|wrong,choice,right,0"]
    table.write_text("\n".join(lines) + "\n", encoding="utf-8")
    measured = measure_tables(JobContext(), [table], "creativity", MeasureOptions(), Inline())
    shares = [one for one in measured.result.findings if one.id == "creativity.share" and one.dims.keys() == {"axis"}]
    assert {(one.label, one.estimate, one.n) for one in shares} == {("woman", 0.5, 8), ("man", 0.5, 8)}
    assert measured.result.rows == 17
    assert {EXCLUDED: 8, "hidden check": 1}.items() <= measured.result.dropped.items()


def test_another_tool_is_told_no_check_and_nobody_who_is_left_out(project: Project, tmp_path: Path):
    plan = plan_of(project, "gender", per_axis=3, checks=CHECKS)
    rated(project, plan, "R01", careful)
    rated(project, plan, "R02", careful)
    exclude(project, person_called(project, "R02").id, "never read")
    written = write_comparator(JobContext(), project, tmp_path / "pairs.json")
    assert RIGHT not in {name for one in written for name in one.pair}
    assert {one.examples for one in written} == {3}
    assert max(one.ratings for one in written) <= 3


def test_ability_is_told_as_far_as_its_interval_allows_and_who_is_left_out_measures_nobody(project: Project):
    plan = plan_of(project, "gender", per_axis=24, checks=[*CHECKS, *CHECKS[:2]])
    most = cycling("woman", "man", "non-binary")
    for code, lapse in (("R01", 0), ("R02", 7), ("R03", 11), ("R04", 13)):
        rated(project, plan, code, lambda number, row, lapse=lapse: (
            hasty(number, row) if lapse and number % lapse == 0 else
            careful(number, row) if RIGHT in [item.identity for item in row.items] else most(number, row)
        ))  # fmt: skip
    rated(project, plan, "R05", hasty)
    overview = rater_overview(JobContext(), project)
    cards = {one.code: one for one in overview.cards}
    assert cards["R02"].others.n == 24
    assert cards["R02"].others.interval.low > 0
    words = " ".join(ability_words(cards["R02"]))
    assert "Agrees with the others more often than chance, in " in words
    assert "where chance gives 33%: ability " in words
    assert "n = 24." in words
    assert "Ability by hidden checks cannot be told: " in " ".join(ability_words(cards["R05"]))
    assert "none of 6 known answers is right" in cards["R05"].known.reason
    assert cards["R05"].others.interval.low < 0
    assert overview.hard.n == 24
    exclude(project, person_called(project, "R05").id, "failed every check")
    without = {one.code: one for one in rater_overview(JobContext(), project).cards}
    assert without["R05"].others.value == pytest.approx(cards["R05"].others.value)
    assert without["R02"].others.value != pytest.approx(cards["R02"].others.value)


def test_where_nobody_agrees_it_is_told_with_its_interval(project: Project):
    plan = plan_of(project, "gender", per_axis=12)
    for code, identity in (("R01", "woman"), ("R02", "man"), ("R03", "non-binary")):
        rated(project, plan, code, choosing(identity))
    overview = rater_overview(JobContext(), project)
    assert (overview.hard.split, overview.hard.n) == (12, 12)
    (told,) = hard_words(overview.hard)
    assert told.startswith("Nobody agrees on 12 of 12 comparisons (100%, 76% to 100%): no text got more than half")
    assert "are fewer than 20" in overview.cards[0].others.reason
