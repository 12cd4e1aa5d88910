"""What the window shows of others' words is plain: Qt renders a tip that looks like HTML, and loads its pictures."""

import ast
import gc
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from PySide6.QtGui import Qt, QTextDocument

from biasprint.desktop.widgets.safe_text import safe_tip

DESKTOP = Path(__file__).parents[3] / "desktop"
SETTERS = {"setToolTip", "setStatusTip", "setWhatsThis"}
# What makes a tip out of anything (safe_tip, and the two that escape by themselves), and the program's own words.
MAKERS = {"safe_tip", "_tip", "tooltip_at", "tr", "plural", "column_help"}
RENDERS = {"setHtml", "insertHtml", "setMarkdown", "QTextBrowser", "QMessageBox", "QErrorMessage"}


@cache
def trees() -> list[tuple[Path, ast.Module]]:
    return [(path, ast.parse(path.read_text("utf-8"))) for path in sorted(DESKTOP.rglob("*.py"))]


@pytest.fixture(scope="module", autouse=True)
def parsed_once() -> Iterator[None]:
    """A million small objects, through which no collection of garbage need look, here or in later modules."""
    trees()
    gc.freeze()
    yield
    trees.cache_clear()


def called(node: ast.expr) -> str:
    if not isinstance(node, ast.Call):
        return ""
    return node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")


def is_plain(node: ast.expr) -> bool:
    if isinstance(node, ast.IfExp):
        return is_plain(node.body) and is_plain(node.orelse)
    if isinstance(node, ast.BoolOp):
        return all(map(is_plain, node.values))
    return isinstance(node, ast.Constant) or called(node) in MAKERS


def tips_of(tree: ast.AST) -> Iterator[ast.expr]:
    """Every expression that is given to Qt as a tip."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        if called(node) in SETTERS:
            yield node.args[-1]
        elif called(node) == "showText" or (
            called(node) == "setItemData" and "ToolTipRole" in ast.unparse(node.args[-1])
        ):
            yield node.args[1]


def test_every_tip_is_made_plain_or_is_the_programs_own_words() -> None:
    found = [(path, tip) for path, tree in trees() for tip in tips_of(tree)]
    assert len(found) >= 80
    assert [f"{path.name}:{tip.lineno}: {ast.unparse(tip)}" for path, tip in found if not is_plain(tip)] == []


def test_every_tip_of_a_table_is_made_plain() -> None:
    """Cells are of files; headings are the program's own."""
    roles = [
        (path, node)
        for path, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "ToolTipRole" in ast.unparse(node.test)
    ]
    assert len(roles) >= 7
    made = ("safe_tip(", "column_help(", "column.help")
    assert [path.name for path, node in roles if not any(one in ast.unparse(node) for one in made)] == []


def test_nothing_in_the_window_renders_html() -> None:
    names = {
        f"{path.name}: {name}"
        for path, tree in trees()
        for node in ast.walk(tree)
        if (name := getattr(node, "attr", getattr(node, "id", ""))) in RENDERS
    }
    labels = [
        f"{path.name}: {ast.unparse(node)}"
        for path, tree in trees()
        for node in ast.walk(tree)
        if called(node) == "QLabel"
        and node.args  # a QLabel with words guesses; biasprint.desktop.widgets.labels do not
    ]
    # Markdown is drawn in a document that loads nothing and has no HTML: test_widgets_markdown.py attacks it.
    assert (names, labels) == ({"plain_text.py: setMarkdown"}, [])


ATTACKS = (
    "<img src='/etc/passwd'>", "&lt;img src=x>", "<p>a</p>", "plain\n<img src=x>", "<?xml version='1.0'?><b>x</b>",
    "<a href='file:///x'>y</a>", "<" + "x" * 100_000,
)  # fmt: skip


@pytest.mark.parametrize("text", ATTACKS)
def test_what_looks_like_html_is_shown_as_it_is(text: str) -> None:
    tip = safe_tip(text)
    document = QTextDocument()  # what Qt makes of a tip that it takes for rich text
    if Qt.mightBeRichText(tip):  # type: ignore[attr-defined]
        document.setHtml(tip)
    else:
        document.setPlainText(tip)
    assert document.toPlainText() == text[:1_000], "the words themselves, and no picture or link in their place"
    assert len(tip) < 10_000


def test_a_tip_of_ordinary_words_is_these_words() -> None:
    said = "The project is open read-only:\nfindings cannot be stored."
    assert (safe_tip(said), safe_tip("")) == (said, "")
