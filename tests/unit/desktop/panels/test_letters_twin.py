"""The twin view: what is marked, what is listed, what is said, and that nothing of a letter stays behind."""

from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from biasprint.core.findings import ScorerUse
from biasprint.core.letters.request import ReadingRequest
from biasprint.core.letters.values import (
    AskedSentence,
    Document,
    LetterFigure,
    Mark,
    NameFigure,
    NameTwin,
    NameTwins,
    Naming,
    Part,
    Reading,
    Sentence,
    SentenceDifference,
    Suspicion,
    TwinDifference,
    figure_differences,
)
from biasprint.core.swap import Person
from biasprint.core.swap.name_groups import NameGroup
from biasprint.core.swap.page import Change, Twin, applied
from biasprint.desktop import theme
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.operations.letters import (
    Checked,
    LetterRequest,
    NamesToChoose,
    suggested,
    why_no_rewrite,
)
from biasprint.desktop.panels.letters.twin import RewriteDialog, TwinPage
from biasprint.desktop.panels.letters.twin_parts import figure_lines, places_of, places_said, sentence_lines, signed
from biasprint.desktop.panels.letters.twin_texts import TwinMark, TwinView
from biasprint.desktop.panels.letters.twin_whom import TwinPersonBar, Whom
from biasprint.desktop.widgets import StandInBadge

PATIENCE = 120_000
TEXT = "Kelly Moreno is an artist.\n\nShe paints, and “Kelly” is known. I recommend her."
FORMAL = ScorerUse("formality", "formality_f", "1", None, True)
KELLY, JOSEPH = Person("Kelly", "Moreno", "", "she"), Person("Joseph", "Moreno", "", "he")


def change(old: str, new: str, *, doubt: str = "", nth: int = 0) -> Change:
    start = -1
    for _ in range(nth + 1):
        start = TEXT.index(old, start + 1)
    return Change(start, start + len(old), old, new, "a reason", doubt)


CHANGES = (change("Kelly", "Joseph"), change("She", "He"), change("her", "him", doubt="hers or him"))
LEFT = (change("Kelly", "Kelly", doubt="stands in quotation marks", nth=1),)
TWIN = Twin(applied(TEXT, CHANGES), CHANGES, LEFT)
SENTENCE = TEXT[TEXT.index("She") :]
PAINTS = Mark("gender", TEXT.index("paints"), TEXT.index("paints") + 6, 1, "paints", "a reason", "a source")
QUESTION = "Would you have written this of him? 1 sentence names gender, looks or family."


def reading(text: str, person: Person, formal: float = 0.5, suspicions: tuple[Suspicion, ...] = ()) -> Reading:
    document = Document("letter.txt", "txt", tuple(text.split("\n\n")))
    sentences = [Sentence(0, 0, text.index("\n"), text[: text.index("\n")], "body")]
    start = text.index("\n") + 2
    sentences.append(Sentence(1, start, len(text), text[start:], "body"))
    figures = (
        LetterFigure("words", "Length", 14.0, "words", 14),
        LetterFigure("formality", "Formal", formal, "share of sentences", 2, 0.1, 0.9, "", FORMAL),
    )
    return Reading(
        document, (Part("body", 0, len(text)),), person, tuple(sentences), (), (), (), figures, Naming(0, 0, 1, 0), (),
        "", suspicions, (FORMAL,), {},
    )  # fmt: skip


def difference(*, made_by: str = "") -> TwinDifference:
    own, other = reading(TEXT, KELLY), reading(TWIN.text, JOSEPH, 1.0)
    scored = SentenceDifference(1, 1, "formality", "formality_f", 0.25, 0.75, turned=True)
    return TwinDifference(
        KELLY, JOSEPH, own, other, figure_differences(own, other), () if made_by else (scored,), 0,
        ("The scorer of formality (formality_f) gives 1 sentence another value.",),
        twin=None if made_by else TWIN, made_by=made_by, question="" if made_by else QUESTION,
        asked=() if made_by else (AskedSentence(1, 1, (PAINTS,), ("marked for gender",)),),
    )  # fmt: skip


