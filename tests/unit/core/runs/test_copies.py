"""Rows that come twice: copies are counted once, and what repeats is named, in every study."""

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from inline_compute import Inline

from biasprint.core.findings import Finding
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.project.specs import GeneratorSpec, OutputSpec, PromptSetSpec, PromptSpec, RunSpec
from biasprint.core.report.audit.content import audit_report
from biasprint.core.runs.measure import MeasuredStudy, measure_project, measure_tables
from biasprint.core.runs.reporting import audited
from biasprint.core.runs.setup import import_table
from biasprint.core.studies.kit.declared import MeasureOptions
from biasprint.core.texts.exporting import read_table
from biasprint.core.texts.replies import COPY, LONG, is_long

INLINE: Any = Inline()
WORDS = (
    "careful", "warm", "expert", "leader", "helpful", "kind", "brilliant", "delightful", "he", "she", "woman", "man",
    "worked", "wrote", "the", "a", "report", "team", "garden", "city", "and", "with", "always", "never", "quickly",
)  # fmt: skip
Row = Mapping[str, str]


def texts(count: int, words: int = 2 * LONG) -> list[str]:
    rng = np.random.default_rng(5)
    return [" ".join(rng.choice(WORDS, words)) + "." for _ in range(count)]


def news() -> list[Row]:
    made = texts(24)
    return [
        {"headline": f"headline {place}", "original": original, "generated": article}
        for place, (original, article) in enumerate(zip(made[:12], made[12:], strict=True))
    ]


def letters() -> list[Row]:
    return [{"text": text, "group": ("male", "female")[place % 2]} for place, text in enumerate(texts(24))]


def creativity() -> list[Row]:
    who = ("man", "woman")
    return [
        {"task": "story", "theme": f"theme {place // 2}", "identity": who[place % 2], "text": text}
        for place, text in enumerate(texts(24))
    ]


def compare() -> list[Row]:
    return [{"group": "ab"[place % 2], "text": text} for place, text in enumerate(texts(24))]


LONG_STUDIES: dict[str, Callable[[], list[Row]]] = {
    "news": news, "letters": letters, "creativity": creativity, "compare": compare,
}  # fmt: skip


def completion() -> list[Row]:
    item = {"domain": "beauty", "direction": "ASA", "pronoun": "He", "positive": "kind", "negative": "rude",
            "neutral": "tall"}  # fmt: skip
    rng = np.random.default_rng(6)
    return [
        {**item, "given": ("positive", "negative")[place % 2], "term": f"term {place // 2}",
         "response": str(rng.choice(("kind", "rude", "tall")))}
        for place in range(24)
    ]  # fmt: skip


