"""Explore: from colours to a selection, its texts and its words; and a sentence wherever there is nothing to draw."""

from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event

import board_scene as scene
import numpy as np
import pytest
from fake_shell import FakeShell
from inline_compute import Inline
from made_once import made_once
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from sklearn.decomposition import PCA

from biasprint.core import compute
from biasprint.core.jobs import JobContext
from biasprint.core.project.changes import Changes
from biasprint.core.project.project import Project
from biasprint.core.project.specs import GeneratorSpec, JudgmentSpec, OutputSpec, RaterSpec, RunSpec, ScoreSpec
from biasprint.core.project.stores.columns import Measured
from biasprint.core.prompts import cogs_set, cogs_tasks
from biasprint.core.runs.compare import compare
from biasprint.core.runs.explore import Method, TextMap
from biasprint.core.runs.setup import store_set
from biasprint.desktop import theme
from biasprint.desktop.panels.explore import ExplorePanel, MakeTexts
from biasprint.desktop.panels.explore.scores import HISTOGRAM
from biasprint.desktop.plots.cloud import HeatCells
from biasprint.desktop.plots.plot import Plot
from biasprint.desktop.read import explore
from biasprint.desktop.read.explore import ExploredTexts, FieldCodes, StoredTexts

PATIENCE = 30_000
TEXTS = 120


@pytest.fixture(autouse=True)
def computed_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compute, "shared", Inline)


def written(path: Path, *, texts: int = TEXTS, vectors: bool = True, scores: bool = True) -> Project:
    """Texts whose identity decides their words, their vectors and their scores."""
    what = ("texts to explore", texts, vectors, scores)
    made_once(what, lambda: write(path, texts, vectors=vectors, scores=scores), path)
    return Project.open(path)


def write(path: Path, texts: int, *, vectors: bool, scores: bool) -> None:
    project = Project.create(path)
    few = [each.key for each in cogs_tasks()][:1] if texts <= TEXTS else None
    prompts = store_set(project, "creativity", cogs_set(few))
    (study,) = project.studies.all()
    generator = project.runs.add_generator(GeneratorSpec(backend="written", model="scribe")).number("generator")
    run = project.runs.start(
        RunSpec(study_id=study.id, prompt_set_id=prompts.set_id, generator_id=generator, seed=1)
    ).number("run")
    chance = np.random.default_rng(0)
    specs = [
        OutputSpec(
            run_id=run, prompt_id=one.prompt.id, sample=0, seed=1,
            text=("tender rain " if one.prompt.identity == "woman" else "strong rain ") * 5 + f"no. {one.prompt.id}",
        )
        for one in project.runs.pending(run, limit=texts)
    ]  # fmt: skip
    project.outputs.record_many(specs)
    rows = list(project.outputs.each())
    here = {row.id: 20.0 * (row.identity == "woman") for row in rows}
    if vectors:
        project.scores.record_many(
            [
                ScoreSpec(output_id=key, scorer="minilm", version="1", values=side + chance.normal(size=4))
                for key, side in here.items()
            ],
            embeddings=True,
        )
    if scores:
        project.scores.record_many(
            [
                ScoreSpec(
                    output_id=key, scorer="vader", version="1", values=np.ones(1),
                    summary=None if place < 3 else side + float(chance.normal()),
                )
                for place, (key, side) in enumerate(here.items())
            ]
        )  # fmt: skip
    project.close()


@pytest.fixture
def show(qtbot: QtBot, tmp_path: Path) -> Iterator[Callable[..., ExplorePanel]]:
    """Shows the panel over a project, when everything is drawn."""
    made: list[tuple[ExplorePanel, Project]] = []

    def make(project: Project | None = None, make_source: MakeTexts = StoredTexts) -> ExplorePanel:
        project = project or written(tmp_path / "castle.biasprint")
        shell = FakeShell(project)
        panel = ExplorePanel(shell, make_source)
        made.append((panel, project))
        panel.resize(1200, 760)
        panel.show()
        qtbot.waitUntil(lambda: not shell.jobs.active(), timeout=PATIENCE)
        return panel

    yield make
    for panel, project in made:
        panel.attach(None)
        qtbot.waitUntil(lambda panel=panel: not panel.shell.jobs.active(), timeout=PATIENCE)
        panel.hide()
        panel.deleteLater()
        project.close()


