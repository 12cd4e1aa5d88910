"""The themes are readable, told apart without colour, and reach the whole program from one file."""

import importlib
import re
from string import Template

import pytest
from PySide6.QtGui import QFont, QImage, QRawFont
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QCheckBox,
    QLineEdit,
    QPlainTextEdit,
    QRadioButton,
    QTextEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot

from biasprint.desktop import theme
from biasprint.desktop.theme import stylesheet
from biasprint.desktop.theme.tokens import OKABE_ITO, THEMES, tokens_for
from biasprint.desktop.widgets.choice import ComboBox
from biasprint.desktop.widgets.frame import RailButton

PAIRS = [
    *[(ink, ground) for ink in ("ink", "soft") for ground in ("ground", "surface", "sunk", "hover")],
    ("accent_ink", "accent"),
    ("accent_ink", "accent_hover"),
    ("accent", "surface"),
    ("accent", "ground"),
    *[(tone, ground) for tone in ("ok", "warn", "danger") for ground in ("surface", "ground", f"{tone}_soft")],
    ("accent", "accent_soft"),
    ("ink", "accent_soft"),
    ("ink", "danger_soft"),
    ("ink", "warn_soft"),
    ("ink", "ok_soft"),
]


def luminance(color: str) -> float:
    """Relative luminance, as WCAG 2.2 defines it."""
    channels = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: str, second: str) -> float:
    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.fixture(autouse=True)
def usual_theme(qapp: QApplication):
    theme.apply(qapp, "light", 1.0)
    yield
    theme.apply(qapp, "light", 1.0)


def test_contrast_formula_gives_the_known_extremes():
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.01)  # WCAG's well-known near miss


@pytest.mark.parametrize("name", THEMES)
@pytest.mark.parametrize(("text", "ground"), PAIRS)
def test_text_is_readable_on_every_ground(name: str, text: str, ground: str):
    tokens = tokens_for(name)
    least = 7.0 if name == "contrast" else 4.5
    assert contrast(getattr(tokens, text), getattr(tokens, ground)) >= least


GROUNDS = ("surface", "ground", "sunk")  # what controls stand on
RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
COLOR = re.compile(r"#[0-9A-Fa-f]{6}\b")
# Parts that are needed to see a control or its state: the start of a selector, and the property with its colour.
PARTS = (
    ("QPushButton", "border"), ("QPushButton:pressed", "border-color"), ("QLineEdit", "border"),
    ("QCheckBox::indicator", "border"), ("QCheckBox::indicator:checked", "border-color"),
    ("QListView::indicator", "border"), ("QListView::indicator:checked", "border-color"),
    ("QSlider::handle:horizontal", "border"), ("QSlider::sub-page:horizontal", "background"),
    ("QProgressBar::chunk", "background"), ("QScrollBar::handle", "background"),
    ("QScrollBar::handle:hover", "background"), ("QToolButton:checked", "border-color"),
    ("QListView::item:selected", "border"), ("QTableView::item:selected", "border-bottom-color"),
    ("QMenu::item:selected", "border-color"), ("QTabBar::tab:selected", "border-bottom-color"),
)  # fmt: skip
# Without a ring of their own: the palette's field always has the keyboard, the view of texts has a ring around it,
# the list of a box and the field of a spin box are within what has one.
RINGED_ELSEWHERE = ("palette", "reading", "QComboBox QAbstractItemView", "QAbstractSpinBox QLineEdit")


def rules(name: str) -> list[tuple[str, dict[str, str]]]:
    """The stylesheet of a theme: a selector, and its properties."""
    sheet = re.sub(r"/\*.*?\*/", "", stylesheet(tokens_for(name), "/images"), flags=re.DOTALL)
    return [
        (selector.strip(), dict(_property(line) for line in body.split(";") if ":" in line))
        for selectors, body in RULE.findall(sheet)
        for selector in selectors.split(",")
    ]


def _property(line: str) -> tuple[str, str]:
    key, _, value = line.partition(":")
    return key.strip(), value.strip()


def least_on_grounds(name: str, value: str) -> float:
    """The contrast of a property's colour with whatever the part may stand on."""
    (color,) = COLOR.findall(value)
    return min(contrast(color, getattr(tokens_for(name), ground)) for ground in GROUNDS)


