"""Drawing and judging over a real project file."""

from collections import Counter
from pathlib import Path

import pytest

from biasprint.core.errors import AppError, UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.judging import work
from biasprint.core.judging.assignment import CompactRows
from biasprint.core.judging.reveal import reveal
from biasprint.core.judging.session import JudgingSession, offer_plans, open_judging, open_session
from biasprint.core.judging.store import ProjectStore
from biasprint.core.judging.wording import ComparisonWording
from biasprint.core.judging.work import current_view, go_back, list_entries, record_choice
from biasprint.core.project.project import Project
from biasprint.core.project.specs import (
    AxisSpec,
    GeneratorSpec,
    OutputSpec,
    PlanSpec,
    PromptSetSpec,
    PromptSpec,
    RaterSpec,
    RunSpec,
)
from biasprint.core.runs.compare import compare

AXES = {"race": ("white", "black", "asian"), "orientation": ("straight", "queer")}
TASKS, THEMES = ("haiku", "song"), ("castle", "stars", "rain")


@pytest.fixture
def project(tmp_path: Path):
    with Project.create(tmp_path / "p.biasprint") as made:
        study = made.studies.add("creativity", "Creativity").number("study")
        for key, identities in AXES.items():
            definition = {"identities": [{"key": name, "label": name.title()} for name in identities]}
            made.axes.add(AxisSpec(key=key, title=key.title(), definition=definition))
        prompts = [
            PromptSpec(key=f"{task}/{theme}/default", text="w", task=task, theme=theme, identity="default")
            for task in TASKS
            for theme in THEMES
        ]
        prompts += [
            PromptSpec(key=f"{task}/{theme}/{axis}/{name}", text="w", task=task, theme=theme, axis=axis, identity=name)
            for task in TASKS
            for theme in THEMES
            for axis, identities in AXES.items()
            for name in identities
        ]
        spec = PromptSetSpec(name="set", recipe={}, prompts=tuple(prompts))
        prompt_set = made.prompts.add_set(study, spec).number("prompt_set")
        generator = made.runs.add_generator(GeneratorSpec(backend="b", model="m")).number("generator")
        run = made.runs.start(RunSpec(study_id=study, prompt_set_id=prompt_set, generator_id=generator, seed=1)).number(
            "run"
        )
        for row in made.prompts.page(prompt_set, 0, 1000):
            failed = row.key == "haiku/rain/race/black"
            made.outputs.record(
                OutputSpec(
                    run_id=run,
                    prompt_id=row.id,
                    sample=0,
                    seed=0,
                    text="" if failed else f"text of {row.key}",
                    status="error" if failed else "done",
                    error="time-out" if failed else "",
                )
            ).result()
        yield made


def draw(project: Project, **options):
    wanted = {"axes": sorted(AXES), "seed": 1} | options
    return compare(JobContext(), project, study_id=1, **wanted)


def open_first(project: Project, code: str = "R01") -> tuple[JudgingSession, object]:
    door = open_judging(ProjectStore(project))
    offer = door.ask(offer_plans, code).result().offers[0]
    return door, door.ask(open_session, offer.token, code).result()


def test_a_session_has_the_words_of_prompts_that_were_made_after_judging_was_opened(project, monkeypatch):
    monkeypatch.setattr("biasprint.core.judging.wording.shipped_wording", lambda: ComparisonWording({}))
    draw(project)
    door = open_judging(ProjectStore(project))
    words = {task: {"title": f"My {task}", "rubric": [["Wit", "Is it funny?"]]} for task in TASKS}
    prompt = PromptSpec(key="one", text="w", task="haiku", identity="default")
    project.prompts.add_set(1, PromptSetSpec(name="own", recipe={"own_tasks": words}, prompts=(prompt,)))
    offer = door.ask(offer_plans, "R01").result().offers[0]
    shown = door.ask(open_session, offer.token, "R01").result().comparison
    assert shown.title.startswith("My ")
    assert [one.name for one in shown.criteria] == ["Wit"]


def test_a_plan_is_stored_with_its_comparisons_and_says_what_was_left_out(project):
    made = draw(project, seed=4)
    (plan,) = project.judging.plans()
    assert (plan.id, plan.axis, plan.seed) == (made.plan_id, "orientation+race", 4)
    rows = project.judging.comparisons(plan.id)
    assert Counter(row.axis for row in rows) == {"orientation": 6, "race": 5}
    assert made.drawn.reasons == {
        "its generation failed": 1,
        "no output to compare it with: black is missing": 2,
    }
    for row in rows:
        outputs = [project.outputs.get(item.output) for item in row.items]
        assert [one.identity for one in outputs] == list(AXES[row.axis])
        assert {(one.task, one.theme) for one in outputs} == {(row.task, row.theme)}