def judged(path: Path) -> tuple[Project, str]:
    """A project in which a person's session is open, and that session."""
    project = written(path, texts=3_240)
    (study,) = project.studies.all()
    compare(JobContext(), project, study_id=study.id, axes=("gender",), per_axis=12, seed=1)
    (plan,) = project.judging.plans()
    rater = project.judging.add_rater(RaterSpec(code="R01")).uuid("rater")
    return project, project.judging.open_session(plan.id, rater).uuid("session")


def settle(panel: ExplorePanel, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not panel.shell.jobs.active(), timeout=PATIENCE)


def women(panel: ExplorePanel) -> np.ndarray:
    coded = panel.texts.fields["identity"]
    return coded.codes == coded.names.index("Gender · Woman")


# the map


def test_the_map_says_in_a_sentence_what_it_shows(show: Callable[..., ExplorePanel]):
    view = show().views[0]
    assert view.card.sentence.text().startswith(f"{TEXTS} texts by identity (")
    assert "similar by MiniLM embeddings, PCA" in view.card.sentence.text()
    assert view.plot.accessibleDescription().startswith(view.card.sentence.text())
    assert view.plot.x_axis.title.endswith("% of the spread")


def test_a_selection_leads_to_its_texts_side_by_side_and_to_the_words_that_tell_them(
    show: Callable[..., ExplorePanel], qtbot: QtBot
):
    panel = show()
    view = panel.views[0]
    assert view._mapped is not None
    points = view._mapped.points[women(panel)[view._mapped.indexes]]
    low, high = points.min(axis=0) - 1, points.max(axis=0) + 1
    view.plot.marked.emit(np.array([low, [high[0], low[1]], high, [low[0], high[1]]], dtype=float))
    settle(panel, qtbot)
    count = int(women(panel).sum())
    assert count > 1
    assert panel.drawer.heading.text() == f"{count} texts selected"
    texts = [pane.text() for _, pane in panel.drawer.panes]
    assert all(text.startswith("tender rain") for text in texts)
    panel.drawer.tabs.setCurrentIndex(1)
    settle(panel, qtbot)
    assert panel.drawer.more.text().startswith("tender")
    assert panel.drawer.less.text().startswith("strong")
    assert f"of the {TEXTS} texts shown" in panel.drawer.note.text()
    assert "No test" in panel.drawer.compared.text()
    QTest.keyClick(panel.drawer, Qt.Key.Key_Escape)
    assert panel.drawer.isHidden()


def test_a_group_is_selected_from_a_box_as_well(show: Callable[..., ExplorePanel], qtbot: QtBot):
    panel = show()
    view = panel.views[0]
    view.group.setCurrentIndex(view.group.findText("Gender · Woman"))
    view.group.activated.emit(view.group.currentIndex())
    settle(panel, qtbot)
    assert panel.drawer.heading.text() == f"{int(women(panel).sum())} texts selected"


def test_signs_may_tell_something_else_than_colours(show: Callable[..., ExplorePanel], qtbot: QtBot):
    view = show().views[0]
    view.shape.setCurrentIndex(view.shape.findData("task"))
    view.draw()
    assert "Signs by task (" in view.card.sentence.text()
    kinds = [entry.kind for entry in view.card.legend.entries]
    tasks = set(view.texts.fields["task"].names)
    assert kinds.count("shape") == min(len(tasks), 8)
    drawn = view.cloud.columns()
    assert set(drawn["sign: task"]) <= tasks | {"others"}
    assert "others" in drawn["group"]
    assert not view.grab().isNull()
    view.shape.setCurrentIndex(0)
    view.draw()
    assert "sign: task" not in view.cloud.columns()


def test_without_embeddings_a_sentence_and_a_button_stand_in_place_of_the_map(
    show: Callable[..., ExplorePanel], tmp_path: Path
):
    view = show(written(tmp_path / "bare.biasprint", vectors=False)).views[0]
    assert view.card.isHidden()
    assert "places texts by their embeddings" in view.nothing.text.text()
    assert not view.nothing.button.isHidden()


