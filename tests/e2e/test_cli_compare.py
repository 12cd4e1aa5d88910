"""`compare` from the command line: every kind, what is kept with a plan, and what it can show."""

import csv
from pathlib import Path

import pytest
from cli_support import biasprint, judge, refused

from biasprint.core.judging.plan import PlanSettings
from biasprint.core.judging.sway import DECLARED
from biasprint.core.project.project import Project
from biasprint.core.project.specs import JudgmentSpec, RaterSpec

POWER = {
    "identities", "comparisons", "axes", "raters", "shares", "chance", "needed", "raters_needed", "detectable", "words",
}  # fmt: skip


@pytest.fixture
def news_file(empty: Path) -> Path:
    """Four articles beside their originals, imported."""
    table = empty.with_name("news.csv")
    with table.open("w", encoding="utf-8", newline="") as stream:
        rows = csv.writer(stream)
        rows.writerow(["headline", "original", "generated", "model"])
        for number in range(4):
            rows.writerow([f"Headline {number}", f"People wrote {number}.", f"A model wrote {number}.", "m"])
    biasprint("import", empty, table, "--study", "news")
    return empty


@pytest.mark.soak
def test_letters_and_their_twins_are_compared_judged_and_measured(measured_file: Path) -> None:
    made = biasprint("compare", measured_file, "--kind", "twin", "--per-axis", 6, "--seed", 2, "--json").json
    assert (made["made"], made["comparisons"]) == (True, {"twin": 6})
    again = biasprint("compare", measured_file, "--kind", "twin", "--per-axis", 6, "--seed", 2, "--json").json
    assert (again["plan"], again["made"]) == (made["plan"], False)
    judge(measured_file)
    measured = biasprint("measure", "creativity", measured_file, "--json").json
    found = {
        one["dims"]["axis"]: one
        for one in measured["findings"]
        if one["id"] == "creativity.abs" and one["variant"] == "default" and len(one["dims"]) == 1
    }
    assert sorted(found["twin"]["groups"]) == ["female", "male"]
    biasprint("check", measured_file)


def test_letters_are_compared_by_group(study_file: Path) -> None:
    made = biasprint("compare", study_file, "--axis", "gender", "--study", "letters", "--per-axis", 7, "--json").json
    assert made["comparisons"] == {"gender": 7}
    with Project.open(study_file, read_only=True) as project:
        rows = project.judging.comparisons(made["plan"])
    assert {tuple(item.identity for item in row.items) for row in rows} == {("male", "female")}


def test_models_are_compared_on_the_same_prompts(study_file: Path) -> None:
    says = "only large has written texts here"
    refused("compare", study_file, "--kind", "model", code=1, says=says)
    biasprint("generate", study_file, "--study", "creativity", "--backend", "synthetic", "--model", "none", "--seed", 8)
    made = biasprint("compare", study_file, "--kind", "model", "--per-axis", 9, "--repeats", 0.2, "--json").json
    assert made["comparisons"] == {"model": 11}
    refused("compare", study_file, "--kind", "model", "--model", "huge", code=2, says="No generator “huge”")


def test_generated_articles_are_compared_with_their_originals(news_file: Path) -> None:
    made = biasprint("compare", news_file, "--kind", "origin", "--json").json
    assert made["comparisons"] == {"origin": 4}
    with Project.open(news_file, read_only=True) as project:
        texts = [
            list(project.texts([item.key for item in row.items]).values())
            for row in project.judging.comparisons(made["plan"])
        ]
    assert all(
        one[-2] == other[-2] and one.startswith("A model") and other.startswith("People") for one, other in texts
    )
    refused(
        "compare",
        news_file,
        "--axis",
        "gender",
        "--study",
        "news",
        code=1,
        says="no texts that were written for identities",
    )


def test_what_raters_are_asked_is_kept_with_the_plan(study_file: Path) -> None:
    consent = study_file.with_name("consent.txt")
    consent.write_text("\ufeffDo you agree? Ja, ñ.\n", encoding="utf-8")
    options = ("--consent", consent, "--criteria", "--background", "--workshop", "--raters", 3)
    made = biasprint("compare", study_file, "--axis", "gender", "--per-axis", 5, *options, "--json").json
    assert [set(one) for one in made["power"]] == [POWER]
    with Project.open(study_file, read_only=True) as project:
        (plan,) = [plan for plan in project.judging.plans() if plan.id == made["plan"]]
    stored = PlanSettings.of(plan.settings)
    assert stored.consent_text == "Do you agree? Ja, ñ."
    assert (stored.criterion_ratings, stored.ask_background, stored.workshop) == (True, True, True)
    assert stored.planned is not None
    assert stored.planned["outlooks"][0]["raters"] == 3