@pytest.fixture
def view(qtbot: QtBot) -> Iterator[TwinView]:
    made = TwinView()
    qtbot.addWidget(made)
    made.resize(1024, 560)
    made.show()
    made.show_difference(difference())
    QApplication.processEvents()
    yield made
    made.hide()


def test_every_change_is_found_at_its_place_in_both_texts() -> None:
    places = places_of(difference())
    assert [one.look for one in places] == ["changed", "changed", "left", "doubted"]
    assert [TEXT[one.start : one.end] for one in places] == ["Kelly", "She", "Kelly", "her"]
    assert [TWIN.text[one.twin_start : one.twin_end] for one in places] == ["Joseph", "He", "Kelly", "him"]
    assert places_said(places) == "3 changes · 1 left as it was · 2 to look at"
    assert "quotation marks" in places[2].why


def test_what_a_generator_wrote_has_no_changes() -> None:
    assert places_of(difference(made_by="a model")) == ()


def test_only_figures_that_differ_are_listed_with_their_badge() -> None:
    (line,) = figure_lines(difference())
    assert (line.title, line.letter, line.twin, line.difference) == ("Formal", "50 %", "100 %", "+50 points")
    assert line.stand_in


def test_a_sentence_score_is_listed_with_both_values() -> None:
    (line,) = sentence_lines(difference())
    assert (line.letter, line.twin, line.difference, line.turned) == ("0.25", "0.75", "+0.50", True)
    assert TEXT[slice(*line.place)].startswith("She")
    assert TWIN.text[slice(*line.twin_place)].startswith("He")


@pytest.mark.parametrize(
    ("value", "said"), [(0.004, "+<0.01"), (-0.004, "−<0.01"), (0.0, "±0.00"), (0.12, "+0.12"), (-1.5, "−1.50")]
)
def test_a_difference_too_small_to_show_is_not_shown_as_none(value: float, said: str) -> None:
    assert signed(value, 2) == said


def test_marks_are_told_by_more_than_colour(view: TwinView) -> None:
    for text in (view.texts.left, view.texts.right):
        styles = [one.format.underlineStyle() for one in text.extraSelections()]
        assert len(styles) == 4
        assert len(set(styles)) == 3
    shown = [one.cursor.selectedText() for one in view.texts.right.extraSelections()]
    assert shown == ["Joseph", "He", "Kelly", "him"]


def test_paragraphs_begin_beside_their_twins(view: TwinView) -> None:
    view.resize(620, 560)
    long = TEXT.replace("She paints", "She " + "paints and paints " * 12)
    view.texts.show_texts(("a", "b"), (TEXT, long), ())
    view.texts.align()
    left, right = view.texts.left, view.texts.right
    for text in (left, right):
        text.document().size()
    assert left.heights() != right.heights()
    last = [text.document().lastBlock() for text in (left, right)]
    tops = [
        text.document().documentLayout().blockBoundingRect(block).top()
        for text, block in zip((left, right), last, strict=True)
    ]
    assert tops[0] == pytest.approx(tops[1], abs=1)
    assert left.whole_height() == pytest.approx(right.whole_height(), abs=1)
    assert left.verticalScrollBar().maximum() == pytest.approx(right.verticalScrollBar().maximum(), abs=1)


def test_a_very_long_text_comes_in_pieces_and_is_marked_to_its_end(view: TwinView, qtbot: QtBot) -> None:
    long = "Kelly paints. " * 10_000
    at = len(long) - 14
    mark = TwinMark("0", "changed", at, at + 5, "")
    text = view.texts.left
    text.open_text(long, [mark])
    assert not text.all_shown
    assert text.extraSelections() == []
    qtbot.waitUntil(lambda: bool(text.extraSelections()), timeout=PATIENCE)
    (drawn,) = text.extraSelections()
    assert drawn.cursor.selectedText() == "Kelly"


