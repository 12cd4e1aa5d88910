"""The fingerprint panel over a real project file: nothing before the reveal, nothing after “Done”, nothing on disk."""

import html
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fake_shell import FakeShell
from fingerprint_project import Answering, choosing, cycling, plan_of, project_with_texts, rated
from inline_compute import Inline
from PySide6.QtCore import QDir, QEvent, Qt
from PySide6.QtGui import QImage
from PySide6.QtPrintSupport import QPrintDialog, QPrinter, QPrinterInfo
from PySide6.QtWidgets import QApplication, QFileDialog, QFileSystemModel, QLabel, QLineEdit, QWidget
from pytestqt.qtbot import QtBot
from seeded_part import seeded_part

from biasprint.core import compute
from biasprint.core.letters.readers.pages import of_pdf
from biasprint.core.project.project import Project
from biasprint.core.project.specs import AxisSpec
from biasprint.core.runs.fingerprint import OfferedRater, OfferedRaters
from biasprint.desktop import theme
from biasprint.desktop.panels.fingerprint.panel import ChoosePage, FingerprintPanel
from biasprint.desktop.panels.workshop.participant import PicturePage, SaveDialog
from biasprint.desktop.widgets import ElidedLabel

PATIENCE = 30_000
GENDER = ("man", "woman", "non-binary")
LABELS = ("Man", "Woman", "Non-binary")


@pytest.fixture
def shell(qapp: QApplication) -> Iterator[FakeShell]:
    made = FakeShell()
    yield made
    assert made.jobs.close()


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    monkeypatch.setattr(compute, "shared", Inline)
    with project_with_texts(tmp_path / "study.biasprint", ("gender", "orientation")) as made:
        yield made


Open = Callable[[], FingerprintPanel]


@pytest.fixture
def open_panel(qtbot: QtBot, shell: FakeShell, project: Project) -> Open:
    def make() -> FingerprintPanel:
        shell.project = project
        panel = FingerprintPanel(shell)  # type: ignore[arg-type]
        qtbot.addWidget(panel)
        panel.resize(1072, 690)
        with qtbot.waitExposed(panel):
            panel.show()
        qtbot.waitUntil(lambda: panel.pages.currentWidget() is not panel.waiting, timeout=PATIENCE)
        return panel

    return make


def see(qtbot: QtBot, panel: FingerprintPanel, place: int = 0) -> None:
    qtbot.mouseClick(panel.choose.buttons[place], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: panel.pages.currentWidget() is panel.view, timeout=PATIENCE)


def rate(project: Project, answer: Answering, *, axes: tuple[str, ...] = ("gender",), **options: Any) -> str:
    return rated(project, plan_of(project, *axes, per_axis=20), "LARK", answer, **options)


def every_word(panel: FingerprintPanel) -> str:
    """Everything that the panel's widgets hold, shown or hidden, or tell a screen reader."""
    said = []
    for widget in [panel, *panel.findChildren(QWidget)]:
        said += [widget.accessibleName(), widget.accessibleDescription(), widget.toolTip()]
        said += [widget.text()] if isinstance(widget, QLabel) else []
    return "\n".join(said)


def test_a_choice_of_one_text_is_seen_and_said(qtbot: QtBot, project: Project, open_panel: Open):
    rate(project, choosing("woman"), axes=("gender", "orientation"))
    panel = open_panel()
    assert panel.choose.buttons[0].accessibleName() == "See fingerprint: LARK"
    see(qtbot, panel)
    words = panel.view.words.text()
    assert words.startswith("You chose these texts: in 20 comparisons on gender, the one for Woman 20 times")
    assert panel.view.chip.text() == "40 comparisons, 20 on each axis"
    bars = panel.view.shares.chart.figure
    assert bars.kind == "bars"
    assert [label for _, label in bars.rows] == ["Man", "Woman", "Non-binary person", "Straight", "Queer"]
    points = [mark.value for mark in bars.marks if mark.series == bars.series[0]]
    assert points[:3] == pytest.approx([0, 3, 0])
    assert "not a judgment of a person" in panel.view.limits.text()


