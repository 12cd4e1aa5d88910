"""Do the groups of a pile differ? Each figure with its interval and n, or how many letters that would need."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

from desktop import theme
from desktop.tables.rows import Column, Row
from desktop.tables.rows_view import RowsView
from desktop.widgets import Card, Label, StandInBadge, number, tr
from desktop.widgets.safe_text import safe_line

if TYPE_CHECKING:
    from core.documents.pile.values import GroupTest

LEAST_HEIGHT = 180


class PileTests(Card):
    """`show_tests` takes what was compared; before, it says what is missing."""

    def __init__(self) -> None:
        super().__init__()
        self.set_padding(20)
        self.heading = Label(tr("Do the groups differ?"), "heading", wrap=True)
        self.said = Label("", "soft", wrap=True)
        self.badge = StandInBadge("")
        columns = (
            Column(tr("Figure"), 128),
            Column(tr("Difference (95 % interval)"), 188, help=tr("Mean of the first group minus that of the second")),
            Column(tr("Candidates"), 116, help=tr("Letters about one person count once")),
            Column(tr("Adjusted p"), 92, help=tr("After allowing for the other figures (Holm)")),
            Column(tr("What it says")),
        )
        self.table = RowsView(
            tr("Differences between the groups"), columns, keep=(0, 4, 1, 2, 3), fold=(2, 3), wrap=True
        )
        limits = tr("A difference in a pile does not say where it is from: candidates, writers and posts differ too.")
        self.limits = Label(limits, "note", wrap=True)
        for widget, stretch in ((self.heading, 0), (self.said, 0), (self.table, 1), (self.limits, 0)):
            self.box.addWidget(widget, stretch)
        self.box.insertWidget(2, self.badge, 0, Qt.AlignmentFlag.AlignLeft)
        self.box.addStretch(0)
        self.setAccessibleName(self.heading.text())
        self._dress()
        theme.signals.changed.connect(self._dress)
        self.show_waiting("")

    def show_waiting(self, why: str) -> None:
        """Nothing is compared yet, and why."""
        self.said.setText(why)
        self.said.setVisible(bool(why))
        for widget in (self.table, self.limits, self.badge):
            widget.hide()

    def show_tests(self, tests: "Sequence[GroupTest]", labels: Mapping[str, str], stand_ins: frozenset[str]) -> None:
        """Every figure of every two groups."""
        if not tests:
            missing = tr("There are not two groups with letters: set the group of rows, with F2 or the right button.")
            self.show_waiting(missing)
            return
        pairs = {test.groups for test in tests}
        self.said.setText(_pairs_said(tests, labels))
        self.said.show()
        several = len(pairs) > 1
        rows = [_row(place, test, labels, several, test.name in stand_ins) for place, test in enumerate(tests)]
        self.table.show_rows(rows)
        self.table.show()
        self.limits.show()
        stood_in = sorted({safe_line(test.title) for test in tests if test.name in stand_ins})
        self.badge.setText(tr("stand-in: {figures}").format(figures=", ".join(stood_in)))
        self.badge.setVisible(bool(stood_in))

    def _dress(self, _tokens: object = None) -> None:
        self.table.setMinimumHeight(theme.current().px(LEAST_HEIGHT))


def _pairs_said(tests: "Sequence[GroupTest]", labels: Mapping[str, str]) -> str:
    """Which groups are compared, and in which direction."""
    pairs = list(dict.fromkeys(test.groups for test in tests))
    said = [tr("{one} minus {other}").format(one=labels.get(a, a), other=labels.get(b, b)) for a, b in pairs]
    few = sum(test.few for test in tests)
    lines = [safe_line(tr("Each difference is {pairs}.").format(pairs="; ".join(said)))]
    if few == len(tests):
        lines.append(tr("There are too few letters to say anything: the last column says how many it takes."))
    elif few:
        lines.append(tr("{few} of {all} figures have too few letters.").format(few=few, all=len(tests)))
    return " ".join(lines)


def _row(place: int, test: "GroupTest", labels: Mapping[str, str], several: bool, stands_in: bool) -> Row:
    one, other = (labels.get(group, group) for group in test.groups)
    title = tr(test.title)
    if several:
        title += "\n" + tr("{one} minus {other}").format(one=one, other=other)
    if stands_in:
        title += "\n" + tr("stand-in")
    counts = "n = " + " + ".join(number(test.n_by_group[group]) for group in test.groups)
    if test.missing:
        counts += "\n" + tr("{n} without").format(n=number(test.missing))
    said = test.said
    for group in test.groups:
        said = said.replace(f"“{group}”", f"“{labels.get(group, group)}”")
    return Row(f"{place}", (title, difference_said(test), counts, p_said(test), said))


def difference_said(test: "GroupTest") -> str:
    """The difference with its interval, in points for a share; or that there is none."""
    if test.estimate is None:
        return "–"
    share = test.unit.startswith("share")
    by = 100 if share else 1
    decimals = 0 if share or test.unit == "words" else 1
    unit = tr(" points") if share else f" {tr(test.unit)}"
    said = _signed(by * test.estimate, decimals) + unit
    if test.interval is None:
        return said
    low, high = (_signed(by * bound, decimals) for bound in (test.interval.low, test.interval.high))
    return tr("{said}\n({low} to {high})").format(said=said, low=low, high=high)


def p_said(test: "GroupTest") -> str:
    """The adjusted p; none where there are too few letters to say."""
    p = test.p_adjusted
    if p is None:
        return tr("too few") if test.few else "–"
    return "p < 0.001" if p < 0.001 else f"p = {number(p, 3)}"


def _signed(value: float, decimals: int) -> str:
    rounded = round(value, decimals)
    return f"{'+' if rounded > 0 else '−' if rounded < 0 else ''}{number(abs(rounded), decimals)}"
