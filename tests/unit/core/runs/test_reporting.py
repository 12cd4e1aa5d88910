"""A study's report from stored findings: who wrote the texts, what came later, and which study it is about."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from biasprint.core.cli.app import main
from biasprint.core.errors import AppError, UsageError
from biasprint.core.findings import Adjustment, Finding, Interval
from biasprint.core.project.project import Project
from biasprint.core.project.specs import GeneratorSpec, OutputSpec, PromptSetSpec, PromptSpec, RunSpec
from biasprint.core.runs.reporting import audited, only_measured

FINDING = Finding(
    id="letters.lexicon.odds_ratio", label="agentic", title="Agentic words: male against female",
    groups=("male", "female"), estimate=1.61, unit="odds ratio", n=1, interval=Interval(1.2, 2.2, 0.95, "made up"),
    p=0.01, p_adjusted=0.02, adjust=Adjustment("Holm", "2 tests"),
)  # fmt: skip


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.create(tmp_path / "study.biasprint") as made:
        yield made


def write(project: Project, model: str) -> None:
    found = project.studies.of_kind("letters")
    study = found.id if found else project.studies.add("letters", "letters").number("study")
    spec = PromptSetSpec(name=f"set {model}", recipe={}, prompts=(PromptSpec(key="a", text="Write."),))
    prompts = project.prompts.add_set(study, spec).number("prompt_set")
    generator = project.runs.add_generator(
        GeneratorSpec(backend="llama_cpp", model=model, parameters={"temperature": 1})
    )
    run = project.runs.start(
        RunSpec(study_id=study, prompt_set_id=prompts, generator_id=generator.number("generator"), seed=1)
    ).number("run")
    (row,) = project.prompts.page(prompts)
    project.outputs.record_many([OutputSpec(run_id=run, prompt_id=row.id, sample=0, seed=1, text=model)])


def test_it_says_who_wrote_and_what_came_after_the_measure(project: Project) -> None:
    write(project, "first")
    with pytest.raises(AppError, match="not been measured"):
        audited(project, "letters")
    project.findings.replace("letters", "whole study", {"seed": 3}, [FINDING])
    found = audited(project, "letters")
    assert [(one["name"], one["n"]) for one in found.generators] == [("first", 1)]
    assert (found.findings, found.stale, found.texts) == ((FINDING,), "", "Reference letters")
    (asked,) = found.asked
    assert (asked.name, asked.version, asked.n, asked.patterns) == ("set first", 1, 1, {"Write.": 1})
    write(project, "second")
    assert audited(project, "letters").stale == (
        "These findings are stale. They were measured on 1 of 2 texts. 1 text is not in them."
    )


def test_generators_of_the_recipe_are_told_and_not_those_of_today(project: Project) -> None:
    write(project, "first")
    project.findings.replace("letters", "whole study", {"generators": [{"name": "as measured", "n": 1}]}, [FINDING])
    found = audited(project, "letters")
    assert (found.generators, found.stale) == (({"name": "as measured", "n": 1},), "")
    write(project, "second")
    assert "measured on 1 of 2 texts" in audited(project, "letters").stale


def test_which_study_is_asked_where_several_were_measured(project: Project) -> None:
    with pytest.raises(AppError, match="Nothing was measured"):
        only_measured(project)
    project.findings.replace("letters", "whole study", {}, [FINDING])
    assert only_measured(project) == "letters"
    project.findings.replace("creativity", "whole study", {}, [FINDING])
    with pytest.raises(UsageError, match="2 studies were measured"):
        only_measured(project)


def test_the_command_writes_each_format_and_refuses_in_one_sentence(
    project: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(project, "first")
    project.findings.replace("letters", "whole study", {}, [FINDING])
    project.close()
    file = str(project.path)
    for ending in ("html", "pdf", "md", "tex"):
        assert main(["report", file, "--out", str(tmp_path / f"r.{ending}")]) == 0
        assert (tmp_path / f"r.{ending}").stat().st_size > 500
    capsys.readouterr()
    folder = tmp_path / "figures"
    assert main(["report", file, "--out", str(tmp_path / "r.md"), "--figures", str(folder), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["study"], told["stale"], told["pages"][0]) == ("letters", "", "In short")
    assert told["figures"] == [str(path) for path in sorted(folder.iterdir())] != []
    assert "All findings" in told["pages"]
    assert main(["report", file, "--out", str(tmp_path / "r.md"), "--without-findings", "--json"]) == 0
    assert "All findings" not in json.loads(capsys.readouterr().out)["pages"]
    assert main(["report", file, "--out", str(tmp_path / "r.doc")]) == 2
    assert "has no ending to write to" in capsys.readouterr().err
    assert main(["report", file, "--study", "news", "--out", str(tmp_path / "n.md")]) == 1
    assert "has not been measured yet" in capsys.readouterr().err
    assert main(["report", str(tmp_path / "r.md"), "--out", str(tmp_path / "n.md")]) == 2
    assert "--report FILE" in capsys.readouterr().err