def test_too_little_to_say_is_said(qtbot: QtBot, project: Project, open_panel: Open):
    rate(project, cycling(*GENDER))
    panel = open_panel()
    see(qtbot, panel)
    words = panel.view.words.text()
    assert words.startswith("You chose 20 texts. That is too few to say anything about you.")
    assert "after 20 choices on gender, in 11 of 20 people who have one" in words
    assert "evidence of" not in words


def test_two_identities_are_bars(qtbot: QtBot, project: Project, open_panel: Open):
    rate(project, choosing("queer"), axes=("orientation",))
    panel = open_panel()
    see(qtbot, panel)
    bars = panel.view.shares.chart.figure
    assert bars.kind == "bars"
    assert [(mark.row, mark.value) for mark in bars.marks] == [("Straight", 0), ("Queer", 2)]
    assert bars.null == 1


def test_the_group_is_drawn_from_five_people_on(qtbot: QtBot, project: Project, open_panel: Open):
    plan = plan_of(project, "gender", per_axis=20)
    for number in range(5):
        rated(project, plan, f"P{number}", choosing("man"))
    rated(project, plan, "model-a", choosing("woman"), kind="model")
    panel = open_panel()
    see(qtbot, panel)
    bars = panel.view.shares.chart.figure
    assert bars.kind == "bars"
    assert bars.series == ("you", "group of 5", "model-a")
    assert panel.view.beside.text().startswith("The group: "), "it is there, and five are few"


def test_beside_a_model_judge_alone_it_says_how_a_person_gets_theirs(project: Project, open_panel: Open):
    rated(project, plan_of(project, "gender", per_axis=20), "model-a", choosing("woman"), kind="model")
    panel = open_panel()
    assert panel.choose.isVisible()
    said = " ".join(label.text() for label in panel.choose.people.findChildren(QLabel))
    assert "your fingerprint appears here" in said


def test_while_a_session_is_open_nothing_of_it_is_in_the_window(qtbot: QtBot, project: Project, open_panel: Open):
    rate(project, choosing("woman"), revealed=False)
    panel = open_panel()
    assert panel.nothing.isVisible()
    assert "hidden until then" in panel.nothing.text.text()
    assert not any(label in every_word(panel) for label in (*LABELS, "LARK", "ender"))
    qtbot.mouseClick(panel.nothing.button, Qt.MouseButton.LeftButton)
    assert panel.shell.panels == ["judge"]  # type: ignore[attr-defined]


def test_an_open_session_beside_a_completed_one_is_a_count(qtbot: QtBot, project: Project, open_panel: Open):
    plan = plan_of(project, "gender", per_axis=20)
    rated(project, plan, "LARK", choosing("woman"))
    rated(project, plan, "FINCH", choosing("woman"), revealed=False)
    panel = open_panel()
    assert panel.choose.open_note.text() == "1 session is still open: it is shown only after its reveal."
    assert "FINCH" not in every_word(panel)


def test_without_any_session_it_says_what_to_do(project: Project, open_panel: Open):
    panel = open_panel()
    assert "Rate comparisons in Judge" in panel.nothing.text.text()


def test_done_leaves_nothing_of_it_in_the_window(qtbot: QtBot, project: Project, open_panel: Open):
    rate(project, choosing("woman"))
    panel = open_panel()
    see(qtbot, panel)
    assert "Woman" in every_word(panel)
    qtbot.mouseClick(panel.view.done_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: panel.pages.currentWidget() is panel.choose)
    assert panel.view.fingerprint is None
    assert not any(label in every_word(panel) for label in LABELS)
    assert not panel.view.save_button.isVisible()
    assert panel.header.title.whole_text() == "Fingerprint"


