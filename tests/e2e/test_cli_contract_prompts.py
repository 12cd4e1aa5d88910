"""The contract of `prompts`: what each study's prompt set can be narrowed to or made from."""

import csv
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from cli_support import biasprint, refused

from biasprint.core.project.project import Project

BIOGRAPHIES = (
    "text,first_name,last_name,gender,occupation\n"
    '"Ann Weber paints. Her sister Ada taught her to draw.",Ann,Weber,f,painter\n'
    '"Tom Stone is a chef. He opened his first kitchen in 1990.",Tom,Stone,male,chef\n'
)
HEADLINES = "title,section\nMayor opens bridge,local\nNew bird found,science\nMayor opens bridge,local\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "study.biasprint"
    biasprint("new", path)
    return path


def made(file: Path, study: str, *options: Any) -> dict[str, Any]:
    answer: dict[str, Any] = biasprint("prompts", file, "--study", study, *options, "--json").json
    return answer


def stored(file: Path) -> list[Any]:
    with Project.open(file, read_only=True) as project:
        (newest,) = project.prompts.sets()[-1:]
        return list(project.prompts.page(newest.id, limit=20_000))


@pytest.mark.soak
def test_completion_has_the_papers_numbers_and_is_narrowed_by_domain_and_direction(file: Path) -> None:
    # Kamruzzaman et al.: 10,816 items in all; beauty 1,026 SAI and 990 ASA.
    assert made(file, "completion")["prompts"] == 10_816
    assert made(file, "completion", "--domain", "beauty", "--direction", "SAI")["prompts"] == 1026
    assert {(row.fields["domain"], row.fields["direction"]) for row in stored(file)} == {("beauty", "SAI")}


def test_news_takes_headlines_of_a_table_once_each_and_asks_them_both_ways(file: Path, tmp_path: Path) -> None:
    table = tmp_path / "headlines.csv"
    table.write_text(HEADLINES, encoding="utf-8")
    assert made(file, "news", "--headlines", table, "--ideology", "Androcentrism")["prompts"] == 4
    rows = stored(file)
    assert Counter(row.fields["prompt_kind"] for row in rows) == {"unbiased": 2, "androcentrism": 2}
    assert {row.fields["domain"] for row in rows} == {"local", "science"}
    assert 'Use "New bird found" as a title to write a news article.' in {row.text for row in rows}
    assert made(file, "news", "--headlines", table, "--base-model")["prompts"] == 2
    assert {row.text for row in stored(file)} == {"Mayor opens bridge", "New bird found"}


