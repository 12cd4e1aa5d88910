"""The demo without a window ends with what a real model's letters show, apart from the planted ones."""

from pathlib import Path

import pytest

from biasprint.core.findings import Finding, StudyResult
from biasprint.core.project.project import Project
from biasprint.core.runs.sample import about, unpack_sample
from biasprint.core.runs.sample_found import found, found_sentence
from biasprint.core.runs.sample_real import MODEL
from biasprint.core.studies.letters.success import SUCCESS_ID
from biasprint.desktop.headless import tell_real_letters


@pytest.fixture
def result(tmp_path: Path) -> StudyResult:
    unpack_sample(tmp_path / "Sample.biasprint")
    with Project.open(tmp_path / "Sample.biasprint", read_only=True) as project:
        findings = tuple(Finding.from_json(row.body) for row in project.findings.all("letters"))
    return StudyResult("letters", 480, {}, findings)


def test_it_ends_with_the_real_models_findings_alone(result: StudyResult, capsys: pytest.CaptureFixture[str]) -> None:
    tell_real_letters(result)
    lines = capsys.readouterr().out.strip().splitlines()
    assert lines[0] == "A real model's letters: 360 by SmolLM2 135M Instruct, nothing planted"
    told = [line for line in lines if line.startswith("letters.") and " default " in line]
    assert any(SUCCESS_ID in line for line in told)
    assert all(MODEL in line for line in told)
    assert " ".join(lines[-1].split()) == found_sentence(found(), about()["real"]["title"])