def test_texts_without_an_embedding_are_told_and_in_no_group_of_the_map(
    show: Callable[..., ExplorePanel], tmp_path: Path, qtbot: QtBot
):
    project = written(tmp_path / "some.biasprint", vectors=False)
    men = [row.id for row in project.outputs.each() if row.identity == "man"]
    project.scores.record_many(
        [ScoreSpec(output_id=key, scorer="minilm", version="1", values=np.arange(4) + key) for key in men],
        embeddings=True,
    )
    panel = show(project)
    view = panel.views[0]
    assert [entry.name for entry in view.card.legend.entries] == ["Gender · Man"]
    assert f"{TEXTS - len(men)} texts have no embedding." in view.card.sentence.text()
    view.group.setCurrentIndex(1)
    view.group.activated.emit(1)
    settle(panel, qtbot)
    assert panel.drawer.heading.text() == f"{len(men)} texts selected"
    panel.drawer.tabs.setCurrentIndex(1)
    settle(panel, qtbot)
    assert "none to compare with" in panel.drawer.more.text()


def test_numbers_of_a_stand_in_wear_its_badge(show: Callable[..., ExplorePanel], qtbot: QtBot):
    """The texts are embedded by minilm, in place of the papers' embedder; vader is no stand-in."""
    panel = show()
    assert panel.views[0].card.badge.text() == "stand-in: MiniLM embeddings"
    assert "stand-in: MiniLM embeddings" in panel.views[0].card.page().notes
    panel.tabs.setCurrentIndex(1)
    settle(panel, qtbot)
    assert panel.views[1].distribution.badge.isHidden()


def test_the_directions_of_many_texts_are_found_from_some_and_place_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Against scikit-learn's PCA of all of them."""
    spread = np.array([9, 4, 1, 1, 1, 1])
    vectors = (np.random.default_rng(0).normal(size=(3_000, 6)) * spread).astype(np.float32)
    monkeypatch.setattr(explore, "MOST_FITTED", 1_000)
    with Project.create(tmp_path / "many.biasprint") as project:
        found = StoredTexts(project).map_of(JobContext(), vectors, "pca")
    whole = PCA(2).fit(vectors)
    for own, other in zip(found.points.T, whole.transform(vectors).T, strict=True):
        assert abs(np.corrcoef(own, other)[0, 1]) > 0.995
    assert found.explained == pytest.approx(tuple(whole.explained_variance_ratio_), abs=0.02)


# scores


def test_scores_are_shown_by_group_with_their_n_and_what_has_none(show: Callable[..., ExplorePanel], qtbot: QtBot):
    panel = show()
    panel.tabs.setCurrentIndex(1)
    settle(panel, qtbot)
    view = panel.views[1]
    assert view.score.currentText() == "vader"
    sentence = view.distribution.sentence.text()
    assert sentence.startswith(f"{TEXTS - 3} texts with this score, ")
    assert "3 texts have none." in sentence
    assert any("Gender · Woman, n = " in entry.name for entry in view.distribution.legend.entries)


def test_a_stretch_of_scores_leads_to_its_texts(show: Callable[..., ExplorePanel], qtbot: QtBot):
    panel = show()
    panel.tabs.setCurrentIndex(1)
    settle(panel, qtbot)
    panel.views[1].above.marked.emit(np.array([[10, 0], [40, 0], [40, 1], [10, 1]], dtype=float))
    settle(panel, qtbot)
    assert "vader from 10 to 40" in panel.drawer.note.text()
    assert panel.drawer.panes[0][1].text().startswith("tender rain")


def test_two_numbers_of_a_text_are_compared_with_n_and_interval(show: Callable[..., ExplorePanel], qtbot: QtBot):
    panel = show()
    panel.tabs.setCurrentIndex(1)
    settle(panel, qtbot)
    view = panel.views[1]
    view.against.setCurrentText("vader")
    view.score.setCurrentText("length in characters")
    view.shape.setCurrentIndex(view.shape.findData(HISTOGRAM))
    view.draw()
    settle(panel, qtbot)
    assert f"n = {TEXTS - 3}" in view.single.sentence.text()
    assert "Rank correlation" in view.single.sentence.text()