@pytest.mark.parametrize("name", THEMES)
def test_every_word_that_the_stylesheet_colours_is_readable(name: str):
    """A rule's own ground, or else whatever the words may stand on; what is disabled is not to be read."""
    tokens = tokens_for(name)
    pale = {}
    for selector, properties in rules(name):
        words = COLOR.findall(properties.get("color", ""))
        if not words or "disabled" in selector:
            continue
        grounds = COLOR.findall(properties.get("background", ""))
        grounds = grounds or [getattr(tokens, ground) for ground in GROUNDS]
        least = min(contrast(words[0], ground) for ground in grounds)
        if least < 4.5:
            pale[selector] = round(least, 2)
    assert pale == {}


@pytest.mark.parametrize("name", THEMES)
@pytest.mark.parametrize(("selector", "key"), PARTS, ids=[f"{selector} {key}" for selector, key in PARTS])
def test_the_parts_of_controls_can_be_seen(name: str, selector: str, key: str):
    values = [properties[key] for known, properties in rules(name) if known == selector and key in properties]
    assert values, "the stylesheet has no such rule"
    assert min(least_on_grounds(name, value) for value in values) >= 3


# In high contrast a control is seen by its edge even where it can do nothing now, or has a tint elsewhere.
EDGES = (
    ("QPushButton:disabled", "border-color"), ('QPushButton[role="plain"]', "border-color"),
    ('QPushButton[role="primary"]:disabled', "border-color"),
    ('QPushButton[role="choice"]:checked:disabled', "border-color"), ("QLineEdit:disabled", "border-color"),
    ("QCheckBox::indicator:disabled", "border-color"), ("QSlider::groove:horizontal", "background"),
    ("QProgressBar", "background"), ('QLabel[role="chip"]', "border"),
    ('QFrame[role="notice"][tone="warn"]', "border-color"),
)  # fmt: skip


@pytest.mark.parametrize(("selector", "key"), EDGES, ids=[f"{selector} {key}" for selector, key in EDGES])
def test_every_edge_can_be_seen_in_high_contrast(selector: str, key: str):
    values = [properties[key] for known, properties in rules("contrast") if known == selector and key in properties]
    assert values, "the stylesheet has no such rule"
    assert least_on_grounds("contrast", values[-1]) >= 3


@pytest.mark.parametrize("name", THEMES)
@pytest.mark.parametrize("kind", [QLineEdit, QPlainTextEdit, QTextEdit, ComboBox])
def test_what_a_field_asks_for_is_readable(qtbot: QtBot, qapp: QApplication, name: str, kind: type[QWidget]):
    theme.apply(qapp, name, 1.0)
    field = kind()
    theme.dress(field)
    qtbot.addWidget(field)
    field.show()
    color = field.palette().placeholderText().color()
    assert color.alpha() == 255, "Qt's own is half as dark as the text"
    assert contrast(color.name(), theme.current().surface) >= 4.5


@pytest.mark.parametrize("kind", [QCheckBox, QRadioButton])
def test_the_ring_of_a_box_keeps_clear_of_it(qtbot: QtBot, qapp: QApplication, kind: type[QAbstractButton]):
    theme.apply(qapp, "contrast", 1.0)
    box = kind("Words")
    theme.dress(box)
    qtbot.addWidget(box)
    box.show()
    plain = box.grab().toImage()
    box.setFocus()
    box.activateWindow()
    qtbot.waitUntil(box.hasFocus)
    plain, ringed = (shown(picture) for picture in (plain, box.grab().toImage()))
    assert ringed[:3] == [0, 1, plain[0]], "a ring two pixels wide, and nothing moves"
    assert plain[0] > 2, "the ring keeps clear of the box"


def shown(picture: QImage) -> list[int]:
    """Return where a line through the middle is not black."""
    middle = picture.height() // 2
    return [x for x in range(picture.width()) if picture.pixelColor(x, middle).name() != "#000000"]


@pytest.mark.parametrize("name", THEMES)
def test_the_menus_button_has_an_edge_where_nothing_else_shows_it(qtbot: QtBot, qapp: QApplication, name: str):
    theme.apply(qapp, name, 1.0)
    button = RailButton("Biasprint", "menu", brand=True)
    theme.dress(button)
    qtbot.addWidget(button)
    button.resize(200, 40)
    picture = button.grab().toImage()
    column = {picture.pixelColor(x, 20).name().upper() for x in range(4)}
    assert (theme.current().edge in column) == (name == "contrast")