def table(path: Path, rows: Sequence[Row]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def of_tables(study: str, *paths: Path) -> MeasuredStudy:
    return measure_tables(JobContext(), paths, study, MeasureOptions(), INLINE)


def plain(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """The findings, but for how many rows were left out before."""
    return [{**finding.to_json(), "dropped": {}} for finding in findings]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIASPRINT_HOME", str(tmp_path / "home"))


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.create(tmp_path / "study.biasprint") as made:
        yield made


def imported(project: Project, study: str, path: Path) -> None:
    read = read_table(JobContext(), path, study)
    import_table(JobContext(), project, None, study, path, read)


@pytest.mark.parametrize("study", LONG_STUDIES)
def test_a_table_with_every_row_doubled_gives_what_it_gives_without(study: str, tmp_path: Path) -> None:
    rows = LONG_STUDIES[study]()
    once = of_tables(study, table(tmp_path / "once.csv", rows))
    twice = of_tables(study, table(tmp_path / "twice.csv", [*rows, *rows]))
    assert plain(twice.result.findings) == plain(once.result.findings)
    n = len(rows)
    assert (twice.result.rows, twice.result.dropped[COPY]) == (2 * n, n)
    assert twice.recipe["left_out"][COPY] == n
    assert f"{n} of {2 * n} rows are exact copies of others and were counted once: n = {n}." in twice.remarks
    assert COPY not in once.result.dropped


@pytest.mark.parametrize("study", LONG_STUDIES)
def test_so_does_a_project_with_the_table_brought_in_and_its_report_says_so(
    study: str, tmp_path: Path, project: Project
) -> None:
    rows = LONG_STUDIES[study]()
    once = of_tables(study, table(tmp_path / "once.csv", rows))
    imported(project, study, table(tmp_path / "twice.csv", [*rows, *rows]))
    result = measure_project(JobContext(), project, study, MeasureOptions(), INLINE)
    n = len(rows)
    assert {finding.n for finding in result.result.findings} == {finding.n for finding in once.result.findings}
    assert (result.result.rows, result.result.dropped[COPY]) == (2 * n, n)
    said = f"{n} of {2 * n} rows are exact copies of others and were counted once: n = {n}."
    assert said in result.remarks
    first_page = str(audit_report(audited(project, study)).pages[0])
    assert said in first_page
    assert f"{n} × {COPY}" in first_page


@pytest.mark.parametrize("study", LONG_STUDIES)
def test_a_table_brought_in_twice_under_two_names_is_counted_once(study: str, tmp_path: Path, project: Project) -> None:
    rows = LONG_STUDIES[study]()
    imported(project, study, table(tmp_path / "once.csv", rows))
    imported(project, study, table(tmp_path / "again.csv", rows))
    result = measure_project(JobContext(), project, study, MeasureOptions(), INLINE).result
    assert (result.rows, result.dropped[COPY]) == (2 * len(rows), len(rows))


def test_replies_of_a_word_are_counted_and_what_repeats_is_named(tmp_path: Path, project: Project) -> None:
    rows = completion()
    path = table(tmp_path / "twice.csv", [*rows, *rows])
    imported(project, "completion", path)
    for measured in (
        of_tables("completion", path),
        measure_project(JobContext(), project, "completion", MeasureOptions(), INLINE),
    ):
        assert COPY not in measured.result.dropped
        assert measured.recipe["repeated"] == 24
        (said,) = [remark for remark in measured.remarks if "repeat another" in remark]
        assert said.startswith("24 of 48 rows repeat another")
        assert said.endswith("if they are copies, n = 24.")
    assert said in str(audit_report(audited(project, "completion")).pages[0])


def test_two_samples_of_a_generator_that_are_the_same_text_are_named_and_counted(project: Project) -> None:
    (text,) = texts(1)
    prompts = tuple(
        PromptSpec(key=f"{place}", text=f"Write {place}", fields={"group": "ab"[place % 2], "block": str(place // 2)})
        for place in range(20)
    )
    study = project.studies.add("compare", "Compare").number("study")
    set_id = project.prompts.add_set(study, PromptSetSpec(name="p", recipe={}, prompts=prompts)).number("prompt_set")
    by_key = project.prompts.by_key(set_id, [prompt.key for prompt in prompts])
    generator = project.runs.add_generator(GeneratorSpec(backend="openai", model="m")).number("generator")
    run = project.runs.start(
        RunSpec(study_id=study, prompt_set_id=set_id, generator_id=generator, seed=0, samples=2)
    ).number("run")
    project.outputs.record_many(
        [
            OutputSpec(run_id=run, prompt_id=prompt, sample=sample, seed=0, text=f"{text} {key}", finish_reason="stop")
            for key, prompt in by_key.items()
            for sample in (0, 1)
        ]
    )
    measured = measure_project(JobContext(), project, "compare", MeasureOptions(), INLINE)
    assert COPY not in measured.result.dropped
    assert (measured.result.rows, measured.recipe["repeated"]) == (40, 20)
    assert any(remark.startswith("20 of 40 rows repeat another") for remark in measured.remarks)


def test_the_same_text_of_another_group_prompt_or_model_is_no_copy(tmp_path: Path) -> None:
    (text,) = texts(1)
    rows = [
        {"group": group, "block": block, "model": model, "text": text}
        for group in "ab" for block in "12" for model in ("m", "o")
    ]  # fmt: skip
    measured = of_tables("compare", table(tmp_path / "all.csv", rows))
    assert COPY not in measured.result.dropped
    assert "repeated" not in measured.recipe


def test_answers_that_are_numbers_or_yes_and_no_may_well_be_equal(tmp_path: Path) -> None:
    rows = [{"group": "ab"[place % 2], "outcome": ("yes", "no")[place // 2 % 2]} for place in range(40)]
    measured = of_tables("compare", table(tmp_path / "outcomes.csv", rows))
    assert (measured.result.rows, dict(measured.result.dropped)) == (40, {})
    assert "repeated" not in measured.recipe


def test_a_judgment_that_a_table_has_twice_counts_once(tmp_path: Path) -> None:
    rows = [
        {"comparison": str(place), "rater": "R1", "axis": "gender", "shown": "man|woman", "outcome": "choice",
         "chosen": ("man", "woman", "woman")[place % 3]}
        for place in range(12)
    ]  # fmt: skip
    once = measure_tables(JobContext(), [table(tmp_path / "o.csv", rows)], "creativity", MeasureOptions(), INLINE)
    doubled = table(tmp_path / "t.csv", [row for row in rows for _ in range(2)])
    twice = measure_tables(JobContext(), [doubled], "creativity", MeasureOptions(), INLINE)
    assert plain(twice.result.findings) == plain(once.result.findings)
    assert twice.result.dropped[COPY] == 12


@pytest.mark.parametrize(("words", "long"), [(LONG - 1, False), (LONG, True), (LONG + 1, True)])
def test_a_long_text_has_at_least_so_many_words(words: int, long: bool) -> None:
    assert is_long(" ".join(["word"] * words)) is long