def test_a_score_that_is_no_number_anywhere_is_said(show: Callable[..., ExplorePanel], qtbot: QtBot, tmp_path: Path):
    project = written(tmp_path / "none.biasprint", scores=False)
    project.scores.record_many(
        [
            ScoreSpec(output_id=key, scorer="vader", version="1", values=np.ones(1), summary=None)
            for key in project.outputs.ids()
        ]
    )
    panel = show(project)
    panel.tabs.setCurrentIndex(1)
    settle(panel, qtbot)
    assert "No text has a number for “vader”" in panel.views[1].above.nothing.text()
    panel.tabs.setCurrentIndex(2)
    settle(panel, qtbot)
    assert "No text has this score" in panel.views[2].plot.nothing.text()


def test_texts_that_a_scorer_failed_on_are_counted_apart_in_every_view(
    show: Callable[..., ExplorePanel], qtbot: QtBot, tmp_path: Path
):
    """Numbers that are none, infinite ones, and texts that were never scored."""
    project = written(tmp_path / "failed.biasprint", scores=False)
    keys = [row.id for row in project.outputs.each()]
    summaries = [None, None, *(float(n % 7) for n in range(len(keys) - 42))]
    project.scores.record_many(
        [
            ScoreSpec(output_id=key, scorer="vader", version="1", values=np.full(1, np.nan), summary=summary)
            for key, summary in zip(keys, summaries, strict=False)
        ]
    )
    panel = show(project)
    panel.tabs.setCurrentIndex(1)
    settle(panel, qtbot)
    said = panel.views[1].distribution.sentence.text()
    assert said.startswith(f"{TEXTS - 42} texts with this score")
    assert "42 texts have none." in said
    panel.tabs.setCurrentIndex(2)
    settle(panel, qtbot)
    (cells,) = panel.views[2].plot.items_drawn()
    assert int(np.sum(cells.columns()["n"])) == TEXTS - 42
    assert panel.shell.errors == []


