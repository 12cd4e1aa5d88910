"""A letter that is taken out of a project goes with all that was kept of it, and others stay."""

from pathlib import Path

import numpy as np
import pytest

from biasprint.core.errors import AppError
from biasprint.core.letters.kept import remove_letter, save_letter, saved_letters
from biasprint.core.letters.reading import read_letter
from biasprint.core.letters.request import ReadingRequest
from biasprint.core.letters.values import Document, KeptLetter
from biasprint.core.project.project import Project
from biasprint.core.project.rows import ComparisonItem
from biasprint.core.project.specs import ComparisonSpec, PlanSpec, ScoreSpec

CANARY = "Quillfeather"
CV = Document("cv.txt", "txt", (f"{CANARY} led the archive.",))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    with Project.create(tmp_path / "p.biasprint") as project:
        yield project


def saved(project: Project, text: str, *, after: str = "") -> str:
    """A letter that was read and saved; the id of its reading."""
    document = Document("l.txt", "txt", (text,))
    letter = KeptLetter(document, f"Letter: {text[:12]}", CV, reading=after)
    return save_letter(project, letter, read_letter(document, ReadingRequest({}, context=CV)), "")


def test_a_letter_goes_with_every_version_of_its_text_and_leaves_no_byte(project: Project) -> None:
    first = saved(project, f"I have known {CANARY} for four years.")
    study = project.studies.all()[0].id
    (source,) = project.sources.page(study)
    values = np.zeros(1, dtype=np.float32)
    project.scores.record_many([ScoreSpec(source_id=source.id, scorer="s", version="1", values=values)])
    last = saved(project, f"I have known {CANARY} for five years.", after=first)
    other = saved(project, "I have known Ann for two years.")
    remove_letter(project, last)
    assert [one.key for one in saved_letters(project)] == [other]
    assert [row.text for row in project.sources.page(study)] == ["I have known Ann for two years."]
    remove_letter(project, other)
    assert project.sources.page(study) == ()
    path = project.path
    project.close()
    assert CANARY.encode() not in path.read_bytes()


def test_a_text_that_another_letter_has_too_stays(project: Project) -> None:
    text = "I have known Ann for two years."
    first, second = saved(project, text), saved(project, text)
    remove_letter(project, first)
    assert [one.key for one in saved_letters(project)] == [second]
    assert len(project.sources.page(project.studies.all()[0].id)) == 1


def test_a_letter_that_a_comparison_shows_stays_and_one_that_is_gone_is_no_error(project: Project) -> None:
    key = saved(project, "I have known Ann for two years.")
    study = project.studies.all()[0].id
    (source,) = project.sources.page(study)
    items = (ComparisonItem(None, "original", source=source.id), ComparisonItem(None, "other", source=source.id))
    spec = ComparisonSpec(position=0, axis="origin", task="", theme="", items=items, texts_sha256="0" * 64)
    project.judging.add_plan(PlanSpec(study_id=study, title="p", axis="origin", seed=1), [spec])
    with pytest.raises(AppError, match="A comparison shows this letter"):
        remove_letter(project, key)
    assert [one.key for one in saved_letters(project)] == [key]
    remove_letter(project, "0" * 32)
