"""Which studies there are, and that what they name exists."""

import pytest

from biasprint.core.errors import AppError, UsageError
from biasprint.core.studies.kit.study import Study
from biasprint.core.studies.registry import studies, study


@pytest.mark.parametrize("kind", studies())
def test_the_program_s_own_studies_have_every_part(kind: str) -> None:
    one = studies()[kind]
    assert all((one.figures, one.findings, one.words.rows, one.questions, one.has_prompts))
    assert vars(type(one)).keys() >= {"draft", "draw", "work"}
    assert vars(type(one.work())).keys() >= {"of_tables", "prepared", "simulated"}


def test_the_kind_of_data_is_seen_from_its_fields() -> None:
    creativity = study("creativity")
    judged = creativity.input_for({"comparison", "rater", "axis", "shown", "outcome", "chosen"})
    written = creativity.input_for({"task", "theme", "identity", "text", "model"})
    assert judged is not None
    assert written is not None
    assert (judged.name, written.name) == ("judgments", "outputs")
    assert creativity.input_for({"text"}) is None


def test_an_unknown_study_is_a_usage_error_that_names_the_known() -> None:
    with pytest.raises(UsageError, match="news, completion, creativity, letters"):
        study("astrology")


def test_a_plug_in_adds_a_study_but_cannot_take_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    from biasprint.core.studies import registry

    class Point:
        def __init__(self, name: str) -> None:
            self.name = name

        def load(self) -> Study:
            study = Study()
            study.kind, study.title = self.name, "From outside"
            return study

    monkeypatch.setattr(registry, "entry_points", lambda group: [Point("songs"), Point("letters")])
    studies.cache_clear()
    try:
        assert study("songs").title == "From outside"
        assert study("letters").title == "Reference letters"
    finally:
        studies.cache_clear()


def test_a_broken_plug_in_is_left_out_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    from biasprint.core.studies import registry

    class Point:
        name = "songs"

        def load(self) -> object:
            raise ImportError("no module named rhymes")

    monkeypatch.setattr(registry, "entry_points", lambda group: [Point()])
    studies.cache_clear()
    try:
        assert "songs" not in studies()
        with pytest.raises(AppError, match="no module named rhymes"):
            study("songs")
    finally:
        studies.cache_clear()
