"""Markdown in a text view: what is drawn, what never is, and what is too much to draw."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextBlock, QTextCharFormat, QTextDocument
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from biasprint.core.judging.blind import BlindComparison, SessionProgress, SessionView
from biasprint.desktop.panels.judge.work import WorkPage
from biasprint.desktop.settings import DEFAULT_KEYS
from biasprint.desktop.widgets.plain_text import PlainText

RICH = """# A **title**

Words with *stress*, **weight**, `code` and ~~none~~.

1. one
2. two
   - deeper

> said by [somebody](https://example.org/x "tip") and <b>not bold</b>

| a | b |
|---|---|
| 1 | 2 |

```python
x = [1](2)
```

---

![a cat](file:///etc/passwd) https://example.org/y
"""
BOMBS = {
    "10,000 nested quotes": ">" * 10_000 + " a",
    "quotes, deeper by each line": "\n".join(">" * depth + " a" for depth in range(200)),
    "a wide table": "|a" * 500 + "|\n" + "|-" * 500 + "|\n" + "|b" * 500 + "|\n",
    "a long table": "|a|b|\n|-|-|\n" + "|c|d|\n" * 5_000,
    "nested lists": "\n".join("  " * depth + "- a" for depth in range(100)),
    "brackets": "[" * 15_000,
    "stars": "*a " * 6_000,
    "images": "![a](file:///etc/passwd) " * 700,
    "1 MB": "# word\n" * 150_000,
    "one line": "x" * 100_000,
    "right to left": "# سلام\n\n- عليكم **نص**\n" * 200,
    "nothing": "",
}


@pytest.fixture
def view(qtbot: QtBot) -> PlainText:
    made = PlainText()
    qtbot.addWidget(made)
    made.resize(500, 600)
    made.show()
    made.set_markdown(True)
    return made


def blocks(document: QTextDocument) -> Iterator[QTextBlock]:
    block = document.begin()
    while block.isValid():
        yield block
        block = block.next()


def looks(view: PlainText) -> dict[str, QTextCharFormat]:
    """The look of each part of the document, by its words."""
    found = {}
    for block in blocks(view.document()):
        part = block.begin()
        while not part.atEnd():
            found[part.fragment().text()] = part.fragment().charFormat()
            part += 1
    return found


def test_headings_stress_lists_quotes_code_tables_and_rules_are_drawn(view: PlainText):
    view.set_text(RICH)
    assert view.drawn
    drawn = looks(view)
    assert drawn["A title"].fontWeight() == drawn["weight"].fontWeight() == 700
    assert drawn["stress"].fontItalic()
    assert drawn["none"].fontStrikeOut()
    assert drawn["code"].fontFixedPitch()
    assert drawn["x = [1](2)"].fontFixedPitch()
    assert {block.textList().format().indent() for block in blocks(view.document()) if block.textList()} == {1, 2}
    assert len(view.document().rootFrame().childFrames()) == 1, "the table"
    assert "**" not in view.toPlainText()
    assert view.text() == RICH


def test_no_link_image_or_html_is_left_and_every_letter_has_one_size(view: PlainText):
    view.set_text(RICH)
    text = view.toPlainText()
    assert "somebody" in text
    assert "[a cat]" in text
    assert "<b>not bold</b>" in text
    assert "\ufffc" not in text
    for look in looks(view).values():
        assert not look.isAnchor()
        assert look.anchorHref() == ""
        assert not look.isImageFormat()
        assert not look.hasProperty(look.Property.FontSizeAdjustment)
        assert look.fontPointSize() == 0
        assert not look.hasProperty(look.Property.ForegroundBrush)


def test_nothing_is_loaded_whatever_a_text_names(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    picture = tmp_path / "picture.png"
    picture.write_bytes(b"no picture")
    view = PlainText()
    qtbot.addWidget(view)
    view.show()
    view.set_markdown(True)
    for name in (picture.as_uri(), str(picture), "https://example.org/p.png", "data:image/png;base64,iVBORw0KGgo="):
        view.set_text(f"![words]({name}) <img src='{name}'> [link]({name})")
        assert view.document().resource(QTextDocument.ResourceType.ImageResource.value, name) is None
        assert "[words]" in view.toPlainText()


def test_the_lines_of_a_poem_stay_lines(view: PlainText):
    view.set_text("An old pond\na frog jumps in\nthe **sound** of water\n\nagain")
    assert view.toPlainText().split("\n") == ["An old pond", "a frog jumps in", "the sound of water", "again"]


def test_switched_off_every_sign_is_there_again_and_what_is_copied_is_exact(view: PlainText):
    view.set_text(RICH)
    view.selectAll()
    assert view.createMimeDataFromSelection().text() == RICH
    view.set_markdown(False)
    assert view.toPlainText() == RICH
    assert not view.drawn


DRAWN_ALL_THE_SAME = {"images", "right to left", "nothing"}


@pytest.mark.parametrize("bomb", BOMBS)
def test_what_would_hold_the_window_up_is_shown_plain_with_every_word(view: PlainText, bomb: str, qtbot: QtBot):
    text = BOMBS[bomb]
    view.set_text(text)
    assert view.drawn == (bomb in DRAWN_ALL_THE_SAME)
    if bomb == "images":
        assert view.toPlainText().split() == ["[a]"] * 700
    elif bomb == "1 MB":
        assert view.toPlainText().startswith("# word\n# word"), "the rest comes while nobody waits"
    else:
        qtbot.waitUntil(lambda: view.all_shown, timeout=120_000)
        assert sum(map(str.isalpha, view.toPlainText())) == sum(map(str.isalpha, text))


def test_in_judging_a_key_draws_it_differences_are_marked_in_the_plain_texts_and_long_texts_stay_plain(qtbot: QtBot):
    page = WorkPage(DEFAULT_KEYS)
    qtbot.addWidget(page)
    page.resize(1000, 600)
    page.show()
    comparison = BlindComparison("t", 1, "Haiku", (), (RICH, "# word\n" * 2_000), "")
    page.show_view(SessionView(comparison, None, SessionProgress(0, 0, 1, 0, 1, 0.0)))
    first, second = page.cards.shown
    QTest.keyClick(page, Qt.Key.Key_M)
    assert (first.reading.drawn, second.reading.drawn) == (True, False)
    assert page.question.said.text() == "Without markdown, because long or deeply nested: text B."
    QTest.keyClick(page, Qt.Key.Key_D)
    assert not first.reading.drawn
    assert first.reading.toPlainText() == RICH
    assert first.reading.extraSelections()
    assert page.question.said.text().endswith("They are marked in the plain texts.")
    QTest.keyClick(page, Qt.Key.Key_D)
    assert first.reading.drawn
    QTest.keyClick(page, Qt.Key.Key_M)
    assert not first.reading.drawn
    assert page.question.said.isHidden()
