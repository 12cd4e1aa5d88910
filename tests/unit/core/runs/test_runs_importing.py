"""Bringing tables in: refused before anything is stored, or stored whole."""

from pathlib import Path

import pytest

from biasprint.core.errors import AppError, JobCancelled, UsageError
from biasprint.core.jobs import JobContext, Progress
from biasprint.core.project.project import Project
from biasprint.core.project.specs import AxisSpec
from biasprint.core.prompts import load_axis
from biasprint.core.runs.setup import ImportResult, import_table
from biasprint.core.studies.kit.importing import store_axis
from biasprint.core.studies.registry import table_fields
from biasprint.core.texts.exporting import read_table

HEADER = "task,theme,identity,text,sample,model\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("BIASPRINT_HOME", str(tmp_path / "home"))
    with Project.create(tmp_path / "study.biasprint") as made:
        yield made


def bring(project: Project, path: Path, kind: str, content: str) -> ImportResult:
    path.write_text(content, encoding="utf-8")
    ctx = JobContext()
    return import_table(ctx, project, None, kind, path, read_table(ctx, path, kind))


def outputs(project: Project) -> dict[tuple[str, str, int], str]:
    return {(row.model, row.identity, row.sample): row.text for row in project.outputs.each()}


def test_rows_without_sample_numbers_are_counted_for_each_model_and_prompt(project: Project, tmp_path: Path) -> None:
    rows = "".join(
        f"haiku,stars,{identity},{identity} {model} {n},,{model}\n"
        for model in ("a", "b")
        for identity in ("man", "woman")
        for n in range(3)
    )
    assert bring(project, tmp_path / "creative.csv", "creativity", HEADER + rows).added == 12
    found = outputs(project)
    assert [found["b", "woman", n] for n in range(3)] == ["woman b 0", "woman b 1", "woman b 2"]
    assert {row.samples for row in project.runs.all()} == {3}


def test_an_identity_belongs_to_the_projects_own_axis_before_a_shipped_one(project: Project, tmp_path: Path) -> None:
    own = {"key": "binary", "identities": [{"key": "man", "label": "Man"}, {"key": "woman", "label": "Woman"}]}
    project.axes.add(AxisSpec(key="binary", title="Two", definition=own))
    rows = "haiku,stars,man,one,,\nhaiku,stars,woman,two,,\n"
    bring(project, tmp_path / "creative.csv", "creativity", HEADER + rows)
    assert {row.axis for row in project.outputs.each()} == {"binary"}
    assert list(project.axes.latest()) == ["binary"]


def test_the_letters_groups_are_no_identities_of_creative_writing(project: Project, tmp_path: Path) -> None:
    store_axis(project, load_axis("letters_gender"))
    rows = "haiku,stars,male,one,,\nhaiku,stars,female,two,,\n"
    bring(project, tmp_path / "creative.csv", "creativity", HEADER + rows)
    assert {row.axis for row in project.outputs.each()} == {"sex"}


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ("haiku,stars,man,x,0,a\nhaiku,stars,woman,x,0,a\nhaiku,stars,man,x,1,b\nhaiku,stars,man,y,1,b\n", "Row 4"),
        ("haiku,stars,man,x,,\nhaiku,stars,martian,x,,\nhaiku,stars,woman,x,,\n", "martian"),
        (f"haiku,{'s' * 180},man,x,,\nhaiku,stars,woman,x,,\n", "Row 1"),
        ("haiku,stars,man,x,-1,\nhaiku,stars,woman,x,0,\n", "“-1” is not a sample number"),
    ],
)
def test_a_table_that_cannot_be_stored_whole_leaves_the_project_as_it_was(
    project: Project, tmp_path: Path, rows: str, says: str
) -> None:
    with pytest.raises(AppError, match=says) as error:
        bring(project, tmp_path / "creative.csv", "creativity", HEADER + rows)
    assert error.value.kept == "Nothing was imported."
    assert (project.studies.all(), project.axes.all(), project.prompts.sets()) == ((), (), ())


def test_a_table_with_a_very_long_name_is_taken(project: Project, tmp_path: Path) -> None:
    name = "ä" * 120 + ".csv"  # 240 bytes; file systems allow 255
    assert bring(project, tmp_path / name, "letters", "text,group\nOne,male\nTwo,female\n").added == 2
    again = bring(project, tmp_path / name, "letters", "text,group\nOne,male\nTwo,female\n")
    assert (again.added, again.present) == (0, 2)


def test_only_letters_and_creative_writing_can_be_imported(project: Project, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="“texts” has no import"):
        bring(project, tmp_path / "texts.csv", "texts", "text\nOne\n")
    assert project.studies.all() == ()


def test_only_tables_of_our_own_lose_the_apostrophe_before_what_looks_like_a_formula(tmp_path: Path) -> None:
    texts = {"foreign.csv": "text,group\n'=1+1,male\n"}
    columns = "study,key,task,theme,axis,identity,sample,text,model,backend,seed,status,group"
    texts["own.csv"] = columns + "\n,,,,,,,'=1+1,,,,,male\n"
    texts["own.jsonl"] = '{"' + columns.replace(",", '":"","') + '":"male"}\n'
    texts["own.jsonl"] = texts["own.jsonl"].replace('"text":""', '"text":"\'=1+1"')
    read = {}
    for name, content in texts.items():
        (tmp_path / name).write_text(content)
        read[name] = read_table(JobContext(), tmp_path / name, "letters").rows[0].values["text"]
    assert read == {"foreign.csv": "'=1+1", "own.csv": "=1+1", "own.jsonl": "'=1+1"}


@pytest.mark.parametrize("phase", ["preparing rows", "storing prompts", ""])
def test_a_cancel_is_heard_in_every_phase_and_leaves_only_whole_parts(
    project: Project, tmp_path: Path, phase: str
) -> None:
    path = tmp_path / "many.csv"
    rows = "".join(f"Text {n},{('male', 'female')[n % 2]},Prompt {n}\n" for n in range(3000))
    path.write_text(f"text,group,prompt\n{rows}", encoding="utf-8")
    table = read_table(JobContext(), path, "compare", fields=table_fields("compare"))
    heard: list[str] = []

    def cancel(progress: Progress) -> None:
        heard.append(progress.note)
        if progress.note == phase:
            ctx.cancel()

    ctx = JobContext(cancel)
    with pytest.raises(JobCancelled):
        import_table(ctx, project, None, "compare", path, table)
    assert phase in heard
    sets, stored = [project.prompts.count(row.id) for row in project.prompts.sets()], project.outputs.count()
    assert (sets, stored) == (([3000], 500) if phase == "" else ([], 0))
    assert import_table(JobContext(), project, None, "compare", path, table).added == 3000 - stored


def test_more_rows_of_one_group_than_a_run_has_samples_are_all_imported(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("biasprint.core.studies.kit.importing.MOST_SAMPLES", 10)
    rows = "".join(f"Text {n},{('male', 'female')[n % 2]}\n" for n in range(45))
    for more in (0, 45):
        result = bring(project, tmp_path / "many.csv", "compare", f"text,group\n{rows}")
        assert (result.added, result.present) == (45 - more, more)
    assert {row.text for row in project.outputs.each()} == {f"Text {n}" for n in range(45)}
    (run,) = project.runs.all()
    assert run.samples == 10
    heads = "haiku,stars,default,Text,,\n" * 11
    with pytest.raises(AppError, match="More than 10 rows are of the same prompt and model as row 11"):
        bring(project, tmp_path / "creative.csv", "creativity", HEADER + heads)
