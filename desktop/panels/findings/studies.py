"""The last measurement of each study, what is new since, and the button that measures it again."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

from PySide6.QtCore import QLocale, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from biasprint.core.draw import digits
from biasprint.core.studies.registry import studies
from biasprint.desktop import theme
from biasprint.desktop.panels.measuring import GeneratorChoice
from biasprint.desktop.widgets import Button, Chip, ElidedLabel, Label, LinkButton, plural, tr
from biasprint.desktop.widgets.labels import hidden, show_if, show_words
from biasprint.desktop.widgets.layout import STRETCH, FlowLayout, in_column, in_row
from biasprint.desktop.widgets.safe_text import safe_line
from biasprint.desktop.wording.findings import Measurement

# Of a recipe: what was asked is said by what was done, and how far was read means nothing to people.
UNSAID = ("asked", "read_to", "analysis_plan")
MOST_LINES = 12  # studies; a file of somebody else's may have hundreds, and each line is eight widgets


class StudyLine(QWidget):
    """The line of one study. `measure` asks for it to be measured, `plan_wanted` for its analysis plan."""

    measure = Signal(str, object)  # and whose texts (WantedTexts), or None
    plan_wanted = Signal(str)

    def __init__(self, measurement: Measurement) -> None:
        super().__init__()
        self.study = measurement.study
        self.title = Label(safe_line(measurement.title), "strong")
        self.said = ElidedLabel("", "soft")
        self.new = Chip("", "accent")
        self.more = LinkButton(tr("Recipe"))
        self.more.setCheckable(True)
        self.more.toggled.connect(self._show_recipe)
        self.plan = LinkButton(tr("Analysis plan…"), act=lambda: self.plan_wanted.emit(self.study))
        self.plan.setAccessibleName(tr("Analysis plan: {study}").format(study=self.title.text()))
        self.plan.setToolTip(tr("Write down and lock which findings matter, before texts are scored"))
        self.button = Button(tr("Measure"), act=self.ask)
        self.recipe = hidden(Label("", "note", wrap=True))
        self.recipe.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.planned = hidden(Label("", "note", wrap=True))
        self.replies = hidden(Label("", "", wrap=True))
        self.writers = GeneratorChoice()
        row = FlowLayout(spacing=theme.current().grid, centred=True, last_at_end=True)
        for widget in (self.title, self.said, self.new, self.more, self.plan, self.button):
            row.addWidget(widget)
        in_column(
            row, self.planned, self.replies, self.recipe, self.writers, inside=self, spacing=row.spacing(), margins=0
        )
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)  # its captions are never cut
        self.show_measurement(measurement)

    def minimumSizeHint(self) -> QSize:
        """Return the height of its rows at its width; Qt's own answer is one row."""
        hint = super().minimumSizeHint()
        return QSize(hint.width(), max(hint.height(), self.heightForWidth(self.width())))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()

    def ask(self) -> None:
        """Ask for the study to be measured with the choices made here."""
        self.measure.emit(self.study, self.writers.whose)

    def show_measurement(self, measurement: Measurement) -> None:
        """Show the time, the settings, and what is new since."""
        self.measurement = measurement
        self.said.set_text(said_of(measurement))
        since = news_of(measurement)
        show_words(self.new, since)
        recipe = measurement.recipe
        show_if(self.more, recipe is not None)
        self.recipe.setText(recipe_words(recipe) if recipe is not None else "")
        show_words(self.planned, safe_line(measurement.plan))
        self.writers.show_writers(measurement.writers)

    def show_replies(self, sentences: Sequence[str]) -> None:
        """Show what became of refused, cut and failed replies."""
        self.replies.setText(" ".join(map(safe_line, sentences)))
        show_if(self.replies, bool(sentences))

    @property
    def settled(self) -> bool:
        """True if it was measured, and nothing is new since."""
        return bool(self.measurement.measured_at) and not news_of(self.measurement)

    def allow(self, writable: bool, busy: bool) -> None:
        """Set whether it can be measured now; the button has the accent colour if something is new."""
        self.button.set_role("" if self.settled else "primary")
        words = tr("Measuring…") if busy else tr("Measure again") if self.measurement.measured_at else tr("Measure")
        self.button.set_text(words)
        self.button.setAccessibleName(tr(f"{words}: {self.title.text()}"))
        self.button.setEnabled(writable and not busy)
        self.plan.setEnabled(writable)
        self.button.setToolTip("" if writable else tr("The project is open read-only: findings cannot be stored."))

    def _show_recipe(self, shown: bool) -> None:
        self.recipe.setVisible(shown)


