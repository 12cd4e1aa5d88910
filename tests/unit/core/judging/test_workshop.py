"""A workshop’s rules: codes that say nothing, one participant at a time, counts and nothing else, an honest chance."""

from collections.abc import Iterator
from datetime import date
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from fingerprint_project import choosing, cycling, plan_of, project_with_texts, rated
from scipy.stats import binom, binomtest, multinomial

from biasprint.core import language
from biasprint.core.errors import AppError
from biasprint.core.judging.planner import JudgingDesign
from biasprint.core.judging.session import JudgingSession, offer_plans, open_judging, open_session
from biasprint.core.judging.work import go_back, list_entries, record_choice, save_note
from biasprint.core.judging.workshop import (
    Pin,
    WorkshopStore,
    attendance,
    chance_of,
    check_name,
    describe_plan,
    new_name,
    participant_code,
    participants,
    tellable_sessions,
    workshop_plans,
)
from biasprint.core.metrics.affinity import exact_floor, spread
from biasprint.core.project.project import Project


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with project_with_texts(tmp_path / "study.biasprint", ["race", "gender"], ["haiku"]) as made:
        yield made


@pytest.fixture
def plan(project: Project) -> str:
    return plan_of(project, "race", per_axis=6, workshop=True)


def door_of(project: Project, plan: str, code: str) -> JudgingSession:
    return open_judging(WorkshopStore(project, plan, code))


def begin(door: JudgingSession, code: str) -> str:
    """Sit down and open the one set there is; the token of the first comparison."""
    (offer,) = door.ask(offer_plans, code).result().offers
    view = door.ask(open_session, offer.token, code).result()
    assert view.comparison is not None
    return view.comparison.token


# codes and the PIN


def test_codes_of_participants_are_random_and_in_no_order():
    codes = [participant_code() for _ in range(2_000)]
    assert len(set(codes)) == len(codes)
    assert all(code.startswith("P-") and len(code) == 12 for code in codes)
    rising = sum(first < second for first, second in pairwise(codes))
    assert abs(rising - 1_000) < 5 * np.sqrt(2_000 / 12), "neighbours rise and fall as often as random ones do"


def test_a_pin_lets_only_itself_through():
    pin = Pin("tulip7")
    assert pin.wanted
    assert pin.fits("tulip7")
    assert not any(pin.fits(typed) for typed in ("", "tulip", "tulip77", "TULIP7"))


def test_without_a_pin_anybody_may_leave():
    pin = Pin("")
    assert not pin.wanted
    assert pin.fits("")


def test_a_pin_of_three_characters_is_refused():
    with pytest.raises(AppError, match="at least 4 characters"):
        Pin("abc")


def test_a_pin_is_not_kept_in_readable_form():
    assert "tulip7" not in repr(vars(Pin("tulip7")))


# one participant at a time


def test_a_participant_is_offered_the_workshops_set_alone(project: Project, plan: str):
    plan_of(project, "gender", per_axis=6)
    door = door_of(project, plan, "P-1")
    info = door.ask(offer_plans, "P-1").result()
    assert [offer.comparisons for offer in info.offers] == [6]
    door.close(5)


def test_nobody_sits_down_with_a_code_that_somebody_has(project: Project, plan: str):
    first = door_of(project, plan, "P-1")
    first.ask(record_choice, begin(first, "P-1"), "choice", 0).result()
    first.close(5)
    second = door_of(project, plan, "P-1")
    (offer,) = second.ask(offer_plans, "P-1").result().offers
    assert (offer.done, offer.opened) == (0, False), "not even the count of the first one's answers is told"
    with pytest.raises(AppError, match="place is taken"):
        second.ask(open_session, offer.token, "P-1").result()
    second.close(5)


def test_a_seat_takes_no_other_code_than_its_own(project: Project, plan: str):
    first = door_of(project, plan, "P-1")
    begin(first, "P-1")
    first.close(5)
    second = door_of(project, plan, "P-2")
    (offer,) = second.ask(offer_plans, "P-1").result().offers
    assert not offer.opened
    with pytest.raises(AppError, match="place is taken"):
        second.ask(open_session, offer.token, "P-1").result()
    second.close(5)