def test_both_texts_scroll_as_one(view: TwinView) -> None:
    long = "\n\n".join(f"{TEXT} {n}" for n in range(30))
    view.texts.show_texts(("a", "b"), (long, long), ())
    view.texts.align()
    bar = view.texts.left.verticalScrollBar()
    assert bar.maximum() > 0
    bar.setValue(bar.maximum() // 2)
    assert view.texts.right.verticalScrollBar().value() == bar.value()
    view.texts.right.verticalScrollBar().setValue(bar.maximum())
    assert bar.value() == bar.maximum()


def test_a_change_chosen_in_the_list_stands_out_in_both_texts(view: TwinView) -> None:
    view.changes.select("1")
    background = theme.current().accent.lower()
    for text, word in ((view.texts.left, "She"), (view.texts.right, "He")):
        current = [one for one in text.extraSelections() if one.format.background().color().name() == background]
        assert [one.cursor.selectedText() for one in current] == [word]
    assert "She → He" in view.texts.note.text()


def test_the_keyboard_in_a_text_chooses_the_change_under_the_cursor(view: TwinView, qtbot: QtBot) -> None:
    text = view.texts.left
    text.setFocus()
    text.setTextCursor(text.cursor_for(0, 0))
    with qtbot.waitSignal(view.place_chosen) as chosen:
        qtbot.keyClick(text, Qt.Key.Key_Right)
    assert chosen.args == ["0"]
    assert view.changes.current_key == "0"


def test_a_sentence_is_shown_in_both_texts(view: TwinView) -> None:
    view.sentences.list.select("sentence 0")
    for text, begin in ((view.texts.left, "She paints"), (view.texts.right, "He paints")):
        drawn = text.extraSelections()
        assert drawn[0].cursor.selectedText().startswith(begin)


def test_findings_stand_there_with_the_badge_of_a_stand_in(view: TwinView) -> None:
    labels = [label.text() for label in view.findings.findChildren(type(view.findings.limits))]
    assert any("gives 1 sentence another value" in text for text in labels)
    assert any(badge.isVisible() for badge in view.findings.findChildren(StandInBadge))


def test_letters_of_a_generator_are_named_as_such(view: TwinView) -> None:
    view.show_difference(difference(made_by="Some model (llama_cpp)"))
    assert "written again" in view.texts.left_head.text()
    assert "Some model" in view.changes_said.text()
    assert not view.findings.limits.isVisible()


def test_without_room_the_texts_are_a_page_of_their_own(view: TwinView) -> None:
    view.resize(700, 560)
    assert view.tabs.count() == 5
    assert view.texts.isVisible()
    view.tabs.setCurrentIndex(3)
    assert not view.texts.isVisible()
    assert view.changes.isVisible()
    view.resize(1024, 560)
    assert view.tabs.count() == 4


def test_the_twin_is_copied_exactly_and_only_when_asked(view: TwinView) -> None:
    QGuiApplication.clipboard().clear()
    assert view.copy_twin()
    assert QGuiApplication.clipboard().text() == TWIN.text


def test_nothing_of_a_letter_stays_when_it_is_closed(view: TwinView) -> None:
    view.forget()
    assert not view.copy_twin()
    assert view.texts.left.toPlainText() == view.texts.right.toPlainText() == ""
    assert view.changes.table.rowCount() == 0
    assert view.sentences.list.table.rowCount() == 0
    assert view.asked.list.table.rowCount() == 0
    assert view.asked.question.text() == view.findings.question.text() == ""


def test_one_click_lists_what_to_ask_and_leads_to_the_sentence(view: TwinView, qtbot: QtBot) -> None:
    assert view.findings.question.text().startswith("Would you have written this of him?")
    assert view.tabs.tabText(1) == "To ask 1"
    qtbot.mouseClick(view.findings.to_asked, Qt.MouseButton.LeftButton)
    assert view.asked.list.isVisible()
    (row,) = view.asked.list.table.rows
    assert row.cells == ("She paints, and “Kelly” is known. I recommend her.\n“paints”: marked for gender",)
    for text, begin in ((view.texts.left, "She paints"), (view.texts.right, "He paints")):
        assert text.extraSelections()[0].cursor.selectedText().startswith(begin)
    assert "marked for gender" in view.texts.note.text()
    with qtbot.waitSignal(view.letter_wanted) as wanted:
        qtbot.keyClick(view.asked.list, Qt.Key.Key_Return)
    assert (wanted.args[0].place[0], wanted.args[0].mark) == (TEXT.index("She"), PAINTS.key(SENTENCE))


def test_without_room_a_click_on_a_sentence_leads_to_the_texts(view: TwinView) -> None:
    view.resize(700, 560)
    view.show_asked()
    assert not view.texts.isVisible()
    view.asked.list.clicked.emit(view.asked.list.table.index(0, 0))
    assert view.texts.isVisible()
    assert "marked for gender" in view.texts.note.text()


def test_without_a_sentence_to_ask_about_there_is_no_list(view: TwinView) -> None:
    view.show_difference(replace(difference(), asked=(), question="No sentences name gender."))
    assert not view.findings.to_asked.isVisible()
    view.tabs.setCurrentIndex(1)
    assert not view.asked.list.isVisible()
    assert "No sentences" in view.asked.question.text()


def test_the_suggested_name_is_of_the_other_group_and_always_the_same() -> None:
    assert suggested(KELLY) == suggested(KELLY)
    for person, pronoun in ((KELLY, "he"), (JOSEPH, "she"), (Person("Alex", "Moreno", "", "they"), "she")):
        other = suggested(person)
        assert other.pronoun == pronoun
        assert other.first_name not in ("", person.first_name)
        assert other.last_name == "Moreno"


def checked(context: Document | None = None, suspicions: tuple[Suspicion, ...] = ()) -> Checked:
    read = reading(TEXT, KELLY, suspicions=suspicions)
    return Checked(LetterRequest(read.document, ReadingRequest(context=context)), read, {})


def test_why_a_generator_cannot_write_is_said() -> None:
    assert "CV" in why_no_rewrite(checked())
    assert why_no_rewrite(checked(Document("cv.txt", "txt", ("Kelly paints.",)))) == ""


def test_a_letter_that_cannot_be_read_has_no_twin_and_says_why(window: MainWindow, qtbot: QtBot) -> None:
    page = TwinPage(window)
    qtbot.addWidget(page)
    page.show_check(checked(suspicions=(Suspicion("language", "This seems to be German.", stops=True),)))
    assert "German" in page.why_not.text()
    assert page.pages.currentIndex() == 1
    assert not page.copy.isEnabled()


@pytest.mark.parametrize("width", [700, 1024])
def test_without_room_the_fields_of_the_twin_come_when_asked_for(width: int, window: MainWindow, qtbot: QtBot) -> None:
    page = TwinPage(window)
    qtbot.addWidget(page)
    page.resize(width, 560)
    page.show()
    QApplication.processEvents()
    narrow = width < page.view.BESIDE_FROM
    assert [page.menu_button.isVisible(), page.another.isVisible()] == [narrow, narrow]
    assert [page.person.isVisible(), page.copy.isVisible()] == [not narrow, not narrow]


def test_the_page_makes_a_twin_and_another_for_who_is_typed(window: MainWindow, qtbot: QtBot) -> None:
    page = TwinPage(window)
    qtbot.addWidget(page)
    page.show_check(checked())
    qtbot.waitUntil(lambda: page.view.difference is not None, timeout=PATIENCE)
    first = page.person.person()
    assert first.pronoun == "he"
    assert f"{first.first_name} Moreno is an artist" in page.view.texts.right.text()
    assert not page.rewrite_button.isEnabled()
    assert "CV" in page.rewrite_button.toolTip()
    assert not page.person.make.isEnabled()
    page.person.first.setFocus()
    page.person.first.clear()
    qtbot.keyClicks(page.person.first, "Alex")
    page.person.pronoun.setCurrentIndex(page.person.pronoun.findData("they"))
    qtbot.keyClick(page.person.first, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "They paint" in page.view.texts.right.text(), timeout=PATIENCE)
    page.forget()
    assert page.view.difference is None
    assert page.person.first.text() == ""


def test_what_is_put_aside_in_the_letter_asks_nothing_here_until_it_is_brought_back(
    window: MainWindow, qtbot: QtBot
) -> None:
    page = TwinPage(window)
    qtbot.addWidget(page)
    about = checked()
    page.checked = about
    page._show(about, difference(), Whom())
    assert len(page.view.asked.list.table.rows) == 1
    page.show_check(about, [PAINTS.key(SENTENCE)])
    assert page.view.asked.list.table.rows == ()
    assert page.view.findings.question.text().startswith("No sentences name gender")
    page.show_check(about, [])
    assert len(page.view.asked.list.table.rows) == 1


GROUPS = (
    NameGroup("white", "White American", "a study", "What is known.", {}),
    NameGroup("black", "African American", "a study", "What is known.", {}),
)


def test_a_kind_of_twin_is_chosen_with_the_source_of_its_names(qtbot: QtBot) -> None:
    bar = TwinPersonBar()
    qtbot.addWidget(bar)
    bar.offer(NamesToChoose(GROUPS, {"us": "Names of the United States"}))
    bar.show_person(JOSEPH)
    keys = [bar.kind.itemData(place) for place in range(bar.kind.count())]
    assert keys == ["gender", "white", "black", "all", "set:us", "typed"]
    assert bar.kind.currentData() == "gender"
    assert "a study. What is known." in bar.kind.itemData(1, Qt.ItemDataRole.ToolTipRole)
    wanted: list[Whom] = []
    bar.wanted.connect(wanted.append)
    for key in ("black", "all", "set:us", "gender", "typed"):
        bar.kind.setCurrentIndex(keys.index(key))
        bar.kind.activated.emit(keys.index(key))
    said = [(one.group, one.several, one.names) for one in wanted]
    assert said == [("black", False, ""), ("", True, ""), ("", True, "us"), ("", False, "")]
    bar.first.setText("Alex")
    bar.first.textEdited.emit("Alex")
    bar.make.click()
    assert wanted[-1] == Whom("typed", Person("Alex", "Moreno", "", "he"))


def test_the_names_of_all_groups_stand_below_each_other_and_lead_to_their_twins(
    window: MainWindow, qtbot: QtBot
) -> None:
    page, about = TwinPage(window), checked()
    qtbot.addWidget(page)
    page.checked = about
    other = replace(difference(), other=Person("Aisha", "Jones", "", "she"))
    figure = NameFigure("agency", "Agentic", "share of sentences", 0.4, (0.4, 0.6))
    both = (NameTwin("white", "White American", difference()), NameTwin("black", "African American", other))
    names = NameTwins(both, (figure,), ("One name stands for no group.",))
    page._show(about, both[0].twin, Whom("all"), names)
    rows = [row.cells[0] for row in page.view.names.list.table.rows]
    assert rows[1] == "African American: Aisha Jones\nAgentic 60 % · 1 score differs from the letter's"
    assert "stands for no group" in page.view.names.said.text()
    assert not page.view.names.isHidden()
    page.view.names.list.select("black")
    assert page.swap is other
    assert page.person.person().first_name == "Aisha"
    page._show(about, difference(), Whom())
    assert page.view.names.isHidden()


def test_a_generator_needs_an_occupation(window: MainWindow, qtbot: QtBot) -> None:
    about = checked(Document("cv.txt", "txt", ("Kelly paints.",)))
    dialog = RewriteDialog(window, about, JOSEPH, window)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, on=False)
    qtbot.addWidget(dialog)
    qtbot.waitUntil(lambda: dialog.picker.info is not None, timeout=PATIENCE)
    dialog.picker._show_backend(reset=False)
    ready = SimpleNamespace(why_not=lambda offline: "", info=dialog.picker.info)
    dialog.picker, before = ready, dialog.picker  # type: ignore[assignment]
    assert "occupation" in dialog.reason()
    dialog.occupation.setText("artist")
    dialog.picker = before
    backends = {before.backend.itemData(place) for place in range(before.backend.count())}
    assert "synthetic" not in backends
    assert backends
    assert dialog.parameters().get("temperature") == 1.0
    dialog.close()