class StudyLines(QWidget):
    """A line for each study, or only for the one that the table is narrowed to.

    In a low window, those with nothing new are folded into one line, which opens them.
    """

    measure = Signal(str, object)  # as a line's
    plan_wanted = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.lines: dict[str, StudyLine] = {}
        self._only: str | None = None
        self._busy: frozenset[str] = frozenset()
        self._writable = False
        self._there: dict[str, Measurement] = {}
        self._replies: Mapping[str, tuple[str, ...]] = {}
        self.hidden_note, self.more_note = Label("", "note", wrap=True), Label("", "note", wrap=True)
        self.hidden_note.hide()
        self.more_note.hide()
        self._low, self._opened = False, False
        self.settled = ElidedLabel("", "soft")
        self.unfold = LinkButton("", act=self._turn)
        self.fold = hidden(QWidget())
        in_row(self.settled, self.unfold, STRETCH, inside=self.fold, margins=0)
        self._box = in_column(
            self.hidden_note, self.fold, self.more_note, inside=self, spacing=theme.current().grid, margins=0
        )
        self.setAccessibleName(tr("Measurements"))

    def show_measurements(self, measurements: Sequence[Measurement], open_sessions: int) -> None:
        """Show the current measurements; a line whose recipe is open stays open."""
        ordered = sorted(
            measurements, key=lambda measurement: measurement.study not in studies()
        )  # the others cannot be measured
        self._there = {measurement.study: measurement for measurement in ordered}
        for gone in self.lines.keys() - self._there.keys():
            self.lines.pop(gone).deleteLater()
        for study, line in self.lines.items():
            line.show_measurement(self._there[study])
        for study in [*self._there][:MOST_LINES]:
            self._line_of(study)
        left = len(self._there) - MOST_LINES
        self.more_note.setText(plural(left, "1 other study is not listed.", "%n other studies are not listed."))
        self.more_note.setVisible(left > 0)
        self.hidden_note.setText(hidden_words(open_sessions))
        self.hidden_note.setVisible(bool(open_sessions))
        self._show()

    def _line_of(self, study: str) -> None:
        if study not in self.lines:
            self.lines[study] = line = StudyLine(self._there[study])
            line.show_replies(self._replies.get(study, ()))
            line.measure.connect(self.measure)
            line.plan_wanted.connect(self.plan_wanted)
            self._box.insertWidget(self._box.count() - 1, line)

    def show_replies(self, replies: Mapping[str, tuple[str, ...]]) -> None:
        """Show by study what became of refused, cut and failed replies."""
        self._replies = replies
        for study, line in self.lines.items():
            line.show_replies(replies.get(study, ()))
        self._show()

    def narrow_to(self, study: str | None) -> None:
        """Show only this study's line; None: every line."""
        self._only = study
        if study in self._there:
            self._line_of(study)
        self._show()

    def allow(self, writable: bool, busy: frozenset[str]) -> None:
        self._writable, self._busy = writable, busy
        self._show()

    def set_low(self, low: bool) -> None:
        """Set whether there is little height."""
        if low != self._low:
            self._low = low
            self._show()

    def _turn(self) -> None:
        self._opened = not self._opened
        self._show()

    def _show(self) -> None:
        first = [*self._there][:MOST_LINES]
        shown = [
            line for study, line in self.lines.items() if self._only == study or (self._only is None and study in first)
        ]
        # A line that says who was refused is never folded.
        settled = [line for line in shown if line.settled and line.study not in {*self._busy, *self._replies}]
        folds = self._low and len(settled) > 1
        if folds:
            last = max(line.measurement.measured_at for line in settled)
            self.settled.set_text(tr("{n} studies measured, last {when}").format(n=len(settled), when=when_words(last)))
            self.unfold.set_text(tr("Hide how") if self._opened else tr("How, and measure again"))
        self.fold.setVisible(folds)
        for line in self.lines.values():
            behind = folds and not self._opened and line in settled
            line.setVisible(line in shown and not behind)
            line.allow(self._writable, line.study in self._busy)