def test_the_next_one_begins_with_no_answer_to_go_back_to(project: Project, plan: str):
    first = door_of(project, plan, "P-1")
    token = begin(first, "P-1")
    first.ask(save_note, token, "a thought of mine").result()
    first.ask(record_choice, token, "choice", 0, "a thought of mine").result()
    first.close(5)
    second = door_of(project, plan, "P-2")
    begin(second, "P-2")
    view = second.ask(go_back, "").result()
    assert (view.progress.done, view.progress.skipped, view.answer) == (0, 0, None)
    assert view.comparison is not None
    assert view.comparison.note == ""
    assert {entry.state for entry in second.ask(list_entries).result()} == {"left"}
    second.close(5)


def test_the_seats_store_gives_no_session_rater_or_judgment_of_another(project: Project, plan: str):
    rated(project, plan, "P-1", choosing("white"))
    ((session,), (judged, *_)) = (project.judging.sessions(), project.judging.judgments())
    store = WorkshopStore(project, plan, "P-2")
    assert judged.session_id == session.id
    assert (store.raters(), store.sessions(), store.judgments(session.id)) == ((), (), ())


# two classes


def test_a_class_of_its_own_name_has_the_same_comparisons_and_nobody_of_another(project: Project, plan: str):
    classes = [plan_of(project, "race", per_axis=6, workshop=True, title=name, class_name=name) for name in ("a", "b")]
    first, second = ([row.items for row in project.judging.comparisons(one)] for one in classes)
    assert first == second
    rated(project, classes[0], "P-1", choosing("white"))
    assert (attendance(project, classes[0]).started, attendance(project, classes[1]).started) == (1, 0)


def test_no_two_workshops_have_one_name(project: Project, plan: str):
    plan_of(project, "race", per_axis=6, workshop=True, title="Class 10b", class_name="Class 10b")
    with pytest.raises(AppError, match="“Class 10b” already"):
        check_name(project, " Class  10b ")
    assert check_name(project, "Class 10c") == "Class 10c"
    with pytest.raises(AppError, match="1 to 60 characters"):
        check_name(project, " ")
    assert new_name([], date(2026, 11, 3)) == "Workshop of 3 November 2026"
    language.choose("de")
    assert new_name([], date(2026, 11, 3)) == "Workshop vom 3. November 2026"
    language.choose("en")
    assert new_name(["Workshop of 3 November 2026"], date(2026, 11, 3)) == "Workshop of 3 November 2026, 2"


# counts


def test_unfinished_sessions_count_as_begun_only(project: Project, plan: str):
    rated(project, plan, "P-1", choosing("white"))
    rated(project, plan, "P-2", choosing("white"), revealed=False)
    other = plan_of(project, "gender", per_axis=6)
    rated(project, other, "R01", cycling("man", "woman"))
    rated(project, plan, "a model", choosing("white"), kind="model")
    found = attendance(project, plan)
    assert (found.started, found.finished) == (2, 1)


def test_four_people_of_a_workshop_are_pooled_nowhere_and_five_are(project: Project, plan: str):
    ordinary = plan_of(project, "gender", per_axis=6)
    alone = rated(project, ordinary, "R01", cycling("man", "woman"))
    model = rated(project, plan, "a model", choosing("white"), kind="model")
    four = {rated(project, plan, f"P-{number}", choosing("white")) for number in range(4)}
    assert {row.rater_id for row in tellable_sessions(project, project.judging.sessions())} == {alone, model}
    fifth = rated(project, plan, "P-4", choosing("white"))
    assert {row.rater_id for row in tellable_sessions(project, project.judging.sessions())} == {
        alone,
        model,
        fifth,
        *four,
    }
    rated(project, plan, "P-5", choosing("black"))
    assert len(tellable_sessions(project, project.judging.sessions())) == 7, "nobody is the difference to the five"