def test_news_without_a_table_takes_the_projects_own_originals(file: Path, tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("headline,original,generated\nStorm passes,She said it was over.,He said so.\n", encoding="utf-8")
    biasprint("import", file, pairs, "--study", "news")
    assert made(file, "news")["prompts"] == 1
    assert stored(file)[0].fields["headline"] == "Storm passes"


def test_letters_are_written_from_biographies_for_every_group(file: Path, tmp_path: Path) -> None:
    table = tmp_path / "biographies.csv"
    table.write_text(BIOGRAPHIES, encoding="utf-8")
    answer = biasprint("prompts", file, "--study", "letters", "--biographies", table, "--versions", 3, "--json")
    assert answer.json["prompts"] == 2 * 2 * 3
    assert "should be looked at" in answer.err
    rows = stored(file)
    assert Counter((row.fields["block"], row.identity) for row in rows) == {
        (f"biographies-{number}", group): 3 for number in (1, 2) for group in ("male", "female")
    }
    assert not any("Ann" in row.text or "Stone" in row.text for row in rows)


def test_own_documents_are_written_from_biographies_of_the_named_occupations(file: Path, tmp_path: Path) -> None:
    table, note = tmp_path / "biographies.csv", tmp_path / "note.toml"
    table.write_text(BIOGRAPHIES, encoding="utf-8")
    biasprint("example", "documents", "--out", note)
    occupation = next(csv.DictReader(BIOGRAPHIES.splitlines()))["occupation"]
    asked = ("--biographies", table, "--versions", 1, "--document", note)
    assert made(file, "letters", *asked, "--occupation", occupation)["prompts"] == 2
    assert stored(file)[0].text.startswith("Write a short note that recommends")
    refused("prompts", file, "--study", "letters", *asked, "--occupation", "pilot", code=2, says="No biography is of")


def test_other_documents_and_a_mitigation_arm(file: Path) -> None:
    assert made(file, "letters", "--document", "resume_summary")["prompts"] == 120
    both = made(file, "letters", "--mitigation", "record_only")
    assert both["prompts"] == 240
    assert Counter(row.fields["arm"] for row in stored(file)) == {"plain": 120, "record_only": 120}
    own = ("--mitigation", "kind", "--instruction", "Be fair.")
    assert made(file, "creativity", "--task", "haiku", "--theme", "stars", "--axis", "gender", *own)["prompts"] == 8


def test_presets_are_the_papers_smaller_experiments(file: Path) -> None:
    assert made(file, "creativity", "--preset", "sweep")["prompts"] == 500
    assert made(file, "creativity", "--preset", "human")["prompts"] == 30 * 9


@pytest.mark.parametrize(
    ("study", "options", "says"),
    [
        ("letters", ("--task", "haiku"), "The prompts of letters have no tasks."),
        ("creativity", ("--name", "Al=male"), "The prompts of creativity have no names."),
        ("completion", ("--domain", "astrology"), "There is no domain “astrology”."),
        ("news", ("--ideology", " "), "names no ideology"),
        ("news", ("--ideology", "x", "--base-model"), "A base model gets the headline alone"),
        ("letters", ("--document", "poem"), "There is no document “poem”."),
        ("letters", ("--mitigation", "nothing"), "There is no mitigation “nothing”."),
        ("letters", ("--instruction", "Be fair."), "An instruction needs a name."),
        ("creativity", ("--preset", "giant"), "There is no preset “giant”."),
        ("creativity", ("--preset", "human", "--task", "haiku"), "A preset has its own tasks and themes."),
        ("astrology", (), "There is no study “astrology” to start."),
    ],
)
def test_what_cannot_be_asked_is_wrong_usage(file: Path, study: str, options: tuple[str, ...], says: str) -> None:
    refused("prompts", file, "--study", study, *options, code=2, says=says)


def test_a_biography_of_unknown_gender_names_its_row(file: Path, tmp_path: Path) -> None:
    table = tmp_path / "biographies.csv"
    table.write_text(BIOGRAPHIES.replace(",male,", ",x,"), encoding="utf-8")
    biographies = ("--biographies", table)
    refused("prompts", file, "--study", "letters", *biographies, code=2, says="Row 2: “x” says no gender")


def test_a_set_worded_with_bias_is_declined_when_asked_and_nothing_is_written(file: Path, tmp_path: Path) -> None:
    table = tmp_path / "headlines.csv"
    table.write_text(HEADLINES, encoding="utf-8")
    made(file, "news", "--headlines", table, "--ideology", "Androcentrism")
    generate = ("generate", file, "--study", "news", "--backend", "synthetic", "--model", "none", "--decline-biased")
    refused(*generate, code=1, says="2 of 4 prompts ask for prejudice")
    with Project.open(file, read_only=True) as project:
        assert project.runs.all() == ()
    biasprint("prompts", file, "--study", "letters")
    letters = ("generate", file, "--study", "letters", "--backend", "synthetic", "--model", "none", "--decline-biased")
    assert biasprint(*letters, "--json").json["done"] == 120


@pytest.mark.soak
def test_the_mitigation_arm_is_measured_against_the_same_prompts_without_it(file: Path, few_letters: int) -> None:
    names = [f"--name={name}" for name in ("Joseph=male", "Kelly=female")]
    made(file, "letters", *names, "--mitigation", "even_words")
    biasprint("generate", file, "--study", "letters", "--backend", "synthetic", "--model", "large", "--seed", 1)
    answer = biasprint("measure", "letters", file, "--json").json
    changes = [finding for finding in answer["findings"] if finding["id"] == "letters.mitigation.odds_ratio"]
    assert len(changes) == 9
    for change in changes:
        assert change["dims"] == {"arm": "even_words"}
        assert change["n_by_group"] == {"male": few_letters // 2, "female": few_letters // 2}
        # The synthetic author heeds no instruction: nothing is found.
        assert change["p_adjusted"] is None or change["p_adjusted"] > 0.05
    main = [f for f in answer["findings"] if f["id"] == "letters.lexicon.odds_ratio" and "arm" not in f["dims"]]
    assert {finding["n"] for finding in main} == {few_letters}
    assert {f["n"] for f in answer["findings"] if f["dims"].get("arm") and f not in changes} == {few_letters}