def said_of(measurement: Measurement) -> str:
    """Return "measured today at 13:40, with seed 0"; if the study has more texts, first on how many of them.

    Sums of a result folder's partitions have no seed: nothing in them is left to chance.
    """
    if not measurement.measured_at:
        return tr("not measured yet")
    recipe, when = measurement.recipe or {}, when_words(measurement.measured_at)
    if "seed" not in recipe:
        return tr("measured {when}").format(when=when)
    seed = recipe["seed"]
    unread = measurement.new_texts + measurement.left_out
    if not unread:
        return tr("measured {when}, with seed {seed}").format(when=when, seed=seed)
    template = tr("{read} of {texts} texts measured {when}, with seed {seed}")
    read, texts = digits.count(measurement.texts - unread), digits.count(measurement.texts)
    return template.format(read=read, texts=texts, when=when, seed=seed)


def when_words(stamp: str) -> str:
    """Format a stored time in the reader's zone: "today at 13:40", "on 20 Nov 2026 at 13:40"."""
    local = datetime.fromisoformat(stamp).astimezone()
    clock = f"{local:%H:%M}"
    if local.date() == date.today():
        return tr("today at {time}").format(time=clock)
    day = QLocale().toString(local.date(), tr("d MMM yyyy"))  # type: ignore[call-overload]
    return tr("on {day} at {time}").format(day=day, time=clock)


def news_of(measurement: Measurement) -> str:
    """Return "12 new outputs since"; empty if nothing is new, or if it was never measured."""
    if not measurement.measured_at:
        return ""
    came = (
        (measurement.new_texts, "1 new output", "%n new outputs"),
        (measurement.new_originals, "1 new original", "%n new originals"),
        (measurement.new_sessions, "1 session revealed", "%n sessions revealed"),
    )
    news = ", ".join(plural(count, singular, many) for count, singular, many in came if count)
    return tr("{news} since").format(news=news) if news else ""


def hidden_words(open_sessions: int) -> str:
    """Say that open sessions are in no finding; empty without any."""
    if not open_sessions:
        return ""
    return plural(
        open_sessions,
        "1 rating session is open: its judgments are in no finding until its reveal.",
        "%n rating sessions are open: their judgments are in no finding until their reveal.",
    )


def recipe_words(recipe: Mapping[str, Any]) -> str:
    """Return all settings needed to get the same numbers again."""
    words = {"program_version": tr("program"), "seed": tr("seed"), "axes": tr("axes"), "scorers": tr("scorers")}
    words |= {"generators": tr("written by"), "pooled": tr("pooled"), "rows": tr("rows"), "left_out": tr("left out")}
    parts = []
    for key, value in recipe.items():
        if key in UNSAID:
            continue
        if key == "generators":
            value = [f"{entry['name']} ({digits.count(entry['n'])})" for entry in value]
        if isinstance(value, Mapping):
            value = [f"{count} × {reason}" for reason, count in value.items()]
        shown = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
        if key == "axes":
            shown = shown or tr("all")
        if shown:
            parts.append(f"{words.get(key, key)} {shown}")
    return safe_line(" · ".join(parts))