class ManyIdentities(StoredTexts):
    """20,000 texts about 10,000 identities; of the scores a tenth is no number, or without end."""

    COUNT = 20_000

    def load(self, ctx: JobContext) -> ExploredTexts:
        names = tuple(f"identity {n}" for n in range(self.COUNT // 2))
        codes = np.arange(self.COUNT, dtype=np.int32) % len(names)
        fields = {name: FieldCodes(name, names, codes) for name in ("identity", "task")}
        measured = (Measured("vader", "1", self.COUNT),)
        ids, lengths = np.arange(1, self.COUNT + 1), np.full(self.COUNT, 80)
        return ExploredTexts(ids, np.ones(self.COUNT, dtype=bool), lengths, fields, measured, measured)

    def score(self, ctx: JobContext, texts: ExploredTexts, of: Measured) -> np.ndarray:
        values = np.random.default_rng(0).normal(size=self.COUNT)
        values[::20], values[10::20] = np.nan, np.inf
        return values

    def vectors(self, ctx: JobContext, texts: ExploredTexts, of: Measured) -> tuple[np.ndarray, np.ndarray]:
        return np.arange(self.COUNT), np.random.default_rng(0).normal(size=(self.COUNT, 8)).astype(np.float32)


def test_ten_thousand_identities_are_drawn_with_the_most_frequent_named(
    show: Callable[..., ExplorePanel], qtbot: QtBot
):
    panel = show(make_source=ManyIdentities)
    map_view, scores, heat = panel.views
    assert "the 7 most frequent of 10,000 groups, the rest as others" in map_view.card.sentence.text()
    assert len(map_view.card.legend.entries) == 8
    panel.tabs.setCurrentIndex(1)
    settle(panel, qtbot)
    assert scores.distribution.sentence.text().startswith("18,000 texts with this score, the 7 most frequent of ")
    assert "2,000 texts have none." in scores.distribution.sentence.text()
    panel.tabs.setCurrentIndex(2)
    settle(panel, qtbot)
    assert "9,970 rows and 9,970 columns are left out" in heat.card.sentence.text()
    assert panel.shell.errors == []


def test_one_group_alone_is_drawn_and_not_compared(show: Callable[..., ExplorePanel], qtbot: QtBot):
    panel = show()
    panel.tabs.setCurrentIndex(1)
    settle(panel, qtbot)
    view = panel.views[1]
    view.group.setCurrentIndex(view.group.findData("model"))
    view.draw()
    settle(panel, qtbot)
    assert [entry.name for entry in view.distribution.legend.entries] == [f"scribe, n = {TEXTS - 3}"]
    panel.tabs.setCurrentIndex(2)
    heat = panel.views[2]
    heat.value.setCurrentIndex(heat.value.findData("residuals"))
    heat.rows.setCurrentIndex(heat.rows.findData("model"))
    heat.draw()
    settle(panel, qtbot)
    assert "With one group alone there is nothing to compare" in heat.plot.nothing.text()
    assert not heat.card.save.isEnabled()


# heat maps


def test_a_cell_leads_to_its_texts(show: Callable[..., ExplorePanel], qtbot: QtBot):
    panel = show()
    panel.tabs.setCurrentIndex(2)
    settle(panel, qtbot)
    view = panel.views[2]
    (cells,) = view.plot.items_drawn()
    assert isinstance(cells, HeatCells)
    column = cells.column_names.index("Gender · Woman")
    told = view.plot.told_at(column, 0)
    assert told.startswith(f"{cells.row_names[0]} · Gender · Woman: ")
    view.plot.picked.emit(float(column), 0.0)
    settle(panel, qtbot)
    assert panel.drawer.note.text().startswith(f"{cells.row_names[0]} · Gender · Woman")
    assert panel.drawer.panes[0][1].text().startswith("tender rain")


def test_choices_are_asked_for_where_none_is_revealed(show: Callable[..., ExplorePanel], qtbot: QtBot):
    panel = show()
    panel.tabs.setCurrentIndex(2)
    view = panel.views[2]
    view.value.setCurrentIndex(view.value.count() - 1)
    view.draw()
    settle(panel, qtbot)
    assert "No choices between different groups" in view.plot.nothing.text()


# the panel's life


def test_an_empty_project_says_what_to_do(show: Callable[..., ExplorePanel], tmp_path: Path):
    panel = show(Project.create(tmp_path / "empty.biasprint"))
    assert not panel.nothing.isHidden()
    assert panel.main.isHidden()
    panel.nothing.button.click()
    assert panel.shell.panels == ["generate"]


def test_while_the_texts_are_read_nobody_says_that_there_are_none(show: Callable[..., ExplorePanel], qtbot: QtBot):
    panel = show()
    panel.attach(panel.shell.project)
    assert panel.nothing.isHidden()
    assert panel.count.text() == ""
    settle(panel, qtbot)
    assert panel.count.text() == f"{TEXTS} texts"


def test_a_project_closed_while_it_is_read_leaves_nothing_behind(
    qtbot: QtBot, tmp_path: Path, show: Callable[..., ExplorePanel]
):
    panel = show()
    panel.refresh()
    panel.attach(None)
    settle(panel, qtbot)
    assert len(panel.texts) == 0
    assert panel.shell.errors == []
    for view in panel.views:
        view.draw()
    settle(panel, qtbot)
    assert panel.shell.errors == []


def test_a_project_closed_while_a_map_is_worked_out_shows_nothing_of_it(
    show: Callable[..., ExplorePanel], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
):
    panel = show()
    view, began, go_on = panel.views[0], Event(), Event()
    placed = StoredTexts.map_of

    def slowly(self: StoredTexts, ctx: JobContext, vectors: np.ndarray, method: Method) -> TextMap:
        began.set()
        assert go_on.wait(PATIENCE / 1000)
        return placed(self, ctx, vectors, method)

    monkeypatch.setattr(StoredTexts, "map_of", slowly)
    view._drawn = None
    view.draw()
    qtbot.waitUntil(began.is_set, timeout=PATIENCE)
    panel.attach(None)
    go_on.set()
    settle(panel, qtbot)
    assert view._mapped is None
    assert panel.shell.errors == []


def test_while_somebody_rates_nothing_is_shown_without_a_question(
    show: Callable[..., ExplorePanel], qtbot: QtBot, tmp_path: Path
):
    """Every text stands here beside its identity: whoever rates would know what the cards hide."""
    project, session = judged(tmp_path / "open.biasprint")
    panel = show(project)
    assert panel.main.isHidden()
    assert not panel.rating.isHidden()
    assert all(len(view.texts) == 0 for view in panel.views)
    panel.rating.button.click()
    settle(panel, qtbot)
    assert not panel.main.isHidden()
    assert len(panel.views[0].texts) == 3_240
    panel.changed(Changes.to("output", [1]))
    settle(panel, qtbot)
    assert not panel.main.isHidden(), "asked once for a session"
    other = project.judging.add_rater(RaterSpec(code="R02")).uuid("rater")
    (plan,) = project.judging.plans()
    second = project.judging.open_session(plan.id, other).uuid("session")
    panel.changed(Changes.to("session", [second]))
    settle(panel, qtbot)
    assert panel.main.isHidden(), "another session, another question"
    for one in (session, second):
        project.judging.reveal(one)
    panel.changed(Changes.to("session", [session, second]))
    settle(panel, qtbot)
    assert not panel.main.isHidden()


def test_what_there_is_so_far_is_told_while_a_large_project_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(explore, "FIRST_SHOWN_SECONDS", 0.0)
    project = written(tmp_path / "large.biasprint")
    page = project.columns.outputs
    monkeypatch.setattr(project.columns, "outputs", lambda after: page(after, 50))
    parts: list[explore.ExploredTexts] = []
    ctx = JobContext(lambda progress: parts.append(progress.partial) if progress.partial else None)
    found = StoredTexts(project).load(ctx)
    project.close()
    assert [len(part) for part in parts][:1] == [50]
    assert not parts[0].complete
    assert found.complete
    assert len(found) == TEXTS
    assert set(found.fields["model"].names) == {"scribe"}


def test_an_open_session_is_in_no_choice(tmp_path: Path):
    """Live charts must not unblind a rater: only revealed sessions are read."""
    project, session = judged(tmp_path / "judged.biasprint")
    (plan,) = project.judging.plans()
    row = next(one for one in project.judging.comparisons(plan.id) if not one.repeat_of)
    project.judging.record(
        JudgmentSpec(
            session_id=session, comparison_id=row.id, outcome="choice", chosen=0,
            shown=tuple(range(len(row.items))), texts_sha256=row.texts_sha256, active_seconds=1.0,
        )
    )  # fmt: skip
    source = StoredTexts(project)
    assert source.chosen(JobContext()) == ()
    project.judging.reveal(session)
    (found,) = source.chosen(JobContext())
    assert (found.rater, found.chosen) == ("R01", 0)
    project.close()


# looks


@pytest.mark.parametrize("name", ["dark", "contrast"])
def test_every_plot_takes_a_theme_that_is_switched_while_the_panel_is_open(
    show: Callable[..., ExplorePanel], qtbot: QtBot, qapp: QApplication, name: str
):
    panel = show()
    for place in range(panel.tabs.count()):
        panel.tabs.setCurrentIndex(place)
        settle(panel, qtbot)
    theme.apply(qapp, name, 1.0)
    tokens = theme.current()
    wanted = {tokens.surface.lower(), tokens.edge.lower()}  # ground and axes; plots are painted one after the other
    seen = 0
    for place in range(panel.tabs.count()):
        panel.tabs.setCurrentIndex(place)
        settle(panel, qtbot)
        for plot in panel.views[place].findChildren(Plot):
            if plot.isVisible() and plot.items_drawn():
                seen += 1
                assert plot.tokens is tokens
                qtbot.waitUntil(lambda plot=plot: wanted <= set(scene.colours(plot)), timeout=PATIENCE)
                assert theme.tokens_for("light").edge.lower() not in scene.colours(plot), plot.accessibleName()
    assert seen == 4  # the map, two of scores, the heat map