def test_two_workshops_of_three_are_not_one_of_six(project: Project, plan: str):
    other = plan_of(project, "gender", per_axis=6, workshop=True)
    for number in range(3):
        rated(project, plan, f"P-{number}", choosing("white"))
        rated(project, other, f"P-{number + 3}", choosing("woman"))
    assert tellable_sessions(project, project.judging.sessions()) == ()


def test_participants_are_the_people_of_workshops_alone(project: Project, plan: str):
    rated(project, plan, "P-SECRET", choosing("white"))
    rated(project, plan, "P-HALFWAY", choosing("white"), revealed=False)
    rated(project, plan, "a model", choosing("white"), kind="model")
    rated(project, plan_of(project, "gender", per_axis=6), "R01", cycling("man", "woman"))
    assert participants(project) == {"P-SECRET", "P-HALFWAY"}


# what a plan asks and can show


def test_only_plans_that_were_drawn_for_workshops_are_offered_the_latest_first(project: Project):
    plan_of(project, "race", per_axis=6)
    first = plan_of(project, "race", per_axis=6, workshop=True)
    second = plan_of(project, "gender", per_axis=5, workshop=True, consent_text="You may stop.")
    found = workshop_plans(project)
    assert [one.plan_id for one in found] == [second, first]
    assert [one.consent_text for one in found] == ["You may stop.", ""]
    assert [one.comparisons for one in found] == [5, 6]


def test_the_design_is_that_of_one_axis_without_hidden_repeats(project: Project):
    plan_id = plan_of(project, "race", "gender", per_axis=8, repeat_share=0.25, workshop=True)
    (plan,) = (row for row in project.judging.plans() if row.id == plan_id)
    found = describe_plan(project, plan)
    assert found.design == JudgingDesign(comparisons=8, identities=3, axes=2)
    assert found.comparisons == 20, "repeats are asked too, and take their time"


def test_the_time_is_that_of_reading_and_deciding(project: Project, plan: str):
    (row,) = (row for row in project.judging.plans() if row.id == plan)
    # "Text 12." has two words: 6 × 3 × 2 / 240 minutes of reading, and 6 × 10 seconds of deciding.
    assert describe_plan(project, row).minutes == 2


@cache
def p_of(counts: tuple[int, ...]) -> float:
    p = exact_floor(sum(counts), len(counts), float(spread(np.array(counts) / sum(counts)))).p
    assert p is not None
    return p


def test_the_stated_chance_is_that_of_the_test_by_every_split():
    shares, n = (0.55, 0.30, 0.15), 20
    splits = [(a, b, n - a - b) for a in range(n + 1) for b in range(n + 1 - a)]
    seen = sum(multinomial.pmf(split, n, shares) for split in splits if p_of(tuple(sorted(split))) <= 0.05)
    assert chance_of(JudgingDesign(n)).power == pytest.approx(seen, abs=1e-9)


def test_the_stated_chance_of_two_identities_is_that_of_the_binomial_test():
    n, share = 20, 0.675
    seen = sum(binom.pmf(k, n, share) for k in range(n + 1) if binomtest(k, n).pvalue <= 0.05)
    assert chance_of(JudgingDesign(n, identities=2)).power == pytest.approx(seen, abs=1e-9)


def test_sessions_of_somebody_with_that_preference_show_it_as_often_as_was_stated():
    stated, sessions = chance_of(JudgingDesign(20)).power, 4_000
    drawn = np.random.default_rng(7).multinomial(20, (0.55, 0.30, 0.15), size=sessions)
    seen = np.mean([p_of(tuple(sorted(int(count) for count in row))) <= 0.05 for row in drawn])
    assert abs(seen - stated) < 3 * np.sqrt(stated * (1 - stated) / sessions)


@pytest.mark.parametrize("identities", [2, 3, 4, 5])
def test_more_comparisons_on_one_axis_are_never_stated_to_see_much_less(identities: int):
    few, many = (chance_of(JudgingDesign(n, identities=identities)).power for n in (10, 60))
    assert many > few
