"""The reader of the live board over a real project: what is shown, of which runs, and what never is."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from live_scene import Quick, store, written

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.machine.models.catalogue import scorer_title
from biasprint.core.project.changes import Changes
from biasprint.core.project.project import Project
from biasprint.core.project.specs import SourceSpec
from biasprint.core.project.stores.runs import OutputFilter
from biasprint.core.runs.live import LiveKey, LiveTally, LiveValue
from biasprint.core.runs.measure import scorers_needed
from biasprint.core.runs.setup import study_of
from biasprint.core.scorers.registry import best_scorer, score_batch
from biasprint.desktop.read.board import MOST_CURVES, BoardMeasure, StoredBoard, StudyBoard

IDENTITIES = 2_000
NAMES = ["Kelly=female", "Joseph=male"]


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.create(tmp_path / "study.biasprint") as made:
        written(made, "letters", names=NAMES)
        yield made


def count_words(project: Project, run: int | None = None) -> None:
    """The lexicon's counts of every letter, or of a run's."""
    study = study_of(project, "letters")
    where = OutputFilter(study_id=study.id, run_id=run, status="done")
    ids = [row.id for row in project.outputs.each(where)]
    info = next(one for one in scorers_needed("letters") if one.name == "lexicon")
    texts = project.outputs.texts(ids)
    _, values = Quick().call(score_batch, info.name, [texts[key] for key in ids])
    store(project, info, {("output", key): value.values for key, value in zip(ids, values, strict=True)})


def shown(board: StoredBoard) -> StudyBoard:
    found = board.load(JobContext()).board
    assert found is not None
    return found


def agentic(board: StudyBoard) -> BoardMeasure:
    return next(one for one in board.measures if one.title == "Agentic words")


def test_a_project_without_texts_has_no_measures(tmp_path: Path) -> None:
    with Project.create(tmp_path / "empty.biasprint") as made:
        assert StoredBoard(made).load(JobContext()).board is None


def test_texts_without_scores_have_a_pace_and_nothing_else(project: Project) -> None:
    board = shown(StoredBoard(project))
    assert board.measures == ()
    assert board.paces[0].rates.texts == 120
    assert [(run.done, run.wanted, run.can_go_on) for run in board.runs] == [(120, 120, True)]


def test_scores_that_come_make_the_curves_longer(project: Project) -> None:
    board = StoredBoard(project)
    shown(board)
    count_words(project)
    curve = agentic(shown(board)).curves[0]
    assert curve.trace.n[-1] == curve.value.n == 120
    assert curve.trace.value[-1] == curve.value.estimate
    assert (np.diff(curve.trace.n) > 0).all()
    assert agentic(shown(board)).curves[0].trace is curve.trace  # nothing came: nothing is drawn again


def test_what_was_there_before_the_board_was_opened_is_on_it(project: Project) -> None:
    count_words(project)
    measure = agentic(shown(StoredBoard(project)))
    assert measure.curves[0].trace.n[-1] == 120
    assert "after 120 letters, valid whenever you look." in measure.sentence
    assert "times, 95 % band" in measure.sentence


def test_picked_runs_are_curves_of_one_card(project: Project) -> None:
    first = project.runs.all()[0].id
    second = written(project, "letters", names=NAMES, seed=7)
    count_words(project)
    board = StoredBoard(project)
    board.choose(None, (first, second, 999))
    found = shown(board)
    assert found.picked == (first, second)
    names = [curve.name for curve in agentic(found).curves]
    assert names == ["large, seed 1", "large, seed 7"]
    assert [curve.place for curve in agentic(found).curves] == [0, 1]
    board.choose(None, ())
    assert len(agentic(shown(board)).curves) == 1


def test_many_groups_are_cut_to_as_many_curves_as_there_are_colours(project: Project) -> None:
    count_words(project)
    found = shown(StoredBoard(project))
    assert all(len(measure.curves) <= MOST_CURVES for measure in found.measures)


def test_a_layout_is_kept_with_the_study_and_nothing_else_of_it_changes(project: Project) -> None:
    study = study_of(project, "letters")
    changes = project.studies.keep_setting(study.id, "board", {"cards": []})
    project.studies.keep_setting(study.id, "other", 1)
    assert changes.of("study") == {study.id}
    assert shown(StoredBoard(project)).layout == {"cards": []}
    assert study_of(project, "letters").settings == {"board": {"cards": []}, "other": 1}
    assert study_of(project, "letters").title == study.title


def test_cards_take_the_names_that_axes_have_now(project: Project) -> None:
    count_words(project)
    board = StoredBoard(project)
    before = agentic(shown(board))
    assert "Male against Female" in before.sentence
    listed = board._list()
    board._list = lambda: replace(listed, names={**listed.names, "male": "men"})  # type: ignore[method-assign]
    assert agentic(shown(board)).sentence == before.sentence
    board.note(Changes.to("axis_definition", [1]))
    assert "men against" in agentic(shown(board)).sentence.lower()


def test_a_figure_of_a_stand_in_names_it_and_the_others_do_not(tmp_path: Path) -> None:
    with Project.create(tmp_path / "texts.biasprint") as made:
        written(made, "creativity", axes=["gender"], tasks=["haiku"], themes=["stars"])
        info = best_scorer("embedding")
        assert info is not None
        ids = [row.id for row in made.outputs.each()]
        chance = np.random.default_rng(1)
        store(made, info, {("output", key): chance.normal(size=8) for key in ids})
        measures = shown(StoredBoard(made)).measures
    assert {measure.stand_ins for measure in measures} == {(scorer_title(info.name),) if info.stand_in else ()}


def test_words_counted_by_the_lexicon_wear_no_badge(project: Project) -> None:
    count_words(project)
    assert agentic(shown(StoredBoard(project))).stand_ins == ()


# ---- what does not go as it should


def test_scores_that_are_no_numbers_give_sentences_and_no_curve_through_them(project: Project) -> None:
    study = study_of(project, "letters")
    ids = [row.id for row in project.outputs.each(OutputFilter(study_id=study.id))]
    info = next(one for one in scorers_needed("letters") if one.name == "lexicon")
    texts = project.outputs.texts(ids)
    _, values = Quick().call(score_batch, info.name, [texts[key] for key in ids])
    bad = (np.nan, np.inf, -np.inf)
    found = {("output", key): one.values.astype(float) for key, one in zip(ids, values, strict=True)}
    for place, key in enumerate(list(found)[::2]):
        found[key] = np.full_like(found[key], bad[place % len(bad)])
    store(project, info, found)  # type: ignore[arg-type]
    board = shown(StoredBoard(project))
    assert agentic(board).curves[0].value.n == 60
    for measure in board.measures:
        assert "nan" not in measure.sentence
        assert "inf" not in measure.sentence
        assert all(np.isfinite(curve.trace.value).all() for curve in measure.curves)


def test_a_measure_that_gives_no_number_says_so(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    key = LiveKey("songs.loudness", "loudness", "")
    monkeypatch.setattr(
        LiveTally,
        "values",
        lambda tally: (LiveValue(key, "dB", 5, np.nan), LiveValue(replace(key, label="x"), "dB", 5, 1.0, 0.5, np.inf)),
    )
    first, second = shown(StoredBoard(project)).measures
    assert first.reason == "Nothing to show yet (some scores are no numbers)."
    assert "without a band (the band has no ends)" in second.sentence


def imported(project: Project, groups: list[str]) -> None:
    """A letter of each group, brought in as a table, with the lexicon's counts."""
    study = project.studies.add("letters", "Letters").number("study")
    letters = [
        SourceSpec(
            kind="letter", origin="made.csv", row=row, text=f"She is letter {row}.", fields={"group": group}
        )
        for row, group in enumerate(groups)
    ]  # fmt: skip
    ids = sorted(project.sources.add_many(study, letters).of("source"))
    info = next(one for one in scorers_needed("letters") if one.name == "lexicon")
    _, values = Quick().call(score_batch, info.name, ["She is a good letter."])
    store(project, info, {("source", int(key)): values[0].values for key in ids})