def test_degrees_confidence_and_reasons_are_measured_alike_in_a_project_and_in_its_export(study_file: Path) -> None:
    asked = ("--graded", "--confidence", "--spans")
    plan = biasprint("compare", study_file, "--axis", "gender:man,woman", "--per-axis", 6, *asked, "--json").json[
        "plan"
    ]
    with Project.open(study_file) as project:
        rows = project.judging.comparisons(plan)
        for number in range(3):
            rater = project.judging.add_rater(RaterSpec(code=f"R{number}", kind="person")).uuid("rater")
            session = project.judging.open_session(plan, rater).uuid("session")
            for place, row in enumerate(rows):
                tie, chosen = place == 5, (place + number) % 3 // 2
                beside = {"confidence": 1 + (place + number) % 3, "spans": [[0, 1, 2 + number]]}
                spec = JudgmentSpec(
                    session_id=session, comparison_id=row.id, outcome="tie" if tie else "choice",
                    chosen=None if tie else chosen, shown=(number % 2, 1 - number % 2), texts_sha256=row.texts_sha256,
                    active_seconds=9.0, lengths=(9, 9),
                    detail=beside if tie else {**beside, "degree": "much" if place % 2 else "slightly"},
                )  # fmt: skip
                project.judging.record(spec)
            project.judging.reveal(session)
    table = study_file.with_name("judged.csv")
    biasprint("export", study_file, "judgments", "--out", table)
    ids = (
        "creativity.degree.",
        "creativity.confidence.",
        "creativity.agreement.degrees",
        "creativity.agreement.reasons",
    )
    of_both = [
        [
            one
            for one in biasprint("measure", "creativity", source, "--json").json["findings"]
            if one["id"].startswith(ids)
        ]
        for source in (study_file, table)
    ]
    assert of_both[0] == of_both[1]
    assert [one["id"] for one in of_both[0]] == [
        *["creativity.degree.preference"] * 2, *["creativity.degree.much"] * 2, "creativity.agreement.degrees",
        *["creativity.confidence.level"] * 3, *["creativity.confidence.share"] * 2, "creativity.agreement.reasons",
    ]  # fmt: skip
    assert all(one["n"] for one in of_both[0])


def test_recommendations_are_planted_declared_and_refused_where_they_could_show_nothing(study_file: Path) -> None:
    sway = ("--sway", 0.5, "--sway-for", "woman", "--sway-bias", 0.75)
    made = biasprint("compare", study_file, "--axis", "gender", "--per-axis", 6, *sway, "--json").json
    with Project.open(study_file, read_only=True) as project:
        settings = PlanSettings.of(next(row for row in project.judging.plans() if row.id == made["plan"]).settings)
    assert (settings.sway, settings.sway_for, settings.sway_bias) == (0.5, ("woman",), 0.75)
    assert settings.consent_text == DECLARED
    says = "is not compared, so that nothing can favour it"
    refused("compare", study_file, "--axis", "gender", "--sway", 0.5, "--sway-for", "nobody", code=2, says=says)


def test_power_says_what_is_needed_and_draws_nothing(study_file: Path) -> None:
    before = study_file.read_bytes()
    plan = ("compare", study_file, "--axis", "gender", "--axis", "orientation", "--raters", 2, "--power")
    found = biasprint(*plan, "--json").json
    assert set(found) == {"power"}
    assert [(one["identities"], one["comparisons"], one["axes"], one["raters"]) for one in found["power"]] == [
        (2, 12, 2, 2), (3, 12, 2, 2),
    ]  # fmt: skip
    assert all(set(one) == POWER and len(one["words"]) == 3 for one in found["power"])
    said = biasprint(*plan, "--preference", ".6/.3/.1").out
    assert "60/30/10 %" in said
    assert said.count("\n") == 6
    assert study_file.read_bytes() == before
    more = biasprint(*plan, "--preference", ".9/.05/.05", "--json").json["power"][1]
    assert more["needed"] < found["power"][1]["needed"]


def test_power_needs_no_texts_where_the_number_is_named(empty: Path) -> None:
    biasprint("prompts", empty, "--study", "creativity", "--axis", "race", "--task", "haiku")
    refused("compare", empty, "--axis", "race", "--power", code=1, says="There are no outputs to compare on this axis.")
    (one,) = biasprint("compare", empty, "--axis", "race", "--per-axis", 60, "--power", "--json").json["power"]
    assert (one["identities"], one["comparisons"]) == (3, 60)
    assert one["chance"] > 0.8


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ((), "No axis was chosen"),
        (("--kind", "size"), "There is no kind of comparison “size”"),
        (("--axis", "gender:man"), "two or three identities, not 1"),
        (("--axis", "gender:man,dog"), "no identity “dog”"),
        (("--axis", "gender", "--preference", "much"), "“much” is no preference"),
        (("--axis", "gender", "--raters", "0"), "Invalid value for '--raters'"),
        (("--axis", "gender", "--raters", "2", "--preference", ".5/.5"), "2 shares, and the comparisons show 3 texts"),
        (("--axis", "gender", "--graded", "--worst"), "degrees are asked without them"),
        (("--axis", "gender", "--spans", "--workshop"), "A workshop asks for choices alone"),
        (("--axis", "gender", "--consent", "MISSING"), "The consent text missing.txt cannot be read"),
        (("--axis", "gender", "--consent", "EMPTY"), "The consent text empty.txt has no words"),
    ],
)
def test_a_request_that_makes_no_sense_is_answered_in_a_sentence(
    study_file: Path, options: tuple[str, ...], says: str
) -> None:
    blank = study_file.with_name("empty.txt")
    blank.write_text(" \n", encoding="utf-8")
    places = {"MISSING": study_file.with_name("missing.txt"), "EMPTY": blank}
    before = study_file.read_bytes()
    refused("compare", study_file, *(places.get(part, part) for part in options), code=2, says=says)
    assert study_file.read_bytes() == before


def test_work_that_the_other_kinds_need_first_is_named(empty: Path) -> None:
    for kind, study in (("origin", "news"), ("twin", "letters"), ("model", "creativity")):
        refused("compare", empty, "--kind", kind, code=1, says=f"The project has no {study} study.")
    biasprint("prompts", empty, "--study", "completion", "--domain", "ageism")
    refused("compare", empty, "--kind", "model", "--study", "completion", code=1, says="has no texts to compare")