def test_a_closed_project_takes_the_fingerprint_along(
    qtbot: QtBot, shell: FakeShell, project: Project, open_panel: Open
):
    rate(project, choosing("woman"))
    panel = open_panel()
    panel.choose.buttons[0].click()  # on its way
    shell.project = None
    panel.attach(None)
    qtbot.waitUntil(lambda: not shell.jobs.active())
    assert not any(label in every_word(panel) for label in (*LABELS, "LARK"))
    assert panel.pages.currentWidget() is panel.nothing


@pytest.mark.parametrize("ending", seeded_part(["png", "svg", "pdf"], 1))
def test_a_picture_is_saved_where_the_person_says(
    qtbot: QtBot, shell: FakeShell, project: Project, open_panel: Open, tmp_path: Path, ending: str, monkeypatch: Any
):
    rate(project, choosing("woman"))
    panel = open_panel()
    see(qtbot, panel)
    path = tmp_path / f"mine.{ending}"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *about: (str(path), ""))
    qtbot.mouseClick(panel.view.save_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(shell.said))
    assert shell.said == [f"Saved as “mine.{ending}”"]
    content = path.read_bytes()
    if ending == "png":
        image = QImage(str(path))
        assert (image.width(), image.height() > 1000) == (1760, True)
    elif ending == "pdf":
        assert content.startswith(b"%PDF-")
        assert content.count(b"/Type /Page\n") == 1
    else:
        words = html.unescape(content.decode("utf-8"))
        for said in ("You chose these texts: on the ", "Woman", "not a judgment of a person", "Affinity Bias Score"):
            assert said in words
        assert "LARK" not in words


def test_nothing_is_written_unless_the_person_saves(
    qtbot: QtBot, project: Project, open_panel: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    rate(project, choosing("woman"))
    before = set(tmp_path.rglob("*"))
    panel = open_panel()
    see(qtbot, panel)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *about: ("", ""))
    panel.view.save_picture()
    panel.view.done_button.click()
    assert set(tmp_path.rglob("*")) == before


def test_a_name_without_an_ending_gets_the_one_that_was_chosen(
    qtbot: QtBot, project: Project, open_panel: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    rate(project, choosing("woman"))
    panel = open_panel()
    see(qtbot, panel)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *about: (str(tmp_path / "a.b"), "Document (*.pdf)"))
    assert panel.view.ask_path() == tmp_path / "a.b.pdf"


def test_a_picture_that_cannot_be_written_is_said(
    qtbot: QtBot, shell: FakeShell, project: Project, open_panel: Open, tmp_path: Path
):
    rate(project, choosing("woman"))
    panel = open_panel()
    see(qtbot, panel)
    for path in (tmp_path / "nowhere" / "a.png", tmp_path / "a.jpg"):
        panel.view.save_to(path)
    qtbot.waitUntil(lambda: len(shell.errors) == 2)
    assert {"There is no folder" in str(one) or "cannot be saved" in str(one) for one in shell.errors} == {True}
    assert not (tmp_path / "a.jpg").exists()