def test_one_group_alone_has_a_sentence_where_the_curve_would_be(tmp_path: Path) -> None:
    with Project.create(tmp_path / "one.biasprint") as made:
        imported(made, ["female"] * 40)
        measure = agentic(shown(StoredBoard(made)))
    assert measure.reason == "Nothing to show yet (an odds ratio needs letters of two groups)."


def test_a_scorer_that_fails_on_some_texts_is_told_by_its_count(project: Project) -> None:
    study = study_of(project, "letters")
    info = next(one for one in scorers_needed("letters") if one.name == "lexicon")
    half = [row.id for row in project.outputs.each(OutputFilter(study_id=study.id))][:60]
    texts = project.outputs.texts(half)
    _, values = Quick().call(score_batch, info.name, [texts[key] for key in half])
    store(project, info, {("output", key): one.values for key, one in zip(half, values, strict=True)})
    board = shown(StoredBoard(project))
    assert (board.paces[0].rates.texts, board.paces[0].rates.scored["lexicon"]) == (120, 60)
    assert agentic(board).curves[0].value.n == 60


def test_thousands_of_identities_are_a_sentence(tmp_path: Path) -> None:
    with Project.create(tmp_path / "many.biasprint") as made:
        imported(made, [f"g{number}" for number in range(IDENTITIES)])
        found = shown(StoredBoard(made))
    assert len(found.measures) + found.left_out < 10
    assert found.measures[0].reason == (
        "Nothing to show yet (there are more than 24 groups: they are compared at the end)."
    )


def test_a_project_that_was_closed_is_told_and_nothing_else(project: Project) -> None:
    board = StoredBoard(project)
    shown(board)
    project.close()
    with pytest.raises(AppError, match="The project is closed"):
        board.load(JobContext())


def test_what_changed_beside_texts_is_read_when_it_is_told_of(project: Project) -> None:
    board = StoredBoard(project)
    shown(board)
    written(project, "letters", names=NAMES, seed=7)
    board.note(Changes.to("run", [2]))
    assert [run.title for run in shown(board).runs] == ["large, seed 7", "large, seed 1"]
