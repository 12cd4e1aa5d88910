"""What was compared is measured on an axis of its own: models, originals, twins, some of an axis's identities."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from compare_projects import Writing, articles, haikus, letters, originals
from inline_compute import Inline

from biasprint.core.jobs import JobContext
from biasprint.core.judging.plan import keys_of_sets
from biasprint.core.project.specs import JudgmentSpec, RaterSpec
from biasprint.core.runs.compare import ComparedPlan
from biasprint.core.runs.measure import measure_project
from biasprint.core.studies.creativity.columns import by_set
from biasprint.core.studies.creativity.gather import axes_of, of_judgments
from biasprint.core.studies.kit.declared import MeasureOptions

COLUMNS = ("comparison", "rater", "axis", "shown", "outcome", "chosen")


@pytest.fixture
def writing(tmp_path: Path) -> Iterator[Writing]:
    made = Writing(tmp_path / "p.biasprint")
    yield made
    made.project.close()


def judged(writing: Writing, drawn: ComparedPlan, chosen: str) -> None:
    """One rater chooses the text of `chosen` in every comparison, and reveals."""
    judging = writing.project.judging
    code = f"R{len(judging.raters()) + 1}"
    rater = judging.add_rater(RaterSpec(code=code)).uuid("rater")
    session = judging.open_session(drawn.plan_id, rater).uuid("session")
    for row in judging.comparisons(drawn.plan_id):
        place = [item.identity for item in row.items].index(chosen)
        shown = tuple(range(len(row.items)))
        judging.record(
            JudgmentSpec(
                session_id=session, comparison_id=row.id, outcome="choice", chosen=place, shown=shown,
                texts_sha256=row.texts_sha256, active_seconds=1.0,
            )
        )  # fmt: skip
    judging.reveal(session)


def shares(writing: Writing, wanted: tuple[str, ...] = ()) -> dict[tuple[str, str], tuple[float, int]]:
    """(axis, identity) → its share of the choices and their number."""
    sessions = writing.project.judging.sessions()
    axes = axes_of(writing.project, wanted)
    result = of_judgments(JobContext(), writing.project, sessions, axes, 0, Inline())  # type: ignore[arg-type]
    return {
        (one.dims["axis"], one.label): (one.estimate, one.n)
        for one in result.findings
        if one.id == "creativity.share" and one.variant == "default"
    }


def test_each_kind_is_measured_with_its_identities(writing: Writing) -> None:
    for model in ("small", "large"):
        haikus(writing, model)
    letters(writing)
    originals(writing, ["One", "Two"])
    articles(writing, ["One", "Two"])
    judged(writing, writing.draw("creativity", kind="model"), "large")
    judged(writing, writing.draw("news", kind="origin"), "original")
    judged(writing, writing.draw("letters", kind="twin"), "female")
    assert shares(writing) == {
        ("model", "large"): (1.0, 8),
        ("model", "small"): (0.0, 8),
        ("origin", "generated"): (0.0, 2),
        ("origin", "original"): (1.0, 2),
        ("twin", "female"): (1.0, 8),
        ("twin", "male"): (0.0, 8),
    }
    assert {axis for axis, _ in shares(writing, ("origin",))} == {"origin"}


def test_plans_of_other_models_do_not_mix(writing: Writing) -> None:
    for model in ("small", "large", "huge"):
        haikus(writing, model)
    judged(writing, writing.draw("creativity", kind="model", models=["small", "large"]), "large")
    assert {axis for axis, _ in shares(writing)} == {"model"}
    judged(writing, writing.draw("creativity", kind="model", models=["huge", "large"]), "huge")
    assert shares(writing) == {
        ("model: huge | large", "huge"): (1.0, 8),
        ("model: huge | large", "large"): (0.0, 8),
        ("model: large | small", "large"): (1.0, 8),
        ("model: large | small", "small"): (0.0, 8),
    }


def test_some_identities_of_an_axis_are_measured_although_the_axis_has_more(writing: Writing) -> None:
    haikus(writing, "small")
    judged(writing, writing.draw("creativity", axes=["gender:man,woman"]), "woman")
    assert shares(writing) == {("gender", "man"): (0.0, 2), ("gender", "woman"): (1.0, 2)}
    judged(writing, writing.draw("creativity", axes=["gender"]), "man")
    assert set(shares(writing)) == {
        ("gender: man | woman", "man"), ("gender: man | woman", "woman"),
        ("gender: man | non-binary | woman", "man"), ("gender: man | non-binary | woman", "woman"),
        ("gender: man | non-binary | woman", "non-binary"),
    }  # fmt: skip


def test_one_name_for_two_axes_is_told_apart_by_the_identities(writing: Writing) -> None:
    haikus(writing, "small")
    letters(writing)
    judged(writing, writing.draw("letters", axes=["gender"]), "male")
    assert set(shares(writing)) == {("gender", "male"), ("gender", "female")}


def test_keys_of_sets_say_what_was_compared() -> None:
    whole, some = ("race", frozenset("abc")), ("race", frozenset("ab"))
    assert keys_of_sets([whole, whole]) == {whole: "race"}
    keys = keys_of_sets([whole, some, ("model", frozenset(("x", "y")))])
    assert keys == {whole: "race: a | b | c", some: "race: a | b", ("model", frozenset(("x", "y"))): "model"}


def test_rows_that_are_no_comparison_of_a_set_stay_with_their_axis() -> None:
    shown = [("a", "b", "c"), ("a", "a"), ("a",), ("b", "a")]
    columns = {"axis": ["race"] * 4, "shown": shown}
    split, axes = by_set(columns, {"race": ["c", "b", "a"], "age": ["x", "y"]})
    assert split["axis"] == ["race: a | b | c", "race", "race", "race: a | b"]
    assert axes == {
        "race": ["c", "b", "a"], "age": ["x", "y"],
        "race: a | b | c": ["c", "b", "a"], "race: a | b": ["b", "a"],
    }  # fmt: skip
    one, axes = by_set({"axis": ["race"], "shown": [("a", "b")]}, {"race": ["c", "b", "a"]})
    assert (one["axis"], axes) == (["race"], {"race": ["b", "a"]})


def test_what_people_chose_of_two_generators_is_compared_on_the_prompts_judged_of_both(writing: Writing) -> None:
    for model, chosen in (("small", "man"), ("large", "woman")):
        haikus(writing, model)
        judged(writing, writing.draw("creativity", axes=["gender"], models=[model]), chosen)
    options = MeasureOptions(compare=("large, small",), as_stored=True)  # nothing is embedded: judgments alone
    found = measure_project(JobContext(), writing.project, "creativity", options, Inline())  # type: ignore[arg-type]
    differences = {
        (one.id, one.label): one for one in found.result.findings if one.id.endswith(".between_generators")
    }  # fmt: skip
    share = {label: differences["creativity.share.between_generators", label] for label in ("woman", "man")}
    assert (share["woman"].estimate, share["man"].estimate) == (1.0, -1.0)
    assert share["woman"].groups == ("large", "small")
    assert share["woman"].n == 2  # the two themes
    assert "people judged of both; raters as they are" in share["woman"].note
    assert differences["creativity.abs.between_generators", "gender"].estimate == 0  # as far from even, the other way
    assert found.undone == ()