def test_a_card_is_printed_on_one_sheet_with_its_limits_and_a_printer_that_is_gone_is_said(
    qtbot: QtBot, shell: FakeShell, project: Project, open_panel: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    rate(project, choosing("woman"), axes=("gender", "orientation"))
    panel = open_panel()
    see(qtbot, panel)
    card = PicturePage(shell)  # type: ignore[arg-type]
    card.setParent(panel)
    card.show_fingerprint(panel.view.fingerprint)
    monkeypatch.setattr(QPrinterInfo, "availablePrinterNames", list)
    card.ask_printer()
    assert card._told.accessibleName() == "This computer has no printer. You can save your picture instead."
    assert panel.findChild(QPrintDialog) is None
    monkeypatch.setattr(QPrinterInfo, "availablePrinterNames", lambda: ["Room 12"])
    card.ask_printer()
    dialog = panel.findChild(QPrintDialog)
    printer = dialog.printer()
    printer.setOutputFormat(QPrinter.OutputFormat.PdfFormat)
    printer.setOutputFileName(str(tmp_path / "card.pdf"))
    dialog.accepted.emit(printer)
    assert card._told.accessibleName() == "Your picture was sent to the printer."
    printed = of_pdf((tmp_path / "card.pdf").read_bytes(), "card.pdf")
    assert printed.pages == 1
    said = " ".join(" ".join(printed.paragraphs).split())
    assert "Non-binary person" in said
    assert "may give another picture" in said, "what it cannot show travels with it"
    printer.setOutputFileName(str(tmp_path / "nowhere" / "card.pdf"))
    dialog.accepted.emit(printer)
    assert "Nothing was printed" in card._told.accessibleName()
    assert dialog.isVisible()
    card.forget()
    assert not dialog.isVisible(), "the next person does not find it"
    (tmp_path / "card.pdf").unlink()
    printer.setOutputFileName(str(tmp_path / "card.pdf"))
    dialog.accepted.emit(printer)
    assert not (tmp_path / "card.pdf").exists(), "who has left prints nothing"
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def test_a_participant_first_reads_words_and_sees_figures_on_request(
    qtbot: QtBot, shell: FakeShell, project: Project, open_panel: Open
):
    rate(project, cycling(*GENDER))
    panel = open_panel()
    see(qtbot, panel)
    card = PicturePage(shell)  # type: ignore[arg-type]
    qtbot.addWidget(card)
    card.show()
    for _ in range(2):  # the next person finds it as the last one did
        card.show_fingerprint(panel.view.fingerprint)
        view = card.view
        assert view.words.isVisible()
        assert view.limits.isVisible()
        assert not view.shares.isVisible()
        assert not view.scores.isVisible()
        view.unfold.click()
        assert view.shares.isVisible()
        assert view.scores.isVisible()
        card.forget()
    assert panel.view.shares.isVisible(), "outside a workshop nobody has to ask"


def test_the_next_person_finds_no_name_and_no_file_of_the_last_where_they_save(
    qtbot: QtBot, qapp: QApplication, own_home: Path
):
    (own_home / "anna.png").write_bytes(b"")
    chosen: list[Path] = []
    window = QWidget()
    qtbot.addWidget(window)
    dialog = SaveDialog(window, chosen.append)
    dialog.show()
    (field,) = dialog.findChildren(QLineEdit, "fileNameEdit")
    assert field.text() == ""
    dialog.selectNameFilter("Document (*.pdf)")
    dialog.filterSelected.emit("Document (*.pdf)")
    assert field.text() == "", "another format names nothing either"
    (model,) = dialog.findChildren(QFileSystemModel)
    qtbot.waitUntil(lambda: model.index(str(own_home)).isValid())
    assert not model.filter() & QDir.Filter.Files
    field.setText("mine")
    dialog.accept()
    assert chosen == [own_home / "mine.pdf"]
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def test_labels_are_shown_as_they_are(qtbot: QtBot, project: Project, open_panel: Open):
    identities = [{"key": key, "label": f"<img src=x>{key}"} for key in ("queer", "straight")]
    project.axes.add(AxisSpec(key="orientation", title="<b>Whom</b>", definition={"identities": identities}))
    rate(project, choosing("queer"), axes=("orientation",))
    panel = open_panel()
    see(qtbot, panel)
    assert "the one for <img src=x>queer" in panel.view.words.text()
    assert panel.view.words.textFormat() == Qt.TextFormat.PlainText
    panel.view.shares.chart.grab()  # what can be pointed at is known once it is painted
    assert "&lt;img src=x&gt;" in panel.view.shares.chart.tooltip_at(0)


def test_every_figure_is_reached_by_keys_and_read_out(qtbot: QtBot, project: Project, open_panel: Open):
    rate(project, choosing("woman"))
    panel = open_panel()
    see(qtbot, panel)
    chart = panel.view.shares.chart
    panel.grab()
    assert len(chart.spots) == 3
    assert "you: Woman (Gender) in 20 of 20 choices" in chart.accessibleDescription()
    chart.setFocus()
    qtbot.keyClick(chart, Qt.Key.Key_Down)
    for button in (panel.view.save_button, panel.view.done_button):
        assert button.accessibleName()
        assert button.focusPolicy() & Qt.FocusPolicy.TabFocus


def test_a_figure_opens_the_texts_behind_it(qtbot: QtBot, project: Project, open_panel: Open):
    rate(project, lambda number, row: [item.identity for item in row.items].index("man" if number % 4 else "woman"))
    panel = open_panel()
    see(qtbot, panel)
    chart = panel.view.shares.chart
    panel.grab()
    chart.setFocus()
    qtbot.keyClick(chart, Qt.Key.Key_Down)
    qtbot.keyClick(chart, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: panel.figure.behind.text() == "20 texts behind it")
    assert panel.figure.heading.text() == "you: Man (Gender) in 15 of 20 choices"
    titles = panel.figure.names.stringList()
    assert all(title.endswith(" · Man") for title in titles)
    notes = []
    for place in range(20):
        panel.figure.list.setCurrentIndex(panel.figure.names.index(place))
        notes.append(panel.figure.note.text())
        assert panel.figure.text.toPlainText().startswith("Text ")
    assert notes == ["chosen"] * 15 + ["not chosen"] * 5
    panel.close_fingerprint()
    assert not panel.figure.isVisible()
    assert panel.figure.names.stringList() == []
    qtbot.waitUntil(lambda: not any(label in every_word(panel) for label in LABELS))  # a tooltip takes a moment to go


def test_other_people_s_figures_open_nothing(qtbot: QtBot, project: Project, open_panel: Open):
    plan = plan_of(project, "gender", per_axis=20)
    for number in range(5):
        rated(project, plan, f"P{number}", choosing("man"))
    panel = open_panel()
    see(qtbot, panel)
    panel.grab()
    chart = panel.view.shares.chart
    group = next(place for place, spot in enumerate(chart.spots) if spot.tip.startswith("group of 5"))
    own = next(place for place, spot in enumerate(chart.spots) if spot.tip.startswith("you"))
    assert (chart.may_open(own), chart.may_open(group)) == (True, False)
    assert "Click for" not in chart.tooltip_at(group)
    with qtbot.assertNotEmitted(chart.opened):
        chart._open(group)


@pytest.mark.parametrize(("look", "scale"), seeded_part([("light", 1.0), ("dark", 2.0), ("contrast", 2.0)], 1))
def test_it_fits_its_width_in_every_look(
    qtbot: QtBot, qapp: QApplication, project: Project, open_panel: Open, look: str, scale: float
):
    theme.apply(qapp, look, scale)
    rate(project, choosing("woman"), axes=("gender", "orientation"))
    panel = open_panel()
    see(qtbot, panel)
    qapp.processEvents()
    words, scroll = panel.view.words, panel.view._scroll
    inside = scroll.widget()
    assert inside is not None
    assert inside.width() <= scroll.viewport().width()
    assert words.height() >= words.heightForWidth(words.width())
    # Whichever place it has at this size, how much it all rests on is said once.
    assert panel.view.chip.isVisible() != panel.view.shares.note.isVisible()
    assert panel.view.done_button.visibleRegion().boundingRect().width() == panel.view.done_button.width()


def test_a_models_name_has_a_line_of_its_own_where_the_rest_would_cut_it(qtbot: QtBot, qapp: QApplication):
    page, name = ChoosePage(), "qwen2.5-coder-1.5b-instruct"
    theme.apply(qapp, "light", 2.0)
    qtbot.addWidget(page)
    page.show_raters(OfferedRaters((OfferedRater("Q", name, "model", 36, 4),), 0))
    page.resize(900, 700)
    page.show()
    qapp.processEvents()
    (label,) = (label for label in page.findChildren(ElidedLabel) if label.whole_text() == name)
    assert label.text() == name