@pytest.mark.parametrize("name", THEMES)
def test_every_focus_ring_can_be_seen(name: str):
    rings = {
        selector: properties.get("border", "none")
        for selector, properties in rules(name)
        if ":focus" in selector and "border" in properties and not any(one in selector for one in RINGED_ELSEWHERE)
    }
    assert len(rings) >= 12
    assert [selector for selector, border in rings.items() if not COLOR.search(border)] == []
    assert {selector for selector, border in rings.items() if least_on_grounds(name, border) < 3} == set()


@pytest.mark.parametrize("name", THEMES)
@pytest.mark.parametrize("ground", GROUNDS)
def test_painted_edges_and_rings_can_be_seen(name: str, ground: str):
    tokens = tokens_for(name)
    assert contrast(tokens.edge, getattr(tokens, ground)) >= 3
    assert contrast(tokens.focus, getattr(tokens, ground)) >= 3
    assert contrast(tokens.accent, tokens.track) >= 3, "how far a bar or slider is"


@pytest.mark.parametrize("name", THEMES)
def test_series_are_okabe_ito_with_cues_of_their_own(name: str):
    series = tokens_for(name).series
    allowed = {*OKABE_ITO.values(), "#FFFFFF"}  # white stands for black on dark grounds
    assert len(series) == 8
    assert {one.color for one in series} <= allowed
    for cue in ("color", "pattern"):
        assert len({getattr(one, cue) for one in series}) == 8, f"two series share a {cue}"


@pytest.mark.parametrize("name", THEMES)
def test_the_first_series_stand_out_from_the_card(name: str):
    tokens = tokens_for(name)
    assert all(contrast(one.color, tokens.surface) >= 3 for one in tokens.series[:3])


@pytest.mark.parametrize(("asked", "given"), [(0.1, 0.8), (0.8, 0.8), (1.3, 1.3), (2.0, 2.0), (9.0, 2.0)])
def test_font_scale_stays_between_80_and_200_percent(asked: float, given: float):
    tokens = tokens_for("light", asked)
    assert tokens.scale == given
    assert tokens.reading == round(16 * given)
    assert tokens.note == round(12 * given)


@pytest.mark.parametrize("name", THEMES)
@pytest.mark.parametrize("scale", [0.8, 1.0, 2.0])
def test_stylesheet_has_no_placeholder_left(name: str, scale: float):
    sheet = stylesheet(tokens_for(name, scale), "/images")
    assert "$" not in sheet
    assert sheet.count("{") == sheet.count("}")
    assert tokens_for(name).accent in sheet


def test_unknown_placeholder_in_the_template_is_an_error(monkeypatch: pytest.MonkeyPatch):
    module = importlib.import_module("biasprint.desktop.theme")  # the package's attribute of that name is the function
    monkeypatch.setattr(module, "_template", lambda: Template("a { color: ${nothing}; }"))
    with pytest.raises(KeyError, match="nothing"):
        stylesheet(tokens_for("light"), "")


def test_system_theme_follows_the_desktop(qapp: QApplication, monkeypatch: pytest.MonkeyPatch):
    from PySide6.QtCore import Qt

    class Hints:
        def colorScheme(self) -> Qt.ColorScheme:
            return Qt.ColorScheme.Dark

    monkeypatch.setattr(qapp, "styleHints", Hints, raising=False)
    assert theme.named_theme(qapp, "system") == "dark"
    assert theme.named_theme(qapp, "light") == "light"


def test_inter_has_the_signs_that_texts_use():
    font = QRawFont.fromFont(QFont("Inter"))
    assert font.familyName() == "Inter"
    missing = [sign for sign in "“”‘’–—…×−→←↔·✓ßøžщΩ€↔≥±" if not font.supportsCharacter(ord(sign))]
    assert missing == []


def test_texts_to_be_read_grow_beyond_the_rest():
    usual, larger = tokens_for("light", 1.25), tokens_for("light", 1.25, 1.5)
    assert (larger.reading, larger.control) == (30, usual.control), "16 × 1.25 × 1.5"