def test_asking_again_with_the_same_seed_gives_the_plan_that_is_there(project):
    first = draw(project, seed=4, axes=["race"])
    again = draw(project, seed=4, axes=["race"])
    other = draw(project, seed=5, axes=["race"])
    assert (again.plan_id, again.made) == (first.plan_id, False)
    assert other.made
    assert len(project.judging.plans()) == 2


def test_an_unknown_axis_is_wrong_usage_and_names_the_known_ones(project):
    with pytest.raises(UsageError, match="orientation, race"):
        draw(project, axes=["age"])


def test_where_nothing_can_be_compared_the_reason_is_told(project):
    definition = {"identities": [{"key": "young", "label": "Young"}, {"key": "old", "label": "Old"}]}
    project.axes.add(AxisSpec(key="age", title="Age", definition=definition))
    with pytest.raises(AppError, match="no outputs to compare"):
        draw(project, axes=["age"])
    assert project.judging.plans() == ()


def test_hidden_repeats_point_to_their_originals_in_the_file(project):
    draw(project, repeat_share=0.3, axes=["orientation"])
    (plan,) = project.judging.plans()
    rows = project.judging.comparisons(plan.id)
    by_id = {row.id: row for row in rows}
    repeats = [row for row in rows if row.repeat_of]
    assert len(repeats) == 2
    assert all(by_id[row.repeat_of].items == row.items for row in repeats)


def test_a_session_over_the_file_survives_closing_it(project, tmp_path):
    draw(project, seed=1)
    door, view = open_first(project)
    view = door.ask(record_choice, view.comparison.token, "choice", 1, "a note").result()
    view = door.ask(record_choice, view.comparison.token, "skip").result()
    third = view.comparison.texts
    door.close(5)
    project.close()
    with Project.open(tmp_path / "p.biasprint") as reopened:
        door, view = open_first(reopened)
        assert view.comparison.texts == third
        assert (view.progress.done, view.progress.skipped) == (1, 1)
        door.ask(go_back, view.comparison.token).result()
        first = door.ask(go_back, door.ask(current_view).result().comparison.token).result()
        assert (first.comparison.note, first.answer.card) == ("a note", 1)
        door.close(5)


def test_the_reveal_shows_the_axes_by_their_titles(project):
    draw(project, seed=1)
    door, view = open_first(project)
    while view.comparison is not None:
        view = door.ask(record_choice, view.comparison.token, "choice", 0).result()
    revealed = door.ask(reveal).result()
    assert [(axis.title, axis.choices) for axis in revealed.axes] == [("Orientation", 6), ("Race", 5)]
    assert [one.label for one in revealed.axes[1].identities] == ["White", "Black", "Asian"]
    door.close(5)


def test_two_raters_see_one_plan_and_their_answers_stay_apart(project):
    draw(project, seed=1, axes=["orientation"])
    first, view_1 = open_first(project, "R01")
    second, view_2 = open_first(project, "R02")
    assert view_1.comparison.texts == view_2.comparison.texts[::-1]
    first.ask(record_choice, view_1.comparison.token, "choice", 0).result()
    assert second.ask(current_view).result().progress.done == 0
    for door in (first, second):
        door.close(5)


def test_a_models_code_is_not_a_persons(project):
    draw(project, seed=1)
    project.judging.add_rater(RaterSpec(code="gpt", kind="model"))
    door = open_judging(ProjectStore(project))
    offer = door.ask(offer_plans, "gpt").result().offers[0]
    with pytest.raises(AppError, match="belongs to a model"):
        door.ask(open_session, offer.token, "gpt").result()
    door.close(5)


def test_plans_without_comparisons_are_not_offered(project):
    project.judging.add_plan(PlanSpec(study_id=1, title="empty", axis="race", seed=1), [])
    door = open_judging(ProjectStore(project))
    assert door.ask(offer_plans).result().offers == ()
    door.close(5)


def test_compact_rows_are_the_rows(project):
    draw(project, repeat_share=0.5)
    rows = project.judging.comparisons(project.judging.plans()[0].id)
    compact = CompactRows(rows)
    assert tuple(compact) == rows
    assert [compact[index] for index in range(len(compact))] == list(rows)
    assert compact[1:3] == list(rows[1:3])
    assert list(compact.ids()) == [row.id for row in rows]


def test_of_very_many_comparisons_the_answered_ones_are_listed(project, monkeypatch):
    monkeypatch.setattr(work, "MOST_ENTRIES", 4)
    draw(project, seed=1)
    door, view = open_first(project)
    view = door.ask(record_choice, view.comparison.token, "skip").result()
    for _ in range(5):
        view = door.ask(record_choice, view.comparison.token, "choice", 0).result()
    assert [(entry.ordinal, entry.state) for entry in door.ask(list_entries).result()] == [
        (1, "skipped"),
        (5, "done"),
        (6, "done"),
    ]
    door.close(5)
