"""The themes are readable, told apart without colour, and reach the whole program from one file."""

import importlib
from string import Template

import pytest
from PySide6.QtGui import QFont, QRawFont
from PySide6.QtWidgets import QApplication

from biasprint.desktop import theme
from biasprint.desktop.theme import stylesheet
from biasprint.desktop.theme.tokens import OKABE_ITO, THEMES, tokens_for

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


@pytest.mark.parametrize("name", THEMES)
@pytest.mark.parametrize("ground", ["surface", "ground"])
def test_controls_and_focus_can_be_seen(name: str, ground: str):
    tokens = tokens_for(name)
    assert contrast(tokens.edge, getattr(tokens, ground)) >= 3
    assert contrast(tokens.focus, getattr(tokens, ground)) >= 3


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
